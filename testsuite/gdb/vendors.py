# SPDX-License-Identifier: MIT
"""In gdbs of vendors with a focus of their own, as cuda-gdb and rocgdb, every command that only looks
leaves that as it was. A stand-in has their documented commands, prompt and version: selecting a thread of
the host takes the focus off a kernel, and lanes are those of the selected thread. Neither gdb was at
hand."""

import harness

t = harness.begin(__file__, program="waits.c", timeout=200)
import ctypes  # noqa: E402
import gc  # noqa: E402
import os  # noqa: E402
import re  # noqa: E402
import subprocess  # noqa: E402

import gdb  # noqa: E402
import everything  # noqa: E402

KERNEL = "device 0, sm 3, warp 2, lane 1"
NO_KERNEL = "Focus not set on any active CUDA kernel."
focus = {"kernel": None, "lane": 0}


class Cuda(gdb.Command):
    """Print or select the CUDA focus."""

    def __init__(self, name):
        super().__init__(name, gdb.COMMAND_DATA, gdb.COMPLETE_NONE, name == "cuda")

    def invoke(self, argument, _from_tty):
        if argument == "device sm warp lane":
            if focus["kernel"] is None:
                raise gdb.GdbError(NO_KERNEL)
            print(focus["kernel"])
        elif re.fullmatch(r"device \d+ sm \d+ warp \d+ lane \d+", argument):
            focus["kernel"] = re.sub(r"(\d+) (?=[a-z])", r"\1, ", argument)
            print("[Switching focus to CUDA kernel 0, grid 1]")
        else:
            raise gdb.GdbError("Unrecognized argument(s).")


class Lane(gdb.Command):
    """Select a lane of the selected thread."""

    def invoke(self, argument, _from_tty):
        focus["lane"] = int(argument)


def switch(thread, _select=gdb.InferiorThread.switch):
    _select(thread)
    focus["kernel"] = None


def selected():
    thread, frame = gdb.selected_thread(), gdb.selected_frame()
    return thread.num, harness.level(frame), dict(focus)


Cuda("cuda")
Lane("lane", gdb.COMMAND_DATA)
gc.get_referents(gdb.InferiorThread.__dict__)[0]["switch"] = switch  # a type of C has no other way
ctypes.pythonapi.PyType_Modified(ctypes.py_object(gdb.InferiorThread))
gdb.execute("set prompt (cuda-gdb) ")

for version in ("12.4 (based on gdb 13.2)", "14.1", "16.3 rocm-rel-6.4"):
    said = subprocess.run([os.environ.get("GDB", "gdb"), "-batch", "-nx", "-ex", "python gdb.VERSION = %r" % version,
                           "-ex", "source " + t.plugin, "-ex", "help ompd why"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, text=True).stdout
    t.like(said, "^Say why", "it loads into " + version)

t.stop_at("all_wait")
for kernel in (KERNEL, None):
    lost = []
    for command in everything.looks() + ["bt", "info threads"]:
        focus.update(kernel=kernel, lane=3)
        before = selected()
        t.error(command)
        if selected() != before:
            lost.append((command, before, selected()))
    t.equal(lost, [], "all that only looks leaves the focus on %s" % (kernel or "the host"))
focus["kernel"] = KERNEL
t.run("ompd thread 1")
t.equal(focus["kernel"], None, "a thread that a person selects is the focus")
t.done()
