# SPDX-License-Identifier: MIT
"""Each target is looked at in a process of its own: what damaged files do to a library of ours ends
that process, and neither the command nor the target. A target is let go when it ends, however that
is. Answers come as JSON, which does nothing to whoever reads it."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import selectors
import signal

from openmp_inspect.core import debug, escaped
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterable, Iterator, List, Tuple

_SECONDS = 120  # of a processor's time, the most that a look takes
_PARENT_ENDS = 1  # PR_SET_PDEATHSIG
_TICK = 0.25  # seconds
_AT_ONCE = 1 << 16  # bytes that are read
_FAILED = "it failed; OMPD_DEBUG=1 in the environment says where"


class ChildEnded(Exception):
    """It has ended without an answer; the text says how."""


class _Child:
    """One that is asking; `number` is that of its question, `receiver` where its answer comes
    from."""

    def __init__(self, number: int, ask: Callable[[], Any]) -> None:
        self.number = number
        self._data: List[bytes] = []
        self.receiver, sender = os.pipe()
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.receiver)
            _ask(ask, sender, parent)
        os.close(sender)

    def has_ended(self) -> bool:
        """Takes what has come from it."""
        data = os.read(self.receiver, _AT_ONCE)
        self._data.append(data)
        return not data

    def answer(self) -> Any:
        """What it has found, or Ended as a value."""
        os.close(self.receiver)
        _, status = os.waitpid(self.pid, 0)
        data = b"".join(self._data)
        if os.WIFSIGNALED(status):
            name = signal.Signals(os.WTERMSIG(status)).name
            return ChildEnded("it took too long" if name in ("SIGXCPU", "SIGKILL") else
                         "it ended by " + name)
        if os.WEXITSTATUS(status) or not data:
            return ChildEnded(_FAILED)
        try:
            return json.loads(data)
        except ValueError:
            debug.ignored(is_fatal=True)
            return ChildEnded(_FAILED)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.close(self.receiver)
        os.waitpid(self.pid, 0)


def _ask(ask: Callable[[], Any], sender: int, parent: int) -> None:
    """In the child, which ends."""
    status = 1
    try:
        ctypes.CDLL(None).prctl(_PARENT_ENDS, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(status)  # it has ended before
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        data = json.dumps(ask(), default=escaped.exact).encode()
        with os.fdopen(sender, "wb") as stream:
            stream.write(data)
        status = 0
    # Whatever it is ends this process, which is there for that.
    except Exception:  # pylint: disable=broad-except
        debug.ignored(is_fatal=True)
    finally:
        os._exit(status)


def answers(asks: Iterable[Callable[[], Any]],
            meanwhile: Callable[[], None] = lambda: None) -> Iterator[Tuple[int, Any]]:
    """(number, what that one of ASKS returns in a child, or Ended if that one does before) in the
    order in which they come. What is returned has to be plain. No more ask at once than there are
    processors; MEANWHILE is called now and then."""
    waiting = iter(enumerate(asks))
    running: Dict[int, _Child] = {}  # by receiver
    most = len(os.sched_getaffinity(0))
    with selectors.DefaultSelector() as selector:
        try:
            while True:
                while len(running) < most:
                    number, ask = next(waiting, (0, None))
                    if ask is None:
                        break
                    child = _Child(number, ask)
                    running[child.receiver] = child
                    selector.register(child.receiver, selectors.EVENT_READ)
                if not running:
                    return
                meanwhile()
                for key, _ in selector.select(_TICK):
                    if running[key.fd].has_ended():
                        selector.unregister(key.fd)
                        child = running.pop(key.fd)
                        yield child.number, child.answer()
        finally:
            for child in running.values():
                child.kill()
