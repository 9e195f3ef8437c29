# SPDX-License-Identifier: MIT
"""A client of gdb's machine interface: one command at a time, and what came before its result."""

import json
import os
import re
import subprocess

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_ESCAPE = re.compile(r"((?:\\[0-7]{3})+)|\\(.)")
_LETTERS = {"n": "\n", "t": "\t", "e": "\033"}
_NAME = re.compile(r"(?:[\w-]+=)?")


def _text(quoted):
    """What a string in C's notation says."""
    def sign(found):
        if found.group(2):
            return _LETTERS.get(found.group(2), found.group(2))
        return bytes(int(code, 8) for code in found.group(1).split("\\")[1:]).decode()
    return _ESCAPE.sub(sign, quoted[1:-1])


class Session:
    """A gdb that speaks MI through pipes, with the plugin."""

    def __init__(self, directory):
        self._gdb = subprocess.Popen(
            [os.environ["GDB"], "-q", "-nx", "--interpreter=mi3"], cwd=directory,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            encoding="utf-8", env=dict(os.environ, LC_ALL="C.UTF-8", OMP_WAIT_POLICY="passive"))
        self.answer("-gdb-set width 0")
        self.answer("-gdb-set confirm off")
        self.console("source %s/share/ompd/gdb/ompd-gdb.py" % os.environ["stage"])

    def answer(self, command, until=r"\^(done|error|exit)"):
        """(the line that UNTIL matches, what the console showed before it)"""
        self._send(command)
        return self.wait(until)

    def _send(self, command):
        self._gdb.stdin.write(command + "\n")
        self._gdb.stdin.flush()

    def wait(self, until=r"\^(done|error)"):
        """The same of a command that was sent."""
        shown = []
        for line in self._gdb.stdout:
            if line.startswith("~"):
                shown.append(_text(line[1:].rstrip("\n")))
            if re.match(until, line):
                return line.rstrip("\n"), "".join(shown)
        return "", "".join(shown)

    def run(self, command):
        """All records that come for a command which runs the program, up to the stop and what is
        said of that."""
        self._send(command)
        found = []
        for line in self._gdb.stdout:
            found.append(line.rstrip("\n"))
            if line.startswith("^error"):
                return found
            if line.startswith("*stopped"):
                break
        self._send("77-gdb-show width")
        for line in self._gdb.stdout:
            if line.startswith("77^"):
                break
            found.append(line.rstrip("\n"))
        return found

    def ask(self, command):
        """The results of a command, or its error's message."""
        line = self.answer(command)[0]
        kind, _, rest = line.partition(",")
        results = Results(rest).members("") if rest else {}
        return results if kind == "^done" else results.get("msg")

    def console(self, command):
        line, shown = self.answer("-interpreter-exec console " + json.dumps(command))
        return shown if line == "^done" else Results(line.partition(",")[2]).members("")["msg"]

    def has_commands(self):
        """Whether this gdb lets Python define commands of MI."""
        return "True" in self.console("python import gdb; print(hasattr(gdb, 'MICommand'))")

    def close(self):
        self.answer("-gdb-exit")
        self._gdb.wait(30)


class Results:
    """Reads MI's notation of values. In lists of results their names are left out."""

    def __init__(self, text):
        self._text = text
        self._at = 0

    def members(self, end):
        found = {}
        while self._text[self._at:self._at + 1] != end:
            equals = self._text.index("=", self._at)
            name = self._text[self._at:equals].lstrip(",")
            self._at = equals + 1
            found[name] = self._value()
        self._at += 1
        return found

    def _value(self):
        sign = self._text[self._at]
        if sign == '"':
            found = _STRING.match(self._text, self._at)
            self._at = found.end()
            return _text(found.group())
        self._at += 1
        if sign == "{":
            return self.members("}")
        found = []
        while self._text[self._at] != "]":
            self._at += self._text[self._at] == ","
            self._at = _NAME.match(self._text, self._at).end()
            found.append(self._value())
        self._at += 1
        return found
