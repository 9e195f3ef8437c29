# SPDX-License-Identifier: MIT
"""A client of the Debug Adapter Protocol, gdb's and others', as small as one can be: requests one at a time, and
the events that came meanwhile, in order."""

import json
import os
import re
import subprocess
import threading

REQUEST_TIME = 60  # seconds


class Refused(Exception):
    """The adapter said that a request failed, and why."""


def version():
    """The number of the release of $GDB, 0 of one that has no such protocol."""
    found = subprocess.run(
        [os.environ["GDB"], "-nx", "-batch", "-ex", "python import gdb.dap",
         "-ex", "python print(gdb.VERSION.split('.')[0])"],
        capture_output=True, encoding="utf-8", check=False)
    return 0 if found.stderr else int(re.sub(r"\D", "", found.stdout))


class Session:
    """An adapter that COMMAND starts in a directory. `events` has what it has sent so far. Unless it
    `prepares` it runs programs at once."""

    prepares = True

    def __init__(self, command, directory, environment):
        self._adapter = subprocess.Popen(
            command, cwd=directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=environment)
        self.events = []
        self._sent = 0
        self._responses = {}
        self._changed = threading.Condition()
        self._ended = False
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for message in iter(self._message, None):
            with self._changed:
                if message["type"] == "event":
                    self.events.append(message)
                elif message["type"] == "response":
                    self._responses[message["request_seq"]] = message
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _message(self):
        length = None
        while True:
            line = self._adapter.stdout.readline()
            if not line:
                return None
            if line.startswith(b"Content-Length:"):
                length = int(line.split(b":")[1])
            elif line == b"\r\n" and length is not None:
                return json.loads(self._adapter.stdout.read(length))

    def send(self, command, **arguments):
        """Makes a request; its number, for answer()."""
        self._sent += 1
        body = json.dumps({"seq": self._sent, "type": "request", "command": command,
                           "arguments": arguments}).encode()
        self._adapter.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._adapter.stdin.flush()
        return self._sent

    def answer(self, number):
        """The body of a response; Refused if there is none."""
        self._wait(lambda: number in self._responses, "response %d" % number)
        response = self._responses.pop(number)
        if not response["success"]:
            raise Refused(response.get("message"))
        return response.get("body") or {}

    def ask(self, command, **arguments):
        return self.answer(self.send(command, **arguments))

    def event(self, kind, since=0):
        """The body of the first event of a kind behind the number SINCE of `events`."""
        def found():
            return [e for e in self.events[since:] if e["event"] == kind]
        self._wait(found, "event " + kind)
        return found()[0].get("body") or {}

    def count(self, kind, since=0):
        return sum(event["event"] == kind for event in self.events[since:])

    def _wait(self, condition, what):
        with self._changed:
            if not self._changed.wait_for(lambda: condition() or self._ended, REQUEST_TIME) or \
                    not condition():
                raise Refused("no %s came" % what)

    def launch(self, program, lines=(), **more):
        """Runs a PROGRAM with breakpoints at (path, line); the body of its first stop."""
        self.ask("initialize", clientID="ompd", adapterID="ompd", linesStartAt1=True,
                 columnsStartAt1=True, pathFormat="path")
        launched = self.send("launch", program=program, **more) if self.prepares else None
        self.event("initialized")
        paths = {}
        for path, line in lines:
            paths.setdefault(path, []).append({"line": line})
        for path, wanted in paths.items():
            self.ask("setBreakpoints", source={"path": path}, breakpoints=wanted)
        since = len(self.events)
        self.ask("configurationDone")
        self.answer(launched or self.send("launch", program=program, **more))
        return self.event("stopped", since)

    def console(self, command, **more):
        """What a command prints that is typed into the debug console."""
        return self.ask("evaluate", expression=command, context="repl", **more)["result"]

    def close(self):
        try:
            self.ask("disconnect", terminateDebuggee=True)
            self._adapter.wait(30)
        except (Refused, OSError, subprocess.TimeoutExpired):
            self._adapter.kill()
            self._adapter.wait()


class Client(Session):
    """A gdb that was started with --interpreter=dap."""

    def __init__(self, directory, *arguments, **environment):
        super().__init__(
            [os.environ["GDB"], "-q", "-nx", "--interpreter=dap", *arguments], directory,
            dict(os.environ, LC_ALL="C.UTF-8", OMP_WAIT_POLICY="passive", **environment))
        self.version = version()
        self.prepares = self.version >= 14
