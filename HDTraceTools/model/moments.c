/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Mean, deviation, sum and time integral of a value, in one pass.
 *
 * The integral, and with it the mean, is summed in twice the precision of
 * double; the squared deviation with the updating formulas of West (1979),
 * which do not cancel.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/model/moments.h"

static inline void sumAdd(struct momentsSum *sum, double value)
{
	double total = sum->high + value;
	double back = total - sum->high;

	if (isfinite(total))
		sum->low += (sum->high - (total - back)) + (value - back);
	sum->high = total;
}

static inline void sumAddProduct(struct momentsSum *sum, double a, double b)
{
	double product = a * b;

	sumAdd(sum, product);
	if (isfinite(product))
		sum->low += fma(a, b, -product);
}

static inline void addWeighted(struct moments *moments, double value,
			       int64_t length)
{
	double weight = (double)length;
	double delta;

	if (length <= 0)
		return;
	moments->weight += (uint64_t)length;
	sumAddProduct(&moments->integral, value, weight);
	delta = value - moments->mean;
	moments->mean += delta * (weight / (double)moments->weight);
	moments->squares += weight * delta * (value - moments->mean);
}

static inline void addFloat(struct moments *moments, double value,
			    int64_t length)
{
	if (isnan(value)) {
		moments->missing++;
		return;
	}
	if (moments->count == 0 || value < moments->min)
		moments->min = value;
	if (moments->count == 0 || value > moments->max)
		moments->max = value;
	moments->count++;
	addWeighted(moments, value, length);
}

/** What a double cannot hold of an integer goes into the integral, too. */
static inline void addInteger(struct moments *moments, outInt128 value,
			      int64_t length)
{
	double rounded = (double)value;

	if (moments->count == 0 || value < moments->minInteger)
		moments->minInteger = value;
	if (moments->count == 0 || value > moments->maxInteger)
		moments->maxInteger = value;
	moments->count++;
	addWeighted(moments, rounded, length);
	if (length > 0)
		sumAddProduct(&moments->integral,
			      (double)(value - (outInt128)rounded),
			      (double)length);
}

void momentsAdd(struct moments *moments, hdIType type, const hdIColumn *column,
		const hdIBlock *block, size_t first, size_t last)
{
	const int64_t *start = block->start;
	const int64_t *end = block->end;

	switch (type) {
	case HDI_INT32:
		for (size_t i = first; i < last; i++) {
			addInteger(moments, column->int32[i],
				   end[i] - start[i]);
			moments->sumInteger += column->int32[i];
		}
		break;
	case HDI_INT64:
		for (size_t i = first; i < last; i++) {
			addInteger(moments, column->int64[i],
				   end[i] - start[i]);
			moments->sumInteger += column->int64[i];
		}
		break;
	case HDI_UINT64:
		for (size_t i = first; i < last; i++) {
			addInteger(moments, column->uint64[i],
				   end[i] - start[i]);
			moments->sumInteger += column->uint64[i];
		}
		break;
	case HDI_FLOAT:
		for (size_t i = first; i < last; i++) {
			double value = (double)column->float32[i];

			addFloat(moments, value, end[i] - start[i]);
			if (!isnan(value))
				sumAdd(&moments->sum, value);
		}
		break;
	case HDI_DOUBLE:
		for (size_t i = first; i < last; i++) {
			double value = column->float64[i];

			addFloat(moments, value, end[i] - start[i]);
			if (!isnan(value))
				sumAdd(&moments->sum, value);
		}
		break;
	case HDI_STRING:
		moments->count += last - first;
		break;
	}
}

void momentsAddPart(struct moments *moments, hdIType type,
		    const hdIColumn *column, const hdIBlock *block,
		    size_t entry, int64_t part)
{
	double share = (double)part /
		       (double)(block->end[entry] - block->start[entry]);
	outInt128 integer = 0;
	double value = 0;

	switch (type) {
	case HDI_INT32:
		integer = column->int32[entry];
		break;
	case HDI_INT64:
		integer = column->int64[entry];
		break;
	case HDI_UINT64:
		integer = column->uint64[entry];
		break;
	case HDI_FLOAT:
		value = (double)column->float32[entry];
		break;
	case HDI_DOUBLE:
		value = column->float64[entry];
		break;
	case HDI_STRING:
		moments->count++;
		return;
	}
	if (type == HDI_FLOAT || type == HDI_DOUBLE) {
		addFloat(moments, value, part);
	} else {
		addInteger(moments, integer, part);
		value = (double)integer;
	}
	if (!isnan(value)) {
		moments->shares++;
		sumAddProduct(&moments->sum, value, share);
	}
}

void momentsAddGrowth(struct moments *moments, double growth, int64_t length,
		      int64_t part)
{
	double share = length > 0 ? (double)part / (double)length : 1;

	if (length > 0) {
		double rate = growth / ((double)length / 1e9);

		if (moments->weight == 0 || rate < moments->min)
			moments->min = rate;
		if (moments->weight == 0 || rate > moments->max)
			moments->max = rate;
		moments->weight += (uint64_t)part;
	}
	moments->count++;
	moments->shares += part < length;
	sumAddProduct(&moments->sum, growth, share);
}

void momentsMerge(struct moments *moments, const struct moments *other)
{
	double weight = (double)other->weight;
	double delta = other->mean - moments->mean;

	if (other->count && (moments->count == 0 || other->min < moments->min))
		moments->min = other->min;
	if (other->count && (moments->count == 0 || other->max > moments->max))
		moments->max = other->max;
	if (other->count &&
	    (moments->count == 0 || other->minInteger < moments->minInteger))
		moments->minInteger = other->minInteger;
	if (other->count &&
	    (moments->count == 0 || other->maxInteger > moments->maxInteger))
		moments->maxInteger = other->maxInteger;
	moments->count += other->count;
	moments->missing += other->missing;
	moments->bare += other->bare;
	moments->resets += other->resets;
	moments->shares += other->shares;
	moments->sumInteger += other->sumInteger;
	sumAdd(&moments->sum, other->sum.high);
	moments->sum.low += other->sum.low;
	sumAdd(&moments->integral, other->integral.high);
	moments->integral.low += other->integral.low;
	if (other->weight == 0)
		return;
	moments->squares += other->squares;
	if (moments->weight)
		moments->squares += delta * delta * weight *
				    ((double)moments->weight /
				     (double)(moments->weight + other->weight));
	moments->weight += other->weight;
	moments->mean += delta * (weight / (double)moments->weight);
}

double momentsLargest(const struct moments *moments, hdIType type)
{
	bool isFloat = type == HDI_FLOAT || type == HDI_DOUBLE;
	double min = isFloat ? moments->min : (double)moments->minInteger;
	double max = isFloat ? moments->max : (double)moments->maxInteger;

	if (moments->count == 0 || type == HDI_STRING)
		return 0;
	return fmax(fabs(min), fabs(max));
}

struct momentsResult momentsGet(const struct moments *moments, hdIType type)
{
	struct momentsResult result = { NAN, NAN, NAN, NAN };
	double integral = moments->integral.high + moments->integral.low;

	if (moments->count == 0 || type == HDI_STRING)
		return result;
	result.sum = (double)moments->sumInteger +
		     (moments->sum.high + moments->sum.low);
	result.integral = integral / 1e9;
	if (moments->weight > 0) {
		result.mean = integral / (double)moments->weight;
		result.deviation =
			sqrt(moments->squares / (double)moments->weight);
	}
	return result;
}

char *momentsIntegralUnit(const char *unit)
{
	size_t length = strlen(unit);

	if (length > 2 && strcmp(unit + length - 2, "/s") == 0)
		return g_strndup(unit, length - 2);
	/* W, mW, kW, ...: at most one prefix, which may be a micro sign. */
	if (length > 0 && unit[length - 1] == 'W' &&
	    (length == 1 || g_utf8_strlen(unit, -1) == 2) &&
	    (length == 1 || strchr("numkMGTP", unit[0]) ||
	     (unsigned char)unit[0] >= 0x80))
		return g_strdup_printf("%.*sJ", (int)length - 1, unit);
	if (length == 0)
		return g_strdup("s");
	return g_strdup_printf("%s s", unit);
}
