# SPDX-License-Identifier: MIT
"""Files that are not those of the process: a library and the runtime that were replaced after the
process had loaded them, as by an upgrade, and a program that was compiled again. No name of the new
file is printed, none is stopped at, and what is typed as proposed brings the old ones back. Other
root directories and mount namespaces are in ../environments/debugger.py."""

import os
import re
import shutil
import subprocess

import harness

t = harness.begin(__file__)
import gdb  # noqa: E402

FLAGS = "-Wl,--build-id -L. -Wl,-rpath,'$ORIGIN'"
RUNTIME = "libomp.so.5" if harness.CLANG else "libgomp.so.1"


def built(name, flags):
    return t.build("images.c", name, FLAGS + " " + flags)


def started(*replaced):
    """A process in which all threads rest; then these files are replaced: {file: by which}."""
    program = subprocess.Popen([t.scratch + "/prog"], stdin=subprocess.DEVNULL,
                               env=dict(os.environ, LD_LIBRARY_PATH=t.scratch))
    harness.comes_to_rest(program.pid)
    for old, new in replaced:
        os.rename(os.path.join(t.scratch, new), os.path.join(t.scratch, old))
    gdb.execute("file")
    gdb.execute("attach %d" % program.pid, to_string=True)
    return program


def end(program):
    t.run("detach")
    program.kill()
    program.wait()
    t.run("set sysroot target:")
    t.run("set solib-search-path")


def remedied(name, said, kind):
    """Types what is proposed."""
    found = re.search(r"copy (/proc/\S+) to DIR/(\S+), then type \"set sysroot DIR\" and "
                      r"\"(set solib-search-path) DIR:([^\"]*)\"", said)
    if not t.ok(found and found.group(2) == name and "another %s than this process" % name in said,
                kind + ": one sentence says which file, and what to type", said):
        return
    kept = os.path.join(t.scratch, "kept")
    os.makedirs(kept, exist_ok=True)
    shutil.copy(found.group(1), os.path.join(kept, name))
    t.run("cd " + kept)  # gdb looks for libraries where it is, too
    t.run("set sysroot " + kept)
    t.run("%s %s:%s" % (found.group(3), kept, found.group(4)))


def with_other_build_id(path):
    """A copy of a file that says that it is another one."""
    with open(path, "rb") as stream:
        data = stream.read()
    at = data.index(b"\x14\0\0\0\3\0\0\0GNU\0") + 12
    with open(os.path.join(t.scratch, "other"), "wb") as stream:
        stream.write(data[:at] + bytes(255 - byte for byte in data[at:at + 20]) + data[at + 20:])


NAMES = re.compile(r"\b(work|stay|in_its_place|frame_dummy)\b|images\.c")
COMMANDS = ("ompd threads", "ompd stacks", "bt", "ompd bt", "thread apply all -q bt",
            "ompd threads -json", "ompd stacks -json", "ompd why -json")

# A library of the user's.
built("libwork.so", "-fPIC -shared -DLIBRARY")
built("new.so", "-fPIC -shared -DLIBRARY -DOTHER")
built("prog", "-Wl,--no-as-needed -lwork")
program = started(("libwork.so", "new.so"))
for command in COMMANDS:
    said = t.noted(command)
    t.ok(not NAMES.search(said), "a library: no name in " + command, said)
    if command != "ompd threads -json" and "stacks -json" not in command:
        t.like(said, "another libwork.so than this process has", "which " + command + " says")
t.equal({row["OMP"] for row in t.threads() if "OMP" in row}, {"0/2", "1/2"},
        "what the runtime has is known")
remedied("libwork.so", t.run("ompd threads"), "a library")
t.equal({row.get("Where", "")[:6] for row in t.threads()}, {"stay ("}, "it is read where it is now")
t.like(t.run("ompd stacks"), "#pragma omp parallel images.c:", "with its construct")
end(program)

# The runtime, and libc, whose list of threads libompd reads.
built("libwork.so", "-fPIC -shared -DLIBRARY")
loaded = subprocess.run(["ldd", t.scratch + "/libwork.so"], stdout=subprocess.PIPE, text=True,
                        check=True).stdout
for name, its in (RUNTIME, r"(GOMP|gomp|__kmp\w*)_\w+"), ("libc.so.6", "pause|clone3"):
    path = os.path.join(t.scratch, name)
    shutil.copy(re.search(r"%s => (\S+)" % re.escape(name), loaded).group(1), path)
    with_other_build_id(path)
    program = started((name, "other"))
    for command in ("ompd why", "ompd parallel", "ompd tasks") + \
            ("ompd catch parallel",) * (name == RUNTIME):
        t.like(t.error(command) or "", "another %s than this process has" % re.escape(name),
               "%s: %s" % (name, command))
    t.equal({(row["OMP"], row["State"]) for row in t.threads() if "OMP" in row}, {("?", "?")},
            name + ": of no thread anything is said")
    said = t.run("thread apply all -q bt")
    t.ok(not re.search(r"\b(%s) " % its, said), name + ": nor is it named", said)
    remedied(name, t.run("ompd threads"), name)
    t.equal({row.get("OMP") for row in t.threads()}, {"0/2", "1/2"},
            name + ": it is read where it is now")
    end(program)
    os.unlink(path)

# The program.
built("new", "-Wl,--no-as-needed -lwork -DOTHER")
program = started(("prog", "new"))
said = t.run("ompd threads")
if gdb.current_progspace().filename is None:
    t.like(said, r'type "file /proc/%d/exe"' % program.pid, "the program: what to type")
    t.run("file /proc/%d/exe" % program.pid)
t.equal({row.get("Where", "")[:6] for row in t.threads()}, {"stay ("}, "the old one is read")
gdb.execute("file " + t.scratch + "/prog")
said = t.run("thread 1") + t.run("bt")
t.ok(not re.search(r"main \(|in_its_place", said), "the new one is not, by whom ever it is named",
     said)
t.run("detach")
gdb.execute("attach %d" % program.pid, to_string=True)
t.like(t.error("ompd why") or "", r'another prog than this process has .*: no name in it is known\. '
       r'Type "file /proc/%d/exe"\.' % program.pid, "the new one, and then the process")
end(program)
t.done()
