// SPDX-License-Identifier: MIT
// Programs that a signal ends, after a first region, and such as handle the signal.
#include <cassert>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile int sum, wrong;
static int *volatile where;

NOINLINE static void store(int value)
{
    *where = value; // segv-at
}

NOINLINE static int descend(int depth)
{
    volatile char frame[200];
    frame[depth % 200] = 1;
    return descend(depth + 1) + frame[depth % 200];
}

template <class Work> static void by_one(Work work)
{
#pragma omp parallel num_threads(3) // team
    if (omp_get_thread_num() == 1)
        work();
}

static sigjmp_buf back;

static void leaps(int)
{
    siglongjmp(back, 1);
}

static void says(int number)
{
    if (write(1, "mine\n", 5) == 5)
        signal(number, SIG_DFL);
    raise(number);
}

// What Julia and the JVM do: a fault is handled, many times.
static void handled()
{
    signal(SIGSEGV, leaps);
    for (volatile int i = 0; i < 2000; i++)
        if (sigsetjmp(back, 1) == 0)
            store(i);
        else
            sum = sum + 1;
    printf("%d\n", sum);
    exit(0);
}

// There is no handler but the program's own.
static void hidden()
{
    struct sigaction before, none = {};
    wrong = sigaction(SIGSEGV, nullptr, &before) != 0 || before.sa_handler != SIG_DFL;
    wrong = wrong + (signal(SIGABRT, leaps) != SIG_DFL) + (signal(SIGABRT, SIG_DFL) != leaps);
    wrong = wrong + (sigaction(SIGABRT, &none, &before) != 0 || before.sa_handler != SIG_DFL);
    wrong = wrong + (signal(SIGUSR1, leaps) != SIG_DFL) + (signal(SIGUSR1, SIG_IGN) != leaps);
    printf("%d wrong\n", wrong);
    exit(0);
}

// A thread calls exit() just after another one has crashed.
static void exits()
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        sum = 1;
        store(1);
    } else {
        while (sum == 0)
            continue;
        usleep(300000);
        exit(0);
    }
}

// A child crashes; the parent has expected that, or it fails, too.
static void child(int status)
{
    if (fork() == 0)
        store(1);
    wait(nullptr);
    exit(status);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    auto is = [how](const char *one) { return strcmp(how, one) == 0; };
#pragma omp parallel num_threads(3)
#pragma omp atomic
    sum = sum + 1;
    sum = 0;
    if (is("region"))
        by_one([] { store(1); });
    if (is("task")) {
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp task
        store(1);
    }
    if (is("main"))
        store(1);
    if (is("asserts"))
        by_one([] { assert(sum > 1); });
    if (is("uncaught"))
        by_one([] { throw std::runtime_error("nothing left"); });
    if (is("overflow"))
        by_one([] { sum = descend(0); });
    if (is("divides"))
        by_one([] { sum = 7 / sum; });
    if (is("says")) {
        signal(SIGSEGV, says);
        by_one([] { store(1); });
    }
    if (is("exits"))
        exits();
    if (is("handled"))
        handled();
    if (is("hidden"))
        hidden();
    if (is("hangs")) {
        omp_lock_t lock;
        omp_init_lock(&lock);
        omp_set_lock(&lock);
        omp_set_lock(&lock); // hangs-at
    }
    if (is("waits"))
        pause();
    if (is("expected"))
        child(0);
    if (is("child"))
        child(3);
    printf("%d\n", sum);
    return 5;
}
