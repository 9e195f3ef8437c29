/* SPDX-License-Identifier: MIT
 *
 * The hooks stay in the environment through scripts and launchers, until a process has an
 * OpenMP runtime; the children of that one get the user's own environment. What says so
 * is the mark of ompd-run (mark.h); without it nothing is changed.
 *
 * The runtime may come late, when other threads call getenv(), setenv() and exec(). Hence
 * - the C library makes the change, under its lock, as only that is safe against a
 *   concurrent setenv();
 * - a variable that had a value gets it back by putenv() of a string that was made at the
 *   start: one store of a pointer, no allocation, and no string is ever edited;
 * - unsetenv() moves all later pointers, and a concurrent getenv() could miss one. So the
 *   constructor puts our variables at the end of a copy of the array: removing the last
 *   is one store of NULL;
 * - if the program has appended others since and has several threads, ours stay, but
 *   empty, which means the same to all who read them.
 * The kernel's own array stays as it was for those who look there (/proc/self/environ,
 * the sanitizers when they execute the program anew).
 */
#include "loader/inheritance.h"
#include "loader/mark.h"
#include "records/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char __libc_single_threaded __attribute__((weak));

/* A variable of ours, in the order of the array's end. The mark is the last. */
struct entry {
    const char *name;
    char *now;    /* what the array holds */
    char *former; /* what it held before, empty if `created` */
    bool created; /* it was not set before */
};
#define ENTRIES (MARK_VARIABLES + 1)
static struct entry entries[ENTRIES];
static int ready;

static bool is_named(const char *string, const char *name)
{
    size_t length = strlen(name);
    return strncmp(string, name, length) == 0 && string[length] == '=';
}

static struct entry *find_entry(const char *string)
{
    for (unsigned i = 0; i < ENTRIES; i++)
        if (is_named(string, entries[i].name))
            return &entries[i];
    return NULL;
}

/* Finds our variables; the size of all their strings. */
static size_t find_all(const char *mark)
{
    size_t size = 0;
    for (unsigned i = 0; i < ENTRIES; i++) {
        bool is_mark = i == MARK_VARIABLES;
        entries[i].name = is_mark ? MARK : mark_variables[i].name;
        enum mark_change change =
            is_mark ? MARK_CREATED : mark_change(mark, entries[i].name);
        entries[i].created = change == MARK_CREATED;
        const char *value = getenv(entries[i].name);
        if (!value || change == MARK_UNCHANGED)
            continue;
        size_t length = strlen(entries[i].name) + 1;
        entries[i].now = (char *)value - length;
        size += length + strlen(value) + 1;
    }
    return size;
}

/* Of glibc 2.32 and later: no second thread was ever made, or none is left. */
static bool is_single_threaded(void)
{
    return &__libc_single_threaded && __libc_single_threaded;
}

static void prepare_former(struct entry *entry, char **room)
{
    size_t size = strlen(entry->now) + 1;
    char *value = *room + strlen(entry->name) + 1;
    entry->former = memcpy(*room, entry->now, size);
    *room += size;
    if (entry - entries < MARK_VARIABLES)
        mark_remove(&mark_variables[entry - entries], value);
    else
        *value = 0;
    entry->created &= !*value; /* a script has added to it: that stays */
}

void inheritance_start(void)
{
    const char *mark = secure_getenv(MARK);
    if (!mark || strncmp(mark, MARK_RESTORE, strlen(MARK_RESTORE)) != 0)
        return;
    size_t count = 0;
    while (environ[count])
        count++;
    size_t size = find_all(mark);
    char **array = memory_pages((count + 1) * sizeof(*array) + size);
    if (!array)
        return;
    char *room = (char *)(array + count + 1);
    for (unsigned i = 0; i < ENTRIES; i++)
        if (entries[i].now)
            prepare_former(&entries[i], &room);

    char **next = array;
    for (size_t i = 0; i < count; i++) {
        struct entry *entry = find_entry(environ[i]);
        if (!entry || entry->now != environ[i] || !entry->created)
            *next++ = environ[i];
    }
    for (unsigned i = 0; i < ENTRIES; i++)
        if (entries[i].now && entries[i].created)
            *next++ = entries[i].now;
    /* Other constructors may have made threads, which may be changing the old array. */
    if (!&__libc_single_threaded || __libc_single_threaded)
        __atomic_store_n(&environ, array, __ATOMIC_RELEASE);
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
}

static bool is_last(const char *string)
{
    char **entry = environ;
    while (entry && entry[0] && entry[1])
        entry++;
    return entry && entry[0] == string;
}

void inheritance_end(void)
{
    if (!__atomic_exchange_n(&ready, 0, __ATOMIC_ACQ_REL))
        return;
    int saved_errno = errno;
    for (unsigned i = ENTRIES; i-- > 0;) {
        struct entry *entry = &entries[i];
        const char *value = getenv(entry->name);
        /* What the program has set by itself is its own. */
        if (!entry->now || value != entry->now + strlen(entry->name) + 1)
            continue;
        if (entry->created && (is_single_threaded() || is_last(entry->now)))
            unsetenv(entry->name);
        else
            putenv(entry->former);
    }
    errno = saved_errno;
}
