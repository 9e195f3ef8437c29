# SPDX-License-Identifier: MIT
"""Threads and frames that a command selects for the user, as gdb's own commands do: front ends
and the TUI are notified, which Python's switch() and select() leave out."""

from __future__ import annotations

import gdb

from openmp_inspect.core import debug, text
from openmp_inspect.core.static_typing import TYPE_CHECKING
from gdb_openmp.host import console, frames, gdb_text, stop_notices

if TYPE_CHECKING:
    from typing import Optional
    from gdb_openmp.host.gdb_types import GdbFrame, GdbThread


def show(frame: Optional[GdbFrame] = None, line: Optional[str] = None) -> None:
    """Prints a gdb.Frame of the selected thread, the selected one by default, and selects it.
    LINE: what is printed below it, as the "list" command does, in place of its own source line."""
    command = "frame"
    if frame is not None and frame != gdb.selected_frame():
        if console.front_end() is None and not _is_tui():
            frame.select()
        else:
            command = "frame level %d" % _level(frame)
    try:
        stop_notices.show(command if line is None else
                          "with print frame-info location -- " + command)
    except gdb.error as error:
        raise gdb.GdbError(str(error)) from None
    console.write(line or "")


def switch(thread: GdbThread, frame: Optional[GdbFrame] = None) -> None:
    """Selects a gdb thread and prints its gdb.Frame FRAME, or the newest; of one that runs none."""
    if thread.is_running():
        stop_notices.notify("thread %s" % text.thread(thread.num))
        return
    thread.switch()
    chosen = frames.newest() if frame is None else frame
    if chosen is not None and chosen == gdb.selected_frame():
        # gdb reports a frame that it selects, and the thread with it.
        other = frames.older(chosen)
        if other is not None:
            other.select()
    show(chosen)


def _is_tui() -> bool:
    """Whether gdb shows its windows."""
    try:
        return "not active" not in gdb_text.printed("info win")
    except gdb.error:
        debug.ignored()
        return False  # this gdb has none


def _level(frame: GdbFrame) -> int:
    if hasattr(frame, "level"):
        return int(frame.level())
    newer = 0
    while frame.newer() is not None:  # gdb 10
        frame, newer = frame.newer(), newer + 1
    return newer
