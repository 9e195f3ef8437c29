/* SPDX-License-Identifier: MIT
 *
 * A program with more rights than who runs it, by its set-user-ID bit or by a capability,
 * and linked with the hooks. What the environment names must not be loaded into it.
 */
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>
#include "check.h"
#include "work.h"

int main(void)
{
    printf("secure %lu\n", getauxval(AT_SECURE));
    fflush(stdout);
    CHECK(small_work(2));
    return check_result("privileged");
}
