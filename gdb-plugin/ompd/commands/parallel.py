# SPDX-License-Identifier: MIT
"""ompd parallel"""

import gdb

from ompd import commands, errors, frames, session, target, text


class Command(gdb.Command):
    """Show the tree of parallel regions that threads are in.

Usage: ompd parallel

One line for each region, below the region it is nested in: its number, the
function and line of the construct, the size of its team, gdb's numbers of the
threads in it (as "thread apply" takes them), and the thread that met it."""

    def __init__(self):
        super().__init__("ompd parallel", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        commands.no_arguments("ompd parallel", argument)
        inferior = session.need_program()
        with session.sentences(), session.snapshot() as snapshot:
            threads = {target.lwp(t): t for t in inferior.threads()}
            walker = frames.Walker()
            rows = [_row(region, lead, threads, walker) for root in _roots(snapshot)
                    for region, lead in _tree(root, "", "")]
            remark = _remark(snapshot, rows)
        for line in text.table(rows) + remark:
            gdb.write(line + "\n")


def _remark(snapshot, rows):
    for thread in snapshot.threads:
        try:
            thread.number  # pylint: disable=pointless-statement
        except errors.OmpdError as error:
            if error.kind == "unavailable" and thread.state != "idle":
                return [text.remark("Some threads are in regions that began before tracking "
                                    "did.")]
    return [] if rows else ["No thread is in a parallel region."]


class _Node:
    def __init__(self, region):
        self.region = region
        self.children = []


def _roots(snapshot):
    if not snapshot.tracking:
        raise errors.OmpdError("needs_state_tracking", "ompd_get_threads")
    nodes = {region.key: _Node(region) for region in snapshot.regions()}
    roots = []
    for node in nodes.values():
        try:
            parent = node.region.parent
        except errors.OmpdError:
            parent = None
        (roots if parent is None else nodes[parent.key].children).append(node)
    return roots


def _tree(node, lead, below):
    """A region and those nested in it, each with the lines drawn before it."""
    yield node.region, lead
    branch, last = text.sign("\u251c\u2500 ", "|- "), text.sign("\u2514\u2500 ", "`- ")
    bar = text.sign("\u2502  ", "|  ")
    for child in node.children:
        final = child is node.children[-1]
        yield from _tree(child, below + (last if final else branch),
                         below + ("   " if final else bar))


def _row(region, lead, threads, walker):
    return ["%sregion%s" % (lead, "" if region.id is None else " %d" % region.id),
            _told(lambda: _place(region, threads, walker)),
            "%s: %s" % (_told(lambda: text.count(region.size, "thread")),
                        _told(lambda: _members(region, threads))),
            _told(lambda: "met by thread %s" % _number(region.master, threads))]


def _place(region, threads, walker):
    """Where the construct is; from the stack of a thread in it where it is not recorded."""
    try:
        return text.place(walker.construct(region.function))
    except errors.OmpdError as error:
        if error.kind != "needs_state_tracking":
            raise
    with frames.selection_kept():
        for member in region.team:
            thread = threads.get(member.lwp)
            known = region.snapshot.by_lwp.get(member.lwp) if thread else None
            inner = known.region if known else None  # one on its way out is in no list
            if inner is not None and inner.key == region.key:
                body = walker.body(thread)
                if body is not None:
                    return "~" + text.place(body)
    return "not tracked"


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
