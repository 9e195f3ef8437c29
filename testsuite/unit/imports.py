#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The layers of the Python packages, held by their import statements, without a debugger.

A package imports itself and those before it. openmp_inspect imports no debugger, so that it runs
in plain Python, and names none. Nothing is imported inside a function, and a README.md names every
module. What is imported for annotations alone, below TYPE_CHECKING, may come from another
module of the same package that imports this one.
"""

import ast
import io
import os
import re
import sys
import tokenize

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from tap import Tap  # noqa: E402  pylint: disable=wrong-import-position

# And where they are.
ROOTS = {"openmp_inspect": "openmp_inspect", "ompd_command": "ompd", "gdb_openmp": "gdb-plugin",
         "lldb_openmp": "lldb-plugin"}
PACKAGES = ("openmp_inspect/core", "openmp_inspect/host", "openmp_inspect/source",
            "openmp_inspect/bindings", "openmp_inspect/model", "openmp_inspect/code",
            "openmp_inspect/stacks", "openmp_inspect/analysis", "openmp_inspect/report",
            "ompd_command/host", "gdb_openmp/host", "gdb_openmp/program", "gdb_openmp/ui", "lldb_openmp/host", "lldb_openmp/ui")
HOSTS = ("ompd_command", "gdb_openmp", "lldb_openmp")  # none knows another
PLAIN = ("openmp_inspect/", "ompd_command/")  # with everything that they import
GENERATED = ("openmp_inspect/core/build", "openmp_inspect/bindings/abi2",
             "openmp_inspect/bindings/abi5", "openmp_inspect/code/entry_point_table",
             "openmp_inspect/analysis/verdict_words")
DEBUGGERS = {"gdb", "lldb"}
DEEPEST = 16  # the longest chain of imports, not counting what all modules may need
LOOPS = ("gdb_openmp/host/frames", "ompd_command/host/unwinder", "openmp_inspect/host/fatal_signal")
OF_NO_PROCESS = ("screen", "access")  # of which one is the current one
OF_ALL = ("openmp_inspect/core/static_typing", "openmp_inspect/core/debug")

SOURCE = os.environ["top_srcdir"]
tap = Tap()


def place_of(root):
    """The directory of a root package."""
    return os.path.join(SOURCE, ROOTS[root], "" if ROOTS[root] == root else root)


def sources():
    """{module, as "gdb_openmp/ui/commands/threads": (its text, its syntax tree)}"""
    found = {}
    for root in ROOTS:
        for directory, _, files in os.walk(place_of(root)):
            for name in files:
                if name.endswith(".py") and not name.startswith("gen-"):
                    path = os.path.join(directory, name)
                    with open(path, encoding="utf-8") as stream:
                        text = stream.read()
                    module = os.path.join(root, os.path.relpath(path, place_of(root)))[:-3]
                    found[module] = text, ast.parse(text)
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
    if parts[0] not in ROOTS:
        return None
    for end in (len(parts), len(parts) - 1):
        for module in ("/".join(parts[:end]), "/".join(parts[:end] + ["__init__"])):
            if module in known:
                return module
    return "/".join(parts)  # a generated one


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
    return "/".join(module.split("/")[:2])


texts = sources()
modules = {module: tree for module, (_, tree) in texts.items()}
graph = {module: {other for name, _ in imported(tree) for other in [own(name, modules)] if other}
         for module, tree in modules.items()}
of_debuggers = {module for module, tree in modules.items()
                if any(name.split(".")[0] in DEBUGGERS for name, _ in imported(tree))}
of_types = {module: {other for name, _ in imported(tree, annotations=True)
                     for other in [own(name, modules)] if other}
            for module, tree in modules.items()}
inner = [module for module in modules if module.count("/") > 1]

tap.case(["%s is in no package" % module for module in modules
        if module.count("/") > 1 and package(module) not in PACKAGES], "every module has a package")
tap.case(["%s imports %s" % (module, other) for module in inner
        for other in graph[module] | of_types[module]
        if PACKAGES.index(package(other)) > PACKAGES.index(package(module))],
       "packages import themselves and earlier ones")
tap.case(["%s imports %s" % (module, other) for module in modules
        for other in graph[module] | of_types[module]
        if len({module.split("/")[0], other.split("/")[0]} & set(HOSTS)) > 1],
       "no host imports another one")
tap.case(["%s by way of %s" % (module, ", ".join(reachable(module, graph) & of_debuggers))
        for module in modules
        if module.startswith(PLAIN) and reachable(module, graph) & of_debuggers],
       "openmp_inspect and ompd_command run in plain Python")
tap.case(["%s:%d" % (module, token.start[0]) for module, (text, _) in texts.items()
        if module.startswith("openmp_inspect/")
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.NAME and DEBUGGERS & set(token.string.lower().split("_"))],
       "openmp_inspect names no debugger in its code")
tap.case([module for module, tree in modules.items()
        if any(name.split(".")[0] == "typing" for name, _ in imported(tree))],
       "typing is imported for annotations alone, below TYPE_CHECKING")
cycles = [module for module in modules if module in reachable(module, graph)]
tap.case(cycles, "no module imports itself by way of others")
tap.case(["%s imports %s" % (module, name) for module, tree in modules.items()
        for name, at_top in imported(tree) if not at_top], "imports stand at the top")
tap.case([module for module, tree in modules.items() if module not in LOOPS
        for loop in ast.walk(tree) if isinstance(loop, (ast.For, ast.While))
        if any(isinstance(node, ast.Attribute) and node.attr == "older" for node in ast.walk(loop))],
       "frames are unwound in a loop of %s alone" % ", ".join(LOOPS))


def asks_which(tree):
    """The lines where a module asks which process is meant, or has a function that says so."""
    return [node.lineno for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef) and node.name == "current" or
            isinstance(node, ast.Attribute) and node.attr == "current" and
            not (isinstance(node.value, ast.Name) and node.value.id in OF_NO_PROCESS)]


tap.equal([len(asks_which(ast.parse(line))) for line in (
    "processes.current().read(at, 8)", "rows = stitched_stack.current", "def current(): return _one[0]",
    "screen.current().width()", "process.read(at, 8)")], [1, 1, 1, 0, 0], "who asks which process is found")
tap.case(["%s:%d" % (module, line) for module, tree in modules.items()
          if module.startswith("openmp_inspect/") and package(module) != "openmp_inspect/core"
          for line in asks_which(tree)], "openmp_inspect is given the process, and asks nobody for it")
tap.case(["%s:%d" % (module, line) for module, tree in modules.items()
          if package(module) in ("gdb_openmp/host", "lldb_openmp/host", "ompd_command/host")
          for line in asks_which(tree) if module != "gdb_openmp/host/process"],
         "nor does a host, but where it says which is selected")
deepest = 0 if cycles else max(depth(module, graph, {}) for module in modules)
tap.case(["%d" % deepest] if deepest > DEEPEST else [],
       "no chain of imports is longer than %d" % DEEPEST)


def methods(module, name, is_wanted=lambda _method: True):
    return {method.name for one in modules[module].body if isinstance(one, ast.ClassDef) and one.name == name
            for method in one.body if isinstance(method, ast.FunctionDef) and is_wanted(method)}


def is_abstract(method):
    return any("abstractmethod" in ast.dump(one) for one in method.decorator_list)


INTERFACE, ELF = "openmp_inspect/host/interface", "openmp_inspect/host/elf_process"
with open(os.path.join(SOURCE, "openmp_inspect/host/PORTING.md"), encoding="utf-8") as stream:
    listed = {word for row in re.findall(r"(?m)^\|([^|]*)\|.*\|.*\|$", stream.read())
              for word in re.findall(r"`(?:\w+\.)?([a-z_]+)`", row)}
tap.equal(listed, methods(INTERFACE, "Process", is_abstract) - methods(ELF, "ElfProcess") |
          methods(INTERFACE, "Frame", is_abstract) | {"places_of", "program_path", "debug_file_of"},
          "PORTING.md has the questions that a host must answer, and no other")

for root, directory in ROOTS.items():
    some = [module for module in list(modules) + list(GENERATED) if module.startswith(root + "/")]
    with open(os.path.join(SOURCE, directory, "README.md"), encoding="utf-8") as stream:
        listed = set(re.findall(r"\b(\w+)\.py\b", stream.read()))
    tap.case([module for module in some if os.path.basename(module) not in listed | {"__init__"}],
             "the README.md of %s names every module" % root)
    with open(os.path.join(SOURCE, directory, "local.mk"), encoding="utf-8") as stream:
        built = set(re.findall(r"\b(%s/[\w/]+)\.py" % root, stream.read()))
    tap.case(set(some) ^ built, "the local.mk of %s installs every module" % root)
tap.end()
