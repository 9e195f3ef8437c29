# SPDX-License-Identifier: MIT
"""What "set debug ompd" shows of errors that are put up with otherwise."""

import harness

t = harness.begin(__file__, program="recurse.c")

LOOK = 'python from gdb_openmp.host import symbols; print(symbols.%s("%s"))'

t.like(t.run("show debug ompd"), "^Debugging of the OpenMP commands is off.$", "it is off")
t.like(t.run("help set debug ompd"), "a line for each: what could not be read", "it is explained")
t.equal(t.run(LOOK % ("own_address", "no_such_symbol")), "None\n", "off: nothing is printed")

t.run("set debug ompd on")
found = t.run(LOOK % ("own_address", "no_such_symbol"))
t.like(found, r"^\[ompd\] own_address \(symbols\.py:\d+\): No symbol .*no_such_symbol.*$",
       "on: where something is ignored, and why, in a line")
t.like(found, r"^None$", "the answer is the same")
found = t.run(LOOK % ("function_addresses", r"\x1b[31mred"))
t.ok("\x1b" not in found and r"\x1b[31mred" in found, "escaped for the terminal", found)
t.like(t.run("show debug ompd"), "is on.$", "it is on")

t.run("break main")
t.run("run")
loud = t.run("ompd threads")
t.like(loud, r"^\[ompd\] \w+ \(\w+\.py:\d+\): ", "on: a command says what it puts up with")
t.ok("Traceback" not in loud and not [line for line in loud.splitlines() if "File" in line],
     "without a traceback", loud)
t.run("set debug ompd off")
quiet = t.run("ompd threads")
t.ok("[ompd]" not in quiet, "off: a command as ever", quiet)
t.ok(loud.endswith(quiet), "which shows the same", loud, quiet)
t.done()
