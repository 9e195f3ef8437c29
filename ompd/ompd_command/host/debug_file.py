# SPDX-License-Identifier: MIT
"""Separate debug files. What they are called is the target's word: it is one name in a directory
where the file itself is, or below that of this machine; and it is no word for what they hold, which
a build-id or a checksum shows.
"""

from __future__ import annotations

import itertools
import os

from openmp_inspect.core import access, debug, regular_file
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import images

if TYPE_CHECKING:
    from typing import BinaryIO, Iterator, Optional, Tuple
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
        with regular_file.opened(path) as stream:
            own = os.fstat(stream.fileno())
    except (OSError, ValueError):
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
                is_it = found.file.build_id == build_id if None not in (
                    found.file.build_id, build_id) else \
                    checksum and found.file.checksum == checksum
                if is_it and not found.file.is_bomb:
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
    real = os.path.dirname(access.current().real(path))
    for place in dict.fromkeys((os.path.dirname(path), real)):
        yield _beneath(place, name)
        yield _beneath(os.path.join(place, _OWN), name)
    yield _opened("%s%s/%s" % (_TOP, real, name))


def _beneath(directory: str, name: str) -> Optional[Opened]:
    try:
        return os.path.join(directory, name), regular_file.opened_beneath(directory, name)
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
    try:
        found = access.current().file_of_server(build_id) if build_id else None
    except (OSError, ValueError):
        debug.ignored()
        return None
    return None if found is None else ("debuginfod/%s" % build_id, open(found, "rb"))
