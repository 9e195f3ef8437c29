# SPDX-License-Identifier: MIT
"""Reads a page as a browser would, without one: what is wrong with its markup, and what it says."""

import html.parser
import unicodedata

VOID = {"meta"}
ELEMENTS = VOID | set(
    "html head title style body script header nav main footer section article div span h1 h2 h3 p "
    "a ul li dl dt dd pre table thead tbody tr th td details summary svg g rect path text defs "
    "marker figure figcaption mark".split())
ATTRIBUTES = set(
    "lang charset content name href id class tabindex scope role width height x y rx d refx refy "
    "orient viewbox markerwidth markerheight markerunits marker-end http-equiv aria-label "
    "aria-level aria-labelledby data-at data-width data-total data-t data-x open".split())
UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # categories of signs
LONGEST = 700  # signs of one word or attribute


class Reader(html.parser.HTMLParser):
    """`faults`: sentences; `tables`: {name: rows of cells}; `blocks`: texts of each "pre" and
    headings of verdicts; `raw`: what stands in style and script."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.faults, self.tables, self.blocks, self.headings = [], {}, [], []
        self.raw = {"style": [], "script": []}
        self.size = len(page)
        self._open, self._words, self._label = [], [], ""
        self.feed(page)
        self.close()
        self.faults += ["%s is not closed" % name for name in self._open]

    def handle_starttag(self, tag, attrs):
        if tag not in ELEMENTS:
            self.faults.append("element %s" % tag[:80])
        for name, value in attrs:
            if name not in ATTRIBUTES or name == "href" and not value.startswith("#"):
                self.faults.append("attribute %s of %s" % (name[:80], tag))
            self._check(value or "")
        values = dict(attrs)
        if len(values) != len(attrs):
            self.faults.append("an attribute twice")
        if tag not in VOID:
            self._open.append(tag)
        self._label = values.get("aria-label", self._label) if tag == "div" else self._label
        if tag == "table":
            self.tables[self._label] = []
        elif tag == "tr":
            self.tables[self._label].append([])
        if tag in ("td", "th", "pre", "h3", "script", "style"):
            self._words = []

    def handle_startendtag(self, tag, attrs):
        if tag not in ("rect", "path"):
            self.faults.append("%s closes itself" % tag)
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self._open or self._open.pop() != tag:
            self.faults.append("%s closes nothing" % tag[:80])
        words = "".join(self._words)
        if tag in ("td", "th"):
            self.tables[self._label][-1].append(words)
        elif tag == "pre":
            self.blocks.append(words)
        elif tag == "h3":
            self.headings.append(words)
        elif tag in self.raw:
            self.raw[tag].append(words)

    def handle_data(self, data):
        self._words.append(data)
        if not self._open:
            if data.strip():
                self.faults.append("text outside of the page")
        elif self._open[-1] not in self.raw:
            self._check(data)

    def handle_comment(self, data):
        self.faults.append("a comment: %s" % data[:80])

    def unknown_decl(self, data):
        self.faults.append("a declaration: %s" % data[:80])

    handle_pi = unknown_decl

    def _check(self, words):
        """What a name may not bring along."""
        for sign in words:
            if sign != "\n" and unicodedata.category(sign) in UNSEEN:
                self.faults.append("%r is in %r" % (sign, words[:80]))
                break
        if max(map(len, words.split("\n"))) > LONGEST:
            self.faults.append("%d signs: %r" % (len(words), words[:80]))
