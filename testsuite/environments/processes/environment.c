/* SPDX-License-Identifier: MIT
 *
 * What a program with OpenMP hands on to its children, and what they would see of hooks.
 */
#include <stdlib.h>
#include "check.h"
#include "work.h"

int main(void)
{
    CHECK(small_work(2));
    fflush(stdout);
    CHECK(system("env | grep -E '^(LD_|OMP|GOMP)' | sort") == 0);
    return check_result("environment");
}
