# SPDX-License-Identifier: MIT
"""The checks of "ompd doctor", made of whatever there is to look at."""

from __future__ import annotations

import gdb

from gdb_openmp.core import debug, errors
from gdb_openmp.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import inferiors
from gdb_openmp.bindings import callbacks
from gdb_openmp.analysis import checks
from gdb_openmp.program import checkup_facts
from gdb_openmp.stacks import region_clauses
from gdb_openmp.ui import explanations, session

if TYPE_CHECKING:
    from typing import List
    from gdb_openmp.core.static_typing import GdbInferior
    from gdb_openmp.analysis.checks import Check
    from gdb_openmp.model.snapshot import Snapshot


def checked() -> List[Check]:
    """[checks.Check] of the selected inferior, or of what "run" would start. GdbError if there
    is neither, or the program does not use OpenMP."""
    inferior = gdb.selected_inferior()
    if not inferior.pid:
        if inferiors.program() is None:
            raise gdb.GdbError('There is no program: type "file PROGRAM", attach to a process, '
                               "or open a core file first.")
        return checks.all_checks(checkup_facts.of_next_run())
    session.need_program()
    try:
        with session.snapshot() as snapshot:
            found = of_snapshot(inferior, snapshot)
        callbacks.raise_pending()
        return found
    except (errors.NoLibrary, errors.OmpdError, gdb.MemoryError) as error:
        if getattr(error, "fatal", False):
            raise gdb.GdbError(str(error)) from None
        debug.ignored()
        unread = explanations.sentence(error)
    return checks.all_checks(checkup_facts.of_process(inferior, None, unread))


def of_snapshot(inferior: GdbInferior, snapshot: Snapshot) -> List[Check]:
    """The same while a Snapshot lives."""
    return checks.all_checks(checkup_facts.of_process(inferior, snapshot,
                                                      clause=region_clauses.threads))
