# SPDX-License-Identifier: MIT
"""What agree_events.c writes, as a tree of streams, and what of two such trees differs.

A stream is what one task does, in its order: an implicit task, an explicit one from its first
schedule on, an initial one. The order between tasks is chance and left out, and so are switches
to a task that has begun. Regions are paired in the order in which their task begins them, explicit
tasks in that of their creation, and the implicit tasks of a region so that they differ least: which
thread executes a single block is chance, too.

A difference has four words: the event, the attribute, and its value in the first and second tree.
For example, the barrier at the end of a region,

    sync_region kind=barrier_implicit_parallel endpoint=begin ...
    sync_region kind=barrier_implicit endpoint=begin ...

gives (sync_region, kind, barrier_implicit_parallel, barrier_implicit); an event that only the
second tree has, (work loop, event, -, raised).
"""

import collections
import itertools

Difference = collections.namedtuple("Difference", "event attribute first second")

# What an event is, beside its name: one with another value is another event, unless nothing
# else can be paired with it.
KINDS = ("kind", "status", "flags", "name", "type")
# Numbers of regions and tasks, which are only references here.
REFERENCES = ("region", "child", "next")
ABSENT, RAISED = "-", "raised"
# A difference that these have in common is one.
TOGETHER = (("sync_region", "sync_region_wait"), ("parallel_begin", "parallel_end"),
            ("mutex_acquire", "mutex_acquired", "mutex_released"),
            ("mutex_acquire", "mutex_acquired"))
# Teams up to this size are paired in every order.
SMALL_TEAM = 4
# What an event without a partner costs: two of them more than a pair of different kinds.
GAP = 0.75
# Streams with a larger product of lengths are only counted.
LONG = 1000000


class Event:
    """One line: its name, its attributes, and the numbers of what it begins."""

    def __init__(self, name, attributes):
        self.name = name
        self.references = {key: int(attributes.pop(key)) for key in REFERENCES
                           if key in attributes}
        self.attributes = attributes

    @property
    def key(self):
        return (self.name, *sorted(self.attributes.items()))

    def label(self):
        kind = [self.attributes[key] for key in KINDS if key in self.attributes]
        return " ".join([self.name, *kind])

    def distance(self, other):
        """0 for the same event, None for one that cannot be paired with it."""
        mine, theirs = self.attributes, other.attributes
        if self.name != other.name or mine.get("endpoint") != theirs.get("endpoint"):
            return None
        unlike = [key for key in mine.keys() | theirs.keys() if mine.get(key) != theirs.get(key)]
        return sum(1.0 if key in KINDS else 0.2 for key in unlike)


class Recording:
    """A run: its initial tasks, the streams of all tasks, the tasks of each region."""

    def __init__(self, lines):
        self.streams = collections.defaultdict(list)
        self.members = collections.defaultdict(list)
        self.indices = collections.defaultdict(list)
        self.initial = []
        self.threads = collections.defaultdict(list)
        self.results = {}
        self.lost = None
        self._begun = set()
        self._regions = set()
        self._leagues = []
        for line in lines:
            thread, task, name, *words = line.rstrip("\n").split(" ")
            self._add(int(thread), int(task),
                      Event(name, dict(word.split("=", 1) for word in words if "=" in word)))

    def _add(self, thread, task, event):
        if event.name == "set":
            self.results[event.attributes["name"]] = int(event.attributes["result"])
        elif event.name == "end":
            self.lost = int(event.attributes["lost"])
        elif event.name in ("thread_begin", "thread_end"):
            self.threads[thread].append(event)
        elif event.name == "implicit_task":
            self._add_implicit(task, event)
        elif event.name == "task_schedule":
            self._add_schedule(task, event)
        else:
            if event.name == "parallel_begin":
                self._regions.add(event.references["region"])
            if "league" in event.attributes.get("flags", ""):
                change = self._leagues.append if event.name == "parallel_begin" \
                    else self._leagues.remove
                change(event.references["region"])
            self.streams[task].append(event)

    def _add_implicit(self, task, event):
        if event.attributes["endpoint"] == "begin":
            region = event.references["region"]
            self._begun.add(task)
            if "initial" in event.attributes["flags"] and self._leagues and \
                    region not in self._regions:
                event.attributes["parallel"] = "another"
                region = self._leagues[-1]
            (self.members[region] if region in self._regions else self.initial).append(task)
        index = event.attributes.pop("index")
        if "initial" in event.attributes["flags"]:
            event.attributes["index"] = index
        elif event.attributes["endpoint"] == "begin":
            self.indices[event.references["region"]].append(int(index))
        self.streams[task].append(event)

    def _add_schedule(self, prior, event):
        following = event.references["next"]
        if event.attributes["status"] not in ("switch", "yield"):
            event.attributes["next"] = "set" if following else "null"
            self.streams[prior].append(event)
        if following and following not in self._begun:
            self._begun.add(following)
            self.streams[following].append(Event("task_begin", {}))


def _value(mine, theirs):
    """Both values of an attribute; a number is 0 or n, as it is the program's."""
    if not (mine.isdigit() and theirs.isdigit()):
        return mine, theirs
    return ("0" if mine == "0" else "n"), ("0" if theirs == "0" else "m" if mine != "0" else "n")


def _align(first, second):
    """The least difference of two streams: its cost and the pairs, None for an event that the
    other does not have."""
    height, width = len(first), len(second)
    distances = {}

    def distance(a, b):
        key = (a.key, b.key)
        if key not in distances:
            distances[key] = a.distance(b)
        return distances[key]

    costs = [[GAP * column for column in range(width + 1)]]
    for row in range(1, height + 1):
        above, costs_here = costs[-1], [GAP * row]
        for column in range(1, width + 1):
            best = min(above[column], costs_here[-1]) + GAP
            paired = distance(first[row - 1], second[column - 1])
            if paired is not None:
                best = min(best, above[column - 1] + paired)
            costs_here.append(best)
        costs.append(costs_here)
    pairs = []
    row, column = height, width
    while row or column:
        paired = distance(first[row - 1], second[column - 1]) if row and column else None
        if paired is not None and costs[row][column] == costs[row - 1][column - 1] + paired:
            row, column = row - 1, column - 1
            pairs.append((first[row], second[column]))
        elif row and costs[row][column] == costs[row - 1][column] + GAP:
            row -= 1
            pairs.append((first[row], None))
        else:
            column -= 1
            pairs.append((None, second[column]))
    return costs[height][width], pairs[::-1]


class Comparison:
    """All differences of two recordings, by compare()."""

    def __init__(self, first, second):
        self.first, self.second = first, second
        self.found = collections.defaultdict(set)
        self._pending = []

    def _differs(self, event, attribute, first, second, endpoint=None):
        self.found[Difference(event, attribute, first, second)].add(endpoint)

    def _pair(self, mine, theirs):
        if mine is None or theirs is None:
            event = mine or theirs
            sides = (RAISED, ABSENT) if mine else (ABSENT, RAISED)
            self._differs(event.label(), "event", *sides, event.attributes.get("endpoint"))
            return
        for key in mine.attributes.keys() | theirs.attributes.keys():
            a, b = (side.attributes.get(key, ABSENT) for side in (mine, theirs))
            if a != b:
                self._differs(mine.name, key, *_value(a, b), mine.attributes.get("endpoint"))
        if mine.name == "parallel_begin":
            self._regions(mine.references["region"], theirs.references["region"])
        elif mine.name == "task_create":
            self._pending.append((mine.references["child"], theirs.references["child"]))

    def _tasks(self, mine, theirs):
        one, other = self.first.streams[mine], self.second.streams[theirs]
        if len(one) * len(other) > LONG:
            self._counts(one, other)
            return
        for pair in _align(one, other)[1]:
            self._pair(*pair)

    def _counts(self, one, other):
        """Streams too long to be aligned: how often each event is in them."""
        counts = [collections.Counter((event.label(), event.attributes.get("endpoint"))
                                      for event in stream) for stream in (one, other)]
        for key in counts[0].keys() | counts[1].keys():
            if counts[0][key] != counts[1][key]:
                more = counts[0][key] > counts[1][key]
                self._differs(key[0], "event", *((RAISED, ABSENT) if more else (ABSENT, RAISED)),
                              key[1])

    def _regions(self, mine, theirs):
        """Which member has which index is chance."""
        indices = [sorted(recording.indices[region])
                   for recording, region in ((self.first, mine), (self.second, theirs))]
        if indices[0] != indices[1]:
            self._differs("implicit_task", "indices", *(str(side) for side in indices))
        self._members(self.first.members[mine], self.second.members[theirs])

    def _members(self, mine, theirs):
        if len(mine) != len(theirs):
            self._differs("implicit_task", "tasks of a region", str(len(mine)), str(len(theirs)))
        if len(mine) == len(theirs) <= SMALL_TEAM:
            theirs = min(itertools.permutations(theirs), key=lambda order: self._cost(mine, order))
        self._pending += zip(mine, theirs)

    def _cost(self, mine, theirs):
        return sum(_align(self.first.streams[a], self.second.streams[b])[0]
                   for a, b in zip(mine, theirs)
                   if len(self.first.streams[a]) * len(self.second.streams[b]) <= LONG)

    def _threads(self):
        counts = [collections.Counter(event.label() for events in recording.threads.values()
                                      for event in events)
                  for recording in (self.first, self.second)]
        for label in counts[0].keys() | counts[1].keys():
            if counts[0][label] != counts[1][label]:
                self._differs(label, "threads", str(counts[0][label]), str(counts[1][label]))

    def compare(self):
        """The differences. One at both endpoints is one."""
        self._threads()
        self._members(self.first.initial, self.second.initial)
        while self._pending:
            self._tasks(*self._pending.pop())
        result = set()
        for difference, endpoints in self.found.items():
            if endpoints in ({"begin"}, {"end"}):
                difference = difference._replace(event=difference.event + " " + min(endpoints))
            result.add(difference)
        for difference in [d for d in result if d[1:] == ("event", RAISED, ABSENT)]:
            other = difference._replace(first=ABSENT, second=RAISED)
            if other in result:
                result -= {difference, other}
                result.add(difference._replace(attribute="order", second=RAISED))
        for names in TOGETHER:
            for difference in [d for d in result if d.event.split(" ")[0] == names[0]]:
                same = {difference._replace(event=difference.event.replace(names[0], name, 1))
                        for name in names}
                if same <= result:
                    result -= same
                    result.add(difference._replace(
                        event=difference.event.replace(names[0], "/".join(names), 1)))
        return result


def read(path):
    with open(path, encoding="utf-8") as file:
        return Recording(file)


def compare(first, second):
    return Comparison(first, second).compare()
