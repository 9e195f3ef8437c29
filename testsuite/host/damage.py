# SPDX-License-Identifier: MIT
"""Cores cut anywhere and damaged anywhere, each handed to the host."""

import os
import shutil
import struct

from hosttest import host

PT_LOAD, PT_NOTE, PF_W = 1, 4, 2
SMALL = 1 << 20


def options(abi, library):
    """LIBRARY gives the path for a version, where the target names none."""
    return ["--abi", abi] + (["--lib", library[abi]] if library else [])


def bad_end(status, _, messages, may_answer):
    """What is wrong with how the host ended, or None."""
    if "Sanitizer" in messages:
        return messages
    if status == 0 and may_answer:
        return None
    if status != 1:
        return "status %d: %s" % (status, messages.strip())
    if not messages.startswith("ompd-host: "):
        return "status 1 without a reason: %r" % messages
    return None


def cut(tap, core, directory, kind, library=None):
    """The core cut at every percent and within its headers, from the longest down."""
    short = os.path.join(directory, "short")
    shutil.copy(core, short)
    size = os.path.getsize(core)
    sizes = [size - 1] + [size * percent // 100 for percent in range(99, 0, -1)]
    faults = []
    for length in sizes + [1000, 120, 100, 64, 63, 16, 15, 4, 1, 0]:
        os.truncate(short, length)
        for abi in (2, 5):
            fault = bad_end(*host(*options(abi, library), short), may_answer=False)
            if fault:
                faults.append("%d bytes, version %d: %s" % (length, abi, fault))
    tap.case(faults, "a %score cut at every percent of its %d bytes and in its headers" %
             (kind, size))


def segments(core):
    """(type, flags, offset, size) of each program header of a core."""
    with open(core, "rb") as file:
        data = file.read(1 << 20)
    is_64 = data[4] == 2
    phoff, = struct.unpack_from("<Q" if is_64 else "<I", data, 32 if is_64 else 28)
    size, count = struct.unpack_from("<HH", data, 54 if is_64 else 42)
    for i in range(count):
        fields = struct.unpack_from("<IIQQQQ" if is_64 else "<IIIIIII", data,
                                    phoff + i * size)
        if is_64:
            yield fields[0], fields[1], fields[2], fields[5]
        else:
            yield fields[0], fields[6], fields[1], fields[4]


def headers_of(core):
    return [(0, notes_of(core)[0][0])]


def notes_of(core):
    """Offset and size of the note segment, in a list for damaged()."""
    for kind, _, offset, size in segments(core):
        if kind == PT_NOTE:
            return [(offset, size)]
    raise RuntimeError("the core has no notes")


def data_of(core):
    """The writable memory but for the stacks of threads, which are large: what the
    runtime and the libraries keep."""
    return [(offset, size) for kind, flags, offset, size in segments(core)
            if kind == PT_LOAD and flags & PF_W and 0 < size <= SMALL]


def damaged(tap, core, directory, text, parts, rounds, generator, library=None):
    """Random bytes at random places of parts of the core, each an offset and a size."""
    path = os.path.join(directory, "damaged")
    shutil.copy(core, path)
    faults = []
    with open(path, "r+b", buffering=0) as file:
        for i in range(rounds):
            healthy = []
            for _ in range(generator.choice((1, 3, 20))):
                first, size = generator.choice(parts)
                at = generator.randrange(first, first + size)
                healthy.append((at, os.pread(file.fileno(), 1, at)))
                byte = generator.choice((0, 1, 0x7f, 0x80, 0xff, generator.randrange(256)))
                os.pwrite(file.fileno(), bytes((byte,)), at)
            fault = bad_end(*host(*options(2 + i % 2 * 3, library), path), may_answer=True)
            if fault:
                faults.append("round %d, bytes %s: %s" %
                              (i, [at for at, _ in healthy], fault))
            for at, byte in reversed(healthy):
                os.pwrite(file.fileno(), byte, at)
    tap.case(faults, "%d cores with damaged %s" % (rounds, text))
