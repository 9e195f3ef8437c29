# SPDX-License-Identifier: MIT
"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile

from openmp_inspect.core import debug, screen
from openmp_inspect.core.errors import Unwritable
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Union


def write(path: str, content: Union[str, bytes]) -> None:
    """Replaces the file PATH, as the user has typed it, by one with this CONTENT, text as far as it is
    printable; Unwritable when that fails: then it is as it was. A pipe or a device is written to."""
    path = os.path.expanduser(path)
    data = content if isinstance(content, bytes) else _encoded(content)
    try:
        if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
            with open(path, "wb") as stream:
                stream.write(data)
        else:
            _replace(os.path.realpath(path), data)
    except (OSError, ValueError) as error:
        raise Unwritable("%s cannot be written: %s." % (
            path, getattr(error, "strerror", None) or "no such name")) from None


def _encoded(text: str) -> bytes:
    with screen.document():
        return screen.printable(text).encode()


def _replace(path: str, data: bytes) -> None:
    number, made = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".ompd-")
    is_whole = False
    try:
        with os.fdopen(number, "wb") as stream:
            os.fchmod(number, _mode(path))
            stream.write(data)
        os.replace(made, path)
        is_whole = True
    finally:
        if not is_whole:
            os.unlink(made)


def _mode(path: str) -> int:
    """That of the file that is replaced, or what a new one gets."""
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        debug.ignored()
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask
