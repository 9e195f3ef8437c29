# SPDX-License-Identifier: MIT
#
# The installed libompd.so on a live program with hooks: what live_tasks.c is doing, as the
# 5.x interface and the extension tell it. Python stands in for the debugger: memory comes
# from /proc/PID/mem, symbols from the hooks' symbol table.
import ctypes as C
import os
import re
import subprocess
import sys
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from tap import Tap  # noqa: E402

stage = os.environ["stage"]
program = os.path.join(os.environ["top_builddir"], "testsuite/unit/live-tasks")
lib = C.CDLL(os.path.join(stage, "lib/libompd.so"))
libc = C.CDLL(None)
libc.malloc.restype = C.c_void_p
libc.malloc.argtypes = [C.c_size_t]
libc.free.argtypes = [C.c_void_p]

env = dict(os.environ, OMP_DEBUG="enabled", OMP_NUM_THREADS="5,3", OMP_PROC_BIND="false",
           OMP_AFFINITY_FORMAT="here %L",
           LD_PRELOAD=os.path.join(stage, "lib/libompd-hooks.so"))
debuggee = subprocess.Popen([program], env=env, stdout=subprocess.PIPE, text=True)
debuggee.stdout.readline()

tap = Tap()


def check(name, good, detail=""):
    tap.ok(good, name, detail)


def base_of(name):
    with open("/proc/%d/maps" % debuggee.pid) as maps:
        for line in maps:
            if name in line:
                return int(line.split("-")[0], 16)
    return 0


symbols = {}
hooks = os.path.join(stage, "lib/libompd-hooks.so")
base = base_of("libompd-hooks.so")
for line in subprocess.check_output(["nm", "-D", hooks], text=True).splitlines():
    found = re.match(r"([0-9a-f]+) [A-Z] (ompd_hooks_\w+)", line)
    if found:
        symbols[found.group(2)] = base + int(found.group(1), 16)
memory = open("/proc/%d/mem" % debuggee.pid, "rb", 0)


class Address(C.Structure):
    _fields_ = [("segment", C.c_uint64), ("address", C.c_uint64)]


P = C.POINTER
ALLOC = C.CFUNCTYPE(C.c_int, C.c_uint64, P(C.c_void_p))
FREE = C.CFUNCTYPE(C.c_int, C.c_void_p)
SIZES = C.CFUNCTYPE(C.c_int, C.c_void_p, P(C.c_uint8))
SYMBOL = C.CFUNCTYPE(C.c_int, C.c_void_p, C.c_void_p, C.c_char_p, P(Address), C.c_char_p)
READ = C.CFUNCTYPE(C.c_int, C.c_void_p, C.c_void_p, P(Address), C.c_uint64, C.c_void_p)
HOST = C.CFUNCTYPE(C.c_int, C.c_void_p, C.c_void_p, C.c_uint64, C.c_uint64, C.c_void_p)


@ALLOC
def alloc(size, out):
    out[0] = libc.malloc(size)
    return 0


@FREE
def free(pointer):
    libc.free(pointer)
    return 0


@SIZES
def sizes(context, out):
    out[0], out[1], out[2], out[3], out[4], out[5] = 1, 2, 4, 8, 8, 8
    return 0


@SYMBOL
def symbol(context, thread, name, out, file):
    if name.decode() not in symbols:
        return 4
    out[0].segment, out[0].address = 0, symbols[name.decode()]
    return 0


@READ
def read(context, thread, address, size, out):
    try:
        memory.seek(address[0].address)
        data = memory.read(size)
    except (OSError, ValueError, OverflowError):
        return 8
    if len(data) != size:
        return 8
    C.memmove(out, data, size)
    return 0


@HOST
def to_host(context, data, unit, count, out):
    C.memmove(out, data, unit * count)
    return 0


table = (C.c_void_p * 11)()
for place, callback in ((0, alloc), (1, free), (3, sizes), (4, symbol), (5, read), (8, to_host)):
    table[place] = C.cast(callback, C.c_void_p)


class Object(C.Structure):
    _fields_ = [("address", C.c_uint64), ("id", C.c_uint64)]


class Thread(C.Structure):
    _fields_ = ([("known", C.c_uint64), ("thread", Object), ("lwp", C.c_uint64),
                 ("pthread", C.c_uint64)] +
                [(n, C.c_uint32) for n in ("state", "thread_num", "team_size", "level")] +
                [(n, C.c_uint64) for n in ("wait_id", "codeptr", "frame")] +
                [("region", Object), ("task", Object)])


class Task(C.Structure):
    _fields_ = ([("known", C.c_uint64), ("task", Object)] +
                [(n, C.c_uint32) for n in ("kind", "state", "flags", "level")] +
                [(n, C.c_uint64) for n in ("function", "codeptr", "serial", "event",
                                           "dependences")] +
                [(n, Object) for n in ("parent", "region", "thread", "scheduling")])


class Dependence(C.Structure):
    _fields_ = [("known", C.c_uint64), ("predecessor", Object), ("successor", Object),
                ("address", C.c_uint64), ("predecessor_kind", C.c_uint32),
                ("successor_kind", C.c_uint32)]


class Lock(C.Structure):
    _fields_ = ([("known", C.c_uint64), ("lock", Object), ("address", C.c_uint64)] +
                [(n, C.c_uint32) for n in ("kind", "hint", "count", "waiters")] +
                [("first_waiter", C.c_uint64), ("codeptr", C.c_uint64), ("owner", Object),
                 ("owner_task", Object)])


def all_of(routine, kind):
    vector, count = P(kind)(), C.c_uint64()
    rc = getattr(lib, routine)(space, C.c_uint64(C.sizeof(kind)), C.byref(vector),
                               C.byref(count))
    if rc:
        check(routine, False, rc)
    return [vector[i] for i in range(count.value)]


space = C.c_void_p()
check("ompd_initialize", lib.ompd_initialize(C.c_int64(201811), table) == 0)
check("ompd_process_initialize",
      lib.ompd_process_initialize(C.c_void_p(1), C.byref(space)) == 0)

# From the line that it printed to the critical section.
for _ in range(500):
    threads = sorted(all_of("ompd_ext_get_threads", Thread), key=lambda t: t.thread_num)
    if threads and threads[0].state == 0x42:
        break
    time.sleep(0.02)
check("two threads", [t.thread_num for t in threads] == [0, 1] and
      all(t.team_size == 2 for t in threads), [t.thread_num for t in threads])
lwps = set(os.listdir("/proc/%d/task" % debuggee.pid))
check("kernel ids", {str(t.lwp) for t in threads} == lwps, lwps)
check("one waits for a critical section", threads[0].state == 0x42 and threads[0].wait_id)

tasks = [t for t in all_of("ompd_ext_get_tasks", Task) if t.kind == 3]
tasks.sort(key=lambda t: t.serial)
check("running, three waiting, ready", [t.state for t in tasks] == [4, 3, 3, 3, 2],
      [t.state for t in tasks])
check("tasks have functions and places", all(t.function and t.codeptr for t in tasks))
check("the running one knows its thread", tasks[0].thread.id == threads[1].thread.id)

ids = [t.task.id for t in tasks]
edges = sorted((ids.index(d.predecessor.id), ids.index(d.successor.id))
               for d in all_of("ompd_ext_get_dependences", Dependence))
check("dependences", edges == [(0, 1), (0, 2), (1, 3), (2, 3)], edges)

vector, count = P(Lock)(), C.c_uint64()
waiters, waiting = P(Object)(), C.c_uint64()
rc = lib.ompd_ext_get_locks(space, C.c_uint64(C.sizeof(Lock)), C.byref(vector),
                            C.byref(count), C.byref(waiters), C.byref(waiting))
held = [vector[i] for i in range(count.value) if vector[i].count]
check("ompd_ext_get_locks", rc == 0 and len(held) == 1, (rc, len(held)))
if held:
    check("owner and waiter", held[0].owner.id == threads[1].thread.id and
          held[0].address == threads[0].wait_id and held[0].waiters == 1 and
          waiters[held[0].first_waiter].id == threads[0].thread.id)

icvs = {}
identity, name, scope, more = C.c_uint64(0), C.c_char_p(), C.c_int(), C.c_int(1)
while more.value:
    if lib.ompd_enumerate_icvs(space, identity, C.byref(identity), C.byref(name),
                               C.byref(scope), C.byref(more)) != 0:
        break
    icvs[name.value.decode()] = (identity.value, scope.value)
handles = {2: space, 3: C.c_void_p(), 4: C.c_void_p(), 6: C.c_void_p()}
lib.ompd_ext_get_thread_handle(space, C.byref(threads[0].thread), C.byref(handles[3]))
lib.ompd_get_curr_parallel_handle(handles[3], C.byref(handles[4]))
lib.ompd_get_curr_task_handle(handles[3], C.byref(handles[6]))


def words(icv):
    identity, scope = icvs[icv]
    text = C.c_char_p()
    rc = lib.ompd_get_icv_string_from_scope(handles[scope], scope, C.c_uint64(identity),
                                            C.byref(text))
    return text.value.decode() if rc == 0 else rc


for icv, expected in (("run-sched-var", "guided,7"), ("levels-var", "1"),
                      ("team-size-var", "2"), ("thread-num-var", "0"),
                      ("implicit-task-var", "true"), ("affinity-format-var", "here %L"),
                      ("debug-var", "enabled"), ("nthreads-var", "3"),
                      ("num-procs-var", str(len(os.sched_getaffinity(0)))),
                      ("bind-var", "false"), ("dyn-var", "false")):
    check(icv, words(icv) == expected, words(icv))
unknown = {icv: words(icv) for icv in icvs if isinstance(words(icv), int)}
print("# not held here: %s" % unknown)
variables = P(C.c_char_p)()
rc = lib.ompd_get_display_control_vars(space, C.byref(variables))
settings = []
while rc == 0 and variables[len(settings)]:
    settings.append(variables[len(settings)].decode())
check("display control variables", "OMP_NUM_THREADS=5,3" in settings, settings)
print("# %s" % " ".join(settings))

# What the runtime itself shows is what it claims.
shown = subprocess.Popen([program], env=dict(env, OMP_DISPLAY_ENV="true"), text=True,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
claimed = None
for line in shown.stderr:
    claimed = claimed or re.search(r"_OPENMP = '(\d+)'", line)
    if "ENVIRONMENT END" in line:
        break
shown.kill()
shown.wait()
version, text = C.c_int64(), C.c_char_p()
rc = lib.ompd_get_omp_version(space, C.byref(version))
check("version of OpenMP", rc == 0 and claimed and version.value == int(claimed.group(1)),
      (rc, version.value, claimed))
rc = lib.ompd_get_omp_version_string(space, C.byref(text))
check("its name", rc == 0 and text.value.startswith(b"OpenMP "), (rc, text.value))
tap.note(text.value)

debuggee.kill()
debuggee.wait()
tap.end()
