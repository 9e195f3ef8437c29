# SPDX-License-Identifier: MIT
"""Which OMPD library is loaded: the one beside the hooks, else the plugin's own."""

import harness

t = harness.begin(__file__, program="nested.c")
import os  # noqa: E402
import shutil  # noqa: E402

from ompd import installed, space  # noqa: E402

OURS = t.stage + "/lib/libompd.so"
elsewhere = t.scratch + "/elsewhere"
theirs = elsewhere + "/libompd.so"
os.mkdir(elsewhere)
shutil.copy(t.hooks, elsewhere)
t.run("set environment LD_PRELOAD = %s/libompd-hooks.so" % elsewhere)
t.run("set environment OMP_OMPD = on")


def library():
    """The library that a new process gets."""
    t.stop_at("idle")
    status = t.run("ompd status")
    t.note(status)
    return [line.split()[1] for line in status.splitlines() if line.startswith("library")][0]


t.equal(library(), OURS, "what the program names is not there: the plugin's own")
t.equal(t.threads()[0]["State"], "work", "which works")

with open(theirs, "w", encoding="utf-8") as file:
    file.write("no library\n")
t.equal(library(), OURS, "what it names is no library: the plugin's own")

os.unlink(theirs)
shutil.copy(OURS, theirs)
os.chmod(theirs, 0o666)
t.equal(library(), OURS, "anybody could have written it: the plugin's own")

kept = installed.libraries
installed.libraries = lambda: []
space.discard(1)
rows = t.threads()
t.like(rows[-1].get("remark", ""), r"^None of the OMPD libraries that the program names can "
       r"be used: .*%s: others may write to it; " % theirs, "without any, threads says why")
t.ok(len(rows) >= 4 and rows[0]["Where"] == "main () at " + t.mark("idle"),
     "and lists them", rows)
t.like(t.error("ompd parallel") or "", "^None of the OMPD libraries", "so does parallel")
installed.libraries = kept

os.chmod(theirs, 0o644)
t.equal(library(), theirs, "the one beside the hooks comes first")
t.equal(t.threads()[0]["State"], "work", "and works, though the other one is loaded, too")
shutil.copy(t.stage + "/lib/libompd-2.so", elsewhere)
t.equal(library(), theirs, "the one that tells more comes first")

# Without it the older interface serves.
os.unlink(theirs)
installed.libraries = lambda: []
t.equal(library(), elsewhere + "/libompd-2.so", "only the interface of 2015")
t.like(t.run("ompd status"), r"^ABI +OMPD 2\.000", "which the status names")
t.equal((t.threads()[0]["State"], t.threads()[-1]["State"]), ("work", "idle"),
        "it tells threads")
installed.libraries = kept
t.done()
