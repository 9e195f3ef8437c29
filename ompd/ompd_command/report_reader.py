# SPDX-License-Identifier: MIT
"""Objects of JSON in a stream of text, one after the other, whatever stands between them: arrays,
what a launcher puts before each line, lines of other programs. Nothing is kept, and nothing is
believed."""

from __future__ import annotations

import json
import re

from openmp_inspect.core import debug
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, Optional, Protocol

    class Stream(Protocol):
        """Of text."""

        def read(self, size: int) -> str:
            """Some SIZE characters; none at the end."""

_CHUNK = 1 << 16  # characters that are read at once
_LONGEST = 1 << 24  # of an object; that of 4096 threads has a million, a merged one 20 for each rank
_CUT = 16  # so close to its end an error may be that of a text that goes on
_AGAIN = 1 << 16  # what was read in vain is searched for other objects up to here
_DEEPEST = 256  # levels: ours have ten, and up to Python 3.13 the decoder gives up at a thousand
_DEEP = 512  # characters at least of what is nested too deeply
_LONGEST_NUMBER = 20
_BEGINS = re.compile(r"[{\n]")
_OURS = '{"'  # begins what was an object before a launcher cut it
_BETWEEN = " \t\r[],"  # which is no word of another program


def _integer(digits: str) -> Optional[int]:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else None


def _number(digits: str) -> Optional[float]:
    return float(digits) if len(digits) <= _LONGEST_NUMBER else None


_DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_number,
                            parse_constant=lambda _: None)


class Reader:
    """Iterates over the objects of a STREAM. `skipped`: how many of its lines have something and no
    object, up to now; `cut`: how often an object begins, or what may be one, and is none."""

    def __init__(self, stream: Stream) -> None:
        self.skipped = self.cut = 0
        self._stream = stream
        self._text, self._at = "", 0  # what has been read, and from where on it is of use
        self._ended = False
        self._is_odd = False  # the line has something else
        self._has_object = False

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        while self._to_object():
            value = self._object()
            if value is not None:
                self._has_object = True
                yield value
        self._end_line()

    def _read(self) -> bool:
        """Reads on, as much as there is yet; False at the end."""
        more = "" if self._ended else self._stream.read(max(_CHUNK, len(self._text) - self._at))
        self._ended = not more
        self._text, self._at = self._text[self._at:] + more, 0
        return bool(more)

    def _end_line(self) -> None:
        self.skipped += self._is_odd and not self._has_object
        self._is_odd = self._has_object = False

    def _to_object(self) -> bool:
        """Goes to where the next one may begin."""
        while True:
            found = _BEGINS.search(self._text, self._at)
            end = found.start() if found else len(self._text)
            self._is_odd = self._is_odd or bool(self._text[self._at:end].strip(_BETWEEN))
            self._at = end
            if found is None:
                if not self._read():
                    return False
            elif found.group() == "{":
                return True
            else:
                self._at += 1
                self._end_line()

    def _object(self) -> Optional[Dict[str, Any]]:
        """The one that begins here, or None if it is none."""
        while True:
            try:
                value, self._at = _DECODER.raw_decode(self._text, self._at)
                return value if isinstance(value, dict) else None
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated") or \
                    error.pos >= len(self._text) - _CUT
                size = len(self._text) - self._at
                failed = error.pos - self._at
                is_deep = self._depth(error.pos) > _DEEPEST
            except RecursionError:
                debug.ignored()
                is_deep = True
            if is_deep:
                self._skip_line(_DEEP)
                return None
            if is_cut and size >= _LONGEST:
                failed = size
            elif is_cut and self._read():
                continue
            self._skip_line(failed if failed > _AGAIN else 0)
            return None

    def _depth(self, end: int) -> int:
        """How many objects and arrays are not closed up to END, but for what stands in strings."""
        return sum(sign * self._text.count(bracket, self._at, end)
                   for bracket, sign in (("{", 1), ("[", 1), ("}", -1), ("]", -1)))

    def _skip_line(self, least: int) -> None:
        """Goes to the end of the line that is LEAST characters further on."""
        self._is_odd = True
        self.cut += self._text.startswith(_OURS, self._at)
        self._at += least
        end = self._text.find("\n", self._at)
        while end < 0:
            self._at = len(self._text)
            if not self._read():
                end = len(self._text)
                break
            end = self._text.find("\n")
        self._at = end
