/* SPDX-License-Identifier: MIT
 *
 * Parses environment variables as libgomp does; see environment.h.
 */
#include "core/environment.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static struct environment_lists lists;

static const char *skip_blanks(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* Parses a number with surrounding blanks; returns its end, or NULL if there is none. */
static const char *parse_number(const char *text, unsigned long *value)
{
    char *end;
    text = skip_blanks(text);
    int saved_errno = errno;
    errno = 0;
    *value = strtoul(text, &end, 10);
    bool good = !errno && end != text;
    errno = saved_errno;
    return good ? skip_blanks(end) : NULL;
}

/* Parses one of the words, likewise. */
static const char *parse_word(const char *text, const char *const *words, unsigned *number)
{
    text = skip_blanks(text);
    for (unsigned i = 0; words[i]; i++) {
        size_t length = strlen(words[i]);
        if (strncasecmp(text, words[i], length) == 0) {
            *number = i;
            return skip_blanks(text + length);
        }
    }
    return NULL;
}

bool environment_number(const char *text, unsigned *value)
{
    unsigned long number;
    const char *end = parse_number(text, &number);
    if (!end || *end || number > UINT_MAX)
        return false;
    *value = (unsigned)number;
    return true;
}

unsigned environment_word(const char *variable, const char *const *words, unsigned otherwise)
{
    const char *text = getenv(variable);
    unsigned number;
    const char *end = text ? parse_word(text, words, &number) : NULL;
    return end && !*end ? number : otherwise;
}

uint64_t environment_size(const char *variable)
{
    const char *text = getenv(variable);
    unsigned long number;
    const char *end = text ? parse_number(text, &number) : NULL;
    if (!end)
        return 0;
    unsigned shift = 10;
    if (*end) {
        static const char units[] = "bkmg";
        const char *unit = strchr(units, tolower((unsigned char)*end));
        if (!unit || *skip_blanks(end + 1))
            return 0;
        shift = 10 * (unsigned)(unit - units);
    }
    unsigned long size = number << shift;
    return size >> shift == number ? size : 0;
}

static unsigned nthreads_list(const char *text, uint32_t *list)
{
    unsigned entries = 0;
    for (;; text++) {
        unsigned long value;
        text = parse_number(text, &value);
        if (!text || (long)value <= 0)
            return 0;
        if (entries < MAX_LEVELS)
            list[entries++] = (uint32_t)value;
        if (*text != ',')
            return *text || entries < 2 ? 0 : entries;
    }
}

static unsigned bind_list(const char *text, uint32_t *list)
{
    /* In the order of omp_proc_bind_t; "master" is the older name of "primary". */
    static const char *const words[] = {"false",  "true",   "primary", "close",
                                        "spread", "master", NULL};
    unsigned entries = 0;
    for (;; text++) {
        unsigned value;
        text = parse_word(text, words, &value);
        if (!text || (value < 2 && (entries || *text)))
            return 0;
        if (entries < MAX_LEVELS)
            list[entries++] = value == 5 ? 2 : value;
        if (*text != ',')
            return *text || entries < 2 ? 0 : entries;
    }
}

void environment_start(void)
{
    const char *text = getenv("OMP_NUM_THREADS");
    if (text)
        lists.nthreads_count = nthreads_list(text, lists.nthreads);
    text = getenv("OMP_PROC_BIND");
    if (text)
        lists.bind_count = bind_list(text, lists.bind);
}

const struct environment_lists *environment_lists(void)
{
    return &lists;
}
