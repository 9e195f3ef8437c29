/* Each thread works when the one before has finished. With an argument the first never says so. */
#include <omp.h>
#include <stdio.h>

enum { RUNNERS = 2 };

static volatile int finished[RUNNERS];

static void run(int me, int forgets)
{
    while (me > 0 && !finished[me - 1])
        ;
    if (!forgets || me > 0)
        finished[me] = 1;
}

int main(int argc, char **argv)
{
    (void)argv;
#pragma omp parallel num_threads(RUNNERS)
    run(omp_get_thread_num(), argc > 1);
    puts("finished");
    return 0;
}
