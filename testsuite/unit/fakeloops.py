# SPDX-License-Identifier: MIT
"""Loops that a team shares: their first lines, and how far threads are in them."""

import os
import types

from openmp_inspect.source import loop_headers
from openmp_inspect.source.loop_headers import LoopHeader
from openmp_inspect.analysis import loop_progress
from fakebasics import Asked, use
from fakeprograms import STACKS, Program, written

_C = (
    ("for (int i = 0; i < N; i++)", LoopHeader("i", "0", "N", True, 1)),
    ("    for (std::size_t at = first; at <= last - 1; ++at) {",
     LoopHeader("at", "first", "last - 1", False, 1)),
    ("for (i = n;\n     i >= 0;\n     i -= 2)", LoopHeader("i", "n", "0", False, -2)),
    ("for (j = 0; j != 8; j += 4)", LoopHeader("j", "0", "8", True, 4)),
    ("for (auto p = f(); p < end; p++)", None), ("for (i = 0; j < 8; i++)", None),
    ("for (i = 0; i < 8; i *= 2)", None), ("for (;;)", None), ("while (i < 8)", None),
)
_FORTRAN = (
    ("  do i = 1, n", LoopHeader("i", "1", "n", False, 1)),
    ("DO 10 K = N, 1, -2", LoopHeader("k", "N", "1", False, -2)),
    ("do i = 1, size(a)", None), ("do i = 1, n, step", None), ("do while (x)", None),
)
_CONSTANTS = """\
#define N 4000
#define TWICE 1
#define TWICE 2
#define LOOP LOOP
enum kind { FIRST = 3, SIZE = 1 << 12, LAST };
static const int rows = 0x10;
"""
_EXPRESSIONS = (("17", 17), ("0x10UL", 16), ("-3", -3), ("N", 4000), ("N - 1", 3999), ("SIZE", 4096),
                ("FIRST + rows", 19), ("TWICE", None), ("LOOP", None), ("LAST", None), ("n", 7),
                ("n + missing", None), ("1.5", None), ("a[2]", None))

SHARED = """\
int n = 9;
int main(void)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        step(i);
    #pragma omp parallel
    {
        #pragma omp for schedule(dynamic, 4) collapse(2)
        for (long j = 20; j > 0; j -= 2)
            step(j);
    }
}
"""
_MINUS_2 = (1 << 64) - 2
FOR, PARALLEL = "main._omp_fn.0", "main._omp_fn.1"


def of_headers(tap):
    for name, rows in (("h.c", _C), ("h.f90", _FORTRAN)):
        for source, wanted in rows:
            loop_headers.at.cache_clear()
            tap.equal(loop_headers.at(written(name, "\n%s\n" % source), 2), wanted, "a loop: " + source)
    path = written("constants.c", _CONSTANTS)
    for expression, wanted in _EXPRESSIONS:
        tap.equal(loop_headers.evaluated(path, expression, {"n": 7}.get), wanted,
                  "a bound: " + expression)


def told(function, at, variables, number=1, size=3, loop=None, made_at=1 << 32, static="n",
         words=None):
    """What is said of a thread in a FUNCTION with values of VARIABLES {name: value}; WORDS: those in
    no memory."""
    made = Program("loops.c", SHARED, {
        "main": (2, [(4, "nop"), (13, "ret")]),
        FOR: (4, [(4, "nop"), (6, "call", "step"), (6, "ret")], {"within": "main"}),
        PARALLEL: (7, [(7, "nop"), (11, "call", "step"), (12, "ret")], {"within": "main"}),
        "step": (14, [(14, "nop")]), "clone3": (0, [(0, "nop")])}, {"n": 4}, types={
            name: {"kind": kind, "size": size} for name, kind, size in (
                ("int", "other", 4), ("double", "other", 8), ("struct s", "struct", 4))})
    os.utime(made.path, (made_at, made_at))
    made.table["variables"] = {name: (made.objects["n"], "int") for name in ("n", static)}
    made.memory[made.objects["n"]][:4] = (9).to_bytes(4, "little")
    rows = []
    for count, (name, (value, kind)) in enumerate(variables.items()):
        address = STACKS - 0x1000 + 16 * count
        made.memory[address] = bytearray(value.to_bytes(16, "little", signed=True))
        rows.append((name, address, kind))
    rows += [(name, None, "int") for name in words or {}]
    made.thread(1, "step", {"at": (function, at), "variables": rows, "words": words or {}}, "clone3")
    process = use(made.table)
    region = types.SimpleNamespace(size=size)
    known = types.SimpleNamespace(region=region, number=number, loop=loop or {})
    found = loop_progress.of_row(Asked(thread=process.threads()[0][1], known=known))
    return None if found is None else (found.variable, found.value, found.all, found.own,
                                       found.derived, found.next, found.line)


def of_threads(tap):
    tap.equal(told(FOR, 1, {"i": (4, "int")}), ("i", 4, (0, 8), (3, 5), False, None, 5),
              "a share of a static loop")
    tap.equal(told(FOR, 1, {"i": (4, "int")}, size=4), ("i", 4, (0, 8), (3, 4), False, None, 5),
              "the first threads have one more")
    tap.equal(told(FOR, 1, {"i": (7, "int")})[2:4], ((0, 8), None), "that is none of its share")
    tap.equal([told(FOR, 1, {"i": value}) for value in (
        (12, "int"), (-1, "int"), (4, "double"), (4, "struct s"))], [None] * 4,
              "what is no value of it")
    tap.equal(told(FOR, 0, {"i": (4, "int")}), None, "before the loop")
    tap.equal((told(FOR, 1, {}), told(FOR, 1, {"j": (4, "int")}, static="i")), (None, None),
              "no variable of the frame's")
    tap.equal([told(function, 1, {name: (4, "int")}, made_at=1) for function, name in (
        (FOR, "i"), (PARALLEL, "j"))], [None, None], "a source that was written to since")
    tap.equal(told(FOR, 1, {"i": (0, "int"), ".omp.iv": (4, "int"), ".omp.lb": (2, "int"),
                            ".omp.ub": (5, "int")}), ("i", 4, (0, 8), (2, 5), True, None, 5),
              "as clang counts")
    tap.equal(told(PARALLEL, 1, {"j": (8, "int")}, loop={"next": 4}),
              ("j", 8, (20, 2), None, False, 4, 10), "a dynamic loop in a region")
    tap.equal(told(PARALLEL, 1, {"j": (8, "int"), ".omp.iv": (4, "int")}), None,
              "a count of several loops")
    tap.equal([told(PARALLEL, 1, {"j": (8, "int")}, loop={"next": following, "end": end})[5]
               for following, end in ((4, 0), (0, 0), (_MINUS_2, 0), (_MINUS_2, _MINUS_2 - 6))],
              [4, None, None, -2],
              "what is left of a loop that counts down")
    tap.equal(told("step", 0, {}), None, "no loop")


def of_registers(tap):
    wanted = ("i", 4, (0, 8), (3, 5), False, None, 5)
    tap.equal([told(FOR, 1, {}, words={"i": word}) for word in (4, 7 << 32 | 4, None, 1 << 31)],
              [wanted, wanted, None, None], "a variable in a register")
    tap.equal(told(FOR, 1, {}, words={"i": None}, static="i"), None, "it hides the static one")
    tap.equal(told(FOR, 1, {"i": (4, "int")}, words={".omp.iv": None}), None,
              "what clang counts is not known")


def run(tap):
    of_headers(tap)
    of_threads(tap)
    of_registers(tap)
