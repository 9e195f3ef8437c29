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
        self._result: Optional[Any] = None
        self._debugger: Optional[Any] = None

    def begin(self, debugger: Any, result: Any) -> None:
        """Text goes into an SBCommandReturnObject from now on."""
        self._debugger, self._result = debugger, result

    def write(self, text: str) -> None:
        if self._result is None:
            super().write(text)
        else:
            # A name that cannot be written is escaped by then, but for what -json has whole.
            self._result.AppendMessage(
                text.rstrip("\n").encode("utf-8", "backslashreplace").decode())

    def charset(self) -> str:
        return "utf-8"

    def width(self) -> int:
        return int(self._debugger.GetTerminalWidth()) \
            if self._debugger is not None and _is_terminal() else 0

    def styled(self, role: str, text: str) -> str:
        is_plain = self._debugger is None or not self._debugger.GetUseColor() or not _is_terminal()
        return text if is_plain or role not in _ROLES else \
            "\033[%sm%s\033[0m" % (_ROLES[role], text)

    def file_name(self, path: str, relative: str) -> str:
        """lldb shows the last part alone."""
        return super().file_name(path, "")


def _is_terminal() -> bool:
    return sys.__stdout__ is not None and sys.__stdout__.isatty()
