#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs of every kind that nobody prepared: not OpenMP at all, OpenMP that was not used
yet, linked statically, libgomp opened late, a forked child. Each gets the right answer in
one line or less."""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hosttest import Tap, host, scratch, stage

LIBRARY = os.path.join(stage, "lib/libompd-2.so")
CC = os.environ.get("CC", "gcc").split()

SLEEP = "for (;;) pause();"
HEAD = "#include <omp.h>\n#include <stdio.h>\n#include <unistd.h>\n#include <dlfcn.h>\n"
READY = 'puts("ready"); fflush(stdout);'
TEAM = """
#pragma omp parallel num_threads(3)
{
#pragma omp barrier
    if (omp_get_thread_num() == 0) { %s }
    %s
}
"""
PLAIN = HEAD + "int main(void) { alarm(60); %s %s }\n" % (READY, SLEEP)
UNUSED = HEAD + """int main(int argc, char **argv) {
    alarm(60); (void)argv;
    if (argc > 9) printf("%%d", omp_get_max_threads());
    %s %s }
""" % (READY, SLEEP)
REGION = HEAD + "int main(void) { alarm(60); %s }\n" % (TEAM % (READY, SLEEP))
FORK = HEAD + """int main(void) {
    alarm(60);
#pragma omp parallel num_threads(3)
    usleep(1000);
    int child = fork();
    if (child) { %s }
    alarm(60);
    printf("%%d\\n", getpid()); /* only the child knows when it is through fork */
    fflush(stdout);
    %s
}
""" % (SLEEP, SLEEP)
INSIDE_FORK = HEAD + "#include <pthread.h>\n#include <sched.h>\n#include <signal.h>\n" \
    "#include <sys/syscall.h>\n" + """
static int *tid_of(char *self) {
    for (int at = 0; at < 2048; at += 4)
        if (*(int *)(self + at) == (int)syscall(SYS_gettid))
            return (int *)(self + at);
    return 0;
}
int main(void) {
    alarm(60);
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            /* What fork does before it has put the child's own list in order. */
            int *tid = tid_of((char *)pthread_self());
            if (tid && !syscall(SYS_clone, CLONE_CHILD_SETTID | SIGCHLD, 0, 0, tid, 0)) {
                alarm(60);
                printf("%%d\\n", *tid);
                fflush(stdout);
            }
        }
        %s
    }
}
""" % SLEEP
LATE = HEAD + """int main(int argc, char **argv) {
    (void)argc;
    alarm(60);
    void *lib = dlopen(argv[1], RTLD_NOW);
    int (*run)(void) = lib ? dlsym(lib, "run") : 0;
    return run ? run() : 1;
}
"""
PLUGIN = HEAD + "int run(void) { %s return 0; }\n" % (TEAM % (READY, SLEEP))


class Built:
    """A program compiled and run until it has said its first line."""

    def __init__(self, directory, name, source, *flags, arguments=()):
        self.path = os.path.join(directory, name)
        with open(self.path + ".c", "w") as file:
            file.write(source)
        subprocess.run([*CC, "-O1", "-o", self.path, self.path + ".c", *flags], check=True,
                       stderr=subprocess.DEVNULL)
        self.process = None
        if arguments is not None:
            self.process = subprocess.Popen([self.path, *arguments], text=True,
                                            stdout=subprocess.PIPE)
            self.line = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def threads_of(pid):
    """What the host says of the OpenMP threads, or its message."""
    status, out, messages = host("--lib", LIBRARY, pid)
    if status:
        return None, messages.strip()
    return [t for t in json.loads(out)["threads"] if t["openmp"]], ""


def team_of(pid, size):
    threads, message = threads_of(pid)
    if threads is None:
        return [message]
    numbers = sorted(t["num"] for t in threads)
    return [] if numbers == list(range(size)) else ["numbers %s" % numbers]


def main():
    tap = Tap()
    with scratch() as directory:
        with Built(directory, "plain", PLAIN) as program:
            threads, message = threads_of(program.process.pid)
            tap.case([] if threads is None and "incompatible" in message and
                     "\n" not in message else [threads, message],
                     "a program without OpenMP is incompatible")
        with Built(directory, "unused", UNUSED, "-fopenmp") as program:
            threads, message = threads_of(program.process.pid)
            tap.case([] if threads == [] else [threads, message],
                     "OpenMP that was not used yet has no threads")
        with Built(directory, "region", REGION, "-fopenmp") as program:
            tap.case(team_of(program.process.pid, 3), "a team")
        with Built(directory, "stripped", REGION, "-fopenmp", "-s") as program:
            tap.case(team_of(program.process.pid, 3), "a team of a stripped program")
        try:
            with Built(directory, "static", REGION, "-fopenmp", "-static") as program:
                tap.case(team_of(program.process.pid, 3), "a team in a static program")
            with Built(directory, "nothing", REGION, "-fopenmp", "-static", "-s") as program:
                said = host(program.process.pid)[2], threads_of(program.process.pid)[1]
                tap.case([] if "cannot be known" in said[0] and "incompatible" in said[1]
                         else said, "a static program without symbols")
        except subprocess.CalledProcessError:
            tap.skip("a team in a static program", "no static libraries to link with")
            tap.skip("a static program without symbols", "no static libraries to link with")
        plugin = Built(directory, "plugin.so", PLUGIN, "-fopenmp", "-shared", "-fPIC",
                       arguments=None)
        with Built(directory, "late", LATE, "-ldl", arguments=[plugin.path]) as program:
            tap.case(team_of(program.process.pid, 3), "a team of a libgomp opened late")
        with Built(directory, "forks", FORK, "-fopenmp") as program:
            child = int(program.line)
            threads, message = threads_of(child)
            faults = [message] if threads is None else [
                "lists %s" % t["lwp"] for t in threads if t["lwp"] != child]
            tap.case(faults, "a forked child has its own thread only")
            os.kill(child, 9)
        if os.uname().machine == "x86_64":
            with Built(directory, "inside", INSIDE_FORK, "-fopenmp",
                       "-D_GNU_SOURCE") as program:
                child = int(program.line)
                threads, message = threads_of(child)
                tap.case([message] if threads is None else
                         [] if [t["lwp"] for t in threads] == [child] else threads,
                         "a child inside fork has its own thread only")
                os.kill(child, 9)
    tap.end()


if __name__ == "__main__":
    main()
