# SPDX-License-Identifier: MIT
"""What a person sees: gdb on a terminal of eighty columns, with and without styles."""

import os
import re
import shutil

import front_end
import harness
import pseudo_terminal
from pseudo_terminal import ESCAPE

pseudo_terminal.need()


def completions(line):
    """What TAB offers."""
    shown = gdb.type("python print(gdb.execute('complete %s' + '', False, True), end='')" %
                     line.replace("'", "\\'"))
    return re.sub(ESCAPE, "", shown).splitlines()


tap = front_end.Bench()


def ok(condition, name, text=""):
    tap.ok(condition, name, *map(repr, text.splitlines()))


shutil.copy(os.environ["stage"] + "/share/ompd/examples/heat.c", tap.scratch)
os.chdir(tap.scratch)
harness.compile_program("heat.c", "heat")
gdb = pseudo_terminal.Terminal(tap.scratch, [os.environ["GDB"], "-q", "-nx", "-ex",
                                             "set print thread-events off", "./heat"],
                               environment={"OMP_WAIT_POLICY": "passive"})
try:
    gdb.type("source " + front_end.PLUGIN)
    gdb.type("ompd on")
    with open("heat.c", encoding="utf-8") as source:
        line = [n for n, text in enumerate(source, 1) if "return flow" in text][0]
    gdb.type("break %d" % line)
    gdb.type("run")
    for command in ("ompd threads", "ompd parallel", "ompd status", "ompd tasks -all"):
        styled = gdb.type(command)
        ok(re.search("\033\\[32[;m]", styled), command + ": file names are coloured as gdb does", styled)
        gdb.type("set style enabled off")
        bare = gdb.type(command)
        ok("\033" not in bare, command + ": no escape without styles", bare)
        ok(re.sub(ESCAPE, "", styled) == bare, command + ": else it is the same", styled + bare)
        gdb.type("set style enabled on")
        for text in bare.splitlines():
            print("# " + text)
        wide = [text for text in bare.splitlines() if len(text) > 80 and "/" not in text]
        ok(not wide, command + ": eighty columns are enough", bare)
    gdb.type("set style filename foreground magenta")
    ok(re.search("\033\\[35[;0-9]*mheat.c", gdb.type("ompd threads")), "a colour of the user's choice")
    commands = re.findall("^(ompd \\w+) -- ", re.sub(ESCAPE, "", gdb.type("help ompd")), re.M)
    ok(len(commands) >= 18, "help ompd lists the commands", str(commands))
    for command in ["ompd"] + commands:
        text = re.sub(ESCAPE, "", gdb.type("help " + command))
        lines = text.splitlines()
        ok(all(len(line) < 80 for line in lines) and lines[0].endswith(".") and
           "Usage: " + command in text, "help %s: a sentence, its usage, and it fits" % command,
           text)
    found = re.sub(ESCAPE, "", gdb.type("apropos ompd"))
    ok(all("%s -- " % command in found for command in commands), "apropos finds them", found)
    for prefix in ("set", "show"):
        text = re.sub(ESCAPE, "", gdb.type("help %s ompd" % prefix))
        ok("%s ompd backtrace -- " % prefix in text, "help %s ompd lists the settings" % prefix,
           text)
    ok(all(command in completions(command[:6]) for command in commands),
       "TAB after ompd and a letter")
    for line, wanted in (
            ("ompd threads -", ["-json"]), ("ompd stacks -", ["-json", "-lines"]),
            ("ompd bt -a", ["-all"]), ("ompd tasks -state w", ["waiting"]),
            ("ompd icvs -", ["-all", "-changed", "-json"]), ("ompd thread 0", ["0"]),
            ("ompd apply al", ["all"]), ("ompd print coun", []),
            ("ompd print -", ["-all", "-team"]), ("ompd apply team -", ["-c", "-q", "-s"]),
            ("ompd catch para", ["parallel"]), ("ompd catch parallel b", ["begin"]),
            ("set ompd b", ["backtrace"]), ("set ompd backtrace o", ["off", "on"])):
        found = [text[line.rindex(" ") + 1:] for text in completions(line)]
        ok([w for w in wanted if w not in found] == [] and (not wanted or len(found) < 20),
           "TAB after %s" % line, str(found))
    message = gdb.type("ompd threads now")
    # gdb 18 has a sign before errors.
    ok(re.sub(ESCAPE, "", message).endswith('"ompd threads" takes no argument.'), "an error",
       message)
finally:
    gdb.close()
tap.end()
