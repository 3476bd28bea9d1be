/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Idle-state residency (C-states) of each CPU.
 *
 * The kernel adds the time when the CPU wakes, so what a long sleep brings may
 * be more than the interval; the rest is carried to the next ones.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "ResourcesUtilizationTracingLibrary/src/core/cpulist.h"
#include "ResourcesUtilizationTracingLibrary/src/cpu/cpuuse.h"
#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/source.h"
#include "common/clock.h"

struct idleUnit {
	struct rutFile file;
	struct hdCounter counter; /* Microseconds. */
	struct rutUse use;
};

struct idleState {
	struct idleUnit *units;
	size_t count;
	int64_t lastNs;
};

static bool idleIsWanted(const rutSources *sources)
{
	return sources->CPU_IDLE_X;
}

static void idleClose(void *data)
{
	struct idleState *state = data;

	for (size_t i = 0; i < state->count; i++)
		rutFileClose(&state->units[i].file);
	free(state->units);
	free(state);
}

/* The name of an idle state, as far as it suits the name of a value. */
static bool idleGetName(const char *root, unsigned int cpu, unsigned int number,
			char *name, size_t size)
{
	struct rutFile file;
	struct hdScan scan;
	struct hdWord word;
	bool hasName;

	if (rutFileGet(&file, &scan, root,
		       "/sys/devices/system/cpu/cpu%u/cpuidle/state%u/name",
		       cpu, number) < 0)
		return false;
	hasName = hdScanWord(&scan, '\n', &word) && word.length < size;
	if (hasName) {
		memcpy(name, word.bytes, word.length);
		name[word.length] = '\0';
	}
	rutFileClose(&file);
	return hasName;
}

static int idleOpenCpu(struct idleState *state, const struct rutSetup *setup,
		       unsigned int cpu, struct rutColumns *columns)
{
	const struct rutColumn column = {
		.type = FLOAT,
		.unit = "%",
		.grouping = "IDLE",
		.source = "cpuidle",
		.resolution = "1 us",
	};
	size_t limit = rutFilesMax();
	char name[32];
	int ret;

	for (unsigned int number = 0;; number++) {
		struct idleUnit *units;

		if (state->count == limit)
			return -EMFILE;
		units = realloc(state->units,
				(state->count + 1) * sizeof(*units));
		if (!units)
			return -ENOMEM;
		state->units = units;
		memset(&units[state->count], 0, sizeof(*units));
		ret = rutFileOpen(
			&units[state->count].file, setup->root,
			"/sys/devices/system/cpu/cpu%u/cpuidle/state%u/time",
			cpu, number);
		if (ret < 0)
			return ret == -ENOENT ? 0 : ret;
		state->count++;
		if (!idleGetName(setup->root, cpu, number, name, sizeof(name)))
			ret = rutColumnsAdd(columns, &column,
					    "CPU_IDLE_%u_state%u", cpu, number);
		else
			ret = rutColumnsAdd(columns, &column, "CPU_IDLE_%u_%s",
					    cpu, name);
		if (ret < 0)
			return ret;
	}
}

static int idleOpen(const struct rutSetup *setup, struct rutColumns *columns,
		    void **result)
{
	struct idleState *state;
	struct rutCpuList list;
	int ret = rutCpuListGet(&list, setup->root, "present");

	if (ret < 0)
		return ret;
	state = calloc(1, sizeof(*state));
	if (!state)
		ret = -ENOMEM;
	for (size_t i = 0; ret == 0 && i < list.count; i++)
		ret = idleOpenCpu(state, setup, list.numbers[i], columns);
	rutCpuListClear(&list);
	if (ret == 0 && state->count == 0)
		ret = -ENOENT;
	if (state && ret < 0)
		idleClose(state);
	if (ret == 0)
		*result = state;
	return ret;
}

static void idleRead(void *data, enum rutWhy why, union hdCell *cells)
{
	/* What a CPU slept is added when it wakes. */
	static const struct hdCounterLaw law = { .rate = 0 };
	struct idleState *state = data;
	int64_t now, wall;

	if (why == RUT_WHY_FOLLOW)
		return;
	now = hdMonotonicNow();
	wall = now - state->lastNs;
	state->lastNs = now;
	for (size_t i = 0; i < state->count; i++) {
		struct idleUnit *unit = &state->units[i];
		struct hdScan scan;
		uint64_t us;
		int64_t passed;

		if (rutFileRead(&unit->file, &scan) == 0 &&
		    hdScanOnly(&scan, &us))
			rutCounterRead(&unit->counter, &law, why, us, now);
		else
			hdCounterLose(&unit->counter);
		if (why == RUT_WHY_BEGIN) {
			unit->use.carryNs = 0;
			continue;
		}
		passed = rutCounterTake(&unit->counter, 1000);
		if (passed == HD_CELL_MISSING) {
			cells[i].f = NAN;
			continue;
		}
		if (wall > 0)
			passed = rutUseTake(&unit->use, wall, passed,
					    INT64_MAX / 4);
		cells[i].f = rutPercent(passed, wall);
	}
}

const struct rutSource rutIdleSource = {
	.name = "idle",
	.isWanted = idleIsWanted,
	.open = idleOpen,
	.read = idleRead,
	.close = idleClose,
};
