# SPDX-License-Identifier: MIT
"""A process or its records that are not what they seem, and the sentence that is said about it.
Where there is nothing to look at is in situations.py."""

import harness

t = harness.begin(__file__, program="waits.c")
import os  # noqa: E402
import signal  # noqa: E402
import time  # noqa: E402

import gdb  # noqa: E402

from one_state import in_futex  # noqa: E402
from openmp_inspect.core import errors  # noqa: E402
from openmp_inspect.bindings import extension5  # noqa: E402
from openmp_inspect.model import snapshot  # noqa: E402
from gdb_openmp.host import thread_ids  # noqa: E402
from gdb_openmp.program import address_space  # noqa: E402

# Somebody kills the process behind gdb's back.
t.run("ompd on")
UNREADABLE = "The program's memory cannot be read (has it died, or is the core truncated?)."
for looked in (True, False):
    t.stop_at("all_wait")
    if looked:
        before = t.run("ompd threads")
    os.kill(gdb.selected_inferior().pid, signal.SIGKILL)
    time.sleep(0.3)
    if looked:
        # What was read before is still shown; gdb itself has not noticed either.
        t.equal([r["OMP"] for r in t.threads()], [r["OMP"] for r in harness.table(before)],
                "threads of a killed process, as they were")
    else:
        rows = t.threads()
        t.equal(len(rows), 8, "threads of a killed process are listed")
        t.equal(rows[-1].get("remark"), UNREADABLE, "and it is said why no more is known")
        for command in ("parallel", "tasks", "icvs", "env"):
            t.equal(t.error("ompd " + command), UNREADABLE, command + " of a killed process")
    t.ok(t.error("ompd status") is None, "status of a killed process")
    for command in ("continue", "kill"):
        try:
            t.run(command)
        except gdb.error as error:
            t.note(error)

# Records of a version that the library does not know.
t.stop_at("all_wait")
address = int(gdb.parse_and_eval("(unsigned long long) &'ompd_hooks_layout'"))
process = gdb.selected_inferior()
kept = bytes(process.read_memory(address + 12, 4))


def set_version(version):
    process.write_memory(address + 12, version)
    address_space.discard(process.num)


set_version(b"\x63\0\0\0")
with snapshot.Snapshot.of(address_space.current()) as seen:
    team = seen.threads[0].region.handle.address
known = [row["OMP"] for row in harness.table(before)]
t.equal([row["OMP"] for row in t.threads()], known,
        "hooks of another version: libgomp itself tells who is in which team")
t.ok(t.error("ompd parallel") is None, "and the regions")
t.like(t.run("ompd status"), "of a version that this OMPD library does not know",
       "status says so")
set_version(kept)
t.equal(t.run("ompd threads"), before, "with the right version all is well")


# A routine that fails for one thread spoils one row.
query = extension5.ExtensionQuery
state, facts_of, kinds_of = query.state, query.thread_facts, query.kinds
lwp = [thread.ptid[1] for thread in thread_ids.threads(process)]


def broken(self, thread):
    if self.lwp(thread) == lwp[2]:
        raise errors.OmpdError("error", "ompd_get_state")
    return state(self, thread)


def lacking(self):
    for thread, key, facts in facts_of(self):
        if facts["lwp"] == lwp[2]:
            del facts["state"]
        yield thread, key, facts


def unkind(self):
    return {key: (None if key == lwp[2] else found[0], *found[1:])
            for key, found in kinds_of(self).items()}


query.state, query.thread_facts, query.kinds = broken, lacking, unkind
address_space.current().forget()
rows = t.threads()
t.equal((rows[2]["OMP"], rows[2]["State"], rows[2]["Where"]),
        ("1/6", "inconsistent", "add_up () at " + t.mark("critical")),
        "the row of a thread whose state cannot be had")
rows[2] = None
wanted = harness.table(before)
wanted[2] = None
t.equal(rows, wanted, "the other rows are as before")
query.state, query.thread_facts, query.kinds = state, facts_of, kinds_of
address_space.current().forget()

# A thread that gdb does not list.
listed = thread_ids.threads
thread_ids.threads = lambda inferior: listed(inferior)[:-1]
rows = t.threads()
t.equal([rows[-1][c] for c in ("Id", "OMP", "State", "Where")],
        ["-", "5/6", "wait barrier", "LWP %d, not seen by gdb" % lwp[-1]],
        "a thread that only the runtime knows")
thread_ids.threads = listed
t.equal(t.run("ompd threads"), before, "and all is well again")

# Locks of which the records do not say what they are.
locks_of = query.locks
query.locks = lambda self: [one._replace(kind=None) for one in locks_of(self)]
address_space.current().forget()
held = [lock for row in t.json("threads") for lock in row["holds"]]
t.ok(held and all(lock["kind"] is None for lock in held), "locks of an unknown kind", held)
query.locks = locks_of
address_space.current().forget()


def overwrite():
    """Has the team damaged: its layout stays known, and so do stacks and all that is recorded."""
    with snapshot.Snapshot.of(address_space.current()) as seen:
        t.equal((seen.damaged, [one.damaged for one in seen.runtimes]), (None, [None]), "no damage")
    gdb.selected_inferior().write_memory(team, bytes(192))
    address_space.current().forget()
    rows = [row for row in t.threads() if "remark" not in row]
    for command in ("status", "threads", "why", "bt", "stacks"):
        t.like(" ".join(t.run("ompd " + command).split()), "memory of libgomp.so.1 is damaged at "
               "%#x: it has been overwritten" % team, command + " says where")
    pid = gdb.selected_inferior().pid
    found = t.json("why")["verdicts"]
    t.equal([one["lwp"] for verdict in found for one in verdict["at"]
             if one["does"] == "works" and in_futex(pid, one["lwp"])], [],
            "and no thread that is asleep works")
    t.ok(all(verdict["certainty"] != "certain" for verdict in found), "nor is a barrier there certain",
         found)
    t.run("kill")
    return rows


t.equal(overwrite(), [row for row in harness.table(before) if "remark" not in row],
        "recorded threads of a team that was overwritten")
t.run("ompd off")
t.stop_at("all_wait")
before = t.threads()
with snapshot.Snapshot.of(address_space.current()) as seen:
    team = seen.threads[0].region.handle.address
rows = overwrite()
t.equal([(row["OMP"], row["State"]) for row in rows if row["State"] != "not OpenMP"],
        [("?", "inconsistent")] * 6, "threads of a team that was overwritten")
t.equal([row["Where"] for row in rows], [row["Where"] for row in before], "are where they are")
t.done()
