# SPDX-License-Identifier: MIT
"""lldb's console: what a command prints goes into its result, which a front end or a script may
read."""

from __future__ import annotations

import sys

from openmp_inspect.core import screen
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, Optional

_ROLES = {"filename": "32", "function": "33", "variable": "36", "address": "34", "title": "1"}


class Screen(screen.Screen):
    debugger = "lldb"
    product = "plugin"
    to_choose_library = "ompd library"
    trusted_place = "what lldb may load"
    to_record = "start it with ompd-run"
    to_attach = "lldb -p"
    watches = True

    def __init__(self) -> None:
        super().__init__()
        self._result: Optional[Any] = None
        self._debugger: Optional[Any] = None

    def begin(self, debugger: Any, result: Any) -> None:
        """Text goes into an SBCommandReturnObject from now on."""
        self._debugger, self._result = debugger, result

    def put(self, text: str) -> None:
        if self._result is None:
            super().put(text)
        else:
            self._result.AppendMessage(text.rstrip("\n"))

    def charset(self) -> str:
        return "utf-8"

    def width(self) -> int:
        return int(self._debugger.GetTerminalWidth()) \
            if self._debugger is not None and _is_terminal() else 0

    def style(self, role: str) -> str:
        is_plain = self._debugger is None or not self._debugger.GetUseColor() or not _is_terminal()
        return "" if is_plain else _ROLES.get(role, "")

    def file_name(self, path: str, relative: str) -> str:
        """lldb shows the last part alone."""
        return super().file_name(path, "")


def say(words: str) -> None:
    """A line that is in no command's result."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write("[%s]\n" % screen.printable(words).encode(
        encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def _is_terminal() -> bool:
    return sys.__stdout__ is not None and sys.__stdout__.isatty()
