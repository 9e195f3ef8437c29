# SPDX-License-Identifier: MIT
"""ompd doctor"""

from __future__ import annotations

import gdb

from gdb_openmp.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import inferiors, options
from gdb_openmp.ui import doctor_text, health, why_facts

if TYPE_CHECKING:
    from typing import Any, Dict
    from types import SimpleNamespace


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
        with inferiors.selection_kept():
            found = health.checked()
        return dict(why_facts.looked_at(gdb.selected_inferior()), schema="ompd-doctor/1",
                    checks=[doctor_text.facts(check) for check in found])

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        with inferiors.selection_kept():
            found = health.checked()
        gdb.write("\n".join(doctor_text.lines(found)) + "\n")
