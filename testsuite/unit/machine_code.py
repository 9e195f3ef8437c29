#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Our decoder of instructions: by a table, and against objdump where that is installed."""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "../common"))
sys.path.insert(1, os.path.join(os.environ["stage"], "share/ompd/python"))
# pylint: disable=wrong-import-position
from openmp_inspect.code import machine_code, x86_code, x86_values  # noqa: E402
from openmp_inspect.host.interface import AARCH64, I386, X32, X86_64  # noqa: E402
from tap import Tap  # noqa: E402

AT = 0x1000

# (bytes of one instruction, with more behind if it is cut; flow; target), None: it is unknown.
X86 = [
    ("c3", "end", None), ("f3 c3", "end", None), ("c2 08 00", "end", None), ("f4", "end", None),
    ("0f 0b", "end", None), ("cc", "other", None), ("f3 0f 1e fa", "other", None),
    ("e8 fb ff ff ff", "call", AT), ("f2 e8 fa ff ff ff", "call", AT), ("eb fe", "jump", AT),
    ("e9 00 01 00 00", "jump", AT + 0x105), ("75 02", "branch", AT + 4), ("e2 fe", "branch", AT),
    ("0f 85 00 00 00 00", "branch", AT + 6), ("ff d0", "call", None), ("ff e0", "jump", None),
    ("3e ff e0", "jump", None), ("ff 15 00 00 00 00", "call", None), ("ff 30", "other", None),
    ("8d 44 24 08", "other", None), ("83 c0 01", "other", None), ("66 b8 01 00", "other", None),
    ("f7 c0 01 00 00 00", "other", None), ("f7 d0", "other", None), ("f6 40 01 02", "other", None),
    ("c8 10 00 00", "other", None), ("69 c0 01 00 00 00", "other", None),
    ("0f ba e0 01", "other", None), ("0f 38 00 c0", "other", None),
    ("0f 3a 0f c0 01", "other", None), ("c5 f8 77", "other", None),
    ("c5 f9 70 c0 1b", "other", None), ("c4 e2 7d 18 c0", "other", None),
    ("c4 e3 7d 19 c0 01", "other", None), ("62 f1 7c 48 28 c0", "other", None),
    ("62 f3 7d 48 19 c0 01", "other", None), ("0f 04", None, None), ("0f 24 c0", None, None),
]
ONLY_64 = [
    ("48 b8 01 02 03 04 05 06 07 08", "other", None), ("48 c7 c0 01 00 00 00", "other", None),
    ("66 66 48 e8 f8 ff ff ff", "call", AT), ("67 e8 fa ff ff ff", "call", AT),
    ("66 e9 00 00 00 00", None, None), ("06", None, None), ("d5 00 90", None, None),
    ("41 ff d4", "call", None), ("a1 01 02 03 04 05 06 07 08", "other", None),
    ("8f e9 78 e1 c0", None, None), ("66 " * 15 + "90", None, None),
]
ONLY_32 = [
    ("41", "other", None), ("06", "other", None), ("62 00", "other", None), ("c5 00", "other", None),
    ("c4 44 24 08", "other", None), ("67 8b 46 08", "other", None), ("a1 01 02 03 04", "other", None),
    ("67 8b 06 00 10", "other", None), ("9a 01 02 03 04 05 06", "call", None),
    ("66 e9 00 00", "jump", AT + 4), ("e8 fb ef ff ff", "call", 0), ("e8 fa ef ff ff", "call", -1),
]
ARM = [
    (0x14000000, "jump", AT), (0x17FFFFFF, "jump", AT - 4), (0x94000001, "call", AT + 4),
    (0x54000041, "branch", AT + 8), (0xB4FFFFE0, "branch", AT - 4), (0x37000020, "branch", AT + 4),
    (0xD61F0200, "jump", None), (0xD63F0200, "call", None), (0xD65F03C0, "end", None),
    (0xD65F0BFF, "end", None), (0xD71F0A11, "jump", None), (0xD73F0A11, "call", None),
    (0xD4200000, "end", None), (0x00000000, "end", None), (0xD503201F, "other", None),
    (0x74000000, None, None),
]


def by_table(tap, machine, cases):
    for code, flow, target in cases:
        given = bytes.fromhex(code)
        mask = (1 << (32 if machine == I386 else 64)) - 1
        wanted = None if flow is None else \
            (len(given), flow, None if target is None else target & mask)
        found = machine_code.decoded(machine, b"\xff" + given + bytes(16), 1, AT)
        faults = [] if found == wanted else ["%r, not %r" % (found, wanted)]
        if wanted is not None:
            faults += ["%d bytes are enough" % size for size in range(len(given)) if
                       machine_code.decoded(machine, given[:size], 0, AT) is not None]
        tap.case(faults, "%s: %s" % (machine, code))


# Of objdump: an instruction; an operand in memory; one that is an address alone; what is in memory
# without ModRM.
ROW = re.compile(r" *([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t(?!.*\(bad\)|\.byte|rex)([^#<\n]*)")
OPERAND = re.compile(r"(-?0x[0-9a-f]+)?\((%\w+)?(?:,(%\w+),(\d))?\)")
ADDRESS = re.compile(r"(?:^|[ ,:*])(0x[0-9a-f]+)(?:,|\s*$)")
IMPLICIT = re.compile(r"%es:\(%rdi\)|%ds:\(%r(si|di|bx)\)|\(%dx\)|\bmovabs|"
                      r"\b(movs|cmps|lods|stos|scas|ins|outs)[bwlq]? ")
VECTOR = re.compile(r"(?:[23]e )?(62|c4|c5) ")
NUMBERS = {None: None, "%rip": x86_code.RIP, "%riz": None, "%eiz": None, "%eip": x86_code.RIP,
           **{"%" + name: number for number, name in enumerate(x86_values.NAMES)},
           **{"%e" + name[1:]: number for number, name in enumerate(x86_values.NAMES[:8])},
           **{"%%r%dd" % number: number for number in range(8, 16)}}


def operand(words):
    """The Memory in the words of an instruction as objdump has it, or None."""
    if IMPLICIT.search(words):
        return None
    found = OPERAND.search(words)
    if found:
        distance, base, scaled, scale = found.groups()
        number = NUMBERS[scaled]
        return x86_code.Memory(NUMBERS[base], number, 1 if number is None else int(scale),
                               int(distance or "0", 16) & 0xFFFFFFFF)
    found = ADDRESS.search(words)
    return found and x86_code.Memory(None, None, 1, int(found.group(1), 16) & 0xFFFFFFFF)


def against_objdump(tap, path):
    """Lengths and operands in memory, of a file for x86-64."""
    text = subprocess.run(["objdump", "-dzw", path], capture_output=True, text=True, check=True,
                          errors="replace").stdout
    count = unknown = operands = 0
    faults = []
    for line in text.splitlines():
        row = ROW.match(line)
        if not row or row.group(2).startswith("9b d"):  # fwait, and what it waits for
            continue
        code = bytes.fromhex(row.group(2))
        found = x86_code.read(code, 0, True)
        count += 1
        if found is None:
            # Nor where more follows: it is longer than it is.
            unknown += 1
            if x86_code.read(code + bytes(16), 0, True) is not None:
                faults.append(line + ": too long")
        elif found.length != len(code):
            faults.append("%s: %d bytes" % (line, found.length))
        elif not VECTOR.match(row.group(2)):
            wanted = operand(row.group(3).strip())
            got = found.memory and found.memory._replace(
                displacement=found.memory.displacement & 0xFFFFFFFF)
            operands += wanted is not None
            if got != wanted:
                faults.append("%s: %r, not %r" % (line, got, wanted))
    tap.case(faults[:10] or ["%d are not known" % unknown] * (unknown > count / 1000),
             "%d instructions of %s, %d operands in memory; %d instructions are not known" % (
                 count, os.path.basename(path), operands, unknown))


def files(directory):
    """Files with code, or None where one is not here: a program, and libraries."""
    program = os.path.join(directory, "program")
    subprocess.run([*os.environ.get("CC", "gcc").split(), "-O2", "-fopenmp", "-o", program,
                    os.path.join(HERE, "../why/locks.c")], check=True)
    needed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    libraries = dict(re.findall(r"(\S+)\.so\.\d+ => (\S+)", needed))
    return {"a program": program, "libgomp": libraries.get("libgomp"), "libc": libraries.get("libc"),
            "libomp": next(iter(glob.glob("/usr/lib/llvm-*/lib/libomp.so.5")), None)}


def main():
    tap = Tap()
    for machine in (X86_64, X32):
        by_table(tap, machine, X86 + ONLY_64)
    by_table(tap, I386, X86 + ONLY_32)
    by_table(tap, AARCH64, [(word.to_bytes(4, "little").hex(), flow, target)
                            for word, flow, target in ARM])
    tap.equal(machine_code.decoded("other", b"\x90", 0, AT), None, "another machine")
    if os.uname().machine != "x86_64" or sys.maxsize < 1 << 32 or not shutil.which("objdump"):
        tap.skip("instructions of real files", "not x86-64, or no objdump")
        tap.end()
    with tempfile.TemporaryDirectory() as directory:
        for name, path in files(directory).items():
            if path:
                against_objdump(tap, path)
            else:
                tap.skip("instructions of " + name, "it is not here")
    tap.end()


main()
