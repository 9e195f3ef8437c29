# SPDX-License-Identifier: MIT
"""Eighty columns: what is too wide for gdb's screen is broken between words, below where it
began; names of C++ are as the source has them, or shortened; and nothing is broken where gdb has no
width."""

import harness

t = harness.begin(__file__, program="names.cc")
import re  # noqa: E402

import gdb  # noqa: E402

from openmp_inspect.core import text  # noqa: E402
from openmp_inspect.code import symbol_names  # noqa: E402
from openmp_inspect.stacks import user_frames  # noqa: E402
from gdb_openmp.host import process  # noqa: E402

BARS = " \u2502\u251c\u2514\u2500"


def widest(command):
    return max(map(len, t.shown(command).splitlines()))


def narrow(name, *commands):
    gdb.execute("set width 80")
    for command in commands:
        lines = [line for line in t.shown(command).splitlines()
                 if max(map(len, line.split()), default=0) < 60]  # paths are not broken
        t.ok(max(map(len, lines)) <= 80, "%s: %s fits" % (name, command), "\n".join(lines))
    gdb.execute("set width 0")


gdb.execute("set width 60")
found = t.shown("ompd status").splitlines()
t.equal(found[:2], ['program   There is no process: type "run", attach to one, or',
                    "          open a core file first."], "a hanging indent")
gdb.execute("set width 0")
t.like(t.shown("ompd status"), '^program   There is no process: .* core file first\\.$',
       "no indent where the screen has no width")
narrow("before run", "ompd status")

long = "std::_Function_handler<void(int), main()::<lambda(int)> >::_M_invoke"
t.equal(text.place(user_frames.Place(None, long, "/a/x.cc", 3)),
        "std::_Function_handler<...>::_M_invoke () at x.cc:3", "arguments of templates go first")
for mangled, name in (("_ZZZ4mainENKUliE_clEiENKUlvE0_clEv",
                       "main::{lambda(int)#1}::{lambda()#2}"),
                      ("_ZZN4grid5relaxIiEEvT_ENKUliE_clEi._omp_fn.0",
                       "grid::relax<int>::{lambda(int)#1}"),
                      ("main._omp_fn[cold]", "main"),
                      ("_ZNKSt8functionIFviEEclEi", "std::function<void (int)>::operator()")):
    t.equal(symbol_names.programmers(process.current(), mangled), name, "the name of " + mangled)

t.run("ompd on")
t.stop_at("held")
narrow("a template", "ompd status", "ompd parallel", "ompd tasks -all", "ompd tasks -all -tree",
       "ompd stacks", "ompd thread", "ompd bt")
wide = t.shown("ompd tasks -all").splitlines()
t.ok(any(line.endswith(" grid::ocean.cells[2].lock, held by 1") for line in wide) and
     len(wide) == 7, "one line for each task on a screen without width", "\n".join(wide))
gdb.execute("set width 80")
found = t.shown("ompd tasks -all -tree").splitlines()
at = next(n for n, line in enumerate(found) if "ocean" in line)
t.like("\n".join(found[at - 1:at + 1]),
       "\\A\u251c\u2500 task .*thread \\d\n\u2502      in lock: grid::ocean\\.cells\\[2\\]\\.lock, "
       "held by 1\\Z", "what has no room goes below, beside the lines of the tree")
rows = t.shown("ompd threads").splitlines()
t.equal(len(rows), 6, "a thread has one line on any screen")
t.ok(len(next(row for row in rows if row.startswith("* "))) <= 80,
     "and a wide name pushes no other", "\n".join(rows))
gdb.execute("set width 0")
rows = {row["OMP"]: row for row in t.threads()}
t.equal(rows["0/5"]["Where"], "grid::relax<int> () at " + t.mark("held"),
        "an instance of a template")
t.equal(rows["3/5"]["Where"], "grid::relax<int>::{lambda(int)#1} () at " + t.mark("lambda"),
        "a lambda goes by the function it stands in")
SINCE = r", held by 1 \(0/5\) since names\.cc:\d+$"
for omp, what, name in (
        ("1/5", r"^grid::ocean\.cells\[2\]\.lock", "a lock in a struct in an array in a struct"),
        ("2/5", r"^grid::locks\[3\]", "a lock in a static array"),
        ("3/5", '^"update"', "a critical section"),
        ("4/5", "^grid::lock", "a lock that is a variable of its own")):
    t.like(rows[omp]["Waits for"], what + SINCE, name)
t.like(t.run("ompd parallel"), r"grid::relax<int> \(\) at " + t.mark("template"),
       "the region in the template")

t.stop_at("lambda_body", "continue")
narrow("a lambda", "ompd parallel", "ompd tasks -all", "ompd tasks -all -tree", "ompd stacks")
name = harness.LAMBDA
t.like(t.shown("ompd parallel"), r"^region 2  %s \(\) at %s " % (
    re.escape(name), t.mark("in_lambda")), "the region in a lambda has its name")
found = t.run("bt").splitlines()
t.equal([line.split(" (")[0].split("  ")[1] for line in found if line.startswith("#")],
        [name, name, "main"], "the body, the lambda, and main")
t.like(found[2], "[ /]" + t.mark("in_lambda") + "$", "which is inside its region's directive")
t.run("kill")

t.use("depends.c")
t.stop_at("here")
narrow("tasks", "ompd tasks", "ompd tasks -tree", "ompd thread", "ompd bt -all")
t.ok(widest("ompd tasks") > 80, "which would be wider")
gdb.execute("set width 80")
found = t.shown("ompd tasks -tree").splitlines()
# Where numbers of tasks are long there is no room for one reason, either.
reason = r"task \d+(?: |\n[%s]* +)\(in (?:right|grid\[1\])\)" % BARS
t.like("\n".join(found), r"^.*waiting: %s,(\n[%s]* +| )%s" % (reason, BARS, reason),
       "reasons are broken between tasks")
t.like("\n".join(found), r"^task 1 .* suspended for task \d+$", "and said in a few words")
gdb.execute("set width 40")
found = t.shown("ompd bt").splitlines()
at = next(n for n, line in enumerate(found) if "#pragma omp parallel" in line)
t.ok(found[at].startswith("    \u2500\u2500 ") and re.match(" {7}[^ ]", found[at + 1]) and
     max(map(len, found)) <= 40, "lines between frames are broken, too", "\n".join(found))
gdb.execute("set width 0")
t.ok(not any(line.startswith(" " * 7) for line in t.shown("ompd bt").splitlines()),
     "but not on a screen without width")
t.done()
