# SPDX-License-Identifier: MIT
"""`ompd snapshot` in a debugger: the shell's command writes the file, given what the debugger has that
no other process may have, registers and memory. So the files are the same."""

from __future__ import annotations

import json
import os
import subprocess

from openmp_inspect.core import debug, install_paths, text
from openmp_inspect.core.errors import HostError, UserError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface, machine

if TYPE_CHECKING:
    from types import SimpleNamespace
    from typing import Dict, List
    from openmp_inspect.host.interface import Process, Thread
    from openmp_inspect.host.machine import Machine

_OTHER_NAMES = {"rflags": "eflags", "cpsr": "pstate"}  # of registers in some debuggers: the kernel's


def lines(given: SimpleNamespace, process: Process) -> List[str]:
    """Writes it, for a stopped PROCESS, as GIVEN, and says where; UserError where that cannot be."""
    if process.origin != interface.LIVE:
        raise UserError("\"ompd snapshot\" is for a live process of this machine.")
    command = install_paths.command()
    if command is None:
        raise UserError("The command \"ompd\", which writes snapshots, is not installed beside this "
                        "plugin.")
    try:
        memory = os.open("/proc/%d/mem" % process.pid, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise UserError("The memory of the process may not be read: %s." % error.strerror) from None
    try:
        words = [command, "snapshot", "-held", "-json", "-o",
                 given.words[0] if given.words else "ompd-%d.core" % process.pid]
        words += ["-anonymous"] * given.anonymous + ["%d" % process.pid]
        done = subprocess.run(words, check=False, pass_fds=[memory], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, input=json.dumps({
                                  "memory": memory, "threads": _registers(process)}
                              ).encode())
    finally:
        os.close(memory)
    try:
        found = json.loads(done.stdout)
        return ["The snapshot is in %s (%s)." % (text.style("filename", found["file"]),
                                                 text.size(found["bytes"]))]
    except (ValueError, KeyError, TypeError):
        debug.ignored()
        said = done.stderr.decode("utf-8", "replace").strip().partition(": ")[2]
        raise UserError(said or "The command \"ompd\" has failed.") from None


def _registers(process: Process) -> Dict[int, Dict[str, int]]:
    """Those of all stopped threads, by the ids that other tools have, as far as they are known."""
    layout = machine.of_name(process.machine)
    if layout is None:
        raise UserError("Snapshots of such a machine cannot be written.")
    with process.selection_kept():
        return {process.shown_id(thread): _of_thread(process, thread, layout)
                for _, thread in process.threads() if not thread.is_running()}


def _of_thread(process: Process, thread: Thread, layout: Machine) -> Dict[str, int]:
    frame, pointer = process.newest_frame(thread), process.pthread(thread)
    found = {} if pointer is None else {layout.thread_pointer or "thread_pointer": pointer}
    for name in (*layout.fields, *_OTHER_NAMES):
        try:
            if frame is not None and name not in found:
                found[_OTHER_NAMES.get(name, name)] = frame.register(name)
        except HostError:
            debug.ignored()
    return found
