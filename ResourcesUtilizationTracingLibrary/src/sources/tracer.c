/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What tracing itself costs, up to the entry before.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "ResourcesUtilizationTracingLibrary/src/core/source.h"

struct tracerState {
	void (*getCost)(void *context, int64_t *cpuNs, uint64_t *late);
	void *context;
	int64_t cpuNs;
	uint64_t late;
};

static bool tracerIsWanted(const rutSources *sources)
{
	return sources->TRACER;
}

static int tracerOpen(const struct rutSetup *setup, struct rutColumns *columns,
		      void **result)
{
	static const struct rutColumn cpu = {
		.type = INT64,
		.unit = "ns",
		.grouping = "RUT_TIME",
		.kind = HD_KIND_DELTA,
	};
	static const struct rutColumn late = {
		.type = INT64,
		.unit = "samples",
		.grouping = "RUT_LATE",
		.kind = HD_KIND_DELTA,
	};
	struct tracerState *state;
	int ret;

	if (!setup->getCost)
		return -ENOENT;
	ret = rutColumnsAdd(columns, &cpu, "RUT_CPU_TIME");
	if (ret == 0)
		ret = rutColumnsAdd(columns, &late, "RUT_LATE");
	if (ret < 0)
		return ret;
	state = calloc(1, sizeof(*state));
	if (!state)
		return -ENOMEM;
	state->getCost = setup->getCost;
	state->context = setup->context;
	*result = state;
	return 0;
}

static void tracerRead(void *data, enum rutWhy why, union hdCell *cells)
{
	struct tracerState *state = data;
	uint64_t late;
	int64_t cpuNs;

	if (why == RUT_WHY_FOLLOW)
		return;
	state->getCost(state->context, &cpuNs, &late);
	if (why == RUT_WHY_SAMPLE) {
		cells[0].i = cpuNs - state->cpuNs;
		cells[1].i = (int64_t)(late - state->late);
	}
	state->cpuNs = cpuNs;
	state->late = late;
}

const struct rutSource rutTracerSource = {
	.name = "tracer",
	.isWanted = tracerIsWanted,
	.open = tracerOpen,
	.read = tracerRead,
	.close = free,
};
