# SPDX-License-Identifier: MIT
"""Rows of "ompd threads" as objects for JSON."""

from gdb_openmp.host import inferiors, json_output
from gdb_openmp.analysis import wait_state

_WAITED_FOR = {"simple": "wait_lock", "nest": "wait_nest_lock"}  # in which state, by its kind


def of_row(row, rows):
    """The object of a thread_rows.Row. ROWS: the thread_rows.Rows that it is one of."""
    known, wait = row.known, row.wait
    holder = wait.holder
    answer = {"id": row.thread.num if row.thread else None,
              "lwp": inferiors.lwp(row.thread) if row.thread
              else json_output.known(lambda: known.lwp),
              "selected": row.selected, "number": None, "team_size": None, "path": None,
              "level": None, "state": None if wait.name == "not_openmp" else wait.name,
              "call": wait.call, "derived": wait.derived, "wait_id": wait.wait_id or None,
              "waits_for": _known(wait.waits_for()), "owner": holder and holder.number,
              "since": holder and holder.since and json_output.place_facts(holder.since),
              "arrived": wait.arrivals and wait.arrivals.arrived, "holds": [], "stack": None,
              "runtime": rows.runtime_file(known)}
    if known is not None and wait.name != "idle":
        path = json_output.known(lambda: known.path)
        if path:
            answer["number"], answer["team_size"] = path[-1]
            answer["path"] = [list(step) for step in path]
        answer["level"] = json_output.known(lambda: known.level)
        answer["holds"] = [_held(lock, rows) for lock in rows.held_by(known)]
        stack = json_output.known(lambda: known.stack)
        answer["stack"] = [stack["low"], stack["high"]] if stack else None
    answer.update(json_output.place_facts(row.place))
    return answer


def _known(words):
    return None if words in ("-", "?") else words


def _held(lock, rows):
    """A sync.Lock that a thread has acquired, and where it did so."""
    name = _WAITED_FOR.get(lock.kind, "wait_" + lock.kind)
    return dict({"kind": lock.kind, "wait_id": lock.address, "frame": lock.frame,
                 "object": wait_state.thing(name, lock.address)},
                **json_output.place_facts(rows.places.call(lock.codeptr)))
