# SPDX-License-Identifier: MIT
"""The user's frames from one frame outward, and the calls of the runtime between them.

A body is a function that the OpenMP runtime called: what the compiler made of a region, a
task or a target construct. Frames further out belong to whoever met the construct; a worker
has none.
"""

import gdb

from ompd import calls, code_owner, gdbtext, names, outlined

_DEEPEST = 20000


def is_runtime(frame):
    """Whether a frame is of the OpenMP runtime or the hooks."""
    return code_owner.of(frame) == code_owner.RUNTIME


def is_user(frame):
    return code_owner.of(frame) == code_owner.USER


def _outward(frame):
    for _ in range(_DEEPEST):
        if frame is None:
            return
        yield frame
        try:
            frame = frame.older()
        except gdb.error:
            return


def user(frame):
    """The first user frame from this one outward, or None."""
    return next((f for f in _outward(frame) if is_user(f)), None)


def real(frame):
    """The frame itself, or the function that an inlined one stands in."""
    return next((f for f in _outward(frame) if f.type() != gdb.INLINE_FRAME), frame)


def is_body(frame):
    """Whether a user frame was called by the OpenMP runtime."""
    older = runtime_of(frame)
    return older is not None and is_user(frame) and is_runtime(older)


def runtime_of(body):
    """The runtime's frame that called a BODY, maybe by way of what clang puts in front."""
    older = real(body).older()
    return older.older() if older is not None and outlined.is_wrapper(older) else older


def body(frame):
    """The innermost body from this frame outward, or None."""
    return next((real(f) for f in _outward(frame) if is_body(f)), None)


def callers(frame):
    """Pairs from this frame outward: a user frame that is inside a call of the OpenMP
    runtime, and the names of the runtime's functions that this call is about. They end with
    jumps, so that the stack alone may not name the one that was called."""
    inside = []
    for outer in _outward(frame):
        owner = code_owner.of(outer)
        if owner == code_owner.RUNTIME:
            inside.append(gdbtext.frame_name(outer) or "")
        elif owner == code_owner.USER and inside:
            called = calls.called(outer)
            yield outer, [called] if called else inside
            inside = []


def stack_pointer(frame):
    return int(frame.read_register("sp"))


def function_start(frame):
    """The address at which the function of a frame begins, or None."""
    try:
        function = frame.function()
        if function is not None:
            return int(function.value().address)
        return names.function_start(frame.pc())
    except (gdb.error, RuntimeError):
        return None
