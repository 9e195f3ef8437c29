/* SPDX-License-Identifier: MIT
 *
 * Waits until every other thread of the process is at rest: it sleeps, or it spins. How long
 * is counted in what each had of the processors: a busy machine takes longer.
 */
#ifndef REST_H
#define REST_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    REST_LOOKS = 3,     /* in a row */
    REST_MOST = 5000,   /* threads */
    REST_TICKS = 30,    /* 0.3 s of a processor; LLVM's threads spin for 0.2 s before they sleep */
};

struct rest {
    int known;
    struct {
        int id;
        unsigned long had; /* ticks of a processor when it was first seen */
    } threads[REST_MOST];
};

static int is_at_rest(struct rest *rest, const char *thread)
{
    char path[300], line[400] = "", state = 0;
    unsigned long user = 0, system = 0;
    int id = atoi(thread), i = 0;
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", thread);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 1; /* it has ended */
    char *words = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    fclose(file);
    if (words == NULL || sscanf(words, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                                &state, &user, &system) != 3)
        return 1;
    while (i < rest->known && rest->threads[i].id != id)
        i++;
    if (i == rest->known && i < REST_MOST) {
        rest->threads[i].id = id;
        rest->threads[i].had = user + system;
        rest->known++;
    }
    return state == 'S' || (i < REST_MOST && user + system > rest->threads[i].had + REST_TICKS);
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
