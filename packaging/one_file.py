#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the command `ompd` as one executable file: a zip archive that Python runs.

Usage: one_file.py TREE NAME FILE   of an unpacked archive; NAME is that of the directory in which users
will have it, before a digest of what it has."""

import hashlib
import os
import stat
import sys
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
FIRST_LINE = b"#!/usr/bin/python3 -IS\n"
PARTS = "LICENSE", "README.md", "bin", "lib", "share/ompd/python"
LEFT_OUT = "pkgconfig"


def contents(tree):
    """[(path, mode, bytes or where a link leads)] of the PARTS, in order."""
    found = []
    for part in PARTS:
        for directory, directories, names in os.walk(os.path.join(tree, part)):
            directories[:] = sorted(set(directories) - {LEFT_OUT})
            found += [os.path.relpath(os.path.join(directory, name), tree) for name in names]
        if os.path.isfile(os.path.join(tree, part)):
            found.append(part)
    for path in sorted(found):
        full = os.path.join(tree, path)
        if os.path.islink(full):
            yield path, stat.S_IFLNK | 0o777, os.fsencode(os.readlink(full))
        else:
            with open(full, "rb") as stream:
                yield path, stat.S_IFREG | (os.stat(full).st_mode & 0o755), stream.read()


def main(tree, name, path):
    """Times are SOURCE_DATE_EPOCH, so that the same TREE gives the same bytes."""
    moment = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    files = list(contents(tree))
    digest = hashlib.sha256(repr(files).encode()).hexdigest()[:16]
    with open(os.path.join(HERE, "one_file_main.py"), encoding="utf-8") as stream:
        begins = stream.read().replace("@NAME@", "%s-%s" % (name, digest))
    files.insert(0, ("__main__.py", stat.S_IFREG | 0o644, begins.encode()))
    with open(path, "wb") as stream:
        stream.write(FIRST_LINE)
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for inside, mode, data in files:
                info = zipfile.ZipInfo(inside, moment)
                info.external_attr = mode << 16
                info.create_system = 3  # Unix
                archive.writestr(info, data, zipfile.ZIP_DEFLATED, 9)
    os.chmod(path, 0o755)


if __name__ == "__main__":
    main(*sys.argv[1:])
