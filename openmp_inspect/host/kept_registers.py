# SPDX-License-Identifier: MIT
"""Registers that have in a frame what they had when it called another one: those that functions
preserve, if all those called have unwind information. Of others debuggers may show what a function
that was called since has left there."""

from __future__ import annotations

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host.interface import AARCH64, SIGNAL, X86_64

if TYPE_CHECKING:
    from typing import FrozenSet
    from openmp_inspect.host.interface import Frame, Process

_MOST_CALLED = 64  # frames
PRESERVED = {X86_64: frozenset(("rbx", "rbp", "r12", "r13", "r14", "r15")),
             AARCH64: frozenset("x%d" % number for number in range(19, 30))}


def of(process: Process, frame: Frame) -> FrozenSet[str]:
    """Their names, of a FRAME that has called another."""
    newer = frame.newer
    for _ in range(_MOST_CALLED):
        if newer is None:
            return PRESERVED.get(process.machine, frozenset())
        if newer.kind != SIGNAL and process.function_start(newer.instruction) is None:
            break
        newer = newer.newer
    return frozenset()


def has_called(frame: Frame) -> bool:
    return frame.instruction != frame.pc
