# SPDX-License-Identifier: MIT
"""The debug information of a process's files, as openmp_inspect/host/interface.py has it; where
gdb's answers are a matter of taste these are the same.

What the target has is untrusted: damaged debug information is as if it were missing.
"""

from __future__ import annotations

from ompd_command.host import source_files, variables
from ompd_command.host import dwarf_constants as dw
from ompd_command.host.functions import Function
from ompd_command.host.units import UnitsOfFile
from openmp_inspect.core.static_typing import TYPE_CHECKING, NamedTuple
from openmp_inspect.host import interface

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple
    from ompd_command.host.dwarf import Die
    from ompd_command.host.locations import PhysicalFrame
    from ompd_command.host.units import Unit
    from openmp_inspect.host.interface import Line, Variable


class InlineLevel(NamedTuple):
    """A function of a frame, and the Line that it executes: of one into which another is inlined
    that of the call."""

    function: Function
    line: Line


class DebugInformation:
    """Of MODULES, valid while they are. What it hands out is, too."""

    def __init__(self, modules: Any, read: Callable[[int, int], bytes]) -> None:
        self._modules = modules
        self._read = read
        self._files: Dict[int, UnitsOfFile] = {}
        self._static: Dict[int, variables.StaticVariables] = {}
        self._lines: Dict[int, Line] = {}
        self._levels: Dict[int, List[InlineLevel]] = {}
        self._variables: Dict[str, Optional[Variable]] = {}
        self._scopes: Dict[int, Tuple[Optional[Unit], List[Die]]] = {}

    def unread(self) -> List[str]:
        """As interface.Process.unread_debug_information()."""
        return [units.unread for units in self._files.values() if units.unread]

    def line_at(self, address: int) -> Line:
        if address not in self._lines:
            self._lines[address] = self._line_at(address)
        return self._lines[address]

    def functions_at(self, address: int) -> List[interface.Function]:
        unit, scopes = self._scopes_at(address)
        if unit is None or not scopes:
            return []
        around = unit.scopes.around(scopes[-1])
        return [Function(unit, die) for die in scopes + around if die.tag not in dw.BLOCKS]

    def levels_at(self, address: int) -> List[InlineLevel]:
        """The functions of a frame at an instruction, innermost first; the last is the one that was
        called."""
        if address not in self._levels:
            self._levels[address] = self._levels_at(address)
        return self._levels[address]

    def _levels_at(self, address: int) -> List[InlineLevel]:
        unit, scopes = self._scopes_at(address)
        found: List[InlineLevel] = []
        if unit is None:
            return found
        line = self.line_at(address)
        for die in scopes:
            if die.tag not in dw.BLOCKS:
                function = Function(unit, die)
                found.append(InlineLevel(function, line))
                line = function.call()
        return found

    def variable(self, name: str) -> Optional[Variable]:
        """The static variable of this NAME: the program's if that has one, and of several in a file
        an external one. A library's debug information may be large."""
        if name not in self._variables:
            self._variables[name] = self._variable(name)
        return self._variables[name]

    def _variable(self, name: str) -> Optional[Variable]:
        modules = sorted(self._modules.with_name(name.rpartition("::")[2]),
                         key=lambda module: not module.is_program)
        known = (variables.static(units, die, self._read) for module in modules
                 for units in [self._of(module)]
                 for die in self._static[module.handle].named(name))
        return next((one for one in known if one is not None), None)

    def variables_of(self, frame: PhysicalFrame, level: int) -> List[Variable]:
        """Those of the function of this LEVEL and the blocks in it."""
        found = self._frame_variables(frame, level)
        return [] if found is None else found.all()

    def word_of(self, frame: PhysicalFrame, level: int, name: str) -> Optional[int]:
        found = self._frame_variables(frame, level)
        return None if found is None else found.word(name)

    def _frame_variables(self, frame: PhysicalFrame,
                         level: int) -> Optional[variables.FrameVariables]:
        unit, scopes = self._scopes_at(frame.instruction)
        ends = [at + 1 for at, die in enumerate(scopes) if die.tag not in dw.BLOCKS]
        if unit is None or not 0 <= level < len(ends):
            return None
        own = scopes[ends[level - 1] if level else 0:ends[level]]
        return variables.FrameVariables(unit.file, own, scopes[-1], frame, self._read)

    def _of(self, module: Any) -> UnitsOfFile:
        if module.handle not in self._files:
            units = self._files[module.handle] = UnitsOfFile(module)
            self._static[module.handle] = variables.StaticVariables(units)
        return self._files[module.handle]

    def _unit_at(self, address: int) -> Optional[Unit]:
        module = self._modules.at(address)
        return None if module is None else self._of(module).at(address)

    def _scopes_at(self, address: int) -> Tuple[Optional[Unit], List[Die]]:
        if address not in self._scopes:
            unit = self._unit_at(address)
            self._scopes[address] = (unit, [] if unit is None else
                                     unit.scopes.at(address - unit.file.bias))
        return self._scopes[address]

    def _line_at(self, address: int) -> Line:
        unit = self._unit_at(address)
        bias = 0 if unit is None else unit.file.bias
        found = None if unit is None else unit.lines.entry_at(address - bias)
        if unit is None or found is None:
            return interface.Line(None, 0, 0)
        entry, following = found
        return interface.Line(source_files.SourceFile(unit, entry.file), entry.line,
                              bias + following - 1 if following else 0)
