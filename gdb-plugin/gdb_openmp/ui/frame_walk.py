# SPDX-License-Identifier: MIT
"""The user's frames from one frame outward, and the calls of the runtime between them.

A body is a function that the OpenMP runtime called: what the compiler made of a region, a
task or a target construct. Frames further out belong to the encountering thread; a worker has
none.
"""

from __future__ import annotations

import itertools

import gdb

from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from openmp_inspect.code import call_site, code_owner, outlined
from gdb_openmp.host import frames, gdb_text, process

if TYPE_CHECKING:
    from typing import Callable, Iterator, List, Optional
    from gdb_openmp.host.gdb_types import GdbFrame


def _owner(frame: GdbFrame) -> int:
    return code_owner.of(process.Frame(frame))


def is_runtime(frame: GdbFrame) -> bool:
    """Whether a frame is of the OpenMP runtime or the hooks."""
    return _owner(frame) == code_owner.RUNTIME


def enters_runtime(frame: GdbFrame) -> bool:
    """Whether a frame is of the OpenMP runtime, or of an entry of the linkage table that leads
    there."""
    return is_runtime(frame) or beyond_linkage(frame) != frame


def beyond_linkage(frame: GdbFrame) -> Optional[GdbFrame]:
    """The frame itself, or the older one where it is of an entry of the linkage table that leads to
    the OpenMP runtime: there a function is that ends in a jump to it."""
    is_entry = frame.find_sal().symtab is None and is_user(frame) and \
        code_owner.is_openmp(call_site.name_of(process.current(), frame.pc()) or "")
    return frames.older(frame) if is_entry else frame


def is_user(frame: GdbFrame) -> bool:
    return _owner(frame) == code_owner.USER


def user(frame: Optional[GdbFrame]) -> Optional[GdbFrame]:
    """The first user frame from this one outward, or None."""
    return next((f for f in frames.outward(frame) if is_user(f)), None)


def beyond_system(frame: GdbFrame) -> Optional[GdbFrame]:
    """The first frame from this one outward that is not of the system, or None. LLVM's runtime
    waits in functions of libc."""
    return next((f for f in frames.outward(frame) if _owner(f) != code_owner.SYSTEM), None)


def real(frame: GdbFrame) -> GdbFrame:
    """The frame itself, or the one whose function has inlined it."""
    return next((f for f in frames.outward(frame) if f.type() != gdb.INLINE_FRAME), frame)


def is_body_frame(frame: GdbFrame) -> bool:
    """Whether a user frame was called by the OpenMP runtime."""
    older = runtime_of(frame)
    return older is not None and is_user(frame) and is_runtime(older)


def runtime_of(body: GdbFrame) -> Optional[GdbFrame]:
    """The runtime's frame that called a BODY, maybe by way of what clang puts in front."""
    older = frames.older(real(body))
    if older is not None and outlined.is_wrapper(process.Frame(older)):
        return frames.older(older)
    return older


def body(frame: Optional[GdbFrame],
         is_one: Callable[[GdbFrame], bool] = is_body_frame,
         most: int = frames.MOST) -> Optional[GdbFrame]:
    """The innermost body from this frame outward, or None. IS_ONE: what a body is. MOST: the number
    of frames that are looked at."""
    return next((real(f) for f in itertools.islice(frames.outward(frame), most) if is_one(f)), None)


class Caller(NamedTuple):
    frame: GdbFrame
    called: List[str]  # names of functions of the runtime that its call is about


def callers(frame: Optional[GdbFrame]) -> Iterator[Caller]:
    """User frames that are inside a call of the OpenMP runtime, from this frame outward. The
    runtime's functions end with jumps, so that the stack alone may not name the one that was
    called."""
    inside: List[str] = []
    for outer in frames.outward(frame):
        owner = _owner(outer)
        if owner == code_owner.RUNTIME:
            inside.append(gdb_text.frame_name(outer) or "")
        elif owner == code_owner.USER and inside:
            called = call_site.called(process.Frame(outer))
            yield Caller(outer, [called] if called else inside)
            inside = []


def stack_pointer(frame: GdbFrame) -> int:
    return int(frame.read_register("sp"))
