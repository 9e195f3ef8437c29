# SPDX-License-Identifier: MIT
"""OMPD libraries as files: each is loaded once, and one that was not installed with this package
only if nobody but its user may write to it."""

from __future__ import annotations

import ctypes
import os
import re

from openmp_inspect.core import debug, escaped, text, trusted_file
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.bindings import dialect2, dialect5

if TYPE_CHECKING:
    from typing import Callable, Dict, Iterable, List, Optional, Tuple, Type, Union
    from ctypes import CDLL
    Dialect = Union[dialect2.Dialect2, dialect5.Dialect5]

DIALECTS: Tuple[Type[Dialect], ...] = dialect5.Dialect5, dialect2.Dialect2

_loaded: Dict[Tuple[int, int], Library] = {}  # by device and inode, as dlopen knows a file


class Library:
    def __init__(self, path: str, dialect: Dialect) -> None:
        self.path = path
        self.dialect = dialect


class Rejected(Exception):
    """A library is not used; the text says why, as the end of a sentence that begins with
    its path."""


def load_all(paths: Iterable[str],
             load: Callable[[str], Library]) -> Tuple[List[Library], List[str]]:
    """(libraries, why the others are none, each reason once)"""
    found: List[Library] = []
    reasons: Dict[str, List[str]] = {}
    for path in paths:
        try:
            library = load(path)
        except Rejected as reason:
            reasons.setdefault(str(reason), []).append(escaped.shown(path))
        else:
            if library not in found:
                found.append(library)
    return found, ["%s%s %s" % (names[0], ", as %s," % text.count(len(names) - 1, "other")
                                if len(names) > 1 else "", reason)
                   for reason, names in reasons.items()]


_kept: Dict[str, Union[Library, Rejected]] = {}  # by path


def keep(path: str, load: Callable[[str], Library]) -> None:
    """What LOAD makes of a PATH now it makes of it from now on, for who can open nothing later."""
    try:
        _kept[path] = load(path)
    except Rejected as reason:
        _kept[path] = reason


def _of_kept(path: str) -> Optional[Library]:
    found = _kept.get(path)
    if isinstance(found, Rejected):
        raise found
    return found


def load_own(path: str) -> Library:
    """The Library at a PATH that was installed with this package, and is as good as that."""
    kept = _of_kept(path)
    if kept is not None:
        return kept
    try:
        status = os.stat(path)
    except OSError as error:
        raise Rejected(error.strerror) from None
    key = status.st_dev, status.st_ino
    if key not in _loaded:
        _loaded[key] = _attached(lambda: ctypes.CDLL(path), path)
    return _loaded[key]


def load_checked(path: str) -> Library:
    """The same of any other PATH that the user trusts."""
    kept = _of_kept(path)
    if kept is not None:
        return kept
    try:
        file = trusted_file.TrustedFile(path)
    except (trusted_file.Refused, ValueError) as reason:
        raise Rejected(str(reason)) from None
    try:
        if file.identity not in _loaded:
            _loaded[file.identity] = _attached(file.load, path)
        return _loaded[file.identity]
    finally:
        file.close()


def _attached(load: Callable[[], CDLL], path: str) -> Library:
    try:
        handle = load()
    except OSError as error:
        raise Rejected("cannot be loaded: %s" %
                       escaped.shown(re.sub(r"\s+", " ", str(error)))) from None
    for kind in DIALECTS:
        try:
            dialect = kind(handle)
        except AttributeError:
            debug.ignored()
            continue  # a routine is missing
        if dialect.begins():
            return Library(path, dialect)
    raise Rejected("speaks another interface than this plugin")
