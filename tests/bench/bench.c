/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs the works, and prints what they cost; see bench.h. */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/bench-peer.h"
#include "tests/bench/bench.h"

#define MAIN_REPETITIONS 9
#define MAIN_REPETITIONS_QUICK 3

/* What all files together need at most, in the quick mode a tenth. */
#define MAIN_BYTES 4e9

struct benchOptions benchOptions;

static char *mainDirectory;

/* In the order in which they run and are printed; see bench-stat.c. */
static struct benchSubject *const mainSubjects[] = {
	&benchStat,   &benchExport,   &benchPredict,   &benchPredictHuge,
	&benchFloors, &benchDisabled, &benchRelations, &benchRead,
};

/* ---- Files ------------------------------------------------------------- */

/* Memory rather than a disk, whose speed is not the subject. */
static void mainCreateDirectory(void)
{
	double bytes = benchOptions.isQuick ? MAIN_BYTES / 10 : MAIN_BYTES;
	const char *parent = "/dev/shm";
	struct statvfs status;

	if (statvfs(parent, &status) < 0 ||
	    (double)status.f_bavail * (double)status.f_frsize < bytes ||
	    access(parent, W_OK) < 0)
		parent = getenv("TMPDIR");
	if (!parent)
		parent = "/tmp";
	benchCheck(asprintf(&mainDirectory, "%s/hdtrace-bench-XXXXXX", parent) >
			   0,
		   "memory");
	benchCheck(mkdtemp(mainDirectory), mainDirectory);
	benchDirectory = mainDirectory;
	printf("Files go to %s.\n", parent);
	if (benchOptions.isQuick)
		printf("Quick, so rough: a tenth of all numbers.\n");
}

/* ---- Measuring --------------------------------------------------------- */

size_t benchScaled(size_t count)
{
	return benchOptions.isQuick ? count / 10 : count;
}

/* The repetitions of one side of a work. */
struct mainSamples {
	double thread[MAIN_REPETITIONS];
	double process[MAIN_REPETITIONS];
	double bytes;
	double peakMb;
	double sum;
};

static void mainMeasure(benchFunction function, size_t count, int repetition,
			struct mainSamples *samples)
{
	struct benchRun run = { .count = benchScaled(count) };

	function(&run);
	if (repetition < 0)
		return;
	samples->thread[repetition] = run.thread / (double)run.count;
	samples->process[repetition] = run.process / (double)run.count;
	samples->bytes = run.bytes / (double)run.count;
	samples->peakMb = fmax(samples->peakMb, run.peakMb);
	samples->sum = run.sum;
}

static int mainCompare(const void *a, const void *b)
{
	double first = *(const double *)a;
	double second = *(const double *)b;

	return (first > second) - (first < second);
}

/* Get the median and the median distance from it, as a part of it. */
static double mainMedian(double *values, int count, double *spread)
{
	double distances[MAIN_REPETITIONS];
	double median;

	qsort(values, (size_t)count, sizeof(*values), mainCompare);
	median = (values[(count - 1) / 2] + values[count / 2]) / 2;
	for (int i = 0; i < count; i++)
		distances[i] = fabs(values[i] - median);
	qsort(distances, (size_t)count, sizeof(*distances), mainCompare);
	*spread = (distances[(count - 1) / 2] + distances[count / 2]) / 2 /
		  median;
	return median;
}

static struct benchCost mainCost(struct mainSamples *samples, int count)
{
	struct benchCost cost;

	cost.thread = mainMedian(samples->thread, count, &cost.threadSpread);
	cost.threadMin = samples->thread[0];
	cost.threadMax = samples->thread[count - 1];
	cost.process = mainMedian(samples->process, count, &cost.processSpread);
	cost.mbPerS = samples->bytes / cost.process * 1e3;
	cost.peakMb = samples->peakMb;
	return cost;
}

int benchRepetitions(const struct benchSubject *subject)
{
	if (benchOptions.isQuick)
		return MAIN_REPETITIONS_QUICK;
	return subject->repetitions ? subject->repetitions : MAIN_REPETITIONS;
}

static void mainRunSubject(struct benchSubject *subject)
{
	int repetitions = benchRepetitions(subject);
	struct mainSamples(*samples)[2] =
		calloc(subject->count, sizeof(*samples));

	benchCheck(samples, "memory");
	if (subject->prepare)
		subject->prepare();
	for (int i = -1; i < repetitions; i++) {
		fprintf(stderr, "%s: repetition %d of %d\n", subject->title,
			i + 1, repetitions);
		for (size_t k = 0; k < subject->count; k++) {
			struct benchWork *work = &subject->works[k];

			mainMeasure(work->ours, work->count, i, &samples[k][0]);
			if (work->peer)
				mainMeasure(work->peer,
					    work->peerCount ? work->peerCount
							    : work->count,
					    i, &samples[k][1]);
		}
	}
	if (subject->destroy)
		subject->destroy();
	for (size_t k = 0; k < subject->count; k++) {
		struct benchWork *work = &subject->works[k];
		double ours = samples[k][0].sum;
		double peers = samples[k][1].sum;

		work->ourCost = mainCost(&samples[k][0], repetitions);
		if (!work->peer)
			continue;
		work->peerCost = mainCost(&samples[k][1], repetitions);
		/* Both have seen the same values, in another order. */
		benchCheck(fabs(ours - peers) <= 1e-9 * fabs(ours),
			   "equal sums");
	}
	free(samples);
}

/* ---- Options ----------------------------------------------------------- */

static const char mainUsage[] =
	"Usage: bench [--quick] [--csv=FILE] --hdtrace=PATH --hdpredict=PATH "
	"[SUBJECT...]\n";

/* Whether a subject is asked for: by default all are. */
static bool mainIsWanted(const struct benchSubject *subject, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (strcmp(*names, subject->name) == 0)
			return true;
	return false;
}

static FILE *mainParse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "quick", no_argument, NULL, 'q' },
		{ "csv", required_argument, NULL, 'c' },
		{ "hdtrace", required_argument, NULL, 'h' },
		{ "hdpredict", required_argument, NULL, 'p' },
		{ 0 },
	};
	FILE *csv = NULL;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'q':
			benchOptions.isQuick = true;
			break;
		case 'c':
			csv = fopen(optarg, "w");
			benchCheck(csv, optarg);
			break;
		case 'h':
			benchOptions.hdtrace = optarg;
			break;
		case 'p':
			benchOptions.hdpredict = optarg;
			break;
		default:
			fputs(mainUsage, stderr);
			exit(EXIT_FAILURE);
		}
	}
	if (!benchOptions.hdtrace || !benchOptions.hdpredict) {
		fputs(mainUsage, stderr);
		exit(EXIT_FAILURE);
	}
	return csv;
}

static void mainMeasureAll(char **names, FILE *csv)
{
	for (size_t i = 0; i < BENCH_COUNT(mainSubjects); i++)
		if (mainIsWanted(mainSubjects[i], names))
			mainRunSubject(mainSubjects[i]);
	for (size_t i = 0; i < BENCH_COUNT(mainSubjects); i++) {
		if (!mainIsWanted(mainSubjects[i], names))
			continue;
		benchPrint(mainSubjects[i]);
		if (csv)
			benchSave(mainSubjects[i], csv);
	}
	if (csv)
		benchCheck(fclose(csv) == 0, "results");
}

static volatile sig_atomic_t mainChild;

static void mainPassOn(int number)
{
	kill(mainChild, number);
}

/* A child measures, and whatever ends it, its parent removes the files: they
 * may be large, and in memory. */
int main(int argc, char **argv)
{
	FILE *csv = mainParse(argc, argv);
	struct sigaction passOn = { .sa_handler = mainPassOn };
	int status;

	mainCreateDirectory();
	fflush(stdout);
	mainChild = fork();
	if (mainChild == 0) {
		mainMeasureAll(argv + optind, csv);
		return EXIT_SUCCESS;
	}
	if (mainChild < 0)
		benchRemoveTree(mainDirectory);
	benchCheck(mainChild > 0, "fork");
	sigaction(SIGHUP, &passOn, NULL);
	sigaction(SIGINT, &passOn, NULL);
	sigaction(SIGTERM, &passOn, NULL);
	while (waitpid(mainChild, &status, 0) < 0 && errno == EINTR)
		;
	benchRemoveTree(mainDirectory);
	free(mainDirectory);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}
