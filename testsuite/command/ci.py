#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The recipes of doc/ci.md, as their runners run them but with fewer seconds, on examples/mean.c, which
hangs: the verdict is in the log."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

import ompd_runs
from rest import comes_to_rest
from tap import Tap

TOP = os.path.dirname(ompd_runs.SUITE)
ACTION = "examples/ci/action.yml"
VERDICT = r"deadlock: threads of one team wait at different barriers +\[certain\]$"
LIMIT = 100  # seconds for a recipe
INPUT = re.compile(r"\$\{\{ inputs\.(\w+) \}\}")
GITHUB = "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"
IS_ROOT = os.geteuid() == 0
APART = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", *["--map-root-user"] * (not IS_ROOT)]
TAP = Tap()

# Sections whose files are written, and whose commands are run then: what these need, what is run beside
# them, and the exit status.
TYPED = (
    ("A shell, cron", ("timeout",), "", 79),
    ("make", ("make",), "make check", 2),
    ("CMake", ("cmake", "ctest"), "", 8),
    ("Meson", ("meson", "ninja"), "", 1),
    ("pytest", ("pytest",), "", 79))


def recipes():
    """{heading: blocks} of the page."""
    with open(os.path.join(TOP, "doc/ci.md"), encoding="utf-8") as stream:
        parts = re.split(r"^## (.*)\n", stream.read(), flags=re.M)
    return {heading: re.findall(r"^```\w+\n(.*?)^```$", text, re.M | re.S)
            for heading, text in zip(parts[1::2], parts[2::2])}


def quick(text):
    """With seconds of a test; those of nothing else."""
    return re.sub(r'(-watchdog[ ",]+)\d+', r"\g<1>1", text)


class Place:
    """A directory with mean.c and what is made of it, in which commands are run."""

    scratch = ""  # has them all

    def __init__(self, heading, blocks):
        self.path = os.path.join(self.scratch, re.sub(r"\W", "-", heading))
        os.mkdir(self.path)
        for name in ("mean.c", "mean"):
            shutil.copy(os.path.join(self.scratch, name), self.path)
        named = [re.match(r"(?:#|//) ([\w./-]+)\n", block) for block in blocks]
        self.files = {found.group(1): block for found, block in zip(named, blocks) if found}
        self.commands = [block for found, block in zip(named, blocks) if not found]
        for name, text in self.files.items():
            os.makedirs(os.path.dirname(os.path.join(self.path, name)), exist_ok=True)
            with open(os.path.join(self.path, name), "w", encoding="utf-8") as stream:
                stream.write(quick(text))
        self.log = os.path.join(self.path, "log")

    def begin(self, words, **settings):
        environment = {name: value for name, value in os.environ.items() if not re.match(
            "OMP_|GOMP_|LD_|MAKE|MFLAGS|GITHUB_|GITLAB_", name)}
        environment.update(OMP_WAIT_POLICY="passive", PATH="%s/bin:/usr/bin:%s" % (
            ompd_runs.STAGE, os.environ["PATH"]), **settings)
        with open(self.log, "wb") as log:
            return subprocess.Popen(words, cwd=self.path, env=environment, stdin=subprocess.DEVNULL,
                                    stdout=log, stderr=log, start_new_session=True)

    def ended(self, process):
        """(its exit status, what is in the log)"""
        try:
            status = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it has left nothing
            process.wait()
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return status, log.read()

    def run(self, words, **settings):
        return self.ended(self.begin(words, **settings))


def explains(name, found, wanted):
    status, log = found
    TAP.ok(status == wanted and re.search(VERDICT, log, re.M), name, "status %s" % status, log)


def reports(place, name):
    kept = os.listdir(os.path.join(place, name)) if os.path.isdir(os.path.join(place, name)) else []
    TAP.equal(sorted(file.rpartition(".")[2] for file in kept), ["core", "html", "json", "txt"],
              name + " has the reports")


def children(process):
    with open("/proc/%d/task/%d/children" % (process, process), encoding="ascii") as stream:
        return list(map(int, stream.read().split()))


def mean_of(process):
    """The process of the program, which is below another one, or None."""
    try:
        if os.readlink("/proc/%d/exe" % process).endswith("/mean"):
            return process
        return next(filter(None, map(mean_of, children(process))), None)
    except OSError:
        return None  # it has just begun, or ended


def at_rest(process):
    """The process of the program below another one, once it hangs; None: it does not."""
    end = time.monotonic() + LIMIT
    while mean_of(process.pid) is None and time.monotonic() < end:
        time.sleep(0.05)
    found = mean_of(process.pid)
    return found if found and comes_to_rest(found) else None


def typed(found):
    for heading, needed, beside, status in TYPED:
        missing = [name for name in needed if not shutil.which(name)]
        if missing:
            TAP.skip(heading, "there is no " + ", ".join(missing))
            continue
        place = Place(heading, found[heading])
        commands = "".join(map(quick, place.commands)) + beside
        explains(heading, place.run(["sh", "-e", "-c", commands]), status)


def github(blocks, yaml):
    place = Place("GitHub Actions", blocks)
    job = yaml.safe_load(place.files[".github/workflows/test.yml"])["jobs"]["test"]
    with open(os.path.join(TOP, ACTION), encoding="utf-8") as stream:
        action = yaml.safe_load(stream)
    given = next(step["with"] for step in job["steps"] if "/ompd-linux/" in step.get("uses", ""))
    TAP.ok(set(given) <= set(action["inputs"]), "the inputs are the action's", given)
    temporary = os.path.join(place.path, "temporary")
    os.mkdir(temporary)
    os.symlink(ompd_runs.STAGE, temporary + "/ompd")
    steps = [step for step in job["steps"] + action["runs"]["steps"] if "run" in step]
    for seconds, signalled, status in ((1, None, 79), (60, signal.SIGINT, -signal.SIGINT)):
        for step in steps:
            values = {name: str(dict(given, seconds=seconds)[INPUT.fullmatch(text).group(1)])
                      for name, text in step.get("env", {}).items()}
            process = place.begin([*GITHUB, step["run"]], GITHUB_ACTIONS="true", RUNNER_TEMP=temporary,
                                  GITHUB_ACTION_PATH=os.path.join(TOP, "examples/ci"), **values)
            if values and signalled and at_rest(process):
                process.send_signal(signalled)
            said = place.ended(process)
        explains("GitHub Actions" + ", cancelled" * bool(signalled), said, status)
        TAP.like(said[1], "^::group::deadlock", "folded")
        reports(temporary, "hung")
        shutil.rmtree(os.path.join(temporary, "hung"), ignore_errors=True)


def gitlab(blocks, yaml):
    place = Place("GitLab", blocks)
    job = yaml.safe_load(quick(place.files[".gitlab-ci.yml"]))["test"]
    said = place.run(["sh", "-e", "-c", "\n".join(job["script"])], GITLAB_CI="true")
    explains("GitLab", said, 79)
    TAP.like(said[1], r"^section_start:\d+:ompd_", "folded")
    reports(place.path, job["artifacts"]["paths"][0].rstrip("/"))


def kubernetes(blocks, yaml):
    place = Place("Kubernetes", blocks)
    container = yaml.safe_load(place.files["pod.yaml"])["spec"]["containers"][0]
    process = place.begin([*APART, *container["command"]])
    if at_rest(process):
        os.kill(children(process.pid)[0], signal.SIGTERM)
    explains("Kubernetes: a pod is deleted", place.ended(process), 128 + signal.SIGTERM)
    words = next(line for line in place.commands[0].splitlines() if " -- " in line).partition(" -- ")[2]
    process = place.begin([*APART, *shlex.split("./mean hang")])
    inside = ["nsenter", "-t", str(at_rest(process)), "-p", "-m", *["-U", "--preserve-credentials"] * (
        not IS_ROOT), os.path.dirname(ompd_runs.OMPD) + "/"]
    subprocess.run(["sh", "-c", shlex.join(inside) + words], check=False, cwd=place.path)
    process.kill()
    place.ended(process)
    said = ompd_runs.ompd("why", os.path.join(place.path, "stuck.core"))
    explains("Kubernetes: an ephemeral container", (said.status, said.out + said.err), 12)


def jenkins(blocks):
    place = Place("Jenkins", blocks)
    text = quick(place.files["Jenkinsfile"])
    explains("Jenkins", place.run(["sh", "-xe", "-c", "\n".join(re.findall(r"sh '(.*)'", text))]), 79)
    reports(place.path, re.search(r"artifacts: '(\w+)/\*\*'", text).group(1))


def systemd(blocks):
    """The service gets the signal that its unit names in its first process alone, after the unit was read."""
    place = Place("systemd", blocks)
    units = []
    for name, text in place.files.items():
        units.append(os.path.join(place.path, name))
        for path, here in (("/usr/bin/ompd", ompd_runs.OMPD), ("/usr/bin/mean", place.path + "/mean")):
            text = text.replace(path, here)
        with open(units[-1], "w", encoding="utf-8") as stream:
            stream.write(text)
    if shutil.which("systemd-analyze"):
        done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True,
                              check=False)
        TAP.equal((done.returncode, done.stdout + done.stderr), (0, ""), "systemd reads the units")
    else:
        TAP.skip("systemd reads the units", "there is no systemd-analyze")
    with open(units[0], encoding="utf-8") as stream:
        unit = dict(line.split("=", 1) for line in stream.read().splitlines() if "=" in line)
    process = place.begin(shlex.split(unit["ExecStart"].replace("%L", place.path)))
    if at_rest(process) and unit["KillMode"] == "mixed":
        process.send_signal(signal.Signals[unit["WatchdogSignal"]])
    explains("systemd", place.ended(process), -signal.SIGTERM)


def main():
    ompd_runs.need_libdw()
    found = recipes()
    ompd_runs.compile_program(os.path.join(TOP, "examples/mean.c"), Place.scratch + "/mean", "-O0")
    shutil.copy(os.path.join(TOP, "examples/mean.c"), Place.scratch)
    typed(found)
    jenkins(found["Jenkins"])
    systemd(found["systemd"])
    try:
        import yaml  # pylint: disable=import-outside-toplevel
    except ImportError:
        TAP.skip("GitHub Actions, GitLab, Kubernetes", "Python has no module yaml")
    else:
        github(found["GitHub Actions"], yaml)
        gitlab(found["GitLab"], yaml)
        if subprocess.run([*APART, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            kubernetes(found["Kubernetes"], yaml)
        else:
            TAP.skip("Kubernetes", "no namespace of processes can be made")
    TAP.end()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="ompd-ci-") as Place.scratch:
        main()
