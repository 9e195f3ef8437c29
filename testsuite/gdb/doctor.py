# SPDX-License-Identifier: MIT
"""ompd doctor: what it finds in processes, cores and before "run", and that what cannot be known
is said to be unknown. The rules are tested in testsuite/unit/checks.py."""

import harness

t = harness.begin(__file__, program="doctor.c", timeout=240)
import os  # noqa: E402
import subprocess  # noqa: E402

import gdb  # noqa: E402

PROCESSORS = len(os.sched_getaffinity(0))
MANY = PROCESSORS + 1


def checked():
    """{id: check}"""
    answer = t.json("doctor")
    t.equal([check["check"] for check in answer["checks"]], list(range(1, 15)), "every check")
    return {check["id"]: check for check in answer["checks"]}


def found(checks):
    return sorted(name for name, check in checks.items() if check["outcome"] == "found")


def unknown(checks):
    return sorted(name for name, check in checks.items() if check["outcome"] == "unknown")


def values(check):
    return check["outcome"], check["value"], check["limit"]


def begin(*arguments, recorded=False, program=None, **environment):
    """Runs to the mark with these settings."""
    t.error("ompd on" if recorded else "ompd off")  # which may be so already
    if program:
        gdb.execute("file " + program, to_string=True)
    for name, value in environment.items():
        gdb.execute("set environment %s = %s" % (name, value))
    gdb.execute("set args " + " ".join(map(str, arguments)))
    t.stop_at("here")
    for name in environment:
        gdb.execute("unset environment " + name)


gdb.execute("file")
t.like(t.error("ompd doctor"), "There is no program", "nothing to look at")
gdb.execute("file " + t.program, to_string=True)
gdb.execute("set environment OMP_WAIT_POLICY = passive")

# Before run
gdb.execute("set environment OMP_NUM_THREADS = %d" % MANY)
checks = checked()
t.equal(values(checks["oversubscribed"]), ("found", MANY, PROCESSORS), "before run: threads")
t.equal(unknown(checks), ["fork", "nested", "smaller-team", "stack", "two-runtimes"],
        "before run: what cannot be known")
t.equal(found(checks), ["cancellation", "oversubscribed"], "before run: what is found")
gdb.execute("unset environment OMP_NUM_THREADS")
t.run("ompd on")
t.equal(checked()["not-recording"]["outcome"], "passed", "before run: hooks that are on")
gdb.execute("set environment OMP_OMPD = off")
t.equal(values(checked()["not-recording"]), ("found", "off", "on"), "before run: and off")
gdb.execute("set environment OMP_OMPD = on")

for recorded in (False, True):
    kind = "recorded" if recorded else "unprepared"
    begin(1, "outside", recorded=recorded, OMP_CANCELLATION="true", OMP_NUM_THREADS=1)
    checks = checked()
    t.equal((found(checks), unknown(checks)),
            ([], [] if checks["stack"]["outcome"] == "passed" else ["stack"]),
            kind + ": nothing is wrong, outside of regions")
    t.run("kill")
    begin(PROCESSORS, recorded=recorded, OMP_CANCELLATION="true")
    printed = t.run("ompd doctor")
    t.like(printed, r"\Adoctor: nothing found in 14 checks\n", kind + ": nothing is wrong in a team") \
        if PROCESSORS > 1 else t.note(printed)
    t.run("kill")

    begin(MANY, recorded=recorded, OMP_WAIT_POLICY="active")
    checks = checked()
    # Whatever the policy is, libgomp has them sleep if they are more than there are processors. Who
    # waits is recorded only.
    busy = [] if recorded else [(3, "busy-waiting")]
    t.equal(found(checks), [name for _, name in busy] + ["cancellation", "oversubscribed"],
            kind + ": threads, spinning, cancel")
    t.equal(values(checks["oversubscribed"]), ("found", MANY, PROCESSORS), kind + ": how many")
    t.equal(checks["busy-waiting"]["value"], "OMP_WAIT_POLICY=active", kind + ": how they wait")
    gdb.execute("set width 80")
    printed = t.run("ompd doctor")
    gdb.execute("set width 0")
    t.note(printed)
    t.like(printed, r"\Adoctor: %d of 14 checks found something\n  1  oversubscribed  %d threads of "
           "the team share %d processor" % (2 + len(busy), MANY, PROCESSORS), kind + ": the screen")
    t.like(printed, r"next +\S+ +%s" % ("with both, every barrier costs time slices" if busy else
                                        "as many as there are processors"), kind + ": what to do")
    t.ok(all(len(line) <= 80 for line in printed.splitlines()), kind + ": 80 columns")
    why = t.json("why")["doctor"]
    t.equal([(one["check"], one["id"]) for one in why],
            [(2, "oversubscribed"), *busy, (9, "cancellation")],
            kind + ": in the object of ompd why")
    t.become_core()
    checks = checked()
    t.equal(unknown(checks), ["affinity", "thread-limit"] if recorded else
            ["affinity", "busy-waiting", "oversubscribed", "thread-limit"], kind + ", core: not known")
    t.equal(checks["cancellation"]["outcome"], "found", kind + ", core: cancel")
    t.like(t.run("ompd doctor"), r"unknown .*affinity, thread limit: a core has no\s+/proc", kind + ", core: why")
    t.run("core-file")

    if PROCESSORS > 1:
        begin(2, "bound", recorded=recorded)
        t.equal(values(checked()["affinity"]), ("found", 1, os.cpu_count()),
                kind + ": all on one processor")
        t.run("kill")
    begin(2, "stack", recorded=recorded, OMP_STACKSIZE="256k")
    stack = checked()["stack"]
    t.equal((stack["outcome"], stack["limit"]), ("found", 256 << 10), kind + ": a stack")
    t.ok(200 << 10 < stack["value"] < 220 << 10, kind + ": and what is used of it", stack)
    t.run("kill")
    # GCC 10 goes by the older of these.
    begin(MANY, "nested", recorded=recorded, OMP_NESTED="true", OMP_MAX_ACTIVE_LEVELS=2)
    check = checked()["nested"]
    # Other inner teams may have come to their end.
    t.ok(check["outcome"] == "found" and 2 * MANY - 1 <= check["value"] <= MANY * MANY,
         kind + ": nested", check)
    t.run("kill")
    begin(4, recorded=recorded, OMP_THREAD_LIMIT=3, OMP_NUM_THREADS=4)
    check = checked()["smaller-team"]
    t.equal((*values(check), check["inferred"]), ("found", 3, 4, not recorded),
            kind + ": a team that is smaller")
    t.like(t.run("ompd doctor"), "smaller team +%sa team has 3 threads where 4 were asked for, by "
           "OMP_THREAD_LIMIT" % ("" if recorded else "~"), kind + ": and why")
    t.run("kill")

# Hooks that are there and off
t.run("ompd on")
gdb.execute("set environment OMP_OMPD = off")
gdb.execute("set args 2")
t.stop_at("here")
t.like(t.run("ompd doctor"), "not recording +the hooks are loaded and record nothing: OMP_OMPD is "
       "off", "hooks that are off")
t.run("kill")
gdb.execute("set environment OMP_OMPD = on")
t.run("ompd off")

# Programs that were built otherwise
for flags, words in (("-g0", "bare: no debug information"), ("-g0 -s", "bare: stripped")):
    path = t.build("doctor.c", "bare", flags)
    gdb.execute("file " + path, to_string=True)
    t.like(t.run("ompd doctor"), "debug info +" + words, words)

# A region whose private variables are most of a stack, before it is met
for flags in ("-O0", "-O2", "-O2 -fstack-clash-protection"):
    path = t.build("doctor.c", "large", "-DLARGE=800 " + flags)
    gdb.execute("file " + path, to_string=True)
    for size, outcome in (("1M", "found"), ("1200", "passed"), ("1b", "found")):
        gdb.execute("set environment OMP_STACKSIZE = " + size)
        check = checked()["stack"]
        t.ok(check["outcome"] == outcome if outcome == "found" else check["outcome"] == "unknown",
             "%s: before run with stacks of %s" % (flags, size), check)
    gdb.execute("set environment OMP_STACKSIZE = 1M")
    gdb.execute("set args 2")
    gdb.Breakpoint("here", temporary=True)
    t.run("run")
    check = checked()["stack"]
    t.ok(check["outcome"] == "found" and 800 << 10 <= check["value"] < 820 << 10 and
         check["limit"] == 1 << 20 and check["inferred"], flags + ": in the process", check)
    t.like(t.run("ompd doctor"), r"stack +~a region in (large|main) \(\) takes 80\d KiB of a thread's "
           r"stack of 1 MiB\n", flags + ": the sentence")
    t.run("kill")
gdb.execute("unset environment OMP_STACKSIZE")


def mpi(text, flags=""):
    """A library that stands for MPI."""
    return t.build(t.written("mpi.c", text), "libmpi.so", "-shared -fPIC -g0 -fno-openmp " + flags)


stub = mpi("int MPI_Init(int *argc, char ***argv) { return !argc + !argv; }\n")
path = t.build("doctor.c", "ring", "-DWITH_MPI -Wl,--no-as-needed %s -Wl,-rpath,%s" % (stub, t.scratch))
gdb.execute("file " + path, to_string=True)
t.equal(checked()["mpi-threads"]["outcome"], "found", "MPI_Init, before run")
gdb.execute("set args 2")
gdb.Breakpoint("here", temporary=True)
t.run("run")
t.like(t.run("ompd doctor"), "MPI threads +ring calls MPI_Init, which allows one thread", "MPI_Init")
t.run("kill")
# One that has several threads granted for all that: as Open MPI, as MPICH, and as its package
# has it, where the variable is hidden
for name, flags in (("ompi_mpi_thread_provided", ""), ("MPIR_ThreadInfo", ""),
                    ("hidden", "-O2 -fvisibility=hidden")):
    mpi("""int %s = -1;
        #define SHOWN __attribute__((visibility("default")))
        SHOWN int MPI_Init(int *argc, char ***argv) { %s = 1; return !argc + !argv; }
        SHOWN int PMPI_Query_thread(int *level) { *level = %s; return 0; }""" % ((name,) * 3),
        flags)
    t.run("file " + path)
    gdb.Breakpoint("here", temporary=True)
    t.run("run")
    check = checked()["mpi-threads"]
    t.equal(check["outcome"], "passed" if name != "hidden" or os.uname().machine == "x86_64" else
            "found", name + ": what was granted")
    t.run("kill")

# A child of fork
path = t.build("../why/barriers.c", "barriers")
parent = subprocess.Popen([path, "forked"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
child = int(parent.stdout.readline())
subprocess.run(["sleep", "1"], check=True)
gdb.execute("file " + path, to_string=True)
gdb.execute("attach %d" % child, to_string=True)
check = checked()["fork"]
t.equal(values(check), ("found", 3, 0), "a child of fork")
t.run("kill")
parent.kill()
parent.wait()

gdb.execute("file /bin/sleep", to_string=True)
check = checked()["debug-info"]
t.equal(check["outcome"], "unknown", "a program without OpenMP, before run")
t.like(t.run("ompd doctor"), "debug info: the program itself calls no OpenMP runtime", "it says so")
gdb.execute("set args 100")
gdb.execute("starti", to_string=True)
t.ok(t.error("ompd doctor") is None or "OpenMP" in t.error("ompd doctor"),
     "a program without OpenMP", t.error("ompd doctor"))
t.done()
