# SPDX-License-Identifier: MIT
"""The rights of another process, by questions that it answers; see monitor.py."""

from __future__ import annotations

import os

from openmp_inspect.core.static_typing import TYPE_CHECKING
from ompd_command import sandbox
from ompd_command.host import ptrace
from ompd_command.host.rights import Rights, Stopped

if TYPE_CHECKING:
    from typing import Dict, List, Optional, Sequence, Set, Tuple
    from ompd_command.connection import Connection
    from ompd_command.host.rights import Wanted

_BLOCK = 512  # bytes, of stat
_MOST_KEPT = 64  # open files


class ServedRights(Rights):
    def __init__(self, connection: Connection) -> None:
        self._ask = connection.ask
        self._texts: Dict[str, bytes] = {}  # at this look; of one thread with those of all
        self._kept: Dict[str, int] = {}  # descriptors by path
        self._files: Set[Tuple[int, int]] = set()  # that were given, by device and inode

    def file(self, path: str) -> int:
        """As Access has it; what is opened again has its place in the file in common with before."""
        if path not in self._kept:
            found = self._file("file", path)
            if len(self._kept) == _MOST_KEPT:
                return found
            self._kept[path] = found
        os.lseek(self._kept[path], 0, os.SEEK_SET)
        return os.dup(self._kept[path])

    def file_beneath(self, directory: str, name: str) -> int:
        return self._file("file_beneath", directory, name)

    def file_of_server(self, build_id: str) -> Optional[int]:
        return self._file("file_of_server", build_id)

    def _file(self, *question: str) -> int:
        found: int = self._ask(*question)
        status = os.fstat(found)
        if (status.st_dev, status.st_ino) not in self._files:
            self._files.add((status.st_dev, status.st_ino))
            sandbox.allow(min(status.st_size, status.st_blocks * _BLOCK))
        return found

    def text(self, path: str) -> bytes:
        if path not in self._texts:
            self._texts.update(self._ask("texts", path))
        return self._texts[path]

    def forget(self) -> None:
        self._texts.clear()

    def link(self, path: str) -> str:
        return self._text("link", path)

    def names(self, path: str) -> List[str]:
        found: List[str] = self._ask("names", path)
        return found

    def real(self, path: str) -> str:
        return self._text("real", path)

    def _text(self, *question: str) -> str:
        found: str = self._ask(*question)
        return found

    def device(self, path: str) -> int:
        found: int = self._ask("device", path)
        return found

    def other_ends(self, process: int, number: int) -> List[int]:
        found: List[int] = self._ask("other_ends", process, number)
        return found

    def shares_memory(self, process: int, other: int) -> bool:
        return bool(self._ask("shares_memory", process, other))

    def robust_lists(self, threads: Sequence[int]) -> List[int]:
        found: List[int] = self._ask("robust_lists", list(threads))
        return found

    def stop(self, pid: int, elf_machine: int, wanted: Wanted) -> Stopped:
        found, *others = self._ask("stop", elf_machine, *wanted)
        registers = ptrace.Registers()
        vars(registers).update(found)
        return Stopped(registers, *others)
