/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace plot: where the marks of scales are, and what stands at them.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/model/units.h"
#include "HDTraceTools/plot/core/scale.h"
#include "common/clock.h"

/** The smallest of 1, 2, 5, 10, ... that is not less. */
static double roundStep(double step)
{
	double power = pow(10, floor(log10(step)));

	/* 5.000000001 is 5. */
	step /= power * (1 + 1e-9);
	return power * (step <= 1 ? 1 : step <= 2 ? 2 : step <= 5 ? 5 : 10);
}

void plotRoundRange(double *min, double *max, bool hasZero)
{
	double step;

	if (*min > *max) {
		*min = 0;
		*max = 1;
		return;
	}
	/* What is much smaller than what it varies by begins at zero. */
	if (*min > 0 && (hasZero || *min < 0.7 * *max))
		*min = 0;
	if (*max < 0 && (hasZero || *max > 0.7 * *min))
		*max = 0;
	if (*min == *max) {
		double around = *min == 0 ? 0.5 : fabs(*min) * 0.05;

		*min -= *min == 0 ? 0 : around;
		*max += *max == 0 ? 2 * around : around;
	}
	step = roundStep((*max - *min) / 10);
	*min = floor(*min / step + 1e-9) * step;
	*max = ceil(*max / step - 1e-9) * step;
}

/** Prefixes of units, by powers of 1000 from 10^-9 on. */
static const char *const prefixes[] = { "n", "\302\265", "m", "",  "k",
					"M", "G",        "T", "P", "E" };

/** Name a unit so that numbers are from 0.1 to 1000. */
static void chooseUnit(struct plotScale *scale, double size, const char *text)
{
	static const char *const superscripts[] = {
		"10\342\201\273\342\201\271",
		"10\342\201\273\342\201\266",
		"10\342\201\273\302\263",
		"",
		"10\302\263",
		"10\342\201\266",
		"10\342\201\271",
		"10\302\271\302\262",
		"10\302\271\342\201\265",
		"10\302\271\342\201\270",
	};
	static const char *const known[] = { "W", "J",  "V", "A",
					     "s", "Hz", "B", "B/s" };
	struct unit unit = unitParse(text);
	bool hasPrefix = false;
	int power;

	scale->factor = 1;
	g_strlcpy(scale->unit, text, sizeof(scale->unit));
	if (size == 0 || (size >= 0.1 && size < 10000))
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
		hasPrefix |= strcmp(unit.base, known[i]) == 0;
	if (!hasPrefix)
		unit.scale = 1;
	power = (int)floor(log10(size * unit.scale * (1 + 1e-9)) / 3);
	power = CLAMP(power, -3, 6);
	scale->factor = unit.scale * pow(1000, -power);
	if (hasPrefix)
		snprintf(scale->unit, sizeof(scale->unit), "%s%s",
			 prefixes[power + 3], unit.base);
	else
		snprintf(scale->unit, sizeof(scale->unit), "%s%s%.40s",
			 superscripts[power + 3], power && *text ? " " : "",
			 text);
}

static void setMarks(struct plotScale *scale, double min, double max, int marks)
{
	double step = roundStep((max - min) / MAX(marks, 1));
	double shown = step * scale->factor;

	scale->step = step;
	scale->first = ceil(min / step - 1e-6) * step;
	scale->count = (int)floor((max - scale->first) / step + 1e-6) + 1;
	scale->decimals = MAX(0, (int)-floor(log10(shown) + 1e-9));
	/* A single mark is no scale. */
	if (scale->count < 2 && marks < 16)
		setMarks(scale, min, max, 2 * MAX(marks, 1));
}

struct plotScale plotScaleOf(double min, double max, int marks,
			     const char *unit)
{
	struct plotScale scale = { .factor = 1 };

	chooseUnit(&scale, MAX(fabs(min), fabs(max)), unit);
	setMarks(&scale, min, max, marks);
	return scale;
}

struct plotScale plotTimeScale(int64_t min, int64_t max, int marks)
{
	static const struct {
		double limit;
		double factor;
		const char *unit;
	} units[] = {
		{ 2e3, 1, "ns" },
		{ 2e6, 1e-3, "\302\265s" },
		{ 2e9, 1e-6, "ms" },
		{ 2 * 3.6e12, 1e-9, "s" },
		{ INFINITY, 1 / 3.6e12, "h" },
	};
	struct plotScale scale = { .factor = 1 };
	double length = (double)(max - min);
	size_t unit = 0;

	while (length >= units[unit].limit)
		unit++;
	/* Far from the beginning small units have large numbers. */
	while (unit < 3 && (double)max * units[unit].factor >= 1e5)
		unit++;
	scale.factor = units[unit].factor;
	g_strlcpy(scale.unit, units[unit].unit, sizeof(scale.unit));
	/* Marks are round in the unit, and not only in ns. */
	setMarks(&scale, (double)min, (double)max, marks);
	if (unit == 4) {
		double factor = scale.factor;

		scale.factor = 1;
		setMarks(&scale, (double)min * factor, (double)max * factor,
			 marks);
		scale.first /= factor;
		scale.step /= factor;
		scale.factor = factor;
	}
	return scale;
}
