# SPDX-License-Identifier: MIT
"""Which lines of Python modules are executed, by sys.settrace: those that only a type checker sees,
and abstract methods, are none."""

import ast
import dis
import os
import sys

_MOST = 40  # lines that are named of a module


def _skipped(tree):
    """Lines that are not executed by design."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            yield from range(node.body[0].lineno, node.body[-1].end_lineno + 1)
        elif isinstance(node, ast.FunctionDef) and any(
                getattr(one, "attr", "") == "abstractmethod" for one in node.decorator_list):
            yield from range(node.lineno, node.end_lineno + 1)


def _lines_of_one(code):
    """Without the line of its `def`, which is that of what makes the function."""
    return {line for _, line in dis.findlinestarts(code) if line} - \
        ({code.co_firstlineno} if code.co_name != "<module>" else set())


def _lines_of(code):
    found = _lines_of_one(code)
    for one in code.co_consts:
        if hasattr(one, "co_code"):
            found |= _lines_of(one)
    return found


def lines_of(path):
    """The numbers of those of a file that can be executed."""
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    return _lines_of(compile(text, path, "exec")) - set(_skipped(ast.parse(text)))


class Coverage:
    """Of modules below ROOT, from start() to stop()."""

    def __init__(self, root):
        self.root = os.path.join(os.path.realpath(root), "")
        self.seen = {}  # path -> lines
        self._left = {}  # code -> how many of its lines have not been seen

    def start(self):
        sys.settrace(self._called)

    @staticmethod
    def stop():
        sys.settrace(None)

    def _called(self, frame, _event, _argument):
        code = frame.f_code
        left = self._left.get(code)
        if left is None:
            left = self._left[code] = self._lines(code)
        return self._local(left, self.seen[code.co_filename]) if left else None

    def _lines(self, code):
        path = os.path.realpath(code.co_filename)
        if not path.startswith(self.root):
            return set()
        self.seen.setdefault(code.co_filename, set())
        return _lines_of_one(code)

    @staticmethod
    def _local(left, seen):
        def local(frame, event, _argument):
            if event == "line" and frame.f_lineno in left:
                left.discard(frame.f_lineno)
                seen.add(frame.f_lineno)
            return local
        return local

    def report(self, note, without):
        """(lines that were executed, all lines) of the modules whose names are not among WITHOUT; for
        each package and module that lacks some NOTE is called with words."""
        whole = [0, 0]
        for directory, _, files in sorted(os.walk(self.root)):
            of_package, words = [0, 0], []
            for name in sorted(files):
                if not name.endswith(".py") or name[:-3] in without:
                    continue
                path = os.path.join(directory, name)
                lines = lines_of(path)
                seen = lines & self.seen.get(path, set())
                of_package[0] += len(seen)
                of_package[1] += len(lines)
                if len(seen) < len(lines):
                    words.append("%s: %d of %d, without %s" % (
                        name, len(seen), len(lines),
                        " ".join(map(str, sorted(lines - seen)[:_MOST]))))
            if of_package[1]:
                note("%s: %d of %d, %d %%" % (os.path.basename(directory) or "itself", *of_package,
                                              100 * of_package[0] // of_package[1]))
            for line in words:
                note("  " + line)
            whole = [one + other for one, other in zip(whole, of_package)]
        return tuple(whole)
