#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""openmp_inspect without a debugger, over the stopped programs of fakecases.py: what is said of them,
which fakecases.txt has; that nothing else is said where a question is not answered; and how many of
its lines are executed by this test and the ones in plain Python beside it.

With "--write" as argument it writes fakecases.txt, which a person has to read then."""

import contextlib
import io
import itertools
import os
import runpy
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", name) for name in ("common", "command")]
sys.path.insert(1, HERE)
sys.path.insert(1, os.path.join(os.environ["stage"], "share/ompd/python"))
from linecoverage import Coverage  # noqa: E402  pylint: disable=wrong-import-position

PACKAGE = os.path.join(os.environ["stage"], "share/ompd/python/openmp_inspect")
coverage = Coverage(PACKAGE)
coverage.start()
# pylint: disable=wrong-import-position
from openmp_inspect.core import caches, errors, screen  # noqa: E402
from openmp_inspect.core.errors import HostError, OmpdError  # noqa: E402
from openmp_inspect.host import fake, interface  # noqa: E402
from openmp_inspect.bindings import spaces  # noqa: E402
from openmp_inspect.stacks import labels, stitched_stack  # noqa: E402
from openmp_inspect.analysis import evidence, labelled_stacks, task_rows, thread_table  # noqa: E402
from openmp_inspect.report.thread_words import ThreadWords  # noqa: E402
from tap import Tap  # noqa: E402
import fakeaarch64  # noqa: E402
import fakecases  # noqa: E402
import fakebasics  # noqa: E402
import fakebodies  # noqa: E402
import fakecatch  # noqa: E402
import fakecauses  # noqa: E402
import fakecode  # noqa: E402
import fakedevices  # noqa: E402
import fakeheld  # noqa: E402
import fakeloops  # noqa: E402
import fakeparts  # noqa: E402
import fakeprograms  # noqa: E402
import fakepython  # noqa: E402
import fakereports  # noqa: E402
import stops  # noqa: E402

LEAST = 91 if sys.version_info < (3, 14) else 90  # percent of the lines, which 3.14 counts otherwise
# Made by `make`; what is of use with an OMPD library or with ELF files alone.
NOT_COUNTED = ("abi2", "abi5", "build", "entry_point_table", "verdict_words", "dialect2", "dialect5",
               "standard5", "extension5", "threads5", "records5", "core_file", "demangling", "elf_file",
               "elf_process", "images", "linkage_table", "machine", "mappings", "memory", "thread_local")
BESIDE = ("checks", "elf_headers", "region_sums", "time_sums")  # whose lines count
EXPECTED = os.path.join(HERE, "fakecases.txt")
WORLDS = (interface.Process, interface.Frame, interface.SourceFile, interface.Function,
          interface.Type, interface.Registers)
QUESTIONS = [(getattr(fake, kind.__name__), name, kind) for kind in WORLDS
             for name in sorted(kind.__abstractmethods__)]
# States of a thread that say of no wait that it is one; "overhead" only where it may be.
WEAKER = (None, "work_parallel", "not_openmp", "in_call", "overhead")
# Answered with nothing, these say something: that there are no threads, no runtime, no caller.
LIES = ("threads", "kernel_id", "definitions", "older", "sp", "register", "of", "symbol_at")
# Of the objects for JSON, what the cells of tables do not have.
FACTS = ("id", "lwp", "level", "inferred", "wait_id", "owner", "arrived", "holds", "stack", "runtime",
         "call")
TASK_FACTS = ("id", "state", "flags", "region", "children", "waits_in", "event", "serial")
NOTHING = {"Optional": lambda: None, "List": list, "Set": set, "Collection": tuple, "Dict": dict,
           "bool": lambda: False, "str": str, "int": int, "Tuple": lambda: (0, 0),
           "Line": lambda: interface.Line(None, 0, 0), "Symbol": lambda: interface.Symbol(None, 0)}


class Screen(screen.Screen):
    def charset(self):
        return "utf-8"


class Stop:
    """One of fakecases.py, with all that is asked of it."""

    def __init__(self, case):
        self.program, self.known = case()
        caches.forget_code()
        self.process = fake.Process(self.program.table)
        self.space = spaces.Space(self.process, case.__name__)
        self.space.still = True
        fakebasics.ask_about(self.space)
        spaces.open_by(self._open)
        self.here = labelled_stacks.of(stitched_stack.of(self.space))

    def _open(self, _space):
        if self.known is None:
            raise errors.NoLibrary("there is none")
        return fakeprograms.Session(self.known)

    def close(self):
        self.here.stacks.forget()
        self.space.close()

    def rows(self):
        return thread_table.all_rows(self.space, self.here.stacks.snapshot)

    def stacks(self):
        for _, thread in self.process.threads():
            yield thread, self.here.rows(thread)

    def tasks(self, rows):
        return task_rows.TaskRows(self.here.stacks.snapshot, rows)

    def evidence(self, rows):
        return evidence.collect(self.here.stacks.snapshot, rows, twice=True)


# What is said


def told(case):
    """Lines of all that is said of a stop."""
    stop = Stop(case)
    rows = stop.rows()
    words = ThreadWords(stop.space, stop.here.stacks.snapshot)
    for row in rows:
        facts = words.facts(row)
        facts["holds"] = len(facts["holds"])
        facts["runtime"] = os.path.basename(facts["runtime"] or "")
        yield "%-9s %s" % (row.wait.witness, " | ".join([*words.cells(row), named_facts(facts, FACTS)]))
    for thread, found in stop.stacks():
        yield "stack %d: %s" % (thread.num, "; ".join(map(line, found)))
    if stop.here.stacks.snapshot is not None:
        tasks = stop.tasks(rows)
        for row in tasks.all:
            yield "task %s | %s | %s | %s | %s | %s | %s" % (
                tasks.name(row), row.kind, tasks.creator(row), tasks.thread(row), tasks.doing(row),
                tasks.place(row), named_facts(tasks.facts(row), TASK_FACTS))
        found = stop.evidence(rows)
        yield from of_nodes(found.nodes.values())
        yield from of_edges(found.edges.values())
        yield ", ".join(sorted(found.process)) + "; " + "; ".join(found.unknown)
        found.packed()
    if case.__name__ in fakereports.SHOWN:
        yield from fakereports.told(stop)
    stop.close()


def named_facts(facts, names):
    return " ".join("%s=%s" % (name, facts[name]) for name in names if facts[name])


def of_nodes(nodes):
    """Those that follow each other with the same words are one line."""
    telling = [node for node in nodes
               if node.flags or node.kind != "thread" or node.what not in ("waits", "works")]
    for words, same in itertools.groupby(
            telling, lambda node: " ".join([node.what, *sorted(node.flags)])):
        yield "%s: %s" % (", ".join(map(named, same)), words)


def of_edges(edges):
    """Those that wait for the same thing one after the other are one line, and so is what one thing
    needs or has."""
    def alike(edge):
        ends = (None, named(edge.to)) if edge.kind == "waits" else (named(edge.from_), None)
        return ends, edge.kind, " ".join([edge.witness, *sorted(edge.flags)])
    for (ends, kind, words), same in itertools.groupby(edges, alike):
        from_, to = ends
        names = [named(edge.from_ if to else edge.to) for edge in same]
        yield "%s %s %s: %s" % (from_ or ", ".join(names), kind, to or ", ".join(names), words)


def line(row):
    """A labelled_stack.StackRow."""
    if row.label is None:
        frame = row.frame
        return "%s%s" % (frame.function, ":%s" % frame.line if frame.line else "")
    place = row.label.place
    return "[%s%s]" % (labels.sentence(row.label), ":%s" % place.line if place else "")


def named(node):
    if node.row is not None:
        return "thread %d" % node.row.thread.num
    words = [node.what or node.kind]
    words += [str(node.name)] if node.name else []
    words += [node.region.handle] if node.region is not None else []
    words += [node.task.task.handle] if node.task is not None else []
    return " ".join(words)


def expected():
    """{name of a case: lines}"""
    found, name = {}, None
    with open(EXPECTED, encoding="utf-8") as stream:
        for text in stream.read().splitlines():
            if text.startswith("== "):
                name = text[3:]
                found[name] = []
            elif text:
                found[name].append(text)
    return found


def write(found):
    with open(EXPECTED, "w", encoding="utf-8") as stream:
        stream.write("\n\n".join("== %s\n%s" % (name, "\n".join(lines))
                                 for name, lines in found.items()) + "\n")


# What is said where a question is not answered


def nothing(kind, name):
    """A function of what a question answers that is not known; None: it always is."""
    asked = getattr(kind, name)
    returns = (asked.fget if isinstance(asked, property) else asked).__annotations__["return"]
    return NOTHING.get(returns.partition("[")[0])


@contextlib.contextmanager
def unanswered(kind, name, answer):
    """ANSWER stands for the question of that NAME."""
    before = kind.__dict__[name]
    setattr(kind, name, property(answer) if isinstance(before, property) else answer)
    try:
        yield
    finally:
        setattr(kind, name, before)


def fails(*_):
    raise HostError("cannot answer")


class Facts:
    """What is said of a stop: `of` {of what: set of facts}, each of which is true or is not said where
    less is known; `faults`: what else came out than errors of the debugger and the library."""

    def __init__(self, case):
        self.of, self.faults = {}, []
        stop = self._ask(lambda: Stop(case))
        if stop is None:
            return
        rows = self._ask(stop.rows) or []
        words = self._ask(lambda: ThreadWords(stop.space, stop.here.stacks.snapshot))
        for row in rows:
            for tell in (words.facts, words.cells) if words is not None else ():
                self._ask(lambda tell=tell, row=row: tell(row))
            self._add("LWP %s" % row.lwp, *self._of_row(row))
        if stop.here.stacks.snapshot is not None:
            self._add_tasks(stop, rows)
            self._add_evidence(stop, rows)
        for _, thread in self._ask(stop.process.threads) or ():
            for row in self._ask(lambda thread=thread: stop.here.rows(thread)) or ():
                self._add("stack %d" % thread.num, *self._of_line(row))
        if case.__name__ == fakereports.IN_VAIN:
            self._ask(lambda: fakereports.ask_all(stop))
        self._ask(stop.close)

    def _ask(self, question):
        try:
            return question()
        except (HostError, OmpdError):
            return None
        except Exception as error:  # pylint: disable=broad-except  # any is a fault
            self.faults.append("%r" % error)
            return None

    def _add(self, what, *facts):
        self.of.setdefault(what, set()).update(facts)

    @staticmethod
    def _of_row(row):
        wait, place = row.wait, row.place
        state = "wait_barrier" if wait.is_barrier else wait.name
        yield from () if state in WEAKER else [("state", state)]
        if wait.name == "overhead":
            yield "inside", "overhead"
        if wait.holder is not None:
            yield "held by", wait.holder.number
        if wait.arrivals is not None:
            yield ("arrived", *wait.arrivals[:2])
        if wait.what and not wait.what.raw.startswith("0x") and "+" not in wait.what.raw:
            yield "waits for", wait.what.raw
        if place is not None and place.line:
            yield "at", place.line

    def _add_tasks(self, stop, rows):
        tasks = self._ask(lambda: stop.tasks(rows))
        for row in tasks.all if tasks is not None else ():
            for cell in (tasks.facts, tasks.blocked, tasks.doing, tasks.place):
                self._ask(lambda cell=cell, row=row: cell(row))
            name = "task " + row.task.handle
            self._add(name, ("kind", row.kind))
            if isinstance(row.thread, int):
                self._add(name, ("of", row.thread))

    def _add_evidence(self, stop, rows):
        found = self._ask(lambda: stop.evidence(rows))
        for edge in found.edges.values() if found is not None else ():
            if "confirmed" in edge.flags and "whoever" not in edge.to.flags:
                self._add("evidence", (named(edge.from_), "waits", edge.to.what))
        for node in found.nodes.values() if found is not None else ():
            if node.what in ("ended", "absent", "crashed", "detached"):
                self._add("evidence", (named(node), node.what))

    @staticmethod
    def _of_line(row):
        if row.label is None:
            yield from [("line", row.frame.line)] if row.frame.line else []
            return
        yield from row.label.facts.items()
        if row.label.place is not None and row.label.place.line:
            yield "line", row.label.place.line

    def made_up(self, healthy):
        """What is said that HEALTHY Facts have not."""
        found = []
        for what, facts in self.of.items():
            known = healthy.of.get(what, set())
            if any(fact[0] == "state" and fact[1].startswith("wait_") for fact in known):
                known = known | {("inside", "overhead")}
            found += ["%s: %s" % (what, fact) for fact in sorted(facts - known, key=repr)]
        return found


def asked_in_vain(tap, name):
    """Each question in turn is not answered, about one of the cases."""
    case = getattr(fakecases, name)
    healthy = Facts(case)
    tap.case(healthy.faults, name + ": nothing comes out")
    silent = []
    for how in ("fails", "knows nothing"):
        wrong, made_up = [], []
        for kind, question, of in QUESTIONS:
            answer = fails if how == "fails" else nothing(of, question)
            if answer is None or how != "fails" and question in LIES:
                continue
            with unanswered(kind, question, answer if how == "fails" else
                            lambda *_, answer=answer: answer()):
                found = Facts(case)
            where = "%s.%s" % (kind.__name__, question)
            wrong += ["%s: %s" % (where, fault) for fault in found.faults]
            made_up += ["%s: %s" % (where, one) for one in found.made_up(healthy)]
            silent += [where] if found.of == healthy.of else []
        tap.case(sorted(set(wrong)), "%s: whatever %s, no other error" % (name, how))
        tap.case(made_up[:9], "%s: whatever %s, nothing is made up" % (name, how))
    tap.ok(len(silent) < 2 * len(QUESTIONS), name + ": the questions matter")


def main():
    tap = Tap()
    screen.use(Screen())
    found = {name: list(told(getattr(fakecases, name))) for name in fakecases.CASES}
    found["doctor"] = list(fakereports.doctor())
    if "--write" in sys.argv:
        write(found)
        return
    wanted = expected()
    for name, lines in found.items():
        other = wanted.get(name, [])
        tap.case(["-" + one for one in other if one not in lines] +
                 ["+" + one for one in lines if one not in other] or
                 (["in another order"] if other != lines else []), name)
    tap.equal(sorted(wanted), sorted(found), "each case has what is expected")
    for name in fakecases.CASES:
        stop = Stop(getattr(fakecases, name))
        if stop.known is not None:
            fakereports.judged(tap, stop, name)
            if name == "clang":
                fakereports.starved(tap)
            fakereports.watched(tap, stop, name)
        if name == "unprepared":
            fakebodies.of_threads(tap, stop)
        if name == "recorded":
            fakereports.of_paths(tap, stop)
            fakereports.of_waits(tap, stop)
            fakereports.of_histories(tap, stop)
        stop.close()
    stops.run(tap)
    fakebasics.run(tap)
    fakeparts.run(tap)
    fakecode.run(tap)
    fakeaarch64.run(tap)
    fakebodies.run(tap)
    fakecatch.run(tap)
    fakedevices.run(tap)
    fakeloops.run(tap)
    fakecauses.run(tap)
    fakepython.run(tap)
    fakeheld.run(tap)
    fakereports.run(tap)
    fakereports.sampled(tap, Stop)
    fakereports.spinning(tap, Stop)
    fakereports.witnesses(tap, Stop)
    fakereports.generated(tap, Stop)
    fakereports.released(tap, Stop)
    fakereports.torn(tap, Stop)
    for name in BESIDE:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            runpy.run_path(os.path.join(HERE, name + ".py"))
    for name in fakecases.IN_VAIN:
        asked_in_vain(tap, name)
        coverage.stop()  # which takes half of the time
    done, all_lines = coverage.report(tap.note, NOT_COUNTED)
    share = 100 * done / all_lines
    tap.ok(share >= LEAST, "%d of %d lines are executed, %.1f %%" % (done, all_lines, share),
           "at least %d %% have to be" % LEAST)
    tap.note("%.1f s of a processor" % time.process_time())
    tap.end()


if __name__ == "__main__":
    main()
