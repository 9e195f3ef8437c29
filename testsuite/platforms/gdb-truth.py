# SPDX-License-Identifier: MIT
"""The truth target of testsuite/host in real gdb: attached to at random moments, and its
kernel cores; with $QEMU, programs at rest by way of qemu's gdb stub, and qemu's cores, recorded
by its options $RECORD and, if $READS, as they are. What
`ompd threads` and `ompd parallel` print is held against the program's own word. libthread_db
need not match the program's C library: threads are told by their LWP."""

import contextlib
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../gdb"))
import harness  # noqa: E402

t = harness.begin(__file__, timeout=800)
import gdb  # noqa: E402
import random  # noqa: E402
import resource  # noqa: E402
import signal  # noqa: E402
import subprocess  # noqa: E402
import time  # noqa: E402

STOPS = int(os.environ.get("GDB_STOPS") or 100)
CORES = int(os.environ.get("GDB_CORES") or 12)
QEMU = os.environ.get("QEMU")
READS = os.environ.get("READS")  # the library knows runtimes of this machine
PROGRAM = os.path.join(os.environ["top_builddir"], "testsuite/host/gomp-truth-target")

# truth.h
WORKS, FOREIGN, TASKWAIT, TASKGROUP = 1, 2, 3, 4
ENTRIES, LEVELS = 256, 4
ENTRY = struct.Struct("<20IQ")
WAITS = {TASKWAIT: "wait taskwait", TASKGROUP: "wait taskgroup"}

counted = {"threads": 0, "fields": 0, "foreign": 0, "nested": 0, "waits": 0, "teams": 0}
faults = []


def words():
    """What each thread says of itself, by its LWP."""
    address = int(gdb.parse_and_eval("(unsigned long long) &gomp_truths"))
    data = bytes(gdb.selected_inferior().read_memory(address, ENTRY.size * ENTRIES))
    told = {}
    order = ">" if "big" in gdb.execute("show endian", to_string=True) else ENTRY.format[0]
    for entry in struct.iter_unpack(order + ENTRY.format[1:], data):
        if entry[0] and entry[1]:
            told[entry[0]] = entry
    return told


def path_of(word):
    """The OMP column as the program knows it, outermost region first."""
    level, ancestors, sizes = word[4], word[8:8 + LEVELS], word[12:12 + LEVELS]
    return ["%d/%d" % (ancestors[i], sizes[i]) for i in range(1, level + 1)]


def same_path(printed, wanted):
    """A number outside may be unknown while its team is just beginning."""
    steps = [] if printed == "-" else printed.split(" \u00b7 ")
    if not wanted:
        return steps in ([], ["0/1"])
    return len(steps) == len(wanted) and steps[-1] == wanted[-1] and all(
        a == b or a == "?/" + b.split("/")[1] for a, b in zip(steps, wanted))


def check(where):
    printed = t.run("ompd threads")
    told = words()
    before = len(faults)
    rows = {row.get("Id", "").lstrip("* "): row for row in harness.table(printed)}
    for thread in gdb.selected_inferior().threads():
        row, word = rows.get(str(thread.num)), told.get(thread.ptid[1] or thread.ptid[2])
        if row is None:
            faults.append("%s: thread %d is not listed" % (where, thread.num))
        elif word is not None:
            check_row(where, row, word)
    check_teams(where, told, rows)
    if len(faults) > before:
        t.note(printed)


def check_row(where, row, word):
    stable, level, state = word[1], word[4], row["State"]

    def expect(name, good, wanted):
        counted["fields"] += 1
        if not good:
            faults.append("%s: LWP %d: %s is %r, wanted %r (settled %d)" %
                          (where, word[0], name, row, wanted, stable))

    if stable == FOREIGN:
        counted["foreign"] += 1
        expect("state", state == "not OpenMP", "not OpenMP")
        return
    if state == "not OpenMP" and not level:
        return  # it has called libgomp, which remembers nothing of that
    counted["threads"] += 1
    counted["nested"] += level > 1
    counted["waits"] += "wait" in state
    expect("path", same_path(row["OMP"], path_of(word)), path_of(word))
    steps = [step for step in row["OMP"].split(" \u00b7 ") if step != "0/1" or level]
    expect("level", len(steps) == level, level)
    if stable == WORKS:  # and sleeps in pause() where it is parked
        expect("state", state.lstrip("~") in ("work", "serial", "in pause"), "work")
    elif stable in WAITS:
        expect("state", state.lstrip("~") in ("work", "serial", "runtime", WAITS[stable]),
               WAITS[stable])


def check_teams(where, told, rows):
    """Every settled member stands in a region of its team's size."""
    printed = t.run("ompd parallel")
    teams = {}
    for line in printed.splitlines():
        found = re.search(r"(\d+) threads?: ([\d ,-]+)", line)
        for part in re.findall(r"\d+(?:-\d+)?", found.group(2)) if found else []:
            first, _, last = part.partition("-")
            for number in range(int(first), int(last or first) + 1):
                teams.setdefault(number, set()).add(int(found.group(1)))
    for thread in gdb.selected_inferior().threads():
        word = told.get(thread.ptid[1] or thread.ptid[2])
        if word is None or word[1] != WORKS or not word[4]:
            continue
        counted["teams"] += 1
        if word[3] not in teams.get(thread.num, ()):
            faults.append("%s: LWP %d is in a team of %d, `ompd parallel` says\n%s" %
                          (where, word[0], word[3], printed))


def start():
    program = subprocess.Popen([PROGRAM], cwd=t.scratch, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE,
                               env=dict(os.environ, GOMP_SPINCOUNT="0"))
    program.stdout.readline()
    return program


def tally(name):
    t.ok(not faults, "%s: %s" % (name, ", ".join("%d %s" % (n, what)
                                                for what, n in counted.items())),
         *faults[:5])
    t.ok(counted["threads"] and counted["nested"] and counted["foreign"],
         name + ": all kinds were met", counted)
    del faults[:]
    counted.update(dict.fromkeys(counted, 0))


def live():
    program = start()
    gdb.execute("file " + PROGRAM)
    for stop in range(STOPS):
        time.sleep(random.random() / 50)
        gdb.execute("attach %d" % program.pid, to_string=True)
        check("stop %d" % stop)
        if stop == 0:
            t.like(t.run("ompd status"), "tracking +off: ", "the status knows libgomp")
        gdb.execute("detach", to_string=True)
    program.kill()
    program.wait()
    tally("%d stops" % STOPS)


def core():
    """The name of the core that the program left, or None."""
    program = start()
    time.sleep(random.random() / 50)
    program.send_signal(signal.SIGABRT)
    program.wait()
    found = [name for name in os.listdir(t.scratch) if name.startswith("core")]
    return os.path.join(t.scratch, found[0]) if found else None


def cores():
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))
    for number in range(CORES):
        path = core()
        if path is None:
            t.skip("cores", "the kernel leaves none in the program's directory")
            return
        gdb.execute("core-file " + path, to_string=True)
        check("core %d" % number)
        if number < CORES - 1:
            gdb.execute("core-file")
            os.unlink(path)
    tally("%d cores" % CORES)

    # The same core where its libraries are somewhere else.
    libraries = os.path.dirname(next(o.filename for o in gdb.objfiles()
                                     if os.path.basename(o.filename).startswith("libgomp")))
    wanted = t.run("ompd threads")
    gdb.execute("core-file")
    gdb.execute("set sysroot " + t.scratch + "/nowhere")
    gdb.execute("core-file " + path, to_string=True)
    t.like(t.run("ompd threads"), "libgomp.so.1 of this core is not on this machine",
           "a core without its libraries says so")
    gdb.execute("set solib-search-path " + libraries, to_string=True)
    t.equal(t.run("ompd threads"), wanted, "solib-search-path helps")
    gdb.execute("core-file")


# Of each size that LLVM's runtime has a variable of, one by way of a function of its own, and of a
# task.
SETTINGS = {"OMP_CANCELLATION": "true", "OMP_STACKSIZE": "3M", "OMP_NUM_TEAMS": "3",
            "OMP_WAIT_POLICY": "active", "OMP_SCHEDULE": "guided,7"}
ICVS = {"cancel-var": "true", "stacksize-var": "3145728", "nteams-var": "3",
        "wait-policy-var": "active", "run-sched-var": "guided,7",
        "num-procs-var": str(len(os.sched_getaffinity(0)))}


def through_stub(program, stop, options=()):
    """Runs a program in qemu up to a place, with gdb at its stub; the process."""
    socket = os.path.join(t.scratch, "stub-" + os.path.basename(program))
    process = subprocess.Popen([QEMU, *options, "-g", socket, program, "wait"], cwd=t.scratch,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               env=dict(os.environ, **SETTINGS))
    gdb.execute("file " + program)
    while True:  # until qemu listens
        time.sleep(0.05)
        try:
            gdb.execute("target remote " + socket, to_string=True)
            break
        except gdb.error as error:
            if process.poll() is not None or not re.search("No such file|refused", str(error)):
                raise
    gdb.Breakpoint(stop, temporary=True)
    gdb.execute("continue", to_string=True)
    return process


def end(process):
    gdb.execute("kill")
    process.kill()
    process.wait()
    with contextlib.suppress(FileNotFoundError):  # qemu removes it, unless it is killed
        os.remove(os.path.join(t.scratch, "stub-" + os.path.basename(process.args[-2])))


PARKED = os.path.join(os.environ["top_builddir"], "testsuite/host/parked")
WAITING = os.path.join(os.path.dirname(harness.__file__), "waits.c")


def recorded():
    options = os.environ["RECORD"].split()
    process = through_stub(PARKED, "puts", options)
    check("recorded")
    t.like(t.run("ompd status"), "tracking +on$", "it is recorded")
    t.ok(counted["threads"] == 7, "seven recorded threads have settled", counted)
    tally("recorded, gdb stub")
    end(process)

    t.source = WAITING
    process = through_stub(os.environ["WAITS"], t.mark("all_wait"), options)
    printed = t.run("ompd threads")
    t.note(printed)
    with open(WAITING, encoding="utf-8") as stream:
        lines = [line.strip() for line in stream]
    found = {row["OMP"]: (row["State"], row["Waits for"]) for row in harness.table(printed)}
    for number, state, held, code in (
            ("1/6", "wait critical", '"update"', "#pragma omp critical(update)"),
            ("2/6", "wait critical", "unnamed", "#pragma omp critical"),
            ("3/6", "wait lock", "grid_lock", "omp_set_lock(&grid_lock);"),
            ("4/6", "wait nest lock", "table.nest[1]", "omp_set_nest_lock(&table.nest[1]);")):
        t.equal(found.get(number), (state, "%s, held by 1 (0/6) since waits.c:%d" % (
            held, lines.index(code) + 1)), "recorded: for what %s waits" % number)
    t.equal(found.get("5/6"), ("wait barrier", "explicit, 1 of 6 arrived"),
            "recorded: who waits at the barrier")
    end(process)

    if os.environ["RECORDED_CORE"]:
        gdb.execute("file " + os.environ["PARKED"])
        gdb.execute("core-file " + os.environ["RECORDED_CORE"], to_string=True)
        check("recorded core")
        t.like(t.run("ompd status"), "tracking +on$", "a recorded core by qemu")
        tally("a recorded core by qemu")
        gdb.execute("core-file")
    else:
        t.skip("a recorded core", "qemu writes none of this machine")


def unread():
    """Of a machine that the library does not know, without records."""
    process = through_stub(PARKED, "puts")
    for command in ("ompd why", "ompd parallel", "ompd locks", "ompd icvs", "ompd tasks"):
        t.like(t.error(command) or "", r"^Of programs of \S+ only what is recorded is known: type ",
               command + " of what is not recorded says why not")
    t.equal({(row["OMP"], row["State"]) for row in t.threads() if "OMP" in row}, {("?", "?")},
            "and nothing is said of its threads")
    end(process)
    if os.environ["RECORDED_CORE"]:
        done = subprocess.run([os.path.join(t.stage, "bin/ompd"), "why", os.environ["RECORDED_CORE"]],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        t.ok(done.returncode == 66 and re.fullmatch(r"ompd: \S+ cannot be read: .*\.\n", done.stdout),
             "the command refuses its core in a sentence", done.stdout)


def emulated():
    process = through_stub(PARKED, "puts")
    check("stub")
    t.note(t.run("ompd threads"))
    status = t.run("ompd status")
    t.like(status, "tracking +off: ", "the status knows the runtime")
    t.like(status, "runtime +" + ("LLVM libomp" if harness.CLANG else "GCC libgomp") + r" \d",
           "and which it is")
    t.ok(counted["threads"] == 7, "seven threads have settled", counted)
    tally("gdb stub")
    end(process)

    t.source = WAITING
    process = through_stub(os.environ["WAITS"], t.mark("all_wait"))
    printed = t.run("ompd threads")
    t.note(printed)
    rows = {row["OMP"]: row for row in harness.table(printed)}
    t.like(rows["4/6"]["Waits for"], r", held by \d+ \(0/6\)$", "who holds the nest lock")
    t.like(rows["1/6"]["Waits for"], r", ~held by \d+ \(0/6\)$", "who is in the section")
    # LLVM's runtime has them in memory.
    inferred = "" if harness.CLANG else "~"
    t.equal({omp: (row["State"], re.sub(", ~?held by .*", "", row["Waits for"]))
             for omp, row in rows.items()},
            {"0/6": ("work", "-"), "1/6": (inferred + "wait critical", '"update"'),
             "2/6": (inferred + "wait critical", "unnamed"),
             "3/6": (inferred + "wait lock", "grid_lock"),
             "4/6": (inferred + "wait nest lock", "table.nest[1]"),
             "5/6": (inferred + "wait barrier", "explicit, 1 of 6 arrived"),
             "-": ("not OpenMP", "-")},
            "what each thread waits for")
    t.equal(rows["3/6"]["Where"], "compute () at " + t.mark("lock"), "and where")
    # What gdb leaves out of a core it decides by what the kernel says of qemu's own memory.
    with open("/proc/%d/coredump_filter" % process.pid, "w", encoding="ascii") as stream:
        stream.write("0x7f")
    t.run("generate-core-file " + os.environ["WAITS_CORE"])
    if harness.CLANG:
        printed = dict(line.split()[:2] for line in t.run("ompd icvs").splitlines())
        t.equal({name: printed.get(name) for name in ICVS}, ICVS, "variables and ICVs of a task")
    end(process)

    gdb.execute("file " + os.environ["PARKED"])
    gdb.execute("core-file " + os.environ["PARKED_CORE"], to_string=True)
    check("core")
    tally("a core by qemu")
    gdb.execute("core-file")


if QEMU:
    recorded()
    if READS:
        emulated()
    else:
        unread()
else:
    live()
    cores()
t.done()
