# SPDX-License-Identifier: MIT
"""A page as one file that loads nothing, is whole without its script, and has names of the target as text
only."""

from __future__ import annotations

import base64
import hashlib
import os

from openmp_inspect.core.static_typing import TYPE_CHECKING
from openmp_inspect.report import html_text

if TYPE_CHECKING:
    from typing import Sequence, Tuple

_HERE = os.path.dirname(os.path.abspath(__file__))


def document(name: str, sentence: str, summary: str, parts: Sequence[Tuple[str, str, str]],
             made: str) -> str:
    """A page with these PARTS as (id, title, content); its title is a NAME and a SENTENCE, and below the
    name it has a SUMMARY and at its end how it was MADE. Call in screen.document()."""
    style, script = _read("page.css"), _read("page.js")
    return "<!DOCTYPE html>\n" + html_text.element("html", "\n%s\n%s\n" % (
        html_text.element("head", _head("%s: %s" % (name, sentence), style, script)),
        html_text.element("body", _body(name, summary, parts, made) + html_text.element(
            "script", script))), lang="en") + "\n"


def _read(name: str) -> str:
    with open(os.path.join(_HERE, name), encoding="utf-8") as stream:
        return "\n" + stream.read()


def _head(title: str, style: str, script: str) -> str:
    policy = "default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; " \
        "form-action 'none'" % (_hash(style), _hash(script))
    return "\n".join((
        '<meta charset="utf-8">',
        '<meta http-equiv="Content-Security-Policy" content="%s">' % policy,
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="referrer" content="no-referrer">',
        html_text.text("title", title),
        html_text.element("style", style)))


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _body(name: str, summary: str, parts: Sequence[Tuple[str, str, str]], made: str) -> str:
    links = "".join(html_text.element("li", html_text.text("a", title, href="#" + part))
                    for part, title, _ in parts)
    sections = "\n".join(html_text.element(
        "section", html_text.text("h2", title, id=part + "-title") + content,
        id=part, aria_labelledby=part + "-title") for part, title, content in parts)
    return "\n".join((
        html_text.text("a", "Skip to the %s" % parts[0][1].lower(), class_="skip", href="#" + parts[0][0]),
        html_text.element("header", html_text.text("h1", name) + html_text.text(
            "p", summary, class_="remark")),
        html_text.element("nav", html_text.element("ul", links), aria_label="Sections"),
        html_text.element("main", sections),
        html_text.element("footer", html_text.text("p", made))))
