# SPDX-License-Identifier: MIT
"""In which critical sections code is, and which locks it has acquired, by the calls around it: what
is executed before an address is followed from its function's beginning on. For instance

    <+4>   lea  deepest           the section's address
    <+11>  call GOMP_critical_name_start
    <+16>  call pause             in it, though nothing ends it: the compiler knows that pause()
    <+21>  jmp  <+16>             is called for ever
"""

from __future__ import annotations

from openmp_inspect.core import caches, debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import call_argument, call_site, entry_points, entry_waits, \
    machine_code, values
from openmp_inspect.code.expressions import Expression, register

if TYPE_CHECKING:
    from typing import Any, Callable, Collection, Dict, Hashable, List, Optional, Sequence, Set, Tuple
    from openmp_inspect.host.interface import Process
    from openmp_inspect.code.expressions import Value
    # Wait ids of sections, 0 where it is not known which, or Values of locks; outermost first.
    Inside = Tuple[Any, ...]
    # From what code is in before a call, the address to which that returns, and those of the
    # instructions up to it: what it is in behind, and what if the result is not 0.
    After = Callable[[Process, Inside, int, Sequence[int]], Tuple[Inside, Inside]]

_MOST = 4096  # instructions of a function that are followed
_AT_ONCE = 32  # instructions after which it is asked whether they still are the function's
_MOST_IN_RUN = 16  # instructions before a call that may compute its argument
_PIECE = 256  # bytes of code that are read
_PAGE = 4096  # behind which there may be no memory
TESTS = {"omp_test_lock": "wait_lock", "omp_test_nest_lock": "wait_nest_lock",
         "omp_test_lock_": "wait_lock", "omp_test_nest_lock_": "wait_nest_lock"}
RELEASES = frozenset("omp_unset_%slock%s" % (kind, end) for kind in ("", "nest_") for end in ("", "_"))

# By program space, start, and what is looked for.
_known: Dict[Tuple[Hashable, int, After], _Function] = caches.of_code()


class _Function(NamedTuple):
    """What is on the way to a function's instructions; None where that differs."""

    before: Dict[int, Optional[Inside]]  # by address
    during: Dict[int, Optional[Inside]]  # by the address to which a call returns
    calls: Dict[Any, List[int]]  # to where those return that lead inside

    def inside(self, address: int, is_called: bool) -> Optional[Inside]:
        """What the code at ADDRESS is in, or a call that returns to it if IS_CALLED."""
        return self.during.get(address) if is_called else self.before.get(address)


_UNKNOWN = _Function({}, {}, {})


def around(process: Process, address: int, is_called: bool) -> Optional[Set[Optional[int]]]:
    """The wait ids of the sections that the code at ADDRESS is in, None being that of the one
    without a name; those that a call is about which returns to it if IS_CALLED. None where that
    is not known."""
    found = _function(process, address, is_called, _in_sections).inside(address, is_called)
    return None if found is None or 0 in found else set(found)


def locks(process: Process, address: int, is_called: bool) -> Dict[Value, int]:
    """{lock: to where the call returns that has acquired it, it seems} of those that the function with
    the code at ADDRESS has acquired there whatever way it came, as far as it itself has not released
    them: their addresses, for call_argument.evaluated()."""
    function = _function(process, address, is_called, _with_locks)
    inside = function.inside(address, is_called) or ()
    return {lock: max((end for end in function.calls[lock] if end <= address),
                      default=function.calls[lock][0]) for lock in inside}


def _function(process: Process, address: int, is_called: bool, after: After) -> _Function:
    name, offset = process.symbol_at(address - is_called)
    if name is None or name.endswith(".cold"):
        return _UNKNOWN  # whose beginning is elsewhere
    start = address - is_called - offset
    key = process.code_key, start, after
    if key not in _known:
        try:
            _known[key] = _followed(process, start, name, after)
        except HostError:
            debug.ignored()
            _known[key] = _UNKNOWN
    return _known[key]


class _Code:
    """Instructions of a process, whose bytes are read in pieces."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._start, self._bytes = 0, b""

    def at(self, address: int) -> Optional[machine_code.Instruction]:
        """The one at an ADDRESS, or None; HostError where that cannot be read."""
        offset = address - self._start
        if not 0 <= offset <= len(self._bytes) - machine_code.LONGEST:
            self._start, self._bytes, offset = address, _read(self._process, address), 0
        return machine_code.decoded(self._process.machine, self._bytes, offset, address)

    def bytes(self, address: int, size: int) -> bytes:
        """Those of the instruction that at() has found there."""
        return self._bytes[address - self._start:address - self._start + size]


def _read(process: Process, address: int) -> bytes:
    size = min(_PIECE, _PAGE - address % _PAGE)
    code = process.read(address, size)
    if size < machine_code.LONGEST:
        try:
            code += process.read(address + size, machine_code.LONGEST)
        except HostError:
            debug.ignored()
    return code


def _followed(process: Process, start: int, name: str, after_call: After) -> _Function:
    joins: Set[int] = set()
    _walked(process, start, name, lambda _process, inside, end, run: (inside, inside), joins, joins)
    return _walked(process, start, name, after_call, joins, set())


def _is_test(process: Process, code: bytes, end: int) -> bool:
    """Whether the instruction in CODE compares what a call has returned to 0."""
    executor = values.of_machine(process.machine)
    if executor is None:
        return False
    result = register(executor.RESULT)
    return executor.comparison(code, end) in ((result, 0, 4), (Expression("and", result, 1), 0, 4))


def _unless_zero(process: Process, code: bytes, inside: Optional[Inside],
                 nonzero: Optional[Inside]) -> Tuple[Optional[Inside], Optional[Inside]]:
    """What code is in behind a branch whose CODE this is, and where it leads: INSIDE, or NONZERO if
    what has been tested is not 0."""
    relation = values.of_process(process).condition(code)
    return (nonzero, inside) if relation == "=" else (inside, nonzero) if relation == "!=" else \
        (inside, inside)


def _walked(process: Process, start: int, name: str, after_call: After, joins: Collection[int],
            targets: Set[int]) -> _Function:
    """Adds to TARGETS where jumps lead. JOINS: such that are known: what is computed before one of
    them another way may not have come along."""
    found, code = _Function({}, {}, {}), _Code(process)
    ways: List[Tuple[int, Optional[Inside], List[int]]] = [(start, (), [])]
    left = _MOST
    while ways:
        at, inside, run = ways.pop()
        if process.symbol_at(at)[0] != name:
            continue
        # Behind a call, if its result is not 0; and where the instruction begins that may branch by that.
        result, called, tested = None, 0, 0
        for _ in range(_AT_ONCE):
            if at in found.before and found.before[at] in (None, inside):
                break
            if at in found.before:
                inside = None
            found.before[at] = inside
            run = [at] if at in joins else [*run[-_MOST_IN_RUN:], at]
            left -= 1
            one = code.at(at)
            if one is None or left <= 0:
                return _UNKNOWN
            words = code.bytes(at, one.length)
            at += one.length
            if one.flow == "call":
                # A thread in the call that ends a section may have released it.
                after, result = (None, None) if inside is None else after_call(process, inside, at, run)
                if inside is not None and result is not None and len(result) > len(inside):
                    found.calls.setdefault(result[-1], []).append(at)
                ends = inside and after is not None and len(after) < len(inside)
                found.during[at] = after if ends else inside
                inside, run, called = after, [], at
                continue
            if at - one.length == called and _is_test(process, words, at):
                tested = called if one.flow == "branch" else at
            if one.flow in ("jump", "branch") and one.target is not None:
                inside, there = _unless_zero(process, words, inside, result) \
                    if at - one.length == tested else (inside, inside)
                ways.append((one.target, there, []))
                targets.add(one.target)
            if one.flow in ("jump", "end"):
                break
        else:
            ways.append((at, inside, run))
    return found


def _in_sections(process: Process, inside: Inside, end: int, _run: Sequence[int]) -> Tuple[Inside, Inside]:
    """INSIDE what code is behind the call that returns to END."""
    function = call_site.called_at(process, end)
    entry = entry_points.find(function)
    if entry is not None and entry.construct == "critical":
        inside = inside[:-1] if entry.part == "end" else \
            (*inside, None if entry.object == "unnamed" else entry_waits.section_at(process, function, end))
    return inside, inside


def _with_locks(process: Process, held: Inside, end: int, run: Sequence[int]) -> Tuple[Inside, Inside]:
    """What of the locks HELD, and of one more, code has behind the call that returns to END, a RUN
    of instructions up to it."""
    function = call_site.called_at(process, end)
    entry, is_test = entry_points.find(function), entry_points.name_of(function) in TESTS
    if not is_test and (entry is None or entry.catch != "lock" or entry.object != 0):
        return held, held
    lock = call_site.argument_at(process, end, True, lambda start: start < run[0]) or \
        call_argument.before(process, run)
    if entry is not None and entry.part == "end":
        # Of two that are not the same to the letter only static ones are known to differ.
        held = tuple(one for one in held if one != lock) if lock in held else \
            tuple(one for one in held if isinstance(one, int) and isinstance(lock, int))
        return held, held
    more = (*held, lock) if lock is not None and lock not in held else held
    return held if is_test else more, more
