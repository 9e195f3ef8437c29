# SPDX-License-Identifier: MIT
"""What a call instruction of the program says: which function it enters, and with which
constant as its first argument.

Only what is certain is returned: the call must be a direct one, or one through the linker's
table, and the argument must have been loaded by the instructions right before it, or be
something that the asker is sure to recognise.
"""

from __future__ import annotations

import re

from openmp_inspect.core import caches, debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface, processes
from openmp_inspect.host.interface import AARCH64, I386, X32, X86_64

if TYPE_CHECKING:
    from typing import Callable, Dict, Hashable, Iterator, Match, Optional, Set, Tuple
    from openmp_inspect.host.interface import Frame

_FUNCTION = regex(r"([\w.]+)(?:@plt|@got\.plt)?\Z")
_BEFORE = 24  # bytes of code that hold a call and its argument
_FAR_BEFORE = 72  # the same, with other arguments in between
_LARGEST = 1 << 16  # bytes of a function

# By program space, return address, and whether it was a jump: a name.
_known: Dict[Tuple[Hashable, int, bool], str] = caches.of_code()


def called(frame: Frame) -> Optional[str]:
    """The name of the function that the call which FRAME is inside of names, through its
    linkage table entry too, or None when it cannot be decoded. FRAME must have called
    something: it is not the newest one."""
    return called_at(frame.pc, frame.kind == interface.TAIL_CALL)


def is_indirect(frame: Frame) -> bool:
    """Whether FRAME has called something through a register or memory, as far as its code
    can be decoded."""
    return processes.current().machine in _TARGETS and target(frame.pc, False) is None


def called_at(end: int, jumped: bool = False) -> Optional[str]:
    """The same of the call that returns to END; JUMPED: of the jump in place of a call that
    stands before END."""
    key = processes.current().code_key, end, jumped
    name = _known.get(key)
    if name is None:
        address = target(end, jumped)
        name = None if address is None else name_of(address)
        if name is not None:
            _known[key] = name
    return name


def argument_at(end: int, is_static: bool = False,
                is_joined: Callable[[int], bool] = lambda start: False) -> int:
    """The first argument of the call that returns to END, where it is a constant, else 0.
    IS_STATIC: it is the address of an object, never the content of a pointer. IS_JOINED: whether
    another way leads behind the instruction at START, which sets it, and to the call."""
    process = processes.current()
    try:
        decode = _ARGUMENTS.get(process.machine)
        found = decode(process.read(end - _BEFORE, _BEFORE), end, is_static) if decode else None
        return 0 if found is None or is_joined(found[1]) else found[0]
    except HostError:
        debug.ignored()
        return 0


def checked_argument_at(end: int, accepts: Callable[[int], bool]) -> Optional[int]:
    """The nearest address that is loaded, it seems for one of the first arguments of the call (or
    jump) that returns to END, and that ACCEPTS, or the only one that its function ever has in the
    register that is copied there; None where there is none. Other arguments may be loaded after it.
    The code is read backwards, so that it may seem to be what it is not: ACCEPTS has to be sure."""
    process = processes.current()
    try:
        decode = _CHECKED_ARGUMENTS.get(process.machine)
        code = process.read(end - _FAR_BEFORE, _FAR_BEFORE) if decode else b""
        found = next((one for one in decode(code, end) if accepts(one)), None) if decode else None
        if found is None and process.machine == X86_64:
            every = set(filter(accepts, _x86_64_kept_arguments(code, end)))
            found = every.pop() if len(every) == 1 else None
        return found
    except HostError:
        debug.ignored()
        return None


def target(end: int, jumped: bool = False) -> Optional[int]:
    """Where the call before END goes, or None, as for calls through registers."""
    process = processes.current()
    try:
        decode = (_JUMPS if jumped else _TARGETS).get(process.machine)
        return decode(process.read(end - _BEFORE, _BEFORE), end) if decode else None
    except HostError:
        debug.ignored()
        return None


def _word(address: int) -> int:
    return processes.current().unsigned(address, 8)


def name_of(address: int) -> Optional[str]:
    """The name of the function at ADDRESS or, of an entry of the linkage table, of the one that it
    leads to; None where there is no symbol."""
    symbol, offset = processes.current().symbol_at(address & (1 << 64) - 1)
    found = _FUNCTION.match(symbol) if symbol and not offset else None
    return found.group(1) if found else None


# For each machine: the address that the call before END goes to, or None when there is none; the
# constant in the first argument's register then and where the instructions begin that set it, or
# None. CODE ends at END.


def _x86_call(code: bytes, end: int) -> Optional[int]:
    if code[-5] != 0xE8:
        return None
    return end + _distance(code)


def _x86_64_call(code: bytes, end: int) -> Optional[int]:
    if code[-6:-4] == b"\xff\x15":  # call *DISTANCE(%rip): -fno-plt
        return _word(end + _distance(code))
    return _x86_call(code, end)


def _x86_64_jump(code: bytes, end: int) -> Optional[int]:
    if code[-6:-4] == b"\xff\x25":  # jmp *DISTANCE(%rip)
        return _word(end + _distance(code))
    return end + _distance(code) if code[-5] == 0xE9 else None


def _x86_64_length(code: bytes) -> int:
    """Of the call or jump at the end."""
    return 6 if code[-6:-4] in (b"\xff\x15", b"\xff\x25") else 5


# By the register of an argument, %rdi, %rsi, and %rdx as the third of LLVM's: what it is copied from.
_X86_64_COPY = regex(rb"([\x48\x4c])\x89([\xc0-\xff])")
_X86_64_OF_ARGUMENTS = {7, 6, 2}
_X86_64_PRESERVED = {3, 5, 12, 13, 14, 15}  # %rbx, %rbp, %r12 to %r15
_X86_64_LEA = regex(rb"([\x48\x4c])\x8d([\x05\x0d\x15\x1d\x25\x2d\x35\x3d])(....)", re.DOTALL)


def _x86_64_register(found: Match[bytes]) -> int:
    """The one that `lea DISTANCE(%rip)` sets, or that a copy is of."""
    return (found.group(1)[0] & 4) << 1 | found.group(2)[0] >> 3 & 7


def _x86_64_copied(code: bytes) -> Set[int]:
    """The registers that CODE copies to those of arguments."""
    return {_x86_64_register(copy) for copy in _X86_64_COPY.finditer(code)
            if copy.group(2)[0] & 7 in _X86_64_OF_ARGUMENTS}


def _x86_64_checked_argument(code: bytes, end: int) -> Iterator[int]:
    code = code[:-_x86_64_length(code)]
    for at in range(len(code) - 5, -1, -1):
        after = code[at:]
        if after[:1] == b"\xe8" or after[:2] == b"\xff\x15":
            return  # what was loaded before another call is gone
        lea = _X86_64_LEA.match(after)
        if lea is not None and _x86_64_register(lea) in _X86_64_OF_ARGUMENTS | _x86_64_copied(after[7:]):
            yield end - _FAR_BEFORE + at + 7 + _distance(lea.group(3))
        elif after[:1] in (b"\xbf", b"\xba"):  # mov $ADDRESS,%edi or, third of LLVM's, %edx
            yield int.from_bytes(after[1:5], "little")


def _x86_64_kept_arguments(code: bytes, end: int) -> Iterator[int]:
    """What the function around END loads, anywhere, into the registers that a call leaves alone and that
    are copied to those of its arguments: the loads of a loop's calls stand before it."""
    process = processes.current()
    code = code[:-_x86_64_length(code)]
    kept = _x86_64_copied(code.rpartition(b"\xe8")[2]) & _X86_64_PRESERVED  # behind another call
    name, offset = process.symbol_at(end - 1) if kept else (None, 0)
    if name is None or offset > _LARGEST:
        return
    start = end - 1 - offset
    for lea in _X86_64_LEA.finditer(process.read(start, end - start)):
        if _x86_64_register(lea) in kept:
            yield start + lea.end() + _distance(lea.group(3))


def _x86_64_argument(code: bytes, end: int, _is_static: bool) -> Optional[Tuple[int, int]]:
    length = _x86_64_length(code)
    code, end = code[:-length], end - length
    if code[-7:-4] == b"\x48\x8d\x3d":  # lea DISTANCE(%rip),%rdi
        return end + _distance(code), end - 7
    if code[-5:-4] == b"\xbf":  # mov $ADDRESS,%edi
        return int.from_bytes(code[-4:], "little"), end - 5
    if code[-3:] == b"\x48\x89\xc7":  # mov %rax,%rdi, after
        code, end = code[:-3], end - 3
        if code[-7:-4] == b"\x48\x8d\x05":  # lea DISTANCE(%rip),%rax
            return end + _distance(code), end - 7
    return None


def _distance(code: bytes) -> int:
    return int.from_bytes(code[-4:], "little", signed=True)


def _aarch64_call(code: bytes, end: int) -> Optional[int]:
    word = int.from_bytes(code[-4:], "little")
    if word >> 26 != 0b100101:  # bl
        return None
    return end - 4 + _signed(word, 26) * 4


def _aarch64_checked_argument(code: bytes, end: int) -> Iterator[int]:
    for before in range(12, _FAR_BEFORE, 4):
        if int.from_bytes(code[-before:][:4], "little") >> 26 == 0b100101:
            return  # another bl
        found = _aarch64_argument(code[:len(code) - before + 12], end - before + 12, False)
        if found is not None:
            yield found[0]


def _aarch64_argument(code: bytes, end: int, is_static: bool) -> Optional[Tuple[int, int]]:
    page, offset = (int.from_bytes(code[at:at + 4], "little") for at in (-12, -8))
    if page & 0x9F00001F != 0x90000000:  # adrp x0
        return None
    address = (end - 12 & ~0xFFF) + (_signed(page >> 5, 19) << 14) + (page >> 29 & 3) * 0x1000
    if offset & 0xFFC003FF == 0x91000000:  # add x0, x0, OFFSET
        return address + (offset >> 10 & 0xFFF), end - 12
    # ldr x0, [x0, OFFSET]: the address stands in the linker's table, or else the program's
    # own pointer does, which may be another by now.
    if is_static and offset & 0xFFC003FF == 0xF9400000:
        return _word(address + (offset >> 10 & 0xFFF) * 8), end - 12
    return None


def _signed(word: int, bits: int) -> int:
    word &= (1 << bits) - 1
    return word - (word >> bits - 1 << bits)


_TARGETS = {X86_64: _x86_64_call, X32: _x86_call, I386: _x86_call, AARCH64: _aarch64_call}
_JUMPS = {X86_64: _x86_64_jump}
_CHECKED_ARGUMENTS = {X86_64: _x86_64_checked_argument, AARCH64: _aarch64_checked_argument}
_ARGUMENTS = {X86_64: _x86_64_argument, AARCH64: _aarch64_argument}
