/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Hardware counters of all CPUs, together and of each, by perf_event_open(2);
 * and memory traffic, by the counters of the memory controllers, or where there
 * are none by the misses of the last cache: the name of the value says which.
 *
 * A CPU that goes offline takes its counters with it; they are opened anew when
 * it is back. Meanwhile it does nothing, which is counted as that.
 */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>

#include "ResourcesUtilizationTracingLibrary/src/cpu/uncore.h"
#include "ResourcesUtilizationTracingLibrary/src/core/rutlog.h"
#include "ResourcesUtilizationTracingLibrary/src/core/source.h"
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
#define MISSES 3

/** A counter of a CPU. */
struct counter {
	size_t event;
	int cpu;
	int handle; /**< -1: its CPU is offline. */
	uint64_t id;
	struct hdPerfReading before;
	uint64_t sum; /**< Of the interval so far. */
};

struct countersState {
	size_t count;
	struct counter *counters; /**< By CPU, and there by event. */
	bool hasTotals, hasEach;  /**< What is asked for. */
	bool hasEvent[EVENTS];
	struct rutUncore uncore;
	/** Bytes of a cache miss where these stand for the traffic; else 0. */
	unsigned int line;
};

static bool countersIsWanted(const rutSources *sources)
{
	return sources->HW_COUNTERS || sources->HW_COUNTERS_X ||
	       sources->MEM_TRAFFIC;
}

static void countersClose(void *data)
{
	struct countersState *state = data;

	for (size_t i = 0; i < state->count; i++) {
		struct counter *counter = &state->counters[i];

		if (counter->handle >= 0 &&
		    hdPerfIs(counter->handle, counter->id))
			hdPerfClose(counter->handle);
	}
	rutUncoreClose(&state->uncore);
	free(state->counters);
	free(state);
}

/* ---- Opening ---------------------------------------------------------------
 */

/* What a CPU has of the events; what it lacks is left out. The first error of
 * all, as it says why there is nothing. */
static void countersOpenCpu(struct countersState *state, int cpu, int *error)
{
	bool hasAll = state->hasTotals || state->hasEach;

	for (size_t i = hasAll ? 0 : MISSES; i < EVENTS; i++) {
		int handle = hdPerfOpen(PERF_TYPE_HARDWARE,
					counterEvents[i].event, -1, cpu);

		/* A CPU that is offline is no error. */
		if (handle < 0 && handle != -ENODEV && *error == 0)
			*error = -handle;
		if (handle < 0)
			continue;
		state->hasEvent[i] = true;
		state->counters[state->count++] = (struct counter){
			.event = i,
			.cpu = cpu,
			.handle = handle,
			.id = hdPerfId(handle),
		};
	}
}

/* Open the counters of all CPUs: 0; -ENOENT, and why is said; or -ENOMEM. */
static int countersOpenAll(struct countersState *state, const char *what)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int error = 0;

	state->counters = calloc((size_t)(cpus > 0 ? cpus : 1) * EVENTS,
				 sizeof(*state->counters));
	if (!state->counters)
		return -ENOMEM;
	for (int cpu = 0; cpu < cpus; cpu++)
		countersOpenCpu(state, cpu, &error);
	/* A part of the counters would be taken for all. */
	if (state->count > 0 && error != EMFILE)
		return 0;
	rutLoss("%s not recorded: %s", what,
		hdPerfReason(error ? error : ENOENT));
	return -ENOENT;
}

static int countersAdd(struct rutColumns *columns, size_t event, int cpu)
{
	const struct rutColumn column = {
		.type = INT64,
		.unit = counterEvents[event].unit,
		.grouping = "HW",
		.source = "perf_event",
		.kind = HD_KIND_DELTA,
	};

	return cpu < 0 ? rutColumnsAdd(columns, &column, "%s",
				       counterEvents[event].name)
		       : rutColumnsAdd(columns, &column, "%s_%d",
				       counterEvents[event].name, cpu);
}

static int trafficAdd(const struct countersState *state,
		      struct rutColumns *columns)
{
	const struct rutColumn column = {
		.type = INT64,
		.unit = "B",
		.grouping = "MEM",
		.source = state->line ? "last-level cache misses"
				      : "memory controllers",
		.kind = HD_KIND_DELTA,
	};
	int ret = 0;

	if (state->line)
		return rutColumnsAdd(columns, &column,
				     "MEM_TRAFFIC_CACHE_MISSES");
	if (state->uncore.count) {
		ret = rutColumnsAdd(columns, &column, "MEM_TRAFFIC_READ");
		if (ret == 0)
			ret = rutColumnsAdd(columns, &column,
					    "MEM_TRAFFIC_WRITE");
	}
	return ret;
}

static int countersAddColumns(const struct countersState *state,
			      struct rutColumns *columns)
{
	int ret = 0;

	for (size_t i = 0; state->hasTotals && ret == 0 && i < EVENTS; i++) {
		if (state->hasEvent[i])
			ret = countersAdd(columns, i, -1);
	}
	for (size_t i = 0; state->hasEach && ret == 0 && i < state->count; i++)
		ret = countersAdd(columns, state->counters[i].event,
				  state->counters[i].cpu);
	return ret == 0 ? trafficAdd(state, columns) : ret;
}

/* Memory controllers if they have counters, else cache misses. */
static int trafficOpen(struct countersState *state, const char *root)
{
	int ret = rutUncoreOpen(&state->uncore, root);

	if (ret != -ENOENT)
		return ret;
	state->line = rutUncoreLine(root);
	return 0;
}

static int countersOpen(const struct rutSetup *setup,
			struct rutColumns *columns, void **result)
{
	struct countersState *state;
	int ret = 0;

	/* Of a machine that is shown by files there are none. */
	if (*setup->root && !hdPerfFake)
		return -ENOENT;
	state = calloc(1, sizeof(*state));
	if (!state)
		return -ENOMEM;
	state->hasTotals = setup->sources.HW_COUNTERS;
	state->hasEach = setup->sources.HW_COUNTERS_X;
	if (setup->sources.MEM_TRAFFIC)
		ret = trafficOpen(state, setup->root);
	if (ret == 0 && (state->hasTotals || state->hasEach))
		ret = countersOpenAll(state, "hardware counters are");
	else if (ret == 0 && state->line)
		ret = countersOpenAll(state, "memory traffic is");
	/* The controllers' are there, whatever CPUs have. */
	if (ret == -ENOENT && state->uncore.count) {
		state->hasTotals = state->hasEach = false;
		ret = 0;
	}
	if (ret == 0 && state->line && !state->hasEvent[MISSES])
		state->line = 0;
	if (ret == 0)
		ret = countersAddColumns(state, columns);
	if (ret < 0) {
		countersClose(state);
		return ret;
	}
	*result = state;
	return 0;
}

/* ---- Reading ---------------------------------------------------------------
 */

/* Open a counter anew that is gone: its CPU was away, or the program has closed
 * it. Whether it was. */
static bool countersReopen(struct counter *counter)
{
	if (counter->handle >= 0 && hdPerfIs(counter->handle, counter->id))
		return false;
	counter->handle = hdPerfOpen(PERF_TYPE_HARDWARE,
				     counterEvents[counter->event].event, -1,
				     counter->cpu);
	if (counter->handle >= 0)
		counter->id = hdPerfId(counter->handle);
	return true;
}

/* Read a counter; one that was gone begins where it is back. */
static void countersReadOne(struct counter *counter, bool isBegin)
{
	bool isNew = countersReopen(counter);
	struct hdPerfReading now;

	if (counter->handle < 0)
		return;
	if (hdPerfRead(counter->handle, &now) < 0) {
		hdPerfClose(counter->handle);
		counter->handle = -1;
	} else if (isBegin || isNew) {
		counter->before = now;
	} else {
		counter->sum += hdPerfTake(&counter->before, &now);
	}
}

static int64_t counterSourceAmountOf(double value)
{
	return value < (double)RUT_AMOUNT_MAX ? (int64_t)value : RUT_AMOUNT_MAX;
}

static uint64_t countersSum(const struct countersState *state, size_t event)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < state->count; i++) {
		if (state->counters[i].event == event)
			sum += state->counters[i].sum;
	}
	return sum;
}

static void countersPut(struct countersState *state, union hdCell *cells)
{
	for (size_t i = 0; state->hasTotals && i < EVENTS; i++) {
		if (state->hasEvent[i])
			(cells++)->i = counterSourceAmountOf(
				(double)countersSum(state, i));
	}
	for (size_t i = 0; state->hasEach && i < state->count; i++)
		(cells++)->i =
			counterSourceAmountOf((double)state->counters[i].sum);
	if (state->line) {
		cells->i = counterSourceAmountOf(
			(double)countersSum(state, MISSES) * state->line);
		return;
	}
	for (int i = 0; state->uncore.count && i < RUT_UNCORE_WAYS; i++) {
		/* What is less than a byte belongs to the next. */
		(cells++)->i = counterSourceAmountOf(state->uncore.sums[i]);
		state->uncore.sums[i] -=
			(double)counterSourceAmountOf(state->uncore.sums[i]);
	}
}

static void countersRead(void *data, enum rutWhy why, union hdCell *cells)
{
	struct countersState *state = data;

	for (size_t i = 0; i < state->count; i++)
		countersReadOne(&state->counters[i], why == RUT_WHY_BEGIN);
	rutUncoreRead(&state->uncore, why == RUT_WHY_BEGIN);
	if (why == RUT_WHY_SAMPLE)
		countersPut(state, cells);
	for (size_t i = 0; why != RUT_WHY_FOLLOW && i < state->count; i++)
		state->counters[i].sum = 0;
}

const struct rutSource rutCountersSource = {
	.name = "counters",
	.isWanted = countersIsWanted,
	.open = countersOpen,
	.read = countersRead,
	.close = countersClose,
};
