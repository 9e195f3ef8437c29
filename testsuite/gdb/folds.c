/* SPDX-License-Identifier: MIT
 *
 * One thread creates a task in each of sixty iterations and runs none. The other is in a
 * recursion of tasks, as deep as the argument says. With a second argument: that many tasks
 * of which each has to wait for the one before.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int created, ready;

static void leaf(int i)
{
	if (i < 0)
		puts("never");
}

static void here(void) /* mark: here */
{
	ready = 1;
}

static void go(int depth)
{
	if (depth == 0) {
		here();
		return;
	}
	#pragma omp task firstprivate(depth) /* mark: chain */
	go(depth - 1);
	#pragma omp taskwait
}

static void leaves(void)
{
	for (int i = 0; i < 60; i++) {
		#pragma omp task firstprivate(i) /* mark: leaves */
		leaf(i);
	}
	created = 1;
	while (!ready)
		;
}

static void in_turn(int count)
{
	static int grid;

	#pragma omp parallel num_threads(2)
	#pragma omp single
	{
		#pragma omp task depend(inout: grid) /* mark: first */
		while (!ready)
			;
		for (int i = 1; i < count; i++) {
			#pragma omp task depend(inout: grid) firstprivate(i) /* mark: turn */
			leaf(i);
		}
		here();
	}
}

int main(int argc, char **argv)
{
	if (argc > 2) {
		in_turn(atoi(argv[2]));
		return 0;
	}
	#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1) {
		leaves();
	} else {
		while (!created)
			;
		go(argc > 1 ? atoi(argv[1]) : 5);
	}
	return 0;
}
