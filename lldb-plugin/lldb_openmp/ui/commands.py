# SPDX-License-Identifier: MIT
"""The commands: "ompd" is one of lldb's multiword commands. Those that report are rows of
command_table.py, the others of COMMANDS."""

from __future__ import annotations

import os
import shlex

import lldb

from openmp_inspect.core import dash_options, debug, errors, escaped, json_output, screen
from openmp_inspect.core.dash_options import Shape
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.bindings import spaces
from openmp_inspect.code import catch_kinds, library_choice
from openmp_inspect.analysis import watching
from openmp_inspect.report import command_answers, command_table, debugger_page, why_report
from lldb_openmp.host import console, process, sessions
from lldb_openmp.ui import catchpoints, stepping, values

if TYPE_CHECKING:
    from types import SimpleNamespace
    from typing import Any, Callable, Dict, List, Set, Tuple

_ANY = 1 << 20  # words
_module = [""]  # one: the name of that which lldb has imported, in which it looks for our classes


class Command(NamedTuple):
    """`answers` returns lines, or for -json an object, of the current process; it is given the
    SBDebugger as .debugger, for what needs no process (`of_process`). `help`: a line of summary,
    then what there is to know."""

    shape: Shape
    answers: Callable[[SimpleNamespace], Any]
    help: str
    of_process: bool = True


def _command(name: str, answers: Callable[[SimpleNamespace], Any], words: str,
             flags: Tuple[str, ...] = (), options: Tuple[str, ...] = (), takes: int = 0,
             of_process: bool = True, before: str = "") -> Command:
    shape = Shape("ompd " + name, flags, options, takes, before)
    return Command(shape, answers, words, of_process)


def _why(given: SimpleNamespace) -> Any:
    before = None if given.watch is None else why_report.watched(
        sessions.space(), watching.seconds(given.watch), sessions.space)
    with why_report.looked(sessions.space(), before) as found:
        return found.facts() if given.json else found.lines(given.all, given.graph)


def _reporting(row: command_table.Command) -> Command:
    def answer(given: SimpleNamespace) -> Any:
        threads = [thread.num for _, thread in sessions.process().threads()]
        given.numbers = command_answers.numbers(row, given, threads, lambda: sessions.selected().num)
        own = _OWN.get(row.name)
        return command_answers.answer(sessions.space(), row, given) if own is None else own(given)

    return Command(row.shape("lldb"), answer, row.help("lldb"))


def _catch(given: SimpleNamespace) -> List[str]:
    target = given.debugger.GetSelectedTarget()
    if not target.IsValid():
        raise errors.UserError('There is no program: type "target create FILE" first.')
    words, condition = given.words, ""
    if "if" in words:
        at = words.index("if")
        words, condition = words[:at], " ".join(words[at + 1:])
        if not condition:
            raise errors.UserError('The condition after "if" is missing.')
    kind, moment = catch_kinds.parsed(words)
    point = catchpoints.make(target, kind, moment, condition, _module[0]).point
    frame = target.GetProcess().GetSelectedThread().GetSelectedFrame()
    wrong = catchpoints.holds(frame, condition)[1] if condition and frame.IsValid() else ""
    return ["Breakpoint %d (%s %s)%s" % (
        point.GetID(), kind, moment, "" if point.GetNumLocations() else
        ", pending until the OpenMP runtime is loaded")] + [
            "The condition means nothing here: %s. Where that is so at an event, the program stops."
            % wrong.rstrip(".")] * bool(wrong)


_OWN: Dict[str, Callable[[SimpleNamespace], Any]] = {"why": _why, "report": lambda given: debugger_page.lines(
    sessions.space(), given)}
COMMANDS = (
    *map(_reporting, command_table.of("lldb")),
    _command("print", values.print_, """\
Print a variable in each thread of the team.

Usage: ompd print [-all] VARIABLE

VARIABLE is what "frame variable" takes: x, a[3], p->next->value, *p. It is
that of the innermost frame that has it, of the selected thread; in other
threads that of the same function. One of the function around a region is
taken from the thread that encountered that, and said to be.

  -all  every OpenMP thread, with its path through nested teams""", ("all",), (), _ANY),
    _command("locals", values.locals_, """\
Show the variables of the selected frame by data-sharing class.

Usage: ompd locals""", ()),
    _command("thread", values.thread, """\
Select a thread by its OpenMP number, or tell the number.

Usage: ompd thread [N[.M...]]

N is the number in the outermost team, M in the team of the region that thread
N has opened: the path that "ompd threads" shows. Without one: who the
selected thread is.""", (), (), 1),
    _command("step", stepping.step, """\
Step a line, into the region or task that it opens.

Usage: ompd step

Where the line opens a parallel region, a task or a league of teams, this ends
in the first line of its body, in this thread. A task that is put off is
followed to the thread that runs it. From the end of a body it goes to the line
after the construct, and with a worker to the thread that goes on there.
Elsewhere it is lldb's "step".

The compiler often gives the call that opens a region no line of its own but
that of the statement before: then it is that line from where to step.

A breakpoint in any thread interrupts the step, and "continue" takes it up
again, as with lldb's own."""),
    _command("next", stepping.next_, """\
Step a line, over the regions and tasks that it opens.

Usage: ompd next

From the end of a body to the line after the construct, as "ompd step" does."""),
    _command("finish", stepping.finish, """\
Run to the end of the innermost region or task.

Usage: ompd finish

Innermost from the selected frame on: after "up" it may be an outer one. Ends
at the line after the construct, with a worker of a region where the thread
goes on that encountered it. A task that a thread runs while it waits for
something else ends where its body has returned."""),
    _command("catch", _catch, """\
Stop when a thread comes to an OpenMP construct or leaves it.

Usage: ompd catch KIND [MOMENT] [if CONDITION]

%s

This makes a breakpoint, which "breakpoint list" shows and "breakpoint delete",
"disable" and "command add" take by its number, or as ompd_catch_KIND_MOMENT. It
may be set before the program runs. Typed later, it knows nothing of tasks that
wait for a thread by then, and of what threads are in. At a stop the frame of
your code is selected, not that of the runtime; "down" shows the latter.

CONDITION is evaluated in that frame, where your variables are, by what lldb can
compute without running anything in the program. Where it means nothing the
program stops.""" % catch_kinds.MOMENTS,
             (), (), _ANY, of_process=False, before="if"),
)
_BY_NAME: Dict[str, Command] = {one.shape.name: one for one in COMMANDS}
_screen = console.Screen()
_installed: Set[int] = set()  # debuggers that have them


def run(name: str, debugger: Any, words: str, result: Any) -> None:
    """The command of this NAME with what was typed after it."""
    _screen.begin(debugger, result)
    try:
        found = _BY_NAME[name]
        given = dash_options.parsed(found.shape, _split(words))
        given.debugger = debugger
        with sessions.in_use():
            if found.of_process:
                sessions.begin(debugger)
            said = found.answers(given)
        if isinstance(said, stepping.Walking):
            said.go(debugger, result)
            return
        if getattr(given, "json", False):
            json_output.write_json(said)
        else:
            _screen.write("\n".join(said) + "\n" if said else "")
        result.SetStatus(lldb.eReturnStatusSuccessFinishResult)
    except errors.UserError as error:
        result.SetError(screen.printable(str(error)))
        result.SetStatus(lldb.eReturnStatusFailed)
    # A person can do nothing with a traceback, and lldb prints one of whatever leaves a command.
    except Exception as error:  # pylint: disable=broad-except
        if debug.enabled:
            raise
        result.SetError(screen.printable(_failure(name, error)))
        result.SetStatus(lldb.eReturnStatusFailed)


def _failure(command: str, error: Exception) -> str:
    """The sentence about an exception that no command should let out."""
    words = ": ".join(filter(None, (type(error).__name__, str(error))))
    return "%s failed: %s; set OMPD_DEBUG=1 in lldb's environment for more." % (
        command, words)


def _split(words: str) -> Any:
    try:
        return shlex.split(words)
    except ValueError:
        debug.ignored()
        raise errors.UserError("A quote is missing in: %s" % words) from None


def choose_library(debugger: Any, words: str, result: Any) -> None:
    """ompd library [FILE]"""
    _screen.begin(debugger, result)
    path = words.strip()
    if path:
        process.library[0] = "" if path == '""' else path
    _screen.write("The OMPD library is %s.\n" % (escaped.shown(process.library[0]) or
                                                "chosen by what the program needs"))
    result.SetStatus(lldb.eReturnStatusSuccessFinishResult)


def _class_of(name: str, summary: str, more: str) -> Any:
    """A class as "command script add -c" takes it."""
    def invoke(_self: Any, debugger: Any, words: str, _context: Any, result: Any) -> None:
        if name == "ompd library":
            choose_library(debugger, words, result)
        else:
            run(name, debugger, words, result)

    def init(_self: Any, _debugger: Any, _internal: Any) -> None:
        pass
    return type(name.title().replace(" ", ""), (), {
        "__init__": init, "__call__": invoke, "get_short_help": lambda _self: summary,
        "get_long_help": lambda _self: more})


_LIBRARY = "Have another OMPD library read programs.\n\nUsage: ompd library [FILE]"


def install(debugger: Any, module: Any) -> None:
    """Makes the commands known to an SBDebugger; the second time nothing. lldb finds their classes
    in the MODULE that it has imported."""
    _module[0] = module.__name__
    stepping.are_in(module.__name__)
    debug.enabled = bool(os.environ.get("OMPD_DEBUG"))
    spaces.open_by(library_choice.open_session)
    screen.use(_screen)
    if debugger.GetID() in _installed:
        return
    _installed.add(debugger.GetID())
    known = debugger.GetCommandInterpreter()
    add = lldb.SBCommandReturnObject()
    known.HandleCommand(
        'command container add -h "Show what an OpenMP program is doing." ompd', add)
    for name, words in [(one.shape.name, one.help) for one in COMMANDS] + \
            [("ompd library", _LIBRARY)]:
        kind = _class_of(name, words.partition("\n")[0], words)
        setattr(module, kind.__name__, kind)
        known.HandleCommand('command script add -c %s.%s %s' % (
            module.__name__, kind.__name__, name), add)
        if not add.Succeeded():
            raise errors.UserError(add.GetError())
