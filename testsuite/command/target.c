/* SPDX-License-Identifier: MIT
 *
 * Programs that are looked at while they run: what each has computed, or how many signals have
 * come, it prints when its standard input ends.
 */
#include <errno.h>
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t come;

static int has_ended(void)
{
    struct pollfd input = {.fd = 0, .events = POLLIN};
    return poll(&input, 1, 0) > 0;
}

static long triangle(long last)
{
    long sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(3)
    for (long i = 1; i <= last; i++)
        sum += i;
    return sum;
}

static void *of_thread(void *last)
{
    return (void *)triangle((long)last);
}

/* Threads, each with a team of its own, come and go. */
static void churn(void)
{
    long rounds = 0, wrong = 0;
    for (; !has_ended(); rounds++) {
        pthread_t threads[4];
        void *sum;
        for (long i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, of_thread, (void *)(1000 + i));
        for (long i = 0; i < 4; i++) {
            pthread_join(threads[i], &sum);
            wrong += (long)sum != (1000 + i) * (1001 + i) / 2;
        }
        wrong += triangle(100000) != 5000050000;
    }
    printf("%s rounds, %ld wrong\n", rounds > 0 ? "some" : "no", wrong);
}

static void count(int number)
{
    (void)number;
    come++;
}

/* Signals of real time, each of which is delivered. */
static void signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    signal(SIGRTMIN, count);
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num())
            pthread_sigmask(SIG_BLOCK, &set, NULL);
        while (!has_ended())
            usleep(omp_get_thread_num() * 500);
    }
    printf("%d signals\n", (int)come);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static const double period = 0.002;
static const struct itimerspec every = {{0, 2000000}, {0, 2000000}};

/* The ticks of a timer, by a descriptor that epoll watches, until the input ends; wrong if some were
 * lost. */
static long ticks(void)
{
    struct epoll_event event = {.events = EPOLLIN};
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), epoll = epoll_create1(0), ends;
    double began = now(), least, all = 0;
    uint64_t some;
    timerfd_settime(timer, 0, &every, NULL);
    epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event);
    do {
        ends = has_ended();
        least = (now() - began) / period - 1;
        if (epoll_wait(epoll, &event, 1, 100) < 0 && errno != EINTR)
            return 1;
        if (read(timer, &some, sizeof some) == sizeof some)
            all += some;
    } while (!ends);
    return all < least || all > (now() - began) / period;
}

/* The signals of a timer, each of which is delivered or counted as overrun. */
static long alarms(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    struct timespec limit = {0, 100000000};
    double began = now(), least, all = 0;
    timer_t timer;
    sigset_t set;
    int ends;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &every, NULL);
    do {
        ends = has_ended();
        least = (now() - began) / period - 1;
        if (sigtimedwait(&set, NULL, &limit) == SIGRTMIN)
            all += 1 + timer_getoverrun(timer);
    } while (!ends);
    return all < least || all > (now() - began) / period;
}

/* Of a thread that runs before others, where that may be. */
static long at_once(void)
{
    struct sched_param first = {.sched_priority = 1};
    long wrong = 0;
    pthread_setschedparam(pthread_self(), SCHED_FIFO, &first);
    while (!has_ended()) {
        long sum = 0;
        for (long i = 1; i <= 1000; i++)
            sum += i;
        wrong += sum != 500500;
        usleep(1000);
    }
    return wrong;
}

static void timers(void)
{
    long wrong[3];
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
#pragma omp parallel num_threads(3)
    {
        int own = omp_get_thread_num();
        wrong[own] = own == 0 ? ticks() : own == 1 ? alarms() : at_once();
    }
    printf("%ld, %ld, %ld wrong\n", wrong[0], wrong[1], wrong[2]);
}

/* For so many seconds, whatever its input does. */
static void sums(const char *seconds)
{
    double end = omp_get_wtime() + atof(seconds);
    long wrong = 0;
    do
        wrong += triangle(1000) != 500500;
    while (omp_get_wtime() < end);
    printf("%ld wrong\n", wrong);
}

static void *waits(void *unused)
{
#pragma omp parallel num_threads(3)
    pause();
    return unused;
}

/* So many threads, of which all but one wait for that. */
static void many(int threads)
{
#pragma omp parallel num_threads(threads)
    {
#pragma omp master
        pause();
#pragma omp barrier
    }
}

/* The first thread ends, others live on. */
static void leaderless(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    pthread_exit(NULL);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    setvbuf(stdout, NULL, _IONBF, 0);
    if (!strcmp(how, "churn"))
        churn();
    else if (!strcmp(how, "signals"))
        signals();
    else if (!strcmp(how, "timers"))
        timers();
    else if (!strcmp(how, "leaderless"))
        leaderless();
    else if (!strcmp(how, "many"))
        many(atoi(argv[2]));
    else if (!strcmp(how, "sums"))
        return sums(argv[2]), 5;
    else
        return 1;
    return 0;
}
