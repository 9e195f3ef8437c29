#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No exception is lost in silence: an except clause of the plugin raises, hands the exception
on, or calls debug.ignored(), which "set debug ompd on" makes print it."""

import ast
import glob
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from tap import Tap  # noqa: E402  pylint: disable=wrong-import-position

PACKAGES = ("openmp_inspect/core", "openmp_inspect/host", "openmp_inspect/source",
            "openmp_inspect/bindings", "openmp_inspect/model", "openmp_inspect/code",
            "openmp_inspect/stacks", "openmp_inspect/analysis", "openmp_inspect/report",
            "ompd/ompd_command", "ompd/ompd_command/host", "gdb-plugin/gdb_openmp/host",
            "gdb-plugin/gdb_openmp/program", "gdb-plugin/gdb_openmp/ui",
            "lldb-plugin/lldb_openmp/host", "lldb-plugin/lldb_openmp/ui")
SOURCE = os.environ["top_srcdir"]


def inside(handler, *kinds):
    return [node for statement in handler.body for node in ast.walk(statement)
            if isinstance(node, kinds)]


def hands_on(handler):
    """Whether it uses the exception for more than a look at its `kind`."""
    looks = [node.value for node in inside(handler, ast.Attribute) if node.attr == "kind"]
    return handler.name is not None and any(
        node.id == handler.name and node not in looks for node in inside(handler, ast.Name))


def reports(handler):
    return any(isinstance(call.func, ast.Attribute) and call.func.attr == "ignored" and
               isinstance(call.func.value, ast.Name) and call.func.value.id == "debug"
               for call in inside(handler, ast.Call))


def is_silent(handler):
    always_raises = isinstance(handler.body[-1], ast.Raise) and \
        not inside(handler, ast.Return, ast.Continue, ast.Break)
    return not (always_raises or hands_on(handler) or reports(handler))


def is_broad(handler):
    """Whether it catches everything."""
    return handler.type is None or isinstance(handler.type, ast.Name) and \
        handler.type.id in ("Exception", "BaseException")


tap = Tap()
for package in PACKAGES:
    silent, broad = [], []
    for path in sorted(glob.glob(os.path.join(SOURCE, package, "**/*.py"), recursive=True)):
        name = os.path.relpath(path, SOURCE)
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        lines = text.splitlines()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ExceptHandler):
                place = "%s:%d" % (name, node.lineno)
                silent += [place] if is_silent(node) else []
                if is_broad(node) and not lines[node.lineno - 2].strip().startswith("#"):
                    broad.append(place)
    tap.case(silent, "%s: every exception that is ignored can be seen" % package)
    tap.case(broad, "%s: what catches everything says why" % package)
tap.end()
