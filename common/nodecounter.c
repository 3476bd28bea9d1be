/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the attributes of a channel say of its counter; see nodepower.h. */
#include "config.h"

#include <string.h>

#include "common/nodepower.h"

/* A step of a counter whose source states none, in joules. */
#define RESOLUTION 1e-4
/* Counters with longer periods would not be judged within a run. */
#define PERIOD_NS_MAX 60e9

bool hdPowerIsCounted(const char *source)
{
	return source && strstr(source, "energy") &&
	       !strstr(source, ", integrated");
}

/* A unit behind a number. */
struct counterUnit {
	const char *name;
	double scale;
};

/* Read a decimal number that has a point in every locale. */
static const char *counterNumber(const char *text, double *number)
{
	double place = 1;

	*number = 0;
	for (; *text >= '0' && *text <= '9'; text++)
		*number = 10 * *number + (*text - '0');
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++)
			*number += (place /= 10) * (*text - '0');
	return text;
}

/* A number with one of some units at the beginning of a text; 0 if there is
 * none. */
static double counterQuantity(const char *text, const struct counterUnit *units)
{
	double number = 0;

	text = counterNumber(text, &number);
	for (; units->name; units++)
		if (strncmp(text, units->name, strlen(units->name)) == 0)
			return number * units->scale;
	return 0;
}

double hdPowerResolution(const char *text)
{
	static const struct counterUnit units[] = {
		{ " uJ", 1e-6 }, { " mJ", 1e-3 }, { " J", 1 }, { NULL, 0 }
	};
	double joules = text ? counterQuantity(text, units) : 0;

	return joules > 0 ? joules : RESOLUTION;
}

int64_t hdPowerPeriod(const char *text)
{
	static const struct counterUnit units[] = {
		{ " us", 1e3 }, { " ms", 1e6 }, { " s", 1e9 }, { NULL, 0 }
	};
	static const char word[] = "every ";
	const char *at = text ? strstr(text, word) : NULL;
	double ns = at ? counterQuantity(at + strlen(word), units) : 0;

	return ns > 0 && ns <= PERIOD_NS_MAX ? (int64_t)ns : 0;
}
