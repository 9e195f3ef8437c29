# SPDX-License-Identifier: MIT
"""Answers of the plugin as tables of facts that two runs of a program share: ids and addresses are
left out or become what they name, for instance a thread its path of teams."""

import os
import re

def known(value):
    """Of a value that differs from run to run only whether there is one."""
    return "known" if value else None


def _file(path):
    return os.path.basename(path) if path else None


def _thread_labels(threads):
    """{gdb's number: what names the thread in each run}"""
    return {t["id"]: " ".join("%d/%d" % tuple(step) for step in t["path"])
            if t["path"] else None for t in threads}


def _certain(row):
    return None if row["derived"] else True


def _place(row):
    return {"function": row["function"], "file": _file(row["file"]), "line": row["line"]}


def _threads(threads, labels):
    for t in threads:
        waits_for = re.sub(r", ~?held by .*", "", t["waits_for"] or "") or None
        yield {"label": labels[t["id"]], "number": t["number"], "team size": t["team_size"],
               "level": t["level"], "state": t["state"],
               "certain state": _certain(t) if t["state"] else None,
               "waits for": waits_for, "wait id": known(t["wait_id"]),
               "owner": labels.get(t["owner"]), "arrived": t["arrived"],
               "stack": known(t["stack"]), "runtime": t["runtime"], **_place(t)}


def _holds(threads, labels):
    for t in threads:
        for held in t["holds"]:
            yield {"label": labels[t["id"]], "kind": held["kind"], "object": held["object"],
                   "wait id": known(held["wait_id"]), "frame": known(held["frame"]),
                   **_place(held)}


def _regions(regions, labels):
    names = {r["id"]: "%s of %s" % (r["kind"], r["size"]) for r in regions if r["id"]}
    for r in regions:
        yield {"kind": r["kind"], "enclosing": names.get(r["enclosing"]), "size": r["size"],
               "requested": r["requested"], "shortfall": r["shortfall"],
               "cancelled": r["cancelled"], "primary": labels.get(r["master"]),
               "threads": sorted(labels.get(n) or "?" for n in r["threads"]),
               "certain place": _certain(r) if r["line"] else None, **_place(r)}


def _tasks(tasks, labels, regions):
    names = {t["id"]: t["kind"] + (" at %s:%s" % (t["function"], t["line"])
                                   if t["function"] else "") for t in tasks}
    teams = {r["id"]: r["size"] for r in regions if r["id"]}
    by_id = {t["id"]: t for t in tasks}

    def blockers(task, found):
        """All that must end before: the runtime keeps some of the shortcuts that records omit."""
        for b in task["blocked_by"]:
            if b["task"] not in found:
                found.add(b["task"])
                blockers(by_id.get(b["task"], {"blocked_by": ()}), found)
        return found

    for t in tasks:
        yield {"kind": t["kind"], "state": t["state"], "thread": labels.get(t["thread"]),
               "creator": names.get(t["creator"], known(t["creator"])),
               "region": teams.get(t["region"], known(t["region"])),
               "children": t["children"], "waits in": t["waits_in"], "event": known(t["event"]),
               "blocked by": sorted(names.get(other) or "?" for other in blockers(t, set())) or
               None, "blocked on": sorted({b["object"] or "?" for b in t["blocked_by"]}) or None,
               **{flag: True for flag in t["flags"]}, **_place(t)}


def _icvs(icvs, labels):
    for i in icvs:
        yield {"name": i["name"], "value": i["value"], "changed": i["changed"] or None,
               "threads": sorted(labels.get(n) or "?" for n in i["threads"] or ()) or None}


def of_plugin(answers):
    """Tables of what gdb_look.py wrote."""
    rows = {command: answer if isinstance(answer, list) else []
            for command, answer in answers.items()}
    labels = _thread_labels(rows["threads"])
    status = answers["status"]
    return {
        "threads": list(_threads(rows["threads"], labels)),
        "holds": list(_holds(rows["threads"], labels)),
        "regions": list(_regions(rows["parallel"], labels)),
        "tasks": list(_tasks(rows["tasks"], labels, rows["parallel"])),
        "icvs": list(_icvs(rows["icvs"], labels)),
        "status": [{"runtime": status.get("runtime"), "library": known(status.get("library")),
                    "ABI": status.get("ABI")}],
        "answers": [{command: None if "error" in answer else "an answer"
                     for command, answer in answers.items()}],
    }
