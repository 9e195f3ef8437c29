# SPDX-License-Identifier: MIT
"""What the one file `ompd` begins with: unpacks itself, once, into a directory that is the user's alone, and
becomes the command there."""

import os
import stat
import sys

NAME = "@NAME@"
CANNOT_CREATE = 73  # exit status, as sysexits.h has it


def is_private(path):
    """True if nobody but this user and whoever the root directory belongs to may change what is at PATH."""
    trusted = os.geteuid(), os.lstat("/").st_uid
    while True:
        found = os.lstat(path)
        if found.st_uid not in trusted or not stat.S_ISDIR(found.st_mode) or (
                found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not found.st_mode & stat.S_ISVTX):
            return False
        if path == "/":
            return True
        path = os.path.dirname(path)


def places():
    """Directories to unpack into, the best first, made if they are not there."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    for path in (os.path.join(home, "ompd"), "/var/tmp/ompd-%d" % os.geteuid(),
                 "/tmp/ompd-%d" % os.geteuid()):
        try:
            os.makedirs(path, 0o700, exist_ok=True)
            path = os.path.realpath(path)
            own = os.lstat(path)
            if own.st_uid == os.geteuid() and not own.st_mode & 0o077 and is_private(path) and \
                    not os.statvfs(path).f_flag & os.ST_NOEXEC:
                yield path
        except OSError:
            continue


def unpack(place):
    """Makes the directory PLACE, whole or not at all; OSError."""
    import shutil
    import subprocess
    import tempfile
    import zipfile
    made = tempfile.mkdtemp(dir=os.path.dirname(place))
    try:
        with zipfile.ZipFile(sys.argv[0]) as archive:
            for info in archive.infolist():
                path, mode = os.path.join(made, info.filename), info.external_attr >> 16
                os.makedirs(os.path.dirname(path), exist_ok=True)
                if stat.S_ISLNK(mode):
                    os.symlink(archive.read(info), os.fsencode(path))
                    continue
                with open(path, "wb") as stream:
                    stream.write(archive.read(info))
                os.chmod(path, mode & 0o755)
        if sys.version_info >= (3, 8):
            root = os.path.join(made, "share/ompd/python")
            subprocess.call([sys.executable, "-IS", os.path.join(
                root, "openmp_inspect/gen-code-archive.py"), root], env=dict(os.environ, DESTDIR=made))
        os.rename(made, place)
    except OSError:
        shutil.rmtree(made)
        if not os.path.isdir(place):  # nor has another one made it meanwhile
            raise


def main():
    reason = "others may write into each, or no program may run there"
    for path in places():
        place = os.path.join(path, "%s-%s" % (NAME, sys.implementation.cache_tag))
        try:
            if not os.path.isdir(place):
                unpack(place)
        except OSError as error:
            reason = "%s: %s" % (path, error.strerror)
            continue
        command = os.path.join(place, "bin/ompd")
        os.execv(sys.executable, [sys.executable, "-IS", command] + sys.argv[1:])
    sys.stderr.write("ompd: this file has to unpack itself into XDG_CACHE_HOME, ~/.cache, /var/tmp or /tmp, and "
                     "cannot: %s.\n" % reason)
    sys.exit(CANNOT_CREATE)


main()
