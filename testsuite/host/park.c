/* SPDX-License-Identifier: MIT
 *
 * Drives its threads into a known construct, says what is true of each of them, and stays
 * there until it is killed.
 *
 *   park CONSTRUCT [THREADS]
 *
 * prints one JSON object on one line once every thread sleeps where it should: what the
 * OpenMP runtime told each thread about itself, and where this program sent it. Tests hold
 * the answers of a debugger against it. Run it with GOMP_SPINCOUNT=0: it takes a sleeping
 * thread for a parked one.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 4, MAX_TRUTHS = 1024 };

/* What this program knows of one thread. */
struct truth {
    long lwp;
    pthread_t pthread;
    int num, team, level, active_level;
    int outer_num, outer_team; /* of the enclosing region at level 1 */
    int explicit_task;
    int line;  /* of the construct whose outlined function the thread runs */
    void *cfa; /* canonical frame address of that function */
    const char *state;
    unsigned long wait; /* wait id where it is an address; 1: some word of the runtime */
    int max_threads, dynamic, max_active_levels, chunk, thread_limit, default_device;
    int in_parallel, in_final;
    omp_sched_t schedule;
    omp_proc_bind_t bind;
    unsigned long allocator;
};

static struct truth truths[MAX_TRUTHS];
static int truth_count;
static int expected;

/* For debuggers that look for thread-local data: each thread's kernel id. */
__thread long park_own_lwp;

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

/* GCC keeps one word per named critical construct; this is the word of "update". */
extern char word_of_update[] __asm__(".gomp_critical_user_update");

void GOMP_atomic_start(void);
void GOMP_atomic_end(void);

/* Adds what is true of the calling thread, from now until the program dies. */
#define HERE(state_, wait_, line_)                                                                 \
    say((struct truth){.state = (state_),                                                          \
                       .wait = (unsigned long)(wait_),                                             \
                       .line = (line_),                                                            \
                       .cfa = __builtin_dwarf_cfa()})

static void say(struct truth truth)
{
    truth.lwp = park_own_lwp = syscall(SYS_gettid);
    truth.pthread = pthread_self();
    truth.num = omp_get_thread_num();
    truth.team = omp_get_num_threads();
    truth.level = omp_get_level();
    truth.active_level = omp_get_active_level();
    truth.outer_num = truth.level > 1 ? omp_get_ancestor_thread_num(1) : -1;
    truth.outer_team = truth.level > 1 ? omp_get_team_size(1) : -1;
    truth.max_threads = omp_get_max_threads();
    truth.dynamic = omp_get_dynamic();
    truth.max_active_levels = omp_get_max_active_levels();
    omp_get_schedule(&truth.schedule, &truth.chunk);
    truth.thread_limit = omp_get_thread_limit();
    truth.default_device = omp_get_default_device();
    truth.in_parallel = omp_in_parallel();
    truth.in_final = omp_in_final();
    truth.bind = omp_get_proc_bind();
    truth.allocator = (unsigned long)omp_get_default_allocator();
    truths[__atomic_fetch_add(&truth_count, 1, __ATOMIC_SEQ_CST)] = truth;
}

/* A thread that does something else than what it said first, as a worker that went idle. */
static void amend(const char *state, int level)
{
    for (int i = 0; i < truth_count; i++)
        if (truths[i].lwp != syscall(SYS_gettid)) {
            truths[i].state = state;
            truths[i].level = level;
        }
}

static void stay(void)
{
    for (;;)
        pause();
}

/* Set by the thread that holds what the others are to wait for. */
static volatile int taken;

static void wait_taken(void)
{
    while (!taken)
        usleep(1000);
}

static int asleep(long lwp)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", lwp);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    int ok = fgets(line, sizeof line, file) && strstr(line, ") S ");
    fclose(file);
    return ok;
}

/* Waits until all have said what they do and have slept for a while, then tells. */
static void *monitor(void *arg)
{
    for (int quiet = 0; quiet < 10; usleep(5000)) {
        int said = __atomic_load_n(&truth_count, __ATOMIC_SEQ_CST);
        quiet = said == expected ? quiet + 1 : 0;
        for (int i = 0; i < said; i++)
            if (!asleep(truths[i].lwp))
                quiet = 0;
    }
    printf("{\"construct\":\"%s\",\"pid\":%d,\"monitor\":%ld,\"num_procs\":%d,"
           "\"cancellation\":%d,\"max_task_priority\":%d,\"threads\":[",
           (char *)arg, (int)getpid(), (long)syscall(SYS_gettid), omp_get_num_procs(),
           omp_get_cancellation(), omp_get_max_task_priority());
    for (int i = 0; i < truth_count; i++) {
        const struct truth *t = &truths[i];
        printf("%s{\"lwp\":%ld,\"pthread\":%lu,\"num\":%d,\"team\":%d,\"level\":%d,"
               "\"active_level\":%d,\"outer_num\":%d,\"outer_team\":%d,"
               "\"explicit_task\":%d,\"line\":%d,\"cfa\":%lu,\"state\":\"%s\","
               "\"wait\":%lu,",
               i ? "," : "", t->lwp, (unsigned long)t->pthread, t->num, t->team, t->level,
               t->active_level, t->outer_num, t->outer_team, t->explicit_task, t->line,
               (unsigned long)t->cfa, t->state, t->wait);
        printf("\"max_threads\":%d,\"dynamic\":%d,\"max_active_levels\":%d,"
               "\"schedule\":%u,\"chunk\":%d,\"thread_limit\":%d,\"default_device\":%d,"
               "\"in_parallel\":%d,\"in_final\":%d,\"bind\":%d,\"allocator\":%lu}",
               t->max_threads, t->dynamic, t->max_active_levels, (unsigned)t->schedule & 0x7fffffff,
               t->chunk, t->thread_limit, t->default_device, t->in_parallel, t->in_final,
               (int)t->bind, t->allocator);
    }
    printf("]}\n");
    fflush(stdout);
    stay();
    return NULL;
}

static void park_work(void)
{
    int line = __LINE__ + 1;
#pragma omp parallel num_threads(expected)
    {
        HERE("work parallel", 0, line);
        stay();
    }
}

static void park_critical(void)
{
    int line = __LINE__ + 1;
#pragma omp parallel num_threads(THREADS)
    {
        if (omp_get_thread_num() != 0) {
            wait_taken();
            HERE("wait critical", word_of_update, line);
        }
#pragma omp critical(update)
        {
            HERE("work parallel", 0, line);
            taken = 1;
            stay();
        }
    }
}

static void park_unnamed(void)
{
    int line = __LINE__ + 1;
#pragma omp parallel num_threads(THREADS)
    {
        if (omp_get_thread_num() != 0) {
            wait_taken();
            HERE("wait critical", 1, line);
        }
#pragma omp critical
        {
            HERE("work parallel", 0, line);
            taken = 1;
            stay();
        }
    }
}

static void park_lock(void)
{
    int line = __LINE__ + 2;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(THREADS)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&lock);
            HERE("work parallel", 0, line);
        }
#pragma omp barrier
        if (omp_get_thread_num() != 0) {
            HERE("wait lock", &lock, line);
            omp_set_lock(&lock);
        }
        stay();
    }
}

static void park_nest_lock(void)
{
    int line = __LINE__ + 2;
    omp_init_nest_lock(&nest_lock);
#pragma omp parallel num_threads(THREADS)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_nest_lock(&nest_lock);
            omp_set_nest_lock(&nest_lock);
            HERE("work parallel", 0, line);
        }
#pragma omp barrier
        if (omp_get_thread_num() != 0) {
            HERE("wait nest lock", &nest_lock, line);
            omp_set_nest_lock(&nest_lock);
        }
        stay();
    }
}

static void park_atomic(void)
{
    int line = __LINE__ + 1;
#pragma omp parallel num_threads(THREADS)
    {
        if (omp_get_thread_num() == 0) {
            GOMP_atomic_start();
            HERE("work parallel", 0, line);
        }
#pragma omp barrier
        if (omp_get_thread_num() != 0) {
            HERE("wait atomic", 1, line);
            GOMP_atomic_start();
        }
        stay();
        GOMP_atomic_end();
    }
}

static void park_barrier(void)
{
    int line = __LINE__ + 1;
#pragma omp parallel num_threads(THREADS)
    {
        int first = omp_get_thread_num() == 0;
        HERE(first ? "work parallel" : "wait barrier", 0, line);
        if (first)
            stay();
#pragma omp barrier
        stay();
    }
}

static void park_end(void)
{
    int line = __LINE__ + 1;
#pragma omp parallel num_threads(THREADS)
    {
        int first = omp_get_thread_num() == 0;
        HERE(first ? "work parallel" : "wait barrier implicit", 0, line);
        if (first)
            stay();
    }
}

static void park_ordered(void)
{
    int line = __LINE__ + 1;
#pragma omp parallel for ordered schedule(static, 1) num_threads(THREADS)
    for (int i = 0; i < THREADS; i++) {
        if (i != 0) {
            wait_taken();
            HERE("wait ordered", 0, line);
        }
#pragma omp ordered
        {
            HERE("work parallel", 0, line);
            taken = 1;
            stay();
        }
    }
}

/* A task that a second thread runs while its creator waits for it, in one way or another. */
static void run_child(volatile int *started, int line)
{
    struct truth truth = {.state = "work parallel", .explicit_task = 1, .line = line, .cfa = NULL};
    say(truth);
    *started = 1;
    stay();
}

static void park_taskwait(void)
{
    static volatile int started;
    int line = __LINE__ + 1;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            int task_line = __LINE__ + 1;
#pragma omp task shared(started)
            run_child(&started, task_line);
            while (!started)
                usleep(1000);
            HERE("wait taskwait", 0, line);
#pragma omp taskwait
        }
    }
}

static void park_taskgroup(void)
{
    static volatile int started;
    int line = __LINE__ + 1;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp taskgroup
            {
                int task_line = __LINE__ + 1;
#pragma omp task shared(started)
                run_child(&started, task_line);
                while (!started)
                    usleep(1000);
                HERE("wait taskgroup", 0, line);
            }
        }
    }
}

static void park_nested(void)
{
    omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
    {
        int line = __LINE__ + 1;
#pragma omp parallel num_threads(2)
        {
            HERE("work parallel", 0, line);
            stay();
        }
    }
}

/* Every thread changes what belongs to its task, each in another way. */
static void park_icvs(void)
{
    int line = __LINE__ + 1;
#pragma omp parallel num_threads(THREADS)
    {
        int num = omp_get_thread_num();
        if (num > 0) {
            omp_set_num_threads(10 + num);
            omp_set_dynamic(num & 1);
            omp_set_schedule(num == 1 ? omp_sched_guided : omp_sched_static, 5 * num);
            omp_set_default_device(num);
            omp_set_max_active_levels(6); /* of the device, not of the task, in 5.x */
        }
#pragma omp barrier
        HERE("work parallel", 0, line);
        stay();
    }
}

static void park_icvs_final(void)
{
    static volatile int started;
    int line = __LINE__ + 1;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_num_threads(9);
            int task_line = __LINE__ + 1;
#pragma omp task final(1) shared(started)
            {
                omp_set_schedule(omp_sched_auto, 0);
                run_child(&started, task_line);
            }
        } else {
            HERE("work parallel", 0, line);
            stay();
        }
    }
}

/* Four tasks of which three wait for each other, and two threads: the creator, which
 * sleeps, and one that runs the first. */
static void park_depend(void)
{
    static volatile int started;
    static int a, b; /* named by depend clauses only */
    (void)a, (void)b;
    int line = __LINE__ + 1;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            int task_line = __LINE__ + 1;
#pragma omp task shared(started) depend(out : a)
            run_child(&started, task_line);
            while (!started)
                usleep(1000);
#pragma omp task depend(inout : a) depend(out : b)
            stay();
#pragma omp task depend(in : b)
            stay();
#pragma omp task
            stay();
            HERE("work parallel", 0, line);
            stay();
        }
    }
}

static void park_serial(void)
{
#pragma omp parallel num_threads(THREADS)
    {
        if (omp_get_thread_num() != 0)
            HERE("work parallel", 0, 0);
    }
    amend("idle", 0);
    HERE("work serial", 0, 0);
    stay();
}

static const struct construct {
    const char *name;
    void (*park)(void);
    int expected; /* truths */
} constructs[] = {
    {"work", park_work, THREADS},           {"critical", park_critical, THREADS},
    {"unnamed", park_unnamed, THREADS},     {"lock", park_lock, THREADS},
    {"nest_lock", park_nest_lock, THREADS}, {"atomic", park_atomic, THREADS},
    {"barrier", park_barrier, THREADS},     {"end", park_end, THREADS},
    {"ordered", park_ordered, THREADS},     {"taskwait", park_taskwait, 2},
    {"taskgroup", park_taskgroup, 2},       {"nested", park_nested, 4},
    {"serial", park_serial, THREADS},       {"icvs", park_icvs, THREADS},
    {"icvs_final", park_icvs_final, 2},     {"depend", park_depend, 2},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; (argc == 2 || argc == 3) && i < sizeof constructs / sizeof *constructs;
         i++) {
        const struct construct *c = &constructs[i];
        if (strcmp(argv[1], c->name))
            continue;
        pthread_t thread;
        expected = c->expected;
        if (argc == 3 && c->park == park_work)
            expected = atoi(argv[2]);
        if (expected < 1 || expected > MAX_TRUTHS)
            break;
        alarm(120); /* a test that dies leaves nothing behind */
        if (pthread_create(&thread, NULL, monitor, argv[1]))
            return 1;
        c->park();
        return 0;
    }
    fprintf(stderr, "usage: park CONSTRUCT [THREADS, for work only]\n");
    return 2;
}
