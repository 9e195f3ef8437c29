# SPDX-License-Identifier: MIT
"""Errors of the library and of the target as one sentence for the user."""

from __future__ import annotations

import gdb

from openmp_inspect.core.errors import NoLibrary, OmpdError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core import text
from openmp_inspect.code import code_owner
from gdb_openmp.host import images, parameters, symbols

if TYPE_CHECKING:
    from typing import List, Optional
    from openmp_inspect.core.errors import Problem


_SENTENCES = {
    "needs_state_tracking":
        'Tracking is off in this program: type "ompd on" before "run", or start it with '
        "ompd-run.",
    "incompatible":
        "The OpenMP runtime of this program is of a version that this OMPD library does not "
        "know.",
    "target_read_error":
        "The program's memory cannot be read (has it died, or is the core truncated?).",
    "error":
        "The OpenMP records of this program make no sense: its memory may be damaged.",
    "nomem": "The OMPD library ran out of memory.",
    "unsupported": "The OMPD library of this program does not offer this.",
}


_OTHER_HOOKS = \
    "The hooks in this program are of a version that this OMPD library does not know: use " \
    "the plugin that was installed with them."

_FOREIGN_TRACKING = \
    'Tracking is off in this program: type "set environment OMP_DEBUG enabled" before "run", ' \
    "or start it with OMP_DEBUG=enabled."
_FOREIGN = "The runtime of this program does not keep this."


def sentence(error: Problem) -> str:
    """One sentence, with the way out, for a NoLibrary, an OmpdError or a HostError."""
    if isinstance(error, NoLibrary):
        return str(error)
    if not isinstance(error, OmpdError):
        return _SENTENCES["target_read_error"]
    other = images.differing()
    if other is not None:
        return other
    if error.kind == "needs_state_tracking" and code_owner.foreign_runtime():
        return _FOREIGN_TRACKING if parameters.library() else _FOREIGN
    if error.kind == "incompatible" and symbols.address("ompd_hooks_root") is not None:
        return _OTHER_HOOKS
    return _SENTENCES.get(error.kind) or "The OMPD library failed: %s answered %s." % (
        error.routine, error.kind.replace("_", " "))


def remarks(problem: Optional[Problem]) -> List[str]:
    """Lines that say why less is shown than there is: a PROBLEM as above, or None, and what files
    gdb has. GdbError if it is fatal: the program does not use OpenMP."""
    if problem is None:
        other = images.differing()
        return [] if other is None else [text.remark(other)]
    if getattr(problem, "fatal", False):
        raise gdb.GdbError(str(problem))
    return [text.remark(sentence(problem))]
