#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Our decoder of instructions: by a table, and against objdump where that is installed."""

import os
import re
import shutil
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
sys.path.insert(1, os.path.join(os.environ["stage"], "share/ompd/python"))
# pylint: disable=wrong-import-position
from openmp_inspect.code import machine_code  # noqa: E402
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


def against_objdump(tap, path):
    """Lengths, of a file for x86-64."""
    if not shutil.which("objdump") or not path:
        tap.skip("lengths of instructions", "no objdump, or no file")
        return
    text = subprocess.run(["objdump", "-dzw", path], capture_output=True, text=True, check=True,
                          errors="replace").stdout
    count, faults = 0, []
    for line in text.splitlines():
        row = re.match(r" *([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t(?!.*\(bad\)|\.byte|rex)(.*)", line)
        if not row or row.group(2).startswith("9b d"):  # fwait, and what it waits for
            continue
        code = bytes.fromhex(row.group(2))
        found = machine_code.decoded(X86_64, code, 0, int(row.group(1), 16))
        if found is None or found.length != len(code):
            faults.append("%s: %r" % (line, found))
        count += 1
    tap.case(faults[:10], "lengths of %d instructions of %s" % (count, os.path.basename(path)))


def library(name):
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        return next((line.split()[-1] for line in maps if "/" + name in line), "")


def main():
    tap = Tap()
    for machine in (X86_64, X32):
        by_table(tap, machine, X86 + ONLY_64)
    by_table(tap, I386, X86 + ONLY_32)
    by_table(tap, AARCH64, [(word.to_bytes(4, "little").hex(), flow, target)
                            for word, flow, target in ARM])
    tap.equal(machine_code.decoded("other", b"\x90", 0, AT), None, "another machine")
    if os.uname().machine == "x86_64" and sys.maxsize > 1 << 32:
        against_objdump(tap, library("libc"))
    tap.end()


main()
