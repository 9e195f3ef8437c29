# SPDX-License-Identifier: MIT
"""Which signals have come to this process alone. One that was sent to its process group has come to
all programs there, by the kernel; who passes it on as well doubles it. A child of this process, in
the same group, to which nobody sends anything, shows which those were. """

from __future__ import annotations

import ctypes
import os
import signal
import socket
import time

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Collection, Set, Tuple

_PARENT_ENDS, _NAME = 1, 15  # PR_SET_PDEATHSIG, PR_SET_NAME
_SETTLES = 0.02  # seconds, in which a signal has come to all for whom it is
_PATIENCE = 1.0  # seconds that the child may take to answer
_BYTES = 8  # of its answer, a bit for each signal


class GroupSignals:
    """Of these NUMBERS, which are blocked."""

    def __init__(self, numbers: Collection[int]) -> None:
        self._numbers = numbers
        self._channel, other = socket.socketpair()
        self._channel.settimeout(_PATIENCE)
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            self._channel.close()
            _witness(other, numbers, parent)
        other.close()

    def came(self, seconds: float) -> Tuple[Set[int], Set[int]]:
        """Waits for SECONDS, or until one comes, or a child ends; those that have come to this process
        alone, and to its group. SIGCHLD is blocked, too."""
        first = signal.sigtimedwait([*self._numbers, signal.SIGCHLD], seconds)
        own: Set[int] = set() if first is None else {first.si_signo} - {signal.SIGCHLD}
        of_group: Set[int] = set()
        while own:
            time.sleep(_SETTLES)
            theirs = self._of_group()
            more = signal.sigpending() & set(self._numbers)
            for number in more:
                signal.sigtimedwait([number], 0)
            own |= more
            of_group |= theirs
            if not more and not theirs:
                break
        return own - of_group, own & of_group

    def _of_group(self) -> Set[int]:
        """Those that have come to the child since it was last asked."""
        try:
            self._channel.send(b"?")
            found = int.from_bytes(self._channel.recv(_BYTES), "little")
        except OSError:  # somebody has ended it
            debug.ignored()
            self._channel.close()
            return set()
        return {number for number in self._numbers if found >> number & 1}

    def end(self) -> None:
        """`pid` is 0 where somebody else has ended the child."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


def _witness(channel: socket.socket, numbers: Collection[int], parent: int) -> None:
    """In the child, which ends with its parent."""
    try:
        prctl = ctypes.CDLL(None).prctl
        prctl(_PARENT_ENDS, signal.SIGKILL)
        prctl(_NAME, b"group-signals")  # who sends to all that have the parent's name does not mean it
        while os.getppid() == parent and channel.recv(1):
            found, one = 0, signal.sigtimedwait(numbers, 0)
            while one is not None:
                found |= 1 << one.si_signo
                one = signal.sigtimedwait(numbers, 0)
            channel.send(found.to_bytes(_BYTES, "little"))
    finally:
        os._exit(0)
