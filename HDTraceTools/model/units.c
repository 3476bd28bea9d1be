/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Units as texts, and how far off a value can be by what its source states.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/model/units.h"

/** Prefixes; micro in its three spellings. */
static const struct {
	const char *text;
	double scale;
} prefixes[] = {
	{ "n", 1e-9 },          { "u", 1e-6 },    { "\302\265", 1e-6 },
	{ "\316\274", 1e-6 },   { "m", 1e-3 },    { "k", 1e3 },
	{ "M", 1e6 },           { "G", 1e9 },     { "T", 1e12 },
	{ "P", 1e15 },          { "Ki", 1024.0 }, { "Mi", 1048576.0 },
	{ "Gi", 1073741824.0 },
};

static bool hasPrefixes(const char *unit)
{
	static const char *const known[] = { "W",  "J", "V",   "A",   "s",
					     "Hz", "B", "W/s", "B/s", "Wh" };

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
		if (strcmp(unit, known[i]) == 0)
			return true;
	}
	return false;
}

struct unit unitParse(const char *text)
{
	struct unit unit = { .scale = 1 };
	const char *base = text;

	for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++) {
		size_t length = strlen(prefixes[i].text);

		if (strncmp(text, prefixes[i].text, length) == 0 &&
		    hasPrefixes(text + length)) {
			base = text + length;
			unit.scale = prefixes[i].scale;
		}
	}
	if (g_strlcpy(unit.base, base, sizeof(unit.base)) >= sizeof(unit.base))
		unit.base[0] = '\0';
	return unit;
}

struct quantityUnit unitForPeople(const char *text, double largest)
{
	struct unit unit = unitParse(text);

	return quantityUnitFor(largest * unit.scale, unit.scale, unit.base);
}

static bool hasBase(const char *text, const char *base)
{
	struct unit unit = unitParse(text);

	return strcmp(unit.base, base) == 0;
}

bool unitIsPower(const char *text)
{
	return hasBase(text, "W");
}

bool unitIsEnergy(const char *text)
{
	return hasBase(text, "J");
}

const char *attributeFind(const hdIAttribute *attributes, size_t count,
			  const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(attributes[i].name, name) == 0)
			return attributes[i].value;
	}
	return NULL;
}

const char *valueStates(const hdIGroup *group, const hdIValue *value,
			const char *name)
{
	const char *text =
		attributeFind(value->attributes, value->attributeCount, name);

	return text ? text
		    : attributeFind(group->attributes, group->attributeCount,
				    name);
}

bool valueIsSimulated(const hdIGroup *group, const hdIValue *value)
{
	static const char *const names[] = { "simulated", "estimated" };
	static const char *const denials[] = { "no", "false", "0" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		const char *text = valueStates(group, value, names[i]);
		bool isDenied = !text;

		for (size_t k = 0; k < G_N_ELEMENTS(denials) && text; k++)
			isDenied |= g_ascii_strcasecmp(text, denials[k]) == 0;
		if (!isDenied)
			return true;
	}
	return false;
}

char *valueTitle(const hdIGroup *group, const hdIValue *value)
{
	return g_strconcat(value->name,
			   valueIsSimulated(group, value) ? " (simulated)" : "",
			   NULL);
}

/* ---- Bounds ------------------------------------------------------------ */

/** Parse "NUMBER UNIT" at the beginning of a text; NULL if there is none. */
static const char *parseQuantity(const char *text, double *number,
				 struct unit *unit)
{
	char *end;
	char *word;
	size_t length;

	*number = g_ascii_strtod(text, &end);
	if (end == text || !isfinite(*number) || *number <= 0)
		return NULL;
	end += strspn(end, " ");
	length = strcspn(end, " ,;()");
	word = g_strndup(end, length);
	*unit = unitParse(word);
	g_free(word);
	return end + length + strspn(end + length, " ");
}

/** Parse "over TIME", in ns; 0 if there is none. */
static double parseOver(const char *rest)
{
	struct unit unit;
	double length;

	if (strncmp(rest, "over ", 5) != 0 ||
	    !parseQuantity(rest + 5, &length, &unit) ||
	    strcmp(unit.base, "s") != 0)
		return 0;
	return length * unit.scale * 1e9;
}

int64_t valueReachesBack(const hdIGroup *group, const hdIValue *value)
{
	const char *text = valueStates(group, value, "resolution");
	struct unit unit;
	double number;
	const char *rest = text ? parseQuantity(text, &number, &unit) : NULL;
	double over = rest ? parseOver(rest) : 0;

	return over < 1e18 ? (int64_t)over : 0;
}

/** What steps of a counter of time mean for a share of time, in %. */
static void addTimeSteps(struct bound *bound, const struct moments *moments,
			 double stepNs, const char *rest, uint64_t runs,
			 int64_t shortest)
{
	double window = (double)shortest;
	double weight = (double)moments->weight;

	window = MAX(window, parseOver(rest));
	if (window <= 0 || weight <= 0)
		return;
	bound->isKnown = true;
	bound->single += 100 * stepNs / window;
	/* What one interval misses the next one has. */
	bound->mean += 100 * stepNs * (double)runs / weight;
	bound->integral += 100 * stepNs * (double)runs / 1e9;
	bound->sum += 100 * stepNs / window * (double)moments->count;
}

static void addResolution(struct bound *bound, const hdIValue *value,
			  const struct moments *moments, const char *text,
			  uint64_t runs, int64_t shortest)
{
	struct unit own = unitParse(value->unit);
	struct unit unit;
	double number;
	const char *rest = parseQuantity(text, &number, &unit);
	double step;

	if (!rest)
		return;
	step = number * unit.scale;
	if (strcmp(value->unit, "%") == 0 && strcmp(unit.base, "s") == 0) {
		addTimeSteps(bound, moments, step * 1e9, rest, runs, shortest);
		return;
	}
	if (!own.base[0] || strcmp(own.base, unit.base) != 0)
		return;
	step /= own.scale;
	bound->isKnown = true;
	bound->single += step;
	bound->mean += step;
	bound->sum += step * (double)moments->count;
	bound->integral += momentsOver(step, (int64_t)moments->weight) / 1e9;
}

static void unitsAddClass(struct bound *bound, const hdIValue *value,
			  const struct moments *moments, const char *text)
{
	struct momentsResult result = momentsGet(moments, value->type);
	bool isFloat = value->type == HDI_FLOAT || value->type == HDI_DOUBLE;
	double min = isFloat ? moments->min : (double)moments->minInteger;
	double max = isFloat ? moments->max : (double)moments->maxInteger;
	char *end;
	double share = g_ascii_strtod(text, &end) / 100;
	double largest = MAX(fabs(min), fabs(max));
	/* Where signs differ, errors do not cancel as the values do. */
	bool hasOneSign = min >= 0 || max <= 0;

	end += strspn(end, " %");
	if (end == text || *end || !isfinite(share) || share <= 0)
		return;
	bound->isKnown = true;
	bound->single += share * largest;
	bound->mean += share * (hasOneSign ? fabs(result.mean) : largest);
	bound->sum += share * (hasOneSign ? fabs(result.sum)
					  : largest * (double)moments->count);
	bound->integral +=
		share *
		(hasOneSign ? fabs(result.integral)
			    : momentsOver(largest, (int64_t)moments->weight) /
				      1e9);
}

struct bound boundGet(const hdIGroup *group, const hdIValue *value,
		      const struct moments *moments, uint64_t runs,
		      int64_t shortest)
{
	struct bound bound = { false };
	const char *resolution = valueStates(group, value, "resolution");
	const char *class = valueStates(group, value, "class");

	if (value->type == HDI_STRING || moments->count == 0)
		return bound;
	if (resolution)
		addResolution(&bound, value, moments, resolution, runs,
			      shortest);
	if (class)
		unitsAddClass(&bound, value, moments, class);
	return bound;
}
