# SPDX-License-Identifier: MIT
"""ompd step, next and finish through every construct that has a body, with hooks and without."""

import harness

t = harness.begin(__file__, program="step.c",
                  environment={"OMP_MAX_ACTIVE_LEVELS": "2", "OMP_NESTED": "TRUE"})  # of GCC 10
import re  # noqa: E402
import subprocess  # noqa: E402
import time  # noqa: E402

import gdb  # noqa: E402

BODY = "_debug__" if harness.CLANG else "nested._omp_fn"
how = ""  # with what the program runs, for the names of cases


def clean(name, *own):
    """No breakpoint is left, but for those that a catchpoint has: the numbers OWN."""
    hidden = [b.number for b in gdb.breakpoints() if b.number < 0]
    table = [row for row in t.run("maint info breakpoints").splitlines()
             if re.match(r"-\d+ +breakpoint ", row)]
    table = [row for row in table if int(row.split()[0]) not in own]
    t.equal(([number for number in hidden if number not in own], table), ([], []), how + name + " leaves no breakpoint behind")


def goes(command, mark, says="", name=""):
    """A command that must end at a mark, and say SAYS in brackets, or nothing. What it
    printed."""
    own = [b.number for b in gdb.breakpoints() if b.number < 0]
    printed = t.run(command)
    name = "%s: %s" % (mark, name or command)
    t.equal("step.c:%d" % gdb.selected_frame().find_sal().line, t.mark(mark), how + name)
    said = "\n".join(line for line in printed.splitlines()
                     if re.match(r"\[(entering|leaving|#|the thread)", line))
    t.like(said, "^" + says + ("" if says.endswith("$") else "$") if not says else says,
           how + name + " says so")
    clean(name, *own)
    return printed


def directive(mark, words, below=1):
    """The directive that stands so many lines after a mark."""
    file, number = t.mark(mark).split(":")
    return re.escape("#pragma omp %s at %s:%d" % (words, file, int(number) + below))


def before(name, command="continue", below=1):
    """To the statement from whose line a construct is stepped into, or over. The directive has a
    line of its own in the function when the construct needs something to be prepared; with clang
    always."""
    t.stop_at(name + "_before", command)
    to_directive(below)


def to_directive(below=1):
    here = gdb.selected_frame().find_sal()
    if any(entry.line == here.line + below for entry in here.symtab.linetable()
           if own_function(entry.pc)):
        t.run("next")


def enters(name, words, command="continue", **more):
    """Into the body of a construct by ompd step."""
    before(name, command, **more)
    construct = directive(name + "_before", words, **more)
    goes("ompd step", name + "_first", r"^\[entering " + construct)
    return construct


def own_function(pc):
    function = gdb.block_for_pc(pc).function
    return function is not None and function.name == gdb.selected_frame().name()


def through(name, words):
    """Into a body, and out again."""
    construct = enters(name, words)
    goes("ompd next", name + "_after", r"^\[leaving " + construct)


def regions():
    construct = enters("plain", "parallel", "run")
    t.like(gdb.newest_frame().name(), "_omp_fn|omp_outlined", how + "in the compiler's function")
    goes("ompd next", "plain_last")
    goes("ompd step", "work", name="functions are stepped into")
    t.run("finish")
    thread = gdb.selected_thread().num
    goes("ompd next", "plain_after", r"^\[leaving %s\]$" % construct)
    t.equal(gdb.selected_thread().num, thread, how + "in the thread that met the region")

    enters("static", "parallel for")
    goes("ompd step", "static_last")
    goes("ompd step", "static_first", name="the next iteration; the loop is passed over")
    goes("ompd step 2", "static_after", r"^\[leaving ", "a count")
    before("dynamic")
    goes("ompd next", "dynamic_after", name="over a region")
    before("none")
    goes("ompd step", "none_after", r"(?s)^\[entering .*\[leaving", "no iterations")
    t.stop_at("sections_before", "continue")
    if harness.CLANG:
        to_directive()  # with GCC that line is of what is behind the call: a variable is copied back
    construct = directive("sections_before", "parallel sections")
    goes("ompd step", "sections_first", r"^\[entering " + construct)
    goes("ompd next", "sections_after", r"^\[leaving " + construct)
    through("serialized", "parallel")
    through("one", "parallel")
    through("hidden", "parallel")


def nested():
    enters("nested", "parallel")
    to_directive()
    goes("ompd step", "inner_first",
         r"^\[entering %s, thread 0 of 2\]$" % directive("nested_first", "parallel"))
    outer = gdb.selected_frame()
    while outer.older().name() != "nested":
        outer = outer.older()
        if BODY in (outer.name() or "") and outer != gdb.newest_frame():
            break
    outer.select()
    goes("ompd finish", "nested_after", r"^\[leaving " +
         directive("nested_before", "parallel"), "the outer body was selected")


def workers():
    """A worker has no frame to return to; the thread that met the region goes on."""
    t.run("tbreak %s if $_thread == 3" % t.mark("plain_last"))
    t.run("run")
    goes("ompd finish", "plain_after", r"^\[leaving .*; thread 1 goes on\]$", "of a worker")
    t.equal(gdb.selected_thread().num, 1, how + "which is selected")
    t.run("tbreak %s if $_thread == 2" % t.mark("plain_last"))
    t.run("run")
    t.equal(gdb.selected_thread().num, 2, how + "a worker")
    goes("ompd next", "plain_after", r"^\[leaving .*; thread 1 goes on\]$", "of a worker")
    # The other one is in the taskgroup, of which LLVM's runtime does not tell the state.
    t.run("tbreak %s if $_thread == 2" % t.mark("grouped_last"))
    t.run("continue")
    t.run("ompd finish")
    goes("ompd finish", "grouped_after", r"^\[leaving the region; thread 1 goes on\]$",
         "of a worker, behind a task")
    construct = enters("serialized", "parallel", "run")
    goes("ompd finish", "serialized_after", r"^\[leaving " + construct, "of one thread alone")


def optimised():
    """In clang's programs: where bodies became part of the functions around them no step waits
    for them to begin, and where the body's inner half became part of the outer one a step ends in
    it."""
    for name in "serialized", "undeferred":
        t.stop_at(name + "_before")
        t.run("next")
        t.run("ompd step")
        alive = gdb.selected_inferior().pid
        t.ok(alive and t.line(name + "_before") < gdb.selected_frame().find_sal().line <=
             t.line(name + "_after"), how + name + ": a step ends in the construct or behind it",
             t.run("bt") if alive else "the program has ended")
        if alive:
            t.run("kill")
    t.run("tbreak %s if $_thread == 1" % t.mark("last"))
    t.run("run")
    t.run("tbreak %s if $_thread == 1" % t.mark("last"))
    t.run("continue")
    goes("ompd finish", "calling_after",
         r"^\[leaving %s\]$" % directive("calling_before", "parallel"))
    t.run("kill")
    t.stop_at("nested_before")
    to_directive()
    printed = t.run("ompd step")
    t.equal(gdb.selected_frame().find_sal().line, t.line("nested_first"),
            how + "into an inlined half")
    t.equal(printed.count("nested_first"), 1, how + "which is printed once")
    t.run("kill")


def tasks():
    enters("undeferred", "task")
    t.run("ompd next")
    goes("ompd finish", "undeferred_after", r"^\[leaving #pragma omp task")

    t.stop_at("deferred_before", "continue")
    creator = gdb.selected_thread().num
    t.run("tbreak " + t.mark("deferred_before"))
    t.run("continue")
    t.run("next")
    printed = goes("ompd step", "deferred_first", r"^\[entering #pragma omp task .* of 2\]$",
                   "the task that is put off")
    t.ok(gdb.selected_thread().num != creator, how + "in the thread that runs it", printed)
    t.equal(int(gdb.selected_frame().read_var("i")), 1, how + "and no other of that construct")
    t.run("ompd finish")
    t.ok("_omp_fn" not in gdb.newest_frame().name() if gdb.newest_frame().name() else True,
         how + "its end is where its body has returned")
    clean("finish of a task")
    # The thread is still at the barrier where it has run the task.
    goes("ompd finish", "deferred_after", r"^\[leaving " + directive(
        "deferred_region", "parallel"), "then the region ends")
    enters("taskloop", "taskloop")
    t.run("ompd finish")


def others():
    enters("teams", "teams")
    goes("ompd finish", "teams_after", r"^\[leaving #pragma omp teams")
    through("target", "target")


def last_calls(name, *found):
    """From the last line of a function that is called last in a body, as the encountering thread and
    as a worker. FOUND: (the mark before a construct, its directive, the mark behind it)."""
    for number in (1, 2):
        for command in ("step", "next"):
            for before, words, after in found:
                t.run("tbreak %s if $_thread == %d" % (t.mark("last"), number))
                t.run("continue" if gdb.selected_inferior().pid else "run")
                for _ in range(4):  # the line, the end of the function and of the body
                    printed = t.run("ompd " + command)
                    if "[leaving" in printed:
                        break
                t.equal("step.c:%d" % gdb.selected_frame().find_sal().line, t.mark(after),
                        "%sompd %s of thread %d to %s" % (name, command, number, after))
                t.like(printed, r"(?m)^\[leaving %s%s\]$" % (
                    directive(before, words), "; thread 1 goes on" if number == 2 else ""),
                       name + "and says so")
            t.run("kill")


def left():
    """finish of a region whose body the thread has left, while another is in it."""
    for number in (1, 2):
        t.run("tbreak %s if $_thread == 3" % t.mark("plain_first"))
        t.run("run")
        t.run("set scheduler-locking on")
        t.run("thread %d" % number)
        interrupt = subprocess.Popen(["sh", "-c", "sleep 0.5; kill -INT %d" %
                                      gdb.selected_inferior().pid])
        t.run("continue")
        interrupt.wait()
        t.run("set scheduler-locking replay")
        goes("ompd finish", "plain_after", r"^\[leaving the region(; thread 1 goes on)?\]$",
             "finish of thread %d, which waits for its end" % number)
        t.equal(gdb.selected_thread().num, 1, how + "in the thread that met it")


def caught():
    """From where ompd catch stops: inside the runtime's function, before the region."""
    t.run("ompd catch parallel")
    t.run("run")
    goes("ompd step", "plain_first", r"^\[entering " + directive("plain_before", "parallel"),
         "from a catchpoint")
    t.run("continue")
    goes("ompd step", "static_first", r"^\[entering " + directive("static_before",
         "parallel for"), "from the next one")
    t.run("run")
    goes("ompd next", "plain_after", name="from a catchpoint, over the region")
    t.run("delete")
    t.run("kill")


def disturbed():
    """What else may end a step."""
    stop = gdb.Breakpoint(t.mark("plain_first"))
    stop.condition = "$_thread == 2"
    t.stop_at("plain_before")
    t.run("next")
    t.run("ompd next")
    t.equal((gdb.selected_thread().num, stop.hit_count), (2, 1),
            how + "a breakpoint of the user ends ompd next")
    clean("that")
    stop.condition = "$_thread == 99"
    enters("plain", "parallel", "run")
    stop.condition = "$_thread == 1"
    enters("plain", "parallel", "run")
    t.equal(stop.hit_count, 1, how + "a breakpoint at the first line of a body is hit")
    stop.delete()
    t.run("set scheduler-locking step")
    enters("plain", "parallel", "run")
    t.run("ompd next")
    goes("ompd next", "plain_after", r"^\[leaving ", "with scheduler-locking step")
    t.run("set scheduler-locking replay")
    t.run("kill")


for hooks in (False, True):
    how = "hooked, " if hooks else "bare, "
    t.run("ompd on" if hooks else "info line")
    regions()
    nested()
    tasks()
    others()
    t.ends(how + "the program ends as it should")
    workers()
    left()
    caught()
    disturbed()

how = ""
t.run("set args die")
if harness.CLANG:  # gdb 13 trips over threads that spin while the program ends
    t.run("unset environment OMP_WAIT_POLICY")
t.stop_at("forever_before")
t.run("tbreak %s if $_thread == 2" % t.mark("forever_first"))
t.run("continue")
t.run("ompd finish")
t.equal(gdb.selected_inferior().pid, 0, "a program that ends meanwhile ends the command")
clean("that")
t.equal(t.error("ompd step"), harness.NO_PROCESS, "without a process")
t.run("set args")
for flags in ("-O0", "-O2"):
    t.run("file " + t.build("step.c", "step" + flags, flags))
    last_calls(flags + ", ", ("sharing_before", "parallel sections", "calling_before"),
               ("calling_before", "parallel", "calling_after"))
if harness.CLANG:
    how = "optimised, "
    optimised()
    how = ""
t.run("file " + t.program)
t.run("set args wait")
t.stop_at("forever_loop")
interrupt = subprocess.Popen(["sh", "-c", "sleep 0.5; kill -INT %d" %
                              gdb.selected_inferior().pid])
t.run("ompd finish")
interrupt.wait()
t.ok(gdb.selected_inferior().pid and gdb.selected_thread().is_stopped(),
     "an interrupt ends a command that waits")
clean("that")
t.stop_at("plain_before")
t.equal(t.error("ompd finish"), 'This thread is in no parallel region or task: use "finish" '
        "to run to the end of a function.", "finish outside of any region")
t.like(t.error("ompd step nonsense"), r"^The argument is a number of steps", "no number")
t.equal(t.error("ompd finish 1"), '"ompd finish" takes no argument.', "too much")
t.run("kill")

t.run("delete")
for hooks in (False, True):
    t.run("ompd on" if hooks else "ompd off")
    how = "hooked" if hooks else "bare"
    t.run("starti")
    first = gdb.newest_frame()
    name = gdb.solib_name(first.pc())
    if first.find_sal().symtab is not None or not name or "/ld" not in name:
        t.skip(how + ": before the program's own code", "the dynamic linker has lines here")
        continue
    for command in ("step", "next"):
        began = time.monotonic()
        t.equal(t.error("ompd " + command), "The dynamic linker is at work here, before any "
                'code of yours: type "tbreak main" and "continue" to go there.',
                "%s: ompd %s at the first instruction" % (how, command))
        t.ok(time.monotonic() - began < 5, "%s: ompd %s says so at once" % (how, command))
    t.equal(gdb.newest_frame(), first, how + ": and does not run the program")
    t.run("tbreak main")
    t.run("continue")
    t.equal(gdb.newest_frame().name(), "main", how + ": which is a way to go")
    t.run("ompd step")
    t.equal(gdb.newest_frame().name(), "plain", how + ": on by a line, into a function")
    t.run("kill")
t.done()
