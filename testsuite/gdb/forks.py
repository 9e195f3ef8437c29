# SPDX-License-Identifier: MIT
"""Parent and child of a fork, both held by gdb, keep their threads apart."""

import harness

t = harness.begin(__file__, program="forks.c")
import gdb  # noqa: E402


def numbers():
    return sorted(r["OMP"] for r in t.threads() if r["State"] != "idle")


t.run("ompd on")
t.run("set detach-on-fork off")
t.run("set follow-fork-mode parent")
t.stop_at("in_parent")
t.equal(numbers(), ["0/3", "1/3", "2/3"], "the parent's team")
gdb.execute("inferior 2", to_string=True)
rows = t.threads()
t.equal(len(rows), 1, "the child has only the thread that forked")
t.stop_at("in_child", "continue")
t.equal(numbers(), ["0/2", "1/2"], "the child's own team")
t.ends("the child ends as it should")
gdb.execute("inferior 1", to_string=True)
t.equal(numbers(), ["0/3", "1/3", "2/3"], "the parent's team is as it was")
t.done()
