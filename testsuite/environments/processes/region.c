/* SPDX-License-Identifier: MIT
 *
 * The program that is started in all kinds of ways: region [THREADS [TIMES]].
 */
#include <stdlib.h>
#include "check.h"
#include "work.h"

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 2;
    for (int i = argc > 2 ? atoi(argv[2]) : 3; i > 0; i--)
        CHECK(small_work(threads));
    return check_result("region");
}
