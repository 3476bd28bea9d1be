/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What goes through the memory controllers. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ResourcesUtilizationTracingLibrary/src/cpu/uncore.h"
#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "common/pmu.h"

/* A CPU of each package. */
#define CACHE "/sys/devices/system/cpu/cpu0/cache/index"

/* Names of the events, by what kernels have: of servers; of others, by
 * generation. The first pair that a controller has is taken. */
static const char *const names[][RUT_UNCORE_WAYS] = {
	{ "cas_count_read", "cas_count_write" },
	{ "data_reads", "data_writes" },
	{ "data_read", "data_write" },
};
#define NAMES (sizeof(names) / sizeof(names[0]))

/* Bytes of a count in MiB, 0 if that is none. */
static double uncoreBytesOf(const struct hdPmuEvent *event)
{
	return event->scale < 1e6 ? event->scale * 1024 * 1024 : 0;
}

static int addCounter(struct rutUncore *self, const struct hdPmuEvent *event,
		      int way, int cpu)
{
	struct rutUncoreCounter *more;
	int handle = hdPerfOpen(event->type, event->config, -1, cpu);

	if (handle < 0) {
		if (self->error == 0)
			self->error = -handle;
		return 0;
	}
	more = realloc(self->counters, (self->count + 1) * sizeof(*more));
	if (!more) {
		hdPerfClose(handle);
		return -ENOMEM;
	}
	self->counters = more;
	more[self->count++] = (struct rutUncoreCounter){
		.way = way,
		.handle = handle,
		.id = hdPerfId(handle),
		.bytes = uncoreBytesOf(event),
	};
	return 0;
}

/* Whether a controller has a pair of events. */
static bool getPair(const char *root, const char *pmu, const char *const *pair,
		    struct hdPmuEvent *events)
{
	for (int way = 0; way < RUT_UNCORE_WAYS; way++) {
		if (hdPmuEventRead(root, pmu, pair[way], "MiB", &events[way]) <
			    0 ||
		    uncoreBytesOf(&events[way]) <= 0)
			return false;
	}
	return true;
}

static int uncoreAddPmu(struct rutUncore *self, const char *root,
			const char *pmu)
{
	struct hdPmuEvent events[RUT_UNCORE_WAYS];
	unsigned int cpus[HD_PMU_CPUS_MAX];
	size_t count = hdPmuCpus(root, pmu, cpus, HD_PMU_CPUS_MAX), pair = 0;
	int ret = 0;

	while (pair < NAMES && !getPair(root, pmu, names[pair], events))
		pair++;
	if (pair == NAMES)
		return 0;
	for (int way = 0; way < RUT_UNCORE_WAYS; way++) {
		for (size_t i = 0; ret == 0 && i < count; i++)
			ret = addCounter(self, &events[way], way, (int)cpus[i]);
	}
	return ret;
}

int rutUncoreOpen(struct rutUncore *self, const char *root)
{
	char path[RUT_PATH_SIZE];
	struct dirent *entry;
	int ret = 0;
	DIR *dir;

	*self = (struct rutUncore){ 0 };
	snprintf(path, sizeof(path), "%s" HD_PMUS, root);
	dir = opendir(path);
	while (dir && ret == 0 && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "uncore_imc", 10) == 0)
			ret = uncoreAddPmu(self, root, entry->d_name);
	}
	if (dir)
		closedir(dir);
	/* A part of the controllers would be taken for all. */
	if (ret == 0 && (self->count == 0 || self->error))
		ret = -ENOENT;
	if (ret < 0) {
		int error = self->error;

		rutUncoreClose(self);
		self->error = error;
	}
	return ret;
}

void rutUncoreRead(struct rutUncore *self, bool isBegin)
{
	for (size_t i = 0; i < self->count; i++) {
		struct rutUncoreCounter *counter = &self->counters[i];
		struct hdPerfReading now;

		if (!hdPerfIs(counter->handle, counter->id) ||
		    hdPerfRead(counter->handle, &now) < 0)
			continue;
		if (isBegin)
			counter->before = now;
		else
			self->sums[counter->way] +=
				(double)hdPerfTake(&counter->before, &now) *
				counter->bytes;
	}
	if (isBegin)
		memset(self->sums, 0, sizeof(self->sums));
}

void rutUncoreClose(struct rutUncore *self)
{
	for (size_t i = 0; i < self->count; i++) {
		if (hdPerfIs(self->counters[i].handle, self->counters[i].id))
			hdPerfClose(self->counters[i].handle);
	}
	free(self->counters);
	*self = (struct rutUncore){ 0 };
}

/* ---- The line of the last cache --------------------------------------------
 */

static bool uncoreGetNumber(const char *root, int cache, const char *file,
			    uint64_t *number)
{
	struct rutFile text;
	struct hdScan scan;
	bool isThere;

	if (rutFileGet(&text, &scan, root, CACHE "%d/%s", cache, file) < 0)
		return false;
	isThere = hdScanNumber(&scan, number);
	rutFileClose(&text);
	return isThere;
}

unsigned int rutUncoreLine(const char *root)
{
	uint64_t nesting, line, most = 0, result = 64;

	for (int i = 0; i < 8; i++) {
		if (uncoreGetNumber(root, i, "level", &nesting) &&
		    nesting > most &&
		    uncoreGetNumber(root, i, "coherency_line_size", &line) &&
		    line > 0 && line <= 4096) {
			most = nesting;
			result = line;
		}
	}
	return (unsigned int)result;
}
