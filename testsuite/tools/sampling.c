/* SPDX-License-Identifier: MIT
 *
 * A sampling profiler and its program: every thread gets a signal ten thousand times a
 * second while it goes through all constructs, and asks in the handler what the Collector
 * and OMPT know of it: of the 2016 report, or with SAMPLING_5 of OpenMP 5.x
 * (sampling_5.c). Whatever is told must fit together.
 *
 *     sampling SECONDS
 */
#include "testsuite/tools/collector.h"
#include "testsuite/tools/sampling_5.h"

#include <errno.h>
#include <omp.h>
#include <ompt-2/ompt.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static collector_fn collector;
static ompt_get_thread_id_t get_thread_id;
static ompt_get_state_t get_state;
static ompt_get_parallel_id_t get_parallel_id;
static ompt_get_parallel_team_size_t get_team_size;
static ompt_get_task_info_t get_task_info;

static unsigned long samples, seen[THR_LAST_STATE];

/* What must hold; a failure is counted, as nothing may be printed in a handler. */
#define FACTS(X)                                                                         \
    X(state, "the state is one of the paper's")                                          \
    X(region_code, "CURRENT_PRID has an answer")                                         \
    X(outside, "idle and serial threads are in no region")                               \
    X(inside, "a thread that works for a region is in it")                               \
    X(barrier, "the wait id of a barrier is the region")                                 \
    X(mutex, "the wait id of a lock is its address")                                     \
    X(parent, "PARENT_PRID is another region, or there is no answer")                    \
    X(thread, "the thread keeps its id")                                                 \
    X(same_region, "both interfaces tell the same region")                               \
    X(same_state, "both interfaces tell the same state")                                 \
    X(same_wait, "both interfaces tell the same wait id")                                \
    X(ancestors, "enclosing regions end, and have teams")                                \
    X(tasks, "tasks end, and have kinds and ids")                                        \
    X(quiet, "errno is kept")                                                            \
    FACTS_5(X)
enum {
#define X(name, text) FACT_##name,
    FACTS(X)
#undef X
        FACT_COUNT
};
static unsigned long failed[FACT_COUNT];
#define FACT(name, condition)                                                            \
    do {                                                                                 \
        if (!(condition))                                                                \
            __atomic_add_fetch(&failed[FACT_##name], 1, __ATOMIC_RELAXED);               \
    } while (0)

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

static int paper_state(ompt_state_t state, uint64_t region)
{
    switch (state) {
    case ompt_state_work_parallel:
        return THR_WORK_STATE;
    case ompt_state_idle:
        return THR_IDLE_STATE;
    case ompt_state_wait_barrier_implicit:
        return THR_IBAR_STATE;
    case ompt_state_wait_barrier:
        return THR_EBAR_STATE;
    case ompt_state_wait_lock:
        return THR_LKWT_STATE;
    case ompt_state_wait_critical:
        return THR_CTWT_STATE;
    case ompt_state_wait_atomic:
        return THR_ATWT_STATE;
    case ompt_state_wait_ordered:
        return THR_ODWT_STATE;
    case ompt_state_overhead:
    case ompt_state_wait_taskwait:
    case ompt_state_wait_taskgroup:
        return region ? THR_OVHD_STATE : THR_SERIAL_STATE;
    default:
        return THR_SERIAL_STATE;
    }
}

/* To the Collector a thread that takes a free mutex does not wait. */
static bool free_mutex(ompt_state_t state, int collector, uint64_t region)
{
    return (state == ompt_state_wait_lock || state == ompt_state_wait_critical ||
            state == ompt_state_wait_atomic) &&
           collector == (region ? THR_OVHD_STATE : THR_SERIAL_STATE);
}

/* The master may end a worker's last barrier between two questions; nothing else may
 * change while the thread is here. */
static bool ended(int state)
{
    return state == THR_IBAR_STATE &&
           collector_my_state(collector, NULL) == THR_IDLE_STATE;
}

static void ask_collector(int *state, uintptr_t *wait_id, uint64_t *region)
{
    uint64_t parent = 0;
    *state = collector_my_state(collector, wait_id);
    FACT(state, *state >= THR_OVHD_STATE && *state < THR_LAST_STATE);
    if (*state > 0 && *state < THR_LAST_STATE)
        __atomic_add_fetch(&seen[*state], 1, __ATOMIC_RELAXED);
    int code = collector_my_region(collector, OMP_REQ_CURRENT_PRID, region);
    FACT(region_code, code == OMP_ERRCODE_OK ||
                          (code == OMP_ERRCODE_THREAD_ERR && *state == THR_OVHD_STATE));
    if (code != OMP_ERRCODE_OK)
        *region = 0;
    else if (*state == THR_IDLE_STATE || *state == THR_SERIAL_STATE)
        FACT(outside, *region == 0);
    else if (*state == THR_WORK_STATE || *state == THR_OVHD_STATE)
        FACT(inside, *region != 0);
    if (*state == THR_IBAR_STATE || *state == THR_EBAR_STATE)
        FACT(barrier, *wait_id == (uintptr_t)*region || ended(*state));
    if (*state == THR_LKWT_STATE)
        FACT(mutex, *wait_id == (uintptr_t)&lock || *wait_id == (uintptr_t)&nest_lock);
    code = collector_my_region(collector, OMP_REQ_PARENT_PRID, &parent);
    FACT(parent,
         code == OMP_ERRCODE_THREAD_ERR || (code == OMP_ERRCODE_OK && parent != *region));
}

#ifdef SAMPLING_5
static void ask_ompt(int state, uintptr_t wait_id, uint64_t region)
{
    (void)region;
    unsigned bad = sampling_5_ask(state, wait_id);
#define X(name, text) FACT(name, !(bad & 1u << BIT_##name));
    FACTS_5(X)
#undef X
}
#else
static void ask_ompt(int state, uintptr_t wait_id, uint64_t region)
{
    static __thread uint64_t my_id;
    uint64_t id = get_thread_id();
    FACT(thread, !my_id || !id || id == my_id);
    if (!id)
        return; /* it is about to be registered, or has ended but for this */
    my_id = id;
    ompt_wait_id_t awaited;
    ompt_state_t mine = get_state(&awaited);
    FACT(same_region, get_parallel_id(0) == region || ended(state));
    FACT(same_state, paper_state(mine, region) == state || ended(state) ||
                         free_mutex(mine, state, region));
    if (state >= THR_LKWT_STATE)
        FACT(same_wait, (uintptr_t)awaited == wait_id);
    int level = 0;
    while (level < 10 && get_parallel_id(level)) {
        FACT(ancestors, get_team_size(level) > 0 || ended(state));
        level++;
    }
    FACT(ancestors, level < 10 && get_parallel_id(-1) == 0);
    ompt_task_type_t type;
    ompt_task_id_t task;
    ompt_frame_t *frame;
    ompt_parallel_id_t task_region;
    for (level = 0;
         level < 1000 && get_task_info(level, &type, &task, &frame, &task_region);
         level++)
        FACT(tasks, type >= ompt_task_initial && type <= ompt_task_explicit && frame);
    FACT(tasks, level < 1000);
}
#endif

static void handler(int signal)
{
    (void)signal;
    errno = 4711;
    uintptr_t wait_id = 0;
    uint64_t region = 0;
    int state;
    __atomic_add_fetch(&samples, 1, __ATOMIC_RELAXED);
    ask_collector(&state, &wait_id, &region);
    ask_ompt(state, wait_id, region);
    FACT(quiet, errno == 4711);
}

/* A timer for each thread, as long as the thread lives. */
static pthread_key_t timer_key;
static __thread bool sampled;

static void stop_sampling(void *timer)
{
    timer_delete(timer);
}

static void be_sampled(void)
{
    if (sampled)
        return;
    sampled = true;
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    struct itimerspec rate = {{0, 100000}, {0, 100000}};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) {
        timer_settime(timer, 0, &rate, NULL);
        pthread_setspecific(timer_key, timer);
    }
}

static volatile double sink;
static long double big;

static void spin(void)
{
    for (int i = 0; i < 200; i++)
        sink += i;
}

static int tree(int depth)
{
    int left = 0, right = 0;
    if (depth == 0)
        return 1;
#pragma omp task shared(left)
    left = tree(depth - 1);
#pragma omp task shared(right) if (depth > 2)
    right = tree(depth - 1);
#pragma omp taskwait
    return left + right;
}

/* Regions that do nothing else than begin and end. */
static void brief_regions(void)
{
    for (int i = 0; i < 200; i++)
#pragma omp parallel num_threads(1)
        sink += i;
}

static void round_of_all(void)
{
    brief_regions();
#pragma omp parallel num_threads(4)
    {
        be_sampled();
        spin();
#pragma omp barrier
        omp_set_lock(&lock);
        spin();
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest_lock);
        omp_set_nest_lock(&nest_lock);
        spin();
        omp_unset_nest_lock(&nest_lock);
        omp_unset_nest_lock(&nest_lock);
#pragma omp critical
        spin();
#pragma omp atomic
        big += 1;
#pragma omp for schedule(dynamic) ordered
        for (int i = 0; i < 8; i++) {
            spin();
#pragma omp ordered
            spin();
        }
#pragma omp single
        tree(5);
#pragma omp taskgroup
        {
#pragma omp task
            spin();
        }
#pragma omp parallel num_threads(2)
        {
            be_sampled();
            spin();
        }
    }
    spin();
}

#ifndef SAMPLING_5
static void initialize(ompt_function_lookup_t lookup, const char *runtime,
                       unsigned version)
{
    (void)runtime;
    (void)version;
    get_thread_id = (ompt_get_thread_id_t)lookup("ompt_get_thread_id");
    get_state = (ompt_get_state_t)lookup("ompt_get_state");
    get_parallel_id = (ompt_get_parallel_id_t)lookup("ompt_get_parallel_id");
    get_team_size = (ompt_get_parallel_team_size_t)lookup("ompt_get_parallel_team_size");
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
}

ompt_initialize_fn_t ompt_tool(void)
{
    return initialize;
}

static bool started(void)
{
    return get_thread_id != NULL;
}
#else
static bool started(void)
{
    return sampling_5_started();
}
#endif

static unsigned number, failures;

static void result(bool ok, const char *text)
{
    printf("%sok %u - %s\n", ok ? "" : "not ", ++number, text);
    failures += !ok;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool has_seen_many(void)
{
    return seen[THR_WORK_STATE] && seen[THR_EBAR_STATE] && seen[THR_IBAR_STATE] &&
           seen[THR_CTWT_STATE] + seen[THR_LKWT_STATE];
}

/* On a busy machine a second is too short to see threads wait for each other. */
int main(int count, char **arguments)
{
    double end = now() + (count > 1 ? atof(arguments[1]) : 1);
    collector = collector_find();
    if (!collector || collector_simple(collector, OMP_REQ_START) != OMP_ERRCODE_OK) {
        printf("Bail out! there is no Collector\n");
        return 1;
    }
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    if (!started()) {
        printf("Bail out! the tool was not asked\n");
        return 1;
    }
    omp_set_max_active_levels(2);
    pthread_key_create(&timer_key, stop_sampling);
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigaction(SIGRTMIN, &action, NULL);
    be_sampled();
    unsigned long rounds = 0;
    for (; now() < end || (!has_seen_many() && now() < end + 30); rounds++)
        round_of_all();

    for (unsigned i = 0; i < FACT_COUNT; i++) {
        static const char *const texts[] = {
#define X(name, text) text,
            FACTS(X)
#undef X
        };
        if (failed[i])
            printf("# %lu times of %lu\n", failed[i], samples);
        result(failed[i] == 0, texts[i]);
    }
    result(samples > 500 && rounds > 1, "there were samples");
    result(has_seen_many(), "and in many states");
    printf("# %lu samples in %lu rounds:", samples, rounds);
    for (unsigned i = 1; i < THR_LAST_STATE; i++)
        printf(" %lu", seen[i]);
    printf("\n1..%u\n", number);
    return failures != 0;
}
