# SPDX-License-Identifier: MIT
"""The checks of a process or core, as far as it can be read: "ompd doctor"."""

from __future__ import annotations

import functools

from openmp_inspect.core import debug, errors
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.bindings import callbacks
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.code import rank_environment
from openmp_inspect.stacks import region_clauses, stitched_stack
from openmp_inspect.analysis import checks, checkup_facts
from openmp_inspect.report import doctor_text, explanations

if TYPE_CHECKING:
    from typing import Any, Dict, List, Sequence
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.host.interface import Process
    from openmp_inspect.analysis.checks import Check


def facts(process: Process, found: Sequence[Check], costs: Sequence[Dict[str, Any]] = ()) -> Dict[str, Any]:
    """The object that -json prints; doctor_text.lines() is the same for people. COSTS: sum_tables.costs()."""
    return dict(rank_environment.identity(process), schema="ompd-doctor/1", costs=list(costs),
                checks=[doctor_text.facts(check) for check in found])


def of_process(here: Space) -> List[Check]:
    """Those of a process or core; UserError if the program does not use OpenMP."""
    with here.process.selection_kept():
        try:
            with Snapshot.of(here) as snapshot:
                found = of_snapshot(snapshot)
            callbacks.raise_pending()
            return found
        except (errors.NoLibrary, errors.OmpdError, errors.HostError) as error:
            if getattr(error, "fatal", False):
                raise errors.UserError(str(error)) from None
            debug.ignored()
            unread = explanations.sentence(here.process, error)
        return checks.all_checks(checkup_facts.of_process(here, None, unread))


def of_snapshot(snapshot: Snapshot) -> List[Check]:
    """The same while its Snapshot lives."""
    return checks.all_checks(checkup_facts.of_process(snapshot.space, snapshot, clause=functools.partial(
        region_clauses.threads, stitched_stack.of(snapshot.space))))
