/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * CPU utilization, of all CPUs and of each one.
 *
 * From a fine counter the utilization of an interval is what was added to it.
 * From ticks it is computed over the last WINDOW_NS or more, for which the
 * ticks of all CPUs since then are kept in a ring.
 *
 * What does not fit into an interval is carried into the next ones: over a run
 * the busy time is that of the counter.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "ResourcesUtilizationTracingLibrary/src/cpu/cpucounter.h"
#include "ResourcesUtilizationTracingLibrary/src/cpu/cpuuse.h"
#include "ResourcesUtilizationTracingLibrary/src/core/rutlog.h"
#include "common/clock.h"

/* 20 ticks of 10 ms: one tick more or less is 5 points. */
#define WINDOW_NS 200000000

/* A counter that is farther from the clock than this does not count time. */
#define CARRY_NS HD_NS_PER_S

/* One CPU. */
struct cpuUnit {
	struct rutMerge merge;
	struct rutUse use;
	int64_t busyNs;  /* Or, of ticks, idle time when it was last seen. */
	int64_t sinceNs; /* Of ticks: since when it was there. */
	bool wasOnline;
	float percent; /* NaN: not known. */
};

struct cpuState {
	struct rutCpuCounter counter;
	struct cpuUnit *units;
	bool hasTotal;
	bool hasEach;
	float totalPercent;
	int64_t lastNs;
	/* Ticks only. */
	size_t ringSize;
	size_t ringFirst;
	size_t ringCount;
	int64_t *ringNs;
	int64_t *ringIdleNs; /* ringSize times the number of CPUs. */
};

static void cpuSourceClose(void *data)
{
	struct cpuState *state = data;

	rutCpuCounterClose(&state->counter);
	free(state->units);
	free(state->ringNs);
	free(state->ringIdleNs);
	free(state);
}

static bool cpuHasTicks(const struct cpuState *state)
{
	return !state->counter.kind->isLagging &&
	       state->counter.kind->needsStat;
}

static int cpuAllocate(struct cpuState *state, int64_t intervalNs)
{
	size_t count = state->counter.list.count;

	state->units = calloc(count, sizeof(*state->units));
	if (!state->units)
		return -ENOMEM;
	if (!cpuHasTicks(state))
		return 0;
	state->ringSize = (size_t)(WINDOW_NS / intervalNs) + 3;
	state->ringNs = calloc(state->ringSize, sizeof(int64_t));
	state->ringIdleNs = calloc(state->ringSize * count, sizeof(int64_t));
	return state->ringNs && state->ringIdleNs ? 0 : -ENOMEM;
}

static int cpuAddColumns(const struct cpuState *state,
			 struct rutColumns *columns)
{
	const struct rutColumn column = {
		.type = FLOAT,
		.unit = "%",
		.grouping = "CPU",
		.source = state->counter.kind->name,
		.resolution = state->counter.kind->resolution,
	};
	int ret = 0;

	if (state->hasTotal)
		ret = rutColumnsAdd(columns, &column, "CPU_TOTAL");
	for (size_t i = 0;
	     ret == 0 && state->hasEach && i < state->counter.list.count; i++)
		ret = rutColumnsAdd(columns, &column, "CPU_TOTAL_%u",
				    state->counter.list.numbers[i]);
	return ret;
}

static int cpuSourceOpen(const struct rutSetup *setup,
			 struct rutColumns *columns, void **result)
{
	struct cpuState *state = calloc(1, sizeof(*state));
	int ret;

	if (!state)
		return -ENOMEM;
	ret = rutCpuCounterOpen(&state->counter, setup->root, setup->cpuSource);
	if (ret < 0) {
		free(state);
		return ret;
	}
	state->hasTotal = setup->sources.CPU_UTIL;
	state->hasEach = setup->sources.CPU_UTIL_X;
	ret = cpuAllocate(state, setup->intervalNs);
	if (ret == 0)
		ret = cpuAddColumns(state, columns);
	if (ret < 0) {
		cpuSourceClose(state);
		return ret;
	}
	rutMessage(HD_LOG_INFO, "CPU utilization from %s, resolution %s",
		   state->counter.kind->name, state->counter.kind->resolution);
	*result = state;
	return 0;
}

/* Busy time of a CPU by its fine counter; only differences have a meaning. */
static int64_t cpuBusyNs(struct cpuState *state, size_t i)
{
	const struct rutCpuCounter *counter = &state->counter;
	const struct rutCpu *cpu = &counter->cpus[i];
	struct rutMerge *merge = &state->units[i].merge;
	int64_t now = counter->readNs;

	if (counter->kind->isIdle)
		return now - rutMergeTake(merge, now, cpu->fineNs, cpu->idleNs,
					  counter->tickNs);
	/* Idle and iowait are behind by less than a tick each. */
	if (counter->kind->isLagging)
		return rutMergeTake(merge, now, cpu->fineNs, now - cpu->idleNs,
				    2 * counter->tickNs);
	return cpu->fineNs;
}

/* The utilization of all CPUs that are known. */
static void cpuTakeTotal(struct cpuState *state, int64_t busyNs, int64_t wallNs)
{
	state->totalPercent = wallNs > 0 ? rutPercent(busyNs, wallNs) : NAN;
}

/* Utilization since the last time, from a fine counter. */
static void cpuTakeFine(struct cpuState *state, bool isBegin)
{
	const struct rutCpuCounter *counter = &state->counter;
	int64_t wall = counter->readNs - state->lastNs;
	int64_t busySum = 0, wallSum = 0;

	for (size_t i = 0; i < counter->list.count; i++) {
		struct cpuUnit *unit = &state->units[i];
		bool isOnline = counter->cpus[i].isOnline;
		bool isKnown = isOnline && unit->wasOnline &&
			       !counter->cpus[i].isReset;
		int64_t busy, passed;

		if (!unit->wasOnline || counter->cpus[i].isReset)
			unit->merge = (struct rutMerge){ 0 };
		busy = cpuBusyNs(state, i);
		passed = busy - unit->busyNs;
		unit->busyNs = busy;
		if (isBegin || !isKnown)
			unit->use.carryNs = 0;
		unit->wasOnline = isOnline;
		if (isBegin || wall <= 0)
			continue;
		if (!isKnown) {
			unit->percent = NAN;
			continue;
		}
		passed = rutUseTake(&unit->use, wall, passed, CARRY_NS);
		unit->percent = rutPercent(passed, wall);
		busySum += passed;
		wallSum += wall;
	}
	if (!isBegin && wall > 0)
		cpuTakeTotal(state, busySum, wallSum);
}

/* Note the ticks of all CPUs, and drop what the window does not need. */
static void cpuPushTicks(struct cpuState *state)
{
	const struct rutCpuCounter *counter = &state->counter;
	size_t count = counter->list.count, next;

	while (state->ringCount > 1) {
		size_t second = (state->ringFirst + 1) % state->ringSize;

		if (state->ringCount < state->ringSize &&
		    counter->readNs - state->ringNs[second] < WINDOW_NS)
			break;
		state->ringFirst = second;
		state->ringCount--;
	}
	next = (state->ringFirst + state->ringCount++) % state->ringSize;
	state->ringNs[next] = counter->readNs;
	for (size_t i = 0; i < count; i++)
		state->ringIdleNs[next * count + i] = counter->cpus[i].idleNs;
}

/* Busy time of an interval by the mean of the window, or of as much of it as a
 * CPU was there. */
static int64_t cpuWindowNs(const struct cpuState *state, size_t cpu,
			   int64_t wallNs)
{
	const struct rutCpuCounter *counter = &state->counter;

	for (size_t i = 0; i < state->ringCount; i++) {
		size_t at = (state->ringFirst + i) % state->ringSize;
		int64_t length = counter->readNs - state->ringNs[at];
		int64_t idle =
			counter->cpus[cpu].idleNs -
			state->ringIdleNs[at * counter->list.count + cpu];

		if (state->ringNs[at] < state->units[cpu].sinceNs)
			continue;
		if (length <= 0)
			break;
		return (int64_t)((double)(length - idle) * (double)wallNs /
				 (double)length);
	}
	return 0;
}

/* Take an interval of a CPU: what is shown is near the mean of the window, and
 * together as long as what was counted. */
static int64_t cpuTakeUnit(struct cpuState *state, size_t cpu, int64_t wallNs)
{
	struct cpuUnit *unit = &state->units[cpu];
	int64_t idleNs = state->counter.cpus[cpu].idleNs;
	int64_t passed = wallNs - (idleNs - unit->busyNs);
	int64_t owed = unit->use.carryNs;
	int64_t shown = cpuWindowNs(state, cpu, wallNs);

	shown += wallNs >= WINDOW_NS
			 ? owed
			 : (int64_t)((double)owed * (double)wallNs / WINDOW_NS);
	if (shown < 0)
		shown = 0;
	if (shown > wallNs)
		shown = wallNs;
	owed += passed - shown;
	/* What is far from the clock is not time. */
	unit->use.carryNs = owed > CARRY_NS || owed < -CARRY_NS ? 0 : owed;
	return shown;
}

/* Utilization over the window, from ticks. */
static void cpuTakeTicks(struct cpuState *state, bool isBegin)
{
	const struct rutCpuCounter *counter = &state->counter;
	int64_t wall = counter->readNs - state->lastNs;
	int64_t busySum = 0, wallSum = 0;

	if (isBegin)
		state->ringCount = 0;
	cpuPushTicks(state);
	for (size_t i = 0; i < counter->list.count; i++) {
		struct cpuUnit *unit = &state->units[i];
		const struct rutCpu *cpu = &counter->cpus[i];
		bool isThere = cpu->isOnline && !cpu->isReset;

		if (isBegin || !isThere || !unit->wasOnline) {
			unit->percent = NAN;
			unit->sinceNs = counter->readNs;
			unit->use.carryNs = 0;
		} else if (wall > 0) {
			int64_t busy = cpuTakeUnit(state, i, wall);

			unit->percent = rutPercent(busy, wall);
			busySum += busy;
			wallSum += wall;
		}
		unit->busyNs = cpu->idleNs;
		unit->wasOnline = cpu->isOnline;
	}
	if (!isBegin && wall > 0)
		cpuTakeTotal(state, busySum, wallSum);
}

/* The next values are of the time since the counters could last be read. */
static void cpuPutNone(const struct cpuState *state, union hdCell *cells)
{
	if (state->hasTotal)
		(cells++)->f = NAN;
	for (size_t i = 0; state->hasEach && i < state->counter.list.count; i++)
		cells[i].f = NAN;
}

static void cpuSourceRead(void *data, enum rutWhy why, union hdCell *cells)
{
	struct cpuState *state = data;
	bool isBegin = why == RUT_WHY_BEGIN;

	if (why == RUT_WHY_FOLLOW)
		return;
	rutCpuCounterRead(&state->counter);
	if (!state->counter.isKnown) {
		if (!isBegin)
			cpuPutNone(state, cells);
		return;
	}
	if (cpuHasTicks(state))
		cpuTakeTicks(state, isBegin);
	else
		cpuTakeFine(state, isBegin);
	state->lastNs = state->counter.readNs;
	if (isBegin)
		return;
	if (state->hasTotal)
		(cells++)->f = state->totalPercent;
	for (size_t i = 0; state->hasEach && i < state->counter.list.count; i++)
		cells[i].f = state->units[i].percent;
}

const struct rutSource rutCpuSource = {
	.name = "cpu",
	.isWanted = rutWantsCpu,
	.open = cpuSourceOpen,
	.read = cpuSourceRead,
	.close = cpuSourceClose,
};
