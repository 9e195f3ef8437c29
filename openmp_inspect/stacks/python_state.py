# SPDX-License-Identifier: MIT
"""The holder of CPython's GIL, and what threads execute, by the interpreter's memory.

    _PyRuntime         has the list of interpreters
    an interpreter     that of its thread states, and since 3.12 a pointer to its GIL
    a thread state     which thread it is of, and what that executes
    the GIL            whether it is locked; the thread state of its holder, or of its last one; the
                       condition variable on which its waiters sleep

A waiter sleeps for 5 ms by default, asks the holder to release the GIL, and sleeps again while it is
locked. It is locked and its holder is written under one mutex: while that is free, both agree. A
thread state that a thread has made for another one has the maker's id until that one begins. So a
thread is the holder if no other state has its id, and it is inside the interpreter.
"""

from __future__ import annotations

import itertools

from openmp_inspect.core import cached, debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import python_interpreter
from openmp_inspect.host import interface
from openmp_inspect.stacks import python_frames, python_layouts

if TYPE_CHECKING:
    from typing import Dict, Hashable, Iterator, List, Optional
    from openmp_inspect.code.places import Place
    from openmp_inspect.host.interface import Thread
    from openmp_inspect.host.page_cache import PageCache
    from openmp_inspect.stacks.python_layouts import Layout
    from openmp_inspect.stacks.user_frames import Walker

GIL = "GIL"  # what LibcWait.noun calls it
NAME = "Python's GIL"
_CONDITION = 48  # bytes of a pthread_cond_t
_MOST_INTERPRETERS = 64
_MOST_THREADS = 4096
_MOST_FRAMES = 256  # of a holder's stack
_MOST_CALLS = 16  # from who sleeps to the function that a program calls
_TAKES = regex(r"(PyGILState_Ensure|PyEval_(RestoreThread|AcquireThread|AcquireLock))\Z")
_EXECUTES = regex(r"_PyEval_EvalFrameDefault\b")
_SIGNALS = 8  # bytes before the only GIL: whether signals have arrived
_REQUESTS, _SIGNAL = 8, 2  # behind a thread state's interpreter, from 3.13 on: bits, and that of signals
_TAKE = "take_gil"  # the function in which all wait


class Gil(NamedTuple):
    address: int
    holder: int  # a thread's kernel id, 0 if it is free or that is not known


class _State(NamedTuple):
    interpreter: int
    lwp: int  # 0: not known
    address: int


class Interpreters:
    """Lives during one command. WALKER: a user_frames.Walker; MEMORY: that of the process."""

    def __init__(self, walker: Walker, memory: PageCache) -> None:
        self._walker, self._memory = walker, memory
        self._found: Dict[int, Optional[Gil]] = {}  # by an address in it
        self._executed: Dict[Hashable, Dict[int, List[Place]]] = {}  # by a thread's ptid

    def gil_at(self, address: int) -> Optional[Gil]:
        """The Gil for which a thread waits that sleeps on a word at this ADDRESS, or None."""
        if address not in self._found:
            at = next((gil for gil in self._gils
                       if 0 <= address - gil - python_layouts.GIL_CONDITION < _CONDITION), None)
            self._found[address] = None if at is None else Gil(at, self._holder(at))
        return self._found[address]

    def entry(self, thread: Thread) -> str:
        """The function by which a thread waits for the GIL."""
        found = _TAKE
        try:
            for frame in itertools.islice(self._walker.stack(thread), _MOST_CALLS):
                found = frame.name if _TAKES.match(frame.name) else found
        except HostError:
            debug.ignored()
        return found

    def place(self, lwp: Optional[int]) -> Optional[Place]:
        """Where the thread with this kernel id is in a program in Python, or None."""
        state = self._state(lwp)
        return None if state is None or self._layout is None else \
            python_frames.place(self._memory, self._layout, state.address)

    def executed(self, thread: Thread) -> Dict[int, List[Place]]:
        """Which functions in Python the frames of a thread execute, newest first, by the level of the
        frame: none where these are not as many as the interpreter says."""
        if thread.ptid not in self._executed:
            self._executed[thread.ptid] = self._functions(thread)
        return self._executed[thread.ptid]

    def _functions(self, thread: Thread) -> Dict[int, List[Place]]:
        state = self._state(next((lwp for lwp, one in self._walker.process.threads() if one == thread),
                                 None))
        if state is None or self._layout is None:
            return {}
        found = python_frames.executed(self._memory, self._layout, state.address)
        try:
            levels = [frame.level for frame in self._walker.stack(thread)
                      if frame.kind == interface.NORMAL and _EXECUTES.match(frame.name)]
        except HostError:
            debug.ignored()
            return {}
        return dict(zip(levels, found)) if len(levels) == len(found) else {}

    def has_signal(self, lwp: Optional[int]) -> bool:
        """Whether a signal has arrived whose function in Python the thread with this kernel id, the first
        one, calls when it is back in the interpreter."""
        state, layout = self._state(lwp), self._layout
        if state is None or layout is None or lwp != self._walker.process.pid or \
                not python_interpreter.is_program(self._walker.process):
            return False
        try:
            if layout.has_one_gil:
                return self._memory.unsigned(self._runtime + layout.gil - _SIGNALS, 4) == 1
            return layout.minor > 12 and \
                bool(self._word(state.address + layout.interpreter + _REQUESTS) & _SIGNAL)
        except HostError:
            debug.ignored()
            return False

    def _state(self, lwp: Optional[int]) -> Optional[_State]:
        """The only one of a thread with this kernel id, or None."""
        states = [state for state in self._states if state.lwp == lwp] if lwp else []
        return states[0] if len(states) == 1 else None

    @cached.fact
    def _runtime(self) -> int:
        """The address of the interpreter's data, or 0."""
        return python_interpreter.data(self._walker.process) or 0

    @cached.fact
    def _layout(self) -> Optional[Layout]:
        return python_layouts.of_process(self._memory, self._runtime) if self._runtime else None

    @cached.fact
    def _interpreters(self) -> List[int]:
        """The addresses of all, or none where they cannot be read."""
        layout = self._layout
        if layout is None:
            return []
        return list(self._list(self._runtime + layout.interpreters, layout.next_interpreter,
                               _MOST_INTERPRETERS))

    @cached.fact
    def _states(self) -> List[_State]:
        """Those of all threads, or none where they cannot be read."""
        layout = self._layout
        if layout is None:
            return []
        threads = {self._id(thread, lwp): lwp for lwp, thread in self._walker.process.threads()}
        found: List[_State] = []
        try:
            for interpreter in self._interpreters:
                for state in self._list(interpreter + layout.threads, layout.next_thread,
                                        _MOST_THREADS):
                    if self._word(state + layout.interpreter) != interpreter:
                        return []
                    own = self._word(state + (layout.kernel_id or layout.thread_id))
                    found.append(_State(interpreter, threads.get(own, 0), state))
        except HostError:
            debug.ignored()
            return []
        return found

    def _id(self, thread: Thread, lwp: int) -> Optional[int]:
        """What a thread state says which thread it is of."""
        has_it = self._layout is not None and self._layout.kernel_id
        return lwp if has_it else self._walker.process.pthread(thread)

    @cached.fact
    def _gils(self) -> List[int]:
        """The addresses of all."""
        layout = self._layout
        if layout is None:
            return []
        if layout.has_one_gil:
            return [self._runtime + layout.gil]
        try:
            return list({self._word(one + layout.gil) for one in self._interpreters} - {0})
        except HostError:
            debug.ignored()
            return []

    def _holder(self, gil: int) -> int:
        """The kernel id of the thread that has the GIL at this address, or 0."""
        layout = self._layout
        if layout is None:
            return 0
        try:
            locked = self._memory.unsigned(gil + python_layouts.GIL_LOCKED, 4)
            mutex = self._memory.unsigned(gil + python_layouts.GIL_MUTEX, 4)
            address = self._word(gil + python_layouts.GIL_HOLDER)
            state = next((one for one in self._states if one.address == address), None)
            if locked != 1 or mutex or state is None or not state.lwp or \
                    self._word(self._runtime + layout.finalizing) or not (
                        layout.has_one_gil or
                        self._word(state.interpreter + layout.gil) == gil):
                return 0
        except HostError:
            debug.ignored()
            return 0
        is_one = [one.lwp for one in self._states].count(state.lwp) == 1
        return state.lwp if is_one and self._is_inside(state.lwp) else 0

    def _is_inside(self, lwp: int) -> bool:
        """Whether code of the interpreter is on the stack of a thread."""
        file = python_interpreter.path(self._walker.process)
        thread = dict(self._walker.process.threads()).get(lwp)
        try:
            return thread is not None and any(
                python_interpreter.is_in(self._walker.process, file, frame.pc)
                for frame in itertools.islice(self._walker.stack(thread), _MOST_FRAMES))
        except HostError:
            debug.ignored()
            return False

    def _list(self, head: int, after: int, most: int) -> Iterator[int]:
        """The addresses of what the pointer at HEAD begins a list of, each with a pointer to the
        next one AFTER so many bytes; HostError where it does not end with the MOST."""
        address = self._word(head)
        for _ in range(most):
            if not address:
                return
            yield address
            address = self._word(address + after)
        raise HostError("a list without an end")

    def _word(self, address: int) -> int:
        return self._memory.unsigned(address, 8)
