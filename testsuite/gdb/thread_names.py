# SPDX-License-Identifier: MIT
"""set ompd thread-names: gdb's names of threads while the program stands still."""

import harness

t = harness.begin(__file__, program="waits.c", timeout=120)

import gdb  # noqa: E402


def names():
    return {thread.num: thread.name for thread in gdb.selected_inferior().threads()}


def system():
    """The names that the threads have without anybody's doing."""
    t.run("set ompd thread-names off")
    return set(names().values())


for kind in ("bare", "hooked"):
    if kind == "hooked":
        t.run("ompd on")
    t.stop_at("all_wait", "run")
    t.equal(set(names().values()), {"waits"}, kind + ": by default they have their own")
    t.run("set ompd thread-names on")
    rows = {int(row["Id"].lstrip("* ")): row for row in t.threads() if "Id" in row}
    for number, name in sorted(names().items()):
        row = rows[number]
        if row["OMP"] == "-":
            t.equal(name, "waits", "%s: no OpenMP thread keeps its name" % kind)
            continue
        wanted = "OpenMP " + row["OMP"]
        if "wait" in row["State"]:
            wanted += ", " + row["State"]
        t.ok(name.startswith(wanted) and ("wait" in name) == ("wait" in row["State"]) and
             '"' not in name, "%s: %s" % (kind, wanted), name)
    t.ok('"OpenMP 0/6"' in t.run("info threads"), kind + ": info threads shows them",
         t.run("info threads"))
    t.run("thread name mine")
    t.run("set ompd thread-names on")
    t.equal(gdb.selected_thread().name, "mine", kind + ": the user's own name stays")
    t.equal(system(), {"waits", "mine"}, kind + ": off: they have theirs again")
    t.run("thread name")
    t.run("set ompd thread-names on")
    seen = []
    gdb.events.cont.connect(lambda _, seen=seen: seen.append(set(names().values())))
    t.run("next")
    t.equal(seen[:1], [{"waits"}], kind + ": while they run, too")
    t.ok(names()[1].startswith("OpenMP 0/6"), kind + ": at the next stop they are named again",
         names())
    t.run("ompd next")
    t.ok(names()[1].startswith("OpenMP 0/6"), kind + ": and behind steps of ours", names())
    t.run("set ompd thread-names auto")
    t.equal(set(names().values()), {"waits"}, kind + ": auto: without a front end none")
    t.run("kill")
    t.equal(t.error("set ompd thread-names on"), None, kind + ": without a program, no error")
    t.run("set ompd thread-names auto")
t.done()
