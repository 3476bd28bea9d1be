/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Driver for NVIDIA GPUs, by the library of their driver.
 *
 * (NVML API Reference Guide.) The library is no free software and may be
 * absent; so it is opened at run time, and what little we need of it is
 * declared here.
 *
 * - E: nvmlDeviceGetTotalEnergyConsumption, mJ since the driver was loaded;
 *   Volta and newer.
 * - P: the field POWER_INSTANT where there is one, else
 * nvmlDeviceGetPowerUsage. The latter is the mean of one second on Ampere and
 * newer, but for GA100, and what is drawn now on older GPUs.
 *
 * Both are of the whole board, and move 10 to 50 times a second.
 *
 * The library is the process' own: it is initialized when it is first needed,
 * for instance to look which channels there are, and shut down when the last
 * GPU is closed, without which one that fell off the bus would never come back.
 *
 * NVIDIA's library is opened at run time and its few functions are declared
 * by us: it is no free software, most machines do not have it, and a program
 * that was built without it must find it where it is.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "common/library.h"
#include "PowerTracingLibrary/src/machine/sensor.h"

#define LIBRARY "libnvidia-ml.so.1"

/* nvml.h, as far as we use it. */
enum {
	NVML_SUCCESS = 0,
	NVML_ERROR_NOT_SUPPORTED = 3,
	NVML_ERROR_NO_PERMISSION = 4,
	NVML_ERROR_NOT_FOUND = 6,
	NVML_ERROR_DRIVER_NOT_LOADED = 9,
	NVML_ERROR_TIMEOUT = 10,
	NVML_ERROR_FUNCTION_NOT_FOUND = 13,
	NVML_ERROR_GPU_IS_LOST = 15,
	NVML_ERROR_RESET_REQUIRED = 16,
	NVML_ERROR_LIB_RM_VERSION_MISMATCH = 18,
};

#define NVML_FI_DEV_POWER_INSTANT 186
#define NVML_DEVICE_UUID_BUFFER_SIZE 96
#define NVML_DEVICE_NAME_BUFFER_SIZE 96

/* Of nvmlDeviceGetArchitecture; newer ones have higher numbers. */
#define NVML_ARCH_AMPERE 7U
#define NVML_ARCH_UNKNOWN UINT_MAX

/* Types of nvmlField.value. */
enum nvmlType {
	NVML_TYPE_DOUBLE,
	NVML_TYPE_UNSIGNED_INT,
	NVML_TYPE_UNSIGNED_LONG,
	NVML_TYPE_UNSIGNED_LONG_LONG,
};

struct nvmlField {
	unsigned int fieldId;
	unsigned int scopeId;
	long long timestamp;
	long long latencyUs;
	int type;
	int result;
	union {
		double d;
		unsigned int u;
		unsigned long ul;
		unsigned long long ull;
	} value;
};

struct nvmlApi {
	int (*init)(void);
	int (*shutdown)(void);
	const char *(*errorString)(int result);
	int (*getCount)(unsigned int *count);
	int (*getHandle)(unsigned int index, void **device);
	int (*getName)(void *device, char *name, unsigned int size);
	int (*getUuid)(void *device, char *uuid, unsigned int size);
	int (*getPower)(void *device, unsigned int *milliwatts);
	int (*getEnergy)(void *device, unsigned long long *millijoules);
	/* May be missing in old libraries. */
	int (*getArchitecture)(void *device, unsigned int *architecture);
	int (*getFields)(void *device, int count, struct nvmlField *fields);
};

/* The library. */
static struct {
	pthread_mutex_t mutex;
	void *handle;
	bool isInitialized;
	unsigned int users; /* Sensors that are open. */
	struct nvmlApi api;
} nvml = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static const struct hdSymbol nvmlSymbols[] = {
	{ "nvmlInit_v2", offsetof(struct nvmlApi, init), false },
	{ "nvmlShutdown", offsetof(struct nvmlApi, shutdown), false },
	{ "nvmlErrorString", offsetof(struct nvmlApi, errorString), false },
	{ "nvmlDeviceGetCount_v2", offsetof(struct nvmlApi, getCount), false },
	{ "nvmlDeviceGetHandleByIndex_v2", offsetof(struct nvmlApi, getHandle),
	  false },
	{ "nvmlDeviceGetName", offsetof(struct nvmlApi, getName), false },
	{ "nvmlDeviceGetUUID", offsetof(struct nvmlApi, getUuid), false },
	{ "nvmlDeviceGetPowerUsage", offsetof(struct nvmlApi, getPower),
	  false },
	{ "nvmlDeviceGetTotalEnergyConsumption",
	  offsetof(struct nvmlApi, getEnergy), true },
	{ "nvmlDeviceGetArchitecture",
	  offsetof(struct nvmlApi, getArchitecture), true },
	{ "nvmlDeviceGetFieldValues", offsetof(struct nvmlApi, getFields),
	  true },
	{ .name = NULL },
};

/* Our error for one of the library. */
static int nvmlToErrno(int result)
{
	switch (result) {
	case NVML_SUCCESS:
		return 0;
	case NVML_ERROR_NOT_SUPPORTED:
	case NVML_ERROR_FUNCTION_NOT_FOUND:
		return -ENOTSUP;
	case NVML_ERROR_NO_PERMISSION:
		return -EACCES;
	case NVML_ERROR_TIMEOUT:
		return -ETIMEDOUT;
	case NVML_ERROR_GPU_IS_LOST:
	case NVML_ERROR_RESET_REQUIRED:
	case NVML_ERROR_DRIVER_NOT_LOADED:
	case NVML_ERROR_NOT_FOUND:
		return -ENODEV;
	default:
		return -EIO;
	}
}

/* ---- The library ------------------------------------------------------- */

/* Open the library and find its functions; called with the mutex. */
static bool nvmlLoadLibrary(const struct ptSetup *setup, char *why, size_t size)
{
	const char *library = ptSetupOptionOr(setup, "library", LIBRARY);
	char reason[PT_SOURCE_MAX - 32];

	if (nvml.handle)
		return true;
	nvml.handle = hdLibraryOpen(library, nvmlSymbols, &nvml.api, reason,
				    sizeof(reason));
	if (!nvml.handle)
		snprintf(why, size, "no NVIDIA driver (%s)", reason);
	return nvml.handle != NULL;
}

/* Get the library ready for use; called with the mutex. */
static bool nvmlInitialise(const struct ptSetup *setup, char *why, size_t size)
{
	int result;

	if (!nvmlLoadLibrary(setup, why, size))
		return false;
	if (nvml.isInitialized)
		return true;
	result = nvml.api.init();
	if (result != NVML_SUCCESS) {
		snprintf(why, size, "NVML: %s%s", nvml.api.errorString(result),
			 result == NVML_ERROR_LIB_RM_VERSION_MISMATCH
				 ? "; the driver was updated; load the new "
				   "driver or restart the system"
				 : "");
		dlclose(nvml.handle);
		nvml.handle = NULL;
		return false;
	}
	nvml.isInitialized = true;
	return true;
}

/* Shut the library down if no GPU is open; called with the mutex. */
static void endUnused(void)
{
	if (nvml.users > 0 || !nvml.isInitialized)
		return;
	nvml.api.shutdown();
	nvml.isInitialized = false;
	dlclose(nvml.handle);
	nvml.handle = NULL;
}

/* ---- Sensors ----------------------------------------------------------- */

static int readInstant(void *device, double *watts)
{
	struct nvmlField field = { .fieldId = NVML_FI_DEV_POWER_INSTANT };
	int result;

	if (!nvml.api.getFields)
		return NVML_ERROR_NOT_SUPPORTED;
	result = nvml.api.getFields(device, 1, &field);
	if (result == NVML_SUCCESS)
		result = field.result;
	if (result != NVML_SUCCESS)
		return result;
	switch (field.type) {
	case NVML_TYPE_UNSIGNED_INT:
		*watts = field.value.u * 1e-3;
		break;
	case NVML_TYPE_UNSIGNED_LONG:
		*watts = (double)field.value.ul * 1e-3;
		break;
	case NVML_TYPE_UNSIGNED_LONG_LONG:
		*watts = (double)field.value.ull * 1e-3;
		break;
	default:
		return NVML_ERROR_NOT_SUPPORTED;
	}
	return NVML_SUCCESS;
}

/* Find out what a GPU can tell. */
static void nvmlDescribeGpu(struct ptSensor *sensor, void *device)
{
	char name[NVML_DEVICE_NAME_BUFFER_SIZE] = "GPU";
	unsigned int architecture = NVML_ARCH_UNKNOWN;
	unsigned long long millijoules;
	unsigned int milliwatts;
	bool isAveraged;
	double watts;

	nvml.api.getName(device, name, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	if (nvml.api.getArchitecture &&
	    nvml.api.getArchitecture(device, &architecture) != NVML_SUCCESS)
		architecture = NVML_ARCH_UNKNOWN;
	isAveraged = architecture >= NVML_ARCH_AMPERE &&
		     architecture != NVML_ARCH_UNKNOWN;
	if (nvml.api.getEnergy && nvml.api.getEnergy(device, &millijoules) !=
					  NVML_ERROR_NOT_SUPPORTED) {
		sensor->energy.isThere = true;
		sensor->joules = 1e-3;
		snprintf(sensor->energy.source, sizeof(sensor->energy.source),
			 "NVML total energy of %s", name);
		snprintf(sensor->energy.resolution,
			 sizeof(sensor->energy.resolution),
			 "1 mJ, every 100 ms");
	}
	if (readInstant(device, &watts) == NVML_SUCCESS) {
		sensor->type = NVML_FI_DEV_POWER_INSTANT;
		snprintf(sensor->power.source, sizeof(sensor->power.source),
			 "NVML instant power of %s", name);
		snprintf(sensor->power.resolution,
			 sizeof(sensor->power.resolution), "1 mW");
	} else if (nvml.api.getPower(device, &milliwatts) ==
		   NVML_ERROR_NOT_SUPPORTED) {
		return;
	} else {
		snprintf(sensor->power.source, sizeof(sensor->power.source),
			 "NVML power of %s", name);
		snprintf(sensor->power.resolution,
			 sizeof(sensor->power.resolution), "1 mW%s",
			 isAveraged ? ", mean of 1 s" : "");
	}
	sensor->power.isThere = true;
}

/* Add the GPUs; called with the mutex. */
static int addGpus(struct ptSensors *sensors)
{
	unsigned int count;
	int result = nvml.api.getCount(&count);

	if (result != NVML_SUCCESS) {
		snprintf(sensors->why, sizeof(sensors->why), "NVML: %s",
			 nvml.api.errorString(result));
		return 0;
	}
	for (unsigned int i = 0; i < count; i++) {
		char uuid[NVML_DEVICE_UUID_BUFFER_SIZE] = "";
		struct ptSensor *sensor = ptSensorsAdd(sensors);
		void *device;

		if (!sensor)
			return -ENOMEM;
		ptSensorSetLabel(sensor, "gpu-%u", i);
		sensor->number = i;
		/* One that is lost, or another user's, has its number yet. */
		if (nvml.api.getHandle(i, &device) != NVML_SUCCESS)
			continue;
		if (nvml.api.getUuid(device, uuid, sizeof(uuid)) ==
			    NVML_SUCCESS &&
		    strnlen(uuid, sizeof(uuid)) < sizeof(sensor->alias))
			strcpy(sensor->alias, uuid);
		strcpy(sensor->hardware, sensor->alias);
		nvmlDescribeGpu(sensor, device);
	}
	return 0;
}

static int nvmlScan(const struct ptSetup *setup, struct ptSensors *sensors)
{
	int ret = 0;

	pthread_mutex_lock(&nvml.mutex);
	if (nvmlInitialise(setup, sensors->why, sizeof(sensors->why)))
		ret = addGpus(sensors);
	/* Else it is kept for what follows: to initialize it takes long. */
	if (sensors->count == 0)
		endUnused();
	pthread_mutex_unlock(&nvml.mutex);
	return ret;
}

static int nvmlOpen(const struct ptSetup *setup, struct ptSensor *sensor)
{
	char why[PT_SOURCE_MAX];
	int ret = -ENODEV;

	pthread_mutex_lock(&nvml.mutex);
	if (nvmlInitialise(setup, why, sizeof(why)))
		ret = nvmlToErrno(
			nvml.api.getHandle(sensor->number, &sensor->handle));
	if (ret == 0 && !sensor->energy.isThere && !sensor->power.isThere)
		ret = -ENOTSUP;
	if (ret == 0)
		nvml.users++;
	else
		endUnused();
	pthread_mutex_unlock(&nvml.mutex);
	return ret;
}

static int nvmlReadEnergy(const struct ptSensor *sensor, uint64_t *count)
{
	unsigned long long millijoules;
	int result = nvml.api.getEnergy(sensor->handle, &millijoules);

	if (result == NVML_SUCCESS)
		*count = millijoules;
	return nvmlToErrno(result);
}

static int nvmlReadPower(const struct ptSensor *sensor, double *watts)
{
	unsigned int milliwatts;
	int result;

	if (sensor->type == NVML_FI_DEV_POWER_INSTANT)
		return nvmlToErrno(readInstant(sensor->handle, watts));
	result = nvml.api.getPower(sensor->handle, &milliwatts);
	if (result == NVML_SUCCESS)
		*watts = milliwatts * 1e-3;
	return nvmlToErrno(result);
}

static void nvmlClose(struct ptSensor *sensor)
{
	sensor->handle = NULL;
	pthread_mutex_lock(&nvml.mutex);
	nvml.users--;
	endUnused();
	pthread_mutex_unlock(&nvml.mutex);
}

/* Without the end of the library, which takes long to begin again. */
static int nvmlProbe(const struct ptSetup *setup, struct ptSensor *sensor)
{
	char why[PT_SOURCE_MAX];
	uint64_t count;
	double watts;
	int ret = -ENODEV;

	pthread_mutex_lock(&nvml.mutex);
	if (nvmlInitialise(setup, why, sizeof(why)))
		ret = nvmlToErrno(
			nvml.api.getHandle(sensor->number, &sensor->handle));
	pthread_mutex_unlock(&nvml.mutex);
	if (ret == 0 && !sensor->energy.isThere && !sensor->power.isThere)
		ret = -ENOTSUP;
	if (ret == 0 && sensor->energy.isThere)
		ret = nvmlReadEnergy(sensor, &count);
	if (ret == 0 && sensor->power.isThere)
		ret = nvmlReadPower(sensor, &watts);
	return ret;
}

static bool nvmlExplain(const struct ptSetup *setup,
			const struct ptSensor *sensor, int error, char *text,
			size_t size)
{
	(void)setup;
	(void)sensor;
	if (error == -ENOTSUP)
		snprintf(text, size, "this GPU does not report its power");
	else if (error == -EACCES)
		snprintf(text, size, "the driver denies access");
	else if (error == -ENODEV)
		snprintf(text, size, "the GPU is lost");
	else
		return false;
	return true;
}

static const struct ptSensorKind nvmlKind = {
	.isOrdered = true,
	.nothing = "the NVIDIA driver is loaded, but there is no GPU",
	.scan = nvmlScan,
	.open = nvmlOpen,
	.readEnergy = nvmlReadEnergy,
	.readPower = nvmlReadPower,
	.close = nvmlClose,
	.probe = nvmlProbe,
	.explain = nvmlExplain,
};

static int nvmlDriverResolve(const struct ptSetup *setup, const char *channel,
			     size_t index, unsigned int *number,
			     char label[PT_CHANNEL_MAX], char *why,
			     size_t whySize)
{
	return ptSensorsResolve(&nvmlKind, setup, channel, index, number, label,
				why, whySize);
}

static void nvmlDriverList(const struct ptSetup *setup, ptDriverPrint *print,
			   void *context)
{
	ptSensorsList(&nvmlKind, setup, print, context);
}

static int nvmlDriverOpen(struct ptDevice *dev, struct ptColumn *columns,
			  size_t count)
{
	return ptSensorsOpen(&nvmlKind, dev, columns, count);
}

static const char *const nvmlOptions[] = { "library", NULL };

const struct ptDriver ptNvmlDriver = {
	.name = "nvml",
	.description = "NVIDIA GPUs, read by the library of their driver",
	.timing = PT_TIMED_BY_HOST,
	.minCycleMs = 1,
	.maxCycleMs = 60000,
	.quantities = ptSensorQuantities,
	.options = nvmlOptions,
	.resolve = nvmlDriverResolve,
	.list = nvmlDriverList,
	.open = nvmlDriverOpen,
	.start = ptSensorsStart,
	.read = ptSensorsRead,
	.close = ptSensorsClose,
};
