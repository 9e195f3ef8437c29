# SPDX-License-Identifier: MIT
"""What lldb has of the debug information, as openmp_inspect/host/interface.py has it. lldb resolves
names of source files, so that a file's name is its path; of Fortran it knows lines only, to which
symbols are added."""

from __future__ import annotations

import re

import lldb

from openmp_inspect.core import caches
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import demangling, interface
from lldb_openmp.host import line_tables
from lldb_openmp.host.line_tables import NOWHERE

if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Tuple
    from openmp_inspect.host.interface import Field, Line, Variable

_DEEPEST = 64  # blocks within each other
_NO_LINE = (1 << 32) - 1
_KINDS = {lldb.eTypeClassArray: "array", lldb.eTypeClassStruct: "struct",
          lldb.eTypeClassClass: "struct", lldb.eTypeClassPointer: "pointer",
          lldb.eTypeClassReference: "reference"}
_MOST_FIELDS = 1 << 12
_CPLUSPLUS = tuple(getattr(lldb, name) for name in (
    "eLanguageTypeC_plus_plus", "eLanguageTypeC_plus_plus_03", "eLanguageTypeC_plus_plus_11",
    "eLanguageTypeC_plus_plus_14", "eLanguageTypeC_plus_plus_17", "eLanguageTypeC_plus_plus_20")
    if hasattr(lldb, name))
def _file_of_calls(function: Any) -> Optional[Any]:
    """The SBFileSpec in which a function calls one that is inlined, or None."""
    block = function.GetBlock().GetFirstChild() if isinstance(function, lldb.SBFunction) else None
    for _ in range(_DEEPEST):
        if block is None or not block.IsValid():
            return None
        if block.IsInlined():
            return block.GetInlinedCallSiteFile()
        block = block.GetSibling()
    return None


_FORTRAN = tuple(getattr(lldb, name) for name in (
    "eLanguageTypeFortran77", "eLanguageTypeFortran90", "eLanguageTypeFortran95",
    "eLanguageTypeFortran03", "eLanguageTypeFortran08", "eLanguageTypeFortran18")
    if hasattr(lldb, name))

_producers: Dict[str, str] = caches.of_code()


class SourceFile(interface.SourceFile):
    """The file at a PATH, with code in an SBCompileUnit of an SBTarget."""

    def __init__(self, path: str, unit: Any, target: Any) -> None:
        self.name = self.path = path
        self._unit, self._target = unit, target

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SourceFile) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def producer(self) -> str:
        path = self.image or ""
        if path not in _producers:
            _producers[path] = line_tables.producer(self._module()) or ""
        return _producers[path]

    def addresses_of(self, line: int) -> List[int]:
        found = [entry.start for entry in self._entries() if entry.line == line]
        return found

    def lines_at(self, address: int) -> List[int]:
        return [entry.line for entry in self._entries() if entry.start == address]

    def lines_between(self, start: int, end: int) -> Dict[int, int]:
        return {entry.line: entry.start for entry in self._entries() if start <= entry.start < end}

    @property
    def image(self) -> Optional[str]:
        return line_tables.path_of(self._module().GetFileSpec()) or None

    def _module(self) -> Any:
        return self._unit.GetLineEntryAtIndex(0).GetStartAddress().GetModule()

    def _entries(self) -> List[line_tables.Entry]:
        return [entry for entry in line_tables.of_unit(self._unit, self._target)
                if entry.path == self.path]


def line_of(entry: Any, unit: Any, target: Any) -> Line:
    """The interface.Line of an SBLineEntry in an SBCompileUnit."""
    if not entry.IsValid() or not entry.GetFileSpec().IsValid():
        return interface.Line(None, 0, 0)
    end = entry.GetEndAddress().GetLoadAddress(target)
    number = entry.GetLine()
    return interface.Line(SourceFile(line_tables.path_of(entry.GetFileSpec()), unit, target),
                          0 if number == _NO_LINE else number, 0 if end == NOWHERE else end - 1)


class Function(interface.Function):
    """An SBFunction, an SBSymbol that stands for one, or an SBBlock that is inlined, in an
    SBCompileUnit."""

    def __init__(self, function: Any, unit: Any, target: Any, block: Optional[Any] = None) -> None:
        self._unit, self._target = unit, target
        self.is_inlined = block is not None
        if block is not None:
            self.linkage_name = block.GetInlinedName() or ""
            self.name = demangling.without_result(demangling.demangled(self.linkage_name))
            self.line = block.GetInlinedCallSiteLine()
            self._file = block.GetInlinedCallSiteFile()
            ranges = [(block.GetRangeStartAddress(at), block.GetRangeEndAddress(at))
                      for at in range(min(block.GetNumRanges(), _DEEPEST))]
        else:
            self.linkage_name = function.GetMangledName() or function.GetName() or ""
            self.name = name_of(function, unit)
            start = function.GetStartAddress()
            ranges = [(start, function.GetEndAddress())]
            # lldb keeps no declaration of a function: the line that its code begins with, unless
            # that is of what is inlined from another file.
            entry = start.GetLineEntry()
            self.line = entry.GetLine() if entry.IsValid() else 0
            self._file = entry.GetFileSpec()
            calls = _file_of_calls(function)
            if calls is not None and calls != self._file:
                self.line, self._file = 0, calls
        loaded = [(start.GetLoadAddress(target), end.GetLoadAddress(target))
                  for start, end in ranges]
        self.start = min((start for start, _ in loaded), default=0)
        self.end = max((end for _, end in loaded), default=0)
        self._address = loaded[0][0] if loaded else 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and other._address == self._address and \
            other.is_inlined == self.is_inlined and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def file(self) -> Optional[SourceFile]:
        return SourceFile(line_tables.path_of(self._file), self._unit, self._target) \
            if self._file.IsValid() else None

    @property
    def address(self) -> int:
        address: int = self._address
        return address


def name_of(function: Any, unit: Any) -> str:
    """Of an SBFunction, as gdb has it: in C++ with its parameters, without its result."""
    linked = function.GetMangledName()
    if linked:
        return demangling.without_result(demangling.demangled(linked))
    name = re.sub("^::", "", function.GetName() or "")  # lldb's mark of one that is static
    if unit.GetLanguage() not in _CPLUSPLUS or "." in name or "(" in name:
        return name
    parameters = function.GetType().GetFunctionArgumentTypes()
    return "%s(%s)" % (name, ", ".join(
        parameters.GetTypeAtIndex(at).GetName() or "" for at in range(parameters.GetSize())))


def function_of(frame: Any) -> Any:
    """The SBFunction of an SBFrame or SBAddress; of Fortran the SBSymbol; one that is not valid where
    there is none."""
    function = frame.GetFunction()
    return frame.GetSymbol() if not function.IsValid() and \
        frame.GetCompileUnit().GetLanguage() in _FORTRAN else function


def functions_at(address: Any, target: Any) -> List[interface.Function]:
    """As interface.Process.functions_at(), of an SBAddress; without those that one is declared in,
    which lldb does not know."""
    unit, function, block = address.GetCompileUnit(), function_of(address), address.GetBlock()
    found: List[interface.Function] = []
    if not function.IsValid():
        return found
    for _ in range(_DEEPEST):
        if not block.IsValid():
            break
        if block.IsInlined():
            found.append(Function(function, unit, target, block))
        block = block.GetParent()
    return found + [Function(function, unit, target)]


class Type(interface.Type):
    """Over an SBType."""

    def __init__(self, given: Any) -> None:
        self._given, self._resolved = given, given.GetCanonicalType()
        self.kind = _KINDS.get(self._resolved.GetTypeClass(), "other")
        self.size = self._resolved.GetByteSize()

    @property
    def name(self) -> str:  # type: ignore[override]
        """In words of C; lldb leaves "struct" out."""
        name = self._given.GetName() or ""
        is_bare = self._given.GetTypeClass() in (lldb.eTypeClassStruct, lldb.eTypeClassClass)
        return "struct " + name if is_bare and not name.startswith(("struct ", "class ")) else name

    def fields(self) -> List[Field]:
        fields = (self._resolved.GetFieldAtIndex(at) for at in
                  range(min(self._resolved.GetNumberOfFields(), _MOST_FIELDS)))
        return [interface.Field(field.GetName(), field.GetOffsetInBytes(), Type(field.GetType()))
                for field in fields if field.GetName()]

    def target(self) -> Type:
        if self.kind == "array":
            array = self._given
            while array.IsTypedefType() and array != array.GetTypedefedType():
                array = array.GetTypedefedType()
            return Type(array.GetArrayElementType())  # of a resolved one elements are resolved
        return Type(self._resolved.GetPointeeType() if self.kind == "pointer" else
                    self._resolved.GetDereferencedType())

    def bounds(self) -> Tuple[int, int]:
        element = self._resolved.GetArrayElementType().GetByteSize()
        return 0, (self.size // element if element else 0) - 1


def variable(found: Any, name: str) -> Optional[Variable]:
    """The Variable that an SBValue is, None of one that is not valid."""
    if not found.IsValid():
        return None
    kind, leads_to = Type(found.GetType()), None
    # lldb has the value for the address of what is in a register.
    address: Optional[int] = found.GetLoadAddress()
    if address == NOWHERE or not (found.GetLocation() or "").startswith("0x"):
        address = None
    if kind.kind in ("pointer", "reference"):
        error = lldb.SBError()
        value = found.GetValueAsUnsigned(error)
        leads_to = value if error.Success() else None
    if kind.kind == "reference":
        address = None
    return interface.Variable(name, address, kind, leads_to)


def is_integer(found: Any) -> bool:
    """Whether that is the type of an SBValue."""
    kind = found.GetType().GetCanonicalType()
    return bool(kind.GetTypeClass() == lldb.eTypeClassEnumeration or
                kind.GetTypeFlags() & lldb.eTypeIsInteger)
