# SPDX-License-Identifier: MIT
"""Frames in loops, sections and the like have labels; frames before, behind and beneath them
have none. With the hooks and without, live, attached, on cores, in three languages."""

import harness

t = harness.begin(__file__, program="loops.c", timeout=300)
import os  # noqa: E402
import re  # noqa: E402
import shutil  # noqa: E402
import subprocess  # noqa: E402

import gdb  # noqa: E402

from gdb_openmp.program import address_space  # noqa: E402

RULE = "\u2500\u2500 "
ROOT = os.path.dirname(t.source) + "/"
SINGLE, CRITICAL = ("__kmpc_single", "__kmpc_critical") if harness.CLANG else \
    ("GOMP_single_start", "GOMP_critical_name_start")

# Where it stops -> what the newest frames are in: (words, mark of the directive).
C = (
    ("before", []),
    ("static", [("for", "orphan")]),
    ("after", []),
    ("dynamic", [("for", "by_chance")]),
    ("between", []),
    ("in_section", [("section", "section"), ("sections", "sections")]),
    ("in_single", [("single", "single")]),
    ("in_ordered", [("ordered", "ordered"), ("for ordered", "ordered_loop")]),
    ("in_update", [("critical (update)", "update"), ("for", "loop")]),
    ("in_task", [("for", "loop")]),
    ("in_other", [("critical (other)", "other"), ("for", "loop")]),
    ("in_taskgroup", [("taskgroup", "taskgroup")]),
    ("in_master", [("master", "master")]),
    ("in_both", [("critical", "in_combined")]),
)
FORTRAN = (
    ("before", []),
    ("in_do", [("do", "do")]),
    ("in_critical", [("critical (up)", "critical"), ("do", "do")]),
    ("after", []),
    ("in_section", [("section", "section"), ("sections", "sections")]),
    ("in_labelled", [("do", "labelled")]),
    ("between", []),
    ("in_main_do", [("do", "main_do")]),
    ("in_single", [("single", "single")]),
    ("in_combined", []),
)


def bt(command="bt"):
    return t.run(command).replace(ROOT, "").splitlines()


def within(lines):
    """What frames are in, as (words, FILE:LINE), up to the thread that the stack goes on in."""
    result = []
    for line in lines:
        if "continued in" in line:
            break
        found = re.match(r"    %sin (?:#pragma omp|!\$omp) (.*?)(?: \(\))?(?: \S+)? (\S+)$" % RULE,
                         line)
        if found:
            result.append((found.group(1), found.group(2)))
    return result


def wanted(labels):
    return [(words, t.mark(mark)) for words, mark in labels]


def walk(kind, stops):
    """Through all stops, in the order in which threads come there; ends before the program
    does."""
    points = {t.mark(mark): (mark, labels, gdb.Breakpoint(t.mark(mark))) for mark, labels in stops}
    end = gdb.Breakpoint("_exit")
    t.run("run")
    while points and not (gdb.newest_frame().name() or "").endswith("_exit"):
        sal = gdb.newest_frame().find_sal()
        here = "%s:%d" % (os.path.basename(sal.symtab.filename), sal.line)
        if here in points:  # another thread may have been on its way there, too
            mark, labels, point = points.pop(here)
            found = bt()
            whole[mark] = found
            t.equal(within(found), wanted(labels), "%s: %s" % (kind, mark))
            t.equal(within(bt("ompd bt")), wanted(labels), "%s: %s, ompd bt" % (kind, mark))
            point.delete()
        if points:
            t.run("continue")
    t.ok(not points, kind + ": all stops were reached", sorted(points))
    end.delete()


whole = {}


def forget():
    address_space.current().forget()


def check_static(kind):
    """The selected thread is in touch(), which the static loop calls."""
    found = bt()
    t.note("\n".join(found))
    at = next(n for n, line in enumerate(found) if " touch (" in line)
    t.like(found[at + 1], r"^#\d+ +orphaned \(.*at " + t.mark("static"), kind + ": the caller")
    t.equal(found[at + 2], "    %sin #pragma omp for at %s" % (RULE, t.mark("orphan")),
            kind + ": its loop, behind it")
    t.equal(within(found), wanted([("for", "orphan")]), kind + ": once")


for hooks, kind in t.both_ways():
    t.stop_at("callee")
    check_static(kind)
    rows = t.json("bt")[0]["rows"]
    label = next(row for row in rows if "label" in row)
    t.equal((label["label"], os.path.basename(label["file"]), label["line"]),
            ("in #pragma omp for", "loops.c", t.line("orphan")),
            kind + ": -json")
    t.like(t.run("ompd stacks"), "\u2192 in #pragma omp for %s \u2192 orphaned \u2192 touch" %
           t.mark("orphan"), kind + ": ompd stacks")
    t.ok("omp for" not in t.run("bt -no-filters") + t.run("bt -hide"),
         kind + ": off with gdb's own")
    gdb.Breakpoint(SINGLE, temporary=True)
    t.run("continue")
    found = bt()
    t.equal((RULE + "inside #pragma omp single" in "\n".join(found), within(found)), (True, []),
            kind + ": a call that has the line of the statement before is not in its construct")
    gdb.Breakpoint(CRITICAL, temporary=True)
    t.run("continue")
    found = bt()
    t.equal((RULE + "inside #pragma omp critical" in "\n".join(found), within(found)),
            (True, wanted([("for", "loop")])), kind + ": one that has its own line is")
    t.run("kill")
    t.stop_at("callee")
    t.become_core()
    check_static("core, " + kind)
    t.run("core-file")
    walk(kind, C)
    found = [line for line in whole["in_both"] if RULE + "#pragma" in line]
    t.ok(len(found) == 1 and "#pragma omp parallel for (" in found[0],
         kind + ": a combined construct is told once", found)
    t.ends(kind + ": the program ends as it should")

    with t.attached(t.program, "hold", says=b"holding", recorded=hooks):
        for thread in gdb.selected_inferior().threads():
            thread.switch()
            if " touch (" in "\n".join(bt()):
                break
        check_static("attached, " + kind)

# What the source cannot tell: it is newer than the program, gone, or was compiled otherwise.
source = os.path.join(t.scratch, "copy.c")
shutil.copy(t.source, source)
program = os.path.join(t.scratch, "copy")
harness.compile_program(source, program)
gdb.execute("file " + program)
gdb.Breakpoint("copy.c:%d" % t.line("static"), temporary=True)
t.run("run")
t.equal([words for words, _ in within(bt())], ["for"], "a copy")
stamp = os.stat(program).st_mtime + 5
os.utime(source, (stamp, stamp))
forget()
t.equal(within(bt()), [], "a source that is newer than the program tells nothing")
os.utime(source, (stamp - 20, stamp - 20))
forget()
t.equal([words for words, _ in within(bt())], ["for"], "one that is older does")
os.rename(source, source + ".gone")
forget()
t.equal(within(bt()), [], "nor does one that is not there")
t.run("kill")
serial = t.written("serial.c", "int hits;\nvoid work(int n)\n{\n#pragma omp single\n"
                   "    hits += n;\n}\n#ifdef _OPENMP\nvoid work_serial(int);\nint main(void)\n{\n"
                   "#pragma omp parallel num_threads(2)\n    {\n        work(1);\n"
                   "        work_serial(2);\n    }\n    return 0;\n}\n#endif\n")
subprocess.run(["gcc", "-g", "-c", "-Dwork=work_serial", "-Dhits=hits_serial", serial, "-o",
                serial + ".o"], check=True)
subprocess.run(["gcc", "-g", "-fopenmp", serial, serial + ".o", "-o", program], check=True)
gdb.execute("file " + program)
t.run("break serial.c:5")
seen = set()
t.run("run")
for _ in range(8):
    if not gdb.selected_inferior().pid:
        break
    name = gdb.selected_frame().name()
    seen.add((name, tuple(words for words, _ in within(bt()))))
    t.run("continue")
t.equal(seen, {("work", ("single",)), ("work_serial", ())},
        "a file that was compiled without OpenMP has no constructs")
t.run("delete")

# Optimised: what a line is in is told by the line, wherever it is.
t.use("loops.c", "-O2")
for _, kind in t.both_ways("optimised, "):
    t.stop_at("callee")
    check_static(kind)
    t.stop_at("in_update", "continue")
    found = within(bt())
    t.equal([one for one in found if one[0].startswith("critical")],
            wanted([("critical (update)", "update")]), kind + ": a critical section once")
    t.run("kill")

t.use("loops.cc")
for _, kind in t.both_ways("C++, "):
    walk(kind, (("in_member", [("for", "member")]),
                ("lambda", [("for", "member")]),
                ("elsewhere", []),
                ("in_inner", [("critical (inner)", "inner")])))
    t.run("kill")

if t.use("loops.f90"):
    for _, kind in t.both_ways("Fortran, "):
        walk(kind, FORTRAN)
        t.like("\n".join(whole["in_combined"]), r"^    %s!\$omp parallel do \(.*at %s$" % (
            RULE, t.mark("combined")), kind + ": a combined construct")
        t.run("kill")

t.source = ROOT + "loops.c"
program = t.by_clang("loops.c", "clang")
if program is None:
    t.skip("LLVM", "there is no clang with an OpenMP runtime")
else:
    gdb.execute("file " + program)
    walk("LLVM", C)
    t.run("kill")
t.done()
