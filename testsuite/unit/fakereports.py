# SPDX-License-Identifier: MIT
"""What openmp_inspect/report shows of stopped programs: its screens, that what it says for programs is
JSON, all verdicts of libompd in words, and sentences about libraries."""

import json
import math
import os
import re
import types

from openmp_inspect.core import errors, escaped, install_paths, screen
from openmp_inspect.core.elf_symbols import Body, NeededSymbols
from openmp_inspect.host import interface
from openmp_inspect.bindings import abi5, query, spaces
from openmp_inspect.stacks import stitched_stack
from openmp_inspect.bindings.query import LockFacts
from openmp_inspect.model import sync
from openmp_inspect.model.snapshot import Snapshot
from openmp_inspect.core.thread_limits import Limit
from openmp_inspect.model.checkup import CORE, Facts, NEXT_RUN, Pools, Runtime, StackUse, Team
from openmp_inspect.code import library_choice, rank_environment
from openmp_inspect.analysis import checks, evidence_items, lock_evidence, time_samples, time_sums, \
    verdict_words, verdicts
from openmp_inspect.analysis.thread_samples import Samples
from openmp_inspect.report import control_variables, doctor_checks, doctor_text, explanations, \
    graphviz, history_list, html_page, icv_list, lock_list, merged_stacks, page_facts, \
    program_status, recording, recording_page, region_tree, stack_samples, sum_tables, task_list, \
    thread_backtrace, thread_list, thread_paths, thread_times, time_table, why_report
import fakecases
from fakebasics import now, refused, use, Wide
from fakeprograms import OMP, GOMP, LIBC, Program, lock, scratch, written
from page_reader import Reader

SHOWN = ("unprepared", "recorded")  # whose screens are compared
IN_VAIN = "recorded"  # whose screens are asked for while a question is not answered
EVERY = task_list.TaskFilter(every=True)


def _numbers(stop):
    return [thread.num for _, thread in stop.process.threads()]


def _threads(stop):
    return [thread for _, thread in stop.process.threads()]


def _sums():
    """Those of a program that does the same at all samples."""
    threads, sums = time_samples.of_threads(now(), 1e9, time_samples.HeldLocks()), time_sums.Sums()
    with Snapshot.of(now()) as snapshot, now().process.selection_kept():
        since = (errors.known(lambda: snapshot.wait_times) or query.WaitTimes({}, None)).since
        looked_at = time_samples.of_rows(snapshot, 0.0, time_samples.HeldLocks())
        for before, (row, after) in zip(threads, looked_at):
            # Who comes to a barrier after it was to be looked at works.
            is_late = before.kind == time_samples.BARRIER and row.lwp in since
            assert after == before._replace(kind=time_samples.WORK if is_late else before.kind), after
    locks, many = time_samples.HeldLocks(), types.SimpleNamespace(locks=[None] * 5000)
    assert [len(locks.all(many)) for _ in range(3)] == [5000, 0, 0]
    for at in range(40):
        sample = time_samples.Sample(at, 0.0, at / 50, 2.0, threads)
        sums.add(time_sums.sample(json.loads(json.dumps(sample, default=escaped.exact))))
    return sums


def _recording():
    """Three looks at it, and one that came too late."""
    found = recording.Recording()
    for at in (0.0, 0.5, 1.0):
        stacks = stack_samples.of_threads(now(), None, time_samples.HeldLocks())
        found.add(at, json.loads(json.dumps(stacks, default=escaped.exact)))
    found.add(1.5, [])
    return found


def _drawn():
    """The files of a recording, each checked by what reads it."""
    found = _recording()
    trace = json.loads(found.trace())["traceEvents"]
    speedscope = json.loads(found.speedscope())
    faults = Reader(recording_page.page(found, "heat")).faults
    assert not faults, faults
    assert all(event["dur"] == 1.5e6 and event["ts"] == 0 for event in trace if event["ph"] == "X"), trace
    assert all(sum(one["weights"]) == 1.5 and one["endValue"] == 2 for one in speedscope["profiles"]), speedscope
    return len(speedscope["profiles"])


SCREENS = {
    "threads": lambda stop: thread_list.lines(stop.space), "parallel": lambda stop: region_tree.lines(stop.space),
    "tasks": lambda stop: task_list.lines(stop.space, task_list.TaskFilter()),
    "locks": lambda stop: lock_list.lines(stop.space),
    "locks -sums": lambda stop: sum_tables.lock_lines(stop.space),
    "regions -by wait": lambda stop: sum_tables.region_lines(stop.space, "wait"),
    "history": lambda stop: history_list.lines(stop.space, None, history_list.most(None)),
    "tasks -all": lambda stop: task_list.lines(stop.space, EVERY),
    "tasks -all -tree": lambda stop: task_list.lines(stop.space, EVERY, as_tree=True),
    "icvs": lambda stop: icv_list.lines(stop.space, 1),
    "icvs -all -changed": lambda stop: icv_list.lines(stop.space, changed=True),
    "env": lambda stop: control_variables.lines(stop.space),
    "env -changed": lambda stop: control_variables.lines(stop.space, changed=True),
    "status": lambda stop: program_status.lines(program_status.rows(stop.space)),
    "stacks": lambda stop: merged_stacks.lines(stop.space, _numbers(stop)),
    "stacks -lines": lambda stop: merged_stacks.lines(stop.space, _numbers(stop), True),
    "bt": lambda stop: list(thread_backtrace.lines(stop.space, _threads(stop)[:1])),
    "bt -all": lambda stop: list(thread_backtrace.lines(stop.space, _threads(stop), True)),
    "record": lambda stop: _recording().collapsed().splitlines(),
    "doctor": lambda stop: doctor_text.lines(doctor_checks.of_process(stop.space), sum_tables.costs(stop.space)),
    "top": lambda stop: [*time_table.screen(_sums(), "/home/me/heat", 1), *time_table.sentences(_sums())]}
FACTS = {
    "threads": lambda stop: thread_list.facts(stop.space), "parallel": lambda stop: region_tree.facts(stop.space),
    "tasks": lambda stop: task_list.facts(stop.space, EVERY), "locks": lambda stop: lock_list.facts(stop.space),
    "locks -sums": lambda stop: sum_tables.lock_facts(stop.space),
    "regions": lambda stop: sum_tables.region_facts(stop.space, None),
    "history": lambda stop: history_list.facts(stop.space, [2, 3], history_list.most("20")),
    "tasks -merge": lambda stop: task_list.facts(stop.space, EVERY, merge=True),
    "icvs": lambda stop: icv_list.facts(stop.space), "env": lambda stop: control_variables.facts(stop.space),
    "status": lambda stop: program_status.facts(program_status.rows(stop.space)),
    "stacks": lambda stop: merged_stacks.facts(stop.space, _numbers(stop)),
    "bt": lambda stop: thread_backtrace.facts(stop.space, _threads(stop)),
    "doctor": lambda stop: doctor_checks.facts(stop.process, doctor_checks.of_process(stop.space)),
    "record": lambda stop: _drawn(), "top": lambda stop: time_table.facts(_sums(), "heat", 1)}


def told(stop):
    """Lines of the screens of a stop that are not compared row by row elsewhere."""
    for name in SCREENS:
        if name not in ("threads", "tasks -all", "stacks -lines", "bt -all"):
            yield "$ ompd " + name
            yield from "\n".join(_lines(SCREENS[name], stop)).replace(scratch + "/", "").split("\n")


def _lines(ask, stop):
    try:
        return ask(stop)
    except errors.UserError as error:
        return ["error: %s" % error]


def ask_all(stop):
    """Asks for all that there is to show; errors of the host come out."""
    for ask in [*SCREENS.values(), *FACTS.values()]:
        _lines(ask, stop)


def _every_verdict(found):
    """All verdicts of libompd, of all that there is of Evidence, and then of a part."""
    found.packed()
    of = {"waits": [], "holds": [], "at": [], "other": []}
    for index, item in enumerate(found.order):
        if hasattr(item, "from_"):
            of["waits" if item.kind == "waits" else "holds"].append(index)
        elif item is not None:
            of["at"].append(index)
    of["other"] = of["waits"][2:]
    kinds, certain = sorted(abi5.VERDICT_KIND.values()), len(abi5.CERTAINTY)
    for most in (4096, 2, 1):
        for number, (name, _) in enumerate(verdict_words.VERDICTS):
            at = [index for index in of["at"] if most > 9 or found.order[index].kind == "thread"]
            links = [(abi5.ROLE[role], index)
                     for role, indices in dict(of, at=at[number % max(len(at), 1):]).items()
                     for index in indices[:most]]
            record = types.SimpleNamespace(
                verdict=number, kind=0 if name == "nothing" else kinds[1 + number % (len(kinds) - 1)],
                certainty=number % certain, cause=number % len(verdict_words.CAUSES),
                next=(1 << len(verdict_words.NEXT)) - 1, threads=min(most, 3), others=number % 2)
            yield verdicts.Verdict(record, links, found)


def _looked(seconds=None):
    """The Why of the process that is asked about now, by two looks if it is to run for SECONDS."""
    here = now()
    return why_report.looked(here, None if seconds is None else why_report.watched(
        here, seconds, lambda: here))


def watched(tap, stop, name):
    """Two looks, between which all threads that work run and come back to the same values."""
    for _, thread in stop.process.threads():
        thread.row["busy"] = True
    try:
        with _looked(30) as why:
            said, kinds = why.lines(), {one["kind"] for one in why.facts()["verdicts"]}
        tap.ok(said and kinds <= set(abi5.VERDICT_KIND), name + ": two looks", said, kinds)
    except errors.UserError as error:
        tap.ok(str(error), name + ": two looks, a sentence")


def starved(tap):
    """Two looks, between which no thread is given a processor."""
    with _looked(3) as why:
        lock, _ = why.found.node(("lock", 16), "thing", "lock", "recorded")
        for node in [one for one in why.found.nodes.values() if one.what == "works"][:1]:
            why.found.needs(lock, node, "recorded")
        said = [line for verdict in _every_verdict(why.found) for line in why_report.Why(
            why.snapshot, why.rows, why.found, [verdict]).lines()]
    words = "too little processor time to tell: 0.00 s of 3.0 s"
    tap.ok(any(words in line for line in said), "two looks at a thread that has not run", said[:9])
    of_holders = [more for line, more in zip(said, said[1:]) if re.match(r" +works\b", line)]
    tap.ok(of_holders and all(words in more for more in of_holders), "and has what others wait for",
           of_holders[:9])


def sampled(tap, make):
    """A thread that repeats itself in the runtime does not come back to the same values if it creates
    tasks there. MAKE: Stop."""
    def asks(within, at):
        def case():
            made = fakecases.heat(selected=1)
            made.thread(1, within + "+128", (fakecases.NESTED, at), *fakecases.WORKER)
            return made, None
        stop = make(case)
        thread = _threads(stop)[0]
        stop.program.table["threads"][0]["busy"] = True
        samples = Samples(stop.process, thread, {}, True)
        for _ in range(9):
            with stop.process.timed_runs() as run:
                run(1, ())
            with stop.process.selection_kept():
                samples.take(stitched_stack.of(stop.space), thread)
        stop.close()
        return samples.has_run, samples.asks, samples.repeat({})

    tap.equal([asks("GOMP_task", 1), asks("GOMP_critical_name_end", 0)],
              [(True, True, False), (True, False, True)], "who creates tasks does not repeat itself")


def spinning(tap, make):
    """What is said of a thread that spins in a barrier of a region with this NUMBER, None: one within
    a league, which has no record. MAKE: Stop."""
    def state(number):
        def case():
            made, known = fakecases.clang()
            known.update(recorded=True, barriers=[])
            known["regions"]["A"]["id"] = number
            known["threads"]["t1"].update(state=("work_parallel",), barrier=None)
            return made, known
        stop = make(case)
        found = stop.rows()[0].wait
        stop.close()
        return found.name, found.witness

    tap.equal([state(1), state(None)],
              [("work_parallel", "recorded"), ("wait_barrier_explicit", "stacks")],
              "in a region without a record the stack says what a thread waits for")


def witnesses(tap, make):
    """Whose word goes for a thread that is inside one call of LLVM's runtime. MAKE: Stop."""
    def inside(entry, state, recorded, *target):
        def case():
            made = Program("one.c", "", {"main": (1, [(1, "call", entry), (2, "ret")])}, {}, {
                "/lib/libomp.so.5": (OMP, (entry, "__kmpc_fork_call")), **fakecases.LIBC_SO})
            made.thread(1, entry + "+128", ("main", 0))
            thread = {"lwp": 101, "state": (state,)}
            if target:
                thread["target"] = query.TargetFacts("region", *target, made.address(("main", 0)), None)
            return made, {"recorded": recorded, "threads": {"t1": thread}, "regions": {}, "tasks": {}}
        return case

    def helper():
        made, known = fakecases.clang()
        key = made.objects["key"]
        known.update(recorded=True, barriers=[], locks=[
            lock(0x66660, "simple", life="unseen"), lock(key, "simple", held=1)])
        return made, known

    for words, case, wanted in (
            ("a record of a device", inside("__tgt_target_kernel", "work_parallel", True, 1),
             ("wait_target", "recorded")),
            ("a record of the host", inside("__tgt_target_kernel", "work_parallel", True, None),
             ("wait_target", "stacks")),
            ("a taskyield", inside("__kmpc_omp_taskyield", "wait_taskwait", False),
             ("overhead", "stacks")),
            ("a taskyield, by a record", inside("__kmpc_omp_taskyield", "wait_taskwait", True),
             ("wait_taskwait", "recorded")),
            ("a task is created", inside("__kmpc_omp_task", "work_parallel", False),
             ("creating_task", "stacks")),
            ("the same, by a record", inside("__kmpc_omp_task", "overhead", True),
             ("creating_task", "recorded")),
            ("a helper thread", helper, ("wait_lock", "stacks"))):
        stop = make(case)
        found = stop.rows()[case is helper].wait
        stop.close()
        tap.equal((found.name, found.witness), wanted, "who is believed: " + words)


def released(tap, make):
    """A thread works that sleeps at a barrier which has released it. MAKE: Stop."""
    def does(value):
        def case():
            made, known = fakecases.recorded()
            made.table["threads"][3]["sleep"] = made.sleep("team+4", 8)
            made.sleep("team+4", value)
            return made, known
        stop = make(case)
        with _looked() as why:
            found = next(node.what for node in why.found.nodes.values()
                         if node.row is not None and node.row.lwp == 104)
        stop.close()
        return found

    tap.equal([does(8), does(16)], ["waits", "works"], "a thread that a barrier has released")


def torn(tap, make):
    """Whoever judges is told that some of a stop was read later, or that not all is stopped. MAKE: Stop."""
    def flags(*keys):
        stop = make(fakecases.recorded)
        stop.program.table.update(dict.fromkeys(keys, True))
        with _looked() as why:
            found = why.found.process
        stop.close()
        return found

    tap.equal([flags(key) - flags() for key in ("torn", "runs")], [{"torn"}, {"running"}],
              "a stop that is torn, and none")


def generated(tap, make):
    """A thread that spins in a barrier of LLVM's runtime at two looks may have executed tasks meanwhile, if
    its team has some. MAKE: Stop."""
    def is_same(state):
        def case():
            made, known = fakecases.clang()
            for row in made.table["threads"]:
                row["busy"] = True
            known["tasks"]["e"]["state"] = state
            return made, known
        stop = make(case)
        with _looked(30) as why:
            found = [edge.from_.flags for edge in why.found.edges.values()
                     if edge.kind == "waits" and edge.from_.row.lwp == 101]
        stop.close()
        return ["same_place" in flags for flags in found]

    tap.equal([is_same("completed"), is_same("ready")], [[True], [False]],
              "who may have executed tasks has not waited all the time")


def judged(tap, stop, name):
    """Whatever libompd finds there is said in whole sentences, no wider than the screen."""
    before = screen.current()
    screen.use(Wide(80, "utf-8"))
    path = os.path.join(scratch, name + ".dot")
    wrong = []
    with _looked() as why:
        for verdict in _every_verdict(why.found):
            some = why_report.Why(why.snapshot, why.rows, why.found, [verdict, verdict])
            lines = some.lines(every=verdict.threads > 1)
            json.dumps(some.facts())
            wrong += [line for line in lines if re.search(r"{|\b1 thread are\b|\bfor for\b|\ba atomic", line)]
        why.lines(graph=path)
    with screen.document(), _looked() as why:
        said = dict(why.facts(), **rank_environment.facts(now()), children=why.children())
        facts = json.loads(json.dumps(page_facts.facts(why, said)))
    wrong += [said for said, below in zip(facts["headings"], facts["lines"]) if said in below]
    wrong += Reader(html_page.page(facts)).faults
    for ask in SCREENS.values():
        _lines(ask, stop)
    task_list.lines(stop.space, EVERY, graph=path)
    json.dumps([_lines(ask, stop) for ask in FACTS.values()])
    screen.use(before)
    tap.case(wrong[:9], name + ": any verdict is said in words")


def of_errors(tap):
    """Sentences for the person who asked."""
    def problem(table, kind):
        process = use(dict({"images": []}, **table))
        return explanations.sentence(process, errors.OmpdError(kind, "ompd_get_x"))

    foreign = {"images": [{"path": "/p", "start": 10, "end": 11}, {
        "path": "/lib/libomp.so", "start": 0, "end": 9, "symbols": {"__kmpc_fork_call": 4}}]}
    tap.equal([problem({}, "needs_state_tracking"), problem(foreign, "needs_state_tracking"),
               problem(dict(foreign, chosen="/x.so"), "needs_state_tracking"),
               problem({"differing": "It is another one."}, "error"), problem({}, "stale_handle"),
               problem({"images": [{"path": "/p", "start": 0, "end": 9, "objects": {
                   "ompd_hooks_root": 4}}]}, "incompatible"),
               problem({"machine": "s390:64-bit"}, "incompatible")],
              ["Tracking is off in this program: start it with ompd-run.",
               "The runtime of this program does not keep this.",
               "Tracking is off in this program: start it with OMP_DEBUG=enabled.",
               "It is another one.", "The OMPD library failed: ompd_get_x answered stale handle.",
               "The hooks in this program are of a version that this OMPD library does not know: use "
               "the command that was installed with them.",
               "Of programs of s390:64-bit only what is recorded is known: start it with ompd-run."],
              "errors of a library")
    process = use({"differing": "It is another one."})
    tap.equal((explanations.remarks(process, None), explanations.remarks(process, errors.HostError("x")),
               refused(errors.UserError, explanations.remarks, process, errors.NoLibrary("No.", fatal=True))),
              (["It is another one."],
               ["The program's memory cannot be read (has it died, or is the core truncated?)."],
               "No."), "remarks")
    for files, wanted in ((("/libexec/memcheck-amd64-linux", "/libexec/vgpreload_core-amd64-linux.so"), True),
                          (("/libexec/memcheck-amd64-linux", "/lib/libc.so.6"), False),
                          (("/src/heat", "/libexec/vgpreload_core-amd64-linux.so"), False)):
        process = use({"images": [{"path": one, "start": 0x1000 * at, "end": 0x1000 * at + 8}
                                  for at, one in enumerate(files)]})
        tap.equal(explanations.remarks(process, None), [
            "It runs under valgrind, whose registers and stacks these are."] * wanted, "under %s" % files[0])
    tap.equal([refused(errors.UserError, task_list.wanted, False, *words) for words in (
        ("odd", None, None), (None, "x", None), (None, None, "y"))][1:],
        ['"-region" takes a number, not "x".', '"-thread" takes a number, not "y".'],
        "options of tasks")
    tap.equal([refused(errors.UserError, history_list.most, word) for word in ("0", "x", "-3")],
              ["-last takes a number of events, 1 or more."] * 3, "a number of events")
    tap.equal((task_list.wanted(True, "ready", "2", "3"), task_list.wanted(False, None, None, None)),
              ((True, "ready", 2, 3), (False, None, None, None)), "others")
    read, unread = (evidence_items.Node(None, 1, "thing", "semaphore", "libc") for _ in range(2))
    read.object, read.readers = "rows", 2
    tap.equal([lock_list._cells(lock_list.LockRow(thing, [], []), True) for thing in (read, unread)],
              [["rows", "read-write lock", "2 readers", "-", "-"],
               ["?", "semaphore", "?", "-", "-"]], "a lock that others read, and an unknown one")
    each = [(0x1000 + at, 0) for at in range(20)]
    tap.equal([held(20, 16), held(12, 16), held(20, None)], [[(0x1000, 18), (0x1003, 0)], each[:12], each],
              "many locks that are held alike, and that nobody waits for, are one")
    path = scratch + "/none/x"
    tap.equal([refused(errors.UserError, graphviz.write, "digraph {}", name)
               for name in (path, path + ".svg")][:1],
              ["%s cannot be written: No such file or directory." % path], "a graph")


def held(number, most):
    """(address, how many others are alike) of locks that a thread holds, one of which is waited for."""
    owner, found = types.SimpleNamespace(lwp=1), evidence_items.Evidence(stitched_stack.of(now()))
    known = types.SimpleNamespace(recorded=True, thread=lambda handle: owner)
    known.locks = [sync.Lock(known, LockFacts(0x1000 + at, "simple", 1, 0x40, None, None, "owner", None, ()))
                   for at in range(number)]
    found.node(("lock", 0x1003), "thing", "lock", "recorded")[0].address = 0x1003
    thread, _ = found.node(("thread", 1), "thread", "works", "recorded")
    lock_evidence.Locks(found, known, {1: thread}).add_held(most)
    return sorted((node.address, node.others) for node in found.nodes.values() if node.kind == "thing")


def doctor():
    """Lines of what checks find, and cannot find."""
    image = NeededSymbols(("libgomp.so.1",), frozenset({"GOMP_parallel", "GOMP_cancel", "MPI_Init"}), True,
                  False)
    team = Team(4, frozenset({1, 2, 3, 4}), 1, requested=8, nthreads=8, dynamic=1, thread_limit=99,
                max_active_levels=1, shortfall="dynamic", gone=2)
    wrong = Facts(
        runtimes=(Runtime("libgomp.so.1", 2, ("heat",)), Runtime("libomp.so.5", 4)), teams=(team, team),
        icvs={"bind-var": "false", "cancel-var": "false", "nthreads-var": "8"},
        settings={"OMP_WAIT_POLICY": "active", "OMP_OMPD": "off"},
        masks={number: frozenset({0}) for number in range(1, 5)}, machine=8, quota=math.inf,
        images={"/home/me/heat": image, "/home/me/ring": image}, stacks=(StackUse(2, 900 << 10, 1 << 20),),
        forked=True, threads=4, hooks="off", mpi_level=0, limits=(Limit("pids.max", 9, 9, "/a"),))
    large = {"/home/me/heat": image._replace(body=Body("main", 3 << 20), has_symbols=False)}
    for facts in (
            wrong, wrong._replace(others=frozenset({1, 2}), teams=(),
                                  pools=Pools(3, 1, frozenset({1, 2, 3, 4}))),
            Facts(of=CORE, hooks="unread", unread="It cannot be read.", images=large),
            Facts(of=NEXT_RUN, settings={"OMP_NUM_THREADS": "16"}, masks={0: frozenset({0, 1})},
                  machine=2, quota=math.inf, images=large, stack_limit=2 << 20)):
        found = checks.all_checks(facts)
        yield from "\n".join(doctor_text.lines(found)).split("\n")
        json.dumps(doctor_checks.facts(now().process, found))


def of_paths(tap, stop):
    """Threads by their OpenMP numbers, of the recorded stop."""
    everybody = thread_paths.everybody(stop.here.stacks.snapshot)
    indexed = thread_paths.index(everybody)
    tap.equal([one.name("LWP 1") for one in everybody][1:3],
              ["OpenMP thread 0/6 \u00b7 1/2, thread 6 (LWP 1)", "OpenMP thread 1/6, thread 2 (LWP 1)"],
              "members")
    own = thread_paths.among(everybody, everybody[0].thread)
    tap.equal([thread_paths.find(path, indexed, own).thread.num
               for path in thread_paths.parse_list("1,2-3,0.1")], [2, 3, 4, 6], "by number")
    tap.equal([refused(errors.UserError, ask) for ask in (
        lambda: thread_paths.parse("x"), lambda: thread_paths.parse_list("1-x"),
        lambda: thread_paths.parse_list("3-1"), lambda: thread_paths.find((9,), indexed, own))],
              ['"x" is no OpenMP number: give one as 2, or as 2.1 for thread 1 of the team that '
               "thread 2 has opened.", '"1-x" is no list of OpenMP numbers: give one as 0,2-3.',
               '"3-1" is no range of OpenMP numbers.',
               'There is no OpenMP thread 9: "ompd threads" lists them.'], "what is none")
    tap.equal((thread_paths.parse("2.1"), thread_paths.ranges([(0,), (1,), (2,), (5,), (2, 0)])),
              ((2, 1), "0-2,5,2.0"), "numbers")


def of_waits(tap, stop):
    """For how long a thread waits, of the recorded stop, and where nobody knows when that was."""
    def said():
        row = next(row for row in stop.rows() if row.lwp == 103)
        return thread_times.waited_words([thread_times.waited(row)])
    known, now = said(), stop.program.table.pop("monotonic")
    unknown = said()
    stop.program.table["monotonic"] = now
    tap.equal((known, unknown), ("for 12 min", "for at least 11 min"), "how long a thread waits")
    asked, answer = [], stop.process.monotonic
    stop.process.monotonic = lambda: asked.append(1) or answer()
    told = [line for line in thread_list.lines(stop.space) if ", for " in line]
    del stop.process.monotonic
    tap.ok(len(told) > 1 and len(asked) == 1, "one question of the clock for all threads")


def of_histories(tap, stop):
    """Threads without a history, and such whose history cannot be read."""
    def said(threads, *of_threads):
        asked = iter(of_threads)
        stub = types.SimpleNamespace(process=stop.process, by_lwp={
            lwp: Recorder(next(asked)) for lwp, _ in stop.process.threads()[:len(of_threads)]})
        try:
            return history_list._history(stub, threads, 9).unread
        except (errors.OmpdError, errors.UserError) as error:
            return str(error)

    first, second = _numbers(stop)[:2]
    gone = errors.OmpdError("target_read_error", "ompd_ext_get_history")
    tap.equal([said(None, [], gone), said(None, None, gone), said([first], None, []),
               said([first], None, None), said([second], None, None, [])],
              [[second], str(gone), "No history is kept of thread %d." % first, history_list._NONE,
               "No history is kept of thread %d." % second], "histories that are not there")


class Recorder:
    def __init__(self, events):
        self._events = events

    @property
    def history(self):
        if isinstance(self._events, Exception):
            raise self._events
        return self._events


def of_libraries(tap):
    """Which library reads a program, and what is said where none does."""
    def said(**table):
        caught = None
        space = spaces.Space(use(table), object())
        spaces.open_by(library_choice.open_session)
        try:
            space.session  # pylint: disable=pointless-statement
        except (errors.NoLibrary, errors.OmpdError) as error:
            caught = str(error)
        space.close()
        return caught

    program = {"path": written("plain", b"\x7fELF"), "start": 0, "end": 0x1000, "symbols": {"main": 8}}
    files = {"files": {program["path"]: program["path"]}}
    libc = {"path": "/lib/libc.so.6", "start": LIBC, "end": LIBC + 99, "symbols": {}}
    gomp = {"path": "/lib/libgomp.so.1", "start": GOMP, "end": GOMP + 0x1000, "symbols": {
        "GOMP_parallel": GOMP, "omp_get_wtime_": GOMP + 16}}
    omp = {"path": scratch + "/libomp.so.5", "start": OMP, "end": OMP + 0x1000,
           "symbols": {"__kmpc_fork_call": OMP}, "objects": {"ompd_dll_locations": OMP + 0x800}}
    page = bytearray(0x1000)
    for at, content in ((0x800, OMP + 0x900), (0x900, OMP + 0x980)):
        page[at:at + 8] = content.to_bytes(8, "little")
    page[0x980:0x98F] = b"/no/libompd.so\0"
    memory = {OMP: page}
    tap.equal([said(images=[program], **files), said(images=[program, libc], **files),
               said(unread="It is not here."), said(images=[program, gomp], differing="Another one.")],
              ["this command sees no OpenMP runtime in this program yet: it has not got there, or "
               "it is a core that was cut short.",
               "This program does not use OpenMP: no libgomp, libomp or libiomp5 is loaded.",
               "It is not here.", "Another one."], "no runtime")
    tap.equal(said(images=[program, gomp], chosen="/no/x.so"),
              'The library of "--library", /no/x.so, is not loaded: it cannot be opened: No such '
              "file or directory.", "one that the user has chosen")
    tap.ok(said(images=[program, gomp]), "ours, and nothing to read")
    ours, install_paths.libraries = install_paths.libraries, lambda: [program["path"]]
    tap.like(said(images=[program, gomp]),
             "The OMPD libraries of this command cannot be used: .*plain cannot be loaded",
             "ours are none")
    tap.like(said(images=[program, omp], memory=memory),
             "The OMPD library of libomp.so.5, /no/libompd.so, lies outside of the directories that "
             'are trusted, .* type "--library /no/libompd.so" to load it all the same.',
             "another vendor's")
    tap.like(said(images=[program, omp], memory=memory, trusted=["/no/libompd.so"]),
             r"No OMPD library of libomp.so.5 can be used \(/no/libompd.so cannot be opened",
             "is not there")
    tap.like(said(images=[program, dict(omp, objects={})]),
             "is of a version that this command does not know, so only what this command knows can be "
             "shown", "of an unknown version")
    tap.like(said(images=[program, omp], memory={}), "names no OMPD library by its full path",
             "without a name")
    install_paths.libraries = ours


def of_unloaded(tap):
    """A crash where no runtime can be read: its words, for people, programs and a page."""
    use({
        "threads": [{"num": 1, "lwp": 8, "frames": [{"pc": 0x9000, "sp": 0x8000}]},
                    {"num": 2, "lwp": 7, "frames": [{"pc": 8, "sp": 0x7000}]}],
        "images": [{"path": "/p", "start": 0, "end": 0x1000, "symbols": {"main": 8}},
                   {"path": "/lib/libc.so.6", "start": LIBC, "end": LIBC + 99, "symbols": {}}],
        "registers": {}, "crash": interface.Crash(8, "SIGSEGV", set(), 0x9000), "pid": 7})
    here = now()
    spaces.open_by(library_choice.open_session)
    with screen.document(), _looked() as why:
        said, facts = why.lines(), why.facts()
        page = page_facts.facts(why, dict(facts, **rank_environment.facts(here), children=[]))
    tap.equal(said[:3], ["crash: SIGSEGV in thread 1".ljust(71) + "[certain]", "  at    0x9000",
                         "  code  none is there"], "a crash without a runtime")
    tap.equal((facts["verdicts"][0]["id"], facts["unknown"], page["tasks"][1:]), ("crash-signal", [
        "No libgomp, libomp or libiomp5 is loaded: if there was one, nothing is known of it."], []),
              "the same for programs")
    tap.ok(any("0x9000" in line for line in thread_list.lines(here)), "its threads")
    here.close()


def run(tap):
    for part in (of_errors, of_libraries, of_unloaded):
        part(tap)
