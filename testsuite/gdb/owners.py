# SPDX-License-Identifier: MIT
"""Whose code a thread runs, whatever the runtime's file is called: copies of libgomp with a
hash in their names, as wheels bring them, and files that have other names altogether."""

import os
import shutil

import harness

t = harness.begin(__file__, program="waits.c")
from openmp_inspect.code import code_owner  # noqa: E402
from gdb_openmp.host import process, symbols  # noqa: E402

STATES = {"0/6": "work", "1/6": "~wait critical", "2/6": "~wait critical", "3/6": "~wait lock",
          "4/6": "~wait nest lock", "5/6": "~wait barrier", "-": "not OpenMP"}

t.stop_at("all_wait")
(real,) = code_owner.runtimes(process.current()).gomp
t.equal({row["OMP"]: row["State"] for row in t.threads()}, STATES, "the system's libgomp")
looked_up = []
kept = symbols.function_addresses
symbols.function_addresses = lambda name: looked_up.append(name) or kept(name)
for _ in range(3):
    t.threads()
    t.run("bt")
t.equal(looked_up, [], "which is looked for once")
t.run("kill")
t.stop_at("all_wait")
t.run("ompd threads")
names = {"GOMP_parallel", "__kmpc_fork_call", "omp_get_wtime_"}
asked = [name for name in looked_up if name in names]
t.ok(0 < len(asked) <= 12 and set(asked) == names,
     "and again in the next process, by three names", asked)
symbols.function_addresses = kept
t.run("kill")

for name in "libgomp-c0ffee.so.1", "libgomp-a34b3233.so.1.0.0", "accelerated-7f.so":
    copy = os.path.join(t.scratch, name)
    shutil.copy(real, copy)
    t.run("set environment LD_PRELOAD = " + copy)
    t.stop_at("all_wait")
    t.equal(code_owner.runtimes(process.current()).gomp, {copy}, name + ": is the runtime")
    t.like(t.run("ompd status"), r"^runtime +GCC libgomp .*/%s$" % name, name + ": status")
    for where in t.live_and_core():
        t.equal({row["OMP"]: row["State"] for row in t.threads()}, STATES, name + where)
t.run("unset environment LD_PRELOAD")

# A user's library whose name looks like a runtime's is none.
t.run("shell %s -g -fopenmp -shared -fPIC -DLIBRARY %s -o %s/libgomp-plug.so" % (
    os.environ.get("CC", "gcc"), os.path.join(os.path.dirname(t.source), "plain.c"), t.scratch))
t.run("set environment LD_PRELOAD = %s/libgomp-plug.so" % t.scratch)
t.stop_at("all_wait")
t.equal(code_owner.runtimes(process.current()).whole, {real}, "a user's library with a name like libgomp's")
t.run("kill")
t.run("unset environment LD_PRELOAD")

# The hooks have the functions as well, and another runtime behind them stays what it is.
t.run("ompd on")
t.stop_at("all_wait")
found = code_owner.runtimes(process.current())
t.equal((found.gomp, found.whole), ({real}, {real, t.hooks}),
        "the hooks are not the runtime that they serve")
t.run("kill")
t.done()
