# SPDX-License-Identifier: MIT
"""Cores that are piped, or compressed as systems keep them: each becomes a file without a name, whose
holes are kept. The program that is there for it decompresses, in a process of its own; how much that
may write, and how long it may take, is bounded, as what it reads may be crafted."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import stat
import time

from openmp_inspect.core import debug, elf, regular_file, whole_file
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import BinaryIO, NoReturn, Tuple

INPUT = "-"  # in place of a path: standard input
# How compressed files begin, and what decompresses them.
_PROGRAMS = ((b"\x28\xb5\x2f\xfd", ("zstd", "-dc")), (b"\x04\x22\x4d\x18", ("lz4", "-dc")),
             (b"\xfd7zXZ\0", ("xz", "-dc", "-M1GiB")), (b"\x1f\x8b", ("gzip", "-dc")),
             (b"BZh", ("bzip2", "-dc")))
_DIRECTORY = "/var/tmp"  # on a disk, unlike /tmp on many systems
_SECONDS = 300
_SHARE = 0.5  # of what is free there
_PIECE, _HEADERS = 1 << 16, 1 << 23  # bytes
_ZEROS = bytes(_PIECE)
_NO_PROGRAM = 127  # exit status
_PARENT_ENDS = 1  # PR_SET_PDEATHSIG


def opened(path: str) -> BinaryIO:
    """The core at PATH, or INPUT, that can seek; OSError or ValueError where that cannot be had."""
    stream = os.fdopen(os.dup(0), "rb") if path == INPUT else regular_file.opened(path)
    stream.seek(0)
    head = os.pread(stream.fileno(), _PIECE, 0)
    words = next((words for magic, words in _PROGRAMS if head.startswith(magic)), None)
    if words is None:
        return stream
    with stream:
        return _decompressed(stream.fileno(), words)


def keep_input() -> None:
    """Standard input can be read more than once from now on; OSError or ValueError where that cannot
    be."""
    if os.isatty(0):
        raise ValueError("it is a terminal")
    if not stat.S_ISREG(os.fstat(0).st_mode):
        with _copied(0) as made:
            os.dup2(made.fileno(), 0)


def _decompressed(file: int, words: Tuple[str, ...]) -> BinaryIO:
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        _become(words, file, sender)
    os.close(sender)
    try:
        return _copied(receiver)
    finally:
        os.close(receiver)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == _NO_PROGRAM:
            raise ValueError("it is compressed, and %s is not on this machine" % words[0])


def _become(words: Tuple[str, ...], file: int, sender: int) -> NoReturn:
    try:
        ctypes.CDLL(None).prctl(_PARENT_ENDS, signal.SIGKILL)
        os.lseek(file, 0, os.SEEK_SET)
        for number, one in enumerate((file, sender, os.open(os.devnull, os.O_WRONLY))):
            os.dup2(one, number)
        os.execvp(words[0], words)
    except OSError:
        debug.ignored()
    finally:
        os._exit(_NO_PROGRAM)


def _copied(source: int) -> BinaryIO:
    """What comes from a pipe, as far as a core's headers say that it goes."""
    directory = os.environ.get("TMPDIR") or _DIRECTORY
    made = whole_file.unnamed(directory)
    free = os.fstatvfs(made.fileno())
    most, until = free.f_bavail * free.f_frsize * _SHARE, time.monotonic() + _SECONDS
    size, whole = 0, None
    while whole is None or size < whole:
        if not select.select([source], [], [], max(until - time.monotonic(), 0))[0]:
            raise ValueError("it does not come to an end within %d s" % _SECONDS)
        piece = os.read(source, _PIECE)
        if not piece:
            break
        if not _ZEROS.startswith(piece):
            most -= len(piece)
            if most < 0:
                raise ValueError("it takes more than half of what is free in %s" % directory)
            made.seek(size)
            made.write(piece)
        size += len(piece)
        if whole is None and size >= _HEADERS:
            whole = _size_of(made)
    made.truncate(size)
    made.seek(0)
    return made


def _size_of(core: BinaryIO) -> int:
    """By its headers; ValueError if it has none."""
    core.seek(0)
    return max((one.offset + one.size for one in elf.read(core).segments), default=0)
