/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Hardware counters of all CPUs together, by perf_event_open(2).
 */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>

#include "ResourcesUtilizationTracingLibrary/src/message.h"
#include "ResourcesUtilizationTracingLibrary/src/source.h"
#include "common/perf.h"

static const struct {
	const char *name;
	const char *unit;
	uint64_t event;
} counterEvents[] = {
	{ "HW_CYCLES", "cycles", PERF_COUNT_HW_CPU_CYCLES },
	{ "HW_INSTRUCTIONS", "instructions", PERF_COUNT_HW_INSTRUCTIONS },
	{ "HW_CACHE_REFERENCES", "references", PERF_COUNT_HW_CACHE_REFERENCES },
	{ "HW_CACHE_MISSES", "misses", PERF_COUNT_HW_CACHE_MISSES },
};
#define EVENTS (sizeof(counterEvents) / sizeof(counterEvents[0]))

/** A counter of a CPU. */
struct counter {
	size_t event;
	int handle;
	struct hdPerfReading before;
};

struct countersState {
	size_t count;
	struct counter *counters;
	bool hasEvent[EVENTS];
	uint64_t sums[EVENTS]; /**< Of the interval so far. */
};

static bool countersIsWanted(const rutSources *sources)
{
	return sources->HW_COUNTERS;
}

static void countersClose(void *data)
{
	struct countersState *state = data;

	for (size_t i = 0; i < state->count; i++)
		hdPerfClose(state->counters[i].handle);
	free(state->counters);
	free(state);
}

/* What a CPU has of the events; what it lacks is left out. The first error of
 * all, as it says why there is nothing. */
static void countersOpenCpu(struct countersState *state, int cpu, int *error)
{
	for (size_t i = 0; i < EVENTS; i++) {
		int handle = hdPerfOpen(PERF_TYPE_HARDWARE,
					counterEvents[i].event, -1, cpu);

		/* A CPU that is offline is no error. */
		if (handle < 0 && handle != -ENODEV && *error == 0)
			*error = -handle;
		if (handle < 0)
			continue;
		state->hasEvent[i] = true;
		state->counters[state->count++] =
			(struct counter){ .event = i, .handle = handle };
	}
}

static int countersAddColumns(const struct countersState *state,
			      struct rutColumns *columns)
{
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < EVENTS; i++) {
		const struct rutColumn column = {
			.type = INT64,
			.unit = counterEvents[i].unit,
			.grouping = "HW",
			.source = "perf_event",
			.kind = HD_KIND_DELTA,
		};

		if (state->hasEvent[i])
			ret = rutColumnsAdd(columns, &column, "%s",
					    counterEvents[i].name);
	}
	return ret;
}

static int countersOpen(const struct rutSetup *setup,
			struct rutColumns *columns, void **result)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct countersState *state;
	int error = 0, ret;

	/* Of a machine that is shown by files there are none. */
	if (*setup->root && !hdPerfFake)
		return -ENOENT;
	state = calloc(1, sizeof(*state));
	if (!state)
		return -ENOMEM;
	state->counters = calloc((size_t)(cpus > 0 ? cpus : 1) * EVENTS,
				 sizeof(*state->counters));
	ret = state->counters ? 0 : -ENOMEM;
	for (int cpu = 0; ret == 0 && cpu < cpus; cpu++)
		countersOpenCpu(state, cpu, &error);
	/* A part of the counters would be taken for all. */
	if (ret == 0 && (state->count == 0 || error == EMFILE)) {
		rutLoss("hardware counters are not recorded: %s",
			hdPerfReason(error ? error : ENOENT));
		ret = -ENOENT;
	}
	if (ret == 0)
		ret = countersAddColumns(state, columns);
	if (ret < 0) {
		countersClose(state);
		return ret;
	}
	*result = state;
	return 0;
}

static void countersRead(void *data, enum rutWhy why, union hdCell *cells)
{
	struct countersState *state = data;

	for (size_t i = 0; i < state->count; i++) {
		struct counter *counter = &state->counters[i];
		struct hdPerfReading now;

		if (hdPerfRead(counter->handle, &now) < 0)
			continue;
		if (why == RUT_WHY_BEGIN)
			counter->before = now;
		else
			state->sums[counter->event] +=
				hdPerfTake(&counter->before, &now);
	}
	for (size_t i = 0; i < EVENTS; i++) {
		if (why == RUT_WHY_SAMPLE && state->hasEvent[i])
			(cells++)->i = state->sums[i] < (uint64_t)RUT_AMOUNT_MAX
					       ? (int64_t)state->sums[i]
					       : RUT_AMOUNT_MAX;
		if (why != RUT_WHY_FOLLOW)
			state->sums[i] = 0;
	}
}

const struct rutSource rutCountersSource = {
	.name = "counters",
	.isWanted = countersIsWanted,
	.open = countersOpen,
	.read = countersRead,
	.close = countersClose,
};
