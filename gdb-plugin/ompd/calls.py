# SPDX-License-Identifier: MIT
"""What a call instruction of the program says: which function it enters, and with which
constant as its first argument.

Only what is certain is told: the call must be a direct one, or one through the linker's
table, and the argument must have been loaded by the instructions right before it.
"""

import re

import gdb

_BEFORE = 24  # bytes of code that hold a call and its argument
_NEAR = 64  # that hold it, too, where other instructions stand between

_known = {}  # (program space, return address) -> name; emptied when libraries change


def forget():
    """The code may be another."""
    _known.clear()


def called(frame):
    """The name of the function that the call which FRAME is inside of names, through its
    linkage table entry too, or None when the code does not tell. FRAME must have called
    something: it is not the newest one."""
    try:
        return called_at(frame.architecture().name(), frame.pc())
    except gdb.error:
        return None


def called_at(architecture, end):
    """The same of the call that returns to END."""
    key = id(gdb.current_progspace()), end
    name = _known.get(key)
    if name is None:
        address = _target(architecture, end)
        name = None if address is None else _name(address)
        if name is not None:
            _known[key] = name
    return name


def argument_at(architecture, end):
    """The first argument of the call that returns to END, where it is a constant, else 0."""
    try:
        decode = _ARGUMENTS.get(architecture)
        return decode(_code(end - _BEFORE, _BEFORE), end) if decode else 0
    except (gdb.error, OverflowError):
        return 0


def loaded_before(architecture, end):
    """Addresses that the code shortly before the call that returns to END seems to load for
    its first argument, the nearest first, as far back as the call before it. What looks like
    such an instruction may be a part of others."""
    if architecture != "i386:x86-64":
        return
    try:
        code = _code(end - _NEAR, _NEAR)
    except (gdb.error, OverflowError):
        return
    for at in range(_NEAR - 12, -1, -1):
        following = end - _NEAR + at
        if code[at] == 0xE8 and _name(following + 5 + _distance(code[:at + 5])):
            return
        if code[at:at + 3] == b"\x48\x8d\x3d":  # lea DISTANCE(%rip),%rdi
            yield following + 7 + _distance(code[:at + 7])
        elif code[at] == 0xBF:  # mov $ADDRESS,%edi
            yield int.from_bytes(code[at + 1:at + 5], "little")


def _target(architecture, end):
    """Where the call before END goes, or None. Calls through registers do not tell."""
    try:
        decode = _TARGETS.get(architecture)
        return decode(_code(end - _BEFORE, _BEFORE), end) if decode else None
    except (gdb.error, OverflowError):
        return None


def _code(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


def _word(address):
    return int.from_bytes(_code(address, 8), "little")


def _name(address):
    try:
        pointer = gdb.lookup_type("void").pointer()
        text = gdb.Value(address & (1 << 64) - 1).cast(pointer).format_string(format="a")
    except gdb.error:
        return None
    found = re.search(r"<([\w.]+)(?:@plt|@got\.plt)?>$", text)
    return found.group(1) if found else None


# For each machine: the address that the call before END goes to, or None when there is none;
# and the constant in the first argument's register then, or 0. CODE ends at END.


def _x86_call(code, end):
    if code[-5] != 0xE8:
        return None
    return end + _distance(code)


def _x86_64_call(code, end):
    if code[-6:-4] == b"\xff\x15":  # call *DISTANCE(%rip): -fno-plt
        return _word(end + _distance(code))
    return _x86_call(code, end)


def _x86_64_argument(code, end):
    length = 6 if code[-6:-4] == b"\xff\x15" else 5
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


def _distance(code):
    return int.from_bytes(code[-4:], "little", signed=True)


def _aarch64_call(code, end):
    word = int.from_bytes(code[-4:], "little")
    if word >> 26 != 0b100101:  # bl
        return None
    return end - 4 + _signed(word, 26) * 4


def _aarch64_argument(code, end):
    page, offset = (int.from_bytes(code[at:at + 4], "little") for at in (-12, -8))
    if page & 0x9F00001F != 0x90000000:  # adrp x0
        return 0
    address = (end - 12 & ~0xFFF) + (_signed(page >> 5, 19) << 14) + (page >> 29 & 3) * 0x1000
    if offset & 0xFFC003FF == 0x91000000:  # add x0, x0, OFFSET
        return address + (offset >> 10 & 0xFFF)
    # ldr x0, [x0, OFFSET]: the address stands in the linker's table, or else the program's
    # own pointer does, which may be another by now. A section's name is never a pointer.
    if offset & 0xFFC003FF == 0xF9400000 and \
            called_at("aarch64", end) == "GOMP_critical_name_start":
        return _word(address + (offset >> 10 & 0xFFF) * 8)
    return 0


def _signed(word, bits):
    word &= (1 << bits) - 1
    return word - (word >> bits - 1 << bits)


_TARGETS = {"i386:x86-64": _x86_64_call, "i386:x64-32": _x86_call, "i386": _x86_call,
            "aarch64": _aarch64_call}
_ARGUMENTS = {"i386:x86-64": _x86_64_argument, "aarch64": _aarch64_argument}
