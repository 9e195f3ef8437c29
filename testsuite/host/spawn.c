/* SPDX-License-Identifier: MIT
 *
 * fork, exec, read one line.
 */
#define _GNU_SOURCE
#include "config.h"

#include <poll.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spawn.h"

enum { MAX_ARGS = 16 };

static void child_bare(char *const argv[], int out)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(out, 1);
    setenv("GOMP_SPINCOUNT", "0", 1);
    execv(argv[0], argv);
    perror(argv[0]);
    _exit(127);
}

static void child(char *const argv[], int out)
{
    const char *stage = getenv("stage");
    static char runner[4096];
    char *args[MAX_ARGS + 2] = {runner};
    snprintf(runner, sizeof runner, "%s/bin/ompd-run", stage ? stage : "");
    for (int i = 0; i < MAX_ARGS && argv[i]; i++)
        args[i + 1] = argv[i];
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that dies takes its program along */
    dup2(out, 1);
    setenv("OMP_OMPD", "on", 1);
    setenv("GOMP_SPINCOUNT", "0", 1);
    execv(runner, args);
    perror(runner);
    _exit(127);
}

static struct spawned spawn(void (*begin)(char *const argv[], int out), char *const argv[],
                            int seconds)
{
    struct spawned spawned = {0};
    int pipes[2];
    if (pipe(pipes) < 0)
        return spawned;
    pid_t pid = fork();
    if (pid == 0)
        begin(argv, pipes[1]);
    close(pipes[1]);
    spawned.out = pipes[0];
    spawned.pid = pid;
    char text[4096];
    struct pollfd wait = {.fd = pipes[0], .events = POLLIN};
    while (pid > 0 && poll(&wait, 1, seconds * 1000) == 1) {
        ssize_t n = read(pipes[0], text, sizeof text);
        if (n <= 0)
            break;
        if (memchr(text, '\n', (size_t)n))
            return spawned;
    }
    if (pid > 0)
        spawn_kill(&spawned);
    spawned.pid = 0;
    return spawned;
}

struct spawned spawn_ready(char *const argv[], int seconds)
{
    return spawn(child, argv, seconds);
}

struct spawned spawn_bare_ready(char *const argv[], int seconds)
{
    return spawn(child_bare, argv, seconds);
}

/* A traced thread that has ended is waited for by its own id before its process can be. */
static void reap_threads(pid_t pid)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        pid_t tid = (pid_t)atoi(task->d_name);
        if (tid > 0 && tid != pid)
            waitpid(tid, NULL, __WALL | WNOHANG);
    }
    if (tasks)
        closedir(tasks);
}

void spawn_kill(struct spawned *spawned)
{
    if (spawned->pid <= 0)
        return;
    kill(spawned->pid, SIGKILL);
    while (waitpid(spawned->pid, NULL, WNOHANG) == 0) {
        reap_threads(spawned->pid);
        usleep(1000);
    }
    close(spawned->out);
    spawned->pid = 0;
}
