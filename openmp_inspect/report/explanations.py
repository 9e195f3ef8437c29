# SPDX-License-Identifier: MIT
"""Errors of the library and of the target as one sentence for the user."""

from __future__ import annotations

import contextlib
import os

from openmp_inspect.core import errors, escaped, screen, text
from openmp_inspect.core.errors import NoLibrary, OmpdError
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface
from openmp_inspect.bindings import callbacks
from openmp_inspect.code import code_owner

if TYPE_CHECKING:
    from typing import Iterator, List, Optional
    from openmp_inspect.core.errors import Problem
    from openmp_inspect.host.interface import Process
    from openmp_inspect.model.snapshot import Snapshot


_SENTENCES = {
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


_TOOL, _PRELOADED = regex(r"\w+-\w+-linux\Z"), "vgpreload_"
_VALGRIND = "It runs under valgrind, whose registers and stacks these are."
_DAMAGED = "The memory of %s is damaged at %#x: it has been overwritten%s. AddressSanitizer or " \
    "valgrind may find who did it."
_UNRECORDED = ", and of the threads of the team there only stacks are known"
_OTHER_HOOKS = "The hooks in this program are of a version that this OMPD library does not know: use " \
    "the %s that was installed with them."
_OTHER_MACHINE = "Of programs of %s only what is recorded is known: %s."
_TRACKING = "Tracking is off in this program: %s."
_FOREIGN = "The runtime of this program does not keep this."


def sentence(process: Process, error: Problem) -> str:
    """One sentence, with the way out, for a NoLibrary, an OmpdError or a HostError."""
    if isinstance(error, NoLibrary):
        return str(error)
    if not isinstance(error, OmpdError):
        return _SENTENCES["target_read_error"]
    here = screen.current()
    other = process.differing_file()
    if other is not None:
        return other
    if error.kind == "needs_state_tracking":
        if not code_owner.foreign_runtime(process):
            return _TRACKING % here.to_record
        return _TRACKING % here.to_record_foreign if process.chosen_library else _FOREIGN
    if error.kind == "incompatible" and process.symbol("ompd_hooks_root") is not None:
        return _OTHER_HOOKS % here.product
    if error.kind == "incompatible" and process.machine not in interface.DECODED:
        return _OTHER_MACHINE % (process.machine, here.to_record)
    return _SENTENCES.get(error.kind) or "The OMPD library failed: %s answered %s." % (
        error.routine, error.kind.replace("_", " "))


@contextlib.contextmanager
def explained(process: Process) -> Iterator[None]:
    """Errors inside, about a PROCESS, become UserErrors."""
    try:
        yield
        callbacks.raise_pending()
    except (NoLibrary, OmpdError, errors.HostError) as error:
        raise errors.UserError(sentence(process, error)) from None


def damage(snapshot: Optional[Snapshot]) -> List[str]:
    """A sentence about memory of a runtime that was overwritten, if any was."""
    if snapshot is None or snapshot.damaged is None:
        return []
    name = escaped.shown(os.path.basename(snapshot.damaged.file or "")) or "the OpenMP runtime"
    return [_DAMAGED % (name, snapshot.damaged.damaged, "" if snapshot.recorded else _UNRECORDED)]


def _translated(process: Process) -> List[str]:
    """A sentence about what executes a PROCESS in the place of the processor, if anything does."""
    names = [os.path.basename(one) for one in [process.program or "", *process.libraries()]]
    return [_VALGRIND] * (bool(_TOOL.match(names[0])) and any(one.startswith(_PRELOADED) for one in names))


def remarks(process: Process, problem: Optional[Problem],
            snapshot: Optional[Snapshot] = None) -> List[str]:
    """Lines that say why less is shown than there is: a PROBLEM as above, or None, what files
    the debugger has, and what is damaged. UserError if it is fatal: the program does not use
    OpenMP, and has not crashed."""
    if problem is None:
        other = process.differing_file() or process.missing_file()
        return list(map(text.remark, damage(snapshot) + _translated(process) + (
            [] if other is None else [other]) + process.unread_debug_information()))
    if getattr(problem, "fatal", False) and process.crash() is None:
        raise errors.UserError(str(problem))
    return [text.remark(sentence(process, problem))]
