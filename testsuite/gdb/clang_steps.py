# SPDX-License-Identifier: MIT
"""ompd catch, step, next and finish in programs of clang, on LLVM's runtime: what they have in
common with those of gcc, but for the functions that are called."""

import os
import shlex
import shutil
import subprocess

import harness

CLANG = shlex.split(os.environ.get("CLANG") or "clang")
if not shutil.which(CLANG[0]):
    harness.skip_all(CLANG[0] + " is not installed")
t = harness.begin(__file__, timeout=300)
import re  # noqa: E402

import gdb  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
INNER = re.compile(r"\.?omp_(outlined|task_entry)")


def load(source, level="-O0"):
    """Whether clang makes a program of a file; gdb then has it."""
    t.source = os.path.join(HERE, source)
    t.program = os.path.join(t.scratch, source[:-2])
    done = subprocess.run([*CLANG, "-g", level, "-fopenmp", t.source, "-o", t.program],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        t.note(done.stdout.decode(errors="replace"))
        return False
    gdb.execute("file " + t.program)
    return True


def line():
    return "%s:%d" % (os.path.basename(t.source), gdb.selected_frame().find_sal().line)


def brackets(printed):
    return [said for said in re.findall(r"^\[(.*)\]$", printed, re.M)
            if not re.match(r"New Thread|Switching to|Thread", said)]


def runs(words):
    """[(what is said, line)] of each stop of one run with "ompd catch WORDS"."""
    number = re.search(r"^Catchpoint (\d+)", t.run("ompd catch " + words)).group(1)
    end = gdb.Breakpoint("_exit")
    found = []
    command = "run"
    for _ in range(40):
        said = brackets(t.run(command))
        command = "continue"
        if (gdb.selected_frame().name() or "").endswith("_exit"):
            break
        found.append((said[0] if len(said) == 1 else said, line()))
    t.run("delete %s %d" % (number, end.number))
    t.run("kill")
    return found


def counts(words, wanted, pattern):
    found = runs(words)
    t.equal(len(found), wanted, words + ": that many stops")
    t.ok(all(isinstance(said, str) and re.search(pattern, said) for said, _ in found),
         words + ": each says what it is", found)
    return found


def directive(mark, words, below=0):
    file, number = t.mark(mark).split(":")
    return re.escape("#pragma omp %s at %s:%d" % (words, file, int(number) + below))


def catches():
    who = r"^thread \d+ \([0-2]/3\) "
    found = counts("critical", 6, who + r'enters critical( "update")? at catch\.c:\d+$')
    t.equal(sum('"update"' in said for said, _ in found), 3, "the named one by name")
    found = counts("critical exit", 6, who + r'leaves critical( "update")? at catch\.c:\d+$')
    t.equal(sum('"update"' in said for said, _ in found), 3, "and at its end")
    counts("lock", 6, who + r"sets lock (grid_lock|nest_lock) at catch\.c:\d+$")
    counts("lock exit", 6, who + r"unsets lock (grid_lock|nest_lock)")
    # clang leaves out no barrier: the last single of the program has one, too.
    counts("barrier", 17, r"enters barrier")
    counts("barrier exit", 17, r"leaves barrier")
    counts("barrier all", 6, r"^the whole team is at the barrier at catch\.c:\d+, "
           r"thread \d+ \(\d/[23]\) came last$")
    counts("single", 3, r"begins single")
    counts("single end", 3, r"ends single")
    counts("ordered", 2, who + "enters ordered")
    counts("ordered exit", 2, who + "leaves ordered")
    counts("taskwait", 1, r"enters taskwait at %s$" % t.mark("taskwait"))
    counts("taskwait exit", 1, r"leaves taskwait at catch\.c:\d+$")
    task = directive("task", "task")
    counts("task", 3, r"^thread \d \([01]/2\) begins %s$" % task)
    counts("task end", 3, r"^thread \d \([01]/2\): %s has ended$" % task)
    found = runs("task if i == 1")
    t.equal(len(found), 1, "a condition on a task's own copy")
    regions = "|".join(directive(mark, words) for words, mark in (
        ("parallel", "first"), ("parallel", "second"), ("parallel for", "third")))
    counts("parallel", 3, "^thread 1.* begins (%s)$" % regions)
    counts("parallel end", 3, "^thread 1: (%s) has ended$" % regions)


def hidden():
    return [b.number for b in gdb.breakpoints() if b.number < 0]


def goes(command, mark, says=None):
    """A command that must end at a mark and say SAYS in brackets, or nothing."""
    before = hidden()
    said = [one for one in brackets(t.run(command))
            if re.match(r"entering|leaving|#|the thread", one)]
    t.equal(line(), t.mark(mark), "%s: %s" % (mark, command))
    t.ok(not said if says is None else len(said) == 1 and re.match(says, said[0]),
         "%s: %s says so" % (mark, command), said)
    t.equal(hidden(), before, "%s: %s leaves no breakpoint behind" % (mark, command))


def enters(name, words, command="continue"):
    """Into the body of a construct, the line behind the one that is marked."""
    t.stop_at(name + "_before", command)
    t.run("next")
    said = directive(name + "_before", words, 1)
    goes("ompd step", name + "_first", "entering " + said)
    return said


def steps():
    said = enters("plain", "parallel", "run")
    t.ok(INNER.search(gdb.newest_frame().name()), "in clang's body")
    goes("ompd next", "plain_last")
    goes("ompd step", "work")
    t.run("finish")
    goes("ompd next", "plain_after", "leaving %s$" % said)
    t.equal(gdb.selected_thread().num, 1, "in the thread that met the region")
    enters("static", "parallel for")
    goes("ompd step", "static_last")
    goes("ompd finish", "static_after", "leaving ")
    # One thread alone: the program calls the body itself.
    said = enters("serialized", "parallel")
    goes("ompd next", "serialized_after", "leaving " + said)
    enters("nested", "parallel")
    said = enters("serialized", "parallel", "run")
    goes("ompd finish", "serialized_after", "leaving " + said)
    said = enters("undeferred", "task")
    goes("ompd next", "undeferred_last")
    goes("ompd next", "undeferred_after", "leaving " + said)
    t.stop_at("deferred_before", "continue")
    creator = gdb.selected_thread().num
    t.run("tbreak " + t.mark("deferred_before"))
    t.run("continue")
    t.run("next")
    t.run("ompd step")
    t.ok(gdb.selected_thread().num != creator, "a task that is deferred, in another thread")
    if line() != t.mark("deferred_first"):
        t.run("ompd step")  # the brace of a block has code of its own
    t.equal((line(), int(gdb.selected_frame().read_var("i"))), (t.mark("deferred_first"), 1),
            "and no other of that construct")
    t.run("kill")


def workers():
    t.run("tbreak %s if $_thread == 3" % t.mark("plain_last"))
    t.run("run")
    goes("ompd finish", "plain_after", "leaving .*; thread 1 goes on$")
    for _ in range(2):
        t.run("tbreak %s if $_thread == 2" % t.mark("last"))
        t.run("continue")
    t.run("ompd next")
    goes("ompd next", "calling_after", "leaving %s; thread 1 goes on$" %
         directive("calling_before", "parallel", 1))
    # The other one is in the taskgroup, of which LLVM's runtime does not tell the state.
    t.run("tbreak %s if $_thread == 2" % t.mark("grouped_last"))
    t.run("continue")
    t.run("ompd finish")
    goes("ompd finish", "grouped_after", "leaving the region; thread 1 goes on$")
    t.run("kill")


def optimised():
    """Where bodies became part of the functions around them no step waits for them to begin, and
    where the body's inner half became part of the outer one a step ends in it."""
    for name in "serialized", "undeferred":
        t.stop_at(name + "_before")
        t.run("next")
        t.run("ompd step")
        alive = gdb.selected_inferior().pid
        t.ok(alive and int(t.mark(name + "_before").split(":")[1]) <
             gdb.selected_frame().find_sal().line <= int(t.mark(name + "_after").split(":")[1]),
             "%s, optimised: a step ends in the construct or behind it" % name,
             t.run("bt") if alive else "the program has ended")
        if alive:
            t.run("kill")
    t.run("tbreak %s if $_thread == 1" % t.mark("last"))
    t.run("run")
    t.run("tbreak %s if $_thread == 1" % t.mark("last"))
    t.run("continue")
    goes("ompd finish", "calling_after", "leaving %s$" % directive("calling_before", "parallel", 1))
    t.run("kill")
    t.stop_at("nested_before")
    if line() == t.mark("nested_before"):
        t.run("next")
    printed = t.run("ompd step")
    t.equal(line(), t.mark("nested_first"), "into an inlined half")
    t.equal(printed.count("nested_first"), 1, "which is printed once")
    t.run("kill")


def parts():
    """An untied task begins once and ends once, however many parts it is divided into."""
    for words, pattern in ("task", r" begins (%s)$"), ("task end", r": (%s) has ended$"):
        of = [re.search(pattern % "|".join(directive(mark, "task") for mark in (
            "untied", "tied")), said) for said, _ in runs(words)]
        t.equal(sorted(found.group(1).rpartition(":")[2] if found else None for found in of),
                sorted([t.mark("untied").rpartition(":")[2], t.mark("tied").rpartition(":")[2]] * 2),
                "untied, %s: once for each task" % words)


def from_catch():
    t.run("ompd catch parallel")
    t.run("run")
    goes("ompd step", "plain_first", "entering " + directive("plain_before", "parallel", 1))
    t.run("delete")
    t.run("kill")


if not load("catch.c"):
    t.skip("a program of clang", "clang with OpenMP is not installed")
else:
    catches()
    load("step.c")
    steps()
    workers()
    from_catch()
    load("step.c", "-O2")
    optimised()
    load("untied.c")
    parts()
t.done()
