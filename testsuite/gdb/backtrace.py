# SPDX-License-Identifier: MIT
"""Backtraces in the programmer's model: with the hooks and without, live, attached, cores."""

import harness

t = harness.begin(__file__, program="backtrace.c")
import os  # noqa: E402
import re  # noqa: E402

import gdb  # noqa: E402

from openmp_inspect.core import errors  # noqa: E402
from openmp_inspect.bindings import extension5  # noqa: E402
from openmp_inspect.stacks import segments  # noqa: E402
from gdb_openmp.host import inferiors, process  # noqa: E402
from gdb_openmp.program import address_space  # noqa: E402

RULE = "    \u2500\u2500 "
ROOT = os.path.dirname(t.source) + "/"


def bt(command="bt"):
    """Lines without directories, arguments of functions, and numbers of regions and tasks."""
    text = t.run(command).replace(ROOT, "")
    text = re.sub(r"(region|task)(=| )\d+", r"\1\2N", text)
    text = re.sub(r"^(#\d+ +|    )(\w+) \([^)]*\)", r"\1\2 ()", text, flags=re.M)
    return [line for line in text.splitlines() if line]


def at(mark):
    return "at " + t.mark(mark)


def of(file_line, by):
    file, line = file_line.split(":")
    return "%s:%d" % (file, int(line) + by)


def shape(lines):
    """Without the levels of frames, which differ between runtimes."""
    return [re.sub(r"^#\d+ +", "# ", line) for line in lines]


def on_its_way(thread):
    """Whether a primary thread has opened a region, but does not run its implicit task yet: others
    of its team may."""
    task = thread.task
    if thread.region is None or task is None:
        return thread.state == "overhead"
    # libgomp's memory has the task before its record does.
    return errors.known(lambda: task.id) is None or task.region is None or \
        task.region.key != thread.region.key


def told(exact, kind):
    """Every boundary is known from the records if EXACT, or, None, of some threads; the whole
    story of all threads."""
    before = gdb.selected_thread().num, gdb.selected_frame()
    for _, thread in process.current().threads():
        newest = process.current().newest_frame(thread)
        t.ok(newest.older and process.current().register_values(thread, False) and
             (gdb.selected_thread().num, gdb.selected_frame()) == before,
             "%s: thread %d is asked, and the selection stays" % (kind, thread.num))
    with inferiors.selection_kept():
        here = address_space.stacks()
        stacks = [here.stack(thread) for thread in gdb.selected_inferior().threads()]
        stacks = [one for one in stacks if one.known is not None and
                  not (exact and on_its_way(one.known))]
        found = {one.thread.num: one.matched.exact for one in stacks if
                 any(isinstance(part, segments.UserFrame) for part in one.parts)}
    t.ok(found and (exact is None or set(found.values()) == {exact}), kind + ": how boundaries are told", found)
    return t.run("ompd bt -all")


def check(kind, hooks):
    """At every stop of the program in turn."""
    whole = {}
    # Of LLVM's runtime not all frames of tasks are known, and leagues are not recorded.
    has_frames = hooks and not harness.CLANG

    def look(mark):
        whole[mark] = told(None if hooks and harness.CLANG else hooks, "%s, %s" % (kind, mark))
        if not hooks:
            return
        asks = extension5.ExtensionQuery.frames
        for how, answer in (("without stack pointers", lambda *_: (0, 0)),
                            ("with wrong ones", lambda *_: tuple(
                                address and address + (1 << 23) for address in asks(*_)))):
            extension5.ExtensionQuery.frames = answer
            address_space.current().forget()
            t.equal(told(False, "%s, %s, %s" % (kind, mark, how)), whole[mark],
                    "%s, %s: order tells the same %s" % (kind, mark, how))
            extension5.ExtensionQuery.frames = asks
            address_space.current().forget()

    region = "region=N, " if hooks else ""
    main = lambda: "    main () at backtrace.c:"  # noqa: E731

    def parallel(mark, number, size=2):
        return "    \u2500\u2500 #pragma omp parallel (%sthread_num=%d, num_threads=%d) %s" % (
            region, number, size, at(mark))

    t.stop_at("nested")
    look("nested")
    found = bt()
    t.note("\n".join(found))
    t.equal(found[:8], [
        "#0  relax () " + at("nested"),
        parallel("inner", 1),
        "    \u2500\u2500 continued in (thread=2)",
        "    relax () " + at("inner"),
        "    jacobi () at " + of(t.mark("outer"), 1),
        parallel("outer", 1),
        "    \u2500\u2500 continued in (thread=1)",
        "    jacobi () " + at("outer")], kind + ": a nested worker is continued twice")
    t.ok(found[8].startswith(main()) and len(found) == 9, kind + ": up to main", found)
    story = bt("ompd bt")
    t.like("\n".join(story), r"^    \u2500\u2500 #pragma omp parallel%s, thread 1 of 2 "
           r"\u2500\u2500 %s$" % (", region N" if hooks else "", t.mark("inner")),
           kind + ": ompd bt says it in words")
    t.like("\n".join(story),
           "^    \u2500\u2500 continued in thread 1, which encountered the region",
           kind + ": and which thread the frames come from")
    all_of = "\n".join(bt("ompd bt -all"))
    t.equal(len(re.findall("^Thread ", all_of, re.M)), 4, kind + ": ompd bt -all tells all")
    t.like(all_of, "^    \u2500\u2500 end of #pragma omp parallel.* %s$" % t.mark("inner"),
           kind + ": a worker at the end of its region, and where that is")

    t.stop_at("leaf", "continue")
    look("leaf")
    found = bt()
    t.note("\n".join(found))
    created = ["    \u2500\u2500 created in (thread=%d)" % (3 - gdb.selected_thread().num),
               "    walk () " + at("leaf_wait"), "    walk () at " + of(t.mark("walk_task"), 1),
               "    \u2500\u2500 back in (thread=%d)" % gdb.selected_thread().num]
    t.equal(found[:3], [
        "#0  leaf () " + at("leaf"), "#1  walk () at " + of(t.mark("leaf_task"), 1),
        "    \u2500\u2500 #pragma omp task %s%s" % ("(task=N) " if hooks else "",
                                                    at("leaf_task"))],
        kind + ": an explicit task")
    t.equal(found[3:7] if has_frames else created, created, kind + ": the task that created it")
    t.like("\n".join(found), r"^    \u2500\u2500 run (at the end of|in(side)?) ",
           kind + ": what the thread was about when it took the task")
    other = shape(bt("ompd bt %d" % (3 - gdb.selected_thread().num)))
    t.note("\n".join(other))
    start = other.index("# leaf () at " + of(t.mark("leaf"), 4))
    identity = ", task N" if hooks else ""
    undeferred = "    \u2500\u2500 #pragma omp task%s \u2500\u2500 %s" % (
        identity if has_frames else "", t.mark("walk_task"))
    t.equal(other[start:start + 9], [
        "# leaf () at " + of(t.mark("leaf"), 4), "# walk () at " + of(t.mark("leaf_task"), 1),
        "    \u2500\u2500 #pragma omp task%s \u2500\u2500 %s" % (identity, t.mark("leaf_task")),
        "    \u2500\u2500 run in #pragma omp taskwait \u2500\u2500",
        "# walk () " + at("leaf_wait"), "# walk () at " + of(t.mark("walk_task"), 1), undeferred,
        "# walk () " + at("walk_task"), "# walk () at " + of(t.mark("walk_task"), 1)],
        kind + ": tasks inside tasks inside a taskwait")
    t.equal(other.count(undeferred), 2, kind + ": each of the undeferred tasks")

    t.stop_at("last", "continue")
    look("last")
    found = bt()
    t.note("\n".join(found))
    t.equal(found[:3], [
        "#0  last_task () " + at("last"), "#1  at_end () at " + of(t.mark("last_task"), 1),
        "    \u2500\u2500 #pragma omp task %s%s" % ("(task=N) " if hooks else "",
                                                    at("last_task"))],
        kind + ": a task that the end of a region runs")
    t.like("\n".join(found), r"^    \u2500\u2500 run %s #pragma omp parallel \(" %
           ("at the end of" if hooks else "(at the end of|inside)"),
           kind + ": is not taken for the region")
    t.ok(not any("\u2500\u2500 #pragma omp parallel" in line for line in found),
         kind + ": whose body has returned", "\n".join(found))
    t.ok(main() in "\n".join(found) or re.search("^#[0-9]+ +main ", "\n".join(found), re.M),
         kind + ": and goes on to main")

    t.stop_at("loop", "continue")
    look("loop")
    t.equal([line for line in bt() if "\u2500\u2500 #" in line],
            ["    \u2500\u2500 #pragma omp parallel for (%sthread_num=%d, num_threads=2) %s" % (
                region, int(gdb.parse_and_eval("$_omp_thread_num()")), at("for"))],
            kind + ": a combined construct by its name")

    t.stop_at("team", "continue")
    look("team")
    found = bt()
    t.note("\n".join(found))
    league = "(region=N, thread_num=0, num_threads=1) " if hooks else ""
    if not harness.CLANG:
        t.equal([line for line in found if RULE in line],
                [RULE + "in #pragma omp critical " + at("unnamed"), parallel("in_league", 1),
                 RULE + "continued in (thread=1)",
                 RULE + "#pragma omp teams %s%s" % (league, at("league"))],
                kind + ": a region in a league")
        t.equal(len([line for line in found if "sections () " in line]), 3,
                kind + ": no frame is left out between them")
    t.equal([row["Where"] for row in t.threads() if row["OMP"].endswith("0/2")],
            ["sections () " + at("in_league")],
            kind + ": who is at the end of a region is where the region stands")
    t.stop_at("in_taskloop", "continue")
    look("in_taskloop")
    t.like("\n".join(bt()), r"^%s#pragma omp taskloop %s%s$" % (
        RULE, r"\(task=N\) " if hooks else "", at("taskloop")), kind + ": a taskloop is no task")

    t.stop_at("held", "continue")
    look("held")
    found = bt()
    t.note("\n".join(found))
    label = "    \u2500\u2500 in #pragma omp critical (update) " + at("critical")
    t.equal(found[:2], ["#0  update () " + at("held"), label],
            kind + ": the critical section it is in")
    t.equal(found.count(label), 1, kind + ": told once, recorded or not")

    t.run("handle SIGUSR1 nostop noprint pass")
    t.stop_at("handler", "continue")
    found = bt()
    t.note("\n".join(found))
    t.equal(found[:2], ["#0  on_signal () " + at("handler"), "#1  <signal handler called> ()"],
            kind + ": a signal handler")
    t.equal(found[-4], parallel("others", 1), kind + ": and the region beneath it")


def check_once(kind, hooks):
    """The nested stop alone. A core numbers threads in its own way."""
    found = bt()
    t.equal([re.sub(r"in \(thread=\d+\)$", "in", line) for line in found
             if "\u2500\u2500" in line], [
        "    \u2500\u2500 #pragma omp parallel (%sthread_num=1, num_threads=2) %s" % (
            "region=N, " if hooks else "", at(mark)) if mark else
        "    \u2500\u2500 continued in" for mark in ("inner", None, "outer", None)],
        kind + ": labels and joints")
    t.like(found[-1], r"^    main \(\) ", kind + ": up to main")


t.run("ompd on")
check("hooks", True)
t.ends("hooks: the program ends as it should")
for hooks in (True, False):
    t.stop_at("nested")
    t.become_core()
    check_once("core, hooks" if hooks else "core", hooks)
    t.run("core-file")
    if hooks:
        t.run("ompd off")
        check("stock", False)
        t.ends("stock: the program ends as it should")

# Optimised: functions are inlined, and calls that open regions have any line.
t.use("backtrace.c", "-O2")
for _, kind in t.both_ways("optimised, "):
    t.stop_at("nested")
    found = [line for line in bt() if RULE not in line]
    t.note("\n".join(bt()))
    t.ok({"relax () " + at("inner"), "jacobi () " + at("outer")} <=
         {line.strip() for line in found},
         kind + ": the frames that open regions have the lines of these", "\n".join(found))
    t.like(found[-1], r"^    main \(\) at ", kind + ": inlined functions and what is around them")
    t.ok(len(set(found)) == len(found), kind + ": are not mixed up", "\n".join(found))
    master = next(row for row in t.threads() if row["OMP"] in ("0/2", "0/2 \u00b7 0/2"))
    t.like(t.run("ompd bt " + master["Id"].strip("* ")), "^#\\d+ +main ", kind + ": main")
    t.run("kill")
gdb.execute("file " + t.program)

for hooks in (True, False):
    with t.attached(t.program, "hold", says=b"holding", recorded=hooks):
        for thread in gdb.selected_inferior().threads():
            thread.switch()
            if any(re.search(r" hold \(\) ", line) for line in bt()):
                break
        check_once("attached, hooks" if hooks else "attached", hooks)
t.done()
