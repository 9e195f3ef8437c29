# SPDX-License-Identifier: MIT
#
# How processes are started, with what rights and limits, and what they start themselves.

import os
import subprocess

import build
from table import case, module, program

REGION = program("processes/region.c")
CHILDREN = program("processes/children.c")
CONFINED = program("processes/confined.c")

for how in ("fork-exec", "vfork", "spawn", "popen", "system", "in-region", "fresh-thread",
            "fork-meanwhile", "among-new", "handlers-use", "handlers-hold", "grandchildren",
            "before-any", "daemon", "daemon-first", "exec-4"):
    case("children: " + how, CHILDREN, how)

# What comes between the shell and the program.
case("env -i", "env", "-i", REGION)
case("env -i before ompd-run", "env", "-i", "{run}", REGION, modes=("recording",))
case("a script", "sh", "-c", './region 3 && exec "$0" 2', REGION)
case("nohup, nice, timeout", "nohup", "nice", "timeout", "10", REGION)
case("a closed stdout", "sh", "-c", '"$0" >&-', REGION)
case("no descriptors", "sh", "-c", '"$0" <&- >&- 2>&-', REGION)
case("/dev/full", "sh", "-c", '"$0" >/dev/full', REGION)
case("from /", "sh", "-c", 'cd / && exec "$0"', REGION)

# What OMP_TOOL may say. An empty value is none; of another one ompd-run tells on stderr.
case("OMP_TOOL empty", REGION, env={"OMP_TOOL": ""})
for value in ("0", "nonsense", "enabled", "disabled"):
    case("OMP_TOOL=" + value, "sh", "-c", 'exec "$0" 2>/dev/null', REGION,
         env={"OMP_TOOL": value})
for value in ("/nonexistent.so", "", ":", "/dev/null"):
    case("OMP_TOOL_LIBRARIES=%r" % value, REGION, env={"OMP_TOOL_LIBRARIES": value},
         modes=("off", "recording"))

# Installed where LD_PRELOAD cannot name it: it records, or says that it cannot.
WITNESS = program("witness.c")
for name in ("a space", "a:colon"):
    case("ompd-run in " + name, "sh", "-c",
         'rm -rf "$1" && mkdir "$1" && cp -r {stage}/bin {stage}/lib "$1" && '
         'said=$("$1/bin/ompd-run" "$0" 2>&1); '
         'case $said in recording|*ompd-run:*) ;; *) echo "$said"; exit 1;; esac',
         WITNESS, name, modes=())

# Limits.
for limit in ("-v 300000", "-s unlimited", "-s 256", "-n 8", "-c 0", "-l 0", "-d 200000"):
    case("ulimit " + limit, "sh", "-c", 'ulimit %s; exec "$0" 3' % limit, REGION)
for size in ("16k", "32k", "64k", "200M"):
    case("OMP_STACKSIZE=" + size, REGION, "4", env={"OMP_STACKSIZE": size})


def not_allowed(*command):
    def reason():
        try:
            done = subprocess.run([*command, "true"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True)
            return done.stderr.strip().splitlines()[-1] if done.returncode else None
        except FileNotFoundError:
            return "no " + command[0]
    return reason


for words in (("unshare", "-p", "-f"), ("unshare", "-p", "-f", "--mount-proc"),
              ("unshare", "-n"), ("unshare", "-r")):
    case(" ".join(words), *words, REGION, unless=not_allowed(*words))

# A filter that kills: the hooks must need nothing that the bare run does not need. A tool is
# loaded at the first use of the runtime, which takes more.
case("seccomp before the first use", CONFINED, "first", modes=("off", "recording"))
case("seccomp after the first use", CONFINED, "later")
case("seccomp with an error", CONFINED, "first", "errno", modes=("off", "recording"))
case("seccomp with an error, later", CONFINED, "later", "errno")
case("no counter for the flight recorder", CONFINED, "counter", env={"OMP_OMPD": "history+sums"})

# Static programs have no names to stand before.
for words in (("-static",), ("-static-pie",)):
    case("static: " + words[0], program("processes/region.c", *words, name="region" + words[0]))
case("libgomp in the executable",
     program("processes/region.c", name="region-gomp-inside",
             link=("-pthread", "-l:libgomp.a", "-ldl")))

# More rights than who runs it.
LINKED = ("-L{stage}/lib", "-Wl,-rpath,{stage}/lib", "-Wl,--no-as-needed", "-lompd-hooks")


def set_user_id(new, name):
    os.chmod(new, 0o4755)


def not_root():
    return None if os.geteuid() == 0 else "not root: cannot give a program rights"


def set_capability(new, name):
    if not not_root():
        build.execute(["setcap", "cap_net_raw+ep", new], None)


SHOUTS = module("processes/shouts.c", openmp=False)
for name, finish in (("setuid", set_user_id), ("setcap", set_capability)):
    privileged = program("processes/privileged.c", *LINKED, name="privileged-" + name,
                         finish=finish)
    case(name + " program", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
         privileged, env={"OMP_TOOL_LIBRARIES": "{bin}/shouts.so", "OMP_OMPD": "on",
                          "OMP_TOOL_VERBOSE_INIT": "{bin}/told-" + name},
         out="secure 1\nprivileged: as expected\n", modes=("off", "recording"),
         needs=(SHOUTS,), unless=not_root)

# Children get the environment that they would have without ompd-run.
case("the environment of children", program("processes/environment.c"), modes=("recording",))
