# SPDX-License-Identifier: MIT
"""ompd thread"""

from __future__ import annotations

import gdb

from openmp_inspect.core import debug, errors, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import thread_paths
from gdb_openmp.host import console, inferiors, options, process, selection
from gdb_openmp.program import address_space
from gdb_openmp.ui import session

if TYPE_CHECKING:
    from typing import List, Optional
    from openmp_inspect.model.objects import Task
    from openmp_inspect.report.thread_paths import Member


class Command(options.Helpful):
    """Select a thread by its OpenMP number, or tell the number.

Usage: ompd thread [N[.M...]]

N is the number in the outermost team, M in the team of the region that thread
N has opened, and so on: the path that "ompd threads" shows. Where several
initial threads have regions of their own, the selected thread's are looked
through first. The frame that is selected is the innermost one of your own
code. Without an argument: who the selected thread is."""

    def __init__(self) -> None:
        super().__init__("ompd thread", gdb.COMMAND_RUNNING)

    def act(self, argument: str, from_tty: bool) -> None:
        self.dont_repeat()
        session.need_program()
        selected = gdb.selected_thread()
        with session.sentences(), session.snapshot() as snapshot:
            if not argument.strip():
                if selected is None:
                    raise gdb.GdbError('No thread is selected: type "thread N" first.')
                console.write(text.remark("Thread %s %s." % (
                    text.thread(selected.num),
                    _who(thread_paths.member(snapshot, selected)))) + "\n")
                return
            wanted = thread_paths.parse(argument.strip())
            everybody = thread_paths.everybody(snapshot)
            found = thread_paths.find(wanted, thread_paths.index(everybody),
                               thread_paths.among(everybody, selected))
        name = "[Switching to %s]" % found.name(inferiors.system_name(found.thread))
        if found.thread.is_running():
            console.write(name + "(running)\n")
            selection.switch(found.thread)
            return
        console.write(name + "\n")
        with inferiors.selection_kept():
            frame = address_space.stacks().walker.user_frame(found.thread)
        selection.switch(found.thread, None if frame is None else process.gdb_frame(frame.frame))

    # pylint: disable-next=unused-argument,redefined-outer-name
    def complete(self, text: str, word: Optional[str]) -> List[str]:
        """The paths there are."""
        try:
            session.need_program()
            with session.sentences(), session.snapshot() as snapshot:
                known = {thread_paths.dotted(m.numbers)
                         for m in thread_paths.everybody(snapshot)
                         if m.numbers is not None}
        except gdb.GdbError:
            debug.ignored()
            return []
        return sorted(path for path in known if path.startswith(text))


def _who(member: Optional[Member]) -> str:
    if member is None:
        return "is not an OpenMP thread"
    known = member.known
    try:
        if known.state == "idle":
            return "is idle: it waits in the runtime for a region"
        region, task = known.region, known.task
        if region is None:
            return "is an initial OpenMP thread, outside any parallel region%s" % _task(task)
        result = "is OpenMP thread %d of %d in %s (level %s)" % (
            known.number, region.size,
            "a region" if region.id is None else "region %d" % region.id, known.level)
        if len(known.path) > 1:
            result += ", path " + text.style("title", member.label or text.thread_path(known.path))
        return result + _task(task)
    except errors.OmpdError as error:
        debug.ignored()
        if error.kind == "unavailable":
            return "is an OpenMP thread whose region began before tracking did"
        raise


def _task(task: Optional[Task]) -> str:
    if task is None:
        return ""
    kind = "implicit task" if task.implicit else "explicit task"
    return ", in an %s" % kind if task.id is None else ", %s %d" % (kind, task.id)
