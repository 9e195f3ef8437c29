# SPDX-License-Identifier: MIT
"""Records, and a bare runtime's structures, overwritten with nonsense: commands answer, in
sentences, and come to an end. ROUNDS: of nonsense (`make fuzz`: 2000)."""

import os

import harness

ROUNDS = int(os.environ.get("ROUNDS") or 150)
t = harness.begin(__file__, program="waits.c", timeout=150 + ROUNDS)
import random  # noqa: E402
import re  # noqa: E402
import time  # noqa: E402

import gdb  # noqa: E402

from openmp_inspect.host import page_cache  # noqa: E402
from gdb_openmp.program import address_space  # noqa: E402

VALUES = (0, 1, 0xff, 0x7fffffff, 0x80000000, 0xffffffffffffffff, 0x7fffffffffffffff, 8)


def is_table(printed):
    return len(harness.table(printed)) >= 7


def is_stack(printed):
    return re.search("^#[0-9]|threads?$", printed, re.M)


# What is asked, and what an answer has to be; those that always have one.
TABLES = {"ompd threads": is_table, **dict.fromkeys(
    ("ompd parallel", "ompd status", "ompd tasks", "ompd icvs", "ompd env"), bool)}
STACKS = dict.fromkeys(("bt", "ompd bt -all", "ompd stacks"), is_stack)
ALWAYS = ("ompd threads", "ompd status", "bt")


def attack(kind, commands):
    """Spoils what the COMMANDS read, some of it at a time, and puts it back."""
    def answers():
        return [t.error(command) or t.run(command) for command in commands]

    before = answers()
    process = gdb.selected_inferior()

    # The pages that the library reads are those worth spoiling.
    pages = sorted(address_space.current().memory._pages)
    text = [n for n in pages if gdb.solib_name(n * page_cache.PAGE) not in (None, t.hooks)]
    pages = [n for n in pages if n not in text]
    kept = {n: bytes(process.read_memory(n * page_cache.PAGE, page_cache.PAGE)) for n in pages}
    used = [n * page_cache.PAGE + at for n in pages for at in range(0, page_cache.PAGE, 8)
            if any(kept[n][at:at + 8])]
    t.note("%d words on %d pages" % (len(used), len(pages)))

    random.seed(2000)
    slowest = 0
    wrong = []
    for number in range(ROUNDS):
        changed = random.sample(used, random.choice((1, 1, 2, 8)))
        for address in changed:
            value = random.choice(VALUES + (random.choice(used), random.getrandbits(64)))
            process.write_memory(address, value.to_bytes(8, "little"))
        if number % 3 == 0:
            address_space.discard(process.num)  # detection and initialisation meet it, too
        began = time.monotonic()
        for command, is_right in commands.items():
            try:
                printed = gdb.execute(command, to_string=True)
                if not is_right(printed):
                    wrong.append((number, command, printed))
            except gdb.error as error:
                if "\n" in str(error) or command in ALWAYS:
                    wrong.append((number, command, str(error)))
        slowest = max(slowest, time.monotonic() - began)
        for address in changed:
            n, at = divmod(address, page_cache.PAGE)
            process.write_memory(address, kept[n][at:at + 8])
    t.equal(wrong, [], kind + ": every answer is a table, a stack or a sentence")
    t.note("slowest round: %.2f s" % slowest)
    t.ok(slowest < 20, kind + ": none takes long", slowest)
    address_space.discard(process.num)
    t.equal(answers(), before, kind + ": restored, all is as before")


t.run("ompd on")
t.stop_at("all_wait")
attack("recorded", TABLES)
t.run("kill")
t.run("ompd off")
t.stop_at("all_wait")
attack("unprepared", TABLES)
t.run("kill")

# Stacks of nested regions.
t.use("backtrace.c")
t.run("ompd on")
t.stop_at("nested")
attack("stacks", STACKS)
t.done()
