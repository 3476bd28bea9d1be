/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The works of writing, done by LTTng-UST: bench-lttng WORK COUNT prints as
 * bench-one does. Its files are written by a daemon of LTTng, so that the
 * process has no more than the calling thread, and no bytes; bench-writing.py
 * knows both from elsewhere.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/bench-lttng.h"
#include "tests/bench/bench.h"

#define LTTNG_REGION 1

static void lttngEntries(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double values[BENCH_COLUMNS];

		for (size_t k = 0; k < BENCH_COLUMNS; k++)
			values[k] = benchValue(i, k);
		lttng_ust_tracepoint(hdbench, entry, values);
	}
}

static void lttngStates(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		lttng_ust_tracepoint(hdbench, enter, LTTNG_REGION);
		lttng_ust_tracepoint(hdbench, leave, LTTNG_REGION);
	}
}

static void lttngIntegers(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		lttng_ust_tracepoint(hdbench, send, LTTNG_REGION,
				     (int64_t)i * 8, (int64_t)i, 11,
				     (int64_t)i & 63, 1313, 1);
		lttng_ust_tracepoint(hdbench, leave, LTTNG_REGION);
	}
}

static void lttngMixture(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		lttng_ust_tracepoint(hdbench, mixture, LTTNG_REGION,
				     (int64_t)i * 8, (int64_t)i & 63, 1313, 1,
				     1.0 / (double)(i + 3),
				     "visualization.dat");
		lttng_ust_tracepoint(hdbench, leave, LTTNG_REGION);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(size_t count);
	} works[] = {
		{ "values", lttngEntries },  { "entry", lttngEntries },
		{ "bare", lttngStates },     { "integers", lttngIntegers },
		{ "mixture", lttngMixture },
	};
	struct benchRun run = { 0 };

	if (argc == 3)
		run.count = strtoul(argv[2], NULL, 10);
	for (size_t i = 0; run.count > 0 && i < BENCH_COUNT(works); i++) {
		if (strcmp(works[i].name, argv[1]) != 0)
			continue;
		benchStart(&run);
		works[i].run(run.count);
		benchStop(&run);
		printf("%.3f %.3f %.3f 0\n", run.thread / (double)run.count,
		       run.process / (double)run.count,
		       run.wall / (double)run.count);
		return 0;
	}
	fputs("Usage: bench-lttng WORK COUNT\n", stderr);
	return 2;
}
