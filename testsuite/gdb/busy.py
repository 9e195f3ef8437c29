# SPDX-License-Identifier: MIT
"""A process that was made to keep the debugger busy: a question that finds no end is ended, and
those after it at the same stop are answered at once."""

import harness

t = harness.begin(__file__, program="many.c", timeout=120)
import gdb  # noqa: E402

from gdb_openmp.core import counters  # noqa: E402
from gdb_openmp.bindings import callbacks  # noqa: E402
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
t.run("stepi")
t.ok(not address_space.current().damaged, "another stop is looked at anew")
t.equal(len(t.run("ompd threads").splitlines()), len(honest.splitlines()), "and is answered")
t.done()
