# SPDX-License-Identifier: MIT
"""Each target is looked at by a process of its own, which may open nothing, and by one beside it that
opens files for that and stops the target; see monitor.py. What damaged files do to a library of ours
ends the one that parses, and neither the command nor the target. A target is let go when the other one
ends, however that is. Answers come as JSON, which does nothing to whoever reads it, and bytes."""

from __future__ import annotations

import gc
import json
import os
import selectors
import signal
import time

from openmp_inspect.core import debug, escaped, lazy_modules
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from ompd_command import connection, monitor, sandbox
from ompd_command.served_rights import ServedRights

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple
    from ompd_command.connection import Connection
    from ompd_command.host.rights import Rights
    from ompd_command.monitor import Owner

    # Is given the rights of another process, what to call before anything is parsed, whether
    # debug information and long names may be read, and what to call with what is said before the answer;
    # returns what is plain, and bytes.
    Look = Callable[[Rights, Callable[[], None], bool, Callable[[Any], None]], Tuple[Any, bytes]]

SECONDS = 20.0  # that an answer may take
_WITH_NAMES = 0.75  # of that, after which names are left out
_TICK = 0.25  # seconds
_AT_ONCE = 1 << 16  # bytes that are read
_BEGUN = b"!"  # is sent once its time begins
_SIZE = 8  # bytes that say how long the JSON is
_MORE = 1 << 63  # is added to that of what is said before the answer
_LONGEST = 1 << 24  # bytes of such a one
_NO_MEMORY = 2  # exit status
_FAILED = "it failed; OMPD_DEBUG=1 in the environment says where"


class Ask(NamedTuple):
    """A LOOK at the process TARGET, 0: a core, of this OWNER, with the help of files at or below the
    paths that the user has NAMED. It may take so many SECONDS, or what it says before the answer, which
    is HEARD."""

    look: Look
    target: int = 0
    owner: Optional[Owner] = None
    named: Tuple[str, ...] = ()
    seconds: float = SECONDS
    heard: Optional[Callable[[Any], None]] = None


class ChildEnded(Exception):
    """It has ended without an answer; the text says how."""


class Enough(Exception):
    """No more is wanted of a child."""


class Found(NamedTuple):
    """What a look has returned, or ChildEnded as a value. `left_out`: why it had to do without names,
    if it had."""

    number: int  # of the Ask
    said: Any
    content: bytes
    left_out: Optional[ChildEnded]


class _Child:
    """One that is asking, and the one that it asks; `number` is that of its question, `receiver`
    where its answer comes from. LEFT_OUT: why it does without names."""

    def __init__(self, number: int, ask: Ask, began: Optional[float] = None,
                 left_out: Optional[ChildEnded] = None) -> None:
        self.number, self.ask, self.began, self.left_out = number, ask, began, left_out
        self._is_late = False
        self._data: List[bytes] = []
        self.receiver, sender = os.pipe()
        end, other = connection.pair()
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.receiver)
            other.close()
            _answer(ask, end, sender, left_out is None, parent)
        self._monitor = os.fork()
        if self._monitor == 0:
            os.close(self.receiver)
            os.close(sender)
            end.close()
            _serve(ask, other)
        os.close(sender)
        end.close()
        other.close()

    def has_ended(self) -> bool:
        """Takes what has come from it."""
        data = os.read(self.receiver, _AT_ONCE)
        if data and self.began is None:
            self.began = time.monotonic()
        self._data.append(data)
        if self.ask.heard is not None:
            self._hear(self.ask.heard)
        return not data

    def _hear(self, heard: Callable[[Any], None]) -> None:
        """What it has said whole before its answer; it has its time anew for the next."""
        data, begin = b"".join(self._data), len(_BEGUN)
        while len(data) >= begin + _SIZE:
            size = int.from_bytes(data[begin:begin + _SIZE], "little") ^ _MORE
            if size > _LONGEST or len(data) < begin + _SIZE + size:
                break
            self.began = time.monotonic()
            said = data[begin + _SIZE:begin + _SIZE + size]
            data = _BEGUN + data[begin + _SIZE + size:]
            try:
                heard(json.loads(said))
            except (ValueError, RecursionError):
                debug.ignored()
        self._data = [data]

    def end_late(self) -> None:
        """Ends it where its time is over."""
        if self.began is not None and time.monotonic() - self.began > self._seconds:
            self._is_late = True
            os.kill(self.pid, signal.SIGKILL)

    @property
    def _seconds(self) -> float:
        return self.ask.seconds * (_WITH_NAMES if self.left_out is None else 1.0)

    def again(self) -> Optional[_Child]:
        """Another one that does without names, or None where that would be no use."""
        return None if self.left_out is not None else \
            _Child(self.number, self.ask, self.began, self.found().said)

    def found(self) -> Found:
        said, content = self._answer
        return Found(self.number, said, content, self.left_out)

    def take(self) -> bool:
        """Waits until both have ended; whether there is an answer."""
        os.close(self.receiver)
        _, status = os.waitpid(self.pid, 0)
        os.kill(self._monitor, signal.SIGKILL)
        os.waitpid(self._monitor, 0)
        self._answer: Tuple[Any, bytes] = self._read(status)
        return not isinstance(self._answer[0], ChildEnded)

    def _read(self, status: int) -> Tuple[Any, bytes]:
        data = b"".join(self._data)
        if self._is_late:
            return ChildEnded("it took more than %g s; -limit SECONDS grants more" %
                              self._seconds), b""
        if os.WIFSIGNALED(status):
            return ChildEnded("it ended by " + signal.Signals(os.WTERMSIG(status)).name), b""
        if os.WEXITSTATUS(status) == _NO_MEMORY:
            return ChildEnded("it took more than %d MiB" % (sandbox.MEMORY >> 20)), b""
        if os.WEXITSTATUS(status) or not data:
            return ChildEnded(_FAILED), b""
        begin = len(_BEGUN) + _SIZE
        end = begin + int.from_bytes(data[len(_BEGUN):begin], "little")
        try:
            return json.loads(data[begin:end]), data[end:]
        except ValueError:
            debug.ignored(is_fatal=True)
            return ChildEnded(_FAILED), b""

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        self.take()


def _answer(ask: Ask, end: Connection, sender: int, has_names: bool, parent: int) -> None:
    """In the child, which ends."""
    status = 1
    try:
        sandbox.end_with(parent)
        begun: List[bytes] = []

        def enter() -> None:
            sandbox.enter(ask.owner, parent)
            begun.append(_BEGUN)
            os.write(sender, _BEGUN)

        def tell(said: Any) -> None:
            data = json.dumps(said, default=escaped.exact).encode()
            with os.fdopen(sender, "wb", closefd=False) as stream:
                stream.write((len(data) | _MORE).to_bytes(_SIZE, "little") + data)

        said, content = ask.look(ServedRights(end), enter, has_names, tell)
        data = json.dumps(said, default=escaped.exact).encode()
        with os.fdopen(sender, "wb") as stream:
            for piece in (b"" if begun else _BEGUN, len(data).to_bytes(_SIZE, "little"), data, content):
                stream.write(piece)
        status = 0
    except MemoryError:
        debug.ignored()
        status = _NO_MEMORY
    # Whatever it is ends this process, which is there for that.
    except Exception:  # pylint: disable=broad-except
        debug.ignored(is_fatal=True)
    finally:
        os._exit(status)


def _serve(ask: Ask, end: Connection) -> None:
    """In the other child, which ends when nobody asks any more."""
    try:
        monitor.run(ask.target, ask.owner, ask.named, end)
    # Whatever it is ends this process, which nobody waits for.
    except Exception:  # pylint: disable=broad-except
        debug.ignored(is_fatal=True)
    finally:
        os._exit(0)


def answers(asks: Iterable[Ask], meanwhile: Callable[[], None] = lambda: None) -> Iterator[Found]:
    """What each of ASKS has Found, in the order in which they come. No more look at once than there
    are processors; MEANWHILE is called now and then."""
    # What both children need; the rest the one that parses executes itself, as copies of pages of what
    # they have in common take longer than that.
    lazy_modules.execute(monitor)
    gc.freeze()
    waiting = iter(enumerate(asks))
    running: Dict[int, _Child] = {}  # by receiver
    most = len(os.sched_getaffinity(0))
    with selectors.DefaultSelector() as selector:

        def begin(child: _Child) -> None:
            running[child.receiver] = child
            selector.register(child.receiver, selectors.EVENT_READ)

        try:
            while True:
                while len(running) < most:
                    number, ask = next(waiting, (0, None))
                    if ask is None:
                        break
                    begin(_Child(number, ask))
                if not running:
                    return
                meanwhile()
                for key, _ in selector.select(_TICK):
                    if running[key.fd].has_ended():
                        selector.unregister(key.fd)
                        child = running.pop(key.fd)
                        other = None if child.take() else child.again()
                        if other is None:
                            yield child.found()
                        else:
                            begin(other)
                for child in running.values():
                    child.end_late()
        finally:
            for child in running.values():
                child.kill()


def until_enough(ask: Ask, meanwhile: Callable[[], None]) -> Optional[Found]:
    """The answer of one that goes on telling; None if MEANWHILE raises Enough, or somebody ends the
    command before."""
    ends: List[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, _: ends.append(number))

    def check() -> None:
        if ends:
            raise Enough
        meanwhile()

    try:
        return next(answers([ask], check))
    except Enough:
        debug.ignored()
        return None
