# SPDX-License-Identifier: MIT
"""Threads by their OpenMP numbers: the path through nested teams, outermost first."""

from __future__ import annotations

from openmp_inspect.core import debug, errors, screen, text
from openmp_inspect.core.errors import UserError
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Dict, Hashable, Iterable, List, Optional, Tuple
    from openmp_inspect.host.interface import Thread as HostThread
    from openmp_inspect.model.objects import Thread
    from openmp_inspect.model.snapshot import Snapshot

    Path = Tuple[int, ...]  # numbers in teams, outermost first

_PATH = regex(r"\d+(\.\d+)*\Z")
_ITEM = regex(r"(\d+(?:\.\d+)*)(?:-(\d+))?\Z")
_LONGEST_RANGE = 1 << 16


class Member:
    """A thread that the debugger and the OpenMP runtime both list. `numbers` and `label` are None
    while it is idle or not known; `root` is equal for threads of one contention
    group."""

    def __init__(self, thread: HostThread, known: Thread) -> None:
        self.thread = thread
        self.known = known
        self.numbers: Optional[Path] = None
        self.label: Optional[str] = None
        self.root: Hashable = None
        self.idle = False
        try:
            self.idle = known.state == "idle"
            if self.idle:
                return
            steps = known.path
            self.root = _root(known)
        except errors.OmpdError:
            debug.ignored()
            return
        self.label = text.thread_path(steps)
        numbers = tuple(number for number, _ in steps if number is not None)
        if len(numbers) == len(steps):
            self.numbers = numbers

    def name(self, of_system: str) -> str:
        """As `OpenMP thread 2/4, thread 3 (OF_SYSTEM)`."""
        result = "OpenMP thread " + (self.label or "?")
        if self.idle:
            result = "Idle OpenMP thread"
        return "%s, thread %s (%s)" % (result, text.thread(self.thread.num), of_system)


def _root(known: Thread) -> Tuple[str, Hashable]:
    region = known.region
    if region is None:
        return "serial", known.lwp
    while region.parent is not None:
        region = region.parent
    return "region", region.key


def member(snapshot: Snapshot, thread: HostThread) -> Optional[Member]:
    """The Member for a thread, or None when it is no OpenMP thread."""
    known = snapshot.thread_of(snapshot.process.kernel_id(thread))
    return None if known is None else Member(thread, known)


def everybody(snapshot: Snapshot) -> List[Member]:
    """A Member for each OpenMP thread: one contention group after the other, each by its
    numbers, then those that have none."""
    by_lwp = snapshot.by_lwp
    found = [Member(thread, by_lwp[lwp]) for lwp, thread in snapshot.process.threads()
             if lwp in by_lwp]
    first: Dict[Hashable, int] = {}
    for one in found:  # by the debugger's number
        first.setdefault(one.root, one.thread.num)
    return sorted(found, key=lambda m: (m.numbers is None, first[m.root], m.numbers or (),
                                        m.thread.num))


def among(members: Iterable[Member], thread: Optional[HostThread]) -> Optional[Member]:
    """The Member for a thread, or None."""
    return next((m for m in members if thread is not None and m.thread.ptid == thread.ptid),
                None)


def index(members: Iterable[Member]) -> Dict[Path, List[Member]]:
    """Members for find(), by their path as far as it does not end in zeros."""
    result: Dict[Path, List[Member]] = {}
    for one in members:
        if one.numbers is not None:
            result.setdefault(_stem(one.numbers), []).append(one)
    return result


def _stem(numbers: Path) -> Path:
    while numbers and numbers[-1] == 0:
        numbers = numbers[:-1]
    return numbers


def find(wanted: Path, indexed: Dict[Path, List[Member]], selected: Optional[Member]) -> Member:
    """The Member whose path is WANTED, or whose path begins with it and goes on as number
    0: who opens a region is number 0 in it. The group of SELECTED, a Member or None, goes
    first; beyond it there must be one answer."""
    found = [m for m in indexed.get(_stem(wanted), ())
             if m.numbers is not None and m.numbers[:len(wanted)] == wanted]
    if selected is not None and selected.root is not None:
        own = [m for m in found if m.root == selected.root]
        found = own or found
    if not found:
        raise UserError('There is no OpenMP thread %s: "%s" lists them.' % (
            dotted(wanted), screen.current().typed("ompd threads")))
    if len(found) > 1:
        raise UserError("Several teams have a thread %s: select a thread of the one you mean with "
                        '%s\'s "thread" first.' % (dotted(wanted), screen.current().debugger))
    return found[0]


def parse(word: str) -> Path:
    """`2.1` as (2, 1)."""
    if not _PATH.match(word) or len(word) > 64:
        raise UserError('"%s" is no OpenMP number: give one as 2, or as 2.1 for thread 1 '
                        "of the team that thread 2 has opened." % word)
    return tuple(int(number) for number in word.split("."))


def parse_list(words: str) -> List[Path]:
    """`0,2-3,2.0-1` as a list of paths."""
    result: List[Path] = []
    for word in words.split(","):
        item = _ITEM.match(word)
        if not item or len(word) > 64:
            raise UserError('"%s" is no list of OpenMP numbers: give one as 0,2-3.' % words)
        first = parse(item.group(1))
        last = int(item.group(2) or first[-1])
        if not first[-1] <= last <= first[-1] + _LONGEST_RANGE:
            raise UserError('"%s" is no range of OpenMP numbers.' % word)
        result += [first[:-1] + (number,) for number in range(first[-1], last + 1)]
    return result


def dotted(numbers: Iterable[object]) -> str:
    return ".".join(str(number) for number in numbers)


def ranges(paths: Iterable[Path]) -> str:
    """[(0,), (1,), (2,), (5,)] as "0-2,5"; what parse_list() reads."""
    groups: Dict[Path, List[int]] = {}
    for numbers in sorted(set(paths)):
        groups.setdefault(numbers[:-1], []).append(numbers[-1])
    return ",".join(dotted((*prefix, word)) for prefix, last in sorted(groups.items())
                    for word in text.ranges(last).split(" "))
