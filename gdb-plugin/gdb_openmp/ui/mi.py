# SPDX-License-Identifier: MIT
"""MI commands for front ends: -ompd-threads and its like answer what -json of the command of
that name prints, and take its options; -ompd-step and its like run the program, and the stop is
reported as any other. Where gdb has no such commands (before gdb 12) there are none."""

from __future__ import annotations

import gdb

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.core import escaped
from gdb_openmp.host import options

if TYPE_CHECKING:
    from typing import Any, Dict, Optional, Sequence

MOVES = ("step", "next", "finish", "thread")
COMMANDS = ("threads", "parallel", "tasks", "icvs", "env", "status", "stacks", "bt",
            "doctor", "why")


def install(commands: Dict[str, Any]) -> None:
    """COMMANDS: those of the plugin, by their names."""
    if not hasattr(gdb, "MICommand"):
        return

    class Command(gdb.MICommand):
        """One command; gdb gives it the arguments as words."""

        def __init__(self, name: str) -> None:
            super().__init__("-ompd-" + name)
            self._name = name
            self._command = commands[name]

        def invoke(self, argv: Sequence[str]) -> Optional[Dict[str, Any]]:
            given = self._command.parse(list(argv))
            given.json = True
            with options.user_errors():
                return {self._name: plain(self._command.answer(given))}

    class Move(Command):
        """One that is about what is selected, and answers nothing."""

        def invoke(self, argv: Sequence[str]) -> None:
            self._command.invoke(" ".join(argv), False)

    class Catch(Command):
        """Answers as -break-insert does."""

        def invoke(self, argv: Sequence[str]) -> Dict[str, Any]:
            return {"bkpt": plain(self._command.answer(" ".join(argv)))}

    for name in COMMANDS:
        Command(name)
    for name in MOVES:
        Move(name)
    Catch("catch")


def plain(value: Any) -> Any:
    """VALUE in MI's terms: there is no null, so what is not known is left out, and names
    are words with "-" between, the first of which begins with a letter."""
    if isinstance(value, dict):
        return {_name(key): plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value if item is not None]
    if isinstance(value, bool):
        return "true" if value else "false"
    return escaped.encodable(value.raw if isinstance(value, escaped.Name) else str(value))


def _name(key: str) -> str:
    return "".join(sign if sign.isalnum() else "-" for sign in key).lstrip("-")
