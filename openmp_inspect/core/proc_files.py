# SPDX-License-Identifier: MIT
"""What the kernel says of a process of this machine in /proc: by the ids of this machine's
namespace, also of a thread where a process is meant to be named by one. What cannot be had is
empty or None."""

from __future__ import annotations

import os
import sys
import time

from openmp_inspect.core import access, debug
from openmp_inspect.core.static_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Collection, Dict, FrozenSet, List, Optional, Set, Tuple

_DELETED = " (deleted)"  # behind the name of a file
# Fields of stat behind the name.
_STATE, _PARENT, _FLAGS, _USER, _SYSTEM, _STARTED = 0, 1, 6, 11, 12, 19
_PROCESSOR, _ARGUMENTS, _ENVIRONMENT_END = 36, 45, 48
_REMOTE, _SOCKET_STATE, _SOCKET = 2, 3, 9  # words of /proc/PID/net/tcp
_CONNECTED = b"01"
_MAPPED = bytes(10) + b"\xff\xff"  # before an address of IPv4 in IPv6
_TICKS = os.sysconf("SC_CLK_TCK")  # in a second
_FORKED = 0x40  # PF_FORKNOEXEC
_ENDED = b"Z", b"X"
_STOPPED = b"T", b"t"
_UNINTERRUPTIBLE, _ASLEEP = b"D", b"S"
_CLONES = (58, 56, 435), (220, 435)  # system calls that make a process, of x86-64 and of aarch64


def _of(process: int, thread: Optional[int], name: str) -> bytes:
    """What the file of this NAME says of a process, or of a THREAD of it; else OSError. The `stat` of a
    process adds up what all its threads have: of one with 4 096 that takes 0.6 ms, of a thread 20 us."""
    return access.current().text("/proc/%d/%s" % (process, name) if thread is None else
                                 "/proc/%d/task/%d/%s" % (process, thread, name))


def status(process: int, thread: Optional[int] = None) -> Dict[bytes, bytes]:
    """The lines of the status of a process, or of a THREAD of it, by name."""
    try:
        return {name: words.strip() for name, _, words in
                (line.partition(b":") for line in _of(process, thread, "status").splitlines())}
    except OSError:
        debug.ignored()
        return {}


def _fields(process: int, thread: Optional[int] = None) -> List[bytes]:
    try:
        return _of(process, thread, "stat").rpartition(b")")[2].split()
    except OSError:
        debug.ignored()
        return []


def has_ended(process: int, thread: Optional[int] = None) -> bool:
    """Whether it, or a THREAD of it, has, though its id may still be there, as that of a first thread
    is."""
    found = _fields(process, thread)
    return not found or found[_STATE] in _ENDED


def is_stopped(process: int) -> bool:
    """Whether somebody has stopped it, as with Ctrl-Z."""
    return _fields(process)[:1] in ([state] for state in _STOPPED)


def state(process: int) -> bytes:
    """The letter that the kernel has for what it does."""
    return b"".join(_fields(process)[:1])


def is_uninterruptible(process: int, thread: int) -> bool:
    """Whether a THREAD of a process sleeps so that no debugger can stop it."""
    return _fields(process, thread)[:1] == [_UNINTERRUPTIBLE]


def is_in_vfork(thread: int) -> bool:
    """Whether one that is_uninterruptible() waits for a child that has its memory to begin a program
    of its own."""
    found = _lines("/proc/%d/syscall" % thread)
    return bool(found and found[0]) and found[0][0] in [
        b"%d" % number for number in _CLONES[os.uname().machine == "aarch64"]]


def parent(process: int) -> int:
    """0 of one that has ended."""
    return _number(_fields(process), _PARENT) or 0


def is_forked(process: int) -> Optional[bool]:
    """Whether it was made by fork and has not called exec since."""
    flags = _number(_fields(process), _FLAGS)
    return None if flags is None else has_forked(flags)


def has_forked(flags: int) -> bool:
    """The same by the FLAGS that the kernel has of it."""
    return bool(flags & _FORKED)


def limit(process: int, name: bytes) -> Optional[int]:
    """The soft limit of that NAME, as in b"Max stack size", None without one."""
    try:
        return next(int(line[len(name):].split()[0])
                    for line in _of(process, None, "limits").splitlines() if line.startswith(name))
    except (OSError, ValueError, LookupError, StopIteration):
        debug.ignored()
        return None


def _number(fields: List[bytes], at: int) -> Optional[int]:
    try:
        return int(fields[at])
    except (ValueError, IndexError):
        debug.ignored()
        return None


def argument_area(process: int) -> Optional[range]:
    """The addresses at which it was given its arguments and environment."""
    fields = _fields(process)
    start, end = _number(fields, _ARGUMENTS), _number(fields, _ENVIRONMENT_END)
    return range(start, end) if start and end and end - start < 1 << 32 else None


def content(process: int, name: str) -> bytes:
    """That of a file in its directory, as far as is reasonable."""
    try:
        return _of(process, None, name)
    except OSError:
        debug.ignored()
        return b""


def caught_signals(process: int) -> int:
    """As interface.Process.caught_signals(); any, where the kernel does not say."""
    try:
        return int(status(process)[b"SigCgt"], 16)
    except (ValueError, LookupError):
        debug.ignored()
        return (1 << 64) - 1


def process_of(thread: int) -> Optional[int]:
    """The process that a THREAD belongs to, 0 if it has ended; None where the kernel does not say
    that."""
    try:
        words = dict(line.partition(b":")[::2]
                     for line in _of(thread, None, "status").splitlines())
        return 0 if words[b"State"].split()[0] in _ENDED else int(words[b"Tgid"])
    except FileNotFoundError:
        debug.ignored()
        return 0
    except (OSError, ValueError, LookupError):
        debug.ignored()
        return None


def own_ids(process: int, thread: Optional[int] = None) -> List[int]:
    """The ids of a process, or a THREAD of it, in the namespaces that it is in, that of /proc
    first."""
    try:
        return next(([int(word) for word in line.split()[1:]]
                     for line in _of(process, thread, "status").splitlines()
                     if line.startswith(b"NSpid:")), [])
    except (OSError, ValueError):
        debug.ignored()
        return []


def id_of_child(process: int, child: int) -> Optional[int]:
    """That by which a PROCESS knows a CHILD, which may be in a namespace of its own."""
    found, at = own_ids(child), len(own_ids(process)) - 1
    return found[at] if 0 <= at < len(found) else None


def process_known_as(number: int, process: int) -> Optional[int]:
    """As process_of(), of the thread that a PROCESS knows by this NUMBER, in another namespace
    maybe, for which one needs rights."""
    if len(own_ids(process)) <= 1:
        return process_of(number)
    try:
        namespace = access.current().link("/proc/%d/ns/pid" % process)
    except OSError:
        debug.ignored()
        return None
    found: Optional[int] = 0
    for other in map(int, filter(str.isdigit, access.current().names("/proc"))):
        if not any(own_ids(other, thread)[-1:] == [number] for thread in threads(other)):
            continue
        try:
            if access.current().link("/proc/%d/ns/pid" % other) == namespace:
                return process_of(other)
        except OSError:
            debug.ignored()
            found = None  # it may be this one, or has ended meanwhile
    return found


def threads(process: int) -> List[int]:
    """The ids of its threads; none of one that has ended."""
    try:
        return sorted(map(int, access.current().names("/proc/%d/task" % process)))
    except OSError:
        debug.ignored()
        return []


def program(process: int) -> Optional[str]:
    """The path of the file that it executes, which may have been deleted since."""
    try:
        path = access.current().link("/proc/%d/exe" % process)
    except OSError:
        debug.ignored()
        return None
    return path[:-len(_DELETED)] if path.endswith(_DELETED) else path


def directory(process: int) -> Optional[str]:
    """The one in which it is."""
    try:
        return access.current().link("/proc/%d/cwd" % process)
    except OSError:
        debug.ignored()
        return None


def run_time(process: int, thread: int) -> Optional[int]:
    """Nanoseconds that a thread has had a processor."""
    found = runs(process, thread)
    return None if found is None else found[0]


def runs(process: int, thread: int) -> Optional[Tuple[int, int, int]]:
    """The same, for how long it could run but had none, and how many times it was given one."""
    try:
        words = _of(process, thread, "schedstat").split()
        return int(words[0]), int(words[1]), int(words[2])
    except (OSError, ValueError, IndexError):
        debug.ignored()
        return None


def last_processor(process: int, thread: int) -> Optional[int]:
    """The number of that which a thread had last."""
    return _number(_fields(process, thread), _PROCESSOR)


def switches(process: int, thread: int) -> Optional[int]:
    """How often a thread has given up its processor, to sleep or to stop: one that is about to sleep,
    as it has just been let go, as if it slept."""
    words = status(process, thread)
    try:
        return int(words[b"voluntary_ctxt_switches"]) + (not words[b"State"].startswith(_ASLEEP))
    except (ValueError, LookupError):
        debug.ignored()
        return None


def started(process: int, thread: Optional[int] = None) -> Optional[int]:
    """When a process, or a THREAD of it, was started, which tells it from a later one of its id."""
    return _number(_fields(process, thread), _STARTED)


def age(process: int, thread: Optional[int] = None) -> Optional[float]:
    """Seconds since a process, or a THREAD of it, was started."""
    began = started(process, thread)
    return None if began is None else \
        max(time.clock_gettime(time.CLOCK_BOOTTIME) - began / _TICKS, 0.0)


def monotonic(process: int, now: float) -> Optional[float]:
    """What CLOCK_MONOTONIC is to a process when it is NOW here, in seconds."""
    own, its = _clock_offset("self"), _clock_offset(str(process))
    return None if own is None or its is None else now - own + its


def _clock_offset(process: str) -> Optional[float]:
    """Of its time namespace; 0 where the kernel has none."""
    try:
        found = [line.split()[1:] for line in
                 access.current().text("/proc/%s/timens_offsets" % process).splitlines()
                 if line.startswith(b"monotonic ")]
        return int(found[0][0]) + int(found[0][1]) / 1e9 if found else None
    except FileNotFoundError:
        debug.ignored()
        return 0.0
    except (OSError, ValueError, IndexError):
        debug.ignored()
        return None


def processor_time(process: int) -> Optional[float]:
    """Seconds that its threads have had a processor, also those that have ended."""
    found = _fields(process)
    user, system = _number(found, _USER), _number(found, _SYSTEM)
    return None if user is None or system is None else (user + system) / _TICKS


def allowed_processors(thread: int) -> Optional[FrozenSet[int]]:
    """On which a thread may run, 0 being this one, or None."""
    try:
        return frozenset(os.sched_getaffinity(thread))
    except (AttributeError, OSError, OverflowError):
        debug.ignored()
        return None


def children(process: int) -> List[int]:
    """The processes that it has made."""
    found: List[int] = []
    for thread in threads(process):
        try:
            found += map(int, _of(process, thread, "children").split())
        except (OSError, ValueError):
            debug.ignored()
    return found


def shares_memory(process: int) -> bool:
    """Whether its parent, or a process that it has made, has the same memory, by clone(); False where
    the kernel does not say."""
    return any(access.current().shares_memory(process, other)
               for other in [parent(process), *children(process)] if other)


def name(process: int) -> Optional[str]:
    """That of its program, in short, as the process may have set it."""
    found = status(process).get(b"Name")
    return None if found is None else found.decode("utf-8", "backslashreplace")


def opened_file(process: int, number: int) -> Optional[str]:
    """What a process has opened as the file of that NUMBER: a path, as the kernel has it."""
    try:
        return access.current().link("/proc/%d/fd/%d" % (process, number))
    except OSError:
        debug.ignored()
        return None


def peer(process: int, number: int) -> Optional[str]:
    """The address and port to which the socket that a process has opened by that NUMBER is connected by
    TCP."""
    inode = (opened_file(process, number) or "").partition("[")[2][:-1].encode()
    for name in "tcp", "tcp6":  # 0: 0100007F:1538 0100007F:D2F0 01 ... 0 96512, the inode
        for words in _lines("/proc/%d/net/%s" % (process, name)):
            if len(words) > _SOCKET and words[_SOCKET] == inode and words[_SOCKET_STATE] == _CONNECTED:
                return _address(words[_REMOTE])
    return None


def _address(word: bytes) -> Optional[str]:
    """That of IPv4, also as IPv6 has one, or of IPv6, with the port; words are in the machine's order."""
    try:
        host, port = (bytes.fromhex(part.decode()) for part in word.split(b":"))
    except ValueError:
        debug.ignored()
        return None
    host = b"".join(int.from_bytes(host[at:at + 4], sys.byteorder).to_bytes(4, "big")
                    for at in range(0, len(host), 4))
    host = host[len(_MAPPED):] if host.startswith(_MAPPED) else host
    return "%s:%d" % (".".join("%d" % byte for byte in host) if len(host) == 4 else "[%s]" % ":".join(
        host[at:at + 2].hex() for at in range(0, len(host), 2)), int.from_bytes(port, "big"))


def other_ends(process: int, number: int) -> List[int]:
    """As Access.other_ends()."""
    try:
        return access.current().other_ends(process, number)
    except OSError:
        debug.ignored()
        return []


def lockers(process: int, number: int, kinds: Collection[bytes]) -> Set[int]:
    """The processes that have locked the file which a process has opened by that NUMBER, with locks
    of these KINDS, as /proc/locks calls them; none where one of them is not known."""
    file = _file_id(process, number)
    found: Set[int] = set()
    if file is None:
        return found
    for words in _lines("/proc/locks"):  # 1: POSIX  ADVISORY  WRITE 3847 fe:00:11027458 0 EOF
        if len(words) == 8 and words[1] in kinds and words[5] == file:
            try:
                found.add(int(words[4]))
            except ValueError:
                debug.ignored()
                return set()
    return found if all(one > 0 for one in found) else set()


def _file_id(process: int, number: int) -> Optional[bytes]:
    """The file which a process has opened by that NUMBER, as /proc/locks calls it."""
    facts = {words[0]: words[1] for words in _lines("/proc/%d/fdinfo/%d" % (process, number))
             if len(words) == 2}
    mount, inode = facts.get(b"mnt_id:"), facts.get(b"ino:")
    device = next((words[2] for words in _lines("/proc/%d/mountinfo" % process)
                   if len(words) > 2 and words[0] == mount), None)
    try:
        if inode is None:
            return None
        if device is None:  # a mount outside of the process's root: that of its list is not there
            found = access.current().device("/proc/%d/fd/%d" % (process, number))
            major, minor = os.major(found), os.minor(found)
        else:
            major, minor = (int(word) for word in device.split(b":"))
        return b"%02x:%02x:%d" % (major, minor, int(inode))
    except (OSError, ValueError):
        debug.ignored()
        return None


def _lines(path: str) -> List[List[bytes]]:
    """The words of each line of a file of the kernel's."""
    try:
        return [line.split() for line in access.current().text(path).splitlines()]
    except OSError:
        debug.ignored()
        return []
