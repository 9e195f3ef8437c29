# SPDX-License-Identifier: MIT
"""Names in type hints for gdb's objects, which no type checker knows: it takes each for Any, so
None has to be excluded before one is used, but its attributes are not checked. Imported for
annotations alone."""

from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    GdbBlock = Any  # gdb.Block
    GdbBreakpoint = Any  # gdb.Breakpoint
    GdbEvent = Any  # gdb.Event, or one of its kinds
    GdbFrame = Any  # gdb.Frame
    GdbInferior = Any  # gdb.Inferior
    GdbSymbol = Any  # gdb.Symbol
    GdbSymtab = Any  # gdb.Symtab
    GdbThread = Any  # gdb.InferiorThread
    GdbType = Any  # gdb.Type
    GdbValue = Any  # gdb.Value
