/* SPDX-License-Identifier: MIT
 *
 * ompt2_watch.h.
 */
#include "ompt2_watch.h"

#include <pthread.h>
#include <stdarg.h>
#include <string.h>

FILE *report;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned problems;
bool over;

void problem(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    pthread_mutex_lock(&lock);
    if (problems++ < 20) {
        vfprintf(report, format, args);
        fputc('\n', report);
    }
    pthread_mutex_unlock(&lock);
    va_end(args);
}

/* Ids of all kinds: what has become of each. A program that has more than there is room
 * for is watched in all other respects. */
enum { SLOTS = 1 << 20, MOST = SLOTS / 4 * 3 };
static struct {
    uint64_t id;
    uint8_t kind, fate; /* fate 0: free */
} ids[SLOTS];
static size_t used;

bool meets(enum kind kind, uint64_t id, unsigned before, enum fate fate)
{
    size_t i = (size_t)((id * 3 + kind) * UINT64_C(0x9E3779B97F4A7C15) >> 44);
    bool fits = true;
    pthread_mutex_lock(&lock);
    while (ids[i].fate && (ids[i].id != id || ids[i].kind != kind))
        i = (i + 1) % SLOTS;
    if (ids[i].fate || used < MOST) {
        used += !ids[i].fate;
        fits = before & (ids[i].fate ? ids[i].fate : ABSENT);
        ids[i].id = id;
        ids[i].kind = (uint8_t)kind;
        ids[i].fate = (uint8_t)fate;
    }
    pthread_mutex_unlock(&lock);
    return fits;
}

__thread struct self self;

/* The child of a fork has one thread, and its tool starts anew. */
static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

static void after_fork_in_child(void)
{
    memset(ids, 0, sizeof(ids));
    memset(&self, 0, sizeof(self));
    used = 0;
    problems = 0;
    over = false;
    pthread_mutex_unlock(&lock);
}

void here(const char *what)
{
    if (!self.known)
        problem("%s before thread_begin", what);
    if (self.gone)
        problem("%s after thread_end", what);
}

void enter(int begin, uint64_t id)
{
    if (self.depth < DEPTH) {
        self.in[self.depth].begin = begin;
        self.in[self.depth].id = id;
    }
    self.depth++;
}

void leave(int begin, uint64_t id)
{
    if (self.depth == 0) {
        problem("end of %d (%llu) inside nothing", begin, (unsigned long long)id);
        return;
    }
    self.depth--;
    if (self.depth < DEPTH &&
        (self.in[self.depth].begin != begin || self.in[self.depth].id != id))
        problem("end of %d (%llu) inside %d (%llu)", begin, (unsigned long long)id,
                self.in[self.depth].begin, (unsigned long long)self.in[self.depth].id);
}

void scope(int begin, ompt_scope_endpoint_t endpoint, uint64_t id)
{
    if (endpoint == ompt_scope_begin)
        enter(begin, id);
    else if (endpoint == ompt_scope_end)
        leave(begin, id);
    else
        problem("endpoint %d of %d", (int)endpoint, begin);
}

void watch_start(void)
{
    static bool forks;
    if (!forks)
        forks = pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
}

unsigned long watch_unfinished(void)
{
    unsigned long unfinished = 0;
    for (size_t i = 0; i < SLOTS; i++)
        unfinished += ids[i].kind == TASK && ids[i].fate == CREATED;
    return unfinished;
}
