# SPDX-License-Identifier: MIT
"""Nothing that a process or core names is loaded unless its user trusts the place."""

import harness

t = harness.begin(__file__, program="trust.c", timeout=300)
import os  # noqa: E402
import shutil  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402

import gdb  # noqa: E402

from openmp_inspect.core import install_paths, trusted_file  # noqa: E402
from openmp_inspect.code import code_owner, library_choice  # noqa: E402
from gdb_openmp.host import safe_path  # noqa: E402
from gdb_openmp.program import address_space  # noqa: E402

OURS = t.stage + "/lib/libompd.so"
COMMANDS = ("bt", "ompd threads", "ompd status", "ompd stacks", "ompd icvs", "info threads")
t.run("set auto-load safe-path /usr/share/gdb/auto-load")

# A library whose constructor leaves a file, in places that only it knows.
trap = os.path.join(t.scratch, "trap")
os.mkdir(trap)
sprung = os.path.join(trap, "sprung")
evil = os.path.join(trap, "libompd.so")
with open(evil + ".c", "w", encoding="ascii") as source:
    source.write('#include <stdio.h>\n__attribute__((constructor)) static void f(void)\n'
                 '{ FILE *file = fopen("%s", "a"); if (file) fclose(file); }\n' % sprung)
subprocess.run(["gcc", "-shared", "-fPIC", evil + ".c", "-o", evil], check=True)


def ours_is_used(kind):
    """Every command works, with our library, and the other one has not run."""
    wrong = [(command, t.error(command)) for command in COMMANDS if t.error(command)]
    t.equal(wrong, [], kind + ": commands work")
    t.equal(address_space.current().session.library.path, OURS, kind + ": with our library")
    t.ok(not os.path.exists(sprung), kind + ": the one that it names did not run")


os.chdir(trap)
os.symlink(evil, trap + "/link")
for kind, path in (("an absolute path", evil), ("a relative one", "./libompd.so"),
                   ("a bare name", "libompd.so"),
                   ("its own directory", "/proc/self/cwd/libompd.so"),
                   ("a symbolic link", trap + "/link"), ("an empty string", ""),
                   ("10 kB", evil + "/" * 10000), ("dots", trap + "/../trap/libompd.so"),
                   ("a device", "/dev/zero"), ("below the safe path, with dots",
                                               "/usr/share/gdb/auto-load/../../../.." + evil)):
    t.run("set args '%s'" % path)
    t.stop_at("here")
    ours_is_used(kind)
    t.run("kill")

# Bytes that no character set has, written into the process and kept in its core.
t.run("set args " + evil)
t.stop_at("here")
process = gdb.selected_inferior()
string = int(gdb.parse_and_eval("(long) locations[0]"))
process.write_memory(string, b"/\xff\xfe\x1b[31m\n" + b"\0")
ours_is_used("bytes that are no text")
process.write_memory(string, evil.encode() + b"\0")
t.become_core()
ours_is_used("a core")
t.run("core-file")

# Beside another vendor's runtime that ours cannot read nothing is loaded either, but the user
# may say so.
t.run("set args " + evil)
t.stop_at("here")
foreign = code_owner.foreign_runtime
code_owner.foreign_runtime = lambda _process: trap + "/libomp.so.5"
ours = install_paths.libraries
install_paths.libraries = lambda: []


def refused():
    address_space.discard(gdb.selected_inferior().num)
    return t.error("ompd icvs") or ""


SENTENCE = 'The OMPD library of libomp.so.5, %s, lies outside of gdb\'s auto-load safe-path, ' \
    'and its code would run in the debugger: type "set ompd library %s" to load it all the same.'
t.equal(refused(), SENTENCE % (evil, evil), "another vendor's is refused in a sentence")
t.ok(not os.path.exists(sprung), "and does not run")
gdb.selected_inferior().write_memory(string, b"/\x1b]0;x\x07\n\xe2\x80\xae/l\0")
os.rename(evil, evil + ".away")
t.equal(refused(), SENTENCE % (r"/\x1b]0;x\x07\x0a\u202e/l", "FILE"),
        "whose name is shown as what it is")
os.rename(evil + ".away", evil)
t.run("add-auto-load-safe-path " + trap[:-1])
t.like(refused(), "outside of gdb's auto-load safe-path", "directories match as a whole")
t.run("add-auto-load-safe-path " + trap)
t.like(refused(), r"No OMPD library of libomp.so.5 can be used \(.* speaks another interface",
       "from the safe path it is loaded, and is none")
t.ok(os.path.exists(sprung), "that is what the trap shows")
os.unlink(sprung)
code_owner.foreign_runtime = foreign
install_paths.libraries = ours

# set ompd library
address_space.discard(gdb.selected_inferior().num)
copy = os.path.join(trap, "copy.so")
shutil.copy(OURS, copy)
os.chmod(copy, 0o644)
t.run("set ompd library " + copy)
t.equal(address_space.current().session.library.path, copy, "the one file that the user names")
t.equal(len(t.threads()), 2, "works")
t.like(t.run("show ompd library"), copy, "and is shown")
t.run("set ompd library copy.so")
t.like(t.run("show ompd library"), copy, "a relative name is one of where gdb is")


def why(path):
    t.run("set ompd library " + path)
    return refused()


RUNS = ", and its code would run in the debugger"
SAID = '^The library of "set ompd library", %s, is not loaded: it %s.$'
os.chmod(copy, 0o664)
t.like(why(copy), SAID % (copy, "may be written by others" + RUNS), "others may write to it")
os.chmod(copy, 0o644)
os.chmod(trap, 0o770)
t.like(why(copy), SAID % (copy, "is in %s, which may be written by others%s" % (trap, RUNS)),
       "or to its directory")
os.chmod(trap, 0o700)
t.like(why("/nowhere/x.so"), SAID % ("/nowhere/x.so", "cannot be opened: No such file or "
                                     "directory"), "it is not there")
t.like(why(trap), SAID % (trap, "is no regular file"), "it is a directory")
os.mkfifo(trap + "/fifo")
t.like(why(trap + "/fifo"), SAID % (trap + "/fifo", "is no regular file"),
       "a FIFO, which nobody waits for")
t.like(why(t.source), SAID % (t.source, "cannot be loaded: .*"), "no library")
if os.geteuid() == 0:
    os.chown(copy, 65534, -1)
    t.like(why(copy), SAID % (copy, "belongs to another user" + RUNS), "another user's")
    os.chown(copy, 0, -1)
else:
    t.skip("another user's", "not root")

# 32 of them, and the one beside the runtime, for one reason.
code_owner.foreign_runtime = lambda _process: trap + "/libomp.so.5"
install_paths.libraries = lambda: []
locations, library_choice._locations = library_choice._locations, lambda _space: [
    "%s/%d.so" % (trap, number) for number in range(32)]
for number in range(32):
    shutil.copy(OURS, "%s/%d.so" % (trap, number))
os.chmod(trap, 0o770)
t.run("set ompd library")
t.equal(refused(), 'No OMPD library of libomp.so.5 can be used (%s/0.so, as 32 others, is in %s, '
        'which may be written by others%s): type "set ompd library FILE" to name one.' %
        (trap, trap, RUNS), "each reason is said once")
os.chmod(trap, 0o700)
library_choice._locations = locations
code_owner.foreign_runtime = foreign
install_paths.libraries = ours
address_space.discard(gdb.selected_inferior().num)

t.run("set ompd library")
t.equal(address_space.current().session.library.path, OURS, "without it ours is back")

# What is checked is what is loaded, even if the name means another file by then.
file = trusted_file.TrustedFile(copy)
os.rename(copy, copy + ".kept")
os.symlink(evil, copy)
handle = file.load()
t.ok(hasattr(handle, "ompd_ext_get_threads") and not os.path.exists(sprung),
     "a link that takes its place after the check is not followed")
real = os.path.realpath
os.path.realpath = lambda path: path  # the link comes between resolving and opening
try:
    trusted_file.TrustedFile(copy)
    reason = None
except trusted_file.Refused as error:
    reason = str(error)
finally:
    os.path.realpath = real
t.equal(reason, "is no regular file", "one that takes it before is refused")


def vanished(*_):
    raise FileNotFoundError(2, "No such file or directory")


GONE = "cannot be opened: No such file or directory"
# From 3.13 on Python takes a link that goes while it is resolved for a file, which it is not.
LINK = GONE if sys.version_info < (3, 13) else "is no regular file"
for name in ("readlink", "open", "fstat"):
    reason, usual = None, getattr(os, name)
    setattr(os, name, vanished)
    try:
        trusted_file.TrustedFile(copy)
    except trusted_file.Refused as error:
        reason = str(error)
    finally:
        setattr(os, name, usual)
    t.ok(reason == GONE or name == "readlink" and reason == LINK, name + ": what goes meanwhile",
         reason)
t.run("kill")

# gdb's rules for the safe path.
for setting, path, inside in (
        ("/opt/a", "/opt/a/lib/x.so", True), ("/opt/a", "/opt/ab/x.so", False),
        ("/opt/a/", "/opt/a/x.so", True), ("/opt/*/lib", "/opt/b/lib/x.so", True),
        ("/opt/*/lib", "/opt/b/c/lib/x.so", False), ("/", "/any/x.so", True),
        ("/none:~/omp", os.path.expanduser("~/omp/x.so"), True),
        ("$datadir/auto-load", gdb.parameter("data-directory") + "/auto-load/x.so", True),
        ("$datadirx", "/usr/share/gdb/x.so", False),
        ("$debugdir", gdb.parameter("debug-file-directory") + "/x.so", True),
        ("/opt/a", "/opt/a/../b/x.so", False), ("/opt/a", "opt/a/x.so", False),
        ("/opt/a", "", False), (trap + "/link", evil, True)):
    t.run("set auto-load safe-path " + setting)
    t.equal(safe_path.covers(path), inside, "safe-path %s, %s" % (setting, path))
t.done()
