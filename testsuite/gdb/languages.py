# SPDX-License-Identifier: MIT
"""C++ and Fortran: names as the source has them."""

import re

import harness

t = harness.begin(__file__, program="names.cc")
import gdb  # noqa: E402

t.run("ompd on")
t.stop_at("held")
rows = {r["OMP"]: r for r in t.threads()}
t.equal(rows["0/5"]["Where"], "grid::relax<int> () at " + t.mark("held"),
        "an instance of a template")
SINCE = r", held by 1 \(0/5\) since names\.cc:\d+$"
t.like(rows["1/5"]["Waits for"], r"^grid::ocean\.cells\[2\]\.lock" + SINCE,
       "a lock in a struct in an array in a struct")
t.like(rows["2/5"]["Waits for"], r"^grid::locks\[3\]" + SINCE, "a lock in a static array")
t.like(rows["4/5"]["Waits for"], "^grid::lock" + SINCE,
       "a lock that is a variable of its own")
t.like(rows["3/5"]["Waits for"], '^"update"' + SINCE, "a critical section")
t.like(rows["3/5"]["Where"], r"::\{lambda\(int\)#1\} \(\) at " + t.mark("lambda"),
       "a lambda")
t.like(t.run("ompd parallel"), r"grid::relax<int> \(\) at " + t.mark("template"),
       "the region in the template")
t.stop_at("lambda_body", "continue")
printed = t.noted("ompd parallel")
t.like(printed, re.escape(harness.LAMBDA) + r" \(\) at " + t.mark("in_lambda"),
       "the region in the lambda")
t.run("kill")

if t.use("backtrace.f90"):
    t.stop_at("in_loop")
    printed = t.noted("ompd threads")
    t.like(printed, r"work +- +ocean::relax \(\) at " + t.mark("in_loop"),
           "a module procedure")
    t.like(t.run("ompd parallel"), r"ocean::relax \(\) at " + t.mark("loop"),
           "the region in it")
    t.equal(gdb.parameter("language"), "auto", "the language is still chosen by gdb")
    t.stop_at("in_task", "continue")
    t.like(t.run("ompd parallel"), r"heat \(\) at " + t.mark("program"),
           "the region in the main program")
t.done()
