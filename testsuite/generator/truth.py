# SPDX-License-Identifier: MIT
"""What a generated program says of itself (truth.h), read out of its memory."""

import itertools
import os
import struct
import subprocess
from typing import Dict, List, NamedTuple, Optional

from languages import KINDS

_ROWS, _WORDS, _TEAMS, _LINES, _RANGES = 512, 40, 4096, 2048, 64
_ROW = 3 + 6 * _WORDS


class Word(NamedTuple):
    kind: str
    line: int
    object: int
    team: int
    number: int
    held: bool


class Team(NamedTuple):
    id: int
    parent: int
    parent_number: int
    size: int
    line: int
    ended: bool
    primary: int


class Thread(NamedTuple):
    tid: int
    is_settled: bool
    words: List[Word]

    @property
    def is_of_device(self) -> bool:
        """Whether it is in a kernel and no team."""
        return self.words[:1] != [] and self.words[0].kind == "KERNEL" and not self.last.team

    @property
    def last(self) -> Word:
        return self.words[-1] if self.words else Word("NONE", 0, 0, 0, 0, False)


class Truth(NamedTuple):
    threads: Dict[int, Thread]
    teams: Dict[int, Team]
    tasks: Dict[int, tuple]  # (created, begun, ended) by line

    def path(self, team: int, number: int) -> Optional[list]:
        """[[number, size], ...] from the outermost region to a member of a TEAM."""
        found: list = []
        while team:
            if team not in self.teams:
                return None
            found.insert(0, [number, self.teams[team].size])
            team, number = self.teams[team].parent, self.teams[team].parent_number
        return found

    def story(self, thread: Thread) -> List[Word]:
        """Its words, below those of who has begun the region that it is a worker of, up to there."""
        words = thread.words
        team = self.teams.get(words[0].team) if words else None
        primary = self.threads.get(team.primary) if team else None
        if primary is None or primary is thread:
            return words
        above = self.story(primary)
        before = list(itertools.takewhile(lambda one: (one.kind, one.object) != ("PARALLEL", team.id), above))
        return (before if len(before) < len(above) else []) + words  # not of a team that has ended

    def is_live(self, team: int) -> bool:
        return team in self.teams and not self.teams[team].ended

    def members(self, team: int) -> Dict[int, Thread]:
        """By number, those that have begun."""
        return {word.number: thread for thread in self.threads.values() for word in thread.words
                if word.team == team and word.kind in ("REGION", "REGION_END")}

    def arrived(self, team: int, kind: str, line: int) -> int:
        """How many members are at a barrier: in it, or in a task that they execute there."""
        count = 0
        for thread in self.threads.values():
            for word, above in zip(thread.words, [*thread.words[1:], None]):
                if (word.kind, word.team) == (kind, team) and (
                        kind == "REGION_END" or word.line == line):
                    count += above is None or above.kind == "TASK"
        return count

    def holder(self, word: Word) -> Optional[int]:
        """Who holds what a thread waits for whose last word is WORD. Of the turn of an iteration it is
        not known while nobody is inside."""
        found = [thread.tid for thread in self.threads.values() for one in thread.words
                 if one.held and (one.kind, one.object) == (word.kind, word.object) and
                 (one.kind != "ORDERED" or one.team == word.team)]
        return found[0] if found else None


def address(program: str, pid: int, name: str = "truth") -> int:
    """Where the PROGRAM, or a module, has its truth in a process, or another variable."""
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    offset = next(int(line.split()[0], 16) for line in symbols.splitlines()
                  if line.endswith(" " + name))
    with open("/proc/%d/maps" % pid, encoding="utf-8") as maps:
        return offset + min(int(line.split("-")[0], 16) for line in maps
                            if line.rstrip().endswith("/" + os.path.basename(program)))


def read(program: str, pid: int) -> Truth:
    longs = _ROWS * _ROW + _TEAMS * 7 + _LINES * 3
    with open("/proc/%d/mem" % pid, "rb", buffering=0) as memory:
        memory.seek(address(program, pid))
        data = struct.unpack("<%dq" % longs, memory.read(longs * 8))
    threads = {}
    for at in range(0, _ROWS * _ROW, _ROW):
        tid, changes, depth = data[at:at + 3]
        words = [data[at + 3 + 6 * word:at + 9 + 6 * word] for word in range(min(depth, _WORDS))]
        if tid:
            threads[tid] = Thread(tid, changes % 2 == 0, [
                Word(KINDS[one[0]], *one[1:5], bool(one[5])) for one in words])
    at = _ROWS * _ROW
    teams = [Team(*data[one:one + 5], bool(data[one + 5]), data[one + 6])
             for one in range(at, at + _TEAMS * 7, 7)]
    at += _TEAMS * 7
    tasks = {line: data[at + 3 * line:at + 3 * line + 3] for line in range(_LINES)}
    return Truth(threads, {team.id: team for team in teams if team.id},
                 {line: counts for line, counts in tasks.items() if counts[0] or counts[1]})


class Range(NamedTuple):
    """Of a program of targets.py."""

    host: int
    bytes: int
    device: int
    count: int
    is_forever: bool
    copy: int
    maybe: int
    entered: int


def ranges(program: str, pid: int) -> List[Range]:
    size = struct.calcsize("<8q")
    with open("/proc/%d/mem" % pid, "rb", buffering=0) as memory:
        memory.seek(address(program, pid, "ranges"))
        data = struct.iter_unpack("<8q", memory.read(_RANGES * size))
    return [Range(*one[:4], bool(one[4]), *one[5:]) for one in data]
