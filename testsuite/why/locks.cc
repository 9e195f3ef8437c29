// SPDX-License-Identifier: MIT
//
// std::mutex in two orders, a lock that an exception leaves held, and exceptions that
// leave a region, or what is around a loop; a promise that nobody keeps, a thread that is joined.
#include <atomic>
#include <future>
#include <mutex>
#include <omp.h>
#include <stdexcept>
#include <thread>

#include "../common/rest.h"
#include "hang.h"

static std::mutex accounts, journal;
static omp_lock_t table_lock;
static int sum;

NOINLINE static void book(std::mutex &first, std::mutex &second)
{
    std::lock_guard<std::mutex> one(first);
    meet(2);
    std::lock_guard<std::mutex> other(second); // order-wants
    sum++;
}

static void order()
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0)
        book(accounts, journal);
    else
        book(journal, accounts);
}

NOINLINE static void insert(int value)
{
    omp_set_lock(&table_lock); // insert-wants
    if (value == 0)
        throw std::invalid_argument("nothing to insert");
    sum += value;
    omp_unset_lock(&table_lock);
}

static void thrown()
{
#pragma omp parallel num_threads(3)
    try {
        insert(0);
        insert(omp_get_thread_num());
    } catch (const std::exception &) {
        insert(1);
    }
}

static void uncaught()
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 1) {
        until_others_rest();
        insert(0); // uncaught-at
    }
}

NOINLINE static void check(int number)
{
    if (number == 1)
        throw std::invalid_argument("nothing to share");
}

// One leaves for its handler before the loop that the others share.
static void left()
{
#pragma omp parallel num_threads(3)
    try {
        check(omp_get_thread_num());
#pragma omp for // left-loop
        for (int i = 0; i < 64; i++)
            __atomic_fetch_add(&sum, i, __ATOMIC_RELAXED);
        check(2);
    } catch (const std::exception &) {
    }
}

static int table();

// The threads of a region want what is being initialised around it.
static int fill()
{
    int filled = 0;
#pragma omp parallel num_threads(3) reduction(+ : filled)
    filled += table();
    return filled;
}

NOINLINE static int table()
{
    static const int found = fill(); // table-wants
    return found;
}

static void guard()
{
    sum = table();
}

#ifdef __cpp_lib_atomic_wait
static std::atomic<int> opened;

struct Settings {
    Settings() { opened.wait(0); } // settings-wait
    int found = 1;
};

NOINLINE static int settings()
{
    static Settings those; // settings-want
    return those.found;
}

// One initialises what the others want, and waits for what nobody notifies.
static void initialises()
{
#pragma omp parallel num_threads(3)
    settings();
}
#else
static void initialises() {}
#endif

struct Guard {
    omp_lock_t &lock;
    explicit Guard(omp_lock_t &which) : lock(which) { omp_set_lock(&lock); }
    ~Guard() { omp_unset_lock(&lock); }
};

NOINLINE static void move(omp_lock_t &from, omp_lock_t &to)
{
    Guard first(from);
    meet(2);
    Guard second(to); // guards-want
    sum++;
}

// Guards in two orders, which an optimising compiler makes a part of the function.
static void guards()
{
    static omp_lock_t left, right;
    omp_init_lock(&left);
    omp_init_lock(&right);
#pragma omp parallel num_threads(2)
    move(omp_get_thread_num() ? left : right, omp_get_thread_num() ? right : left);
}

// The library's futexes are not private to the process, its memory is.
static void promise()
{
    std::promise<int> amount;
    std::shared_future<int> promised = amount.get_future().share();
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            sum += promised.get(); // promise-wants
    }
}

NOINLINE static void append(int value)
{
#pragma omp critical(records)
    sum += value; // append-wants
}

// A thread that is none of OpenMP's wants the section of the one that joins it.
static void joins()
{
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp critical(records)
    {
        std::thread writer(append, 1);
        writer.join(); // joins-in
        sum++;
    }
}

static volatile int counts[3];
#ifdef CANCELS
int (*volatile cancels)(pthread_t) = pthread_cancel;
#endif

// The same of a mutex, and the rest of the team computes: it cannot cancel a thread, or can.
static void joins_busy()
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 1) {
        journal.lock();
        std::thread writer([] {
            journal.lock(); // writer-wants
            journal.unlock();
        });
        writer.join(); // joins-busy
        journal.unlock();
    } else {
        for (;;)
            counts[omp_get_thread_num()]++;
    }
}

struct Wants {
    bool wants = false;
    ~Wants()
    {
        if (wants)
            omp_set_lock(&table_lock); // destructor-wants
    }
};
static Wants of_process;
static thread_local Wants of_thread;

// exit () destroys what needs a lock that nobody has left.
static void at_exit()
{
    of_process.wants = true;
    omp_set_lock(&table_lock);
#pragma omp parallel num_threads(3)
    sum++;
}

// The same of a thread that is joined, and that has had a team.
static void thread_local_end()
{
    omp_set_lock(&table_lock);
    std::thread writer([] {
#pragma omp parallel num_threads(2)
        of_thread.wants = omp_get_thread_num() == 0;
    });
    writer.join();
}

// As the destructor of a thread that nobody has joined does.
static void terminates()
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1)
        std::terminate(); // terminates-at
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    omp_init_lock(&table_lock);
    CASE(order)
    CASE(thrown)
    CASE(guard)
    CASE(initialises)
    CASE(joins)
    CASE(joins_busy)
    CASE(at_exit)
    CASE(thread_local_end)
    CASE(left)
    CASE(guards)
    CASE(promise)
    CASE(uncaught)
    CASE(terminates)
    return 1;
}
