/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Load: tasks that run or wait, mean of 1, 5 and 15 minutes, from
 * /proc/loadavg.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/source.h"

enum { LOADS = 3 };

struct loadState {
	struct rutFile file;
	float loads[LOADS];
};

static bool loadIsWanted(const rutSources *sources)
{
	return sources->LOAD;
}

/* "0.20 0.18 0.12 1/80 11206": always two decimals, whatever the locale. */
static bool loadParse(struct hdScan *scan, float *loads)
{
	float found[LOADS];

	for (size_t i = 0; i < LOADS; i++) {
		uint64_t whole, part;
		const char *at;

		if (!hdScanNumber(scan, &whole) || !hdScanLiteral(scan, "."))
			return false;
		at = scan->at;
		if (!hdScanNumber(scan, &part) || scan->at - at != 2)
			return false;
		found[i] = (float)((double)whole + (double)part / 100);
	}
	memcpy(loads, found, sizeof(found));
	return true;
}

static void loadClose(void *data)
{
	struct loadState *state = data;

	rutFileClose(&state->file);
	free(state);
}

static int loadOpen(const struct rutSetup *setup, struct rutColumns *columns,
		    void **result)
{
	static const char *const names[LOADS] = { "LOAD_1", "LOAD_5",
						  "LOAD_15" };
	const struct rutColumn column = {
		.type = FLOAT,
		.unit = "tasks",
		.grouping = "LOAD",
	};
	struct loadState *state = calloc(1, sizeof(*state));
	struct hdScan scan;
	int ret;

	if (!state)
		return -ENOMEM;
	ret = rutFileGet(&state->file, &scan, setup->root, "/proc/loadavg");
	if (ret == 0 && !loadParse(&scan, state->loads))
		ret = -EINVAL;
	for (size_t i = 0; ret == 0 && i < LOADS; i++)
		ret = rutColumnsAdd(columns, &column, "%s", names[i]);
	if (ret < 0) {
		loadClose(state);
		return ret;
	}
	*result = state;
	return 0;
}

static void loadSourceRead(void *data, enum rutWhy why, union hdCell *cells)
{
	struct loadState *state = data;
	struct hdScan scan;
	bool isKnown;

	if (why != RUT_WHY_SAMPLE)
		return;
	isKnown = rutFileRead(&state->file, &scan) == 0 &&
		  loadParse(&scan, state->loads);
	for (size_t i = 0; i < LOADS; i++)
		(cells++)->f = isKnown ? state->loads[i] : NAN;
}

const struct rutSource rutLoadSource = {
	.name = "load",
	.isWanted = loadIsWanted,
	.open = loadOpen,
	.read = loadSourceRead,
	.close = loadClose,
};
