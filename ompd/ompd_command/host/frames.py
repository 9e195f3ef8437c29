# SPDX-License-Identifier: MIT
"""Frames as openmp_inspect/host/interface.py has them: a physical frame is several where functions
are inlined."""

from __future__ import annotations

from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface

if TYPE_CHECKING:
    from typing import List, Optional
    from openmp_inspect.host.interface import Line, Variable
    from ompd_command.host.debug_information import InlineLevel
    from ompd_command.host.process import Process
    from ompd_command.host.unwinder import PhysicalFrame, UnwoundStack

_MOST_INLINED = 256  # functions that are inlined into each other


class Thread:
    """One thread at one stop. `lwp` is the id that this machine's other tools have: people know it
    by that, so that it is its number, too."""

    def __init__(self, lwp: int) -> None:
        self.num = self.lwp = self.ptid = lwp
        self.stack: Optional[UnwoundStack] = None  # None: it has not stopped

    def is_running(self) -> bool:
        return self.stack is None


class Frame(interface.Frame):
    process: Process
    __slots__ = ("process", "_stack", "_level", "_inner", "physical", "_levels", "pc", "kind",
                 "instruction")

    def __init__(self, process: Process, stack: UnwoundStack, level: int, physical: PhysicalFrame,
                 inner: int) -> None:
        self.process, self._stack = process, stack
        self._level, self._inner = level, inner
        self.physical = physical
        self._levels: List[InlineLevel] = process.debug_information.levels_at(
            physical.instruction)[:_MOST_INLINED]
        if inner < 0:
            self._inner = max(len(self._levels) - 1, 0)
        self.pc, self.instruction = physical.pc, physical.instruction
        self.kind = interface.INLINED if self._inner < len(self._levels) - 1 else \
            interface.SIGNAL if physical.is_signal else interface.NORMAL

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frame) and other.physical is self.physical and \
            other._inner == self._inner

    def __hash__(self) -> int:
        return hash((self.pc, self._inner))

    @property
    def name(self) -> Optional[str]:
        function = self.function
        return self.process.symbol_at(self.instruction).name if function is None else \
            function.name

    @property
    def function(self) -> Optional[interface.Function]:
        return self._levels[self._inner].function if self._inner < len(self._levels) else None

    @property
    def line(self) -> Line:
        if self._inner < len(self._levels):
            return self._levels[self._inner].line
        return self.process.line_at(self.instruction)

    @property
    def newer(self) -> Optional[Frame]:
        if self._inner > 0:
            return Frame(self.process, self._stack, self._level, self.physical, self._inner - 1)
        if self._level == 0:
            return None
        newer = self._stack.frame(self._level - 1)
        return None if newer is None else \
            Frame(self.process, self._stack, self._level - 1, newer, -1)

    @property
    def older(self) -> Optional[Frame]:
        if self._inner < len(self._levels) - 1:
            return Frame(self.process, self._stack, self._level, self.physical, self._inner + 1)
        if self.process.is_outermost(self):
            return None
        older = self._stack.frame(self._level + 1)
        return None if older is None else \
            Frame(self.process, self._stack, self._level + 1, older, 0)

    @property
    def sp(self) -> int:
        return self.register(self.process.layout.sp)

    def register(self, name: str) -> int:
        layout = self.process.layout
        number = layout.numbers.get({"sp": layout.sp}.get(name, name))
        if name in ("pc", layout.pc):
            return self.pc
        if number is None:
            raise HostError("no register %s" % name)
        return self.physical.dwarf_register(number)

    def variables(self) -> List[Variable]:
        return self.process.debug_information.variables_of(self.physical, self._inner)

    def word(self, name: str) -> Optional[int]:
        return self.process.debug_information.word_of(self.physical, self._inner, name)
