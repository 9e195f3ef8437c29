# SPDX-License-Identifier: MIT
"""Places in the program."""

from __future__ import annotations

from openmp_inspect.core import cached, escaped
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.code import symbol_names

if TYPE_CHECKING:
    from typing import Optional
    from openmp_inspect.core.escaped import Text
    from openmp_inspect.host.interface import Process


class Place:
    """A point in the program. `function`, `file` and `line` may be None. `called`: the
    frame is inside a call that returns to `address`, or (`jumped`) has left by a jump that
    stands before it. PROCESS: whose it is; None says that it is no code of one."""

    def __init__(self, process: Optional[Process], function: Optional[Text], file: Optional[Text],
                 line: Optional[int], address: Optional[int] = None, called: bool = False,
                 jumped: bool = False) -> None:
        self.process = process
        self.address = address
        self.called = called
        self.jumped = jumped
        self.function = escaped.name(function)
        self.file = escaped.name(file)
        self.line = line

    @cached.fact
    def fullname(self) -> Optional[str]:
        """The absolute name of the file on this machine, or None."""
        return None if self.file is None else symbol_names.full_path(
            self.process, self.file.raw, self.address)

    @property
    def code(self) -> str:
        """"FILE+0xOFFSET" of its address, which is not None, or that alone."""
        return "%#x" % (self.address or 0) if self.process is None else \
            self.process.code_name(self.address or 0)


# Of a thread whose stack cannot be read: it may be inside any call. None says that no user code is
# on a stack.
UNREAD = Place(None, None, None, None, called=True)
