# SPDX-License-Identifier: MIT
"""Evidence of what threads poll that do not wait, as far as OpenMP and the kernel know: locks that
they test, and words that another thread may write."""

from __future__ import annotations

import itertools

from openmp_inspect.core import errors, escaped
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING, NamedTuple
from openmp_inspect.code import code_owner, libc_names, loop_exits, polled_words, tested_locks
from openmp_inspect.host import interface
from openmp_inspect.stacks import acquired_locks
from openmp_inspect.analysis import wait_state
from openmp_inspect.analysis.evidence_items import LOCKS, MOST_READ

if TYPE_CHECKING:
    from typing import Callable, Dict, Iterable, Iterator, List, Optional, Tuple, TypeVar
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.code.polled_words import Wanted
    from openmp_inspect.host.interface import Frame
    from openmp_inspect.model.objects import Thread
    from openmp_inspect.model.snapshot import Snapshot
    from openmp_inspect.model.sync import Lock
    from openmp_inspect.stacks.thread_stack import StackFrame
    from openmp_inspect.analysis.evidence_items import Evidence, Node
    from openmp_inspect.analysis.lock_evidence import Locks
    from openmp_inspect.analysis.task_evidence import Tasks
    from openmp_inspect.analysis.thread_rows import ThreadRow
    _Found = TypeVar("_Found", Dict[int, int], List[int], Optional[Wanted])

_MOST_WORDS = 3  # that are named of those which a loop reads
_MOST_CALLS = 3  # from the loop that a thread is in to its newest frame
_MOST_FRAMES = 32  # of a loop that may be the only thing that a thread does
_WANTED = {"=": "{}", "!=": "another", "<=": "at most {}", ">=": "at least {}"}
_MEMBERS = regex(r"([.]_M_\w+)+\Z")
_LEAST_TESTS = 2  # in a row: one may be all that the thread wanted to know


class _TestedLock(NamedTuple):
    """`state`: of threads that wait for it, or None; `witness`: "recorded", or "stacks" of what is
    inferred; `lock`, `owner`: as the runtime has them, if that is known."""

    address: int
    state: Optional[str]
    witness: str
    lock: Optional[Lock] = None
    owner: Optional[Thread] = None


class Polls:
    """Adds to EVIDENCE; THREADS: the Node of each thread, by kernel id. Call when the waits of
    all threads are known."""

    def __init__(self, evidence: Evidence, snapshot: Snapshot, threads: Dict[Optional[int], Node],
                 locks: Locks, tasks: Tasks) -> None:
        self._evidence = evidence
        self._snapshot = snapshot
        self._threads = threads
        self._locks = locks
        self._tasks = tasks

    def _those(self, *doing: str) -> Iterator[Tuple[ThreadRow, Node]]:
        for node in self._threads.values():
            if node.row is not None and node.what in doing:
                yield node.row, node

    def add_locks(self) -> None:
        """Those that each thread polls."""
        for row, node in self._those("works", "asleep"):
            for one in _held(row, self._snapshot):
                self._add_lock(node, one)

    def _add_lock(self, node: Node, found: _TestedLock) -> None:
        address, lock, owner = found.address, found.lock, found.owner
        state = (None if lock is None else lock.wait_state) or found.state or "wait_lock"
        thing, new = self._evidence.node(("lock", address), "thing", LOCKS[state], "runtime")
        self._evidence.polls(node, thing, found.witness)
        if not new:
            return
        stacks = self._evidence.stacks
        thing.name = wait_state.thing(stacks.process, state, address, stacks.object_at)
        thing.flags.add("held")
        self._locks.add_facts(thing, address, lock, state)
        holders = {} if owner is not None or self._snapshot.recorded else acquired_locks.holders(
            stacks.walker, list(stacks.threads.items()), (address,))
        for lwp, call in holders.values():
            self._locks.add_holder(thing, lwp, "stacks")
            thing.acquired = stacks.walker.place_before(call)

    def add_words(self, twice: bool) -> bool:
        """Which threads that work, or pause, are in loops that only read, and their explicit tasks
        with the successors; also those of others TWICE, as another look tells what they do. Whether
        there are any."""
        working = itertools.islice(self._those("works", "asleep"), MOST_READ)
        return any([self._add_words(row, node, twice) for row, node in working])

    def _add_words(self, row: ThreadRow, node: Node, twice: bool) -> bool:
        if not row.stopped or node.what == "asleep" and not libc_names.is_nap(node.call):
            return False
        newest = None if row.thread is None else row.stacks.walker.stack(row.thread).newest
        if newest is not None and loop_exits.is_endless(newest.frame):
            node.what = "endless"
            return False
        words = only_reads(row)
        if words:
            node.flags.add("loops")
            node.name = Name("~in a loop that only reads %s" % words.raw)
        elif _gives_back(row):
            node.name = Name("~in a loop that tests locks, and releases others in between")
        known = row.known
        task = None if known is None or node.what == "asleep" else errors.known(lambda: known.task)
        return task is not None and errors.known(lambda: task.kind) == "explicit" and \
            bool(words or twice) and self._tasks.add_successors(task.key)


def _held(row: ThreadRow, snapshot: Snapshot) -> List[_TestedLock]:
    """Those that a thread tests which does not wait: it goes on as soon as it has one of them. None
    if one is free."""
    found = []
    for one in _tested(row, snapshot.recorded):
        lock = errors.known(lambda one=one: snapshot.lock_at(one.address, one.state))
        owner = None if lock is None else errors.known(lambda lock=lock: lock.owner)
        if lock is not None and owner is None and not lock.count:
            return []
        found.append(one._replace(lock=lock, owner=owner))
    return found


def _tested(row: ThreadRow, recorded: bool) -> List[_TestedLock]:
    """Those that a thread tests, as recorded, else by its code. RECORDED: its process is."""
    known = row.known
    tests = None if known is None else errors.known(lambda: known.lock_tests)
    if tests is not None and tests.failed >= _LEAST_TESTS:
        return [_TestedLock(tests.lock, None, "recorded")]
    # LLVM's runtime may not report tests.
    if row.thread is None or not row.stopped or \
            recorded and tests is None and not code_owner.foreign_runtime(row.process):
        return []
    frame = next(iter(row.stacks.walker.user_frames(row.thread)), None)
    locks = {} if frame is None else tested_locks.tested(frame.frame)
    # The last one that was tested in vain is one of several.
    return [_TestedLock(*one, "stacks") for one in locks.items()] \
        if tests is None or tests.lock in locks and len(locks) > 1 else []


def _gives_back(row: ThreadRow) -> bool:
    """Whether the loop that a thread is in tests locks, and releases others."""
    frame = None if row.thread is None else \
        next(iter(row.stacks.walker.user_frames(row.thread)), None)
    return frame is not None and tested_locks.releases(frame.frame)


def read_words(row: ThreadRow) -> str:
    """Which variables the loop reads that a thread is in, or nothing; "~" before those that it reads by
    calls."""
    alone = only_reads(row).raw or _names(row.stacks, _words(row, polled_words.polled) or ())
    if alone:
        return "reads " + alone
    words = _words(row, polled_words.polled_by_calls, _MOST_CALLS)
    return "~reads " + _names(row.stacks, words) if words else ""


def only_reads(row: ThreadRow) -> Name:
    """Which variables the loop reads that a thread is in, if it does nothing else by its code, and
    what it wants of one; or nothing."""
    found = _words(row, polled_words.wanted, _MOST_CALLS)
    return Name(_names(row.stacks, words_alone(row)) + (
        "" if found is None else " (is %d, wants %s)" % (
            found.value, _WANTED[found.relation].format(found.number))))


def words_alone(row: ThreadRow) -> Dict[int, int]:
    """{address: bytes} of these."""
    return _words(row, polled_words.polled_alone, _MOST_CALLS) or {}


def asks_others(row: ThreadRow) -> bool:
    """Whether by its code the loop that a thread is in calls the runtime, or reads what another thread
    may write: what is on its own stack, up to the newest call of its code by another's, is not."""
    frames: List[Frame] = []
    end = 0
    for one, is_user in () if row.thread is None else itertools.islice(
            _calls(row.stacks.walker.stack(row.thread)), _MOST_FRAMES):
        if frames:
            end = one.sp
        if is_user:
            frames.append(one.frame)
        elif frames:
            break
    loops = (polled_words.asks_others(one, end) for one in frames[:_MOST_CALLS + 1])
    return next((found for found in loops if found is not None), False)


def _names(stacks: StitchedStacks, words: Iterable[int]) -> str:
    return ", ".join(_word_name(stacks, word) for word in itertools.islice(words, _MOST_WORDS))


def _words(row: ThreadRow, find: Callable[[Frame, int], _Found], most: int = 0
           ) -> Optional[_Found]:
    """Those that FIND finds in the newest frame, which is the user's, or in MOST that have called
    it; None where there is no such frame."""
    words: Optional[_Found] = None
    frames = [] if row.thread is None else list(itertools.islice(
        _calls(row.stacks.walker.stack(row.thread)), most + 2))
    for (newer, is_user), (older, _) in zip(frames, frames[1:]):
        words = find(newer.frame, older.sp) if is_user else None
        if words:
            break
    return words


def _calls(stack: Iterable[StackFrame]) -> Iterator[Tuple[StackFrame, bool]]:
    """The frames without those that are inlined in one; whether it, or one of these, is the user's."""
    is_user = False
    for one in stack:
        is_user = is_user or one.is_user
        if one.frame.kind != interface.INLINED:
            yield one, is_user
            is_user = False


def _word_name(stacks: StitchedStacks, address: int) -> str:
    """As the source calls it, without the members of an object of C++'s library."""
    name = _MEMBERS.sub("", escaped.exact(stacks.object_at(address) or ""))
    return name if name and not name.startswith("((struct std::") else "%#x" % address
