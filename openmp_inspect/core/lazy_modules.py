# SPDX-License-Identifier: MIT
"""Modules are executed when something of them is first needed, by Python's LazyLoader: a debugger
starts without those of commands that nobody types."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import signal
import sys

TYPE_CHECKING = False  # a type checker takes it for True

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import List, Optional, Sequence, Set


class _Loader(importlib.machinery.SourceFileLoader):
    """An interrupt waits until a module is whole: half of one would stay for the session."""

    def exec_module(self, module: ModuleType) -> None:
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            super().exec_module(module)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


class _Finder(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, fullname: str, path: Optional[Sequence[str]] = None,
                  target: Optional[ModuleType] = None) -> Optional[ModuleSpec]:
        if fullname.partition(".")[0] not in _packages or "." not in fullname:
            return None
        spec = super().find_spec(fullname, path, target)
        if spec is not None and spec.origin and spec.submodule_search_locations is None:
            spec.loader = importlib.util.LazyLoader(_Loader(fullname, spec.origin))
        return spec


_packages: List[str] = []


def of(package: str) -> None:
    """From now on modules below a PACKAGE are lazy; packages themselves are not."""
    if not _packages:
        sys.meta_path.insert(0, _Finder)
    _packages.append(package)


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
