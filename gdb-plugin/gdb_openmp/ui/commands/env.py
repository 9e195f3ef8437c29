# SPDX-License-Identifier: MIT
"""ompd env"""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import control_variables
from gdb_openmp.host import console, options
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import Dict
    from types import SimpleNamespace


class Command(options.Command):
    """Show the control variables with which the program runs.

Usage: ompd env [-changed] [-json]

One line for each, as OMP_X = value: what the runtime made of its environment,
defaults included, where a libgomp is recorded; else what is set in the
program's environment.

  -changed  only those that differ from the default of GCC's runtime, or may: a
            core does not tell how many processors there were
  -json     an object with a key for each variable"""

    name = "ompd env"
    flags = ("changed", "json")

    def answer(self, given: SimpleNamespace) -> Dict[str, str]:
        session.need_program()
        return control_variables.facts(given.changed)

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        session.need_program()
        console.write("\n".join(control_variables.lines(given.changed)) + "\n")
