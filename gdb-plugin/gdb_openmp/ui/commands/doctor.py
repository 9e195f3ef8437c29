# SPDX-License-Identifier: MIT
"""ompd doctor"""

from __future__ import annotations

import gdb

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.analysis import checks
from openmp_inspect.report import doctor_checks, doctor_text
from gdb_openmp.host import console, inferiors, options
from gdb_openmp.program import next_run
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import Any, Dict, List
    from types import SimpleNamespace
    from openmp_inspect.analysis.checks import Check


class Command(options.Command):
    """Look for what makes an OpenMP program slow or hard to debug.

Usage: ompd doctor [-json]

Twelve checks of a process or a core, or of what "run" would start: several
runtimes; more threads than processors, and waiting by spinning then; threads
bound to one processor; nested regions; teams smaller than asked for; stacks;
fork after a region; cancellation that is off; debug information; hooks that
record nothing; the thread level of MPI. One that cannot be made, as where a
core has no /proc, is said to be unknown.

  -json  an object with the keys schema, pid, core, checks"""

    name = "ompd doctor"
    flags = ("json",)

    def answer(self, given: SimpleNamespace) -> Dict[str, Any]:
        return doctor_checks.facts(_checked())

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        console.write("\n".join(doctor_text.lines(_checked())) + "\n")


def _checked() -> List[Check]:
    """The checks of the selected inferior, or of what "run" would start. GdbError if there is
    neither."""
    if gdb.selected_inferior().pid:
        session.need_program()
        return doctor_checks.of_process()
    if inferiors.program() is None:
        raise gdb.GdbError('There is no program: type "file PROGRAM", attach to a process, '
                           "or open a core file first.")
    return checks.all_checks(next_run.facts())
