#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""openmp_inspect.model over a Query in plain Python, of which each answer in turn is an OmpdError:
every attribute has what it has without it, or less, or raises that error, each time the same."""

import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
sys.path.insert(1, os.path.join(os.environ["stage"], "share/ompd/python"))
from tap import Tap  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.core.errors import OmpdError  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.core.escaped import Name  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.bindings import query  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.model import nesting, objects, sync  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.model.snapshot import Snapshot  # noqa: E402  pylint: disable=wrong-import-position

KINDS = ("unavailable", "unsupported", "needs_state_tracking", "stale_handle", "error")
LOCK = 0x5000

# Region A is thread t1 and t2, B inside it t2 and t3; task e is explicit, of t3.
THREADS = {"t1": (101, "wait_lock", LOCK, 0, "A", "a0"),
           "t2": (102, "wait_barrier_implicit", 0, 0, "B", "b0"),
           "t3": (103, "work_parallel", 0, 1, "B", "e")}
REGIONS = {"A": (1, 2, 0x4000, None, "t1", ("t1", "t2"), ("a0", "a1"), "i", 0),
           "B": (2, 2, 0x4100, "A", "t2", ("t2", "t3"), ("b0", "b1"), "a1", 1)}
TASKS = {"i": ("initial", None, None, 0, None), "a0": ("implicit", "i", "i", 1, "t1"),
         "a1": ("implicit", "i", "i", 1, None), "b0": ("implicit", "a1", "a1", 2, "t2"),
         "b1": ("implicit", "a1", "a1", 2, None), "e": ("explicit", "b1", "b1", 2, "t3")}


class Counting(query.Query):
    """Answers from the tables above, but for the call of number FAILING."""

    def __init__(self, bulk=False, failing=None, kind=None, **other):
        self.bulk = bulk
        self.calls = self.released = 0
        self._failing, self._kind = failing, kind
        self._parents = dict({task: row[1] for task, row in TASKS.items()},
                             **other.get("parents", {}))
        self._around = dict({region: row[3] for region, row in REGIONS.items()},
                            **other.get("around", {}))

    def count(self):
        self.calls += 1
        if self.calls == self._failing:
            raise OmpdError(self._kind, "ompd_call_%d" % self.calls)

    def parent_of(self, task):
        return there(self._parents[task])

    def around(self, region):
        return there(self._around[region])

    def release(self):
        self.released += 1

    @property
    def recorded(self):
        self.count()
        return True


def there(value):
    if value is None:
        raise OmpdError("unavailable", "ompd_get")
    return value


def counted(answer):
    def method(self, *arguments):
        self.count()
        return answer(self, *arguments)
    return method


def thread_facts(_self):
    for key, (thread, row) in enumerate(THREADS.items()):
        yield query.ThreadFacts(thread, key, {"lwp": row[0], "number": row[3], "region": row[4],
                                              "codeptr": 0x4004})


def task_facts(_self, task):
    return query.TaskFacts(kind=TASKS[task][0], flags=frozenset(["untied"]), codeptr=0x4008,
                           event=9, dependences=1, thread=TASKS[task][4],
                           region="B" if task == "e" else None, scheduling=TASKS[task][2], device=0x9000)


LOCKS = [query.LockFacts(LOCK, "nest", 2, 0x4010, 0x7000, "made", "t3", "e", ["t1"])]
BARRIERS = [query.BarrierFacts("B", 2, 2, 1, "wait_barrier_implicit", "end", 0x4020)]
ANSWERS = {
    "tracking": lambda self: True,
    "threads": lambda self: list(THREADS),
    "thread_of": lambda self, lwp: {row[0]: t for t, row in THREADS.items()}.get(lwp),
    "thread_key": lambda self, t: list(THREADS).index(t),
    "lwp": lambda self, t: THREADS[t][0],
    "state": lambda self, t: query.State(*THREADS[t][1:3]),
    "number": lambda self, t: THREADS[t][3],
    "region_of": lambda self, t: THREADS[t][4],
    "task_of": lambda self, t: THREADS[t][5],
    "region_key": lambda self, r: r.lower(),
    "region_id": lambda self, r: REGIONS[r][0],
    "size": lambda self, r: REGIONS[r][1],
    "function": lambda self, r: REGIONS[r][2],
    "enclosing": lambda self, r: self.around(r),
    "master": lambda self, r: REGIONS[r][4],
    "team": lambda self, r: REGIONS[r][5],
    "implicit_tasks": lambda self, r: REGIONS[r][6],
    "encountering_task": lambda self, r: REGIONS[r][7],
    "encountering_number": lambda self, r: REGIONS[r][8],
    "task_key": lambda self, k: k * 2,
    "task_id": lambda self, k: list(TASKS).index(k),
    "task_function": lambda self, k: there(0x4200 if TASKS[k][1] else None),
    "frames": lambda self, k: query.Frames(0x7f00, 0x7e00),
    "parent": lambda self, k: self.parent_of(k),
    "level": lambda self, k: TASKS[k][3],
    "is_implicit": lambda self, k: TASKS[k][0] != "explicit",
    "thread_facts": thread_facts, "task_facts": task_facts, "task_serial": lambda self, k: 7,
    "kinds": lambda self: {row[0]: query.ThreadKind(None, row[3], t)
                           for t, row in THREADS.items()},
    "runtimes": lambda self: [query.RuntimeFacts(0, "libgomp", "yes", 3, 12, 13, "")],
    "has_several_runtimes": lambda self: False,
    "runtime_of": lambda self, t: 0,
    "codeptr": lambda self, t: 0x4004,
    "barrier": lambda self, t: "end",
    "futexes": lambda self, t: query.Futexes(0x6100, 0x6200, 2),
    "barriers_entered": lambda self, t: 3,
    "lock_tests": lambda self, t: query.LockTests(0x6200, 12, 900),
    "target": lambda self, t: query.TargetFacts("region", 1, 0x4004, 900),
    "devices": lambda self: ([query.DeviceFacts(1, 0, "ready", None, None, 0x9000)], True),
    "wait_times": lambda self: query.WaitTimes({}, None),
    "frame": lambda self, t: 0x7800,
    "pthread": lambda self, t: 0x7000 + THREADS[t][0],
    "region_codeptr": lambda self, r: 0x4030,
    "region_kind": lambda self, r: "parallel",
    "task_state": lambda self, k: "running",
    "tasks": lambda self: ["i"],
    "dependences": lambda self: [query.DependenceFacts(
        "b1", "e", 0x6000, query.DependenceKinds("in", "inout"))],
    "locks": lambda self: LOCKS, "barriers": lambda self: BARRIERS,
    "lock": lambda self, address, kind: LOCKS[0],
    "cancelled": lambda self, r: False, "requested": lambda self, r: 2,
    "details": lambda self, name, item: {"low": 1},
    "history": lambda self, thread: [],
    "icvs": lambda self, scope, handle: [query.Icv("dyn-var", scope, Name("0"))],
    "control_vars": lambda self: [(Name("OMP_DYNAMIC"), Name("false"))],
    "tool": lambda self: "none",
    "verdicts": lambda self, *_: query.Verdicts([], [])}
# This fails if one of the abstract questions is not among them.
Fake = type(Counting)("Fake", (Counting,), {name: counted(its) for name, its in ANSWERS.items()})


class Space:
    process = None

    def __init__(self, **how):
        self.fake, self.session = Fake(**how), self

    def query(self):
        return self.fake


ATTRIBUTES = {objects.Thread: (
    "lwp state wait_id number region task level runtime runtime_kind barrier_kind barriers_entered lock_tests "
    "futexes codeptr frame pthread stack stack_size loop history path target").split(), objects.Region: (
    "id codeptr kind encountering_task size function parent master team cancelled requested "
    "details implicit_tasks way chain barrier barriers master_number lacks_members "
    "parted").split(), objects.Task: (
    "id function frames parent level implicit kind state facts flags codeptr serial event "
    "dependence_count thread region scheduling device").split(), sync.Lock: (
    "address kind count codeptr frame life owner owner_task waiters").split(), sync.Barrier: (
    "region team_size members arrived state kind codeptr").split()}
OF_SNAPSHOT = ("tracking recorded unread threads by_lwp has_several_runtimes runtimes kinds lwps wait_times "
               "incomplete bulk tasks dependences locks barriers").split()


def plain(value):
    """A value without the objects of its Snapshot."""
    if isinstance(value, objects.SnapshotItem):
        return value.handle
    if isinstance(value, (sync.Lock, sync.Barrier)):
        return type(value).__name__
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(*map(plain, value)) if hasattr(value, "_fields") else \
            type(value)(map(plain, value))
    return value


def looks(snapshot):
    """(name, function) of every look at a Snapshot, and at what is in the ones before."""
    for name in OF_SNAPSHOT:
        yield name, lambda name=name: getattr(snapshot, name)
    yield "regions()", snapshot.regions
    yield "thread_of()", lambda: snapshot.thread_of(102)
    yield "lock_at()", lambda: snapshot.lock_at(LOCK)
    for name in ("icvs", "control_vars", "tool"):
        yield name + "()", getattr(snapshot, name)
    yield "verdicts()", lambda: snapshot.verdicts(b"", 0, 0)
    items = [(one, snapshot.thread(one)) for one in THREADS] + \
        [(one, snapshot.region(one)) for one in REGIONS] + \
        [(one, snapshot.task(one)) for one in TASKS]
    for name, ask in (("lock", lambda: snapshot.locks[0]),
                      ("barrier", lambda: snapshot.barriers[0])):
        try:
            items.append((name, ask()))
        except (OmpdError, IndexError):
            pass  # the look at the attribute above says so
    for of, item in items:
        for name in ATTRIBUTES[type(item)]:
            yield "%s.%s" % (of, name), lambda item=item, name=name: getattr(item, name)
        if isinstance(item, objects.Thread):
            for ask in (nesting.regions, nesting.explicit_tasks, nesting.chain):
                yield "%s(%s)" % (ask.__name__, of), lambda ask=ask, item=item: ask(item)
        if isinstance(item, objects.Task):
            yield "thread_of(%s)" % of, lambda item=item: nesting.thread_of(item)
        if isinstance(item, objects.Region):
            yield "number_of(%s)" % of, lambda item=item: nesting.number_of(item, 1)
            yield "barrier_for(%s)" % of, lambda item=item: item.barrier_for("end", "idle")
            yield "icvs(%s)" % of, lambda item=item: snapshot.icvs(item)


def walk(space, backwards=False):
    """({name: plain value, or the OmpdError}, faults)"""
    found, faults = {}, []
    with Snapshot(space) as snapshot:
        every = list(looks(snapshot))
        for name, ask in reversed(every) if backwards else every:
            for again in (False, True):
                try:
                    value = plain(ask())
                except OmpdError as error:
                    value = error
                except Exception as error:  # pylint: disable=broad-except  # any is a fault
                    faults.append("%s: %r" % (name, error))
                    value = None
                if again and isinstance(found[name], OmpdError) and name.split(".")[-1] in \
                        sum(ATTRIBUTES.values(), []) and not isinstance(value, OmpdError):
                    faults.append("%s: %r, then %r" % (name, found[name], value))
                found.setdefault(name, value)
    if space.fake.released != 1:
        faults.append("released %d times" % space.fake.released)
    return found, faults


def is_less(found, whole):
    """Whether less is known than without an error, and nothing else. OpenMP 5.x has one state
    for both kinds of lock."""
    if found is None or found == whole and type(found) is type(whole) or \
            (found, whole) == ("wait_lock", "wait_nest_lock"):
        return True
    if isinstance(found, dict) and isinstance(whole, dict):
        return all(key in whole and is_less(one, whole[key]) for key, one in found.items())
    if hasattr(found, "_fields") and type(found) is type(whole):
        return all(map(is_less, found, whole))
    if isinstance(found, (list, tuple)) and isinstance(whole, (list, tuple)):
        return all(any(is_less(one, other) for other in whole) for one in found)
    if isinstance(found, frozenset) and isinstance(whole, frozenset):
        return found <= whole
    return found is False and whole is True  # of BegunTasks.complete


tap = Tap()
for item_kind in (objects.Thread, objects.Region, objects.Task):
    tap.equal(sorted(name for name, value in vars(item_kind).items()
                     if not name.startswith("_") and not callable(value)),
              sorted(ATTRIBUTES[item_kind]), "%s: all attributes" % item_kind.__name__)
for bulk in (False, True):
    way = "in bulk" if bulk else "one by one"
    space = Space(bulk=bulk)
    healthy, problems = walk(space)
    tap.case(problems + ["%s: %r" % one for one in healthy.items()
                         if isinstance(one[1], OmpdError)], "%s: all is known" % way)
    calls = space.fake.calls
    tap.note("%d looks, %d calls" % (len(healthy), calls))
    tap.equal(walk(Space(bulk=bulk), backwards=True)[0], healthy,
              "%s: the order of looks changes nothing" % way)
    for kind in KINDS:
        # "unavailable" says that there is no such object: what follows from it differs.
        problems, seen = [], 0
        for failing in range(1, calls + 1):
            found, faults = walk(Space(bulk=bulk, failing=failing, kind=kind))
            problems += ["call %d: %s" % (failing, fault) for fault in faults]
            for name, value in found.items():
                if isinstance(value, OmpdError):
                    seen += 1
                    if value.kind != kind:
                        problems.append("call %d: %s: %r" % (failing, name, value))
                elif kind != "unavailable" and not is_less(value, healthy[name]):
                    problems.append("call %d: %s: %r, not %r" % (failing, name, value,
                                                                 healthy[name]))
        tap.case(problems[:5], "%s: each answer %s" % (way, kind))
        tap.ok(seen, "%s: %s is raised" % (way, kind))

# Damaged memory: cycles.
with Snapshot(Space(around={"A": "B"})) as ring:
    try:
        tap.ok(ring.region("B").chain is None, "regions in a ring")
    except OmpdError as problem:
        tap.equal(problem.kind, "error", "regions in a ring")
    tap.equal(nesting.regions(ring.thread("t2")), [], "a thread in them")
with Snapshot(Space(parents={"i": "e"})) as ring:
    tap.equal({task.handle for task in ring.tasks}, set(TASKS), "tasks in a ring")
TASKS["b1"] = TASKS["b1"][:2] + ("e",) + TASKS["b1"][3:]
with Snapshot(Space()) as ring:
    tap.equal(nesting.chain(ring.thread("t3")), [], "suspended tasks in a ring")
    tap.equal(nesting.explicit_tasks(ring.thread("t3")).complete, False, "nor are these all")
tap.end()
