# SPDX-License-Identifier: MIT
"""ompd threads"""

import gdb

from ompd import commands, derived, errors, frames, paths, session, target, text, words

_HEAD = ["  Id", "OMP", "Level", "State", "Waits for", "Where"]


class Command(gdb.Command):
    """List threads with what each of them does in OpenMP.

Usage: ompd threads

One line for each thread, the selected one marked with "*":
  Id         gdb's number of the thread, as in "info threads"
  OMP        its number in its team and the team's size, as 2/4; in nested
             regions the path through the teams, outermost first
  Level      parallel regions around it, as omp_get_level() counts them
  State      what it does: work, idle, or what kind of thing it waits for;
             "~" marks what only the stack tells, where nothing is recorded
  Waits for  that thing, by name where it has one
  Where      the innermost place in your own code"""

    def __init__(self):
        super().__init__("ompd threads", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        commands.no_arguments("ompd threads", argument)
        inferior = session.need_program()
        remark = None
        try:
            with session.snapshot() as snapshot:
                rows = _rows(inferior, snapshot.by_lwp, snapshot)
        except (errors.OmpdError, errors.NoLibrary, gdb.MemoryError) as error:
            remark = _remark(error)
            rows = _rows(inferior, None, None)
        for line in text.table([_HEAD] + rows):
            gdb.write(line + "\n")
        if remark:
            gdb.write(text.remark(remark) + "\n")


def _remark(error):
    """Why only gdb's own knowledge is shown; a program without OpenMP ends here."""
    if isinstance(error, errors.NoLibrary):
        if error.fatal:
            raise gdb.GdbError(str(error))
        return str(error)
    if isinstance(error, errors.OmpdError):
        return errors.sentence(error)
    return errors.sentence(errors.OmpdError("target_read_error", ""))


def _rows(inferior, by_lwp, snapshot):
    rows = []
    seen = set()
    selected = gdb.selected_thread()
    selected = selected.ptid if selected is not None else None
    walker = frames.Walker()
    several = len(gdb.inferiors()) > 1
    with frames.selection_kept():
        for thread in target.threads(inferior):
            lwp = target.lwp(thread)
            seen.add(lwp)
            name = "%d.%d" % (inferior.num, thread.num) if several else str(thread.num)
            mark = "* " if thread.ptid == selected else "  "
            known = None if by_lwp is None else by_lwp.get(lwp)
            place = _where(walker, thread, known)
            seen_wait = None
            if known is not None and not snapshot.recorded:
                seen_wait = _derived(known, place)
            rows.append([mark + name] + _openmp(known, by_lwp is None, seen_wait) +
                        [place if isinstance(place, str) else
                         text.place(place or walker.innermost(thread))])
    if snapshot is not None:
        rows += _unlisted(inferior, snapshot, seen)
    return rows


def _derived(known, place):
    """(state, what is waited for) as the stack tells it, or None."""
    try:
        if not known.state.startswith("work") or isinstance(place, str):
            return None  # the runtime's own word is better
    except errors.OmpdError:
        return None
    if place is None:
        return "~runtime", "-"  # in the region, but no longer or not yet in its body
    wait = derived.wait(place)
    return None if wait is None else words.derived(*wait)


def _openmp(thread, unknown, seen_wait=None):
    """The cells between Id and Where."""
    if thread is None:
        return ["?", "?", "?", "?"] if unknown else ["-", "-", "not OpenMP", "-"]
    try:
        state, wait = thread.state, thread.wait_id
        if state == "idle":
            return ["-", "-", "idle", "-"]
        state, wait = seen_wait or (words.state(state), words.waits_for(state, wait))
    except errors.OmpdError as error:
        state, wait = errors.short(error), "-"
    return [_cell(lambda: paths.label(thread.path)), _cell(lambda: thread.level), state, wait]


def _cell(value):
    try:
        found = value()
    except errors.OmpdError:
        return "?"
    return "-" if found is None else str(found)


def _where(walker, thread, known):
    """A Place, None, or what to print instead."""
    if thread.is_running():
        return "(running)"
    try:
        if known is None:
            place = walker.place(thread)
        elif known.state == "idle":
            return "-"
        else:
            place = _in_task(walker, thread, known)
    except errors.OmpdError:
        place = walker.place(thread)
    return place


def _in_task(walker, thread, known):
    """The innermost user frame of the current task, which is below the frame that called
    its body. There is none once the body has been left, at the barrier that ends a region,
    or was left by a tail call into the runtime: then the construct has to do. What else
    is on the stack is the way to the construct."""
    task = known.task
    body_called_by = task.frames[0] if task is not None else 0
    if body_called_by == 0 and known.state != "wait_barrier_implicit":
        return walker.place(thread)
    place = walker.place(thread, body_called_by) if body_called_by else None
    if place is None:
        function = (task.function if task is not None else None) or \
            (known.region.function if known.region is not None else None)
        place = walker.construct(function) if function else None
    return place


def _unlisted(inferior, snapshot, seen):
    """Threads that the runtime knows and gdb does not: ended, or not seen yet. Until its
    first instructions after fork() have run, a child remembers its parent's."""
    rows = []
    seen = seen | {target.lwp(thread) for other in gdb.inferiors() if other != inferior
                   for thread in other.threads()}
    for thread in snapshot.threads:
        try:
            lwp = thread.lwp
        except errors.OmpdError as error:
            rows.append(["  -"] + _openmp(thread, False) + [errors.short(error)])
            continue
        if lwp not in seen:
            rows.append(["  -"] + _openmp(thread, False) + ["LWP %d, not seen by gdb" % lwp])
    return rows
