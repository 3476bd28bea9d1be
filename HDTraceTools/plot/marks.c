/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot: the marks of the time axis.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "HDTraceTools/plot/plot.h"
#include "cli/output.h"
#include "common/clock.h"

static void addMark(GArray *marks, int64_t time, const char *label)
{
	struct plotMark mark = { .time = time };

	g_strlcpy(mark.label, label, sizeof(mark.label));
	g_array_append_val(marks, mark);
}

static GArray *relativeMarks(const struct plot *plot, int count, char *title,
			     size_t size)
{
	int64_t zero = plot->selection.projectStart;
	struct plotScale scale =
		plotTimeScale(plot->start - zero, plot->end - zero, count);
	GArray *marks = g_array_new(FALSE, FALSE, sizeof(struct plotMark));
	char label[32];

	for (int i = 0; i < scale.count; i++) {
		double ns = scale.first + i * scale.step;

		if (fabs(ns) < scale.step / 2)
			ns = 0;
		snprintf(label, sizeof(label), "%s%.*f",
			 ns < 0 ? "\342\210\222" : "", scale.decimals,
			 fabs(ns) * scale.factor);
		addMark(marks, zero + llround(ns), label);
	}
	snprintf(title, size, "Time (%s)", scale.unit);
	return marks;
}

/** Distances between marks of dates, in ns. */
static int64_t dateStep(double wanted)
{
	static const int seconds[] = { 1,    2,    5,     10,    15,    30,
				       60,   120,  300,   600,   900,   1800,
				       3600, 7200, 10800, 21600, 43200, 86400 };
	const size_t count = G_N_ELEMENTS(seconds);
	int64_t step = 1;

	for (int i = 0; step < HD_NS_PER_S; i++) {
		if ((double)step >= wanted)
			return step;
		step *= i % 3 == 1 ? 5 : 2;
		if (i % 3 == 1)
			step = step / 2;
	}
	for (size_t i = 0; i < count; i++) {
		if ((double)seconds[i] * HD_NS_PER_S >= wanted)
			return seconds[i] * HD_NS_PER_S;
	}
	step = INT64_C(86400) * HD_NS_PER_S;
	while ((double)step < wanted && step < INT64_MAX / 2)
		step *= 2;
	return step;
}

static void formatDate(char *label, size_t size, int64_t time, int64_t step)
{
	static const char *const forms[] = { "%Y-%m-%d", "%H:%M", "%H:%M:%S" };
	time_t when = (time_t)(time / HD_NS_PER_S);
	char decimals[OUT_NUMBER_SIZE];
	struct tm tm;
	int digits = 0;
	int form = 2;

	if (step % (86400 * HD_NS_PER_S) == 0)
		form = 0;
	else if (step % (60 * HD_NS_PER_S) == 0)
		form = 1;
	if (!gmtime_r(&when, &tm))
		return;
	strftime(label, size, forms[form], &tm);
	for (int64_t unit = HD_NS_PER_S; step % unit != 0; unit /= 10)
		digits++;
	if (digits == 0)
		return;
	/* "0.123456789" */
	outSeconds(decimals, time % HD_NS_PER_S);
	decimals[2 + digits] = '\0';
	g_strlcat(label, decimals + 1, size);
}

static GArray *dateMarks(const struct plot *plot, int count, char *title,
			 size_t size)
{
	GArray *marks = g_array_new(FALSE, FALSE, sizeof(struct plotMark));
	int64_t step = dateStep((double)(plot->end - plot->start) / count);
	int64_t first = plot->start / step * step;
	char label[40] = "";

	if (first < plot->start)
		first += step;
	for (int64_t time = first; time <= plot->end; time += step) {
		formatDate(label, sizeof(label), time, step);
		addMark(marks, time, label);
	}
	formatDate(label, sizeof(label), plot->start,
		   INT64_C(86400) * HD_NS_PER_S);
	snprintf(title, size, "Time on %s (UTC)", label);
	return marks;
}

GArray *plotTimeMarks(const struct plot *plot, int count, char *title,
		      size_t size)
{
	if (plot->time == PLOT_DATE)
		return dateMarks(plot, MAX(count, 1), title, size);
	return relativeMarks(plot, count, title, size);
}
