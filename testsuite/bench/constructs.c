/* SPDX-License-Identifier: MIT
 *
 * What one OpenMP construct costs. "constructs NAME THREADS" prints the nanoseconds of one
 * execution of it: the fastest of many short batches, so that a batch during which the
 * machine did something else does not count. "constructs" alone lists the names.
 *
 * Constructs that all threads execute together (parallel, barrier, for, reduction) count
 * once for the team; those that take turns or stand alone count for each thread that
 * executes them. Batches last about BATCH_NS.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 80, BATCH_NS = 400000, TASKS = 32, MAX_THREADS = 64 };

static omp_lock_t lock, inner;
static struct {
    omp_lock_t lock;
    char apart[124];
} own[MAX_THREADS];
static volatile long sink;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Each of these executes its construct `n` times and returns how often it counts. */
static long do_parallel(long n)
{
    for (long i = 0; i < n; i++)
#pragma omp parallel
        __asm__ volatile("" ::: "memory");
    return n;
}

static long do_reduction(long n)
{
    long a = 0, b = 0;
    for (long i = 0; i < n; i++)
#pragma omp parallel reduction(+ : a, b)
    {
        a++;
        b += 2;
    }
    sink = a + b;
    return n;
}

#define IN_REGION(statement)                                                           \
    _Pragma("omp parallel") for (long i = 0; i < n; i++)                               \
    {                                                                                  \
        statement                                                                      \
    }

static long do_barrier(long n)
{
    IN_REGION(_Pragma("omp barrier"))
    return n;
}

/* Shared out by the compiler; only the barrier at its end reaches the runtime. */
static long do_for_static(long n)
{
    IN_REGION(_Pragma("omp for schedule(static)") for (int k = 0; k < 2; k++)
                  __asm__ volatile("" ::: "memory");)
    return n;
}

static long do_for_dynamic(long n)
{
    IN_REGION(_Pragma("omp for schedule(dynamic)") for (int k = 0; k < 2; k++)
                  __asm__ volatile("" ::: "memory");)
    return n;
}

/* One chunk of a long dynamic loop. */
static long do_for_chunk(long n)
{
#pragma omp parallel
#pragma omp for schedule(dynamic)
    for (long i = 0; i < n; i++)
        __asm__ volatile("" ::: "memory");
    return n;
}

static long do_critical(long n)
{
    IN_REGION(_Pragma("omp critical") sink++;)
    return n * omp_get_max_threads();
}

static long do_critical_named(long n)
{
    IN_REGION(_Pragma("omp critical(bench)") sink++;)
    return n * omp_get_max_threads();
}

static long do_atomic(long n)
{
    static long double sum;
    IN_REGION(_Pragma("omp atomic") sum += 1;)
    return n * omp_get_max_threads();
}

static long do_lock(long n)
{
    IN_REGION(omp_set_lock(&lock); sink++; omp_unset_lock(&lock);)
    return n * omp_get_max_threads();
}

/* Two acquisitions, the second with a lock held. */
static long do_lock_inside(long n)
{
    IN_REGION(omp_set_lock(&lock); omp_set_lock(&inner); sink++; omp_unset_lock(&inner);
              omp_unset_lock(&lock);)
    return n * omp_get_max_threads();
}

/* A lock that nobody else wants. */
static long do_lock_own(long n)
{
#pragma omp parallel
    {
        omp_lock_t *mine = &own[omp_get_thread_num() % MAX_THREADS].lock;
        for (long i = 0; i < n; i++) {
            omp_set_lock(mine);
            omp_unset_lock(mine);
        }
    }
    return n;
}

static long do_ordered(long n)
{
#pragma omp parallel
#pragma omp for ordered schedule(static, 1)
    for (long i = 0; i < n; i++)
#pragma omp ordered
        sink++;
    return n;
}

static long do_single(long n)
{
    IN_REGION(_Pragma("omp single") sink++;)
    return n;
}

/* Created, queued, taken and run; few enough that the runtime queues them all. */
static long do_task(long n)
{
    long rounds = n / TASKS + 1;
#pragma omp parallel
    for (long i = 0; i < rounds; i++) {
        for (int k = 0; k < TASKS; k++)
#pragma omp task firstprivate(k)
            __asm__ volatile("" ::"r"(k) : "memory");
#pragma omp taskwait
    }
    return rounds * TASKS * omp_get_max_threads();
}

static long do_task_undeferred(long n)
{
    IN_REGION(_Pragma("omp task if (0)") __asm__ volatile("" ::: "memory");)
    return n;
}

static long do_taskwait(long n)
{
    IN_REGION(_Pragma("omp taskwait"))
    return n;
}

static long do_task_taskwait(long n)
{
    IN_REGION(_Pragma("omp task") __asm__ volatile("" ::: "memory"); _Pragma("omp taskwait"))
    return n;
}

static const struct {
    const char *name;
    long (*run)(long);
} constructs[] = {
    {"parallel", do_parallel},
    {"barrier", do_barrier},
    {"for-static", do_for_static},
    {"for-dynamic", do_for_dynamic},
    {"for-chunk", do_for_chunk},
    {"single", do_single},
    {"critical", do_critical},
    {"critical-named", do_critical_named},
    {"atomic", do_atomic},
    {"lock", do_lock},
    {"lock-inside", do_lock_inside},
    {"lock-own", do_lock_own},
    {"ordered", do_ordered},
    {"reduction", do_reduction},
    {"task", do_task},
    {"task-undeferred", do_task_undeferred},
    {"taskwait", do_taskwait},
    {"task-taskwait", do_task_taskwait},
};
enum { CONSTRUCTS = sizeof(constructs) / sizeof(constructs[0]) };

/* As many executions as fill a batch; the team and the code are warm afterwards. */
static long calibrate(long (*run)(long))
{
    long n = 8;
    for (;;) {
        double start = now_ns();
        run(n);
        double took = now_ns() - start;
        if (took >= BATCH_NS / 4 || n >= 1L << 28) {
            long wanted = (long)((double)n * BATCH_NS / took);
            return wanted > 0 ? wanted : 1;
        }
        n *= 2;
    }
}

static double measure(long (*run)(long))
{
    double best = 0;
    run(1); /* the runtime starts */
    long n = calibrate(run);
    for (int i = 0; i < BATCHES; i++) {
        double start = now_ns();
        long count = run(n);
        double ns = (now_ns() - start) / (double)count;
        if (i == 0 || ns < best)
            best = ns;
    }
    return best;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        for (int i = 0; i < CONSTRUCTS; i++)
            puts(constructs[i].name);
        return argc == 1 ? 0 : 2;
    }
    omp_set_dynamic(0);
    omp_set_num_threads(atoi(argv[2]));
    omp_init_lock(&lock);
    omp_init_lock(&inner);
    for (int i = 0; i < MAX_THREADS; i++)
        omp_init_lock(&own[i].lock);
    for (int i = 0; i < CONSTRUCTS; i++)
        if (!strcmp(argv[1], constructs[i].name)) {
            printf("%.3f\n", measure(constructs[i].run));
            return 0;
        }
    fprintf(stderr, "no construct %s\n", argv[1]);
    return 2;
}
