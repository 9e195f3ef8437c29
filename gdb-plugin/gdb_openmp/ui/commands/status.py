# SPDX-License-Identifier: MIT
"""ompd status"""

from __future__ import annotations

import gdb

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import code_owner, image_symbols
from openmp_inspect.report import program_status
from gdb_openmp.host import console, options, parameters
from gdb_openmp.ui import preload, session

if TYPE_CHECKING:
    from typing import Dict, List, Union
    from types import SimpleNamespace
    from openmp_inspect.report.program_status import Rows


class Command(options.Command):
    """Show runtime, library, and whether the program records.

Usage: ompd status [-json]

Of several runtimes each is listed, with how many threads have used it and
whether what it does is recorded. What is missing to see everything is said in
the last line.

  -json  an object with the keys of the lines, of which each has a text or an
         array of texts: runtime, hooks, library, ABI, tracking, tool,
         verdict, next run"""

    name = "ompd status"
    flags = ("json",)

    def answer(self, given: SimpleNamespace) -> Dict[str, Union[str, List[str]]]:
        return program_status.facts(_rows())

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        console.write("\n".join(program_status.lines(_rows())) + "\n")


def _rows() -> Rows:
    prepared = preload.prepared()
    next_run = ["next run", "with hooks and tracking (ompd on)" if prepared
                else 'as it is; "ompd on" adds hooks and tracking']
    try:
        inferior = session.need_program()
    except gdb.GdbError as error:
        return [["program", str(error)], next_run]
    found = program_status.rows(parameters.verdicts())
    ours = not code_owner.foreign_runtime() and not inferior.was_attached and \
        not image_symbols.is_static()
    return found + [next_run] * (not prepared and ours and ["tracking", "on"] not in found)
