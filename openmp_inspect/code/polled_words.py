# SPDX-License-Identifier: MIT
"""The words of memory that a loop reads which a thread is in: what it may wait for another thread
to change. For instance

    <+8>   mov   -20(%rbp),%eax           its own variable, on its stack
    <+11>  cltq
    <+13>  mov   finished(,%rax,4),%eax   the word that is polled
    <+20>  test  %eax,%eax
    <+22>  je    <+8>
"""

from __future__ import annotations

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import call_argument, call_site, entry_points, expressions, loop_exits, loops, \
    machine_code, values
from openmp_inspect.code.expressions import NO_REGISTER, SIZE, Expression
from openmp_inspect.code.loops import LoopPart

if TYPE_CHECKING:
    from typing import Any, Container, Dict, List, Optional, Set
    from openmp_inspect.code.expressions import Value
    from openmp_inspect.host.interface import Frame, Process

# What pauses, and what the runtime answers without doing anything.
_PAUSE = regex(r"(sched_yield|usleep|nanosleep|thrd_yield|__kmpc_flush|"
               r"omp_(in_parallel|get_(thread_num|num_threads|max_threads|num_procs|level))_?|"
               r"_ZNSt(3__1)?11this_thread(5yield|9sleep_for|11sleep_until)\w+)\Z")
_LOAD = regex(r"std::(__1::)?(atomic|__atomic_base|atomic_flag)(<.+>)?::(load|test|operator )")
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "<u": ">u", ">u": "<u", "<=u": ">=u", ">=u": "<=u"}
_LARGEST = 256  # bytes of a function that is called
_RED_ZONE = 128  # bytes below the stack pointer that are a function's own
_EVERY = range(NO_REGISTER + 1)  # registers: what a function that is called has in them is not known


def polled(frame: Frame, stack_end: int) -> List[int]:
    """Addresses of words that the innermost loop around a thread's instruction reads; none where
    that is not known, or the loop calls something. FRAME is its newest one, which ends at STACK_END:
    what it has there is its own."""
    try:
        loop = loop_exits.innermost(frame)
        return [] if _calls(loop) else list(_read(loop, frame, stack_end))
    except (HostError, OverflowError):
        debug.ignored()
        return []


def polled_by_calls(frame: Frame, stack_end: int) -> List[int]:
    """The same of a loop that calls something, which any FRAME of a thread is in: what it reads itself
    and by its calls, if these are pauses, loads of an atomic object and functions that call nothing.
    It is inferred: what a call reads depends on its arguments and on the way in the function."""
    try:
        loop = loop_exits.innermost(frame)
        found: List[int] = []
        for at in _calls(loop):
            words = _read_by_call(loop, at, frame)
            if words is None:
                return []
            found += words
        return list(dict.fromkeys([*found, *_read(loop, frame, stack_end)])) if _calls(loop) else []
    except (HostError, OverflowError):
        debug.ignored()
        return []


def asks_others(frame: Frame, stack_end: int) -> Optional[bool]:
    """Whether the innermost loop around a FRAME's instruction calls the runtime or reads what another
    thread may write, and so does each loop in it: which of them repeats, the instruction does not say.
    No, too, where one calls what is not known. None: it is in no loop. Up to STACK_END the stack is
    the thread's own."""
    try:
        loop = loop_exits.innermost(frame)
        starts = {one.start for one in loop}
        heads = {one.found.target for one in loop if one.found.flow in ("jump", "branch") and
                 one.found.target in starts and one.found.target <= one.start}
        inner: List[List[LoopPart]] = [next(iter(loops.around(frame.process, head)), []) for head in heads]
        return all(_asks(one, loop, frame, stack_end) for one in [loop, *inner]) if loop else None
    except (HostError, OverflowError):
        debug.ignored()
        return False


def _asks(loop: List[LoopPart], around: List[LoopPart], frame: Frame, stack_end: int) -> bool:
    """The same of one LOOP, which is in the loop AROUND it or that one."""
    called = {at: entry_points.name_of(call_site.called_at(frame.process, loop[at].end))
              for at in _calls(loop)}
    words = [_read_by_call(loop, at, frame) for at, name in called.items() if not name]
    return None not in words and (
        any(called.values()) or bool(_read(loop, frame, stack_end, around)) or
        any(not _is_own(at, frame, stack_end) for found in words for at in found or ()))


def _calls(loop: List[LoopPart]) -> List[int]:
    return [at for at, one in enumerate(loop) if one.found.flow == "call"]


def _read(loop: List[LoopPart], frame: Frame, stack_end: int,
          around: Optional[List[LoopPart]] = None) -> Dict[int, int]:
    """{address: bytes} of the words that a LOOP reads itself, which is in the loop AROUND it, if any."""
    written = _written(frame.process, around or loop)
    if written is None:
        return {}
    found = [_address(loop_exits.run_up_to(loop, at), written, frame) for at in range(len(loop))]
    size_read = values.of_process(frame.process).size_read
    return {at: size_read(one.code) for one, at in zip(loop, found)
            if at is not None and not _is_own(at, frame, stack_end)}


def _written(process: Process, loop: List[LoopPart]) -> Optional[Set[Any]]:
    """The registers that a LOOP writes, or None where one of its instructions is not known."""
    written: Set[Any] = {NO_REGISTER}
    for one in loop:
        done = loop_exits.effect(process, one)
        if done is None:
            return None
        written.add(done.register)
    return written | values.changed(process) if _calls(loop) else written


def _is_own(address: int, frame: Frame, stack_end: int) -> bool:
    return frame.sp - _RED_ZONE <= address < stack_end


def _read_by_call(loop: List[LoopPart], at: int, frame: Frame) -> Optional[List[int]]:
    """Words that the call with this index in a LOOP reads, or None where that is not known."""
    if _pauses(frame.process, loop[at]):
        return []
    process, target = frame.process, call_site.target(frame.process, loop[at].end)
    name, offset = (None, 0) if target is None else process.symbol_at(target)
    if target is None or name is None or offset or name.endswith("@plt"):
        return None
    if _LOAD.match(process.demangled(name)):
        loaded = loops.argument(loop, at, frame)
        return None if loaded is None else [loaded]
    code, found = process.read(target, _LARGEST), []
    parts = [LoopPart(start, code[start - target:start - target + one.length], one)
             for start, one in machine_code.run(process.machine, code, target)]
    for at, (_, _, one) in enumerate(parts):
        address = _address(loop_exits.run_up_to(parts, at), _EVERY, frame)
        found += [] if address is None else [address]
        if one.flow == "end":
            return found
        if one.flow == "call":
            return None
    return None


def polled_alone(frame: Frame, stack_end: int) -> Dict[int, int]:
    """{address: bytes} of the same, of a loop that writes nothing, computes nothing from what it has
    computed before and calls nothing but pauses, which any FRAME of a thread is in; of others none, as
    of one that goes from link to link of a list."""
    try:
        loop = loop_exits.innermost(frame)
        written = _written(frame.process, loop)
        is_known = written is not None and all(
            _only_reads(frame.process, loop_exits.run_up_to(loop, at), written) for at in range(len(loop)))
        return _read(loop, frame, stack_end) if is_known else {}
    except (HostError, OverflowError):
        debug.ignored()
        return {}


class Wanted(NamedTuple):
    """A word, what it has, and the relation to a number with which the loop ends: "=", "!=", "<="
    or ">="."""

    address: int
    value: int
    relation: str
    number: int


def wanted(frame: Frame, stack_end: int) -> Optional[Wanted]:
    """What ends a loop that polled_alone() knows: that has one way out, by a comparison of a word that
    it reads with what does not change in it. None, too, where the word has that already."""
    try:
        loop = loop_exits.innermost(frame)
        words = polled_alone(frame, stack_end)
        exits = [(at, end) for at, one in enumerate(loop) for end in loops.following(one) -
                 {part.start for part in loop}]
        return _wanted(loop, *exits[0], words, frame) if words and len(exits) == 1 else None
    except (HostError, OverflowError):
        debug.ignored()
        return None


def _wanted(loop: List[LoopPart], at: int, end: int, words: Dict[int, int],
            frame: Frame) -> Optional[Wanted]:
    """The same of the branch with the index AT in a LOOP, which leads to its END or goes on there."""
    written = _written(frame.process, loop)
    decision = loop_exits.decision(frame.process, loop_exits.run_up_to(loop, at))
    if written is None or decision is None:
        return None
    relation, compared, run = decision
    if loop[at].found.target != end:
        relation = loop_exits.OPPOSITE[relation]
    left, right = (_before(frame.process, one, run, written) for one in compared[:2])
    address = None if left is None or right is None else _loaded(left, frame)
    if address not in words and left is not None and right is not None:
        left, right, relation = right, left, _MIRRORED.get(relation, relation)
        address = _loaded(left, frame)
    if address not in words or left is None or right is None:
        return None
    value, number = (loop_exits.number(one, compared.size, relation, frame) for one in (left, right))
    relation = relation.rstrip("u")
    if relation in "<>":
        number, relation = number + (1 if relation == ">" else -1), relation + "="
    return None if loop_exits.HOLDS[relation](value, number) else \
        Wanted(address or 0, value, relation, number)


def _loaded(value: Value, frame: Frame) -> Optional[int]:
    """The address of the word that a VALUE is, or None: it is another one, or a part of one."""
    mask = -1
    while isinstance(value, Expression) and value.kind in ("and", "signed"):
        second = call_argument.evaluated(value.second, frame)
        mask &= second if value.kind == "and" else (1 << 8 * second) - 1
        value = value.first
    if not isinstance(value, Expression) or value.kind != "load":
        return None
    size = call_argument.evaluated(value.second, frame)
    return None if ~mask & (1 << 8 * min(size, 4)) - 1 else call_argument.evaluated(value.first, frame) % SIZE


def _only_reads(process: Process, run: List[LoopPart], written: Container[Any]) -> bool:
    """Whether the last of a RUN of instructions of a loop, which has WRITTEN registers, leaves the same
    when it is executed again, unless memory has changed."""
    one, executor = run[-1], values.of_process(process)
    flow, end = one.found.flow, one.end
    if flow != "other":
        return flow in ("jump", "branch") or flow == "call" and _pauses(process, one)
    address, done = executor.read_from(one.code, end), executor.effect(one.code, end)
    if address is not None and _before(process, address, run[:-1], written) is None:
        return False
    return executor.only_loads(one.code) or done is not None and done.register is not None and \
        _before(process, done.value, run[:-1], written, 0) is not None


def _pauses(process: Process, call: LoopPart) -> bool:
    return _PAUSE.match(call_site.called_at(process, call.end) or "") is not None


def _address(run: List[LoopPart], written: Container[Any], frame: Frame) -> Optional[int]:
    """From where the last of a RUN of instructions of a loop reads, which has WRITTEN registers."""
    read = values.of_process(frame.process).read_from(run[-1].code, run[-1].end)
    value = _before(frame.process, read, run[:-1], written)
    return None if value is None else call_argument.evaluated(value, frame) % SIZE


def _before(process: Process, value: Optional[Value], run: List[LoopPart],
            written: Container[Any], condition: Value = expressions.UNKNOWN) -> Optional[Value]:
    """A VALUE behind a RUN of instructions of a loop, which has WRITTEN registers, in terms of what it
    has not; None where there is none, or it has others. A CONDITION that holds is that in a register."""
    for one in reversed(run):
        if value is None or expressions.is_known(value):
            break
        done = loop_exits.effect(process, one)
        if done is None or expressions.is_large(value) or \
                one.found.flow == "call" and loop_exits.needs(value, values.changed(process)):
            return None
        if done.register is not None:
            held = values.of_process(process).held_condition(one.code)
            value = expressions.replaced(value, done.register, done.value if held is None else condition)
    return None if value is None or loop_exits.needs(value, written) else value
