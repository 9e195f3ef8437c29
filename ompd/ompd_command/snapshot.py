# SPDX-License-Identifier: MIT
"""`ompd snapshot`: a stop as a file, of which every command says later what it would have said."""

from __future__ import annotations

import argparse
import os
import sys

from openmp_inspect.core import debug, elf, text, whole_file
from openmp_inspect.core.errors import HostError, NoLibrary, UserError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import kernel_facts
from ompd_command.host import core_writer

if TYPE_CHECKING:
    from typing import Any, Callable, Iterable, Iterator, Tuple
    from ompd_command.host.live import LiveProcess

_MOST_DATA = 1 << 18  # bytes of one library's or the program's variables
_DYNAMIC = 2  # type of a segment


def prepare(given: Any, process: LiveProcess, ask: Callable[[Any], object],
            commands: Iterable[str]) -> None:
    """Has the next look at the current PROCESS copy what all COMMANDS need of it; ASK executes one
    that is given as arguments.py does."""
    for command in commands:
        try:
            ask(_rehearsed(given, command))
        except (UserError, NoLibrary, HostError):
            debug.ignored()
    for address, size in _for_debuggers(process, given.anonymous):
        process.want(address, size)
    process.is_whole = True


def made(process: LiveProcess, anonymous: bool = False) -> bytes:
    """The content of the file: what was copied of the current PROCESS."""
    return core_writer.written(core_writer.Stopped(
        process.layout, process.elf_machine, process.own_id, *_program(process, anonymous),
        process.states(), process.signal_info(), process.auxv(), process.mappings,
        process.pieces(anonymous), kernel_facts.note(process)))


def write(path: str, content: bytes) -> None:
    """Writes it; Unwritable where that cannot be."""
    whole_file.write(path, content, is_private=True)  # as the kernel's cores are


def written(given: Any, pid: int, content: bytes) -> Any:
    """Writes that of a process, and returns lines, or an object, about it."""
    path = given.output or "ompd-%d.core" % pid
    if path == "-":
        sys.stdout.buffer.write(content)
        return []
    write(path, content)
    return {"file": path, "bytes": len(content)} if given.json else [
        "The snapshot is in %s (%s)." % (path, text.size(len(content)))]


def _rehearsed(given: Any, command: str) -> Any:
    """What is GIVEN, with the options of a COMMAND as arguments.py has them."""
    return argparse.Namespace(**dict(
        vars(given), command=command, every=True, watch=None, graph=None, html=None, lines=False,
        tree=True, state=None, region=None, thread=None, last=None, trace=None, changed=False,
        device=None, of=None, sums=False, by=None))


def _program(process: LiveProcess, anonymous: bool) -> Tuple[str, bytes]:
    name = os.path.basename(process.program_path() or "")
    return name, b"" if anonymous else process.command_line()


def _for_debuggers(process: LiveProcess, anonymous: bool) -> Iterator[Tuple[int, int]]:
    """What they need to find libraries and threads: headers, build-ids, dynamic sections, and the
    variables of libraries; of an ANONYMOUS process none of the program's."""
    for image in process.images.all:
        yield image.start, image.mapping.end - image.start if image.content is not None else 1
        for segment in image.segments:
            is_data = segment.type == elf.LOAD and segment.writable and not (
                anonymous and image.is_program)
            if segment.type in (_DYNAMIC, elf.NOTE) or is_data:
                yield image.bias + segment.address, min(segment.memory, _MOST_DATA)
