# SPDX-License-Identifier: MIT
"""A process that was made to keep the debugger busy: a question that finds no end is ended, and
those after it at the same stop are answered at once."""

import harness

t = harness.begin(__file__, program="many.c", timeout=120)
import ctypes  # noqa: E402
import itertools  # noqa: E402
import time  # noqa: E402

import gdb  # noqa: E402

from openmp_inspect.core import counters  # noqa: E402
from openmp_inspect.host import page_cache  # noqa: E402
from openmp_inspect.bindings import callbacks  # noqa: E402
from gdb_openmp.program import address_space  # noqa: E402

THREADS = 60
MADE_NO_SENSE = "The OpenMP records of this program make no sense: its memory may be damaged."


def reads(command):
    """(reads of the library that a command takes, its error or None)."""
    counters.stats(reset=True)
    error = t.error(command)
    return counters.stats()["callback_reads"], error


gdb.execute("set args %d" % THREADS)
t.stop_at("here")
honest = t.run("ompd threads")
address_space.current().forget()
needed, error = reads("ompd tasks -all")
t.equal(error, None, "an honest process is answered")
t.ok(THREADS <= needed < callbacks._MANY_READS, "with far fewer reads than are allowed", needed)
t.ok(not address_space.current().damaged, "and is not taken for damaged")

# As if it took so many reads that nobody needs as many.
limits = callbacks.MOST_READS, callbacks._MANY_READS, callbacks._READS_OF_DAMAGED
callbacks.MOST_READS, callbacks._MANY_READS, callbacks._READS_OF_DAMAGED = 50, 30, 3
address_space.current().forget()
used, error = reads("ompd tasks -all")
t.ok(used <= 2 * 50 + 3 and error is not None, "a question without end is ended",
     used, error)
t.equal(error, MADE_NO_SENSE, "in a sentence")
t.ok(address_space.current().damaged, "which is remembered")
for command in ("ompd tasks -all", "ompd parallel", "ompd icvs -all", "ompd stacks", "bt"):
    used, error = reads(command)
    t.ok(used <= 200 and "\n" not in (error or ""), command + " is answered at once", used, error)
rows = t.threads()
t.equal(rows[-1].get("remark"), MADE_NO_SENSE, "ompd threads says why")
t.equal(len(rows), THREADS + 1, "and has gdb's threads")
callbacks.MOST_READS, callbacks._MANY_READS, callbacks._READS_OF_DAMAGED = limits

# A list without an end in what has been read already; one of a slow server, as long as any.


class Memory:
    """Of a target that takes its time to answer, and needs none of this processor's."""

    def __init__(self, delay):
        self.pages, self.delay = set(), delay

    def read(self, address, size):
        if address // page_cache.PAGE not in self.pages:
            self.pages.add(address // page_cache.PAGE)
            time.sleep(self.delay)
        return bytes(size)

    def drop(self):
        self.pages.clear()


def walk(addresses):
    """Reads there until it is refused, as a library does; the processor's seconds that it took, and
    what is said of it."""
    space = address_space.current()
    space.forget()
    place, buffer = callbacks.Address(), ctypes.create_string_buffer(8)

    def routine():
        for place.address in addresses:
            try:
                callbacks.read_memory(space.token, None, ctypes.addressof(place), 8,
                                      ctypes.addressof(buffer))
            except callbacks.Failed:
                return 1
        return 0

    began = time.thread_time()
    code = callbacks.call(routine)
    took = time.thread_time() - began
    return took, bool(code), callbacks.is_exhausted(), space.damaged


space = address_space.current()
usual, many = space.memory, callbacks.MOST_READS
callbacks.MOST_READS = 1 << 60
space.memory = Memory(0)
took, *ended = walk(itertools.cycle(range(0, 3 * page_cache.PAGE, 64)))
t.ok(ended == [True] * 3 and took < 2 * callbacks._SECONDS,
     "a walk that finds nothing new is ended after 2 s, and is damage", took, ended)
callbacks.MOST_READS = many
space.memory = Memory(0.005)
took, *ended = walk(range(0, 1 << 22, 16))
t.ok(ended == [False] * 3, "a long one through a slow target is not", took, ended)
space.memory = Memory(0)
took, *ended = walk([0] * 20000)
t.ok(ended == [False] * 3, "nor one that reads a word for each thread", took, ended)
space.memory = usual
space.forget()
t.run("stepi")
t.ok(not address_space.current().damaged, "another stop is looked at anew")
t.equal(len(t.run("ompd threads").splitlines()), len(honest.splitlines()), "and is answered")
t.done()
