/* SPDX-License-Identifier: MIT
 *
 * A program without OpenMP.
 */
static int hits;

int main(void)
{
    hits++; /* mark: plain */
    return 0;
}
