#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pages of "make html": each link, picture and anchor leads somewhere inside, each page can be
reached from the index, and none is a document's source."""

import html.parser
import os
import posixpath
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

TOP = os.environ["top_srcdir"]
sys.path.insert(1, os.path.join(TOP, "testsuite/common"))
from tap import Tap, skip_all  # noqa: E402  pylint: disable=wrong-import-position


class Page(html.parser.HTMLParser):
    """Where a page leads to, and what may be led to in it."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.twice = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if "id" in found:
            self.twice += [found["id"]] * (found["id"] in self.anchors)
            self.anchors.add(found["id"])
        self.links += [found[name] for name in ("href", "src") if name in found]


def read(directory):
    """{path: Page} of what is below DIRECTORY; None of what is no page."""
    found = {}
    for folder, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(folder, name)
            page = None
            if name.endswith(".html"):
                with open(path, encoding="utf-8") as stream:
                    page = Page(stream.read())
            found[os.path.relpath(path, directory)] = page
    return found


def target(path, link):
    """(path, anchor) that LINK of the page at PATH leads to, or None: outside."""
    parts = urllib.parse.urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    return (posixpath.normpath(posixpath.join(posixpath.dirname(path), parts.path))
            if parts.path else path), urllib.parse.unquote(parts.fragment)


def broken(pages):
    """What leads nowhere, and anchors that are there twice."""
    faults = []
    for path, page in pages.items():
        for link in page.links if page else ():
            to = target(path, link)
            if to and (to[0] not in pages or
                       (to[1] and (not pages[to[0]] or to[1] not in pages[to[0]].anchors))):
                faults.append("%s: %s" % (path, link))
        faults += ["%s: two of %s" % (path, name) for name in page.twice] if page else []
    return faults


def reached(pages):
    """Paths that the index leads to, in any number of steps."""
    found, more = set(), ["index.html"]
    while more:
        path = more.pop()
        if path in found or path not in pages:
            continue
        found.add(path)
        more += [to[0] for to in (target(path, link) for link in
                                  (pages[path].links if pages[path] else ())) if to]
    return found


def main():
    pandoc = shutil.which("pandoc")
    if not pandoc:
        skip_all("pandoc is not installed")
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="ompd-") as directory:
        done = subprocess.run([sys.executable, os.path.join(TOP, "doc/make_html.py"), pandoc,
                               directory], stderr=subprocess.PIPE, text=True, check=False)
        tap.ok(done.returncode == 0 and not done.stderr, "the pages are made", done.stderr)
        pages = read(directory)
    tap.ok(sum(bool(page) for page in pages.values()) > 20, "there are pages", *pages)
    tap.case(broken(pages), "all links and anchors lead somewhere")
    tap.equal(sorted(set(pages) - reached(pages)), [], "the index leads to all of them")
    documents = [os.path.join("doc", name)[:-3] + ".html"
                 for name in os.listdir(os.path.join(TOP, "doc")) if name.endswith(".md")]
    tap.equal([name for name in documents if name not in pages], [], "each document of doc/ is one")
    tap.ok(any("ompd.7.html" in link for link in pages["README.html"].links) and
           any("#permissions" in link for link in pages["README.html"].links),
           "the README leads to a manual page and to a section")
    wrong = {"a.html": Page('<p id="x"><p id="x"><a href="b.html">'), "c.html": Page(
        '<a href="a.html#y"></a><a href="a.html#x"></a><a href="https://a.example/b.html"></a>')}
    tap.equal(broken(wrong), ["a.html: b.html", "a.html: two of x", "c.html: a.html#y"],
              "what leads nowhere is found")
    tap.end()


main()
