# SPDX-License-Identifier: MIT
"""Tasks that differ in their numbers only share a line of "ompd tasks"."""

import re

import harness

t = harness.begin(__file__, program="folds.c")

import gdb_openmp  # noqa: E402
from gdb_openmp.program import address_space  # noqa: E402

LEAVES = 60
BRANCH = "(\u2514\u2500|`-) "


def merged(kind, listed):
    """JSON's merged form says the same in fewer objects."""
    objects = t.json("tasks -merge")
    t.ok(len(objects) <= 10, kind + ": merged JSON is short", *objects)
    again = []
    for one in objects:
        ids = [number for first, last in one["ids"] for number in range(first, last + 1)]
        t.equal(len(ids), one["count"], "%s: %s of them" % (kind, one["count"]))
        again += [(number, place, one["chain"], one) for place, number in enumerate(ids)]
    wrong = []
    for (number, place, chain, found), task in zip(sorted(again, key=lambda one: one[0]), listed):
        wanted = dict(task, ids=found["ids"], count=found["count"], chain=chain)
        del wanted["id"], wanted["serial"]
        if chain is not None and place:
            wanted[chain] = found[chain]  # each names the one before it
        if number != task["id"] or wanted != found:
            wrong.append((task, found))
    t.ok(not wrong and len(again) == len(listed), kind + ": merged JSON says what JSON does",
         *wrong[:2])


def in_backtraces(kind, hooks):
    """The labels of each task in the recursion are one row of "bt" and of "ompd bt"."""
    numbered = hooks and not harness.CLANG  # of LLVM's runtime only the innermost task is known
    printed = t.run("bt")
    found = re.findall(r"^    \S+ #pragma omp task, .* \(%stimes=(\d+)\) at %s$" % (
        r"task=\d+, " * numbered, t.mark("chain")), printed, re.M)
    # The deepest are undeferred, as libgomp has too many by then, and have one label each.
    t.ok(found == [str(number) for number in range(2, len(found) + 2)] and len(found) > 20,
         kind + ": bt: labels that repeat are one row with a count", printed)
    t.like(t.run("bt -full -6"), r" task, run in .*\(.*times=", kind + ": which needs none before it")
    printed = t.run("ompd bt")
    again = re.findall("^    \\S+ #pragma omp task, .*%s [\u00d7x](\\d+) " % (
        r", task \d+" * numbered), printed, re.M)
    t.equal(again, found, kind + ": ompd bt has the same rows")


def looks(depth, hooks):
    kind = "%s, %d deep" % ("hooks" if hooks else "stock", depth)
    t.run("set args %d" % depth)
    t.stop_at("here")
    if depth == 100:
        in_backtraces(kind, hooks)
    listed = t.json("tasks")
    t.equal(len(listed), depth + LEAVES, kind + ": JSON has each task")
    merged(kind, listed)
    gdb_openmp.stats(reset=True)
    lines = t.run("ompd tasks").splitlines()
    reads = gdb_openmp.stats()["callback_reads"]
    t.note("\n".join(lines))
    ids = {task["id"]: task for task in listed}
    leaves = [number for number, task in ids.items() if task["state"] == "ready"]
    t.equal(len(leaves), LEAVES, kind + ": the leaves are ready")
    t.like("\n".join(lines), r"^%d-%d +ready x%d +- +\d+ +leaves \(\) at %s" % (
        min(leaves), max(leaves), LEAVES, t.mark("leaves")), kind + ": they share a line")
    chain = [line for line in lines if ", chain " in line]
    t.ok(chain and all(re.match(r"\d+-\d+ +\S.* x\d+ ", line) for line in chain),
         kind + ": so does the recursion", *lines)
    t.ok(len(lines) <= 10, kind + ": the table is short", *lines)
    listed_tasks = sum(int(found.group(1)) if found else 1
               for found in (re.search(r" x(\d+) ", line) for line in lines[1:]
                             if re.match(r"\d", line)))
    t.equal(listed_tasks, depth + LEAVES, kind + ": no task is missing")
    tree = t.run("ompd tasks -tree").splitlines()
    t.note("\n".join(tree))
    t.ok(any(re.search(BRANCH + "60 tasks %d-%d " % (min(leaves), max(leaves)), line)
             for line in tree), kind + ": leaves of the tree share a line", *tree)
    t.ok(any("chain of " in line for line in tree), kind + ": and chains do", *tree)
    t.ok(len(tree) <= 12, kind + ": the tree is small", *tree)
    return reads


def in_turn(count, hooks):
    kind = "%s, %d in turn" % ("hooks" if hooks else "stock", count)
    t.run("set args 0 %d" % count)
    t.stop_at("here")
    t.run("ompd threads")
    gdb_openmp.stats(reset=True)
    lines = t.run("ompd tasks").splitlines()
    reads = gdb_openmp.stats()["callback_reads"]
    t.note("%d reads\n%s" % (reads, "\n".join(lines)))
    if count < 10000:
        merged(kind, t.json("tasks"))
    t.like("\n".join(lines),
           r"(?s)\d+-\d+ +waiting x%d +- +\d+ +in_turn[^\n]* at %s +task \d+[^-]*chain" % (
               count - 1, t.mark("turn")), kind + ": those that wait in turn share a line")
    t.ok(len(lines) < 8, kind + ": the table is short", *lines)
    tree = "\n".join(t.run("ompd tasks -tree").splitlines())
    t.like(tree, BRANCH + r"%d tasks \d+-\d+ .*waiting: task \d+[^-]*chain" % (count - 1),
           kind + ": and so in the tree")
    # Those of LLVM's runtime are in a page together with few others, and so are their nodes.
    t.ok(reads < count * (1 + (hooks and harness.CLANG)), kind + ": less than a read for each",
         reads)
    t.ok(not address_space.current().damaged, kind + ": the program is not taken for damaged")


for hooks, _ in t.both_ways():
    shallow, deep = looks(100, hooks), looks(1600, hooks)
    t.note("%d and %d reads" % (shallow, deep))
    t.ok(deep <= 20 * shallow + 1000, "16 times the depth takes 16 times the reads",
         shallow, deep)
    in_turn(1000, hooks)
    in_turn(70000, hooks)

# A recorded program has the numbers of its records, also while one has none yet.
if not harness.CLANG:  # whose workers begin when the region is announced
    t.run("kill")
    t.run("ompd on")
    t.run("set args 0 1000")
    t.run("set breakpoint pending on")
    t.run("tbreak ompd_hooks_region")
    t.run("run")
    t.run("thread 1")
    t.run("set scheduler-locking on")
    t.stop_at("here", "continue")
    lines = t.run("ompd tasks").splitlines()
    t.like(lines[1], r"^4 +ready ", "a worker has yet to begin: the first task")
    t.like(lines[2], r"^5-1003 +waiting x999 ", "and those behind it")
    t.equal(t.json("tasks -all")[-1]["kind"], "implicit", "the worker's own comes last")
    t.run("set scheduler-locking replay")
    t.run("kill")
    t.run("ompd off")

t.run("set args 5")
t.stop_at("here")
t.equal(len([line for line in t.run("ompd tasks -state running").splitlines()
             if re.match(r"\d", line)]), 1, "one that nothing equals has its line")
t.done()
