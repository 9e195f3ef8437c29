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
from openmp_inspect.code import aarch64_values, machine_code, x86_code, x86_values  # noqa: E402
from openmp_inspect.code.expressions import Expression  # noqa: E402
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
# Of aarch64, at AT: a word, its text, what it leaves in a register, how it compares if it does, and what;
# "?" is not followed, :4 the low four bytes, :s4 these with their sign.
VALUES = [
    (0x10000040, "adr x0, 8", "x0 = 0x1008"), (0x90000040, "adrp x0, 32768", "x0 = 0x9000"),
    (0x910043E0, "add x0, sp, 16", "x0 = (sp + 0x10)"),
    (0x914043E0, "add x0, sp, 16, lsl 12", "x0 = (sp + 0x10000)"),
    (0xD10043FF, "sub sp, sp, 16", "sp = (sp - 0x10)"), (0x11000420, "add w0, w1, 1", "x0 = (x1 + 0x1):4"),
    (0x8B020C20, "add x0, x1, x2, lsl 3", "x0 = (x1 + (x2 * 0x8))"),
    (0xCB020020, "sub x0, x1, x2", "x0 = (x1 + (x2 * -0x1))"),
    (0x8B420C20, "add x0, x1, x2, lsr 3", "x0 = (x1 + ?)"),
    (0x8B22CC20, "add x0, x1, w2, sxtw 3", "x0 = (x1 + (x2:s4 * 0x8))"),
    (0x8B220020, "add x0, x1, w2, uxtb", "x0 = (x1 + x2:1)"),
    (0x2B22A020, "adds w0, w1, w2, sxth", "x0 = (x1 + x2:s2):4"),
    (0xCB0203E0, "neg x0, x2", "x0 = (0x0 + (x2 * -0x1))"),
    (0x7100041F, "cmp w0, 1", "nothing; x0, 0x1 in 4"),
    (0xEB22643F, "cmp x1, x2, uxtx 1", "nothing; x1, (x2 * 0x2) in 8"),
    (0x31000C1F, "cmn w0, 3", "nothing; x0, -0x3 in 4"), (0x3100001F, "cmn w0, 0", "nothing"),
    (0x2B01001F, "cmn w0, w1", "nothing"), (0x6B01001F, "cmp w0, w1", "nothing; x0, x1 in 4"),
    (0x71001D08, "subs w8, w8, 7", "x8 = (x8 - 0x7):4; x8, 0x7 in 4"),
    (0x721C0C1F, "tst w0, 0xf0", "nothing"), (0x92401C20, "and x0, x1, 0xff", "x0 = x1:1"),
    (0x121E0020, "and w0, w1, 4", "x0 = (x1 & 0x4):4"),
    (0x927CEC3F, "and sp, x1, 0xfffffffffffffff0", "sp = (x1 & 0xfffffffffffffff0)"),
    (0xB201F3E0, "orr x0, xzr, 0xaaaaaaaaaaaaaaaa", "x0 = 0xaaaaaaaaaaaaaaaa"),
    (0x32000020, "orr w0, w1, 1", "x0 = ?"), (0x52000020, "eor w0, w1, 1", "x0 = (x1 ^ 0x1):4"),
    (0x8A020020, "and x0, x1, x2", "x0 = (x1 & x2)"), (0xAA0203E0, "mov x0, x2", "x0 = x2"),
    (0x2A0203E0, "mov w0, w2", "x0 = x2:4"), (0x2A1F03E0, "mov w0, wzr", "x0 = 0x0"),
    (0xAA2203E0, "mvn x0, x2", "x0 = ?"), (0xD2A00040, "movz x0, 2, lsl 16", "x0 = 0x20000"),
    (0x92800000, "mov x0, -1", "x0 = 0xffffffffffffffff"), (0x12800000, "mov w0, -1", "x0 = 0xffffffff"),
    (0xF2A00040, "movk x0, 2, lsl 16", "x0 = ((x0 & 0xffffffff0000ffff) + 0x20000)"),
    (0xD37DF020, "lsl x0, x1, 3", "x0 = ((x1 & 0x1fffffffffffffff) * 0x8)"),
    (0xD343FC20, "lsr x0, x1, 3", "x0 = ?"), (0x93407C20, "sxtw x0, w1", "x0 = x1:s4"),
    (0x13003C20, "sxth w0, w1", "x0 = x1:s2:4"), (0x53001C20, "uxtb w0, w1", "x0 = x1:1:4"),
    (0x937D7C20, "sbfiz x0, x1, 3, 32", "x0 = (x1:s4 * 0x8)"), (0xB3400420, "bfxil x0, x1, 0, 2", "x0 = ?"),
    (0x93C20420, "extr x0, x1, x2, 1", None), (0x9B020C20, "madd x0, x1, x2, x3", "x0 = (x3 + (x1 * x2))"),
    (0x1B028C20, "msub w0, w1, w2, w3", "x0 = (x3 + ((x1 * x2) * -0x1)):4"),
    (0x9B227C20, "smull x0, w1, w2", "x0 = (x1:s4 * x2:s4)"),
    (0x9BA27C20, "umull x0, w1, w2", "x0 = (x1:4 * x2:4)"), (0x9AC20820, "udiv x0, x1, x2", "x0 = ?"),
    (0x9A820020, "csel x0, x1, x2, eq", "x0 = ?"), (0x1A9F17E0, "cset w0, eq", "x0 = ?"),
    (0x9A020020, "adc x0, x1, x2", "x0 = ?"), (0x7A410800, "ccmp w0, 1, 0, eq", "nothing"),
    (0xF9400420, "ldr x0, [x1, 8]", "x0 = 8 at (x1 + 0x8)"), (0xB9400020, "ldr w0, [x1]", "x0 = 4 at x1"),
    (0x39400420, "ldrb w0, [x1, 1]", "x0 = 1 at (x1 + 0x1)"),
    (0x39C00020, "ldrsb w0, [x1]", "x0 = 1 at x1:s1:4"), (0x79800020, "ldrsh x0, [x1]", "x0 = 2 at x1:s2"),
    (0xB9800020, "ldrsw x0, [x1]", "x0 = 4 at x1:s4"),
    (0xB8627820, "ldr w0, [x1, x2, lsl 2]", "x0 = 4 at (x1 + (x2 * 0x4))"),
    (0xB862C820, "ldr w0, [x1, w2, sxtw]", "x0 = 4 at (x1 + x2:s4)"),
    (0xB85FC3A0, "ldur w0, [x29, -4]", "x0 = 4 at (x29 - 0x4)"),
    (0x58000040, "ldr x0, 8", "x0 = 8 at 0x1008"), (0x98000040, "ldrsw x0, 8", "x0 = 4 at 0x1008:s4"),
    (0x88DFFC20, "ldar w0, [x1]", "x0 = 4 at x1"), (0xC85FFC20, "ldaxr x0, [x1]", "x0 = 8 at x1"),
    (0xF8408420, "ldr x0, [x1], 8", None), (0xF8408C20, "ldr x0, [x1, 8]!", None),
    (0xA9400420, "ldp x0, x1, [x1]", None), (0xFD400020, "ldr d0, [x1]", None),
    (0xF9000020, "str x0, [x1]", "nothing"), (0xB81FC3A0, "stur w0, [x29, -4]", "nothing"),
    (0xA9010420, "stp x0, x1, [x1, 16]", "nothing"),
    (0xA9BE7BFD, "stp x29, x30, [sp, -32]!", "sp = (sp - 0x20)"),
    (0xF81E0FFE, "str x30, [sp, -32]!", "sp = (sp - 0x20)"), (0xF8008C20, "str x0, [x1, 8]!", None),
    (0x889FFC20, "stlr w0, [x1]", "nothing"), (0x88007C41, "stxr w0, w1, [x2]", None),
    (0xB8E10040, "ldaddal w1, w0, [x2]", None), (0xF9800020, "prfm pldl1keep, [x1]", "nothing"),
    (0xD503201F, "nop", "nothing"), (0xD503203F, "yield", "nothing"), (0xD503233F, "paciasp", "x30 = ?"),
    (0xD503211F, "pacia1716", "x17 = ?"), (0xD5033BBF, "dmb ish", "nothing"), (0xD5033FDF, "isb", "nothing"),
    (0xD53BD040, "mrs x0, TPIDR_EL0", None), (0x34000040, "cbz w0, 8", "=; x0, 0x0 in 4"),
    (0xB5000040, "cbnz x0, 8", "!=; x0, 0x0 in 8"), (0x36180040, "tbz w0, 3, 8", "=; (x0 & 0x8), 0x0 in 4"),
    (0xB7080040, "tbnz x0, 33, 8", "!=; (x0 & 0x200000000), 0x0 in 8"), (0x54000040, "b.eq 8", "="),
    (0x54000048, "b.hi 8", ">u"), (0x5400004B, "b.lt 8", "<"), (0xD65F03C0, "ret", None),
]
UNDEFINED = 0x53003820, 0x53407C20, 0x53208000, 0x12C00000, 0x927FFC20, 0x12400020, 0x0B028020, 0xB8E10C40


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


def said(value):
    """A value in the words of VALUES."""
    if not isinstance(value, Expression):
        return "%#x" % value
    if value.kind == "register":
        return (*aarch64_values.NAMES, "?")[min(value.first, 32)]
    one, other = said(value.first), said(value.second)
    sizes = {0xFF: 1, 0xFFFF: 2, 0xFFFFFFFF: 4}
    if value.kind == "load":
        return "%d at %s" % (value.second, one)
    if value.kind == "signed":
        return "%s:s%d" % (one, value.second)
    if value.kind == "and" and value.second in sizes:
        return "%s:%d" % (one, sizes[value.second])
    sign = {"sum": "+", "product": "*", "and": "&", "xor": "^"}[value.kind]
    if sign == "+" and other[0] == "-":
        sign, other = "-", other[1:]
    return "(%s %s %s)" % (one, sign, other)


def of_aarch64(tap):
    """What its instructions leave and compare, by a table, whose text is held against LLVM's assembler."""
    for word, text, wanted in VALUES:
        code, end = word.to_bytes(4, "little"), AT + 4
        done, compared = aarch64_values.effect(code, end), aarch64_values.comparison(code, end)
        relation = aarch64_values.condition(code)
        found = [] if done is None else ["nothing"] if done.register is None else \
            ["%s = %s" % (aarch64_values.NAMES[done.register], said(done.value))]
        found += [relation] if relation else []
        found += ["%s, %s in %d" % (*map(said, compared[:2]), compared.size)] if compared else []
        tap.equal("; ".join(found) or None, wanted, "aarch64: " + text)
    for word in UNDEFINED:
        for ask in (aarch64_values.effect, aarch64_values.comparison, aarch64_values.read_from):
            ask(word.to_bytes(4, "little"), AT)
    cut = b"\x20\0\x40"
    tap.equal((aarch64_values.effect(cut, AT), aarch64_values.size_read(cut)), (None, 0), "aarch64: cut")
    if not shutil.which("llvm-mc"):
        tap.skip("the text of these", "llvm-mc is not installed")
        return
    done = subprocess.run(["llvm-mc", "--triple=aarch64", "--mattr=+v8.5a", "--show-encoding"], text=True,
                          check=True, input="\n".join(text for _, text, _ in VALUES), stdout=subprocess.PIPE)
    made = [bytes(int(one, 16) for one in found.split(","))
            for found in re.findall(r"encoding: \[(.*)\]", done.stdout)]
    tap.equal(made, [word.to_bytes(4, "little") for word, _, _ in VALUES], "the text of these")


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
    of_aarch64(tap)
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
