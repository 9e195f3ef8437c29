# SPDX-License-Identifier: MIT
"""What ompd-host prints as JSON as tables of facts that two runs of a program share; see
plugin_facts.py."""

UNKNOWN = ("-", "", "unavailable", "unsupported", "incompatible", "needs_state_tracking",
           "undefined", "stale_handle", "?", "error")


def _value(value):
    return None if value in UNKNOWN else value


def _some(value):
    """Of an id, an address or a frame, whether there is one."""
    return "known" if _value(value) and value != 0 else None


class _Names:
    """What names threads, regions and tasks in each run. Report 2.000 has no ids without records:
    there a thread leads to its region and task, and what encloses these has no name."""

    def __init__(self, answer):
        self.by_id = answer["abi"] > 2
        self._regions = {r["id"]: r for r in answer["regions"]}
        self._tasks = {t["id"]: t for t in answer["tasks"]}
        self._of_threads = {
            t["lwp"]: tuple(self._at(answer[table], t[key]) for table, key in (
                ("regions", "region_index"), ("tasks", "task_index")))
            for t in answer["threads"] if t["openmp"]}
        self._threads = {
            t["lwp"]: "thread %s of %s" % (t["num"], self.region_of(t)) if t["openmp"]
            else "outside" for t in answer["threads"]}

    @staticmethod
    def _at(rows, index):
        return rows[index] if index >= 0 else None

    def _region(self, region):
        if region is None:
            return None
        return str(region["size"]) + (" in %s" % self.region(region["parent"])
                                      if self.by_id else "")

    def _task(self, task):
        return task and "%s at level %s" % ("implicit" if task["implicit"] else "explicit",
                                            _value(task["level"]))

    def region_of(self, thread):
        return self._region(self._of_threads[thread["lwp"]][0])

    def task_of(self, thread):
        return self._task(self._of_threads[thread["lwp"]][1])

    def region(self, number):
        return self._region(self._regions.get(number)) if self.by_id else None

    def task(self, number):
        return self._task(self._tasks.get(number)) if self.by_id else None

    def thread(self, lwp):
        return self._threads.get(lwp, _some(lwp))


def _place(row):
    return {"function": row.get("function_name", _some(row["function"])),
            "line": row.get("line"), "file": row.get("file")}


def _standard(answer, names):
    yield "threads", [
        {"openmp": t["openmp"] or None, **({} if not t["openmp"] else {
            "label": names.thread(t["lwp"]), "state": _value(t["state"]),
            "wait id": _some(t["wait_id"]), "num": _value(t["num"]),
            "region": names.region_of(t), "task": names.task_of(t)})}
        for t in answer["threads"]]
    yield "regions", [
        {"size": _value(r["size"]), "primary": names.thread(r["master"]),
         "parent": names.region(r["parent"]), "members": sorted(map(names.thread, r["members"])),
         **_place(r)} for r in answer["regions"]]
    yield "tasks", [
        {"level": _value(t["level"]), "active level": _value(t["active_level"]),
         "implicit": _value(t["implicit"]), "parent": names.task(t["parent"]),
         "region": names.region(t["region"]), "exit frame": _some(t["exit_frame"]),
         "enter frame": _some(t["enter_frame"]), **_place(t)} for t in answer["tasks"]]
    name = {"process": _some, "thread": lambda n: names.thread(int(n)),
            "region": lambda n: names.region(int(n)), "task": lambda n: names.task(int(n))}
    for scope, objects in answer["icvs"].items():
        if not names.by_id and scope in ("region", "task"):
            continue
        yield scope + " icvs", [
            {"of": name[scope](number), **{
                icv + word: _value(value["text"] if word else value["number"])
                for icv, value in icvs.items() for word in ("", " in words")}}
            for number, icvs in objects.items()]
    yield "answers", [{key: answer[key] if answer[key] == "ok" else None
                       for key in ("threads_answer", "settings_answer")}]


def _bits(row):
    return {"known bit %d" % bit: True for bit in range(64) if row["known"] >> bit & 1}


def _extension(x, names):
    tasks = {t["id"]: "%s at level %s" % (t["kind"], t["level"]) for t in x["tasks"]}

    def task(number):
        return tasks.get(number, names.task(number))

    yield "all threads", [
        {"label": names.thread(t["lwp"]), "num": t["num"], "team": t["team"], "level": t["level"],
         "state": t["state"], "wait id": _some(t["wait_id"]), "place": _some(t["codeptr"]),
         "frame": _some(t["frame"]), "region": names.region(t["region"]),
         "task": task(t["task"]), "runtime": t["runtime"], **_bits(t)} for t in x["threads"]]
    yield "runtimes", [
        {key: r[key] for key in ("number", "kind", "threads", "first_version", "last_version",
                                 "file")} | _bits(r) for r in x["runtimes"]]
    yield "all regions", [
        {"size": r["threads"], "level": r["level"], "enclosing": names.region(r["enclosing"]),
         "runtime": r["runtime"], **_bits(r)} for r in x["regions"]]
    yield "all tasks", [
        {"kind": t["kind"], "state": t["state"], "level": t["level"],
         "function": _some(t["function"]), "parent": task(t["parent"]),
         "region": names.region(t["region"]), "thread": names.thread(t["thread"]),
         "place": _value(t["place"]),
         **{"flag %d" % bit: True for bit in range(32) if t["flags"] >> bit & 1}}
        for t in x["tasks"]]
    yield "dependences", [{"from": task(a), "to": task(b)} for a, b in _closure(x["dependences"])]
    yield "locks", [
        {"kind": k["kind"], "count": k["count"], "owner": names.thread(k["owner"]),
         "owner's task": task(k["owner_task"]), "waiters": sorted(map(names.thread, k["waiters"]))}
        for k in x["locks"]]
    yield "barriers", [
        {"region": names.region(b["region"]), "team": b["team"], "members": b["members"],
         "arrived": b["arrived"], "state": b["state"]} for b in x["barriers"]]
    yield "all answers", [{key: value if value == "ok" else None for key, value in x.items()
                           if key.endswith("_answer")}]


def _closure(dependences):
    """(earlier, later) of all tasks of which one must end before the other begins: a runtime
    may keep the steps only, or shortcuts, too."""
    after = {}
    for d in dependences:
        after.setdefault(d["predecessor"], set()).add(d["successor"])
    pairs = set()
    for start in after:
        new = [start]
        while new:
            for task in after.get(new.pop(), ()):
                if (start, task) not in pairs:
                    pairs.add((start, task))
                    new.append(task)
    return sorted(pairs)


def of_host(answer):
    """Tables of what `ompd-host` printed."""
    names = _Names(answer)
    tables = dict(_standard(answer, names))
    if "extension" in answer:
        tables.update(_extension(answer["extension"], names))
    return {"version %d: %s" % (answer["abi"], table): rows for table, rows in tables.items()}
