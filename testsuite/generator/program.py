# SPDX-License-Identifier: MIT
"""A program of a seed: scenes of random constructs that end, each of which says what it does; and one
that hangs."""

from typing import NamedTuple

import languages

LOOPS = "ijklm"


class Place(NamedTuple):
    """Where a statement is."""

    together: bool = False  # all members of the team come by
    rank: int = 0  # of what is held: only what has a higher one may be asked for
    tasks: bool = False  # may be executed here
    regions: int = 0  # that are around it
    threads: int = 1  # at most, that come by
    depth: int = 0  # of constructs
    loops: int = 0
    in_target: bool = False
    size: int = 1  # of the team


# Where a construct may be (also while something is held; where tasks may be executed; where all
# members come by), how often, and the method of Maker that writes it, with its arguments: a word of
# truth.h and the directive.
HELD, ALONE, SHARED = "held", "alone", "shared"
CONSTRUCTS = (
    (HELD, 1, "critical"), (HELD, 1, "lock"), (HELD, 1, "nest_lock"), (HELD, 1, "region"),
    (HELD, 1, "atomic"), (HELD, 1, "gate"), (HELD, 1, "around", "TARGET", "target"),
    (ALONE, 2, "task"), (ALONE, 1, "taskloop"), (ALONE, 1, "target_task"),
    (ALONE, 1, "around", "TASKGROUP", "taskgroup"),
    (ALONE, 1, "standalone", "TASKWAIT", "taskwait"),
    (ALONE, 1, "standalone", "TASKYIELD", "taskyield"),
    (SHARED, 4, "loop"), (SHARED, 2, "ordered"), (SHARED, 2, "sections"), (SHARED, 2, "single"),
    (SHARED, 2, "doacross"), (SHARED, 2, "standalone", "BARRIER", "barrier"),
    (SHARED, 1, "around", "NOWAIT", "master"), (SHARED, 1, "around", "NOWAIT", "masked"),
    (SHARED, 2, "around", "END_SCOPE", "scope"),
)
# What hangs: the method of Maker that writes it, and what may be said of it.
HANGS = (
    ("left_out", "barrier-mismatch"), ("crossed", "lock-cycle", "lock-orphan"),
    ("again", "lock-self", "lock-orphan"), ("in_itself", "lock-self", "lock-orphan"),
    ("across_barrier", "lock-holder-waits", "lock-orphan"),
    ("not_released", "lock-holder-waits", "lock-orphan"), ("no_event", "task-detached"),
    ("not_posted", "doacross"), ("before_its_turn", "wait-cycle", "lock-holder-waits", "lock-orphan"),
)


class Maker:
    """Nothing executes tasks while something is held: they would wait for what their thread has."""

    def __init__(self, chance, text, compiler):
        self.chance, self.text, self.compiler = chance, text, compiler
        self.gates, self.regions, self.pending, self.left = 0, [], [], 0
        self.fortran = isinstance(text, languages.Fortran)

    def choices(self, place):
        """Rows of CONSTRUCTS, each as often as it has chances."""
        fits = {HELD: True, ALONE: place.tasks, SHARED: place.together}
        unfit = ("target", "target_task") * place.in_target
        if self.compiler == "clang":
            unfit += "scope", "target_task"  # LLVM's runtime crashes: several threads begin teams then
        if self.fortran:
            unfit += ("scope",)
        return [row for row in CONSTRUCTS for _ in range(row[1] * fits[row[0]])
                if row[-1] not in unfit]

    def block(self, place, most=3):
        """Statements, the last of which is a gate."""
        for _ in range(self.chance.randint(1, most)):
            if self.left <= 0 or place.depth > 7:
                break
            self.left -= 1
            _, _, method, *words = self.chance.choice(self.choices(place))
            getattr(self, method)(place._replace(depth=place.depth + 1), *words)
        self.gate(place)

    def around(self, place, kind, words):
        """What may wait at the end of its block."""
        text = self.text
        text.call("say", kind, text.next_line + 1, 0)
        text.directive(words)
        text.call("say", "BODY", 0, 0)
        self.block(self.inner(place)._replace(in_target=place.in_target or words == "target"))
        text.call("done")
        text.end(words)
        text.call("done")

    def standalone(self, _place, kind, words):
        text = self.text
        text.call("say", kind, text.next_line + 1, 0)
        text.standalone(words)
        text.call("done")

    def gate(self, _place):
        self.text.call("gate", self.gates, self.text.next_line)
        self.gates += 1

    def atomic(self, _place):
        self.text.standalone("atomic")
        self.text.set("x", "x + 1")

    def inner(self, place):
        return place._replace(together=False, loops=place.loops + 1)

    def some(self, *words):
        """One of them, or more often none."""
        return self.chance.choice(("",) * 2 * len(words) + words)

    def loop(self, place):
        nowait = " nowait" * (self.chance.random() < 0.2)
        variable = LOOPS[min(place.loops, len(LOOPS) - 1)]
        schedule = self.chance.choice(("static", "static, 1", "dynamic, 1", "guided", "runtime"))
        reduced = self.some("+", "task, +" if not nowait else "+")
        words = "for schedule(%s)%s%s%s" % (
            schedule, " reduction(%s : sum%d)" % (reduced, place.regions) if reduced else "",
            self.some(" collapse(2)"), self.text.at_begin(nowait))
        cancel = "" if nowait or reduced else self.some(" if(%s == 1)" % variable)
        self.iterate(place, "NOWAIT" if nowait else "END_FOR", words, "for" + nowait, self.block,
                     cancel and "cancel for" + cancel)

    def iterate(self, place, kind, words, end, body, cancel="", count=None):
        if place.loops + 1 >= len(LOOPS):
            return self.gate(place)
        text, names = self.text, LOOPS[place.loops:][:1 + ("collapse" in words)]
        text.call("say", kind, text.next_line + 1, 0)
        text.loop(names[0], count or self.chance.randint(1, 5), words)
        for name in names[1:]:
            text.loop(name, self.chance.randint(1, 3))
        text.call("say", "BODY", 0, names[0])
        body(place._replace(together=False, loops=place.loops + len(names)))
        text.call("done")
        if cancel:
            text.standalone(cancel)
        for _ in names[1:]:
            text.end_loop()
        text.end_loop(end)
        text.call("done")

    def ordered(self, place):
        def body(inner):
            self.block(inner._replace(tasks=False), 1)
            self.turn(lambda: self.block(inner._replace(tasks=False)))
        self.iterate(place, "END_FOR", "for ordered schedule(%s)" % self.chance.choice(
            ("static", "static, 1", "dynamic, 1")), "for", body)

    def turn(self, body):
        text = self.text
        text.call("say", "ORDERED", text.next_line + 1, 0)
        text.directive("ordered")
        text.call("held")
        body()
        text.end("ordered")
        text.call("done")

    def doacross(self, place, posts=True, count=None):
        name = LOOPS[min(place.loops, len(LOOPS) - 1)]

        def body(_inner):
            self.standalone(place, "DOACROSS", "ordered depend(sink : %s - 1)" % name)
            self.gate(place)
            if not posts:
                self.text.when("x < 0")
            self.text.standalone("ordered depend(source)")
            if not posts:
                self.text.end_when()
        self.iterate(place, "END_FOR", "for ordered(1) schedule(static, 1)", "for", body, count=count)

    def sections(self, place):
        text, cancels = self.text, self.chance.random() < 0.2
        text.call("say", "END_SECTIONS", text.next_line + 1, 0)
        text.directive("sections")
        for _ in range(self.chance.randint(1, 3)):
            text.section()
            text.call("say", "BODY", 0, 0)
            self.block(self.inner(place), 2)
            text.call("done")
            if cancels:
                text.standalone("cancel sections" + self.some(text.false))
            text.end_section()
        text.end("sections")
        text.call("done")

    def single(self, place, body=None, copies=None):
        nowait = copies is None and self.chance.random() < 0.2
        text = self.text
        text.call("say", "NOWAIT" if nowait else "END_SINGLE", text.next_line + 1, 0)
        if copies is None:
            copies = " copyprivate(own)" if not nowait and self.chance.random() < 0.3 else ""
        text.directive("single" + text.at_begin(" nowait" * nowait + copies))
        text.call("say", "BODY", 0, 0)
        (body or self.block)(self.inner(place))
        text.call("done")
        text.end("single" + " nowait" * nowait + copies)
        text.call("done")

    def hold(self, kind, at, body):
        """BODY with a section or lock, by its number."""
        text, times = self.text, 1
        if kind == "CRITICAL":
            words = "critical" + (" (%s)" % " abcd"[at] if at else "")
            text.call("say", kind, text.next_line + 1, at)
            text.directive(words)
        else:
            name, object_ = text.lock(kind.lower(), at)
            times += self.chance.randrange(3) if kind == "NEST_LOCK" else 0
            text.call("say", kind, text.next_line + 1, object_)
            for _ in range(times):
                text.call("omp_set_" + kind.lower(), name)
        text.call("held")
        body()
        if kind == "CRITICAL":
            text.end(words)
        else:
            for _ in range(times):
                text.call("omp_unset_" + kind.lower(), name)
        text.call("done")

    def _hold(self, place, first, kind, count):
        at = self.chance.randrange(count)
        if place.rank >= first + at:
            return self.gate(place)
        self.hold(kind, at, lambda: self.block(
            place._replace(together=False, tasks=False, rank=first + at)))

    def critical(self, place):
        self._hold(place, 2, "CRITICAL", 3)

    def lock(self, place):
        self._hold(place, 5, "LOCK", 2)

    def nest_lock(self, place):
        self._hold(place, 7, "NEST_LOCK", 2)

    def task(self, place):
        text, roll = self.text, self.chance.random()
        clauses = "" if roll < 0.4 else self.chance.choice((
            " depend(%s : %s)" % (self.chance.choice(("in", "out", "inout")),
                                  self.chance.choice("xy")), " priority(2)", " untied", " detach(event)",
            text.false, text.false.replace("if", "final").replace("0", "1").replace("false", "true")))
        waits = roll > 0.85 and "depend" in clauses
        if waits:
            clauses += text.false
            text.call("say", "DEPEND", text.next_line + 1, 0)
        if "untied" in clauses:
            place = place._replace(tasks=False)  # else another thread may go on with it
        if "detach" in clauses and self.compiler == "clang" and place.size == 1:
            clauses = ""
        self.as_task(place, "task" + clauses, "if(" not in clauses, clauses == " detach(event)")
        if waits:
            text.call("done")

    def target_task(self, place):
        self.as_task(place._replace(in_target=True), "target nowait", True)

    def as_task(self, place, words, deferred=True, event=False, body=None):
        """A task; with an EVENT, who fulfils it: the task, or who has generated it."""
        text, own = self.text, self.chance.random() < 0.5
        if event:
            text.event()
        line = text.next_line + deferred
        if deferred:
            text.call("created", line, 1)
        text.directive(words)
        text.call("begin_task", "team", line)
        (body or self.block)(place._replace(together=False), 2)
        if event and own and body is None:
            text.call("omp_fulfill_event", "event")
        text.call("end_task", line)
        text.end(words.split(" ", 1)[0])
        if event and not own and body is None:
            self.gate(place)
            text.call("omp_fulfill_event", "event")
        if event:
            text.end_block()

    def taskloop(self, place):
        if place.loops >= len(LOOPS):
            return self.gate(place)
        text, count = self.text, self.chance.randint(1, 4)
        text.call("say", "TASKLOOP", text.next_line + 2, 0)
        line = text.next_line + 1
        text.call("created", line, count)
        text.loop(LOOPS[place.loops], count, "taskloop num_tasks(%d)" % count)
        text.call("begin_task", "team", line)
        self.block(self.inner(place), 2)
        text.call("end_task", line)
        text.end_loop("taskloop")
        text.call("done")

    def region(self, place):
        """In place, or in a function of its own."""
        size = self.chance.choice((1, 2, 2, 3, 3, 4, 6))
        if place.regions >= 3 or place.threads * size > 12:
            return self.gate(place)
        if self.fortran or self.chance.random() < 0.5:
            name = "region_%d" % len(self.regions)
            self.regions.append((name, size, place))
            self.pending.append(self.regions[-1])
            self.text.call(name)
        else:
            self.text.open("{")
            self.parallel(size, place)
            self.text.end()

    def functions(self):
        while self.pending:
            name, size, place = self.pending.pop()
            self.text.function(name)
            self.parallel(size, place)
            self.text.end_function()

    def parallel(self, size, place, body=None):
        text = self.text
        inner = place._replace(
            together=True, tasks=place.tasks or size > 1 or not place.rank,
            regions=place.regions + 1, threads=place.threads * size, loops=0, size=size)
        text.fork(text.next_line + 1)
        if not body and self.chance.random() < 0.15:
            text.loop("i", 2 * size, "parallel for schedule(static, 1) num_threads(%d)" % size)
            end, inner = "parallel for", inner._replace(together=False, loops=1)
        else:
            text.directive("parallel num_threads(%d) private(%s)%s" % (
                size, text.own, self.some(" reduction(+ : total%d)" % inner.regions,
                                          " reduction(task, + : total%d)" % inner.regions)))
            end = "parallel"
        text.call("enter", "team")
        if body:
            body(inner)
        else:
            self.block(inner, 4)
        text.call("leave")
        text.end_loop(end) if "for" in end else text.end(end)
        text.call("join_team", "team")

    def league(self, place):
        text = self.text
        text.open_block()
        text.fork(text.next_line + 1)
        text.directive("teams num_teams(2) thread_limit(6)")
        text.call("enter_league", "team")
        self.gate(place)
        self.region(place._replace(threads=2))
        text.call("done")
        text.end("teams")
        text.call("join_team", "team")
        text.end_block()

    # What hangs, by the name of HANGS: what is written in a region of SIZE members

    def hang(self, place):
        """A scene; the index in HANGS of what it does."""
        text, which = self.text, self.chance.randrange(len(HANGS))
        size, name = self.chance.randint(2, 4), HANGS[which][0]
        if name == "in_itself":
            text.scene("inner")
            self.hold("CRITICAL", 3, lambda: self.gate(place))
            text.end_function()
        text.scene("hang")
        text.call("say", "HANG", text.next_line, which)
        text.open_block()
        self.parallel(size, place, lambda inner: getattr(self, name)(inner, size))
        text.end_block()
        text.end_function()

    def only(self, condition, body):
        """Of the member with that number, or of all but it."""
        self.text.when("omp_get_thread_num() " + condition)
        body()
        self.text.end_when()

    def left_out(self, place, size):
        self.only("!= %d" % self.chance.randrange(size),
                  lambda: self.standalone(place, "BARRIER", "barrier"))

    def crossed(self, place, _size):
        kind, text = self.chance.choice(("LOCK", "NEST_LOCK", "CRITICAL")), self.text
        first = 3 if kind == "CRITICAL" else 2

        def both(one, other):
            self.hold(kind, one, lambda: (text.call("meet", 0, 2), self.hold(
                kind, other, lambda: self.gate(place))))
        self.only("== 0", lambda: both(first, first + 1))
        self.only("== 1", lambda: both(first + 1, first))

    def again(self, place, size):
        def twice():
            self.hold("LOCK", 2, lambda: self.hold("LOCK", 2, lambda: self.gate(place)))
        self.only("== %d" % self.chance.randrange(size), twice)

    def in_itself(self, _place, size):
        self.only("== %d" % self.chance.randrange(size),
                  lambda: self.hold("CRITICAL", 3, lambda: self.text.call("inner")))

    def across_barrier(self, place, size):
        text, kind = self.text, self.chance.choice(("LOCK", "NEST_LOCK"))
        self.only("== 0", lambda: self.hold(kind, 2, lambda: (
            text.call("meet", 0, size), self.standalone(place, "BARRIER", "barrier"))))
        self.only("!= 0", lambda: (text.call("meet", 0, size), self.hold(
            kind, 2, lambda: self.standalone(place, "BARRIER", "barrier"))))

    def not_released(self, place, size):
        text, (name, object_) = self.text, self.text.lock("lock", 2)

        def keeps():
            text.call("say", "LOCK", text.next_line + 1, object_)
            text.call("omp_set_lock", name)
            text.call("held")
            text.call("meet", 0, size)
        self.only("== 0", keeps)
        self.only("!= 0", lambda: (text.call("meet", 0, size), self.hold(
            "LOCK", 2, lambda: self.gate(place))))

    def no_event(self, place, _size):
        self.single(place, lambda inner: (
            self.as_task(inner, "task detach(event)", event=True, body=lambda at, _: self.gate(at)),
            self.standalone(inner, "TASKWAIT", "taskwait")), "")

    def not_posted(self, place, size):
        self.doacross(place, False, size)

    def before_its_turn(self, place, size):
        """The first iteration waits for a lock of the second one, which waits for its turn."""
        text = self.text

        def body(_inner):
            text.when("i == 0")
            text.call("meet", 0, 2)
            self.hold("LOCK", 2, lambda: self.gate(place))
            text.end_when()
            text.when("i == 1")
            self.hold("LOCK", 2, lambda: (text.call("meet", 0, 2), self.turn(
                lambda: self.gate(place))))
            text.end_when()
        self.iterate(place, "END_FOR", "for ordered schedule(static, 1)", "for", body, count=size)


def make(chance, text, compiler, scenes):
    """Writes a program; the numbers of the gates of each of its scenes."""
    maker, gates = Maker(chance, text, compiler), []
    for scene in range(scenes):
        first, maker.left = maker.gates, chance.randint(6, 24)
        text.scene("scene_%d" % scene)
        (maker.league if chance.random() < 0.15 else maker.region)(Place())
        maker.block(Place(), 2)
        text.end_function()
        maker.functions()
        gates.append(range(first, maker.gates))
    maker.hang(Place())
    text.finish(len(maker.regions))
    return gates
