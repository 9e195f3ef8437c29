# SPDX-License-Identifier: MIT
"""What fakecode.py has of x86-64, of aarch64: rows of its instructions as words."""

import types

from openmp_inspect.host import interface
import fakecode


def _code(words):
    return b"".join(int(word, 16).to_bytes(4, "little") for word in words.split())


# Instructions, and what x0 is behind them; an @ stands before the index of the one to which a branch leads.
_ARGUMENTS = (
    ("ldursw x1, [x29, -4]; adrp x2, 0x2000; add x2, x2, 8; add x0, x2, x1, lsl 3",
     "b89fc3a1 b0000002 91002042 8b010c40", 0x1ff8),
    ("ldur w0, [x29, -4]; sxtw x0, w0; add x0, x19, x0, lsl 2", "b85fc3a0 93407c00 8b000a60", 0xf8),
    ("add x0, x19, w21, sxtw 3", "8b35ce60", 0x118),
    ("mov w1, 24; mul x0, x21, x1; sub x0, x0, 16", "52800301 9b017ea0 d1004000", 56),
    ("madd x0, x21, x21, x19", "9b154ea0", 0x109),
    ("ubfiz x0, x21, 4, 8", "d37c1ea0", 48),
    ("and x0, x29, 0xfffffffffffff0ff", "9274efa0", 0x7000),
    ("ldr x0, [sp, 16]", "f9400be0", 0x5000),
    ("ldr x0, [x20]; add x0, x0, 8", "f9400280 91002000", 0x6008),
    ("adrp x0, 0x7000; ldr x0, [x0, 8]", "d0000020 f9400400", 0x40),
    ("mov x0, 0x10; movk x0, 0x48, lsl 16", "d2800200 f2a00900", 0x480010),
    ("mov w0, -8", "128000e0", 0xfffffff8),
    ("mov x19, x0; cmp x1, 3; nop: a copy", "aa0003f3 f1000c3f d503201f", 0x100),
    ("mov x0, x19; yield; str x1, [sp, 8]", "aa1303e0 d503203f f90007e1", 0x100),
    ("stp x29, x30, [sp, -32]!; mov x29, sp; add x0, x29, 16", "a9be7bfd 910003fd 910043a0", 0x7010),
    ("mov x1, x21; add x19, x19, 8; add x0, x19, x1: as the call finds it",
     "aa1503e1 91002273 8b010260", 0x103),
    ("mov x0, x19; add x19, x19, 8: what it was", "aa1303e0 91002273", None),
    ("mov w19, w0: half of it", "2a0003f3", None),
    ("mov x19, x0; mov x19, x1: another one", "aa0003f3 aa0103f3", None),
    ("csel x19, x1, x2, eq; csel x0, x1, x2, ne: neither is known", "9a820033 9a821020", None),
    ("ldp x0, x1, [x19]", "a9400660", None),
    ("ldr x0, [x19], 8", "f8408660", None),
    ("ldaddal w1, w0, [x19]", "b8e10260", None),
    ("mov x0, x19; add x0, x0, x0, six times",
     "aa1303e0 8b000000 8b000000 8b000000 8b000000 8b000000 8b000000", None),
)

_LOOPS = (
    ("ldr w0, [x19]; cbz w0, @0", "b9400260 34ffffe0", 4, [0x100]),
    ("ldr w0, [x19]; cmp w0, 0; b.eq @0", "b9400260 7100001f 54ffffc0", 0, [0x100]),
    ("adrp x0, 0x6000; add x0, x0, 8; ldursw x1, [x29, -4]; ldr w0, [x0, x1, lsl 2]; cmp w0, 6; b.le @0",
     "b0000020 91002000 b89fc3a1 b8617800 7100181f 54ffff6d", 4, [0x6000]),
    ("yield; ldarb w0, [x20]; tbz w0, 0, @0", "d503203f 08dffe80 3607ffc0", 0, [0x200]),
    ("ldr w0, [x20, 64]; isb; dmb ish; cbnz w0, @0", "b9404280 d5033fdf d5033bbf 35ffffa0", 4, [0x240]),
    ("ldr x0, [x20]; ldr w0, [x0]; cbz w0, @0", "f9400280 b9400000 34ffffc0", 0, [0x200, 0x6000]),
    ("ldr w0, [x19]; cbnz w0, @3; b @0; ret", "b9400260 35000040 17fffffe d65f03c0", 0, [0x100]),
    ("ldr x19, [x19]; cbnz x19, @0: it goes on", "f9400273 b5fffff3", 0, []),
    ("bl other; ldr w0, [x19]; cbz w0, @0: it calls", "94000040 b9400260 34ffffc0", 4, []),
    ("ldr w0, [x19]; ldp x1, x2, [x20]; cbz w0, @0: not followed", "b9400260 a9400a81 34ffffc0", 0, []),
    ("ldur w0, [x29, -4]; cbz w0, @0: its own", "b85fc3a0 34ffffe0", 0, []),
    ("ldr w0, [x19]; add w1, w1, 1; cbz w0, @0: it counts", "b9400260 11000421 34ffffc0", 0, [0x100]),
    ("ldr w0, [x19]; str w0, [x20]; cbz w0, @0: it writes, and counts",
     "b9400260 b9000280 34ffffc0", 0, [0x100]),
    ("ldxr w0, [x19]; stxr w1, w2, [x19]; cbnz w1, @0: it may write", "885f7e60 88017e62 35ffffc1", 0, []),
    ("swpa w1, w0, [x19]; cbnz w0, @0: it writes", "b8a18260 35ffffe0", 0, []),
    ("ldr w0, [x19]; ret: no loop", "b9400260 d65f03c0", 0, []),
    ("ret; nop; ldr w0, [x19]; cbnz w0, @0; nop; ldr w1, [x20]; cbz w1, @2: padding",
     "d65f03c0 d503201f b9400260 35ffffa0 d503201f b9400281 34ffff81", 8, [0x100, 0x200]),
)

# (x19) has 5, (x20) 9, w21 3.
_WANTED = (
    ("ldr w0, [x19]; cbz w0, @0: it has that", "b9400260 34ffffe0", None),
    ("ldr w0, [x19]; cbnz w0, @0", "b9400260 35ffffe0", (0x100, 5, "=", 0)),
    ("ldr w0, [x19]; cmp w0, 7; b.ne @0", "b9400260 71001c1f 54ffffc1", (0x100, 5, "=", 7)),
    ("ldr w0, [x19]; subs w0, w0, 7; b.ne @0", "b9400260 71001c00 54ffffc1", (0x100, 5, "=", 7)),
    ("ldr w0, [x19]; cmp w0, w21; b.gt @0", "b9400260 6b15001f 54ffffcc", (0x100, 5, "<=", 3)),
    ("ldr w0, [x19]; cmp w21, w0; b.lt @0", "b9400260 6b0002bf 54ffffcb", (0x100, 5, "<=", 3)),
    ("ldr w0, [x19]; cmp w0, w21, uxtb; b.gt @0", "b9400260 6b35001f 54ffffcc", (0x100, 5, "<=", 3)),
    ("ldrb w0, [x19]; and w0, w0, 0xff; cmp w0, 7; b.ne @0",
     "39400260 12001c00 71001c1f 54ffffa1", (0x100, 5, "=", 7)),
    ("ldrsh w0, [x20]; cmn w0, 3; b.ne @0", "79c00280 31000c1f 54ffffc1", (0x200, 9, "=", -3)),
    ("ldrh w0, [x20]; sxth w0, w0; cmn w0, 3; b.ne @0",
     "79400280 13003c00 31000c1f 54ffffa1", (0x200, 9, "=", -3)),
    ("ldr x0, [x20]; cmn x0, 1; b.ne @0", "f9400280 b100041f 54ffffc1", (0x200, 9, "=", -1)),
    ("ldr x0, [x20]; adds x0, x0, 1; b.ne @0", "f9400280 b1000400 54ffffc1", (0x200, 9, "=", -1)),
    ("ldr w0, [x19]; cmp w0, 4; b.hi @0", "b9400260 7100101f 54ffffc8", (0x100, 5, "<=", 4)),
    ("ldr w0, [x19]; cmp w0, 9; b.cc @0", "b9400260 7100241f 54ffffc3", (0x100, 5, ">=", 9)),
    ("ldar w0, [x19]; cmp w0, 9; b.gt @4; b @0", "88dffe60 7100241f 5400004c 17fffffd", (0x100, 5, ">=", 10)),
    ("ldr w0, [x19]; cmp w0, 9; mov w1, 3; b.lt @0",
     "b9400260 7100241f 52800061 54ffffab", (0x100, 5, ">=", 9)),
    ("ldr x0, [x20]; mov x1, 1; movk x1, 2, lsl 48; cmp x0, x1; b.ne @0",
     "f9400280 d2800021 f2e00041 eb01001f 54ffff81", (0x200, 9, "=", 0x2000000000001)),
    ("ldr w0, [x19]; cmp w0, 9; cset w0, lt; cbnz w0, @0", "b9400260 7100241f 1a9fa7e0 35ffffa0",
     (0x100, 5, ">=", 9)),
    ("ldr w0, [x19]; cmp w0, 7; cset w0, eq; eor w0, w0, 1; and w0, w0, 0xff; tbnz w0, 0, @0",
     "b9400260 71001c1f 1a9f17e0 52000000 12001c00 3707ff60", (0x100, 5, "=", 7)),
    ("ldr w0, [x19]; cmp w0, 5; b.ne @0: it has that", "b9400260 7100141f 54ffffc1", None),
    ("ldr w0, [x19]; tbz w0, 1, @0", "b9400260 360fffe0", None),
    ("ldr w0, [x19]; and w0, w0, 0xf0; cbz w0, @0", "b9400260 121c0c00 34ffffc0", None),
    ("ldr w0, [x19]; eor w0, w0, 1; cbz w0, @0", "b9400260 52000000 34ffffc0", None),
    ("ldr w0, [x19]; tst w0, 0xf0; b.eq @0", "b9400260 721c0c1f 54ffffc0", None),
    ("ldr w0, [x19]; cmp w0, 0; b.mi @0", "b9400260 7100001f 54ffffc4", None),
    ("ldr w0, [x19]; cmn w0, w21; b.ne @0", "b9400260 2b15001f 54ffffc1", None),
    ("ldr w0, [x19]; ldr w1, [x20]; cmp w0, w1, lsr 1; b.ne @0", "b9400260 b9400281 6b41041f 54ffffa1", None),
    ("ldr w0, [x19]; cbnz w0, @0; cbz w1, @0", "b9400260 35ffffe0 34ffffc1", None),
    ("ldr w0, [x19]; adds w1, w1, 1; b.ne @0", "b9400260 31000421 54ffffc1", None),
)

_ENDLESS = (
    ("cmp w21, 2; b.gt @0", "71000abf 54ffffec", True),
    ("cmp w21, 2; b.le @0: it is left", "71000abf 54ffffed", False),
    ("yield; b @0", "d503203f 17ffffff", True),
    ("cbnz w21, @0", "35000015", True),
    ("cmp w21, 3; cbz w21, @4; b.ne @0: a branch that sets no flag", "71000ebf 34000055 54ffffc1", False),
)

_TESTS = (
    ("adrp x0, 0x6000; add x0, x0, 16; bl test; cbz w0, @0",
     "b0000020 91004000 {0} 34ffffa0", 12, {0x6010: "wait_lock"}),
    ("mov x0, x19; bl test; cmp w0, 0; b.eq @0", "aa1303e0 {0} 7100001f 54ffffa0", 8, {0x100: "wait_lock"}),
    ("b @2; bl other; mov x0, x19; bl test; cbz w0, @1: entered in the middle",
     "14000002 {1} aa1303e0 {0} 34ffffa0", 4, {0x100: "wait_lock"}),
    ("mov w0, w1; bl test; cbz w0, @0: not known", "2a0103e0 {0} 34ffffc0", 8, {}),
    ("mov x0, x19; bl test; mov x0, x20; bl unset; b @0: it releases another one",
     "aa1303e0 {0} aa1403e0 {6} 17fffffc", 16, {}),
)

_TESTED = (
    ("adrp x0, 0x6000; bl test; cbz w0, @4; bl other", "b0000020 {0} 34000040 {1}", (0x6000,)),
    ("adrp x0, 0x6000; bl test; cmp w0, 0; b.eq @5; bl other",
     "b0000020 {0} 7100001f 54000040 {1}", (0x6000,)),
    ("adrp x0, 0x6000; bl test; tbz w0, 0, @4; bl other", "b0000020 {0} 36000040 {1}", (0x6000,)),
    ("mov x19, x0; mov x0, x19; bl test; cbz w0, @5; bl other",
     "aa0003f3 aa1303e0 {0} 34000040 {1}", (0x100,)),
    ("adrp x0, 0x6000; bl test; cbnz w0, @4; ret; bl other", "b0000020 {0} 35000040 d65f03c0 {1}", (0x6000,)),
    ("adrp x0, 0x6000; bl test; cbnz w0, @4; bl other: each way", "b0000020 {0} 35000040 {1}", ()),
    ("adrp x0, 0x6000; bl test; cbz x1, @4; bl other: something else is tested",
     "b0000020 {0} b4000041 {1}", ()),
    ("adrp x0, 0x6000; bl test; nop; cbz w0, @5; bl other: not at once",
     "b0000020 {0} d503201f 34000040 {1}", ()),
)

_CALLING = (
    ("bl stopped; cbz w0, @0", "{2} 34ffffe0", 4, [0x6008]),
    ("mov x0, x19; bl load; cbz w0, @0", "aa1303e0 {3} 34ffffc0", 8, [0x100]),
    ("ldr w19, [x20]; bl other; cbnz w19, @0", "b9400293 {1} 35ffffd3", 8, [0x200]),
    ("bl stopped; ldr w1, [x0]; b @0: what a call has returned", "{2} b9400001 17fffffe", 4, [0x6008]),
    ("bl stopped; bl calls; b @0: it calls", "{2} {4} 17fffffe", 4, []),
    ("ldr w0, [x19]; cbz w0, @0: it does not call", "b9400260 34ffffe0", 0, []),
)


_KIND = types.SimpleNamespace(
    machine=interface.AARCH64, sp="sp", code=_code,
    registers={"x0": 0, "x1": 1, "x19": 0x100, "x20": 0x200, "x21": 3, "x29": 0x7000},
    call=lambda distance: (0x94000000 | distance >> 2 & 0x3FFFFFF).to_bytes(4, "little"),
    called=(_code("b0000010 f9400611 d61f0220"), _code("f0000000 b9400800 d65f03c0"),
            _code("39400000 d65f03c0"), _code("a9bf7bfd 97ffff3f d65f03c0"), bytes(4)),
    arguments=_ARGUMENTS, loops=_LOOPS, wanted=_WANTED, endless=_ENDLESS, tests=_TESTS, tested=_TESTED,
    calling=_CALLING)


def run(tap):
    fakecode.of_machine(tap, _KIND)
