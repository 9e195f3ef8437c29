/* SPDX-License-Identifier: MIT
 *
 * Variables of every data-sharing class. At `inside` all four threads are in the region,
 * two of them called from its body. At `in_task` thread 1 waits for a task that another
 * thread runs, or it itself. At `orphan` a task runs whose creator has returned and been
 * called again.
 */
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../common/rest.h"

struct pair {
    int first;
    double second;
};

static atomic_int arrived, done;
static int everywhere = 77;
static int own_global;
#pragma omp threadprivate(own_global)

static void hold(int argument)
{
    int held = 10 * argument;
    arrived++;
    while (!done)
        usleep(1000);
    everywhere += held > 1000;
}

static int tasks(int argument)
{
    int by_value = argument + 1, result = 0, not_named = 5;
#pragma omp task shared(result) /* mark: task */
    {
        int deep = by_value * 2;
        result = deep; /* mark: in_task */
        result += by_value;
    }
#pragma omp taskwait
    return result + not_named;
}

static void create(int which)
{
    int unseen = 50 + which;
    if (which == 2) {
        while (done < 2)
            usleep(1000);
    } else {
#pragma omp task
        {
            int passed = which + 1;
            until_others_rest();
            everywhere += passed - 2; /* mark: orphan */
            done = 2;
        }
    }
    everywhere += unseen == 0;
}

int main(int argc, char **argv)
{
    int common = 1, first = 2, mine = 3, sum = 100, not_named = 9, last = 4;
    double numbers[4] = {0.5, 1.5, 2.5, 3.5};
    struct pair pair = {1, 2.5};
    int length = argc + 2;
    int sized[length];
    static int lasting = 8;
    for (int i = 0; i < length; i++)
        sized[i] = 20 + i;
    (void)argv;
#pragma omp parallel num_threads(4) firstprivate(first) \
    private(mine) /* between */ reduction(+ : sum) shared(common, last)
    { /* mark: body */
        int inner = omp_get_thread_num();
        own_global = 1000 + inner;
        mine = 2 * inner;
        first += inner;
        sum += inner;
#pragma omp atomic
        common++;
        numbers[inner] += pair.first + sized[0] + lasting;
        if (inner == 2) {
            while (arrived < 3)
                usleep(1000);
            until_others_rest();
            everywhere++; /* mark: inside */
            done = 1;
        } else {
            hold(inner + 1);
        }
        mine += first;
        if (mine > 1000)
            last = mine;
    }
#pragma omp parallel num_threads(2)
    {
        int from = 30 + omp_get_thread_num();
        if (from == 31)
            common += tasks(from);
    }
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        create(1);
        create(2);
    }
    everywhere += not_named; /* mark: after */
    return common + last == 0;
}
