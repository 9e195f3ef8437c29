# SPDX-License-Identifier: MIT
"""An interpreter of Python in made-up memory, of each version whose layout is known: who has its
GIL, and where threads are."""

import struct

from openmp_inspect.code import signal_handlers
from openmp_inspect.host import interface
from openmp_inspect.host.interface import Sleep
from openmp_inspect.stacks import libc_waits, python_frames, python_layouts, python_state
from fakebasics import Asked, now, use

RUNTIME, OWN, OTHERS, STATIC, CODE = (0x60000000 + 0x10000 * at for at in range(5))
TYPES = {"PyCode_Type": STATIC, "PyUnicode_Type": STATIC + 8, "PyBytes_Type": STATIC + 16}
VERSION = STATIC + 24
GIL_APART = OWN + 0x8000
# The table for debuggers, as 3.13 and 3.14 have it: offsets as those builds have them.
TOLD = {
    13: (0x30D00F0, 0, 1, 608, 632, 1, 0, 7264, 7344, 0, 0, 0, 0, 16, 7752, 0, 7768, 7760,
         1, 0, 8, 16, 72, 152, 160, 0, 0, 88, 8, 0, 56, 72, 70, 1, 112, 120, 128, 136, 68, 0, 0, 0,
         200, 0, 0, 0, 0, 0),
    14: (0x30E0AF0, 0, 1, 784, 808, 1, 0, 7280, 7272, 0, 0, 0, 0, 0, 16, 7784, 0, 7800, 7792, 0, 0,
         1, 0, 8, 16, 72, 152, 160, 0, 0, 88, 8, 0, 56, 80, 74, 64, 0, 1, 112, 120, 128, 136, 68,
         0, 0, 0, 208)}


class Interpreter:
    """Two threads, 101 which has the GIL, in f () of a.py at line 12, and 102 without frames."""

    def __init__(self, minor):
        self.minor = minor
        self.memory = {start: bytearray(0x10000) for start in (
            RUNTIME, OWN, OTHERS, STATIC, CODE)}
        if minor in TOLD:
            self.memory[RUNTIME][:8] = b"xdebugpy"
            self.memory[RUNTIME][8:392] = struct.pack("<48Q", *TOLD[minor])
        self.put(VERSION, 0x3000000 | minor << 16)
        self.table = {"memory": self.memory, "images": [
            {"path": "/usr/bin/python3.%d" % minor, "start": CODE, "end": CODE + 0x1000,
             "symbols": {"PyEval_RestoreThread": CODE, "PyGILState_Ensure": CODE + 0x100},
             "objects": dict(TYPES, _PyRuntime=RUNTIME)}]}
        if minor >= 11:
            self.table["images"][0]["objects"]["Py_Version"] = VERSION
        self.table["threads"] = [
            {"num": number, "lwp": 100 + number, "pthread": 0x7000 + number,
             "frames": [{"pc": CODE + 8, "sp": 0x7F00}]} for number in (1, 2)]
        self.layout = layout = python_layouts.of_process(self.space().memory, RUNTIME)
        self.gil = RUNTIME + layout.gil if layout.has_one_gil else GIL_APART
        self.put(RUNTIME + layout.interpreters, OWN)
        self.put(OWN + layout.threads, OTHERS)
        if not layout.has_one_gil:
            self.put(OWN + layout.gil, self.gil)
        for number in (1, 2):
            state = OTHERS + 0x400 * (number - 1)
            self.put(state + layout.next_thread, state + 0x400 if number == 1 else 0)
            self.put(state + layout.interpreter, OWN)
            self.put(state + (layout.kernel_id or layout.thread_id),
                     100 + number if layout.kernel_id else 0x7000 + number)
        self.put(self.gil + 8, OTHERS)
        self.put(self.gil + 16, 1)
        self.execute()

    def execute(self):
        layout, frame, code = self.layout, OTHERS + 0x1000, OTHERS + 0x2000
        at = OTHERS + layout.frame
        if layout.frame_behind is not None:
            self.put(at, OTHERS + 0x800)
            at = OTHERS + 0x800 + layout.frame_behind
        self.put(at, frame - 0x200)  # of C code
        self.put(frame - 0x200 + layout.previous, frame)
        self.put(frame + layout.code, code | (self.minor == 14))
        if self.minor == 11:
            self.put(frame + 68, 1, 1)
        elif self.minor >= 12:  # of C code, too; that of 3.12 has a code object
            self.put(frame + layout.previous, frame + 0x200)
            self.put(frame + 0x200 + layout.code, code * (self.minor == 12))
            self.put(frame + 0x200 + 70, 3, 1)
        self.put(code + 8, TYPES["PyCode_Type"])
        self.put(code + layout.first_line, 10, 4)
        self.text(OTHERS + 0x3000, "f")
        self.text(OTHERS + 0x4000, "/src/\u00e4.py")
        for field, value in ((layout.name, 0x3000), (layout.file, 0x4000), (layout.lines, 0x5000)):
            self.put(code + field, OTHERS + value)
        table = {9: b"\x04\x01\x04\x01", 10: b"\x04\x00\x04\x02"}.get(
            self.minor, b"\x80\x00\xeb\x04\x80\x01\x00")
        self.put(OTHERS + 0x5008, TYPES["PyBytes_Type"])
        self.put(OTHERS + 0x5010, len(table))
        self.memory[OTHERS][0x5020:0x5020 + len(table)] = table
        if self.minor >= 11:
            self.put(frame + layout.instruction, code + layout.start + 4)
        else:
            self.put(frame + layout.instruction, 8 if self.minor == 9 else 3, 4)

    def text(self, address, words):
        self.put(address + 8, TYPES["PyUnicode_Type"])
        self.put(address + 16, len(words))
        self.put(address + 32, 0x64 if words.isascii() else 0x24, 4)
        at = address - OTHERS + (self.layout.text if words.isascii() else self.layout.wide_text)
        self.memory[OTHERS][at:at + len(words)] = words.encode("latin-1")

    def put(self, address, value, size=8):
        start = max(one for one in self.memory if one <= address)
        self.memory[start][address - start:address - start + size] = value.to_bytes(size, "little")

    def space(self):
        use(self.table)
        return now()

    def asked(self):
        """What is asked of it now."""
        walker = Asked(stack=lambda thread: [
            Asked(pc=row["pc"], name=row.get("name", ""), level=level, kind=interface.NORMAL)
            for level, row in enumerate(thread.row["frames"])])
        return python_state.Interpreters(walker, self.space().memory)

    def holder(self):
        """Of the GIL for which a thread sleeps."""
        found = self.asked().gil_at(self.gil + 32 + 40)
        return None if found is None else found.holder


def of_versions(tap):
    for minor in (9, 10, 11, 12, 13, 14):
        made = Interpreter(minor)
        found = made.asked()
        place = found.place(101)
        tap.equal((made.holder(), place and (place.function, place.file, place.line),
                   found.place(102), found.place(103), found.place(None)),
                  (101, ("f", "/src/\u00e4.py", 12), None, None, None), "Python 3.%d" % minor)
        tap.equal([made.asked().gil_at(made.gil + at) for at in (31, 80)], [None, None],
                  "what is beside its condition variable")
        executes = {"pc": CODE + 8, "sp": 0x7F00, "name": "_PyEval_EvalFrameDefault"}
        rows, few = made.table["threads"][0]["frames"], 1 if minor == 11 else 2
        for count, wanted in ((few, {few: ["f"]}), (few - 1, {}), (few + 1, {})):
            rows[1:] = [executes] * count
            asked = made.asked()
            found = asked.executed(now().process.threads()[0][1])
            tap.equal({level: [one.function.raw for one in places] for level, places in found.items()
                       if places}, wanted,
                      "its functions, of %d calls of the interpreter" % count)
        signals = made.gil - 8 if minor < 12 else OTHERS + 24
        made.put(signals, 2 if minor > 12 else 1, 4)
        made.table["pid"] = 101
        tap.equal([made.asked().has_signal(lwp) for lwp in (101, 102, None)], [minor != 12, False, False],
                  "a signal for the first thread")
        made.table["images"][0]["path"] = "/opt/render"
        tap.equal(made.asked().has_signal(101), False, "of a program that embeds it")
        made.table["images"][0]["path"] = "/usr/bin/python3"
        made.put(signals, 1 if minor > 12 else 0, 4)
        tap.equal(made.asked().has_signal(101), False, "none, or another request")
    for words, version in (("free threads", 0), ("a version to come", 0x30F00F0)):
        made = Interpreter(13)
        made.put(RUNTIME + (8 if version else 16), version or 1)
        tap.equal(made.holder(), None, words)
    made = Interpreter(12)
    made.put(VERSION, 0x20700F0)
    tap.equal(made.holder(), None, "an older version")
    use({"memory": {}, "images": []})
    tap.equal(python_state.Interpreters(Asked(), now().memory).gil_at(0x100), None,
              "no Python")


def of_doubts(tap):
    """Whatever does not fit says nothing."""
    def spoilt(words, address, value, wanted=0, size=8):
        made = Interpreter(11)
        made.put(address(made) if callable(address) else address, value, size)
        tap.equal(made.holder(), wanted, words)

    state = OTHERS + 160
    spoilt("a GIL that is free", lambda made: made.gil + 16, 0, size=4)
    spoilt("one that is just being taken or released", lambda made: made.gil + 80, 1, size=4)
    spoilt("a holder that is no thread state", lambda made: made.gil + 8, OTHERS + 8)
    spoilt("a thread that is not there", state, 555)
    spoilt("two states of one thread", state + 0x400, 101)
    spoilt("a state of another interpreter", OTHERS + 16, OWN + 8)
    spoilt("a list without an end", OTHERS + 0x408, OTHERS)
    spoilt("a list that leads nowhere", OTHERS + 0x408, 0x50)
    spoilt("an interpreter that ends", RUNTIME + 24, OTHERS)
    made = Interpreter(11)
    made.table["threads"][0]["frames"][0]["pc"] = 0x900000
    tap.equal(made.holder(), 0, "a thread that is not inside the interpreter")
    made = Interpreter(12)
    made.put(OWN + 384, GIL_APART + 0x100)
    tap.equal(made.holder(), None, "the GIL of another interpreter")
    for words, address, value in (
            ("code that is none", 0x2008, STATIC + 16),
            ("a name that is none", 0x3008, STATIC + 16),
            ("a name without an end", 0x3010, 1 << 40), ("one of no width", 0x3020, 0x60),
            ("frames without an end", 0x800 + 8, OTHERS + 0x6000)):
        made = Interpreter(11)
        if "end" in words and "frames" in words:
            made.put(OTHERS + 0x6030, OTHERS + 0x6000)
        made.put(OTHERS + address, value)
        tap.equal(made.asked().place(101), None, words)
    made = Interpreter(11)
    made.put(OTHERS + 0x5010, 1 << 40)
    tap.equal(made.asked().place(101).line, None, "a table without an end")


def of_lines(tap):
    """Tables of lines. 3.11: two instructions of the first line, one without, one two lines back,
    by 12 bits; one three lines on; one without a table that goes on."""
    entries = bytes((0x81, 0, 0xF8, 0xE8, 0x05, 0xF0, 0x46, 1, 0, 0, 0xF8, 0xEB, 0xCC))
    tap.equal([python_frames.line_of_entries(entries, 100, at) for at in (-1, 0, 1, 2, 3, 4, 5)],
              [None, 100, 100, None, 98, 98 + 35, None], "entries")
    tap.equal([python_frames.line_of_pairs(b"\x02\x01\x04\xff", 10, at) for at in (-1, 0, 1, 2, 6)],
              [None, 10, 10, 11, 10], "pairs")
    tap.equal([python_frames.line_of_ranges(b"\x02\x01\x02\x80\x02\xfe", 10, at)
               for at in (-1, 0, 2, 4, 6)], [None, 11, None, 9, None], "ranges")


def of_waits(tap):
    """What a thread waits for that sleeps for a moment, and the function that it has called."""
    made = Interpreter(11)
    row = made.table["threads"][1]
    row["frames"] = [{"pc": 1, "name": name} for name in (
        "pthread_cond_timedwait", "", "PyEval_RestoreThread", "PyGILState_Ensure", "")]
    asked = made.asked()
    waits = libc_waits.Waits(asked._walker, now().memory, (101, 102))
    thread = now().process.threads()[1][1]
    sleep = Sleep(made.gil + 72, 0, True, True)
    tap.equal((waits.call(thread, 1, None, sleep).name, waits.wait(sleep, libc_waits._NO_CALL)[:5]),
              ("PyGILState_Ensure", ("mutex", made.gil, 101, "GIL", "Python's GIL")),
              "a thread that waits for the GIL")
    made.put(made.gil + 16, 0, 4)
    waits = libc_waits.Waits(asked._walker, made.space().memory, (101, 102))
    tap.equal(waits.wait(sleep, libc_waits._NO_CALL)[:3], ("other", made.gil, 0),
              "one that is free")
    del row["frames"][1:]
    tap.equal(made.asked().entry(thread), "take_gil", "another function of the interpreter")
    for path, wanted in (("/usr/bin/python3.11", False), ("/venv/bin/python", False),
                         ("/opt/lib/libpython3.11d.so.1.0", False),
                         ("/opt/python3-server", True), ("/opt/render", True)):
        made = Interpreter(11)
        made.table["images"][0]["path"] = path
        made.table["images"].append({"path": "/lib/libc.so.6", "start": 0, "end": 1})
        made.table["caught_signals"] = 2
        made.space()
        tap.equal(signal_handlers.may_have(now().process, lambda: False), wanted, "handlers of what has it in " + path)
    made = Interpreter(11)
    libc = {"path": "/lib/libc.so.6", "start": 0, "end": 1}
    for words, image, signals, wanted in (
            ("no handlers", libc, 0, False), ("its handlers", libc, 2, False),
            ("or those of a library", {"path": "/src/lib.so", "start": 1, "end": 2}, 2, True)):
        made.table["caught_signals"] = signals
        made.table["images"].append(image)
        made.space()
        tap.equal(signal_handlers.may_have(now().process, lambda: False), wanted, words)
        tap.equal(signal_handlers.may_have(now().process, lambda: True), bool(signals),
                  words + ", where the first thread may call functions in Python")


def run(tap):
    for part in (of_versions, of_doubts, of_lines, of_waits):
        part(tap)
