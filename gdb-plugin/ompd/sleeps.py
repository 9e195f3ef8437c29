# SPDX-License-Identifier: MIT
"""What a thread sleeps on in the kernel that the OpenMP runtime does not know: glibc's
mutexes with their owners, threads that are joined, and other system calls.

glibc's struct __pthread_mutex_s begins with the word that waiters sleep on, a count and the
owner's kernel id; a waiter sleeps while the word is 2. A joiner sleeps on the joined thread's
kernel id in its struct pthread, which the kernel clears when that thread ends.
"""

import re
import struct
from collections import namedtuple

import gdb

from ompd import calls, code_owner, gdbtext, names

_CONTENDED = 2  # the word of a mutex that somebody waits for
_MUTEX = struct.Struct("=IIiI")  # lock, count, owner, users
_MOST_FRAMES = 24
_MOST_INNER = 6  # frames of libc beneath the function that was called
_LONGEST_NAME = 40
_MPI = re.compile(r"P?MPI_\w+|p?mpi_\w+?_*\Z")
_FUNCTIONS = re.compile(r"_*(GI_+)?((?P<mutex>pthread_mutex_(cond_|timed|clock)?lock|mtx_lock)|"
                        r"pthread_(timed|clock)?join|thrd_join)")

# kind: "mutex" (`owner`: kernel id or 0), "join" (`owner`: of the joined thread), "other"
LibcWait = namedtuple("LibcWait", "kind address owner")


def is_unchanged(sleep, memory, order):
    """Whether the word that a registers.Sleep waits for still has its value: nobody has
    released the thread. False where that cannot be read."""
    return _word(sleep.address, memory, order) == sleep.value


def _word(address, memory, order):
    try:
        return int.from_bytes(memory.read(address, 4), order)
    except gdb.MemoryError:
        return None


def of_libc(sleep, memory, order, lwps, thread):
    """The LibcWait of a thread that sleeps on a word that is unchanged, in code of libc. LWPS
    are the kernel ids of the process. Words of libc's own are laid out otherwise, so the newest
    frames have to say what was called. Call in selection_kept()."""
    function = _waits_in(thread)
    if function == "join" and sleep.value in lwps:
        return LibcWait("join", sleep.address, sleep.value)
    if function == "mutex" and sleep.value == _CONTENDED:
        try:
            word, _, owner, _ = _MUTEX.unpack(memory.read(sleep.address, _MUTEX.size))
        except gdb.MemoryError:
            return LibcWait("other", sleep.address, 0)
        if word == _CONTENDED and owner > 0:
            return LibcWait("mutex", sleep.address, owner)
    return LibcWait("other", sleep.address, 0)


def _waits_in(thread):
    """"mutex" or "join", by the function of libc that a thread is in, else None."""
    try:
        thread.switch()
        frame = gdb.newest_frame()
        for _ in range(_MOST_INNER):
            found = _FUNCTIONS.match(gdbtext.frame_name(frame) or "")
            if found:
                return "mutex" if found.group("mutex") else "join"
            frame = frame.older()
            if frame is None:
                return None
    except gdb.error:
        pass
    return None


def knows_ids(pid):
    """Whether the kernel ids that a process has of its threads, in memory, are those by which
    gdb knows them: not if it is in a pid namespace of its own."""
    try:
        with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as stream:
            return all(len(line.split()) == 2 for line in stream if line.startswith("NSpid:"))
    except OSError:
        return True  # a core, in which both are the process's own


def is_mpi(function):
    return function is not None and bool(_MPI.match(function))


def called(thread):
    """The function that the selected thread's user code is inside of, as programs call it,
    or None: the outermost of its newest frames that are the system's, or an MPI library's.
    Call in selection_kept()."""
    try:
        thread.switch()
        frame, found = gdb.newest_frame(), None
        for _ in range(_MOST_FRAMES):
            name = gdbtext.frame_name(frame)
            library = gdbtext.library_at(frame.pc())
            if is_mpi(name):
                found = name
            elif library is None or code_owner.of(frame) == code_owner.USER and found and \
                    not is_mpi(found) and "libmpi" not in library:
                break
            elif name:
                found = name
            frame = frame.older()
            if frame is None:
                return None  # nothing of the user's is on the stack
        else:
            return None
        if library is None:
            found = calls.called(frame) or found
    except gdb.error:
        return None
    return _plain(found)


def _plain(name):
    """pthread_join for ___pthread_join and __GI___read."""
    if name is None:
        return None
    bare = re.sub(r"^(__GI_)?_*(libc_)?(?=[a-z])", "", name)
    bare = re.sub(r"(64)?(_nocancel|_cancel)?$", "", bare)
    return names.short(names.demangle(name) if name.startswith("_Z") else bare, _LONGEST_NAME)


def is_endless(pc, machine):
    """Whether the instructions at PC are a jump to themselves: what a compiler makes of a loop
    that tests what it has read before."""
    try:
        code = bytes(gdb.selected_inferior().read_memory(pc - 2, 8))
    except gdb.error:
        return False
    if machine == "i386:x86-64":
        return code[2:4] == b"\xeb\xfe" or code[2:6] == b"\xf3\x90\xeb\xfc" or \
            code[:4] == b"\xf3\x90\xeb\xfc"
    return machine.startswith("aarch64") and code[2:6] == b"\x00\x00\x00\x14"
