/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot A B: the power of all nodes of each project over each other, and
 * their difference.
 *
 * Power is known where that of all nodes is. As long as curves have all their
 * entries the sum has all of theirs, too; else it has means of bins.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "HDTraceTools/model/units.h"
#include "HDTraceTools/plot/plot.h"

/** So many entries in a bin are summed up one by one. */
#define STEPS_A_BIN 4

/** A curve that is added, so many times. */
struct summand {
	const struct plotCurve *curve;
	double factor;
	guint at; /**< The step that is looked at. */
};

static struct summand *summandAt(GArray *summands, guint i)
{
	return &g_array_index(summands, struct summand, i);
}

/* ---- Adding ------------------------------------------------------------ */

static int plotCompareCompareTimes(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/** All times at which a step begins or ends. */
static GArray *plotCompareTimesOf(GArray *summands)
{
	GArray *times = g_array_new(FALSE, FALSE, sizeof(int64_t));

	for (guint i = 0; i < summands->len; i++) {
		const GArray *steps = summandAt(summands, i)->curve->steps;

		for (guint k = 0; k < steps->len; k++) {
			const struct plotStep *step =
				&g_array_index(steps, struct plotStep, k);

			g_array_append_val(times, step->start);
			g_array_append_val(times, step->end);
		}
	}
	if (times->len)
		qsort(times->data, times->len, sizeof(int64_t),
		      plotCompareCompareTimes);
	return times;
}

/** What a curve has from a time on, which only grows; NaN: nothing. */
static double valueAt(struct summand *self, int64_t time)
{
	const GArray *steps = self->curve->steps;
	const struct plotStep *step;

	while (self->at < steps->len &&
	       g_array_index(steps, struct plotStep, self->at).end <= time)
		self->at++;
	if (self->at == steps->len)
		return NAN;
	step = &g_array_index(steps, struct plotStep, self->at);
	return step->start <= time ? step->value * self->factor : NAN;
}

static void addSteps(const struct plot *plot, GArray *summands,
		     struct plotCurve *sum)
{
	GArray *times = plotCompareTimesOf(summands);

	for (guint i = 1; i < times->len; i++) {
		struct plotStep step = {
			.start = g_array_index(times, int64_t, i - 1),
			.end = g_array_index(times, int64_t, i),
		};

		if (step.start == step.end)
			continue;
		for (guint k = 0; k < summands->len; k++)
			step.value +=
				valueAt(summandAt(summands, k), step.start);
		step.min = step.max = step.value;
		if (!isnan(step.value))
			plotAddStep(plot, sum, &step);
	}
	g_array_unref(times);
}

static void addBins(const struct plot *plot, GArray *summands,
		    struct plotCurve *sum)
{
	g_array_unref(sum->steps);
	sum->steps = NULL;
	for (size_t i = 0; i < plot->binCount; i++) {
		struct plotBin bin = { .weight = INT64_MAX };
		double value = 0;

		for (guint k = 0; k < summands->len; k++) {
			const struct summand *one = summandAt(summands, k);
			const struct plotBin *from = &one->curve->bins[i];

			value += one->factor * from->sum / (double)from->weight;
			bin.weight = MIN(bin.weight, from->weight);
		}
		if (isnan(value) || bin.weight == 0)
			continue;
		bin.min = bin.max = value;
		bin.sum = momentsOver(value, bin.weight);
		sum->bins[i] = bin;
	}
}

/** Whether all entries can be added one by one. */
static bool hasFew(const struct plot *plot, GArray *summands)
{
	size_t count = 0;

	for (guint i = 0; i < summands->len; i++) {
		const GArray *steps = summandAt(summands, i)->curve->steps;

		if (!steps)
			return false;
		count += steps->len;
	}
	return count <= STEPS_A_BIN * plot->binCount;
}

/** What is known of the sum, as steps or bins. */
static void findMoments(const struct plot *plot, struct plotCurve *sum)
{
	for (size_t i = 0; i < plot->binCount; i++) {
		const struct plotBin *bin = &sum->bins[i];

		if (isnan(bin->min))
			continue;
		sum->window.sum += bin->sum;
		sum->window.weight += bin->weight;
	}
}

/** Make a curve that is the sum of others; none of none. */
static struct plotCurve *plotCompareSumOf(const struct plot *plot,
					  GArray *summands, char *label)
{
	struct plotCurve *sum = g_new0(struct plotCurve, 1);

	sum->source = plot->sources;
	sum->label = label;
	sum->bare = g_strdup(label);
	plotStartCurve(plot, sum);
	if (hasFew(plot, summands))
		addSteps(plot, summands, sum);
	else
		addBins(plot, summands, sum);
	sum->window = (struct plotBin){ .weight = 0 };
	findMoments(plot, sum);
	return sum;
}

/* ---- Power ------------------------------------------------------------- */

/** Whether a curve is of the energy of a node, that of no node above is. */
static bool isTotal(const struct plotCurve *curve)
{
	const struct findingsGroup *group =
		&curve->source->findings->groups[curve->groupNumber];

	return group->countsForTotal && group->powerCount &&
	       group->isPower[curve->column];
}

/** The curves of the power of a project, in W. */
static GArray *powersOf(const struct plot *plot,
			const struct plotSource *source)
{
	GArray *powers = g_array_new(FALSE, FALSE, sizeof(struct summand));

	for (guint i = 0; i < plot->panels->len; i++) {
		const struct plotPanel *panel = plot->panels->pdata[i];
		struct summand one = { .factor = unitParse(panel->unit).scale };

		for (guint k = 0; k < panel->curves->len; k++) {
			one.curve = panel->curves->pdata[k];
			if (one.curve->source == source && isTotal(one.curve))
				g_array_append_val(powers, one);
		}
	}
	return powers;
}

/** What the second curve has more than the first. */
static struct plotCurve *differenceOf(const struct plot *plot,
				      const struct plotCurve *first,
				      const struct plotCurve *second)
{
	const struct summand both[] = { { first, -1, 0 }, { second, 1, 0 } };
	GArray *summands = g_array_new(FALSE, FALSE, sizeof(struct summand));
	struct plotCurve *curve;

	g_array_append_vals(summands, both, G_N_ELEMENTS(both));
	curve = plotCompareSumOf(plot, summands,
				 g_strdup_printf("%s \342\210\222 %s",
						 second->label, first->label));
	g_array_unref(summands);
	return curve;
}

void plotCompare(struct plot *plot)
{
	struct plotPanel *panel;
	GPtrArray *curves;

	if (plot->sourceCount < 2)
		return;
	panel = plotNewPanel("Power of all nodes", "W");
	curves = panel->curves;
	for (size_t i = 0; i < plot->sourceCount; i++) {
		const struct plotSource *source = &plot->sources[i];
		GArray *powers = powersOf(plot, source);

		if (powers->len)
			g_ptr_array_add(
				curves,
				plotCompareSumOf(plot, powers,
						 g_strdup(source->name)));
		g_array_unref(powers);
	}
	if (curves->len < 2) {
		plotFreePanel(panel);
		return;
	}
	if (plot->sourceCount == 2)
		g_ptr_array_add(curves, differenceOf(plot, curves->pdata[0],
						     curves->pdata[1]));
	for (guint i = 0; i < curves->len; i++)
		((struct plotCurve *)curves->pdata[i])->number = i;
	panel->isComparison = true;
	g_ptr_array_insert(plot->panels, 0, panel);
}
