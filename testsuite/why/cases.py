# SPDX-License-Identifier: MIT
"""What must be said of each program: the id of the first verdict and how certain it is, in a
program that nobody prepared and in one that records.

`mark`: the comment in the source at whose line a wait, or the thread that it is about, is to
stand, or the construct at whose end it waits; not at the level `lost`, where the compiler jumps
into the runtime and leaves no frame, or has one function for two that are alike. `watch`:
seconds between two looks. `short`: it is in `make check`, too, recorded where the answer differs,
or with BOTH also where it must not. `settings`: of the environment.
`typed`: how one of the commands that are proposed begins; `flags`: of the compiler; `says`: what a
person has to read, also at the level `lost`, with the line of each {mark}; `live`: what besides of
a live process.
"""

from collections import namedtuple

Case = namedtuple("Case", "source how bare recorded mark watch levels short crash child settings "
                  "lost typed flags says live")


def case(source, how, bare, recorded=None, mark=None, watch=None, levels=(0, 2), short=False,
         crash=False, child=False, settings=(), lost=None, typed="",
         flags="", says=(), live=()):
    return Case(source, how, bare, recorded or bare, mark, watch, levels, short, crash, child,
                dict(settings), lost, typed, flags, says, live)


CERTAIN, LIKELY, POSSIBLE = "certain", "likely", "possible"
BOTH = "both"

# What stays certain while another member of the team works: only the owner may end it. A lock that
# its owner waits for, and which is no section, another thread may release: that is likely.
OF_OWNERS = ("lock-cycle", "lock-self")
OF_JOINS = ("joins", "joins_busy")  # nor end who is joined
OF_OWN_LOCK = ("thrown", "writes")


def is_open(one, recorded):
    """Whether another member may end what is said of a Case, or None: there is no such variant."""
    told, certainty = one.recorded if recorded else one.bare
    if certainty != CERTAIN or one.crash or one.child or one.watch or one.how == "at_exit":
        return None
    # Nobody may, either, where the owner has ended; but a suspended task may be resumed.
    return one.how in ("suspended", "alone", *OF_OWN_LOCK) or \
        told not in OF_OWNERS and one.how not in ("owner_ended", *OF_JOINS)


def of_open(one, recorded):
    """{what is said above possible of a Case that is_open()}."""
    told, _ = one.recorded if recorded else one.bare
    return {(told, LIKELY)} if told == "lock-self" and one.how in OF_OWN_LOCK else set()


def of_clang(one):
    """The Case of a program of clang, on LLVM's runtime, or None: it does not hang there."""
    name = one.source, one.how
    bare, recorded = OF_CLANG.get((*name, one.watch or one.levels), OF_CLANG.get(name, (one.bare, one.recorded)))
    says = tuple(words for words in one.says
                 if not words.startswith(("depend(", "cause it is held")))
    return None if bare is None else one._replace(bare=bare, recorded=recorded, says=says)


# That runtime has other tasks run, gives a forked child threads of its own, and ends a program
# with a lock that is none. It spins where libgomp sleeps, so that less is certain. What a doacross
# loop waits for is not known, nor, unprepared, what a depend clause names, nor who holds a lock
# whose address the code has in two ways.
WORKS = None, None
OF_CLANG = {
    ("constructs.c", "flag"): WORKS,
    ("constructs.c", "all_flags"): WORKS,
    ("barriers.c", "forked"): WORKS,
    ("barriers.c", "fork_outgrown"): WORKS,
    ("barriers.c", "mismatch_of_two"): (("barrier-mismatch", POSSIBLE), ("barrier-mismatch", CERTAIN)),
    # It asks the runtime for its number in the loop.
    ("barriers.c", "unset"): (("barrier-absent", POSSIBLE),) * 2,
    ("locks.c", "either"): (("lock-orphan", CERTAIN), ("lock-cycle", CERTAIN)),
    ("tasks.c", "yields"): WORKS,
    ("tasks.c", "undeferred"): WORKS,  # it waits at the taskwait, and unprepared the task is in no list
    ("tasks.c", "target"): (("barrier-absent", POSSIBLE),) * 2,
    # A hidden helper thread executes it, which records do not know.
    ("tasks.c", "target_wants"): (("lock-holder-waits", POSSIBLE),) * 2,
    ("tasks.c", "target_wants", (2,)): (("lock-orphan", POSSIBLE), ("lock-holder-waits", POSSIBLE)),
    ("locks.c", "suspended"): WORKS,  # there a thread owns a nest lock, whatever its task
    ("constructs.c", "doacross"): (("wait-orphan", POSSIBLE),) * 2,
    ("constructs.c", "doacross", 1): (("wait-orphan", LIKELY),) * 2,
    ("constructs.c", "fork_in_critical"): (("lock-orphan", POSSIBLE),) * 2,
    ("slow.c", "sections"): (("barrier-absent", POSSIBLE),) * 2,  # its end is that of the region
    ("constructs.c", "sections"): WORKS,
    ("constructs.c", "destroyed"): WORKS,
    ("constructs.c", "no_threads"): WORKS,
    ("exits.c", "unmade"): WORKS,
    ("constructs.c", "uninitialised"): WORKS,
}

CASES = (
    case("barriers.c", "mismatch", ("barrier-mismatch", CERTAIN), mark="mismatch-barrier",
         short=True),
    # Two spin, and do not sleep.
    case("barriers.c", "mismatch_of_two", ("barrier-mismatch", CERTAIN), mark="mismatch-barrier",
         settings={"OMP_WAIT_POLICY": "active"}, short=BOTH, levels=(0,)),
    case("barriers.c", "copyprivate", ("barrier-mismatch", CERTAIN), short=True),
    case("barriers.c", "returns", ("barrier-mismatch", CERTAIN), mark="returns-loop"),
    case("barriers.c", "jumps", ("barrier-mismatch", CERTAIN), mark="jumps-loop"),
    case("barriers.c", "single", ("barrier-mismatch", CERTAIN), mark="single-left-out"),
    case("barriers.c", "endless", ("barrier-absent", POSSIBLE), mark="endless-works",
         levels=(0,)),
    case("barriers.c", "endless", ("spin", LIKELY), mark="endless-works", watch=1, levels=(0,),
         short=True),
    case("barriers.c", "working", ("barrier-absent", POSSIBLE), mark="working-barrier"),
    case("barriers.c", "reads", ("barrier-absent", POSSIBLE), mark="reads-in"),
    case("barriers.c", "reads", ("barrier-absent", LIKELY), mark="reads-in", watch=1),
    case("barriers.c", "ticks", ("barrier-absent", POSSIBLE), mark="ticks-in", short=True),
    case("barriers.c", "ticks", ("barrier-absent", POSSIBLE), mark="ticks-in", short=True,
         flags="-static"),
    case("barriers.c", "sleepers", ("barrier-absent", POSSIBLE)),
    case("barriers.c", "joins", ("barrier-absent", POSSIBLE), mark="joins-in"),
    case("constructs.c", "flag", ("spin-forever", CERTAIN), mark="flag-spins", levels=(2,),
         short=True),
    case("constructs.c", "all_flags", ("spin-forever", CERTAIN), mark="all-spin", levels=(2,),
         short=True),
    case("barriers.c", "unset", ("spin", LIKELY), mark="unset-spins", watch=1),
    case("barriers.c", "polled_flag", ("spin", LIKELY), mark="polled-flag-spins", watch=1,
         says=("always the same values, reads flags[1]",)),
    case("barriers.c", "many", ("spin", LIKELY), mark="many-spin", watch=2, levels=(2,),
         says=("and 38 more, which make no progress", "always the same values, reads flags[1]")),
    case("barriers.c", "yielding", ("spin", LIKELY), mark="yielding-at", watch=1, short=True,
         says=("always the same values, reads flags[1]",)),
    case("spins.cc", "atomic", ("spin", LIKELY), mark="atomic-spins", watch=1,
         says=("always the same values, ", "reads published")),
    case("spins.cc", "function", ("spin", LIKELY), watch=1, says=("reads end_flag",)),
    case("spins.cc", "two_parts", ("spin", LIKELY), mark="parts-spin", watch=1,
         says=("reads end_flag, other_flag", "thread 2 (1/3) and 1 more")),
    case("spins.cc", "two_parts", ("waiting", None), mark="parts-spin", levels=(2,),
         says=("~in a loop that only reads end_flag, other_flag",)),
    case("spins.cc", "all", ("nothing", None), mark="all-spin", short=True,
         says=("~in a loop that only reads end_flag",)),
    case("spins.cc", "all", ("spin", LIKELY), mark="all-spin", watch=1,
         says=("and 2 more repeat a loop with no new value",)),
    case("barriers.c", "polled", ("barrier-absent", LIKELY), mark="polled-sleeps", watch=1),
    case("barriers.c", "forked", ("fork", CERTAIN), short=BOTH, child=True,
         says=("of #pragma omp parallel barriers.c:{fork-for}",)),
    case("barriers.c", "fork_outgrown", ("fork", CERTAIN), short=BOTH, child=True,
         says=("4 threads, of which 2 exist",)),
    case("barriers.c", "fork_ends", ("barrier-absent", CERTAIN), short=True, child=True),
    case("barriers.c", "fork_begins", ("fork", LIKELY), levels=(0,), short=True, child=True),
    case("barriers.c", "member_ends", ("barrier-absent", CERTAIN), short=True),
    case("locks.c", "orphan", ("lock-orphan", CERTAIN), ("lock-holder-waits", CERTAIN),
         mark="insert-wants"),
    case("locks.c", "order", ("lock-cycle", LIKELY), ("lock-cycle", CERTAIN),
         mark="order-wants", short=True, says=("holds first", "holds second")),
    case("locks.c", "either", ("lock-orphan", CERTAIN), ("lock-cycle", CERTAIN), levels=(0,),
         mark="either-wants", says=("wants first", "wants second", "acquired in different orders")),
    case("locks.c", "either", ("lock-orphan", POSSIBLE), ("lock-cycle", CERTAIN), levels=(0,),
         mark="either-wants", settings={"OMP_WAIT_POLICY": "active"}, short=True,
         says=("acquired in different orders",)),
    case("locks.c", "jumping", ("lock-orphan", CERTAIN), ("lock-cycle", CERTAIN), levels=(2,),
         short=True, says=("acquired in different orders",)),
    case("locks.c", "order3", ("lock-cycle", LIKELY), ("lock-cycle", CERTAIN),
         mark="order3-wants", lost=2, levels=(0,)),
    # Optimised, no register and no variable has the address of the lock any more.
    case("locks.c", "order3", ("lock-orphan", CERTAIN), ("lock-cycle", CERTAIN),
         mark="order3-wants", lost=2, levels=(2,)),
    case("locks.c", "mixed", ("lock-cycle", LIKELY), ("lock-cycle", CERTAIN),
         mark="mixed-wants-mutex", short=True),
    case("locks.c", "crossed", ("lock-cycle", LIKELY), ("lock-cycle", CERTAIN),
         mark="crossed-wants-mutex", says=("holds table_lock", "holds mutex cache",
                                           "acquired in different orders")),
    case("locks.c", "self", ("lock-self", LIKELY), ("lock-self", CERTAIN), mark="self-wants",
         short=True),
    case("locks.c", "lock_as_signal", ("waiting", None), ("lock-self", LIKELY), mark="signal-wants",
         short=True),
    case("locks.c", "alone", ("lock-orphan", CERTAIN), ("lock-self", CERTAIN), short=True),
    case("locks.c", "nested", ("lock-holder-waits", CERTAIN), mark="nest-wants"),
    case("locks.c", "suspended", ("lock-self", CERTAIN), mark="child-wants"),
    case("locks.c", "left_held", ("lock-orphan", CERTAIN), mark="initial-wants"),
    case("locks.c", "helpers", ("lock-orphan", CERTAIN), mark="initial-wants", levels=(0,)),
    case("libc_locks.c", "across", ("lock-holder-waits", CERTAIN), mark="across-wants"),
    case("libc_locks.c", "across_call", ("lock-holder-waits", CERTAIN), mark="called-wants",
         says=("end of #pragma omp parallel libc_locks.c:{called-region}",)),
    case("locks.c", "at_barrier", ("lock-orphan", CERTAIN), ("lock-holder-waits", CERTAIN),
         mark="at-barrier-wants"),
    case("locks.c", "taskwait_in_critical", ("lock-holder-waits", LIKELY),
         ("lock-holder-waits", CERTAIN), mark="taskwait-in"),
    case("libc_locks.c", "owner_ended", ("lock-orphan", CERTAIN), mark="ended-wants"),
    case("locks.c", "naps", ("lock-holder-waits", POSSIBLE), says=("holds table_lock",)),
    case("locks.c", "naps", ("lock-holder-waits", POSSIBLE), watch=1),
    # LLVM's runtime has another kind of lock elsewhere than the program.
    case("locks.c", "shared", ("waiting", None), settings={"KMP_LOCK_KIND": "futex"}),
    case("locks.c", "holder_reads", ("lock-holder-waits", POSSIBLE), mark="reads"),
    case("locks.c", "braces", ("lock-holder-waits", POSSIBLE), mark="pauses-at", short=True),
    case("libc_locks.c", "forked", ("waiting", None), mark="forked-wants", child=True, short=True),
    case("libc_locks.c", "writes", ("lock-holder-waits", CERTAIN), mark="writes-wants"),
    case("libc_locks.c", "prints", ("lock-holder-waits", CERTAIN), mark="prints-wants", short=True),
    case("libc_locks.c", "robust", ("lock-holder-waits", CERTAIN), mark="attributes-wants"),
    case("libc_locks.c", "inherits", ("lock-holder-waits", CERTAIN), mark="attributes-wants"),
    case("libc_locks.c", "inconsistent", ("lock-holder-waits", CERTAIN), mark="between-wants"),
    case("libc_locks.c", "elsewhere", ("waiting", None)),
    case("libc_locks.c", "locks_file", ("barrier-absent", POSSIBLE), mark="file-waits", short=True,
         says=("is in flock ()", "for "), live=("/locked-", ", ~held by process")),
    case("libc_locks.c", "locks_range", ("barrier-absent", POSSIBLE), mark="range-waits",
         says=("is in lockf ()", "for "), live=("/locked-", ", ~held by process")),
    case("libc_locks.c", "pool", ("lock-holder-waits", CERTAIN), mark="pool-wants"),
    case("libc_locks.c", "timed", ("barrier-absent", POSSIBLE), mark="timed-wants", watch=1),
    case("polls.c", "polls", ("lock-polled", POSSIBLE), mark="polls-naps", short=True,
         says=("poll lock table_lock",)),
    case("polls.c", "polls", ("lock-polled", LIKELY), mark="polls-naps", watch=1),
    case("polls.c", "polls_crossed", ("lock-polled", POSSIBLE), mark="crossed-polls",
         says=("polls lock table_lock", "polls nest lock ")),
    case("polls.c", "polls_crossed", ("lock-polled", LIKELY), mark="crossed-polls", watch=1),
    case("polls.c", "polls_either", ("lock-polled", POSSIBLE), mark="either-polls"),
    case("polls.c", "polls_last", ("lock-polled", POSSIBLE), mark="last-polls",
         says=("cause it is held across a wait",)),
    case("polls.c", "polls_own", ("lock-polled", POSSIBLE), mark="own-polls"),
    case("polls.c", "polls_nested", ("lock-polled", POSSIBLE), mark="nested-polls"),
    case("polls.c", "polls_nested", ("lock-polled", LIKELY), mark="nested-polls", watch=1),
    case("libc_locks.c", "too_many", ("wait-orphan", CERTAIN), mark="too-many-wait"),
    case("libc_locks.c", "reads", ("wait-orphan", CERTAIN), mark="reads-wants",
         says=("pthread_rwlock_wrlock () on rows, which 2 threads read",)),
    case("libc_locks.c", "condition", ("wait-orphan", CERTAIN), mark="condition-waits",
         says=("wait in pthread_cond_wait () on jobs.filled",)),
    case("libc_locks.c", "both_kinds", ("wait-orphan", CERTAIN),
         says=("waits in pthread_rwlock_rdlock () on entries",
               "waits in pthread_rwlock_wrlock () on entries, which 1 thread reads")),
    case("libc_locks.c", "spins", ("spin", LIKELY), mark="spins-in", watch=1,
         says=("always the same values",)),
    case("tasks.c", "detached", ("task-detached", LIKELY), mark="detached-wait", short=True),
    case("tasks.c", "undeferred", ("task-detached", LIKELY), mark="undeferred-wait", short=True,
         says=("waits for its event", "; its event 0x")),
    case("tasks.c", "group", ("task-detached", LIKELY)),
    case("tasks.c", "successor", ("task-detached", LIKELY), mark="successor-wait"),
    case("tasks.c", "spins", ("task-spin", POSSIBLE), mark="spins",
         says=("depend(in: x)", "in a loop that only reads flag")),
    case("tasks.c", "spins", ("task-spin", LIKELY), mark="spins", watch=1,
         says=("depend(in: x)", "reads flag")),
    case("tasks.c", "group_in_critical", ("lock-holder-waits", LIKELY),
         ("lock-holder-waits", CERTAIN), mark="group-child-wants"),
    case("tasks.c", "yields", ("task-starved", LIKELY), mark="yields-at", watch=1),
    case("tasks.c", "target", ("barrier-absent", POSSIBLE), mark="target-pauses", short=True),
    case("tasks.c", "target_member", ("barrier-absent", POSSIBLE), mark="target-member", levels=(0,),
         short=True, says=("(1/3)",)),
    case("tasks.c", "target_wants", ("waiting", None), ("lock-holder-waits", CERTAIN),
         mark="target-wants", short=True, levels=(0,)),
    case("tasks.c", "target_wants", ("waiting", None), ("lock-holder-waits", CERTAIN),
         mark="target-wants", levels=(2,)),
    case("tasks.c", "own", ("spin", LIKELY), mark="own-loops", watch=1,
         says=("always the same values", "has not begun")),
    case("tasks.c", "throttled", ("task-starved", POSSIBLE), mark="throttled-waits"),
    case("tasks.c", "throttled", ("task-starved", LIKELY), mark="throttled-waits", watch=1),
    case("constructs.c", "doacross", ("doacross", POSSIBLE), ("doacross", LIKELY),
         mark="doacross-wait", short=True),
    case("constructs.c", "doacross", ("doacross", LIKELY), mark="doacross-wait", watch=1, short=True),
    case("constructs.c", "turn_and_lock", ("lock-holder-waits", LIKELY), ("lock-holder-waits", CERTAIN),
         mark="turn-with-lock", watch=1),
    case("constructs.c", "posts_late", ("barrier-absent", POSSIBLE), mark="late-at", short=True),
    case("constructs.c", "takes_turns", ("barrier-absent", POSSIBLE), mark="turn-works",
         levels=(0,), short=True),
    case("constructs.c", "turn_inside", ("barrier-absent", POSSIBLE), mark="turn-pauses",
         short=BOTH, levels=(0,)),
    case("constructs.c", "cancelled", ("cancelled-not-noticed", POSSIBLE), mark="cancelled-loop",
         levels=(0,), settings={"OMP_CANCELLATION": "true"}),
    case("constructs.c", "cancelled", ("cancelled-not-noticed", LIKELY), mark="cancelled-loop",
         watch=1, levels=(0,), short=True, settings={"OMP_CANCELLATION": "true"}),
    case("constructs.c", "sections", ("task-starved", POSSIBLE), mark="await-loop"),
    case("constructs.c", "sections", ("task-starved", LIKELY), mark="await-loop", watch=1,
         short=True),
    case("constructs.c", "starved", ("task-starved", LIKELY), mark="await-loop", watch=1),
    case("constructs.c", "smaller", ("team-smaller", LIKELY), mark="smaller-wait", watch=1,
         settings={"OMP_THREAD_LIMIT": "2"}),
    case("constructs.c", "clause", ("team-smaller", LIKELY), mark="clause-wait", watch=1,
         levels=(0,), settings={"OMP_THREAD_LIMIT": "2"}),
    case("constructs.c", "workshare", ("barrier-mismatch", CERTAIN), mark="workshare-barrier",
         lost=2),
    case("constructs.c", "destroyed", ("lock-orphan", CERTAIN), mark="destroyed-wants"),
    case("constructs.c", "uninitialised", ("lock-orphan", CERTAIN), mark="uninitialised-wants",
         lost=2),
    case("constructs.c", "exits", ("lock-self", LIKELY), ("lock-self", CERTAIN),
         mark="counts-wants"),
    case("constructs.c", "no_threads", ("barrier-absent", POSSIBLE), mark="exit-sleeps", short=BOTH,
         settings={"OMP_STACKSIZE": "64M"}, says=("(0/64), which is in pause ()",
                                                 "inside exit (), which runs sleeps ()")),
    case("signals.c", "handler", ("lock-self", LIKELY), ("lock-self", CERTAIN),
         mark="counts-wants", says=("inside a handler of",
                                  "which interrupted handler () at signals.c:")),
    case("signals.c", "handled", ("task-detached", POSSIBLE), mark="handled-wait"),
    case("signals.c", "released", ("lock-orphan", POSSIBLE), ("lock-self", POSSIBLE),
         mark="released-wants", short=True),
    case("signals.c", "released", ("lock-orphan", POSSIBLE), mark="released-wants",
         flags="-static"),
    case("signals.c", "posted", ("barrier-absent", POSSIBLE), mark="posted-waits",
         says=("is in sem_wait () signals.c:{posted-waits}",)),
    case("signals.c", "quits", ("barrier-absent", POSSIBLE), mark="quits-waits", short=True),
    case("signals.c", "posted_last", ("barrier-absent", POSSIBLE), short=True),
    case("signals.c", "all_posted", ("waiting", None), says=("2 threads are in sem_wait ()",)),
    case("signals.c", "signalled", ("wait-orphan", LIKELY), mark="signalled-waits", short=BOTH),
    case("signals.c", "left", ("spin-forever", LIKELY), mark="left-loops", levels=(2,),
         short=True),
    case("signals.c", "shared", ("waiting", None), mark="shared-waits", short=True, watch=1, lost=2),
    case("signals.c", "jumped", ("barrier-absent", POSSIBLE), mark="jumped-pauses", child=True,
         short=BOTH),
    case("signals.c", "interrupted", ("lock-self", POSSIBLE), mark="interrupted-wants", child=True,
         short=BOTH, lost=2, says=("which interrupted interrupt_wait ()",)),
    case("signals.c", "crossed", ("lock-orphan", POSSIBLE), ("lock-cycle", POSSIBLE),
         mark="crossed-wants"),
    case("constructs.c", "fork_in_critical", ("lock-orphan", CERTAIN), mark="counts-wants",
         child=True),
    case("constructs.c", "mpi", ("mpi", POSSIBLE), mark="mpi-barrier"),
    case("constructs.c", "mpi", ("mpi", LIKELY), mark="mpi-barrier", watch=1),
    case("crashes.c", "segv", ("crash-signal", CERTAIN), mark="segv-at", crash=True,
         says=("pointer ~where is 0x10", "parallel crashes.c:")),
    case("crashes.c", "wild", ("crash-signal", CERTAIN), mark="segv-at", crash=True, short=True,
         says=("store () address not known", "pointer ~where is 0xa5a5a5a5a5a5a5a5")),
    case("crashes.c", "raises", ("crash-signal", CERTAIN), mark="raises-at", crash=True,
         short=True, lost=2, says=("sent by the process itself",)),
    case("crashes.c", "overflow", ("crash-stack", CERTAIN), crash=True, short=True,
         typed="OMP_STACKSIZE=64M", says=("this frame takes 3", " MiB: work")),
    case("crashes.c", "recursion", ("crash-stack", CERTAIN), crash=True, short=True,
         settings={"OMP_STACKSIZE": "1M"}, says=("MiB, recursion of descend (), ",)),
    case("crashes.c", "overflow", ("crash-stack", CERTAIN), crash=True, levels=(0,),
         typed="OMP_STACKSIZE=80M", settings={"OMP_STACKSIZE": "20M"}),
    case("crashes.c", "initial", ("crash-stack", CERTAIN), crash=True, typed="ulimit -s",
         settings={"OMP_STACKSIZE": "20M"}),
    case("crashes.c", "computed", ("crash-stack", CERTAIN), crash=True, short=True,
         settings={"OMP_STACKSIZE": "1M"}, says=("this frame takes 1.5 MiB",)),
    case("crashes.c", "computed_first", ("crash-stack", CERTAIN), crash=True, typed="ulimit -s",
         settings={"OMP_STACKSIZE": "20M"}, says=(" takes 24.0 MiB",)),
    case("crashes.c", "small", ("crash-stack", CERTAIN), crash=True, short=True,
         typed="pthread_attr_setstacksize", says=("this frame takes 58",)),
    case("crashes.c", "overshoot", ("crash-stack", CERTAIN), mark="overshoot-at", crash=True,
         short=True, settings={"OMP_STACKSIZE": "1M"}),
    case("crashes.c", "aborts", ("crash-signal", CERTAIN), mark="aborts-at", crash=True),
    case("crashes.c", "asserts", ("crash-signal", CERTAIN), mark="asserts-at", crash=True,
         short=True, says=("crash: SIGABRT in thread", "asserts () libc ",
                           "Assertion `result > 1' failed.")),
    case("crashes.c", "task", ("crash-signal", CERTAIN), mark="segv-at", crash=True, short=True,
         says=("crash: SIGSEGV in thread", "pointer ~where is null",
               "in the task of crashes.c:{task-of}, task (), which has no depend clause")),
    case("crashes.c", "plain", ("crash-signal", CERTAIN), mark="segv-at", crash=True, short=True,
         says=("crash: SIGSEGV in thread", "store () address 0x10, near null")),
    case("exits.c", "returns", ("crash-signal", CERTAIN), mark="looks-up", crash=True, short=True,
         says=(" is inside exit (), which runs frees () main () has returned",)),
    case("exits.c", "member", ("crash-signal", CERTAIN), mark="destroys-at", crash=True, short=True,
         says=("exit inside exit (), which runs destroys () called by exits.c:{member-exits}, member ()",)),
    case("exits.c", "unmade", ("crash-signal", CERTAIN), mark="destroys-at", crash=True, short=True,
         settings={"OMP_STACKSIZE": "64M"},
         says=("the OpenMP runtime has called it, after an error, for exits.c:{unmade-region}",)),
    case("unmapped.c", "unmaps", ("crash-signal", CERTAIN), crash=True, short=True, flags="-fno-openmp",
         says=("code none is there, nor where the thread began: unmapped, as by dlclose ()",)),
    case("unmapped.c", "null", ("crash-signal", CERTAIN), crash=True, flags="-fno-openmp",
         says=("code none is there next",)),
    case("locks.cc", "order", ("lock-cycle", CERTAIN)),
    case("locks.cc", "thrown", ("lock-orphan", CERTAIN), ("lock-self", CERTAIN),
         mark="insert-wants"),
    case("locks.cc", "joins", ("lock-holder-waits", LIKELY), ("lock-holder-waits", CERTAIN),
         mark="joins-in", says=("waits in pthread_join () locks.cc:{joins-in}",)),
    case("locks.cc", "joins_busy", ("lock-holder-waits", CERTAIN), mark="writer-wants", short=True,
         says=("waits in pthread_join () locks.cc:{joins-busy}",)),
    case("locks.cc", "joins_busy", ("lock-holder-waits", POSSIBLE), mark="writer-wants", levels=(0,),
         flags="-DCANCELS"),
    case("locks.cc", "at_exit", ("lock-orphan", CERTAIN), ("lock-self", CERTAIN),
         mark="destructor-wants", short=True, lost=2),
    case("locks.cc", "thread_local_end", ("lock-holder-waits", LIKELY),
         ("lock-holder-waits", CERTAIN), mark="destructor-wants", short=True, levels=(0,)),
    case("locks.cc", "thread_local_end", ("lock-orphan", CERTAIN), ("lock-holder-waits", CERTAIN),
         mark="destructor-wants", levels=(2,), lost=2),
    case("locks.cc", "left", ("barrier-mismatch", CERTAIN), mark="left-loop"),
    case("locks.cc", "guard", ("wait-orphan", CERTAIN), mark="table-wants"),
    case("locks.cc", "initialises", ("wait-orphan", CERTAIN), mark="settings-want",
         says=("until settings()::those is initialised, ~by", "std::atomic::wait () on opened"),
         flags="-std=c++20"),
    # Their constructor, which acquires the lock, is on no stack; optimised, it is inlined.
    case("locks.cc", "guards", ("lock-orphan", CERTAIN), ("lock-cycle", CERTAIN), levels=(0,)),
    case("locks.cc", "guards", ("lock-cycle", LIKELY), ("lock-cycle", CERTAIN), levels=(2,)),
    case("locks.cc", "promise", ("wait-orphan", CERTAIN), mark="promise-wants"),
    case("locks.cc", "uncaught", ("crash-exception", CERTAIN), crash=True, short=True,
         says=("at locks.cc:", "in #pragma omp parallel locks.cc:",
               "inside of which it has to be caught")),
    case("locks.cc", "terminates", ("crash-signal", CERTAIN), mark="terminates-at", crash=True,
         short=True, says=("crash: SIGABRT in thread",)),
    case("python.c", "gil", ("lock-holder-waits", CERTAIN), mark="gil-wants", lost=2, short=True,
         says=("the GIL's holder waits", "holds Python's GIL", "want Python's GIL",
               "in Python at python.py:19, keeps ()")),
    case("python.c", "gil_in_task", ("lock-holder-waits", CERTAIN), mark="gil-task-wants", lost=2,
         says=("holds Python's GIL", "wants Python's GIL")),
    case("python.c", "gil_and_lock", ("lock-cycle", LIKELY), ("lock-cycle", CERTAIN),
         mark="gil-wants-lock", says=("holds table_lock", "holds Python's GIL")),
    case("python.c", "team_of_one", ("waiting", None), short=True),
    case("hangs.f90", "trips", ("barrier-mismatch", CERTAIN), mark="trip-barrier"),
    case("hangs.f90", "leaves", ("barrier-mismatch", CERTAIN), mark="scale-loop"),
    case("hangs.f90", "writes", ("lock-self", CERTAIN), mark="writes-in",
         says=("holds unit 6 ~since hangs.f90:", "wants unit 6 at hangs.f90:")),
    case("slow.c", "matrix", ("barrier-absent", POSSIBLE), watch=1, short=True),
    case("slow.c", "relax", ("barrier-absent", POSSIBLE), watch=1),
    case("slow.c", "count", ("barrier-absent", POSSIBLE), watch=1),
    case("slow.c", "loop", ("barrier-absent", POSSIBLE), levels=(0,), short=True,
         says=("i = 1500 of ", "~1366 to 2730 (~0 to 4095 in all)", "loop at slow.c:")),
    case("slow.c", "loop_called", ("barrier-absent", POSSIBLE), levels=(2, 0), short=True,
         says=("i = 1500 of ", "loop at slow.c:")),
    case("slow.c", "loop_dynamic", ("barrier-absent", POSSIBLE), levels=(0,),
         says=("at = 60 of ",)),
    case("slow.c", "list", ("barrier-absent", POSSIBLE), watch=1),
    case("slow.c", "until", ("barrier-absent", POSSIBLE), watch=1),
    case("slow.c", "handshake", ("barrier-absent", POSSIBLE), watch=1),
    case("slow.c", "receives", ("barrier-absent", POSSIBLE), watch=1, short=True),
    case("slow.c", "sections", ("nothing", None), watch=1),
    case("slow.c", "tasks", ("nothing", None), watch=1),
    case("hangs.f90", "inside", ("barrier-mismatch", CERTAIN), mark="inside-single",
         lost=2),
    case("hangs.f90", "critical", ("lock-self", LIKELY), ("lock-self", CERTAIN),
         mark="add-wants", short=True),
)
HEALTHY = tuple(("healthy.c", how) for how in (
    "barriers", "loops", "tasks", "recursion", "depends", "nested", "regions_in_tasks",
    "turns", "pipeline", "conditions", "pools", "reductions", "doacross", "cancels", "sleeps", "tests", "flags",
    "yields", "generates")) + tuple(("slow.c", how) for how in (
        "matrix", "relax", "count", "list", "until", "handshake", "receives", "sections")) + (
            ("python.c", "callbacks"),)
# None of their waits lasts: it is not slow either.
PASSING = "barriers", "loops", "nested", "pipeline", "reductions", "generates"
HANGS_OF_CLANG = ("cancels",)  # LLVM's runtime loses a thread there
