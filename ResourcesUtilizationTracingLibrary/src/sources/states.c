/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What CPUs do with their time, by the ticks of /proc/stat: user, nice, system
 * (with interrupts), idle, waiting for disks, stolen by other virtual machines.
 *
 * They are shares of the interval, so they add up to 100 %. What ticks say more
 * or less than the interval is long is carried into the next ones, so that over
 * a run each state has the time that the kernel counted. An interval without
 * ticks has the shares of the one before.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "ResourcesUtilizationTracingLibrary/src/cpu/cpucounter.h"
#include "ResourcesUtilizationTracingLibrary/src/cpu/cpuuse.h"
#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/source.h"
#include "common/clock.h"

/* Ticks and the clock that are farther apart than so many ticks of a CPU do not
 * count the same time: then the shares are those of the ticks alone. */
#define TICKS_APART 10

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
	double owedNs[STATES];  /* Counted and not told yet; may be negative. */
	float percent[STATES];
	bool hasShares; /* percent is known. */
	bool isSeen;    /* When the file was read last, */
	bool wasSeen;   /* and the time before. */
	bool isKnown;   /* All the interval. */
};

struct statesState {
	struct rutFile file;
	struct rutCpuList list;
	struct statesUnit total;
	struct statesUnit *units;
	bool hasTotal;
	bool hasEach;
	double tickNs;
	int64_t lastNs; /* When the interval began. */
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
		if (!rutTicksFollow(&unit->raw[i], ticks[i], &unit->ticks[i]))
			unit->isKnown = false;
	unit->isSeen = true;
}

/* Begin an interval. */
static void unitBegin(struct statesUnit *unit)
{
	memset(unit->ticks, 0, sizeof(unit->ticks));
	unit->isKnown = unit->isSeen;
}

/* Nothing is owed, and no shares are known. */
static void unitForget(struct statesUnit *unit)
{
	memset(unit->owedNs, 0, sizeof(unit->owedNs));
	unit->hasShares = false;
	for (size_t i = 0; i < STATES; i++)
		unit->percent[i] = NAN;
}

/* The time of a state that is to be told; fmax() would need the library of
 * mathematics. */
static double unitOwed(const struct statesUnit *unit, size_t state)
{
	return unit->owedNs[state] > 0 ? unit->owedNs[state] : 0;
}

/* Set the shares to those of what is owed, if that is anything. */
static void unitDivide(struct statesUnit *unit)
{
	double sum = 0;

	for (size_t i = 0; i < STATES; i++)
		sum += unitOwed(unit, i);
	if (!(sum > 0))
		return;
	for (size_t i = 0; i < STATES; i++)
		unit->percent[i] = (float)(100 * unitOwed(unit, i) / sum);
	unit->hasShares = true;
}

/* What was told of an interval of CPU time is not owed any more. */
static void unitSettle(struct statesUnit *unit, double wallNs, double limitNs)
{
	double apart = 0;

	for (size_t i = 0; i < STATES; i++) {
		unit->owedNs[i] -= (double)unit->percent[i] / 100 * wallNs;
		apart += unit->owedNs[i];
	}
	if (!(fabs(apart) <= limitNs))
		memset(unit->owedNs, 0, sizeof(unit->owedNs));
}

/* Find the shares of an interval of so many CPUs. */
static void unitShares(const struct statesState *state, struct statesUnit *unit,
		       double wallNs, size_t cpus)
{
	for (size_t i = 0; i < STATES; i++)
		unit->owedNs[i] += (double)unit->ticks[i] * state->tickNs;
	if (unit->isKnown)
		unitDivide(unit);
	else
		unitForget(unit);
	if (unit->hasShares)
		unitSettle(unit, wallNs * (double)cpus,
			   TICKS_APART * state->tickNs * (double)cpus);
	unitBegin(unit);
}

/* Read "cpu" or "cpu3" and its numbers; false behind the last such line. */
static bool statesParse(struct hdScan *scan, bool *isTotal, uint64_t *number,
			uint64_t *fields)
{
	size_t count = 0;

	if (!hdScanLiteral(scan, "cpu"))
		return false;
	*isTotal = scan->at < scan->end && *scan->at == ' ';
	if (!*isTotal && !hdScanNumber(scan, number))
		return false;
	memset(fields, 0, FIELDS * sizeof(*fields));
	while (count < FIELDS && hdScanNumber(scan, &fields[count]))
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

static void statesTake(struct statesState *state, struct hdScan *scan,
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
		if (!hdScanNextLine(scan))
			break;
	}
}

/* A CPU without a line is away, and what it did is not known. */
static void unitCheck(struct statesUnit *unit, enum rutWhy why)
{
	unit->isKnown = unit->isKnown && unit->isSeen && unit->wasSeen;
	if (why != RUT_WHY_BEGIN)
		return;
	unitBegin(unit);
	unitForget(unit);
}

static void statesCheck(struct statesState *state, enum rutWhy why)
{
	unitCheck(&state->total, why);
	for (size_t i = 0; i < state->list.count; i++)
		unitCheck(&state->units[i], why);
}

/* How many CPUs the line of all has. */
static size_t statesCount(const struct statesState *state)
{
	size_t count = 0;

	for (size_t i = 0; i < state->list.count; i++)
		count += state->units[i].isSeen;
	return count > 0 ? count : 1;
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
	struct hdScan scan;
	bool isTotal;
	int ret;

	if (!state)
		return -ENOMEM;
	state->hasTotal = setup->sources.CPU_STATES;
	state->hasEach = setup->sources.CPU_STATES_X;
	state->tickNs = (double)HD_NS_PER_S / (double)sysconf(_SC_CLK_TCK);
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
	int64_t now = hdMonotonicNow();
	double wallNs = (double)(now - state->lastNs);
	struct hdScan scan;

	/* What cannot be read leaves an empty text. */
	rutFileRead(&state->file, &scan);
	statesTake(state, &scan, why);
	statesCheck(state, why);
	if (why != RUT_WHY_FOLLOW)
		state->lastNs = now;
	if (why != RUT_WHY_SAMPLE)
		return;
	unitShares(state, &state->total, wallNs, statesCount(state));
	for (size_t i = 0; state->hasTotal && i < STATES; i++)
		(cells++)->f = state->total.percent[i];
	for (size_t i = 0; state->hasEach && i < state->list.count; i++) {
		unitShares(state, &state->units[i], wallNs, 1);
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
