# SPDX-License-Identifier: MIT
"""The commands that report, once: names, options and help, of which each debugger and the shell make theirs.
What each says is in command_answers.py."""

from __future__ import annotations

from openmp_inspect.core import dash_options
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import List, Optional, Sequence
    from openmp_inspect.core.dash_options import Shape

DEBUGGER, SHELL = "debugger", "shell"  # who has a command or option, if not all
_WIDTH = 79  # of a line of help
_MANY = 1 << 20  # words
_FILE = "as a graph for graphviz's \"dot\", or drawn by it when FILE ends with .svg, .png, .pdf or .ps"


class Option(NamedTuple):
    """`metavar`: what stands for its value; None: it takes none. `where`: who has it alone."""

    name: str
    metavar: Optional[str]
    help: str
    where: str = ""


class Command(NamedTuple):
    """`about`: what there is to know, below the usage. `takes`: what other words mean, as the usage has
    it. `where`: as of an option. A HOST is a debugger's name, or SHELL."""

    name: str
    summary: str
    about: str
    options: Sequence[Option]
    takes: str = ""
    where: str = ""

    def options_of(self, host: str) -> List[Option]:
        """Those that a HOST has, in its words."""
        return [option._replace(help=_in_words_of(host, option.help)) for option in self.options
                if _has(host, option.where)]

    def shape(self, host: str) -> Shape:
        """For what a debugger reads of a line."""
        own = self.options_of(host)
        return dash_options.Shape(
            "ompd " + self.name, tuple(one.name for one in own if one.metavar is None),
            tuple(one.name for one in own if one.metavar is not None),
            0 if not self.takes else _MANY if "..." in self.takes else 1)

    def told(self, host: str) -> str:
        """What there is to know, in the words of a HOST."""
        return _in_words_of(host, self.about)

    def help(self, host: str) -> str:
        """As a debugger prints it."""
        own = self.options_of(host)
        words = [*("[%s]" % _typed(one) for one in own), *[self.takes] * bool(self.takes)]
        usage = _hung("Usage: ompd %s" % self.name, words)
        wide = max((len(_typed(one)) for one in own), default=0)
        options = [line for one in own for line in _hung(
            "  %-*s " % (wide, _typed(one)), one.help.split())]
        return "\n\n".join("\n".join(part) for part in (
            [self.summary], usage, [self.told(host)], options) if any(part))


def _typed(option: Option) -> str:
    return "-" + option.name + (" " + option.metavar if option.metavar else "")


def _hung(lead: str, words: Sequence[str]) -> List[str]:
    """LEAD and WORDS in lines, the others indented by as much."""
    lines = [lead]
    for word in words:
        if len(lines[-1]) + 1 + len(word) > _WIDTH:
            lines.append(" " * len(lead))
        lines[-1] += " " + word
    return lines


def _in_words_of(host: str, words: str) -> str:
    return words.replace("{own}", "the kernel's" if host == SHELL else host + "'s")


def _has(host: str, where: str) -> bool:
    return not where or (where == SHELL) == (host == SHELL)


COMMANDS = (
    Command("why", "Say why the program makes no progress.", """\
For a program that hangs, in a deadlock or stuck, that is slow or has crashed.
Data races are what a tool finds as the program runs: see ompd-run and Archer.

The first line says what is wrong and how certain that is; then come who holds
and waits for what, the cause, and what to type next:
  [certain]   each link is recorded or stands in the memory of the runtime,
              libc or the kernel, and no other thread can end any of the waits
  [likely]    a link, marked "~", was inferred from stacks or the source
  [possible]  a program that is well may look like that, too""", (
        Option("all", None, "every verdict, not only the root cause", DEBUGGER),
        Option("every", None, "every verdict, not only the root cause", SHELL),
        Option("watch", "SECONDS", "let the program run so long and look again: is what others wait for "
               "slow, or does it get no further?"),
        Option("graph", "FILE", "write who waits for whom " + _FILE),
        Option("html", "FILE", "write a page: verdicts, source, graph, stacks, threads and tasks; of many "
               "processes: ranks, and each verdict once", SHELL),
        Option("no-source", None, "the page without lines of the source", SHELL),
        Option("leave-out", "PARTS", "the page without such as command,directory,host", SHELL),
        Option("hosts", "FILE", "by ssh, at all hosts that are the first words of its lines, as -all does",
               SHELL),
        Option("o", "DIR", "write what -json says into a file of its own, for \"ompd merge DIR/*\"",
               SHELL),
        Option("snapshot", "FILE", "write what was looked at into a small core, as \"snapshot\" does",
               SHELL),
        Option("json", None, "an object with the keys schema, pid, core, recorded, verdicts, doctor (what "
               "\"ompd doctor\" finds), unknown, as share/ompd/ompd-why.json has it"))),
    Command("threads", "List threads with what each of them does in OpenMP.", """\
One line for each thread, the selected one marked with "*":
  Id         {own} number of the thread
  OMP        its number in its team and the team's size, as 2/4; in nested
             regions the path through the teams, outermost first
  Runtime    of several runtimes the one in a team of which the thread is
  State      what it does: work, idle, what kind of thing it waits for
             (region: the next one), starting or leaving (the body of a
             region), creating task, or "in" a function that user code has
             called and that sleeps; "~" marks what was inferred from stacks
             and the kernel
  Waits for  that thing, by name where it has one, who holds it, by {own}
             number and by its number in its team, since which line of its
             code if that is recorded, how many threads have arrived at a
             barrier, and for how long it has waited, if that is recorded and
             more than a second; "at least" in a core, which has no time
  Where      the innermost place in your own code""", (
        Option("wide", None, "all columns, and CPU, the processor that it had last"),
        Option("json", None, "an array of objects with the keys id, lwp, selected, number, team_size, path "
               "([[number, team size], ...]), level, state, call (of state \"in_call\"), derived (whether "
               "the state was inferred), inferred (which of state, owner and arrived were), wait_id, "
               "waits_for, owner ({own} number), since (a place), arrived, runtime (its file), holds (what "
               "it has acquired: kind, object, wait_id, frame, and a place; empty where that is not "
               "recorded), stack ([low, high]), wait_seconds (how long it has waited, if that is recorded; "
               "wait_at_least: it is so long at least, as in a core), barrier_number (at a barrier: which "
               "one of its region, likewise), its place: function, file, fullname (absolute, on this "
               "machine), line, and processor, which it had last; addresses are as \"0x7ffe10\", null is "
               "what is not known"))),
    Command("stacks", "Merge the stacks of all threads into one tree.", """\
Each leaf says how many threads are there, by which frames they came from
main, and {own} numbers of the threads. Workers continue the frames of the
thread that encountered their region. In angle brackets: where in the runtime
they are. What a recursion repeats is written once, with its count. With
THREAD, as "1 3-5", only those.""", (
        Option("lines", None, "keep calls from different lines of a function apart"),
        Option("json", None, "an array of objects, one for each leaf, with the keys threads and steps (from "
               "main on; those of OpenMP and in the runtime included)")), "[THREAD...]"),
    Command("bt", "Show how a thread came to where it is, across threads.", """\
The selected thread's frames, or those of the threads with {own} numbers, as
"1 3-5", or of every thread. Frames of OpenMP's runtime are left out; lines
between frames name the region or task that begins there, or the loop, section
or the like that the frame above is in. A worker's frames are continued by
those of the encountering thread, up to main; frames have the numbers that they
have in the thread that the last such line names.""", (
        Option("all", None, "of every thread", DEBUGGER),
        Option("json", None, "an array of objects with the keys id and rows, an array of frames (level, "
               "function, address, file, fullname, line, library) and of lines between them (label, file, "
               "fullname, line, and what the line says of region, task, thread_num, num_threads and "
               "thread)")), "[THREAD...]"),
    Command("tasks", "List tasks with what each of them waits for.", """\
One line for each explicit task that is not complete, or for several that
differ in their numbers only:
  Id          its number; the row's own where the runtime numbers none
  State       created, ready, waiting (for other tasks), running, suspended
              (its thread runs another task), completed, detached (until its
              event is fulfilled), or in what its thread waits ("blocked" to
              -state)
  Thread      {own} number of the thread that runs it
  From        the task that generated it, in parentheses when it has ended;
              "chain" where each of several has generated the next
  Task        function and line of the construct
  Blocked by  what keeps it from going on: tasks by its depend clauses, child
              tasks, an event, a lock""", (
        Option("all", None, "implicit and initial tasks as well", DEBUGGER),
        Option("tree", None, "each task below the one that generated it"),
        Option("state", "STATE", "only tasks in that state"),
        Option("region", "N", "only tasks of the region with that number"),
        Option("thread", "N", "only tasks run by {own} thread with that number"),
        Option("graph", "FILE", "write who created whom (dashed) and who waits for whom " + _FILE,
               DEBUGGER),
        Option("json", None, "an array of objects with the keys id, kind, state, flags, creator, thread, "
               "region, children, waits_in (the state of its thread), call, blocked_by ([{task, address, "
               "object, kind}, ...]), event, serial, function, file, fullname, line; null is what is not "
               "known"),
        Option("merge", None, "in JSON, too, one object for tasks that differ in their numbers only, with "
               "the keys ids ([[first, last], ...]), count and chain in place of id and serial; chain is "
               "\"creator\" or \"blocked_by\" where each of them names the one before it there"))),
    Command("locks", "List locks with who holds each of them and who waits for it.", """\
One line for each lock, critical section, mutex, read-write lock and stream
that a thread holds or waits for, those with most waiters first:
  Lock       the variable or its address, or the section's name
  Held by    {own} number of the thread, with that in its team; "~": inferred
             from stacks or the source; "?": not known; and for how long at
             least, if that is recorded: since when it waits, or tests a lock
  Since      where it was acquired
  Wanted by  {own} numbers of the threads that wait for it, and for how long
             all of them have, if that is recorded

Of a program that does not record, those that nobody waits for are not known,
but for critical sections that a thread is seen to be in.""", (
        Option("sums", None, "how often each was acquired and had to be waited for, for how long, and how "
               "long it was held, since the program began: of \"ompd-run --sums\"; \"?\": LLVM's runtime "
               "does not report it; other keys of -json"),
        Option("json", None, "an array of objects with the keys kind, name, address, count (how often the "
               "owner has acquired it), life (\"made\", \"destroyed\" or \"unseen\"), owners ([{thread, "
               "source, held_seconds}, ...]: at least so long), waiters, function, file, fullname, line; "
               "null is what is not known"))),
    Command("regions", "List where the time went since the program began, by regions.", """\
Needs a program that adds it up: start it with "ompd-run --sums". One line for
each construct that has opened regions, with its barriers and its end, and one
for each that has generated tasks; then sentences about what costs most:
  Seconds  of all these regions together; of tasks what they work
  Waited   by all threads, at its end and at the barriers within
  Work     of the members of the team, waits left out, and who has the most

Loops with a static schedule that no barrier ends, and atomics that are
inlined, call nothing that could be seen.""", (
        Option("by", "WHAT", "the first of what takes most \"time\", as by default, or most \"wait\""),
        Option("json", None, "an object with the keys seconds, threads_made, lost, regions, tasks, taskwaits "
               "and findings; times are seconds"))),
    Command("history", "List what threads did last in OpenMP, merged in time.", """\
Needs a program that keeps it: start it with "ompd-run --history". Each
thread has its last 256 events, of which the last 40 of all are shown:
  Seconds  counted back from now, of a core from the last event; of what
           waits, when that began
  Thread   {own} number
  Event    regions, tasks, barriers, locks, worksharing constructs
  Waited   for how long, at a barrier or for a lock
  Where    the call in user code""", (
        Option("last", "N", "the last N events of all threads, in place of 40"),
        Option("trace", "FILE", "write all events in the Trace Event format, which Perfetto and Chrome open"),
        Option("json", None, "an array of objects with the keys thread, number, event, kind, object, "
               "address, name, words, seconds, open, waited_seconds, function, file, fullname, line; null "
               "is what is not known")), "[THREAD...]"),
    Command("parallel", "Show the tree of parallel regions that threads are in.", """\
One line for each region, below the region it is nested in: its number, the
function and line of the construct, the size of its team, {own} numbers of the
threads in it, and the encountering thread.""", (
        Option("json", None, "an array of objects with the keys id, kind (\"parallel\" or \"teams\"), "
               "enclosing (its id), size, requested (without a num_threads clause 0, or of LLVM's runtime "
               "nthreads-var), shortfall (why it has fewer: none, levels, limit, dynamic, other), "
               "cancelled, threads ({own} numbers), master, function, file, fullname, line, derived; null "
               "is what is not known"),)),
    Command("icvs", "Show internal control variables, with what they mean.", """\
Those of the process, and those of the current task, region and thread of the
selected thread, or of the THREAD with {own} number.""", (
        Option("all", None, "of all OpenMP threads: values that are equal share a line, which ends with "
               "{own} numbers of the threads", DEBUGGER),
        Option("changed", None, "only settings that differ from the default of GCC's runtime, or may: a "
               "core does not tell how many processors there were"),
        Option("json", None, "an array of objects with the keys name, value, meaning, changed, threads "
               "({own} numbers, null for what the process has one of); changed is null where the default "
               "is not known")), "[THREAD]"),
    Command("env", "Show the control variables with which the program runs.", """\
One line for each, as OMP_X = value: what the runtime made of its environment,
defaults included, where a libgomp is recorded; else what is set in the
program's environment.""", (
        Option("changed", None, "only those that differ from the default of GCC's runtime, or may: a core "
               "does not tell how many processors there were"),
        Option("json", None, "an object with a key for each variable"))),
    Command("status", "Show runtime, library, and whether the program records.", """\
Of several runtimes each is listed, with how many threads have used it and
whether what it does is recorded. What is missing to see everything is said in
the last line.""", (
        Option("json", None, "an object with the keys of the lines, of which each has a text or an array of "
               "texts: runtime, hooks, library, ABI, tracking, tool, verdict, next run"),)),
    Command("devices", "List the devices that target regions can be executed on.", """\
One line for each device but the host: its number in the device clause, what
its plugin calls it, how much of the host's memory it has copies of, and the
library that drives it. Known of libgomp from GCC 10 to 16, and of LLVM's
libomptarget 14 to 21, on x86-64.""", (
        Option("json", None, "an array of objects with the keys device, runtime (its number in \"ompd "
               "status\"), name, state, default (whether it is the default device of a task that a thread "
               "executes), ranges, bytes, plugin; null is what is not known"),)),
    Command("mappings", "List what is mapped to devices.", """\
One line for each range of the host's memory of which a device has a copy:
its first address and that of the copy, how often it is mapped ("for ever":
that is not counted), the variable that begins there, and, in programs of
clang -g, where that is declared; of programs that ompd-run has started, which
construct has mapped it, if that is known for certain. Which of two copies is
newer is not known.
Of an ADDRESS or NAME only the range with that address, or the variable.""", (
        Option("device", "N", "only what is mapped to that device"),
        Option("of", "WHAT", "only the range with this address, or variable", SHELL),
        Option("json", None, "an array of objects with the keys device, runtime, host, bytes, address, "
               "references, held, forever, variable, file, line, mapped_at (function, file, line ... of the "
               "construct that has mapped it); null is what is not known")),
            "[ADDRESS | NAME]"),
    Command("doctor", "Look for what makes an OpenMP program slow or hard to debug.", """\
Several runtimes; more threads than processors, and waiting by spinning then;
threads bound to one processor; nested regions; teams smaller than asked for;
stacks; fork after a region; cancellation that is off; settings that no runtime
takes; limits of threads; debug information; hooks that record nothing; orders
of locks that may deadlock, with "ompd-run --orders"; the thread level of MPI.
A check that cannot be made, as where a core has no /proc, is said to be
unknown.
Of a program of "ompd-run --sums" it says what takes the time, too.""", (
        Option("json", None, "an object with the keys schema, pid, core, checks, costs"),)),
    Command("report", "Write a page about the program into a file, for a browser.", """\
The page has all verdicts of "ompd why" with the lines of the source that they
name, who waits for whom as a graph, the stacks of all threads as an icicle,
tables of threads and tasks, and what "ompd doctor" finds. It is one file in
HTML, loads nothing, and can be sent and printed. FILE is replaced if there is
one.""", (
        Option("no-source", None, "without lines of the source"),
        Option("leave-out", "PARTS", "without such as command,directory,host")), "FILE", DEBUGGER),
    Command("snapshot", "Write what all commands need of the program into a small core.", """\
It is a core that debuggers and "ompd" read: the registers and stacks of all
threads, and the memory that these commands read, 0.1 to 5 MB for a process of
any size. FILE is ompd-PID.core by default.""", (
        Option("o", "FILE", "the file; \"-\" is standard output", SHELL),
        Option("anonymous", None, "without arguments, environment and variables of the program")), "[FILE]"),
)


def of(host: str) -> List[Command]:
    """Those that a HOST has."""
    return [one for one in COMMANDS if _has(host, one.where)]
