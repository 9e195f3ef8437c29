# SPDX-License-Identifier: MIT
"""Files that are written whole or not at all, and never through what another user has put where
they are to be."""

from __future__ import annotations

import errno
import os
import stat

from openmp_inspect.core import debug, screen
from openmp_inspect.core.errors import Unwritable
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import BinaryIO, Dict, List, Union

_PLACE = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_MOST_LINKS = 40
_MOST_NAMES = 10000


def write(path: str, content: Union[str, bytes], is_private: bool = False) -> None:
    """Replaces the file PATH, as the user has typed it, by one with this CONTENT; Unwritable when
    that fails: then it is as it was. A pipe or a device is written to. What IS_PRIVATE only its
    owner may read."""
    path = os.path.expanduser(path)
    try:
        real = _behind_links(path)
        if not _is_written_to(real, _encoded(content)):
            _replace(real, _encoded(content), is_private)
    except (OSError, ValueError) as error:
        raise Unwritable("%s cannot be written: %s." % (
            path, getattr(error, "strerror", None) or "no such name")) from None


def directory(path: str) -> int:
    """A descriptor of the directory PATH, which is made where there is none; OSError, also where
    others may change what is in it."""
    os.makedirs(path, 0o777 & ~_OTHERS, exist_ok=True)
    _check_owner(os.lstat(path))
    found = os.open(path, _PLACE)
    status = os.fstat(found)
    _check_owner(status)
    # In a sticky one others can neither replace nor rename what is not theirs.
    if status.st_mode & _OTHERS and not status.st_mode & stat.S_ISVTX:
        raise PermissionError(errno.EPERM, "others may write to it")
    return found


def make(place: int, name: str, contents: Dict[str, Union[str, bytes]]) -> str:
    """Makes files in a directory(), all of them or none: one for each of CONTENTS, whose key is
    what its name ends with; bytes are of a process's memory, and private. Returns what
    they begin with, NAME, with a number where that is taken. OSError when that fails."""
    for number in range(1, _MOST_NAMES):
        stem, made = name if number == 1 else "%s-%d" % (name, number), []
        try:
            for ending, content in contents.items():
                file = os.open(stem + ending, _NEW, 0o600 if isinstance(content, bytes) else 0o666,
                               dir_fd=place)
                made.append(stem + ending)
                with open(file, "wb") as stream:
                    stream.write(_encoded(content))
            return stem
        except FileExistsError:
            debug.ignored()
            _remove(place, made)
        except OSError:
            _remove(place, made)
            raise
    raise FileExistsError(errno.EEXIST, "too many files of this name")


def unnamed(directory: str) -> BinaryIO:
    """A new file in a DIRECTORY, without a name there, that nobody else reads; OSError."""
    name = os.path.join(directory, ".ompd-" + os.urandom(8).hex())
    stream = open(os.open(name, _NEW & ~os.O_WRONLY | os.O_RDWR, 0o600), "w+b")
    os.unlink(name)
    return stream


def _remove(place: int, names: List[str]) -> None:
    for name in names:
        os.unlink(name, dir_fd=place)


def _encoded(content: Union[str, bytes]) -> bytes:
    """Text as far as it is printable."""
    if isinstance(content, bytes):
        return content
    with screen.document():
        return screen.printable(content).encode()


def _check_owner(status: os.stat_result) -> None:
    if status.st_uid not in (0, os.geteuid()):
        raise PermissionError(errno.EPERM, "it belongs to another user")


def _behind_links(path: str) -> str:
    """Where symbolic links of this user's, or of root's, lead to from PATH."""
    for _ in range(_MOST_LINKS):
        try:
            status = os.lstat(path)
        except FileNotFoundError:
            debug.ignored()
            return path
        if stat.S_ISREG(status.st_mode):
            return path
        _check_owner(status)
        if not stat.S_ISLNK(status.st_mode):
            return path
        real = os.path.join(os.path.dirname(path), os.readlink(path))
        if os.path.exists(path) and not os.path.lexists(real):
            return path  # of /proc: a descriptor, as one of a pipe, and no name
        path = real
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _is_written_to(path: str, data: bytes) -> bool:
    """Whether PATH is no file, and takes DATA."""
    try:
        found = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        debug.ignored()
        return False
    try:
        if stat.S_ISREG(os.fstat(found).st_mode):
            return False
        file = os.open("/proc/self/fd/%d" % found, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
        with open(file, "wb") as stream:
            os.set_blocking(file, True)  # somebody reads
            stream.write(data)
        return True
    finally:
        os.close(found)


def _replace(path: str, data: bytes, is_private: bool) -> None:
    name, made = os.path.basename(path), ".ompd-" + os.urandom(8).hex()
    place = os.open(os.path.dirname(path) or ".", _PLACE)
    try:
        mode = 0o600 if is_private else 0o666
        with open(os.open(made, _NEW, mode, dir_fd=place), "wb") as stream:
            try:
                if not is_private:
                    _take_mode(stream.fileno(), name, place)
                stream.write(data)
                stream.flush()
                os.replace(made, name, src_dir_fd=place, dst_dir_fd=place)
            # ^C, too.
            except BaseException:
                os.unlink(made, dir_fd=place)
                raise
    finally:
        os.close(place)


def _take_mode(file: int, name: str, place: int) -> None:
    """Gives a new FILE the mode of the one that it replaces, if there is one."""
    try:
        os.fchmod(file, stat.S_IMODE(os.stat(name, dir_fd=place, follow_symlinks=False).st_mode))
    except FileNotFoundError:
        debug.ignored()
