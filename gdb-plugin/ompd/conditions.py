# SPDX-License-Identifier: MIT
"""Which lines of a source the preprocessor kept, as far as the source alone tells.

A line that was compiled decides the conditions around it. Of the others those are known that
ask for _OPENMP or a plain number; from one that is not known its first branch is read, and
what depends on it is no certain answer (Group.certain).
"""

import re

_MOST_NESTED = 64
_DEFINED = re.compile(r"(!?)\s*defined\s*(?:\(\s*_OPENMP\s*\)|\s_OPENMP)\s*\Z")
_FALSE, _TRUE = 0, 1  # else None: it is not known


class Odd(Exception):
    """The source is not what a compiler would take, or more than can be told."""


class Group:
    """From #if to #endif. `branches`: [line of its directive, line where the next one is,
    whether its condition holds]; `taken`: which of them is read, or None."""

    def __init__(self, line, parent):
        self.line = line
        self.end = None
        self.parent = parent
        self.branches = []
        self.taken = None
        self.certain = True

    def decide(self, line):
        """Choose the branch for a look at LINE."""
        holds = [held for _, _, held in self.branches]
        around = [at for at, (first, end, _) in enumerate(self.branches) if first < line < end]
        open_ = [at for at, held in enumerate(holds) if held is not _FALSE]
        if around:
            self.taken, self.certain = around[0], True
        else:
            self.taken = open_[0] if open_ else None
            self.certain = not open_ or holds[open_[0]] is _TRUE

    def left_out(self):
        """(first, last) of each run of lines that is not read."""
        for at, (first, end, _) in enumerate(self.branches):
            if at != self.taken:
                yield first + 1, end - 1


def groups(directives):
    """Groups from (line, keyword, argument) of a file's conditionals, in order."""
    found, open_ = [], []
    for line, keyword, argument in directives:
        if keyword in ("if", "ifdef", "ifndef"):
            if len(open_) >= _MOST_NESTED:
                raise Odd
            group = Group(line, open_[-1] if open_ else None)
            group.branches.append([line, None, _holds(keyword, argument)])
            found.append(group)
            open_.append(group)
            continue
        if not open_:
            raise Odd
        open_[-1].branches[-1][1] = line
        if keyword == "endif":
            open_.pop().end = line
        else:
            branches = open_[-1].branches
            held = _TRUE if keyword == "else" else _holds(keyword[2:], argument)
            before = [other for _, _, other in branches]
            if _TRUE in before:
                held = _FALSE
            elif held is _TRUE and None in before:
                held = None
            branches.append([line, None, held])
    if open_:
        raise Odd
    return found


def _holds(keyword, argument):
    argument = argument.strip()
    if keyword in ("ifdef", "ifndef"):
        return None if argument != "_OPENMP" else int(keyword == "ifdef")
    if re.match(r"\d+[uUlL]*\Z", argument):
        return int(int(argument.rstrip("uUlL")) != 0)
    if argument == "_OPENMP":
        return _TRUE
    found = _DEFINED.match(argument)
    return None if found is None else int(not found.group(1))


def choice(found, line):
    """What of a LINE decides how the rest is read: equal for lines that are read alike."""
    return tuple((at, number) for at, group in enumerate(found)
                 for number, (first, end, _) in enumerate(group.branches) if first < line < end)


def decide(found, line):
    """Choose the branches for a look at LINE. The lines that are not read, as (first, last),
    and the Groups that stay uncertain and are read."""
    ranges, uncertain, read = [], [], {}
    for group in found:
        group.decide(line)
        above = group.parent
        read[group] = above is None or read[above] and _reads(above, group.line)
        ranges += group.left_out()
        if read[group] and not group.certain:
            uncertain.append(group)
    return ranges, uncertain


def _reads(group, line):
    if group.taken is None:
        return False
    first, end, _ = group.branches[group.taken]
    return first < line < end
