/* SPDX-License-Identifier: MIT
 *
 * The path is gone through component by component, from the root and without symbolic links,
 * and each directory is checked on the descriptor from which the next one is opened.
 */
#define _GNU_SOURCE
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library-file.h"

/* In a sticky directory others can neither replace nor rename what is not theirs. */
static const char *complaint(const struct stat *found, bool is_directory)
{
    if (found->st_uid != 0 && found->st_uid != geteuid())
        return "belongs to another user";
    if (found->st_mode & (S_IWGRP | S_IWOTH) && !(is_directory && found->st_mode & S_ISVTX))
        return "may be written by others";
    return NULL;
}

/* The descriptor of what `path`, which has no symbolic links, leads to; -1 and why. */
static int open_checked(char *path, struct why *why)
{
    enum { HOW = O_PATH | O_NOFOLLOW | O_CLOEXEC };
    struct stat found;
    char *save = NULL;
    int here = open("/", HOW | O_DIRECTORY);
    const char *wrong = NULL;
    for (char *name = strtok_r(path, "/", &save); name && here >= 0 && !wrong;) {
        char *next = strtok_r(NULL, "/", &save);
        if (fstat(here, &found) == 0)
            wrong = complaint(&found, true);
        int below = wrong ? -1 : openat(here, name, HOW | (next ? O_DIRECTORY : 0));
        close(here);
        here = below;
        if (wrong)
            why_set(why, "A directory above it %s.", wrong);
        name = next;
    }
    if (here < 0) {
        if (!wrong)
            why_set(why, "It cannot be opened: %s.", strerror(errno));
        return -1;
    }
    if (fstat(here, &found) || !S_ISREG(found.st_mode))
        wrong = "is no regular file";
    else
        wrong = complaint(&found, false);
    if (!wrong)
        return here;
    why_set(why, "It %s.", wrong);
    close(here);
    return -1;
}

bool library_file(const char *path, char name[LIBRARY_NAME_BYTES], struct why *why)
{
    char *real = realpath(path, NULL);
    if (!real)
        return why_set(why, "It cannot be opened: %s.", strerror(errno));
    int file = open_checked(real, why);
    free(real);
    if (file < 0)
        return false;
    snprintf(name, LIBRARY_NAME_BYTES, "/proc/self/fd/%d", file);
    return true;
}
