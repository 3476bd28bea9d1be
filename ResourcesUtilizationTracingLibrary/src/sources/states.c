/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What CPUs do with their time, by the ticks of /proc/stat: user, nice, system
 * (with interrupts), idle, waiting for disks, stolen by other virtual machines.
 *
 * They are shares of all ticks of the interval, so they add up to 100 %. An
 * interval without ticks has the shares of the one before.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "ResourcesUtilizationTracingLibrary/src/cpu/cpucounter.h"
#include "ResourcesUtilizationTracingLibrary/src/cpu/cpuuse.h"
#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/source.h"

/* Numbers of a line of /proc/stat; old kernels have fewer. */
enum statesField {
	FIELD_USER,
	FIELD_NICE,
	FIELD_SYSTEM,
	FIELD_IDLE,
	FIELD_IOWAIT,
	FIELD_IRQ,
	FIELD_SOFTIRQ,
	FIELD_STEAL,
	FIELDS,
};

enum { STATES = 6 };

static const char *const statesNames[STATES] = {
	"USER", "NICE", "SYSTEM", "IDLE", "IOWAIT", "STEAL",
};

/* All CPUs, or one. */
struct statesUnit {
	uint64_t raw[STATES];   /* When they were last seen. */
	uint64_t ticks[STATES]; /* Since the last sample. */
	float percent[STATES];
	bool isSeen;  /* When the file was read last, */
	bool wasSeen; /* and the time before. */
	bool isKnown; /* All the interval. */
};

struct statesState {
	struct rutFile file;
	struct rutCpuList list;
	struct statesUnit total;
	struct statesUnit *units;
	bool hasTotal;
	bool hasEach;
};

static bool statesIsWanted(const rutSources *sources)
{
	return sources->CPU_STATES || sources->CPU_STATES_X;
}

static void statesClose(void *data)
{
	struct statesState *state = data;

	rutFileClose(&state->file);
	rutCpuListClear(&state->list);
	free(state->units);
	free(state);
}

static void unitTake(struct statesUnit *unit, enum rutWhy why,
		     const uint64_t *fields)
{
	const uint64_t ticks[STATES] = {
		fields[FIELD_USER],
		fields[FIELD_NICE],
		fields[FIELD_SYSTEM] + fields[FIELD_IRQ] +
			fields[FIELD_SOFTIRQ],
		fields[FIELD_IDLE],
		fields[FIELD_IOWAIT],
		fields[FIELD_STEAL],
	};

	/* A CPU that returns has a base again. */
	if (why == RUT_WHY_BEGIN || !unit->wasSeen)
		memcpy(unit->raw, ticks, sizeof(ticks));
	for (size_t i = 0; i < STATES; i++)
		unit->ticks[i] += rutTicksSince(&unit->raw[i], ticks[i]);
	unit->isSeen = true;
}

/* Begin an interval. */
static void unitBegin(struct statesUnit *unit)
{
	memset(unit->ticks, 0, sizeof(unit->ticks));
	unit->isKnown = unit->isSeen;
}

static void unitShares(struct statesUnit *unit)
{
	int64_t sum = 0;

	for (size_t i = 0; i < STATES; i++)
		sum += (int64_t)unit->ticks[i];
	for (size_t i = 0; i < STATES; i++) {
		if (!unit->isKnown)
			unit->percent[i] = NAN;
		else if (sum > 0)
			unit->percent[i] =
				rutPercent((int64_t)unit->ticks[i], sum);
	}
	unitBegin(unit);
}

/* Read "cpu" or "cpu3" and its numbers; false behind the last such line. */
static bool statesParse(struct rutScan *scan, bool *isTotal, uint64_t *number,
			uint64_t *fields)
{
	size_t count = 0;

	if (!rutScanLiteral(scan, "cpu"))
		return false;
	*isTotal = scan->at < scan->end && *scan->at == ' ';
	if (!*isTotal && !rutScanNumber(scan, number))
		return false;
	memset(fields, 0, FIELDS * sizeof(*fields));
	while (count < FIELDS && rutScanNumber(scan, &fields[count]))
		count++;
	return count > FIELD_IDLE;
}

static void unitExpect(struct statesUnit *unit)
{
	unit->wasSeen = unit->isSeen;
	unit->isSeen = false;
}

/* Expect the lines of all CPUs. */
static void statesExpect(struct statesState *state)
{
	unitExpect(&state->total);
	for (size_t i = 0; i < state->list.count; i++)
		unitExpect(&state->units[i]);
}

static void statesTake(struct statesState *state, struct rutScan *scan,
		       enum rutWhy why)
{
	uint64_t number = 0, fields[FIELDS];
	bool isTotal;
	size_t hint = 0;

	statesExpect(state);
	while (statesParse(scan, &isTotal, &number, fields)) {
		size_t place =
			isTotal ? 0
				: rutCpuListFind(&state->list, number, &hint);

		if (isTotal)
			unitTake(&state->total, why, fields);
		else if (place < state->list.count)
			unitTake(&state->units[place], why, fields);
		if (!rutScanNextLine(scan))
			break;
	}
}

/* A CPU without a line is away, and what it did is not known. */
static void unitCheck(struct statesUnit *unit, enum rutWhy why)
{
	unit->isKnown = unit->isKnown && unit->isSeen && unit->wasSeen;
	if (why == RUT_WHY_BEGIN)
		unitBegin(unit);
}

static void statesCheck(struct statesState *state, enum rutWhy why)
{
	unitCheck(&state->total, why);
	for (size_t i = 0; i < state->list.count; i++)
		unitCheck(&state->units[i], why);
}

static int statesAddColumns(const struct statesState *state,
			    struct rutColumns *columns)
{
	const struct rutColumn column = {
		.type = FLOAT,
		.unit = "%",
		.grouping = "CPU_STATE",
		.source = "stat",
		.resolution = "10 ms",
	};
	int ret = 0;

	for (size_t i = 0; ret == 0 && state->hasTotal && i < STATES; i++)
		ret = rutColumnsAdd(columns, &column, "CPU_STATE_%s",
				    statesNames[i]);
	for (size_t i = 0; state->hasEach && i < state->list.count; i++) {
		for (size_t j = 0; ret == 0 && j < STATES; j++)
			ret = rutColumnsAdd(columns, &column, "CPU_STATE_%s_%u",
					    statesNames[j],
					    state->list.numbers[i]);
	}
	return ret;
}

static int statesOpen(const struct rutSetup *setup, struct rutColumns *columns,
		      void **result)
{
	struct statesState *state = calloc(1, sizeof(*state));
	uint64_t number, fields[FIELDS];
	struct rutScan scan;
	bool isTotal;
	int ret;

	if (!state)
		return -ENOMEM;
	state->hasTotal = setup->sources.CPU_STATES;
	state->hasEach = setup->sources.CPU_STATES_X;
	ret = rutFileGet(&state->file, &scan, setup->root, "/proc/stat");
	if (ret == 0 && !statesParse(&scan, &isTotal, &number, fields))
		ret = -ENOENT;
	if (ret == 0)
		ret = rutCpuListGet(&state->list, setup->root, "present");
	if (ret == 0) {
		state->units =
			calloc(state->list.count + 1, sizeof(*state->units));
		ret = state->units ? statesAddColumns(state, columns) : -ENOMEM;
	}
	if (ret < 0) {
		statesClose(state);
		return ret;
	}
	*result = state;
	return 0;
}

static void statesRead(void *data, enum rutWhy why, union hdCell *cells)
{
	struct statesState *state = data;
	struct rutScan scan;

	/* What cannot be read leaves an empty text. */
	rutFileRead(&state->file, &scan);
	statesTake(state, &scan, why);
	statesCheck(state, why);
	if (why != RUT_WHY_SAMPLE)
		return;
	unitShares(&state->total);
	for (size_t i = 0; state->hasTotal && i < STATES; i++)
		(cells++)->f = state->total.percent[i];
	for (size_t i = 0; state->hasEach && i < state->list.count; i++) {
		unitShares(&state->units[i]);
		for (size_t j = 0; j < STATES; j++)
			(cells++)->f = state->units[i].percent[j];
	}
}

const struct rutSource rutStatesSource = {
	.name = "states",
	.isWanted = statesIsWanted,
	.open = statesOpen,
	.read = statesRead,
	.close = statesClose,
};
