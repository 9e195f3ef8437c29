# SPDX-License-Identifier: MIT
"""The questions of query.py in the words of OpenMP 5.x: one routine for one fact.

Threads are those of the debugger that the library knows. Numbers and levels are control variables
there, found by their names. Outside of all constructs a thread is in an implicit region of
level 0, which snapshot.py does not count as one.
"""

from __future__ import annotations

import re
from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_uint64, c_void_p
from functools import partial

from openmp_inspect.core import debug
from openmp_inspect.core.cached import optional
from openmp_inspect.core.errors import OmpdError
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.bindings import abi5, callbacks, held_handles, query
from openmp_inspect.bindings.callbacks import Address, FrameInfo

if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Tuple
    from openmp_inspect.bindings.dialect5 import Session5
    from openmp_inspect.bindings.query import Handle

_LWP = abi5.THREAD_ID["lwp"]
_PTHREAD = abi5.THREAD_ID["pthread"]
# OpenMP 5.1 divides implicit barriers by what they end.
_STATES = {number: re.sub(r"(_implicit)_(parallel|workshare)$", r"\1", name)
           for name, number in abi5.STATE.items()}
_SCOPES = {number: name for name, number in abi5.SCOPE.items()}
# Scopes whose variables are asked of an object of the kind on the right.
_HOLDERS = {"global": "address_space", "implicit_task": "task", "teams": "parallel"}

# No team has more; a larger count from the library would be nonsense.
_LARGEST_TEAM = 1 << 22
_MOST_STRINGS = 4096

NOT_HELD = ("unavailable", "unsupported", "needs_state_tracking", "bad_input", "incompatible")


class IcvEntry(NamedTuple):
    """A control variable that the library enumerates."""

    number: int
    name: str
    scope: int


def state_name(number: int) -> str:
    return _STATES.get(number, "state %#x" % number)


class StandardQuery(held_handles.HandleQuery):
    release_routine = "rel_%s_handle"
    _session: Session5

    def __init__(self, session: Session5) -> None:
        super().__init__(session)
        # By kind, in the library's order of handles, each with a number.
        self._distinct: Dict[str, List[Tuple[Handle, int]]] = {"parallel": [], "task": []}
        self._lwps: Dict[Optional[int], int] = {}  # of threads that were found by them
        self._pthreads: Optional[Dict[Optional[int], int]] = None  # kernel ids by pthread ids

    def release(self) -> None:
        super().release()
        self._lwps.clear()

    @property
    def recorded(self) -> bool:
        return True

    def _native(self, _kind: str, handle: Handle) -> Handle:
        """The library's handle of one of query.py: the same here."""
        return handle

    # Calls by the shape of their answers.

    def _one(self, kind: str, routine: str, of_kind: str, of: Handle, *arguments: Any) -> Handle:
        return self._new(kind, routine, self._native(of_kind, of), *arguments)

    def _variable(self, kind: str, of: Handle, *names: str) -> int:
        """A control variable as a number, under the first of its NAMES that is known."""
        for number, name, scope in self._session.icvs:
            if name in names and _holder(scope) == kind:
                return self._number("get_icv_from_scope", self._native(kind, of), scope, number)
        raise OmpdError("unsupported", "ompd_get_icv_from_scope")

    def _members(self, kind: str, routine: str, region: Handle) -> List[Handle]:
        found = []
        size = self.size(region)
        if not 0 <= size <= _LARGEST_TEAM:
            raise OmpdError("error", "ompd_" + routine)
        for number in range(size):
            try:
                found.append(self._one(kind, routine, "parallel", region, c_int(number)))
            except OmpdError as error:
                if error.kind not in ("unavailable", "stale_handle"):
                    raise
                debug.ignored()
        return found

    def _key(self, kind: str, handle: Handle) -> int:
        """A number that equal handles share."""
        others = self._distinct[kind]
        low, high = 0, len(others)
        order = c_int()
        while low < high:
            middle = (low + high) // 2
            self._call(kind + "_handle_compare", handle, others[middle][0], byref(order))
            if order.value == 0:
                return others[middle][1]
            if order.value < 0:
                high = middle
            else:
                low = middle + 1
        others.insert(low, (handle, len(others) + 1))
        return len(others)

    # Threads

    def _look(self) -> None:
        """Asks what is known only where the program records what it does."""
        for thread in self.threads()[:1]:
            self.state(thread)

    def tracking(self) -> bool:
        try:
            self._look()
        except OmpdError as error:
            if error.kind == "needs_state_tracking":
                debug.ignored()
                return False
            raise
        return True

    def threads(self) -> List[Handle]:
        found = [self.thread_of(lwp) for lwp, _ in self._session.process.threads()]
        return [handle for handle in found if handle is not None]

    def thread_of(self, lwp: int) -> Optional[Handle]:
        out = c_void_p()
        if not self._answers(("unavailable", "stale_handle"), "get_thread_handle", self._space,
                             _LWP, 8, lwp.to_bytes(8, self._order), byref(out)):
            return None
        self._lwps[out.value] = lwp
        return self._keep("thread", out.value)

    def _thread_id(self, thread: Handle, kind: int) -> int:
        return self._os_id("get_thread_id", self._native("thread", thread), kind, 8)

    def lwp(self, thread: Handle) -> int:
        try:
            return self._thread_id(thread, _LWP)
        except OmpdError as error:
            if error.kind != "unsupported":
                raise
            debug.ignored()
        # LLVM's library has pthread ids alone.
        native = self._native("thread", thread).value
        if native not in self._lwps:
            self._lwps[native] = self._lwp_of(self.pthread(thread))
        return self._lwps[native]

    def _lwp_of(self, pthread: Optional[int]) -> int:
        if self._pthreads is None:
            process = self._session.process
            self._pthreads = {process.pthread(thread): lwp for lwp, thread in process.threads()}
        if pthread not in self._pthreads:
            raise OmpdError("unavailable", "ompd_get_thread_id")
        return self._pthreads[pthread]

    def thread_key(self, thread: Handle) -> int:
        return self.lwp(thread)

    def pthread(self, thread: Handle) -> Optional[int]:
        return self._thread_id(thread, _PTHREAD)

    def state(self, thread: Handle) -> query.State:
        state, wait = c_int64(), c_uint64()
        self._call("get_state", self._native("thread", thread), byref(state), byref(wait))
        return query.State(state_name(state.value), wait.value)

    def number(self, thread: Handle) -> int:
        return self._variable("thread", thread, "thread-num-var", "ompd-thread-num-var")

    def region_of(self, thread: Handle) -> Handle:
        if self.state(thread)[0] == "idle":
            raise OmpdError("unavailable", "ompd_get_curr_parallel_handle")
        return self._explicit(
            self._one("parallel", "get_curr_parallel_handle", "thread", thread))

    def task_of(self, thread: Handle) -> Handle:
        return self._one("task", "get_curr_task_handle", "thread", thread)

    # Regions

    def _explicit(self, region: Handle) -> Handle:
        if self._variable("parallel", region, "levels-var") == 0:
            raise OmpdError("unavailable", "ompd_get_curr_parallel_handle")
        return region

    def region_key(self, region: Handle) -> int:
        return self._key("parallel", region)

    def region_id(self, region: Handle) -> int:
        raise OmpdError("unsupported", "ompd_get_curr_parallel_handle")

    def size(self, region: Handle) -> int:
        return self._variable("parallel", region, "team-size-var", "ompd-team-size-var")

    def function(self, region: Handle) -> int:
        return self.task_function(
            self._one("task", "get_task_in_parallel", "parallel", region, c_int(0)))

    def enclosing(self, region: Handle) -> Handle:
        return self._explicit(
            self._one("parallel", "get_enclosing_parallel_handle", "parallel", region))

    def master(self, region: Handle) -> Handle:
        return self._one("thread", "get_thread_in_parallel", "parallel", region, c_int(0))

    def team(self, region: Handle) -> List[Handle]:
        return self._members("thread", "get_thread_in_parallel", region)

    def implicit_tasks(self, region: Handle) -> List[Handle]:
        return self._members("task", "get_task_in_parallel", region)

    # Tasks

    def task_key(self, task: Handle) -> int:
        return self._key("task", task)

    def task_id(self, task: Handle) -> int:
        raise OmpdError("unsupported", "ompd_get_curr_task_handle")

    def task_function(self, task: Handle) -> int:
        out = Address()
        self._call("get_task_function", self._native("task", task), byref(out))
        return out.address

    def frames(self, task: Handle) -> query.Frames:
        leave, enter = FrameInfo(), FrameInfo()
        self._call("get_task_frame", self._native("task", task), byref(leave), byref(enter))
        return query.Frames(leave.address.address, enter.address.address)

    def parent(self, task: Handle) -> Handle:
        return self._one("task", "get_generating_task_handle", "task", task)

    def scheduling(self, task: Handle) -> Handle:
        return self._one("task", "get_scheduling_task_handle", "task", task)

    def task_region(self, task: Handle) -> Handle:
        return self._one("parallel", "get_task_parallel_handle", "task", task)

    def level(self, task: Handle) -> int:
        return self._variable("parallel", self.task_region(task), "levels-var")

    def is_implicit(self, task: Handle) -> bool:
        return bool(self._variable("task", task, "implicit-task-var", "ompd-implicit-var"))

    def task_facts(self, task: Handle) -> query.TaskFacts:
        return query.NO_TASK_FACTS._replace(
            region=optional(partial(self._region_of_task, task), *NOT_HELD),
            parent=optional(partial(self.parent, task), *NOT_HELD),
            scheduling=optional(partial(self.scheduling, task), *NOT_HELD))

    def _region_of_task(self, task: Handle) -> Handle:
        return self._explicit(self.task_region(task))

    # Control variables

    def icvs(self, scope: str, handle: Optional[Handle]) -> List[query.Icv]:
        found = []
        of = self._space if scope == "address_space" else self._native(scope, handle)
        for number, name, where in self._session.icvs:
            if _holder(where) != scope:
                continue
            value = self._value(of, where, number)
            if value is not None:
                found.append(query.Icv(name, _SCOPES.get(where, str(where)), value))
        return found

    def _value(self, of: c_void_p, scope: int, icv: int) -> Optional[Name]:
        """A control variable as a text, or None. LLVM's library gives as a text only what
        is no number."""
        text, word = c_void_p(), c_int64()
        if self._answers(NOT_HELD, "get_icv_string_from_scope", of, scope, icv, byref(text)):
            return Name(callbacks.take_text(text))
        if self._answers(NOT_HELD, "get_icv_from_scope", of, scope, icv, byref(word)):
            return Name(str(word.value))
        return None

    def control_vars(self) -> Optional[List[Tuple[Name, Name]]]:
        vector = POINTER(c_char_p)()
        if not self._answers(NOT_HELD, "get_display_control_vars", self._space, byref(vector)):
            return None
        found = []
        for at in range(_MOST_STRINGS):
            if not vector[at]:
                break
            name, _, value = vector[at].decode("utf-8", "replace").partition("=")
            found.append((Name(name), Name(value)))
        self._dialect.rel_display_control_vars(byref(vector))
        return found


def _holder(scope: int) -> Optional[str]:
    """The kind of object of which variables of this SCOPE are asked, or None."""
    name = _SCOPES.get(scope)
    return None if name is None else _HOLDERS.get(name, name)
