# SPDX-License-Identifier: MIT
"""A Process that is made from a table, so that everything that asks one runs without a debugger, in
tests and to look at a stop that somebody has written down. Its entries, all of which may be
missing:

    machine             X86_64, or another name of interface.py; byte_order; sizes, of C's types
    memory              {address: bytes}
    origin              LIVE, CORE or REMOTE of interface.py; pid, core_file, children, quota
    processors          numbers of those on which its threads may run
    private, shared     [(start, end)] of memory that no other process has, or that others have
    forked, caught_signals, crash   as the questions of these names answer
    threads             [Thread], in the order of their numbers
    selected            the number of the one that a person has selected
    knows_kernel_ids    False: those of the threads are of another namespace
    others              kernel ids of other processes' threads
    processes           {kernel id: process}, 0 being one that has ended
    past_main           whether what has called main() is shown
    images              [Image], the program first
    other_files         [(start, end)] of code whose file is not the process's
    differing, unread   a sentence about such a file, and about one that was not read
    runs, torn          whether it runs while it is asked, and some of it is of another moment
    chosen, trusted     the library that the user has chosen, and paths that they trust
    files               {path of an image: where it is on this machine}
    sources             {name: Source}
    lines               [(start of code, name of its source, line)] by rising addresses; each goes
                        on up to the next, and a line of 0 is no line
    functions           [Function]; of those that have an address the smallest is the innermost
    demangled           {linker's name: name}
    types               {name: Type}
    variables           {name: (address, name of its type)} of static variables

A Thread, an Image and so on are dictionaries, too:

    Thread      num, lwp, pthread, running; busy: it has a processor while the process runs;
                shown: the id that other tools have; frames: [Frame], newest first; registers:
                (pc, sp); sleep: interface.Sleep; symbols: {name: address} of thread-local variables
    Frame       pc, sp, kind (NORMAL), registers: {name: value}; variables: [(name, address, name of
                its type, what it leads to)]; name: of its function, where that has no symbol; line:
                (name of the source, line), if it is not that of its instruction
    Image       path, start, end; symbols: {name: address} of functions, objects: the same of
                variables, debug_file: whether it has one; starts: [address] where functions
                begin that have no symbol
    Source      path: where it is on this machine; producer; image: the path of one
    Function    name, linkage_name, file: the name of a source, line, start, end; address, if it is not
                `start`, 0 of an inlined one; within: the name of the function that it is declared in
    Type        kind, size, fields: [(name, offset, name of its type)]; target: the name of a type;
                bounds

What the table does not have is not known: no question raises anything but HostError, and opened()
OSError."""

from __future__ import annotations

import bisect
import contextlib

from openmp_inspect.core import regular_file
from openmp_inspect.core.errors import Unreadable
from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.host import interface
from openmp_inspect.host.kernel_facts import KernelFacts

if TYPE_CHECKING:
    from typing import Any, BinaryIO, Callable, Collection, ContextManager, Dict, FrozenSet, \
        Hashable, Iterable, List, Optional, Sequence, Set, Tuple
    from openmp_inspect.core.static_typing import ByteOrder
    from openmp_inspect.host.interface import Crash, Definition, Field, ImageFile, Line, \
        Sleep, Symbol, Variable

    Row = Dict[str, Any]


def _is_in(ranges: Iterable[Tuple[int, int]], address: int) -> bool:
    return any(start <= address < end for start, end in ranges)


class Item:
    """Something with a row of the table, equal to what has the same one."""

    def __init__(self, table: Row, row: Row) -> None:
        self.table = table
        self.row = row

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Item) and other.row is self.row

    def __hash__(self) -> int:
        return id(self.row)


class Thread(Item):
    def __init__(self, process: Process, table: Row, row: Row) -> None:
        super().__init__(table, row)
        self.process = process
        self.num: int = row["num"]
        self.ptid = row["num"]

    def is_running(self) -> bool:
        return bool(self.row.get("running"))

    def frame(self, level: int) -> Optional[Frame]:
        rows = self.row.get("frames", ())
        return Frame(self, rows[level], level) if 0 <= level < len(rows) else None


class SourceFile(Item, interface.SourceFile):
    def __init__(self, table: Row, name: str) -> None:
        super().__init__(table, table.get("sources", {}).get(name, {}))
        self.name = name
        self.path = self.row.get("path", name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SourceFile) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def producer(self) -> str:
        return str(self.row.get("producer", ""))

    def addresses_of(self, line: int) -> List[int]:
        return [start for start, own in self._lines() if own == line]

    def lines_at(self, address: int) -> List[int]:
        return [line for start, line in self._lines() if start == address]

    def lines_between(self, start: int, end: int) -> Dict[int, int]:
        return {line: at for at, line in self._lines() if start <= at < end}

    @property
    def image(self) -> Optional[str]:
        return self.row.get("image")

    def _lines(self) -> List[Tuple[int, int]]:
        return [(start, line) for start, name, line in self.table.get("lines", ())
                if name == self.name]


def _source(table: Row, name: Optional[str]) -> Optional[SourceFile]:
    return None if name is None else SourceFile(table, name)


class Function(Item, interface.Function):
    def __init__(self, table: Row, row: Row) -> None:
        super().__init__(table, row)
        self.name = row["name"]
        self.linkage_name = row.get("linkage_name", self.name)
        self.line = row.get("line", 0)
        self.start, self.end = row["start"], row["end"]

    @property
    def file(self) -> Optional[SourceFile]:
        return _source(self.table, self.row.get("file"))

    @property
    def address(self) -> int:
        return int(self.row.get("address", self.start))


class Type(Item, interface.Type):
    def __init__(self, table: Row, name: str) -> None:
        super().__init__(table, table.get("types", {}).get(name, {}))
        self.name = name
        self.kind = self.row.get("kind", "other")
        self.size = self.row.get("size", 0)

    def fields(self) -> List[Field]:
        return [interface.Field(name, offset, Type(self.table, kind))
                for name, offset, kind in self.row.get("fields", ())]

    def target(self) -> Type:
        return Type(self.table, self.row.get("target", ""))

    def bounds(self) -> Tuple[int, int]:
        low, high = self.row.get("bounds", (0, -1))
        return low, high


class Frame(Item, interface.Frame):
    def __init__(self, thread: Thread, row: Row, level: int) -> None:
        super().__init__(thread.table, row)
        self._thread, self._level = thread, level
        self.process = thread.process
        self.pc = row["pc"]
        self.kind = row.get("kind", interface.NORMAL)
        newer = thread.frame(level - 1)
        inlined = newer is not None and newer.kind == interface.INLINED
        if newer is not None and inlined:
            self.instruction = newer.instruction
        else:  # what a signal has interrupted has called nothing
            called = newer is not None and newer.kind != interface.SIGNAL
            self.instruction = self.pc - called

    @property
    def name(self) -> Optional[str]:
        function = self.function
        found: Optional[str] = self.row.get("name") if function is None else function.name
        return found or self.process.symbol_at(self.instruction).name

    @property
    def function(self) -> Optional[interface.Function]:
        found = self.process.functions_at(self.instruction)
        inner = 0
        newer = self.newer
        while newer is not None and newer.kind == interface.INLINED:
            newer, inner = newer.newer, inner + 1
        return found[inner] if inner < len(found) else None

    @property
    def line(self) -> Line:
        if "line" not in self.row:
            return self.process.line_at(self.instruction)
        name, line = self.row["line"]
        return interface.Line(_source(self.table, name), line, 0)

    @property
    def newer(self) -> Optional[Frame]:
        return self._thread.frame(self._level - 1)

    @property
    def older(self) -> Optional[Frame]:
        return self._thread.frame(self._level + 1)

    @property
    def sp(self) -> int:
        return self.register("sp")

    def register(self, name: str) -> int:
        found = self.row.get("sp") if name == "sp" else self.row.get("registers", {}).get(name)
        if found is None:
            raise Unreadable("no register %s" % name)
        return int(found)

    def variables(self) -> List[Variable]:
        return [interface.Variable(name, address, Type(self.table, kind), *leads_to)
                for name, address, kind, *leads_to in self.row.get("variables", ())]

    def word(self, name: str) -> Optional[int]:
        found: Optional[int] = self.row.get("words", {}).get(name)
        return found


class Registers(interface.Registers):
    def __init__(self) -> None:
        self._are_doubted = False

    def of(self, thread: Thread) -> Optional[Tuple[int, int]]:
        return None if self._are_doubted else thread.row.get("registers")

    def sleep(self, thread: Thread) -> Optional[Sleep]:
        return None if self._are_doubted else thread.row.get("sleep")

    def doubt(self) -> None:
        self._are_doubted = True


class Process(interface.Process):
    def __init__(self, table: Row) -> None:
        self._table = table
        self._ran = 0.0  # seconds

    def _rows(self, name: str) -> Any:
        return self._table.get(name, ())

    # What it is

    @property
    def byte_order(self) -> ByteOrder:
        order: ByteOrder = self._table.get("byte_order", "little")
        return order

    @property
    def sizes(self) -> Sequence[int]:
        sizes: Sequence[int] = self._table.get("sizes", (1, 2, 4, 8, 8, 8))
        return sizes

    @property
    def machine(self) -> str:
        return str(self._table.get("machine", interface.X86_64))

    @property
    def origin(self) -> str:
        return str(self._table.get("origin", interface.REMOTE))

    @property
    def pid(self) -> int:
        return int(self._table.get("pid", 0))

    @property
    def core_file(self) -> Optional[str]:
        return self._table.get("core_file")

    @property
    def facts(self) -> KernelFacts:
        return KernelFacts()

    def children(self) -> List[int]:
        return list(self._rows("children"))

    def allowed_processors(self, thread: Optional[Thread] = None) -> Optional[FrozenSet[int]]:
        row = self._table if thread is None else thread.row
        found = row.get("processors", self._table.get("processors"))
        return None if found is None else frozenset(found)

    def processor_quota(self) -> Optional[float]:
        return self._table.get("quota")

    def is_forked(self) -> Optional[bool]:
        return self._table.get("forked")

    def caught_signals(self) -> Optional[int]:
        return self._table.get("caught_signals")

    def crash(self) -> Optional[Crash]:
        return self._table.get("crash")

    # Memory

    def is_private(self, address: int) -> Optional[bool]:
        return True if _is_in(self._rows("private"), address) else \
            False if _is_in(self._rows("shared"), address) else None

    def read(self, address: int, size: int) -> bytes:
        for start, data in self._table.get("memory", {}).items():
            if start <= address and address + size <= start + len(data):
                return bytes(data[address - start:address - start + size])
        raise Unreadable("no memory at %#x" % address)

    # Threads

    def threads(self) -> List[Tuple[int, Thread]]:
        return [(row["lwp"], Thread(self, self._table, row)) for row in self._rows("threads")]

    def pthread(self, thread: Thread) -> Optional[int]:
        return thread.row.get("pthread")

    def kernel_id(self, thread: Thread) -> int:
        return int(thread.row["lwp"])

    @property
    def knows_kernel_ids(self) -> bool:
        return bool(self._table.get("knows_kernel_ids", True))

    def kernel_ids_of_others(self) -> Set[int]:
        return set(self._rows("others"))

    def process_of(self, kernel_id: int) -> Optional[int]:
        processes: Dict[int, int] = self._table.get("processes", {})
        return processes.get(kernel_id)

    def shown_id(self, thread: Thread) -> int:
        return int(thread.row["shown" if "shown" in thread.row else "lwp"])

    @property
    def is_stopped(self) -> bool:
        return not self._table.get("runs")

    @property
    def is_torn(self) -> bool:
        return bool(self._table.get("torn"))

    @property
    def selected_number(self) -> Optional[int]:
        return self._table.get("selected")

    def are_newest(self, thread: Thread, frames: Sequence[interface.Frame]) -> bool:
        return all(frame == thread.frame(level) for level, frame in enumerate(frames))

    def newest_frame(self, thread: Thread) -> Optional[Frame]:
        return thread.frame(0)

    def registers(self) -> interface.Registers:
        return Registers()

    def times(self, thread: Optional[Thread] = None) -> Optional[interface.Times]:
        busy = thread is None or bool(thread.row.get("busy"))
        return interface.Times(self._ran if busy else 0.0, None, self._ran)

    def monotonic(self) -> Optional[float]:
        return self._table.get("monotonic")

    def timed_runs(self) -> ContextManager[interface.TimedRun]:
        return contextlib.nullcontext(self._run)

    def _run(self, seconds: float, _wanted: Collection[int]) -> bool:
        self._ran += seconds
        return True

    def register_values(self, thread: Thread, asleep: bool) -> Optional[Hashable]:
        return thread.num

    def selection_kept(self) -> ContextManager[None]:
        return contextlib.nullcontext()

    @property
    def unwinding(self) -> Hashable:
        return self.unwinds_past_main

    @property
    def unwinds_past_main(self) -> bool:
        return bool(self._table.get("past_main"))

    # Files

    @property
    def code_key(self) -> Hashable:
        return id(self._table)

    @property
    def program(self) -> Optional[str]:
        return next(iter(self.libraries()), None)

    def libraries(self) -> List[str]:
        return [image["path"] for image in self._rows("images")]

    def image_files(self, is_wanted: Callable[[str], bool]) -> List[ImageFile]:
        return [interface.ImageFile(image["path"], bool(image.get("debug_file")))
                for image in self._rows("images") if is_wanted(image["path"])]

    def image_at(self, address: int) -> Optional[str]:
        image = self._image(address)
        return None if image is None else self._library(image)

    def _image(self, address: int) -> Optional[Row]:
        return next((image for image in self._rows("images")
                     if image["start"] <= address < image["end"]), None)

    def _library(self, image: Row) -> Optional[str]:
        """Its file name, or None of the program itself."""
        path: str = image["path"]
        return None if path == self.program else path

    def code_name(self, address: int) -> str:
        image = self._image(address)
        return "%#x" % address if image is None else \
            "%s+%#x" % (image["path"].rpartition("/")[2], address - image["start"])

    def is_mapped(self, address: int) -> bool:
        return self._image(address) is not None

    def is_other_file(self, address: int) -> bool:
        return _is_in(self._rows("other_files"), address)

    def differing_file(self, files: Optional[Collection[Optional[str]]] = None) -> Optional[str]:
        return self._table.get("differing")

    def unread_file(self, beginnings: Tuple[str, ...]) -> Optional[str]:
        return self._table.get("unread")

    def opened(self, path: str) -> BinaryIO:
        files: Dict[str, str] = self._table.get("files", {})
        if path not in files:
            raise OSError("no %s on this machine" % path)
        return regular_file.opened(files[path])

    # Symbols

    def symbol(self, name: str) -> Optional[int]:
        return next((found[name] for image in self._rows("images")
                     for found in (image.get("symbols", {}), image.get("objects", {}))
                     if name in found), None)

    def symbol_of_thread(self, thread: Thread, name: str) -> Optional[int]:
        symbols: Dict[str, int] = thread.row.get("symbols", {})
        return symbols.get(name)

    def variable_in(self, file: str, name: str) -> Optional[int]:
        return next((image.get("objects", {}).get(name) for image in self._rows("images")
                     if image["path"] == file), None)

    def definitions(self, name: str) -> List[Definition]:
        return [interface.Definition(self._library(image), image["symbols"][name])
                for image in self._rows("images") if name in image.get("symbols", {})]

    def files_of_symbol(self, name: str) -> Collection[str]:
        files = (self._library(image) for image in self._rows("images")
                 if name in image.get("symbols", {}) or name in image.get("objects", {}))
        return [file for file in files if file is not None]

    def symbol_at(self, address: int) -> Symbol:
        image: Row = self._image(address) or {}
        found: List[Tuple[int, str]] = [
            (start, name) for kind in ("symbols", "objects")
            for name, start in image.get(kind, {}).items() if start <= address]
        return interface.Symbol(max(found)[1], address - max(found)[0]) if found else \
            interface.Symbol(None, 0)

    def variables_from(self, prefix: str) -> Dict[int, str]:
        return {address: name for image in self._rows("images")
                for name, address in image.get("objects", {}).items() if name.startswith(prefix)}

    def demangled(self, name: str) -> str:
        return str(self._table.get("demangled", {}).get(name, name))

    def function_start(self, address: int) -> Optional[int]:
        image: Row = self._image(address) or {}
        starts: List[int] = [*image.get("symbols", {}).values(), *image.get("starts", ())]
        before = [start for start in starts if start <= address]
        return max(before) if before else None

    # Debug information

    def line_at(self, address: int) -> Line:
        known: Sequence[Tuple[int, str, int]] = self._rows("lines")
        at = bisect.bisect_left(known, (address + 1,)) - 1
        name, line = known[at][1:] if at >= 0 else ("", 0)
        if not line:
            return interface.Line(None, 0, 0)
        last = known[at + 1][0] - 1 if at + 1 < len(known) else 0
        return interface.Line(_source(self._table, name), line, last)

    def functions_at(self, address: int) -> List[interface.Function]:
        rows = self._rows("functions")
        found = sorted((row for row in rows if row["start"] <= address < row["end"]),
                       key=lambda row: int(row["end"] - row["start"]))
        while found and found[-1].get("within"):
            around = [row for row in rows if row["name"] == found[-1]["within"]]
            if not around or around[0] in found:
                break
            found += around[:1]
        return [Function(self._table, row) for row in found]

    def variable(self, name: str) -> Optional[Variable]:
        known = self._table.get("variables", {}).get(name)
        return None if known is None else \
            interface.Variable(name, known[0], Type(self._table, known[1]))

    # The user's choices

    @property
    def chosen_library(self) -> str:
        return str(self._table.get("chosen", ""))

    def is_trusted(self, path: str) -> bool:
        return path in self._rows("trusted")
