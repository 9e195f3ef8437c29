/* SPDX-License-Identifier: MIT
 *
 * Reading the records from inside, and TAP; see hooks_records.h.
 */
#include "testsuite/unit/hooks_records.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct rec_root *records_root(void)
{
    static struct rec_root *root;
    if (!root)
        root = dlsym(RTLD_DEFAULT, HOOKS_SYMBOL_ROOT);
    if (!root) {
        printf("Bail out! the hooks are not loaded\n");
        exit(1);
    }
    return root;
}

struct rec_thread *records_find(uint64_t key)
{
    const struct rec_root *root = records_root();
    if (!root->index)
        return NULL;
    const struct rec_index *entry = (const struct rec_index *)root->index;
    entry += records_hash(key, root->index_bits);
    for (unsigned i = 0; i < root->index_window; i++) {
        struct rec_thread *thread = (struct rec_thread *)entry[i].thread;
        if (entry[i].key == key && thread && thread->id == entry[i].thread_id)
            return thread;
    }
    return NULL;
}

struct rec_thread *records_self(void)
{
    struct rec_thread *self = records_find((uint64_t)syscall(SYS_gettid));
    if (!self) {
        printf("Bail out! a thread is not in the index\n");
        exit(1);
    }
    return self;
}

unsigned records_count(void)
{
    unsigned count = 0;
    const struct rec_slab *slab = (const struct rec_slab *)records_root()->slab;
    for (; slab; slab = (const struct rec_slab *)slab->next)
        for (uint32_t i = 0; i < slab->used; i++)
            count += ((const struct rec_thread *)(slab->first + i * slab->stride))->id != 0;
    return count;
}

bool reaches(const struct rec_thread *t, unsigned state)
{
    time_t end = time(NULL) + 10;
    while (state_of(t) != state) {
        if (time(NULL) > end)
            return false;
        sched_yield();
    }
    return true;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    const char *name;
    bool failed;
} checks[128];
static unsigned check_count;

void check_that(bool holds, const char *name, const char *what, int line)
{
    pthread_mutex_lock(&lock);
    unsigned i = 0;
    while (i < check_count && strcmp(checks[i].name, name) != 0)
        i++;
    if (i == check_count)
        checks[check_count++].name = name;
    if (!holds) {
        checks[i].failed = true;
        printf("# %s, line %d: not so: %s\n", name, line, what);
    }
    pthread_mutex_unlock(&lock);
}

int checks_done(void)
{
    int failed = 0;
    for (unsigned i = 0; i < check_count; i++) {
        printf("%s %u - %s\n", checks[i].failed ? "not ok" : "ok", i + 1, checks[i].name);
        failed |= checks[i].failed;
    }
    printf("1..%u\n", check_count);
    return failed;
}
