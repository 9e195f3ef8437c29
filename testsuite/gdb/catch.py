# SPDX-License-Identifier: MIT
"""ompd catch: every kind and moment, with hooks and without."""

import harness

t = harness.begin(__file__, program="catch.c")
import re  # noqa: E402

import gdb  # noqa: E402

import catch_stops  # noqa: E402

how = ""
# gcc leaves out the barrier of a single at the very end of a region.
AT_END = 1 if harness.CLANG else 0


def catch(words):
    """The gdb.Breakpoint that "ompd catch WORDS" makes."""
    number = re.search(r"^Catchpoint (\d+)", t.run("ompd catch " + words)).group(1)
    return next(b for b in gdb.breakpoints() if b.number == int(number))


def stops(words):
    return catch_stops.stops(t, how, words)


def counts(words, wanted, pattern, function=None):
    found = catch_stops.counts(t, how, words, wanted, pattern)
    if function:
        t.equal({name for _, name, _ in found}, {function},
                how + words + ": the frame is the user's")
    return found


def every_kind():
    who = r"^thread \d+ \([0-2]/3\) "
    found = counts("critical", 6, who + r'enters critical( "update")? at catch\.c:\d+$',
                   "sections_of")
    t.equal(sum('"update"' in said for said, _, _ in found), 3, how + "the named one by name")
    found = counts("critical exit", 6, who + r'leaves critical( "update")? at catch\.c:\d+$')
    t.equal(sum('"update"' in said for said, _, _ in found), 3, how + "and at its end")
    counts("lock", 6, who + r"sets lock (grid_lock|nest_lock) at catch\.c:\d+$", "sections_of")
    counts("lock end", 6, who + "unsets lock (grid_lock|nest_lock)", "sections_of")
    counts("barrier", 15 + 2 * AT_END, r"enters barrier")
    counts("barrier exit", 15 + 2 * AT_END, r"leaves barrier")
    found = counts("barrier all", 5 + AT_END, r"^the whole team is at the barrier at catch\.c:\d+, "
                   r"thread \d+ \(\d/[23]\) came last$")
    counts("single", 3, r"begins single")
    counts("single end", 2 + AT_END, r"ends single")
    counts("ordered", 2, who + "enters ordered")
    counts("ordered exit", 2, who + "leaves ordered")
    counts("taskwait enter", 1, r"enters taskwait at catch\.c:\d+$", "tasks")
    counts("taskwait exit", 1, r"leaves taskwait at catch\.c:\d+$", "tasks")
    # Without a device clang calls no runtime.
    counts("target", 0 if harness.CLANG else 1, r"^thread 1.* enters target at catch\.c:\d+$",
           None if harness.CLANG else "offloaded")
    task = re.escape("#pragma omp task at " + t.mark("task"))
    found = counts("task", 3, r"^thread \d \([01]/2\) begins %s$" % task)
    t.equal({"catch.c:%d" % line for _, _, line in found}, {t.mark("in_task")},
            how + "a task has its variables when it begins")
    counts("task end", 3, r"^thread \d \([01]/2\): %s has ended$" % task)
    regions = "|".join(re.escape("#pragma omp %s at %s" % (words, t.mark(m))) for words, m in (
        ("parallel", "first"), ("parallel", "second"), ("parallel for", "third")))
    counts("parallel", 3, "^thread 1.* begins (%s)$" % regions)
    counts("parallel end", 3, "^thread 1: (%s) has ended$" % regions)


def conditions():
    found = stops("critical if who == 2")
    t.equal(len(found), 2, how + "a condition on a variable of the user's frame")
    t.ok(all("(2/3)" in said for said, _, _ in found), how + "stops where it is true", found)
    found = stops("task if i == 1")
    t.equal(len(found), 1, how + "a condition on a task's own copy")
    found = stops('lock if $_streq("a\\"b", "a\\"b") && who > 0')
    t.equal(len(found), 4, how + "quotes in a condition")
    found = stops("taskwait if nonsense > 1")
    t.equal(len(found), 1, how + "a condition that cannot be evaluated stops, as with break")


def as_others():
    """A catch is a breakpoint as any other."""
    point = catch("lock")
    t.like(t.run("info breakpoints"),
           r'%d +breakpoint +keep y .*\n\tstop only if \$_omp_catch\("lock enter"\)'
           % point.number, how + "info breakpoints")
    t.run("run")
    t.equal((gdb.selected_frame().name(), point.hit_count), ("sections_of", 1), how + "is hit")
    t.equal(harness.level(gdb.selected_frame()), 1, how + "the runtime's frame is below")
    t.run("disable %d" % point.number)
    t.run("finish")
    t.ok(re.search("_omp_fn|outlined", gdb.selected_frame().name()), how + "finish ends the user's function",
         gdb.selected_frame().name())
    t.run("enable %d" % point.number)
    t.run("ignore %d 2" % point.number)
    t.run("run")
    t.equal((point.hit_count, point.ignore_count), (3, 0), how + "ignore")
    t.run("commands %d\nsilent\nset $seen = $_thread\nend" % point.number)
    t.run("run")
    t.equal(int(gdb.parse_and_eval("$seen")), gdb.selected_thread().num, how + "commands")
    # The nested lock is told by another function: a hidden breakpoint that follows.
    t.run("condition %d total >= 0 && $_thread == 1" % point.number)
    t.equal(point.condition, '$_omp_catch("lock enter", "total >= 0 && $_thread == 1")',
            how + "a condition given later")
    t.run("set $seen = 0")
    t.run("run")
    t.run("continue")
    t.equal((gdb.selected_thread().num, "catch.c:%d" % gdb.selected_frame().find_sal().line),
            (1, t.mark("nest_lock")), how + "holds where another function tells of the event")
    t.equal(int(gdb.parse_and_eval("$seen")), 1, how + "with its commands")
    t.run("condition %d" % point.number)
    t.equal(point.condition, '$_omp_catch("lock enter")', how + "and is taken away")
    saved = t.scratch + "/saved"
    t.run("condition %d $_omp_catch(\"lock enter\", \"who == 2\")" % point.number)
    t.run("save breakpoints " + saved)
    t.run("delete %d" % point.number)
    t.run("source " + saved)
    t.run("run")
    t.equal(int(gdb.selected_frame().older().read_var("who")), 2, how + "saved and sourced")
    t.run("delete")
    point = catch("lock")
    t.run("disable %d" % point.number)
    t.ends(how + "disabled, it stops nowhere")
    t.run("delete %d" % point.number)
    t.run("tbreak main")
    t.run("run")
    point = catch("parallel")
    t.run("continue")
    printed = t.run("continue")
    line = t.mark("second").split(":")[1]
    t.like(printed, r"^%s\t#pragma omp parallel num_threads\(2\)" % line,
           how + "parallel: the line that is shown is the directive's")
    t.like(t.run("list"), r"\A(?=[\s\S]*^%s\t)" % line, how + "and the lines around it come next")
    t.run("kill")
    t.run("delete %d" % point.number)
    # The function that opens the third region has two names.
    point = catch("parallel")
    t.run("ignore %d 3" % point.number)
    t.run("tbreak _exit")
    t.run("run")
    t.ok(gdb.newest_frame().name().endswith("_exit"), how + "each event counts once to be ignored",
         t.run("bt"))
    t.run("delete")
    t.equal(catch_stops.left(t), [], how + "nothing is left behind")


def steps():
    """gdb's own commands and a user's breakpoints work in between."""
    point = catch("critical")
    t.run("run")
    own = gdb.Breakpoint(t.mark("unlock"))
    point.enabled = False
    t.run("continue")
    t.equal(("catch.c:%d" % gdb.selected_frame().find_sal().line, own.hit_count),
            (t.mark("unlock"), 1), how + "a breakpoint of the user")
    own.delete()
    t.run("set scheduler-locking on")
    t.run("next")
    t.equal("catch.c:%d" % gdb.selected_frame().find_sal().line, t.mark("nest_lock"),
            how + "next")
    t.run("set scheduler-locking replay")
    point.delete()
    t.run("kill")


def attached():
    point = catch("barrier all")
    with t.attached(t.program, "wait", says=b"waiting", recorded=hooks) as process:
        t.stop_at("waits", "continue")
        t.run("set var argc = 0")
        t.like(t.run("continue"), r"^\[the whole team is at the barrier at %s" %
               re.escape(t.mark("barrier")), how + "attached")
        t.equal([r["Where"] for r in t.threads()], ["meets () at " + t.mark("barrier")] * 3,
                how + "with everybody there")
        point.delete()
        t.run("detach")
        t.equal(process.wait(), 0, how + "detached, the process ends well")


def executes():
    """What is planted at addresses of one program is not in the next."""
    other = t.build("plain.c", "elsewhere", "-no-pie")  # nothing is where the first one was
    point = catch("barrier exit")
    t.run("set args exec " + other)
    t.run("run")
    t.equal(gdb.current_progspace().filename, t.program, "stopped in the first program")
    t.run("ignore %d 1000" % point.number)
    t.error("continue")
    t.equal(gdb.current_progspace().filename, other, "another program is executed")
    t.equal(gdb.selected_inferior().pid, 0, "and ends")
    t.run("set args")
    t.run("file " + t.program)
    point.delete()


def parts():
    """An untied task begins once and ends once, however many parts clang divides it into."""
    t.run("set args parts")
    lines = [t.line("untied"), t.line("tied"), t.line("undeferred")] * 2
    for words, pattern in ("task", r" begins %s:(\d+)$"), ("task end", r": %s:(\d+) has ended$"):
        of = [re.search(pattern % r"#pragma omp task at catch\.c", said)
              for said, _, _ in stops(words)]
        t.equal(sorted(int(found.group(1)) if found else 0 for found in of), sorted(lines),
                "%suntied, %s: once for each task" % (how, words))
    t.run("set args")


for hooks in (False, True):
    how = "hooked, " if hooks else "bare, "
    t.run("ompd on" if hooks else "info line")
    every_kind()
    conditions()
    as_others()
    steps()
    attached()

executes()
parts()
for words, message in (
        ("", r"^What to catch is missing: one of barrier, "),
        ("tea", r'^"tea" cannot be caught, but barrier, .* can\.$'),
        ("lock all", r'^The moments of "lock" are enter and exit\.$'),
        ("lock enter 3", r'^The moments of "lock"'),
        ("lock if", r'^The condition after "if" is missing\.$')):
    t.like(t.error("ompd catch " + words) or "", message, "ompd catch %s" % words)
t.equal(catch_stops.left(t), [], "errors leave nothing behind")
t.done()
