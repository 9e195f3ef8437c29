# SPDX-License-Identifier: MIT
"""The user's frames from one frame outward, and the calls of the runtime between them.

A body is a function that the OpenMP runtime called: what the compiler made of a region, a
task or a target construct. Frames further out belong to the encountering thread; a worker has
none.
"""

import gdb

from gdb_openmp.host import frames, gdb_text
from gdb_openmp.program import call_site, code_owner, outlined


def is_runtime(frame):
    """Whether a frame is of the OpenMP runtime or the hooks."""
    return code_owner.of(frame) == code_owner.RUNTIME


def is_user(frame):
    return code_owner.of(frame) == code_owner.USER


def user(frame):
    """The first user frame from this one outward, or None."""
    return next((f for f in frames.outward(frame) if is_user(f)), None)


def real(frame):
    """The frame itself, or the one whose function has inlined it."""
    return next((f for f in frames.outward(frame) if f.type() != gdb.INLINE_FRAME), frame)


def is_body(frame):
    """Whether a user frame was called by the OpenMP runtime."""
    older = runtime_of(frame)
    return older is not None and is_user(frame) and is_runtime(older)


def runtime_of(body):
    """The runtime's frame that called a BODY, maybe by way of what clang puts in front."""
    older = frames.older(real(body))
    return frames.older(older) if older is not None and outlined.is_wrapper(older) else older


def body(frame, is_one=is_body):
    """The innermost body from this frame outward, or None. IS_ONE: what a body is."""
    return next((real(f) for f in frames.outward(frame) if is_one(f)), None)


def callers(frame):
    """Pairs from this frame outward: a user frame that is inside a call of the OpenMP
    runtime, and the names of the runtime's functions that this call is about. They end with
    jumps, so that the stack alone may not name the one that was called."""
    inside = []
    for outer in frames.outward(frame):
        owner = code_owner.of(outer)
        if owner == code_owner.RUNTIME:
            inside.append(gdb_text.frame_name(outer) or "")
        elif owner == code_owner.USER and inside:
            called = call_site.called(outer)
            yield outer, [called] if called else inside
            inside = []


def stack_pointer(frame):
    return int(frame.read_register("sp"))
