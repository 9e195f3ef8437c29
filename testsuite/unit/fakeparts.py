# SPDX-License-Identifier: MIT
"""Parts of openmp_inspect by themselves, over tables and made-up files: what reads
sources, programs and stacks. fakebasics.py has the first packages."""

import ctypes
import os
import struct
import types
from unittest import mock

from openmp_inspect.core import caches, elf_symbols, screen
from openmp_inspect.core.errors import OmpdError, UserError
from openmp_inspect.core.escaped import Name
from openmp_inspect.host import fake, interface, page_cache
from openmp_inspect.source import clauses, directives, extents
from openmp_inspect.bindings import abi5, callbacks, held_handles, routines, spaces
from openmp_inspect.model import icv_table
from openmp_inspect.code import body_calls, catch_kinds, code_owner, entry_points, image_symbols, \
    libc_names, outlined, signal_handlers, symbol_names
from openmp_inspect.code.places import Place
from openmp_inspect.stacks import event_words, kept_arguments, libc_locks, libc_waits, stack_variables, \
    stitched_stack, user_frames
from openmp_inspect.analysis import verdicts
from openmp_inspect.analysis.evidence_items import Evidence
import sourcecases
import sourcecases_fortran
from fakebasics import now, refused, use, Wide
from fakecode import code
from fakeprograms import GOMP, Program, scratch, written


def of_sources(tap):
    """What is asked of sources here holds whatever they say; sources.py has what they say."""
    directory = os.path.join(scratch, "sources")
    os.mkdir(directory)
    asked = 0
    for number, (_, suffix, options, table) in enumerate(
            sourcecases.CASES + sourcecases_fortran.CASES):
        rows = [row.partition("|") for row in table.strip("\n").split("\n")]
        path = written("sources/case%d%s" % (number, suffix),
                       "\n".join(source for _, _, source in rows) + "\n")
        wrong = []
        for line, (wanted, _, source) in enumerate(rows, 1):
            found = extents.around(path, line, first=1, options=options)
            if ", ".join(one.words for one in found) != wanted.strip():
                wrong.append(source)
            clauses.at(path, line)
            directives.loops(path, line)
            asked += 1
        if wrong:
            tap.case(wrong, "the source of case %d" % number)
    tap.ok(asked > 400, "%d lines of sources" % asked)
    for name, suffix, source, questions in sourcecases.BODIES + sourcecases_fortran.BODIES:
        path = written("sources/body" + suffix, source.lstrip("\n"))
        caches.forget_code()
        for line, given, wanted in questions:
            found = extents.around(path, line, **given)
            if ", ".join(one.words for one in found) != wanted:
                tap.ok(False, name)
    path = written("clauses.c", "#pragma omp parallel for num_threads(4) collapse(2) \\\n"
                                "    private(a, b) reduction(+: sum) schedule(static)\n"
                                "for (int i = 0; i < 4; i++)\n  for (int j = 0; j < 4; j++)\n"
                                "  ;\n#pragma omp task firstprivate(i)\n;\n")
    found = clauses.at(path, 1)
    tap.equal((found.threads, found.class_of("a", True), found.class_of("sum", True),
               found.class_of("i", True), found.is_task), (4, "private", "reduction",
                                                           found.class_of("i", True), False),
              "clauses in C")
    tap.equal(directives.loops(path, 1), [3, 4], "loops that are shared out")
    found = clauses.at(path, 6)
    tap.equal((found.is_task, found.class_of("i", True)), (True, "firstprivate"), "of a task")
    tap.equal((directives.is_at(path, 1), directives.is_no_code(path, 5), directives.is_section(path, 1)),
              (True, False, False), "lines")
    path = written("clauses.f90", "!$omp parallel do private(i) &\n!$omp& shared(a)\ndo i = 1, 3\n")
    found = clauses.at(path, 1)
    tap.equal((found.class_of("a", False), clauses.read(path + "x", 1)), ("shared", None),
              "clauses in Fortran")


def of_icvs(tap):
    tap.equal(icv_table.meaning("dyn-var"), "whether teams may be smaller", "what an ICV means")
    tap.equal([icv_table.is_changed(name, Name(value), processors) for name, value, processors in (
        ("dyn-var", "true", "8"), ("dyn-var", "false", "8"), ("nthreads-var", "8", "8"),
        ("nthreads-var", "4", "8"), ("nthreads-var", "4", None), ("other-var", "1", None))],
        [True, False, False, True, None, False], "which are changed")
    tap.equal(list(icv_table.changed_variables(
        [(Name(variable), Name(value)) for variable, value in (
            ("OMP_DYNAMIC", "TRUE"), ("GOMP_SPINCOUNT", "300000"), ("KMP_BLOCKTIME", "0"),
            ("OMP_CANCELLATION", "FALSE"), ("OMP_NUM_THREADS", "4"))], None)),
        [("OMP_DYNAMIC", "TRUE", True), ("KMP_BLOCKTIME", "0", True),
         ("OMP_NUM_THREADS", "4", None)], "variables of the environment")
    tap.equal(icv_table.without_aliases([("ompd-a-var", "task", "1"), ("b-var", "task", "2")]),
              [("b-var", "2")], "aliases")


CODES = {"ok": 0, "error": 1, "target_read_error": 2, "unavailable": 3, "unsupported": 4,
         "bad_input": 5}


def of_callbacks(tap):
    process = use({"memory": {0x1000: b"abc\0" + bytes(0x2000)}, "byte_order": "big", "images": [
        {"path": "/p", "start": 0, "end": 0x4000, "symbols": {"f": 0x1000}}], "threads": [
            {"num": at, "lwp": 100 + at, "pthread": 0x1000 * at, "symbols": {"own": 0x1000 * at + 8}}
            for at in (1, 2, 3)]})
    space = spaces.Space(process, "callbacks")
    address = ctypes.c_void_p
    signatures = {
        "read": (ctypes.c_void_p, ctypes.c_void_p, address, ctypes.c_int64, ctypes.c_void_p),
        "string": (ctypes.c_void_p, ctypes.c_void_p, address, ctypes.c_int64, ctypes.c_void_p),
        "symbol": (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, address, ctypes.c_char_p),
        "sizes": (ctypes.c_void_p, ctypes.c_void_p), "thread": (
            ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p),
        "convert": (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_void_p),
        "allocate": (ctypes.c_int64, ctypes.c_void_p), "print": (ctypes.c_char_p,),
        "refuse": (ctypes.c_void_p,), "interrupt": (ctypes.c_void_p,)}

    def interrupt(*_):
        raise KeyboardInterrupt

    table = callbacks.table(list(signatures), signatures, {
        "read": callbacks.read_memory, "string": callbacks.read_string, "symbol": callbacks.symbol,
        "sizes": callbacks.sizes_of(ctypes.c_int64), "thread": callbacks.thread_context(
            {"lwp": 1, "pthread": 0}), "convert": callbacks.convert,
        "allocate": callbacks.allocate, "print": callbacks.print_string,
        "refuse": callbacks.refuse, "interrupt": interrupt}, CODES)
    at, buffer = callbacks.Address(0, 0x1000), ctypes.create_string_buffer(64)
    token = space.token

    def call(name, *arguments):
        return callbacks.call(getattr(table, name), *arguments)

    tap.equal((call("read", token, None, ctypes.byref(at), 3, buffer), buffer.raw[:3]), (0, b"abc"),
              "a callback that reads")
    tap.equal((call("string", token, None, ctypes.byref(at), 8, buffer), buffer.value), (0, b"abc"),
              "a string")
    nowhere = callbacks.Address(0, 0x99000)
    tap.equal((call("read", token, None, ctypes.byref(nowhere), 3, buffer), call(
        "read", 999, None, ctypes.byref(at), 3, buffer)), (2, 5), "no memory, no process")
    out = callbacks.Address()
    tap.equal((call("symbol", token, None, b"f", ctypes.byref(out), None), out.address,
               call("symbol", token, None, b"g", ctypes.byref(out), None),
               call("symbol", token, None, b"f", ctypes.byref(out), b""), out.address),
              (0, 0x1000, 1, 0, 0x1000), "symbols")
    own = []
    for lwp in (101, 102, 103):
        call("symbol", token, lwp, b"own", ctypes.byref(out), None)
        own.append(out.address)
    tap.equal((own, call("symbol", token, 104, b"own", ctypes.byref(out), None)),
              ([0x1008, 0x2008, 0x3008], 1), "symbols of threads")
    call("sizes", token, buffer)
    tap.equal(struct.unpack("=6q", buffer.raw[:48]), (1, 2, 4, 8, 8, 8), "sizes")
    found = ctypes.c_void_p()
    number = ctypes.create_string_buffer((102).to_bytes(8, "big"), 8)
    tap.equal([call("thread", token, kind, size, number, ctypes.byref(found)) for kind, size in (
        (1, 8), (7, 8), (1, 3), (0, 8))] + [found.value], [0, 4, 5, 3, 102], "threads")
    tap.equal((call("convert", token, b"\1\2\3\4", 2, 2, buffer), buffer.raw[:4],
               call("convert", token, b"", 0, 0, buffer)), (0, b"\2\1\4\3", 5), "byte order")
    tap.equal((call("allocate", 4, ctypes.byref(found)), callbacks.take_text(None),
               call("refuse", None)), (0, "", 4), "what is left")
    ctypes.memmove(found.value, b"a/b\0", 4)
    tap.equal(callbacks.take_path(found.value), "a/b", "a path")
    before = screen.current()
    screen.use(Wide(80))
    call("print", b"said\n")
    tap.equal(screen.current().written, "said\n", "what a library prints")
    screen.use(before)
    tap.ok(refused(KeyboardInterrupt, call, "interrupt", None), "an interrupt comes out")
    many = callbacks.MOST_READS
    callbacks.MOST_READS = 2
    codes = []

    def asks():
        codes.extend(table.read(token, None, ctypes.byref(at), 3, buffer) for _ in range(3))
        return 0

    callbacks.call(asks)
    callbacks.judge(True)
    callbacks.MOST_READS = many
    tap.equal((codes, callbacks.is_exhausted(), space.damaged), ([0, 0, 1], True, True),
              "a library that reads without end")
    space.forget()
    tap.equal((space.damaged, space.stop), (False, 0), "the next stop")
    space.close()


class Dialect(routines.Routines):
    name, rank = "made up", 1

    def begins(self):
        return True

    def open(self, space, library):
        return Opened(self, space, library)


class Opened(held_handles.ProcessSession):
    release_routine = "release_space"

    def query(self):
        return held_handles.HandleQuery(self)


def of_routines(tap):
    """A library in Python, whose routines count calls."""
    calls = []

    def routine(name, code=0, out=None):
        def call(*arguments):
            calls.append(name)
            if out is not None:
                arguments[-1]._obj.value = out
            return code
        return call

    handle = types.SimpleNamespace(**{"ompd_" + name: routine(name, *how) for name, how in {
        "process_initialize": (0, 0x77), "release_space": (), "release_task": (),
        "release_thread": (), "release_parallel": (), "get_task": (0, 0x88), "get_number": (0, 42),
        "fails": (7,), "get_version_string": (0, b"made up 1.0")}.items()})
    dialect = Dialect(handle, dict.fromkeys(
        (name[5:] for name in vars(handle)), ()), {0: "ok", 7: "unavailable"})
    space = spaces.Space(use({}), "routines")
    session = dialect.open(space, None)
    kept = type("Kept", (held_handles.HandleQuery,), {"release_routine": "release_%s"})
    kept.__abstractmethods__ = frozenset()
    query = kept(session)
    tap.equal((query._new("task", "get_task", None).value, query._number("get_number", None),
               query._answers(["unavailable"], "fails"), dialect.version_string()),
              (0x88, 42, False, "made up 1.0"), "routines of a library")
    tap.like(refused(OmpdError, query._answers, ["error"], "fails"), "ompd_fails: unavailable",
             "an error of a library")
    query.release()
    session.close()
    tap.equal(calls[-2:], ["release_task", "release_space"], "handles are given back")
    space.close()


def of_names(tap):
    """Names as programmers know them."""
    demangled = {"_Z4workv": "work()", "_ZN4grid4fillIiEEvv": "void grid::fill<int>()",
                 "_ZZ4mainENKUlvE_clEv": "main::{lambda()#1}::operator()() const"}
    made = code(("_ZZ4mainENKUlvE_clEv", (3, [(4, "nop")], {"name": "operator()() const"})),
                (".omp_outlined..3", (0, [(7, "nop")])), ("main", (5, [(6, "nop"), (7, "nop")])),
                ("MAIN__", (1, [(2, "nop")], {"name": "solve"})),
                data={"cells": 64, "_ZGVcell": 8, ".gomp_critical_user_": 8,
                      ".gomp_critical_user_.reduction.var": 8}, demangled=dict(
                          demangled, _ZGVcell="guard variable for cell"),
                variables={"cells": (0x480000, "cell [2]")}, types={
                    "cell [2]": {"kind": "array", "size": 64, "target": "cell", "bounds": (0, 1)},
                    "cell": {"kind": "struct", "size": 32, "fields": [
                        ("value", 0, "int"), ("lock", 8, "omp_lock_t")]},
                    "omp_lock_t": {"kind": "struct", "size": 4}, "int": {"size": 4}})
    process = use(made.table)
    for name, wanted in (
            ("work._omp_fn.0", "work"), ("_Z4workv.constprop.0", "work"),
            ("_ZN4grid4fillIiEEvv", "grid::fill<int>"), ("main.omp_outlined_debug__.3", "main"),
            (".omp_outlined.", outlined.NAMELESS), ("__mod_MOD_step", "mod::step"),
            ("solve::solve_", "solve"), ("MAIN__._omp_fn.0", "solve"),
            ("_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}"), ("f [clone .cold]", "f"),
            ("__omp_offloading_10_2b_run_l30", "run"), ("operator()", "operator()"),
            ("a::operator() (int)", "a::operator()"), ("a::operator long int() const", "a::operator long int"),
            ("bool operator< <a>(a&, a&)", "operator< <a>"), ("_Z4workv._omp_cpyfn.1", "work")):
        tap.equal(symbol_names.programmers(now().process, name), wanted, "the name " + name)
    process = now().process
    found = process.functions_at(made.symbols["_ZZ4mainENKUlvE_clEv"])
    tap.equal(symbol_names.of_function(process, found[0]), "main::{lambda()#1}", "a lambda")
    body = made.symbols[".omp_outlined..3"]
    tap.equal(symbol_names.function_at(process, body)[0], "main", "whose a body of clang's is")
    tap.equal(symbol_names.function_at(process, 0x100), (None, None, None), "no code")
    tap.equal([symbol_names.static_object_at(process, at) for at in (
        0x480000, 0x480008, 0x480028, 0x48002c, 0x480030, made.objects["_ZGVcell"], 0x100)],
        ["cells[0].value", "cells[0].lock", "cells[1].lock", "cells[1]+12",
         "cells[1]+16", "guard variable for cell", None], "objects")
    tap.equal(symbol_names.guarded("guard variable for cell"), "cell", "a guard")
    tap.equal((symbol_names.critical(process, made.objects[".gomp_critical_user_"]), symbol_names.critical(
        process, made.objects[".gomp_critical_user_.reduction.var"]), symbol_names.critical(process, 0x100)),
        ("", "reduction clause", None), "critical sections")
    tap.equal((Place(process, "f", made.source, 6, made.symbols["main"]).fullname,
               Place(process, "f", None, 1).fullname,
               symbol_names.later_line(process, made.symbols["main"])),
              (made.table["sources"]["code.c"]["path"], None, 7), "files")
    tap.equal((outlined.is_target("__omp_offloading_10_2b_run_l30"), outlined.is_own(".global_tid."),
               outlined.is_nested("f._omp_cpyfn.1"), outlined.is_task(None)),
              (True, True, True, False), "bodies")
    tap.equal(outlined.holding(process, body), None, "no function has it")
    tap.equal(("begin" in catch_kinds.KINDS["parallel"], "GOMP_barrier" in catch_kinds.KINDS[
        "barrier"]["enter"].functions, catch_kinds.SYNONYMS["end"]), (True, True, "exit"),
        "what can be caught")
    of_events(tap, made.objects)
    tap.equal((entry_points.find("ompd_hooks_GOMP_barrier").construct, entry_points.find("f"),
               entry_points.has_own_line("__kmpc_atomic"), entry_points.makes_task("GOMP_task"),
               entry_points.directive_of_call(["f", "GOMP_task"]),
               entry_points.directive_of_call(["f"])), ("barrier", None, True, True, "task", None),
              "entry points")
    tap.equal([libc_names.plain(name) for name in ("__GI___read", "___pthread_join", "__new_sem_wait",
                                                   "read@@GLIBC_2.2")],
              ["read", "pthread_join", "sem_wait", "read"], "functions of libc")
    tap.equal([libc_names.cxx_wait("std::" + name) for name in (
        "__detail::__timed_waiter<bool>::_M_do_wait_until<f>", "counting_semaphore<4l>::acquire",
        "__atomic_semaphore::_M_try_acquire_for<long>", "__atomic_futex_unsigned<2u>::_M_load",
        "__future_base::_State_baseV2::wait_for<long>", "barrier<f>::arrive_and_wait", "thread::join")],
              ["std::" + name for name in (
                  "atomic::wait", "counting_semaphore::acquire", "counting_semaphore::try_acquire_for",
                  "future::wait", "future::wait_for", "barrier::wait")] + [None], "functions of C++")
    tap.equal((libc_names.is_timed("pthread_cond_timedwait"),
               libc_names.is_timed("std::future::wait_for"), libc_names.waits_for_child("__waitpid"),
               libc_names.cxx_wait("std::__atomic_futex_unsigned_base::_M_wait"),
               libc_names.is_own("start_thread"), libc_names.is_nap("usleep")),
              (True, True, True, "std::future::wait", True, True), "what they wait for")
    made = Program("f.f90", "program relax\nend\n", {"main": (1, [(1, "nop"), (2, "nop"), (3, "nop")])})
    start = made.address("main")
    made.table["functions"].append({"name": "relax", "file": "f.f90", "line": 1, "start": start + 1,
                                    "end": start + 2, "address": 0})
    tap.equal(symbol_names.programmers(use(made.table), "MAIN__._omp_fn.0"), "relax",
              "a program that is inlined in main()")


def of_events(tap, objects):
    """What a user types to catch an event, and reads when it is caught; OBJECTS are of_names()'s."""
    tap.equal((catch_kinds.parsed(["lock"]), catch_kinds.parsed(["lock", "end"])),
              (("lock", "enter"), ("lock", "exit")), "what is to be caught")
    tap.equal([refused(UserError, catch_kinds.parsed, words)[:20] for words in (
        [], ["luck"], ["lock", "begins"])],
              ["What to catch is mis", '"luck" cannot be cau', 'The moments of "lock'], "errors")
    stacks = stitched_stack.of(now())
    tap.equal([event_words.of_object(stacks, "lock", address) for address in (None, 0x480008, 0x104)],
              ["lock", "lock cells[0].lock", "lock 0x104"], "locks")
    tap.equal([event_words.of_object(stacks, "critical", objects[name]) for name in (
        ".gomp_critical_user_", ".gomp_critical_user_.reduction.var")],
              ["critical", 'critical "reduction clause"'], "sections")
    tap.equal([event_words.of_body(now().process, None, None, "the region")] + [
        event_words.sentence(catch_kinds.KINDS[kind][moment], "thread 2", noun, " at heat.c:28")
        for kind, moment, noun in (
            ("barrier", "all", "barrier"), ("parallel", "end", "#pragma omp parallel"),
            ("critical", "enter", "critical"))],
              ["the region", "the whole team is at the barrier at heat.c:28, thread 2 came last",
               "thread 2: #pragma omp parallel has ended", "thread 2 enters critical at heat.c:28"],
              "what is said")


def of_openings(tap):
    made = code(("main", (1, [(2, "call", "GOMP_parallel_start", "main._omp_fn.0"),
                              (2, "call", "main._omp_fn.0"), (2, "call", "GOMP_parallel_end"),
                              (3, "call", "__kmpc_serialized_parallel"),
                              (3, "call", "main.omp_outlined"),
                              (3, "call", "__kmpc_end_serialized_parallel")])),
                ("main._omp_fn.0", (2, [(2, "nop")])), ("main.omp_outlined", (3, [(3, "nop")])),
                libraries={"/lib/libomp.so": (GOMP, (
                    "GOMP_parallel_start", "GOMP_parallel_end", "__kmpc_serialized_parallel",
                    "__kmpc_end_serialized_parallel", "__kmpc_fork_call"))})
    process = use(made.table)
    tap.equal({entry.name for entry in entry_points.openings(process).values()},
              {"GOMP_parallel_start", "__kmpc_serialized_parallel", "__kmpc_fork_call"},
              "functions that are called with a body")
    tap.equal(entry_points.body_of_call(process, made.address(("main", 0))),
              made.symbols["main._omp_fn.0"], "with which")
    tap.equal((body_calls.called_behind(process, made.address(("main", 3)), "parallel"),
               body_calls.called_behind(process, made.address(("main", 5)), "parallel")),
              (made.symbols["main.omp_outlined"], None), "a body that the program calls itself")
    tap.equal((code_owner.foreign_runtime(process), code_owner.has_runtime(process), code_owner.is_llvm(process, GOMP + 8)),
              ("/lib/libomp.so", True, True), "whose runtime it is")
    process = use({"images": [{"path": "/p", "start": 0, "end": 9, "symbols": {"GOMP_parallel": 4}}]})
    tap.equal((code_owner.foreign_runtime(process), code_owner.has_runtime(process), code_owner.runtimes(process).gomp),
              (None, True, {None}), "a static program")


def of_equal_stacks(tap):
    """Stacks that are alike are asked about once."""
    def asked(threads):
        made = code(("work", (1, [(2, "call", "lock_it"), (3, "nop")])),
                    ("lock_it", (4, [(5, "nop")])))
        for number in range(1, threads + 1):
            made.thread(number, "lock_it", ("work", 0))
        process, walker = use(made.table), user_frames.Walker(now())
        with mock.patch.object(fake.Process, "functions_at", autospec=True,
                               side_effect=fake.Process.functions_at) as functions:
            names = [[frame.name for frame in walker.stack(thread)] for _, thread in process.threads()]
        return names[-1], functions.call_count

    tap.equal(asked(50), asked(2), "names of functions, once for all threads")


def of_stacks(tap):
    """Variables on stacks, arguments in registers, what threads wait for in libc."""
    made = code(("work", (1, [(2, "call", "lock_it"), (3, "nop")])), ("lock_it", (4, [(5, "nop")])),
                types={"state": {"kind": "struct", "size": 32, "fields": [
                    ("count", 0, "int"), ("lock", 16, "omp_lock_t")]}, "int": {"size": 4},
                       "omp_lock_t": {"kind": "struct", "size": 4},
                       "node *": {"kind": "pointer", "size": 8, "target": "state"}})
    at = 0x7F0000000000
    made.thread(1, "lock_it", {"at": ("work", 0), "variables": [
        ("s", at + 0x100190, "state"), ("p", None, "node *", 0x9000)]}, ("work", 0))
    made.thread(2, "lock_it")
    made.thread(3, "lock_it", registers=None)
    process = use(made.table)
    walker = user_frames.Walker(now())
    threads = [thread for _, thread in process.threads()]
    objects = stack_variables.Objects(walker, threads)
    tap.equal([objects.name_of(at + 0x100190 + offset) for offset in (0, 16, 18, 0x300, -0x1000)],
              ["s.count", "s.lock", "s.lock+2", None, None], "variables on a stack")
    tap.equal((objects.name_of(0x9010), objects.name_of(0x8000)),
              ("((state *) 0x9000)->lock", None), "what a pointer leads to")
    for machine, move, register, value in (
            (interface.X86_64, b"\x48\x89\xd3", "rbx", 0x6000),
            (interface.X86_64, b"\x48\x8b\xda", "rbx", 0x6000),
            (interface.X86_64, b"\x31\xd2\x48\x89\xd3", "rbx", None),  # which is 0 there
            (interface.X86_64, b"\xb8\x48\x89\xd3\0", "rbx", None),  # a number
            (interface.X86_64, b"\xe8\0\0\0\0\x48\x89\xd3", "rbx", None),
            (interface.AARCH64, bytes.fromhex("f40302aa"), "x20", 0x6000),  # mov x20,x2
            (interface.AARCH64, bytes.fromhex("020040f9f40302aa"), "x20", None)):  # ldr x2,[x0] before
        made = code(("work", (1, [(2, "call", "__kmpc_set_lock")])), machine=machine,
                    libraries={"/lib/libomp.so": (GOMP, ("__kmpc_set_lock", "__kmpc_fork_call",
                                                         "omp_get_wtime_"))})
        made.memory[made.symbols["__kmpc_set_lock"]][:len(move)] = move
        made.thread(1, "__kmpc_set_lock+128", {"at": "__kmpc_set_lock+96",
                                               "registers": {register: 0x6000}}, ("work", 0))
        thread = use(made.table).threads()[0][1]
        stack = user_frames.Walker(now()).stack(thread)
        tap.equal((kept_arguments.lock(stack), kept_arguments.first(stack)), (value, None),
                  "an argument in a register: %s, %s" % (machine, move.hex()))
    memory = {0x1000: struct.pack("=IIiI", 2, 1, 101, 0) + bytes(48),
              0x2000: struct.pack("=IIIIIIiI", 3, 0, 3, 1, 0, 0, 102, 0) + bytes(16),
              0x3000: struct.pack("=III", 5, 3, 4) + bytes(8),
              0x8000: struct.pack("=IIIIIIiI", 2 << 3 | 2, 0, 0, 1, 0, 0, 0, 0) + bytes(16),
              0x4000: struct.pack("=IIQ", 2, 1, 0x7000) + bytes(16),
              0xA000: struct.pack("=IIQ", 2, 0, 0x7000) + bytes(16),
              0x5000: (0x6000).to_bytes(8, "little") + bytes(8),
              0x6000: bytes(136) + (0x4000).to_bytes(8, "little")}
    process = use({"memory": memory, "images": [{"path": "/p", "start": 0x5000, "end": 0x6000,
                                                 "objects": {"stdout": 0x5000}}]})
    cache = page_cache.PageCache(process)
    tap.equal(libc_locks.mutex(cache, 0x1000, 2), (0x1000, 101, "mutex", None), "a mutex")
    tap.equal(libc_locks.mutex(cache, 0x1000, 0x80000065), (0x1000, 101, "mutex", None), "a robust one")
    tap.equal(libc_locks.rwlock(cache, 0x2008), (0x2000, 102, "read-write lock", None), "an rwlock")
    tap.equal((libc_locks.readers(cache, 0x8008, 2), libc_locks.readers(cache, 0x800C, 3),
               libc_locks.readers(cache, 0x2008, 2), libc_locks.readers(cache, 0x9000, 2)),
              (2, 2, 0, 0),
              "readers of an rwlock, and of one that is written")
    tap.equal(libc_locks.arrivals(cache, 0x3004), (2, 4), "a barrier")
    tap.equal(libc_locks.stream(cache, 0x4000, 2, {0x7000: 103}), (0x4000, 103, "stream", "stdout"),
              "a stream")
    tap.equal(libc_locks.stream(cache, 0xA000, 2, {0x7000: 103}), (0xA000, 103, "stream", None),
              "a stream that is locked once, of glibc 2.41")
    tap.equal((libc_locks.mutex(cache, 0x9000, 2), libc_locks.rwlock(cache, 0x9000),
               libc_locks.stream(cache, 0x9000, 2, {}), libc_locks.arrivals(cache, 0x9000)),
              (None,) * 4, "nothing there")
    for machine, loop in ((interface.X86_64, b"\0\0\xeb\xfe"), (interface.X86_64, b"\0\0\xf3\x90\xeb\xfc"),
                          (interface.AARCH64, b"\0\0\0\0\0\x14")):
        process = use({"machine": machine, "memory": {0x1000: loop + bytes(8)}})
        tap.ok(libc_waits.is_endless(process, 0x1002), "an endless loop of " + machine)
    tap.ok(not libc_waits.is_endless(process, 0x5000), "no code")


def of_images(tap):
    path = os.path.realpath("/proc/self/exe")
    process = use({"images": [{"path": path, "start": 0, "end": 9, "debug_file": True},
                    {"path": "/lib/libc.so.6", "start": 9, "end": 10},
                    {"path": "/gone/lib.so", "start": 10, "end": 11}], "files": {path: path}})
    found = image_symbols.of_user(process)
    tap.equal((sorted(found), found[path].has_lines, found["/gone/lib.so"]),
              (sorted(["/gone/lib.so", path]), True, None), "what files need")
    caches.forget_code()
    with mock.patch.object(elf_symbols, "largest", lambda *_: elf_symbols.Body("main._omp_fn.0", 9)):
        tap.equal(image_symbols.of_user(process)[path].body, ("main", 9), "whose largest body is")
    tap.ok(isinstance(signal_handlers.may_have(process, lambda: False), bool), "handlers by a program's needs")
    for caught, wanted in ((0, False), (1 << 1, True), (1 << 10, False)):
        process = use({"caught_signals": caught})
        tap.equal(signal_handlers.may_have(process, lambda: False), wanted, "handlers of signals %#x" % caught)
    for name, wanted in (("libgfortran.so.5", False), ("lib.so", True)):
        process = use({"caught_signals": 1 << 2, "images": [
            {"path": "/lib/libc.so.6", "start": 0, "end": 1},
            {"path": "/gone/" + name, "start": 1, "end": 2}]})
        tap.equal(signal_handlers.may_have(process, lambda: False), wanted, "of SIGQUIT, by " + name)


def of_read_write_locks(tap):
    """Who has one for writing, by either of its words; 1 is the first process of a container, and the
    flag of one that processes share."""
    for words, fields, wanted in (
            ("a writer", (3, 1, 3, 1, 0, 0, 101, 0), (0x1000, 101)),
            ("the first process", (3, 1, 3, 1, 0, 0, 1, 0), (0x1000, 1)),
            ("the first process, of a shared one", (3, 1, 3, 1, 0, 0, 1, 1), (0x1000, 1)),
            ("readers", (8, 1, 2, 3, 0, 0, 0, 0), None), ("readers share it", (8, 1, 2, 3, 0, 0, 0, 1), None)):
        process = use({"memory": {0xff0: bytes(16) + struct.pack("=8I", *fields) + bytes(32)}})
        for word in (8, 12):
            found = libc_locks.rwlock(page_cache.PageCache(process), 0x1000 + word)
            tap.equal(found and found[:2], wanted, "a read-write lock: %s, word %d" % (words, word))


def of_verdicts(tap):
    """What a library judges, by its own records."""
    found = Evidence(stitched_stack.of(now()))
    one, _ = found.node(("thread", 1), "thread", "works", "kernel")
    other, _ = found.node(("lock", 1), "thing", "lock", "runtime")
    edge = found.waits(one, other, "kernel", True)
    found.packed()
    record = types.SimpleNamespace(verdict=1, kind=abi5.VERDICT_KIND["deadlock"], links=2,
                                   certainty=abi5.CERTAINTY["certain"], cause=0, next=1, threads=1,
                                   others=0, first_link=0)
    links = [(abi5.ROLE["waits"], 3), (abi5.ROLE["at"], 1)]
    answers = types.SimpleNamespace(records=[record], links=links)
    snapshot = types.SimpleNamespace(verdicts=lambda *_: (answers.records, answers.links))
    verdict, = verdicts.of_evidence(snapshot, found)
    tap.equal((verdict.kind, verdict.certainty, verdict.waits, verdict.at, verdict.holds,
               len(verdict.next)), ("deadlock", "certain", [edge], [one], [], 1), "a verdict")
    found.waits_no_more(one)
    tap.equal((one.what, found.edges), ("works", {}), "a wait that is over")


def run(tap):
    for part in (of_sources, of_icvs, of_callbacks, of_routines, of_names, of_openings,
                 of_equal_stacks, of_stacks, of_images, of_read_write_locks, of_verdicts):
        part(tap)
