# SPDX-License-Identifier: MIT
"""Which OMPD library is loaded: the plugin's own, wherever the hooks of the program are from."""

import harness

t = harness.begin(__file__, program="nested.c")
import os  # noqa: E402
import shutil  # noqa: E402

from openmp_inspect.core import install_paths  # noqa: E402
from gdb_openmp.program import address_space  # noqa: E402

OURS = t.stage + "/lib/libompd.so"
elsewhere = t.scratch + "/elsewhere"
theirs = elsewhere + "/libompd.so"
older = t.stage + "/lib/libompd-2.so"
os.mkdir(elsewhere)
shutil.copy(t.hooks, elsewhere)
t.run("set environment LD_PRELOAD = %s/libompd-hooks.so" % elsewhere)
t.run("set environment OMP_OMPD = on")


def library():
    """The library that a new process gets."""
    t.stop_at("idle")
    status = t.noted("ompd status")
    return [line.split()[1] for line in status.splitlines() if line.startswith("library")][0]


t.equal(library(), OURS, "what the program names is not there")
t.equal(t.threads()[0]["State"], "work", "the plugin's own works")
shutil.copy(OURS, theirs)
t.equal(library(), OURS, "what it names is there: the plugin's own all the same")

kept = install_paths.libraries
install_paths.libraries = lambda: [t.source, "/nowhere/libompd.so"]
address_space.discard(1)
rows = t.threads()
t.like(rows[-1].get("remark", ""), r"^The OMPD libraries of this plugin cannot be used: "
       r"\S+nested\.c cannot be loaded: .*; /nowhere/libompd\.so No such file or directory\.$",
       "without any, threads says why")
t.ok(len(rows) >= 4 and rows[0]["Where"] == "main () at " + t.mark("idle"),
     "and lists them", rows)
t.like(t.error("ompd parallel") or "", "^The OMPD libraries of this plugin", "so does parallel")

# Without the one that tells most the older interface serves.
install_paths.libraries = lambda: [older]
t.equal(library(), older, "only the interface of 2015")
t.like(t.run("ompd status"), r"^ABI +OMPD 2\.000", "which the status names")
t.equal((t.threads()[0]["State"], t.threads()[-1]["State"]), ("work", "idle"),
        "it tells threads")
install_paths.libraries = lambda: [older, OURS]
t.equal(library(), OURS, "the one that tells more comes first")
install_paths.libraries = kept
t.done()
