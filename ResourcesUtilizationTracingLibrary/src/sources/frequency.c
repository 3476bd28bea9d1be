/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The frequency of each CPU (P-states), as of the moment of the sample.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "ResourcesUtilizationTracingLibrary/src/core/cpulist.h"
#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/source.h"

struct frequencyState {
	struct rutFile *files;
	size_t count;
};

static bool frequencyIsWanted(const rutSources *sources)
{
	return sources->CPU_FREQ_X;
}

static void frequencyClose(void *data)
{
	struct frequencyState *state = data;

	for (size_t i = 0; i < state->count; i++)
		rutFileClose(&state->files[i]);
	free(state->files);
	free(state);
}

static int frequencyOpenFiles(struct frequencyState *state,
			      const struct rutSetup *setup,
			      const struct rutCpuList *list,
			      struct rutColumns *columns)
{
	const struct rutColumn column = {
		.type = INT64,
		.unit = "Hz",
		.grouping = "FREQ",
		.resolution = "1 kHz",
	};
	size_t limit = rutFilesMax();
	int ret;

	state->files = calloc(list->count, sizeof(*state->files));
	if (!state->files)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++) {
		if (state->count == limit)
			return -EMFILE;
		ret = rutFileOpen(&state->files[state->count], setup->root,
				  "/sys/devices/system/cpu/cpu%u/cpufreq/"
				  "scaling_cur_freq",
				  list->numbers[i]);
		if (ret == -ENOENT)
			continue;
		if (ret < 0)
			return ret;
		state->count++;
		ret = rutColumnsAdd(columns, &column, "CPU_FREQ_%u",
				    list->numbers[i]);
		if (ret < 0)
			return ret;
	}
	return state->count > 0 ? 0 : -ENOENT;
}

static int frequencyOpen(const struct rutSetup *setup,
			 struct rutColumns *columns, void **result)
{
	struct frequencyState *state;
	struct rutCpuList list;
	int ret = rutCpuListGet(&list, setup->root, "present");

	if (ret < 0)
		return ret;
	ret = -ENOMEM;
	state = calloc(1, sizeof(*state));
	if (state)
		ret = frequencyOpenFiles(state, setup, &list, columns);
	rutCpuListClear(&list);
	if (state && ret < 0)
		frequencyClose(state);
	if (ret == 0)
		*result = state;
	return ret;
}

static void frequencyRead(void *data, enum rutWhy why, union hdCell *cells)
{
	struct frequencyState *state = data;

	if (why != RUT_WHY_SAMPLE)
		return;
	for (size_t i = 0; i < state->count; i++) {
		struct hdScan scan;
		uint64_t kHz;

		cells[i].i = HD_CELL_MISSING;
		if (rutFileRead(&state->files[i], &scan) == 0 &&
		    hdScanOnly(&scan, &kHz) && kHz <= INT64_MAX / 1000)
			cells[i].i = (int64_t)kHz * 1000;
	}
}

const struct rutSource rutFrequencySource = {
	.name = "frequency",
	.isWanted = frequencyIsWanted,
	.open = frequencyOpen,
	.read = frequencyRead,
	.close = frequencyClose,
};
