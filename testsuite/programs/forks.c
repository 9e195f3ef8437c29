/* SPDX-License-Identifier: MIT
 *
 * fork before any region, between regions, inside a region from a worker, from a task and
 * with a lock held. After the first region a child of libgomp has no pool threads, so
 * children stay with teams of one from there on.
 */
#include <omp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

/* Runs in the child and says whether all went well by its exit status. */
static int serial_work(void)
{
    int sum = 0, task = 0;
#pragma omp parallel num_threads(1)
    {
        sum++;
#pragma omp critical
        sum++;
#pragma omp critical(named)
        sum++;
#pragma omp barrier
#pragma omp task shared(task)
        task = 1;
#pragma omp taskwait
#pragma omp for schedule(dynamic) reduction(+ : sum)
        for (int i = 0; i < 10; i++)
            sum += i;
    }
    omp_lock_t lock;
    omp_init_lock(&lock);
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
    return sum == 48 && task == 1;
}

static int whole_work(void)
{
    int members = 0;
#pragma omp parallel num_threads(3) reduction(+ : members)
    {
#pragma omp barrier
        members++;
    }
    return members == 3 && serial_work();
}

static void expect_child(pid_t child)
{
    int status;
    CHECK(child > 0);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 42);
}

static void fork_and(int (*work)(void))
{
    pid_t child = fork();
    if (child == 0)
        _exit(work() ? 42 : 1);
    expect_child(child);
}

static int grandchild(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(serial_work() ? 42 : 1);
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 42;
}

/* The child of a worker is inside the region; it may look and leave. */
static int look_around(void)
{
    return omp_get_level() >= 1 && omp_get_num_threads() >= 1;
}

int main(void)
{
    fork_and(whole_work);
    fork_and(serial_work);
    CHECK(whole_work());
    for (int i = 0; i < 5; i++) {
        fork_and(serial_work);
        CHECK(whole_work());
    }
    fork_and(grandchild);

#pragma omp parallel num_threads(2)
    {
#pragma omp critical
        fork_and(look_around);
#pragma omp barrier
#pragma omp single
#pragma omp task
        fork_and(look_around);
    }
    omp_lock_t held;
    omp_init_lock(&held);
    omp_set_lock(&held);
    fork_and(serial_work);
    omp_unset_lock(&held);
    CHECK(whole_work());

    /* A child that ends by exit() runs what atexit and destructors hold. */
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        exit(serial_work() ? 42 : 1);
    expect_child(child);
    return check_result("forks");
}
