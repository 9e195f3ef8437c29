# SPDX-License-Identifier: MIT
"""Separate debug files. What they are called is the target's word: it is one name in a directory
where the file itself is, or below that of this machine; and it is no word for what they hold, which
a build-id or a checksum shows.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import mmap
import os
import zlib

from openmp_inspect.core import debug, regular_file
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host.elf_file import ElfFile

if TYPE_CHECKING:
    from typing import Any, BinaryIO, Callable, Iterator, Optional, Tuple
    Opened = Tuple[str, BinaryIO]  # with its path

_TOP = "/usr/lib/debug"
_OWN = ".debug"  # a directory beside a file


def of_file(path: str, build_id: Optional[str], link: Optional[str],
            checksum: int) -> Optional[Opened]:
    """The debug file of the one at PATH, by its BUILD_ID in hexadecimal, or by its debug LINK with
    a CHECKSUM; None where there is none."""
    try:
        own = os.stat(path)
    except OSError:
        debug.ignored()
        return None
    name = link or os.path.basename(path) + ".debug"
    return _first(build_id, _beside(path, name), lambda stream: not os.path.samestat(
        own, os.fstat(stream.fileno())) and _is_of(stream, build_id, checksum if link else 0))


def shared(path: str, build_id: str, name: str) -> Optional[Opened]:
    """The file by this NAME, and with this BUILD_ID, which has what the debug information at PATH
    has in common with that of other files."""
    place = os.path.normpath(os.path.join(os.path.dirname(path), name))
    named = map(_opened, [place]) if place.startswith(_TOP + "/") else _beside(path, name)
    return _first(build_id, named, lambda stream: _is_of(stream, build_id, 0))


def _first(build_id: Optional[str], named: Iterator[Optional[Opened]],
           is_it: Callable[[BinaryIO], bool]) -> Optional[Opened]:
    """Of those by BUILD_ID, of this machine, NAMED, and of a server, the first that IS_IT."""
    for found in itertools.chain(map(_by_build_id, [build_id]), named,
                                 map(_from_server, [build_id])):
        if found is not None:
            if is_it(found[1]):
                return found
            found[1].close()
    return None


def _is_of(stream: BinaryIO, build_id: Optional[str], checksum: int) -> bool:
    try:
        content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        known = ElfFile(content).build_id
    except (OSError, ValueError):
        debug.ignored()
        return False
    if build_id is not None and known is not None:
        return build_id == known
    return checksum != 0 and zlib.crc32(content) == checksum


def _by_build_id(build_id: Optional[str]) -> Optional[Opened]:
    return None if not build_id else _opened("%s/.build-id/%s/%s.debug" % (
        _TOP, build_id[:2], build_id[2:]))


def _beside(path: str, name: str) -> Iterator[Optional[Opened]]:
    """A file of this NAME where debug files of the one at PATH are."""
    if "/" in name or name in ("", ".", ".."):
        return
    for place in dict.fromkeys((os.path.dirname(path), os.path.dirname(os.path.realpath(path)))):
        yield _beneath(place, name)
        yield _beneath(os.path.join(place, _OWN), name)
    yield _opened("%s%s/%s" % (_TOP, os.path.dirname(os.path.realpath(path)), name))


def _beneath(directory: str, name: str) -> Optional[Opened]:
    path = os.path.join(directory, name)
    try:
        place = os.open(directory, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            return path, regular_file.opened(name, place)
        finally:
            os.close(place)
    except (OSError, ValueError):
        debug.ignored()
        return None


def _opened(path: str) -> Optional[Opened]:
    """One of this machine, which root has put there: links lead on."""
    try:
        return path, regular_file.opened(path)
    except (OSError, ValueError):
        debug.ignored()
        return None


def _from_server(build_id: Optional[str]) -> Optional[Opened]:
    """By debuginfod, where the user has set that."""
    client, name = _client() if build_id else None, ctypes.c_char_p()
    if client is None or not build_id:
        return None
    identity = bytes.fromhex(build_id)
    found = client.debuginfod_find_debuginfo(client.begun, identity, len(identity),
                                             ctypes.byref(name))
    if found < 0 or name.value is None:
        return None
    return os.fsdecode(name.value), open(found, "rb")


@functools.lru_cache(maxsize=None)
def _client() -> Any:
    """The library that asks servers, with a session that has `begun`, or None."""
    if not os.environ.get("DEBUGINFOD_URLS"):
        return None
    try:
        found: Any = ctypes.CDLL("libdebuginfod.so.1")
    except OSError:
        debug.ignored()
        return None
    found.debuginfod_begin.restype = ctypes.c_void_p
    found.debuginfod_find_debuginfo.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int,
                                                ctypes.c_void_p)
    begun = found.debuginfod_begin()
    found.begun = None if begun is None else ctypes.c_void_p(begun)
    return found if begun is not None else None
