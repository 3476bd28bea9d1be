/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot --window: entries of curves are merged over windows.
 *
 * A window is gathered while its entries come. Then it is a step, with the mean
 * and the range of its entries, and a part of the bins that it lies in.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/plot/plot.h"
#include "cli/known.h"

static void clearWindow(struct plotCurve *curve, size_t number)
{
	curve->window = (struct plotBin){ .min = NAN, .max = NAN };
	curve->windowNumber = number;
}

void plotStartWindows(struct plotCurve *curve)
{
	clearWindow(curve, 0);
}

void plotEndWindow(const struct plot *plot, struct plotCurve *curve)
{
	const struct plotBin *of = &curve->window;
	struct plotStep step = { .min = of->min, .max = of->max, .value = NAN };
	struct phase window;
	struct known known = { .knownNs = of->weight };

	if (isnan(of->min))
		return;
	window = phasesAt(&plot->windows, curve->windowNumber);
	/* That before the first entry of all files is no part of the run. */
	window.start = MAX(window.start, plot->windows.windows.start);
	known.durationNs = window.end - window.start;
	if (knownHasMean(known))
		step.value = of->sum / (double)of->weight;
	step.start = MAX(window.start, plot->start);
	step.end = MIN(window.end, plot->end);
	plotAddStep(plot, curve, &step);
	clearWindow(curve, curve->windowNumber);
}

/** Go on to the window that an entry begins in; false: there is none. */
static bool enterWindow(const struct plot *plot, struct plotCurve *curve,
			int64_t start, int64_t end)
{
	const struct phaseWindows *windows = &plot->windows.windows;
	/* An entry without length is in the window that ends then. */
	size_t number =
		phasesWindowAt(&plot->windows, end > start ? start + 1 : end);

	if (number >= plot->windows.count ||
	    (end <= windows->start && !windows->isOpen))
		return false;
	if (number != curve->windowNumber) {
		plotEndWindow(plot, curve);
		clearWindow(curve, number);
	}
	return true;
}

void plotAddToWindows(const struct plot *plot, struct plotCurve *curve,
		      int64_t start, int64_t end, double value)
{
	struct phase window;
	int64_t part;

	do {
		if (!enterWindow(plot, curve, start, end))
			return;
		window = phasesAt(&plot->windows, curve->windowNumber);
		part = MIN(end, window.end) - start;
		curve->window.min = fmin(curve->window.min, value);
		curve->window.max = fmax(curve->window.max, value);
		curve->window.sum += momentsOver(value, part);
		curve->window.weight += part;
		start += part;
	} while (start < end);
}

void plotAddAmount(const struct plot *plot, struct plotCurve *curve,
		   int64_t time, double amount)
{
	if (isfinite(amount) && enterWindow(plot, curve, time, time))
		curve->window.sum += amount * curve->rateScale * 1e9;
}
