/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What libRUT measures of a load; see meter.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "LoadLevels/control/meter.h"
#include "ResourcesUtilizationTracingLibrary/src/core/used.h"
#include "common/clock.h"

struct hdLoadMeter {
	struct rutUsed used;
	struct rutSetup setup;
	int64_t readNs;
	double seconds;
	size_t count;
	/* Columns of CPUs; as many as there are columns: none. */
	size_t *busy;
	size_t *steal;
};

static void meterNoCost(void *context, int64_t *cpuNs, uint64_t *late)
{
	(void)context;
	*cpuNs = 0;
	*late = 0;
}

static size_t meterFind(const struct hdLoadMeter *self, const char *name)
{
	size_t i = 0;

	while (i < self->used.columns.count &&
	       strcmp(self->used.columns.list[i].name, name) != 0)
		i++;
	return i;
}

static size_t meterFindCpu(const struct hdLoadMeter *self, const char *name,
			   int cpu)
{
	char text[64];

	snprintf(text, sizeof(text), "%s_%d", name, cpu);
	return meterFind(self, text);
}

int hdLoadMeterOpen(const char *root, const int *cpus, size_t count,
		    struct hdLoadMeter **result)
{
	struct hdLoadMeter *self = calloc(1, sizeof(*self));

	if (!self)
		return -ENOMEM;
	self->setup = (struct rutSetup){ .root = root,
					 .intervalNs = HD_NS_PER_S / 5,
					 .getCost = meterNoCost };
	RUTSRC_UNSET_ALL(self->setup.sources);
	self->setup.sources.CPU_UTIL_X = 1;
	self->setup.sources.CPU_STATES_X = 1;
	self->setup.sources.NET_OUT = 1;
	self->setup.sources.HDD_READ = 1;
	self->setup.sources.HDD_WRITE = 1;
	self->count = count;
	self->busy = calloc(count + 1, sizeof(*self->busy));
	self->steal = calloc(count + 1, sizeof(*self->steal));
	if (!self->busy || !self->steal ||
	    rutUsedOpen(&self->used, rutLinuxSources, &self->setup) < 0) {
		free(self->busy);
		free(self->steal);
		free(self);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		self->busy[i] = meterFindCpu(self, "CPU_TOTAL", cpus[i]);
		self->steal[i] = meterFindCpu(self, "CPU_STATE_STEAL", cpus[i]);
	}
	rutUsedRead(&self->used, RUT_WHY_BEGIN);
	self->readNs = hdMonotonicNow();
	*result = self;
	return 0;
}

void hdLoadMeterRead(struct hdLoadMeter *self)
{
	int64_t now;

	rutUsedRead(&self->used, RUT_WHY_SAMPLE);
	now = hdMonotonicNow();
	self->seconds = (double)(now - self->readNs) / 1e9;
	self->readNs = now;
}

double hdLoadMeterSeconds(const struct hdLoadMeter *self)
{
	return self->seconds;
}

static double meterGet(const struct hdLoadMeter *self, size_t column)
{
	if (column >= self->used.columns.count)
		return NAN;
	return hdCellNumber(self->used.columns.list[column].type,
			    self->used.cells[column]);
}

double hdLoadMeterBusy(const struct hdLoadMeter *self, size_t cpu)
{
	return meterGet(self, self->busy[cpu]) / 100;
}

double hdLoadMeterSteal(const struct hdLoadMeter *self, size_t cpu)
{
	return meterGet(self, self->steal[cpu]) / 100;
}

double hdLoadMeterRate(const struct hdLoadMeter *self, const char *value)
{
	return meterGet(self, meterFind(self, value)) / self->seconds;
}

void hdLoadMeterClose(struct hdLoadMeter *self)
{
	if (!self)
		return;
	rutUsedClose(&self->used);
	free(self->busy);
	free(self->steal);
	free(self);
}
