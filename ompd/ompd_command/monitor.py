# SPDX-License-Identifier: MIT
"""The process with the rights of whoever asks for a look. It stops a target, copies, and opens files
for the one that parses them; it parses nothing of the target but what the kernel says. What it gives
follows from the target, or is what the target's owner may read: who asks may have been taken over by
what it has parsed."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import re
import signal

from openmp_inspect.core import debug
from openmp_inspect.core.lazy_regex import regex
from openmp_inspect.core.static_typing import NamedTuple, TYPE_CHECKING
from ompd_command.connection import Closed
from ompd_command.host import copied_memory
from ompd_command.host.rights import Rights, Wanted

if TYPE_CHECKING:
    from typing import Any, Callable, ContextManager, Dict, Iterator, List, Optional, Sequence, \
        Tuple
    from ompd_command.connection import Connection

_PROC = r"/proc/(\d+)/"
# Of the target: the files that it executes, and what the kernel says of it.
_MAPPED = regex(_PROC + r"(?:exe|map_files/[0-9a-f]+-[0-9a-f]+)")
_LINKS = regex(_PROC + r"(?:exe|cwd|fd/\d+|ns/(?:pid|mnt))")
_OPENED = regex(_PROC + r"fd/\d+")
_TEXTS = regex(_PROC + r"(?:task/\d+/)?(?:status|stat|schedstat|syscall|limits|children|auxv|"
               r"cmdline|maps|mountinfo|timens_offsets|fdinfo/\d+|net/tcp6?)")
# Of anything.
_PUBLIC_TEXTS = regex(r"/proc/(?:\d+/(?:task/\d+/)?(?:status|stat)|locks|loadavg|"
                      r"self/timens_offsets|sys/kernel/(?:threads-max|yama/ptrace_scope))")
_PUBLIC_LINKS = regex(r"/proc/\d+/ns/pid")
_NAMES = regex(r"/proc(?:/\d+/task)?")
_BUILD_ID = regex(r"(?:[0-9a-f]{2}){2,64}")


class Owner(NamedTuple):
    """Who a target is of."""

    user: int
    group: int
    groups: List[int]


class Monitor:
    """Of a process TARGET, 0: of a core. OWNER: with whose rights files are opened by name; None:
    with those that this process has, as are those at or below the paths that the user has NAMED."""

    def __init__(self, target: int, owner: Optional[Owner], named: Sequence[str]) -> None:
        self._target, self._owner, self._named = target, owner, tuple(named)
        self._rights = Rights()
        self._libc = ctypes.CDLL(None)
        if owner is not None:
            os.setgroups(owner.groups)
        self._questions: Dict[str, Callable[..., Tuple[Any, Optional[int]]]] = {
            "file": self._file, "file_beneath": self._file_beneath,
            "file_of_server": self._file_of_server, "texts": self._texts, "link": self._link,
            "names": self._names, "real": self._real, "device": self._device,
            "other_ends": self._other_ends, "shares_memory": self._shares_memory,
            "robust_lists": self._robust_lists, "stop": self._stop}

    def serve(self, connection: Connection) -> None:
        """Until nobody asks any more."""
        while True:
            try:
                name, *given = connection.question()
                connection.answer(*self._questions[name](*given))
            except Closed:
                debug.ignored()
                return
            except OSError as error:
                debug.ignored()
                connection.refuse(error.errno or (
                    errno.ESRCH if isinstance(error, ProcessLookupError) else errno.EINVAL))
            # What is no question: as what may not be asked.
            except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
                debug.ignored()
                connection.refuse(errno.EPERM)

    @contextlib.contextmanager
    def _as_owner(self) -> Iterator[None]:
        """Files are opened with the rights of the target's owner."""
        if self._owner is None:
            yield
            return
        self._libc.setfsgid(self._owner.group)
        self._libc.setfsuid(self._owner.user)
        try:
            yield
        finally:
            self._libc.setfsuid(os.geteuid())
            self._libc.setfsgid(os.getegid())

    def _is_own(self, number: str) -> bool:
        """Whether that of a process, or a thread, is the target's."""
        return self._target > 0 and (int(number) == self._target or os.path.exists(
            "/proc/%d/task/%d" % (self._target, int(number))))

    def _is_of_target(self, pattern: re.Pattern[str], path: str) -> bool:
        found = pattern.fullmatch(path)
        return found is not None and self._is_own(found.group(1))

    def _check(self, pattern: re.Pattern[str], public: Optional[re.Pattern[str]],
               path: str) -> None:
        if public is not None and public.fullmatch(path) or self._is_of_target(pattern, path):
            return
        found = pattern.fullmatch(path)  # of a thread that has ended meanwhile, or another's
        ended = found is not None and not os.path.exists("/proc/" + found.group(1))
        number = errno.ENOENT if ended else errno.EPERM
        raise OSError(number, os.strerror(number))

    def _for(self, path: str) -> ContextManager[None]:
        """The rights with which a file is opened."""
        is_named = any(path == one or path.startswith(one.rstrip("/") + "/") and
                       ".." not in path[len(one):].split("/") for one in self._named)
        return contextlib.nullcontext() if is_named or self._is_of_target(_MAPPED, path) else \
            self._as_owner()

    def _file(self, path: str) -> Tuple[None, int]:
        with self._for(path):
            return None, self._rights.file(path)

    def _file_beneath(self, directory: str, name: str) -> Tuple[None, int]:
        if "/" in name:
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))
        with self._for(os.path.join(directory, name)):
            return None, self._rights.file_beneath(directory, name)

    def _file_of_server(self, build_id: str) -> Tuple[None, int]:
        found = self._rights.file_of_server(build_id) if _BUILD_ID.fullmatch(build_id) else None
        if found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return None, found

    def _texts(self, path: str) -> Tuple[Dict[str, bytes], None]:
        """What the kernel says in a file; of one of a thread, also in those of the other threads."""
        self._check(_TEXTS, _PUBLIC_TEXTS, path)
        found = {path: self._rights.text(path)}
        words = path.split("/")
        if words[3:4] == ["task"]:
            for other in self._rights.names("/".join(words[:4])):
                one = "/".join([*words[:4], other, *words[5:]])
                if one != path:
                    with contextlib.suppress(OSError):
                        found[one] = self._rights.text(one)
        return found, None

    def _link(self, path: str) -> Tuple[str, None]:
        self._check(_LINKS, _PUBLIC_LINKS, path)
        return self._rights.link(path), None

    def _names(self, path: str) -> Tuple[List[str], None]:
        self._check(_NAMES, _NAMES, path)
        return self._rights.names(path), None

    def _real(self, path: str) -> Tuple[str, None]:
        with self._for(path):
            return self._rights.real(path), None

    def _device(self, path: str) -> Tuple[int, None]:
        self._check(_OPENED, None, path)
        return self._rights.device(path), None

    def _other_ends(self, process: int, number: int) -> Tuple[List[int], None]:
        if not self._is_own(str(process)):
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))
        return self._rights.other_ends(process, number), None

    def _shares_memory(self, process: int, other: int) -> Tuple[bool, None]:
        return self._is_own(str(process)) and self._rights.shares_memory(process, other), None

    def _robust_lists(self, threads: List[int]) -> Tuple[List[int], None]:
        own = set(map(int, self._rights.names("/proc/%d/task" % self._target)))
        return self._rights.robust_lists([one if one in own else 0 for one in threads]), None

    def _stop(self, elf_machine: int, stops: bool, has_vectors: bool, is_whole: bool, known: List[int],
              only: List[int], pages: List[Tuple[int, int]], after: float) -> Tuple[Any, None]:
        sizes = [end - first for first, end in pages if 0 <= first <= end]
        if len(sizes) != len(pages) or sum(sizes) > copied_memory.MOST_PAGES or not 0 <= after <= 1:
            raise ValueError("so many pages, or so long")
        found = self._rights.stop(self._target, elf_machine, Wanted(
            stops, has_vectors, is_whole, known, only, pages, after))
        return (vars(found.registers), *found[1:]), None


def run(target: int, owner: Optional[Owner], named: Sequence[str],
        connection: Connection) -> None:
    """In a child that ends with it. An interrupt ends the others, and it so that a target runs on."""
    for number in (signal.SIGINT, signal.SIGTSTP):
        signal.signal(number, signal.SIG_IGN)
    Monitor(target, owner, named).serve(connection)
