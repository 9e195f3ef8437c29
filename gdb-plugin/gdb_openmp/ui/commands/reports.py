# SPDX-License-Identifier: MIT
"""The commands that report: rows of command_table.py, with what gdb alone has of them."""

from __future__ import annotations

import gdb

from openmp_inspect.core import dash_options, json_output
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import code_owner, image_symbols
from openmp_inspect.analysis import checks, task_rows, watching
from openmp_inspect.report import command_answers, command_table, debugger_page, doctor_checks, \
    doctor_text, program_status, why_report
from openmp_inspect.report.command_table import Command, Option
from gdb_openmp.host import console, inferiors, options, process, thread_ids
from gdb_openmp.program import address_space, next_run
from gdb_openmp.ui import captured_variables, every_inferior, function_scopes, preload, session

if TYPE_CHECKING:
    from types import SimpleNamespace
    from typing import Any, List, Optional
    from openmp_inspect.stacks.labelled_stack import StackRow
    from openmp_inspect.stacks.stitched_stack import StitchedStacks

_GDB = "gdb"
# Before those of the row.
_MORE = {
    "threads": Option("inferiors", None, "those of every inferior, as of the ranks of a job: with -json an "
                      "array of objects with the keys inferior, pid, program, and threads or error"),
    "why": Option("inferiors", None, "of every inferior, as of the ranks of a job: with -json an array of "
                  "objects with the keys inferior, pid, program, and why or error"),
    "bt": Option("full", None, "with the variables of each frame; \"bt -full\" has the runtime's frames")}
_CATEGORIES = {"bt": gdb.COMMAND_STACK, "stacks": gdb.COMMAND_STACK}
_CERTAINTY = "_ompd_why"
_VALUES = {"state": task_rows.STATES}  # of options, for completion


class Report(options.Helpful):
    """One of the rows. An option may be shortened as long as it stays unique."""

    def __init__(self, row: Command) -> None:
        more = [_MORE[row.name]] if row.name in _MORE else []
        self.row = row._replace(options=[*more, *row.options])
        self.__doc__ = self.row.help(_GDB)
        super().__init__("ompd " + row.name, _CATEGORIES.get(row.name, gdb.COMMAND_STATUS))

    def act(self, argument: str, from_tty: bool) -> None:
        self.dont_repeat()
        given = self.parse(gdb.string_to_argv(argument))
        with options.user_errors():
            if getattr(given, "json", False):
                json_output.write_json(self.answer(given))
            elif getattr(given, "inferiors", False):
                every_inferior.write(lambda: list(self.of_inferior(given)))
            else:
                console.write("\n".join(self.of_inferior(given)) + "\n")

    def parse(self, words: List[str]) -> SimpleNamespace:
        """GIVEN for these words; GdbError if the command does not take them."""
        with options.user_errors():
            return dash_options.parsed(self.row.shape(_GDB), words)

    def answer(self, given: SimpleNamespace) -> Any:
        """What -json prints, as plain objects."""
        return every_inferior.facts(self.row.name, lambda: self.of_inferior(given)) \
            if getattr(given, "inferiors", False) else self.of_inferior(given)

    def of_inferior(self, given: SimpleNamespace) -> Any:
        """The selected one's answer; GdbError where there is no program."""
        threads = [thread.num for thread in thread_ids.threads(session.need_program())]
        given.numbers = command_answers.numbers(
            self.row, given, threads, _selected, console.in_inferior)
        if getattr(given, "thread", None):
            given.thread = console.in_inferior(given.thread)
        if getattr(given, "full", False):
            given.variables = _variables
        return command_answers.answer(address_space.current(), self.row, given)

    def complete(self, text: str, word: Optional[str]) -> Any:
        if "FILE" in self.row.takes and not text.startswith("-"):
            return gdb.COMPLETE_FILENAME
        if word is None:
            return []  # gdb asks how words are separated
        shape = self.row.shape(_GDB)
        before = text[:len(text) - len(word)].split()
        last = before[-1].lstrip("-") if before and before[-1].startswith("-") else None
        if last is not None and last in shape.values:
            return [value for value in _VALUES.get(last, ()) if value.startswith(word)]
        if text.rstrip().endswith("-") or text.split()[-1:] and text.split()[-1].startswith("-"):
            return options.after_dash(word, shape.flags + shape.values)
        return []


class Why(Report):
    """Sets $_ompd_why: 0 nothing, 1 possible, 2 likely, 3 certain; of inferiors
the highest."""

    def __init__(self, row: Command) -> None:
        super().__init__(row._replace(about="%s\n\n%s" % (row.about, type(self).__doc__)))

    def parse(self, words: List[str]) -> SimpleNamespace:
        given = super().parse(words)
        if given.inferiors and (given.watch is not None or given.graph is not None):
            raise gdb.GdbError("-watch and -graph are for one inferior: leave -inferiors out.")
        if given.inferiors:
            gdb.set_convenience_variable(_CERTAINTY, 0)
        return given

    def of_inferior(self, given: SimpleNamespace) -> Any:
        session.need_program()
        compare = None
        if given.watch is not None:
            with session.sentences():
                compare = why_report.watched(address_space.current(), watching.seconds(given.watch),
                                             address_space.current)
            session.need_program()
        with why_report.looked(address_space.current(), compare) as why:
            before = int(gdb.convenience_variable(_CERTAINTY) or 0) if given.inferiors else 0
            gdb.set_convenience_variable(_CERTAINTY, max(before, why.certainty))
            return why.facts() if given.json else why.lines(given.all, given.graph)


class Page(Report):
    def of_inferior(self, given: SimpleNamespace) -> Any:
        session.need_program()
        return debugger_page.lines(address_space.current(), given)


class Status(Report):
    """Also of a program that does not run, and of the next run."""

    def of_inferior(self, given: SimpleNamespace) -> Any:
        prepared = preload.prepared()
        next_one = ["next run", "with hooks and tracking (ompd on)" if prepared
                    else 'as it is; "ompd on" adds hooks and tracking']
        try:
            inferior = session.need_program()
            rows = program_status.rows(address_space.current())
            ours = not code_owner.foreign_runtime(process.current()) and not inferior.was_attached and \
                not image_symbols.is_static(process.current())
            rows += [next_one] * (not prepared and ours and ["tracking", "on"] not in rows)
        except gdb.GdbError as error:
            rows = [["program", str(error)], next_one]
        return (program_status.facts if given.json else program_status.lines)(rows)


class Doctor(Report):
    """Also of what "run" would start."""

    def of_inferior(self, given: SimpleNamespace) -> Any:
        if gdb.selected_inferior().pid:
            return super().of_inferior(given)
        if inferiors.program() is None:
            raise gdb.GdbError('There is no program: type "file PROGRAM", attach to a process, '
                               "or open a core file first.")
        found = checks.all_checks(next_run.facts())
        return doctor_checks.facts(process.current(), found) if given.json else doctor_text.lines(found)


_OWN = {"why": Why, "report": Page, "status": Status, "doctor": Doctor}


def made() -> List[Report]:
    """All of them, which gdb knows then."""
    return [_OWN.get(row.name, Report)(row) for row in command_table.of(_GDB)]


def _selected() -> int:
    found = inferiors.selected_thread_number()
    if found is None:
        raise gdb.GdbError('No thread is selected: type "thread N" first.')
    return found


def _variables(stacks: StitchedStacks, row: StackRow) -> List[str]:
    frame = None if row.frame is None or row.thread is None or row.frame.system else \
        captured_variables.frame_shown(stacks, row.thread, row.frame)
    return [] if frame is None else function_scopes.lines(frame, " " * 8)
