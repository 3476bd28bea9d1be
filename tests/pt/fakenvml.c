/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A libnvidia-ml.so.1 that answers what the test says; see fakenvml.h. With
 * FAKE_OLD it has only what libraries of old have. */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/pt/fakenvml.h"

#define POWER_INSTANT 186

/* As the vendor's manual lays it out: 40 bytes. */
struct field {
	uint32_t id;
	uint32_t scope;
	int64_t timestamp;
	int64_t latency;
	uint32_t type;
	uint32_t result;
	uint64_t value;
};
_Static_assert(sizeof(struct field) == 40, "nvmlFieldValue_t has 40 bytes");

static struct fakeNvml fake;

struct fakeNvml *fakeNvmlGet(void);
int nvmlInit_v2(void);
int nvmlShutdown(void);
const char *nvmlErrorString(int result);
int nvmlDeviceGetCount_v2(unsigned int *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, struct fakeGpu **gpu);
int nvmlDeviceGetName(struct fakeGpu *gpu, char *name, unsigned int size);
int nvmlDeviceGetUUID(struct fakeGpu *gpu, char *uuid, unsigned int size);
int nvmlDeviceGetPowerUsage(struct fakeGpu *gpu, unsigned int *milliwatts);
int nvmlDeviceGetTotalEnergyConsumption(struct fakeGpu *gpu,
					unsigned long long *millijoules);
int nvmlDeviceGetArchitecture(struct fakeGpu *gpu, unsigned int *architecture);
int nvmlDeviceGetMemoryInfo(struct fakeGpu *gpu, unsigned long long *memory);
int nvmlDeviceGetUtilizationRates(struct fakeGpu *gpu, unsigned int *rates);
int nvmlDeviceGetFieldValues(struct fakeGpu *gpu, int count,
			     struct field *fields);

struct fakeNvml *fakeNvmlGet(void)
{
	return &fake;
}

static void checkUse(void)
{
	if (__atomic_load_n(&fake.inits, __ATOMIC_ACQUIRE) <=
	    __atomic_load_n(&fake.shutdowns, __ATOMIC_ACQUIRE))
		fake.isMisused = true;
}

int nvmlInit_v2(void)
{
	if (fake.initResult == 0)
		__atomic_add_fetch(&fake.inits, 1, __ATOMIC_ACQ_REL);
	return fake.initResult;
}

int nvmlShutdown(void)
{
	checkUse();
	__atomic_add_fetch(&fake.shutdowns, 1, __ATOMIC_ACQ_REL);
	return 0;
}

const char *nvmlErrorString(int result)
{
	switch (result) {
	case 9:
		return "Driver Not Loaded";
	case 18:
		return "Driver/library version mismatch";
	default:
		return "Unknown Error";
	}
}

int nvmlDeviceGetCount_v2(unsigned int *count)
{
	checkUse();
	*count = fake.count;
	return fake.countResult;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, struct fakeGpu **gpu)
{
	checkUse();
	if (index >= fake.count)
		return 2; /* Invalid argument. */
	*gpu = &fake.gpus[index];
	return (*gpu)->handleResult;
}

static int copy(const char *text, char *to, unsigned int size)
{
	checkUse();
	if (strlen(text) >= size)
		return 7; /* Insufficient size. */
	strcpy(to, text);
	return 0;
}

int nvmlDeviceGetName(struct fakeGpu *gpu, char *name, unsigned int size)
{
	return copy(gpu->name, name, size);
}

int nvmlDeviceGetUUID(struct fakeGpu *gpu, char *uuid, unsigned int size)
{
	return gpu->uuidResult ? gpu->uuidResult : copy(gpu->uuid, uuid, size);
}

int nvmlDeviceGetPowerUsage(struct fakeGpu *gpu, unsigned int *milliwatts)
{
	checkUse();
	if (gpu->powerResult == 0)
		*milliwatts = gpu->milliwatts;
	return gpu->powerResult;
}

#ifndef FAKE_OLD
int nvmlDeviceGetTotalEnergyConsumption(struct fakeGpu *gpu,
					unsigned long long *millijoules)
{
	checkUse();
	if (gpu->energyResult == 0)
		*millijoules = gpu->millijoules;
	return gpu->energyResult;
}

int nvmlDeviceGetArchitecture(struct fakeGpu *gpu, unsigned int *architecture)
{
	checkUse();
	*architecture = gpu->architecture;
	return 0;
}

int nvmlDeviceGetFieldValues(struct fakeGpu *gpu, int count,
			     struct field *fields)
{
	checkUse();
	if (gpu->fieldsResult)
		return gpu->fieldsResult;
	for (int i = 0; i < count; i++) {
		fields[i].result = fields[i].id == POWER_INSTANT
					   ? (uint32_t)gpu->instantResult
					   : 3; /* Not supported. */
		fields[i].type = (uint32_t)gpu->instantType;
		/* As the library, only as many bytes as the type has. */
		memcpy(&fields[i].value, &gpu->instantMilliwatts,
		       gpu->instantType == 1 ? 4 : 8);
	}
	return 0;
}
#endif

/* Total, free, used. */
int nvmlDeviceGetMemoryInfo(struct fakeGpu *gpu, unsigned long long *memory)
{
	checkUse();
	memory[0] = gpu->memoryTotal;
	memory[1] = gpu->memoryTotal - gpu->memoryUsed;
	memory[2] = gpu->memoryUsed;
	return gpu->memoryResult;
}

/* Of the GPU, and of its memory. */
int nvmlDeviceGetUtilizationRates(struct fakeGpu *gpu, unsigned int *rates)
{
	checkUse();
	if (fake.asked)
		fake.asked();
	rates[0] = gpu->usePercent;
	rates[1] = 1;
	return gpu->useResult;
}
