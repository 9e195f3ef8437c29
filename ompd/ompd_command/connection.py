# SPDX-License-Identifier: MIT
"""Between a process that has rights and one that asks it: questions as JSON, which does nothing to
whoever reads it; answers as Python has them, and descriptors."""

from __future__ import annotations

import array
import json
import marshal
import os
import struct
import _socket  # what `socket` adds takes milliseconds to import

from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, List, Optional, Tuple

_SIZE = struct.Struct("<QB")  # of a message; whether a descriptor comes with it
_LONGEST = 1 << 22  # bytes of a question: page numbers
_DESCRIPTOR = array.array("i").itemsize


class Closed(Exception):
    """The other process has ended."""


class Connection:
    """One end of a pair()."""

    def __init__(self, end: _socket.socket) -> None:
        self._end = end

    def fileno(self) -> int:
        return self._end.fileno()

    def close(self) -> None:
        self._end.close()

    def ask(self, *question: Any) -> Any:
        """What the other one answers: a value, or a descriptor; OSError as it has met it. Closed."""
        self._send(json.dumps(question).encode(), None)
        data, file = self._received(None)
        error, value = marshal.loads(data)
        if error is not None:
            raise OSError(error, os.strerror(error))
        return value if file is None else file

    def question(self) -> List[Any]:
        """The next one; Closed where there is none, ValueError of what is no question."""
        data, _ = self._received(_LONGEST)
        found = json.loads(data)
        if not isinstance(found, list) or not found or not isinstance(found[0], str):
            raise ValueError("no question")
        return found

    def answer(self, value: Any, file: Optional[int] = None) -> None:
        """A VALUE, or a descriptor of FILE, which is closed."""
        try:
            self._send(marshal.dumps((None, value)), file)
        finally:
            if file is not None:
                os.close(file)

    def refuse(self, error: int) -> None:
        """The number of an ERROR."""
        self._send(marshal.dumps((error, None)), None)

    def _send(self, data: bytes, file: Optional[int]) -> None:
        head = _SIZE.pack(len(data), file is not None)
        try:
            if file is None:
                self._end.sendall(head + data)
                return
            self._end.sendmsg([head], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS,
                                        array.array("i", [file]))])
            self._end.sendall(data)
        except OSError:
            raise Closed from None

    def _received(self, longest: Optional[int]) -> Tuple[bytearray, Optional[int]]:
        try:
            head, messages, *_ = self._end.recvmsg(_SIZE.size, _socket.CMSG_LEN(_DESCRIPTOR))
            files = array.array("i")
            for _, kind, content in messages:
                if kind == _socket.SCM_RIGHTS:
                    files.frombytes(content)
            if len(head) != _SIZE.size:
                raise Closed
            size, _ = _SIZE.unpack(head)
            if longest is not None and size > longest:
                raise ValueError("a question of %d bytes" % size)
            data = bytearray(size)
            left = memoryview(data)
            while left:
                count = self._end.recv_into(left)
                if not count:
                    raise Closed
                left = left[count:]
            return data, files[0] if files else None
        except OSError:
            raise Closed from None


def pair() -> Tuple[Connection, Connection]:
    one, other = _socket.socketpair()
    return Connection(one), Connection(other)
