# SPDX-License-Identifier: MIT
"""Outlined bodies: their lines, which task is in one, and who goes on after a region."""

import re

import gdb

from ompd import constructs, errors, labels, names, session, thread_ids, userstack

_STRAIGHT = 1024  # bytes
_BRANCH = re.compile(r"(j|loop|ret|rep ret|b\b|b\.|br\b|cb|tb)")
_UNKNOWN = (errors.OmpdError, errors.NoLibrary, gdb.error)


def line_of(body):
    """The line of the directive whose body is at this address, or None."""
    return names.body_line(body)


def lines(body):
    """(address, line) of each place where a line of the body begins, by rising address."""
    sal = gdb.find_pc_line(body)
    block = gdb.block_for_pc(body)
    if sal.symtab is None or block is None:
        return []
    while block.function is None and block.superblock is not None:
        block = block.superblock
    return sorted((entry.pc, entry.line) for entry in sal.symtab.linetable()
                  if block.start <= entry.pc < block.end)


def entrance(body):
    """The address in a body at which its variables have their values: its first line behind
    the directive's, if the way there is straight."""
    line = line_of(body)
    inside = next((pc for pc, other in lines(body) if is_own(other, line)), None)
    if inside is None or inside - body > _STRAIGHT:
        return body
    code = gdb.selected_frame().architecture().disassemble(body, inside - 1)
    if any(_BRANCH.match(instruction["asm"]) for instruction in code):
        return body
    return inside


def bookkeeping(frame):
    """Whether a thread that stands in FRAME does what the directive itself means: takes
    copies, shares out iterations. A body that is all on one line has no such place."""
    if not userstack.is_body(frame):
        return False
    start = userstack.function_start(userstack.real(frame))
    if start is None or frame.type() == gdb.INLINE_FRAME:
        return False
    line = line_of(start)
    return line is not None and frame.find_sal().line <= line and any(is_own(other, line)
                                                 for _, other in lines(start))


def is_own(line, directive_line):
    """Whether a line of a body is one that a person wrote into it. Lines before the directive
    are those of variables that are fetched."""
    return line > directive_line


def at_line(pc):
    """Whether a line begins at PC, where a call has come back to, other than the call's."""
    here, call = gdb.find_pc_line(pc), gdb.find_pc_line(pc - 1)
    return here.symtab is not None and here.pc == pc and here.line != call.line


def position():
    """", thread 0 of 4" for the selected thread, or nothing when that cannot be told."""
    try:
        with session.snapshot() as snapshot:
            thread = snapshot.by_lwp.get(thread_ids.lwp(gdb.selected_thread()))
            if thread is None or thread.region is None:
                return ""
            return ", thread %d of %d" % (thread.number, thread.region.size)
    except _UNKNOWN:
        return ""


def in_region():
    """Whether the selected thread is in a parallel region."""
    try:
        with session.snapshot() as snapshot:
            thread = snapshot.by_lwp.get(thread_ids.lwp(gdb.selected_thread()))
            return thread is not None and thread.region is not None
    except _UNKNOWN:
        return False


def opening_words(runtime_frame, current=True):
    """The directive for which the call was made that RUNTIME_FRAME is a part of, when what it
    runs is the body of that directive; None for a task that is run in a call for something
    else. CURRENT: it runs the selected thread's innermost body."""
    called = next((called for _, called in userstack.callers(runtime_frame)), ())
    words = constructs.directive_of_call(called)
    if words is not None and words.startswith("parallel") and current and not implicit():
        return None  # the barrier at the end of the region runs tasks
    return words


def directive(runtime_frame, body, current=True):
    """The directive in words of a body that RUNTIME_FRAME called."""
    words = opening_words(runtime_frame, current)
    if words is None:
        words = "parallel" if not current or implicit() else "task"
    return labels.of_body(words, body)


def implicit():
    """Whether the selected thread's task is its part of a region; so too if unknown."""
    try:
        with session.snapshot() as snapshot:
            thread = snapshot.by_lwp.get(thread_ids.lwp(gdb.selected_thread()))
            return thread is None or thread.task is None or thread.task.implicit
    except _UNKNOWN:
        return True


def successor(body):
    """(gdb thread, pc, stack pointer): who goes on when the selected thread's region is over,
    and where; or None. BODY is the one the selected thread was in. The selected thread stays
    as it is."""
    selected = gdb.selected_thread()
    try:
        with session.snapshot() as snapshot:
            thread = snapshot.by_lwp.get(thread_ids.lwp(selected))
            if thread is None or thread.region is None:
                return None
            master = thread.region.master.lwp
            entered = _entered(thread.region)
        found = next((t for t in gdb.selected_inferior().threads()
                      if thread_ids.lwp(t) == master), None)
        if found is None or found.num == selected.num:
            return None
        found.switch()
        frame = _encountering(gdb.newest_frame(), body, entered)
        if frame is None:
            return None
        return found, frame.pc(), userstack.stack_pointer(frame)
    except _UNKNOWN:
        return None
    finally:
        selected.switch()


def _entered(region):
    """The stack pointer with which the construct was met, or None where it is not recorded."""
    try:
        return region.implicit_tasks[0].parent.frames[1] or None
    except (errors.OmpdError, IndexError, AttributeError):
        return None


def _encountering(newest, body, entered):
    """The frame that met the construct with this body, the innermost one that may have."""
    first = None
    inner = newest
    for outer, called in userstack.callers(newest):
        if entered is not None and userstack.stack_pointer(outer) == entered:
            return outer
        if constructs.directive_of_call(called) is not None:
            found = userstack.body(inner)
            if found is not None and userstack.function_start(found) == body:
                return outer
            first = first or outer
        inner = outer
    return first
