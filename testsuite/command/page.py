#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`ompd why -html`: the page is well-formed, says what -json says, is whole or not written at all,
stays small and fast, and names cannot do anything in it."""

import base64
import hashlib
import json
import os
import re
import resource
import stat
import sys
import tempfile

from ompd_runs import STAGE, Running, compiled, ompd
from page_reader import Reader
from tap import Tap

sys.path.insert(1, os.path.join(STAGE, "share/ompd/python"))
from openmp_inspect.report import graph_layout, html_graph, html_links, html_page  # noqa: E402

TAP = Tap()
HOSTILE = (
    "<script>alert(1)</script>", '"onload="alert(1)', "'onload='alert(1)", "</style><b>",
    "]]>-->", "</script><script>alert(1)</script>", "<!--", "&lt;b",
    "</pre></svg><img src=x onerror=alert(1)>",
    "\x00\x07\x1b[31m\x7f\x85", "\u202egnirts\u2066\u200b\ufeff", "\n\r\u2028\u2029", "\udc80\ud800",
    "a" * 10000, "<" * 10000, "javascript:alert(1)", "%s {0}", "\U000e0001", "",
)
MOST_SECONDS, MOST_BYTES = 6, 1 << 20  # of the page of 4096 threads


def frame(number):
    return {"threads": [number],
            "steps": ["main", "#pragma omp parallel a.c:3", "<wait %d>" % number]}


def facts(threads):
    """What a page of so many threads may be made of, of which each does something else."""
    numbers = list(range(1, threads + 1))
    return {
        "schema": "ompd-page/1", "version": "0", "debugger": "ompd", "time": "now",
        "why": {"pid": 1, "core": None, "program": "heat", "host": "here", "rank": None,
                "size": None, "job": "j", "unknown": ["lock owners"],
                "verdicts": [{"kind": "deadlock", "certainty": "certain", "sentence": "they wait"},
                             {"kind": "nothing", "certainty": None, "sentence": "nothing"}]},
        "headings": ["deadlock: they wait", "nothing waits: nothing"],
        "lines": [["  1  waits", "     at a.c:1"], []],
        "sources": [[{"word": "since", "place": "a.c:2", "threads": [1], "first": 1, "line": 2,
                      "is_newer": True, "lines": ["one", "omp_set_lock (&a);"]}], []],
        "backtraces": [{"thread": 1, "name": "Thread 1", "lines": ["#0 f () at a.c:2"]}],
        "history": [{"thread": number, "seconds": -number, "waited_seconds": None, "words": "waits",
                     "open": True, "file": "a.c", "line": 1} for number in numbers[:9]],
        "process": [["command", "./heat -n 4"], ["runtime", "GCC libgomp"]],
        "doctor": [], "doctor_lines": ["doctor: 1", "  1 what"],
        "graph": {"left_out": 0, "nodes": [
            {"id": number, "kind": "thread", "what": "waits", "count": 1 + number % 2,
             "name": "thread %d" % number, "state": "waits", "place": "f () at a.c:1",
             "threads": [number] * (number % 9 > 1)} for number in range(min(threads, 160))],
                  "edges": [{"from": one, "to": (one * 7 + 1) % min(threads, 160),
                             "relation": "waits for", "inferred": bool(one % 3)}
                            for one in range(min(threads, 160))]},
        "stacks": [frame(number) for number in numbers],
        "threads": [["Id", "OMP", "State", "Waits for", "Where"]] + [
            [str(number), "%d/%d" % (number, threads), "~wait barrier", "explicit",
             "function_%d () at a.c:%d" % (number, number)] for number in numbers],
        "more_threads": True,
        "tasks": [["Id", "State", "Thread", "From", "Task", "Blocked by"],
                  ["1", "running", "1", "-", "f ()", "-"]]}


def spoiled(value, name):
    """VALUE with that NAME for all texts but the heads of tables."""
    if isinstance(value, str):
        return name
    if isinstance(value, list):
        if value and isinstance(value[0], list) and "Id" in value[0]:
            return [value[0]] + spoiled(value[1:], name)
        return [spoiled(one, name) for one in value]
    if isinstance(value, dict):
        return {key: spoiled(one, name) for key, one in value.items()}
    return value


def raw_faults(page):
    """That style and script are ours, and that the policy permits them and nothing else."""
    read, found = Reader(page), []
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
    if not policy.startswith("default-src 'none'; "):
        found.append(policy)
    for name, file in (("style", "page.css"), ("script", "page.js")):
        path = os.path.join(STAGE, "share/ompd/python/openmp_inspect/report", file)
        with open(path, encoding="utf-8") as stream:
            wanted = "\n" + stream.read()
        digest = base64.b64encode(hashlib.sha256(wanted.encode()).digest()).decode()
        if read.raw[name] != [wanted]:
            found.append("%s is not that of %s" % (name, file))
        if "%s-src 'sha256-%s'" % (name, digest) not in policy:
            found.append("%s is not permitted by %s" % (file, policy))
    return found


def hostile():
    for name in HOSTILE:
        made = facts(3)
        page = html_page.page(spoiled(made, name))
        read = Reader(page)
        TAP.case(read.faults[:9] + raw_faults(page) + [
            "no cell is its name" for _ in (1,) if name and name.isascii() and name.isprintable()
            and len(name) < 99 and read.tables["Threads"][1][0] != name], "a name %.40r" % name)
    spoils = Reader(html_page.page(facts(3)).replace("waits", "<b onload=''>\u202e"))
    TAP.ok(len(spoils.faults) > 3, "what is wrong is found")


def large():
    made = facts(4096)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    page = html_page.page(made)
    seconds = resource.getrusage(resource.RUSAGE_SELF).ru_utime - before
    read = Reader(page)
    TAP.case(read.faults[:9], "4096 threads: well-formed")
    TAP.ok(seconds < MOST_SECONDS and len(page) < MOST_BYTES and
           len(read.tables["Threads"]) == 4097, "4096 threads: in seconds, and all of them",
           seconds, len(page), len(read.tables["Threads"]))
    TAP.ok(min(map(float, re.findall(r'width="([.\d]+)%"', page))) > 2, "no frame is too narrow to be seen")
    TAP.note("%.2f s, %d bytes" % (seconds, len(page)))
    for row in made["threads"][1:]:
        row[4] = "compute () at solver.c:1234"
    page = html_page.page(made)
    read = Reader(page)
    TAP.equal((read.faults, read.tables["Threads that do the same"][1:], len(read.tables["Threads"])),
              ([], [["4096", "1-4096", "~wait barrier", "explicit", "compute () at solver.c:1234"]], 1025),
              "4096 threads that do the same")
    made["threads"] += made["threads"][1:] * 9
    made["stacks"] = [{"threads": [number], "steps": ["f%d" % (number % 7 ** (depth % 5))
                                                      for depth in range(2000)]}
                      for number in range(300)]
    page = html_page.page(made)
    read = Reader(page)
    TAP.ok(len(page) < 4 * MOST_BYTES and not read.faults and "further rows: ompd threads" in page,
           "what is too much for a page is cut", len(page), *read.faults[:9])


def layouts():
    """Nodes do not lie on each other, and who waits is left of what it waits for."""
    faults = []
    for name, count, edges in (("ring", 4, [(0, 1), (1, 2), (2, 3), (3, 0)]),
                               ("waiters", 9, [(one, 0) for one in range(1, 9)]),
                               ("pair", 2, [(0, 1), (1, 0)]), ("passing", 3, [(0, 1), (1, 2), (0, 2)]),
                               ("self", 1, [(0, 0)]), ("none", 0, []),
                               ("knot", 5, [(a, b) for a in range(5) for b in range(5) if a != b]),
                               ("long", 160, [(one, (one + 1) % 160) for one in range(160)])):
        heights = [20 + one % 3 for one in range(count)]
        found = graph_layout.layout(heights, edges)
        for one in range(count):
            for other in range(one):
                if found.columns[one] == found.columns[other] and \
                        found.tops[one] < found.tops[other] + heights[other] and \
                        found.tops[other] < found.tops[one] + heights[one]:
                    faults.append("%s: %d and %d overlap" % (name, one, other))
        faults += ["%s: %s passes %s" % (name, edge, bends) for edge, bends in found.bends.items()
                   for column, down in bends for one in range(count)
                   if found.columns[one] == column and
                   found.tops[one] < down < found.tops[one] + heights[one]]
        faults += ["%s: no bend" % name for _ in (1,) if name == "passing" and
                   len(found.bends[0, 2]) != 1]
        inside = {node for nodes in found.cycles for node in nodes}
        faults += ["%s: %d is not left of %d" % (name, one, other) for one, other in edges
                   if one not in inside and found.columns[one] >= found.columns[other]]
        if bool(inside) != (name in ("ring", "self", "knot", "long", "pair")):
            faults.append("%s: cycles %s" % (name, found.cycles))
        graph = {"nodes": [dict(facts(1)["graph"]["nodes"][0], id=one) for one in range(count)],
                 "edges": [dict(facts(1)["graph"]["edges"][0], **{"from": one, "to": other})
                           for one, other in edges]}
        labels = re.findall(r"</path><text ([^>]*)>", html_graph.drawing(graph, html_links.Links(graph)))
        if len(labels) != len(edges) or len(set(labels)) != len(edges) and name != "knot":
            faults.append("%s: labels at %s" % (name, labels))
    TAP.case(faults, "layouts")


def written(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def same(program, how, directory):
    """The page of a process says what the commands say."""
    path = os.path.join(directory, "page.html")
    with Running(program, how, threads=4) as one:
        said = ompd("why", "-json", "-html", path, one.pid)
        why = ompd("why", "-json", one.pid).json
        lines = ompd("why", "-every", one.pid).out.splitlines()[1:]
        threads = ompd("threads", "-json", one.pid).json
        tasks = ompd("tasks", "-json", one.pid).json
    page = written(path)
    read = Reader(page)
    TAP.case(read.faults[:9] + raw_faults(page), "%s: well-formed" % how)
    TAP.equal(said.json and said.json["verdicts"], why["verdicts"], "%s: -json with -html" % how)
    TAP.equal(read.headings, ["%s: %s [%s]" % (one["kind"], one["sentence"], one["certainty"])
                              for one in why["verdicts"]], "%s: all verdicts" % how)
    rest = [line for line in lines if line.startswith(" ")]
    shown = [line for block in read.blocks for line in block.split("\n")]
    # What doctor finds is a part of the page of its own.
    TAP.case([line for line in rest if line not in shown and "ompd doctor" not in line],
             "%s: their lines" % how)
    TAP.ok("#pragma omp barrier" in " ".join(re.findall("<mark>(.*?)</mark>", page)) or how != "mismatch",
           "%s: the line of the source" % how)
    TAP.case([name for name in (os.getcwd(), "%s %s" % (program, how), "OMP_WAIT_POLICY=passive")
              if name not in page], "%s: how it was started" % how)
    head, *rows = read.tables["Threads"]
    TAP.equal(sorted(int(row[0]) for row in rows), sorted(one["id"] for one in threads),
              "%s: threads" % how)
    at = head.index("State")
    states = {int(row[0]): row[at] for row in rows}
    TAP.case(["%d: %s" % (one["id"], states[one["id"]]) for one in threads if one["state"] and
              one["state"].split("_")[0] not in states[one["id"]]], "%s: states" % how)
    TAP.equal(len(read.tables.get("Tasks", [0])) > 1, bool(tasks), "%s: tasks" % how)


def files(program, directory):
    """FILE is replaced when the page is made, and else left as it is."""
    path = os.path.join(directory, "old.html")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write("old")
    os.chmod(path, 0o640)
    link = os.path.join(directory, "link.html")
    os.symlink("old.html", link)
    with Running(program, "mismatch", threads=4) as one, Running(program, "mismatch") as two:
        said = ompd("why", "-html", path, 999999999)
        TAP.equal((said.status, written(path)), (66, "old"), "no process: FILE is as it was")
        said = ompd("why", "-html", path, one.pid, two.pid)
        TAP.equal(ompd("why", "-html", path, "-leave-out", "host", one.pid, two.pid).status, 64,
                  "nothing is left out of that of two")
        TAP.equal((said.status, [heading[:22] for heading in Reader(written(path)).headings]),
                  (12, ["2 processes: deadlock:"]), "two targets: one page")
        for option in "-html", "-graph":
            said = ompd("why", option, os.path.join(directory, "no/such"), one.pid)
            TAP.ok(said.status == 73 and said.err.endswith(
                "cannot be written: No such file or directory.\n"), "%s: no such directory" % option,
                said.status, said.err)
        said = ompd("why", "-html", link, one.pid)
        TAP.ok(said.status == 12 and said.out.endswith("The page is in %s.\n" % link) and
               written(path).startswith("<!DOCTYPE html>") and os.path.islink(link) and
               stat.S_IMODE(os.stat(path).st_mode) == 0o640,
               "by way of a link: replaced, with its permissions", said.status, said.out, said.err)
        said = ompd("why", "-html", path, "-no-source", "-leave-out", "command,settings", one.pid)
        TAP.case([word for word in ("<mark>", "OMP_WAIT_POLICY", "%s mismatch" % program)
                  if word in written(path)], "what is left out")
        said = ompd("why", "-html", path, "-leave-out", "no", one.pid)
        TAP.like(said.err, 'no part "no" that can be left out: there are command, .*, source', "no such part")
        said = ompd("why", "-html", "/dev/stdout", one.pid)
        TAP.ok("<!DOCTYPE html>" in said.out and os.path.exists("/dev/stdout"), "a pipe", said.err)
    TAP.equal(sorted(name for name in os.listdir(directory) if name.startswith(".")), [],
              "nothing else is left there")


def history(program, directory):
    """Bars are the waits that -json has, and so are the events of a trace."""
    page, trace = (os.path.join(directory, name) for name in ("page.html", "trace.json"))
    with Running(program, "order3", threads=3, before=[os.path.join(STAGE, "bin/ompd-run"), "--history"]) as one:
        ompd("why", "-html", page, one.pid)
        events = ompd("history", "-last", "999", "-json", one.pid).json
        said = ompd("history", "-trace", trace, one.pid)
    waits = [event for event in events if event["open"] or event["waited_seconds"]]
    TAP.equal((written(page).count('class="open"'), written(page).count('class="wait"')),
              (3, len(waits) - 3), "a timeline")
    found = json.loads(written(trace))["traceEvents"]
    TAP.equal((said.out.endswith("The trace is in %s.\n" % trace), sorted(
        (event["name"], event["tid"], event["ph"]) for event in found if event["ph"] != "M")), (True, sorted(
            (event["words"], event["thread"], "X" if event in waits or event["waited_seconds"] == 0 else "i")
            for event in events)), "a trace")
    least = min(event["dur"] for event in found if event.get("args", {}).get("open"))
    TAP.ok(least > 1000 and min(event["ts"] for event in found if "ts" in event) == 0, "its times", least)


def main():
    hostile()
    large()
    layouts()
    with tempfile.TemporaryDirectory(prefix="ompd-page-") as directory:
        made = {name: compiled(directory, "why/%s.c" % name, name)
                for name in ("barriers", "tasks")}
        same(made["barriers"], "mismatch", directory)
        same(made["tasks"], "group", directory)
        files(made["barriers"], directory)
        history(compiled(directory, "why/locks.c", "locks"), directory)
    TAP.end()


main()
