/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Phases by utilization; see run.h.
 *
 * A phase is recognised if its utilization is the nearest one to what libRUT
 * measures, twice in a row, and near enough. CPUs count in percent, rates in
 * percent of the largest one in the usage file.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "PowerSaving/command/run.h"
#include "ResourcesUtilizationTracingLibrary/src/core/used.h"
#include "common/clock.h"

/* Utilization that differs by more, in percent, is of no known phase. */
#define RECOGNIZE_LIMIT 25
/* Values of libRUT that are added for a load. */
#define RECOGNIZE_VALUES 2

static const char *const recognizerValues[POWER_LOADS][RECOGNIZE_VALUES] = {
	[POWER_CPU] = { "CPU_TOTAL", NULL },
	[POWER_NETWORK] = { "NET_IN_EXT", "NET_OUT_EXT" },
	[POWER_READ] = { "HDD_READ", NULL },
	[POWER_WRITE] = { "HDD_WRITE", NULL },
};

struct recognizer {
	const GPtrArray *usage;
	double scale[POWER_LOADS]; /* That is 100 %; 0: not used. */
	struct rutUsed used;
	struct rutSetup setup;
	int64_t readNs;
	int candidate; /* Of the last look; -1: none. */
};

static void recognizerNoCost(void *context, int64_t *cpuNs, uint64_t *late)
{
	(void)context;
	*cpuNs = 0;
	*late = 0;
}

/* Loads that all phases know, at each clock: of one that is not known, no
 * distance could be told. */
static void recognizerScale(struct recognizer *self)
{
	for (int i = 0; i < POWER_LOADS; i++) {
		double most = 0;
		bool isKnown = true;

		for (guint p = 0; p < self->usage->len; p++) {
			const struct powerPhase *phase = self->usage->pdata[p];

			isKnown = isKnown && phase->load[i];
			for (size_t k = 0; isKnown && k < phase->count; k++) {
				isKnown = !isnan(phase->load[i][k]);
				most = fmax(most, phase->load[i][k]);
			}
		}
		self->scale[i] = !isKnown ? 0 : i == POWER_CPU ? 100 : most;
	}
}

static size_t recognizerColumn(const struct recognizer *self, const char *name)
{
	size_t i = 0;

	while (i < self->used.columns.count &&
	       strcmp(self->used.columns.list[i].name, name) != 0)
		i++;
	return i;
}

struct recognizer *recognizerNew(const char *root, const GPtrArray *usage)
{
	struct recognizer *self = g_new0(struct recognizer, 1);
	bool isUsed = false;

	self->usage = usage;
	self->candidate = -1;
	recognizerScale(self);
	for (int i = 0; i < POWER_LOADS; i++)
		isUsed |= self->scale[i] > 0;
	self->setup = (struct rutSetup){
		.root = root,
		.intervalNs = RUN_RECOGNIZE_MS * INT64_C(1000000),
		.getCost = recognizerNoCost,
	};
	RUTSRC_UNSET_ALL(self->setup.sources);
	self->setup.sources.CPU_UTIL = self->scale[POWER_CPU] > 0;
	self->setup.sources.NET_IN_EXT = self->scale[POWER_NETWORK] > 0;
	self->setup.sources.NET_OUT_EXT = self->scale[POWER_NETWORK] > 0;
	self->setup.sources.HDD_READ = self->scale[POWER_READ] > 0;
	self->setup.sources.HDD_WRITE = self->scale[POWER_WRITE] > 0;
	if (!isUsed ||
	    rutUsedOpen(&self->used, rutLinuxSources, &self->setup) < 0) {
		g_free(self);
		return NULL;
	}
	rutUsedRead(&self->used, RUT_WHY_BEGIN);
	self->readNs = hdMonotonicNow();
	return self;
}

void recognizerFree(struct recognizer *self)
{
	if (!self)
		return;
	rutUsedClose(&self->used);
	g_free(self);
}

/* What is measured, in percent; NaN: unknown. */
static double recognizerGet(const struct recognizer *self, int load,
			    double seconds)
{
	double sum = 0;

	if (self->scale[load] <= 0)
		return NAN;
	for (int k = 0; k < RECOGNIZE_VALUES && recognizerValues[load][k];
	     k++) {
		size_t column =
			recognizerColumn(self, recognizerValues[load][k]);
		double value = NAN;

		if (column < self->used.columns.count)
			value = hdCellNumber(
				self->used.columns.list[column].type,
				self->used.cells[column]);
		if (load != POWER_CPU)
			value /= seconds;
		sum += value;
	}
	return 100 * sum / self->scale[load];
}

/* The measured clock of a phase that is the nearest one. */
static size_t recognizerClock(const struct powerPhase *phase, double mhz)
{
	size_t nearest = 0;

	for (size_t k = 1; k < phase->count; k++) {
		if (fabs(phase->mhz[k] - mhz) < fabs(phase->mhz[nearest] - mhz))
			nearest = k;
	}
	return nearest;
}

static double recognizerDistance(const struct recognizer *self,
				 const struct powerPhase *phase, double mhz,
				 const double *loads)
{
	size_t clock = recognizerClock(phase, mhz);
	double squares = 0;

	for (int i = 0; i < POWER_LOADS; i++) {
		double known;

		if (isnan(loads[i]))
			continue;
		known = 100 * phase->load[i][clock] / self->scale[i];
		squares += (known - loads[i]) * (known - loads[i]);
	}
	return sqrt(squares);
}

int recognizerLook(struct recognizer *self, double mhz)
{
	double loads[POWER_LOADS], least = RECOGNIZE_LIMIT;
	int before = self->candidate;
	int64_t now;
	bool isKnown = false;

	rutUsedRead(&self->used, RUT_WHY_SAMPLE);
	now = hdMonotonicNow();
	for (int i = 0; i < POWER_LOADS; i++) {
		loads[i] = recognizerGet(self, i,
					 (double)(now - self->readNs) / 1e9);
		isKnown |= !isnan(loads[i]);
	}
	self->readNs = now;
	self->candidate = -1;
	for (guint p = 0; isKnown && p < self->usage->len; p++) {
		double distance = recognizerDistance(
			self, self->usage->pdata[p], mhz, loads);

		if (distance < least) {
			least = distance;
			self->candidate = (int)p;
		}
	}
	return self->candidate == before ? before : -1;
}
