# SPDX-License-Identifier: MIT
"""A terminal's screen as an SVG: text with the colours that it has there, no raster.

readme.py has the terminal, and README.md the picture."""

import html
import re

import pseudo_terminal

COLUMNS = 80
# A character's width is set by textLength, whatever font there is.
WIDTH, HEIGHT, BASELINE, MARGIN = 8, 18, 13, 12
INK, GROUND = "#d4d4d4", "#1e1e1e"
# By the parameters of an escape sequence; any other one is text in INK.
COLOURS = {"31": "#f14c4c", "32": "#23d18b", "33": "#e5e510", "34": "#5fa8f5",
           "35": "#d670d6", "36": "#29b8db", "1": "#ffffff"}
TEXT = '<text x="%d" y="%d" textLength="%d"%s>%s</text>'


def runs(line):
    """(column, colour or None, text) of each piece of a line, without the blanks around it."""
    found, column, colour = [], 0, None
    for piece in re.split("(%s)" % pseudo_terminal.ESCAPE, line):
        if re.fullmatch(pseudo_terminal.ESCAPE, piece):
            # From 17 on gdb says besides what is not changed.
            colour = next(filter(None, map(COLOURS.get, piece[2:-1].split(";"))), None)
            continue
        # Blanks in a row are no text of an SVG, so each column of a table is a piece.
        for word in re.finditer(r"\S+(?: \S+)*", piece):
            found.append((column + word.start(), colour, word.group()))
        column += len(piece)
    return found


def svg(lines):
    """The picture of LINES, with escape sequences for colours."""
    drawn = []
    for number, line in enumerate(lines):
        for column, colour, text in runs(line):
            fill = ' fill="%s"' % colour if colour else ""
            drawn.append(TEXT % (MARGIN + WIDTH * column, MARGIN + HEIGHT * number + BASELINE,
                                 WIDTH * len(text), fill, html.escape(text, quote=False)))
    width, height = 2 * MARGIN + WIDTH * COLUMNS, 2 * MARGIN + HEIGHT * len(lines)
    return "\n".join((
        '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">' %
        (width, height, width, height),
        "<title>%s</title>" % html.escape(re.sub(pseudo_terminal.ESCAPE, "", "\n".join(lines[:2]))),
        "<!-- Made by testsuite/gdb/readme.py of the session in README.md. -->",
        '<rect width="%d" height="%d" rx="6" fill="%s"/>' % (width, height, GROUND),
        '<g font-family="monospace" font-size="13" fill="%s">' % INK, *drawn, "</g>", "</svg>", ""))


def screen(text):
    """The lines that the picture SVG shows, without colours."""
    lines = {}
    for left, top, what in re.findall(r'<text x="(\d+)" y="(\d+)"[^>]*>(.*?)</text>', text):
        row, column = (int(top) - MARGIN - BASELINE) // HEIGHT, (int(left) - MARGIN) // WIDTH
        lines[row] = lines.get(row, "").ljust(column) + html.unescape(what)
    return [lines.get(row, "") for row in range(max(lines, default=-1) + 1)]
