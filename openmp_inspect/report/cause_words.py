# SPDX-License-Identifier: MIT
"""What stands on the stack of a thread that a verdict is about, in words: lines of
(who, what, where)."""

from __future__ import annotations

import itertools

from openmp_inspect.core import errors, text, thread_limits
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import abort_message, body_calls, closed_library, code_owner, signal_handlers, \
    start_environment
from openmp_inspect.code.places import Place
from openmp_inspect.stacks import crash_site, interrupted, program_exit
from openmp_inspect.model import checkup
from openmp_inspect.analysis import checks, loop_progress
from openmp_inspect.report import node_words

if TYPE_CHECKING:
    from typing import List, Optional, Tuple
    from openmp_inspect.bindings.spaces import Space
    from openmp_inspect.stacks.stitched_stack import StitchedStacks
    from openmp_inspect.analysis.evidence_items import Node
    from openmp_inspect.analysis.thread_rows import ThreadRow
    from openmp_inspect.host.interface import Crash
    from openmp_inspect.model.objects import Region

    Line = Tuple[str, str, str]

_MOST_STACKS = 64  # that are searched for one that ends the program
_FEW = 4  # threads of which each has a line of its own
_NO_THREAD = "Error #34:"  # of LLVM's runtime
_NULL_PAGE = 1 << 12  # bytes at address 0, where nothing is mapped
_USUAL = 1 << 20  # bytes of a stack of which the size is not known
_PART = 4  # what a frame needs is said if it is at least so much of the stack: a quarter


def handler(node: Node) -> List[Line]:
    """The handler of a signal that a thread is inside of."""
    row = node.row
    found = None if row is None or row.thread is None or not row.stopped else \
        interrupted.of_thread(node.stacks.walker, row.thread)
    if found is None:
        return []
    name = "a signal" if found.signal is None else "~" * found.derived + found.signal
    result = [("", "inside a handler of %s, %s" % (name, text.function(found.handler)), "")]
    place = found.place
    if place is not None and place.function:
        result.append(("", "which interrupted %s at %s" % (
            text.function(place.function), node_words.line_words(place)), ""))
    return result


def shared(node: Node) -> List[Line]:
    """On whose stack a thread runs that is not on its own."""
    return [] if node.stack_owner is None else [
        ("", "on the stack of thread %s" % text.thread(node.stack_owner.num), "")]


def ended(stacks: StitchedStacks, region: Region, missing: int) -> List[Line]:
    """Which MISSING members of a team have ended, and the call by which its body itself ends a thread."""
    size, level = errors.known(lambda: region.size) or 0, len(errors.known(lambda: region.chain) or ())
    paths = (errors.known(lambda thread=thread: thread.path) or ()
             for thread in errors.known(lambda: region.team) or ())
    here = {path[level - 1].number for path in paths if len(path) >= level}
    if not 0 < size - len(here) == missing:
        return []
    gone = itertools.islice((number for number in range(size) if number not in here), _FEW)
    body = errors.known(lambda: region.function)
    process = stacks.process
    call = None if not body else \
        body_calls.call_of(process, body_calls.behind(process, body), "pthread_exit")
    place = None if call is None else stacks.walker.place_before(call)
    return [("ended", ", ".join("%d/%d" % (number, size) for number in gone) +
             (" and %d more" % (missing - _FEW) if missing > _FEW else ""), "")] + (
        [] if place is None else [("", "~pthread_exit () is called", node_words.line_words(place))])


def exiting(node: Node) -> List[Line]:
    """That a thread ends the program, and why."""
    row = node.row
    found = None if row is None or row.thread is None or not row.stopped else \
        program_exit.of_thread(node.stacks.walker, row.thread)
    return [] if found is None else [("", "inside exit ()" + _runs(found), ""),
                                     *_caller(node.stacks.space, found)]


def _exits(own: ThreadRow) -> List[Line]:
    """The other thread that ends the program as this one crashes, or none."""
    walker = own.stacks.walker
    for _, thread in own.process.threads()[:_MOST_STACKS]:
        found = None if thread == own.thread or thread.is_running() else \
            program_exit.of_thread(walker, thread)
        if found is not None:
            return [("", "thread %s is inside exit ()%s" % (
                text.thread(thread.num), _runs(found)), ""), *_caller(own.stacks.space, found)]
    return []


def _runs(found: program_exit.Exit) -> str:
    place = found.runs
    return "" if place is None or not place.function else \
        ", which runs " + text.function(place.function)


def _caller(here: Space, found: program_exit.Exit) -> List[Line]:
    if found.returned:
        return [("", "main () has returned", "")]
    if found.caller is None:
        return []
    return [("", "the OpenMP runtime has called it, after an error, for" if found.by_runtime else
             "called by", node_words.place_words(found.caller)),
            *(_limits(here) if found.by_runtime else ())]


def _limits(here: Space) -> List[Line]:
    """The limits on threads that the process has reached, for which the runtime may have ended."""
    stack = checks.stack_size(checkup.Facts(
        settings=start_environment.variables(here, checkup.is_setting),
        stack_limit=here.process.stack_limit()))
    return [("limit", checks.limit_words(one) + (
        ", and a stack takes %s" % text.size(stack) if stack and one.name == thread_limits.SPACE else ""),
             "") for one in here.process.facts.thread_limits() or () if one.room(stack or _USUAL) == 0]


def python(node: Node) -> List[Line]:
    """Where a thread is in a program in Python, and whether a signal waits until it is back in that."""
    place = None if node.row is None else node.row.python_place
    if place is None or node.row is None:
        return []
    lines = [("", "in Python", "at %s" % node_words.place_words(place))]
    return lines + [("", "%s is pending until this thread is back in Python" % (
        signal_handlers.only_one(node.stacks.process) or "a signal"), "")] * node.row.has_python_signal


def work(node: Node, count: int) -> List[Line]:
    """What a thread that works is at, with COUNT threads that do: the lock that it tests again and
    again, or if they are few the loop. Call while the snapshot lives."""
    return _polls(node) or (_loop(node) if count <= _FEW else [])


def _loop(node: Node) -> List[Line]:
    """How far it is in the loop that its team shares."""
    row = node.row
    found = None if row is None or not row.stopped or node.what not in ("works", "asleep") else \
        loop_progress.of_row(row)
    if found is None:
        return []
    words = "%s%s = %d" % ("~" * found.derived, found.variable, found.value)
    if found.own is not None:
        words += " of ~%d to %d" % found.own
    if found.all is not None:
        words += (" of ~%d to %d" if found.own is None else " (~%d to %d in all)") % found.all
    if found.next is not None:
        words += ", next to be handed out is %d" % found.next
    return [("", words, "loop at " + node_words.line_words(
        Place(None, None, found.file, found.line, 0)))]


def _polls(node: Node) -> List[Line]:
    result = [("", node_words.polls(node.polls[0]), "")] if node.polls else []
    for edge in node.polls:
        held = edge.to.holder
        if held is not None:
            result.append(("", "%s is %sheld by thread %s" % (
                node_words.name(edge.to), node_words.inferred_mark(held), node_words.who(held.to)),
                         node_words.since(held)))
    return result


def crash(node: Node) -> List[Line]:
    """Why a thread has crashed: the address that could not be accessed, and by which pointer; what
    fills its stack; what libc has said of the end."""
    if node.crash is None or node.row is None:
        return []
    ends = [(who if number else "exit", what, where) for number, (who, what, where) in enumerate(
        exiting(node) or _exits(node.row))]
    ends = shared(node) + ends
    if "overflow" in node.flags:
        return _overflow(node, node.row) + ends
    return _access(node.crash, node.row) + (
        _abort(node.row) if node.crash.signal == "SIGABRT" else []) + ends


def _abort(row: ThreadRow) -> List[Line]:
    """What libc, or LLVM's runtime where that has called abort (), has printed."""
    message = abort_message.text(row.stacks.space)
    if message is not None:
        return [("libc", str(message), "")]
    caller = next((frame for frame in row.stacks.walker.stack(row.thread)
                   if frame.is_user or frame.is_runtime), None)
    of_device = caller is not None and code_owner.drives_device(row.process.image_at(caller.pc))
    if caller is not None and caller.is_runtime and (
            of_device or code_owner.is_llvm(row.process, caller.frame.pc)):
        message = abort_message.of_llvm(row.stacks.space, caller.sp)
    return [] if message is None else [("omptarget" if of_device else "libomp", str(message), ""), *(
        _limits(row.stacks.space) if _NO_THREAD in str(message) else ())]


def _access(crashed: Crash, row: ThreadRow) -> List[Line]:
    """What could not be accessed, or that nothing was."""
    address = crashed.address
    if crashed.sent:
        return [] if crashed.signal == "SIGABRT" else [("sent", "by the process itself", "")]
    lost = crash_site.lost_code(row.stacks.walker.stack(row.thread), address)
    if lost is not None:
        closed = closed_library.name_at(row.stacks.space, address or 0)
        return [("code", "none is there" + (
            ": that of %s, which has been closed" % closed if closed is not None else
            ", nor where a thread began: unmapped, as by dlclose ()" if lost else ""), "")]
    if address is not None:
        words = "%#x%s" % (address, ", near null" if address < _NULL_PAGE else "")
    elif crashed.signal in ("SIGSEGV", "SIGBUS"):
        words = "not known, as where a pointer is non-canonical or misaligned"
    else:
        return []
    return [("address", words, "")] + _pointer(row, address)


def _pointer(row: ThreadRow, address: Optional[int]) -> List[Line]:
    frame = row.stacks.walker.stack(row.thread).newest
    found = crash_site.pointer(frame, address) if frame is not None and frame.is_user else None
    return [] if found is None else [("pointer", "~%s is %s" % (
        found.name, "%#x" % found.value if found.value else "null"), "")]


def _overflow(node: Node, row: ThreadRow) -> List[Line]:
    """What fills a stack: a recursion, or one frame."""
    stack = text.size(node.stack) if node.stack else \
        "its limit is not known" * ("initial" in node.flags)
    walker = row.stacks.walker
    found = crash_site.recursion(walker.stack(row.thread))
    if found is not None:
        words = "recursion of %s, %s deep" % (text.function(found.function),
                                              _depth(found, node.stack))
        return [("stack", ", ".join(filter(None, (stack, words))), "")]
    frame = walker.user_frame(row.thread)
    need = None if frame is None else crash_site.need(frame)
    taken = crash_site.largest(walker.stack(row.thread))
    variable, name, size = "", "this frame", 0
    if need is not None:
        variable, size = str(need.variable or ""), need.size
    if taken is not None and taken[1] > size:
        largest, size = taken
        if frame is None or largest.level != frame.level:
            variable, name = "", text.function(largest.name)
    words = ""
    if size * _PART >= (node.stack or _USUAL):
        words = "%s takes %s" % (name, ": ".join(filter(None, (text.size(size), variable))))
    return [("stack", ", ".join(filter(None, (stack, words))), "")] * bool(stack or words)


def _depth(found: crash_site.Recursion, stack: int) -> str:
    """How many frames a recursion has on a stack of so many bytes, 0 if that is not known."""
    estimated = int(stack / found.size) if found.size else 0
    mark, depth = ("", found.depth) if found.is_whole else \
        ("~", estimated) if estimated > found.depth else ("more than ", found.depth)
    return mark + "{:,}".format(depth).replace(",", " ")
