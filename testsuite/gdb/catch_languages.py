# SPDX-License-Identifier: MIT
"""ompd catch and conditions in C++ and Fortran, with hooks and without."""

import harness

t = harness.begin(__file__, program="catch.f90", timeout=180)
import re  # noqa: E402

import gdb  # noqa: E402

import catch_stops  # noqa: E402

how = ""
equals = "=="  # in Fortran
t.run("set language fortran")
try:
    gdb.parse_and_eval("1 == 1")
except gdb.error:
    equals = ".eq."  # gdb 10 has the older operators only
t.run("set language auto")


def each(words, wanted, pattern, change=None):
    catch_stops.counts(t, how, words, wanted, pattern, change)


def fortran():
    task = re.escape("!$omp task at " + t.mark("task"))
    each("parallel", 1, "^thread 1 begins %s$" % re.escape("!$omp parallel at " +
                                                         t.mark("region")))
    each("parallel end", 1, r"!\$omp parallel at catch\.f90:\d+ has ended$")
    each("critical", 2, r'enters critical "adds" at ' + t.mark("critical"))
    each("lock", 2, "sets lock lock at " + t.mark("lock"))
    each("barrier all", 2, "^the whole team is at the barrier")
    each("taskwait", 2, "enters taskwait at " + t.mark("taskwait"))
    each("task", 2, "begins " + task)
    each("task end", 2, task + " has ended")
    each("task if n %s 2" % equals, 1, "begins " + task)
    each("critical if me %s 1" % equals, 1, r" \(1/2\) enters critical")
    # As a Fortran programmer changes it.
    each("task", 1, "begins " + task, "$_omp_catch('task begin', 'n %s 3')" % equals)
    t.run("set language fortran")  # a breakpoint keeps that in which it was made
    gdb.Breakpoint(t.mark("first"))
    t.run("set language auto")
    for condition, number in (("$_omp_thread_num() == 1", 1),
                              ("$_omp_thread_num() == 0 .and. $_omp_state('work')", 0),
                              ("$_omp_state('idle') .or. $_omp_thread_num() == 1", 1)):
        gdb.breakpoints()[0].condition = condition.replace("==", equals)
        t.run("run")
        t.equal(int(gdb.parse_and_eval("$_omp_thread_num()")), number, how + condition)
    t.run("delete")
    t.run("kill")


def cxx():
    task = re.escape("#pragma omp task at " + t.mark("task"))
    each("lock", 4, r"sets lock store\.lock_ at " + t.mark("lock"))
    each("critical", 4, r'enters critical "counts" at ' + t.mark("critical"))
    each("critical if who == 11", 1, "enters critical")
    each("barrier all", 2, "^the whole team is at the barrier")
    each("task if i == 1", 1, "begins " + task)
    each("task end", 2, task + " has ended")
    gdb.Breakpoint(t.mark("held")).condition = '$_omp_state("work") && $_omp_thread_num() == 1'
    t.run("run")
    t.equal(int(gdb.parse_and_eval("$_omp_thread_num()")), 1, how + "a condition on the state")
    t.run("delete")
    t.run("kill")


for hooks in (False, True):
    t.run("ompd on" if hooks else "info line")
    how = "Fortran, hooked, " if hooks else "Fortran, bare, "
    t.use("catch.f90")
    fortran()
    how = "C++, hooked, " if hooks else "C++, bare, "
    t.use("catch.cc")
    cxx()
t.done()
