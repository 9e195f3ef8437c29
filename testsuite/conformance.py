#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The conformance statement: routine by routine and event by event, what is offered and what the
runs of this build have shown.

    conformance.py FILE     writes it as HTML

What is offered is read from the headers, from the tables of the hooks and from OMPT.md; what has
been shown, from what the tests and check-llvm-api, check-llvm-ompt and check-tools left in the
build directory. A result that is older than the library that it is about is left out: what was not
run with this build is "not run", never a pass.
"""

import collections
import glob
import html
import os
import re
import subprocess
import sys

TOP = os.environ.get("top_srcdir") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
BUILD = os.environ.get("top_builddir", ".")
CONSUMERS = os.path.join(TOP, "runtime-hooks/consumers")
UNIT = os.path.join(TOP, "testsuite/unit")
ROUTINES = os.path.join(TOP, "testsuite/common/ompd-routines.def")

Score = collections.namedtuple("Score", "passed total")
NOT_RUN = None
# The callbacks of what LLVM's tests call an event, by the first pattern that fits.
EVENT_CALLBACKS = (
    (r"(init|destroy)_(nest_)?lock", r"lock_\1"),
    (r"(acquired_nest_lock_next|release_nest_lock_prev).*", "nest_lock"),
    (r"wait_(barrier|taskwait|taskgroup)_(begin|end)", "sync_region_wait"),
    (r"wait_.*", "mutex_acquire"),
    (r"acquired_.*", "mutex_acquired"),
    (r"release_.*", "mutex_released"),
    (r"(barrier|taskwait|taskgroup)_(begin|end)", "sync_region"),
    (r"(initial|implicit)_task_(begin|end)", "implicit_task"),
    (r"teams_(begin|end)", r"parallel_\1"),
    (r"(masked|master)_(begin|end)", "masked"),
    (r"reduction_(begin|end)", "reduction"),
    (r"(loop|sections|single_\w+|scope|distribute|taskloop)_(begin|end)", "work"),
    (r"task_end", "task_schedule"),
    (r"task_dependence_pair", "task_dependence"),
    (r"runtime_error", "error"),
)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8", errors="replace") as file:
        return file.read()


# What is offered.

def routines(header):
    """The routines that a header of ours declares, in its order."""
    return re.findall(r"^(?:ompd_rc_t|int)\s+\**(ompd_\w+)\(", read(TOP, header), re.M)


def rows_of_macro(path, macro):
    """The arguments of each use of a macro in a table, strings without their quotes."""
    code = re.sub(r"/\*.*?\*/", "", read(path), flags=re.S)
    rows = []
    for match in re.finditer(r"^%s\(" % macro, code, re.M):
        words, depth, quoted = [""], 0, False
        for character in code[match.end():]:
            quoted ^= character == '"'
            depth += not quoted and (character == "(") - (character == ")")
            if depth < 0:
                break
            if character == "," and not depth and not quoted:
                words.append("")
            elif character != '"':
                words[-1] += character
        rows.append([" ".join(word.split()) for word in words])
    return rows


def rows_of_markdown(path, heading):
    """The cells of each row of the table that begins with HEADING."""
    rows = []
    for line in read(path).split(heading, 1)[1].splitlines()[2:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip().replace("\\_", "_")
                     for cell in line.strip().strip("|").split(" |")])
    return rows


def callback_reasons():
    """What OMPT.md says of a callback, by its name."""
    reasons = {}
    for names, _, reason in rows_of_markdown(os.path.join(CONSUMERS, "ompt/OMPT.md"),
                                             "| callback | result |"):
        for name in re.findall(r"\w+", re.sub(r"\(also _emi\)", "", names)):
            reasons[name] = reason
    return reasons


def reason_of(callback, reasons):
    plain = re.sub("_emi$", "", callback)
    return reasons.get(callback) or reasons.get(plain) or \
        reasons.get("device_" if callback.startswith("device_") else "", "")


def entry_points(path, macro):
    return re.findall(r"\b%s\((ompt_\w+)[,)]" % macro, read(CONSUMERS, path))


def requests():
    return re.findall(r"OMP_REQ_(?!LAST)\w+", read(CONSUMERS, "collector/omp_collector_api.h"))


# What has been shown.

def is_of_this_build(path, library):
    built = os.path.join(BUILD, ".libs", library)
    return os.path.exists(path) and os.path.exists(built) and \
        os.path.getmtime(path) >= os.path.getmtime(built)


def cases(test, library):
    """The cases of a test of `make check` that has come to its end: (name, whether it passed)."""
    path = os.path.join(BUILD, test)
    if not is_of_this_build(path + ".trs", library):
        return []
    return [(name, result in ("PASS", "XFAIL")) for result, name in
            re.findall(r"^(PASS|XFAIL|FAIL|XPASS|ERROR): testsuite/\S+ (.*)", read(path + ".log"),
                       re.M)]


def score(found):
    return Score(sum(passed for _, passed in found), len(found)) if found else NOT_RUN


def of_tests(pattern, library):
    """The score of all tests whose path below the build directory fits."""
    return score([case for path in sorted(glob.glob(os.path.join(BUILD, pattern + ".trs")))
                  for case in cases(os.path.relpath(path, BUILD)[:-4], library)])


def asked(abi):
    """The routines of an interface, "2" or "5", that the questions of the Check units ask."""
    found = set()
    for macro, name, reads in (("ROUTINE", 0, 4), ("ONLY_" + abi, 0, 4),
                               ("RENAMED", 0 if abi == "2" else 1, 5)):
        found |= {"ompd_" + row[name] for row in rows_of_macro(ROUTINES, macro)
                  if row[reads] != "UNASKED"}
    return found


class Units:
    """The Check units of an interface: the cases that call a routine, themselves or by the questions
    that ask each one, such as those in which each callback fails in turn."""

    def __init__(self, suffix, library):
        self.asked = asked(suffix or "2")
        self.cases, self._of_tests = [], []
        for path in sorted(glob.glob(os.path.join(UNIT, "test*.c"))):
            code = read(path)
            if '"unit%s.h"' % suffix not in code:
                continue
            found = cases("testsuite/unit/" + os.path.basename(path)[:-2], library)
            self.cases += found
            passed = collections.defaultdict(list)
            for case, result in found:
                test = re.search(r"\.c:[^:]*:(\w+)", case)
                if test:
                    passed[test.group(1)].append((case, result))
            self._of_tests += [
                (body, "questions[" in code, passed[test]) for test, body in
                re.findall(r"^(?:TEST|EACH|EACH_FROM|BETWEEN|UNIT)\((\w+).*?\)\n\{\n(.*?)^\}", code,
                           re.S | re.M)]

    def score(self, routine):
        word = re.compile(r"\b%s\(" % routine)
        return score([case for body, of_all, results in self._of_tests
                      if word.search(body) or of_all and routine in self.asked
                      for case in results])


def llvm_api():
    """{runtime: {routine: score}} of LLVM's OMPD tests by LLVM's plugin."""
    runtimes = {}
    for path in sorted(glob.glob(os.path.join(BUILD, "platforms/llvm-api/*/*.log"))):
        runtime, name = path.split(os.sep)[-2:]
        routine = re.sub(r"^test_(.*)\.c\.cmd\w*\.log$", r"\1", name)
        if not is_of_this_build(path, "libompd.so"):
            continue
        said = read(path)
        good = said.count("Success")
        bad = said.count("Failed") + ("Traceback" in said or "SystemError" in said)
        before = runtimes.setdefault(runtime, {}).get(routine, Score(0, 0))
        runtimes[runtime][routine] = Score(before.passed + good, before.total + good + bad)
    return runtimes


def llvm_ompt():
    """{runtime: {test: result}} of LLVM's OMPT tests, and {callback: its tests}."""
    runtimes, tests = {}, collections.defaultdict(set)
    for path in sorted(glob.glob(os.path.join(BUILD, "platforms/llvm-ompt-*/*/log"))):
        if is_of_this_build(path, "libompd-hooks.so"):
            runtimes[path.split(os.sep)[-2]] = {
                test: result for result, test in
                re.findall(r"^([A-Z]+): libomp :: ompt/(\S+) ", read(path), re.M)}
    for folder in glob.glob(os.path.join(BUILD, "platforms/llvm-ompt-*/openmp/runtime/test/ompt")):
        for path in glob.glob(os.path.join(folder, "**/*.c*"), recursive=True):
            for event in re.findall(r"CHECK[^:]*:.*?ompt_event_(\w+)", read(path)):
                tests[callback_of(event)].add(os.path.relpath(path, folder))
    return runtimes, tests


def callback_of(event):
    for pattern, callback in EVENT_CALLBACKS:
        if re.fullmatch(pattern, event):
            return re.sub("^%s$" % pattern, callback, event)
    return event


def raised():
    """{side: ({callback: how often}, {callback: result of ompt_set_callback})} of the scenes that
    agree_events.py has run, sides gomp and llvm."""
    sides = {}
    for side in ("gomp", "llvm"):
        counts, results = collections.Counter(), {}
        for path in glob.glob(os.path.join(BUILD, "testsuite/tools/events", side, "*.events-*")):
            if not is_of_this_build(path, "libompd-hooks.so"):
                continue
            for line in read(path).splitlines():
                words = line.split(" ")
                name = words[2] if len(words) > 2 else ""
                if name == "set":
                    results[words[3][5:]] = words[4][7:]
                counts[name] += 1
        if results:
            sides[side] = counts, results
    return sides


def tools():
    """The cases of check-tools."""
    path = os.path.join(BUILD, "platforms/tools/log")
    if not is_of_this_build(path, "libompd-hooks.so"):
        return []
    return re.findall(r"^(ok|not ok) \d+ - (.*?)(?: # SKIP (.*))?$", read(path), re.M)


def first_line(*words):
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.split("\n")[0].strip()


def versions():
    """What was run, and its version; what is not here is left out."""
    compiler = (os.environ.get("CC") or "gcc").split()
    found = [("gcc", first_line(*compiler, "-dumpfullversion")),
             ("libgomp", first_line("dpkg-query", "-W", "-f", "${Version}", "libgomp1")),
             ("clang", first_line(os.environ.get("CLANG") or "clang", "-dumpversion")),
             ("gdb", re.sub(".* ", "", first_line(os.environ.get("GDB") or "gdb", "--version")))]
    for path in sorted(glob.glob(os.path.join(BUILD, "platforms/llvm-api/libomp-*/packages"))):
        found += [("libomp", line.split("_")[1]) for line in read(path).split()
                  if line.startswith("libomp5-")]
    if os.path.isdir(os.path.join(BUILD, "platforms/llvm-api/openmp")):
        found.append(("LLVM's OMPD tests and gdb plugin", "19"))
    for path in glob.glob(os.path.join(BUILD, "platforms/llvm-ompt-*")):
        found.append(("LLVM's OMPT tests", path.rsplit("-", 1)[1]))
    return [(name, version) for name, version in found if version]


# The page. Whatever comes from elsewhere is text: escaped by cell(), the only way into it.

STYLE = """
:root { color-scheme: light dark; --line: #c9ced6; --head: #eef0f3; --good: #1a7f37;
        --bad: #b42318; --none: #68707c; --back: #ffffff; --text: #1c2128; }
@media (prefers-color-scheme: dark) {
  :root { --line: #3d444d; --head: #22272e; --good: #57ab5a; --bad: #f47067; --none: #909dab;
          --back: #16191e; --text: #d5dbe3; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 76em; padding: 0 1em;
       background: var(--back); color: var(--text); }
h2 { margin-top: 2.2em; }
p, ul { max-width: 52em; }
div { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; margin: .7em 0; }
th, td { border: 1px solid var(--line); padding: .25em .6em; text-align: left;
         vertical-align: top; }
th { background: var(--head); }
td:first-child { font-family: ui-monospace, monospace; }
.good { color: var(--good); } .bad { color: var(--bad); } .none { color: var(--none); }
"""


def cell(value):
    """A cell's class and its escaped text: a Score, None where nothing was run, or words, in which
    backticks enclose code."""
    if value is NOT_RUN:
        return "none", "not run"
    if isinstance(value, Score):
        if not value.total:
            return "none", "no check"
        return ("good" if value.passed == value.total else "bad",
                "%d of %d" % (value.passed, value.total))
    return "", re.sub("`([^`]*)`", r"<code>\1</code>", html.escape(str(value)))


def element(tag, value):
    kind, words = cell(value)
    return "<%s%s>%s</%s>" % (tag, ' class="%s"' % kind if kind else "", words, tag)


def table(headings, rows):
    lines = ["<div><table>", "<tr>%s</tr>" % "".join(element("th", word) for word in headings)]
    lines += ["<tr>%s</tr>" % "".join(element("td", value) for value in row) for row in rows]
    return "\n".join(lines + ["</table></div>"])


def total(scores):
    found = [one for one in scores if one is not NOT_RUN]
    return Score(sum(one.passed for one in found), sum(one.total for one in found)) \
        if found else NOT_RUN


class Page:
    """What is on the page, in order."""

    def __init__(self):
        self.parts = []

    def heading(self, words):
        self.parts.append(element("h2", words))

    def text(self, words):
        self.parts.append(element("p", words))

    def table(self, headings, rows):
        self.parts.append(table(headings, rows))

    def document(self, title):
        return "\n".join(["<!DOCTYPE html>", '<html lang="en">', '<meta charset="utf-8">',
                          '<meta name="viewport" content="width=device-width">',
                          element("title", title), "<style>%s</style>" % STYLE,
                          element("h1", title), *self.parts, "</html>", ""])


def write_ompd(page):
    """The sections of OMPD; rows of the summary."""
    api = llvm_api()
    units = Units("5", "libompd.so")
    columns = ["LLVM's tests, %s" % ("libgomp" if name == "libgomp" else "libomp " + name)
               for name in api] or ["LLVM's tests"]

    def row(routine, runtimes):
        tested = [api[name].get(routine, "-") for name in api] or [NOT_RUN]
        return [routine, *(tested if runtimes else ()), units.score(routine)]

    page.heading("OMPD of OpenMP 5.x: libompd.so")
    page.text("LLVM's tests are run by LLVM's own gdb plugin with this library in place of LLVM's, "
              "and counted by what it calls a success. - : LLVM has no test of this name. The own "
              "cases are those of testsuite/unit that call the routine over a process of which "
              "every callback may fail. On real processes and cores the routines are called by "
              "testsuite/host:")
    page.table(("asked of", "cases that passed"), [
        ("real processes and cores, by both versions (testsuite/host)",
         of_tests("testsuite/host/*", "libompd.so")),
        ("processes that an input spoils (testsuite/fuzz)",
         of_tests("testsuite/fuzz/*", "libompd.so"))])
    names = [routines("libompd/" + header) for header in
             ("abi-5/omp-tools-ompd.h", "ext/ompd-ext.h", "abi-2/ompd.h")]
    page.table(["routine", *columns, "own cases"], [row(name, True) for name in names[0]])
    page.heading("The extension of OMPD: libompd.so")
    page.text("What ompd-ext.h declares: found by name, of no standard.")
    page.table(("routine", "own cases"), [row(name, False) for name in names[1]])
    page.heading("OMPD 2.000 (the report of 2015): libompd-2.so")
    units2 = Units("", "libompd-2.so")
    page.table(("routine", "own cases"), [(name, units2.score(name)) for name in names[2]])
    return [("OMPD 5.x and the extension", "%d routines" % (len(names[0]) + len(names[1])),
             score(units.cases), total(one for name in api for one in api[name].values())),
            ("OMPD 2.000", "%d routines" % len(names[2]), score(units2.cases), "-")]


def of_tools(page, *names):
    """A table of tests of testsuite/tools; their total."""
    scores = [of_tests("testsuite/tools/" + name, "libompd-hooks.so") for name in names]
    page.table(("test", "cases that passed"), zip(names, scores))
    return total(scores)


def write_ompt(page):
    """The sections of OMPT 5.x; rows of the summary."""
    reasons, sides = callback_reasons(), raised()
    runtimes, tests = llvm_ompt()
    differences = rows_of_markdown(os.path.join(CONSUMERS, "ompt/OMPT.md"),
                                   "| event | differs in | hooks | LLVM |")
    names = {"gomp": "libgomp with the hooks", "llvm": "libomp"}
    page.heading("OMPT of OpenMP 5.x: libompd-hooks.so")
    page.text("The result is what ompt_set_callback returns for libgomp; the reasons are those of "
              "OMPT.md. Events are those that the scenes of testsuite/tools/agree_scenes.c raise, "
              "each of which is run on both runtimes. LLVM's tests count where they name the "
              "event; a test names several, so one that fails for another is counted here, too.")
    rows = []
    for callback, result, _ in rows_of_macro(os.path.join(CONSUMERS, "ompt/callbacks.def"),
                                             "CALLBACK"):
        counts = [sides[side][0][callback] if side in sides else NOT_RUN for side in names]
        passed = []
        for runtime in runtimes:
            ran = [runtimes[runtime][test] for test in tests[callback]
                   if runtimes[runtime].get(test) in ("PASS", "FAIL", "TIMEOUT", "XPASS")]
            passed.append(Score(ran.count("PASS"), len(ran)) if ran else "-")
        rows.append([callback, result.replace("_", " "), *counts, *(passed or [NOT_RUN]),
                     reason_of(callback, reasons)])
    page.table(["callback", "result", *("events, " + name for name in names.values()),
                *(["LLVM's tests, " + name for name in runtimes] or ["LLVM's tests"]), "reason"],
               rows)
    page.text("Entry points: " + ", ".join(entry_points("ompt/lookup.c", "ENTRY")) + ".")
    page.text("Tests of testsuite/tools with this interface:")
    own = of_tools(page, "registration", "endings", "leagues", "runtime_tasks", "checker",
                   "agree_events", "chained", "archer", "names")
    page.heading("Event by event: where libgomp with the hooks and libomp differ")
    page.text("By the same source and tool; nothing else differs in those scenes, which "
              "agree_events holds.")
    page.table(("event", "differs in", "hooks", "libomp", "scenes", "clause of OpenMP 5.2", "why"),
               differences)
    page.heading("LLVM's OMPT tests")
    ran = {name: Score(list(found.values()).count("PASS"), len(found))
           for name, found in runtimes.items()}
    page.table(("runtime", "tests that passed"), ran.items() or [("any", NOT_RUN)])
    page.text("Programs of gcc do not pass these, by no requirement of a specification:")
    page.table(("test", "what it expects"), rows_of_markdown(
        os.path.join(CONSUMERS, "ompt/OMPT.md"), "| test | what it expects |"))
    return [("OMPT 5.x", "%d callbacks" % len(rows), own, total(ran.values()))]


def write_older(page):
    """The sections of OMPT of 2016 and of the Collector API; rows of the summary."""
    page.heading("OMPT of the report of 2016: libompd-hooks.so")
    own = of_tools(page, "ompt_2", "ompt2_inquiry", "sampling", "agree")
    events = [(name, number, answer.lower(), remark) for name, number, _, _, answer, remark in
              rows_of_macro(os.path.join(CONSUMERS, "ompt-2/events.def"), "OMPT_2_EVENT")]
    page.table(("event", "number", "result", "remark"), events)
    page.text("Entry points: " + ", ".join(entry_points("ompt-2/inquiry.c", "FUNCTION")) + ".")
    summary = [("OMPT of 2016", "%d events" % len(events), own, "-")]
    page.heading("Collector API (2007): libompd-hooks.so")
    own = of_tools(page, "collector_requests", "collector_events", "collector_late",
                   "collector_more", "agree")
    events = [(name, number, "UNSUPPORTED" if needs == "NOTHING" else "OK", remark)
              for name, number, needs, remark in
              rows_of_macro(os.path.join(CONSUMERS, "collector/events.def"), "COLLECTOR_EVENT")]
    page.table(("event", "number", "REGISTER", "remark"), events)
    page.text("Requests: " + ", ".join(requests()) + ".")
    return summary + [("Collector API", "%d events" % len(events), own, "-")]


def statement():
    body = Page()
    summary = write_ompd(body) + write_ompt(body) + write_older(body)
    body.heading("Tools of others, unmodified")
    body.table(("tool", "result"),
               [(name, "skipped: " + why if why else "works" if word == "ok" else "fails")
                for word, name, why in tools()] or [("check-tools", NOT_RUN)])
    page = Page()
    page.text("What this library offers a debugger or a tool, and what the tests of this build "
              "have shown of it. \"not run\": no test of this build says anything of it.")
    page.table(("run with", "version"), versions())
    page.table(("interface", "offered", "own cases", "LLVM's tests"), summary)
    page.parts += body.parts
    return page.document("Conformance of OMPD, OMPT and the Collector API")


def main():
    text = statement()
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
