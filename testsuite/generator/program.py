# SPDX-License-Identifier: MIT
"""A program of a seed: scenes of random constructs that end, each of which says what it does."""

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


class Maker:
    """Nothing executes tasks while something is held: they would wait for what their thread has."""

    def __init__(self, chance, text, compiler):
        self.chance, self.text, self.compiler = chance, text, compiler
        self.gates, self.regions, self.pending, self.left = 0, [], [], 0
        self.fortran = isinstance(text, languages.Fortran)
        self.held = [self.critical, self.lock, self.nest_lock, self.region, self.atomic, self.gate]
        self.alone = [self.task, self.task, self.taskwait, self.taskgroup, self.taskloop]
        self.shared = [self.barrier, self.loop, self.loop, self.ordered, self.sections, self.single,
                       self.masked, self.doacross]
        if compiler == "gcc" and not self.fortran:
            self.shared.append(self.scope)

    def gates_from(self, first):
        """Those with that number and later ones, where threads may stay."""
        return range(first, self.gates)

    def block(self, place, most=3):
        """Statements, the first of which may be a gate."""
        for _ in range(self.chance.randint(1, most)):
            if self.left <= 0 or place.depth > 7:
                break
            self.left -= 1
            choices = self.held + self.alone * place.tasks + self.shared * 2 * place.together
            self.chance.choice(choices)(place._replace(depth=place.depth + 1))
        self.gate(place)

    def around(self, kind, place, words, object_=0):
        """What waits at the end of its block."""
        text = self.text
        text.call("say", kind, text.next_line + 1, object_)
        text.directive(words)
        text.call("say", "BODY", 0, 0)
        self.block(place)
        text.call("done")
        text.end(words.split(" ", 1)[0])
        text.call("done")

    def gate(self, _place):
        self.text.call("gate", self.gates, self.text.next_line)
        self.gates += 1

    def atomic(self, _place):
        self.text.standalone("atomic")
        self.text.set("x", "x + 1")

    def barrier(self, _place):
        text = self.text
        text.call("say", "BARRIER", text.next_line + 1, 0)
        text.standalone("barrier")
        text.call("done")

    def inner(self, place):
        return place._replace(together=False, loops=place.loops + 1)

    def loop(self, place):
        if place.loops >= len(LOOPS):
            return self.gate(place)
        text = self.text
        schedule = self.chance.choice(("static", "static, 1", "dynamic, 1", "guided", "runtime"))
        nowait = self.chance.random() < 0.2
        words = "for schedule(%s)%s%s" % (
            schedule, self.chance.choice(("", "", " reduction(+ : sum%d)" % place.regions)),
            text.at_begin(" nowait" * nowait))
        self.iterate(place, "NOWAIT" if nowait else "END_FOR", words, "for" + " nowait" * nowait,
                     self.block)

    def iterate(self, place, kind, words, end, body):
        text, name = self.text, LOOPS[place.loops]
        text.call("say", kind, text.next_line + 1, 0)
        text.loop(name, self.chance.randint(1, 5), words)
        text.call("say", "BODY", 0, name)
        body(self.inner(place))
        text.call("done")
        text.end_loop(end)
        text.call("done")

    def ordered(self, place):
        if place.loops >= len(LOOPS):
            return self.gate(place)

        def body(inner):
            self.block(inner._replace(tasks=False), 1)
            text = self.text
            text.call("say", "ORDERED", text.next_line + 1, 0)
            text.directive("ordered")
            text.call("held")
            self.block(inner._replace(tasks=False))
            text.end("ordered")
            text.call("done")
        self.iterate(place, "END_FOR", "for ordered schedule(%s)" % self.chance.choice(
            ("static", "static, 1", "dynamic, 1")), "for", body)

    def doacross(self, place):
        if place.loops >= len(LOOPS):
            return self.gate(place)
        name = LOOPS[place.loops]

        def body(_inner):
            text = self.text
            text.call("say", "DOACROSS", text.next_line + 1, 0)
            text.standalone("ordered depend(sink : %s - 1)" % name)
            text.call("done")
            self.gate(place)
            text.standalone("ordered depend(source)")
        self.iterate(place, "END_FOR", "for ordered(1) schedule(static, 1)", "for", body)

    def sections(self, place):
        text = self.text
        text.call("say", "END_SECTIONS", text.next_line + 1, 0)
        text.directive("sections")
        for _ in range(self.chance.randint(1, 3)):
            text.section()
            text.call("say", "BODY", 0, 0)
            self.block(self.inner(place), 2)
            text.call("done")
            text.end_section()
        text.end("sections")
        text.call("done")

    def single(self, place):
        nowait = self.chance.random() < 0.2
        text = self.text
        text.call("say", "NOWAIT" if nowait else "END_SINGLE", text.next_line + 1, 0)
        copies = " copyprivate(own)" if not nowait and self.chance.random() < 0.3 else ""
        text.directive("single" + text.at_begin(" nowait" * nowait + copies))
        text.call("say", "BODY", 0, 0)
        self.block(self.inner(place))
        text.call("done")
        text.end("single" + " nowait" * nowait + copies)
        text.call("done")

    def masked(self, place):
        word = self.chance.choice(("master", "masked"))
        self.around("NOWAIT", self.inner(place), word)

    def scope(self, place):
        self.around("END_SCOPE", self.inner(place), "scope")

    def hold(self, place, rank, kind, object_, begin, end):
        if place.rank >= rank:
            return self.gate(place)
        self.text.call("say", kind, self.text.next_line + 1, object_)
        begin()
        self.text.call("held")
        self.block(place._replace(together=False, tasks=False, rank=rank))
        end()
        self.text.call("done")

    def critical(self, place):
        at = self.chance.randrange(3)
        words = "critical" + (" (%s)" % "nab"[at] if at else "")
        self.hold(place, 2 + at, "CRITICAL", at, lambda: self.text.directive(words),
                  lambda: self.text.end(words))

    def lock(self, place):
        at = self.chance.randrange(languages.LOCKS)
        name, object_ = self.text.lock("lock", at)
        self.hold(place, 5 + at, "LOCK", object_, lambda: self.text.call("omp_set_lock", name),
                  lambda: self.text.call("omp_unset_lock", name))

    def nest_lock(self, place):
        at = self.chance.randrange(languages.LOCKS)
        name, object_ = self.text.lock("nest_lock", at)
        again = self.chance.randrange(3)

        def calls(which, count):
            for _ in range(count):
                self.text.call(which, name)
        self.hold(place, 7 + at, "NEST_LOCK", object_,
                  lambda: calls("omp_set_nest_lock", 1 + again),
                  lambda: calls("omp_unset_nest_lock", 1 + again))

    def task(self, place):
        text, roll = self.text, self.chance.random()
        clauses = "" if roll < 0.4 else self.chance.choice((
            " depend(%s : %s)" % (self.chance.choice(("in", "out", "inout")),
                                  self.chance.choice("xy")), " priority(2)", text.false,
            text.false.replace("if", "final").replace("0", "1").replace("false", "true")))
        waits = roll > 0.85 and "depend" in clauses
        if waits:
            clauses += text.false
            text.call("say", "DEPEND", text.next_line + 1, 0)
        line = text.next_line + 1
        if "if(" in clauses:
            line -= 1
        else:
            text.call("created", line, 1)
        text.directive("task" + clauses)
        text.call("begin_task", "team", line)
        self.block(place._replace(together=False), 2)
        text.call("end_task", line)
        text.end("task")
        if waits:
            text.call("done")

    def taskwait(self, _place):
        text = self.text
        text.call("say", "TASKWAIT", text.next_line + 1, 0)
        text.standalone("taskwait")
        text.call("done")

    def taskgroup(self, place):
        self.around("TASKGROUP", place._replace(together=False), "taskgroup")

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

    def parallel(self, size, place):
        text = self.text
        inner = Place(True, place.rank, place.tasks or size > 1 or not place.rank, place.regions + 1,
                      place.threads * size, place.depth)
        text.fork(text.next_line + 1)
        if self.chance.random() < 0.15:
            text.loop("i", 2 * size, "parallel for schedule(static, 1) num_threads(%d)" % size)
            end, inner = "parallel for", inner._replace(together=False, loops=1)
        else:
            text.directive("parallel num_threads(%d) private(own)%s" % (
                size, self.chance.choice(("", "", " reduction(+ : total%d)" % inner.regions))))
            end = "parallel"
        text.call("enter", "team")
        self.block(inner, 4)
        text.call("leave")
        text.end_loop(end) if "for" in end else text.end(end)
        text.call("join_team", "team")


def make(chance, text, compiler, scenes, kind=Maker):
    """Writes a program; the numbers of the gates of each of its scenes."""
    maker, gates = kind(chance, text, compiler), []
    for scene in range(scenes):
        first, maker.left = maker.gates, chance.randint(6, 24)
        text.scene("scene_%d" % scene)
        maker.region(Place())
        maker.block(Place(), 2)
        text.end_function()
        maker.functions()
        gates.append(maker.gates_from(first))
    text.finish(len(maker.regions))
    return gates
