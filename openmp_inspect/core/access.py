# SPDX-License-Identifier: MIT
"""What is opened by name: with the rights of this process, or by another one that has more of them,
and decides what it gives."""

from __future__ import annotations

import ctypes
import itertools
import os
import stat

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Iterator, List, Optional, Sequence, Tuple

_REGULAR = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_DIRECTORY = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PIECE, _MOST_PIECES = 1 << 16, 1 << 14  # of text: a read returns a page or less, as of 65530 mappings
_MOST_FILES = 1 << 16  # open ones that are looked at
_KCMP = {"x86_64": 312, "aarch64": 272}  # number of that system call
_KCMP_VM = 1
_GET_ROBUST_LIST = {"x86_64": 274, "aarch64": 100}  # and of that one

_syscall = ctypes.CDLL(None).syscall


class Access:
    """With the rights of this process. OSError of each where that may not be, or cannot."""

    def file(self, path: str) -> int:
        """A descriptor of a regular file of any size, open for reading, which does not wait; also
        ValueError."""
        return _checked(os.open(path, _REGULAR))

    def file_beneath(self, directory: str, name: str) -> int:
        """The same of the one of this NAME, and no link, in a DIRECTORY that is none either."""
        place = os.open(directory, _DIRECTORY)
        try:
            return _checked(os.open(name, _REGULAR | os.O_NOFOLLOW, dir_fd=place))
        finally:
            os.close(place)

    def text(self, path: str) -> bytes:
        """What a file of the kernel's has."""
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:  # in pieces: what is below /proc/sys refuses 4 MiB at once
            return b"".join(itertools.islice(iter(lambda: os.read(file, _PIECE), b""), _MOST_PIECES))
        finally:
            os.close(file)

    def link(self, path: str) -> str:
        """Where a symbolic link leads to."""
        return os.readlink(path)

    def names(self, path: str) -> List[str]:
        """Those in a directory."""
        return os.listdir(path)

    def real(self, path: str) -> str:
        """The PATH without symbolic links, as far as that is known."""
        return os.path.realpath(path)

    def device(self, path: str) -> int:
        """That which has the file, as os.stat() numbers it."""
        return os.stat(path).st_dev

    def shares_memory(self, process: int, other: int) -> bool:
        """Whether two processes have the same memory; False where the kernel does not say."""
        number = _KCMP.get(os.uname().machine)
        return number is not None and _syscall(ctypes.c_long(number), process, other, _KCMP_VM, 0,
                                               0) == 0

    def other_ends(self, process: int, number: int) -> List[int]:
        """The processes that are known to have the other end of the pipe which a PROCESS has opened by
        that NUMBER; there may be more."""
        pipe, own, found = self.link("/proc/%d/fd/%d" % (process, number)), _mode(process, number), []
        places = itertools.islice(_opened_files(), _MOST_FILES) if pipe.startswith("pipe:[") else ()
        for other, file in places:
            try:
                if other not in found and os.readlink("/proc/%d/fd/%d" % (other, file)) == pipe and \
                        _mode(other, file) in (own ^ 1, os.O_RDWR):
                    found.append(other)
            except OSError:
                debug.ignored()  # it has ended, or closed that file
        return found

    def file_of_server(self, build_id: str) -> Optional[int]:
        """A descriptor of the debug file of what has this BUILD_ID, in hexadecimal; None: there is none,
        or no server to ask."""

    def robust_lists(self, threads: Sequence[int]) -> List[int]:
        """The address of the head of each thread's list of robust mutexes, 0 where that is not
        known."""
        return [_robust_list(thread) for thread in threads]


def _opened_files() -> Iterator[Tuple[int, int]]:
    """(process, number of a file that it has opened), of those that may be asked."""
    for process in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            files = os.listdir("/proc/%d/fd" % process)
        except OSError:
            debug.ignored()
            continue
        for file in files:
            yield process, int(file)


def _mode(process: int, file: int) -> int:
    """How a process has opened a file: 0 to read, 1 to write."""
    with open("/proc/%d/fdinfo/%d" % (process, file), "rb") as stream:
        flags = next(line for line in stream if line.startswith(b"flags:"))
    return int(flags.split()[1], 8) & (os.O_WRONLY | os.O_RDWR)


def _robust_list(thread: int) -> int:
    head, length = ctypes.c_void_p(), ctypes.c_size_t()
    number = _GET_ROBUST_LIST.get(os.uname().machine)
    if number is None or _syscall(ctypes.c_long(number), thread, ctypes.byref(head),
                                  ctypes.byref(length)):
        return 0
    return head.value or 0


def _checked(file: int) -> int:
    if stat.S_ISREG(os.fstat(file).st_mode):
        return file
    os.close(file)
    raise OSError("not a regular file")


_used: List[Access] = [Access()]  # one


def use(access: Access) -> None:
    """From now on this process opens by ACCESS."""
    _used[:] = [access]


def current() -> Access:
    return _used[0]
