/* SPDX-License-Identifier: MIT */
/* Two threads wait for each other's lock in one call: the compiler makes one of two, to which code
 * jumps that has the other lock. */
#include <omp.h>
#include <unistd.h>

omp_lock_t first, second;
volatile int slept;

int main(void)
{
	omp_init_lock(&first);
	omp_init_lock(&second);
#pragma omp parallel num_threads(2)
	{
		int other = omp_get_thread_num();

		omp_set_lock(other ? &first : &second);
#pragma omp barrier
		if (!other) {
			usleep(1000);
			slept++;
		}
		omp_set_lock(other ? &second : &first);
	}
	return 0;
}
