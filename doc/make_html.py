# SPDX-License-Identifier: MIT
"""Makes HTML of the documents and manual pages by pandoc: "make html".

    make_html.py PANDOC DIRECTORY

writes each page to its place below DIRECTORY, with index.html, the style sheet and pictures. Links
to a document become links to its page, and so does the name of a page where it stands as code.
"""

import html
import os
import posixpath
import re
import shutil
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STYLE, PICTURES = "doc/html.css", ("doc/why.svg",)
# (heading of the index, its pages)
PARTS = (
    ("To use it", (
        "README.md", "doc/tutorial.md", "doc/cheat-sheet.md", "doc/manual.md", "doc/ci.md", "doc/faq.md")),
    ("Manual pages", ("ompd/ompd.1", "runtime-hooks/run/ompd-run.1", "ompd/ompd.7")),
    ("For authors of debuggers, front ends and tools", (
        "doc/debugger-authors.md", "doc/tool-authors.md", "runtime-hooks/consumers/ompt/OMPT.md",
        "runtime-hooks/consumers/ompt-2/OMPT-2.md",
        "runtime-hooks/consumers/collector/COLLECTOR.md",
        "gdb-plugin/front-ends/FRONT-ENDS.md")),
    ("To package and to change it", (
        "STABILITY.md", "PACKAGING.md", "HACKING.md", "libompd/README.md",
        "runtime-hooks/README.md", "openmp_inspect/README.md", "ompd/README.md",
        "gdb-plugin/README.md", "lldb-plugin/README.md", "testsuite/README.md")),
)
INDEX = "index.md"  # as if it were one of them
PAGES = tuple(page for _, pages in PARTS for page in pages)
MOST_CONTENTS = 20
SHELL = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%(title)s</title>
<link rel="stylesheet" href="%(style)s">
</head>
<body>
<nav>%(nav)s</nav>
%(body)s
</body>
</html>
"""


def place(page):
    """Where the HTML of PAGE is, as a path below the directory."""
    return (page[:-len(".md")] if page.endswith(".md") else page) + ".html"


def address(page, target):
    """That of TARGET, a path below the directory, in the HTML of PAGE."""
    return posixpath.relpath(target, posixpath.dirname(page) or ".")


def manual_page(name, section):
    """The page of a reference like ompd(1), or None."""
    return next((page for page in PAGES
                 if posixpath.basename(page) == "%s.%s" % (name, section)), None)


def named(page, name):
    """The page that PAGE calls NAME, or None: from its place, from the top, by a unique name."""
    own = posixpath.normpath(posixpath.join(posixpath.dirname(page), name))
    last = [one for one in PAGES if posixpath.basename(one) == posixpath.basename(name)]
    found = [one for one in (own, name) if one in PAGES] or (last if len(last) == 1 else [])
    return found[0] if found else None


def of_code(page, text):
    """The page that stands as code: `doc/manual.md`, `man 7 ompd`; or None."""
    found = re.fullmatch(r"man (?:(\d) )?(ompd(?:-run)?)", text)
    if found:
        return manual_page(found.group(2), found.group(1) or "1")
    return named(page, text) if text.endswith(".md") else None


def linked(page, body):
    """BODY with links to pages."""
    def link(target, text):
        other = target if target and target != page else None
        return '<a href="%s">%s</a>' % (address(page, place(other)), text) if other else text

    def moved(found):
        other = named(page, found.group(1))
        return 'href="%s%s"' % (address(page, place(other)), found.group(2) or "") if other \
            else found.group()

    body = re.sub(r'href="([^":#]+\.md)(#[^"]*)?"', moved, body)
    if not page.endswith(".md"):
        return re.sub(r"<strong>([\w-]+)</strong>\((\d)\)",
                      lambda found: link(manual_page(*found.groups()), found.group()), body)
    # Not inside of a link, a heading or an indented block.
    parts = re.split(r"(<a .*?</a>|<h\d.*?</h\d>|<pre.*?</pre>)", body, flags=re.S)
    parts[::2] = [re.sub(r"<code>(.*?)</code>", lambda found: link(
        of_code(page, " ".join(html.unescape(found.group(1)).split())), found.group()), part)
                  for part in parts[::2]]
    return "".join(parts)


def contents(body):
    """Links to the sections of a page that has some."""
    found = re.findall(r'<h2 id="([^"]*)"[^>]*>(.*?)</h2>', body, re.S)
    if not 3 < len(found) <= MOST_CONTENTS:
        return ""
    links = ['<a href="#%s">%s</a>' % one for one in found]
    return '<p class="contents">%s</p>\n' % " · ".join(links)


def without_colours(pandoc):
    """The option for code without colours, whose name changed."""
    options = subprocess.run([pandoc, "--help"], stdout=subprocess.PIPE, encoding="utf-8",
                             check=True).stdout
    return "--syntax-highlighting=none" if "--syntax-highlighting" in options else "--no-highlight"


def converted(pandoc, code, page):
    """(title, body) of PAGE; CODE: the option for code."""
    markdown = page.endswith(".md")
    body = subprocess.run(
        [pandoc, "-f", "gfm" if markdown else "man", "-t", "html5", code,
         "--wrap=preserve", "--columns=9999", "--shift-heading-level-by=%d" % (not markdown),
         os.path.join(TOP, page)],
        stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    # A wide table scrolls by itself.
    body = re.sub(r"(<table.*?</table>)", r'<div class="wide">\1</div>', body, flags=re.S)
    if markdown:
        heading = re.search(r"<h1.*?>(.*?)</h1>", body, re.S).group(1)
        title = html.unescape(re.sub("<[^>]*>", "", heading))
        body = re.sub(r"(</h1>)", lambda end: end.group() + "\n" + contents(body), body, count=1)
        return title, linked(page, body)
    title = "%s(%s)" % tuple(posixpath.basename(page).rsplit(".", 1))
    return title, linked(page, "<h1>%s</h1>\n%s%s" % (title, contents(body), body))


def write(directory, page, title, body):
    path = os.path.join(directory, place(page))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    index = '<a href="%s">all documents</a>' % address(page, "index.html")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(SHELL % {"title": html.escape(title), "style": address(page, STYLE),
                              "nav": "" if page == INDEX else index, "body": body})


def main():
    pandoc, directory = sys.argv[1:]
    code = without_colours(pandoc)
    body = "<h1>The OpenMP debugger for Linux</h1>\n"
    for heading, pages in PARTS:
        body += "<h2>%s</h2>\n<ul>\n" % heading
        for page in pages:
            title, text = converted(pandoc, code, page)
            write(directory, page, title, text)
            body += '<li><a href="%s">%s</a></li>\n' % (place(page), html.escape(title))
        body += "</ul>\n"
    write(directory, INDEX, "The OpenMP debugger for Linux", body)
    for name in (STYLE, *PICTURES):
        os.makedirs(os.path.dirname(os.path.join(directory, name)), exist_ok=True)
        shutil.copyfile(os.path.join(TOP, name), os.path.join(directory, name))


main()
