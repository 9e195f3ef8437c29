# SPDX-License-Identifier: MIT
"""Calls the function that the second argument names, of the library that is the first one, with a
function that needs the GIL. It is kept meanwhile; "callbacks" lets go of it, and is well,
"team_of_one" waits then for a signal, which a function in Python handles, and "rests" in a function that
is called back. "interrupted" is sent SIGINT when the library has it."""

import ctypes
import signal
import sys
import threading

CALLBACK = ctypes.CFUNCTYPE(None)


def count():
    return sum(range(1000))


def keeps(how, back=count):
    getattr(ctypes.PyDLL(sys.argv[1]), how)(CALLBACK(back))  # keeps-gil


def rests():
    signal.pause()


def callbacks():
    library, back = ctypes.CDLL(sys.argv[1]), CALLBACK(count)
    while True:
        library.team(back)
        count()


if sys.argv[2] != "callbacks":
    sys.setswitchinterval(600)  # else who wants the GIL wakes each 5 ms, and may be seen awake
if sys.argv[2] == "callbacks":
    threading.Thread(target=callbacks).start()
    callbacks()
elif sys.argv[2] == "rests":
    keeps("team_of_one", rests)
else:
    keeps(sys.argv[2])
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    stopped.wait()
