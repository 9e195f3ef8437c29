#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Address spaces of devices, which need no hardware here, against what code on the device has found:
libgomp with a plugin of ours, and LLVM's plugin for the host; recorded or not, live and as a core."""

import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hosttest import Tap, host_json, looks, scratch

CC = os.environ.get("CC", "gcc").split()
SUITE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What may be set for one device, which a runtime alone knows to have been.
OF_ONE_DEVICE = ("nteams-var", "teams-thread-limit-var")


def faults(truth, said, devices, is_eager):
    """What of the answers contradicts the program."""
    wrong, process = [], said["icvs"]["process"]["0"]
    for number, device in enumerate(said["devices"]):
        is_used = number == 0 and not truth["on_host"]
        is_there = devices == "unavailable" or number < devices
        if (device["host"], device["cuda"]) != (
                "ok" if is_used or is_eager and is_there else "unavailable" if is_there else "bad_input",
                "bad_input" if devices != "unavailable" else devices):
            wrong.append("device %d is %s" % (number, device))
        if not is_used:
            continue
        for name, value in device["icvs"].items():
            want = {"device-num-var": number, "num-devices-var": devices,
                    **dict.fromkeys(OF_ONE_DEVICE, "unsupported")}.get(name, process[name]["number"])
            if value != want or value != "unsupported" and name == "num-procs-var" and value != truth["procs"]:
                wrong.append("%s of device %d is %s" % (name, number, value))
        if device["version"] != said["extension"]["omp_version"]:
            wrong.append("the version of OpenMP is %d" % device["version"])
    return wrong + ["%s of the host is %s" % (name, process[name]["number"])
                    for name in ("num-devices-var", "device-num-var") if process[name]["number"] != devices]


def compare(tap, kind, program, settings, of_none, is_eager=False):
    """IS_EAGER: it initialises all devices before the program begins."""
    for mode in ("used", "none"):
        for recorded in (False, True):
            for what, target, reason, truth in looks(mode, program, prepared=recorded, settings=settings):
                name = "%s, %s%s, %s" % (kind, mode, ", recorded" if recorded else "", what)
                if target is None:
                    tap.skip(name, reason)
                    continue
                said, bad = host_json(target, 5)
                bad = bad or faults(truth, said, of_none if mode == "none" else truth["devices"], is_eager)
                tap.ok(not bad and truth["on_host"] == (mode == "none"), name, *bad)


def main():
    tap = Tap()
    with scratch() as directory:
        gcc, clang, plugin = (os.path.join(directory, name) for name in (
            "gcc", "clang", "libgomp-plugin-nvptx.so.1"))
        source = os.path.join(SUITE, "host/devices.c")
        subprocess.run([*CC, "-shared", "-fPIC", os.path.join(SUITE, "command/device-plugin.c"), "-o", plugin],
                       check=True)
        subprocess.run([*CC, "-g", "-O1", "-fopenmp", source, "-o", gcc], check=True)
        compare(tap, "gcc", gcc, {"LD_LIBRARY_PATH": directory, "DEVICES": "2"}, "unavailable")
        if not shutil.which("clang") or subprocess.run(
                ["clang", "-g", "-O1", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", source, "-o", clang,
                 *os.environ.get("CLANG_FLAGS", "").split()],
                check=False).returncode:
            tap.skip("clang", "it has no plugin for the host here")
        elif os.environ.get("CLANG_KERNELS") == "none":
            tap.skip("clang", "this libomptarget does not execute the kernels of this clang")
        else:
            own = os.environ.get("CLANG_LIBRARIES")
            compare(tap, "clang", clang, {"LD_LIBRARY_PATH": own} if own else {}, 4,
                    int(re.sub(r".*llvm-(\d+)/.*|.*", r"\1", own or "") or 0) >= 19)
    return tap.end()


main()
