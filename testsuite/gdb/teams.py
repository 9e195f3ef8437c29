# SPDX-License-Identifier: MIT
"""Threads by their OpenMP numbers: "ompd thread" and "ompd apply"."""

import harness

t = harness.begin(__file__, program="teams.c")
import os  # noqa: E402
import re  # noqa: E402

import gdb  # noqa: E402

DOT = " \u00b7 "


def selected():
    return gdb.selected_thread().num, gdb.selected_frame().name()


def headers(command):
    """The OpenMP paths in the headers of "ompd apply"."""
    return re.findall(r"^OpenMP thread (.*), thread [\d.]+ \(.*LWP \d+\)?\):$", t.run(command),
                      re.M)


def numbers(command):
    return [int(n) for n in re.findall(r"^\$\d+ = (\d+)$", t.run(command), re.M)]


def threads(kind, recorded):
    main = gdb.selected_thread().num
    where = {r["OMP"]: r["Id"].lstrip("* ") for r in t.threads()}
    region, task = (r"region \d+", r", implicit task \d+") if recorded else \
        ("a region", ", in an implicit task")
    t.like(t.run("ompd thread"), r"^Thread %d is OpenMP thread 0 of 3 in %s \(level 1\)%s\.$" %
           (main, region, task), kind + ": who the selected thread is")
    for path, omp, local, value in (("1", "1/3" + DOT + "0/2", "deep", 10),
                                    ("1.1", "1/3" + DOT + "1/2", "deep", 11),
                                    ("2.1", "2/3" + DOT + "1/2", "deep", 21),
                                    ("0", "0/3", "own", 0)):
        printed = t.run("ompd thread " + path)
        t.like(printed, r"\A\[Switching to OpenMP thread %s, thread %s \((Thread 0x[0-9a-f]+ "
               r"\()?LWP \d+\)?\)\]\n#\d+ .*stand \(|"
               r"\A\[.*\]\n#\d+ .*(main\._omp_fn|\.omp_outlined)" % (omp, where[omp]),
               "%s: ompd thread %s tells what gdb would" % (kind, path))
        t.equal(str(gdb.selected_thread().num), where[omp], "%s: and selects it" % kind)
        if path != "0":
            t.equal(gdb.selected_frame().name(), "stand", kind + ": in a frame of the user")
            t.run("up")
        t.equal(int(gdb.parse_and_eval(local)), value, kind + ": it is the right one")
    t.like(t.run("ompd thread 2.1") + t.run("ompd thread"),
           r"^Thread \d+ is OpenMP thread 1 of 2 in %s \(level 2\), path 2/3%s1/2%s\.$" %
           (region, DOT, task), kind + ": who a nested thread is")
    t.equal(t.error("ompd thread 1.1.1"),
            'There is no OpenMP thread 1.1.1: "ompd threads" lists them.',
            kind + ": a path that goes too deep")
    t.equal(t.error("ompd thread 7"), 'There is no OpenMP thread 7: "ompd threads" lists them.',
            kind + ": a number that is too large")
    # The other initial thread's team is meant where one of its threads is selected.
    t.run("thread " + where["1/2"])
    t.run("ompd thread 0")
    t.equal(str(gdb.selected_thread().num), where["0/2"], kind + ": the own group goes first")
    t.run("ompd thread 2")
    t.equal(str(gdb.selected_thread().num), where["2/3" + DOT + "0/2"],
            kind + ": then what is there only once")
    t.run("thread %d" % main)


def apply(kind):
    before = selected()
    t.equal(headers("ompd apply team bt 1"),
            ["0/3", "1/3" + DOT + "0/2", "2/3" + DOT + "0/2"], kind + ": the team")
    t.equal(len(headers("ompd apply all bt 1")), 7, kind + ": all")
    t.equal(headers("ompd apply level 1 bt 1"), ["0/3", "0/2", "1/2"],
            kind + ": a level, one group after the other")
    t.equal(headers("ompd apply 2.0-1,0 bt 1"),
            ["2/3" + DOT + "0/2", "2/3" + DOT + "1/2", "0/3"], kind + ": a list, in its order")
    t.equal(numbers("ompd apply -q p $_omp_thread_num()"), [0, 0, 0],
            kind + ": without a choice it is the team, whose others are in regions")
    t.equal(numbers("ompd apply 1.0-1,2.0-1 -q p 10*$_omp_level()+$_omp_thread_num()"),
            [20, 21, 20, 21], kind + ": the functions answer for each thread")
    t.ok("\n" not in t.run("ompd apply 0 -q p 1").rstrip("\n"), kind + ": -q has no header")
    t.equal(t.error("ompd apply 1.0,0 -q print own"), 'No symbol "own" in current context.',
            kind + ": an error ends it")
    printed = t.run("ompd apply 1.0,0 -c print own")
    t.like(printed, r'(?s)thread 1/3.*:\nNo symbol "own" in current context\.\n\nOpenMP thread '
           r"0/3, .*:\n\$\d+ = 0\n", kind + ": -c prints it and goes on")
    t.equal(numbers("ompd apply 1.0,0 -q -s print own"), [0], kind + ": -s says nothing of it")
    t.equal(headers("ompd apply 1.0,0 -s print own"), ["0/3"], kind + ": not even a header")
    t.equal(headers("ompd apply 1.0,0 -s set $unused = 1"), [],
            kind + ": nor where nothing is printed")
    t.equal(selected(), before, kind + ": what was selected stays selected")


t.equal(t.run("complete ompd thread 1").strip(), "", "nothing to complete before run")

for recorded, kind in t.both_ways():
    t.stop_at("first")
    t.like(t.run("ompd thread"), "^Thread 1 is an initial OpenMP thread, outside any parallel "
           r"region, " +
           (r"implicit task \d+\.$" if recorded else r"in an implicit task\.$"),
           kind + ": before the first region")
    t.stop_at("all_here", "continue")
    threads(kind, recorded)
    apply(kind)
    t.equal(t.run("complete ompd thread 2").split(),
            ["ompd", "thread", "2.0", "ompd", "thread", "2.1"], kind + ": numbers complete")
    core = os.path.join(t.scratch, "core-" + kind)
    t.run("gcore " + core)
    t.stop_at("after", "continue")
    idle = [r["Id"].lstrip("* ") for r in t.threads() if r["State"] == "idle"]
    t.ok(idle, kind + ": idle threads after the region")
    if idle:
        t.run("thread " + idle[0])
        t.like(t.run("ompd thread"), r"is idle: it waits in the runtime for a region\.$",
               kind + ": who an idle thread is")
        t.like(t.error("ompd apply bt"), "^The selected thread is in no team: ",
               kind + ": an idle thread has no team")
        t.like(t.run("ompd apply all -q p 1"), r"^\$", kind + ": but is one of all")
    t.run("kill")
    t.run("core-file " + core)
    main = next(r["Id"].lstrip("* ") for r in t.threads() if r["OMP"] == "0/3")
    t.run("thread " + main)
    threads(kind + " core", recorded)
    t.run("up 0")
    apply(kind + " core")
    t.run("set libthread-db-search-path /nonexistent")
    t.run("core-file " + core)
    t.like(t.run("ompd apply all -q -s p $_thread"), r"^\$\d+ = ", kind + " core: without pthread ids")
    t.like(t.run("ompd apply 0 bt 1"), r"\(LWP \d+\)", kind + " core: a header all the same")
    t.run("set libthread-db-search-path $sdir:$pdir")
    t.run("core-file")

# One program resumed by the command: what is listed before is not asked for again.
t.run("set args one")
t.run("ompd on")
t.stop_at("all_here")
t.run("ompd apply 0 -q continue")
t.equal(gdb.selected_inferior().pid, 0, "a command may run the program to its end")
t.stop_at("all_here")
t.run("ompd apply team -q -c kill")
t.equal(t.error("ompd thread 0"), harness.NO_PROCESS, "or kill it")

for wrong, message in (
        ("ompd thread x", '"x" is no OpenMP number: give one as 2, or as 2.1 for thread 1 of '
         "the team that thread 2 has opened."),
        ("ompd thread 1 2", '"1 2" is no OpenMP number: give one as 2, or as 2.1 for thread 1 '
         "of the team that thread 2 has opened."),
        ("ompd apply 3-1 bt", '"3-1" is no range of OpenMP numbers.'),
        ("ompd apply 0-99999999 bt", '"0-99999999" is no range of OpenMP numbers.'),
        ("ompd apply 1,,2 bt", '"1,,2" is no list of OpenMP numbers: give one as 0,2-3.'),
        ("ompd apply 0,x bt", '"0,x" is no list of OpenMP numbers: give one as 0,2-3.'),
        ("ompd apply level 9 bt", "No OpenMP thread is at level 9."),
        ("ompd apply", 'Give a command to apply, as in "ompd apply team bt".'),
        ("ompd apply team -q", 'Give a command to apply, as in "ompd apply team bt".'),
        ("ompd apply team -x bt", '"ompd apply" has no option "-x": there are -q, -c and -s.'),
        ("ompd apply team -c -s bt", "-c and -s exclude each other: choose one of them.")):
    if not gdb.selected_inferior().pid:
        t.stop_at("all_here")
    t.equal(t.error(wrong), message, wrong)
t.run("kill")

t.like(t.run("help ompd thread"), r"^Usage: ompd thread \[N\[\.M\.\.\.\]\]$", "help for thread")
t.like(t.run("help ompd apply"), r"^Usage: ompd apply ", "help for apply")
for line in ("info loc", "team info loc", "0,2-3 -q -c info loc", "level 2 info loc"):
    t.equal(t.run("complete ompd apply " + line).split("\n")[:-1],
            ["ompd apply %sals" % line], "commands complete after " + line)
t.equal(t.run("complete ompd apply te").split("\n")[0], "ompd apply team", "and words do")
t.done()
