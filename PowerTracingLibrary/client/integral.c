/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Power over a time; see integral.h. */
#include "config.h"

#include <math.h>

#include <glib.h>

#include "PowerTracingLibrary/client/core/integral.h"

void ptIntegralInit(struct ptIntegral *integral, size_t count, int64_t fromNs)
{
	*integral = (struct ptIntegral){
		.fromNs = fromNs,
		.toNs = INT64_MAX,
		.values = g_new0(struct ptIntegralValue, count),
		.count = count,
		.peak = NAN,
	};
	for (size_t i = 0; i < count; i++)
		integral->values[i].last = NAN;
}

void ptIntegralClear(struct ptIntegral *integral)
{
	g_free(integral->values);
	integral->values = NULL;
	integral->count = 0;
}

void ptIntegralAdd(struct ptIntegral *integral, size_t value, double watts,
		   int64_t endNs, int64_t lengthNs)
{
	ptIntegralAddMean(integral, value, watts, watts, endNs, lengthNs);
}

void ptIntegralAddMean(struct ptIntegral *integral, size_t value, double watts,
		       double mean, int64_t endNs, int64_t lengthNs)
{
	struct ptIntegralValue *at = &integral->values[value];
	/* No time counts twice, whatever the service says. */
	int64_t begin =
		MAX(MAX(endNs - lengthNs, integral->fromNs), at->lastNs);
	int64_t end = MIN(endNs, integral->toNs);

	at->lastNs = MAX(at->lastNs, endNs);
	if (!isfinite(watts) || !isfinite(mean) || end <= begin)
		return;
	hdIntegralAdd(&at->energy, mean, end - begin);
	at->last = watts;
}

double ptIntegralNow(const struct ptIntegral *integral)
{
	double sum = 0;
	size_t counted = 0;

	for (size_t i = 0; i < integral->count; i++) {
		if (integral->values[i].isLeftOut)
			continue;
		sum += integral->values[i].last;
		counted++;
	}
	return counted > 0 ? sum : NAN;
}

void ptIntegralPeak(struct ptIntegral *integral)
{
	double sum = ptIntegralNow(integral);

	/* As long as one is not known the sum is NaN. */
	if (isfinite(sum) && !(sum <= integral->peak))
		integral->peak = sum;
}

bool ptIntegralIsComplete(const struct ptIntegral *integral)
{
	for (size_t i = 0; i < integral->count; i++)
		if (!integral->values[i].isLeftOut &&
		    integral->values[i].lastNs < integral->toNs)
			return false;
	return true;
}

double ptIntegralJoules(const struct ptIntegral *integral)
{
	double joules = 0;

	for (size_t i = 0; i < integral->count; i++)
		if (!integral->values[i].isLeftOut)
			joules += integral->values[i].energy.sum;
	return joules;
}

double ptIntegralWatts(const struct ptIntegral *integral)
{
	double watts = 0;

	for (size_t i = 0; i < integral->count; i++)
		if (!integral->values[i].isLeftOut &&
		    integral->values[i].energy.coveredNs > 0)
			watts += integral->values[i].energy.sum /
				 ((double)integral->values[i].energy.coveredNs /
				  1e9);
	return watts;
}

int64_t ptIntegralCovered(const struct ptIntegral *integral)
{
	int64_t covered = INT64_MAX;

	for (size_t i = 0; i < integral->count; i++)
		if (!integral->values[i].isLeftOut)
			covered = MIN(covered,
				      integral->values[i].energy.coveredNs);
	return covered < INT64_MAX ? covered : 0;
}
