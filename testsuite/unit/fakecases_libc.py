# SPDX-License-Identifier: MIT
"""Programs that have stopped in what OpenMP does not know, as those of fakecases.py."""

import struct

from openmp_inspect.bindings import query
from openmp_inspect.host import interface
import fakepython
from fakeprograms import BY_NAME, GOMP, HOOKS, LIBC, MPI, OUTER, POOL, STDCXX, Program


def libc():
    """What OpenMP does not know: waits in libc, MPI and the C++ library, a loop without end, a jump
    into a lock, an owner that has ended, memory of other processes, threads that run."""
    names = ("pthread_mutex_lock", "sem_wait", "fputs", "pthread_rwlock_wrlock", "read", "syscall",
             "pthread_barrier_wait", "waitpid", "start_thread", "clone3", "flock", "pthread_join",
             "sem_timedwait", "__new_sem_wait_slow64")
    calls = dict(a="pthread_mutex_lock", b="sem_wait", c="fputs", d="pthread_rwlock_wrlock",
                 e="MPI_Recv", f="_ZNSt6thread4joinEv", h="read", i="pthread_barrier_wait",
                 j="pthread_mutex_lock", k="waitpid", m="flock")
    made = Program("calls.c", "\n" * 40, {
        **{name: (number, [(number, "call", target)])
           for number, (name, target) in enumerate(calls.items(), 1)},
        "spin": (20, [(21, "raw", b"\xeb\xfe")]),
        "std::mutex::lock": (22, [(23, "call", "pthread_mutex_lock")]),
        "g": (24, [(25, "call", "std::mutex::lock")]), "lock": (26, [(27, "jmp", "omp_set_lock")]),
        "l": (28, [(29, "call", "lock")])},
        {"mutex": 40, "semaphore": 32, "rwlock": 56, "stream": 16, "file": 160, "stdout": 8,
         "barrier": 32, "dead": 40, "key": 8, "joined": 4, "others": 8, "permits": 32}, {
             "/lib/libgomp.so.1": (GOMP, ("GOMP_parallel", "omp_set_lock", "omp_get_wtime_")),
             "/lib/libc.so.6": (LIBC, names), "/lib/libmpi.so.40": (MPI, ("MPI_Recv",)),
             "/opt/libpool.so": (POOL, ("take",)),
             "/lib/libstdc++.so.6": (STDCXX, ("_ZNSt6thread4joinEv",)),
             "/lib/libompd-hooks.so": (HOOKS, ("ompd_hooks_root",))},
        demangled={"_ZNSt6thread4joinEv": "std::thread::join()"}, caught_signals=2)
    data = {"mutex": struct.pack("=IIi", 2, 0, 102), "dead": struct.pack("=IIi", 2, 0, 999),
            "rwlock": struct.pack("=IIIIIIi", 3, 0, 3, 1, 0, 0, 101),
            "barrier": struct.pack("=III", 2, 0, 3)}
    for name, content in data.items():
        made.memory[made.objects[name]][:len(content)] = content
    at = {name: made.objects[name] for name in made.objects}

    def sleep(where, value, **how):
        return interface.Sleep(where, value, **dict(dict(private=True, timed=False), **how))

    made.thread(1, "pthread_mutex_lock+128", ("a", 0), *OUTER, sleep=sleep(at["mutex"], 2))
    made.thread(2, "sem_wait+128", ("b", 0), *OUTER, sleep=sleep(at["semaphore"], 0))
    made.thread(3, "fputs+128", ("c", 0), *OUTER, sleep=sleep(at["stream"], 2))
    made.memory[at["stream"]][:16] = struct.pack("=IIQ", 2, 1, made.table["threads"][1]["pthread"])
    made.memory[at["file"]][136:144] = at["stream"].to_bytes(8, "little")
    made.memory[at["stdout"]][:8] = at["file"].to_bytes(8, "little")
    made.thread(4, "pthread_rwlock_wrlock+128", ("d", 0), *OUTER, sleep=sleep(at["rwlock"] + 8, 3))
    made.thread(5, "MPI_Recv+128", ("e", 0), *OUTER)
    made.thread(6, "syscall+128", "_ZNSt6thread4joinEv+48", ("f", 0), *OUTER)
    # What that library has called has jumped to a function of libc without a name.
    join, to = made.symbols["_ZNSt6thread4joinEv"], made.symbols["pthread_join"]
    made.memory[join][BY_NAME - 4:BY_NAME] = struct.pack("=i", to - join - BY_NAME)
    # What several functions of libc are made of, which a library of the user's has called.
    take, to = made.symbols["take"], made.symbols["sem_timedwait"]
    made.memory[take][BY_NAME - 4:BY_NAME] = struct.pack("=i", to - take - BY_NAME)
    made.thread(19, "__new_sem_wait_slow64+128", take + BY_NAME, *OUTER,
                sleep=sleep(at["permits"], 0))
    made.thread(17, LIBC + 0x10, join + BY_NAME, ("f", 0), *OUTER, sleep=made.sleep("joined", 101))
    made.thread(7, "pthread_mutex_lock+128", ("std::mutex::lock", 0), ("g", 0), *OUTER,
                sleep=sleep(at["mutex"], 2))
    made.thread(8, "read+128", ("h", 0), *OUTER, sleep=sleep(0, 0))
    made.thread(16, "flock+128", ("m", 0), *OUTER, sleep=sleep(0, 0, timed=True, private=False, lock=(
        interface.WantedLock(5, (b"FLOCK",)))))
    made.thread(9, "pthread_barrier_wait+128", ("i", 0), *OUTER, sleep=sleep(at["barrier"] + 4, 0))
    made.thread(10, "pthread_mutex_lock+128", ("j", 0), *OUTER, sleep=sleep(at["dead"], 2))
    made.thread(11, "waitpid+128", ("k", 0), *OUTER, registers=None)
    made.thread(12, "spin", *OUTER)
    made.thread(13, "omp_set_lock+128", ("l", 0), *OUTER, sleep=made.sleep("key", 0xFFFFFFFF))
    made.table["forked"] = False
    made.table["shared"] = [(at["others"], at["others"] + 8)]
    made.thread(18, "omp_set_lock+128", ("l", 0), *OUTER, sleep=made.sleep("others", 0xFFFFFFFF))
    made.thread(14, {"at": "spin", "kind": interface.INLINED}, {"at": "spin"}, {
        "at": "clone3", "kind": interface.SIGNAL}, "b", *OUTER)
    made.thread(15)
    known = {"threads": {"t12": {"lwp": 112, "state": ("work_serial",), "number": 0, "task": "i"}},
             "regions": {}, "tasks": {"i": {"kind": "initial", "level": 0}},
             "control_vars": [], "runtimes": [
                 query.RuntimeFacts(0, "libgomp", "off", 1, 13, 13, "/lib/libgomp.so.1")]}
    return made, known


def python():
    """A thread has Python's GIL and waits for a mutex; who has that calls back into Python."""
    interpreter = fakepython.Interpreter(11)
    made = Program("calls.c", "\n" * 40, {
        "a": (1, [(1, "call", "pthread_mutex_lock")]), "b": (2, [(2, "icall")])}, {"cache": 40}, {
            "/lib/libgomp.so.1": (GOMP, ("GOMP_parallel",)),
            "/lib/libc.so.6": (LIBC, ("pthread_mutex_lock", "pthread_cond_timedwait"))})
    made.memory.update(interpreter.memory)
    made.memory[made.objects["cache"]][:12] = struct.pack("=IIi", 2, 0, 102)
    images = interpreter.table["images"]
    images[0]["path"] = "/usr/lib/libpython3.11.so.1.0"
    made.table["images"] += images
    made.thread(1, "pthread_mutex_lock+128", ("a", 0), {"at": fakepython.CODE + 0x200},
                sleep=interface.Sleep(made.objects["cache"], 2, True, False))
    made.thread(2, "pthread_cond_timedwait+128", {"at": fakepython.CODE + 0x80},
                {"at": fakepython.CODE + 0x180}, ("b", 0),
                sleep=interface.Sleep(interpreter.gil + 72, 0, True, True))
    known = {"threads": {"t1": {"lwp": 101, "state": ("work_serial",), "number": 0, "task": "i"}},
             "regions": {}, "tasks": {"i": {"kind": "initial", "level": 0}},
             "control_vars": [], "runtimes": [
                 query.RuntimeFacts(0, "libgomp", "off", 1, 13, 13, "/lib/libgomp.so.1")]}
    return made, known
