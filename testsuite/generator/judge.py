# SPDX-License-Identifier: MIT
"""Holds what commands say with -json against a program's truth. Each answer is right, right and
marked as inferred, unknown, or wrong."""

import re
from collections import Counter
from typing import Dict, List, NamedTuple, Optional

from truth import Range, Thread, Truth, Word

WITHIN, TASKS = "wait_barrier_implicit", "tasks of its group"
# By the last word of a thread at rest: its state, and what the words for it begin with.
WAITS = {
    "GATE": ("in_call", ""), "BARRIER": ("wait_barrier_explicit", "explicit"),
    "END_FOR": (WITHIN, "end of (?:for|do)"), "END_SECTIONS": (WITHIN, "end of sections"),
    "END_SINGLE": (WITHIN, "end of single"), "END_SCOPE": (WITHIN, "end of scope"),
    "REGION_END": (WITHIN, "(?:implicit|end of parallel)"), "CRITICAL": ("wait_critical", ""),
    "LOCK": ("wait_lock", ""), "NEST_LOCK": ("wait_nest_lock", ""),
    "ORDERED": ("wait_ordered", "its turn"), "DOACROSS": ("wait_ordered", "its turn"),
    "TASKWAIT": ("wait_taskwait", "child tasks"), "DEPEND": ("wait_taskwait", ""),
    "TASKGROUP": ("wait_taskgroup", TASKS), "TASKLOOP": ("wait_taskgroup", TASKS),
    "TARGET": ("wait_target", "device "),
}
ENDS = [kind for kind in WAITS if kind.startswith("END_")]
BARRIERS = [*ENDS, "BARRIER", "REGION_END"]
CRITICALS = ("unnamed", '"a"', '"b"')
AT_LINE = ("BARRIER", "CRITICAL", "LOCK", "NEST_LOCK", "TASKWAIT", "TASKLOOP", "DEPEND", "TARGET")
# Of a thread that runs: nothing is said, or that it is in the runtime, for what is not known.
WORKS = (None, "work_parallel", "work_reduction", "overhead", "creating_task")
BETWEEN = ("work_serial", "idle", "wait_region", "leaving", "starting", WITHIN)
BEGUN, QUEUED = ("running", "suspended"), ("created", "ready", "waiting")
SURE = ("likely", "certain")


def spoken(row: dict, *threads: Thread) -> str:
    """What a row says, and what these threads do."""
    return "%s; by itself: %s" % (
        {key: value for key, value in row.items() if value and key in (
            "lwp", "path", "state", "call", "inferred", "waits_for", "owner", "arrived", "function", "line")},
        ", ".join(" ".join("%s:%d%s" % (word.kind, word.line, "+" * word.held)
                           for word in thread.words) for thread in threads))


class Answer(NamedTuple):
    kind: str  # of truth
    fact: str
    result: str  # one of RESULTS
    detail: str
    key: tuple  # by which it is known in another run


RESULTS = ("right", "~ right", "unknown", "wrong")


class Judge:
    """Of one stop; ROWS of `threads` have ids of a debugger, all else kernel ids."""

    def __init__(self, truth: Truth, rows: List[dict], has_lines: bool, source: Optional[str]) -> None:
        self.has_lines = has_lines  # of all that waits, as without optimization
        self.source = source  # of several, which have critical sections of one name each
        self.truth, self.answers = truth, []  # type: ignore[var-annotated]
        self.rows: Dict[int, dict] = {row["lwp"]: row for row in rows}
        self.lwps = {row["id"]: row["lwp"] for row in rows}

    def answer(self, kind: str, fact: str, said: object, so: object, is_inferred: bool = False,
               key: tuple = (), vague: tuple = (None,), about: object = None) -> None:
        result = "unknown" if said in vague and said != so else "wrong" if said != so else \
            "~ right" if is_inferred else "right"
        self.answers.append(Answer(kind, fact, result, "%s %s: said %s, is %s; %s" % (
            kind, fact, said, so, about) if result in ("wrong", "unknown") else "", key))

    def frozen(self) -> None:
        for thread in self.truth.threads.values():
            if thread.last.kind != "NONE" and not thread.is_of_device and thread.tid in self.rows:
                self._at_rest(thread, self.rows[thread.tid])

    def _at_rest(self, thread: Thread, row: dict) -> None:
        last, inferred = thread.last, row["inferred"]
        path = self.truth.path(last.team, last.number)
        key = (last.kind, last.line, str(path))
        if last.kind == "REGION_END" and not self.truth.is_live(last.team):
            self.answer("idle", "number", row["number"], None, about=row)
            self.answer("idle", "state", row["state"] in ("idle", "wait_region", None), True,
                        about=row)
            return

        def answer(fact: str, said: object, so: object, name: str = "",
                   vague: tuple = (None,)) -> None:
            self.answer(last.kind, fact, said, so, (name or fact) in inferred, key, vague,
                        spoken(row, thread, *(self.truth.members(last.team).values()
                                              if fact == "arrived" else ())))
        self._place(last, row, answer)
        state, words = WAITS.get(last.kind, ("at rest", ""))
        answer("state", row["state"], state, vague=(None, "overhead") + (
            ("wait_barrier",) if last.kind in BARRIERS else ()))
        if row["state"] != state:
            return
        said = row["waits_for"] or ""
        if last.kind in ENDS:
            found = re.search(r"end of (.*):(\d+)", said)
            answer("construct", found and (bool(re.match(words, found[0])), int(found[2])),
                   (True, last.line), "waits_for")
        elif words and last.kind not in ENDS:
            answer("words", bool(re.match(words, said)), True, "waits_for")
        if last.kind == "CRITICAL":
            answer("name", said.split(",")[0], CRITICALS[last.object], vague=("",))
        if last.kind in AT_LINE and self.has_lines:
            answer("line", row["line"], last.line)
        if last.kind in BARRIERS:
            answer("arrived", row["arrived"], self.truth.arrived(last.team, last.kind, last.line))
        if last.kind == "TARGET":
            answer("device", said, "device %d" % last.object, "state", vague=("a device",))
        if last.kind in ("LOCK", "NEST_LOCK"):
            answer("object", row["wait_id"], "%#x" % last.object, "wait_id")
        if last.kind in ("CRITICAL", "LOCK", "NEST_LOCK", "ORDERED"):
            holder = self.truth.holder(last)
            if holder:
                answer("owner", self.lwps.get(row["owner"]), holder)

    def _place(self, last: Word, row: dict, answer) -> None:  # type: ignore[no-untyped-def]
        path = self.truth.path(last.team, last.number) or []
        answer("number", row["number"], last.number)
        answer("size", row["team_size"], path[-1][1] if path else 1)
        if path:
            answer("path", row["path"], path)
        answer("level", row["level"], len(path))

    def running(self) -> None:
        """What may be said of a thread that is about to do what its last word says, does so or has
        done so. A worker of LLVM's runtime that has left a body may be in another team already."""
        for thread in self.truth.threads.values():
            last, row = thread.last, self.rows.get(thread.tid)
            if row is None or not thread.is_settled or last.kind == "NONE" or thread.is_of_device:
                continue
            about = spoken(row, thread)
            path = self.truth.path(last.team, last.number) or []
            if last.kind not in ("REGION_END", "PARALLEL"):
                self._place(last, row, lambda fact, said, so, about=about: self.answer(
                    "runs", fact, said, so, about=about))
            states = WORKS + (() if last.kind == "GATE" else WAITS.get(last.kind, ())[:1]) + (
                ("wait_barrier",) if last.kind in BARRIERS else ()) + (
                ("wait_ordered",) if last.kind == "END_FOR" else ()) + (
                ("in_call", "wait_target") if last.kind in ("MAP", "TARGET") else ()) + (
                ("work_serial",) if all(size == 1 for _, size in path) else ()) + (
                BETWEEN if last.kind in ("REGION_END", "PARALLEL") else ())
            self.answer("runs", "state", row["state"] if row["state"] in states else
                        (row["state"], last.kind), row["state"], about=about)

    def _own(self, rows: List[dict]) -> List[dict]:
        return [row for row in rows
                if self.source is None or (row["file"] or "").endswith("/" + self.source)]

    def regions(self, regions: List[dict]) -> None:
        live = {word.team for thread in self.truth.threads.values() for word in thread.words
                if self.truth.is_live(word.team)}
        left = self._own(regions)
        for number in live:
            team, members = self.truth.teams[number], self.truth.members(number)
            if len(members) < team.size:
                continue
            tids = sorted(thread.tid for thread in members.values())
            found = [row for row in left
                     if sorted(self.lwps.get(one) for one in row["threads"]) == tids
                     and row["size"] == team.size and row["line"] in (None, team.line)]
            self.answer("region", "members", bool(found) or None, True, about=(team, tids, left))
            if found:
                left.remove(found[0])
                self.answer("region", "line", found[0]["line"], team.line, found[0]["derived"])
        for row in left:
            if len(row["threads"]) > 1:
                self.answer("region", "existence", True, False, about=(row, live))

    def tasks(self, tasks: List[dict]) -> None:
        rows = [task for task in self._own(tasks) if task["kind"] == "explicit"]
        begun = Counter(task["line"] for task in rows if task["state"] in BEGUN)
        queued = Counter(task["line"] for task in rows if task["state"] in QUEUED)
        for line, (created, came, ended) in self.truth.tasks.items():
            by = {thread.tid for thread in self.truth.threads.values()
                  for word in thread.words if word[:2] == ("TASK", line)}
            for kind, said, so in (("running tasks", begun[line], came - ended),
                                   ("queued tasks", queued[line], max(created - came, 0))):
                self.answer(kind, "count", said, so, key=(line, so),
                            vague=tuple(range(so)), about=(line, rows))
            for task in rows:
                if task["line"] == line and task["thread"] is not None:
                    self.answer("running tasks", "thread", self.lwps[task["thread"]] in by, True,
                                about=(task, by))
        for line in set(begun) | set(queued):
            if line is not None and line not in self.truth.tasks:
                self.answer("running tasks", "existence", line, None, about=rows)

    def locks(self, locks: List[dict]) -> None:
        for row in locks:
            kind = row["kind"].replace(" ", "_").upper()
            if kind not in ("LOCK", "NEST_LOCK", "CRITICAL") or kind == "CRITICAL" and self.source:
                continue
            if kind == "CRITICAL":
                object_ = CRITICALS.index(row["name"]) if row["name"] in CRITICALS else -1
            else:
                object_ = int(row["address"] or "0", 16)
            if kind != "CRITICAL" and (not object_ or self.source and not self._has_asked(object_)):
                continue
            holder = self.truth.holder(Word(kind, 0, object_, 0, 0, False))
            waiters = sorted(thread.tid for thread in self.truth.threads.values() if (
                thread.last.kind, thread.last.object, thread.last.held) == (kind, object_, False))
            owners = [self.lwps.get(one["thread"]) for one in row["owners"]]
            self.answer(kind, "held by", owners[0] if owners else None, holder,
                        any(one["source"] == "source" for one in row["owners"]), about=row)
            said = sorted(self.lwps[one] for one in row["waiters"])
            self.answer(kind, "wanted by", said, waiters, about=row,
                        vague=(said,) if set(said) < set(waiters) else ())

    def _has_asked(self, lock: int) -> bool:
        return any(word.object == lock for thread in self.truth.threads.values()
                   for word in thread.words)

    def kernels(self, stacks: List[dict], is_frozen: bool) -> None:
        """Who is in which target region, by its stack."""
        steps = {self.lwps[one]: row["steps"] for row in stacks for one in row["threads"]}
        for thread in self.truth.threads.values():
            found = [match.groups() for step in steps.get(thread.tid, ())
                     for match in [re.fullmatch(r"#pragma omp target(?: \(device (\d+)\))? .*:(\d+)", step)]
                     if match]
            own = [(str(word.object), str(word.line)) for word in self.truth.story(thread)
                   if word.kind == "KERNEL"]
            if thread.is_settled and (is_frozen or own):
                self.answer("kernel", "line", [line for _, line in found], [line for _, line in own], True,
                            vague=() if is_frozen else ([],), about=(thread, steps.get(thread.tid)))
                for (said, _), (so, _) in zip(found, own):
                    self.answer("kernel", "device", said, so, True)

    def mappings(self, ranges: List[Range], rows: List[dict], devices: List[dict]) -> None:
        whole = {one["device"] for one in devices if one["ranges"] is not None}
        left = {(row["device"], int(row["host"], 16)): row for row in rows}
        for of in ranges:
            row = left.pop((of.device, of.host), None)
            least = of.is_forever or of.count
            if row is None:
                if least and not of.maybe:
                    self.answer("mapping", "row", None, of, about=devices,
                                vague=() if of.device in whole else (None,))
                continue
            so: tuple = (of.bytes, of.is_forever, "%#x" % of.copy)
            said = row["bytes"], row["forever"], row["address"]
            if of.maybe:
                so, said = so[:1], said[:1]
            self.answer("mapping", "row", (*said, of.is_forever or of.maybe or row["references"]),
                        (*so, of.is_forever or of.maybe or of.count or "mapped"), about=(of, row))
            if of.maybe and not of.is_forever and not row["forever"]:
                self.answer("mapping", "changing", abs(row["references"] - of.count) <= of.maybe,
                            True, about=(of, row))
        for row in left.values():
            self.answer("mapping", "row", row, None)

    def verdicts(self, why: dict) -> None:
        """A gate may open, and whoever runs goes on."""
        sure = [one["sentence"] for one in why["verdicts"] if one["certainty"] in SURE]
        self.answer("why", "certainty", sure or None, None, about=why["verdicts"][:2])
