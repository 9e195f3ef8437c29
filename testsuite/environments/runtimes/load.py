# SPDX-License-Identifier: MIT
#
# load.py MODULE...: what a program in Python does with packages that each bring their own
# libgomp. ctypes opens with RTLD_LOCAL, as the import of an extension module does.

import ctypes
import sys
import threading

modules = {name: ctypes.CDLL("./%s.so" % name) for name in sys.argv[1:]}


def call(name, function, *arguments):
    return getattr(modules[name], "%s_%s" % (name, function))(*arguments)


def use(name):
    call(name, "team", 4)
    call(name, "work", 3)
    call(name, "set", 3)
    call(name, "nested", 2)
    call(name, "tails", 3)


for turn in range(2):
    for name in modules:
        use(name)
for name in modules:
    worker = threading.Thread(target=use, args=(name,))
    worker.start()
    worker.join()
for a in modules:
    for b in modules:
        call(a, "calls", 3, getattr(modules[b], b + "_add"))
        print("total of", b, call(b, "total"), flush=True)
