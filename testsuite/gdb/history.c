/* Does a bit of each kind, in an order that is known, and hangs: for history.py. */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static omp_lock_t table;
static int sum;

static void turns(void)
{
    for (int i = 0; i < 300; i++) {
        omp_set_lock(&table);
        sum++;
        omp_unset_lock(&table);
    }
}

/* Each task runs inside the wait of the one before it: the other thread is busy. */
static void nest(int depth)
{
    if (depth == 0) {
        usleep(10000);
        return;
    }
#pragma omp task
    nest(depth - 1);
#pragma omp taskwait
}

static void nested(void)
{
    static int is_done;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        nest(100);
        __atomic_store_n(&is_done, 1, __ATOMIC_RELEASE);
    } else {
        while (!__atomic_load_n(&is_done, __ATOMIC_ACQUIRE))
            usleep(1000);
    }
}

static void work(void)
{
    int me = omp_get_thread_num();
    if (me == 0) {
        omp_set_lock(&table); /* mark: holds */
        sum++;
    }
#pragma omp barrier /* mark: barrier */
    if (me == 1) {
        omp_set_lock(&table); /* mark: waits */
        sum++;
        omp_unset_lock(&table);
    }
    if (me == 0) {
        usleep(50000);
        omp_unset_lock(&table);
#pragma omp critical(total)
        sum++; /* mark: critical */
#pragma omp task if (0)
        sum++; /* mark: task */
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "fork") == 0) {
        omp_lock_t own;
        omp_init_lock(&own);
        omp_set_lock(&own);
        if (fork() != 0)
            return wait(NULL) < 0;
    }
    omp_init_lock(&table);
    if (argc > 1 && strcmp(argv[1], "nested") == 0)
        nested();
    else if (argc > 1)
        turns();
#pragma omp parallel num_threads(2)
    work(); /* mark: region */
    puts("asleep");
    fflush(stdout);
    omp_set_lock(&table);
    omp_set_lock(&table); /* mark: hangs */
    return 0;
}
