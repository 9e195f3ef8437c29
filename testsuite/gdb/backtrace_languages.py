# SPDX-License-Identifier: MIT
"""Backtraces of C++ and Fortran, of optimised programs, and without debug information."""

import harness

t = harness.begin(__file__, program="loops.cc")
import os  # noqa: E402
import re  # noqa: E402

import gdb  # noqa: E402

ROOT = os.path.dirname(t.source) + "/"
RULE = "    \u2500\u2500 "


def bt(command="bt"):
    return t.run(command).replace(ROOT, "").splitlines()


def at(mark):
    return "at " + t.mark(mark)


def joint(lines):
    """Labels and what follows the last frame of the thread itself."""
    return [re.sub(r"region=\d+, ", "", line) for line in lines if line.startswith("    ")]


for _, kind in t.both_ways():
    t.stop_at("relaxed")
    found = bt()
    t.note("\n".join(found))
    t.like(found[0], "^#0  %s " % re.escape(harness.LAMBDA) + r"\(.*\) " + at("relaxed"),
           kind + ": a lambda")
    t.ok(any(re.match(r"#\d +grid::Grid<int>::relax \(.*\) at", line) for line in found),
         kind + ": a member of a template goes by its name")
    t.ok(any(re.match(r"#\d +std::_Function_handler<\.\.\.>::_M_invoke \(", line)
             for line in found), kind + ": long template arguments are left out")
    t.equal(joint(found)[:3], [
        RULE + "#pragma omp parallel (thread_num=1, num_threads=2) " + at("member_region"),
        RULE + "continued in (thread=1)",
        "    grid::Grid<int>::relax () " + at("member_region")], kind + ": its region")
    t.run("catch throw")
    t.run("continue")
    found = bt()
    t.note("\n".join(found))
    t.ok(any(line.startswith("#0 ") for line in found) and
         any(" fails () " in line for line in found),
         kind + ": an exception on its way is seen from the C++ library on")
    t.like("\n".join(joint(found)), re.escape(at("catch_region")), kind + ": to its region")
    t.run("delete")
    t.stop_at("caught", "continue")
    found = bt()
    t.equal(found[0], "#0  survives () " + at("caught"), kind + ": where it is caught")
    t.equal(joint(found)[:2], [
        RULE + "#pragma omp parallel (thread_num=1, num_threads=2) " + at("catch_region"),
        RULE + "continued in (thread=1)"], kind + ": in the region")
    t.run("kill")

if t.use("backtrace.f90"):
    for _, kind in t.both_ways("Fortran, "):
        t.stop_at("in_loop")
        found = bt()
        t.note("\n".join(found))
        t.equal(found[0], "#0  ocean::relax () " + at("in_loop"), kind + ": a module procedure")
        t.like(found[1], r"^%s!\$omp parallel do \(.*num_threads=1\) %s$" % (RULE, at("loop")),
               kind + ": its loop has the sentinel of Fortran")
        t.ok(any(re.match(r"%s!\$omp parallel \(.*num_threads=2\) %s$" %
                          (RULE, at("program")), line) for line in found),
             kind + ": and the region around it")
        t.like(found[-1], r"heat \(\) at", kind + ": up to the main program")
        t.like(t.run("ompd stacks"), "^\u2514\u2500 2  heat ", kind + ": where stacks begin")
        t.like(t.noted("ompd threads"), r"work +- +ocean::relax \(\) at " + t.mark("in_loop"),
               kind + ": where it works")
        for name, mark in ("ocean::relax", "loop"), ("heat", "program"):
            t.like(t.run("ompd parallel"), r"%s \(\) at %s" % (name, t.mark(mark)),
                   "%s: the region in %s" % (kind, name))
        t.equal(gdb.parameter("language"), "auto", kind + ": the language is still chosen by gdb")
        t.run("set backtrace past-main on")
        t.like(bt()[-1], r" _start \(\)", kind + ": gdb's setting goes behind it")
        t.run("set backtrace past-main off")
        t.stop_at("in_task", "continue")
        found = bt()
        t.note("\n".join(found))
        t.equal(found[0], "#0  ocean::later () " + at("in_task"), kind + ": called by a task")
        t.like(found[1], r"^#1  heat \(\) at", kind + ": of the main program")
        t.like(found[2], r"^%s!\$omp task (?:\(task=\d+\) )?%s$" % (RULE, at("task")),
               kind + ": the task")
        t.ok("#pragma" not in t.run("ompd bt -all"), kind + ": no pragmas in Fortran")
        t.like(t.run("ompd parallel"), r"heat \(\) at " + t.mark("program"),
               kind + ": the region in the main program")
        t.run("kill")

# Without debug information: functions, and labels that name the construct alone.
t.use("backtrace.c", "-g0")
for _, kind in t.both_ways("no -g, "):
    gdb.Breakpoint("on_signal", temporary=True)
    t.run("handle SIGUSR1 nostop noprint pass")
    t.run("run")
    found = bt()
    t.note("\n".join(found))
    t.like("\n".join(found), r"^#\d+ +0x[0-9a-f]+ in (others|<body of an OpenMP construct>) \(\)$",
           kind + ": a function")
    t.equal(joint(found)[0], RULE + "#pragma omp parallel (thread_num=1, num_threads=2)",
            kind + ": the region")
    t.equal(joint(found)[1:], [RULE + "continued in (thread=1)", "    others ()",
                               "    main ()"], kind + ": and where it was met")
    t.run("kill")

# The call that opens the region is a jump: its function has no frame.
t.use("many.c", "-O2")
gdb.execute("set args 3")
for _, kind in t.both_ways("tail call, "):
    t.stop_at("here")
    found = bt()
    t.note("\n".join(found))
    t.note(t.run("ompd bt 1"))
    t.equal(joint(found)[:2], [
        RULE + "#pragma omp parallel (thread_num=2, num_threads=3) " + at("region"),
        RULE + "continued in (thread=1)"], kind + ": the region")
    t.like(found[-1], r"^    main \(\) at", kind + ": up to main")
    t.run("kill")

# LLVM's runtime: up to main, as with libgomp.
program = t.by_clang("backtrace.c", "clang")
if program is None:
    t.skip("LLVM", "there is no clang with an OpenMP runtime")
else:
    t.source = ROOT + "backtrace.c"
    gdb.execute("file " + program)
    gdb.execute("set args")
    # That of LLVM 19 loses wake-ups of inner teams that sleep, also without a debugger.
    gdb.execute("set environment OMP_WAIT_POLICY active")
    t.stop_at("nested")
    found = bt()
    t.note("\n".join(found))
    t.equal([line for line in found if RULE in line],
            [RULE + "#pragma omp parallel (thread_num=1, num_threads=2) " + at("inner"),
             RULE + "continued in (thread=2)",
             RULE + "#pragma omp parallel (thread_num=1, num_threads=2) " + at("outer"),
             RULE + "continued in (thread=1)"], "LLVM: the regions, each once")
    t.like(found[-1], r"^    main \(\) at", "LLVM: up to main")
    t.ok("task" not in t.run("ompd bt -all"), "LLVM: no task is made up")
    t.stop_at("leaf", "continue")
    t.ok(RULE + "#pragma omp task " + at("leaf_task") in bt(), "LLVM: a task")
    t.run("kill")
t.done()
