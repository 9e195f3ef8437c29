# SPDX-License-Identifier: MIT
"""The screens of the README, the manual and the tutorial, to the letter: their sessions are typed
into a shell on a terminal of eighty columns, with the examples and the product as they are installed.

A session is what stands indented in a document and has a prompt. `...` is for lines that are
left out; of a command below which nothing stands nothing is compared. The lines below
"./bootstrap install" are typed first.

The README's PICTURE is of the session whose screen begins with PICTURED, in the terminal's
colours; with --write it is drawn anew.

With clang in CC the examples are its programs, on LLVM's runtime, and show the same but for
OTHERWISE.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import harness
import pseudo_terminal
import screen_svg

SHELL, DEBUGGER = "$ ", pseudo_terminal.PROMPT
README, MANUAL = "README.md", "doc/manual.md"
# The tutorial's screens are of gcc's programs.
DOCUMENTS = [README, MANUAL] + ["doc/tutorial.md"] * (not harness.CLANG)
FOR_LONG = re.compile(r" for \d s\b")  # in screens " for 5 s"
PICTURE, PICTURED = "doc/why.svg", "deadlock: 2 threads hold what the other waits for"

# What clang's programs show otherwise: (what, how, why). How wide columns are is not compared.
OTHERWISE = (
    (r"~wait critical", "wait critical", "the runtime keeps who is in the queue of a lock"),
    (r"~wait lock", "wait lock", "the same"),
    (r"~wait barrier +explicit, 1 of 4 arrived", r"~?wait barrier explicit(, ~?1 of 4 arrived)?",
     "that the primary thread has arrived is in memory once it sleeps, in 0.2 s"),
    (r"task 5 \(in right\), task 4", r"task [45] \(in (left|right)\), task [45]",
     "the runtime has the dependences of a task in another order"),
    (r"^ +\(in left\)", r" \(in (left|right)\)", "the same"),
    (r"#0  compute\._omp_fn\.0 \(\) at", r"#0 (compute)?\.omp_outlined\.?_debug__ \(.*\n? *.*\) at",
     "how the compiler calls the body, and what the runtime calls it with"),
)
# Screens that are other ones, by their first lines: its code keeps which lock was chosen.
SCREENS = {"stuck: 2 threads wait for locks, and nobody is left to free them [certain]": [
    "deadlock: 2 threads hold what the other waits for [likely]",
    " 1 (0/2) ~holds bank[0].lock ~since transfer.c:32, transfer ()",
    " wants bank[1].lock at transfer.c:36, transfer ()",
    " 2 (1/2) ~holds bank[1].lock ~since transfer.c:32, transfer ()",
    " wants bank[0].lock at transfer.c:36, transfer ()",
    " cause the locks are acquired in different orders",
    " next ompd bt 1 2 how they got there"]}
# Commands after which clang's programs are continued once: it makes code of the construct for the
# line of the body.
STOPS_TWICE = {"break tree.c:37"}


def blocks(text):
    """(line, lines) of each indented block, without its indent."""
    found, number = [], 0
    for block in re.split(r"(\n\n+)", text):
        lines = block.splitlines()
        if lines and all(line.startswith("    ") for line in lines):
            found.append((number + 1, [line[4:].rstrip() for line in lines]))
        number += block.count("\n")
    return found


def commands(block):
    """(line, prompt, command, lines that are shown) of each command of a session."""
    number, lines = block
    found = []
    for at, line in enumerate(lines):
        prompt = next((one for one in (SHELL, DEBUGGER) if line.startswith(one)), None)
        if prompt:
            found.append((number + at, prompt, line[len(prompt):], []))
        elif found:
            found[-1][3].append(line)
    return found


def otherwise(line):
    """The pattern of a line that a program of clang's shows in place of LINE."""
    for what, how, _why in OTHERWISE:
        found = re.search(what, line)
        if found:
            return otherwise(line[:found.start()]) + how + otherwise(line[found.end():])
    return re.escape(re.sub(" +", " ", line))


def fits(got, wanted):
    """Whether lines are those WANTED, of which "..." are any."""
    if harness.CLANG:
        wanted = SCREENS.get(re.sub(" +", " ", wanted[0]), wanted)
    shown = "".join(line + "\n" for line in got)
    # What has lasted for long on a slow machine makes columns wider, and may break lines.
    untimed = harness.HOW_LONG.sub("", shown)
    is_timed = untimed != shown
    squeezed = harness.CLANG or is_timed

    def one(line):
        return otherwise(line) if harness.CLANG else \
            re.escape(re.sub(" +", " ", line) if squeezed else line)

    pattern = "".join("(?:.*\n)+" if line == "..." else one(
        harness.HOW_LONG.sub("", line) if is_timed else line) + " *\n" for line in wanted)
    found = re.sub(" +", " ", untimed) if squeezed else shown
    return re.fullmatch(pattern, found) is not None or is_timed and re.fullmatch(
        re.sub(r"\\ ", r"\\s+", pattern.replace(" *\n", r"\s*")), found) is not None


def home(scratch):
    """A home directory with the product as the README says, and what is typed there first."""
    os.symlink(os.environ["stage"], os.path.join(scratch, "ompd"))
    shutil.copytree(os.environ["stage"] + "/share/ompd/examples",
                    os.path.join(scratch, "examples"))
    with open(os.path.join(scratch, ".gdbinit"), "w", encoding="utf-8") as stream:
        stream.write("set confirm off\n")
    for name in list(os.environ):
        if name.startswith(("OMP_", "GOMP_", "OMPD_", "LD_", "DEBUGINFOD_", "XDG_")):
            del os.environ[name]
    path = os.path.join(scratch, "bin") + ":" + os.environ["PATH"]
    return {"HOME": scratch, "PS1": SHELL, "PROMPT_COMMAND": "", "PATH": path}


def may_attach():
    """Whether a debugger may attach to what is no child of its own."""
    try:
        with open("/proc/sys/kernel/yama/ptrace_scope", encoding="utf-8") as stream:
            return stream.read().strip() == "0" or os.geteuid() == 0
    except OSError:
        return True


class Reader:
    """Types what it reads."""

    def __init__(self, tap, terminal):
        self._tap = tap
        self._terminal = terminal
        self._attaches = False  # the session needs what is not permitted
        self._stops_twice = False
        self.pictured = None  # the lines of the picture, coloured

    def type(self, document, number, prompt, command, wanted):
        if prompt == SHELL:
            if self._terminal.prompt == DEBUGGER:
                self._terminal.type("quit")
            self._attaches = "gdb -p" in command and not may_attach()
        name = "%s:%d: %s" % (document, number, command)
        if self._attaches:
            if wanted:
                self._tap.skip(name, "kernel.yama.ptrace_scope forbids to attach")
            return
        shown = FOR_LONG.sub(" for 5 s", self._terminal.type(command))
        got = [line.expandtabs(8).rstrip() for line in re.sub(
            pseudo_terminal.ESCAPE, "", shown).split("\n")]
        while got and not got[-1]:
            got.pop()
        self._stops_twice |= harness.CLANG and command in STOPS_TWICE
        if command == "run" and self._stops_twice:
            self._terminal.type("continue")
            self._stops_twice = False
        if command.endswith("&"):
            process = int(self._terminal.type("echo $!"))
            self._tap.ok(harness.comes_to_rest(process), name + " hangs")
            if document == README:
                time.sleep(1.5)  # until it is said for how long, as to who types that
        # Not one that says how long something has lasted, as on a slow machine.
        if wanted and document == README and wanted == got and wanted[0].startswith(PICTURED):
            self.pictured = [prompt + command, *shown.split("\n")]
        if wanted:
            self._tap.ok(fits(got, wanted), name, "shown:", *got, "wanted:", *wanted)
        else:
            print("# %s%s" % (prompt, command), *got, sep="\n# | ")


def runs_to_its_end(tap, scratch):
    """The examples, built from the installed Makefile in another directory."""
    directory = os.path.join(scratch, "elsewhere")
    os.mkdir(directory)
    subprocess.run(["make", "-s", "-f", os.environ["stage"] + "/share/ompd/examples/Makefile"],
                   cwd=directory, check=False)
    for name, wanted in (("heat", "1.0\n"), ("tree", "15\n"), ("transfer", "100\n100\n")):
        path = os.path.join(directory, name)
        found = os.path.exists(path) and subprocess.run(
            [path], stdout=subprocess.PIPE, text=True, timeout=60, check=False).stdout
        tap.equal(found, wanted, name + " is built elsewhere, too, and comes to its end")


def picture(tap, lines):
    """The picture shows LINES."""
    path = os.path.join(os.environ["top_srcdir"], PICTURE)
    name = PICTURE + " is what the terminal shows"
    if lines is None or harness.CLANG:
        tap.skip(name, "it is of gcc's program" if harness.CLANG else
                 "its screen was not shown to the letter")
        return
    drawn = screen_svg.svg(lines)
    if sys.argv[1:] == ["--write"]:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(drawn)
    with open(path, encoding="utf-8") as stream:
        tap.equal(stream.read(), drawn, name)


def main():
    pseudo_terminal.need()
    found = {}
    for document in DOCUMENTS:
        with open(os.path.join(os.environ["top_srcdir"], document), encoding="utf-8") as stream:
            found[document] = blocks(stream.read())
    tap = harness.Tap()
    scratch = tempfile.mkdtemp(prefix="ompd-readme-")
    os.mkdir(os.path.join(scratch, "bin"))
    os.symlink(shutil.which(os.environ["GDB"]), os.path.join(scratch, "bin", "gdb"))
    terminal = pseudo_terminal.Terminal(scratch, ["bash", "--norc", "--noprofile", "-i"],
                                        (SHELL, DEBUGGER), home(scratch))
    try:
        reader = Reader(tap, terminal)
        installed = next(lines for _, lines in found[README] if lines[0].startswith("./bootstrap install"))
        for line in installed[1:]:
            terminal.type(line)
        sessions = [(document, *one) for document, some in found.items()
                    for block in some for one in commands(block)]
        for one in sessions:
            reader.type(*one)
        picture(tap, reader.pictured)
        runs_to_its_end(tap, scratch)
        tap.ok(sum(bool(wanted) for *_, wanted in sessions) >= 8, "the README has screens")
    finally:
        terminal.close()
        shutil.rmtree(scratch, ignore_errors=True)
    tap.end()


if __name__ == "__main__":
    main()
