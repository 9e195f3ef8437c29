# SPDX-License-Identifier: MIT
"""The same process through our extension, through the standard's routines alone as with
another vendor's library, and through the interface of 2015; with threads that gdb knows as
plain LWPs, too."""

import harness

t = harness.begin(__file__, program="waits.c")
import gdb  # noqa: E402

from openmp_inspect.core import errors, install_paths  # noqa: E402
from openmp_inspect.bindings import callbacks, standard5  # noqa: E402
from gdb_openmp.host import inferiors, thread_ids  # noqa: E402
from gdb_openmp.program import address_space  # noqa: E402
from gdb_openmp.ui import session  # noqa: E402

COLUMNS = ("OMP", "State", "Where")


def rows():
    return [tuple(row[name] for name in COLUMNS) for row in t.threads()]


def known(snapshot):
    """What every dialect must agree upon, by kernel id."""
    found = {}
    for thread in snapshot.threads:
        task = thread.task
        found[thread.lwp] = (thread.number, thread.level, thread.path, thread.wait_id,
                             thread.region.size, thread.region.function, task.kind,
                             task.function, task.frames, thread.region.master.lwp,
                             [member.lwp for member in thread.region.team])
    return found


def raises(ask):
    try:
        ask()
    except callbacks.Failed as failure:
        return failure.kind
    except errors.OmpdError as error:
        return error.kind
    return None


def look(kind):
    here = address_space.current()
    with session.snapshot() as snapshot:
        t.equal(here.session.dialect.extended, True, kind + ": the extension")
        extended = known(snapshot)
        t.equal(len(set(snapshot.threads)), 6, kind + ": threads are told apart")
        t.equal([snapshot.by_lwp[x.lwp] == x for x in snapshot.threads], [True] * 6,
                kind + ": and found again")
        pthreads = {x.pthread: x.lwp for x in snapshot.threads}
        lock = next(x for x in snapshot.locks if x.kind == "nest" and x.count)
        t.equal((lock.owner.lwp, [w.number for w in lock.waiters], lock.owner_task.kind),
                (snapshot.by_lwp[lock.owner.lwp].lwp, [4], "implicit"), kind + ": a lock")
        t.equal(snapshot.lock_at(lock.address), lock, kind + ": found by its address")
        t.equal(snapshot.lock_at(1), None, kind + ": there is none elsewhere")
        barrier = snapshot.barriers[0]
        t.equal((barrier.team_size, barrier.members, barrier.arrived, barrier.state),
                (6, 6, 1, "wait_barrier"), kind + ": the barrier")
        region = snapshot.threads[0].region
        t.equal((region.kind, region.parent, region.encountering_task.kind,
                 region.master.number), ("parallel", None, "initial", 0), kind + ": the region")
        t.equal({x.state for x in snapshot.tasks if x.kind == "implicit"}, {"running"},
                kind + ": implicit tasks")
        t.ok(all(x.codeptr and x.frame for x in snapshot.threads if x.state != "work_parallel"),
             kind + ": where threads are inside the runtime")
    table = rows()

    # The context of a thread, as a library asks for it.
    number, lwp = next(iter(pthreads.items()))
    t.equal(callbacks.context_of(here, "pthread", number), lwp,
            kind + ": a thread by its pthread id")
    t.equal(callbacks.context_of(here, "lwp", lwp), lwp, kind + ": by its LWP")
    t.equal(raises(lambda: callbacks.context_of(here, "lwp", 1)), "unavailable",
            kind + ": there is none of that id")
    t.equal(raises(lambda: callbacks.symbol_address(here.token, "no_such_symbol")), "error",
            kind + ": a symbol that is not there")

    # Without the extension.
    here.session.dialect.extended = False
    here.forget()
    with session.snapshot() as snapshot:
        t.equal(known(snapshot), extended, kind + ": the standard's routines tell the same")
        t.equal((snapshot.locks, snapshot.barriers, snapshot.dependences), ([], [], []),
                kind + ": and nothing of what they do not know")
        t.equal({(x.codeptr, x.frame) for x in snapshot.threads}, {(None, None)},
                kind + ": nor where threads are inside the runtime")
    # The standard's word for both kinds of locks is one; the call says which it is.
    t.equal([(omp, state.replace("wait nest", "~wait nest"), where)
             for omp, state, where in table], rows(), kind + ": so does the table")
    # As with LLVM's library, which has one word for a lock and for a critical section.
    real = standard5.StandardQuery.state

    def vague(self, thread):
        state, wait = real(self, thread)
        return ("wait_lock", 0) if state == "wait_critical" else (state, wait)
    standard5.StandardQuery.state = vague
    here.forget()
    found = {row["OMP"]: (row["State"], row["Waits for"]) for row in t.threads()}
    standard5.StandardQuery.state = real
    here.forget()
    t.equal((found["1/6"], found["2/6"], found["5/6"]),
            (("~wait critical", '"update", ~held by 1 (0/6)'),
             ("~wait critical", "unnamed, ~held by 1 (0/6)"),
             ("wait barrier", "explicit, 1 of 6 arrived")),
            kind + ": stacks tell what the library does not")
    t.like(t.run("ompd parallel"),
           r"compute \(\) at %s +6 threads: 1 3-7 +encountered by thread 1$" %
           t.mark("region"), kind + ": and the region")
    t.like(t.run("ompd tasks -all"), r"^\d+ .* initial ", kind + ": tasks of threads")
    t.like(t.run("ompd icvs"), "^thread-num-var +0 ", kind + ": control variables")
    t.like(t.run("ompd env"), "^OMP_OMPD = on$", kind + ": the environment")
    here.session.dialect.extended = True
    here.forget()

    # The interface of 2015.
    kept = install_paths.libraries
    install_paths.libraries = lambda: kept()[1:]
    address_space.discard(gdb.selected_inferior().num)
    with session.snapshot() as snapshot:
        t.like(address_space.current().session.dialect.name, r"^OMPD 2\.000", kind + ": the old one")
        t.equal(known(snapshot), extended, kind + ": which tells the same")
    t.equal(rows(), table, kind + ": and the same table")
    t.equal(t.error("ompd env"), "The runtime of this program has not recorded its control "
            'variables: "ompd icvs" shows what is known of them.', kind + ": but no settings")
    t.like(t.run("ompd tasks -all"), r"^\d+ .* initial ", kind + ": tasks of threads")
    install_paths.libraries = kept
    address_space.discard(gdb.selected_inferior().num)


t.run("ompd on")
t.stop_at("all_wait")
look("with libthread_db")

# A thread-local variable of a library that came with the program.
here = address_space.current()
found = {}
for thread in thread_ids.threads(gdb.selected_inferior()):
    thread.switch()
    try:
        found[inferiors.lwp(thread)] = int(gdb.parse_and_eval("(unsigned long long) &'errno'"))
    except gdb.error as error:
        t.note(error)
if found:
    t.equal({lwp: callbacks.symbol_address(here.token, "errno", lwp) for lwp in found}, found,
            "thread-local symbols")
else:
    t.skip("thread-local symbols", "gdb finds no errno here")
t.run("thread 1")
t.run("kill")

t.run("set auto-load libthread-db off")
t.stop_at("all_wait")
t.equal({thread.ptid[2] for thread in gdb.selected_inferior().threads()}, {0},
        "gdb knows threads as LWPs")
look("without it")
t.run("kill")
t.run("ompd off")
t.stop_at("all_wait")
t.equal({row[:2] for row in rows()}, {
    ("0/6", "work"), ("1/6", "~wait critical"), ("2/6", "~wait critical"),
    ("3/6", "~wait lock"), ("4/6", "~wait nest lock"), ("5/6", "~wait barrier"),
    ("-", "not OpenMP")}, "nobody prepared it, and threads are LWPs")
t.done()
