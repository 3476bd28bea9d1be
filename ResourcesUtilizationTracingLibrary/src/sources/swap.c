/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Memory that is left, by the kernel's own estimate, and swap: how much of it
 * is used and free (/proc/meminfo), and what went in and out (/proc/vmstat).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/source.h"
#include "common/clock.h"

/* What is looked for, with the file's unit in bytes; 0: pages. */
struct swapLine {
	const char *name;
	uint64_t unit;
};

enum swapGauge {
	GAUGE_AVAILABLE,
	GAUGE_TOTAL,
	GAUGE_FREE,
	GAUGES,
};

static const struct swapLine gaugeLines[GAUGES] = {
	{ "MemAvailable:", 1024 },
	{ "SwapTotal:", 1024 },
	{ "SwapFree:", 1024 },
};

enum swapPaging {
	PAGING_IN,
	PAGING_OUT,
	PAGINGS,
};

static const struct swapLine pagingLines[PAGINGS] = {
	{ "pswpin ", 0 },
	{ "pswpout ", 0 },
};

struct swapState {
	struct rutFile meminfo, vmstat;
	rutSources sources;
	int64_t gauges[GAUGES];
	struct hdCounter pagings[PAGINGS];
	bool hasPaging;
	int64_t pageSize;
};

static bool swapIsWanted(const rutSources *sources)
{
	return sources->MEM_AVAILABLE || sources->SWAP;
}

/* Read lines; returns which are there, a bit each. */
static unsigned int swapParse(struct hdScan *scan, const struct swapLine *lines,
			      size_t count, uint64_t *values)
{
	unsigned int seen = 0;

	do {
		for (size_t i = 0; i < count; i++) {
			if (!hdScanLiteral(scan, lines[i].name))
				continue;
			if (hdScanNumber(scan, &values[i]))
				seen |= 1U << i;
			break;
		}
	} while (seen != (1U << count) - 1 && hdScanNextLine(scan));
	return seen;
}

static unsigned int swapTakeGauges(struct swapState *state, struct hdScan *scan)
{
	uint64_t values[GAUGES];
	unsigned int seen = swapParse(scan, gaugeLines, GAUGES, values);

	for (size_t i = 0; i < GAUGES; i++)
		state->gauges[i] =
			seen & 1U << i && values[i] < INT64_MAX / 1024
				? (int64_t)(values[i] * 1024)
				: HD_CELL_MISSING;
	return seen;
}

static void swapClose(void *data)
{
	struct swapState *state = data;

	rutFileClose(&state->meminfo);
	rutFileClose(&state->vmstat);
	free(state);
}

static int swapAddColumns(const struct swapState *state,
			  struct rutColumns *columns)
{
	const struct {
		const char *name;
		const char *grouping;
		enum hdKind kind;
		bool isSet;
	} values[] = {
		{ "MEM_AVAILABLE", "MEM", HD_KIND_GAUGE,
		  state->sources.MEM_AVAILABLE },
		{ "SWAP_USED", "SWAP", HD_KIND_GAUGE, state->sources.SWAP },
		{ "SWAP_FREE", "SWAP", HD_KIND_GAUGE, state->sources.SWAP },
		{ "SWAP_IN", "SWAP", HD_KIND_DELTA, state->hasPaging },
		{ "SWAP_OUT", "SWAP", HD_KIND_DELTA, state->hasPaging },
	};
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < 5; i++) {
		const struct rutColumn column = {
			.type = INT64,
			.unit = "B",
			.grouping = values[i].grouping,
			.kind = values[i].kind,
		};

		if (values[i].isSet)
			ret = rutColumnsAdd(columns, &column, "%s",
					    values[i].name);
	}
	return ret;
}

static int swapOpen(const struct rutSetup *setup, struct rutColumns *columns,
		    void **result)
{
	struct swapState *state = calloc(1, sizeof(*state));
	uint64_t values[PAGINGS];
	struct hdScan scan;
	unsigned int seen = 0;
	int ret;

	if (!state)
		return -ENOMEM;
	state->vmstat.fd = -1;
	state->sources = setup->sources;
	state->pageSize = sysconf(_SC_PAGESIZE);
	ret = rutFileGet(&state->meminfo, &scan, setup->root, "/proc/meminfo");
	if (ret == 0)
		seen = swapTakeGauges(state, &scan);
	/* Old kernels do not estimate, and some have no swap at all. */
	if (!(seen & 1U << GAUGE_AVAILABLE))
		state->sources.MEM_AVAILABLE = 0;
	if (!(seen & 1U << GAUGE_TOTAL) || !(seen & 1U << GAUGE_FREE))
		state->sources.SWAP = 0;
	if (ret == 0 && state->sources.SWAP &&
	    rutFileGet(&state->vmstat, &scan, setup->root, "/proc/vmstat") == 0)
		state->hasPaging =
			swapParse(&scan, pagingLines, PAGINGS, values) == 3;
	if (ret == 0 && !swapIsWanted(&state->sources))
		ret = -ENOENT;
	if (ret == 0)
		ret = swapAddColumns(state, columns);
	if (ret < 0) {
		swapClose(state);
		return ret;
	}
	*result = state;
	return 0;
}

static void swapFollow(struct swapState *state, enum rutWhy why)
{
	static const struct hdCounterLaw law = { .rate = 1e9 };
	uint64_t values[PAGINGS];
	struct hdScan scan;

	if (rutFileRead(&state->vmstat, &scan) < 0 ||
	    swapParse(&scan, pagingLines, PAGINGS, values) != 3) {
		for (size_t i = 0; i < PAGINGS; i++)
			hdCounterLose(&state->pagings[i]);
		return;
	}
	for (size_t i = 0; i < PAGINGS; i++)
		rutCounterRead(&state->pagings[i], &law, why, values[i],
			       hdMonotonicNow());
}

static void swapRead(void *data, enum rutWhy why, union hdCell *cells)
{
	struct swapState *state = data;
	const int64_t *gauges = state->gauges;
	struct hdScan scan;

	if (state->hasPaging)
		swapFollow(state, why);
	if (why != RUT_WHY_SAMPLE)
		return;
	/* What cannot be read leaves an empty text. */
	rutFileRead(&state->meminfo, &scan);
	swapTakeGauges(state, &scan);
	if (state->sources.MEM_AVAILABLE)
		(cells++)->i = gauges[GAUGE_AVAILABLE];
	if (state->sources.SWAP) {
		(cells++)->i =
			gauges[GAUGE_TOTAL] == HD_CELL_MISSING ||
					gauges[GAUGE_FREE] == HD_CELL_MISSING
				? HD_CELL_MISSING
				: gauges[GAUGE_TOTAL] - gauges[GAUGE_FREE];
		(cells++)->i = gauges[GAUGE_FREE];
	}
	for (size_t i = 0; state->hasPaging && i < PAGINGS; i++)
		(cells++)->i =
			rutCounterTake(&state->pagings[i], state->pageSize);
}

const struct rutSource rutSwapSource = {
	.name = "swap",
	.isWanted = swapIsWanted,
	.open = swapOpen,
	.read = swapRead,
	.close = swapClose,
};
