#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names in docstrings, comments of C and READMEs, and lines in the table of mutants, that are nowhere in the
code: what a rename has left."""

import ast
import os
import re
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from tap import Tap, skip_all  # noqa: E402  pylint: disable=wrong-import-position
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../mutants"))
from mutants import faults  # noqa: E402  pylint: disable=wrong-import-position

TOP = os.environ["top_srcdir"]
# What is meant as a name: a file, a class, what is called, and in docstrings words with a line between.
NAME = r"\b\w+(?:-\w+)*\.(?:py|c|h|def|sh)\b|\b[A-Za-z_]\w*(?:\.\w+)*\(\)|\b[A-Z][a-z]+[A-Z]\w*[a-z]\b"
NAMES = re.compile(NAME)
NAMES_OF_PYTHON = re.compile(NAME + r"|\b_?[a-z]+(?:_[a-z0-9]+)+\b")
# Of libc, ELF, DWARF, machines, libraries and gdb; and what stands for several.
FOREIGN = set("""
    debug_frame depot_lock dtv_t gomp_team_barrier_wait ident_t l_prev libevent_core ModRM alloca
    DataRaceBench TargetConnection InferiorThreads abiN dialectN more_work
    RUNTIME_is_damaged RUNTIME_member RUNTIME_FUNCTION RUNTIME_read_thread_ref RUNTIME_thread_ref
    RUNTIME_walk_known query_FUNCTION
    """.split())
PRODUCT = ("gdb-plugin", "libompd", "lldb-plugin", "ompd", "openmp_inspect", "runtime-hooks")


def text_of(name):
    with open(os.path.join(TOP, name), encoding="utf-8", errors="replace") as stream:
        return stream.read()


def parsed(text):
    """(docstrings, the rest) of a module."""
    tree = ast.parse(text)
    said = [node.body[0].value for node in ast.walk(tree)
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and node.body and
            isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)]
    lines = text.split("\n")
    for one in said:
        for at in range(one.lineno - 1, one.end_lineno):
            lines[at] = ""
    return [one.value for one in said if isinstance(one.value, str)], re.sub(r"#.*", "", "\n".join(lines))


def split_c(text):
    """(comments, the rest) of C."""
    return re.findall(r"/\*.*?\*/", text, re.S), re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def unknown(said, known, names=NAMES):
    """Names in prose of which a word is not KNOWN, but for a plural."""
    for name in names.findall(said):
        for word in re.findall(r"\w+", re.sub(r"\.(py|c|h|def|sh)$", "", name)):
            if not {word, word[:-1] if word.endswith("s") else word, "_" + word} & known:
                yield name


def misses(fault):
    """What is wrong with the line of a mutant, or None."""
    try:
        fault.applied(text_of(fault.path) if os.path.exists(os.path.join(TOP, fault.path)) else "")
    except ValueError as error:
        return str(error)
    return None


def main():
    listed = subprocess.run(["git", "-C", TOP, "ls-files"], stdout=subprocess.PIPE, text=True,
                            stderr=subprocess.DEVNULL, check=False).stdout.split()
    if not listed:
        skip_all("the sources are not those of a repository")
    prose, known = {}, set(FOREIGN)
    for name in listed:
        known.update(re.findall(r"\w+", name))
        if name.endswith((".md", ".xz")) and name.split("/")[0] in PRODUCT + ("testsuite",):
            prose[name] = [text_of(name)] if name.endswith(".md") else []
        elif not name.endswith((".md", ".xz", "NEWS")):
            said, rest = parsed(text_of(name)) if name.endswith(".py") else \
                split_c(text_of(name)) if name.endswith((".c", ".h", ".def")) else ([], text_of(name))
            known.update(re.findall(r"\w+", rest))
            if name.split("/")[0] in PRODUCT:
                prose[name] = said
    tap = Tap()
    tap.equal(list(unknown("as Here() and there.py, ThreadRows say", {"there", "ThreadRow"})), ["Here()"],
              "what is nowhere is found")
    for folder in (*PRODUCT, "testsuite"):
        tap.case(sorted({"%s: %s" % (name, found) for name, texts in prose.items()
                         if name.startswith(folder + "/") for said in texts
                         for found in unknown(said, known, NAMES_OF_PYTHON if name.endswith(".py")
                                              else NAMES)}), folder)
    tap.case(list(filter(None, map(misses, faults([])))), "lines of mutants")
    tap.end()


if __name__ == "__main__":
    main()
