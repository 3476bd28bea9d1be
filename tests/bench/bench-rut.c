/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file bench-rut.c
 * What a sample of libRUT costs, beside a bare pread() of the same files.
 *
 * All work is done on a schedule, a sample every 10 ms in turn: a sampler finds
 * cold caches, and a hot loop would measure something else. Figures are CPU
 * time of the thread.
 *
 *     bench-rut [SAMPLES [SECONDS]]
 */
#include <config.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "fixture.h"
#include "gtop.h"
#include "sampler.h"
#include "source.h"
#include "trace.h"

#define MS 1000000
#define FILES_MAX 256
#define KINDS 4

/* What is measured: sources of one backend, or the floor. */
struct work {
	const char *backend;
	const char *name;
	struct {
		const struct rutSource *kind;
		void *state;
	} sources[KINDS];
	size_t sourceCount;
	struct rutColumns columns;
	union rutCell *cells;
	int files[FILES_MAX]; /* Of the floor. */
	size_t fileCount;
	double *us;
	size_t sampleCount;
};

static const char *const kindNames[KINDS + 1] = { "CPU", "memory", "network",
						  "disk", "all 15" };

static int64_t cpuNow(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Note the kernel's files that are open and were not noted before. */
static void noteFiles(struct work *floor, const char *isOpen)
{
	for (int fd = 0; fd < FILES_MAX; fd++) {
		char link[64], target[256];
		ssize_t length;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		length = readlink(link, target, sizeof(target) - 1);
		if (length <= 0 || isOpen[fd])
			continue;
		target[length] = '\0';
		if (strncmp(target, "/proc/", 6) == 0 ||
		    strncmp(target, "/sys/", 5) == 0)
			floor->files[floor->fileCount++] = fd;
	}
}

static void listOpen(char *isOpen)
{
	for (int fd = 0; fd < FILES_MAX; fd++) {
		char link[64];

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		isOpen[fd] = access(link, F_OK) == 0;
	}
}

static void workOpen(struct work *work, const struct rutSource *const *list,
		     size_t kind)
{
	struct rutSetup setup = { .root = "", .intervalNs = 10 * MS };

	RUTSRC_UNSET_ALL(setup.sources);
	RUTSRC_SET_ALL(setup.sources);
	for (size_t i = 0; i < KINDS; i++) {
		if (kind < KINDS && i != kind)
			continue;
		if (list[i]->open(&setup, &work->columns,
				  &work->sources[work->sourceCount].state) == 0)
			work->sources[work->sourceCount++].kind = list[i];
	}
	work->cells = g_new0(union rutCell, work->columns.count + 1);
}

static void workClose(struct work *work)
{
	for (size_t i = 0; i < work->sourceCount; i++)
		work->sources[i].kind->close(work->sources[i].state);
	rutColumnsTruncate(&work->columns, 0);
	g_free(work->cells);
	g_free(work->us);
}

static void workDo(struct work *work, enum rutWhy why)
{
	static char bytes[1 << 20];
	int64_t began = cpuNow();

	for (size_t i = 0; i < work->fileCount; i++) {
		if (pread(work->files[i], bytes, sizeof(bytes), 0) < 0)
			bytes[0] = 0;
	}
	for (size_t i = 0; i < work->sourceCount; i++) {
		/* Every source may write over the last one's values. */
		work->sources[i].kind->read(work->sources[i].state, why,
					    work->cells);
	}
	if (why == RUT_WHY_SAMPLE)
		work->us[work->sampleCount++] =
			(double)(cpuNow() - began) / 1e3;
}

static int compareDoubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void workPrint(struct work *work, double floor)
{
	double sum = 0, median;

	for (size_t i = 0; i < work->sampleCount; i++)
		sum += work->us[i];
	qsort(work->us, work->sampleCount, sizeof(*work->us), compareDoubles);
	median = work->us[work->sampleCount / 2];
	printf("%-8s %-8s %10.1f %10.1f %10.2f\n", work->backend, work->name,
	       sum / (double)work->sampleCount, median,
	       floor > 0 ? median / floor : 1);
}

static double workMedian(const struct work *work)
{
	double *sorted =
		g_memdup2(work->us, work->sampleCount * sizeof(double));
	double median;

	qsort(sorted, work->sampleCount, sizeof(*sorted), compareDoubles);
	median = sorted[work->sampleCount / 2];
	g_free(sorted);
	return median;
}

static void sleepUntil(int64_t ns)
{
	const struct timespec time = { .tv_sec = ns / 1000000000,
				       .tv_nsec = ns % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL))
		;
}

/* The cost of a sample, by source. */
static void benchSamples(size_t samples)
{
	struct work works[3 * (KINDS + 1)];
	size_t count = 0;
	int64_t next;

	memset(works, 0, sizeof(works));
	for (size_t kind = 0; kind <= KINDS; kind++) {
		struct work *floor = &works[count], *own = &works[count + 1],
			    *gtop = &works[count + 2];
		char isOpen[FILES_MAX];

		listOpen(isOpen);
		floor->backend = "pread";
		own->backend = "linux";
		gtop->backend = "gtop";
		floor->name = own->name = gtop->name = kindNames[kind];
		workOpen(own, rutLinuxSources, kind);
		noteFiles(floor, isOpen);
		if (rutGtopSources)
			workOpen(gtop, rutGtopSources, kind);
		count += 3;
	}
	for (size_t i = 0; i < count; i++) {
		works[i].us = g_new0(double, samples + 1);
		workDo(&works[i], RUT_WHY_BEGIN);
	}
	next = hdMonotonicNow();
	for (size_t i = 0; i < samples * count; i++) {
		next += 10 * MS;
		sleepUntil(next);
		workDo(&works[i % count], RUT_WHY_SAMPLE);
	}
	printf("CPU time of a sample, us        mean     median  to pread\n");
	for (size_t i = 0; i < count; i += 3) {
		double floor = workMedian(&works[i]);

		workPrint(&works[i], 0);
		workPrint(&works[i + 1], floor);
		if (works[i + 2].sourceCount > 0)
			workPrint(&works[i + 2], floor);
	}
	for (size_t i = 0; i < count; i++)
		workClose(&works[i]);
}

/* The share of one core that a whole trace takes. */
static void benchShares(double seconds)
{
	static const int intervals[] = { 100, 10, 1 };

	printf("\nAll 15 sources, the writing included      %% of one core\n");
	for (size_t i = 0; i < G_N_ELEMENTS(intervals); i++) {
		const char *levels[] = { "Host" }, *path[] = { "n" };
		struct rutSetup setup = {
			.root = "",
			.intervalNs = (int64_t)intervals[i] * MS,
		};
		char *root = fixtureCreate(), *project;
		hdTopology *topology;
		hdTopoNode *node;
		UtilTrace *trace;
		uint64_t late, samples;
		int64_t cpuNs;

		project = g_build_filename(root, "P", NULL);
		topology = hdT_createTopology(project, levels, 1);
		node = hdT_createTopoNode(topology, path, 1);
		RUTSRC_UNSET_ALL(setup.sources);
		RUTSRC_SET_ALL(setup.sources);
		if (rutTraceCreate(node, 1, rutLinuxSources, &setup, &trace) ==
		    RUT_SUCCESS) {
			rut_startTrace(trace);
			g_usleep((gulong)(seconds * 1e6));
			rut_stopTrace(trace);
			rutTraceCost(trace, &cpuNs, &late, &samples);
			printf("every %3d ms %6llu samples, %llu left out "
			       "%14.3f\n",
			       intervals[i], (unsigned long long)samples,
			       (unsigned long long)late,
			       (double)cpuNs / seconds / 1e7);
			rut_finalizeTrace(trace);
		}
		hdT_destroyTopoNode(node);
		hdT_destroyTopology(topology);
		g_free(project);
		fixtureRemove(root);
	}
}

/* When samples are taken. */
struct moments {
	int64_t ns[100000];
	size_t count;
};

static void momentsBegin(void *context)
{
	(void)context;
}

static void momentsSample(void *context, uint64_t number, bool isLast)
{
	struct moments *moments = context;

	(void)number;
	if (!isLast && moments->count < G_N_ELEMENTS(moments->ns))
		moments->ns[moments->count++] = hdMonotonicNow();
}

static void benchPeriod(double seconds)
{
	static const struct hdSamplerCalls calls = { momentsBegin,
						     momentsSample };
	struct moments *moments = g_new0(struct moments, 1);
	struct hdSampler *sampler;
	double squares = 0, worst = 0;

	if (hdSamplerCreate(5 * MS, &calls, moments, &sampler) != 0)
		return;
	hdSamplerStart(sampler);
	g_usleep((gulong)(seconds * 1e6));
	hdSamplerDestroy(sampler);
	for (size_t i = 1; i < moments->count; i++) {
		double error =
			(double)(moments->ns[i] - moments->ns[i - 1]) / 1e3 -
			5000;

		squares += error * error;
		worst = fmax(worst, fabs(error));
	}
	if (moments->count > 1)
		printf("\nPeriod of 5 ms: standard deviation %.1f us, worst "
		       "%.1f us, of %zu\n",
		       sqrt(squares / (double)(moments->count - 1)), worst,
		       moments->count);
	g_free(moments);
}

/* /proc/stat of many CPUs, from a file: what the parser costs. */
static void benchManyCpus(void)
{
	printf("\n/proc/stat of many CPUs, from a file, us per sample\n");
	for (unsigned int cpus = 64; cpus <= 1024; cpus *= 2) {
		char *root = fixtureCreate();
		GString *text = g_string_new("cpu  1 1 1 1 1 1 1 0 0 0\n");
		struct rutSetup setup = { .root = root, .intervalNs = 10 * MS };
		struct rutColumns columns = { 0 };
		union rutCell *cells = g_new0(union rutCell, cpus + 1);
		int64_t began;
		void *state;

		for (unsigned int i = 0; i < cpus; i++)
			g_string_append_printf(text,
					       "cpu%u 123456 0 23456 9876543 "
					       "345 0 4567 0 0 0\n",
					       i);
		fixtureWrite(root, "/proc/stat", "%s", text->str);
		RUTSRC_UNSET_ALL(setup.sources);
		RUTSRC_SET_CPU(setup.sources);
		if (rutCpuSource.open(&setup, &columns, &state) == 0) {
			rutCpuSource.read(state, RUT_WHY_BEGIN, cells);
			began = cpuNow();
			for (int i = 0; i < 200; i++)
				rutCpuSource.read(state, RUT_WHY_SAMPLE, cells);
			printf("%5u CPUs %10.1f\n", cpus,
			       (double)(cpuNow() - began) / 200e3);
			rutCpuSource.close(state);
		}
		rutColumnsTruncate(&columns, 0);
		g_string_free(text, TRUE);
		g_free(cells);
		fixtureRemove(root);
	}
}

int main(int argc, char **argv)
{
	size_t samples = argc > 1 ? (size_t)atol(argv[1]) : 500;
	double seconds = argc > 2 ? atof(argv[2]) : 10;

	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	benchSamples(samples > 0 ? samples : 1);
	benchShares(seconds);
	benchPeriod(seconds);
	benchManyCpus();
	return 0;
}
