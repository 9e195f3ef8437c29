# SPDX-License-Identifier: MIT
"""What a debugger must answer of a process or core. Whoever adapts one implements Process, and what
Process hands out; nothing here asks for what is selected in the debugger. Questions are asked while
the process is stopped, unless they say otherwise.

Addresses are unsigned integers of the target. Names are as the debugger has them: nobody may print
one raw (escaped.py). A kernel id is the id that the process itself has for a thread, whatever
namespace the debugger is in. What is not known is None, or empty; errors.HostError is raised where
a debugger fails, and by each question where the process has ended. """

from __future__ import annotations

import abc
import os

from openmp_inspect.core import debug
from openmp_inspect.core.errors import HostError, UserError
from openmp_inspect.core.static_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any, BinaryIO, Callable, Collection, ContextManager, Dict, FrozenSet, \
        Hashable, List, Optional, Sequence, Set, Tuple
    from openmp_inspect.core.static_typing import ByteOrder
    from openmp_inspect.host.kernel_facts import KernelFacts

    # The debugger's own object of a thread; equal ones are of the same thread, and have the same
    # `ptid`, which can be hashed. `num` is the debugger's number of it, is_running() whether it runs.
    Thread = Any
    TimedRun = Callable[[float, Collection[int]], bool]  # of Process.timed_runs()

# Machines whose code is decoded, by us and by the library; others have names of the debugger's.
DECODED = X86_64, X32, I386, AARCH64 = "x86-64", "x32", "i386", "aarch64"

# Where a process is: alive on this machine, with a directory under /proc; in a core; elsewhere, as
# behind a server.
LIVE, CORE, REMOTE = "live", "core", "remote"

# Kinds of frames: of a function that was called, one that is inlined into its caller, one that has
# left by a jump, and what the kernel makes for the handler of a signal.
NORMAL, INLINED, TAIL_CALL, SIGNAL, OTHER = range(5)


class Symbol(NamedTuple):
    """The one at or before an address, if there is one."""

    name: Optional[str]
    offset: int


class Definition(NamedTuple):
    """A function in a file; that of the program itself is None."""

    file: Optional[str]
    address: int


class ImageFile(NamedTuple):
    path: str
    has_debug_file: bool  # its debug information is in a file of its own


class SourceFile(abc.ABC):
    """A file of the source that has code. Equal ones have the same name."""

    name: str  # as the compiler had it
    path: str  # where it is on this machine

    @abc.abstractmethod
    def producer(self) -> str:
        """The compiler and its options by the debug information, or ""."""

    @abc.abstractmethod
    def addresses_of(self, line: int) -> List[int]:
        """Where code of a LINE begins."""

    @abc.abstractmethod
    def lines_at(self, address: int) -> List[int]:
        """All lines of which a statement begins at an ADDRESS, by the table of lines and in its
        order, 0 for none. A debugger that does not know statements has all lines."""

    @abc.abstractmethod
    def lines_between(self, start: int, end: int) -> Dict[int, int]:
        """Those that code from START up to END has, each with an address of such code."""

    @property
    @abc.abstractmethod
    def image(self) -> Optional[str]:
        """The file of the program or library that has its code."""


class Line(NamedTuple):
    """The source of an address: its line is 0 where there is none; `last` is the address of the
    last byte of code that goes with it, 0 where that is not known."""

    file: Optional[SourceFile]
    line: int
    last: int


class Function(abc.ABC):
    """A function by debug information, or one that is inlined. Equal ones are the same."""

    name: str
    linkage_name: str
    line: int  # of its declaration, of one that is inlined that of the call; 0 if not known
    start: int  # of its code that has what was asked for, whose end is `end`
    end: int

    @property
    @abc.abstractmethod
    def file(self) -> Optional[SourceFile]:
        """The file of `line`."""

    @property
    @abc.abstractmethod
    def address(self) -> int:
        """Its first instruction, of one that is inlined where that begins; 0 if not known."""


class Field(NamedTuple):
    name: str
    offset: int  # in bytes
    type: Type


class Type(abc.ABC):
    """A type of an object. `kind` is "array", "struct" (a class, too), "pointer", "reference" or
    "other" once aliases are resolved; `size` is in bytes, 0 where that is not known."""

    name: str  # with its aliases
    kind: str
    size: int

    @abc.abstractmethod
    def fields(self) -> List[Field]:
        """Those of a "struct" that have a name, without base classes."""

    @abc.abstractmethod
    def target(self) -> Type:
        """Of an "array" the type of its elements, of a "pointer" or "reference" what it leads
        to."""

    @abc.abstractmethod
    def bounds(self) -> Tuple[int, int]:
        """The first and last index of an "array"."""


class Variable(NamedTuple):
    name: str
    address: Optional[int]  # None of one in a register or nowhere, and of a reference
    type: Type
    leads_to: Optional[int] = None  # of a pointer or reference, if it is known


class Frame(abc.ABC):
    """One frame of a thread's stack. `instruction` is an address in the instruction that it
    executes: the pc of a frame that has called another is that of the next one, which may be of
    another line, or even another function."""

    process: Process
    pc: int
    kind: int
    instruction: int

    @property
    @abc.abstractmethod
    def name(self) -> Optional[str]:
        """That of its function."""

    @property
    @abc.abstractmethod
    def function(self) -> Optional[Function]:
        """By debug information."""

    @property
    @abc.abstractmethod
    def line(self) -> Line:
        """That which it executes, of an inlining function that of the call."""

    @property
    @abc.abstractmethod
    def newer(self) -> Optional[Frame]:
        """The one that it has called, or that is inlined into it."""

    @property
    @abc.abstractmethod
    def older(self) -> Optional[Frame]:
        """The one that has called it; None where the debugger cannot unwind further."""

    @property
    @abc.abstractmethod
    def sp(self) -> int:
        """The stack pointer."""

    @abc.abstractmethod
    def register(self, name: str) -> int:
        """A register, as the machine's manual calls it, as this frame has it."""

    @abc.abstractmethod
    def variables(self) -> List[Variable]:
        """Those of its function and the blocks in it, innermost first, but for static ones; also
        those of which it is not known where they are."""

    @abc.abstractmethod
    def word(self, name: str) -> Optional[int]:
        """What the first one of this NAME has, if that is an integer which is in no memory: the
        lowest bytes are its. Of a frame that has called another it is had only from what those
        called preserve."""


class WantedLock(NamedTuple):
    """The lock of a file that a thread waits for."""

    file: int  # the number by which the process has opened it
    kinds: Tuple[bytes, ...]  # of locks that are in its way, as the kernel's list calls them


class Awaited(NamedTuple):
    """What a thread waits for that has no word of memory: a "file", by the number by which the process
    has opened it, a "path", which is at this address, a "queue" of messages, by its id, "signals", the
    set of which is at this address, or a "child", by the id that the process has of it, 0 and negative
    numbers being some child."""

    kind: str
    value: int


class Sleep(NamedTuple):
    """What a thread is in the kernel for."""

    address: int  # of the word that it waits for to differ, 0 in any other system call
    value: int  # from this
    private: bool  # no other process can wake it
    timed: bool  # it wakes by itself
    inherits: bool = False  # the word is a lock that has its owner's kernel id
    lock: Optional[WantedLock] = None
    awaited: Optional[Awaited] = None


class Times(NamedTuple):
    """In seconds."""

    processor: float  # that it had one, since its start
    recent: Optional[float]  # the share of the last moment, such as the last 0.1 s, that it had one
    elapsed: Optional[float]  # since its start
    slices: Optional[int] = None  # how many times a thread was given a processor
    delayed: Optional[float] = None  # that a thread could run but had none


class Crash(NamedTuple):
    """The signal that ends a program."""

    lwp: int
    signal: str
    flags: Set[str]  # as in ompd-ext.h
    address: Optional[int]  # that the instruction could not access; None: not known, or no access
    sent: bool = False  # by the process itself, as raise() and abort() do


class Registers(abc.ABC):
    """Registers of threads without a frame, from elsewhere than the debugger's own unwinder. Lives
    during one command."""

    @abc.abstractmethod
    def of(self, thread: Thread) -> Optional[Tuple[int, int]]:
        """(address of the next instruction, stack pointer) of a thread."""

    @abc.abstractmethod
    def sleep(self, thread: Thread) -> Optional[Sleep]:
        """What a thread sleeps on; None: it is not in the kernel, or that is not known."""

    @abc.abstractmethod
    def doubt(self) -> None:
        """The debugger's frames say otherwise, as when it replays a record of what was: nothing
        more is known."""


class Process(abc.ABC):
    """One process or core."""

    # What it is

    @property
    @abc.abstractmethod
    def byte_order(self) -> ByteOrder:
        pass

    @property
    @abc.abstractmethod
    def sizes(self) -> Sequence[int]:
        """In bytes, of C's char, short, int, long, long long and a pointer."""

    @property
    @abc.abstractmethod
    def machine(self) -> str:
        """The name of the machine whose code it runs, "" where that is not known."""

    @property
    def pointer_size(self) -> int:
        return self.sizes[-1]

    @property
    @abc.abstractmethod
    def origin(self) -> str:
        """LIVE, CORE or REMOTE."""

    @property
    def is_stopped(self) -> bool:
        """False where it, or some thread, runs while it is asked, so that answers may not fit
        together."""
        return True

    @property
    def is_copied(self) -> bool:
        """Whether what is read is a copy of some pages: another one costs a look."""
        return False

    @property
    def is_torn(self) -> bool:
        """Whether some of what was read of a stop is of another moment, as the process ran on."""
        return False

    def unstopped(self) -> Dict[int, str]:
        """Why threads could not be stopped, in words, by their kernel ids."""
        return {}

    @property
    @abc.abstractmethod
    def pid(self) -> int:
        """The id by which a debugger attaches to it, of a core that which the process had."""

    @property
    @abc.abstractmethod
    def core_file(self) -> Optional[str]:
        """The path of the core."""

    @abc.abstractmethod
    def children(self) -> List[int]:
        """The processes that a LIVE one has made, by such ids."""

    def shares_memory(self) -> bool:
        """Whether another process, its parent or one of its children, has all of its memory, too."""
        return self.origin == LIVE and self.facts.shares_memory()

    @property
    @abc.abstractmethod
    def facts(self) -> KernelFacts:
        """What the kernel says of it."""

    @abc.abstractmethod
    def allowed_processors(self, thread: Optional[Thread] = None) -> Optional[FrozenSet[int]]:
        """As KernelFacts has it of a thread."""

    def processor_quota(self) -> Optional[float]:
        """As KernelFacts, and so the next four."""
        return self.facts.processor_quota()

    def machine_processors(self) -> Optional[int]:
        return self.facts.machine_processors()

    def is_forked(self) -> Optional[bool]:
        return self.facts.is_forked()

    def caught_signals(self) -> Optional[int]:
        return self.facts.caught_signals()

    def stack_limit(self) -> Optional[int]:
        return self.facts.stack_limit()

    @abc.abstractmethod
    def crash(self) -> Optional[Crash]:
        """The signal that ends it, if that is why it has stopped; one that somebody else has sent,
        as to make a core of a program that hangs, is none."""

    # Memory

    @abc.abstractmethod
    def is_private(self, address: int) -> Optional[bool]:
        """Whether no other process has the memory at an ADDRESS, None where that is not known."""

    @abc.abstractmethod
    def read(self, address: int, size: int) -> bytes:
        """SIZE bytes at an ADDRESS, as they are now; errors.Unreadable if one of them is not
        there."""

    def is_readable(self, address: int) -> bool:
        """Whether there is memory at an ADDRESS."""
        try:
            self.read(address, 1)
        except HostError:
            debug.ignored()
            return False
        return True

    def unsigned(self, address: int, size: int) -> int:
        """The number in SIZE bytes, likewise."""
        return int.from_bytes(self.read(address, size), self.byte_order)

    # Threads

    @abc.abstractmethod
    def threads(self) -> List[Tuple[int, Thread]]:
        """Each thread with its kernel id, in the order of the debugger's numbers, also while they
        run. The caller leaves the list as it is."""

    @abc.abstractmethod
    def pthread(self, thread: Thread) -> Optional[int]:
        """The pthread_t of a thread."""

    @abc.abstractmethod
    def kernel_id(self, thread: Thread) -> int:
        """That of a thread, or what no thread has where it is not known."""

    @property
    @abc.abstractmethod
    def knows_kernel_ids(self) -> bool:
        """Whether these are known: then a thread that has another id has ended, or is of another
        process."""

    @abc.abstractmethod
    def kernel_ids_of_others(self) -> Set[int]:
        """Those of the threads of other processes that the debugger has."""

    @abc.abstractmethod
    def process_of(self, kernel_id: int) -> Optional[int]:
        """The process, by the id with which a debugger attaches to it, with the thread that this
        process has by a KERNEL_ID, 0 if it has ended."""

    @abc.abstractmethod
    def shown_id(self, thread: Thread) -> int:
        """The id of a thread that this machine's other tools have."""

    @property
    @abc.abstractmethod
    def selected_number(self) -> Optional[int]:
        """The number of the thread that a person has selected."""

    @abc.abstractmethod
    def are_newest(self, thread: Thread, frames: Sequence[Frame]) -> bool:
        """Whether FRAMES, the newest first, still are those of a thread: a person may change
        registers, or return from one, and memory may be gone."""

    @abc.abstractmethod
    def newest_frame(self, thread: Thread) -> Optional[Frame]:
        """The newest frame of a thread; None where its registers cannot be read."""

    @abc.abstractmethod
    def registers(self) -> Registers:
        """Those of its threads."""

    @abc.abstractmethod
    def selection_kept(self) -> ContextManager[None]:
        """Questions about threads leave what a person has selected as it was: within this all of them
        together, at its end, which takes less time than one by one."""

    @property
    @abc.abstractmethod
    def unwinding(self) -> Hashable:
        """The settings that say how far stacks are unwound."""

    @property
    @abc.abstractmethod
    def unwinds_past_main(self) -> bool:
        """Whether what has called main() is shown, too."""

    # Time

    def times(self, thread: Optional[Thread] = None) -> Optional[Times]:
        """The Times of a thread, or of the process with what threads had that have ended, also
        while it runs."""
        return self.facts.times(None if thread is None else self.kernel_id(thread))

    def switches(self, thread: Thread) -> Optional[int]:
        """How often a thread has given up its processor, to sleep or to stop."""
        return None

    def monotonic(self) -> Optional[float]:
        """Seconds of the CLOCK_MONOTONIC that it has, at the stop; None of a core but a snapshot, and
        of another machine."""
        return self.facts.monotonic()

    def timed_runs(self) -> ContextManager[TimedRun]:
        """Within it, what it returns lets all threads run for so many seconds and stops them, of
        which it may only those with the kernel ids that are wanted, if any are; False if something
        else has stopped them before, or they have ended. UserError of one that cannot be let run. The
        threads() of before are not those of after."""
        raise UserError('"ompd why -watch" needs a live process of this machine.')

    def register_values(self, thread: Thread, asleep: bool) -> Optional[Hashable]:
        """What a thread has in all registers; of one that is ASLEEP without those in which a stop
        leaves something of its system call."""
        return None

    def writable_data(self, address: int) -> List[Tuple[int, int]]:
        """(address, size) of the variables of the file with the code at an ADDRESS."""
        return []

    # Files

    @property
    @abc.abstractmethod
    def code_key(self) -> Hashable:
        """A key for what is kept of its program and libraries, while they stay
        (caches.of_code())."""

    @property
    @abc.abstractmethod
    def program(self) -> Optional[str]:
        """The file name of the program."""

    @abc.abstractmethod
    def libraries(self) -> List[str]:
        """File names of everything that is loaded, the program first."""

    @abc.abstractmethod
    def image_files(self, is_wanted: Callable[[str], bool]) -> List[ImageFile]:
        """The same of those whose name IS_WANTED, with what there is to know of each."""

    @abc.abstractmethod
    def image_at(self, address: int) -> Optional[str]:
        """The file name of the library that has an ADDRESS; None of the program itself, and where
        there is none."""

    @abc.abstractmethod
    def code_name(self, address: int) -> str:
        """"FILE+0xOFFSET" of the code at an ADDRESS, or that alone where no file is mapped."""

    @abc.abstractmethod
    def is_mapped(self, address: int) -> bool:
        """Whether the code at an ADDRESS is that of a file."""

    @abc.abstractmethod
    def is_other_file(self, address: int) -> bool:
        """Whether the debugger takes the code at an ADDRESS for that of a file which is not the
        process's: then nothing is known of it."""

    @abc.abstractmethod
    def differing_file(self, files: Optional[Collection[Optional[str]]] = None) -> Optional[str]:
        """A sentence about one of these FILES, or of all, that the debugger reads and that is
        another one than the process has, with what to do; None where there is none. None in FILES
        is the program."""

    def missing_file(self) -> Optional[str]:
        """The same about one that the process has, and this machine has not, where commands go on
        without it."""
        return None

    @abc.abstractmethod
    def unread_file(self, beginnings: Tuple[str, ...]) -> Optional[str]:
        """A sentence about a file that the process has and the debugger has not read, with what to
        do: the program, where it has read none at all, or else a library whose name has one of
        these BEGINNINGS; None where there is none."""

    def unread_debug_information(self) -> List[str]:
        """Sentences about debug information that is there, of files that have been asked for it, and
        that the debugger does not read."""
        return []

    @abc.abstractmethod
    def opened(self, path: str) -> BinaryIO:
        """The file of the program, or of a library, by that name, as the process has it; OSError or
        ValueError where it is not on this machine."""

    # Symbols

    @abc.abstractmethod
    def symbol(self, name: str) -> Optional[int]:
        """The address of the symbol of this NAME that the program or one of its libraries has,
        with or without debug information."""

    @abc.abstractmethod
    def symbol_of_thread(self, thread: Thread, name: str) -> Optional[int]:
        """The same of a thread-local variable."""

    @abc.abstractmethod
    def variable_in(self, file: str, name: str) -> Optional[int]:
        """The address of a variable of this NAME in a loaded FILE, where others have one, too."""

    def function_in(self, file: str, name: str) -> Optional[int]:
        """The address of a function in the FILE that the dynamic linker calls so, "" being the
        program; None if it has none, or the debugger has several files that this may be: it may
        have the same one below another directory."""
        found = [(other or "", start) for other, start in self.definitions(name)
                 if not self.is_other_file(start)]
        base = os.path.basename(file)
        for addresses in ([start for other, start in found if other == file],
                          [start for other, start in found if file and other.endswith(file)],
                          [start for other, start in found
                           if base and os.path.basename(other) == base]):
            if addresses:
                return addresses[0] if len(addresses) == 1 else None
        return None

    @abc.abstractmethod
    def definitions(self, name: str) -> List[Definition]:
        """Those of the functions of this NAME in all files, also in such as the debugger knows to
        be other ones than the process has."""

    @abc.abstractmethod
    def files_of_symbol(self, name: str) -> Collection[str]:
        """The libraries that have a symbol of this NAME, likewise."""

    @abc.abstractmethod
    def symbol_at(self, address: int) -> Symbol:
        """The Symbol at or before an ADDRESS; that of an entry of the linkage table ends with
        "@plt"."""

    @abc.abstractmethod
    def variables_from(self, prefix: str) -> Dict[int, str]:
        """{address: name} of the variables without debug information whose names begin so."""

    @abc.abstractmethod
    def demangled(self, name: str) -> str:
        """The NAME of C++ that a linker's name stands for, or that itself."""

    @abc.abstractmethod
    def function_start(self, address: int) -> Optional[int]:
        """Where the function with the instruction at an ADDRESS begins, by its file's unwind table.
        A function that was split begins at each part."""

    # Debug information

    @abc.abstractmethod
    def line_at(self, address: int) -> Line:
        """The Line of the code at an ADDRESS."""

    @abc.abstractmethod
    def functions_at(self, address: int) -> List[Function]:
        """Those that have code at an ADDRESS, innermost first: inlined ones, the one that these
        were inlined into, and functions that this one is declared in."""

    @abc.abstractmethod
    def variable(self, name: str) -> Optional[Variable]:
        """The static variable of this NAME, by debug information."""

    # The user's choices

    @property
    @abc.abstractmethod
    def chosen_library(self) -> str:
        """The absolute path of the one OMPD library that is to be loaded, or ""."""

    @abc.abstractmethod
    def is_trusted(self, path: str) -> bool:
        """Whether a PATH lies, by its name alone, where the user lets a library be loaded from that
        the process names: its code runs in the debugger."""
