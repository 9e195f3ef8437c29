# SPDX-License-Identifier: MIT
"""Places in the program; those of addresses, without a frame to look at."""

from __future__ import annotations

from gdb_openmp.core import cached
from gdb_openmp.core.static_typing import TYPE_CHECKING
from gdb_openmp.program import code_owner, symbol_names

if TYPE_CHECKING:
    from typing import Dict, Optional


class Place:
    """A point in the program. `function`, `file` and `line` may be None. `called`: the
    frame is inside a call that returns to `address`, or (`jumped`) has left by a jump that
    stands before it."""

    def __init__(self, function: Optional[str], file: Optional[str], line: Optional[int],
                 address: Optional[int] = None, called: bool = False, jumped: bool = False) -> None:
        self.address = address
        self.called = called
        self.jumped = jumped
        self.function = function
        self.file = file
        self.line = line

    @cached.fact
    def fullname(self) -> Optional[str]:
        """The absolute name of the file on this machine, or None."""
        return self.file and symbol_names.full_path(self.file, self.address)


class Places:
    """Lives during one command, as user_frames.Walker does."""

    def __init__(self) -> None:
        self._calls: Dict[int, Optional[Place]] = {}

    def call(self, address: int) -> Optional[Place]:
        """Where the call is that returns to ADDRESS; None in the runtime's own code."""
        if address not in self._calls:
            self._calls[address] = None if code_owner.is_runtime(address) else \
                Place(*symbol_names.code_at(address - 1), address, called=True)
        return self._calls[address]
