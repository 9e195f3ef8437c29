# SPDX-License-Identifier: MIT
"""Finds the OMPD library for a program and loads it once.

A library runs in gdb, and what a process or core says of itself may be an attacker's: the
paths in its `ompd_dll_locations` are a wish. libgomp, LLVM's runtime and the hooks are read by
the libraries that were installed with this plugin. Another vendor's is loaded when the user
names it, or from gdb's auto-load safe-path where ours cannot read the runtime.
"""

from __future__ import annotations

import ctypes
import os
import re

from openmp_inspect.core import debug, escaped, install_paths, text, trusted_file
from openmp_inspect.core.errors import NoLibrary, OmpdError, Unreadable
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.bindings import dialect2, dialect5
from openmp_inspect.code import code_owner, image_symbols
from openmp_inspect.code.entry_point_table import SIGNS
from gdb_openmp.host import images, inferiors, parameters, safe_path, symbols

if TYPE_CHECKING:
    from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Type, Union
    from ctypes import CDLL
    from openmp_inspect.bindings.held_handles import Session
    from openmp_inspect.bindings.spaces import Space
    Dialect = Union[dialect2.Dialect, dialect5.Dialect]

DIALECTS: Tuple[Type[Dialect], ...] = dialect5.Dialect, dialect2.Dialect
MOST_LOCATIONS = 32
LONGEST_PATH = 4096

_loaded: Dict[Tuple[int, int], Library] = {}  # by device and inode, as dlopen knows a file


class Library:
    def __init__(self, path: str, dialect: Dialect) -> None:
        self.path = path
        self.dialect = dialect


class _Rejected(Exception):
    """A library is not used; the text says why, as the end of a sentence that begins with
    its path."""


def open_session(space: Space) -> Session:
    """A session of the library that knows most of those that fit, or NoLibrary."""
    named = _locations(space)
    foreign = code_owner.foreign_runtime()
    loaded = code_owner.runtimes()
    hooked = bool(loaded.hooks)
    other = images.differing(loaded.hooks or loaded.gomp or loaded.kmp)
    if other is not None:
        raise NoLibrary(other)
    if parameters.library():
        return _open_chosen(space, parameters.library())
    # Ours read the hooks, and runtimes without them.
    trusted_names = [] if hooked or foreign else filter(safe_path.covers, named)
    found, _ = _load_all(trusted_names, _load_checked)
    ours, reasons = _load_all(install_paths.libraries(), _load_own)
    if foreign:
        del ours[1:]  # 2.000 has no names of files to distinguish the runtime from the hooks
    try:
        if found + ours:
            return _open_best(space, found + ours)
    except OmpdError as error:
        if not foreign or error.kind != "incompatible" or images.others():
            raise
        debug.ignored()
    if foreign:
        return _open_foreign(space, named, foreign)
    raise NoLibrary("The OMPD libraries of this plugin cannot be used: %s." %
                    ("; ".join(reasons) or "there are none"))


def _open_best(space: Space, libraries: Iterable[Library]) -> Session:
    failed: List[OmpdError] = []
    for library in sorted(libraries, key=lambda library: -library.dialect.rank):
        try:
            return library.dialect.open(space, library)
        except OmpdError as error:
            failed.append(error)
    raise failed[0]


def _open_chosen(space: Space, path: str) -> Session:
    try:
        library = _load_checked(path)
    except _Rejected as reason:
        raise NoLibrary('The library of "set ompd library", %s, is not loaded: it %s.' %
                        (escaped.shown(path), reason)) from None
    return library.dialect.open(space, library)


def _open_foreign(space: Space, named: List[str], runtime: str) -> Session:
    """A session with another vendor's library: one that the runtime names, or the one
    beside the runtime. A runtime that names none has not been built with what such a library
    reads, or was stripped of it."""
    name = escaped.shown(os.path.basename(runtime))
    if not named and not space.recorded:
        raise NoLibrary("%s of this program is of a version that this plugin does not know, "
                        "so only what gdb knows can be shown." % name)
    beside = os.path.join(os.path.dirname(trusted_file.resolved(runtime)), "libompd.so")
    if os.path.isfile(beside):
        named.append(beside)
    safe = [path for path in named if safe_path.covers(path)]
    if not safe:
        raise NoLibrary(_not_safe(name, named))
    found, reasons = _load_all(safe, _load_checked)
    if not found:
        raise NoLibrary('No OMPD library of %s can be used (%s): type "set ompd library FILE" '
                        "to name one." % (name, "; ".join(reasons)))
    try:
        return _open_best(space, found)
    except OmpdError as error:
        raise NoLibrary("The OMPD library of %s cannot read this program (%s): is it of "
                        "the same version?" % (name, error.kind.replace("_", " "))) from None


def _not_safe(runtime: str, named: Sequence[str]) -> str:
    """The sentence about libraries that nobody but the program vouches for: the last one,
    which may be the one beside the runtime."""
    path = next((path for path in reversed(named) if os.path.isabs(path)), None)
    if path is None:
        return '%s names no OMPD library by its full path: type "set ompd library FILE" to ' \
            "name it." % runtime
    # What had to be escaped or cut cannot be typed.
    return 'The OMPD library of %s, %s, lies outside of gdb\'s auto-load safe-path, and its ' \
        'code would run in the debugger: type "set ompd library %s" to load it all the same.' % (
            runtime, escaped.shown(path), path if escaped.shown(path) == path else "FILE")


def _locations(space: Space) -> List[str]:
    """The strings of ompd_dll_locations, read from the target: nothing is done with them but
    to look for them in what the user trusts."""
    variable = symbols.address("ompd_dll_locations")
    if not code_owner.has_runtime() and (variable is None or code_owner.runtimes().hooks):
        raise _no_runtime(space)
    if variable is None:
        space.recorded = False
        return []
    foreign, hooks = code_owner.foreign_runtime(), code_owner.runtimes().hooks
    if not (foreign and hooks):
        space.recorded = True
        return _strings(space, variable)
    # The hooks name their libraries beside any runtime, but record with libgomp only. The
    # runtime has a variable of its own, or stores into theirs.
    own = symbols.variable_in(foreign, "ompd_dll_locations")
    beside = {os.path.dirname(trusted_file.resolved(path)) for path in hooks}
    named = (_strings(space, own) if own is not None else []) or \
        [path for path in _strings(space, variable)
         if os.path.dirname(trusted_file.resolved(path)) not in beside]
    space.recorded = own is not None or bool(named)
    return named


def _strings(space: Space, variable: int) -> List[str]:
    """Those of a vector that ends with NULL, to which the VARIABLE points."""
    pointer = space.process.sizes[-1]
    paths: List[str] = []
    try:
        vector = space.memory.unsigned(variable, pointer)
        while vector and len(paths) < MOST_LOCATIONS:
            string = space.memory.unsigned(vector + len(paths) * pointer, pointer)
            if string == 0:
                break
            paths.append(os.fsdecode(space.memory.read_string(string, LONGEST_PATH)))
    except Unreadable:
        debug.ignored()  # what was read until then
    return [path for path in paths if 0 < len(os.fsencode(path)) < LONGEST_PATH]


def _load_all(paths: Iterable[str],
              load: Callable[[str], Library]) -> Tuple[List[Library], List[str]]:
    """(libraries, why the others are none, each reason once)"""
    found: List[Library] = []
    reasons: Dict[str, List[str]] = {}
    for path in paths:
        try:
            library = load(path)
        except _Rejected as reason:
            reasons.setdefault(str(reason), []).append(escaped.shown(path))
        else:
            if library not in found:
                found.append(library)
    return found, ["%s%s %s" % (names[0], ", as %s," % text.count(len(names) - 1, "other")
                                if len(names) > 1 else "", reason)
                   for reason, names in reasons.items()]


def _load_own(path: str) -> Library:
    """The Library at a PATH that the plugin was installed with, and is as good as that."""
    try:
        status = os.stat(path)
    except OSError as error:
        raise _Rejected(error.strerror) from None
    key = status.st_dev, status.st_ino
    if key not in _loaded:
        _loaded[key] = _attached(lambda: ctypes.CDLL(path), path)
    return _loaded[key]


def _load_checked(path: str) -> Library:
    """The same of any other PATH that the user trusts."""
    try:
        file = trusted_file.File(path)
    except (trusted_file.Refused, ValueError) as reason:
        raise _Rejected(str(reason)) from None
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
        raise _Rejected("cannot be loaded: %s" % escaped.shown(re.sub(r"\s+", " ", str(error)))) \
            from None
    for kind in DIALECTS:
        try:
            dialect = kind(handle)
        except AttributeError:
            debug.ignored()
            continue  # a routine is missing
        if dialect.begins():
            return Library(path, dialect)
    raise _Rejected("speaks another interface than this plugin")


def _no_runtime(space: Space) -> NoLibrary:
    """The error for a program in which no runtime was found."""
    if not inferiors.libraries():
        return NoLibrary('gdb does not know the program of this process or core: type '
                         '"file %s" to name it.' % (images.running_program() or "PROGRAM"))
    not_found, not_loaded = inferiors.unread_libraries()
    path = _runtime_among(not_found)
    if path:
        return NoLibrary(images.missing(path))
    path = _runtime_among(not_loaded)
    if path:
        return NoLibrary('gdb has not loaded %s: type "sharedlibrary" to load it.' %
                         escaped.shown(os.path.basename(path)))
    is_static = images.is_static()
    if not is_static and len(inferiors.libraries()) == 1 or _is_runtime_needed() and \
            any(symbols.address(SIGNS[kind]) is not None for kind in ("gomp", "kmp")):
        return NoLibrary("gdb sees no OpenMP runtime in this program yet: it has not got "
                         "there, or it is a core that was cut short.")
    if is_static and symbols.address("main") is None:
        return NoLibrary("This program is linked statically and stripped of its symbols: "
                         "whether it uses OpenMP cannot be determined.", fatal=True)
    return NoLibrary("This program does not use OpenMP: no libgomp, libomp or libiomp5 is "
                     "loaded.", fatal=True)


def _is_runtime_needed() -> bool:
    """Whether the program calls libgomp's functions, not only the hooks, which offer them; or that
    is not known."""
    return not code_owner.runtimes().hooks or any(
        image is None or any(map(code_owner.is_openmp, image.undefined))
        for image in image_symbols.of_user().values())


# What a library's name has to say as long as there is no file.
_RUNTIMES = "libgomp", "libomp.so", "libiomp5", "libompd-hooks"


def _runtime_among(paths: Iterable[str]) -> Optional[str]:
    return next((path for path in paths if os.path.basename(path).startswith(_RUNTIMES)), None)
