/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Context switches of all CPUs, from /proc/stat.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/source.h"
#include "common/clock.h"

struct switchesState {
	struct rutFile file;
	struct hdCounter counter;
};

static bool switchesIsWanted(const rutSources *sources)
{
	return sources->CTX_SWITCHES;
}

static bool switchesParse(struct hdScan *scan, uint64_t *count)
{
	do {
		if (hdScanLiteral(scan, "ctxt "))
			return hdScanNumber(scan, count);
	} while (hdScanNextLine(scan));
	return false;
}

static void switchesClose(void *data)
{
	struct switchesState *state = data;

	rutFileClose(&state->file);
	free(state);
}

static int switchesOpen(const struct rutSetup *setup,
			struct rutColumns *columns, void **result)
{
	const struct rutColumn column = {
		.type = INT64,
		.unit = "switches",
		.grouping = "CTX",
		.kind = HD_KIND_DELTA,
	};
	struct switchesState *state = calloc(1, sizeof(*state));
	struct hdScan scan;
	uint64_t count;
	int ret;

	if (!state)
		return -ENOMEM;
	ret = rutFileGet(&state->file, &scan, setup->root, "/proc/stat");
	if (ret == 0 && !switchesParse(&scan, &count))
		ret = -ENOENT;
	if (ret == 0)
		ret = rutColumnsAdd(columns, &column, "CTX_SWITCHES");
	if (ret < 0) {
		switchesClose(state);
		return ret;
	}
	*result = state;
	return 0;
}

static void switchesRead(void *data, enum rutWhy why, union hdCell *cells)
{
	static const struct hdCounterLaw law = { .rate = 1e10 };
	struct switchesState *state = data;
	struct hdScan scan;
	uint64_t count;

	if (rutFileRead(&state->file, &scan) == 0 &&
	    switchesParse(&scan, &count))
		rutCounterRead(&state->counter, &law, why, count,
			       hdMonotonicNow());
	else
		hdCounterLose(&state->counter);
	if (why == RUT_WHY_SAMPLE)
		cells->i = rutCounterTake(&state->counter, 1);
}

const struct rutSource rutSwitchesSource = {
	.name = "switches",
	.isWanted = switchesIsWanted,
	.open = switchesOpen,
	.read = switchesRead,
	.close = switchesClose,
};
