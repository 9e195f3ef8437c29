# SPDX-License-Identifier: MIT
"""Which frames of a stack are the user's, and where the runtime stands between them.

A body is a function that the OpenMP runtime called: what the compiler made of a region, a
task or a target construct. Frames further out belong to whoever met the construct; a worker
has none.
"""

import os
import re

import gdb

_OPENMP = re.compile(r"(libgomp|libompd-hooks|libomp|libiomp5)[-.\d]*\.so")
_SYSTEM = re.compile(r"(libc|libpthread|libm|ld|ld-linux[-\w]*|ld64|libgcc_s|"
                     r"linux-(vdso|gate))[-.\d]*\.so")
_OPENMP_NAMES = re.compile(r"_*(GOMP|gomp|omp|ompd|kmpc?)_")
_SYSTEM_NAMES = re.compile(r"_*(pthread_|start_thread$|clone\d*$)")
_DEEPEST = 20000


def _side(frame):
    """"user", "openmp" or "system"."""
    library = gdb.solib_name(frame.pc())
    if library is not None:
        base = os.path.basename(library)
        if _OPENMP.match(base):
            return "openmp"
        return "system" if _SYSTEM.match(base) else "user"
    name = frame.name() or ""
    if frame.find_sal().symtab is None:  # a runtime may be linked into the program
        if _OPENMP_NAMES.match(name):
            return "openmp"
        if _SYSTEM_NAMES.match(name):
            return "system"
    return "user"


def is_runtime(frame):
    """Whether a frame is of the OpenMP runtime or the hooks."""
    return _side(frame) == "openmp"


def is_user(frame):
    return _side(frame) == "user"


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
    older = real(frame).older()
    return older is not None and is_user(frame) and is_runtime(older)


def body(frame):
    """The innermost body from this frame outward, or None."""
    return next((real(f) for f in _outward(frame) if is_body(f)), None)


def callers(frame):
    """Pairs from this frame outward: a user frame that is inside a call of the OpenMP
    runtime, and the names of the runtime's functions that this call is about."""
    inside = []
    for outer in _outward(frame):
        side = _side(outer)
        if side == "openmp":
            inside.append(outer.name() or "")
        elif side == "user" and inside:
            called = _called(outer)
            yield outer, [called] if called else inside
            inside = []


def _called(frame):
    """The function that a frame is in a direct call of, or None. The runtime's functions end
    with jumps, so that the stack alone may no longer name the one that was called."""
    pc = frame.pc()
    try:
        if frame.architecture().name() != "i386:x86-64":
            return None
        code = bytes(gdb.selected_inferior().read_memory(pc - 5, 5))
        if code[0] != 0xE8:
            return None
        address = pc + int.from_bytes(code[1:], "little", signed=True)
        pointer = gdb.lookup_type("void").pointer()
        text = gdb.Value(address & (1 << 64) - 1).cast(pointer).format_string(format="a")
    except gdb.error:
        return None
    found = re.search(r"<([\w.]+)(?:@plt)?>$", text)
    return found.group(1) if found else None


def stack_pointer(frame):
    return int(frame.read_register("sp"))


def function_start(frame):
    """The address at which the function of a frame begins, or None."""
    function = frame.function()
    if function is None:
        return None
    return int(function.value().address)
