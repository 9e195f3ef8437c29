# SPDX-License-Identifier: MIT
"""Names that gdb's character set does not have, and names that would drive the terminal: all
commands work, people see what is there, and programs get it whole."""

import harness

t = harness.begin(__file__, program="charset.c", timeout=300)
import glob  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import re  # noqa: E402
import subprocess  # noqa: E402

import gdb  # noqa: E402

from openmp_inspect.core import escaped, json_output  # noqa: E402
from gdb_openmp.host import gdb_text  # noqa: E402

COMMANDS = ("bt", "bt -full", "thread apply all bt", "ompd bt -all", "ompd threads",
            "ompd parallel", "ompd tasks -all", "ompd tasks -all -tree", "ompd stacks",
            "ompd stacks -lines", "ompd status", "ompd locals", "ompd icvs", "ompd print 1",
            "ompd bt -all -json", "ompd threads -json", "ompd stacks -json",
            "ompd status -json", "ompd tasks -all -json")

# Directories in UTF-8 and in Latin-1, in terminals that have it and that have not.
PRINTS = [part for command in COMMANDS for part in ("-ex", "echo == %s\\n" % command,
                                                    "-ex", command)]


def looked(directory, locale):
    """What a gdb of its own prints of the program in a directory, by command."""
    program = os.path.join(directory, b"charset")
    done = subprocess.run(
        [os.environ["GDB"], "-batch", "-nx", "-ex", "set width 0", "-ex", "source " + t.plugin,
         "-ex", "break here", "-ex", "run", "-ex", "up", *PRINTS, "-ex", "echo == bare\\n",
         "-ex", "bt -no-filters", "-ex", "kill", program],
        env=dict(os.environ, LC_ALL=locale, OMP_NUM_THREADS="2"), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=100, check=False)
    parts = re.split(rb"^== (.*)\n", done.stdout, flags=re.M)
    return dict(zip(("run", *(name.decode() for name in parts[1::2])), parts[0::2]))


for name, directory in (("UTF-8", "j\u00fcrgen".encode()), ("Latin-1", b"j\xfcrgen")):
    directory = os.path.join(os.fsencode(t.scratch), directory)
    os.mkdir(directory)
    source = os.path.join(directory, b"charset.c")
    with open(t.source, "rb") as given, open(source, "wb") as copy:
        copy.write(given.read())
    subprocess.run([b"gcc", b"-g", b"-O0", b"-fopenmp", source,
                    b"-I" + os.fsencode(os.path.dirname(t.source)), b"-o",
                    os.path.join(directory, b"charset")], check=True)
    for locale in ("C", "C.UTF-8"):
        kind = "%s path, LC_ALL=%s" % (name, locale)
        shown = looked(directory, locale)
        wrong = [(command, shown.get(command)) for command in ("run", *COMMANDS)
                 if re.search(rb"Traceback|Unicode|Python|error", shown.get(command, b"error"))]
        t.equal(wrong, [], kind + ": every command works")
        for command, mark in (("bt", "call"), ("ompd bt -all", "call"), ("ompd threads", "stop")):
            place = rb"at .*charset\.c:%d" % t.line(mark)
            t.ok(re.search(place, shown.get(command, b"")), kind + ": %s has its line" % command,
                 shown.get(command))
        t.equal([re.findall(rb"\w+\.c:\d+$", shown[one], re.M)[:1] for one in ("bt", "bare")],
                [[b"charset.c:%d" % t.line("stop")]] * 2,
                kind + ": and bt what gdb's own has")
        t.ok(b"#pragma omp parallel" in shown["bt"] and b"#pragma omp critical" in shown["bt"],
             kind + ": the source is found", shown["bt"])
        file = json.loads(shown["ompd bt -all -json"])[0]["rows"][0]["file"]
        wanted = "/j\u00fcrgen/" if name == "UTF-8" else "/j\\xfcrgen/"
        t.ok(wanted in file, kind + ": JSON has the path", file)

# The function that shows them.
LONG = "a" * 4000 + "\x1b" + "b" * 6000
for name, wanted in (
        ("plain", "plain"), ("a\tb\n", r"a\x09b\x0a"), ("\x1b[31m", r"\x1b[31m"),
        ("\u202e\u2066\u200f\u2028\ufeff", r"\u202e\u2066\u200f\u2028\ufeff"),
        ("\x7f\x9b", r"\x7f\x9b"), ("b\udcfcc", r"b\xfcc"), ("\U000e0041", r"\U000e0041"),
        ("j\u00fcrgen", "j\u00fcrgen"), (LONG, "a" * 160 + "..." + "b" * 77)):
    t.equal(escaped.shown(name), wanted, "shown(%s)" % ascii(name[:20]))
t.run("set host-charset ASCII")
t.equal(escaped.shown("j\u00fcrgen"), r"j\xfcrgen", "a character that the terminal lacks")
t.run("set host-charset auto")
written = []
gdb_write, gdb.write = gdb.write, written.append
json_output.write_json([{"name": LONG, "bytes": "b\udcfc\udcc3\udcbc"}])
gdb.write = gdb_write
t.equal(json.loads("".join(written)), [{"name": LONG, "bytes": "b\\xfc\u00fc"}],
        "JSON is valid and whole")

# Names are taken from gdb in one place.
direct = re.compile(r"(?<!gdb_text)(?<!self)\.(fullname\(\)|filename\b(?!\()|linkage_name\b)|"
                    r"gdb\.solib_name\(|(?<!architecture\(\))(?<!found)(?<!m)\.name\(\)")
found = []
plugin = os.path.dirname(t.plugin)
modules = glob.glob(plugin + "/gdb_openmp/**/*.py", recursive=True)
t.ok(len(modules) > 50, "the plugin has modules")
for path in modules:
    with open(path, encoding="utf-8") as file:
        if os.path.basename(path) != "gdb_text.py":
            found += [(os.path.basename(path), line) for line in file if direct.search(line)]
t.equal(found, [], "no module asks gdb for a name by itself")
t.ok(gdb_text.frame_name is not None, "but gdb_text")
t.done()
