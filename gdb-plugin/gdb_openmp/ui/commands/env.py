# SPDX-License-Identifier: MIT
"""ompd env"""

from __future__ import annotations

import gdb

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core import escaped
from openmp_inspect.model import icv_table
from gdb_openmp.host import options
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import Dict, List, Optional, Tuple
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
        return {variable: value for variable, value, _ in _asked(given)}

    def run(self, given: SimpleNamespace, from_tty: bool) -> None:
        lines = ["%s = %s%s\n" % (escaped.shown(variable), escaped.shown(value),
                                  icv_table.UNJUDGED if changed is None else "")
                 for variable, value, changed in _asked(given)]
        gdb.write("".join(lines) or
                  ("No variable differs from its default.\n" if given.changed else
                   "No variable is set in the environment of this program.\n"))


def _asked(given: SimpleNamespace) -> List[Tuple[str, str, Optional[bool]]]:
    """[(variable, value, whether it was changed, None if that is not known)]"""
    inferior = session.need_program()
    with session.sentences(), session.snapshot() as snapshot:
        variables = snapshot.control_vars()
        processors = session.processors(inferior, icv_table.without_aliases(snapshot.icvs()))
    if variables is None:
        raise gdb.GdbError("The runtime of this program has not recorded its control "
                           'variables: "ompd icvs" shows what is known of them.')
    pairs = [(name, value) for name, _, value in
             (variable.partition("=") for variable in variables)]
    if not given.changed:
        return [(name, value, True) for name, value in pairs]
    return list(icv_table.changed_variables(pairs, processors))
