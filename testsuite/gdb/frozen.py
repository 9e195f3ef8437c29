# SPDX-License-Identifier: MIT
"""Programs that freeze, and know themselves what each thread waits for, who holds it and how many
have arrived (frozen.c): of gcc, of clang, and with both runtimes, unprepared and recorded, against
`ompd threads -json`. What is said is right or unknown, never wrong, and of most known; recorded, no
less is known. Prints which state was said of what.
SEEDS: how many programs of each kind; more than one also as cores and with threads that spin."""

import harness

t = harness.begin(__file__, timeout=3600)
import json  # noqa: E402
import os  # noqa: E402
import shutil  # noqa: E402
import struct  # noqa: E402
import subprocess  # noqa: E402
from collections import Counter, defaultdict  # noqa: E402

import gdb  # noqa: E402

SEEDS = int(os.environ.get("SEEDS") or 1)
RUN = os.path.join(os.environ["stage"], "bin", "ompd-run")
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "frozen.c")
TRUTH, MOST = struct.Struct("<8q"), 256
ENDS = "wait_barrier_implicit"
# What frozen.c calls it: its name here, the state, and what the words for it begin with.
DOING = dict(enumerate((
    ("pauses", "in_call", None), ("pauses in a task", "in_call", None),
    ("critical", "wait_critical", "unnamed"), ("named critical", "wait_critical", '"section"'),
    ("lock", "wait_lock", None), ("nest lock", "wait_nest_lock", None),
    ("ordered", "wait_ordered", "its turn"), ("doacross", "wait_ordered", "its turn"),
    ("barrier", "wait_barrier_explicit", "explicit"), ("end of for", ENDS, "end of for"),
    ("end of dynamic for", ENDS, "end of for"), ("end of sections", ENDS, "end of sections"),
    ("end of single", ENDS, "end of single"), ("copyprivate", ENDS, "end of single"),
    ("end of reduction", ENDS, "end of for"), ("end of region", ENDS, "implicit"),
    ("taskwait", "wait_taskwait", "child tasks"),
    ("taskgroup", "wait_taskgroup", "tasks of its group"),
    ("depend", "wait_taskwait", "child tasks"), ("end of scope", ENDS, "end of scope"),
    ("end of reduced region", ENDS, "end of parallel"),
    ("pauses in a region within", "in_call", None)), 1))
# Who holds it is known of all but locks and iterations, and how many have arrived of all barriers.
HELD, BARRIERS = (3, 4, 6, 7), (*range(9, 17), 20, 21)
# Less than the state: that it waits in some barrier, or is in the runtime.
VAGUE = {"wait_barrier": [name for name, state, _ in DOING.values() if "barrier" in state],
         "overhead": [name for name, _, _ in DOING.values() if not name.startswith("pauses")],
         None: [name for name, _, _ in DOING.values()]}


def made_by(compiler):
    """The program, or None."""
    if not shutil.which(compiler):
        return None
    program = os.path.join(t.scratch, "frozen-" + compiler)
    for more in ([], ["-shared", "-fPIC", "-DTRUTHS=truths_other", "-DFREEZE=freeze_other"]):
        subprocess.run([compiler, "-g", "-O0", "-fopenmp", "-pthread", SOURCE, "-ldl", *more, "-o",
                        program + (".so" if more else "")], check=True)
    return program


def truths():
    """[{"tid", "scene", ...}] of all threads that have said what they do."""
    found = []
    names = "tid", "scene", "number", "size", "doing", "object", "holder"
    for module, symbol in enumerate(("truths", "truths_other")):
        try:
            at = int(gdb.parse_and_eval("(unsigned long) &%s" % symbol))
        except gdb.error:
            continue  # there is no other module
        data = bytes(gdb.selected_inferior().read_memory(at, TRUTH.size * MOST))
        found += [dict(zip(names, one), team=(module, one[1]))
                  for one in TRUTH.iter_unpack(data) if one[0]]
    return found


def arrivals(told):
    """{(team, what barrier): how many threads have arrived there}; who executes a task has arrived
    at the end of its region."""
    return Counter((one["team"], 16 if one["doing"] in (2, 22) else one["doing"]) for one in told)


def faults(one, row, arrived, ids):
    """What a row says that is not so; ids: gdb's numbers by kernel ids."""
    name, state, words = DOING[one["doing"]]
    waits = row["waits_for"] or ""
    if row["state"] != state:
        if name not in VAGUE.get(row["state"], ()):
            yield "state %s" % row["state"]
    elif words and not waits.startswith(words):
        if not (words.startswith("end of ") and waits.startswith("implicit")):
            yield "words"
    if (row["number"], row["team_size"]) != (one["number"], one["size"]):
        yield "number"
    if row["owner"] is not None and row["owner"] != ids.get(one["holder"]):
        yield "owner"
    if row["arrived"] is not None and row["arrived"] != arrived[one["team"], one["doing"]]:
        yield "arrived"
    if one["object"] and row["wait_id"] not in (None, "%#x" % one["object"]):
        yield "wait id"


def known(one, row):
    """Which answers a row has."""
    return {key for key, value in (
        ("state", row["state"] == DOING[one["doing"]][1]), ("owner", row["owner"]),
        ("arrived", row["arrived"]), ("wait id", one["object"] and row["wait_id"])) if value}


def wanted(one, several):
    """Those that it should have; SEVERAL runtimes have a section of one name each."""
    owned = one["doing"] in HELD and not (several and "critical" in DOING[one["doing"]][0])
    return {"state"} | ({"owner"} if owned else set()) | (
        {"arrived"} if one["doing"] in BARRIERS else set()) | (
        {"wait id"} if one["object"] else set())


def look(kind, said, missing, wrong):
    """Compares all threads of what gdb is at; {(module, scene, number): known answers}."""
    rows = {row["lwp"]: row for row in json.loads(t.run("ompd threads -json"))}
    told, ids = truths(), {row["lwp"]: row["id"] for row in rows.values()}
    arrived, found = arrivals(told), {}
    for one in told:
        row = rows[one["tid"]]
        name = DOING[one["doing"]][0]
        said[name, ("~" if row["derived"] else "") + str(row["state"])] += 1
        found[one["team"], one["number"], name] = known(one, row)
        missing.update((name, answer)
                       for answer in wanted(one, row["runtime"] is not None) - known(one, row))
        wrong += ["%s: %s: %s: %s" % (kind, name, fault, row)
                  for fault in faults(one, row, arrived, ids)]
    return found


def frozen(kind, command, policy, core, *counts):
    """What is known of a program that COMMAND starts, once it is frozen."""
    program = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               env=dict(os.environ, OMP_WAIT_POLICY=policy))
    try:
        if program.stdout.readline() != b"\n":
            return {}
        gdb.execute("attach %d" % program.pid, to_string=True)
        if core:
            t.run("generate-core-file " + core)
            t.run("kill")
            t.run("core-file " + core)
        found = look(kind, *counts)
        t.run("core-file" if core else "detach")
        return found
    finally:
        program.kill()
        program.wait()
        if core and os.path.exists(core):
            os.remove(core)


def compared(kind, command, seeds, said, missing, wrong):
    """Freezes a program unprepared and recorded; what is known less well recorded."""
    less, threads = [], 0
    ways = [("passive", ""), ("passive", t.scratch + "/core"), ("active", "")]
    for seed in range(1, seeds + 1):
        for policy, core in ways[:1] if seeds == 1 else ways:
            more = [str(seed), *command[1:]]
            bare, recorded = (
                frozen("%s, seed %d, %s%s, %s" % (kind, seed, policy, ", core" if core else "", way),
                       [*first, command[0], *more], policy, core, said[way], missing[way], wrong)
                for way, first in (("unprepared", []), ("recorded", [RUN])))
            threads += len(bare)
            # Which thread takes a task, or begins a loop, is chance.
            less += ["%s: %s: %s" % (kind, one, sorted(bare[one] - recorded[one]))
                     for one in sorted(set(bare) & set(recorded)) if bare[one] - recorded[one]]
    return less, threads


def show(kind, said):
    for (name, state), count in sorted(said.items()):
        t.note("%-24s %-18s %-24s %4d" % (kind, name, state, count))


gcc, clang = made_by("gcc"), made_by("clang")
for kind, command in (("gcc", [gcc]), ("clang", [clang]), ("both", [gcc, (clang or "") + ".so"])):
    if not gcc or kind != "gcc" and not clang:
        t.skip(kind + ": programs that freeze", "a compiler is not installed")
        continue
    said, missing, wrong = defaultdict(Counter), defaultdict(Counter), []
    less, threads = compared(kind, command, SEEDS, said, missing, wrong)
    for way, one in said.items():
        show("%s, %s:" % (kind, way), one)
    t.ok(threads > 40 * SEEDS, "%s: programs freeze" % kind, threads)
    t.ok(not wrong, "%s: %d answers of %d threads, none wrong" % (
        kind, sum(sum(one.values()) for one in said.values()), threads), *wrong[:8])
    for way, one in missing.items():
        t.ok(not one, "%s, %s: all that should be is known" % (kind, way), dict(one))
    t.ok(not less, "%s: recorded, no less is known" % kind, *less[:8])
t.done()
