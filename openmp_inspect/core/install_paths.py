# SPDX-License-Identifier: MIT
"""Where the files installed with this package are."""

from __future__ import annotations

import functools
import os

from openmp_inspect.core import build
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import List, Optional

_HERE = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))  # where the packages are


def _find(name: str, usual: str = "lib", other: str = build.LIBDIR) -> Optional[str]:
    # The usual layout first: it holds for a tree that was moved, too.
    for relative in ("../../../" + usual, other):
        path = os.path.normpath(os.path.join(_HERE, relative, name))
        if os.path.exists(path):
            return path
    return None


def hooks(pointer_size: int) -> Optional[str]:
    """Path of the hooks to preload into a program with such pointers, or None."""
    return _find("libompd-hooks.so" if pointer_size == 8 else "32/libompd-hooks.so")


def command() -> Optional[str]:
    """Path of the command `ompd`, or None."""
    return _find("ompd", "bin", build.BINDIR)


def elfutils() -> Optional[str]:
    """Path of the libdw that was installed with this package, or None."""
    return _find("elfutils/libdw.so.1")


@functools.lru_cache(maxsize=None)
def libraries() -> List[str]:
    """Paths of our OMPD libraries, the one that knows more first."""
    return [path for path in map(_find, ("libompd.so", "libompd-2.so")) if path]


def auto_load_scripts() -> List[str]:
    """Paths of the scripts with which gdb would load the plugin beside the hooks."""
    return [script for script in (path + "-gdb.py" for path in map(hooks, (8, 4)) if path)
            if os.path.exists(script)]
