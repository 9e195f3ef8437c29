# SPDX-License-Identifier: MIT
"""Why a thread has crashed, by its frames: a recursion that fills the stack, a frame that is larger
than it, or the pointer whose target could not be accessed.

    count ()        0x7f10e0
    count ()        0x7f11f0       3 900 frames of one function, from its newest to its oldest,
    ...                            take more than half of what is used: a recursion
    main ()

A pointer is named where one alone, of the variables that a frame has and of what they lead to, is
null or leads to where no memory is, and the address lies no further behind that than an object may
reach. It is inferred: another copy of it may have been used.
"""

from __future__ import annotations

import itertools

from openmp_inspect.core import debug, frame_size
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.escaped import Name
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.host import interface
from openmp_inspect.host.thread_local import ThreadLocal

if TYPE_CHECKING:
    from typing import Dict, Iterator, List, Optional, Tuple
    from openmp_inspect.host.interface import Process, Thread, Variable
    from openmp_inspect.stacks.thread_stack import StackFrame, ThreadStack

_MOST_CALLS = 64  # frames of which the largest is looked for
_MOST_FRAMES = 1 << 13  # that are counted; what is deeper is estimated
_LEAST_DEPTH = 16  # of what is called a recursion
_NULL_PAGE = 1 << 12  # bytes at address 0, where nothing is mapped
_REACH = 1 << 16  # bytes of an object behind a pointer that are believed
_CANONICAL = 1 << 47  # bytes at each end of the addresses of x86-64 that can be accessed
_BELOW = 128  # bytes below its stack pointer that a function may use that calls none
_MOST_FIELDS = 64  # of a structure
_MOST_THREADS = 64  # of which is read where they began
# That names of files begin with: not that of the vdso.
_NAMES = tuple("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


class Recursion(NamedTuple):
    function: str  # as the debugger has it
    depth: int
    size: float  # bytes of the stack from one frame of it to the next
    is_whole: bool  # False: there are more frames than were counted


class Need(NamedTuple):
    size: int  # bytes of one frame
    variable: Optional[Name]  # one that takes most of it


class Pointer(NamedTuple):
    name: Name
    value: int


def recursion(stack: ThreadStack) -> Optional[Recursion]:
    """That of the function of which most frames of a stack are, or None."""
    found: Dict[str, List[int]] = {}  # function: [how many, newest and oldest stack pointer]
    names: Dict[int, str] = {}  # by an address of code
    newest = sp = count = 0
    try:
        for frame in stack:
            if count == _MOST_FRAMES:
                break
            if frame.kind == interface.INLINED:
                continue
            sp, count = frame.sp, count + 1
            newest = newest or sp
            if frame.pc not in names:
                names[frame.pc] = frame.name
            row = found.setdefault(names[frame.pc], [0, sp, sp])
            row[0], row[2] = row[0] + 1, sp
    except HostError:
        debug.ignored()
    found.pop("", None)
    if not found:
        return None
    function, (depth, first, last) = max(found.items(), key=lambda one: one[1][0])
    if depth < _LEAST_DEPTH or 2 * (last - first) < sp - newest:
        return None
    return Recursion(function, depth, (last - first) / (depth - 1), count < _MOST_FRAMES)


def largest(stack: ThreadStack) -> Optional[Tuple[StackFrame, int]]:
    """Of the frames that are the newest ones of a stack, and of the user's, that which takes most of
    it, and how many bytes that is: also of arrays whose size is computed."""
    found: Optional[Tuple[StackFrame, int]] = None
    try:
        frames = [one for one in itertools.islice(stack, _MOST_CALLS) if one.kind == interface.NORMAL]
        for newer, older in zip(frames, frames[1:]):
            size = older.sp - newer.sp
            if newer.is_user and (found is None or size > found[1]):
                found = newer, size
    except HostError:
        debug.ignored()
    return found


def need(frame: StackFrame) -> Optional[Need]:
    """What a frame needs of the stack by the beginning of its function, or None: it may not have it
    yet."""
    process = frame.process
    if process.machine != interface.X86_64:
        return None
    try:
        name, offset = process.symbol_at(frame.instruction)
        if name is None:
            return None
        code = process.read(frame.instruction - offset, frame_size.PROLOGUE)
        size = frame_size.of_prologue(code)
        if size is None:
            return None
        largest = max((one for one in frame.frame.variables() if one.address is not None),
                      key=lambda one: one.type.size, default=None)
    except HostError:
        debug.ignored()
        return None
    is_most = largest is not None and size < 2 * largest.type.size <= 2 * (size + _BELOW)
    return Need(size, Name(largest.name) if largest is not None and is_most else None)


def pointer(frame: StackFrame, address: Optional[int]) -> Optional[Pointer]:
    """The one by which the code of a frame has accessed an ADDRESS where that is not allowed, or
    None. The address is None where the kernel has none: of one that is non-canonical."""
    found: Dict[Name, int] = {}
    try:
        for variable in frame.frame.variables():
            for name, value, size in _pointers(frame.process, variable):
                if _leads(frame.process, value, size, address):
                    found.setdefault(Name(name), value)
    except HostError:
        debug.ignored()
        return None
    return Pointer(*next(iter(found.items()))) if len(found) == 1 else None


def lost_code(stack: ThreadStack, address: Optional[int]) -> Optional[bool]:
    """Of a thread that could not execute what is at an ADDRESS, as no code is there: whether a thread
    began in a function that is not there either, but was then; None: it has crashed for another
    reason. Where the debugger lacks a file that is not known."""
    newest, process = stack.newest, stack.process
    if newest is None or newest.pc != address or _has_memory(process, newest.pc):
        return None
    if newest.pc < _NULL_PAGE or process.differing_file() or process.unread_file(_NAMES):
        return False
    starts = (start_of(process, thread) for _, thread in process.threads()[:_MOST_THREADS])
    return any(began and not _has_memory(process, began) for began in starts)


def start_of(process: Process, thread: Thread) -> Optional[int]:
    """The function with which a thread has begun, 0 of the initial one, by libc; None where that is not
    known, or what libc has of the thread was overwritten: its kernel id is another one."""
    try:
        pthread, libc = process.pthread(thread), ThreadLocal(process.read, process.symbol)
        at = libc.field("pthread_start_routine")
        return None if at is None or not pthread or \
            libc.thread_id(pthread) != process.kernel_id(thread) else \
            process.unsigned(pthread + at[0], process.pointer_size)
    except HostError:
        debug.ignored()
        return None


def _has_memory(process: Process, address: int) -> bool:
    """Whether there is any at an ADDRESS, also in a file of which a core has no copy."""
    return process.is_mapped(address) or process.is_readable(address)


def _leads(process: Process, value: int, size: int, address: Optional[int]) -> bool:
    """Whether a pointer to an object of this SIZE leads to an ADDRESS and to no memory."""
    if address is None:
        return _CANONICAL <= value < (1 << 64) - _CANONICAL
    if not 0 <= address - value < (_NULL_PAGE if value == 0 else max(_REACH, size)):
        return False
    return value < _NULL_PAGE or not process.is_readable(value)


def _pointers(process: Process, variable: Variable) -> Iterator[Tuple[str, int, int]]:
    """(name, value, size of what it leads to) of a pointer, and of those in the structure that
    a variable is or leads to."""
    kind, start, joint = variable.type, variable.address, "."
    if kind.kind in ("pointer", "reference"):
        if variable.leads_to is None:
            return
        kind, start, joint = kind.target(), variable.leads_to, \
            "->" if kind.kind == "pointer" else "."
        yield variable.name, start, kind.size
        if start < _NULL_PAGE:
            return
    if kind.kind != "struct" or start is None:
        return
    for field in kind.fields()[:_MOST_FIELDS]:
        if field.type.kind != "pointer":
            continue
        try:
            value = process.unsigned(start + field.offset, process.pointer_size)
        except HostError:
            debug.ignored()
            continue
        yield variable.name + joint + field.name, value, field.type.target().size
