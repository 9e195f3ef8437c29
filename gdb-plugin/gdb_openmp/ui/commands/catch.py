# SPDX-License-Identifier: MIT
"""ompd catch"""

from __future__ import annotations

import re

import gdb

from openmp_inspect.core import debug, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import catch_kinds, code_owner
from gdb_openmp.host import console, gdb_text, images, options, process
from gdb_openmp.ui import catch_existing, catchpoints

if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, List, Optional, Tuple, Union


_HELP = """Stop when a thread comes to an OpenMP construct or leaves it.

Usage: ompd catch KIND [MOMENT] [if CONDITION]

%s

This makes an ordinary breakpoint: "info breakpoints", "delete", "disable",
"ignore", "condition" and "commands" know it by its number. It may be set
before the program runs. Typed later, it knows tasks that wait for a thread
and what threads are in by then, and says what of that it will not catch. At
a stop the frame of your code is selected, not that of the runtime; "down"
shows the latter.

CONDITION is evaluated in that frame, where your variables are. To change it
later use the form that "info breakpoints" shows, or for global variables and
functions any condition:
  condition 2 $_omp_catch("critical enter", "i == 3")
with '...' for both in Fortran.
Some events are reported by several functions of the runtime. The breakpoint
stands at one of them, so that gdb's count of hits may be too low.""" % catch_kinds.MOMENTS


class Command(options.Helpful):
    __doc__ = _HELP

    def __init__(self) -> None:
        super().__init__("ompd catch", gdb.COMMAND_BREAKPOINTS)

    def act(self, argument: str, from_tty: bool) -> None:
        self.dont_repeat()
        made = self.answer(argument)
        console.write("Catchpoint %d (%s %s)%s\n" % (
            made["number"], made["kind"], made["moment"],
            ", pending until the OpenMP runtime is loaded" if made["pending"] else ""))
        for sentence in made["remarks"]:
            console.write(text.remark(sentence) + "\n")

    def answer(self, argument: str) -> Dict[str, Any]:
        """The catchpoint that an ARGUMENT asks for, as an object."""
        words, condition = _split(argument)
        with options.user_errors():
            kind, moment = catch_kinds.parsed(words)
        loaded = code_owner.runtimes(process.current())
        other = images.differing({*loaded.gomp, *loaded.kmp, *loaded.hooks})
        if other is not None:  # its functions are elsewhere
            raise gdb.GdbError(other)
        point = catchpoints.make(kind, moment, condition)
        remarks = _of_condition(condition) + catch_existing.plant(point)
        return {"number": point.number, "type": "catchpoint", "kind": kind, "moment": moment,
                "cond": condition or None, "pending": point.awaits_runtime,
                "remarks": remarks}

    def complete(self, text: str, word: Optional[str]) -> Union[int, List[str]]:
        words = text.split()
        done = len(words) if not word else len(words) - 1
        choices: Iterable[str]
        if done == 0:
            choices = catch_kinds.KINDS
        elif done == 1:
            choices = list(catch_kinds.KINDS.get(words[0], ())) + ["if"]
        else:
            return gdb.COMPLETE_EXPRESSION if "if" in words else ["if"]
        return [choice for choice in choices if choice.startswith(word or "")]


def _of_condition(condition: str) -> List[str]:
    """A remark about one that has no meaning where the program is stopped."""
    try:
        if condition and gdb.selected_frame() is not None:
            gdb_text.printed("whatis " + condition)
    except gdb.error as error:
        debug.ignored()
        if gdb.selected_thread() is not None:
            return ["The condition means nothing here: %s Where that is so at an event, the program "
                    "stops." % error]
    return []


def _split(argument: str) -> Tuple[List[str], str]:
    """(words before "if", the condition after it)."""
    found = re.search(r"(?:^|\s)if\b(.*)", argument, re.S)
    if found is None:
        return argument.split(), ""
    condition = found.group(1).strip()
    if not condition:
        raise gdb.GdbError('The condition after "if" is missing.')
    return argument[:found.start()].split(), condition
