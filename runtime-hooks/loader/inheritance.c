/* SPDX-License-Identifier: MIT
 *
 * Restores the environment that children inherit. The hooks stay preloaded through
 * scripts and launchers until a process has an OpenMP runtime; the children of that
 * process get the user's own environment. The mark of ompd-run (mark.h) lists the
 * variables to restore; without it nothing is changed.
 *
 * The runtime may be loaded while other threads call getenv(), setenv() and exec(). Hence
 * - the C library makes each change, under its environment lock: nothing else is safe
 *   against a concurrent setenv();
 * - a variable that had a value is restored by putenv() of a string prepared at startup:
 *   one store of a pointer, no allocation, and no string is modified in place;
 * - unsetenv() shifts the pointers that follow, and a concurrent getenv() could miss one.
 *   So the constructor moves our variables to the end of a copy of the array, where
 *   removing the last one is one store of NULL;
 * - if the program has appended variables since and has several threads, ours are set to
 *   empty instead, which their readers treat as unset.
 * The array on the initial stack is not changed: /proc/self/environ shows it, and
 * sanitizers read it there to execute the program again.
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

/* The variables that ompd-run changed, in their order at the end of the array; the mark
 * is the last. */
struct entry {
    const char *name;
    char *current;  /* its string in the array; NULL if it is not to be restored */
    char *original; /* the string to restore; the value is empty if `created` */
    bool created;   /* it was unset before */
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

/* Finds our variables; returns the size of their strings. */
static size_t find_all(const char *mark)
{
    size_t size = 0;
    for (unsigned i = 0; i < ENTRIES; i++) {
        bool is_mark = i == MARK_VARIABLES;
        entries[i].name = is_mark ? MARK : mark_variables[i].name;
        enum mark_change change = is_mark ? MARK_CREATED : mark_change(mark, entries[i].name);
        entries[i].created = change == MARK_CREATED;
        const char *value = getenv(entries[i].name);
        if (!value || change == MARK_UNCHANGED)
            continue;
        size_t length = strlen(entries[i].name) + 1;
        entries[i].current = (char *)value - length;
        size += length + strlen(value) + 1;
    }
    return size;
}

/* glibc 2.32 and later; false if it is unknown. */
static bool is_single_threaded(void)
{
    return &__libc_single_threaded && __libc_single_threaded;
}

static void prepare_original(struct entry *entry, char **room)
{
    size_t size = strlen(entry->current) + 1;
    char *value = *room + strlen(entry->name) + 1;
    entry->original = memcpy(*room, entry->current, size);
    *room += size;
    if (entry - entries < MARK_VARIABLES)
        mark_remove(&mark_variables[entry - entries], value);
    else
        *value = 0;
    entry->created &= !*value; /* keep what a script has added */
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
        if (entries[i].current)
            prepare_original(&entries[i], &room);

    char **next = array;
    for (size_t i = 0; i < count; i++) {
        struct entry *entry = find_entry(environ[i]);
        if (!entry || entry->current != environ[i] || !entry->created)
            *next++ = environ[i];
    }
    for (unsigned i = 0; i < ENTRIES; i++)
        if (entries[i].current && entries[i].created)
            *next++ = entries[i].current;
    /* Not if a constructor has created threads: they may be modifying the old array. */
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
        /* Not if the program has set the variable since. */
        if (!entry->current || value != entry->current + strlen(entry->name) + 1)
            continue;
        if (entry->created && (is_single_threaded() || is_last(entry->current)))
            unsetenv(entry->name);
        else
            putenv(entry->original);
    }
    errno = saved_errno;
}
