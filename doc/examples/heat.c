/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * heat: computes how heat spreads in a plate, and traces itself.
 *
 * Several threads share the rows of a square plate whose upper edge is hot.
 * In each step a thread computes its rows from those of the step before
 * (Jacobi's method) and waits for the others. Every thread has a trace of its
 * own; one more thread samples what the process uses, into a statistics group
 * of the host.
 *
 *     heat PROJECT [THREADS [SIZE [STEPS]]]
 *     hdtrace merge PROJECT
 *     hdtrace stat PROJECT.proj
 *
 * Build it with:
 *     cc -o heat heat.c $(pkg-config --static --cflags --libs libhdTracing) -lm
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <hdStats.h>
#include <hdTrace.h>

#define SAMPLE_NS 20000000 /* 20 ms */
#define CHECKPOINT_STEPS 100

/* What all threads share. */
struct plate {
	int threads;
	int size;
	int steps;
	double *cells[2];      /* Of this step and the one before. */
	double *change;        /* Largest change of a cell, by thread. */
	hdTrace **traces;      /* By thread. */
	pthread_barrier_t all; /* Ends a step. */
};

struct worker {
	struct plate *plate;
	int number;
	pthread_t thread;
};

struct sampler {
	hdStatsGroup *group;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	int stop;
};

/* Report what failed, with the library's words if the error is its own. */
static void fail(const char *what)
{
	const char *why = hdT_strerror(errno);

	fprintf(stderr, "heat: %s: %s\n", what, why ? why : strerror(errno));
	exit(1);
}

static double seconds(struct timespec time)
{
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double cpuSeconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* ---- The computation --------------------------------------------------- */

/* Compute rows first to last (exclusive) from the other plate. */
static double sweep(struct plate *plate, int step, int first, int last)
{
	int size = plate->size;
	const double *old = plate->cells[step % 2];
	double *new = plate->cells[(step + 1) % 2];
	double change = 0;

	for (int row = first; row < last; row++) {
		for (int column = 1; column < size - 1; column++) {
			int i = row * size + column;
			double value = 0.25 * (old[i - size] + old[i + size] +
					       old[i - 1] + old[i + 1]);

			change = fmax(change, fabs(value - old[i]));
			new[i] = value;
		}
	}
	return change;
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	struct plate *plate = worker->plate;
	hdTrace *trace = plate->traces[worker->number];
	int rows = plate->size - 2;
	int first = 1 + rows * worker->number / plate->threads;
	int last = 1 + rows * (worker->number + 1) / plate->threads;

	for (int step = 0; step < plate->steps; step++) {
		double change;

		hdT_logStateStart(trace, "Step");
		hdT_logAttributeInt64(trace, "number", step);

		hdT_logStateStart(trace, "Compute");
		hdT_logAttributeInt64(trace, "rows", last - first);
		change = sweep(plate, step, first, last);
		hdT_logAttributeDouble(trace, "change", change);
		hdT_logStateEnd(trace);

		hdT_logStateStart(trace, "Wait");
		plate->change[worker->number] = change;
		pthread_barrier_wait(&plate->all);
		hdT_logStateEnd(trace);

		hdT_logStateEnd(trace);
		if (step % CHECKPOINT_STEPS == CHECKPOINT_STEPS - 1)
			hdT_logEvent(trace, "checkpoint");
	}
	return NULL;
}

/* ---- The statistics ---------------------------------------------------- */

/* Resident memory in bytes, or -1. */
static int64_t residentMemory(void)
{
	long pages = -1;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file)
		return -1;
	if (fscanf(file, "%*s %ld", &pages) != 1)
		pages = -1;
	fclose(file);
	return pages < 0 ? -1 : pages * sysconf(_SC_PAGESIZE);
}

/* Every 20 ms: how busy the process was since the last time, its memory. */
static void *sample(void *argument)
{
	struct sampler *sampler = argument;
	struct timespec wake, now, before;
	struct rusage used, usedBefore;

	clock_gettime(CLOCK_MONOTONIC, &before);
	getrusage(RUSAGE_SELF, &usedBefore);
	wake = before;
	hdS_enableGroup(sampler->group);

	pthread_mutex_lock(&sampler->mutex);
	while (!sampler->stop) {
		double time, user, system;

		wake.tv_nsec += SAMPLE_NS;
		if (wake.tv_nsec >= 1000000000) {
			wake.tv_nsec -= 1000000000;
			wake.tv_sec++;
		}
		while (!sampler->stop &&
		       pthread_cond_timedwait(&sampler->wake, &sampler->mutex,
					      &wake) != ETIMEDOUT)
			;
		clock_gettime(CLOCK_MONOTONIC, &now);
		getrusage(RUSAGE_SELF, &used);
		time = seconds(now) - seconds(before);
		user = cpuSeconds(used.ru_utime) -
		       cpuSeconds(usedBefore.ru_utime);
		system = cpuSeconds(used.ru_stime) -
			 cpuSeconds(usedBefore.ru_stime);
		hdS_writeFloatValue(sampler->group, (float)(100 * user / time));
		hdS_writeFloatValue(sampler->group,
				    (float)(100 * system / time));
		hdS_writeInt64Value(sampler->group, residentMemory());
		before = now;
		usedBefore = used;
	}
	pthread_mutex_unlock(&sampler->mutex);
	return NULL;
}

static hdStatsGroup *createGroup(hdTopoNode *node)
{
	/* Level 1 of the node's path: the host. */
	hdStatsGroup *group = hdS_createGroup("Process", node, 1);

	if (!group)
		fail("cannot create the statistics group");
	if (hdS_addValue(group, "CPU_USER", FLOAT, "%", "CPU") != 0 ||
	    hdS_addAttribute(group, "kind", "gauge") != 0 ||
	    hdS_addValue(group, "CPU_SYSTEM", FLOAT, "%", "CPU") != 0 ||
	    hdS_addAttribute(group, "kind", "gauge") != 0 ||
	    hdS_addValue(group, "MEM_RESIDENT", INT64, "B", "MEM") != 0 ||
	    hdS_addAttribute(group, "kind", "gauge") != 0 ||
	    hdS_commitGroup(group) != 0)
		fail("cannot set up the statistics group");
	return group;
}

static void startSampler(struct sampler *sampler)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&sampler->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	pthread_mutex_init(&sampler->mutex, NULL);
	if (pthread_create(&sampler->thread, NULL, sample, sampler) != 0)
		fail("cannot start a thread");
}

static void stopSampler(struct sampler *sampler)
{
	pthread_mutex_lock(&sampler->mutex);
	sampler->stop = 1;
	pthread_cond_signal(&sampler->wake);
	pthread_mutex_unlock(&sampler->mutex);
	pthread_join(sampler->thread, NULL);
	pthread_cond_destroy(&sampler->wake);
	pthread_mutex_destroy(&sampler->mutex);
	if (hdS_finalize(sampler->group) != 0)
		fail("cannot write the statistics");
}

/* ---- Putting it together ----------------------------------------------- */

static void createPlate(struct plate *plate)
{
	size_t cells = (size_t)plate->size * (size_t)plate->size;

	plate->change = calloc((size_t)plate->threads, sizeof(double));
	plate->traces = calloc((size_t)plate->threads, sizeof(hdTrace *));
	for (int i = 0; i < 2; i++) {
		plate->cells[i] = calloc(cells, sizeof(double));
		if (!plate->cells[i] || !plate->change || !plate->traces)
			fail("no memory");
		for (int column = 0; column < plate->size; column++)
			plate->cells[i][column] = 100;
	}
	pthread_barrier_init(&plate->all, NULL, (unsigned int)plate->threads);
}

static void destroyPlate(struct plate *plate)
{
	pthread_barrier_destroy(&plate->all);
	free(plate->cells[0]);
	free(plate->cells[1]);
	free(plate->change);
	free(plate->traces);
}

/* The name of this host, as far as labels may hold it. */
static void getHost(char *host, size_t size)
{
	if (gethostname(host, size) != 0)
		fail("cannot get the name of this host");
	host[size - 1] = '\0';
	for (char *c = host; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '.' && *c != '-')
			*c = '-';
}

/* Create the trace of one thread: host, rank 0, number of the thread. */
static hdTrace *createTrace(hdTopology *topology, const char *host, int number,
			    struct sampler *sampler)
{
	char label[16];
	const char *path[] = { host, "0", label };
	hdTopoNode *node;
	hdTrace *trace;

	snprintf(label, sizeof(label), "%d", number);
	node = hdT_createTopoNode(topology, path, 3);
	if (!node)
		fail(host);
	trace = hdT_createTrace(node);
	if (!trace)
		fail("cannot create a trace");
	if (number == 0)
		sampler->group = createGroup(node);
	hdT_destroyTopoNode(node);
	return trace;
}

static void run(struct plate *plate)
{
	struct worker *workers =
		calloc((size_t)plate->threads, sizeof(*workers));

	if (!workers)
		fail("no memory");
	for (int i = 0; i < plate->threads; i++) {
		workers[i].plate = plate;
		workers[i].number = i;
		if (pthread_create(&workers[i].thread, NULL, work,
				   &workers[i]) != 0)
			fail("cannot start a thread");
	}
	for (int i = 0; i < plate->threads; i++)
		pthread_join(workers[i].thread, NULL);
	free(workers);
}

/* The number in an argument, or 0. */
static int number(const char *argument)
{
	char *end;
	long value = strtol(argument, &end, 10);

	return *argument && !*end && value > 0 && value <= 100000 ? (int)value
								  : 0;
}

int main(int argc, char **argv)
{
	const char *levels[] = { "Host", "Rank", "Thread" };
	struct plate plate = { .threads = 4, .size = 512, .steps = 3000 };
	struct sampler sampler = { .stop = 0 };
	struct timespec start, end;
	double change = 0;
	hdTopology *topology;
	char host[256];

	if (argc > 2)
		plate.threads = number(argv[2]);
	if (argc > 3)
		plate.size = number(argv[3]);
	if (argc > 4)
		plate.steps = number(argv[4]);
	if (argc < 2 || argc > 5 || plate.threads < 1 || plate.size < 3 ||
	    plate.steps < 1) {
		fputs("Usage: heat PROJECT [THREADS [SIZE [STEPS]]]\n", stderr);
		return 2;
	}
	getHost(host, sizeof(host));
	topology = hdT_createTopology(argv[1], levels, 3);
	if (!topology)
		fail(argv[1]);
	createPlate(&plate);
	for (int i = 0; i < plate.threads; i++)
		plate.traces[i] = createTrace(topology, host, i, &sampler);
	hdT_destroyTopology(topology);

	startSampler(&sampler);
	clock_gettime(CLOCK_MONOTONIC, &start);
	run(&plate);
	clock_gettime(CLOCK_MONOTONIC, &end);
	stopSampler(&sampler);

	for (int i = 0; i < plate.threads; i++) {
		change = fmax(change, plate.change[i]);
		if (hdT_finalize(plate.traces[i]) != 0)
			fail("cannot write a trace");
	}
	printf("%d threads, %d steps on %d x %d cells: %.2f s, last change "
	       "%g\n",
	       plate.threads, plate.steps, plate.size, plate.size,
	       seconds(end) - seconds(start), change);
	destroyPlate(&plate);
	return 0;
}
