# SPDX-License-Identifier: MIT
"""What `ompd catch` decides, without a debugger: threads at watched addresses in, events and further
addresses to watch out. A debugger has a breakpoint at each function of catch_kinds.py and at each
address that it is asked to watch, and tells of every thread that comes there (Visit)."""

from __future__ import annotations

import functools

from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import catch_kinds
from openmp_inspect.model.team_arrivals import Arrivals
from openmp_inspect.stacks import event_words

if TYPE_CHECKING:
    from typing import Callable, Dict, Hashable, Optional, Set, Tuple
    from openmp_inspect.code.entry_point_table import Entry
    from openmp_inspect.stacks.stitched_stack import StitchedStacks

_MOST = 4096  # addresses that are watched for one Machine
_RESULT = 0xFF  # a bool is a byte wide


class Spot(NamedTuple):
    """Where a call returns to."""

    pc: int
    sp: int


class Visit:
    """A thread, by its number, in the first instruction of a function, or at an address that is watched.
    What cannot be read is None."""

    thread: int
    here: Spot

    @property
    def caller(self) -> Optional[Spot]:
        """Where the function was called, None if not in the user's code."""
        raise NotImplementedError

    @property
    def back(self) -> Optional[Spot]:
        """Where it returns to, maybe past callers that it has been jumped to from."""
        raise NotImplementedError

    def argument(self, number: int) -> Optional[int]:
        """That of the function, from 0."""
        raise NotImplementedError

    def result(self) -> Optional[int]:
        """What has just been returned."""
        raise NotImplementedError

    def body(self, entry: Entry) -> Optional[int]:
        """The address of the body with which the function was called."""
        raise NotImplementedError

    def part(self, task: int) -> Optional[int]:
        """The number of the part that an untied task of clang's is to go on with, 0 for its beginning, by
        its descriptor: each part queues the next one, which calls the body again."""
        raise NotImplementedError

    def is_last(self, arrivals: Arrivals) -> bool:
        """Whether the thread comes last to its team's barrier, or that is not known."""
        raise NotImplementedError


class Event(NamedTuple):
    """What is caught: the construct of a region or task, and its body or the object it is about."""

    construct: Optional[str]
    word: Optional[int]


if TYPE_CHECKING:
    Question = Callable[[Visit], Optional[Event]]
    Then = Callable[[Visit, Event], Optional[Event]]


class Calls:
    """The last one that each thread has reported, so that each counts once."""

    def __init__(self) -> None:
        # By thread: (caller, who has reported it, function).
        self._last: Dict[int, Tuple[Optional[Spot], Hashable, int]] = {}

    def has(self, visit: Visit, who: Hashable) -> bool:
        """Whether another one than WHO has reported the call of a VISIT: the function was entered by a
        jump, as omp_set_lock() is from that for Fortran and the runtime's from that of the hooks, or has
        two names, as some loops of libgomp have."""
        call = visit.caller, who, visit.here.pc
        last = self._last.get(visit.thread)
        if last is None or last[0] != call[0] or last == call:
            self._last[visit.thread] = call
            return False
        if last[2] != visit.here.pc:
            del self._last[visit.thread]
        return True


class Machine:
    """Of one breakpoint. WATCH has the debugger stop at an address; whether it can. ENTRANCE: where the
    variables of a body have their values, by where it begins."""

    def __init__(self, kind: str, moment: str, watch: Callable[[int], bool],
                 entrance: Callable[[int], int]) -> None:
        self.kind = kind
        self.how = catch_kinds.KINDS[kind][moment]
        self._watch, self._entrance = watch, entrance
        self.forget()

    def forget(self) -> None:
        """The process is gone, and with it all addresses and threads."""
        self._questions: Dict[int, Dict[Hashable, Question]] = {}  # by address
        self._expected: Dict[Tuple[int, Spot], Tuple[Event, Then]] = {}  # by thread
        self._calls = Calls()
        self.arrivals = Arrivals()
        self.chosen: Set[int] = set()  # threads inside `single`
        self._bodies: Set[int] = set()  # that are watched
        self._untied: Set[int] = set()  # those of tasks that clang divides into parts
        self._resuming: Set[int] = set()  # threads between the start of a later part and its first line

    def functions(self) -> Dict[str, Callable[[Visit, Entry, Hashable], Optional[Event]]]:
        """What decides at each function of the runtime."""
        chooses = catch_kinds.CHOSEN if self.how.way == "done" else ()
        return {**dict.fromkeys(self.how.functions, self.called), **dict.fromkeys(chooses, self._chooses)}

    # Functions of the runtime

    def called(self, visit: Visit, entry: Entry, who: Hashable = None) -> Optional[Event]:
        """WHO: the breakpoint, where several may be at one address."""
        if visit.caller is None or self._calls.has(visit, who):
            return None
        way = self.how.way
        if way in ("body", "after"):
            self._at_body(visit, entry)
            return None
        event = Event(entry.construct, visit.body(entry) if self.kind == "parallel" else
                      visit.argument(entry.object) if isinstance(entry.object, int) else None)
        if way == "call" or way == "last" and visit.is_last(self.arrivals):
            return event
        if way == "done" and visit.thread in self.chosen:
            self.chosen.discard(visit.thread)
            return event
        if way == "chosen":
            self._expect(visit, event, functools.partial(self._if_chosen, entry))
        elif way == "return":
            self._expect(visit, event, _as_it_is)
        return None

    def _chooses(self, visit: Visit, entry: Entry, _who: Hashable) -> None:
        if visit.caller is not None:
            self._expect(visit, Event(None, None), functools.partial(self._choose, entry))

    def _choose(self, entry: Entry, visit: Visit, _event: Event) -> None:
        if _is_chosen(visit, entry):
            self.chosen.add(visit.thread)

    @staticmethod
    def _if_chosen(entry: Entry, visit: Visit, event: Event) -> Optional[Event]:
        return event if _is_chosen(visit, entry) else None

    # Bodies

    def _at_body(self, visit: Visit, entry: Entry) -> None:
        body = visit.body(entry)
        if body is None:
            return
        if entry.in_task and isinstance(entry.body, int) and visit.part(visit.argument(entry.body) or 0):
            # The next part is queued: this one's end is not the task's, nor the next one's start.
            if self.how.way == "body":
                self.watch_parts(body)
            else:
                own = [key for key in self._expected if key[0] == visit.thread]
                if own:
                    del self._expected[min(own, key=lambda key: key[1].sp)]
        else:
            self.watch_body(body, entry.construct)

    def watch_body(self, body: int, construct: Optional[str]) -> bool:
        """BODY, of a CONSTRUCT in words, will begin. Whether there is room to watch it."""
        if body not in self._bodies and self._ask_at(
                self._entrance(body) if self.how.way == "body" else body, ("begins", body),
                functools.partial(self._begins, Event(construct, body))):
            self._bodies.add(body)
        return body in self._bodies

    def _begins(self, event: Event, visit: Visit) -> Optional[Event]:
        if self.how.way == "body":
            return None if self._is_resumed(visit) else event
        self._expect(visit, event, _as_it_is)
        return None

    def watch_parts(self, body: int) -> None:
        """BODY, of a task of clang's, may be that of an untied one, which begins once in each part."""
        if body not in self._untied and len(self._questions) < _MOST:
            self._untied.add(body)
            if self._entrance(body) != body:
                self._ask_at(body, ("resumes", body), self._resumes)

    def _resumes(self, visit: Visit) -> None:
        if _part(visit):
            self._resuming.add(visit.thread)

    def _is_resumed(self, visit: Visit) -> bool:
        """Whether a body that begins is a later part of its task."""
        if visit.thread in self._resuming:
            self._resuming.remove(visit.thread)
            return True
        return visit.here.pc in self._untied and bool(_part(visit))

    # Addresses

    def at(self, visit: Visit) -> Optional[Event]:
        """At an address that is watched: the event that this is."""
        expected = self._expected.pop((visit.thread, visit.here), None)
        event = None if expected is None else expected[1](visit, expected[0])
        for question in list(self._questions.get(visit.here.pc, {}).values()):
            event = question(visit) or event
        return event

    def _expect(self, visit: Visit, event: Event, then: Then) -> None:
        if visit.back is not None:
            self.expect(visit.thread, visit.back, event, then)

    def expect(self, thread: int, back: Spot, event: Event, then: Optional[Then] = None) -> bool:
        """An EVENT ends where a THREAD comes BACK. Whether there is room to watch that."""
        if back.pc not in self._questions and not self._ask_at(back.pc, None, None):
            return False
        self._expected[thread, back] = event, then or _as_it_is
        return True

    def _ask_at(self, address: int, key: Hashable, question: Optional[Question]) -> bool:
        if address not in self._questions:
            if len(self._questions) >= _MOST or not self._watch(address):
                return False
            self._questions[address] = {}
        if question is not None:
            self._questions[address].setdefault(key, question)
        return True

    # Words

    def noun(self, stacks: StitchedStacks, event: Optional[Event]) -> str:
        """What an EVENT is about; None: of that nothing is known."""
        if event is None or self.kind not in ("parallel", "task"):
            return event_words.of_object(stacks, self.kind, None if event is None else event.word)
        return event_words.of_body(stacks.process, event.construct, event.word,
                                   "the region" if self.kind == "parallel" else "a task")


def _as_it_is(_visit: Visit, event: Event) -> Event:
    return event


def _is_chosen(visit: Visit, entry: Entry) -> bool:
    """Whether the call that has just returned has chosen the thread; LLVM's answers are 0 and 1."""
    value = visit.result()
    return value is not None and (value & _RESULT != 0 if entry.runs == "if_true" else value == 0)


def _part(visit: Visit) -> Optional[int]:
    """Of the task that is the second argument of its body."""
    task = visit.argument(1)
    return None if task is None else visit.part(task)
