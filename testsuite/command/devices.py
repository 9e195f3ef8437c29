#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ompd devices` and `ompd mappings` of programs that map at random and say what is mapped, on devices
that need no hardware: a plugin of ours for libgomp, and LLVM's for the host. Live, as a core, as a
snapshot, and in gdb; SEEDS programs of each compiler. CLANG_LIBRARIES has another libomptarget, for which the
program is linked with CLANG_FLAGS; CLANG_KERNELS=none: it executes none of this clang's."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time

from ompd_runs import STAGE, SUITE, Running, compiled, gdb_core, need_libdw, ompd, says
from tap import Tap

SEEDS = int(os.environ.get("SEEDS", "2"))
PLUGIN = "libgomp-plugin-nvptx.so.1"
IN_GDB = [os.environ.get("GDB", ""), "-batch", "-nx", "-ex",
          "source " + os.path.join(STAGE, "share/ompd/gdb/ompd-gdb.py")]
BY_CLANG = ["clang", "-g", "-O1", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu",
            *os.environ.get("CLANG_FLAGS", "").split(), os.path.join(SUITE, "command/devices.c"), "-o"]
# What the program does, and what a command says of it. Nothing about a device is certain.
INSIDE = r"main → <inside #pragma omp target \(device 1\)>"
BODY = r"#pragma omp target devices\.c:\d+ → main → usleep"
TASK = r"running on device 1 +- .* main \(\) at devices\.c:\d+"
NEXT = r"(waiting|created) +- +\d+ +main \(\) at devices\.c:\d+"  # never ready
WAITS = r"\d+ (\(\d/2\) +)?~?waits at taskwait"
OF_PLUGIN = (("kernel", "stacks", INSIDE), ("kernel", "stacks", "─ 1 +" + BODY),
             ("task", "tasks", TASK), ("task", "tasks", NEXT), ("task", "why", "waiting: .*" + WAITS))
BESIDE = r"waits for device 1 .*\n +%s s of CPU in 1\.\d s of threads that are not OpenMP's, and the\s+same"
WATCHED = tuple((mode, ("why", "-watch", "1"), BESIDE % used)
                for mode, used in (("kernel", r"0\.0"), ("spin", r"(0\.[1-9]|1\.\d)")))
OF_STACKS = (("kernel", "threads", "~wait target .* device 1 .* devices"),
             ("kernel", "why", r"waiting: 1 thread .*1 is waiting for device 1\.\n.*~waits for device 1 "))
# What is recorded is no inference. Beside an asynchronous construct it is not known who has mapped a range.
OF_RECORDS = (("task", "mappings", r"\A(?!.*Mapped at).* pool\["),
              ("kernel", "threads", " wait target .* device 1, for .* devices"),
              ("kernel", "history", r"is in target \(device 1\) .* so far +main \(\) at devices"),
              ("kernel", "why", r" waits for device 1 for \d.* devices"))
OF_COPY = (("copy", "threads", r" wait target .* device 1, for .* copy \(\) at devices"),
           ("copy", "history", r"is in target enter data \(device 1\) .* so far +copy \(\) at devices"),
           ("copy", "why", r" waits for device 1 for \d.* devices"))
OF_NEVER = (("task", "tasks", TASK), ("task", "why", "waiting: 2 threads wait\\..*" + WAITS))
OF_HOST = (("kernel", "stacks", "main → " + BODY), ("kernel", "bt", "── #pragma omp target ── devices"))
OF_CLANG = (("kernel", "stacks", "main → " + BODY.replace("target", r"target \(device 1\)")),
            ("kernel", "bt", r"── #pragma omp target \(device 1\) ── devices"))
OF_CLANG_RECORDS = (("task", "mappings", r" pool\[.* maps \(\) at devices"),
                    ("kernel", "history", r"is in target \(device 1\) .* so far +main \(\) at devices"),
                    ("task", "history", r"is in target \(device 1\) .* so far +main \(\) at devices"))
OFTEN = "~fixed[0] is mapped to device %d 150 times"
# In some the registers do not have the device.
OF_CLANG_OF_OTHERS = tuple((*row, pattern.replace(r" \(device 1\)", r"( \(device 1\))?"))
                           for *row, pattern in OF_CLANG)
TAP = Tap()


def said_by(process):
    """(number of devices, {(device, address): (bytes, times or None, address of the copy)}, {the same:
    (the function that has mapped it, whether nobody has released it since)})."""
    rows, mapped, devices = {}, {}, 0
    for words in map(str.split, process.lines()):
        if words[0] == "end":
            break
        if words[0] == "devices":
            devices = int(words[1])
        else:
            times = None if words[3] == "ever" else int(words[3])
            rows[int(words[0]), words[1]] = int(words[2]), times, words[4]
            mapped[int(words[0]), words[1]] = words[5], bool(int(words[6]))
    return devices, rows, mapped


def listed(rows):
    """The same of what is said of it."""
    return {(row["device"], row["host"]): (row["bytes"], row["references"], row["address"])
            for row in rows or () if row["forever"] == (row["references"] is None)}


def places(name, mapped, said_rows, known):
    """Who has mapped what. KNOWN: "all", "held", what nobody may have released, or "none"."""
    TAP.equal({(row["device"], row["host"]): row["mapped_at"] and row["mapped_at"]["function"]
               for row in said_rows or ()},
              {key: by if known == "all" or known == "held" and is_held else None
               for key, (by, is_held) in mapped.items()}, name + ": who has mapped it")


def compare(name, devices, rows, said_devices, said_rows):
    found = listed(said_rows)
    TAP.ok(found == rows and len(said_rows) == len(rows), "%s: %d rows" % (name, len(rows)),
           *[(key, rows.get(key), found.get(key)) for key in set(rows) | set(found)
             if rows.get(key) != found.get(key)][:10])
    TAP.equal([(one["device"], one["ranges"], one["bytes"]) for one in said_devices or ()],
              [(number, sum(key[0] == number for key in rows),
                sum(row[0] for key, row in rows.items() if key[0] == number))
               for number in range(devices)], name + ": what is mapped to each device")


def in_gdb(pid):
    said = subprocess.run(
        [*IN_GDB, "-p", str(pid), "-ex", "ompd devices -json", "-ex", "ompd mappings -json"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True).stdout
    return [json.loads(found) for found in re.findall(r"^\[\{.*?\}\]$", said, re.M | re.S)] or [None, None]


def printed(name, pid):
    """Of a variable of which a device has a copy a debugger says so."""
    row = next(row for row in ompd("mappings", "-json", pid).json if row["variable"])
    said = subprocess.run([*IN_GDB, "-p", str(pid), "-ex", "ompd print -all " + row["variable"]],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True).stdout
    TAP.like(said, r"(?m)^Devices? .* a copy of %s\. Which of" % re.escape(row["variable"]),
             name + ": a variable that is mapped")


def at_random(kind, program, directory, settings, recorded):
    """Every second one records; which places of mappings is RECORDED, as KNOWN of places(). Without gdb no
    core is made."""
    has_gdb = bool(IN_GDB[0])
    core, snapshot = (os.path.join(directory, word) for word in ("core", "snapshot"))
    for seed in range(1, SEEDS + 1):
        before = () if seed % 2 else (os.path.join(STAGE, "bin/ompd-run"),)
        with Running(program, str(seed), hangs=False, before=before, **settings) as process:
            devices, rows, mapped = said_by(process)
            name = "%s, seed %d%s" % (kind, seed, ", recorded" if before else "")
            TAP.ok(devices and len(rows) > 50, name + ": it maps", devices, rows)
            if has_gdb:
                gdb_core(process.pid, core)
            ompd("snapshot", "-o", snapshot, process.pid)
            for what, target in (("live", process.pid), ("core", core), ("snapshot", snapshot)):
                if what == "core" and not has_gdb:
                    continue
                said = ompd("mappings", "-json", target).json
                compare("%s, %s" % (name, what), devices, rows, ompd("devices", "-json", target).json, said)
                places("%s, %s" % (name, what), mapped, said, recorded if before else "none")
            if seed == 1 and has_gdb:
                compare(name + ", gdb", devices, rows, *in_gdb(process.pid))
                printed(name, process.pid)
                options(name, process, rows)


def options(name, process, rows):
    (device, host), (size, _, _) = next(iter(rows.items()))
    last = hex(int(host, 16) + size - 1)
    for words, wanted in (
            (("-of", last), {key: row for key, row in rows.items() if key == (device, host)}),
            (("-of", "pool"), rows), (("-of", "poo"), {}),
            (("-device", device), {key: row for key, row in rows.items() if key[0] == device})):
        TAP.equal(listed(ompd("mappings", "-json", *words, process.pid).json), wanted,
                  "%s: %s %s" % (name, *words))
    says(TAP, ompd("mappings", "-device", 99, process.pid), 78,
         'ompd: There is no device 99: "ompd devices" lists them.', name + ": no such device")


def breakpoints(program, settings):
    """Those of OMPD at the first and the last use of each of the four devices."""
    said = subprocess.run(
        [*IN_GDB[:3], *(word for line in (
            "set env LD_PRELOAD " + os.path.join(STAGE, "lib/libompd-hooks.so"), "set env OMP_OMPD on",
            *("set env %s %s" % item for item in settings.items()), "set breakpoint pending on",
            "break ompd_bp_device_begin", "break ompd_bp_device_end", "ignore 1 99", "ignore 2 99",
            "run < /dev/null", "info breakpoints") for word in ("-ex", line)), program],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True).stdout
    TAP.ok(said.count("already hit 4 times") == 2, "clang: the breakpoints of devices", said)


def without(name, program, settings, sentence, mode="none"):
    """Why there is no device, or that it is not known yet."""
    with Running(program, mode, hangs=False, **settings) as process:
        said_by(process)
        said = ompd("devices", process.pid)
        TAP.ok(sentence in " ".join((said.out + said.err).split()) and not said.fault(),
               name + ": " + sentence, said.out, said.err)


def doctor(kind, program, mode, settings, sentence=None):
    """What it finds that is about devices: nothing, without a SENTENCE."""
    with Running(program, mode, hangs=False, **settings) as process:
        said_by(process)
        found = [one["sentence"] for one in ompd("doctor", "-json", process.pid).json["checks"]
                 if one["id"] in ("devices", "mapped-again") and one["outcome"] == "found"]
        TAP.equal(found, [sentence] * bool(sentence), "doctor, %s, %s %s" % (kind, mode, settings))


def aborted(program, core, settings):
    """What libomptarget has said, by a core."""
    subprocess.run([os.environ["GDB"], "-batch", "-nx", "-ex", "run kernel", "-ex", "generate-core-file " + core,
                    program], env=dict(os.environ, **settings), check=False, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    TAP.like(ompd("why", core).out, r"(?m)^crash: .*\n.*\n +omptarget +fatal error 1: failure of target construct",
             "why, clang, it ends for want of a device")


def looks(kind, program, rows, settings, recorded=False):
    before = (os.path.join(STAGE, "bin/ompd-run"), "--history") if recorded else ()
    for mode, command, pattern in rows:
        with Running(program, mode, hangs=False, before=before, **settings) as process:
            said_by(process)
            ends = time.monotonic() + 20
            while time.monotonic() < ends:
                said = ompd(*([command] if isinstance(command, str) else command), process.pid).out
                if re.search(pattern, said, re.S):
                    break
            TAP.like(said, "(?s)" + pattern, "%s, %s: %s%s" % (
                kind, mode, command, ", recorded" if recorded else ""))


def early(directory):
    """A program whose runtime looks for a tool before the hooks are initialised is recorded."""
    source, library = os.path.join(SUITE, "command/early.c"), os.path.join(directory, "libearly.so")
    program = os.path.join(directory, "early")
    for words in (("-DLIBRARY", "-shared", "-fPIC", source, "-o", library),
                  (source, library, "-Wl,-rpath," + directory, "-o", program)):
        subprocess.run(["clang", "-g", "-fopenmp", *words], check=True)
    looks("clang, early", program, (("none", "history", "begins region 1 .* main \\(\\) at early"),), {}, True)


def main():
    need_libdw()
    with tempfile.TemporaryDirectory() as directory:
        plugin = compiled(directory, "command/device-plugin.c", PLUGIN, "-shared -fPIC")
        gcc = compiled(directory, "command/devices.c", "of-gcc", "-O1 -fopenmp")
        second = {"OMP_DEFAULT_DEVICE": "1"}
        ours = {"LD_LIBRARY_PATH": directory, "DEVICES": "2", **second}
        TAP.ok(plugin and gcc, "the plugin and a program of gcc compile")
        at_random("gcc", gcc, directory, ours, "held")
        without("gcc", gcc, ours, "The program has not asked its OpenMP runtime for devices yet.")
        without("gcc", gcc, {}, "libgomp has loaded no plugin for one.", "1")
        without("gcc", gcc, dict(ours, DEVICES="0"), "libgomp has loaded %s, which has found no device." %
                PLUGIN, "1")
        for mode, settings, sentence in (
                ("1", ours, None), ("none", ours, None), ("again", ours, OFTEN % 1),
                ("1", dict(ours, OMP_DEFAULT_DEVICE="2"), None),
                ("1", dict(ours, OMP_DEFAULT_DEVICE="7"), "the default device is 7, and there are 2 devices"),
                ("1", {}, "of-gcc has target regions, and there is no device: the host executes them"),
                ("1", {"OMP_TARGET_OFFLOAD": "disabled"}, None), ("1", {"OMP_TARGET_OFFLOAD": "mandatory"},
                 "of-gcc has target regions, and there is no device, which OMP_TARGET_OFFLOAD demands")):
            doctor("gcc", gcc, mode, settings, sentence)
        for recorded in (False, True):
            looks("gcc", gcc, OF_PLUGIN + WATCHED + (OF_RECORDS + OF_COPY if recorded else OF_STACKS), ours,
                  recorded)
            looks("gcc, no end", gcc, OF_NEVER, dict(ours, NEVER="1"), recorded)
            looks("gcc on the host", gcc, OF_HOST, {}, recorded)
        clang = os.path.join(directory, "of-clang")
        if not shutil.which("clang") or subprocess.run([*BY_CLANG, clang], check=False).returncode:
            TAP.skip("clang", "it has no plugin for the host here")
        else:
            early(directory)
            own = os.environ.get("CLANG_LIBRARIES")
            theirs = {"LD_LIBRARY_PATH": own} if own else {}
            version = int(re.sub(r".*llvm-(\d+)/.*|.*", r"\1", own or "llvm-14/") or 19)
            reports = version >= 19  # target constructs, and their places: before, in libomptarget itself
            at_random("clang", clang, directory, theirs, "all" if reports else "none")
            theirs.update(second)
            if reports:
                breakpoints(clang, theirs)
            if os.environ.get("CLANG_KERNELS") != "none":
                looks("clang", clang, (OF_CLANG_OF_OTHERS if own else OF_CLANG) +
                      (OF_CLANG_RECORDS + OF_COPY if reports else ()), theirs, reports)
            else:
                TAP.skip("clang, kernel", "this libomptarget does not execute the kernels of this clang")
            for mode, sentence in (("1", None), ("again", OFTEN % 0)):
                doctor("clang", clang, mode, {"LD_LIBRARY_PATH": own} if own else {}, sentence)
            aborted(clang, os.path.join(directory, "core"), dict(theirs, OMP_DEFAULT_DEVICE="7"))
            looks("clang on the host", clang, OF_HOST, {"OMP_TARGET_OFFLOAD": "disabled"})
            without("clang", clang, {"OMP_TARGET_OFFLOAD": "disabled"}, "OMP_TARGET_OFFLOAD is DISABLED.")
    TAP.end()


if __name__ == "__main__":
    main()
