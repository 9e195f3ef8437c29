/* SPDX-License-Identifier: MIT
 *
 * What gperftools' tcmalloc exports, too, and what Archer takes for a program with ThreadSanitizer.
 */
int RunningOnValgrind(void);
int RunningOnValgrind(void)
{
    return 0;
}
