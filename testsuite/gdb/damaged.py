# SPDX-License-Identifier: MIT
"""Debug information that is damaged: what gdb has an error for is a row without a name, and not a
command without an answer. "bt" says what gdb says."""

import harness

t = harness.begin(__file__, program="waits.c", timeout=300)
import os  # noqa: E402
import re  # noqa: E402
import shutil  # noqa: E402
import subprocess  # noqa: E402

import gdb  # noqa: E402

from openmp_inspect.core import caches  # noqa: E402
from gdb_openmp.program import address_space  # noqa: E402

COMMANDS = ["ompd " + command for command in (
    "threads", "parallel", "tasks -all", "stacks", "why", "doctor", "status", "icvs", "bt -all",
    "locals", "print 1")]
SECTIONS = (".debug_info", ".debug_abbrev", ".debug_str_offsets", ".debug_line", ".debug_line_str")
TEAM = {"%d/6" % number for number in range(6)}


def damaged(program, section):
    """A copy of PROGRAM whose SECTION is nonsense from the middle on, or None: it has none."""
    table = subprocess.run(["readelf", "-SW", program], stdout=subprocess.PIPE, text=True,
                           check=True).stdout
    found = re.search(r"%s +\w+ +\w+ +(\w+) +(\w+) " % re.escape(section), table)
    if found is None:
        return None
    offset, size = (int(word, 16) for word in found.groups())
    path = os.path.join(t.scratch, os.path.basename(program) + section)
    shutil.copy(program, path)
    with open(path, "r+b") as stream:
        stream.seek(offset + size // 2)
        stream.write(b"\xff" * (size - size // 2))
    return path


def look(kind):
    """Asks all of a process that is at rest."""
    t.case(t.unanswered(COMMANDS), kind + ": each command answers, or says in a line why not")
    rows = {row.get("OMP") for row in t.threads()}
    t.ok(TEAM <= rows, kind + ": the whole team has its rows", rows)
    t.run("bt")


def broken(*_):
    raise gdb.error("Dwarf Error: could not find abbrev number 33")


programs = [t.program]
if shutil.which("clang") and not harness.CLANG:
    programs.append(t.by_clang("waits.c", "of_clang", "-pthread", "-gdwarf-5"))
for program in programs if shutil.which("readelf") else ():
    for section in SECTIONS:
        path = damaged(program, section)
        if path is not None:
            with t.attached(path, "hold", says=b"holding"):
                if gdb.selected_inferior().pid:
                    look(os.path.basename(path))
                else:
                    t.skip(os.path.basename(path), "gdb does not attach")
            t.run("file")

# Whichever version of gdb takes offence at what.
with t.attached(t.program, "hold", says=b"holding"):
    for name in ("find_pc_line", "block_for_pc", "lookup_global_symbol", "lookup_static_symbol",
                 "decode_line"):
        usual = getattr(gdb, name)
        setattr(gdb, name, lambda *given, usual=usual: usual(*given) if given == (0,) else broken())
        caches.forget_code()
        address_space.current().forget()
        look("gdb." + name)
        setattr(gdb, name, usual)
t.done()
