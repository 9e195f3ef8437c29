# SPDX-License-Identifier: MIT
"""How C, C++ and Fortran write what a generated program is made of."""

import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "truth.h"), encoding="utf-8") as _stream:
    _HEADER = _stream.read()
KINDS = re.findall(r"^    (\w+),", _HEADER.partition("enum kind {")[2].partition("};")[0], re.M)
LOCKS = 2  # of each kind


class C:
    """Collects lines; a directive opens a block that end() closes."""

    suffix, compilers = ".c", {"gcc": "gcc", "clang": "clang"}
    false, prototype = " if(0)", "static void region_%d(void); "

    def __init__(self):
        self.lines = []
        self._indent = 0
        self.begin()

    def begin(self):
        self.put('#include <omp.h>', '#include "truth.h"', "static omp_lock_t lock[%d];" % LOCKS,
                 "static omp_nest_lock_t nest_lock[%d];" % LOCKS,
                 "static long x, y, sum1, sum2, sum3, total1, total2, total3;", "")
        self._declarations = len(self.lines) - 1
        self.prepare()

    def prepare(self):
        self.scene("prepare")
        for name in ("lock", "nest_lock"):
            for at in range(LOCKS):
                self.call("omp_init_" + name, self.lock(name, at)[0])
        self.end_function()

    def put(self, *lines):
        self.lines += ["    " * self._indent + line if not line.startswith("#") else line
                       for line in lines]

    @property
    def next_line(self):
        return len(self.lines) + 1

    def call(self, name, *arguments):
        self.put("%s(%s);" % (name, ", ".join(map(str, arguments))))

    def set(self, name, value):
        self.put("%s = %s;" % (name, value))

    def fork(self, line):
        self.put("long team = fork_team(%s), own = 0;" % line)

    def at_begin(self, clauses):
        """Those that Fortran has at the end."""
        return clauses

    def standalone(self, words):
        self.put("#pragma omp " + words)

    def directive(self, words):
        self.standalone(words)
        self.open("{")

    def open(self, words):
        self.put(words)
        self._indent += 1

    def end(self, _words=""):
        self._indent -= 1
        self.put("}")

    def loop(self, variable, count, words=None):
        if words:
            self.standalone(words)
        self.open("for (long {0} = 0; {0} < {1}; {0}++) {{".format(variable, count))

    def end_loop(self, _words=None):
        self.end()

    def section(self):
        self.directive("section")

    def end_section(self):
        self.end()

    def lock(self, name, at):
        return "&%s[%d]" % (name, at), "(long)&%s[%d]" % (name, at)

    def function(self, name):
        self.open("static void %s(void)" % name + " {")

    def scene(self, name):
        self.open("void %s(void) {" % name)

    def end_function(self):
        self.end()

    def finish(self, regions):
        self.lines[self._declarations] = "".join(self.prototype % at for at in range(regions))


class Cxx(C):
    suffix, compilers = ".cc", {"gcc": "g++", "clang": "clang++"}
    prototype = "template <typename> static void region_%d_of(); "

    def function(self, name):
        self.open("template <typename> static void %s_of() {" % name)

    def scene(self, name):
        self.open('extern "C" void %s(void) {' % name)

    def call(self, name, *arguments):
        super().call(name + "_of<int>" if name.startswith("region_") else name, *arguments)


class Fortran(C):
    suffix, compilers = ".f90", {"gcc": "gfortran"}
    false = " if(.false.)"

    def begin(self):
        self.put("module scenes", "use, intrinsic :: iso_c_binding", "use omp_lib", "implicit none",
                 *["integer(c_long), parameter :: k_%s = %d" % (kind, at)
                   for at, kind in enumerate(KINDS)],
                 "integer(omp_lock_kind), target :: lock(0:%d)" % (LOCKS - 1),
                 "integer(omp_nest_lock_kind), target :: nest_lock(0:%d)" % (LOCKS - 1),
                 "integer(c_long) :: x, y, sum1, sum2, sum3, total1, total2, total3", "interface")
        for result, name, words in re.findall(r"^(long|void) (\w+)\(([^)]*)\);", _HEADER, re.M):
            names = ", ".join(re.findall(r"long (\w+)", words))
            what = "function" if result == "long" else "subroutine"
            self.put("%s %s(%s) bind(c)" % (what, name, names), "import c_long")
            if names:
                self.put("integer(c_long), value :: " + names)
            if result == "long":
                self.put("integer(c_long) :: " + name)
            self.put("end %s" % what)
        self.put("end interface", "contains")
        self.prepare()

    def call(self, name, *arguments):
        self.put("call %s(%s)" % (name, ", ".join(
            "%d_c_long" % one if isinstance(one, int) else "k_" + one if one in KINDS else one
            for one in arguments)))

    def set(self, name, value):
        self.put("%s = %s" % (name, value))

    def fork(self, line):
        self.put("team = fork_team(%d_c_long)" % line)

    def standalone(self, words):
        self.put("!$omp " + words.replace("for", "do"))

    def directive(self, words):
        self.standalone(words)
        self._indent += 1

    def end(self, words=""):
        self._indent -= 1
        self.put("!$omp end " + words.replace("for", "do"))

    def loop(self, variable, count, words=None):
        if words:
            self.standalone(words)
        self.open("do %s = 0, %s - 1" % (variable, count))

    def end_loop(self, words=None):
        self._indent -= 1
        self.put("end do")
        if words:
            self.put("!$omp end " + words.replace("for", "do"))

    def section(self):
        self.standalone("section")

    def end_section(self):
        pass

    def lock(self, name, at):
        return "%s(%d)" % (name, at), "loc(%s(%d))" % (name, at)

    def function(self, name):
        self.open("subroutine %s()" % name)
        self.put("integer(c_long) :: team, i, j, k, l, m, own")

    def scene(self, name):
        self.open("subroutine %s() bind(c)" % name)
        self.put("integer(c_long) :: team, i, j, k, l, m, own")

    def end_function(self):
        self._indent -= 1
        self.put("end subroutine")

    def at_begin(self, _clauses):
        return ""

    def finish(self, _regions):
        self.put("end module")
