# SPDX-License-Identifier: MIT
"""Commands where the library answers little, and where only one thread has stopped: one
sentence, never more."""

import harness

t = harness.begin(__file__, program="scopes.c")
import os  # noqa: E402

import gdb  # noqa: E402

import everything  # noqa: E402
from openmp_inspect.core import errors  # noqa: E402
from openmp_inspect.bindings import extension5  # noqa: E402
from gdb_openmp.program import address_space  # noqa: E402

for _, kind in t.both_ways():
    t.stop_at("inside")
    # Each question that the library may answer with a failure, for all of its threads.
    owner = extension5.ExtensionQuery
    for name in ("region_of", "task_of", "number", "state", "size", "master", "team",
                 "enclosing", "level", "implicit_tasks", "is_implicit", "frames", "lwp",
                 "thread_of"):
        for reason in ("error", "unavailable", "target_read_error"):
            def broken(self, *_, reason=reason):
                raise errors.OmpdError(reason, "ompd_" + name)
            kept = getattr(owner, name)
            setattr(owner, name, broken)
            address_space.current().forget()
            bad = t.unanswered(one for one in everything.looks()
                               if not one.startswith("ompd snapshot"))  # which another process does
            setattr(owner, name, kept)
            t.equal(bad, {}, "%s: %s answers %s" % (kind, name, reason))
    t.run("kill")

# Only one thread has stopped.
t.run("set non-stop on")
t.stop_at("inside")
me = next(th.num for th in gdb.selected_inferior().threads() if not th.is_running())
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
    with t.attached(os.path.join(t.scratch, "waits"), "hold", threads=7, recorded=recorded):
        t.run("thread 1")
        t.like(t.run("ompd thread"), r"^Thread 1 is OpenMP thread \d of 6 in ", kind + ": who")
        t.run("ompd thread 3")
        t.equal(int(gdb.parse_and_eval("$_omp_thread_num()")), 3, kind + ": a number")
        t.like(t.run("ompd print -all $_omp_thread_num() / 6"), r"^threads 0-5:  0$",
               kind + ": a value in each thread")
        t.like(t.run("ompd apply team bt 1"), r"^OpenMP thread 5/6, thread \d ",
               kind + ": a command in each thread")
        t.like(t.run("ompd apply 0 ompd locals"), r"^around it compute \(\)", kind + ": locals")
t.done()
