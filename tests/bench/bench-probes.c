/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a measurement of libhdProbe costs, beside what it is made of: table 6.1
 * of the work that it follows (Kristoffersen, Oslo 2011), and its figure 6.3,
 * where threads contend for one probe.
 *
 *     bench-probes [--iterations=N] [--repetitions=N]
 *
 * B1: a pair of start and stop in a loop, by decades up to N iterations, with
 * each clock; its limit is two readings of that clock and 15 ns. "Measured" is
 * what the probe itself says, "execution" the CPU time of an iteration. B2: CPU
 * time of a measurement of one probe that twice as many threads as processors
 * share, beside one thread; its limit is 1.3 times that. Beside it the same
 * with a lock in the probe, as there.
 *
 * All repetitions take turns; medians, with the smallest and largest. Exit
 * status 1 if a limit is passed for sure: by the confidence interval of the
 * median.
 */
#include "config.h"

#include <getopt.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdProbe.h>

#include "InstrumentationLibrary/src/clock.h"
#include "InstrumentationLibrary/src/core/memory.h"

#define MOST_REPETITIONS 101
#define MOST_DECADES 8
#define CLOCKS 4
#define PAIR_LIMIT_NS 15
#define CONTENTION_LIMIT 1.3

static size_t iterations = 1000000;
static int repetitions = 10;

/* What the work has in its table, in ns: measured and execution. */
static const char *const published[CLOCKS] = { "127, 211 (clock_gettime)",
					       "127, 211 (clock_gettime)",
					       "30, 121 (gettimeofday)",
					       "80, 119 (RDTSC, serialised)" };

struct samples {
	double values[MOST_REPETITIONS];
	int count;
};

static double cpuNow(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median; the samples are sorted then. */
static double median(struct samples *samples)
{
	int n = samples->count;

	qsort(samples->values, (size_t)n, sizeof(double), compare);
	return (samples->values[(n - 1) / 2] + samples->values[n / 2]) / 2;
}

static void put(struct samples *samples, double value)
{
	samples->values[samples->count++] = value;
}

static double least(const struct samples *samples)
{
	return samples->values[0];
}

static double largest(const struct samples *samples)
{
	return samples->values[samples->count - 1];
}

/* How many of the sorted samples lie below the confidence interval of their
 * median (95 % or more, by ranks: whatever the distribution), and as many above
 * it. */
static int ranksOutside(int n)
{
	double term = 1, tail;
	int low = 0;

	for (int i = 0; i < n; i++)
		term /= 2;
	for (tail = term; low < n / 2; low++) {
		term *= (double)(n - low) / (low + 1);
		if (tail + term > 0.025)
			break;
		tail += term;
	}
	return low;
}

/* What samples say of a limit, with their interval. @return False: their median
 * is surely above it. On a machine that does other things, too, more is not to
 * be had. */
static bool judge(struct samples *samples, double limit, char *text,
		  size_t size)
{
	double mid = median(samples);
	int outside = ranksOutside(samples->count);
	double low = samples->values[outside];
	double high = samples->values[samples->count - 1 - outside];

	snprintf(text, size, "%.2f (%.2f - %.2f), limit %g: %s", mid, low, high,
		 limit,
		 high <= limit  ? "reached"
		 : mid <= limit ? "reached, but not surely"
		 : low <= limit ? "not reached, but not surely"
				: "MISSED");
	return low <= limit;
}

/* ---- B1 --------------------------------------------------------------------
 */

/* What is measured of a clock. */
struct clockCost {
	struct samples reading, measured[MOST_DECADES], execution[MOST_DECADES];
	struct samples over; /* Of the most iterations, beside two readings. */
	const char *refusal;
};

static struct clockCost costs[CLOCKS];

static size_t decade(int i)
{
	size_t count = 10;

	while (i-- > 0)
		count *= 10;
	return count;
}

static int countDecades(void)
{
	int count = 0;

	while (count < MOST_DECADES && decade(count) <= iterations)
		count++;
	return count;
}

/* The median that the probe has since the last reset, in ns: a mean would hold
 * what stopped the thread in between. Numbers are by the tick that the process
 * began with. */
static double measuredNs(void)
{
	static struct hdProbeFigures figures[8];
	int count = hdProbe_snapshot(figures, 8, 1);

	for (int i = 0; i < count && i < 8; i++) {
		if (strcmp(figures[i].name, "timer1") == 0)
			return figures[i].p50_s * 1e9 / hdProbePage->tickNs *
			       hdProbeTickNs;
	}
	return 0;
}

/* Listing 6.1. */
static void takeTime(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		HDPROBE_START(pair, "timer1");
		HDPROBE_STOP(pair);
	}
}

static void measureClock(struct clockCost *cost)
{
	volatile uint64_t sink;
	size_t n = iterations < 1000000 ? iterations : 1000000;
	double began, last = 0, reading;

	takeTime(1000);
	measuredNs();
	for (int i = 0; i < countDecades(); i++) {
		size_t count = decade(i);

		began = cpuNow();
		takeTime(count);
		last = (cpuNow() - began) / (double)count;
		put(&cost->execution[i], last);
		put(&cost->measured[i], measuredNs());
	}
	began = cpuNow();
	for (size_t i = 0; i < n; i++)
		sink = hdProbeClockRead();
	(void)sink;
	reading = (cpuNow() - began) / (double)n;
	put(&cost->reading, reading);
	put(&cost->over, last - 2 * reading);
}

static void printDecades(void)
{
	printf("\n| Iterations |");
	for (int clock = 0; clock < CLOCKS; clock++)
		printf(" %s |", hdProbeClockWord((unsigned int)clock));
	printf("\n|--:|--:|--:|--:|--:|\n");
	for (int i = 0; i < countDecades(); i++) {
		printf("| %zu |", decade(i));
		for (int clock = 0; clock < CLOCKS; clock++) {
			struct samples *samples = &costs[clock].execution[i];

			if (costs[clock].refusal)
				printf(" - |");
			else
				printf(" %.1f |", median(samples));
		}
		printf("\n");
	}
}

/* Print the row of a clock. @return Whether its limit is kept. */
static bool printClock(unsigned int clock, double tscNs)
{
	struct clockCost *cost = &costs[clock];
	int last = countDecades() - 1;
	double measured, execution;
	char verdict[128];
	bool isGood;

	if (cost->refusal) {
		printf("| %s | not here: %s |\n", hdProbeClockWord(clock),
		       cost->refusal);
		return true;
	}
	measured = median(&cost->measured[last]);
	execution = median(&cost->execution[last]);
	printf("| %s | %.1f | %.1f (%.1f - %.1f) | %.1f |",
	       hdProbeClockWord(clock), measured, execution,
	       least(&cost->execution[last]), largest(&cost->execution[last]),
	       execution - measured);
	if (tscNs > 0)
		printf(" %.0f |", execution / tscNs);
	else
		printf(" - |");
	isGood = judge(&cost->over, PAIR_LIMIT_NS, verdict, sizeof(verdict));
	printf(" %.1f | %s | %s |\n", median(&cost->reading), verdict,
	       published[clock]);
	return isGood;
}

static bool benchClocks(void)
{
	struct hdTscFacts facts;
	double tscNs;
	bool isGood = true;

	hdTscFind(&facts);
	tscNs = facts.hasCounter ? hdTscCalibrate(HD_NS_PER_S / 10) : 0;
	for (int run = 0; run < repetitions; run++) {
		for (int clock = 0; clock < CLOCKS; clock++) {
			costs[clock].refusal = hdProbeClockSet(clock, &facts);
			if (!costs[clock].refusal)
				measureClock(&costs[clock]);
		}
	}
	hdProbeClockSet(HDPROBE_CLOCK_MONOTONIC, NULL);
	printf("B1: a start and a stop, %zu times, ns; median of %d, least and "
	       "largest; beside two readings with the interval of the median "
	       "(95 %%).\n\n",
	       decade(countDecades() - 1), repetitions);
	printf("| Clock | Measured | Execution | Diff | TSC ticks | A reading "
	       "| "
	       "Beside two readings | Work of 2011 |\n");
	printf("|---|--:|--:|--:|--:|--:|---|---|\n");
	for (unsigned int clock = 0; clock < CLOCKS; clock++)
		isGood &= printClock(clock, tscNs);
	printDecades();
	return isGood;
}

/* ---- Sampling --------------------------------------------------------------
 */

/* What a pair costs of which one in so many is timed, at random. */
static void benchSampling(void)
{
	static const unsigned int every[] = { 1, 10, 50, 1000 };
	static struct samples samples[4];
	struct hdProbe *probe =
		hdProbe_find("sampled", NULL, HDPROBE_KIND_TIMER);

	if (!probe)
		exit(2);
	for (int run = 0; run < repetitions; run++) {
		for (int k = 0; k < 4; k++) {
			double began;

			hdProbe_setSampling(probe, every[k], 1);
			began = cpuNow();
			for (size_t i = 0; i < iterations; i++)
				hdProbe_stop(probe, hdProbe_start(probe));
			put(&samples[k],
			    (cpuNow() - began) / (double)iterations);
		}
	}
	printf("\nSampling: a start and a stop, ns.\n\n| Timed | "
	       "|\n|---|--:|\n");
	for (int k = 0; k < 4; k++)
		printf("| one in %u | %.1f |\n", every[k], median(&samples[k]));
}

/* ---- Events ----------------------------------------------------------------
 */

/* What a pair costs that counts events of the processor, beside one that does
 * not. */
static void benchEvents(void)
{
	static struct samples samples[2];
	struct hdProbe *probe =
		hdProbe_find("events", NULL, HDPROBE_KIND_TIMER);

	if (!probe)
		exit(2);
	for (int run = 0; run < repetitions; run++) {
		for (int k = 0; k < 2; k++) {
			double began;

			hdProbe_setEvents(probe, k);
			hdProbe_stop(probe, hdProbe_start(probe));
			began = cpuNow();
			for (size_t i = 0; i < iterations; i++)
				hdProbe_stop(probe, hdProbe_start(probe));
			put(&samples[k],
			    (cpuNow() - began) / (double)iterations);
		}
	}
	printf("\nEvents: a start and a stop, ns.\n\n| | |\n|---|--:|\n"
	       "| without | %.1f |\n",
	       median(&samples[0]));
	if (hdProbe_events(probe))
		printf("| cycles, instructions, cache misses | %.1f |\n",
		       median(&samples[1]));
	else
		printf("| with, where there are none | %.1f |\n",
		       median(&samples[1]));
}

/* ---- B2 --------------------------------------------------------------------
 */

/* The probe of listings 5.3 and 5.4, which threads share; counted when it is
 * completed, and with the clock that ours has. */
static struct {
	pthread_spinlock_t lock;
	uint64_t count, sum;
} locked;

struct crowd {
	pthread_barrier_t barrier;
	size_t count;
	bool isLocked;
	double cpu[256];
	unsigned int joined;
	pthread_mutex_t lock;
};

static void takeLocked(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t start, end;

		pthread_spin_lock(&locked.lock);
		start = hdProbeClockRead();
		pthread_spin_unlock(&locked.lock);
		end = hdProbeClockRead();
		pthread_spin_lock(&locked.lock);
		locked.sum += end - start;
		locked.count++;
		pthread_spin_unlock(&locked.lock);
	}
}

static void *member(void *context)
{
	struct crowd *crowd = context;
	double began;

	takeTime(100);
	pthread_barrier_wait(&crowd->barrier);
	began = cpuNow();
	if (crowd->isLocked)
		takeLocked(crowd->count);
	else
		takeTime(crowd->count);
	began = cpuNow() - began;
	pthread_mutex_lock(&crowd->lock);
	crowd->cpu[crowd->joined++] = began;
	pthread_mutex_unlock(&crowd->lock);
	return NULL;
}

/* CPU time of a measurement, ns. */
static double costOf(unsigned int threads, bool isLocked)
{
	struct crowd crowd = { .count = iterations / 4 + 1,
			       .isLocked = isLocked,
			       .lock = PTHREAD_MUTEX_INITIALIZER };
	pthread_t ids[256];
	double sum = 0;

	pthread_barrier_init(&crowd.barrier, NULL, threads);
	for (unsigned int i = 0; i < threads; i++) {
		if (pthread_create(&ids[i], NULL, member, &crowd) != 0) {
			fprintf(stderr, "bench-probes: no thread\n");
			exit(2);
		}
	}
	for (unsigned int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	pthread_barrier_destroy(&crowd.barrier);
	for (unsigned int i = 0; i < threads; i++)
		sum += crowd.cpu[i];
	return sum / ((double)threads * (double)crowd.count);
}

static bool benchThreads(void)
{
	static struct samples samples[256][2], ratios;
	char verdict[128];
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int most = 2 * (unsigned int)(cores > 64 ? 64 : cores);
	bool isGood;

	pthread_spin_init(&locked.lock, PTHREAD_PROCESS_PRIVATE);
	for (int run = 0; run < repetitions; run++) {
		for (unsigned int n = 1; n <= most; n *= 2) {
			put(&samples[n][0], costOf(n, false));
			put(&samples[n][1], costOf(n, true));
		}
		if (most & (most - 1)) {
			put(&samples[most][0], costOf(most, false));
			put(&samples[most][1], costOf(most, true));
		}
		put(&ratios,
		    samples[most][0].values[run] / samples[1][0].values[run]);
	}
	printf("\nB2: CPU time of a measurement of one probe, ns; median of "
	       "%d, "
	       "least and largest; %ld processors.\n\n",
	       repetitions, cores);
	printf("| Threads | Ours | of one | With a shared lock | of one |\n"
	       "|--:|--:|--:|--:|--:|\n");
	for (unsigned int n = 1; n <= most; n++) {
		if (samples[n][0].count == 0)
			continue;
		printf("| %u", n);
		for (int k = 0; k < 2; k++)
			printf(" | %.1f (%.1f - %.1f) | %.2f",
			       median(&samples[n][k]), least(&samples[n][k]),
			       largest(&samples[n][k]),
			       median(&samples[n][k]) / median(&samples[1][k]));
		printf(" |\n");
	}
	isGood = judge(&ratios, CONTENTION_LIMIT, verdict, sizeof(verdict));
	printf("\n%u threads beside one, by runs: %s\n", most, verdict);
	return isGood;
}

/* ---- Options ---------------------------------------------------------------
 */

static unsigned long number(const char *text, unsigned long least_,
			    unsigned long most)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || end == text || value < least_ || value > most) {
		fprintf(stderr, "bench-probes: not from %lu to %lu: %s\n",
			least_, most, text);
		exit(2);
	}
	return value;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "iterations", required_argument, NULL, 'i' },
		{ "repetitions", required_argument, NULL, 'r' },
		{ 0 },
	};
	bool isGood;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'i':
			iterations = number(optarg, 10, 100000000);
			break;
		case 'r':
			repetitions = (int)number(optarg, 1, MOST_REPETITIONS);
			break;
		default:
			fputs("Usage: bench-probes [--iterations=N] "
			      "[--repetitions=N]\n",
			      stderr);
			return 2;
		}
	}
	isGood = benchClocks();
	benchSampling();
	benchEvents();
	isGood &= benchThreads();
	return isGood ? 0 : 1;
}
