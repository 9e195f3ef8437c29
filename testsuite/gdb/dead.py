# SPDX-License-Identifier: MIT
"""Thread and variable commands where there is little to tell: one sentence, never more."""

import harness

t = harness.begin(__file__, program="scopes.c")
import os  # noqa: E402
import signal  # noqa: E402
import subprocess  # noqa: E402
import time  # noqa: E402

import gdb  # noqa: E402

from ompd import errors, extension5  # noqa: E402

COMMANDS = ("ompd thread", "ompd thread 0", "ompd thread 1.0", "ompd apply bt 1",
            "ompd apply all -q -c p 1", "ompd apply 0-2 p 1", "ompd apply level 1 -s p 1",
            "ompd print everywhere", "ompd print -all inner", "ompd print not_named",
            "ompd locals", 'print $_omp_var("not_named")', 'print $_omp_var("inner")') + tuple(
                "print $_omp_%s()" % name for name in (
                    "thread_num", "num_threads", "level", "in_parallel", "task", "state"))


def answers(kind):
    """Every command answers, or says in one sentence why not."""
    said = {}
    for command in COMMANDS:
        message = t.error(command)
        said[command] = message
        t.ok(message is None or "\n" not in message.strip() and
             not message.startswith(("Error occurred in Python", "Python Exception")),
             "%s: %s" % (kind, command), message)
    t.note(said)
    return said


def kill():
    for command in ("continue", "kill"):
        try:
            t.run(command)
        except gdb.error as error:
            t.note(error)


for recorded in (True, False):
    kind = "hooked" if recorded else "unprepared"
    t.run("ompd on" if recorded else "ompd off")
    t.run("starti")
    answers(kind + ", at the first instruction")
    t.run("kill")
    for looked in (True, False):
        t.stop_at("inside")
        if looked:
            answers(kind)
        os.kill(gdb.selected_inferior().pid, signal.SIGKILL)
        time.sleep(0.3)
        answers("%s, killed %s" % (kind, "after a look" if looked else "unseen"))
        kill()

    t.stop_at("inside")
    core = os.path.join(t.scratch, kind)
    t.run("gcore " + core)
    # Each question that the library may answer with a failure, for all of its threads.
    owner = extension5.Query
    for name in ("region_of", "task_of", "number", "state", "size", "master", "team",
                 "enclosing", "level", "implicit_tasks", "is_implicit", "frames", "lwp",
                 "thread_of"):
        for reason in ("error", "unavailable", "target_read_error"):
            def broken(self, *_, reason=reason):
                raise errors.OmpdError(reason, "ompd_" + name)
            kept = getattr(owner, name)
            setattr(owner, name, broken)
            bad = {}
            for command in COMMANDS:
                message = t.error(command)
                if message and ("\n" in message.strip() or "Python" in message):
                    bad[command] = message
            setattr(owner, name, kept)
            t.equal(bad, {}, "%s: %s answers %s" % (kind, name, reason))
    t.run("kill")

    # Cut short.
    size = os.path.getsize(core)
    for share in (0.2, 0.5, 0.8, 0.95):
        short = "%s-%d" % (core, share * 100)
        with open(core, "rb") as whole, open(short, "wb") as cut:
            cut.write(whole.read(int(size * share)))
        try:
            t.run("core-file " + short)
        except gdb.error as error:
            t.note("cut at %d%%: gdb: %s" % (share * 100, error))
            continue
        answers("%s core, cut at %d%%" % (kind, share * 100))
    t.run("core-file")
answers("without a core")

# Only one thread has stopped.
t.run("set non-stop on")
t.stop_at("inside")
me = next(th.num for th in gdb.selected_inferior().threads() if not th.is_running())
answers("non-stop")
t.run("thread %d" % me)
t.like(t.run("ompd print inner"), r"^thread 2: +2\nthreads 0-1,3: +\(running\)$",
       "non-stop: what the threads that run have is not known")
t.equal(t.error("ompd print not_named"),
        '"not_named" cannot be found: thread 1, which has it, is running.',
        "non-stop: nor what they hold for others")
t.like(t.run("ompd locals"), r"^main \(\) around it is not shown: thread 1, which has it, is "
       r"running\.$", "non-stop: the locals that are known")
t.like(t.run("ompd thread 0"), r"\A\[Switching to OpenMP thread 0/4, thread 1 .*\]\(running\)$",
       "non-stop: a thread that runs is selected as gdb does")
t.run("kill")
t.run("set non-stop off")

# Attached, and looked at as any other.
gdb.execute("file " + t.build("waits.c", "waits"))
for recorded in (True, False):
    kind = "attached, " + ("hooked" if recorded else "unprepared")
    extra = {"LD_PRELOAD": t.hooks, "OMP_OMPD": "on"} if recorded else {}
    with subprocess.Popen([os.path.join(t.scratch, "waits"), "hold"],
                          env=dict(os.environ, **extra), stdout=subprocess.DEVNULL) as process:
        time.sleep(1)
        t.run("attach %d" % process.pid)
        t.run("thread 1")
        t.like(t.run("ompd thread"), r"^Thread 1 is OpenMP thread \d of 6 in ", kind + ": who")
        t.run("ompd thread 3")
        t.equal(int(gdb.parse_and_eval("$_omp_thread_num()")), 3, kind + ": a number")
        t.like(t.run("ompd print -all $_omp_thread_num() / 6"), r"^threads 0-5:  0$",
               kind + ": a value in each thread")
        t.like(t.run("ompd apply team bt 1"), r"^OpenMP thread 5/6, thread \d ",
               kind + ": a command in each thread")
        t.like(t.run("ompd apply 0 ompd locals"), r"^around it compute \(\)", kind + ": locals")
        t.run("detach")
        process.kill()
t.done()
