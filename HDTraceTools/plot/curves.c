/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot: draws curves.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/plot/layout.h"
#include "cli/known.h"

/** Colours for colour-blind people (Okabe and Ito), for lines on white. */
static const struct canvasColor palette[] = {
	{ 0.000, 0.447, 0.698 }, /* blue */
	{ 0.835, 0.369, 0.000 }, /* vermillion */
	{ 0.000, 0.620, 0.451 }, /* bluish green */
	{ 0.800, 0.475, 0.655 }, /* reddish purple */
	{ 0.902, 0.624, 0.000 }, /* orange */
	{ 0.337, 0.706, 0.914 }, /* sky blue */
	{ 0.000, 0.000, 0.000 }, /* black */
};

/** Lines differ in their dashes, too, for print without colours. */
static const double dashes[][4] = {
	{ 0 },
	{ 9, 1.5 },
	{ 2, 1 },
	{ 9, 1.5, 2, 1.5 },
};
static const size_t dashCounts[] = { 0, 2, 2, 4 };

struct canvasPen plotPenOf(const struct plot *plot, const struct plotCurve *of)
{
	guint curve = of->number;
	/* What is called the same differs in its dashes. */
	guint source = (guint)(of->source - plot->sources);
	guint style = (curve + curve / (guint)G_N_ELEMENTS(palette) + source) %
		      G_N_ELEMENTS(dashes);

	return (struct canvasPen){
		.color = palette[curve % G_N_ELEMENTS(palette)],
		.width = 0.9,
		.dashes = dashCounts[style] ? dashes[style] : NULL,
		.dashCount = dashCounts[style],
	};
}

double plotXOf(const struct plotLayout *layout, int64_t time)
{
	const struct plot *plot = layout->plot;
	double part = (double)(time - plot->start) /
		      (double)(plot->end - plot->start);

	return layout->left + part * (layout->right - layout->left);
}

double plotYOf(const struct plotPanel *panel, const struct plotPlace *place,
	       double value)
{
	double part = (value - panel->min) / (panel->max - panel->min);

	return place->bottom - part * (place->bottom - place->top);
}

static void curvesFlushPoints(struct canvas *canvas, GArray *points,
			      const struct canvasPen *pen)
{
	canvasLine(canvas, (const void *)points->data, points->len, pen);
	g_array_set_size(points, 0);
}

static void curvesAddPoint(GArray *points, double x, double y)
{
	struct canvasPoint point = { x, y };

	g_array_append_val(points, point);
}

/** All entries, as steps: a value holds for all of its interval. */
static void drawSteps(const struct plotLayout *layout, struct canvas *canvas,
		      const struct plotPanel *panel,
		      const struct plotPlace *place,
		      const struct plotCurve *curve,
		      const struct canvasPen *pen)
{
	GArray *points = g_array_new(FALSE, FALSE, sizeof(struct canvasPoint));
	int64_t last = INT64_MIN;

	for (guint i = 0; i < curve->steps->len; i++) {
		const struct plotStep *step =
			&g_array_index(curve->steps, struct plotStep, i);
		double y;

		if (isnan(step->value) || step->start != last)
			curvesFlushPoints(canvas, points, pen);
		last = step->end;
		if (isnan(step->value))
			continue;
		y = plotYOf(panel, place, step->value);
		curvesAddPoint(points, plotXOf(layout, step->start), y);
		curvesAddPoint(points, plotXOf(layout, step->end), y);
	}
	curvesFlushPoints(canvas, points, pen);
	g_array_unref(points);
}

/** Windows that follow each other: from minimum to maximum. */
static void drawStepBand(const struct plotLayout *layout, struct canvas *canvas,
			 const struct plotPanel *panel,
			 const struct plotPlace *place,
			 const struct plotStep *steps, guint count,
			 struct canvasColor color)
{
	GArray *points = g_array_new(FALSE, FALSE, sizeof(struct canvasPoint));

	for (guint i = 0; i < count; i++) {
		double y = plotYOf(panel, place, steps[i].max);

		curvesAddPoint(points, plotXOf(layout, steps[i].start), y);
		curvesAddPoint(points, plotXOf(layout, steps[i].end), y);
	}
	for (guint i = count; i > 0; i--) {
		double y = plotYOf(panel, place, steps[i - 1].min);

		curvesAddPoint(points, plotXOf(layout, steps[i - 1].end), y);
		curvesAddPoint(points, plotXOf(layout, steps[i - 1].start), y);
	}
	canvasArea(canvas, (const void *)points->data, points->len, color,
		   layout->bandAlpha);
	g_array_unref(points);
}

/** The bands of windows; where there are none they are broken. */
static void drawStepBands(const struct plotLayout *layout,
			  struct canvas *canvas, const struct plotPanel *panel,
			  const struct plotPlace *place,
			  const struct plotCurve *curve,
			  struct canvasColor color)
{
	const struct plotStep *steps = (const void *)curve->steps->data;
	guint count = curve->steps->len;
	guint first = 0;

	for (guint i = 1; i <= count; i++) {
		if (i < count && steps[i].start == steps[i - 1].end)
			continue;
		drawStepBand(layout, canvas, panel, place, &steps[first],
			     i - first, color);
		first = i;
	}
}

/** Bins that follow each other: from minimum to maximum. */
static void drawBand(const struct plotLayout *layout, struct canvas *canvas,
		     const struct plotPanel *panel,
		     const struct plotPlace *place,
		     const struct plotCurve *curve, size_t first, size_t last,
		     struct canvasColor color)
{
	const struct plot *plot = layout->plot;
	GArray *points = g_array_new(FALSE, FALSE, sizeof(struct canvasPoint));

	curvesAddPoint(points, plotXOf(layout, plotBinStart(plot, first)),
		       plotYOf(panel, place, curve->bins[first].max));
	for (size_t i = first; i < last; i++)
		curvesAddPoint(points, plotBinMiddle(layout, i),
			       plotYOf(panel, place, curve->bins[i].max));
	curvesAddPoint(points, plotXOf(layout, plotBinStart(plot, last)),
		       plotYOf(panel, place, curve->bins[last - 1].max));
	curvesAddPoint(points, plotXOf(layout, plotBinStart(plot, last)),
		       plotYOf(panel, place, curve->bins[last - 1].min));
	for (size_t i = last; i > first; i--)
		curvesAddPoint(points, plotBinMiddle(layout, i - 1),
			       plotYOf(panel, place, curve->bins[i - 1].min));
	curvesAddPoint(points, plotXOf(layout, plotBinStart(plot, first)),
		       plotYOf(panel, place, curve->bins[first].min));
	canvasArea(canvas, (const void *)points->data, points->len, color,
		   layout->bandAlpha);
	g_array_unref(points);
}

/** Whether so much of a bin is known that it has a mean. */
static bool hasMean(const struct plot *plot, const struct plotCurve *curve,
		    size_t bin)
{
	struct known known = {
		.knownNs = curve->bins[bin].weight,
		.durationNs =
			plotBinStart(plot, bin + 1) - plotBinStart(plot, bin),
	};

	return knownHasMean(known);
}

/** Means of bins that follow each other; the line is broken where too little is
 *  known for one, and the band shows what is. */
static void drawMeans(const struct plotLayout *layout, struct canvas *canvas,
		      const struct plotPanel *panel,
		      const struct plotPlace *place,
		      const struct plotCurve *curve, size_t first, size_t last,
		      const struct canvasPen *pen)
{
	const struct plot *plot = layout->plot;
	GArray *points = g_array_new(FALSE, FALSE, sizeof(struct canvasPoint));

	for (size_t i = first; i < last; i++) {
		const struct plotBin *bin = &curve->bins[i];
		double y;

		if (!hasMean(plot, curve, i))
			continue;
		y = plotYOf(panel, place, bin->sum / (double)bin->weight);
		if (i == first || !hasMean(plot, curve, i - 1))
			curvesAddPoint(points,
				       plotXOf(layout, plotBinStart(plot, i)),
				       y);
		curvesAddPoint(points, plotBinMiddle(layout, i), y);
		if (i + 1 < last && hasMean(plot, curve, i + 1))
			continue;
		curvesAddPoint(points,
			       plotXOf(layout, plotBinStart(plot, i + 1)), y);
		curvesFlushPoints(canvas, points, pen);
	}
	g_array_unref(points);
}

/** Call a part of the drawing for each run of bins with values. */
static void drawDense(const struct plotLayout *layout, struct canvas *canvas,
		      const struct plotPanel *panel,
		      const struct plotPlace *place,
		      const struct plotCurve *curve,
		      const struct canvasPen *pen, bool isBand)
{
	size_t count = layout->plot->binCount;
	size_t first = 0;

	while (first < count) {
		size_t last;

		while (first < count && isnan(curve->bins[first].min))
			first++;
		for (last = first;
		     last < count && !isnan(curve->bins[last].min); last++)
			;
		if (first == last)
			break;
		if (isBand)
			drawBand(layout, canvas, panel, place, curve, first,
				 last, pen->color);
		else
			drawMeans(layout, canvas, panel, place, curve, first,
				  last, pen);
		first = last;
	}
}

/* Bands of all curves lie behind the lines of all. */
void plotDrawCurves(const struct plotLayout *layout, struct canvas *canvas,
		    const struct plotPanel *panel,
		    const struct plotPlace *place)
{
	for (guint i = 0; i < panel->curves->len; i++) {
		const struct plotCurve *curve = panel->curves->pdata[i];
		const struct canvasPen pen = plotPenOf(layout->plot, curve);

		if (plotIsDense(curve)) {
			canvasBegin(canvas, "band", curve->label);
			drawDense(layout, canvas, panel, place, curve, &pen,
				  true);
			canvasEnd(canvas);
		} else if (layout->plot->window.length) {
			canvasBegin(canvas, "band", curve->label);
			drawStepBands(layout, canvas, panel, place, curve,
				      pen.color);
			canvasEnd(canvas);
		}
	}
	for (guint i = 0; i < panel->curves->len; i++) {
		const struct plotCurve *curve = panel->curves->pdata[i];
		const struct canvasPen pen = plotPenOf(layout->plot, curve);

		canvasBegin(canvas, "curve", curve->label);
		if (plotIsDense(curve))
			drawDense(layout, canvas, panel, place, curve, &pen,
				  false);
		else
			drawSteps(layout, canvas, panel, place, curve, &pen);
		canvasEnd(canvas);
	}
}
