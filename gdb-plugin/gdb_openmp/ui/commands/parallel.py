# SPDX-License-Identifier: MIT
"""ompd parallel"""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import region_tree
from gdb_openmp.host import console, options
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import Any, Dict, List
    from types import SimpleNamespace


class Command(options.Command):
    """Show the tree of parallel regions that threads are in.

Usage: ompd parallel [-json]

One line for each region, below the region it is nested in: its number, the
function and line of the construct, the size of its team, gdb's numbers of the
threads in it (as "thread apply" takes them), and the encountering thread.

  -json  an array of objects with the keys id, kind ("parallel" or "teams"),
         enclosing (its id), size, requested (without a num_threads clause 0,
         or of LLVM's runtime nthreads-var),
         shortfall (why it has fewer: none, levels, limit, dynamic, other),
         cancelled, threads (gdb's numbers), master, function, file, fullname,
         line, derived; null is what is not known"""

    name = "ompd parallel"
    flags = ("json",)

    def answer(self, given: SimpleNamespace) -> List[Dict[str, Any]]:
        session.need_program()
        return region_tree.facts()

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        session.need_program()
        lines = region_tree.lines()
        console.write("\n".join(lines) + "\n" if lines else "")
