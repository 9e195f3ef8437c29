# SPDX-License-Identifier: MIT
"""What our reader of debug information answers against what gdb answers, at each instruction of
programs of several compilers, and for the variables of all frames of a program that is stopped.

Started by Python it compiles programs and starts gdb with this same file for each, which has both:
the plugin's part over gdb, and ours over libdw, loaded into gdb's Python. With a compiler, its
options, a source, arguments and a function to stop at as arguments it compares one program.
"""

import ctypes
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from tap import Tap, skip_all  # noqa: E402  pylint: disable=wrong-import-position

try:
    import gdb
except ImportError:
    gdb = None

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
STAGE = os.environ.get("stage", os.path.join(os.environ.get("top_builddir", "."), "stage"))

GDB = os.environ.get("GDB") or shutil.which("gdb")

# Compiler, options, source, what it is started with and the function at which it is stopped.
PROGRAMS = [
    ("gcc", "-O0", "why/locks.c", "order", "omp_set_lock"),
    ("gcc", "-O2", "why/locks.c", "order", "omp_set_lock"),
    ("gcc", "-O2 -gdwarf-4", "why/tasks.c", None, None),
    ("clang", "-O0", "why/locks.c", "order", "omp_set_lock"),
    ("clang", "-O2", "why/locks.c", None, None),
    ("clang", "-O1 -gdwarf-4", "why/slow.c", None, None),
    ("g++", "-O0", "gdb/names.cc", "", "omp_set_lock"),
    ("g++", "-O2", "gdb/names.cc", "", "omp_set_lock"),
    ("g++", "-O2", "gdb/scopes.cc", None, None),
    ("clang++", "-O0", "gdb/names.cc", "", "omp_set_lock"),
    ("clang++", "-O2", "gdb/scopes.cc", None, None),
    ("gcc", "-O0", "host/dwarf_types.c", "", "stop"),
    ("gcc", "-O2", "host/dwarf_types.c", "", "stop"),
    ("clang", "-O0", "host/dwarf_types.c", "", "stop"),
    ("clang", "-O2", "host/dwarf_types.c", "", "stop"),
    ("g++", "-O0", "host/dwarf_types.cc", "", "stop"),
    ("g++", "-O2", "host/dwarf_types.cc", "", "stop"),
    ("clang++", "-O0", "host/dwarf_types.cc", "", "stop"),
    ("clang++", "-O2", "host/dwarf_types.cc", "", "stop"),
    ("gfortran", "-O0", "gdb/backtrace.f90", None, None),
    ("gfortran", "-O2", "gdb/scopes.f90", None, None),
]

# Differences that stay. None is met by these programs, or it is not compared; with gdb 16, the last
# ones are met:
#
# what                                  | ours         | gdb's       | why
# bounds of an array of unknown length  | (low, low-1) | (low, 0)    | int a[] ends a structure
# what was in a register at the call    | left out     | the value   | it takes DW_TAG_call_site of
# of the function                       |              |             | the caller, and its frame
# `last` of a line before a row that    | the row      | a later one | the end of a file is lost
# gdb leaves out                        |              |             | with it
# GCC's body of a construct, in a       | known        | none        | gdb reads it with an instance
# function without an inlined instance  |              |             |
# files and variables with -flto        | the source's | <artificial>| DIEs of another unit
# all but lines with -gsplit-dwarf      | unknown      | known       | .dwo files are not read
# `last` of a line that goes on behind  | that row     | a later one | where a debugger may stop, and
# a row at which no statement begins    |              |             | not what the code is of
# `address` of what is inlined          | the lowest   | entry_pc    | it lies within others' code
# end of what is inlined, with gdb 17   | the code's   | a row later | its last row is none of a statement


# Outside of gdb


def main():
    if not GDB:
        skip_all("gdb is not installed")
    try:
        ctypes.CDLL("libdw.so.1")
    except OSError:
        skip_all("libdw.so.1 is not installed")
    programs = [sys.argv[1:]] if len(sys.argv) == 6 else PROGRAMS
    t = Tap()
    with tempfile.TemporaryDirectory(prefix="ompd-dwarf-") as scratch, \
            ThreadPoolExecutor(os.cpu_count()) as pool:
        for program, found in zip(programs, pool.map(
                lambda one: compared(scratch, *one), programs)):
            name = " ".join(program[:3])
            if isinstance(found, str):
                t.skip(name, found)
                continue
            for question, (count, differences) in found.items():
                t.case(differences[:20], "%s: %d %s" % (name, count, question))
    t.end()


def compared(scratch, compiler, options, source, arguments, stop):
    """{question: (number of answers, differences)}, or why there is none."""
    if not shutil.which(compiler):
        return "no " + compiler
    own = tempfile.mkdtemp(dir=scratch)
    path = os.path.join(own, "program")
    made = subprocess.run(
        [compiler, "-g", "-w", "-fopenmp", *shlex.split(options),
         "-I" + os.path.join(TOP, "testsuite/why"), os.path.join(TOP, "testsuite", source),
         "-o", path], cwd=own, capture_output=True, text=True, check=False)
    if made.returncode:
        return "cannot be compiled: " + made.stderr.splitlines()[0]
    results = os.path.join(own, "results")
    environment = dict(os.environ, DWARF_STOP=stop or "", DWARF_ARGUMENTS=arguments or "",
                       DWARF_RESULTS=results)
    ran = subprocess.run([GDB, "-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex",
                          "set auto-load off", "-x", os.path.abspath(__file__), path],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                         env=environment, cwd=own, errors="replace")
    if not os.path.exists(results):
        return {"answers": (0, [ran.stdout + ran.stderr])}
    with open(results, encoding="utf-8") as file:
        return json.load(file)


# Inside of gdb


class Module:
    def __init__(self, path, handle, start, end):
        self.path, self.handle, self.start, self.end = path, handle, start, end
        self.is_program = True


class Modules:
    """The program alone, at its place in memory or at that of its file."""

    def __init__(self, path, base):
        from ompd_command.host import elfutils
        pointer, address = elfutils.Pointer, elfutils.Address
        begin = elfutils.function("dwfl_begin", pointer, pointer)
        report = elfutils.function("dwfl_report_elf", pointer, pointer, ctypes.c_char_p,
                                   ctypes.c_char_p, ctypes.c_int, address, ctypes.c_bool)
        report_end = elfutils.function("dwfl_report_end", ctypes.c_int, pointer, pointer, pointer)
        info = elfutils.function("dwfl_module_info", ctypes.c_char_p, pointer, pointer, pointer,
                                 pointer, pointer, pointer, pointer, pointer)
        library = ctypes.CDLL("libdw.so.1")
        self.callbacks = (pointer * 4)(
            ctypes.cast(library.dwfl_build_id_find_elf, pointer),
            ctypes.cast(library.dwfl_standard_find_debuginfo, pointer), None, None)
        dwfl = begin(ctypes.byref(self.callbacks))
        handle = report(dwfl, os.fsencode(path), os.fsencode(path), -1, base, True)
        report_end(dwfl, None, None)
        start, end = address(), address()
        info(handle, None, ctypes.byref(start), ctypes.byref(end), None, None, None, None)
        self.one = Module(path, handle, start.value, end.value)

    def at(self, address):
        return self.one if self.one.start <= address < self.one.end else None

    def with_name(self, _name):
        return [self.one]


class PhysicalFrame:
    """Over a gdb.Frame, of x86-64."""

    NAMES = ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
             *("r%d" % number for number in range(8, 16))]

    def __init__(self, frame, instruction):
        self._frame = frame
        self.instruction = instruction

    def dwarf_register(self, number):
        from openmp_inspect.core.errors import HostError
        if not 0 <= number < 16:
            raise HostError("no register")
        value = self._frame.read_register(self.NAMES[number])
        if value.is_optimized_out:
            raise HostError("not saved")
        return int(value) & (1 << 64) - 1

    def cfa(self):
        self._frame.select()
        return int(re.search("frame at (0x[0-9a-f]+)",
                             gdb.execute("info frame", to_string=True)).group(1), 16)


def first_difference(found, wanted):
    """In the innermost list that has one."""
    if isinstance(found, (list, tuple)) and isinstance(wanted, (list, tuple)) and \
            len(found) == len(wanted):
        for one, other in zip(found, wanted):
            if one != other:
                return first_difference(one, other)
    if isinstance(found, list) and isinstance(wanted, list):
        return "%r, gdb has besides %r" % ([one for one in found if one not in wanted],
                                           [one for one in wanted if one not in found])
    return "%r, gdb %r" % (found, wanted)


class Comparison:
    def __init__(self):
        self.results = {}

    def add(self, question, where, found, wanted):
        count, differences = self.results.get(question, (0, []))
        if found != wanted:
            differences.append("%s: %s" % (where, first_difference(found, wanted)))
        self.results[question] = (count + 1, differences)


def is_newer(version=16):
    """Whether gdb has the differences of a version."""
    return int(re.match(r"\d+", gdb.VERSION).group()) >= version


def line_facts(line):
    file = line.file
    return (file and (file.name, file.path), line.line, None if is_newer() else line.last)


def function_facts(functions):
    """Those of functions of which each is inlined in the next one."""
    if is_newer(17):
        functions = functions[-1:]
    return [(one.name, one.linkage_name, one.line, one.start, one.end, one.file and one.file.name,
             None if is_newer() and one is not functions[-1] else one.address)
            for one in functions]


def type_facts(kind, depth=0):
    found = [kind.name, kind.kind, kind.size]
    if depth < 4:
        if kind.kind == "struct":
            found.append([(field.name, field.offset, type_facts(field.type, depth + 1))
                          for field in kind.fields()])
        elif kind.kind == "array":
            found += [kind.size and kind.bounds(), type_facts(kind.target(), depth + 1)]
        elif kind.kind in ("pointer", "reference"):
            found.append(type_facts(kind.target(), depth + 1))
    return found


def variable_facts(one):
    return one and (one.name, one.address, one.leads_to, type_facts(one.type))


def instructions(path):
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "-j", ".text", path],
                             capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        address = line.strip().split(":")[0]
        if line.startswith(" ") and address:
            yield int(address, 16)


def static_names(path):
    symbols = subprocess.run(["nm", "-C", path], capture_output=True, text=True, check=True).stdout
    for line in symbols.splitlines():
        words = line.split(None, 2)
        if len(words) == 3 and words[1] in "bBdDrR":
            yield words[2]


def compare_code(comparison, ours, gdbs, path):
    files = {}
    for pc in instructions(path):
        line = ours.line_at(pc)
        wanted = gdbs.line_of(gdb.find_pc_line(pc))
        comparison.add("lines", hex(pc), line_facts(line), line_facts(wanted))
        functions = ours.functions_at(pc)
        wanted_functions = gdbs.functions_at(pc)
        comparison.add("functions", hex(pc), function_facts(functions),
                       function_facts(wanted_functions))
        if line.file is not None and wanted.file is not None:
            comparison.add("lines of an address", hex(pc),
                           set(wanted.file.lines_at(pc)) - set(line.file.lines_at(pc)), set())
            files.setdefault(line.file.name, (line.file, wanted.file, set()))[2].add(line.line)
            if functions and functions[0].start == pc:
                comparison.add(
                    "lines of functions", hex(pc),
                    set(line.file.lines_between(functions[0].start, functions[0].end)),
                    set(wanted.file.lines_between(functions[0].start, functions[0].end)))
    for name, (file, wanted, lines) in files.items():
        comparison.add("producers", name, file.producer(), wanted.producer())
        comparison.add("images", name, file.image, wanted.image)
        for line in sorted(lines)[:50]:
            comparison.add("addresses of lines", "%s:%d" % (name, line),
                           sorted(set(file.addresses_of(line))),
                           sorted(set(wanted.addresses_of(line))))


def compare_frames(comparison, ours, gdbs):
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        frame, level, newer, instruction = gdb.newest_frame(), 0, None, 0
        while frame is not None and level < 64:
            if newer is None or newer.type() != gdb.INLINE_FRAME:
                inner = 0
                instruction = frame.pc() - (newer is not None)
            else:
                inner += 1
            where = "thread %d frame %d %s" % (thread.num, level, frame.name())
            if frame.function() is not None:
                levels = ours.levels_at(instruction)
                if inner >= len(levels):
                    if ours.functions_at(instruction) or levels:
                        comparison.add("levels", where, len(levels), inner)
                else:
                    comparison.add("levels", where,
                                   (levels[inner].function.name, line_facts(levels[inner].line)),
                                   (frame.function().name, line_facts(gdbs.line_of(
                                       frame.find_sal()))))
                    physical = PhysicalFrame(frame, instruction)
                    comparison.add("variables of frames", where, *(
                        sorted((variable_facts(one) for one in some
                                if one.address is not None or one.leads_to is not None), key=repr)
                        for some in (ours.variables_of(physical, inner),
                                     gdbs.variables_of(frame))))
                    for name, size in {(one.name, one.type.size)
                                       for one in gdbs.variables_of(frame)}:
                        comparison.add("words of frames", "%s %s" % (where, name), *(
                            word and word & (1 << 8 * size) - 1 for word in (
                                ours.word_of(physical, inner, name),
                                gdbs.word(frame, name, instruction, None))))
            newer, frame, level = frame, frame.older(), level + 1


def inside():
    sys.path[:0] = [os.path.join(STAGE, "share/ompd/python"), os.path.join(STAGE, "share/ompd/gdb"),
                    os.path.join(TOP, "ompd")]
    from gdb_openmp.host import debug_information as gdbs
    from ompd_command.host.debug_information import DebugInformation
    path = gdb.current_progspace().filename
    comparison = Comparison()
    read = lambda address, size: bytes(  # noqa: E731
        gdb.selected_inferior().read_memory(address, size))
    ours = DebugInformation(Modules(path, 0), read)
    compare_code(comparison, ours, gdbs, path)
    for name in static_names(path):
        comparison.add("static variables", name, variable_facts(ours.variable(name)),
                       variable_facts(gdbs.variable(name)))
    if os.environ["DWARF_STOP"]:
        gdb.execute("set breakpoint pending on")
        gdb.execute("break " + os.environ["DWARF_STOP"])
        gdb.execute("set startup-with-shell off")
        gdb.execute("run " + os.environ["DWARF_ARGUMENTS"], to_string=True)
        with open("/proc/%d/maps" % gdb.selected_inferior().pid, encoding="utf-8") as maps:
            base = next(int(line.split("-")[0], 16) for line in maps if line.endswith(path + "\n"))
        compare_frames(comparison, DebugInformation(Modules(path, base), read), gdbs)
        gdb.execute("kill")
    with open(os.environ["DWARF_RESULTS"], "w", encoding="utf-8") as file:
        json.dump(comparison.results, file)


if gdb is None:
    main()
else:
    inside()
