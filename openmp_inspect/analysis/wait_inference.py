# SPDX-License-Identifier: MIT
"""Finds what one thread waits for, from all witnesses that it has itself: what is recorded or in
the runtime's own memory, the call that left user code, and what the thread is in the kernel for.

The runtime does not know that a thread sleeps in user code, so "work" is what the kernel does
not contradict. Where nothing is recorded the call says what the thread is about, and the
address that it sleeps on says for which one: for instance

    work      call omp_set_lock           futex (0x4c4040, 0xffffffff)    wait_lock, of 0x4c4040
    work      call Mutex::lock, which     the same                        the same
              jumps to omp_set_lock
    work      call pthread_mutex_lock     futex (&cache, 2)               in_call, held by its owner
    work      call GOMP_loop_end          -                               wait_barrier_implicit
    work      call GOMP_task              -                               creating_task
    work      call GOMP_target_ext        -                               wait_target
    work      none: a worker              futex (&pool->threads_dock.bar.generation)  wait_region
    work      none, or GOMP_parallel      futex (&team->barrier.generation)   wait_barrier_implicit
    work      the same                    the same, but that has changed      leaving
"""

from __future__ import annotations

from openmp_inspect.core import debug, errors, escaped
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import call_argument, call_site, code_owner, entry_points, entry_waits, \
    places, symbol_names, tail_calls
from openmp_inspect.stacks import barrier_source, kept_arguments, libc_waits, \
    target_device
from openmp_inspect.analysis import finding, wait_state
from openmp_inspect.analysis.finding import Finding

if TYPE_CHECKING:
    from typing import Dict, Hashable, Optional, Tuple
    from openmp_inspect.model.objects import Region, Thread
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.code.entry_waits import Wait
    from openmp_inspect.analysis.observations import Observations
    from openmp_inspect.analysis.thread_rows import ThreadRow

# The runtime may not say which of several a wait is for; the stack does.
_VAGUE = ("wait_barrier", "wait_lock", "wait_nest_lock", "wait_critical", "wait_mutex",
          "overhead")
# What OMPT does not report; of taskwait that is one with a depend clause.
_UNREPORTED = ("wait_ordered", "wait_taskwait", "wait_target")
_BY_VARIABLE = ("wait_lock", "wait_nest_lock")  # LLVM's runtime has another address than the program
_GENERATION_AT = 4  # in libgomp's barriers
_CONTENDED = 0xFFFFFFFF  # the value of libgomp's mutexes that somebody sleeps for


def _is_runtime_call(function: Optional[str]) -> bool:
    return entry_points.name_of(function) == function


class Inference:
    """Lives during one command."""

    def __init__(self, snapshot: Optional[Snapshot], observed: Observations) -> None:
        self._snapshot = snapshot
        self._recorded = snapshot is not None and snapshot.recorded
        # Records of ours have everything but what user code does outside of OpenMP.
        self._complete = snapshot is not None and snapshot.recorded and snapshot.bulk
        self._stacks, self._walker, self._waits = observed.stacks, observed.walker, observed.waits
        self._has_devices = code_owner.has_devices(observed.process)
        self._of_places: Dict[Hashable, Optional[Wait]] = {}  # by address, whether a call
        self._runs_region: Dict[int, bool] = {}  # by the address of a call
        self._variables: Dict[int, int] = {}  # by the runtime's address of a lock
        self._of_calls: Dict[int, Optional[str]] = {}  # by the address of a call of a barrier

    def of(self, row: ThreadRow, stopped: bool, has_left: bool = False) -> Finding:
        """The Finding of a ThreadRow whose place is known; STOPPED: its stack may be looked at;
        HAS_LEFT: as has_left()."""
        if row.known is None:
            return self._of_other(row) if stopped else finding.NOT_OPENMP
        try:
            found = self._kept(row.known, has_left)
        except errors.OmpdError as failure:
            return Finding(None, failed=errors.short(failure))
        if found.name == "idle":
            return finding.IDLE
        if not stopped and not self._recorded and row.thread is not None:
            return finding.UNKNOWN
        for witness in self._WITNESSES if stopped else ():
            found = witness(self, row, found) or found
        return self._with_words(row, found)

    def _kept(self, known: Thread, has_left: bool) -> Finding:
        """What the runtime or a record keeps of a thread's wait; if it HAS_LEFT that, of it as little is
        known as of one that is unprepared. Of one that waits for tasks it may not be kept for which."""
        witness = "recorded" if self._recorded else "runtime"
        try:
            name, wait, region = known.state, known.wait_id, known.region
        except errors.OmpdError as error:
            if self._recorded or error.kind != "needs_state_tracking":
                raise
            return Finding(None, 0, witness, known.region, failed=errors.short(error))
        if has_left and name is not None:
            return Finding("work_serial" if region is None else "work_parallel", 0, "stacks", region)
        return Finding(name, wait, witness, region, failed="" if name is None else None)

    def _with_words(self, row: ThreadRow, found: Finding) -> Finding:
        """The same with the barrier in words, and the device."""
        name = found.name
        if name is None:
            return Finding(None, failed=found.failed)
        kind = self._barrier_kind(row, name)
        words = self._barrier_words(row) if found.is_barrier and kind != "end" else None
        return found._replace(kind=kind, said=escaped.name(words) or found.said,
                              device=self._device(row, name) if found.device is None else found.device)

    def _barrier_kind(self, row: ThreadRow, name: str) -> Optional[str]:
        """Of the one at which a thread waits in the state of this NAME, or None."""
        if row.known is None or not wait_state.is_barrier(name):
            return None
        ends = not self._recorded and name == "wait_barrier_implicit"
        return row.known.barrier_kind or ("end" if ends and self.is_out_of_body(row) else None)

    def _device(self, row: ThreadRow, name: Optional[str]) -> Optional[int]:
        """The number of the device for which a thread in the state of this NAME waits, or None."""
        return None if name != "wait_target" or self._snapshot is None or row.thread is None else \
            target_device.number(self._walker.stack(row.thread), 0, self._snapshot.device_numbers)

    def _variable(self, row: ThreadRow, name: Optional[str], wait: Optional[int]) -> int:
        """The address by which the program knows the lock that LLVM's runtime has at WAIT, or 0.
        The function that has called the runtime may have left its frame to it."""
        if not wait or name not in _BY_VARIABLE:
            return 0
        if wait not in self._variables:
            known, variable = self._by_argument(row, name)
            self._variables[wait] = variable if known == wait else 0
        return self._variables[wait]

    def _located(self, row: ThreadRow, name: str,
                 wait: Optional[int]) -> Tuple[Optional[int], int]:
        """(WAIT, or the runtime's address of the lock where that is 0; that of the program's variable if
        it is another: gfortran's nest locks are pointers to libgomp's)."""
        if wait == 0:
            return self._by_argument(row, name)
        process, frame = self._walker.process, self._walker.user_frame(row.thread)
        if name != "wait_nest_lock" or frame is None or wait is None:
            return wait, 0
        try:
            argument = call_site.argument_at(process, frame.pc) or call_argument.of_call(process, frame.pc)
            variable = 0 if argument is None else call_argument.evaluated(argument, frame.frame)
            is_pointer = bool(variable) and process.unsigned(variable, process.pointer_size) == wait
        except errors.HostError:
            debug.ignored()
            is_pointer = False
        return wait, variable if is_pointer else 0

    def _by_argument(self, row: ThreadRow, name: Optional[str]) -> Tuple[int, int]:
        """(the address that LLVM's runtime has of the lock with which a thread in the state of this
        NAME has called it, and is held, that of the program's variable), or zeros."""
        if self._snapshot is None or name not in _BY_VARIABLE or \
                not self._walker.in_llvm(row.thread):
            return 0, 0
        at = kept_arguments.lock(self._walker.stack(row.thread))
        known = self._snapshot.lock_at(at, name) if at else None
        return (0, 0) if at is None or known is None or known.count == 0 else (known.address, at)

    @staticmethod
    def called(row: ThreadRow) -> Optional[str]:
        """The function that the user's code has called in a thread, or None."""
        place = row.place
        return None if place is None or not place.called or place.address is None else \
            call_site.called_at(row.process, place.address, place.jumped)

    def has_left(self, row: ThreadRow, name: str) -> bool:
        """Whether a stopped thread is not where it waits by the runtime or a record, in the state of
        this NAME: a handler has interrupted the wait or left it by a jump, the runtime runs the
        body of a target region there or ends the program, or the thread ends and runs destructors."""
        if name not in ("idle", "overhead") and not name.startswith("wait_") or \
                not self._stacks.is_in_user_code(row.thread):
            return False
        place = self._stacks.place(row.thread) if name == "idle" else None
        return name != "idle" or place is not None and bool(place.line)

    def _may_be_inferred(self, name: Optional[str]) -> bool:
        return name is None or name == "overhead" or name.startswith("work") or \
            not self._complete and name in _VAGUE

    def _unrecorded(self, row: ThreadRow, region: Optional[Region],
                    name: Optional[str]) -> Optional[Wait]:
        """(state, wait id) of a thread that waits for what OMPT does not report, or for a device, or
        None."""
        llvm = self._walker.in_llvm(row.thread)
        if name == "overhead" or not (llvm or self._has_devices):
            return None
        seen = self._seen(row, region)
        if not llvm:
            return seen if seen is not None and seen[0] == "wait_target" else None
        return seen if seen is not None and (
            seen[0] in _UNREPORTED or not self._is_recorded(region)) else None

    def _is_recorded(self, region: Optional[Region]) -> bool:
        """Whether it is recorded what threads do in a REGION: those in leagues have no record."""
        return self._recorded and not (
            self._complete and region is not None and errors.known(lambda: region.id) is None)

    def _begins(self, row: ThreadRow, region: Optional[Region]) -> Optional[Wait]:
        """(state, 0) of a member of a team whose implicit task has no record yet, or None. The
        hooks let workers wait until the region has one:

            sleeps in a futex of the hooks, libgomp has it in the team, its record is idle
            the primary one, in GOMP_parallel (), which has released the others"""
        if not self._complete or region is None or not self._is_recorded(region) or \
                not (row.place is None or entry_points.is_region(self.called(row))):
            return None
        task = None if row.known is None else errors.known(lambda: row.known.task)
        return None if task is None or task.id is not None else ("starting", 0)

    def _says_more(self, region: Optional[Region], seen: str, name: Optional[str]) -> bool:
        """Whether the state SEEN on a stack replaces that of this NAME. A library of another
        vendor knows the states of all threads, and is as vague as _VAGUE says."""
        if not self._is_recorded(region):
            return seen != name and \
                not (seen == "overhead" and name is not None and name.startswith("wait_"))
        return name is not None and seen != name and seen != "overhead" and \
            not (name.startswith("wait_barrier") and seen.startswith("wait_barrier"))

    def _barrier_words(self, row: ThreadRow) -> Optional[str]:
        """Which construct the call of a barrier is about that a thread is inside of, or None."""
        place = row.place
        if place is not None and place.address is not None:
            if place.address not in self._of_calls:
                self._of_calls[place.address] = barrier_source.words(self._walker, place)
            if self._of_calls[place.address] is not None:
                return self._of_calls[place.address]
        return None if row.thread is None else \
            barrier_source.words_of(self._walker, place, row.thread)

    # Witnesses of a stopped thread. Each is given what those before it in the table have found, and
    # answers with what it knows better, or None.

    def _of_target(self, row: ThreadRow, found: Finding) -> Optional[Finding]:
        """By its record a thread waits for a device. In the body of a target region that the host
        executes it is in user code, or in another call."""
        known, place = row.known, row.place
        if known is None or place is None or not place.called or not (found.name or "").startswith("work"):
            return None
        target = errors.known(lambda: known.target)
        if target is None or target.device is None or target.codeptr != place.address:
            return None
        return found._replace(name="wait_target", wait_id=0, witness="recorded", device=target.device)

    def _of_stack(self, row: ThreadRow, found: Finding) -> Optional[Finding]:
        """What a thread's stack and the kernel say where the runtime does not know, or is vague."""
        name, wait = found.name, found.wait_id
        if not self._may_be_inferred(name):
            return None
        seen = self._seen_between(row, found.region, name)
        if seen is None and (name is None or name.startswith("work")):
            return self._in_call(row)
        if seen is None or seen[0] != name and not self._says_more(found.region, seen[0], name):
            return found._replace(variable=self._variable(row, name, wait))
        if seen[0] == name:
            variable = seen[1] or self._variable(row, name, wait)
            return found._replace(variable=variable, wait_id=wait or variable)
        if name == "wait_barrier" and seen[0].startswith(name):  # LLVM's runtime does not say which one
            return found._replace(said=wait_state.thing(self._walker.process, *seen, row.stacks.object_at))
        at, variable = self._located(row, *seen)
        return found._replace(name=seen[0], wait_id=at, variable=variable, witness="stacks", failed=None)

    def _of_taskyield(self, row: ThreadRow, found: Finding) -> Optional[Finding]:
        """In one LLVM's runtime has the same in memory as in a taskwait."""
        if found.name != "wait_taskwait" or found.witness != "runtime":
            return None
        entry = entry_points.find(self.called(row))
        return None if entry is None or entry.construct != "taskyield" else \
            found._replace(name="overhead", witness="stacks")

    def _of_creation(self, row: ThreadRow, found: Finding) -> Optional[Finding]:
        """A thread is inside a call that creates a task, and does not sleep there, as for what the
        task depends on. OMPT reports work."""
        name = found.name or ""
        if name != "overhead" and not name.startswith("work") or row.sleep is not None or \
                not entry_points.creates_task(self.called(row)):
            return None
        return found._replace(name="creating_task",
                              witness=found.witness if name == "overhead" else "stacks")

    def _of_helper(self, row: ThreadRow, found: Finding) -> Optional[Finding]:
        """A lock is recorded by another address than LLVM's runtime has: a hidden helper thread, which
        is not recorded, waits for it."""
        name, wait = found.name, found.wait_id
        lock = self._snapshot.lock_at(wait, name) if self._complete and self._snapshot is not None and \
            wait and name in _BY_VARIABLE else None
        known, variable = (0, 0) if lock is None or lock.life != "unseen" else \
            self._by_argument(row, name)
        return found._replace(wait_id=variable, witness="stacks") if variable and known == variable else None

    # What is recorded of a device, that a stack says less of; what else OpenMP has not recorded or is vague
    # about; what a wait seems to be that is none; for which lock one is.
    _WITNESSES = _of_target, _of_stack, _of_taskyield, _of_creation, _of_helper

    # By the stack and the kernel

    def _seen_between(self, row: ThreadRow, region: Optional[Region],
                      name: Optional[str]) -> Optional[Wait]:
        """(state, wait id) of a thread in the state of this NAME that is inside the runtime, or between
        two bodies, or None."""
        seen = self._unrecorded(row, region, name) if self._complete else self._seen(row, region)
        if seen is not None and not wait_state.is_lock(seen[0]) and self._is_in_other_runtime(row):
            seen = "overhead", 0  # what that waits for is not of this region
        if (name if seen is None else seen[0]) != "overhead":
            return seen
        return self._by_futex(row, region) or self._begins(row, region) or seen

    def _seen(self, row: ThreadRow, region: Optional[Region]) -> Optional[Wait]:
        """(state, wait id) of a thread that is inside the runtime, or None."""
        place = row.place
        seen = self._after_body(row)
        if seen is not None:
            return seen
        if place is None or place is places.UNREAD and self._is_in_runtime(row):
            # In the region, but no longer or not yet in its body.
            seen = self._by_mutex(row) or (("overhead", 0) if region is not None else None)
        else:
            # One may be at a call that others are inside of.
            key = place.address, place.called
            if key not in self._of_places:
                self._of_places[key] = entry_waits.wait(self._walker.process, place)
            seen = self._of_places[key] or self._by_its_instruction(row)
            if seen is not None and seen[0] == "overhead" and row.sleep is not None and \
                    not code_owner.is_runtime(self._walker.process, row.sleep.address):
                # The region's body has left its frame to what it called last.
                seen = self._by_mutex(row) or seen
        if seen is not None and self._stacks.in_system(row.thread):
            return None  # called by user code, by a jump that left no frame
        if seen is not None and seen[1] is not None and seen[0] in entry_waits.FUTEXES and \
                not self._walker.in_llvm(row.thread):
            # What the thread sleeps on: other code than that before the call may jump to it.
            seen = seen[0], self._futex(row) or seen[1]
        return seen

    def _after_body(self, row: ThreadRow) -> Optional[Wait]:
        """(state, 0) of a thread whose region's body has left its frame to what it called last, or
        None: then the name of an entry point is all that there is of the body."""
        if row.thread is None or not self._walker.in_llvm(row.thread):
            return None
        frame = kept_arguments.entered(self._walker.stack(row.thread))
        name = None if frame is None or not frame.is_runtime else frame.name
        state = None if entry_points.is_region(name) else entry_waits.state_in(name)
        return None if state is None or state in entry_waits.FUTEXES else (state, 0)

    def _is_in_runtime(self, row: ThreadRow) -> bool:
        """Whether the newest frame of a thread is the runtime's."""
        newest = self._walker.stack(row.thread).newest
        return newest is not None and newest.is_runtime

    def _is_in_other_runtime(self, row: ThreadRow) -> bool:
        """Whether a thread is inside another runtime, by its stack, than that of its region."""
        runtimes = code_owner.runtimes(self._walker.process)
        kind = errors.known(lambda: row.known and row.known.runtime_kind)
        return bool(runtimes.gomp and runtimes.kmp) and kind is not None and \
            self._walker.in_llvm(row.thread) != (kind == "libomp")

    def is_out_of_body(self, row: ThreadRow) -> bool:
        """Whether no body is on the stack of a thread that is in a region, but perhaps that of
        a task."""
        place = row.place
        if place is None or not place.called or place.address is None:
            return place is None and self._after_body(row) is None
        if place.address not in self._runs_region:
            function = call_site.called_at(self._walker.process, place.address, place.jumped)
            if function is None or not _is_runtime_call(function):
                function = tail_calls.entry(self._walker.process, place.address, _is_runtime_call)
            self._runs_region[place.address] = entry_points.is_region(function)
        return self._runs_region[place.address] and self._after_body(row) is None

    def waits_at(self, row: ThreadRow) -> Optional[Tuple[str, Optional[bool]]]:
        """("dock" or "barrier", whether it has released the thread, None where that is not
        known) of a stopped thread that libgomp has there, or None. One that spins has the
        barrier as its argument."""
        words = row.known.futexes if row.known is not None else None
        if words is None:
            return None
        sleep = row.sleep
        at = self._stacks.first_argument(row.thread) if sleep is None else sleep.address
        passed = None if sleep is None else self._waits.has_passed(sleep)
        for name, word in (("dock", words.dock), ("barrier", words.barrier)):
            if word and at and (at == word or sleep is None and at == word - _GENERATION_AT):
                return name, passed
        return None

    def _by_futex(self, row: ThreadRow, region: Optional[Region]) -> Optional[Wait]:
        """(state, 0) of a thread between two bodies, or None."""
        outside = self.is_out_of_body(row)
        if row.sleep is None and not outside:
            return None  # inside a function that does not wait there; registers are left over
        at, passed = self.waits_at(row) or (None, None)
        if at is None or region is not None and len(region.team) < region.size:
            return None  # the runtime is making the team
        if at == "dock":
            if row.known == (region and region.master):
                return None
            if passed is None:  # it spins
                words = None if row.known is None else row.known.futexes
                return ("wait_region", 0) if words is not None and words.docked else None
            return "starting" if passed else "wait_region", 0
        if passed is None or region is None:
            return None
        if region.parent is not None:
            # A nested team begins and ends with further waits at its barrier.
            ends = outside and not passed and len(region.barriers) == 1 and \
                region.barriers[0].kind == "end"
            return ("wait_barrier_implicit", 0) if ends else None
        if passed:
            return ("leaving", 0) if outside else None
        barriers = region.barriers
        if len(barriers) == 1:
            return barriers[0].state or "wait_barrier", 0
        return "wait_barrier_implicit" if outside and barriers else "wait_barrier", 0

    def _by_its_instruction(self, row: ThreadRow) -> Optional[Wait]:
        """The same of one whose call says nothing."""
        place = row.place
        if place is None or not place.called or place.address is None:
            return None
        function = call_site.called_at(self._walker.process, place.address, place.jumped)
        if function is not None and _is_runtime_call(function):
            return "overhead", 0
        pc = row.pc
        if pc is None or not (code_owner.is_runtime(self._walker.process, pc) or
                              row.sleep is not None and row.call.runtime):
            return None
        entry = tail_calls.entry(self._walker.process, place.address, _is_runtime_call)
        if entry is not None:
            return entry_waits.state_in(entry) or "overhead", 0
        return self._by_mutex(row) or ("overhead", 0)

    def _by_mutex(self, row: ThreadRow) -> Optional[Wait]:
        """(state, address) of a thread that sleeps on a word of libgomp's mutexes, which is all that a
        lock or a section is, or None. One that is no variable of the program may be the runtime's own."""
        sleep = row.sleep
        if sleep is None or sleep.value != _CONTENDED or self._walker.in_llvm(row.thread) or \
                not symbol_names.static_object_at(self._walker.process, sleep.address):
            return None
        section = symbol_names.critical(self._walker.process, sleep.address) is not None or \
            code_owner.is_runtime(self._walker.process, sleep.address)
        return "wait_critical" if section else "wait_lock", sleep.address

    def _futex(self, row: ThreadRow) -> int:
        """The address on which the runtime has put a thread to sleep, or 0."""
        sleep = row.sleep
        if sleep is None or not sleep.address:
            return 0
        # The dynamic linker may be what sleeps, on its way to the runtime's function.
        pc = row.pc
        if pc is None:
            return 0
        library = self._walker.process.image_at(pc)
        return sleep.address if library is None or code_owner.is_runtime(self._walker.process, pc) else 0

    def _in_call(self, row: ThreadRow) -> Optional[Finding]:
        """The Finding of a thread that is in the kernel or in MPI for user code, or None."""
        place, sleep = row.place, row.sleep
        if sleep is None:
            name = None
            if place is not None and place.address is not None and place.address != row.pc:
                name = call_site.called_at(self._walker.process, place.address, place.jumped)
            # The kernel says that it runs, or cannot be asked.
            is_known = row.position is not None
            if name is None or not (
                    libc_waits.is_mpi(name) if is_known else libc_waits.is_blocking(name)):
                return None
            return Finding("in_call", 0, "stacks", call=name)
        call = row.call
        if call.runtime:
            return None
        return Finding("in_call", 0, "kernel", call=call.name or "the kernel",
                       libc=self._waits.wait(sleep, call))

    def _of_other(self, row: ThreadRow) -> Finding:
        """The Finding of a thread that the runtime does not know, which may use its locks and devices,
        or wait in libc for a thread that it knows, or for what has a name."""
        seen = self._seen(row, None)
        if seen is not None and (wait_state.is_lock(seen[0]) or seen[0] == "wait_target"):
            return Finding(*seen, "stacks", device=self._device(row, seen[0]))
        asleep = self._in_call(row)
        libc = None if asleep is None else asleep.libc
        return asleep if asleep is not None and libc is not None and \
            (libc.kind in ("mutex", "join") or libc.name is not None) else finding.NOT_OPENMP
