# SPDX-License-Identifier: MIT
"""Chromium without a window, by its DevTools protocol over a pair of pipes."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

LIMIT = 120  # seconds for an answer, on a machine that is busy
PATH = shutil.which("chromium") or shutil.which("chromium-browser")


class Page:
    """One page, in a profile of its own. `said`: what its console has; `requests`: addresses that
    it has asked for."""

    def __init__(self, path, width=1280, height=900, dark=False, scripts=True):
        self._profile = tempfile.mkdtemp(prefix="ompd-chromium-")
        self._number, self._data = 0, b""
        self.said, self.requests = [], []
        self._start()
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target,
                                  flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._ask(domain + ".enable")
        self._ask("Emulation.setScriptExecutionDisabled", value=not scripts)
        self._ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self._loaded = False
        self._ask("Page.navigate", url="file://" + os.path.abspath(path))
        while not self._loaded:
            self._read()

    def _start(self):
        self._session = None
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()

        def arrange():
            kept = os.dup(to_read), os.dup(to_write)
            os.dup2(kept[0], 3)
            os.dup2(kept[1], 4)

        self._process = subprocess.Popen(
            [PATH, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--remote-debugging-pipe", "--user-data-dir=" + self._profile],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=arrange, close_fds=False, start_new_session=True)
        os.close(to_read)
        os.close(to_write)

    def _ask(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]))
                return answer["result"]

    def _read(self):
        """The next message, of which events are kept."""
        until = time.monotonic() + LIMIT
        while b"\0" not in self._data:
            if not select.select([self._from], [], [], max(until - time.monotonic(), 0))[0]:
                raise RuntimeError("chromium does not answer")
            data = os.read(self._from, 1 << 16)
            if not data:
                raise RuntimeError("chromium has ended")
            self._data += data
        message, _, self._data = self._data.partition(b"\0")
        message = json.loads(message)
        method, values = message.get("method"), message.get("params", {})
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.said.append(json.dumps(values)[:500])
        elif method == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])
        return message

    def value(self, expression):
        """What an EXPRESSION of JavaScript is, as a plain value."""
        found = self._ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in found:
            raise RuntimeError(json.dumps(found["exceptionDetails"])[:500])
        return found["result"].get("value")

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self._ask("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode={"Tab": 9, "Enter": 13, "Escape": 27, "ArrowDown": 40,
                                             "ArrowUp": 38, "ArrowRight": 39}[key],
                      **({"text": "\r"} if key == "Enter" and kind == "keyDown" else {}))

    def screenshot(self, path, whole=False):
        """A picture of what is seen, or of the WHOLE page."""
        found = self._ask("Page.captureScreenshot", captureBeyondViewport=whole)
        data = base64.b64decode(found["data"])
        with open(path, "wb") as stream:
            stream.write(data)
        return data

    def paper(self, path):
        """The page as it is printed."""
        with open(path, "wb") as stream:
            stream.write(base64.b64decode(self._ask("Page.printToPDF",
                                                    printBackground=True)["data"]))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
        shutil.rmtree(self._profile, ignore_errors=True)
