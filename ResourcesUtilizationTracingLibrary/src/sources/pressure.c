/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Pressure stall information: the share of time in which some or all tasks
 * waited for CPU, memory or disk.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "ResourcesUtilizationTracingLibrary/src/cpu/cpuuse.h"
#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/source.h"
#include "common/clock.h"

/* The kernel averages over two seconds before it tells; time that comes late
 * is spread over the next entries. */
#define CARRY_NS INT64_C(2000000000)

enum { PRESSURE_FILES = 3, PRESSURE_LINES = 2 };

static const struct {
	const char *path;
	const char *names[PRESSURE_LINES]; /* Of "some" and "full", or NULL. */
} pressureFiles[PRESSURE_FILES] = {
	{ "/proc/pressure/cpu", { "PSI_CPU_SOME", NULL } },
	{ "/proc/pressure/memory", { "PSI_MEM_SOME", "PSI_MEM_FULL" } },
	{ "/proc/pressure/io", { "PSI_IO_SOME", "PSI_IO_FULL" } },
};

struct pressureState {
	struct rutFile files[PRESSURE_FILES];
	struct hdCounter counters[PRESSURE_FILES][PRESSURE_LINES];
	struct rutUse uses[PRESSURE_FILES][PRESSURE_LINES];
	int64_t lastNs;
};

static bool pressureIsWanted(const rutSources *sources)
{
	return sources->PRESSURE;
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=123", and "full ..." */
static unsigned int pressureParse(struct hdScan *scan, uint64_t *totals)
{
	unsigned int seen = 0;

	do {
		bool isFull = hdScanLiteral(scan, "full ");
		struct hdWord word;

		if (!isFull && !hdScanLiteral(scan, "some "))
			continue;
		while (!hdScanLiteral(scan, "total=") &&
		       hdScanWord(scan, '\n', &word) && hdScanBlanks(scan))
			;
		if (hdScanNumber(scan, &totals[isFull]))
			seen |= 1U << isFull;
	} while (hdScanNextLine(scan));
	return seen;
}

static void pressureClose(void *data)
{
	struct pressureState *state = data;

	for (size_t i = 0; i < PRESSURE_FILES; i++)
		rutFileClose(&state->files[i]);
	free(state);
}

static int pressureOpen(const struct rutSetup *setup,
			struct rutColumns *columns, void **result)
{
	const struct rutColumn column = {
		.type = FLOAT,
		.unit = "%",
		.grouping = "PSI",
		.resolution = "1 us",
	};
	struct pressureState *state = calloc(1, sizeof(*state));
	int ret = 0;

	if (!state)
		return -ENOMEM;
	for (size_t i = 0; i < PRESSURE_FILES; i++)
		state->files[i] = (struct rutFile)RUT_FILE_NONE;
	for (size_t i = 0; ret == 0 && i < PRESSURE_FILES; i++) {
		/* A kernel may have the files and yet refuse to read. */
		if (rutFileOpen(&state->files[i], setup->root, "%s",
				pressureFiles[i].path) < 0)
			ret = -ENOENT;
		for (size_t j = 0; ret == 0 && j < PRESSURE_LINES; j++) {
			if (pressureFiles[i].names[j])
				ret = rutColumnsAdd(columns, &column, "%s",
						    pressureFiles[i].names[j]);
		}
	}
	if (ret < 0) {
		pressureClose(state);
		return ret;
	}
	*result = state;
	return 0;
}

static void pressureRead(void *data, enum rutWhy why, union hdCell *cells)
{
	/* The kernel tells what it has averaged. */
	static const struct hdCounterLaw law = { .rate = 0 };
	struct pressureState *state = data;
	int64_t now, wall;

	if (why == RUT_WHY_FOLLOW)
		return;
	now = hdMonotonicNow();
	wall = now - state->lastNs;
	state->lastNs = now;
	for (size_t i = 0; i < PRESSURE_FILES; i++) {
		uint64_t totals[PRESSURE_LINES];
		struct hdScan scan;
		unsigned int seen = 0;

		if (rutFileRead(&state->files[i], &scan) == 0)
			seen = pressureParse(&scan, totals);
		for (size_t j = 0; j < PRESSURE_LINES; j++) {
			struct hdCounter *counter = &state->counters[i][j];
			struct rutUse *use = &state->uses[i][j];
			int64_t passed;

			if (!pressureFiles[i].names[j])
				continue;
			if (why == RUT_WHY_BEGIN) {
				if (seen & 1U << j)
					hdCounterBegin(counter, totals[j], now);
				use->carryNs = 0;
				continue;
			}
			if (seen & 1U << j)
				hdCounterFollow(counter, &law, totals[j], now);
			else
				hdCounterLose(counter);
			passed = rutCounterTake(counter, 1000);
			if (passed == HD_CELL_MISSING) {
				(cells++)->f = NAN;
				continue;
			}
			if (wall > 0)
				passed =
					rutUseTake(use, wall, passed, CARRY_NS);
			(cells++)->f = rutPercent(passed, wall);
		}
	}
}

const struct rutSource rutPressureSource = {
	.name = "pressure",
	.isWanted = pressureIsWanted,
	.open = pressureOpen,
	.read = pressureRead,
	.close = pressureClose,
};
