# SPDX-License-Identifier: MIT
"""Separate debug files. What they are called is the target's word: it is one name in a directory
where the file itself is, or below that of this machine; and it is no word for what they hold, which
a build-id or a checksum shows.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import os

from openmp_inspect.core import debug, regular_file
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import images

if TYPE_CHECKING:
    from typing import Any, BinaryIO, Iterator, Optional, Tuple
    from openmp_inspect.host.images import DebugFile, Image
    Opened = Tuple[str, BinaryIO]  # with its path

_TOP = "/usr/lib/debug"
_OWN = ".debug"  # a directory beside a file


def of_image(image: Image, asks_server: bool) -> Optional[DebugFile]:
    """The debug file of an image with a file, by the build-id or the debug link of that; None where
    there is none."""
    path, file = image.file_path, image.file
    if path is None or file is None:
        return None
    try:
        own = os.stat(path)
    except OSError:
        debug.ignored()
        return None
    link = file.debug_link
    name = os.path.basename(path) + ".debug" if link is None else link.name
    places = itertools.chain(map(_by_build_id, [file.build_id]), _beside(path, name),
                             map(_from_server, [file.build_id] if asks_server else ()))
    return _first(file.build_id, 0 if link is None else link.checksum, (
        one for one in places
        if one is not None and not os.path.samestat(own, os.fstat(one[1].fileno()))))


def shared(path: str, build_id: str, name: str) -> Optional[DebugFile]:
    """The file by this NAME, and with this BUILD_ID, which has what the debug information at PATH
    has in common with that of other files."""
    place = os.path.normpath(os.path.join(os.path.dirname(path), name))
    named = map(_opened, [place]) if place.startswith(_TOP + "/") else _beside(path, name)
    return _first(build_id, 0, itertools.chain(map(_by_build_id, [build_id]), named,
                                               map(_from_server, [build_id])))


def _first(build_id: Optional[str], checksum: int,
           places: Iterator[Optional[Opened]]) -> Optional[DebugFile]:
    """The first file at one of these PLACES with this BUILD_ID, or this CHECKSUM where it has
    none."""
    for place in places:
        if place is not None:
            try:
                found = images.debug_file(*place)
                if found.file.build_id == build_id if None not in (found.file.build_id, build_id) \
                        else checksum and found.file.checksum == checksum:
                    return found
            except (OSError, ValueError):
                debug.ignored()
            place[1].close()
    return None


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
