/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What kernels cost, from what their probes have counted.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/model/amounts.h"
#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/model/kernels.h"

/** One thread, all the time. */
#define WHOLE INT64_C(1000000000)
/** More threads than that have no time of their own. */
#define USAGE_MAX (INT64_C(1000000) * WHOLE)

/** From a time on, a part of a kernel uses more, or less. */
struct change {
	int64_t time;
	guint activity; /**< Kernel times KERNEL_PARTS, and part. */
	int64_t usage;  /**< Billionths of a thread. */
};

/* ---- Which there are --------------------------------------------------- */

static const char *attributeOf(const hdIGroup *group, const char *name)
{
	for (size_t i = 0; i < group->attributeCount; i++) {
		if (strcmp(group->attributes[i].name, name) == 0)
			return group->attributes[i].value;
	}
	return NULL;
}

GArray *kernelsFind(const hdIProject *project)
{
	GArray *kernels = g_array_new(FALSE, TRUE, sizeof(struct kernel));

	for (size_t i = 0; i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];
		const char *kind = attributeOf(group, "probeKind");
		struct kernel kernel = {
			.group = group,
			.name = attributeOf(group, "probe"),
			.hasDispatch = g_strcmp0(kind, "kernel") == 0,
		};

		if (kernel.name && group->isReadable &&
		    (kernel.hasDispatch || g_strcmp0(kind, "timer") == 0))
			g_array_append_val(kernels, kernel);
	}
	return kernels;
}

/* ---- What they did ----------------------------------------------------- */

static ssize_t columnOf(const hdIGroup *group, const char *name)
{
	for (size_t i = 0; i < group->valueCount; i++) {
		if (strcmp(group->values[i].name, name) == 0 &&
		    group->values[i].type != HDI_STRING)
			return (ssize_t)i;
	}
	return -1;
}

/** A part takes so many seconds in an interval. */
static void addUse(GArray *changes, guint activity, int64_t start, int64_t end,
		   double seconds)
{
	double usage = seconds / (double)(end - start) * 1e18;
	struct change change = { .time = start, .activity = activity };

	if (end <= start || !(usage > 0))
		return;
	change.usage = (int64_t)nearbyint(MIN(usage, (double)USAGE_MAX));
	g_array_append_val(changes, change);
	change.time = end;
	change.usage = -change.usage;
	g_array_append_val(changes, change);
}

/** Add up a kernel, and say when it ran. */
static void readKernel(const hdIProject *project, GArray *kernels, guint number,
		       GArray *changes)
{
	static const char *const names[] = { "Body", "Dispatch" };
	struct kernel *kernel = &g_array_index(kernels, struct kernel, number);
	ssize_t instances = columnOf(kernel->group, "Instances");
	hdIStatReader *reader = diagnosticsOpenStat(project, kernel->group,
						    &diagnosticsDropped);
	struct amounts *amounts;
	const hdIBlock *block;

	if (!reader)
		return;
	amounts = amountsNew(kernel->group);
	while (hdI_readStat(reader, &block) == 1) {
		amountsTake(amounts, block);
		for (size_t i = 0; instances >= 0 && i < block->count; i++)
			kernel->instances += (uint64_t)fmax(
				0, amountsGet(amounts, (size_t)instances, i));
		for (int part = 0; part < KERNEL_PARTS; part++) {
			ssize_t column = columnOf(kernel->group, names[part]);

			for (size_t i = 0; column >= 0 && i < block->count;
			     i++) {
				double seconds =
					amountsGet(amounts, (size_t)column, i);

				if (!isfinite(seconds))
					continue;
				kernel->seconds[part] += seconds;
				addUse(changes,
				       number * KERNEL_PARTS + (guint)part,
				       block->start[i], block->end[i], seconds);
			}
		}
	}
	amountsFree(amounts);
	hdI_closeStat(reader);
}

/* ---- What that cost ---------------------------------------------------- */

static int compareChanges(const void *a, const void *b)
{
	const struct change *x = a;
	const struct change *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/** Divide what there is of an interval among those that ran. */
static powerPico divide(GArray *kernels, const int64_t *usage, int64_t sum,
			struct attributionAmount amount, int64_t length)
{
	uint64_t low = 0;
	powerPico charged = 0;

	for (guint i = 0; i < kernels->len * KERNEL_PARTS; i++) {
		struct kernel *kernel = &g_array_index(kernels, struct kernel,
						       i / KERNEL_PARTS);
		struct attributionAmount *energy =
			&kernel->energy[i % KERNEL_PARTS];
		struct shareStep step = {
			.low = low,
			.high = low + (uint64_t)usage[i],
			.total = (uint64_t)MAX(sum, WHOLE),
		};
		powerPico part;

		if (!usage[i])
			continue;
		part = shareDivide(&step, amount.pico);
		energy->pico += part;
		energy->measured += amount.measured;
		kernel->busy[i % KERNEL_PARTS] += length;
		charged += part;
		low = step.high;
	}
	return charged;
}

/** From change to change; returns what was charged in all. */
static powerPico charge(GArray *kernels, const GArray *changes,
			struct powerCursor *cursor)
{
	int64_t *usage = g_new0(int64_t, kernels->len * KERNEL_PARTS + 1);
	powerPico charged = 0, before = 0;
	int64_t sum = 0, last = INT64_MIN, measuredBefore = 0;

	for (guint i = 0; i < changes->len; i++) {
		const struct change *change =
			&g_array_index(changes, struct change, i);

		if (change->time != last) {
			int64_t measured = 0;
			powerPico now =
				cursor ? powerCursorUntil(cursor, change->time,
							  &measured)
				       : 0;
			struct attributionAmount amount = {
				.pico = now - before,
				.measured = measured - measuredBefore,
			};

			if (sum > 0)
				charged += divide(kernels, usage, sum, amount,
						  change->time - last);
			before = now;
			measuredBefore = measured;
			last = change->time;
		}
		usage[change->activity] += change->usage;
		sum += change->usage;
	}
	g_free(usage);
	return charged;
}

static struct powerSeries *readPower(const hdIProject *project,
				     const hdIGroup *power, const bool *isPower,
				     int *error)
{
	hdIStatReader *reader =
		diagnosticsOpenStat(project, power, &diagnosticsDropped);
	struct powerSeries *series;
	const hdIBlock *block;
	int ret = 0;

	if (!reader)
		return NULL;
	series = powerSeriesOfNode(power, isPower);
	while (ret == 0 && hdI_readStat(reader, &block) == 1)
		ret = powerSeriesAdd(series, block);
	if (ret == 0)
		ret = powerSeriesEnd(series);
	hdI_closeStat(reader);
	if (ret == 0)
		return series;
	powerSeriesFree(series);
	*error = ret;
	return NULL;
}

int kernelsRead(const hdIProject *project, GArray *kernels,
		const hdIGroup *power, const bool *isPower, powerPico *rest)
{
	GArray *changes = g_array_new(FALSE, FALSE, sizeof(struct change));
	struct powerSeries *series = NULL;
	struct powerCursor *cursor = NULL;
	bool isAny = false;
	int64_t measured;
	int error = 0;

	*rest = 0;
	for (guint i = 0; i < kernels->len; i++) {
		if (g_array_index(kernels, struct kernel, i).power != power)
			continue;
		readKernel(project, kernels, i, changes);
		isAny = true;
	}
	if (isAny && power)
		series = readPower(project, power, isPower, &error);
	if (series)
		cursor = powerCursorNew(series);
	if (changes->len)
		qsort(changes->data, changes->len, sizeof(struct change),
		      compareChanges);
	if (cursor)
		*rest = powerCursorUntil(cursor, INT64_MAX, &measured);
	*rest -= charge(kernels, changes, cursor);
	if (cursor && error == 0)
		error = powerCursorError(cursor);
	powerCursorFree(cursor);
	powerSeriesFree(series);
	g_array_unref(changes);
	return error;
}

struct attributionAmount kernelEnergy(const struct kernel *kernel)
{
	const struct attributionAmount *energy = kernel->energy;
	struct attributionAmount sum = energy[KERNEL_BODY];

	sum.pico += energy[KERNEL_DISPATCH].pico;
	if (kernel->busy[KERNEL_DISPATCH])
		sum.measured =
			MIN(sum.measured, energy[KERNEL_DISPATCH].measured);
	return sum;
}
