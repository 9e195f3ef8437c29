# SPDX-License-Identifier: MIT
""""ompd print": an expression in each thread of a team, in C, C++ and Fortran."""

import harness

t = harness.begin(__file__, program="scopes.c")
import gdb  # noqa: E402

from openmp_inspect.core import text  # noqa: E402



def shown(expression):
    """What is printed, as a dictionary from threads to values, and the remarks."""
    values, remarks = {}, []
    for line in t.run("ompd print " + expression).splitlines():
        head, colon, value = line.partition(":  ")
        if colon and head.lstrip("gdb's ").startswith("thread"):
            values[head] = value.strip()
        else:
            remarks.append(line)
    return values, remarks


def prints(kind, cases):
    selected = gdb.selected_thread().num, gdb.selected_frame()
    for expression, wanted, *remarks in cases:
        t.equal(shown(expression), (wanted, remarks), "%s: ompd print %s" % (kind, expression))
    t.equal((gdb.selected_thread().num, gdb.selected_frame()), selected,
            kind + ": what was selected stays selected")


def each(*values):
    return {"thread %d" % n: str(value) for n, value in enumerate(values)}


def every(values, threads="threads 0-3"):
    return {threads: values}


def in_c(kind):
    master = next(r["Id"].lstrip("* ") for r in t.threads() if r["OMP"] == "0/4")
    of_main = "%%s is that of main () in thread %s." % master
    prints(kind, (
        ("inner", each(0, 1, 2, 3)),
        ("first", each(2, 3, 4, 5)),
        ("mine + sum", each(0, 3, 6, 9)),
        ("common", every("5")),
        ("everywhere", every("77")),
        ("own_global", each(1000, 1001, 1002, 1003)),
        ("inner / 2", {"threads 0-1": "0", "threads 2-3": "1"}),
        ("inner != 1", {"threads 0,2-3": "1", "thread 1": "0"}),
        ("pair", every("{first = 1, second = 2.5}")),
        ("/x first", {"thread 0": "0x2", "thread 1": "0x3", "thread 2": "0x4",
                      "thread 3": "0x5"}),
        ("-team -all /d inner % 2", {"threads 0,2": "0", "threads 1,3": "1"}),
        ("$_omp_thread_num()", each(0, 1, 2, 3)),
        ("10 / inner", {"thread 1": "10", "thread 2": "5", "thread 3": "3",
                        "thread 0": "Division by zero"}),
        # Not in the debug information of the body.
        ("not_named", every("9"), of_main % "not_named"),
        ("not_named + inner", each(9, 10, 11, 12), of_main % "not_named"),
        ("sized", every("{20, 21, 22}"), of_main % "sized"),
        ("sized[1] + length", every("24"), of_main % "length", of_main % "sized"),
        ("lasting", every("8")),
        ('"not_named"', every('"not_named"')),
        ("100 % not_named - pair.first", every("0"), of_main % "not_named"),
        ("pair.second", every("2.5")),
    ))
    if "core" not in kind:
        prints(kind + " once", (
            ("everywhere++ - everywhere", every("-1")),
            ("everywhere -= 4", {"thread %d" % n: str(77 - 4 * n) for n in range(4)}),
            ("everywhere = 77", every("77"))))
    t.equal(t.error("ompd print nothing"), 'No symbol "nothing" in current context.',
            kind + ": no such variable")
    t.equal(t.error("ompd print held"), 'No symbol "held" in current context.',
            kind + ": one of another function")
    t.equal(t.error("print not_named"), 'No symbol "not_named" in current context.'
            if harness.CLANG else "No frame is currently executing in block main.",
            kind + ": gdb's own print does not know it")
    t.equal(int(gdb.parse_and_eval('$_omp_var("not_named") + inner')), 11,
            kind + ": the function finds it")
    t.equal(t.error('print $_omp_var("nothing")'), 'No variable "nothing" in this function, nor '
            "in those around its region.", kind + ": but not what does not exist")
    t.equal(t.error("print $_omp_var(1)"), 'Give a variable\'s name, as in $_omp_var("x").',
            kind + ": and takes a string only")
    # In a function that the body called.
    t.run("ompd thread 0")
    prints(kind + " called", (
        ("held", {"thread 0": "10", "thread 1": "20", "thread 3": "40",
                  "thread 2": "(not in hold ())"}),
        ("inner", each(0, 1, 2, 3)),
        ("not_named", every("9"), of_main % "not_named"),
    ))
    t.equal(int(gdb.parse_and_eval('$_omp_var("inner")')), 0,
            kind + ": the function looks in what called, too")


def in_recursion(kind):
    paths = ["%d.%d.%d" % (a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    ids = {r["OMP"].replace("/2", ""): r["Id"].lstrip("* ") for r in t.threads()}
    own = ids["1 \u00b7 1 \u00b7 0"]
    # Which numbers gdb gives to the threads that lead the innermost teams is chance.
    leaders = text.ranges(int(ids[path]) for path in ids
                         if path.endswith("\u00b7 0"))
    prints(kind, (
        ("-all path", {"thread " + path: str(8 + n) for n, path in enumerate(paths)}),
        ("-all unseen", {"threads %s-1" % path: str(43 + 10 * n)
                         for n, path in enumerate(paths[::2])},
         "unseen is that of descend () in threads %s." % leaders),
        ("unseen", {"threads 0-1": "73"}, "unseen is that of descend () in thread %s." % own)))


for _, kind in t.both_ways():
    t.stop_at("inside")
    thread = gdb.selected_thread().num
    in_c(kind + " C")
    t.stop_at("in_task", "continue")
    here = t.run("ompd thread").partition(" of ")[0][-1:]
    creator = next(r["Id"].lstrip("* ") for r in t.threads() if r["OMP"] == "1/2")
    other = {"thread %d" % (1 - int(here)): "(not in tasks ())"}
    around = ("not_named", dict({"thread " + here: "5"}, **other),
              "not_named is that of tasks () in thread %s." % creator)
    # clang does not describe the variable that task and creator share.
    prints(kind + " task", (("deep", dict({"thread " + here: "64"}, **other)),
                            *([] if harness.CLANG else [around])))
    if harness.CLANG:
        t.equal(t.error("ompd print not_named"), '"not_named" cannot be found: whether the call '
                "of tasks () that created the task has returned is not known.",
                kind + " task: what is around it")
    t.stop_at("orphan", "continue")
    t.equal(t.error("ompd print unseen"), '"unseen" cannot be found: whether the call of '
            "create () that created the task has returned is not known.",
            kind + ": the function that made a task may have been called again")
    t.run("kill")
    t.stop_at("inside")
    t.become_core()
    if not harness.CLANG:
        t.run("frame function main._omp_fn.0")
    in_c(kind + " C core")
    t.run("core-file")

t.use("scopes.cc")
t.stop_at("member")
three = "threads 0-2"
prints("C++ member function", (
    ("depth", every("4", three)), ("cells[0]", every("32", three)),
    ("this->depth + factor", each(11, 12, 13)), ("alias + local", every("28", three)),
    ("unused", every("6", three), "unused is that of Ocean::sum () in thread 1.")))
t.stop_at("lambda", "continue")
prints("C++ lambda", (
    ("copied + number", each(11, 12)), ("argument", every("2", "threads 0-1"))))
t.equal(t.error("ompd print cells"), 'No symbol "cells" in current context.',
        "C++ lambda: not what it did not capture")
t.stop_at("caught", "continue")
t.like(t.run("ompd print part"), r"^thread 1:  +2\.5$", "C++ template: in a handler")
t.equal(shown("whole")[1], ["whole is that of half<double> () in thread 1."],
        "C++ template: of the function around")
t.stop_at("blind", "continue")
this = "this is that of Ocean::blind () in thread 1."
t.equal(t.error("print depth"), 'No symbol "depth" in current context.',
        "C++: a member of an object that the body does not name")
prints("C++ member of an object that the body does not name", (
    ("depth", every("4", "threads 0-1"), this), ("depth + number", each(11, 12), this),
    ("this->cells[0]", every("32", "threads 0-1"), this)))
t.run("kill")

if t.use("scopes.f90"):
    for _, way in t.both_ways():
        t.stop_at("inside")
        kind = "Fortran " + way
        for where in t.live_and_core():
            kind += where
            of = "%%s is that of ocean::relax () in thread %s." % next(
                r["Id"].lstrip("* ") for r in t.threads() if r["OMP"] == "0/3")
            # gdb 10 knows Fortran's older signs only.
            both = "me > 0 .and. unused == 6" if t.error("print 1 == 1") is None else \
                "me .gt. 0 .and. unused .eq. 6"
            prints(kind, (
                ("me", each(0, 1, 2)), ("start + total", each(4, 6, 8)),
                ("taken", every("(2.5, 2.5, 2.5)", three)), ("word", every("'hello'", three)),
                ("grid", every("(15.5, 16.5, 17.5, 1)", three), of % "grid"),
                ("GRID(me+1)", each(15.5, 16.5, 17.5), of % "grid"),
                (both, {"thread 0": ".FALSE.", "threads 1-2": ".TRUE."}, of % "unused"),
                ("flow(2) + unused", every("8", three), of % "flow", of % "unused"),
                ("level", every("12", three))))
            t.equal(t.run("output $_omp_var('flow')(2)"), "2", kind + ": the function")

# A function that is active more than once on one stack.
t.use("recurse.c")
for _, way in t.both_ways():
    t.stop_at("deep")
    in_recursion("recursion " + way)
    t.run("kill")

# Where it cannot answer.
t.equal(t.error("ompd print"), 'Give an expression to print, as in "ompd print x".',
        "nothing to print")
t.use("waits.c")
t.stop_at("all_wait")
numbers = shown("-all $_omp_thread_num() + 0")[0]
t.equal(numbers, each(0, 1, 2, 3, 4, 5), "threads that wait answer, too")
t.run("thread " + next(r["Id"].lstrip("* ") for r in t.threads() if r["OMP"] == "-"))
t.like(t.error("ompd print 1"), "^The selected thread is in no team: ",
       "a thread that is not OpenMP's has no team")
t.equal(shown("-all 1")[0], every("1", "threads 0-5"), "but there is all")
t.run("kill")
t.like(t.run("help ompd print"), r"^Usage: ompd print \[-all \| -team\]", "there is help")
t.done()
