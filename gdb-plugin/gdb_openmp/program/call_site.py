# SPDX-License-Identifier: MIT
"""What a call instruction of the program says: which function it enters, and with which
constant as its first argument.

Only what is certain is returned: the call must be a direct one, or one through the linker's
table, and the argument must have been loaded by the instructions right before it, or be
something that the asker is sure to recognise.
"""

from __future__ import annotations

import re

import gdb

from openmp_inspect.core import caches, debug
from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import gdb_text, inferiors

if TYPE_CHECKING:
    from typing import Callable, Dict, Iterator, Optional, Tuple
    from gdb_openmp.host.gdb_types import GdbFrame

_BEFORE = 24  # bytes of code that hold a call and its argument
_FAR_BEFORE = 72  # the same, with other arguments in between

# By program space, return address, and whether it was a jump: a name.
_known: Dict[Tuple[int, int, bool], str] = caches.of_code()


def called(frame: GdbFrame) -> Optional[str]:
    """The name of the function that the call which FRAME is inside of names, through its
    linkage table entry too, or None when it cannot be decoded. FRAME must have called
    something: it is not the newest one."""
    try:
        return called_at(frame.architecture().name(), frame.pc(),
                         frame.type() == gdb.TAILCALL_FRAME)
    except gdb.error:
        debug.ignored()
        return None


def is_indirect(frame: GdbFrame) -> bool:
    """Whether FRAME has called something through a register or memory, as far as its code
    can be decoded."""
    try:
        architecture = frame.architecture().name()
        return architecture in _TARGETS and \
            target(architecture, frame.pc(), False) is None
    except gdb.error:
        debug.ignored()
        return False


def called_at(architecture: str, end: int, jumped: bool = False) -> Optional[str]:
    """The same of the call that returns to END; JUMPED: of the jump in place of a call that
    stands before END."""
    key = inferiors.program_space(), end, jumped
    name = _known.get(key)
    if name is None:
        address = target(architecture, end, jumped)
        name = None if address is None else name_of(address)
        if name is not None:
            _known[key] = name
    return name


def argument_at(architecture: str, end: int, is_static: bool = False) -> int:
    """The first argument of the call that returns to END, where it is a constant, else 0.
    IS_STATIC: it is the address of an object, never the content of a pointer."""
    try:
        decode = _ARGUMENTS.get(architecture)
        return decode(inferiors.read(end - _BEFORE, _BEFORE), end, is_static) if decode else 0
    except (gdb.error, OverflowError):
        debug.ignored()
        return 0


def checked_argument_at(architecture: str, end: int,
                        accepts: Callable[[int], bool]) -> Optional[int]:
    """The nearest address that is loaded, it seems for the first argument of the call (or jump)
    that returns to END, and that ACCEPTS; None where there is none. Other arguments may be
    loaded after it. The code is read backwards, so that it may seem to be what it is not:
    ACCEPTS has to be sure."""
    try:
        decode = _CHECKED_ARGUMENTS.get(architecture)
        found = decode(inferiors.read(end - _FAR_BEFORE, _FAR_BEFORE), end) if decode else ()
        return next((one for one in found if accepts(one)), None)
    except (gdb.error, OverflowError):
        debug.ignored()
        return None


def target(architecture: str, end: int, jumped: bool = False) -> Optional[int]:
    """Where the call before END goes, or None, as for calls through registers."""
    try:
        decode = (_JUMPS if jumped else _TARGETS).get(architecture)
        return decode(inferiors.read(end - _BEFORE, _BEFORE), end) if decode else None
    except (gdb.error, OverflowError):
        debug.ignored()
        return None


def _word(address: int) -> int:
    return int.from_bytes(inferiors.read(address, 8), "little")


def name_of(address: int) -> Optional[str]:
    """The name of the function at ADDRESS or, of an entry of the linkage table, of the one that it
    leads to; None where there is no symbol."""
    try:
        pointer = inferiors.pointer()
        text = gdb_text.exact(gdb.Value(address & (1 << 64) - 1).cast(pointer).format_string,
                             format="a")
    except gdb.error:
        debug.ignored()
        return None
    found = re.search(r"<([\w.]+)(?:@plt|@got\.plt)?>$", text)
    return found.group(1) if found else None


# For each machine: the address that the call before END goes to, or None when there is none;
# and the constant in the first argument's register then, or 0. CODE ends at END.


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


def _x86_64_checked_argument(code: bytes, end: int) -> Iterator[int]:
    code = code[:-_x86_64_length(code)]
    for at in range(len(code) - 5, -1, -1):
        after = code[at:]
        if after[:1] == b"\xe8" or after[:2] == b"\xff\x15":
            return  # what was loaded before another call is gone
        if len(after) >= 7 and after[0] in (0x48, 0x4C) and after[1] == 0x8D and \
                after[2] & 0xC7 == 5:
            # lea DISTANCE(%rip), to %rdi or by way of another register
            yield end - _FAR_BEFORE + at + 7 + _distance(after[:7])
        elif after[:1] in (b"\xbf", b"\xba"):  # mov $ADDRESS,%edi or, third of LLVM's, %edx
            yield int.from_bytes(after[1:5], "little")


def _x86_64_argument(code: bytes, end: int, _is_static: bool) -> int:
    length = _x86_64_length(code)
    code, end = code[:-length], end - length
    if code[-7:-4] == b"\x48\x8d\x3d":  # lea DISTANCE(%rip),%rdi
        return end + _distance(code)
    if code[-5:-4] == b"\xbf":  # mov $ADDRESS,%edi
        return int.from_bytes(code[-4:], "little")
    if code[-3:] == b"\x48\x89\xc7":  # mov %rax,%rdi, after
        code, end = code[:-3], end - 3
        if code[-7:-4] == b"\x48\x8d\x05":  # lea DISTANCE(%rip),%rax
            return end + _distance(code)
    return 0


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
        address = _aarch64_argument(code[:len(code) - before + 12], end - before + 12, False)
        if address:
            yield address


def _aarch64_argument(code: bytes, end: int, is_static: bool) -> int:
    page, offset = (int.from_bytes(code[at:at + 4], "little") for at in (-12, -8))
    if page & 0x9F00001F != 0x90000000:  # adrp x0
        return 0
    address = (end - 12 & ~0xFFF) + (_signed(page >> 5, 19) << 14) + (page >> 29 & 3) * 0x1000
    if offset & 0xFFC003FF == 0x91000000:  # add x0, x0, OFFSET
        return address + (offset >> 10 & 0xFFF)
    # ldr x0, [x0, OFFSET]: the address stands in the linker's table, or else the program's
    # own pointer does, which may be another by now.
    if is_static and offset & 0xFFC003FF == 0xF9400000:
        return _word(address + (offset >> 10 & 0xFFF) * 8)
    return 0


def _signed(word: int, bits: int) -> int:
    word &= (1 << bits) - 1
    return word - (word >> bits - 1 << bits)


_TARGETS = {"i386:x86-64": _x86_64_call, "i386:x64-32": _x86_call, "i386": _x86_call,
            "aarch64": _aarch64_call}
_JUMPS = {"i386:x86-64": _x86_64_jump}
_CHECKED_ARGUMENTS = {"i386:x86-64": _x86_64_checked_argument, "aarch64": _aarch64_checked_argument}
_ARGUMENTS = {"i386:x86-64": _x86_64_argument, "aarch64": _aarch64_argument}
