# SPDX-License-Identifier: MIT
"""Threads and frames of lldb, as openmp_inspect/host/interface.py has them."""

from __future__ import annotations

import lldb

from openmp_inspect.core import counters, debug
from openmp_inspect.core.errors import HostError, Unreadable
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface, kept_registers
from lldb_openmp.host import debug_information, locations

if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple
    from openmp_inspect.host.interface import Line, Variable
    from lldb_openmp.host.process import Process

_MOST = 1 << 17  # frames of a stack
_MOST_BLOCKS, _MOST_VARIABLES = 64, 1 << 10
_MAIN = "main"
_WORD = 8  # bytes
# What the kernel lets a signal's handler return to: it calls rt_sigreturn.
_SIGRETURN = {interface.X86_64: bytes.fromhex("48c7c00f0000000f05"),
              interface.AARCH64: bytes.fromhex("681180d2010000d4")}


class Thread:
    """An SBThread at one stop. `num` is lldb's number of it, `lwp` the id that this machine's other
    tools have."""

    def __init__(self, thread: Any) -> None:
        self.sb = thread
        self.num = int(thread.GetIndexID())
        self.lwp = self.ptid = int(thread.GetThreadID())
        self._frames: Dict[int, Any] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Thread) and other.ptid == self.ptid

    def __hash__(self) -> int:
        return hash(self.ptid)

    def is_running(self) -> bool:
        return not self.sb.IsValid() or bool(self.sb.GetProcess().GetState() not in (
            lldb.eStateStopped, lldb.eStateCrashed, lldb.eStateSuspended))

    def frame(self, at: int) -> Optional[Any]:
        """The SBFrame of this number, None where lldb cannot unwind so far."""
        if at not in self._frames:
            counters.add("frames_unwound")
            found = self.sb.GetFrameAtIndex(at) if at < _MOST else None
            self._frames[at] = found if found is not None and found.IsValid() else None
        return self._frames[at]


    def register_values(self, left_out: Sequence[str]) -> Tuple[Tuple[str, bytes], ...]:
        """(name, what is in it) of each whole register but these: lldb has their halves, too."""
        groups = self.sb.GetFrameAtIndex(0).GetRegisters()
        return tuple((one.GetName(), _content(one)) for group in groups for one in group
                     if one.GetByteSize() >= _WORD and one.GetName() not in left_out)


def _content(value: Any) -> bytes:
    data, error = value.GetData(), lldb.SBError()
    return bytes(data.ReadRawData(error, 0, data.GetByteSize()) or b"") if data.IsValid() else b""


def _kind(process: Process, frame: Any) -> int:
    """That of an SBFrame."""
    if frame.IsInlined():
        return interface.INLINED
    if frame.IsArtificial():
        return interface.TAIL_CALL
    code = _SIGRETURN.get(process.machine)
    try:
        is_signal = code is not None and process.read(int(frame.GetPC()), len(code)) == code
    except Unreadable:
        debug.ignored()
        is_signal = False
    return interface.SIGNAL if is_signal else interface.NORMAL


class Frame(interface.Frame):
    """Over the SBFrame of a THREAD with a number."""

    process: Process
    __slots__ = ("process", "_thread", "_at", "sb", "pc", "kind", "instruction")

    def __init__(self, process: Process, thread: Thread, at: int, frame: Any) -> None:
        self.process, self._thread, self._at, self.sb = process, thread, at, frame
        self.pc = int(frame.GetPC())
        self.kind = _kind(process, frame)
        self.instruction = self.pc - 1 if self._is_called() and self.pc else self.pc

    def _is_called(self) -> bool:
        """Whether the pc is where a call returns to: what is inlined has not been called, and what
        a signal has interrupted has called nothing."""
        newer = (_kind(self.process, frame) for frame in map(
            self._thread.frame, range(self._at - 1, -1, -1)) if frame is not None)
        kind = next((one for one in newer if one != interface.INLINED), None)
        return kind is not None and interface.SIGNAL not in (self.kind, kind)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frame) and other._thread == self._thread and \
            other._at == self._at and other.pc == self.pc

    def __hash__(self) -> int:
        return hash((self.pc, self._at))

    @property
    def name(self) -> Optional[str]:
        function = self.function
        if function is not None:
            return function.name
        return self.process.symbol_at(self.instruction).name

    @property
    def function(self) -> Optional[debug_information.Function]:
        if self.process.is_other_file(self.pc):
            return None
        unit, function = self.sb.GetCompileUnit(), debug_information.function_of(self.sb)
        if not function.IsValid():
            return None
        block = self.sb.GetFrameBlock() if self.sb.IsInlined() else None
        return debug_information.Function(function, unit, self.process.target, block)

    @property
    def line(self) -> Line:
        if self.process.is_other_file(self.pc):
            return interface.Line(None, 0, 0)
        return debug_information.line_of(self.sb.GetLineEntry(), self.sb.GetCompileUnit(),
                                         self.process.target)

    @property
    def newer(self) -> Optional[Frame]:
        return self._framed(self._at - 1) if self._at else None

    @property
    def older(self) -> Optional[Frame]:
        if self.process.is_other_file(self.pc) or self._is_outermost():
            return None
        return self._framed(self._at + 1)

    def _framed(self, at: int) -> Optional[Frame]:
        return self.process.frame(self._thread, at)

    def _is_outermost(self) -> bool:
        """Whether it is that of main()."""
        return self.kind == interface.NORMAL and \
            self.process.symbol_at(self.instruction).name == _MAIN and \
            self.process.image_at(self.pc) is None

    @property
    def sp(self) -> int:
        return int(self.sb.GetSP())

    def register(self, name: str) -> int:
        found = self.sb.FindRegister(name)
        if not found.IsValid():
            raise HostError("no register %s" % name)
        error = lldb.SBError()
        value = int(found.GetValueAsUnsigned(error))
        if error.Fail():
            raise HostError("%s is not known" % name)
        return value

    def blocks(self) -> Iterator[List[Any]]:
        """The SBValues of each block around the pc, the innermost first."""
        block = lldb.SBBlock() if self.process.is_other_file(self.pc) else self.sb.GetBlock()
        for _ in range(_MOST_BLOCKS):
            if not block.IsValid():
                break
            found = block.GetVariables(self.sb, True, True, False, lldb.eNoDynamicValues)
            values = (found.GetValueAtIndex(at)
                      for at in range(min(found.GetSize(), _MOST_VARIABLES)))
            yield [one for one in values if one.GetName()]
            if block.IsInlined():
                break
            block = block.GetParent()

    def variables(self) -> List[Variable]:
        known = (debug_information.variable(one, one.GetName()) for one in self._values())
        return [one for one in known if one is not None]

    def word(self, name: str) -> Optional[int]:
        found = next((one for one in self._values() if one.GetName() == name), None)
        if found is None or not debug_information.is_integer(found):
            return None
        if kept_registers.has_called(self):
            return self._word_at_call(name)
        error = lldb.SBError()
        value = int(found.GetValueAsUnsigned(error))
        return value if error.Success() else None

    def _word_at_call(self, name: str) -> Optional[int]:
        """lldb itself would say what the variable is after the call."""
        newer = self.newer
        place = locations.at(self.process.target, self.instruction, name,
                             newer is None or newer.kind != interface.INLINED)
        if place is None or place.register not in kept_registers.of(self.process, self):
            return None
        return self.register(place.register) + place.added & place.mask

    def _values(self) -> List[Any]:
        if self.process.is_other_file(self.pc):
            return []
        wanted = lldb.SBVariablesOptions()
        wanted.SetIncludeArguments(True)
        wanted.SetIncludeLocals(True)
        wanted.SetIncludeStatics(False)
        wanted.SetInScopeOnly(True)
        wanted.SetIncludeRuntimeSupportValues(True)
        values = self.sb.GetVariables(wanted)
        # Outer blocks are first. Of what clang has made, its counters of a loop; another "i" is
        # none of the program.
        return [one for one in (values.GetValueAtIndex(at) for at in
                                reversed(range(min(values.GetSize(), _MOST_VARIABLES))))
                if one.GetName() and ("." in one.GetName() or not one.IsRuntimeSupportValue())]
