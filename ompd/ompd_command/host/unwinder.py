# SPDX-License-Identifier: MIT
"""One thread's frames, each found when it is asked for."""

from __future__ import annotations

from openmp_inspect.core import counters, debug
from openmp_inspect.core.errors import HostError
from openmp_inspect.core.static_typing import TYPE_CHECKING
from ompd_command.host import expressions

if TYPE_CHECKING:
    from typing import Dict, List, Optional
    from openmp_inspect.host.page_cache import PageCache
    from openmp_inspect.host.machine import Machine
    from ompd_command.host.unwind_rules import Rules, UnwindRules

MOST = 1 << 17  # frames of a stack
_BITS = (1 << 64) - 1


class PhysicalFrame:
    """A frame that was called, or that the kernel has made for a signal's handler. `registers` are
    by DWARF's numbers; what is not in there is not known."""

    __slots__ = ("_unwinder", "registers", "pc", "instruction", "is_called", "rules", "_cfa")

    def __init__(self, unwinder: Unwinder, registers: Dict[int, int], pc: int,
                 is_called: bool) -> None:
        self._unwinder = unwinder
        self.registers = registers
        self.pc = pc
        self.rules = unwinder.rules.at(pc - is_called)
        # What a signal has interrupted is at its instruction, and so is what the kernel makes.
        self.is_called = is_called and not self.is_signal
        self.instruction = pc - self.is_called
        self._cfa: Optional[int] = None

    @property
    def is_signal(self) -> bool:
        return self.rules is not None and self.rules.is_signal

    def dwarf_register(self, number: int) -> int:
        try:
            return self.registers[number]
        except KeyError:
            raise HostError("no register %d" % number) from None

    def cfa(self) -> int:
        """Its canonical frame address; HostError where that is not known."""
        if self._cfa is None:
            self._cfa = self._unwinder.cfa(self)
        return self._cfa


class Unwinder:
    """Of all threads at one stop."""

    def __init__(self, machine: Machine, rules: UnwindRules, memory: PageCache) -> None:
        self._machine, self.rules, self._memory = machine, rules, memory
        self._sp, self._fp = machine.numbers[machine.sp], machine.numbers[machine.fp]

    def newest(self, registers: Dict[str, int]) -> PhysicalFrame:
        """The newest frame of a thread with these registers."""
        known = {number: registers[name] for name, number in self._machine.numbers.items()
                 if name in registers}
        return PhysicalFrame(self, known, registers[self._machine.pc], False)

    def cfa(self, frame: PhysicalFrame) -> int:
        rules = frame.rules
        if rules is None:
            raise HostError("no call frame information at %#x" % frame.pc)
        if rules.base is not None:
            return frame.dwarf_register(rules.base) + rules.offset & _BITS
        machine = expressions.StackMachine(frame.dwarf_register, self._memory.unsigned, {})
        return machine.value(rules.operations)

    def _word(self, address: int) -> int:
        return self._memory.unsigned(address, 8)

    def older(self, frame: PhysicalFrame) -> Optional[PhysicalFrame]:
        """The frame that has called this one, or None."""
        counters.add("frames_unwound")
        try:
            if frame.rules is None:
                return self._by_frame_pointer(frame)
            return self._by_rules(frame, frame.rules)
        except HostError:
            debug.ignored()
            return None

    def _by_rules(self, frame: PhysicalFrame, rules: Rules) -> Optional[PhysicalFrame]:
        cfa, known = frame.cfa(), {}
        for number, rule in rules.registers.items():
            try:
                if rule is None:
                    known[number] = frame.registers[number]
                elif isinstance(rule, int):
                    known[number] = self._word(cfa + rule & _BITS)
                else:
                    known[number] = expressions.of_rule(rule, cfa, frame.dwarf_register,
                                                        self._memory.unsigned)
            except (HostError, KeyError):
                debug.ignored()  # that one is not known
        known.setdefault(self._sp, cfa)
        pc = known.get(rules.return_register)
        if not pc or pc == frame.pc and known[self._sp] == frame.registers.get(self._sp):
            return None
        return PhysicalFrame(self, known, pc, not rules.is_signal)

    def _by_frame_pointer(self, frame: PhysicalFrame) -> Optional[PhysicalFrame]:
        """Of code without information: as if it kept its caller's frame pointer. At the newest
        frame a call through an empty pointer has left its return address on top of the stack."""
        at = frame.dwarf_register(self._sp)
        if not frame.pc and frame.is_called is False:
            return PhysicalFrame(self, {**frame.registers, self._sp: at + 8}, self._word(at), True)
        pointer = frame.dwarf_register(self._fp)
        if pointer < at or pointer % 8:
            return None
        older, pc = self._word(pointer), self._word(pointer + 8)
        if older <= pointer or not pc or self.rules.at(pc - 1) is None:
            return None
        return PhysicalFrame(self, {self._fp: older, self._sp: pointer + 16}, pc, True)


class UnwoundStack:
    """The frames of one thread, newest first."""

    def __init__(self, unwinder: Unwinder, registers: Dict[str, int]) -> None:
        self._unwinder = unwinder
        self._frames: List[PhysicalFrame] = [unwinder.newest(registers)]
        self._is_whole = False

    def frame(self, level: int) -> Optional[PhysicalFrame]:
        while level >= len(self._frames) and not self._is_whole and level < MOST:
            older = self._unwinder.older(self._frames[-1])
            if older is None:
                self._is_whole = True
            else:
                self._frames.append(older)
        return self._frames[level] if level < len(self._frames) else None
