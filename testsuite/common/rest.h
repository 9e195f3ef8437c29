/* SPDX-License-Identifier: MIT
 *
 * Waits until every other thread of the process is at rest: it sleeps, or it spins. How long
 * is counted in what each had of the processors, time or, if it yields, turns: a busy machine takes
 * longer.
 */
#ifndef REST_H
#define REST_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    REST_LOOKS = 3,   /* in a row */
    REST_MOST = 5000, /* threads */
};
#ifndef REST_NANOSECONDS
#define REST_NANOSECONDS 300000000 /* LLVM's threads spin for 0.2 s before they sleep */
#endif
#define REST_TURNS (REST_NANOSECONDS / 1000000) /* those of one that yields take less than that */

struct rest {
    int known;
    struct {
        int id;
        unsigned long long had, turns; /* of a processor when it was first seen */
    } threads[REST_MOST];
};

/* Unchanged where the kernel does not count them. */
static void read_turns(const char *thread, unsigned long long *had, unsigned long long *turns)
{
    char path[300];
    unsigned long long time, count;
    snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", thread);
    FILE *file = fopen(path, "r");
    if (file != NULL && fscanf(file, "%llu %*u %llu", &time, &count) == 2) {
        *had = time;
        *turns = count;
    }
    if (file != NULL)
        fclose(file);
}

static int is_at_rest(struct rest *rest, const char *thread)
{
    char path[300], line[400] = "", state = 0;
    unsigned long long user = 0, system = 0, had, turns = 0; /* ticks of 10 ms */
    int id = atoi(thread), i = 0;
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", thread);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 1; /* it has ended */
    char *words = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    fclose(file);
    if (words == NULL || sscanf(words, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu",
                                &state, &user, &system) != 3)
        return 1;
    had = (user + system) * 10000000;
    read_turns(thread, &had, &turns);
    while (i < rest->known && rest->threads[i].id != id)
        i++;
    if (i == rest->known && i < REST_MOST) {
        rest->threads[i].id = id;
        rest->threads[i].had = had;
        rest->threads[i].turns = turns;
        rest->known++;
    }
    return state == 'S' || (i < REST_MOST && (had > rest->threads[i].had + REST_NANOSECONDS ||
                                              turns > rest->threads[i].turns + REST_TURNS));
}

static void until_others_rest(void)
{
    struct rest *rest = (struct rest *)calloc(1, sizeof *rest);
    for (int quiet = 0; rest != NULL && quiet < REST_LOOKS; usleep(20000)) {
        DIR *tasks = opendir("/proc/self/task");
        int awake = 0;
        for (struct dirent *d; (d = readdir(tasks)) != NULL;)
            awake += d->d_name[0] != '.' && !is_at_rest(rest, d->d_name);
        closedir(tasks);
        quiet = awake <= 1 ? quiet + 1 : 0; /* itself */
    }
    free(rest);
}

#endif
