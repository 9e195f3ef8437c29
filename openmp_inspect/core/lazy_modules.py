# SPDX-License-Identifier: MIT
"""Modules are executed when something of them is first needed, by Python's LazyLoader: a debugger
starts without those of commands that nobody types.

Beside the packages `make install` has put their byte code into one file for each directory and Python
(gen-code-archive.py): a command opens that, in place of hundreds, and executes what it needs in its sandbox,
too, which may open nothing. A Python that has none reads sources, as ever."""

from __future__ import annotations

import contextlib
import importlib.machinery
import importlib.util
import marshal
import os
import signal
import sys

from openmp_inspect.core import debug

TYPE_CHECKING = False  # a type checker takes it for True

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType
    from typing import Dict, List, Optional, Sequence, Set, Tuple

    # Whether it is a package, the path of its source, its code for marshal, the modules of others that
    # it imports.
    Archived = Tuple[bool, str, memoryview, Sequence[str]]

# Name of such a file: Python's magic number, the size of an index, which has places in the codes behind.
ARCHIVE = "code.%s" % sys.implementation.cache_tag
SIZE = 8  # bytes
_archived: Dict[str, Archived] = {}  # by the name of a module


class _Loader(importlib.machinery.SourceFileLoader):
    """An interrupt waits until a module is whole: half of one would stay for the session."""

    def get_code(self, fullname: str) -> Optional[CodeType]:
        if fullname not in _archived:
            return super().get_code(fullname)
        code: CodeType = marshal.loads(_archived[fullname][2])
        return code

    def exec_module(self, module: ModuleType) -> None:
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            super().exec_module(module)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _spec(name: str) -> Optional[ModuleSpec]:
    """Of a module that is in an archive."""
    is_package, origin, _, _ = _archived[name]
    spec = importlib.util.spec_from_file_location(
        name, origin, loader=_Loader(name, origin),
        submodule_search_locations=[os.path.dirname(origin)] if is_package else None)
    if spec is not None:
        spec.cached = origin  # which would take a while to find, and is not used
    return spec


class _Finder(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, fullname: str, path: Optional[Sequence[str]] = None,
                  target: Optional[ModuleType] = None) -> Optional[ModuleSpec]:
        if fullname.partition(".")[0] not in _packages or "." not in fullname:
            return None
        spec = _spec(fullname) if fullname in _archived else \
            super().find_spec(fullname, path, target)
        if spec is not None and spec.origin and spec.submodule_search_locations is None:
            spec.loader = importlib.util.LazyLoader(_Loader(fullname, spec.origin))
        return spec


_packages: List[str] = []


def of(package: str) -> None:
    """From now on modules below a PACKAGE, which is being imported, are lazy; packages themselves are
    not."""
    if not _packages:
        sys.meta_path.insert(0, _Finder)
    _packages.append(package)
    if package in _archived:
        return
    root = os.path.dirname(os.path.dirname(str(sys.modules[package].__file__)))
    try:
        with open(os.path.join(root, ARCHIVE), "rb") as stream:
            data = memoryview(stream.read())
        at = len(importlib.util.MAGIC_NUMBER)
        if data[:at] == importlib.util.MAGIC_NUMBER:
            begin = at + SIZE + int.from_bytes(data[at:at + SIZE], "little")
            for name, (is_package, path, start, end, foreign) in marshal.loads(
                    data[at + SIZE:begin]).items():
                _archived[name] = (is_package, os.path.join(root, path),
                                   data[begin + start:begin + end], foreign)
    except (OSError, ValueError, EOFError, TypeError):
        debug.ignored()  # there is none, or not a whole one


def open_all(elsewhere: Sequence[str]) -> None:
    """No module opens a file from now on, but those that are executed ELSEWHERE and what only they
    import."""
    if not _archived:
        execute_all()
    for one in {one for name, found in _archived.items() if name not in elsewhere for one in found[3]}:
        with contextlib.suppress(ImportError):  # its users may do without
            importlib.import_module(one)


def execute_all() -> None:
    """Executes what has been imported so far, and what that imports: it takes no time later."""
    done: Set[str] = set()
    while True:
        names = [name for name in sys.modules
                 if name not in done and name.partition(".")[0] in _packages]
        if not names:
            return
        for name in names:
            done.add(name)
            getattr(sys.modules[name], "__doc__", None)


def execute(module: ModuleType) -> None:
    """Executes a MODULE, and all that it imports or has something of."""
    done: Set[str] = set()
    left, packages = {module.__name__}, [*_packages, module.__name__.partition(".")[0]]
    while left:
        name = left.pop()
        done.add(name)
        getattr(sys.modules[name], "__doc__", None)
        for value in list(vars(sys.modules[name]).values()):
            of = value.__name__ if isinstance(value, type(sys)) else \
                getattr(value, "__module__", None)
            if of in sys.modules and of.partition(".")[0] in packages and of not in done:
                left.add(of)
