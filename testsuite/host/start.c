/* SPDX-License-Identifier: MIT
 *
 * fork, exec, wait a while.
 */
#define _GNU_SOURCE
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "start.h"

enum { STEP_MS = 10, NOT_STARTED = 127 };

static void child(char *const argv[], char **words)
{
    const char *stage = getenv("stage");
    char runner[4096] = "ompd-run";
    if (stage)
        snprintf(runner, sizeof runner, "%s/bin/ompd-run", stage);
    words[0] = runner;
    words[1] = "--";
    for (size_t i = 0; argv[i]; i++)
        words[i + 2] = argv[i];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(2, 1); /* what the host prints stays free of the program's output */
    execvp(runner, words);
    perror(runner);
    _exit(NOT_STARTED);
}

pid_t start_program(char *const argv[], double seconds, struct why *why)
{
    size_t count = 0;
    while (argv[count])
        count++;
    char **words = calloc(count + 3, sizeof *words);
    pid_t pid = words ? fork() : -1;
    if (pid == 0)
        child(argv, words);
    free(words);
    if (pid < 0) {
        why_set(why, "%s cannot be started.", argv[0]);
        return 0;
    }
    for (double waited = 0; waited < seconds; waited += STEP_MS / 1e3) {
        int status;
        if (waitpid(pid, &status, WNOHANG) == pid) {
            if (WIFEXITED(status))
                why_set(why, "%s ended with status %d before it was looked at.", argv[0],
                        WEXITSTATUS(status));
            else
                why_set(why, "%s ended by signal %d before it was looked at.", argv[0],
                        WTERMSIG(status));
            return 0;
        }
        nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000}, NULL);
    }
    return pid;
}

void start_end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}
