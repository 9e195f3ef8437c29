#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The layers of the gdb plugin, held by its import statements, without gdb.

A package imports itself and those before it. Where no gdb is needed none is imported, so that
these parts run in plain Python. Nothing is imported inside a function, and README.md names
every module. What is imported for annotations alone, below TYPE_CHECKING, may come from another
module of the same package that imports this one.
"""

import ast
import os
import re
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from tap import Tap  # noqa: E402  pylint: disable=wrong-import-position

PACKAGES = ("core", "host", "source", "bindings", "model", "program", "stacks", "analysis", "ui")
WITHOUT_GDB = ("core", "source", "model", "analysis")  # as far as their own imports go
PLAIN = ("core", "source", "model")  # with everything that they import
GENERATED = ("core/build", "bindings/abi2", "bindings/abi5", "program/entry_point_table",
             "analysis/verdict_words")
DEEPEST = 12  # the longest chain of imports, not counting what all modules may need
OF_ALL = ("core/static_typing", "core/debug")

PLUGIN = os.path.join(os.environ["top_srcdir"], "gdb-plugin")
tap = Tap()


def sources():
    """{module, as "ui/commands/threads": its syntax tree}"""
    found = {}
    root = os.path.join(PLUGIN, "gdb_openmp")
    for directory, _, files in os.walk(root):
        for name in files:
            if name.endswith(".py"):
                path = os.path.join(directory, name)
                with open(path, encoding="utf-8") as stream:
                    found[os.path.relpath(path, root)[:-3]] = ast.parse(stream.read())
    return found


def for_annotations(tree):
    """The statements that only a type checker sees."""
    return [node for block in tree.body if isinstance(block, ast.If) and
            isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"
            for node in block.body]


def imported(tree, annotations=False):
    """(dotted name, whether at the top of the file) of all that a module imports when it runs,
    or for its ANNOTATIONS."""
    unseen = for_annotations(tree)
    top = set(map(id, unseen if annotations else tree.body))
    for node in unseen if annotations else ast.walk(tree):
        if not annotations and node in unseen:
            continue
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = ["%s.%s" % (node.module, alias.name) for alias in node.names]
        else:
            continue
        for name in names:
            yield name, id(node) in top


def own(name, known):
    """The module of ours that a dotted name is in, or None."""
    parts = name.split(".")
    if parts[0] != "gdb_openmp":
        return None
    for end in (len(parts), len(parts) - 1):
        for module in ("/".join(parts[1:end]), "/".join(parts[1:end] + ["__init__"])):
            if module in known:
                return module
    return "/".join(parts[1:])  # a generated one


def reachable(module, graph):
    found, waiting = set(), [module]
    while waiting:
        for other in graph.get(waiting.pop(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def depth(module, graph, known):
    if module not in known:
        known[module] = 1 + max((depth(other, graph, known) for other in graph.get(module, ())
                                 if other not in OF_ALL), default=0)
    return known[module]


def package(module):
    return module.split("/")[0]


modules = sources()
graph = {module: {other for name, _ in imported(tree) for other in [own(name, modules)] if other}
         for module, tree in modules.items()}
of_gdb = {module for module, tree in modules.items()
          if any(name.split(".")[0] == "gdb" for name, _ in imported(tree))}
of_types = {module: {other for name, _ in imported(tree, annotations=True)
                     for other in [own(name, modules)] if other}
            for module, tree in modules.items()}
inner = [module for module in modules if "/" in module]

tap.case(["%s is in no package" % module for module in modules
        if module != "__init__" and package(module) not in PACKAGES], "every module has a package")
tap.case(["%s imports %s" % (module, other) for module in inner
        for other in graph[module] | of_types[module]
        if PACKAGES.index(package(other)) > PACKAGES.index(package(module))],
       "packages import themselves and earlier ones")
tap.case(of_gdb & {module for module in inner if package(module) in WITHOUT_GDB},
       ", ".join(WITHOUT_GDB) + " do not import gdb")
tap.case(["%s by way of %s" % (module, ", ".join(reachable(module, graph) & of_gdb))
        for module in inner if package(module) in PLAIN and reachable(module, graph) & of_gdb],
       ", ".join(PLAIN) + " run in plain Python")
tap.case([module for module, tree in modules.items()
        if any(name.split(".")[0] == "typing" for name, _ in imported(tree))],
       "typing is imported for annotations alone, below TYPE_CHECKING")
cycles = [module for module in modules if module in reachable(module, graph)]
tap.case(cycles, "no module imports itself by way of others")
tap.case(["%s imports %s" % (module, name) for module, tree in modules.items()
        for name, at_top in imported(tree) if not at_top], "imports stand at the top")
tap.case([module for module, tree in modules.items() if module != "host/frames"
        for loop in ast.walk(tree) if isinstance(loop, (ast.For, ast.While))
        if any(isinstance(node, ast.Attribute) and node.attr == "older" for node in ast.walk(loop))],
       "frames are unwound by the loop in host/frames.py alone")
deepest = 0 if cycles else max(depth(module, graph, {}) for module in modules)
tap.case(["%d" % deepest] if deepest > DEEPEST else [],
       "no chain of imports is longer than %d" % DEEPEST)

with open(os.path.join(PLUGIN, "README.md"), encoding="utf-8") as stream:
    listed = set(re.findall(r"\b(\w+)\.py\b", stream.read()))
tap.case([module for module in list(modules) + list(GENERATED)
        if os.path.basename(module) not in listed | {"__init__"}], "README.md names every module")
with open(os.path.join(PLUGIN, "local.mk"), encoding="utf-8") as stream:
    built = set(re.findall(r"gdb-plugin/gdb_openmp/([\w/]+)\.py", stream.read()))
tap.case((set(modules) | set(GENERATED)) ^ built, "local.mk installs every module")
tap.end()
