/* SPDX-License-Identifier: MIT
 *
 * Preloaded: outermost regions get one more thread, which does not execute their body. It works
 * for ever, or reads what never comes if ONE_MORE says "reads".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void body(void *data);
void GOMP_parallel(body *function, void *data, unsigned threads, unsigned flags);

struct region {
    body *function;
    void *data;
    int threads; /* without that one */
};

static void stay(void)
{
    const char *how = getenv("ONE_MORE");
    int ends[2];
    char byte;
    volatile unsigned count = 0;
    if (how && !strcmp(how, "reads") && !pipe(ends))
        while (read(ends[0], &byte, 1) >= 0)
            ;
    for (;;)
        count++;
}

static void enter(void *at)
{
    const struct region *region = at;
    if (omp_get_level() == 1 && omp_get_thread_num() == region->threads)
        stay();
    region->function(region->data);
}

void GOMP_parallel(body *function, void *data, unsigned threads, unsigned flags)
{
    void (*next)(body *, void *, unsigned, unsigned);
    *(void **)&next = dlsym(RTLD_NEXT, "GOMP_parallel");
    struct region region = {function, data, threads ? (int)threads : omp_get_max_threads()};
    if (omp_get_level())
        next(function, data, threads, flags);
    else
        next(enter, &region, region.threads + 1, flags);
}
