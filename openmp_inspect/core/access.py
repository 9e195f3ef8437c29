# SPDX-License-Identifier: MIT
"""What is opened by name: with the rights of this process, or by another one that has more of them,
and decides what it gives."""

from __future__ import annotations

import ctypes
import os
import stat

from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import List, Optional, Sequence

_REGULAR = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_DIRECTORY = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LARGEST = 1 << 26  # bytes of text: that of 65530 mappings with long names
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
        with open(path, "rb") as stream:
            return stream.read(_LARGEST)

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

    def file_of_server(self, build_id: str) -> Optional[int]:
        """A descriptor of the debug file of what has this BUILD_ID, in hexadecimal; None: there is none,
        or no server to ask."""

    def robust_lists(self, threads: Sequence[int]) -> List[int]:
        """The address of the head of each thread's list of robust mutexes, 0 where that is not
        known."""
        return [_robust_list(thread) for thread in threads]


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
