# SPDX-License-Identifier: MIT
"""openmp_inspect/code by itself, over instructions: what calls enter, and with which argument."""

import _ctypes
import io
import struct
import types
from unittest import mock

from openmp_inspect.core import elf_symbols
from openmp_inspect.code import call_argument, call_site, critical_calls, image_symbols, \
    loop_exits, polled_words, tail_calls, tested_locks, x86_values
from openmp_inspect.code.entry_point_table import SIGNS
from openmp_inspect.host import interface
from openmp_inspect.stacks import barrier_source
from openmp_inspect.analysis import poll_evidence
from fakebasics import refused, use
from fakeprograms import GOMP, Program


def code(*functions, data=(), libraries=(), **table):
    """A Program of one source without text."""
    return Program("code.c", "\n" * 40, dict(functions), data, libraries, **table)


def of_calls(tap):
    """Calls that are decoded, for each machine."""
    lock = {"omp_set_lock": 0, "omp_unset_lock": 0}
    made = code(("lock", (1, [(1, "jmp", "omp_set_lock")])),
                ("update", (2, [(3, "call", "lock"), (4, "call", "omp_set_lock", "key"),
                                (5, "icall"), (6, "raw", b"\xff\x15" + (0x480000 - 0x40141d).to_bytes(
                                    4, "little", signed=True)),
                                (7, "raw", b"\xbf\x10\x00\x48\x00"),
                                (7, "call", "omp_unset_lock"),
                                (8, "raw", b"\x48\x8d\x05\0\0\0\0\x48\x89\xc7"),
                                (8, "call", "omp_unset_lock")])),
                ("far", (9, [(9, "jmp", "lock")])), ("user", (10, [(10, "call", "far")])),
                data={"slot": 8, "key": 8}, libraries={"/lib/libgomp.so.1": (GOMP, tuple(lock))})
    slot = made.objects["slot"]
    made.memory[slot][:8] = made.symbols["omp_set_lock"].to_bytes(8, "little")
    process = use(made.table)
    ends = [made.address(("update", at)) for at in range(8)]
    start = made.symbols["update"]
    tap.equal([call_site.called_at(process, end) for end in (ends[0], ends[1], ends[2])],
              ["lock", "omp_set_lock", None], "functions that are called")
    tap.equal((call_site.argument_at(process, ends[1]), call_site.argument_at(process, ends[5]),
               call_site.argument_at(process, ends[7]), call_site.argument_at(process, ends[0])),
              (made.objects["key"], 0x480010, ends[6] - 3, 0), "arguments")
    tap.equal(call_site.checked_argument_at(process, ends[5], lambda one: one == 0x480010), 0x480010,
              "an argument that is recognised")
    tap.equal(call_site.checked_argument_at(process, ends[5], lambda one: False), None, "none that is")
    tap.equal((tail_calls.entry(process, ends[0], lambda name: name in lock),
               tail_calls.entry(process, made.address(("user", 0)), lambda name: name in lock),
               tail_calls.entry(process, ends[1], lambda name: False), tail_calls.entry(process, ends[2], bool)),
              ("omp_set_lock", "omp_set_lock", None, None), "functions that have left their frames")
    tap.equal(call_site.called_at(process, made.address(("lock", 0)), jumped=True), "omp_set_lock", "a jump")
    function = types.SimpleNamespace(start=start, end=ends[7])
    wanted = call_site.target(process, ends[7])
    tap.equal([barrier_source._calls(process, function, target) for target in (wanted, None)], [(2, {}), (0, {})],
              "how often a function calls another one")
    function.end -= 1
    tap.equal(barrier_source._calls(process, function, wanted), (0, {}), "one that is not known to its end")
    tap.equal(call_site.name_of(process, start + 1), None, "the middle of a function")
    tap.equal((process.code_name(start), process.code_name(1)), ("program+0x1200", "0x1"), "code")
    # lea 0x480010(%rip),%rbp; lea 0x480020(%rip),%rbx or %rbp; mov %rbp,%rdi; call; mov %rbx,%rdi; call
    found = []
    for other in "1d", "2d":
        data = bytes.fromhex("488d2d09f00700 488d%s12f00700 4889ef e800000000 4889df e800000000" % other)
        process = use({"memory": {0x400f00: bytes(0x100) + data + bytes(64), 0x480000: bytes(0x40)},
                       "images": [{"path": "/p", "start": 0x400000, "end": 0x500000, "symbols": {"f": 0x401000}}]})
        found.append([call_site.checked_argument_at(process, end, {0x480010, 0x480020}.__contains__)
                      for end in (0x401016, 0x40101e)])
    tap.equal(found, [[0x480010, 0x480020], [0x480020, None]], "arguments in registers that calls preserve")
    # aarch64: adrp x0; add x0; bl
    page, words = 0x480000 - 0x401000 >> 12, []
    adrp = 0x90000000 | (page & 3) << 29 | (page >> 2) << 5
    words = [adrp, 0x91000000 | 0x20 << 10, 0x94000000 | (0x402000 - 0x401008 >> 2)]
    data = bytes(0x100) + b"".join(word.to_bytes(4, "little") for word in words) + bytes(64)
    table = {"machine": interface.AARCH64, "memory": {0x400f00: data, 0x480000: bytes(0x400)},
             "images": [{"path": "/p", "start": 0x400000, "end": 0x500000,
                         "symbols": {"f": 0x402000}}]}
    process = use(table)
    tap.equal((call_site.called_at(process, 0x40100c), call_site.argument_at(process, 0x40100c),
               call_site.checked_argument_at(process, 0x40100c, lambda one: one == 0x480020)),
              ("f", 0x480020, 0x480020), "aarch64")
    words[1] = 0xF9400000 | 2 << 10  # ldr x0, [x0, 16]
    data = data[:0x104] + words[1].to_bytes(4, "little") + data[0x108:]
    table["memory"] = {0x400f00: data, 0x480000: bytes(16) + (0x481234).to_bytes(8, "little"),
                       0x402000: (0x14000040).to_bytes(4, "little") + bytes(0x200)}  # b g
    table["images"][0]["symbols"]["g"] = 0x402100
    process = use(table)
    tap.equal(tail_calls.entry(process, 0x40100c, lambda name: name == "g"), "g", "a jump")
    tap.equal((call_site.argument_at(process, 0x40100c, True), call_site.argument_at(process, 0x40100c)),
              (0x481234, 0), "through the linker's table")
    for text, made, wanted in (
            ("adrp x8; add x8, x8, 16; add x0, x8, 16", "d503201f f00003e8 91004108 91004100",
             (0x480020, 0x480020, 0x480020, 0x480020)),
            ("adrp x8; str x1, [sp]; add x0, x8, 32: not at once", "d503201f f00003e8 f90003e1 91008100",
             (0, 0, 0x480020, 0x480020)),
            ("adrp x0; add x0, x0, 32; ldp x2, x0, [sp]", "d503201f f00003e0 91008000 a94003e2",
             (0, 0, 0x480020, 0)),
            ("adrp x0; ldr x0, [x0, 16]: of a word", "d503201f d503201f f00003e0 f9400800",
             (0, 0x481234, 0x481234, 0x481234)),
            ("adrp x2; ldr x2, [x2, 16]; mov w1, 1: the third", "d503201f f00003e2 f9400842 52800021",
             (0, 0, 0x481234, 0)),
            ("adrp x19; add x19, x19, 32; bl; mov x0, x19: kept", "f00003f3 91008273 940003fe aa1303e0",
             (0, 0, 0x480020, 0)),
            ("adrp x0; add x0, x0, 32; bl; nop: of another call", "f00003e0 91008000 940003fe d503201f",
             (0, 0, None, 0))):
        words = [int(word, 16) for word in (*made.split(), "940003fc")]
        process = use({**table, "memory": {0x400f00: bytes(0x100) + b"".join(
            word.to_bytes(4, "little") for word in words) + bytes(64),
                                           0x480000: bytes(16) + (0x481234).to_bytes(8, "little") + bytes(16)},
                       "images": [{**table["images"][0], "symbols": {"m": 0x401000, "f": 0x402000}}]})
        tap.equal((call_site.argument_at(process, 0x401014), call_site.argument_at(process, 0x401014, True),
                   call_site.checked_argument_at(process, 0x401014, {0x480020, 0x481234}.__contains__),
                   call_site.argument_at(process, 0x401014, True, lambda start: False)), wanted,
                  "aarch64: " + text)
        tap.equal(call_site.argument_at(process, 0x401014, True, lambda start: True), 0,
                  "another way leads there")
        tap.equal((call_site.called_at(process, 0x401014), call_site.called_at(process, 0x401014, True)),
                  ("f", None), "whom it calls")
    process = use({"machine": "other"})
    tap.equal((call_site.called_at(process, 4), call_site.argument_at(process, 4), call_site.checked_argument_at(
        process, 4, bool)), (None, 0, None), "another machine")


# Instructions, and what %rdi is behind them: rbp is 0x7000, rbx 0x100, r12 0x200, r13 3, r14 0x700;
# at rbp - 4 is -2, at rbp + 8 0x40, at rsp + 16 0x5000 and at 0x200 0x6000. They begin at 0x1000.
_ARGUMENTS = (
    ("mov -4(%rbp),%eax; cltq; shl $3,%rax; lea 0x1000(%rip),%rdx; add %rdx,%rax; mov %rax,%rdi",
     "8b45fc 4898 48c1e003 488d1500100000 4801d0 4889c7", 0x2000),
    ("movslq -4(%rbp),%rdx; lea 8(%rbx,%rdx,4),%rdi", "486355fc 488d7c9308", 0x100),
    ("lea 0(,%r12,8),%rdi", "4a8d3ce500000000", 0x1000),
    ("imul $24,%r13,%rdi; sub $16,%rdi", "496bfd18 4883ef10", 56),
    ("mov %r13,%rdx; imul $1000,%rdx,%rdi; imul %rdx,%rdi; sub %rdx,%rdi",
     "4c89ea 4869fae8030000 480faffa 4829d7", 8997),
    ("mov 16(%rsp),%rdi", "488b7c2410", 0x5000),
    ("mov (%r12),%rdi", "498b3c24", 0x6000),
    ("mov $0x480010,%edi", "bf10004800", 0x480010),
    ("mov $-8,%rdi", "48c7c7f8ffffff", (1 << 64) - 8),
    ("xor %edi,%edi", "31ff", 0),
    ("mov %rdi,%rbx; push %rax: a copy", "50 4889fb", 0x100),
    ("mov %rdi,%r14; cmp $3,%rax; nopl (%rax)", "4989fe 4883f803 0f1f00", 0x700),
    ("mov %edi,%r14d: half of it", "4189fe", None),
    ("mov %rdi,%rbx; mov %rax,%rbx: another one", "4889fb 4889c3", None),
    ("mov %r13,%rax; add $0x12345,%rax; add %eax,%eax; mov %rax,%rdi",
     "4c89e8 480545230100 01c0 4889c7", 0x12348 * 2),
    ("mov %r13,%rdi; add 8(%rbp),%rdi", "4c89ef 48037d08", 0x43),
    ("mov %r13,%rax; add $8,%rbx; lea (%rbx,%rax),%rdi: as the call finds it",
     "4c89e8 4883c308 488d3c03", 0x103),
    ("mov %rbx,%rax; add $8,%rbx; mov %rax,%rdi: what it was", "4889d8 4883c308 4889c7", None),
    ("lea 8(%rsp),%rdi; sub $8,%rsp", "488d7c2408 4883ec08", None),
    ("mov %rdi,-8(%rbp)", "48897df8", None),
    ("pop %rdi", "5f", None),
    ("mov %rbx,%rax; setne %al; mov %rax,%rdi: a byte of it", "4889d8 0f95c0 4889c7", None),
    ("mov %rbx,%rdi; xor $1,%al; mov %al,-9(%rbp); movzbl 8(%rbp),%ecx; mov -9(%rbp),%al",
     "4889df 3401 8845f7 0fb64d08 8a45f7", 0x100),
    ("mov %rbx,%rdi; setne %ah: not followed", "4889df 0f95c4", None),
    ("lea (%rax,%rax,8),%rax, often, of %rbx", "4889d8" + "488d04c0" * 6 + "4889c7", None),
)


def of_arguments(tap, kind):
    """What is in the first argument of a call, by the instructions before it."""
    words = {0x6ffc: (-2).to_bytes(4, "little", signed=True) + bytes(8) + b"\x40" + bytes(7),
             0x8010: (0x5000).to_bytes(8, "little"), 0x200: (0x6000).to_bytes(8, "little")}
    for text, code_of, wanted in kind.arguments:
        made = kind.code(code_of) + kind.call(0)
        process = process_at(kind, {**words, 0x1000: made + bytes(0x200)}, sp=0x8000)
        starts = [0x1000]
        while starts[-1] < 0x1000 + len(made) - len(kind.call(0)):
            starts.append(starts[-1] + critical_calls.machine_code.decoded(
                process.machine, made, starts[-1] - 0x1000, starts[-1]).length)
        value = call_argument.before(process, starts)
        tap.equal(call_argument.of_call(process, 0x1000 + len(made)), value, "of its call: " + text)
        frame_of = process.newest_frame(process.threads()[0][1])
        tap.equal(None if value is None else call_argument.evaluated(value, frame_of), wanted,
                  "an argument: " + text)


def of_no_arguments(tap):
    """Where nothing is known."""
    for cut in ("", "48", "488d", "488b7c24", "81c7", "c1e7"):
        tap.equal(x86_values.effect(bytes.fromhex(cut), 0x1000), None, "an instruction cut: " + cut)
    process = process_at(X86_64, {0x1000: bytes(64)})
    tap.equal((call_argument.before(process, [0x1000]), call_argument.before(process, [0x999000, 0x999003])),
              (None, None), "no instructions")
    process = use({"machine": "other"})
    tap.equal(call_argument.before(process, [0x1000, 0x1003]), None, "an argument on another machine")


def process_at(kind, memory, pc=0x1000, sp=0x6fc0, images=(), demangled=None):
    """A process of such a machine with one thread there, in a function at 0x1000."""
    frame = {"pc": pc, "sp": sp, "registers": {**kind.registers, kind.sp: sp}}
    return use({"machine": kind.machine, "memory": memory, "demangled": demangled or {},
                "threads": [{"num": 1, "lwp": 1, "frames": [frame]}],
                "images": [{"path": "/p", "start": 0x1000, "end": 0x1100, "symbols": {"f": 0x1000}},
                           *images]})


# Loops, where the thread is in them, and what they read besides the frame's own.
_LOOPS = (
    ("mov (%rbx),%eax; test %eax,%eax; je", "8b03 85c0 74fa", 2, [0x100]),
    ("mov -4(%rbp),%eax; cltq; cmpl $0,0x6000(,%rax,4); nop; je", "8b45fc 4898 833c850060000000 90 74f0",
     3, [0x5ff8]),
    ("testb $1,0x40(%r12); pause; jne", "41f644244001 f390 75f6", 6, [0x240]),
    ("movzbl (%r13),%eax; setne %al; xor $1,%al; jmp", "410fb64500 0f95c0 3401 ebf4", 0, [3]),
    ("mov (%rbx),%rbx; test %rbx,%rbx; jne: it goes on", "488b1b 4885db 75f8", 0, []),
    ("call; mov (%rbx),%eax; jmp: it calls", "e800000000 8b03 ebf7", 5, []),
    ("mov (%rbx),%eax; pop %rcx; jmp: not followed", "8b03 59 ebfb", 0, []),
    ("mov -4(%rbp),%eax; jmp: its own", "8b45fc ebfb", 0, []),
    ("mov (%rbx),%eax; add $1,%ecx; jmp: it counts", "8b03 83c101 ebf9", 2, [0x100]),
    ("mov (%rbx),%eax; mov %eax,(%r12); jmp: it writes, and counts", "8b03 41890424 ebf8", 2, [0x100]),
    ("mov (%r12),%rdx; mov 8(%rcx),%rcx; cmp %rdx,(%rcx): it goes on, and counts",
     "498b1424 488b4908 483911 75f3", 0, [0x200]),
    ("lea 16(%rbx),%rdx; mov (%rdx),%eax; test %eax,%eax; je", "488d5310 8b02 85c0 74f6", 4, [0x110]),
    ("lea 8(%rbx),%rbx; mov (%r12),%eax; je: it counts", "488d5b08 418b0424 74f6", 0, [0x200]),
    ("lock orq $0,(%rsp); mov (%rbx),%eax; test %eax,%eax; je", "f048830c2400 8b03 85c0 74f4", 6, [0x100]),
    ("mov (%rbx),%eax; and $4,%eax; test %eax,%eax; je", "8b03 83e004 85c0 74f7", 2, [0x100]),
    ("mov (%rbx),%eax; nop: no loop", "8b03 90", 0, []),
    ("lea (%rax,%rax,8),%rax, often; mov (%rax),%eax; jmp", "488d04c0" * 40 + "8b00 e959ffffff", 0, []),
    ("mov (%rbx),%eax; je; ret; je to the first; mov (%r12),%eax; jmp back: in two parts",
     "8b03 7403 c3 74f9 418b0424 ebf8", 7, [0x100, 0x200]),
    ("mov (%rbx),%eax; je to behind the ret; ret; mov (%r12),%eax; jmp", "8b03 7401 c3 418b0424 ebf5", 0,
     [0x100, 0x200]),
    ("ret; nopw; mov (%rbx),%eax; jne to ret; nopw; mov (%r12),%ecx; je",
     "c3 660f1f440000 8b03 75f5 660f1f440000 418b0c24 74f0", 7, [0x100, 0x200]),
)


# Loops, what ends them, and the same of those that tell nothing; (%rbx) has 5, (%r12) 9, %r13d 3.
_WANTED = (
    ("mov (%rbx),%eax; cmp $7,%eax; jne", "8b03 83f807 75f9", (0x100, 5, "=", 7)),
    ("cmp %r13d,(%rbx); jg", "44392b 7ffb", (0x100, 5, "<=", 3)),
    ("cmp (%rbx),%r13d; jl", "443b2b 7cfb", (0x100, 5, "<=", 3)),
    ("movzbl (%rbx),%eax; test %al,%al; jne", "0fb603 84c0 75f9", (0x100, 5, "=", 0)),
    ("movzwl (%rbx),%eax; cmp $5,%eax; je", "0fb703 83f805 74f8", (0x100, 5, "!=", 5)),
    ("mov (%rbx),%eax; cmp (%r12),%eax; jb", "8b03 413b0424 72f8", (0x100, 5, ">=", 9)),
    ("movzbl (%rbx),%eax; cmp $7,%al; jne", "0fb603 3c07 75f9", (0x100, 5, "=", 7)),
    ("cmpw $7,(%rbx); jne", "66833b07 75fa", (0x100, 5, "=", 7)),
    ("cmpq $-1,(%rbx); jne", "48833bff 75fa", (0x100, 5, "=", -1)),
    ("mov (%rbx),%eax; cmp $4,%eax; ja", "8b03 83f804 77f9", (0x100, 5, "<=", 4)),
    ("cmpl $9,(%rbx); jle", "833b09 7efb", (0x100, 5, ">=", 10)),
    ("cmpl $9,(%rbx); jg out; jmp", "833b09 7f02 ebf9", (0x100, 5, ">=", 10)),
    ("mov (%rbx),%eax; cmp $7,%eax; mov (%r12),%ecx; jne", "8b03 83f807 418b0c24 75f5", (0x100, 5, "=", 7)),
    ("mov (%rbx),%eax; cmp $9,%eax; setl %al; test %al,%al; jne", "8b03 83f809 0f9cc0 84c0 75f4",
     (0x100, 5, ">=", 9)),
    ("cmpl $7,(%rbx); setne %al; xor $0xff,%al; test $1,%al; je", "833b07 0f95c0 34ff a801 74f4",
     (0x100, 5, "=", 7)),
    ("cmpl $7,(%rbx); setne %al; movzbl %al,%eax; test %eax,%eax; jne", "833b07 0f95c0 0fb6c0 85c0 75f3",
     (0x100, 5, "=", 7)),
    ("more than the byte: cmpl $7,(%rbx); setne %al; test %eax,%eax; jne", "833b07 0f95c0 85c0 75f6", None),
    ("the byte %ah: cmpl $7,(%rbx); setne %ah; test %ah,%ah; jne", "833b07 0f95c4 84e4 75f6", None),
    ("a bit: mov (%rbx),%eax; and $4,%eax; test %eax,%eax; je", "8b03 83e004 85c0 74f7", None),
    ("it has that: cmpl $5,(%rbx); jne", "833b05 75fb", None),
    ("mov (%rbx),%eax; test %ebx,%eax; je", "8b03 85d8 74fa", None),
    ("mov (%rbx),%eax; test %eax,%eax; jns", "8b03 85c0 79fa", None),
    ("two ways out: cmpl $9,(%rbx); je out; cmpl $8,(%rbx); jne", "833b09 7405 833b08 75f6", None),
    ("no way out", "8b03 ebfc", None),
    ("the byte %ah: mov (%rbx),%eax; cmp $7,%ah; jne", "8b03 80fc07 75f9", None),
    ("a word of its own: cmpl $7,-4(%rbp); jne", "837dfc07 75fa", None),
    ("add $1,%ecx; cmpl $7,(%rbx); jne", "83c101 833b07 75f8", None),
    ("cmp %ecx,%edx; mov (%rbx),%eax; jne", "39ca 8b03 75fa", None),
    ("mov (%rbx),%eax; nop; jne", "8b03 90 75fb", None),
)


def of_wanted(tap, kind):
    """What loops wait for that only read."""
    for text, code_of, wanted in kind.wanted:
        memory = {0x1000: kind.code(code_of) + bytes(0x200), 0x100: bytes((5,)).ljust(16, b"\0"),
                  0x200: bytes((9,)).ljust(16, b"\0")}
        process = process_at(kind, memory)
        newest = process.newest_frame(process.threads()[0][1])
        tap.equal(polled_words.wanted(newest, 0x7010), wanted, "what a loop wants: " + text)
    memory.pop(0x100)
    tap.equal(polled_words.wanted(newest, 0x7010), None, "a word that cannot be read")


# Loops, and whether nothing ends them.
_ENDLESS = (
    ("test %ebx,%ebx; jne", "85db 75fc", True),
    ("test %ebx,%ebx; je: it is left", "85db 74fc", False),
    ("pause; jmp", "f390 ebfc", True),
    ("cmp $2,%r13d; nop; jg", "4183fd02 90 7ff9", True),
    ("test $4,%bl; je", "f6c304 74fb", True),
    ("add $1,%ecx; jmp: it counts", "83c101 ebfb", False),
    ("mov (%rbx),%eax; test %ebx,%ebx; jne: it reads", "8b03 85db 75fa", False),
    ("test %ebx,%ebx; jns: by another flag", "85db 79fc", False),
    ("cmp %rbx,%r12; setb %al; jne: it changes a register", "4939dc 0f92c0 75f8", False),
    ("ret: no loop", "c3", False),
)


def of_endless(tap, kind):
    """Loops that test what they have read before."""
    for text, code_of, wanted in kind.endless:
        process = process_at(kind, {0x1000: kind.code(code_of) + bytes(0x200)}, 0x1000)
        tap.equal(loop_exits.is_endless(process.newest_frame(process.threads()[0][1])), wanted,
                  "whether a loop ends: " + text)


def of_loops(tap, kind):
    """What threads poll."""
    for text, code_of, at, wanted in kind.loops:
        process = process_at(kind, {0x1000: kind.code(code_of) + bytes(0x200),
                                    0x6ffc: (-2).to_bytes(4, "little", signed=True),
                                    0x200: (0x6000).to_bytes(8, "little")}, 0x1000 + at)
        newest = process.newest_frame(process.threads()[0][1])
        tap.equal(polled_words.polled(newest, 0x7010), wanted, "a loop: " + text)
        tap.equal(list(polled_words.polled_alone(newest, 0x7010)), [] if "counts" in text else wanted,
                  "whether a loop only reads: " + text)
        tap.equal(polled_words.asks_others(newest, 0x7010), None if "no loop" in text else
                  bool(wanted) and "of its own" not in text, "whether it asks others: " + text)
    newest.process = use({"machine": "other"})
    tap.equal(polled_words.polled(newest, 0), [], "a loop on another machine")


# Loops that test locks, where the thread is in them, and the locks. {0}: a call of omp_test_lock,
# {1}: of another function, {6}: of omp_unset_lock.
_TESTS = (
    ("mov $0x6000,%edi; call test; test %eax,%eax; jne; call other; jmp", "bf00600000 {0} 85c0 7507 {1} ebeb",
     19, {0x6000: "wait_lock"}),
    ("mov %rbx,%rdi; call test; test; je: in it", "4889df {0} 85c0 74f4", 8, {0x100: "wait_lock"}),
    ("jmp to mov; call other; mov %rbx,%rdi; call test; test; je: entered in the middle",
     "eb05 {1} 4889df {0} 85c0 74ef", 6, {0x100: "wait_lock"}),
    ("jmp to mov; nopw; call other; mov %rbx,%rdi; call test; test; je: behind padding",
     "eb0b 660f1f440000 {1} 4889df {0} 85c0 74ef", 12, {0x100: "wait_lock"}),
    ("jne to mov; nopw; call other; mov %rbx,%rdi; call test; test; je: two ways in",
     "750b 660f1f440000 {1} 4889df {0} 85c0 74ef", 12, {}),
    ("mov $0x6000,%edi; call test; nop; mov %rbx,%rdi; call test; je to the nop; jmp: the inner one",
     "bf00600000 {0} 90 4889df {0} 85c0 74f3 ffc0 ebe6", 18, {0x100: "wait_lock"}),
    ("mov %eax,%edi: not known", "89c7 {0} 85c0 74f5", 7, {}),
    ("mov %rbx,%rdi; call other; je: no test", "4889df {1} 85c0 74f4", 8, {}),
    ("mov %rbx,%rdi; call test: no loop", "4889df {0} 85c0 90 90", 8, {}),
    ("mov $0x6000,%edi; call test; test; jne out; mov %rbx,%rdi; call test; test; je: either",
     "bf00600000 {0} 85c0 750c 4889df {0} 85c0 74e6", 18,
     {0x6000: "wait_lock", 0x100: "wait_lock"}),
    ("mov $0x6000,%edi; call test; test; je; jmp out; pause; jmp: another way to the loop",
     "bf00600000 {0} 85c0 74f2 eb20 f390 ebec", 16, {}),
    ("mov $0x6000,%edi; call test; mov $0x6000,%edi; call unset; jmp: it releases that one",
     "bf00600000 {0} bf00600000 {6} ebea", 20, {0x6000: "wait_lock"}),
    ("mov $0x6000,%edi; call test; mov %rbx,%rdi; call unset; jmp: it releases another one",
     "bf00600000 {0} 4889df {6} ebec", 18, {}),
)

# The same, and the locks that are held behind the last call.
_TESTED = (
    ("test; je beyond", "bf00600000 {0} 85c0 7406 90 {1}", (0x6000,)),
    ("cmp $0; je beyond", "bf00600000 {0} 83f800 7406 90 {1}", (0x6000,)),
    ("jne beyond", "bf00600000 {0} 85c0 7506 90 {1}", ()),
    ("jne there", "bf00600000 {0} 85c0 7502 eb06 90 {1}", (0x6000,)),
    ("je there", "bf00600000 {0} 85c0 740c eb02 9090 {1} 9090909090 {1}", ()),
    ("each way", "bf00600000 {0} 85c0 7401 90 {1}", ()),
    ("it is not tested", "bf00600000 {0} {1}", ()),
    ("something else is", "bf00600000 {0} 85db 7406 90 {1}", ()),
    ("a branch by another flag", "bf00600000 {0} 85c0 7806 90 {1}", ()),
)


# Loops that call, where the thread is in them, and what they and their calls read. {2}: a call of a
# function that reads 0x6000, {3}: of one that loads an atomic object, {4}: of one that calls, {5}: of no code.
_CALLING = (
    ("call stopped; test; je", "{2} 85c0 74f7", 5, [0x6000]),
    ("mov %rbx,%rdi; call load; test; je", "4889df {3} 84c0 74f4", 8, [0x100]),
    ("mov (%r12),%ecx; call usleep; test %ecx,%ecx; jmp", "418b0c24 {1} 85c9 ebf3", 9, [0x200]),
    ("call stopped; mov (%rax),%ecx; jmp: what a call has returned", "{2} 8b08 ebf7", 5, [0x6000]),
    ("call stopped; call that calls; jmp", "{2} {4} ebf4", 5, []),
    ("call stopped; call omp_test_lock, in the linkage table; jmp", "{2} {0} ebf4", 5, []),
    ("mov %eax,%edi; call load; jmp: not known", "89c7 {3} ebf7", 7, []),
    ("call of what is no code; jmp", "{5} ebf9", 5, []),
    ("mov (%rbx),%eax; je: it does not call", "8b03 74fc", 0, []),
)
_FUNCTIONS = {"{0}": 0x3000, "{1}": 0x3100, "{2}": 0x3200, "{3}": 0x3300, "{4}": 0x3400, "{5}": 0x3480,
              "{6}": 0x3010}


def testing(kind, code_of, at=0):
    """(process with a thread at a byte of such code, its size)"""
    made = b""
    for piece in code_of.split():
        made += kind.call(_FUNCTIONS[piece] - 0x1000 - len(made)) if piece in _FUNCTIONS else kind.code(piece)
    sizes = 0x200, 0x100, 0x100, 0x80, 0x180
    called = b"".join(code.ljust(size, b"\0") for code, size in zip(kind.called, sizes))
    return process_at(
        kind, {0xf00: bytes(0x100) + made + bytes(0x200), 0x3000: called}, 0x1000 + at, images=[
            {"path": "/lib", "start": 0x3000, "end": 0x3500,
             "symbols": {"omp_test_lock@plt": 0x3000, "omp_unset_lock@plt": 0x3010, "usleep": 0x3100,
                         "stopped()": 0x3200, "_ZNKSt6atomicIbEcvbEv": 0x3300, "calls": 0x3400,
                         "data": 0x3480}}],
        demangled={"_ZNKSt6atomicIbEcvbEv": "std::atomic<bool>::operator bool() const"}), len(made)


def of_tests(tap, kind):
    """Which locks are tested, and which those have that have tested them."""
    for text, code_of, at, wanted in kind.tests:
        process, _ = testing(kind, code_of, at)
        newest = process.newest_frame(process.threads()[0][1])
        tap.equal(tested_locks.tested(newest), wanted, "a test: " + text)
    for text, code_of, wanted in kind.tested:
        process, size = testing(kind, code_of)
        newest = process.newest_frame(process.threads()[0][1])
        locks = [call_argument.evaluated(lock, newest)
                 for lock in critical_calls.locks(process, 0x1000 + size, True)]
        tap.equal(tuple(locks), wanted, "behind a test: " + text)
    for text, code_of, at, wanted in kind.calling:
        process, _ = testing(kind, code_of, at)
        newest = process.newest_frame(process.threads()[0][1])
        tap.equal(polled_words.polled_by_calls(newest, 0x7010), wanted, "a loop that calls: " + text)
        stack = [types.SimpleNamespace(frame=newest, sp=newest.sp, is_user=True),
                 types.SimpleNamespace(frame=newest, sp=0x7010, is_user=False)]
        walker = types.SimpleNamespace(stack=lambda thread, stack=stack: stack)
        row = types.SimpleNamespace(thread=1, stacks=types.SimpleNamespace(
            walker=walker, object_at=lambda address: None))
        asks, reads = poll_evidence.asks_others(row), poll_evidence.read_words(row)
        tap.equal(reads.lstrip("~"), "reads 0x100" if "not call" in text else
                  "reads %#x" % wanted[0] if wanted else "", "in words: " + text)
        tap.equal(asks, bool(wanted) or "omp_" in text or
                  "not call" in text, "whether it asks others: " + text)
    newest.process = use({})
    tap.equal(polled_words.polled_by_calls(newest, 0x7010), [], "no code of a loop that calls")
    tap.equal(polled_words.asks_others(newest, 0x7010), False, "nor whom it asks")


# How the rows of a machine are read: code, as they have it, calls over a distance, the functions that are
# called, and the registers of the thread.
X86_64 = types.SimpleNamespace(
    machine=interface.X86_64, sp="rsp", code=bytes.fromhex,
    registers={"rbp": 0x7000, "rbx": 0x100, "r12": 0x200, "r13": 3, "r14": 0x700, "rax": 1},
    call=lambda distance: b"\xe8" + (distance - 5).to_bytes(4, "little", signed=True),
    called=(bytes.fromhex("ff25fa0f0000"), bytes.fromhex("558b05f92d00005dc3"), bytes.fromhex("8a07c3"),
            bytes.fromhex("e8fbfeffffc3"), b"\6"),
    arguments=_ARGUMENTS, loops=_LOOPS, wanted=_WANTED, endless=_ENDLESS, tests=_TESTS, tested=_TESTED,
    calling=_CALLING)


def of_machine(tap, kind):
    for test in (of_arguments, of_loops, of_wanted, of_endless, of_tests):
        test(tap, kind)


def of_slots(tap):
    """Where a library has the addresses of what it calls, and whose they are."""
    path, called = _ctypes.__file__, "PyErr_SetString"
    with open(path, "rb") as stream:
        content = stream.read()
    found = elf_symbols.slots(io.BytesIO(content), {called})
    size, start = struct.calcsize("P"), 0x10000
    tap.ok(found.size == size and found.offsets, "where a library keeps an address", found)
    for name, wanted in (("none that is wanted", {"omp_set_lock"}), ("none at all", ())):
        tap.equal(elf_symbols.slots(io.BytesIO(content), wanted), None, name)
    for cut in (10, len(content) // 2):
        tap.ok(refused(ValueError, elf_symbols.slots, io.BytesIO(content[:cut]), {called}),
               "a file that is cut short")
    for name, target, wanted in (("libgomp itself", 0x200, path), ("the hooks", 0x900, None),
                                 ("not bound yet", start + 0x40, None)):
        slots = {start + at: target.to_bytes(size, "little") for at in found.offsets}
        process = use({"images": [{"path": "/bin/program", "start": 0, "end": 1},
                                  {"path": path, "start": start, "end": start + 0x100000,
                                   "symbols": {found.function: start + found.value}},
                                  {"path": "/lib/libgomp.so.1", "start": 0x200, "end": 0x300,
                                   "symbols": {SIGNS["gomp"]: 0x210}},
                                  {"path": "/lib/libompd-hooks.so", "start": 0x900, "end": 0xA00,
                                   "symbols": {SIGNS["gomp"]: 0x910}, "objects": {SIGNS["hooks"]: 0x920}}],
                       "files": {path: path}, "memory": slots})
        with mock.patch.object(image_symbols, "_LOCKS", {called}):
            tap.equal(image_symbols.past_hooks(process), wanted, "a library calls " + name)


def run(tap):
    for test in (of_calls, of_no_arguments, of_slots):
        test(tap)
    of_machine(tap, X86_64)
