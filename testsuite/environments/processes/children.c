/* SPDX-License-Identifier: MIT
 *
 * All ways in which a program with OpenMP makes another process: children HOW. What the
 * child does with OpenMP is what libgomp allows it: any team where the forking thread
 * never had one, and teams of one where it had.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"
#include "work.h"

extern char **environ;
static char *self;

static void wait_for(pid_t child, int expected)
{
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == expected);
}

/* The child reports by its exit status only: who prints first would differ from run to
 * run. */
static void fork_one(int threads)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(threads == 0 || small_work(threads) ? 42 : 1);
    wait_for(child, 42);
}

static void leaf_fork_exec(void)
{
    pid_t child = fork();
    if (child == 0) {
        execl(self, self, "leaf", NULL);
        _exit(1);
    }
    wait_for(child, 0);
}

static void leaf_vfork(void)
{
    pid_t child = vfork();
    if (child == 0) {
        execl(self, self, "leaf", NULL);
        _exit(1);
    }
    wait_for(child, 0);
}

static void leaf_spawn(void)
{
    pid_t child;
    char *words[] = {self, (char *)"leaf", NULL};
    CHECK(!posix_spawn(&child, self, NULL, NULL, words, environ));
    wait_for(child, 0);
}

static void leaf_popen(void)
{
    char command[4200], line[100] = "";
    snprintf(command, sizeof(command), "%s leaf", self);
    FILE *f = popen(command, "r");
    CHECK(f && fgets(line, sizeof(line), f) && strcmp(line, "leaf: as expected\n") == 0);
    CHECK(f && pclose(f) == 0);
}

static void leaf_system(void)
{
    char command[4200];
    snprintf(command, sizeof(command), "%s leaf", self);
    CHECK(system(command) == 0);
}

static void in_region(void)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp critical
        fork_one(0);
#pragma omp barrier
#pragma omp critical
        leaf_spawn();
#pragma omp single
#pragma omp task
        leaf_vfork();
    }
    CHECK(small_work(3));
}

static void *fork_in_thread(void *data)
{
    fork_one(3);
    return data;
}

static void fresh_thread(void)
{
    CHECK(small_work(2));
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, fork_in_thread, NULL));
    pthread_join(thread, NULL);
    CHECK(small_work(2));
}

/* Others enter and leave regions while one thread forks. */
static int stop;

static void *enters(void *data)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        CHECK(small_work(2));
    return data;
}

static void fork_meanwhile(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        CHECK(!pthread_create(&thread[i], NULL, enters, NULL));
    for (int i = 0; i < 50; i++) {
        fork_one(0);
        if (i % 10 == 0)
            leaf_spawn();
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
}

/* Fork handlers that are there before those of any library: the array of an executable is run
 * before all constructors. */
static enum { DO_NOTHING, USE_OPENMP, HOLD_CACHE } handlers;
static pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER;

static void before_fork(void)
{
    if (handlers == USE_OPENMP)
        CHECK(small_work(1));
    else if (handlers == HOLD_CACHE)
        pthread_mutex_lock(&cache);
}

static void after_fork(void)
{
    if (handlers == USE_OPENMP)
        CHECK(small_work(1));
    else if (handlers == HOLD_CACHE)
        pthread_mutex_unlock(&cache);
}

static void add_handlers(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

__attribute__((section(".preinit_array"), used)) static void (*first)(void) = add_handlers;

static void handlers_use(void)
{
    handlers = USE_OPENMP;
    fork_one(0);
    fork_one(1);
}

/* No more than a region, as LLVM's runtime crashes itself with tasks in many threads that end. */
static void *enters_once(void *data)
{
    int members = 0;
    if (handlers == HOLD_CACHE)
        pthread_mutex_lock(&cache);
#pragma omp parallel num_threads(2) reduction(+ : members)
    members++;
    CHECK(members == 2);
    if (handlers == HOLD_CACHE)
        pthread_mutex_unlock(&cache);
    return data;
}

static void *makes_threads(void *data)
{
    for (int i = 0; i < 100; i++) {
        pthread_t thread[2];
        for (int k = 0; k < 2; k++)
            CHECK(!pthread_create(&thread[k], NULL, enters_once, NULL));
        for (int k = 0; k < 2; k++)
            pthread_join(thread[k], NULL);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    return data;
}

/* Threads use OpenMP for the first time while one forks. */
static void among_new(void)
{
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, makes_threads, NULL));
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        fork_one(handlers == HOLD_CACHE ? 3 : 0);
    pthread_join(thread, NULL);
}

/* As a library does whose cache is used with OpenMP. */
static void handlers_hold(void)
{
    handlers = HOLD_CACHE;
    among_new();
}

static void grandchildren(void)
{
    for (int depth = 0; depth < 4; depth++) {
        fflush(NULL);
        pid_t child = fork();
        if (child) {
            wait_for(child, 40 + depth);
            if (depth)
                _exit(39 + depth);
            return;
        }
        CHECK(small_work(2 + depth));
        if (depth == 3 || check_failures)
            _exit(check_failures ? 1 : 43);
        /* A team was started here, so the next child is forked by a thread that has none.
         */
        pthread_t thread;
        pthread_create(&thread, NULL, fork_in_thread, NULL);
        pthread_join(thread, NULL);
        _exit(40 + depth);
    }
}

static void before_any(void)
{
    fork_one(3);
    fork_one(2);
    CHECK(small_work(3));
    fork_one(1);
}

static void as_daemon(void)
{
    CHECK(small_work(1));
    fflush(NULL);
    CHECK(daemon(1, 1) == 0);
    CHECK(small_work(1));
}

static void as_daemon_first(void)
{
    CHECK(daemon(1, 1) == 0);
    CHECK(small_work(3));
}

static const struct {
    const char *name;
    void (*run)(void);
    int begins; /* with a team of its own */
} ways[] = {
    {"fork-exec", leaf_fork_exec, 1},
    {"vfork", leaf_vfork, 1},
    {"spawn", leaf_spawn, 1},
    {"popen", leaf_popen, 1},
    {"system", leaf_system, 1},
    {"in-region", in_region, 1},
    {"fresh-thread", fresh_thread, 0},
    {"fork-meanwhile", fork_meanwhile, 0},
    {"among-new", among_new, 1},
    {"handlers-use", handlers_use, 1},
    {"handlers-hold", handlers_hold, 0},
    {"grandchildren", grandchildren, 0},
    {"before-any", before_any, 0},
    {"daemon", as_daemon, 0},
    {"daemon-first", as_daemon_first, 0},
};

int main(int argc, char **argv)
{
    self = argv[0];
    if (argc != 2)
        return 2;
    if (strcmp(argv[1], "leaf") == 0) {
        CHECK(small_work(3));
        return check_result("leaf");
    }
    if (strncmp(argv[1], "exec-", 5) == 0) {
        /* exec of itself, from its own region the last time */
        int left = atoi(argv[1] + 5);
        char next[32];
        CHECK(small_work(2));
        printf("%d left\n", left);
        fflush(stdout);
        snprintf(next, sizeof(next), left > 1 ? "exec-%d" : "leaf", left - 1);
        if (left == 2)
#pragma omp parallel num_threads(2)
#pragma omp master
            execl(self, self, next, NULL);
        execl(self, self, next, NULL);
        return 3;
    }
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
        if (strcmp(ways[i].name, argv[1]) == 0) {
            if (ways[i].begins)
                CHECK(small_work(3));
            ways[i].run();
            return check_result(ways[i].name);
        }
    return 2;
}
