/* SPDX-License-Identifier: MIT */
/* A thread works and others wait for it at a barrier, until SIGUSR2 comes. Signals that the program
 * can notice are counted: how it would is the argument. */
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "../common/rest.h"

static volatile sig_atomic_t noticed[NSIG], interrupted;
static volatile double sum;

static void notice(int number)
{
	noticed[number]++;
}

static void *await(void *set)
{
	for (int number; !noticed[SIGUSR2];) {
		if (sigwait(set, &number) == 0)
			notice(number);
		else
			interrupted++;
	}
	return NULL;
}

static void *receive(void *set)
{
	int file = signalfd(-1, set, 0);

	while (!noticed[SIGUSR2]) {
		struct signalfd_siginfo found;
		if (read(file, &found, sizeof(found)) == sizeof(found))
			notice((int)found.ssi_signo);
		else
			interrupted++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	void *(*by)(void *) = strcmp(how, "await") == 0 ? await :
		strcmp(how, "receive") == 0 ? receive : NULL;
	static sigset_t all, left;
	pthread_t thread;
	int others = 0;

	sigfillset(&all);
	signal(SIGUSR2, notice);
	if (strcmp(how, "handle") == 0) {
		for (int number = 1; number < SIGRTMIN; number++)
			signal(number, notice);
	} else if (strcmp(how, "block") == 0) {
		sigdelset(&all, SIGUSR2);
		pthread_sigmask(SIG_BLOCK, &all, NULL);
	} else if (by != NULL) {
		pthread_sigmask(SIG_BLOCK, &all, NULL);
		pthread_create(&thread, NULL, by, &all);
	}
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0) {
			until_others_rest();
			while (!noticed[SIGUSR2])
				sum += 1; /* mark: works */
		}
#pragma omp barrier
	}
	sigpending(&left);
	for (int number = 1; number < NSIG; number++)
		others += sigismember(&left, number) == 1 ||
			(noticed[number] && number != SIGUSR2);
	return others == 0 && !interrupted && noticed[SIGUSR2] == 1 ? 0 : 1;
}
