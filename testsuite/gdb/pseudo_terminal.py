# SPDX-License-Identifier: MIT
"""A program on a terminal of eighty columns, as a person has it."""

import os
import pty
import re
import select
import signal
import subprocess
import time

import harness

ESCAPE = "\033\\[[0-9;]*m"
PROMPT = "(gdb) "
_OTHER_ESCAPES = "\033\\[[?0-9]*[a-ln-z]"


def need():
    """Skips the test where there is no gdb or no pseudo terminal."""
    if not os.environ.get("GDB"):
        harness.skip_all("gdb is not installed")
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as error:
        harness.skip_all("this machine has no pseudo terminals (%s)" % error)


class Terminal:
    """A COMMAND that asks with one of PROMPTS, in DIRECTORY; more of its ENVIRONMENT."""

    def __init__(self, directory, command, prompts=(PROMPT,), environment=()):
        self._prompts = tuple(prompts)
        self.pid, self._end = pty.fork()
        if self.pid == 0:
            os.chdir(directory)
            os.environ.update(TERM="xterm", LC_ALL="C.UTF-8", **dict(environment))
            for name in ("NO_COLOR", "INPUTRC"):
                os.environ.pop(name, None)
            subprocess.run(["stty", "cols", "80", "rows", "60"], check=False)
            os.execvp(command[0], command)
        self.prompt = self._asked(self._read())

    def _asked(self, text):
        """The prompt at the end of TEXT, or None."""
        bare = re.sub(ESCAPE + "|" + _OTHER_ESCAPES + "|\r", "", text)
        last = bare[bare.rfind("\n") + 1:]
        return next((prompt for prompt in self._prompts if last == prompt), None)

    def _read(self, seconds=60):
        """Everything up to the next prompt."""
        text = ""
        end = time.monotonic() + seconds
        while self._asked(text) is None:
            if not select.select([self._end], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(text)
            text += os.read(self._end, 65536).decode("utf-8", "replace")
        return text

    def type(self, line):
        """What is shown between this line and the next prompt."""
        os.write(self._end, line.encode() + b"\n")
        text = self._read()
        self.prompt = self._asked(text)
        text = re.sub(_OTHER_ESCAPES, "", text).replace("\r", "")
        return text.split("\n", 1)[1].rsplit("\n", 1)[0] if text.count("\n") > 1 else ""

    def close(self):
        """Kills all processes of the terminal's session."""
        for name in os.listdir("/proc"):
            try:
                if name.isdigit() and os.getsid(int(name)) == self.pid:
                    os.kill(int(name), signal.SIGKILL)
            except ProcessLookupError:
                pass
        os.waitpid(self.pid, 0)
        os.close(self._end)

