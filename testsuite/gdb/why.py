# SPDX-License-Identifier: MIT
"""ompd why: its options, its JSON, $_ompd_why, the line under other commands, and screens of 80
columns. What it says of which program is tested in testsuite/why."""

import harness

t = harness.begin(__file__, timeout=200)
import os  # noqa: E402
import signal  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402

import gdb  # noqa: E402

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../command"))
from page_reader import Reader  # noqa: E402

LINE = '. Type "ompd why".'


def hung(how, recorded):
    """A process that hangs, attached."""
    return t.attached(*[t.stage + "/bin/ompd-run"] * recorded, PROGRAM, how, threads=2)


PROGRAM = t.build("../why/locks.c", "locks", "-O0")
t.like(t.error("ompd why"), "There is no process", "nothing to look at")
gdb.execute("file " + PROGRAM, to_string=True)
gdb.execute("set width 80")
with hung("order", True) as process:
    printed = t.noted("ompd why")
    t.like(printed, r"\Adeadlock: 2 threads hold what the other waits for +\[certain\]$",
           "the first line")
    t.ok(all(len(line) <= 80 for line in printed.splitlines()), "no line is wider than 80")
    t.equal(len(printed.splitlines()[0]), 80, "how certain it is stands at the right edge")
    for name in ("first", "second"):
        t.like(printed, r"holds %s +since locks\.c:\d+, transfer \(\)" % name, name + " is held")
    t.equal(int(gdb.parse_and_eval("$_ompd_why")), 3, "$_ompd_why is certain")
    facts = t.json("why")
    first = facts["verdicts"][0]
    other = next(int(row["Id"].strip("* ")) for row in t.threads() if row["OMP"] == "1/4")
    t.equal((facts["schema"], facts["pid"], facts["core"], facts["recorded"]),
            ("ompd-why/1", process.pid, None, True), "JSON: what was looked at")
    t.equal((first["id"], first["kind"], first["certainty"], first["threads"]),
            ("lock-cycle", "deadlock", "certain", [1, other]), "JSON: the verdict")
    t.equal({(link["thread"], link["waits_for"]["name"], link["source"])
             for link in first["links"]},
            {(1, "second", "recorded"), (other, "first", "recorded")}, "JSON: who waits for what")
    t.equal({(held["thread"], held["holds"]["name"]) for held in first["holds"]},
            {(1, "first"), (other, "second")}, "JSON: who holds what")
    t.like(t.run("ompd threads"), LINE.replace(".", r"\.", 1), "offered under ompd threads")
    t.like(t.run("ompd status"), r"verdict +deadlock: ", "and under ompd status")
    page = os.path.join(t.scratch, "page.html")
    t.like(t.error("ompd report"), "needs the name of a file", "a page without a name")
    t.like(t.error("ompd report %s/no/page.html" % t.scratch), r"cannot be written: No such file",
           "a page that cannot be written")
    gdb.execute("set style enabled on")
    t.like(t.run("ompd report " + page), r"^The page is in .*page\.html\.$", "a page")
    with open(page, encoding="utf-8") as stream:
        read = Reader(stream.read())
    t.case(read.faults, "it is well-formed")
    t.equal((read.headings[:1], [row[:3] for row in read.tables["Threads"][1:]]), (
        ["deadlock: %s [certain]" % first["sentence"]],
        [[row["Id"].strip("* "), str(lwp), row["OMP"]] for row, lwp in zip(
            t.threads(), (row["lwp"] for row in t.json("threads")))]),
        "it has the verdict, and the threads with the kernel's ids")
    t.run("set ompd verdicts off")
    t.ok(LINE not in t.run("ompd threads"), "unless it was switched off")
    t.ok("deadlock" not in t.run("ompd status"), "there, too")
    t.run("set ompd verdicts on")
    path = os.path.join(t.scratch, "waits.dot")
    t.run("ompd why -graph " + path)
    with open(path, encoding="utf-8") as stream:
        drawn = stream.read()
    t.ok(drawn.startswith("digraph waits {") and drawn.count("thread ") == 2 and
         ("threads 2-3" if harness.FROM_LAST else "threads 3-4") in drawn and
         'label="deadlock: 2 threads hold' in drawn and drawn.count('style="bold"') == 4 and
         "since transfer () at locks.c:" in drawn,
         "the graph: its title, threads, places, and the cycle", drawn)
    selected = gdb.selected_thread().num
    t.run("ompd why -all")
    t.equal(gdb.selected_thread().num, selected, "what was selected stays selected")
    core = os.path.join(t.scratch, "core")
    t.run("generate-core-file " + core)
    t.like(t.error("ompd why -watch soon"), "takes a number of seconds", "-watch wants a number")
    t.run("set var *(int *)&first = 0")  # as when it is unset
    released = t.json("why")["verdicts"]
    t.equal({verdict["certainty"] for verdict in released}, {"possible"},
            "a thread that has been released, and has not run yet, does not wait")
t.run("core-file " + core)
t.equal(t.json("why")["verdicts"][0]["id"], "lock-cycle", "of a core")
t.like(t.error("ompd why -watch 1"), "needs a live process", "which does not run")
t.run("core-file")

with hung("self", False):
    printed = t.run("ompd why")
    t.like(printed, r"~holds critical section \"sum_lock\"", "what is inferred is marked")
    t.like(printed, r"\[likely\]$", "and makes it likely only")
    t.equal(int(gdb.parse_and_eval("$_ompd_why")), 2, "$_ompd_why is likely")
    t.ok(LINE not in t.run("ompd threads"), "what is likely is not offered unasked")
    t.equal(t.json("why")["unknown"], ["lock owners are not recorded"], "JSON: what is not known")

# Who waits for them at a barrier spins in LLVM's runtime, and may leave it.
_LOCKED = r"\A(deadlock|waiting)" if harness.CLANG else r"\Adeadlock"
# A program and its flags, how it hangs, whether it is recorded: what is asked, a pattern of the
# answer, and what that is.
for (source, flags, how, recorded), said in {
        # In LLVM's runtime it is the thread that has a nest lock.
        ("locks.c", "-O0", "suspended", True): () if harness.CLANG else (
            ("why", r"holds nest in task (\d+) +since locks\.c:\d+, suspended \(\)$",
             "a lock that a suspended task holds"),
            ("tasks", r"^\d+ +in nest lock .* nest, held by \d in task \d+$",
             "which is named under ompd tasks, too")),
        ("locks.c", "-O0", "left_held", True): (
            ("why", r"^  2 +holds table_lock +since locks\.c:\d+, left_held \(\), which returned\n"
             r" +is idle$", "one that an idle thread holds"),
            ("why", r"^  next +ompd bt 1 ", "where it is waited for"),
            ("threads", r"wait lock +table_lock, held by 2 since locks\.c:\d+ ",
             "and who holds it under ompd threads")),
        ("locks.c", "-O0", "naps", False): (
            ("why", r"\Awaiting: 2 threads wait for a lock; its holder is in usleep \(\) +"
             r"\[possible\]$", "a holder that stacks show, which sleeps"),),
        ("libc_locks.c", "-O0", "writes", False): (
            ("why", _LOCKED + r": a read-write lock's holder waits .*\n(.*\n)*"
             r" +1 \(0/3\) +holds read-write lock rows$", "writes: what glibc keeps"),),
        ("libc_locks.c", "-O0", "prints", False): (
            ("why", _LOCKED + r": a stream's holder waits .*\n(.*\n)*"
             r" +1 \(0/2\) +holds stream stderr$", "prints: what glibc keeps"),),
        ("libc_locks.c", "-O0", "too_many", False): (
            ("why", r" +wait in pthread_barrier_wait \(\) on \S*barrier\S*, 3 of 4 arrived\s+"
             r"libc_locks\.c:\d+, ", "too_many: what glibc keeps"),),
        ("libc_locks.c", "-O0", "lost", False): (
            ("why", r"\Astuck: the thread that held mutex 0x[0-9a-f]+ has ended +\[likely\]$",
             "a mutex of another process, when that has ended"),),
        ("locks.c", "-g0", "order", True): (
            ("why", r"holds first +since transfer \(\)$", "without lines: the function"),),
        ("barriers.c", "-O0", "sleepers", False): (
            ("why", r"\Awaiting: 1 thread waits for thread \d \([1-3]/4\) and 2 more, which are "
             r"in\s+usleep \(\) +\[", "more than one is waited for"),),
        ("locks.cc", "-O2", "guards", True): (
            ("why", r"\Adeadlock: 2 threads hold what the other waits for +\[certain\]$",
             "guards, inlined"),
            ("why", r"^  cause +the locks are acquired in different orders$",
             "no function has returned that acquired them")),
        ("locks.cc", "-O2", "promise", False): (
            ("threads", "~in std::future::wait ", "promise: in a function that programs know"),),
        ("locks.cc", "-O2", "guard", False): (
            ("threads", "~in __cxa_guard_acquire ", "guard: in a function that programs know"),),
        }.items():
    if said:
        PROGRAM = t.build("../why/" + source, source + flags, flags)
        with hung(how, recorded):
            for command, pattern, name in said:
                t.like(t.run("ompd " + command), pattern, name)

PROGRAM = t.build("../why/libc_locks.c", "libc-locks", "-O0")
with hung("elsewhere", False) as process:
    with open("/proc/%d/task/%d/children" % (process.pid, process.pid), encoding="ascii") as stream:
        child = int(stream.read())
    t.like(t.run("ompd why"), r"\Awaiting: 2 threads are in pthread_mutex_lock \(\)\.\n"
           r"  next     gdb -p %d +it holds 0x[0-9a-f]+\n" % child,
           "who holds a mutex is another process")

PROGRAM = t.build("../why/barriers.c", "barriers", "-O0")
if not harness.CLANG:  # whose runtime does not know who spins in which barrier, and 80 come to no rest
    with hung("mismatch", False):
        found = t.json("why")["verdicts"][0]
        barrier = {link["thread"]: link["waits_for"]["kind"] for link in found["links"]}
        shown = [int(word) for word in found["next"][0].split()[2:]]
        t.equal({barrier[thread] for thread in shown}, {"barrier", "region_end"},
                "stacks are proposed of threads at both of the barriers")
    with hung("others", False):
        printed = t.noted("ompd why")
        t.like(printed, r"^  39 threads +wait at #pragma omp barrier ",
               "so many that they are counted")
        t.like(printed, r"^  next +ompd bt 2 ", "of who sleeps the stack is looked at first")
        t.ok(all(len(line) <= 80 for line in printed.splitlines()),
             "80 threads: no line is wider than 80")

PROGRAM = t.build("../why/slow.c", "slow", "-O0")


def interrupt(_event):
    """A second after the first look."""
    gdb.events.cont.disconnect(interrupt)
    threading.Timer(1, os.kill, (process.pid, signal.SIGINT)).start()


with hung("handshake", False) as process:
    arguments = [os.environ.get("GDB") or "gdb", "-batch", "-nx", "-ex", "set width 80", "-ex",
                 "source " + t.plugin]
    gdb.execute("detach", to_string=True)
    arguments += ["-p", str(process.pid), "-ex", "echo answer:\n", "-ex", "ompd why -watch 1"]
    printed = subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             check=False).stdout.decode().partition("answer:\n")[2]
    t.like(printed, r"\Aslow: .* \[possible\]$", "-watch prints nothing of its stops")
    busy = r"(,\s+most\s+of\s+the\s+time\s+no\s+processor\s+was\s+free)?$"  # the machine
    t.like(printed, r"multiply \(\)\n +\d\.\d s of CPU in 1\.0 s, in one function, "
           r"always new values" + busy, "a thread that computes")
    t.like(printed, r"handshake \(\)\n +\d\.\d s of CPU in 1\.0 s, always the same values, "
           r"reads ready \(is 0,\s+wants another\)" + busy, "and one that waits for it in a loop, and for what")
    gdb.execute("attach %d" % process.pid, to_string=True)
    for number in (1, 2, 3):
        gdb.execute("thread %d" % number, to_string=True)
        facts = t.json("why -watch 0.3")  # nor gdb of threads that it selects
        t.equal((facts["verdicts"][0]["certainty"], gdb.selected_thread().num),
                ("possible", number), "JSON after two looks, with thread %d selected" % number)
    post = gdb.post_event
    gdb.post_event = lambda event: (post(event), time.sleep(1))
    facts = t.json("why -watch 0.3")
    gdb.post_event = post
    t.equal(facts["verdicts"][0]["certainty"], "possible",
            "the thread that ends the interval is slow")
    point = gdb.Breakpoint("slow.c:30")  # in the loop of multiply()
    before = time.monotonic()
    t.run("ompd why -watch 60")
    t.ok(time.monotonic() - before < 30 and point.hit_count == 1, "a breakpoint ends the interval",
         "%d" % point.hit_count)
    point.delete()
    before = time.monotonic()
    gdb.events.cont.connect(interrupt)
    t.like(t.run("ompd why -watch 60"), r"s of (CPU in )?\d\.\d s", "it has looked at a shorter time")
    t.ok(time.monotonic() - before < 30, "and so does Ctrl-C")

# What a runtime asks the kernel for as it makes a team is nothing to wait for.
t.run("tbreak main")
t.run("run handshake")
t.run("catch syscall rt_sigaction clone")
t.run("continue")
t.like(t.noted("ompd why"), r"\Anothing waits: 1 thread works\.\n", "a team is being made")
t.run("delete")
t.run("kill")

# Who throws where nothing has lines is no function of the C++ library. Other crashes are in ../why.
gdb.execute("file " + t.build("../why/locks.cc", "crash-g0", "-g0"), to_string=True)
gdb.execute("run uncaught", to_string=True)
t.like(t.run("ompd why"), r"\Acrash: .*\n  at +%s \(\)$" % (
    "(<body of an OpenMP construct>|insert)" if harness.CLANG else "(uncaught|insert)"),
       "without lines: the function that throws")
t.run("kill")
gdb.execute("file " + t.build("../why/crashes.c", "crashes", "-O0"), to_string=True)
t.run("ompd on")
gdb.execute("run task", to_string=True)
t.like(t.run("ompd why"),
       r"^  in +the task of crashes\.c:\d+, task \(\), which has no depend clause$",
       "recorded: a crash in a task, which depends on none")
t.run("kill")
t.done()
