# SPDX-License-Identifier: MIT
"""Where the files installed with this plugin are."""

import os

from ompd import build

_HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def _find(name):
    # The usual layout first: it holds for a tree that was moved, too.
    for relative in ("../../../lib", build.LIBDIR):
        path = os.path.normpath(os.path.join(_HERE, relative, name))
        if os.path.exists(path):
            return path
    return None


def hooks(pointer_size):
    """Path of the hooks to preload into a program with such pointers, or None."""
    return _find("libompd-hooks.so" if pointer_size == 8 else "32/libompd-hooks.so")


def libraries():
    """Paths of our OMPD libraries, the one that tells more first."""
    return [path for path in map(_find, ("libompd.so", "libompd-2.so")) if path]
