/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * GPUs of NVIDIA, by the library of their driver, where there is one (NVML API
 * Reference Guide): how much they do, and what is in their memory. It is opened
 * at run time, as for their power (PowerTracingLibrary/src/drivers/nvml.c).
 *
 * Which GPUs there are is decided when the source is opened; one that is lost
 * later keeps its place, its values are not known then, and it is asked again.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ResourcesUtilizationTracingLibrary/src/sources/gpu.h"
#include "common/library.h"

const char *rutGpuLibrary = "libnvidia-ml.so.1";

/* nvml.h, as far as we use it. */
#define NVML_SUCCESS 0
#define NVML_NAME_SIZE 96

struct nvmlMemory {
	unsigned long long total, free, used;
};

struct nvmlUse {
	unsigned int gpu, memory; /* Percent of the last sample period. */
};

struct nvmlApi {
	int (*init)(void);
	int (*shutdown)(void);
	int (*getCount)(unsigned int *count);
	int (*getHandle)(unsigned int index, void **device);
	int (*getName)(void *device, char *name, unsigned int size);
	int (*getMemory)(void *device, struct nvmlMemory *memory);
	int (*getUse)(void *device, struct nvmlUse *use);
};

#define AT(member) offsetof(struct nvmlApi, member)
static const struct hdSymbol symbols[] = {
	{ "nvmlInit_v2", AT(init), false },
	{ "nvmlShutdown", AT(shutdown), false },
	{ "nvmlDeviceGetCount_v2", AT(getCount), false },
	{ "nvmlDeviceGetHandleByIndex_v2", AT(getHandle), false },
	{ "nvmlDeviceGetName", AT(getName), false },
	{ "nvmlDeviceGetMemoryInfo", AT(getMemory), true },
	{ "nvmlDeviceGetUtilizationRates", AT(getUse), true },
	{ .name = NULL },
};

/* What of a GPU a value is. */
enum gpuWhat { GPU_UTIL, GPU_MEM_USED, GPU_MEM_SIZE };

struct gpuValue {
	unsigned int gpu;
	enum gpuWhat what;
};

struct gpuState {
	void *handle;
	struct nvmlApi api;
	char (*names)[NVML_NAME_SIZE]; /* Of each GPU. */
	struct gpuValue *list;
	size_t count;
};

static bool gpuIsWanted(const rutSources *sources)
{
	return sources->GPU_X;
}

static void gpuClose(void *data)
{
	struct gpuState *state = data;

	if (state->handle) {
		state->api.shutdown();
		dlclose(state->handle);
	}
	free(state->names);
	free(state->list);
	free(state);
}

/* ---- Reading ----------------------------------------------------------- */

/* What is known of a GPU now. */
struct gpuNow {
	bool hasUse, hasMemory;
	struct nvmlUse use;
	struct nvmlMemory memory;
};

static void gpuAsk(const struct gpuState *state, unsigned int gpu,
		   struct gpuNow *now)
{
	void *device;

	*now = (struct gpuNow){ 0 };
	/* One that is lost has its number yet. */
	if (state->api.getHandle(gpu, &device) != NVML_SUCCESS)
		return;
	now->hasUse = state->api.getUse &&
		      state->api.getUse(device, &now->use) == NVML_SUCCESS;
	now->hasMemory =
		state->api.getMemory &&
		state->api.getMemory(device, &now->memory) == NVML_SUCCESS;
}

static double gpuBytes(const struct gpuNow *now, enum gpuWhat what)
{
	if (!now->hasMemory)
		return NAN;
	return (double)(what == GPU_MEM_USED ? now->memory.used
					     : now->memory.total);
}

static void gpuRead(void *data, enum rutWhy why, union hdCell *cells)
{
	struct gpuState *state = data;
	struct gpuNow now = { 0 };

	for (size_t i = 0; why == RUT_WHY_SAMPLE && i < state->count; i++) {
		const struct gpuValue *value = &state->list[i];

		/* Values of a GPU follow each other. */
		if (i == 0 || value->gpu != value[-1].gpu)
			gpuAsk(state, value->gpu, &now);
		if (value->what == GPU_UTIL)
			cells[i].f = now.hasUse ? (float)now.use.gpu : NAN;
		else
			cells[i].d = gpuBytes(&now, value->what);
	}
}

/* ---- Opening ----------------------------------------------------------- */

static int gpuAddValue(struct gpuState *state, struct rutColumns *columns,
		       unsigned int gpu, enum gpuWhat what)
{
	static const struct {
		const char *name;
		hdStatsValueType type;
		const char *unit, *resolution;
	} kinds[] = {
		[GPU_UTIL] = { "GPU_UTIL", FLOAT, "%", "1 %" },
		[GPU_MEM_USED] = { "GPU_MEM_USED", DOUBLE, "B", NULL },
		[GPU_MEM_SIZE] = { "GPU_MEM_SIZE", DOUBLE, "B", NULL },
	};
	const struct rutColumn column = {
		.type = kinds[what].type,
		.unit = kinds[what].unit,
		.grouping = "GPU",
		.source = state->names[gpu],
		.resolution = kinds[what].resolution,
	};

	state->list[state->count++] =
		(struct gpuValue){ .gpu = gpu, .what = what };
	return rutColumnsAdd(columns, &column, "%s_%u", kinds[what].name, gpu);
}

static void gpuName(struct gpuState *state, unsigned int gpu)
{
	char *name = state->names[gpu];
	void *device;

	if (state->api.getHandle(gpu, &device) != NVML_SUCCESS ||
	    state->api.getName(device, name, NVML_NAME_SIZE) != NVML_SUCCESS)
		strcpy(name, "GPU");
	name[NVML_NAME_SIZE - 1] = '\0';
}

/* Add what a GPU tells. */
static int gpuAdd(struct gpuState *state, struct rutColumns *columns,
		  unsigned int gpu)
{
	struct gpuNow now;
	int ret = 0;

	gpuName(state, gpu);
	gpuAsk(state, gpu, &now);
	if (now.hasUse)
		ret = gpuAddValue(state, columns, gpu, GPU_UTIL);
	if (ret == 0 && now.hasMemory)
		ret = gpuAddValue(state, columns, gpu, GPU_MEM_USED);
	if (ret == 0 && now.hasMemory)
		ret = gpuAddValue(state, columns, gpu, GPU_MEM_SIZE);
	return ret;
}

static int gpuAddAll(struct gpuState *state, struct rutColumns *columns)
{
	unsigned int count = 0;
	int ret = 0;

	if (state->api.getCount(&count) != NVML_SUCCESS || count == 0)
		return -ENOENT;
	state->names = calloc(count, sizeof(*state->names));
	state->list = calloc((size_t)count * 3, sizeof(*state->list));
	if (!state->names || !state->list)
		return -ENOMEM;
	for (unsigned int i = 0; ret == 0 && i < count; i++)
		ret = gpuAdd(state, columns, i);
	return ret == 0 && state->count == 0 ? -ENOENT : ret;
}

static int gpuOpen(const struct rutSetup *setup, struct rutColumns *columns,
		   void **result)
{
	struct gpuState *state = calloc(1, sizeof(*state));
	char why[256];
	int ret = -ENOENT;

	(void)setup;
	if (!state)
		return -ENOMEM;
	state->handle = hdLibraryOpen(rutGpuLibrary, symbols, &state->api, why,
				      sizeof(why));
	if (state->handle && state->api.init() != NVML_SUCCESS) {
		dlclose(state->handle);
		state->handle = NULL;
	}
	if (state->handle)
		ret = gpuAddAll(state, columns);
	if (ret < 0)
		gpuClose(state);
	else
		*result = state;
	return ret;
}

static _Atomic(uint64_t) hanging;

const struct rutSource rutGpuSource = {
	.name = "gpu",
	.hanging = &hanging,
	.isWanted = gpuIsWanted,
	.open = gpuOpen,
	.read = gpuRead,
	.close = gpuClose,
};
