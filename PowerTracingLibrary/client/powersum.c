/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Watts, added up; see powersum.h. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "PowerTracingLibrary/client/core/powersum.h"

void ptPowerSumInit(struct ptPowerSum *sum)
{
	*sum = (struct ptPowerSum){ 0 };
	pthread_mutex_init(&sum->mutex, NULL);
}

void ptPowerSumOpen(struct ptPowerSum *sum,
		    const struct ptRecorderGroup *groups, size_t count)
{
	GArray *columns =
		g_array_new(FALSE, FALSE, sizeof(struct ptPowerColumn));

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < groups[i].count; k++) {
			const struct ptPowerColumn column = { i, k };

			if (strcmp(groups[i].columns[k].unit, "W") == 0)
				g_array_append_val(columns, column);
		}
	}
	pthread_mutex_lock(&sum->mutex);
	sum->count = columns->len;
	sum->columns =
		(struct ptPowerColumn *)(void *)g_array_free(columns, FALSE);
	ptIntegralInit(&sum->integral, sum->count, sum->fromNs);
	pthread_mutex_unlock(&sum->mutex);
}

/* ---- The choice -------------------------------------------------------- */

static bool sumIsPeak(const struct ptPowerSum *sum, size_t number)
{
	for (size_t i = 0; i < sum->count; i++)
		if (sum->peaks[number].isLeftOut[i] ==
		    sum->channels[i].isCounted)
			return false;
	return true;
}

/* Note what counts now; what was noted longest ago makes room. */
static void sumAddPeak(struct ptPowerSum *sum)
{
	struct ptPowerPeak *peak;

	for (size_t i = 0; i < sum->peakCount; i++)
		if (sumIsPeak(sum, i))
			return;
	if (sum->peakCount == PT_POWER_PEAKS) {
		g_free(sum->peaks[0].isLeftOut);
		memmove(sum->peaks, sum->peaks + 1,
			(PT_POWER_PEAKS - 1) * sizeof(*sum->peaks));
		sum->peakCount--;
	}
	peak = &sum->peaks[sum->peakCount++];
	peak->watts = NAN;
	peak->isLeftOut = g_new0(bool, sum->count + 1);
	for (size_t i = 0; i < sum->count; i++)
		peak->isLeftOut[i] = !sum->channels[i].isCounted;
}

/* Peaks of what would count next if what counts now turned out not to. */
static void sumForesee(struct ptPowerSum *sum)
{
	struct hdPowerChannel *own = sum->channels;

	if (!sum->isDoubtful)
		return;
	sum->channels = g_memdup2(own, sum->count * sizeof(*own));
	for (size_t i = 0; i < sum->count; i++)
		if (own[i].isCounted && own[i].is != HD_POWER_CARD)
			sum->channels[i].fault = "";
	if (hdPowerChoose(sum->channels, sum->count) > 0)
		sumAddPeak(sum);
	g_free(sum->channels);
	sum->channels = own;
}

static void sumChoose(struct ptPowerSum *sum)
{
	hdPowerChoose(sum->channels, sum->count);
	for (size_t i = 0; i < sum->count; i++)
		sum->integral.values[i].isLeftOut = !sum->channels[i].isCounted;
	sumAddPeak(sum);
	for (size_t i = 0; i < sum->peakCount; i++)
		if (sumIsPeak(sum, i))
			sum->integral.peak = sum->peaks[i].watts;
}

void ptPowerSumChoose(struct ptPowerSum *sum,
		      const struct hdPowerChannel *channels,
		      const struct hdPowerGain *gains)
{
	pthread_mutex_lock(&sum->mutex);
	sum->channels = g_memdup2(channels, sum->count * sizeof(*channels));
	sum->gains = g_memdup2(gains, sum->count * sizeof(*gains));
	sum->windowNs = g_new0(int64_t, sum->count + 1);
	for (size_t i = 0; i < sum->count; i++) {
		hdPowerClassify(&sum->channels[i]);
		sum->gains[i].isKnown = true;
	}
	sum->isDoubtful = hdPowerHasCounter(sum->gains, sum->count);
	sumChoose(sum);
	sumForesee(sum);
	pthread_mutex_unlock(&sum->mutex);
}

/* ---- Counters that do not count ---------------------------------------- */

/* Dies are compared over all the time. */
static bool sumFindMirrors(struct ptPowerSum *sum)
{
	struct hdPowerGain *gains =
		g_memdup2(sum->gains, sum->count * sizeof(*gains));
	int64_t coveredNs = INT64_MAX;
	bool isNew;

	for (size_t i = 0; i < sum->count; i++) {
		const struct hdIntegral *energy =
			&sum->integral.values[i].energy;

		gains[i].joules = energy->sum;
		gains[i].isKnown = energy->coveredNs > 0;
		if (gains[i].isKnown)
			coveredNs = MIN(coveredNs, energy->coveredNs);
	}
	isNew = hdPowerFindMirrors(sum->channels, gains, sum->count, coveredNs);
	g_free(gains);
	return isNew;
}

/* Judge the channels of a group by their window, and begin another one. */
static void sumJudge(struct ptPowerSum *sum, size_t group, int64_t windowNs)
{
	struct hdPowerGain *gains =
		g_memdup2(sum->gains, sum->count * sizeof(*gains));
	bool isNew;

	for (size_t i = 0; i < sum->count; i++) {
		if (sum->columns[i].group != group) {
			gains[i].isKnown = false;
			continue;
		}
		/* A window without any known counter tells nothing. */
		sum->isJudged |= gains[i].isKnown && gains[i].isCounter;
		sum->gains[i].joules = 0;
		sum->gains[i].isKnown = true;
		sum->windowNs[i] = 0;
	}
	isNew = hdPowerJudge(sum->channels, gains, sum->count, windowNs);
	g_free(gains);
	if (sumFindMirrors(sum) || isNew)
		sumChoose(sum);
}

/* Mean power of a reading: by the energy where that is known. */
static double sumMean(const struct ptRecorderReading *reading, size_t column)
{
	if (!reading->joules || !isfinite(reading->joules[column]) ||
	    reading->lengthNs <= 0)
		return reading->values[column];
	return reading->joules[column] / ((double)reading->lengthNs / 1e9);
}

static void sumWatch(struct ptPowerSum *sum, size_t column, double watts,
		     int64_t lengthNs)
{
	sum->windowNs[column] += lengthNs;
	if (lengthNs <= 0)
		return;
	if (isfinite(watts))
		sum->gains[column].joules += hdIntegralOf(watts, lengthNs);
	else
		sum->gains[column].isKnown = false;
}

/* How long a group is watched before it is judged. */
static int64_t sumWindow(const struct ptPowerSum *sum, size_t group)
{
	int64_t window = HD_POWER_WINDOW_NS;

	for (size_t i = 0; i < sum->count; i++)
		if (sum->columns[i].group == group)
			window = MAX(window, hdPowerWindow(&sum->gains[i], 1));
	return window;
}

/* Watch what a group's counters gain. */
static void sumWatchGroup(struct ptPowerSum *sum, size_t group,
			  const struct ptRecorderReading *reading)
{
	int64_t windowNs = 0;

	if (!sum->isDoubtful)
		return;
	for (size_t i = 0; i < sum->count; i++) {
		if (sum->columns[i].group != group)
			continue;
		sumWatch(sum, i, sumMean(reading, sum->columns[i].column),
			 reading->lengthNs);
		windowNs = sum->windowNs[i];
	}
	if (windowNs >= sumWindow(sum, group))
		sumJudge(sum, group, windowNs);
}

void ptPowerSumSettle(struct ptPowerSum *sum)
{
	pthread_mutex_lock(&sum->mutex);
	for (size_t i = 0; sum->isDoubtful && !sum->isJudged && i < sum->count;
	     i++)
		if (sum->windowNs[i] > 0)
			sumJudge(sum, sum->columns[i].group, sum->windowNs[i]);
	pthread_mutex_unlock(&sum->mutex);
}

/* ---- Readings ---------------------------------------------------------- */

/* The power now if other channels counted. */
static double peakNow(struct ptPowerSum *sum, const struct ptPowerPeak *peak)
{
	double watts = 0;

	for (size_t i = 0; i < sum->count; i++)
		if (!peak->isLeftOut[i])
			watts += sum->integral.values[i].last;
	return watts;
}

static void sumPeaks(struct ptPowerSum *sum)
{
	ptIntegralPeak(&sum->integral);
	for (size_t i = 0; i < sum->peakCount; i++) {
		double watts = peakNow(sum, &sum->peaks[i]);

		if (isfinite(watts) && !(watts <= sum->peaks[i].watts))
			sum->peaks[i].watts = watts;
	}
}

void ptPowerSumAdd(struct ptPowerSum *sum, size_t group,
		   const struct ptRecorderReading *reading)
{
	pthread_mutex_lock(&sum->mutex);
	for (size_t i = 0; sum->fromNs && i < sum->count; i++) {
		size_t column = sum->columns[i].column;

		if (sum->columns[i].group == group)
			ptIntegralAddMean(&sum->integral, i,
					  reading->values[column],
					  sumMean(reading, column),
					  reading->endNs, reading->lengthNs);
	}
	if (sum->fromNs) {
		sumPeaks(sum);
		sumWatchGroup(sum, group, reading);
	}
	pthread_mutex_unlock(&sum->mutex);
}

void ptPowerSumBegin(struct ptPowerSum *sum, int64_t ns)
{
	pthread_mutex_lock(&sum->mutex);
	sum->fromNs = sum->integral.fromNs = ns;
	pthread_mutex_unlock(&sum->mutex);
}

void ptPowerSumEnd(struct ptPowerSum *sum, int64_t ns)
{
	pthread_mutex_lock(&sum->mutex);
	sum->integral.toNs = ns;
	pthread_mutex_unlock(&sum->mutex);
}

double ptPowerSumNow(const struct ptPowerSum *sum)
{
	return ptPowerSumIsSettled(sum) ? ptIntegralNow(&sum->integral) : NAN;
}

void ptPowerSumClear(struct ptPowerSum *sum)
{
	pthread_mutex_destroy(&sum->mutex);
	ptIntegralClear(&sum->integral);
	for (size_t i = 0; i < sum->peakCount; i++)
		g_free(sum->peaks[i].isLeftOut);
	g_free(sum->columns);
	g_free(sum->channels);
	g_free(sum->gains);
	g_free(sum->windowNs);
}
