# SPDX-License-Identifier: MIT
"""ompd step, next and finish in Fortran and C++, and in a process that was attached to."""

import os

import harness

t = harness.begin(__file__, program="step.c",
                  environment={"OMP_MAX_ACTIVE_LEVELS": "2", "OMP_NESTED": "TRUE"})  # of GCC 10
import gdb  # noqa: E402


def goes(command, mark, says, name=""):
    printed = t.run(command)
    sal = gdb.selected_frame().find_sal()
    t.equal("%s:%d" % (os.path.basename(sal.symtab.filename), sal.line), t.mark(mark),
            "%s, %s %s" % (os.path.basename(t.source), name or command, mark))
    t.like(printed, says, "and says so")


def enters(name, says):
    """The directive may have a line of its own in the function that meets it."""
    t.stop_at(name + "_before", "continue" if gdb.selected_inferior().pid else "run")
    printed = t.run("ompd step")
    if "[entering" not in printed:
        t.equal(gdb.selected_frame().find_sal().line,
                t.line(name + "_before") + 1, "on the directive's line")
        printed = t.run("ompd step")
    t.equal(gdb.selected_frame().find_sal().line, t.line(name + "_first"),
            "%s: into the body of %s" % (os.path.basename(t.source), name))
    t.like(printed, r"^\[entering " + says, "and says so")


t.use("step.f90")
enters("plain", r"!\$omp parallel at step\.f90:7, thread 0 of 2\]")
t.run("ompd next")
goes("ompd next", "plain_after", r"^\[leaving !\$omp parallel at step\.f90:7\]")
enters("loop", r"!\$omp parallel do at step\.f90:13")
enters("task", r"!\$omp task at step\.f90:20")
goes("ompd finish", "task_after", r"^\[leaving !\$omp task at")
t.run("kill")

t.use("step.cc")
enters("lambda", r"#pragma omp parallel at step\.cc:\d+, thread 0 of 2\]")
t.like(t.run("ompd finish"), r"^\[leaving ", "step.cc, finish of a lambda's region")
# Before GCC 14 the line there is that of a captured variable, which is fetched again.
if gdb.selected_frame().find_sal().line == t.line("lambda_before"):
    t.run("next")
goes("info line", "lambda_after", "^", "next")
enters("plain", "#pragma omp parallel")
t.equal(int(gdb.selected_frame().read_var("c")["value"]), 1, "copies have been made there")
t.run("ompd next")
goes("ompd next", "plain_after", r"^\[leaving ")
enters("throw", "#pragma omp parallel")
t.run("ompd next")
if not harness.CLANG:  # gdb's own "next" passes over a handler there
    t.run("ompd next")
goes("ompd finish", "throw_after", r"^\[leaving ", "past an exception")
t.run("kill")

# Attached.
t.source = os.path.join(os.path.dirname(t.source), "step.c")
with t.attached(t.program, "wait") as process:
    t.stop_at("forever_loop", "continue")
    goes("ompd next", "forever_last", "^")
    if harness.CLANG:
        t.run("ompd step")  # the loop has code of its own
    goes("ompd step", "forever_loop", "^")
    t.equal([b.number for b in gdb.breakpoints()], [], "nothing is left behind")
    gdb.execute("detach", to_string=True)
    t.equal(process.poll(), None, "the process lives on")
t.done()
