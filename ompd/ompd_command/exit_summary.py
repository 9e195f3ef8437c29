# SPDX-License-Identifier: MIT
"""`ompd run -summary`: a program that ends says where its time went, on standard error.

The program becomes what it would be without: this process. What looks at it is a process beside it, which
is no child of it, and waits at a socket. A program of ompd-run that calls exit(), or returns from main(),
connects to that as its last step but to flush its output (runtime-hooks/state/ending.c), and goes on when
it was looked at, after half a minute, or where nobody listens."""

from __future__ import annotations

import os
import select
import signal
import socket
import struct

from openmp_inspect.core import proc_files
from openmp_inspect.core.static_typing import TYPE_CHECKING
from ompd_command import started
from ompd_command.shell_screen import complain

if TYPE_CHECKING:
    from typing import Callable, List

    Look = Callable[[int], List[str]]  # the lines about a process

_CREDENTIALS = struct.Struct("iii")  # of who connects: process, user, group
_PAUSE = 0.2  # seconds between questions whether the program has ended
_MOST = 15  # lines
_DEEPEST = 1024  # processes between one and its ancestor
_IGNORED = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE


def run(words: List[str], look: Look) -> int:
    """Becomes ompd-run with these WORDS; an exit status where that cannot be."""
    listener, name = socket.socket(socket.AF_UNIX), "ompd-" + os.urandom(16).hex()
    listener.bind("\0" + name)
    ready, listens = os.pipe()
    program = os.getpid()
    child = os.fork()
    if child == 0:
        if os.fork() == 0:
            os.close(ready)
            try:
                _serve(listener, listens, program, look)
            finally:
                os._exit(0)
        os._exit(0)
    os.waitpid(child, 0)
    os.close(listens)
    os.read(ready, 1)
    os.close(ready)
    listener.close()
    return started.run(["--summary-socket", name, *words])


def _serve(listener: socket.socket, listens: int, program: int, look: Look) -> None:
    """Until the PROGRAM has ended. Who listens is who the program lets look at it."""
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    listener.listen()
    os.close(listens)
    began = proc_files.started(program)
    while proc_files.started(program) == began and not proc_files.has_ended(program):
        if select.select([listener], [], [], _PAUSE)[0]:
            with listener.accept()[0] as caller:
                process = _CREDENTIALS.unpack(caller.getsockopt(
                    socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))[0]
                if _is_below(process, program):
                    for line in look(process)[:_MOST]:
                        complain(line)


def _is_below(process: int, program: int) -> bool:
    for _ in range(_DEEPEST):
        if process in (0, program):
            break
        process = proc_files.parent(process)
    return process == program
