# SPDX-License-Identifier: MIT
"""Ctrl-C in a command: it ends at once, and the same command afterwards is right. The
interrupt comes at any call of a function of the plugin, callbacks of the library included."""

import harness

t = harness.begin(__file__, program="backtrace.c", timeout=400)
import os  # noqa: E402
import random  # noqa: E402
import signal  # noqa: E402
import sys  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402

import gdb  # noqa: E402

from openmp_inspect.host import page_cache  # noqa: E402
from openmp_inspect.bindings import callbacks  # noqa: E402
from gdb_openmp.program import address_space  # noqa: E402

COMMANDS = ("ompd stacks", "ompd bt -all", "bt", "ompd threads", "ompd parallel",
            "ompd tasks -all", "ompd icvs -all", "ompd locals", "ompd print 1")
ROUNDS = 25


class At:
    """Raises KeyboardInterrupt at the Nth call of a function in the plugin's files."""

    def __init__(self, number):
        self.left = number
        self.raised = False

    def __call__(self, frame, event, _argument):
        if "/ompd/" not in frame.f_code.co_filename:
            return None
        self.left -= 1
        if self.left == 0:
            self.raised = True
            raise KeyboardInterrupt
        return None


def calls(command):
    """How many calls a command takes with nothing cached."""
    address_space.current().forget()
    count = At(-1)
    sys.settrace(count)
    t.run(command)
    sys.settrace(None)
    return -1 - count.left


random.seed(12)
for switch in ("off", "on"):
    if switch == "on":
        t.run("ompd on")
    t.stop_at("nested")
    for command in COMMANDS:
        address_space.current().forget()
        wanted = t.run(command)
        total = calls(command)
        wrong, heard = [], 0
        for number in sorted(random.sample(range(1, total + 1), min(ROUNDS, total))):
            address_space.current().forget()
            at = At(number)
            sys.settrace(at)
            try:
                t.run(command)
            except KeyboardInterrupt:
                heard += 1
            except gdb.error as error:
                if "Quit" in str(error):
                    heard += 1
            finally:
                sys.settrace(None)
            try:
                found = t.run(command)
            except (KeyboardInterrupt, gdb.error) as error:
                found = repr(error)
            if found != wanted:
                wrong.append((number, found))
        t.ok(not wrong, "hooks %s: %s is right after an interrupt" % (switch, command),
             "wanted:", wanted, *["after %d of %d: %s" % (number, total, found)
                                  for number, found in wrong[:2]])
        # bt is gdb's: it goes on without our labels.
        t.ok(heard or command == "bt", "hooks %s: %s hears it" % (switch, command))
    t.run("kill")
    t.run("delete")

# In a callback of the library the call ends, whatever the library does with the error.
t.run("ompd off")
t.stop_at("nested")
reads = [0]
read = page_cache.PageCache.read


def interrupted(self, address, size):
    reads[0] += 1
    if reads[0] == 3:
        raise KeyboardInterrupt
    return read(self, address, size)


address_space.current().session  # pylint: disable=expression-not-assigned
address_space.current().forget()
page_cache.PageCache.read = interrupted
try:
    t.run("ompd tasks -all")
    ended = None
except (KeyboardInterrupt, gdb.error) as error:
    ended = error
page_cache.PageCache.read = read
t.ok(isinstance(ended, KeyboardInterrupt), "an interrupt in a read ends the command", ended)
t.equal(reads[0], 3, "and the library reads no more")
t.equal(callbacks._pending, [], "nothing is left of it")
t.run("kill")

# The signal itself, which may also come when the command has just ended.
t.stop_at("nested")
wanted = t.run("ompd stacks")
for delay in (0.0, 0.002, 0.01, 0.03):
    address_space.current().forget()
    timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        t.run("ompd stacks")
        time.sleep(1)
    except (KeyboardInterrupt, gdb.error):
        pass
    timer.join()
    t.equal(t.run("ompd stacks"), wanted, "SIGINT after %g s" % delay)
t.run("kill")
t.done()
