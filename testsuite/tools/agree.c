/* SPDX-License-Identifier: MIT
 *
 * A program that is its own collector and its own tool. It brings its threads to where
 * each waits for something else, has each asked about itself by a signal, prints what
 * they were told and rests, so that a debugger can be asked the same.
 *
 *     agree busy|idle
 */
#include "testsuite/tools/collector.h"

#include <omp.h>
#include <ompt-2/ompt.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "testsuite/tools/agree.h"

/* Called as the compiler calls it: not every thread of the team comes by. */
extern void GOMP_barrier(void);

enum { MOST = 16, TEAM = 6 };

static collector_fn collector;
static ompt_get_thread_id_t get_thread_id;
static ompt_get_state_t get_state;
static ompt_get_parallel_id_t get_parallel_id;
static ompt_get_task_info_t get_task_info;

/* What a thread is expected to be in, and what it was told. */
static struct answers {
    pthread_t thread;
    int lwp, expected;
    int told;
    int state, code;
    uintptr_t wait_id;
    uint64_t region;
    uint64_t id, ompt_region, outer_region, task, below, task_region;
    ompt_wait_id_t ompt_wait_id;
    int ompt_state;
    struct five five;
} answers[MOST];
static int count;
static __thread struct answers *mine;

static void join_in(int expected)
{
    struct answers *a = &answers[__atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST)];
    a->thread = pthread_self();
    a->lwp = (int)syscall(SYS_gettid);
    a->expected = expected;
    mine = a;
}

static void on_signal(int signal)
{
    (void)signal;
    struct answers *a = mine;
    if (!a)
        return;
    a->state = collector_my_state(collector, &a->wait_id);
    a->code = collector_my_region(collector, OMP_REQ_CURRENT_PRID, &a->region);
    if (get_thread_id) {
        a->id = get_thread_id();
        a->ompt_state = (int)get_state(&a->ompt_wait_id);
        a->ompt_region = get_parallel_id(0);
        a->outer_region = get_parallel_id(1);
        a->task = a->below = a->task_region = 0;
        get_task_info(0, NULL, &a->task, NULL, &a->task_region);
        get_task_info(1, NULL, &a->below, NULL, NULL);
    }
    five_ask(&a->five);
    __atomic_store_n(&a->told, 1, __ATOMIC_SEQ_CST);
}

/* True when all are where they should be. */
static bool ask_all(int expected_count)
{
    if (__atomic_load_n(&count, __ATOMIC_SEQ_CST) < expected_count)
        return false;
    bool there = true;
    for (int i = 0; i < expected_count; i++) {
        answers[i].told = 0;
        pthread_kill(answers[i].thread, SIGUSR1);
        while (!__atomic_load_n(&answers[i].told, __ATOMIC_SEQ_CST))
            usleep(100);
        there &= answers[i].state == answers[i].expected;
    }
    return there;
}

static void print_all(int number)
{
    printf("{\"pid\": %d, \"ompt\": %d, \"threads\": [", (int)getpid(),
           get_thread_id ? 2 : 5);
    for (int i = 0; i < number; i++) {
        const struct answers *a = &answers[i];
        printf("%s{\"lwp\": %d, \"expected\": %d, \"state\": %d, \"wait\": %llu, "
               "\"code\": %d, \"region\": %llu",
               i ? ", " : "", a->lwp, a->expected, a->state,
               (unsigned long long)a->wait_id, a->code, (unsigned long long)a->region);
        if (get_thread_id)
            printf(", \"ompt\": {\"id\": %llu, \"state\": %d, \"wait\": %llu, "
                   "\"region\": %llu, \"outer\": %llu, \"task\": %llu, \"below\": %llu, "
                   "\"task_region\": %llu}",
                   (unsigned long long)a->id, a->ompt_state,
                   (unsigned long long)a->ompt_wait_id,
                   (unsigned long long)a->ompt_region,
                   (unsigned long long)a->outer_region, (unsigned long long)a->task,
                   (unsigned long long)a->below, (unsigned long long)a->task_region);
        else
            printf(
                ", \"ompt\": {\"state\": %d, \"wait\": %llu, \"num\": %d, \"team\": %d}",
                a->five.state, (unsigned long long)a->five.wait_id, a->five.thread_num,
                a->five.team_size);
        printf("}");
    }
    printf("]}\n");
    fflush(stdout);
}

static int wanted;

static void *observe(void *unused)
{
    for (int i = 0; !ask_all(wanted) && i < 1000; i++)
        usleep(10000);
    print_all(wanted);
    for (;;)
        pause();
    return unused;
}

static omp_lock_t lock;
static volatile int taken;

static void rest(void)
{
    for (;;)
        usleep(1000);
}

enum { LOCK = 1, CRITICAL = 2 };

static void await_taken(int which)
{
    while (!(__atomic_load_n(&taken, __ATOMIC_SEQ_CST) & which))
        usleep(100);
}

static void nested(void)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            join_in(THR_IBAR_STATE);
        } else {
#pragma omp task if (0)
            {
                join_in(THR_WORK_STATE);
                rest();
            }
        }
    }
}

static void busy(void)
{
#pragma omp parallel num_threads(TEAM)
    switch (omp_get_thread_num()) {
    case 0:
        omp_set_lock(&lock);
        join_in(THR_WORK_STATE);
        __atomic_or_fetch(&taken, LOCK, __ATOMIC_SEQ_CST);
        rest();
        break;
    case 1:
        await_taken(LOCK);
        join_in(THR_LKWT_STATE);
        omp_set_lock(&lock);
        break;
    case 2:
#pragma omp critical(agreed)
    {
        join_in(THR_WORK_STATE);
        __atomic_or_fetch(&taken, CRITICAL, __ATOMIC_SEQ_CST);
        rest();
    } break;
    case 3:
        await_taken(CRITICAL);
        join_in(THR_CTWT_STATE);
#pragma omp critical(agreed)
        rest();
        break;
    case 4:
        join_in(THR_EBAR_STATE);
        GOMP_barrier();
        break;
    default:
        nested();
    }
}

static void idle(void)
{
#pragma omp parallel num_threads(3)
    join_in(omp_get_thread_num() ? THR_IDLE_STATE : THR_SERIAL_STATE);
    for (;;)
        pause();
}

static void initialize(ompt_function_lookup_t lookup, const char *runtime,
                       unsigned version)
{
    (void)runtime;
    (void)version;
    get_thread_id = (ompt_get_thread_id_t)lookup("ompt_get_thread_id");
    get_state = (ompt_get_state_t)lookup("ompt_get_state");
    get_parallel_id = (ompt_get_parallel_id_t)lookup("ompt_get_parallel_id");
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
}

ompt_initialize_fn_t ompt_tool(void)
{
    return initialize;
}

int main(int argument_count, char **arguments)
{
    collector = collector_find();
    if (argument_count != 2 || !collector ||
        collector_simple(collector, OMP_REQ_START) != OMP_ERRCODE_OK)
        return 2;
    signal(SIGUSR1, on_signal);
    omp_set_max_active_levels(2);
    omp_init_lock(&lock);
    pthread_t observer;
    bool is_busy = strcmp(arguments[1], "busy") == 0;
    wanted = is_busy ? TEAM + 1 : 3;
    pthread_create(&observer, NULL, observe, NULL);
    if (is_busy)
        busy();
    else
        idle();
    return 0;
}
