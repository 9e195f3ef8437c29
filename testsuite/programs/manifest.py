# SPDX-License-Identifier: MIT
#
# The one list of programs. Each Binary is built once; each Case runs one. A program that
# is not named here is not tested: the driver complains about sources nobody lists.

import collections

# name: of the executable; source: in this directory; flags: for the compiler;
# openmp: compiled with -fopenmp; link: arguments of a separate link step without -fopenmp;
# plugin: a source made into NAME.so beside it
Binary = collections.namedtuple("Binary", "name source flags openmp link plugin")

# args, env: of the run; status: what a shell would call $?, or minus the signal's number;
# stdin: its text; unordered: lines may come in any order
Case = collections.namedtuple("Case", "name binary args env status stdin unordered")

BINARIES = []
CASES = []


def binary(source, name=None, flags=("-O1",), openmp=True, link=None, plugin=None):
    stem = source.rsplit(".", 1)[0]
    BINARIES.append(Binary(name or stem, source, flags, openmp, link, plugin))
    return name or stem


def case(of, args=(), env=None, status=0, name=None, stdin="", unordered=False):
    CASES.append(Case(name or " ".join((of,) + tuple(args)), of, tuple(args), env or {},
                      status, stdin, unordered))


def simple(*sources):
    for source in sources:
        case(binary(source))


def optimised_too(*sources):
    """At -O2 outlined functions, captured data and frames look different."""
    for source in sources:
        case(binary(source))
        stem = source.rsplit(".", 1)[0]
        case(binary(source, name=stem + "-O2", flags=("-O2",)))


# Regions, work-sharing and synchronisation.
optimised_too("parallel.c", "loops.c", "reductions.c")
simple("sections.c", "teams.c", "oldabi_parallel.c", "oldabi_loops.c", "oldabi_locks.c",
       "barriers.c", "critical.c", "atomic.c", "ordered.c", "doacross.c", "locks.c",
       "nesting.c", "control.c", "settings.c")
for value in ("true", "false"):
    if value == "true":
        binary("cancel.c")
    case("cancel", env={"OMP_CANCELLATION": value}, name="cancel " + value)
binary("limits.c")
case("limits", env={"OMP_THREAD_LIMIT": "3", "OMP_NUM_THREADS": "8"})
binary("many_threads.c")
case("many_threads", env={"OMP_WAIT_POLICY": "passive"})

case(binary("target.c"))
case("target", ["error"], status=1)

# Tasks. Small stacks make visible what the hooks take of them.
optimised_too("tasks_depend.c", "tasks_clauses.c", "tasks_detach.c", "tasks_align.c",
              "tasks_many.c", "taskloop.c", "taskgroup.c")
binary("tasks_large.c")
binary("tasks_large.c", name="tasks_large-O2", flags=("-O2",))
case("tasks_large", env={"OMP_STACKSIZE": "3M"})
case("tasks_large-O2", env={"OMP_STACKSIZE": "3M"})
case("tasks_many", env={"OMP_STACKSIZE": "3M"}, name="tasks_many with small stacks")

# C++ and Fortran.
optimised_too("cxx_tasks.cc", "cxx_exceptions.cc", "cxx_objects.cc", "fortran_loops.f90",
              "fortran_sync.f90", "fortran_tasks.f90", "fortran_settings.f90")
case("cxx_exceptions", ["escape"], status=44)

# Processes and threads.
simple("pthreads.c", "churn.c", "forks.c", "execs.c", "constructors.c", "signals.c",
       "own_malloc.c", "files.c", "task_drift.c", "thread_ends.c")
binary("memory.c")
case("memory", env={"OMP_CANCELLATION": "true"})
simple("no_keys.c")
binary("enabled_late.c")
for where in ("between", "master", "worker", "loop", "task", "critical", "nested"):
    case("enabled_late", [where])
binary("ends.c")
for how, status in (("exit-master", 11), ("exit-worker", 12), ("exit-task", 13),
                    ("exit-critical", 14), ("exit-nested", 15), ("exit-ordered", 16),
                    ("exit-outside", 17), ("_exit-worker", 18), ("quick_exit", 19),
                    ("return", 20), ("abort-worker", -6), ("abort-task", -6),
                    ("raise-segv", -11), ("real-segv", -11), ("kill-self", -15),
                    ("kill-hard", -9), ("trap", -4), ("main-pthread_exit", 0)):
    case("ends", [how], status=status)

# Where libgomp is missing, late, hidden or loud.
binary("noopenmp.c", openmp=False, flags=("-O1", "-pthread"))
case("noopenmp", ["one", "two words", ""], stdin="a line\n")
binary("plugin.c", openmp=False, flags=("-O1", "-pthread"), plugin="plugin_lib.c")
case("plugin")
case(binary("parallel.c", name="libgomp_inside",
            link=("-l:libgomp.a", "-lpthread", "-ldl")))
case(binary("parallel.c", name="all_static", flags=("-O1", "-static")))
case("parallel", env={"OMP_DISPLAY_ENV": "true"}, name="parallel with OMP_DISPLAY_ENV")
case("parallel", env={"OMP_NUM_THREADS": "nonsense", "OMP_SCHEDULE": "?"},
     name="parallel with bad settings")
case("nesting", env={"OMP_NESTED": "true"}, name="nesting with OMP_NESTED")
case("barriers", env={"OMP_DISPLAY_AFFINITY": "true",
                      "OMP_AFFINITY_FORMAT": "level %L, thread %n of %N, under %a"},
     unordered=True, name="barriers with OMP_DISPLAY_AFFINITY")

# Not compared but asked: it says whether hooks are there.
WITNESS = binary("witness.c")
