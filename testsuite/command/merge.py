#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`ompd merge`, `ompd why -job` and `-all`: verdicts of many processes as one report.

Usage: merge.py [--seed N] [--rounds N]: of what is damaged by chance
"""

import argparse
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

from ompd_runs import OMPD, STAGE, Running, compiled, ompd
from page_reader import Reader
from rest import comes_to_rest
from tap import Tap

sys.path.insert(1, os.path.join(STAGE, "share/ompd/python"))
from openmp_inspect.core import screen  # noqa: E402
from ompd_command import launcher_output, merged_json, merged_page, merged_text, merged_verdicts  # noqa: E402
from openmp_inspect.code import rank_environment  # noqa: E402
from ompd_command import report_reader, runtime_search  # noqa: E402

TAP = Tap()
MOST_SECONDS, MOST_MEMORY = 20, 200 << 10  # of a merge; KiB
# Variables, and the rank, size and job that they say.
ENVIRONMENTS = (
    ({"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "8"}, (3, 8, None)),
    ({"PMI_RANK": "0", "PMI_SIZE": "4", "PBS_JOBID": "17.server"}, (0, 4, "17.server")),
    ({"SLURM_PROCID": "5", "SLURM_NTASKS": "6", "SLURM_JOB_ID": "99"}, (5, 6, "99")),
    ({"SLURM_PROCID": "0", "SLURM_NTASKS": "6", "OMPI_COMM_WORLD_RANK": "2",
      "OMPI_COMM_WORLD_SIZE": "3"}, (2, 3, None)),
    ({"PMIX_RANK": "1", "PMIX_NAMESPACE": "prterun-n1-4@1"}, (1, None, "prterun-n1-4@1")),
    ({"FLUX_TASK_RANK": "1", "FLUX_JOB_SIZE": "2"}, (1, 2, None)),
    ({}, (None, None, None)),
    ({"PMI_RANK": "-1", "PMI_SIZE": "4"}, (None, None, None)),
    ({"PMI_RANK": "4", "PMI_SIZE": "4"}, (4, None, None)),
    ({"PMI_RANK": "1" * 99, "SLURM_JOB_ID": "\033[2J"}, (None, None, None)),
    ({"PMI_RANK": "\u0663", "PMI_SIZE": "0x10"}, (None, None, None)),
)
# Names of files that are mapped: whether they are a runtime's.
RUNTIMES = {"/usr/lib/libgomp.so.1.0.0": True, "/a/libgomp-a34b3233.so.1.0.0": True,
            "/usr/lib/llvm-14/lib/libomp.so.5": True, "/opt/libiomp5.so (deleted)": True,
            "/lib/libomp5.so": True, "/lib/libompd.so": False, "/lib/libompd-hooks.so": False,
            "/lib/libomptarget.so.14": False, "/lib/libc.so.6": False}
CUT = 'ompd: reports are cut at 1 place, as where output of several tasks mixes: use "srun -l", ' \
    '"mpirun --tag-output" or "ompd why -o DIR".\n'
TEXT = """\
64 ranks on 8 nodes
 1 rank   waiting: 3 threads wait for thread 17 (1/4), which is in read ()   heat.c:9   17
16 ranks  nothing waits: 4 threads work.                                           48-63
47 ranks  waiting: thread N (0/4) is in MPI_Allreduce (); others wait for it heat.c:52  0-16,18-47

rank 17, 1017 heat, 4 threads, on node2
stuck: as it is said
  next     ompd bt 17
"""


def report(rank, kind="mpi", **fields):
    """An object as `ompd why -json` prints it."""
    thread = "thread %s" % rank
    at = {"thread": rank, "does": "mpi", "call": "MPI_Allreduce", "file": "src/heat.c", "line": 52,
          "function": "main"}
    sentence = thread + " (0/4) is in MPI_Allreduce (); others wait for it"
    if kind == "nothing":
        at, sentence = {}, "4 threads work."
    elif kind == "barrier-absent":
        at = dict(at, call="read", does="asleep", line=9)
        sentence = "3 threads wait for " + thread + " (1/4), which is in read ()"
    word = "nothing" if kind == "nothing" else "waiting"
    return dict({
        "pid": 1000 + (rank or 0), "core": None, "schema": "ompd-why/1", "rank": rank, "size": 64,
        "host": "node%d" % ((rank or 0) // 8), "job": "4711", "program": "heat", "threads": 4,
        "sentence": "nothing waits: 4 threads work." if kind == "nothing" else
        "waiting: " + sentence, "lines": ["stuck: as it is said", "  next     ompd bt %s" % rank],
        "verdicts": [{"id": kind, "kind": word, "certainty": None if kind == "nothing" else "possible",
                      "sentence": sentence, "links": [], "at": [at] if at else []}]}, **fields)


def of_job(size=64):
    return [report(rank, "barrier-absent" if rank == 17 else
                   "nothing" if rank >= size * 3 // 4 else "mpi", size=size) for rank in range(size)]


def merge(directory, text, *words):
    path = os.path.join(directory, "input")
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as stream:
        stream.write(text)
    return ompd("merge", *words, path)


def merged_of(objects):
    merged = merged_verdicts.Merged()
    for one in objects:
        merged_json.add(merged, one)
    return merged


def lines_of(reports, width=0):
    class Screen(screen.Screen):
        def width(self):
            return width

    screen.use(Screen())
    merged = merged_of(reports)
    return merged_text.lines(merged) if merged.groups else []


def tables():
    for variables, wanted in ENVIRONMENTS:
        TAP.equal(tuple(rank_environment.of_variables(variables))[:3], wanted,
                  "environment: " + (" ".join(sorted(variables)) or "nothing"))
    TAP.ok(not runtime_search.RUNTIME.search(b"00-01 r--p 0 0:0 1  /usr/lib/libgomp.so.1\n00-01 r-xp 0 0:0 1  /a"),
           "a runtime that is only read")
    TAP.equal({name: runtime_search.RUNTIME.search(b"00-01 r-xp 0 0:0 1  " + name.encode() + b"\n")
               is not None for name in RUNTIMES}, RUNTIMES, "files that are a runtime")


def formats(directory):
    job = of_job()
    one_each = "".join(json.dumps(one) + "\n" for one in job)
    backwards = "".join(reversed(one_each.splitlines(True)))
    wanted = None
    for name, text in (
            ("one per line", one_each), ("in another order", backwards),
            ("an array", json.dumps(job)), ("arrays", json.dumps(job[:9]) + json.dumps(job[9:])),
            ("indented", json.dumps(job, indent=2)),
            ("labelled lines", "".join("%d: %s\n" % pair for pair in
                                       enumerate(one_each.splitlines())))):
        said = merge(directory, text)
        wanted = wanted or said.out
        TAP.ok(said.out == wanted and said.status == 10 and not said.err, "merge: " + name, said.out,
               said.err)
    TAP.equal([line.split() for line in wanted.splitlines()],
              [line.split() for line in TEXT.splitlines()], "merge: the odd one is first")
    odd = "srun: job 5 {queued}\n" + one_each + "slurmstepd: {\"pid\": [1,\n" + json.dumps({"a": 1})
    said = merge(directory, odd)
    TAP.like(said.out, r'^2 lines and 1 object of the input are no reports of "ompd why -json"\.$',
             "merge: other lines are counted")
    found = merge(directory, odd, "-json").json
    TAP.ok(said.status == 75 and said.err == CUT, "merge: one that is cut is counted", said.status,
           said.err)
    TAP.equal([(group["id"], group["count"], group["ranks"][0]["ranks"]) for group in found["groups"]],
              [("barrier-absent", 1, [[17, 17]]), ("nothing", 16, [[48, 63]]),
               ("mpi", 47, [[0, 16], [18, 47]])], "merge -json")
    for text in ("", "nothing\n", "[]", "{}", "{\"schema\": \"ompd-why/1\"}", "\0" * 99):
        said = merge(directory, text)
        TAP.equal((said.status, said.out, said.err.count("\n")), (65, "", 1),
                  "merge: no report in %r" % text[:30])
    TAP.equal(ompd("merge", os.path.join(directory, "none")).status, 66, "merge: no such file")


def pages(directory):
    path, given = os.path.join(directory, "page.html"), os.path.join(directory, "input")
    with open(given, "w", encoding="utf-8") as stream:
        json.dump(of_job(), stream)
    said = ompd("merge", "-html", path, given)
    with open(path, encoding="utf-8") as stream:
        page = stream.read()
    read = Reader(page)
    TAP.equal((said.status, read.faults, [heading.split(":")[0] for heading in read.headings]),
              (10, [], ["1 rank", "16 ranks", "47 ranks"]), "merge -html: each verdict once, the odd one first")
    TAP.equal(re.findall(r'data-x="(\d)"><title>rank ([^<]*)', page),
              [("1", "17"), ("2", "48-63"), ("3", "0-16"), ("3", "18-47")], "its ranks")
    said = ompd("merge", "-html", os.path.join(directory, "no/page"), given)
    TAP.ok(said.status == 73 and said.err.endswith("cannot be written: No such file or directory.\n"),
           "merge -html: no such directory", said.status, said.err)


LABELS = ("%d: ", "%3d: ", "[1,%d]<stdout>:", "[1,%d]<stdout>: ", "[prterun-n1-4@1,%d]<stdout>: ")


def pieces(chance):
    """Each task's array in pieces, those of all of them in turn by chance, as a launcher labels them; one
    ends too early, and a line of another program stands between."""
    job = of_job()
    for one in job:
        one["lines"] = ["acc[0\"].l {\\", "  next  [\"", "\\\\"]
    for label in LABELS:
        tasks = [(label % task, json.dumps(job[task::8]) + " ") for task in range(8)]
        tasks.append((label % 8, json.dumps(report(99))[:-3]))
        found = [label % 8 + "srun: \"error {\n"]
        while tasks:
            at = chance.randrange(len(tasks))
            (head, text), size = tasks[at], chance.choice((1, 2, 99))
            found.append(head + text[:size] + "\n")
            tasks[at] = head, text[size:]
            if not text[size:]:
                del tasks[at]
        labelled = launcher_output.Pieces(io.StringIO("".join(found)))
        merged = merged_of(report_reader.Reader(labelled))
        merged.other = 0  # parts of the one that ends too early may be objects
        TAP.equal((known(merged), labelled.cut), (known(merged_of(job)), 1), "pieces labelled " + label % 3)


def known(merged):
    return json.loads(json.dumps(merged_json.facts(merged), default=lambda name: name.raw))


def folded(chance):
    """Merges of merges are what one merge of all is, in any order; each rank takes few bytes."""
    deadlock = {"id": "lock-cycle", "kind": "deadlock", "certainty": "certain", "sentence": "two",
                "links": [], "at": []}
    many = [report(rank, "barrier-absent") for rank in range(3000)]
    apart = [report(rank, "barrier-absent") for rank in range(3000)]
    for rank, one in enumerate(apart):
        one["verdicts"][0]["at"][0]["line"] = rank
    odd = [report(rank) for rank in range(3000)]
    for rank, one in enumerate(odd):
        one["verdicts"][0].update(kind="k" + "abcdefghij"[rank % 10] * (rank % 9 + 1), id="i" * (rank % 30 + 1))
    certain = dict(report(2999), verdicts=[deadlock], sentence="deadlock: two")
    for name, reports, level, groups in (
            ("a job", of_job(), 0, 3), ("twice", of_job() * 2, 0, 3), ("lines differ", apart, 1, 1),
            ("kinds differ", odd, 3, 1), ("hosts alone", [report(None, pid=pid % 90) for pid in range(99)], 0, 1),
            ("a surer one", [*of_job(), *(dict(certain, rank=rank, pid=1000 + rank, host="node%d" % (rank // 8))
                                          for rank in range(9))], 0, 4)):
        wanted = known(merged_of(reports))
        TAP.equal((wanted["level"], len(wanted["groups"])), (level, groups), "merge of %s: groups" % name)
        found = []
        for _ in range(9):
            parts = [reports[at::7] for at in range(7)]
            chance.shuffle(parts)
            while len(parts) > 1:
                cut = chance.randrange(2, len(parts) + 1)
                parts[:cut] = [[known(merged_of(sum(parts[:cut], [])))]]
            found.append(known(merged_of(parts[0])))
        TAP.equal([one for one in found if one != wanted][:1], [], "merge of merges of %s" % name)
    for reports in (many, apart, odd):
        found = merged_of([*reports, certain])
        certainties = [one.example.certainty for one in found.groups.values()]
        TAP.equal((found.certainty, found.count, max(certainties)), (3, 3000, 3),
                  "a certain one of many is kept")
    sizes = [len(json.dumps(known(merged_of(many[:count])))) for count in (1000, 3000)]
    TAP.ok((sizes[1] - sizes[0]) / 2000 < 100, "bytes of a further rank", *sizes)


def words():
    job = of_job()
    TAP.like("\n".join(lines_of(job[:40] + job[42:])), r"\A62 of 64 ranks on 8 nodes\n"
             r"( .*\n)? 2 ranks  no report +40-41$", "ranks that have no report")
    TAP.like(lines_of(job[:8])[0], r"^8 of 64 ranks on 1 node$", "a part of a job")
    other = [dict(one, job="4712") for one in job]
    found = "\n".join(lines_of(job + other))
    TAP.like(found, r"\A128 ranks in 2 jobs on 8 nodes", "two jobs")
    TAP.like(found, r"4711: 0-16,18-47; 4712: 0-16,18-47$", "ranks of two jobs")
    without = [report(None, pid=pid, size=None, host="h") for pid in range(5, 17)]
    found = lines_of(without)
    TAP.like(found[0], r"^12 processes on 1 node$", "processes that have no rank")
    TAP.like(found[1], r"^12 processes .* 5, 6, 7, 8, 9, 10, 11, 12, 4 more$", "and their ids")
    for width in (40, 80, 120):
        table = lines_of(job, width)[1:4]
        TAP.case([line for line in table if len(line) > max(width, 70)], "%d columns" % width)
    pair = [report(1), report(2, "barrier-absent")]
    TAP.like("\n".join(lines_of(pair)[1:3]), r"read \(\).*\n.*MPI_Allreduce", "not in MPI is first")


def many(directory):
    path = os.path.join(directory, "many")
    with open(path, "w", encoding="utf-8") as stream:
        for one in of_job(10000):
            stream.write(json.dumps(dict(one, unknown="x" * 4400)) + "\n")
    began = time.monotonic()
    with subprocess.Popen([OMPD, "merge", path], stdout=subprocess.PIPE) as process:
        out = process.stdout.read().decode()
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
    seconds = time.monotonic() - began
    TAP.like(out, r"\A10000 ranks on 1250 nodes\n +1 rank .* 17\n", "10 000 ranks")
    TAP.ok(seconds < MOST_SECONDS and used.ru_maxrss < MOST_MEMORY,
           "10 000 ranks: %.1f s, %d MiB" % (seconds, used.ru_maxrss >> 10))


# What is damaged

ODD = (None, True, -1, 1.5, 10 ** 30, 2 ** 31, "", "\033[2J", "\u202e", "\ud800", "x" * 9999, [], [[]],
       {}, {"a": {}}, [None] * 99, "stuck", float("nan"))


def spoilt(value, chance):
    """VALUE with something odd in a few places."""
    if chance.random() < 0.06:
        return chance.choice(ODD)
    if isinstance(value, dict):
        return {name: spoilt(one, chance) for name, one in value.items()}
    if isinstance(value, list):
        return [spoilt(one, chance) for one in value]
    return value


def damaged(directory, seed, rounds):
    chance = random.Random(seed)
    texts, page = [], os.path.join(directory, "damaged.html")
    for _ in range(rounds):
        reports = [report(chance.randrange(9), chance.choice(("mpi", "nothing", "barrier-absent")))
                   for _ in range(3)]
        text = "".join(json.dumps(spoilt(one, chance)) + "\n" for one in (
            *reports, known(merged_of(reports))))
        for _ in range(chance.randrange(4)):
            at = chance.randrange(len(text))
            text = text[:at] + chance.choice(("", "{", "}", "\"", "[" * 3000, "\n", "\0", "\\u",
                                              "9" * 5000)) + text[at + chance.randrange(9):]
        texts.append(text)
    faults = lines_of([])
    for text in texts:
        try:
            found = merged_of(report_reader.Reader(io.StringIO(text + json.dumps(report(1)))))
            faults += [line for line in merged_text.lines(found) if not line.isprintable()]
            merged_page.write(found, page)
            with open(page, encoding="utf-8") as stream:
                faults += Reader(stream.read()).faults
        except Exception as error:  # pylint: disable=broad-except  # any is a fault
            faults.append("%r: %r" % (error, text[:2000]))
    TAP.case(faults[:3], "%d damaged inputs, --seed %d" % (rounds, seed))
    said = merge(directory, "".join(texts))
    TAP.ok(said.status == 75 and re.fullmatch(r"ompd: reports are cut at \d+ places, .*\n", said.err),
           "all of them in one file", said.err)
    good = json.dumps(report(1)) + "\n"
    for name, text in (("deep objects", "{\"a\":" * 100000 + "\n" + good),
                       ("deep arrays", "{\"a\":" + "[" * 1000000 + "\n" + good),
                       ("many beginnings", "{\"a\":[\n" * 10000 + good),
                       ("a long number", "{\"a\":" + "9" * 1000000 + "}\n" + good),
                       ("a long line", "{\"a\":\"" + "x" * 9000000 + "\n" + good)):
        said = merge(directory, text)
        TAP.ok(said.out.startswith("1 of 64 ranks") and said.status == (75 if said.err else 10),
               "merge: " + name, said.out, said.err)


# Real processes

SCRIPT = """for rank in 0 1 2 3 4; do
how=mismatch; test $rank = 3 && how=reads
OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=5 %s $how & done; echo; wait"""


def real(directory):
    program = compiled(directory, "why/barriers.c", "merge_ranks")
    with Running("sh", "-c", SCRIPT % program, hangs=False) as shell:
        ranks = []
        while len(ranks) < 5:
            time.sleep(0.05)
            ranks = runtime_search.below(shell.pid)
        for rank in ranks:
            comes_to_rest(rank)
        said = ompd("why", "-job", shell.pid)
        TAP.ok(said.out.startswith("5 ranks on 1 node\n1 rank   waiting: ") and said.status == 12 and
               "\n4 ranks  deadlock: " in said.out and "\nrank 3, " in said.out,
               "why -job: 5 ranks, one of which is odd", said.out, said.err)
        found = ompd("why", "-job", shell.pid, "-json").json
        TAP.equal([(one["rank"], one["size"], one["program"], one["host"]) for one in found],
                  [(rank, 5, "merge_ranks", os.uname().nodename) for rank in range(5)],
                  "why -job -json: in order of rank")
        TAP.case([one["lines"] for one in found if one["sentence"].split(":")[0] not in one["lines"][0]],
                 "why -json has what is printed")
        said = ompd("why", "-job", shell.pid, "-html", os.path.join(directory, "job.html"))
        TAP.like(said.out, r"\A5 ranks on 1 node\n(?s:.*)\nThe page is in .*job\.html\.\n\Z",
                 "why -job -html")
        said = ompd("threads", "-all", "merge_ranks")
        TAP.equal(said.out.count(", rank "), 5, "threads -all NAME: one by one")
        said = ompd("why", ranks[0], "-all", "no_such_program")
        TAP.equal((said.status, said.err.count("\n")), (66, 1), "why -all: no such program")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=300)
    given = parser.parse_args()
    tables()
    words()
    with tempfile.TemporaryDirectory() as directory:
        formats(directory)
        pages(directory)
        pieces(random.Random(given.seed))
        folded(random.Random(given.seed))
        damaged(directory, given.seed, given.rounds)
        many(directory)
        real(directory)
    TAP.end()


if __name__ == "__main__":
    main()
