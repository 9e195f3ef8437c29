# SPDX-License-Identifier: MIT
"""ompd stacks: one tree of all threads, joined worker stacks included, in linear time."""

import harness

t = harness.begin(__file__, program="many.c", timeout=300)
import time  # noqa: E402

import gdb  # noqa: E402

import gdb_openmp  # noqa: E402
from gdb_openmp.host import symbols, thread_ids  # noqa: E402
from gdb_openmp.program import address_space  # noqa: E402
from openmp_inspect.report import stack_tree  # noqa: E402

ARROW = " \u2192 "
took = {}
asked = {}
slow = [0]


def counted(module, name):
    """Calls of what takes long are counted."""
    function = getattr(module, name)

    def counting(*arguments, **keywords):
        slow[0] += 1
        return function(*arguments, **keywords)
    setattr(module, name, counting)


for module, name in ((gdb, "parse_and_eval"), (gdb, "execute"), (symbols, "at"),
                     (thread_ids, "threads")):
    counted(module, name)
for threads in (8, 64, 256):
    for hooks in (True, False):
        kind = "%d threads, %s" % (threads, "hooks" if hooks else "stock")
        t.run("ompd on" if hooks else "ompd off")
        t.run("set args %d" % threads)
        t.stop_at("here")
        t.run("ompd threads")
        address_space.current().forget()
        began = time.monotonic()
        found = t.run("ompd stacks")
        took[threads, hooks] = time.monotonic() - began
        for command in ("ompd stacks", "ompd bt -all", "thread apply all -q -- bt"):
            address_space.current().forget()
            slow[0] = 0
            gdb_openmp.stats(reset=True)
            t.run(command)
            asked[threads, hooks, command] = slow[0]
            reads = gdb_openmp.stats()["target_accesses"]
            t.note("%d reads" % reads)
            t.ok(reads < 1000 + 2 * threads, "%s: %s reads no lock that nobody can hold" % (
                kind, command), reads)
        t.note(found)
        width = len(str(threads))
        t.equal(found.splitlines(), [
            "%d threads" % threads,
            "\u2514\u2500 %d  main%s#pragma omp parallel %s%smain  1-%d" % (
                threads, ARROW, t.mark("region"), ARROW, threads),
            "   \u251c\u2500 %*d  <inside a barrier>  1-%d" % (width, threads - 1, threads - 1),
            "   \u2514\u2500 %*d  (here)  %d" % (width, 1, threads)], kind)
        if threads == 8:
            t.run("ompd stacks -lines")
            some = t.run("ompd stacks -lines 2 4-5 8").splitlines()
            line = t.mark("region").split(":")[1]
            t.equal(some[0], "4 threads", kind + ": those asked for")
            t.like(some[1], r"^. {0,2}.*4  main:\d+%s#pragma omp parallel many\.c:%s  2 4-5 8$" %
                   (ARROW, line), kind + ": -lines keeps lines apart")
            t.equal(len(some), 4, kind + ": the one that stopped is at another line")
        t.run("kill")
t.note(", ".join("%d %s: %.0f ms" % (n, "hooks" if h else "stock", s * 1e3)
                 for (n, h), s in sorted(took.items())))
for hooks in (True, False):
    for command in ("ompd stacks", "ompd bt -all", "thread apply all -q -- bt"):
        few, many = asked[8, hooks, command], asked[256, hooks, command]
        t.ok(few == many, "%s, %s: nothing slow is asked for each thread" % (
            command, "hooks" if hooks else "stock"), "%d of 8, %d of 256" % (few, many))
    t.ok(took[256, hooks] < 4 * 6 * max(took[64, hooks], 0.005),
         "four times the threads cost no more than their share", took)

# Stacks in a tree, without a program.
tree = stack_tree.Tree()
for number in range(1, 2001):
    tree.add(["main", "even" if number % 2 == 0 else "odd"], number)
t.equal(stack_tree.drawn(tree)[1], "   \u251c\u2500 1000  odd  1 3 5 7 9 11 13 15 17 19 21 23 25 27 29 \u2026 1999",
        "of many threads not all numbers")
t.equal([len(leaf["threads"]) for leaf in stack_tree.leaves(tree)], [1000, 1000], "which JSON has")
tree = stack_tree.Tree()
for number, steps in enumerate((["main", "a", "b"], ["main", "a", "b"], ["main", "a"],
                                ["main", "c"] + ["r"] * 5000, ["other"]), 1):
    tree.add(steps, number)
found = stack_tree.drawn(tree)
t.note("\n".join(found))
t.equal(found, [
    "\u251c\u2500 4  main  1-4",
    "\u2502  \u251c\u2500 3  a  1-3",
    "\u2502  \u2502  \u251c\u2500 2  b  1-2",
    "\u2502  \u2502  \u2514\u2500 1  (here)  3",
    "\u2502  \u2514\u2500 1  c%sr \u00d75000  4" % ARROW,
    "\u2514\u2500 1  other  5"], "forks, ends within others, and deep recursion")
for steps, short in (
        ("m a b a b a b c c", "m (a b) \u00d73 c \u00d72"), ("a b a", "a b a"), ("", ""),
        ("m " + "t r r " * 800 + "s", "m (t r \u00d72) \u00d7800 s"),
        ("a b c d " * 2 + "e", "(a b c d) \u00d72 e"), ("a " * 7, "a \u00d77")):
    t.equal(" ".join(stack_tree.folded(steps.split())), short, "folded: " + short)
# What has no pattern: the middle of a long line is left out.
long = stack_tree.Tree()
long.add([str(number * number) for number in range(3000)], 1)
t.equal([len(line.split(ARROW)) for line in stack_tree.drawn(long)], [65], "a long line is cut")
t.like(stack_tree.drawn(long)[0], " \u2026 2936 more \u2026 ", "and says of how much")
t.equal(len(stack_tree.leaves(long)[0]["steps"]), 3000, "-json has all of it")
began = time.monotonic()
stack_tree.folded([str(number % 15 + number // 500) for number in range(100000)])
t.ok(time.monotonic() - began < 20, "folding is linear", time.monotonic() - began)
gdb.execute("set width 20")
narrow = stack_tree.drawn(tree)
gdb.execute("set width 0")
t.note("\n".join(narrow))
t.equal(narrow[5:8], ["\u2502  \u2514\u2500 1  c \u2192", "\u2502          r \u00d75000",
                      "\u2502        4"], "lines as wide as the screen")
t.run("set host-charset ASCII")
t.ok(all(ord(sign) < 128 for line in stack_tree.drawn(tree) for sign in line),
     "plain signs for plain terminals")
t.run("set host-charset auto")
t.done()
