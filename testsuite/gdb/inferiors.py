# SPDX-License-Identifier: MIT
"""Two programs in one gdb, a fork and an exec keep their state apart."""

import harness

t = harness.begin(__file__, program="waits.c")
import re  # noqa: E402

import gdb  # noqa: E402

from openmp_inspect.analysis import evidence, thread_table  # noqa: E402
from openmp_inspect.report import node_words  # noqa: E402
from gdb_openmp.host import inferiors  # noqa: E402
from gdb_openmp.ui import session  # noqa: E402

t.run("ompd on")
t.stop_at("all_wait")
first = t.run("ompd threads")

gdb.execute("add-inferior -exec " + t.build("nested.c"), to_string=True)
gdb.execute("inferior 2", to_string=True)
t.equal(t.error("ompd threads"), harness.NO_PROCESS, "the second inferior has no process yet")
t.run("ompd on")
t.source = t.source.replace("waits.c", "nested.c")
t.stop_at("deep")
printed = t.noted("ompd threads")
rows = harness.table(printed)
t.ok(all(r["Id"].lstrip("* ").startswith("2.") for r in rows),
     "threads carry the number of their inferior", printed)
t.ok(any(r["OMP"].startswith("2/3") for r in rows), "they are those of the second program",
     printed)
first_row = rows[0]["Id"].lstrip("* ")
t.like(t.run("ompd bt -all"), r"^Thread %s, OpenMP thread" % re.escape(first_row),
       "headers have that number")
for command in ("bt", "stacks", "icvs"):
    t.equal(t.run("ompd %s %s" % (command, first_row)),
            t.run("ompd %s %s" % (command, first_row.split(".")[1])),
            "ompd %s takes it" % command)
    t.equal(t.error("ompd %s 1.1" % command),
            'Thread 1.1 is of another inferior: type "inferior 1" first.',
            "ompd %s looks at one inferior" % command)
t.like(t.run("ompd stacks"), r"  2\.\d", "stacks name threads so")
t.like(t.run("ompd parallel"), r"3 threads: 2\.\d.* encountered by thread 2\.1$",
       "and so do regions")
t.like(t.run("ompd tasks -all"), r"^\d+ +\S.* 2\.1 ", "and tasks")
t.equal(t.run("ompd tasks -all -thread 2.1"), t.run("ompd tasks -all -thread 1"),
        "ompd tasks takes it")

# All of them at once.
own = {}
for number in (1, 2):
    gdb.execute("inferior %d" % number, to_string=True)
    own[number] = [t.run(command).replace("* ", "  ") for command in ("ompd threads", "ompd why")]
    own[number].append(int(gdb.convenience_variable("_ompd_why")))
selected = gdb.selected_thread()
headed = r"Inferior 1 \(process \d+, waits\):\n(.*)\nInferior 2 \(process \d+, nested\):\n(.*)\Z"
for at, command in enumerate(("ompd threads -inferiors", "ompd why -inferiors")):
    printed = t.noted(command)
    found = re.match(headed, printed.replace("* ", "  "), re.S)
    t.equal(found and found.groups(), (own[1][at], own[2][at]), command)
    t.equal(gdb.selected_thread(), selected, command + ": the same thread is selected")
    t.equal(re.findall(r"^\* (\S+)", printed, re.M), ["2.%d" % selected.num] * (at == 0),
            command + ": which alone is marked")
t.equal(int(gdb.convenience_variable("_ompd_why")), max(own[1][2], own[2][2]),
        "the most certain one")
both = t.json("threads -inferiors")
t.equal([(one["inferior"], one["pid"], len(one["threads"]),
          [row["id"] for row in one["threads"] if row["selected"]]) for one in both],
        [(one.num, one.pid, len(one.threads()), [selected.num] * (one.num == 2))
         for one in gdb.inferiors()], "and in JSON")
t.equal([one["why"]["pid"] for one in t.json("why -inferiors")],
        [one.pid for one in gdb.inferiors()], "JSON of why")
gdb.execute("add-inferior", to_string=True)
gdb.execute("inferior 3", to_string=True)
t.equal(t.run("ompd threads -inferiors").replace("* ", "  "), t.run("ompd threads -inferiors"),
        "from one without a process: none is marked")
t.equal(gdb.selected_inferior().num, 3, "which is selected as before")
with t.attached("sleep", "600"):
    t.like(t.run("ompd why -inferiors"),
           r"^Inferior 3 \(process \d+, \w+\):\n%s$" % re.escape(harness.NO_OPENMP),
           "one that has no answer: the sentence")
    t.equal(t.json("why -inferiors")[2]["error"], harness.NO_OPENMP, "and in JSON")
    for option in ("-watch 1", "-graph g.dot"):
        t.equal(t.error("ompd why -inferiors " + option),
                "-watch and -graph are for one inferior: leave -inferiors out.", option)
gdb.execute("inferior 2", to_string=True)
gdb.execute("remove-inferiors 3", to_string=True)

gdb.execute("inferior 1", to_string=True)
rows = t.threads()
t.equal({re.search("held by [^)]*[)]", row["Waits for"]).group(0) for row in rows
         if "critical" in row["State"]},
        {"held by %s (0/6)" % next(row["Id"].lstrip("* ") for row in rows if row["OMP"] == "0/6")},
        "holders have the number of their inferior")
with session.snapshot() as snapshot, inferiors.selection_kept():
    nodes = evidence.collect(snapshot,
                             thread_table.all_rows(snapshot.space, snapshot)).nodes.values()
    names = [node_words.who(node) for node in nodes if node.kind == "thread"]
t.ok(names and all(name.startswith("1.") for name in names), "and so have threads of verdicts",
     names)
t.equal(sorted(r["OMP"] for r in rows), ["-", "0/6", "1/6", "2/6", "3/6", "4/6", "5/6"],
        "the first program is as it was")
t.equal([r["Where"] for r in rows], [r["Where"] for r in harness.table(first)],
        "in the same places")
gdb.execute("inferior 2", to_string=True)
t.run("kill")
gdb.execute("inferior 1", to_string=True)
t.equal(len(t.threads()), 7, "the end of the second does not touch the first")
gdb.execute("remove-inferiors 2", to_string=True)
t.equal(t.threads(), harness.table(first), "nor does its removal")
t.run("kill")

# exec: from a program without OpenMP into one with it.
gdb.execute("file /bin/sh", to_string=True)
gdb.execute("set args -c 'exec %s'" % t.program)
t.run("ompd on")
t.run("delete")
t.run("break hold")
t.run("run")
rows = t.threads()
t.equal(sorted(r["OMP"] for r in rows), ["-", "0/6", "1/6", "2/6", "3/6", "4/6", "5/6"],
        "after exec the new program is known")
t.run("kill")
t.run("delete")


# fork: parent and child, both held by gdb.
def numbers():
    return sorted(r["OMP"] for r in t.threads() if r["State"] != "idle")


t.use("forks.c")
t.run("set args")
t.run("set detach-on-fork off")
t.run("set follow-fork-mode parent")
t.stop_at("in_parent")
t.equal(numbers(), ["0/3", "1/3", "2/3"], "the parent's team")
child = max(one.num for one in gdb.inferiors())
gdb.execute("inferior %d" % child, to_string=True)
rows = t.threads()
t.equal(len(rows), 1, "the child has only the thread that forked")
t.stop_at("in_child", "continue")
t.equal(numbers(), ["0/2", "1/2"], "the child's own team")
t.ends("the child ends as it should")
gdb.execute("inferior 1", to_string=True)
t.equal(numbers(), ["0/3", "1/3", "2/3"], "the parent's team is as it was")
t.done()
