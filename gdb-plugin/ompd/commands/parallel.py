# SPDX-License-Identifier: MIT
"""ompd parallel"""

import contextlib

import gdb

from ompd import errors, frames, options, report, session, story, target, text, thread_ids, tree

_CELL = 36  # the most that a column of a wide table takes, but for rows that need more


class Command(options.Command):
    """Show the tree of parallel regions that threads are in.

Usage: ompd parallel [-json]

One line for each region, below the region it is nested in: its number, the
function and line of the construct, the size of its team, gdb's numbers of the
threads in it (as "thread apply" takes them), and the thread that met it.

  -json  an array of objects with the keys id, kind ("parallel" or "teams"),
         enclosing (its id), size, requested (0: no num_threads clause),
         shortfall (why it has fewer: none, levels, limit, dynamic, other),
         cancelled, threads (gdb's numbers), master, function, file, line,
         derived; null is what is not known"""

    name = "ompd parallel"
    flags = ("json",)

    def answer(self, given):
        with _regions() as (_, regions, *of):
            return [_facts(region, *of) for region, _lead in regions]

    def run(self, given, from_tty):
        with _regions() as (snapshot, regions, *of):
            rows = [_row(region, lead, *of) for region, lead in regions]
            leads = [tree.continued(lead) for _region, lead in regions]
            lines = text.fitted(rows, _CELL, leads) + _remark(snapshot, rows)
        gdb.write("\n".join(lines) + "\n" if lines else "")


@contextlib.contextmanager
def _regions():
    """The snapshot, [(region, lead)], threads by their kernel ids, a walker."""
    inferior = session.need_program()
    with session.sentences(), session.snapshot() as snapshot:
        threads = {thread_ids.lwp(t): t for t in target.threads(inferior)}
        yield snapshot, list(_tree(snapshot)), threads, frames.Walker()


def _remark(snapshot, rows):
    for thread in snapshot.threads:
        try:
            thread.number  # pylint: disable=pointless-statement
        except errors.OmpdError as error:
            if error.kind == "unavailable" and thread.state != "idle":
                return [text.remark("Some threads are in regions that began before tracking "
                                    "did.")]
    return [] if rows else ["No thread is in a parallel region."]


def _tree(snapshot):
    """(region, the lines drawn before it), each below the one it is nested in."""
    if not snapshot.tracking:
        raise errors.OmpdError("needs_state_tracking", "ompd_get_threads")

    def above(region):
        parent = report.known(lambda: region.parent)
        return None if parent is None else parent.key

    roots, children = tree.grow(snapshot.regions(), lambda region: region.key, above)
    return tree.walk(roots, lambda region: children.get(region.key, []))


def _row(region, lead, threads, walker):
    return ["%sregion%s" % (lead, "" if region.id is None else " %d" % region.id),
            _told(lambda: _place(region, threads, walker)),
            "%s: %s" % (_told(lambda: text.count(region.size, "thread")),
                        _told(lambda: _members(region, threads))),
            _told(lambda: "met by thread %s" % _number(region.master, threads))]


def _place(region, threads, walker):
    place, derived = _construct(region, threads, walker)
    if place is None:
        return "not tracked"
    return ("~" if derived else "") + text.place(place)


def _construct(region, threads, walker):
    """(Place of the construct, whether it is told from the stack of a thread in it because
    it is not recorded)."""
    try:
        return walker.construct(region.function), False
    except errors.OmpdError as error:
        if error.kind != "needs_state_tracking":
            raise
    with frames.selection_kept():
        place = story.current().construct(region)
    return place, place is not None


def _facts(region, threads, walker):
    place, derived = report.known(lambda: _construct(region, threads, walker)) or (None, False)
    enclosing = report.known(lambda: region.parent)
    team = report.known(lambda: region.team) or []
    master = report.known(lambda: region.master.lwp)
    answer = {"id": report.known(lambda: region.id),
              "kind": report.known(lambda: region.kind),
              "enclosing": None if enclosing is None else report.known(lambda: enclosing.id),
              "size": report.known(lambda: region.size),
              "requested": report.known(lambda: region.requested),
              "shortfall": (report.known(lambda: region.details) or {}).get("shortfall"),
              "cancelled": report.known(lambda: region.cancelled),
              "threads": [threads[t.lwp].num for t in team if t.lwp in threads],
              "master": threads[master].num if master in threads else None}
    answer.update(report.place_facts(place), derived=derived)
    return answer


def _told(cell):
    try:
        return cell()
    except errors.OmpdError as error:
        return errors.short(error)


def _members(region, threads):
    found = [threads[t.lwp].num for t in region.team if t.lwp in threads]
    return text.ranges(found) or "-"


def _number(thread, threads):
    return threads[thread.lwp].num if thread.lwp in threads else "LWP %d" % thread.lwp
