# SPDX-License-Identifier: MIT
"""Graphs of tasks: graphviz accepts and draws them where it is installed, and it is said what
to do where it is not."""

import os
import re
import shutil
import subprocess

import harness

t = harness.begin(__file__, program="depends.c")
import gdb  # noqa: E402

from openmp_inspect.report import graphviz  # noqa: E402

MAGIC = {".png": b"\x89PNG\r\n", ".svg": b"<?xml", ".pdf": b"%PDF-", ".ps": b"%!PS",
         ".PNG": b"\x89PNG"}
DOT = shutil.which("dot")


def beginning(path):
    with open(path, "rb") as stream:
        return stream.read(8)


def parsed(text):
    """(labels of the nodes, (tail, head, label) of the edges) as graphviz reads the text."""
    lines = subprocess.run([DOT, "-Tplain"], input=text.encode(), stdout=subprocess.PIPE,
                           check=True).stdout.decode().splitlines()
    nodes = {line.split()[1]: re.search(r'(?:".*?(?<!\\)"|\S+) filled', line).group(0)
             for line in lines if line.startswith("node ")}
    edges = {tuple(line.split()[1:3]) for line in lines if line.startswith("edge ")}
    return nodes, edges


class Row:
    """A task whose names are of no help."""
    number, state, thread, parent, predecessors = 1, "running", None, None, ()


class Rows:
    @staticmethod
    def place(_row):
        return 'operator"" _x\\n<a> () at a"b\\.c:1\nend }; t2 [label="'

    @staticmethod
    def state(row):
        return row.state


t.run("ompd on")
t.stop_at("here")
path = os.path.join(t.scratch, "tasks.dot")
t.like(t.run("ompd tasks -graph " + path), r"^The graph of \d tasks is in .*tasks.dot", "as text")
with open(path, encoding="utf-8") as stream:
    text = stream.read()
rows = {re.match(r"\d+", line).group(0): line
        for line in t.run("ompd tasks -all").splitlines()[1:]}
odd = graphviz.of_tasks(Rows, [Row])
if DOT is None:
    t.skip("what graphviz makes of it", "graphviz is not installed")
else:
    nodes, edges = parsed(text)
    t.equal(sorted(nodes), sorted("t" + number for number in rows),
            "graphviz finds every task, and what created them")
    for number, label in nodes.items():
        line = int(re.search(r"depends\.c:(\d+)|initial()", label).group(1) or 0)
        t.ok("depends.c:%d" % line in rows[number[1:]] or not line,
             "with its own place: %s" % number, label, rows[number[1:]])
    found = {(one, other) for other, row in rows.items()
             for one in re.findall(r"task (\d+) \(in", row)}
    creators = {number: re.split(" {2,}", row)[3] for number, row in rows.items()}
    found |= {(one, number) for number, one in creators.items() if one != "-"}
    t.equal(edges, {("t" + one, "t" + other) for one, other in found},
            "who created whom and who waits for whom")
    for kind, magic in MAGIC.items():
        picture = os.path.join(t.scratch, "tasks" + kind)
        t.like(t.run("ompd tasks -graph " + picture), r"^The graph of \d tasks is in ", kind)
        t.ok(beginning(picture).startswith(magic), kind + ": is what it is called",
             beginning(picture))
    t.like(t.error("ompd tasks -graph /nonexistent/tasks.png") or "",
           r"^/nonexistent/tasks\.png cannot be written: \S", "where nothing can be written")
    nodes, edges = parsed(odd)
    t.equal((list(nodes), edges), (["t1"], set()), "no name leaves its quotes")

before = os.environ["PATH"]
os.environ["PATH"] = os.path.join(t.scratch, "empty")
try:
    picture = os.path.join(t.scratch, "none.png")
    t.equal(t.error("ompd tasks -graph " + picture),
            '"dot" of graphviz, which draws .png, is not installed: a name that ends with .dot '
            "gets the text.", "without graphviz: what a picture takes")
    t.ok(not os.path.exists(picture), "without graphviz: nothing is written")
    t.like(t.run("ompd tasks -graph " + path), r"^The graph of \d tasks is in ",
           "without graphviz: the text is, as ever")
finally:
    os.environ["PATH"] = before
gdb.execute("kill", to_string=True)
t.done()
