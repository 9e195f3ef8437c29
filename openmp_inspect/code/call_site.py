# SPDX-License-Identifier: MIT
"""What a call instruction of the program says: which function it enters, and with which
constant as its first argument.

Only what is certain is returned: the call must be a direct one, or one through the linker's
table, and the argument must have been loaded by the instructions right before it, or be
something that the asker is sure to recognise.
"""

from __future__ import annotations

from openmp_inspect.core import caches, debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import aarch64_code, aarch64_values, x86_calls
from openmp_inspect.code.expressions import Expression, is_known, is_large, parts, register, replaced
from openmp_inspect.host import interface
from openmp_inspect.host.interface import AARCH64, I386, X32, X86_64

if TYPE_CHECKING:
    from typing import Callable, Dict, Hashable, Iterator, Optional, Tuple
    from openmp_inspect.code.expressions import Value
    from openmp_inspect.host.interface import Frame, Process

_FUNCTION = regex(r"([\w.]+)(?:@plt|@got\.plt)?\Z")
_BEFORE = 24  # bytes of code that hold a call and its argument
_FAR_BEFORE = 72  # the same, with other arguments in between

# By program space, return address, and whether it was a jump: a name.
_known: Dict[Tuple[Hashable, int, bool], str] = caches.of_code()


def called(frame: Frame) -> Optional[str]:
    """The name of the function that the call which FRAME is inside of names, through its
    linkage table entry too, or None when it cannot be decoded. FRAME must have called
    something: it is not the newest one."""
    return called_at(frame.process, frame.pc, frame.kind == interface.TAIL_CALL)


def is_indirect(frame: Frame) -> bool:
    """Whether FRAME has called something through a register or memory, as far as its code
    can be decoded."""
    return frame.process.machine in _TARGETS and target(frame.process, frame.pc, False) is None


def called_at(process: Process, end: int, jumped: bool = False) -> Optional[str]:
    """The same of the call that returns to END; JUMPED: of the jump in place of a call that
    stands before END."""
    key = process.code_key, end, jumped
    name = _known.get(key)
    if name is None:
        address = target(process, end, jumped)
        name = None if address is None else name_of(process, address)
        if name is not None:
            _known[key] = name
    return name


def argument_at(process: Process, end: int, is_static: bool = False,
                is_joined: Optional[Callable[[int], bool]] = None) -> int:
    """The first argument of the call that returns to END, where it is a constant, else 0.
    IS_STATIC: it is the address of an object, never the content of a pointer. IS_JOINED: whether
    another way leads behind the instruction at START, which sets it, and to the call; None: it is
    set right before the call."""
    try:
        decode = _ARGUMENTS.get(process.machine)
        before = _BEFORE if is_joined is None else _FAR_BEFORE
        code = process.read(end - before, before)
        found = decode(process, code, end, is_static, is_joined is None) if decode else None
        return 0 if found is None or is_joined is not None and is_joined(found[1]) else found[0]
    except HostError:
        debug.ignored()
        return 0


def checked_argument_at(process: Process, end: int, accepts: Callable[[int], bool]) -> Optional[int]:
    """The nearest address that is loaded, it seems for one of the first arguments of the call (or
    jump) that returns to END, and that ACCEPTS, or the only one that its function ever has in the
    register that is copied there; None where there is none. Other arguments may be loaded after it.
    The code is read backwards, so that it may seem to be what it is not: ACCEPTS has to be sure."""
    try:
        checked, kept = _CHECKED[process.machine]
        code = process.read(end - _FAR_BEFORE, _FAR_BEFORE)
        found = next(filter(accepts, checked(process, code, end)), None)
        if found is None:
            every = set(filter(accepts, kept(process, code, end)))
            found = every.pop() if len(every) == 1 else None
        return found
    except (HostError, KeyError):
        debug.ignored()
        return None


def target(process: Process, end: int, jumped: bool = False) -> Optional[int]:
    """Where the call before END goes, or None, as for calls through registers."""
    try:
        decode = _TARGETS.get(process.machine)
        return decode(process, process.read(end - _BEFORE, _BEFORE), end, jumped) if decode else None
    except HostError:
        debug.ignored()
        return None


def name_of(process: Process, address: int) -> Optional[str]:
    """The name of the function at ADDRESS or, of an entry of the linkage table, of the one that it
    leads to; None where there is no symbol."""
    symbol, offset = process.symbol_at(address & (1 << 64) - 1)
    found = _FUNCTION.match(symbol) if symbol and not offset else None
    return found.group(1) if found else None


# On aarch64 all instructions have one size, and are executed backwards from the end of CODE, where END is;
# x86_calls.py says what is asked.

_SIZE = 4  # bytes of an instruction
_OF_ARGUMENTS = (0, 1, 2)  # registers
_PRESERVED = range(19, 30)
_LARGEST = 1 << 16  # bytes of a function


def _aarch64_target(_process: Process, code: bytes, end: int, jumped: bool) -> Optional[int]:
    found = aarch64_code.decoded(code, len(code) - _SIZE, end - _SIZE)
    return found[2] if found is not None and found[1] == ("jump" if jumped else "call") else None


def _aarch64_argument(process: Process, code: bytes, end: int, is_static: bool,
                      at_once: bool) -> Optional[Tuple[int, int]]:
    value, start = _loaded(code, end, 0, at_once, True)
    found = _constant(process, value, is_static)
    return None if found is None else (found, start)


def _aarch64_checked(process: Process, code: bytes, end: int) -> Iterator[int]:
    loaded = [_loaded(code, end, number) for number in _OF_ARGUMENTS]
    for value, _ in sorted(loaded, key=lambda one: -one[1]):
        found = _constant(process, value, True)
        if found is not None:
            yield found


def _aarch64_kept(process: Process, code: bytes, end: int) -> Iterator[int]:
    copied = {number for argument in _OF_ARGUMENTS for number in _PRESERVED
              if register(number) in parts(_loaded(code, end, argument)[0])}
    name, offset = process.symbol_at(end - 1) if copied else (None, 0)
    if name is None or offset > _LARGEST:
        return
    start = end - 1 - offset
    known: Dict[Value, Value] = {}
    content = process.read(start, end - start)
    for at in range(0, len(content), _SIZE):
        done = aarch64_values.effect(content[at:at + _SIZE], start + at + _SIZE)
        if done is None or done.register is None:
            continue
        value = done.value
        for part in list(parts(value)):
            if isinstance(part, Expression) and part.kind == "register" and part.first in known:
                value = replaced(value, part.first, known[part.first])
        known.pop(done.register, None)
        if is_known(value):
            known[done.register] = value
        found = _constant(process, value, True) if done.register in copied else None
        if found is not None:
            yield found


def _loaded(code: bytes, end: int, number: int, at_once: bool = False,
            is_sure: bool = False) -> Tuple[Value, int]:
    """(what the register with this NUMBER has at the call, where the instructions begin that set it), by
    those behind another call: what was loaded before one is gone. AT_ONCE: by those right before, each of
    which has a part in it. IS_SURE: by such alone that go on to the next one and are known."""
    value: Value = register(number)
    start = end - len(code)
    for at in range(len(code) - 2 * _SIZE, -1, -_SIZE):
        found = aarch64_code.decoded(code, at, start + at)
        done = aarch64_values.effect(code[at:at + _SIZE], start + at + _SIZE)
        sets = done is not None and done.register is not None and register(done.register) in parts(value)
        if found is None or found[1] == "call" or at_once and not sets or \
                is_sure and found[1] != "branch" and done is None:
            break
        if done is not None and done.register is not None and sets:
            value = replaced(value, done.register, done.value)
        if is_known(value) or is_large(value):
            return value, start + at
    return value, start


def _constant(process: Process, value: Value, is_static: bool) -> Optional[int]:
    """The number that a VALUE is or, where IS_STATIC, that a word has which may be of the linker's table:
    that may be the program's own pointer, which may be another one by now. None of others."""
    if is_static and isinstance(value, Expression) and value.kind == "load" and \
            isinstance(value.first, int) and value.second == 8:
        return process.unsigned(value.first, 8)
    return value if isinstance(value, int) else None


# By machine.
_TARGETS: Dict[str, Callable[[Process, bytes, int, bool], Optional[int]]] = {
    X86_64: x86_calls.target, X32: x86_calls.target_of_32, I386: x86_calls.target_of_32,
    AARCH64: _aarch64_target}
_ARGUMENTS = {X86_64: x86_calls.argument, AARCH64: _aarch64_argument}
_CHECKED = {X86_64: (x86_calls.checked, x86_calls.kept), AARCH64: (_aarch64_checked, _aarch64_kept)}
