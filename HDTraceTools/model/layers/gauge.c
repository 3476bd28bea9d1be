/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the gauge of a layer says: how many operations were pending in it.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/layers/gauge.h"
#include "HDTraceTools/model/moments.h"

/** The least width of a bin, about 1 ms. */
#define BIN_LEAST ((int64_t)1 << 20)

static size_t gaugeFindValue(const hdIGroup *group, const char *name,
			     enum hdKind kind)
{
	for (size_t i = 0; i < group->valueCount; i++) {
		const hdIValue *value = &group->values[i];

		if (strcmp(value->name, name) == 0 &&
		    value->type != HDI_STRING &&
		    valueKind(group, value, NULL) == kind)
			return i;
	}
	return SIZE_MAX;
}

bool layerGaugeIs(const hdIGroup *group)
{
	return group->isReadable &&
	       gaugeFindValue(group, "Pending", HD_KIND_GAUGE) != SIZE_MAX;
}

void layerGaugeInit(struct layerGauge *self, const hdIGroup *group,
		    int64_t from, int64_t to)
{
	*self = (struct layerGauge){
		.group = group,
		.pending = gaugeFindValue(group, "Pending", HD_KIND_GAUGE),
		.least = gaugeFindValue(group, "PendingMin", HD_KIND_GAUGE),
		.most = gaugeFindValue(group, "PendingMax", HD_KIND_GAUGE),
		.bytes = gaugeFindValue(group, "Bytes", HD_KIND_DELTA),
		.from = from,
		.to = to,
		.spans = g_array_new(FALSE, FALSE, sizeof(struct extent)),
		.max = NAN,
		.last = NAN,
		.activity = EXTENT_NONE,
	};
}

void layerGaugeClear(struct layerGauge *self)
{
	g_array_unref(self->spans);
}

/** A number of an entry; NaN: it is not known. No number of operations is
 *  infinite. */
static double gaugeNumberOf(const struct layerGauge *self,
			    const hdIBlock *block, size_t value, size_t entry)
{
	double known;

	if (value == SIZE_MAX)
		return NAN;
	known = columnNumber(&self->group->values[value],
			     &block->columns[value], entry);
	return isfinite(known) ? known : NAN;
}

/** The number is known from a time to another. */
static void gaugeAddSpan(struct layerGauge *self, int64_t start, int64_t end)
{
	struct extent span = { start, end };

	if (self->spans->len > 0) {
		struct extent *last = &g_array_index(self->spans, struct extent,
						     self->spans->len - 1);

		if (last->end == start) {
			last->end = end;
			return;
		}
	}
	g_array_append_val(self->spans, span);
}

/** What part of an interval something was pending in: all of it, or, where only
 *  its mean and extremes are known, as much as there was at least. */
static long double busyPart(struct layerGauge *self, double mean, double least,
			    double most)
{
	if (mean == 0)
		return 0;
	if (isnan(least) || isnan(most) || least > 0 || most <= 0)
		return 1;
	self->isBound = true;
	return MIN((long double)mean / most, 1);
}

/* ---- When -------------------------------------------------------------- */

/** Make each bin twice as wide. */
static void widen(struct layerBins *bins)
{
	int64_t first = bins->first / 2;
	struct layerBins wide = { .width = 2 * bins->width, .first = first };

	for (int64_t i = 0; i < LAYER_BINS; i++) {
		int64_t to = (bins->first + i) / 2 - first;

		if (to < LAYER_BINS)
			wide.integrals[to] += bins->integrals[i];
	}
	*bins = wide;
}

/** Add a number that held in ]start, end], times since 1970. */
static void gaugeAddToBins(struct layerBins *bins, int64_t start, int64_t end,
			   double value)
{
	if (start < 0)
		return;
	if (bins->width == 0) {
		bins->width = BIN_LEAST;
		bins->first = start / bins->width;
	}
	while ((end - 1) / bins->width - bins->first >= LAYER_BINS)
		widen(bins);
	for (int64_t i = start / bins->width; i * bins->width < end; i++) {
		int64_t from = MAX(i * bins->width, start);
		int64_t to = MIN((i + 1) * bins->width, end);

		if (i >= bins->first)
			bins->integrals[i - bins->first] +=
				momentsOver(value, to - from);
	}
}

double layerGaugeIntegral(const struct layerGauge *self, int64_t start,
			  int64_t end)
{
	const struct layerBins *bins = &self->bins;
	struct extent time = { start, end };
	double sum = 0;

	for (int64_t i = 0; bins->width > 0 && i < LAYER_BINS; i++) {
		int64_t from = (bins->first + i) * bins->width;
		int64_t part = extentLength(&time, from, from + bins->width);

		sum += bins->integrals[i] *
		       ((double)part / (double)bins->width);
	}
	return sum;
}

/* ---- What -------------------------------------------------------------- */

static void takeEntry(struct layerGauge *self, const hdIBlock *block,
		      size_t entry)
{
	int64_t start = MAX(block->start[entry], self->from);
	int64_t end = MIN(block->end[entry], self->to);
	int64_t whole = block->end[entry] - block->start[entry];
	double mean = gaugeNumberOf(self, block, self->pending, entry);
	double least = gaugeNumberOf(self, block, self->least, entry);
	double most = gaugeNumberOf(self, block, self->most, entry);
	double bytes = gaugeNumberOf(self, block, self->bytes, entry);

	if (end < start || (end == start && whole > 0) || isnan(mean))
		return;
	if (!isnan(bytes))
		self->moved += whole > 0 ? (long double)bytes *
						   ((long double)(end - start) /
						    (long double)whole)
					 : (long double)bytes;
	/* A number that held no time was nobody's to see. */
	if (end == start)
		return;
	gaugeAddSpan(self, start, end);
	self->integral += (long double)mean * (end - start);
	self->busy += busyPart(self, mean, least, most) * (end - start);
	self->max = fmax(self->max, isnan(most) ? mean : most);
	/* Of a mean nobody knows what was at its end. */
	self->last = isnan(least) || isnan(most) || least == most ? mean : NAN;
	if (mean == 0)
		return;
	extentAdd(&self->activity, start, end);
	gaugeAddToBins(&self->bins, start, end, mean);
}

void layerGaugeTake(struct layerGauge *self, const hdIBlock *block)
{
	for (size_t i = 0; i < block->count; i++)
		takeEntry(self, block, i);
}

int64_t layerGaugeKnown(const struct layerGauge *self,
			const struct extent *time)
{
	int64_t known = 0;

	for (guint i = 0; i < self->spans->len; i++) {
		const struct extent *span =
			&g_array_index(self->spans, struct extent, i);

		known += extentLength(time, span->start, span->end);
	}
	return known;
}
