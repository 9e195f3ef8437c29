/* SPDX-License-Identifier: MIT */
int main(void)
{
    int sum = 2;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 4; i++) {
        sum += i;
        if (i == 3)
            __builtin_trap(); /* mark: here */
    }
    return sum;
}
