# SPDX-License-Identifier: MIT
#
# Which entry points of libgomp the programs call, compared with those that libgomp offers
# and those that the hooks interpose. A wrapper that no program reaches is not tested.

import re
import subprocess

# Offered by libgomp, but not for a program on the host to call as a construct.
NOT_OURS = re.compile(
    r"GOMP_(\d|target|offload|PLUGIN|alloc$|free$|add_alloc$|is_alloc$|interop$|warning$|error$)")


def _symbols(path, option):
    text = subprocess.run(["nm", "-D", option, path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in text.splitlines() if line.split()}


def called(paths):
    """GOMP_* and omp_* that these files take from elsewhere."""
    names = set()
    for path in paths:
        names |= _symbols(path, "--undefined-only")
    return {n for n in names if n.startswith(("GOMP_", "omp_"))}


def constructs_of(libgomp):
    return {n for n in _symbols(libgomp, "--defined-only")
            if n.startswith("GOMP_") and not NOT_OURS.match(n)}


def interposed_by(hooks, libgomp):
    """What the hooks put before libgomp's. They also have functions of a later one."""
    return {n for n in _symbols(hooks, "--defined-only") & _symbols(libgomp, "--defined-only")
            if n.startswith(("GOMP_", "omp_")) and not re.match(r"O?GOMP_\d", n)}
