/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a sample of libRUT costs, beside a bare pread() of the same files.
 *
 * All work is done on a schedule, a sample every 10 ms in turn: a sampler finds
 * cold caches, and a hot loop would measure something else. Figures are CPU
 * time of the thread. What is done for longer is done several times, in turns
 * with the least that could be done, and medians are given.
 *
 *     bench-rut [SAMPLES [SECONDS [RUNS]]]
 *
 * The tables are those of doc/measurements/utilization.md.
 */
#include "config.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ResourcesUtilizationTracingLibrary/src/trace.h"
#include "ResourcesUtilizationTracingLibrary/src/backend/gtop.h"
#include "ResourcesUtilizationTracingLibrary/src/core/source.h"
#include "common/clock.h"
#include "common/sampler.h"
#include "tests/lib/fixture.h"

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
	union hdCell *cells;
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
		/* It is read once a second only. */
		if (strcmp(target, "/sys/devices/system/cpu/online") == 0)
			continue;
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
	work->cells = g_new0(union hdCell, work->columns.count + 1);
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

/* Sorts the list. The share is 0.5 for the median. */
static double quantile(double *list, size_t count, double share)
{
	if (count == 0)
		return 0;
	qsort(list, count, sizeof(*list), compareDoubles);
	return list[MIN((size_t)((double)count * share), count - 1)];
}

static double workMean(const struct work *work)
{
	double sum = 0;

	for (size_t i = 0; i < work->sampleCount; i++)
		sum += work->us[i];
	return sum / (double)work->sampleCount;
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
	printf("CPU time of a sample in us, mean and median of %zu; a sample "
	       "every 10 ms:\n\n"
	       "| Sources | pread() | | linux | | Ratio | gtop | | Ratio |\n"
	       "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
	       samples);
	for (size_t i = 0; i < count; i += 3) {
		double medians[3] = { 0 };

		for (size_t j = 0; j < 3; j++)
			medians[j] = quantile(works[i + j].us,
					      works[i + j].sampleCount, 0.5);
		printf("| %s | %.1f | %.1f | %.1f | %.1f | %.2f |",
		       works[i].name, workMean(&works[i]), medians[0],
		       workMean(&works[i + 1]), medians[1],
		       medians[1] / medians[0]);
		if (works[i + 2].sourceCount > 0)
			printf(" %.1f | %.1f | %.1f |\n",
			       workMean(&works[i + 2]), medians[2],
			       medians[2] / medians[1]);
		else
			printf(" | | |\n");
	}
	printf("\nRatio: linux to pread() of the same files; gtop to linux.\n");
	for (size_t i = 0; i < count; i++)
		workClose(&works[i]);
}

/* A trace, until it is closed. */
struct bench {
	char *root;
	hdTopology *topology;
	hdTopoNode *node;
	UtilTrace *trace;
};

static void benchOpen(struct bench *bench, int intervalMs, bool isAlone)
{
	const char *levels[] = { "Host" }, *path[] = { "n" };
	struct rutSetup setup = {
		.root = "",
		.intervalNs = (int64_t)intervalMs * MS,
		.isAlone = isAlone,
	};
	char *project;

	RUTSRC_UNSET_ALL(setup.sources);
	RUTSRC_SET_ALL(setup.sources);
	bench->root = fixtureCreate();
	project = g_build_filename(bench->root, "P", NULL);
	bench->topology = hdT_createTopology(project, levels, 1);
	bench->node = hdT_createTopoNode(bench->topology, path, 1);
	if (rutTraceCreate(bench->node, 1, rutLinuxSources, &setup,
			   &bench->trace) != RUT_SUCCESS) {
		fprintf(stderr, "bench-rut: cannot trace\n");
		exit(1);
	}
	g_free(project);
}

static void benchClose(struct bench *bench)
{
	rut_finalizeTrace(bench->trace);
	hdT_destroyTopoNode(bench->node);
	hdT_destroyTopology(bench->topology);
	fixtureRemove(bench->root);
}

/* When samples are taken. */
struct moments {
	int64_t ns[100000];
	size_t count;
};

static void momentsAdd(struct moments *moments)
{
	if (moments->count < G_N_ELEMENTS(moments->ns))
		moments->ns[moments->count++] = hdMonotonicNow();
}

/* The least that a sampler does: sleep, and read the files. Returns its CPU
 * time in ns. */
static int64_t floorRun(struct work *floor, int intervalMs, double seconds,
			struct moments *moments)
{
	int64_t next = hdMonotonicNow(), began = cpuNow();
	int64_t end = next + (int64_t)(seconds * 1e9);

	for (next += intervalMs * MS; next <= end; next += intervalMs * MS) {
		sleepUntil(next);
		if (moments)
			momentsAdd(moments);
		if (floor)
			workDo(floor, RUT_WHY_FOLLOW);
	}
	return cpuNow() - began;
}

/* The share of one core that a whole trace takes. */
static void benchShares(double seconds, size_t runs)
{
	static const struct {
		int ms;
		double target;
	} intervals[] = { { 100, 0.1 }, { 10, 0.5 }, { 1, 4 } };

	printf("\nAll 15 sources, writing included, %% of one core; median of "
	       "%zu runs of %g s:\n\n"
	       "| Interval | Trace | Least | Most | Sleep and pread() | Ratio "
	       "| "
	       "Left out | Target | |\n"
	       "|--:|--:|--:|--:|--:|--:|--:|--:|---|\n",
	       runs, seconds);
	for (size_t i = 0; i < G_N_ELEMENTS(intervals); i++) {
		double *own = g_new0(double, runs),
		       *bare = g_new0(double, runs),
		       *ratios = g_new0(double, runs);
		uint64_t lateSum = 0, sampleSum = 0;
		double median, least;

		for (size_t run = 0; run < runs; run++) {
			struct work floor = { 0 };
			uint64_t late, samples;
			struct bench bench;
			char isOpen[FILES_MAX];
			int64_t beganNs, cpuNs;

			listOpen(isOpen);
			benchOpen(&bench, intervals[i].ms, false);
			noteFiles(&floor, isOpen);
			rut_startTrace(bench.trace);
			/* Half an interval apart: whatever else the machine
			 * does meets both. */
			g_usleep((gulong)intervals[i].ms * 500);
			rutTraceCost(bench.trace, &beganNs, &late, &samples);
			bare[run] = (double)floorRun(&floor, intervals[i].ms,
						     seconds, NULL) /
				    seconds / 1e7;
			rutTraceCost(bench.trace, &cpuNs, &late, &samples);
			rut_stopTrace(bench.trace);
			own[run] = (double)(cpuNs - beganNs) / seconds / 1e7;
			ratios[run] = own[run] / bare[run];
			lateSum += late;
			sampleSum += samples;
			benchClose(&bench);
		}
		median = quantile(own, runs, 0.5);
		least = quantile(bare, runs, 0.5);
		printf("| %d ms | %.3f | %.3f | %.3f | %.3f | %.2f | %llu of "
		       "%llu | <= %g | %s |\n",
		       intervals[i].ms, median, own[0], own[runs - 1], least,
		       quantile(ratios, runs, 0.5), (unsigned long long)lateSum,
		       (unsigned long long)(lateSum + sampleSum),
		       intervals[i].target,
		       median <= intervals[i].target ? "reached" : "missed");
		g_free(own);
		g_free(bare);
		g_free(ratios);
	}
}

#define TRACES 4

/* What several traces take. */
struct taken {
	double us;    /* CPU time of the process for a sample. */
	double wakes; /* Of all threads, in a second. */
	double late;  /* Part of the samples that are left out. */
};

static double processCpuUs(double *wakes)
{
	struct rusage usage;
	struct timespec time;

	getrusage(RUSAGE_SELF, &usage);
	*wakes = (double)usage.ru_nvcsw;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static struct taken severalRun(size_t traces, bool isAlone, double seconds)
{
	struct taken taken = { 0 };
	struct bench benches[TRACES];
	double wakes, before, us;
	uint64_t sum = 0, lateSum = 0;

	for (size_t i = 0; i < traces; i++) {
		benchOpen(&benches[i], 10, isAlone);
		rut_startTrace(benches[i].trace);
		/* As programs start them: at any time. */
		g_usleep(3300);
	}
	us = processCpuUs(&before);
	g_usleep((gulong)(seconds * 1e6));
	taken.us = processCpuUs(&wakes) - us;
	for (size_t i = 0; i < traces; i++) {
		uint64_t late, samples;
		int64_t cpuNs;

		rutTraceCost(benches[i].trace, &cpuNs, &late, &samples);
		sum += samples;
		lateSum += late;
	}
	taken.us /= (double)sum;
	taken.wakes = (wakes - before) / seconds;
	taken.late = (double)lateSum / (double)(sum + lateSum);
	for (size_t i = 0; i < traces; i++)
		benchClose(&benches[i]);
	return taken;
}

/* Several traces of a process, with a thread each and with one together. */
static void benchSeveral(double seconds, size_t runs)
{
	static const struct {
		size_t traces;
		bool isAlone;
		const char *name;
	} ways[] = {
		{ 1, true, "one trace, a thread of its own" },
		{ 1, false, "one trace" },
		{ TRACES, true, "four traces, a thread each" },
		{ TRACES, false, "four traces, one thread" },
	};
	double *us[G_N_ELEMENTS(ways)], *wakes[G_N_ELEMENTS(ways)],
		*late[G_N_ELEMENTS(ways)];

	for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
		us[i] = g_new0(double, runs);
		wakes[i] = g_new0(double, runs);
		late[i] = g_new0(double, runs);
	}
	for (size_t run = 0; run < runs; run++) {
		for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
			struct taken taken = severalRun(
				ways[i].traces, ways[i].isAlone, seconds);

			us[i][run] = taken.us;
			wakes[i][run] = taken.wakes;
			late[i][run] = taken.late;
		}
	}
	printf("\nAll 15 sources every 10 ms, CPU time of the process for a "
	       "sample in us, and how often its threads wait in a second; "
	       "medians of %zu runs of %g s, in turns:\n\n"
	       "| | CPU time | Least | Most | Waits | Left out, %% |\n"
	       "|---|--:|--:|--:|--:|--:|\n",
	       runs, seconds);
	for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
		double median = quantile(us[i], runs, 0.5);

		printf("| %s | %.1f | %.1f | %.1f | %.0f | %.1f |\n",
		       ways[i].name, median, us[i][0], us[i][runs - 1],
		       quantile(wakes[i], runs, 0.5),
		       100 * quantile(late[i], runs, 0.5));
		g_free(us[i]);
		g_free(wakes[i]);
		g_free(late[i]);
	}
}

static void momentsBegin(void *context)
{
	(void)context;
}

static void momentsSample(void *context, uint64_t number, bool isLast)
{
	(void)number;
	if (!isLast)
		momentsAdd(context);
}

/* What became of periods of 5 ms: standard deviation, the distance from 5 ms
 * that 99 % keep, the greatest; in us. */
struct period {
	double *deviations;
	double *most;
	double *worst;
};

static void periodTake(struct period *period, size_t run,
		       const struct moments *moments)
{
	double *errors = g_new0(double, moments->count + 1), squares = 0;
	size_t count = 0;

	for (size_t i = 1; i < moments->count; i++) {
		double us = (double)(moments->ns[i] - moments->ns[i - 1]) / 1e3;

		errors[count++] = fabs(us - 5000);
		squares += (us - 5000) * (us - 5000);
	}
	period->deviations[run] = count ? sqrt(squares / (double)count) : 0;
	period->most[run] = quantile(errors, count, 0.99);
	period->worst[run] = quantile(errors, count, 1);
	g_free(errors);
}

static void benchPeriod(double seconds, size_t runs)
{
	static const char *const names[] = { "libRUT", "clock_nanosleep()" };
	static const struct hdSamplerCalls calls = { momentsBegin,
						     momentsSample };
	struct period periods[2];

	for (size_t i = 0; i < 2; i++) {
		periods[i].deviations = g_new0(double, runs);
		periods[i].most = g_new0(double, runs);
		periods[i].worst = g_new0(double, runs);
	}
	for (size_t run = 0; run < runs; run++) {
		struct moments *own = g_new0(struct moments, 1);
		struct moments *bare = g_new0(struct moments, 1);
		struct hdSampler *sampler;

		if (hdSamplerCreate(5 * MS, &calls, own, &sampler) != 0)
			exit(1);
		hdSamplerStart(sampler);
		g_usleep((gulong)(seconds * 1e6));
		hdSamplerDestroy(sampler);
		floorRun(NULL, 5, seconds, bare);
		periodTake(&periods[0], run, own);
		periodTake(&periods[1], run, bare);
		g_free(own);
		g_free(bare);
	}
	printf("\nPeriod of 5 ms, us; medians of %zu runs of %g s (target: "
	       "standard deviation <= 54 on an idle machine):\n\n"
	       "| | Standard deviation | 99 %% are off by less than | Worst of "
	       "a run | Worst of all |\n"
	       "|---|--:|--:|--:|--:|\n",
	       runs, seconds);
	for (size_t i = 0; i < 2; i++) {
		double worst = quantile(periods[i].worst, runs, 0.5);

		printf("| %s | %.1f | %.1f | %.1f | %.1f |\n", names[i],
		       quantile(periods[i].deviations, runs, 0.5),
		       quantile(periods[i].most, runs, 0.5), worst,
		       periods[i].worst[runs - 1]);
		g_free(periods[i].deviations);
		g_free(periods[i].most);
		g_free(periods[i].worst);
	}
}

/* /proc/stat of many CPUs, from a file: what the parser costs. */
static void benchManyCpus(void)
{
	printf("\n/proc/stat of many CPUs, from a file:\n\n"
	       "| CPUs | us per sample | ns per CPU |\n|--:|--:|--:|\n");
	for (unsigned int cpus = 64; cpus <= 1024; cpus *= 2) {
		char *root = fixtureCreate();
		GString *text = g_string_new("cpu  1 1 1 1 1 1 1 0 0 0\n");
		struct rutSetup setup = { .root = root, .intervalNs = 10 * MS };
		struct rutColumns columns = { 0 };
		union hdCell *cells = g_new0(union hdCell, cpus + 1);
		int64_t began;
		void *state;
		double us;

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
			us = (double)(cpuNow() - began) / 200e3;
			printf("| %u | %.1f | %.0f |\n", cpus, us,
			       1000 * us / cpus);
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
	double seconds = argc > 2 ? atof(argv[2]) : 4;
	size_t runs = argc > 3 ? (size_t)atol(argv[3]) : 5;

	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	if (samples < 1 || runs < 1 || seconds <= 0) {
		fprintf(stderr, "bench-rut: wrong arguments\n");
		return 2;
	}
	/* What is printed is there before the next part begins. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	benchSamples(samples);
	benchShares(seconds, runs);
	benchSeveral(seconds, runs);
	benchPeriod(seconds, runs);
	benchManyCpus();
	return 0;
}
