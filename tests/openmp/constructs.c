/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tests of libhdOmp trace: constructs of OpenMP whose times, order and
 * number are known. The program says on its standard output what it has seen
 * with clocks of its own. */
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double used(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void pause_ms(int ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&time, NULL);
}

/* A loop whose parts take 10, 20, 30 ms and so on: how long does each thread
 * wait for the last one? */
static void imbalance(void)
{
	double came[4], left[4];

#pragma omp parallel num_threads(4)
	for (int round = 0; round < 5; round++) {
		int self = omp_get_thread_num();

#pragma omp for schedule(static, 1) nowait
		for (int i = 0; i < 4; i++)
			pause_ms(10 * (i + 1));
		came[self] = now();
#pragma omp barrier
		left[self] = now();
		printf("wait %d %d %.9f %.9f\n", self, round, came[self],
		       left[self]);
	}
}

/* A diamond of tasks, a thousand without dependences, and a nested one. */
static void tasks(void)
{
	int a = 0, b = 0, c = 0;

	(void)a, (void)b, (void)c;
#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp task depend(out : a)
		pause_ms(5);
#pragma omp task depend(in : a) depend(out : b)
		pause_ms(3);
#pragma omp task depend(in : a) depend(out : c)
		pause_ms(2);
#pragma omp task depend(in : b, c)
		pause_ms(1);
#pragma omp taskwait
		for (int i = 0; i < 1000; i++) {
#pragma omp task
			__asm__ volatile("");
		}
#pragma omp taskgroup
		{
#pragma omp task
			{
#pragma omp task
				pause_ms(2);
#pragma omp taskwait
			}
		}
	}
}

static void untied(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	for (int i = 0; i < 20; i++) {
#pragma omp task untied
		for (int j = 0; j < 3; j++) {
			pause_ms(1);
#pragma omp taskyield
		}
	}
}

static void nested(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
		pause_ms(1);
	}
}

/* Who is in first stays until the others have come, and a little longer. */
static void locks(void)
{
	atomic_int came = 0;

#pragma omp parallel num_threads(3)
	for (int i = 1; i <= 4; i++) {
#pragma omp barrier
		came++;
#pragma omp critical
		{
			while (came < 3 * i)
				pause_ms(1);
			pause_ms(5);
		}
	}
}

/* Threads that come and go, each with regions of its own. */
static void *region(void *unused)
{
	(void)unused;
#pragma omp parallel num_threads(2)
	pause_ms(1);
	return NULL;
}

static void threads(void)
{
	pthread_t thread;

	for (int i = 0; i < 20; i++) {
		pthread_create(&thread, NULL, region, NULL);
		pthread_join(thread, NULL);
	}
}

/* What threads use is what they are charged for: they compute for 60 and 180 ms
 * of CPU time. */
static void burning(void)
{
	for (int round = 0; round < 3; round++) {
#pragma omp parallel num_threads(2)
		{
			int self = omp_get_thread_num();
			double start = used();

			while (used() - start < 0.02 * (self ? 3 : 1))
				continue;
			printf("used %d %.9f\n", self, used() - start);
		}
	}
}

/* A child has none of our traces; the parent goes on. */
static void forking(void)
{
	pid_t child;

	region(NULL);
	child = fork();
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	region(NULL);
}

static void leaving(void)
{
#pragma omp parallel num_threads(2)
#pragma omp master
	exit(3);
}

static void waiting(void)
{
	region(NULL);
	puts("ready");
	fflush(stdout);
#pragma omp parallel num_threads(2)
	for (;;)
		pause_ms(1000);
}

static const struct {
	const char *name;
	void (*run)(void);
} parts[] = {
	{ "imbalance", imbalance }, { "tasks", tasks },
	{ "untied", untied },       { "nested", nested },
	{ "locks", locks },         { "threads", threads },
	{ "forking", forking },     { "burning", burning },
	{ "leaving", leaving },     { "waiting", waiting },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(argv[1], parts[i].name) == 0)
			parts[i].run();
	return 0;
}
