# SPDX-License-Identifier: MIT
"""Commands about all inferiors in turn, as for the ranks of a job: their option -inferiors."""

from __future__ import annotations

import os

import gdb

from openmp_inspect.core import errors, escaped
from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import console, inferiors
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List
    from gdb_openmp.host.gdb_types import GdbInferior


def facts(key: str, answer: Callable[[], Any]) -> List[Dict[str, Any]]:
    """An object for each inferior with a process or core, with what ANSWER returns of it under
    KEY, or the sentence of its error. GdbError if there is none."""
    found = []
    for inferior in _with_process():
        one = {"inferior": inferior.num, "pid": inferior.pid}
        with inferiors.visited(inferior):
            try:
                one.update({"program": inferiors.program(), key: answer()})
            except (gdb.GdbError, errors.UserError) as error:
                one.update({"program": inferiors.program(), "error": str(error)})
        found.append(one)
    return found


def write(lines: Callable[[], List[str]]) -> None:
    """Prints the LINES of each inferior with a process or core below a line that names it, or the
    sentence of its error. GdbError if there is none."""
    above = ""
    for inferior in _with_process():
        with inferiors.visited(inferior):
            program = os.path.basename(inferiors.program() or "")
            try:
                result = lines()
            except (gdb.GdbError, errors.UserError) as error:
                result = [str(error)]
        console.write("%sInferior %d (process %d%s):\n%s\n" % (
            above, inferior.num, inferior.pid, program and ", " + escaped.shown(program),
            "\n".join(result)))
        above = "\n"


def _with_process() -> List[GdbInferior]:
    found = sorted((one for one in gdb.inferiors() if one.pid and one.threads()),
                   key=lambda one: int(one.num))
    if not found:
        session.need_program()  # says what to do
    return found
