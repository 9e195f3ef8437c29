# SPDX-License-Identifier: MIT
"""ompd doctor"""

from __future__ import annotations

import gdb

from openmp_inspect.core import debug, errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.bindings import callbacks
from openmp_inspect.stacks import region_clauses
from openmp_inspect.analysis import checks
from gdb_openmp.host import inferiors, options
from gdb_openmp.program import checkup_facts
from gdb_openmp.ui import doctor_text, explanations, session, why_facts

if TYPE_CHECKING:
    from typing import Any, Dict, List
    from types import SimpleNamespace
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.analysis.checks import Check
    from gdb_openmp.host.gdb_types import GdbInferior


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
        found = _checked()
        return dict(why_facts.looked_at(gdb.selected_inferior()), schema="ompd-doctor/1",
                    checks=[doctor_text.facts(check) for check in found])

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        gdb.write("\n".join(doctor_text.lines(_checked())) + "\n")


def _checked() -> List[Check]:
    """[checks.Check] of the selected inferior, or of what "run" would start. GdbError if there
    is neither, or the program does not use OpenMP."""
    inferior = gdb.selected_inferior()
    if not inferior.pid:
        if inferiors.program() is None:
            raise gdb.GdbError('There is no program: type "file PROGRAM", attach to a process, '
                               "or open a core file first.")
        return checks.all_checks(checkup_facts.of_next_run())
    session.need_program()
    with inferiors.selection_kept():
        try:
            with session.snapshot() as snapshot:
                found = of_snapshot(inferior, snapshot)
            callbacks.raise_pending()
            return found
        except (errors.NoLibrary, errors.OmpdError, errors.HostError) as error:
            if getattr(error, "fatal", False):
                raise gdb.GdbError(str(error)) from None
            debug.ignored()
            unread = explanations.sentence(error)
        return checks.all_checks(checkup_facts.of_process(inferior, None, unread))


def of_snapshot(inferior: GdbInferior, snapshot: Snapshot) -> List[Check]:
    """The same of an inferior while its Snapshot lives. Call in selection_kept()."""
    return checks.all_checks(checkup_facts.of_process(inferior, snapshot,
                                                      clause=region_clauses.threads))
