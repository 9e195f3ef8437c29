# SPDX-License-Identifier: MIT
"""Holds what is known of a recorded program against what is known of the same stop unprepared.

Facts are tables, {table: [row]}, and a row is {fact: value}, None where it is unknown;
*_facts.py make them of answers, without ids and addresses. Every unprepared row must have a
recorded row of its own in which each known fact is known, and the same but where DIFFERS
allows."""

import re

# What may differ: (tables, facts): why, and which values, of an unprepared and a recorded program.
DIFFERS = (
    (r"version \d: threads", "state", "libgomp keeps few waits: the others are work unprepared",
     lambda bare, recorded: bare.startswith("work ") and recorded.startswith("wait ")),
    (r"version 5: all threads", "state", "likewise, by number: ompt_state_wait_* are 0x10 to 0xff",
     lambda bare, recorded: bare in (0, 1) and 0x10 <= recorded < 0x100),
    ("threads", "state", "records know a barrier by its entry point, which serves implied ones,"
     " too; its kind is in `waits for`", lambda bare, recorded: bare.startswith(recorded + "_")),
    ("threads", "state|waits for", "records may know which barrier it is",
     lambda bare, recorded: recorded.startswith(bare + "_") or recorded.endswith(", " + bare)),
    ("tasks", "function", "only a record leads to the name of a Fortran program",
     lambda bare, recorded: bare == "MAIN__"),
    ("tasks", "creator", "records know where it was created",
     lambda bare, recorded: recorded.startswith(bare)),
    (".*", "label|of|region|parent|primary|members|threads?|owner",
     "libgomp does not keep the league that a region is in",
     lambda bare, recorded: len(_listed(bare)) == len(_listed(recorded)) and
     all(map(_within, _listed(bare), _listed(recorded)))),
)


def _listed(value):
    return value if isinstance(value, list) else [value]


def _within(bare, recorded):
    """True if the path of a thread, or of a region of the host, is the other, known further."""
    bare, recorded = str(bare), str(recorded)
    return recorded == bare or recorded.endswith(" " + bare) or \
        bare.endswith(" in None") and recorded.startswith(bare[:-len("None")])


# Rows that only the recorded program may have: tables, why, and which.
GROWS = (
    ("holds|icvs|version 5: locks", "only records have them", lambda row: True),
    (r"version \d: ((all )?(tasks|threads)|(task|thread) icvs)",
     "libgomp knows no thread before its first region, and no task that has ended",
     lambda row: not row.get("level") and not row.get("region") and
     row.get("of", "None").endswith((" 0", "None"))),
    ("regions", "libgomp does not keep leagues", lambda row: row["kind"] == "teams"),
    (r"version \d: (all regions|regions|region icvs)", "libgomp does not keep leagues",
     lambda row: row.get("size", row.get("team-size-var")) == 1 and
     not row.get("level", row.get("levels-var"))),
)

# Facts that are one thread's: where it is chance which thread does what, they need be known only,
# and of the stack, which the initial thread has none of, nothing is compared.
NUMBERS = re.compile(r"number|num|thread-num-var.*|ompd-thread-num-var.*")


def _anonymous(tables):
    """The same without the numbers of threads, and without what is asked of one of them."""
    def value_of(table, fact, value):
        if value is None or fact == "stack":
            return None
        if NUMBERS.fullmatch(fact) or (table, fact) == ("icvs", "value"):
            return "known"
        if isinstance(value, list):
            return sorted(value_of(table, fact, one) for one in value)
        if isinstance(value, str):
            return re.sub(r"\b\d+(/\d+)", r"?\1", re.sub(r"thread \d+ of", "thread ? of", value))
        return value

    return {table: [{fact: value_of(table, fact, value) for fact, value in row.items()}
                    for row in rows] for table, rows in tables.items()}


def _rest(listed, part):
    rest = list(listed)
    for one in part:
        if one in rest:
            rest.remove(one)
    return rest


# What only records know in some situations: what may differ, and which rows are theirs, likewise.
MORE = {
    # libgomp sets aside the team and the task of a thread that begins a target region on the host.
    "target": ((
        (r"version \d: regions", "members", "a member that is in a target region",
         lambda bare, recorded: len(_rest(recorded, bare)) == len(recorded) - len(bare)),
    ), (
        (r"version \d: tasks", "the task of such a member", lambda row: row["level"] == 1),
        ("version 5: task icvs", "likewise", lambda row: row["of"] == "implicit at level 1"),
    )),
    # A task that left its frame to what it called is on no stack; nobody is inferred to wait.
    "left frame": ((
        ("threads", "line", "that of the task", lambda bare, recorded: True),
        ("threads", "state", "the stack shows that it is inside the runtime",
         lambda bare, recorded: bare == "overhead" and recorded.startswith("wait_barrier")),
    ), ()),
    None: ((), ()),
}


def faults_of(table, bare, recorded, differs=DIFFERS):
    """What RECORDED knows less well than BARE, as a list of sentences."""
    found = []
    for fact, value in bare.items():
        other = recorded.get(fact)
        if value is None or other == value:
            continue
        if other is not None and any(
                re.fullmatch(tables, table) and re.fullmatch(facts, fact) and same(value, other)
                for tables, facts, _, same in differs):
            continue
        found.append("%s is %r, recorded %s" % (
            fact, value, "unknown" if other is None else repr(other)))
    return found


def _assign(fits, count):
    """A row of the right side for each of the left, as many as fit: augmenting paths."""
    owner = {}

    def place(left, seen):
        for right in fits[left]:
            if right in seen:
                continue
            seen.add(right)
            if right not in owner or place(owner[right], seen):
                owner[right] = left
                return True
        return False

    for left in range(count):
        place(left, set())
    return {left: right for right, left in owner.items()}


def compare_table(table, bare, recorded, more=None):
    differs, grows = DIFFERS + MORE[more][0], GROWS + MORE[more][1]
    fits = [[at for at, other in enumerate(recorded) if not faults_of(table, row, other, differs)]
            for row in bare]
    pairs = _assign(fits, len(bare))
    rest = [row for at, row in enumerate(recorded) if at not in pairs.values()]
    faults = []
    for at, row in enumerate(bare):
        if at in pairs:
            continue
        if not rest:
            faults.append("%s: not there when recorded: %r" % (table, row))
            continue
        nearest = min(rest, key=lambda other: len(faults_of(table, row, other, differs)))
        rest.remove(nearest)
        faults += ["%s: %s" % (table, fault) for fault in faults_of(table, row, nearest, differs)]
        faults.append("%s:   of %r" % (table, row))
    faults += ["%s: only when recorded: %r" % (table, row) for row in rest
               if not any(re.fullmatch(tables, table) and is_more(row)
                          for tables, _, is_more in grows)]
    return faults


def compare(bare, recorded, chance=False, more=None):
    """What is known less well when recorded, as sentences. CHANCE: which thread does what is
    chance. MORE: what only records know here."""
    if chance:
        bare, recorded = _anonymous(bare), _anonymous(recorded)
    return [fault for table in bare
            for fault in compare_table(table, bare[table], recorded.get(table, []), more)]
