# SPDX-License-Identifier: MIT
"""Threads and frames that a command selects for the user, as gdb's own commands do: front ends
and the TUI are told, which Python's switch() and select() leave out."""

import gdb

from gdb_openmp.core import debug
from gdb_openmp.host import escaped, stop_notices, text


def show(frame=None, line=None):
    """Prints a gdb.Frame of the selected thread, the selected one by default, and selects it.
    LINE: what is printed below it, as the "list" command does, in place of its own source line."""
    command = "frame" if frame is None or frame == gdb.selected_frame() else \
        "frame level %d" % _level(frame)
    _execute(command if line is None else "with print frame-info location -- " + command)
    gdb.write(line or "")


def switch(thread, level=0):
    """Selects a gdb thread, and the frame of this LEVEL, which it prints; of one that runs no
    frame."""
    if level:
        thread.switch()
        _execute("frame level %d" % level)
        return
    try:
        stop_notices.notify("thread %s" % text.thread(thread.num))
    except gdb.error:
        debug.ignored()  # its newest frame cannot be read, as is said next
        thread.switch()
    if not thread.is_running():
        _execute("frame")


def _execute(command):
    try:
        stop_notices.show(command)
    except gdb.error as error:
        raise gdb.GdbError(escaped.lines(str(error))) from None


def _level(frame):
    if hasattr(frame, "level"):
        return frame.level()
    newer = 0
    while frame.newer() is not None:  # gdb 10
        frame, newer = frame.newer(), newer + 1
    return newer
