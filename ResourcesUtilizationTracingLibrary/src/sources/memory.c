/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Memory as libgtop defines it: used is total minus free, cached is the page
 * cache and the slabs that can be reclaimed.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/source.h"

/* The lines of /proc/meminfo that count. */
enum memoryLine {
	MEMORY_TOTAL,
	MEMORY_FREE,
	MEMORY_BUFFERS,
	MEMORY_CACHED,
	MEMORY_SHMEM,
	MEMORY_SRECLAIMABLE,
	MEMORY_LINES,
};

static const char *const memoryNames[MEMORY_LINES] = {
	"MemTotal:", "MemFree:", "Buffers:",
	"Cached:",   "Shmem:",   "SReclaimable:",
};

struct memoryState {
	struct rutFile file;
	rutSources sources;
	int64_t bytes[MEMORY_LINES];
	/* Where the lines were; they rarely move. */
	size_t places[MEMORY_LINES];
};

/* Read one line; tells whether it is there and makes sense. */
static bool memoryParseLine(struct hdScan *scan, unsigned int line,
			    int64_t *bytes)
{
	uint64_t kib;

	if (!hdScanLiteral(scan, memoryNames[line]) ||
	    !hdScanNumber(scan, &kib) || kib > INT64_MAX / 1024 ||
	    (hdScanBlanks(scan) && !hdScanLiteral(scan, "kB")))
		return false;
	*bytes = (int64_t)kib * 1024;
	return true;
}

/* Read the lines where they were; tells whether they are all there. */
static bool memoryParseAgain(struct memoryState *state,
			     const struct hdScan *scan)
{
	int64_t found[MEMORY_LINES];

	for (unsigned int i = 0; i < MEMORY_LINES; i++) {
		struct hdScan line = *scan;
		size_t place = state->places[i];

		if (place >= (size_t)(scan->end - scan->at))
			return false;
		line.at += place;
		if ((place > 0 && line.at[-1] != '\n') ||
		    !memoryParseLine(&line, i, &found[i]))
			return false;
	}
	memcpy(state->bytes, found, sizeof(found));
	return true;
}

/* Old kernels lack some lines; those count as zero. */
static int memoryParse(struct memoryState *state, const struct hdScan *text)
{
	int64_t found[MEMORY_LINES] = { 0 };
	size_t places[MEMORY_LINES] = { 0 };
	struct hdScan scan = *text;
	unsigned int seen = 0;

	if (memoryParseAgain(state, text))
		return 0;
	do {
		for (unsigned int i = 0; i < MEMORY_LINES; i++) {
			size_t place = (size_t)(scan.at - text->at);

			if (!memoryParseLine(&scan, i, &found[i]))
				continue;
			places[i] = place;
			seen |= 1U << i;
			break;
		}
	} while (seen != (1U << MEMORY_LINES) - 1 && hdScanNextLine(&scan));
	if (!(seen & 1U << MEMORY_TOTAL) || !(seen & 1U << MEMORY_FREE))
		return -EINVAL;
	memcpy(state->bytes, found, sizeof(found));
	memcpy(state->places, places, sizeof(places));
	return 0;
}

int rutMemoryAddColumns(const rutSources *sources, struct rutColumns *columns)
{
	const struct {
		const char *name;
		bool isSet;
	} values[] = {
		{ "MEM_USED", sources->MEM_USED },
		{ "MEM_FREE", sources->MEM_FREE },
		{ "MEM_SHARED", sources->MEM_SHARED },
		{ "MEM_BUFFER", sources->MEM_BUFFER },
		{ "MEM_CACHED", sources->MEM_CACHED },
	};
	const struct rutColumn column = {
		.type = INT64,
		.unit = "B",
		.grouping = "MEM",
	};
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < 5; i++) {
		if (values[i].isSet)
			ret = rutColumnsAdd(columns, &column, "%s",
					    values[i].name);
	}
	return ret;
}

void rutMemoryPut(const rutSources *sources, const struct rutMemory *memory,
		  union hdCell *cells)
{
	if (sources->MEM_USED)
		(cells++)->i = memory->used;
	if (sources->MEM_FREE)
		(cells++)->i = memory->free;
	if (sources->MEM_SHARED)
		(cells++)->i = memory->shared;
	if (sources->MEM_BUFFER)
		(cells++)->i = memory->buffer;
	if (sources->MEM_CACHED)
		cells->i = memory->cached;
}

static int memoryOpen(const struct rutSetup *setup, struct rutColumns *columns,
		      void **result)
{
	struct memoryState *state = calloc(1, sizeof(*state));
	struct hdScan scan;
	int ret;

	if (!state)
		return -ENOMEM;
	ret = rutFileGet(&state->file, &scan, setup->root, "/proc/meminfo");
	if (ret == 0)
		ret = memoryParse(state, &scan);
	if (ret == 0)
		ret = rutMemoryAddColumns(&setup->sources, columns);
	if (ret < 0) {
		rutFileClose(&state->file);
		free(state);
		return ret;
	}
	state->sources = setup->sources;
	*result = state;
	return 0;
}

static void memoryRead(void *data, enum rutWhy why, union hdCell *cells)
{
	struct memoryState *state = data;
	const int64_t *bytes = state->bytes;
	struct rutMemory memory = {
		.used = HD_CELL_MISSING,
		.free = HD_CELL_MISSING,
		.shared = HD_CELL_MISSING,
		.buffer = HD_CELL_MISSING,
		.cached = HD_CELL_MISSING,
	};
	struct hdScan scan;

	if (why != RUT_WHY_SAMPLE)
		return;
	if (rutFileRead(&state->file, &scan) < 0 ||
	    memoryParse(state, &scan) < 0) {
		rutMemoryPut(&state->sources, &memory, cells);
		return;
	}
	memory = (struct rutMemory){
		.used = bytes[MEMORY_TOTAL] - bytes[MEMORY_FREE],
		.free = bytes[MEMORY_FREE],
		.shared = bytes[MEMORY_SHMEM],
		.buffer = bytes[MEMORY_BUFFERS],
		.cached = bytes[MEMORY_CACHED] + bytes[MEMORY_SRECLAIMABLE],
	};
	rutMemoryPut(&state->sources, &memory, cells);
}

static void memoryClose(void *data)
{
	struct memoryState *state = data;

	rutFileClose(&state->file);
	free(state);
}

const struct rutSource rutMemorySource = {
	.name = "memory",
	.isWanted = rutWantsMemory,
	.open = memoryOpen,
	.read = memoryRead,
	.close = memoryClose,
};
