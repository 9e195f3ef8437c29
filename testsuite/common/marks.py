# SPDX-License-Identifier: MIT
"""The lines that the sources of programs mark by a comment, `mark: NAME`."""

import re


def marks(source):
    """{name: line}"""
    with open(source, encoding="utf-8") as stream:
        return {name: number for number, text in enumerate(stream, 1)
                for name in re.findall(r"mark: (\w+)", text)}
