# SPDX-License-Identifier: MIT
"""The process that a command is about, and what is kept of it between commands: the library's
session. lldb's Python does not say when memory is written: what was read is forgotten each time."""

from __future__ import annotations

import contextlib
import threading

import lldb

from openmp_inspect.core import caches, debug
from openmp_inspect.core.errors import HostError, NoLibrary, OmpdError, UserError
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.bindings.spaces import Space
from openmp_inspect.host import interface
from openmp_inspect.stacks import stitched_stack
from lldb_openmp.host import process as processes_of_lldb
from lldb_openmp.host.process import Process

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterator, List
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from lldb_openmp.host.frames import Thread

_NO_PROCESS = 'There is no process: type "run", attach to one, or open a core with "target ' \
    'create -c" first.'
_RUNNING = 'The program is running: type "process interrupt" to stop it first.'
_STOPPED = lldb.eStateStopped, lldb.eStateCrashed, lldb.eStateSuspended
_ENDED = lldb.eStateInvalid, lldb.eStateUnloaded, lldb.eStateExited, lldb.eStateDetached, \
    lldb.eStateConnected
_MACHINES = interface.X86_64, interface.AARCH64


class _Kept(NamedTuple):
    process: Process
    space: Space
    library: str


_known: Dict[int, _Kept] = {}  # by lldb's number of the process
_current: List[_Kept] = []  # one
_using = threading.Lock()  # lldb prints stops in a thread of its own
_PATIENCE = 10  # seconds
_VERSION = regex(r"version (\d{1,4})\.")


def version() -> int:
    """lldb's main number, 0 where it is not known."""
    found = _VERSION.search(lldb.SBDebugger.GetVersionString() or "")
    return int(found.group(1)) if found else 0


@contextlib.contextmanager
def in_use(patience: float = _PATIENCE) -> Iterator[None]:
    """Within it nobody else asks; UserError if somebody does so long."""
    if not _using.acquire(timeout=patience):
        raise UserError("Threads are just being named: try again.")
    try:
        yield
    finally:
        _using.release()


def begin(debugger: Any) -> Process:
    """The selected process of an SBDebugger is what commands are about; UserError where it cannot
    be asked. Call in in_use()."""
    return begin_with(debugger.GetSelectedTarget().GetProcess())


def begin_with(process: Any, is_stopped: bool = False) -> Process:
    """The same of an SBProcess. IS_STOPPED: it is, though not yet for all to see."""
    state = process.GetState() if process.IsValid() else lldb.eStateInvalid
    if state in _ENDED:
        raise UserError(_NO_PROCESS)
    if not is_stopped and state not in _STOPPED:
        raise UserError(_RUNNING)
    kept = _kept(process)
    if kept.process.machine not in _MACHINES:
        raise UserError("Programs of x86-64 and aarch64 can be looked at, and this is one of %s." %
                        (kept.process.machine or "another machine"))
    _current[:] = [kept]
    return kept.process


def asked(process: Any, ask: Callable[[Process], Any]) -> Any:
    """What ASK returns of an SBProcess, whose stop lldb has not reported yet; None where it cannot be
    known, or somebody else is asking."""
    try:
        with in_use(patience=0):
            return ask(begin_with(process, is_stopped=True))
    except (OmpdError, NoLibrary, HostError, UserError):
        debug.ignored()
        return None


def _kept(process: Any) -> _Kept:
    number = process.GetUniqueID()
    kept, library = _known.get(number), processes_of_lldb.library[0]
    if kept is not None and (kept.process.sb.GetProcessID() != process.GetProcessID() or
                             kept.library != library):
        _discard(number)
        kept = None
    own = Process(process) if kept is None else kept.process
    if own.renew():
        caches.forget_code()
        _discard(number)
        kept = None
    if kept is None:
        kept = _known[number] = _Kept(own, Space(own, number), library)
        own.when_run = _begin_again
    kept.space.forget()
    kept.space.still = True
    return kept


def _discard(number: int) -> None:
    kept = _known.pop(number, None)
    if kept is not None:
        kept.space.close()


def _begin_again() -> None:
    """The process that the command is about has run."""
    begin(_current[0].process.target.GetDebugger())


def process() -> Process:
    return _current[0].process


def selected() -> Thread:
    """The selected thread; UserError where none is."""
    found = process().selected()
    if found is None:
        raise UserError('No thread is selected: type "thread select N" first.')
    return found


def space() -> Space:
    return _current[0].space


def stacks() -> StitchedStacks:
    """Those at this stop."""
    return stitched_stack.of(space())
