# SPDX-License-Identifier: MIT
"""Programs that map to devices, and compute on them."""

import os
import subprocess

import program

DEVICES = 3
OF_CLANG = "-fopenmp-targets=x86_64-pc-linux-gnu"  # a device of LLVM's that needs no hardware
_RANGES, _LONGEST, _OF_TASKS = 64, 256, 12  # as targets.h has the first two; the last ranges are of tasks


class Maker(program.Maker):
    def __init__(self, chance, text, compiler):
        super().__init__(chance, text, compiler)
        self.held += [self.target, self.target, self.data, self.enter, self.enter, self.exit, self.associate]
        self.alone += [self.task_on_device] * 4
        self.in_kernels, self.tasks = [], _RANGES - _OF_TASKS
        self.sizes = [chance.choice((_LONGEST, chance.randint(1, _LONGEST))) for _ in range(_RANGES)]
        text.put("struct range ranges[RANGES] = {%s};" % ", ".join(
            "{(long)pool + %d, %d, %d}" % (at * _LONGEST, size, at % DEVICES)
            for at, size in enumerate(self.sizes)))

    def block(self, place, most=3):
        if self.chance.random() < 0.4:
            self.target(place)
        super().block(place, most)

    def gates_from(self, first):
        return [at for at in self.in_kernels if at >= first] or super().gates_from(first)

    def any(self):
        return self.chance.randrange(_RANGES - _OF_TASKS)

    def begin(self, at, lines=2):
        """What maps LINES further on."""
        self.text.call("say", "MAP", self.text.next_line + lines, at % DEVICES)
        self.text.call("begin_map", at)

    def end(self, at, count):
        self.text.call("end_enter" if count is None else "end_map", at, *[count] * (count is not None))
        self.text.call("done")

    def clauses(self, at, kinds=("to", "from", "tofrom", "alloc")):
        return " map(%s : pool[%d : %d]) device(%d)" % (
            self.chance.choice(kinds), at * _LONGEST, self.sizes[at], at % DEVICES)

    def kernel(self, line, at, place, is_task):
        """The body of a target region."""
        text = self.text
        text.call("in_task" if is_task else "in_kernel", at, "(long)&pool[%d]" % (at * _LONGEST))
        text.call("say", "KERNEL", line, at % DEVICES)
        self.in_kernels.append(self.gates)
        if is_task:
            text.call("begin_task", 0, line)
            self.gate(place)
            text.call("end_task", line)
        elif self.chance.random() < 0.2:
            text.fork(text.next_line + 1)
            text.directive("parallel num_threads(2) private(own)")
            text.call("enter", "team")
            self.gate(place)
            text.call("leave")
            text.end()
            text.call("join_team", "team")
        else:
            self.gate(place)
        text.call("done")
        text.call("leave_task" if is_task else "begin_map", at)

    def parallel(self, size, place):
        super().parallel(max(size, 2) if self.compiler == "clang" else size, place)

    def target(self, place):
        text, at = self.text, self.any()
        line = text.next_line + 2
        text.call("say", "TARGET", line, at % DEVICES)
        text.call("begin_map", at)
        text.directive("target" + self.clauses(at))
        self.kernel(line, at, place, False)
        text.end()
        text.call("end_map", at, -1)
        text.call("done")

    def task_on_device(self, place):
        if self.tasks == _RANGES:
            return self.target(place)
        text, at = self.text, self.tasks
        self.tasks += 1
        line = text.next_line + 3
        text.call("say", "TARGET", line, at % DEVICES)  # for which it waits where tasks are not deferred
        text.call("will_map", at)
        text.call("created", line, 1)
        text.directive("target nowait" + self.clauses(at) + self.chance.choice(
            ("", "", " depend(in : x)", " depend(out : x)", " depend(inout : y)")))
        self.kernel(line, at, place, True)
        text.end()
        text.call("done")

    def data(self, place):
        text, at = self.text, self.any()
        self.begin(at)
        text.directive("target data" + self.clauses(at))
        self.end(at, 1)
        self.block(place)
        self.begin(at)
        text.end()
        self.end(at, -1)

    def enter(self, _place):
        at = self.any()
        self.begin(at)
        self.text.standalone("target enter data" + self.clauses(at, ("to", "alloc")))
        self.end(at, None)

    def exit(self, _place):
        text, at = self.text, self.any()
        text.call("say", "MAP", text.next_line + 2, at % DEVICES)
        text.open("if (begin_exit(%d)) {" % at)
        text.standalone("target exit data" + self.clauses(at, ("from", "release")))
        text.call("end_map", at, -1)
        text.end()
        text.call("done")

    def associate(self, _place):
        at = self.any()
        self.text.call("say", "MAP", self.text.next_line + 1, at % DEVICES)
        self.text.call("associate", at)
        self.text.call("done")


def has_host_plugin():
    """Whether clang's programs have devices."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "targets.c")
    return not subprocess.run(["clang", "-fopenmp", OF_CLANG, "-shared", "-fPIC", source, "-o", os.devnull],
                              stderr=subprocess.DEVNULL, check=False).returncode


def make(chance, text, compiler, scenes):
    text.put('#include "targets.h"')
    return program.make(chance, text, compiler, scenes + 3, Maker)
