#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the byte code of the packages in each DIRECTORY into one file there, for the Python that this
is run by; see core/lazy_modules.py.

Usage: gen-code-archive.py DIRECTORY...   in DESTDIR, if that is in the environment"""

import ast
import importlib.util
import marshal
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from openmp_inspect.core.lazy_modules import ARCHIVE, SIZE  # noqa: E402


class _Foreign(ast.NodeVisitor):
    """The modules that one imports when it is executed, but for those of OWN packages."""

    def __init__(self, own):
        self.found, self._own = set(), own

    def _add(self, name):
        if name and name.partition(".")[0] not in self._own:
            self.found.add(name)

    def visit_Import(self, node):
        for alias in node.names:
            self._add(alias.name)

    def visit_ImportFrom(self, node):
        self._add(node.module)

    def visit_If(self, node):
        if getattr(node.test, "id", None) != "TYPE_CHECKING":
            self.generic_visit(node)


def archived(root, shown):
    """(an index {name of a module: (is a package, path, start and end of its code, modules of others)},
    the codes) of what is below ROOT, which will be SHOWN."""
    own = {name for name in os.listdir(root) if os.path.isdir(os.path.join(root, name))}
    found, codes = {}, b""
    for directory, directories, files in os.walk(root):
        directories.sort()
        for file in sorted(files if directory != root else ()):
            name, end = os.path.splitext(os.path.relpath(os.path.join(directory, file), root))
            if end != ".py":
                continue
            with open(os.path.join(root, name + end), "rb") as stream:
                tree = ast.parse(stream.read())
            foreign = _Foreign(own)
            foreign.visit(tree)
            start = len(codes)
            codes += marshal.dumps(compile(tree, os.path.join(shown, name + end), "exec",
                                           dont_inherit=True))
            is_package = file == "__init__.py"
            module = os.path.dirname(name) if is_package else name
            found[module.replace(os.sep, ".")] = (
                is_package, name + end, start, len(codes), sorted(foreign.found))
    return found, codes


def main():
    for root in sys.argv[1:]:
        path = os.path.join(root, ARCHIVE)
        shown = os.path.abspath(root)[len(os.environ.get("DESTDIR", "")):]
        index, codes = archived(root, shown)
        index = marshal.dumps(index)
        with open(path + "~", "wb") as stream:
            stream.write(importlib.util.MAGIC_NUMBER + len(index).to_bytes(SIZE, "little") + index +
                         codes)
        os.replace(path + "~", path)


if __name__ == "__main__":
    main()
