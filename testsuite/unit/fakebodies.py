# SPDX-License-Identifier: MIT
"""What steps through constructs need: where bodies are opened, their lines, whose task one is of, what
the body returns to that a thread is in, and who goes on behind a region."""

import types

from openmp_inspect.code import body_lines, same_task, symbol_names
from openmp_inspect.host import interface
from openmp_inspect.stacks import enclosing_body, stitched_stack
from fakebasics import now, use
from fakecases import JOB, TASK, heat

# The first instruction of a function: how many bytes of it may have been executed.
_FIRST = (
    ("push %rbp", interface.X86_64, "55", 1),
    ("endbr64", interface.X86_64, "f30f1efa", 4),
    ("mov %rdi,%rbx", interface.X86_64, "4889fb", 3),
    ("mov %rdx,%rsi: an argument is lost", interface.X86_64, "4889d6", 0),
    ("xor %r9d,%r9d: and here", interface.X86_64, "4531c9", 0),
    ("jmp", interface.X86_64, "e900010000", 0),
    ("what is not known", interface.X86_64, "0f0b", 0),
    ("stp x29, x30, [sp, #-16]!", interface.AARCH64, "fd7bbfa9", 4),
    ("b", interface.AARCH64, "04000014", 0),
)


def of_openings(tap):
    for text, machine, code, size in _FIRST:
        made = heat(machine=machine)
        start = made.symbols["GOMP_parallel"]
        made.memory[start][:len(code) // 2] = bytes.fromhex(code)
        use(made.table)
        found = {opening[0]: address - opening[0]
                 for address, opening in body_lines.openings(now().process).items()}
        tap.equal(found[start], size, "where a body is opened, behind " + text)


def of_lines(tap):
    made = heat()
    use(made.table)
    tap.equal((body_lines.lines_of_directive(now().process, made.symbols[JOB]),
               body_lines.own_lines(now().process, made.symbols[JOB])),
              ({11, 24}, [made.starts[JOB, at] for at in (1, 2, 3, 4, 5)]), "lines of a body")
    made.table["lines"] = [(at, path, 19 if line == 20 else line)
                           for at, path, line in made.table["lines"]]
    use(made.table)
    tap.equal((body_lines.lines_of_directive(now().process, made.symbols[TASK]),
               body_lines.own_lines(now().process, made.symbols[TASK])), (frozenset(), []),
              "a body that is all on its directive's line")
    tap.equal((body_lines.lines_of_directive(now().process, 8), body_lines.own_lines(now().process, 8)), (frozenset(), []),
              "no code")
    where = made.symbols[JOB]
    own = dict(zip([made.starts[JOB, at] for at in range(6)], (None, 4, 15, 15, 11, 13)))
    made.table["lines"] = [(at, "meet.h" if at == where else path, own.get(at, line) or 5)
                           for at, path, line in made.table["lines"]]
    made.table["functions"].append({"name": "meet", "file": "heat.c", "line": 13,
                                    "start": made.starts[JOB, 1], "end": made.starts[JOB, 2]})
    use(made.table)
    tap.equal(symbol_names.function_at(now().process, where)[1:], ("heat.c", 11),
              "a body that begins with what is inlined of another file, where its own line is lost")


def of_tasks(tap):
    """Each call's task, by its arguments."""
    memory = {0x100: b"12345678abcdefgh", 0x200: b"87654321abcdefgh", 0x300: b"12345678abcdefgX"}

    def is_same(call, begun, **entry):
        row = types.SimpleNamespace(**dict(
            {"construct": "task", "runs": "later", "in_task": False, "body": 0}, **entry))
        return same_task.condition(row, dict(enumerate(call)).get, lambda address, size:
                                   memory[address & ~0xFF][address & 0xFF:][:size])(
                                       dict(enumerate(begun)).get)

    made = (0, 0x100, 0, 16, 8, 1, 0)
    tap.equal((is_same(made, (0x100,)), is_same(made, (0x300,)), is_same(made, (0x200,))),
              (True, False, False), "a copy of a task's block")
    detached = made[:6] + (1 << 13,)
    tap.equal((is_same(detached, (0x200,)), is_same(detached, (0x300,))), (True, False),
              "without the word that is made later")
    tap.ok(is_same((0, 0x100, 0x4000, 16, 8, 1, 0), (0x300,)), "a block that is constructed")
    tap.ok(is_same((0, 0x100, 0, 0, 8, 1, 0), (0x300,)), "an empty one")
    tap.equal([is_same((1, 2, 0x5000), (7, word), in_task=True, body=2)
               for word in (0x5000, 0x6000)], [True, False], "a descriptor")
    tap.ok(is_same(made, (0x300,), runs="here"), "a body that is run at once")


def of_threads(tap, stop):
    """STOP: of fakecases.unprepared()."""
    made, threads = stop.program, {thread.num: thread for _, thread in stop.process.threads()}
    call, stacks = made.address(("main", 1)), stitched_stack.of(now())

    def told(num, level=0):
        body = enclosing_body.innermost(stacks, threads[num], level)
        return None if body is None else (body.start, body.words, body.caller and body.caller[0],
                                          body.is_last, body.is_newest)
    tap.equal(told(2), (made.symbols[JOB], "#pragma omp parallel at heat.c:11", None, True, False),
              "a worker's body")
    tap.equal(told(1), (made.symbols[TASK], "#pragma omp task at heat.c:19", None, False, False),
              "a task at a taskwait")
    tap.equal(told(1, 6)[2:], (call, False, False), "a body further out")
    tap.equal((told(1, 8), told(6), told(9)), (None, None, None), "no body")
    tap.equal([enclosing_body.user_level(stacks, threads[num]) for num in (2, 6)], [1, None],
              "the user's newest frame")
    tap.equal([(found.thread.num, found.pc) if found is not None else None for found in (
        enclosing_body.successor(stacks, threads[num]) for num in (2, 1, 6))], [(1, call), None, None],
              "who goes on behind a region")


def run(tap):
    for part in (of_openings, of_lines, of_tasks):
        part(tap)
