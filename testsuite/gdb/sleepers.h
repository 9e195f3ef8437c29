/* SPDX-License-Identifier: MIT
 *
 * Waits until every thread of the process but this one is at rest, which with libgomp is asleep
 * in the kernel.
 */
#ifndef SLEEPERS_H
#define SLEEPERS_H

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void until_others_sleep(void)
{
#ifdef __clang__
    usleep(500000); /* who waits for a lock of libomp's does not sleep */
    return;
#endif
    for (int quiet = 0; quiet < 3; usleep(20000)) {
        DIR *tasks = opendir("/proc/self/task");
        int awake = 0;
        for (struct dirent *d; (d = readdir(tasks)) != NULL;) {
            char path[300], line[400] = "";
            snprintf(path, sizeof path, "/proc/self/task/%s/stat", d->d_name);
            FILE *f = d->d_name[0] == '.' ? NULL : fopen(path, "r");
            if (f == NULL)
                continue;
            char *state = fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
            awake += state != NULL && state[2] != 'S';
            fclose(f);
        }
        closedir(tasks);
        quiet = awake <= 1 ? quiet + 1 : 0;
    }
}

#endif
