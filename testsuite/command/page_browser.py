#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The page in headless Chromium, where that is installed: on a wide and a narrow screen, light and
dark, without a word in its console and without a request; its tables sort, its stacks zoom, what is
chosen is shown everywhere, by keys alone; and without its script it is as whole.

With a directory as argument it leaves its pictures there.
"""

import os
import sys
import tempfile

import browser
from ompd_runs import Running, compiled, ompd
from tap import Tap, skip_all

TAP = Tap()
TEXT = "document.body.innerText"
COLUMN = "[...document.querySelectorAll('#threads details tbody tr')].map(row => row.cells[1].textContent)"
SHOWN = "[...document.querySelectorAll('.icicle .frame')]" \
    ".filter(frame => frame.style.display !== 'none').length"
FOCUSED = "document.activeElement.querySelector('title').textContent"
WHERE = "[...new Set([...document.querySelectorAll('.chosen')].map(one => one.closest('section').id))].sort()"
VERDICT = "[...document.querySelectorAll('.lines')].every(one => one.scrollWidth <= one.clientWidth) && " \
    "document.querySelector('.verdict').getBoundingClientRect().top < 260"
INSIDE = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


def is_quiet(page, path, name):
    TAP.equal((page.said, page.requests), ([], ["file://" + path]),
              name + ": nothing in the console, no request")


def looks(path, pictures):
    """Each view has its picture, no two alike, and nothing hangs over its side."""
    seen = set()
    for width, height in ((1280, 900), (400, 800)):
        for dark in (False, True):
            name = "%dx%d %s" % (width, height, "dark" if dark else "light")
            with browser.Page(path, width, height, dark) as page:
                seen.add(page.screenshot(os.path.join(pictures, name.replace(" ", "-") + ".png")))
                TAP.ok(page.value(INSIDE), name + ": nothing hangs over")
                TAP.ok(page.value(VERDICT), name + ": the verdict is first, and whole")
                is_quiet(page, path, name)
    TAP.equal(len(seen), 4, "four pictures")


def sorts(page):
    page.value("document.querySelector('#threads details').open = true")
    before = page.value(COLUMN)
    for wanted in (sorted(before), sorted(before, reverse=True)):
        page.value("document.querySelectorAll('#threads details th button')[1].focus()")
        page.press("Enter")
        TAP.equal(page.value(COLUMN), wanted, "a key sorts: %s" % " ".join(wanted))
    TAP.equal(page.value("document.querySelectorAll('#threads details th')[1].ariaSort"), "descending",
              "and it is said so")


def zooms(page):
    every = page.value(SHOWN)
    page.value("document.querySelector('.icicle .frame[tabindex=\"0\"]').focus()")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        page.press(key)
    TAP.like(page.value(FOCUSED), r"^<end of #pragma omp parallel .*: 1 thread, \d+$",
             "keys move in the stacks")
    TAP.ok(page.value(SHOWN) < every and page.value(
        "document.activeElement.getAttribute('width')") == "100%", "a key zooms")
    page.press("Escape")
    TAP.equal(page.value(SHOWN), every, "a key goes back")
    page.value("document.querySelector('.icicle .frame.inside rect')"
               ".dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    TAP.ok(page.value(SHOWN) < every, "a click zooms")


def darkens(page):
    paper = "[getComputedStyle(document.body).backgroundColor, " \
        "document.querySelector('nav button').textContent]"
    before = page.value(paper)
    page.value("document.querySelector('nav button').click()")
    after = page.value(paper)
    TAP.ok(after[0] != before[0] and (before[1], after[1]) == ("Dark", "Light"), "light becomes dark",
           before, after)


def chooses(page):
    """What is chosen in one place is shown in all."""
    page.value("document.querySelector('.lines [tabindex=\"0\"]').focus()")
    page.press("Enter")
    TAP.equal(page.value(WHERE), ["backtraces", "graph", "stacks", "threads", "verdicts"], "a line is chosen")
    of_line = page.value("document.activeElement.dataset.t")
    page.press("ArrowDown")
    page.press("Enter")
    rows = page.value("[...document.querySelectorAll('#threads details .chosen')].map(row => row.dataset.t)")
    TAP.ok(rows and rows != [of_line] and page.value("document.activeElement.dataset.t") in (
        rows[0], "%s-%s" % (rows[0], rows[-1])), "the next one is: its threads, and no other", of_line, rows)
    page.value("document.querySelector('.graph .thing rect')"
               ".dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    TAP.equal(page.value(WHERE), ["graph", "threads", "verdicts"], "a thing is chosen")
    page.press("Escape")
    TAP.equal(page.value(WHERE), [], "Escape chooses nothing")


def main():
    if browser.PATH is None:
        skip_all("chromium is not installed")
    with tempfile.TemporaryDirectory(prefix="ompd-page-") as directory:
        pictures = sys.argv[1] if len(sys.argv) > 1 else directory
        path = os.path.join(directory, "page.html")
        with Running(compiled(directory, "why/barriers.c", "barriers"), "mismatch",
                     threads=4) as one:
            said = ompd("why", "-html", path, one.pid)
        if not TAP.equal(said.status, 12, "the page is written"):
            TAP.end()
        looks(path, pictures)
        with browser.Page(path) as page:
            whole = page.value(TEXT)
            sorts(page)
            zooms(page)
            chooses(page)
            darkens(page)
            is_quiet(page, path, "used")
        with browser.Page(path, scripts=False) as page:
            found = page.value(TEXT)
            page.screenshot(os.path.join(pictures, "no-script.png"))
        TAP.case([line for line in found.splitlines() if line.strip() and
                  line.strip() not in whole], "without its script it says the same")
        TAP.ok("deadlock" in found and "wait barrier" in found, "all of it")
    TAP.end()


main()
