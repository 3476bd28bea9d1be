/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Levels from states and phases; see levels.h. */
#include "config.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/loads/levels.h"
#include "HDTraceTools/loads/utilization.h"
#include "HDTraceTools/model/units.h"
#include "cli/known.h"

void levelsInit(struct levels *levels)
{
	levels->list = g_array_new(FALSE, TRUE, sizeof(struct level));
	levels->runs = g_array_new(FALSE, TRUE, sizeof(struct levelRun));
}

void levelsFree(struct levels *levels)
{
	for (guint i = 0; i < levels->list->len; i++) {
		g_free(levelsAt(levels, i)->component);
		g_free(levelsAt(levels, i)->reason);
	}
	for (guint i = 0; i < levels->runs->len; i++)
		g_ptr_array_unref(levelsRunAt(levels, i)->reasons);
	g_array_unref(levels->list);
	g_array_unref(levels->runs);
}

double levelRate(const struct level *level)
{
	if (level->end <= level->start)
		return NAN;
	return level->operations * 1e9 / (double)(level->end - level->start);
}

double levelPower(const struct level *level)
{
	const struct known known = { level->knownNs,
				     level->end - level->start };

	if (level->knownNs <= 0)
		return NAN;
	return knownMean(known, level->energy * 1e9 / (double)level->knownNs);
}

struct level levelNew(const hdINode *node, int64_t start, int64_t end)
{
	return (struct level){
		.node = node,
		.start = start,
		.end = end,
		.target = NAN,
		.reached = NAN,
		.own = NAN,
		.operations = NAN,
		.energy = NAN,
		.steadiness = NAN,
		.scaled = NAN,
	};
}

/* ---- States ------------------------------------------------------------ */

struct levelStates {
	struct levels *levels;
	const struct selection *selection;
	const hdINode *node;
};

/* A number that is the whole text, with "%" behind it or not. */
static double levelsParseNumber(const char *text)
{
	char *end;
	double number = text ? g_ascii_strtod(text, &end) : NAN;

	if (!text || end == text)
		return NAN;
	end = g_strchug(end);
	if (*end == '%')
		end = g_strchug(end + 1);
	return *end || !isfinite(number) ? NAN : number;
}

static double levelsGetNumber(const hdIRecord *record, const char *name)
{
	char *text = g_strdup(attributeFind(record->attributes,
					    record->attributeCount, name));
	double number = levelsParseNumber(text);

	g_free(text);
	return number;
}

static bool levelsTakeState(const hdIRecord *record, void *data)
{
	struct levelStates *self = data;
	struct level level;

	if (record->kind != HDI_STATE || record->end <= record->start ||
	    strcmp(record->name, LEVEL_STATE) != 0 ||
	    !selectionHasTime(self->selection, record->start,
			      record->end - record->start))
		return true;
	level = levelNew(self->node, record->start, record->end);
	level.component = g_strdup(attributeFind(
		record->attributes, record->attributeCount, "component"));
	level.target = levelsGetNumber(record, "target");
	level.reached = levelsGetNumber(record, "reached");
	level.own = levelsGetNumber(record, "own");
	level.operations = levelsGetNumber(record, "operations");
	level.isCalibration = levelsGetNumber(record, "calibration") > 0;
	g_array_append_val(self->levels->list, level);
	return true;
}

void levelsAddStates(struct levels *levels, const struct scan *scan)
{
	for (size_t i = 0; i < scan->project->traceCount; i++) {
		const hdITraceFile *trace = scan->project->traces[i];
		struct levelStates states = { levels, scan->selection,
					      trace->node };

		if (scanHasTrace(scan, trace))
			scanTrace(scan, trace, levelsTakeState, &states);
	}
}

/* ---- Phases ------------------------------------------------------------ */

/* The number before the first "%"; NaN: there is none. */
static double levelsFindPercent(const char *name)
{
	const char *percent = strchr(name, '%');
	const char *at = percent;
	double number = NAN;

	while (at && at > name && at[-1] == ' ')
		at--;
	while (at && at > name && (g_ascii_isdigit(at[-1]) || at[-1] == '.'))
		at--;
	if (at && g_ascii_isdigit(*at))
		number = g_ascii_strtod(at, NULL);
	return number;
}

static double levelsTargetOf(const char *name, bool isNumbered)
{
	char *lower = g_ascii_strdown(name, -1);
	double target = levelsFindPercent(name);

	if (isnan(target) && !isNumbered)
		target = levelsParseNumber(lower);
	if (isnan(target) && strstr(lower, "idle"))
		target = 0;
	g_free(lower);
	return target;
}

/* Whether names are no more than the numbers of the phases. */
static bool levelsAreNumbered(const struct phases *phases)
{
	for (size_t i = 0; i < phases->count; i++) {
		const char *name = phases->names->pdata[phases->list[i].name];
		char *number = g_strdup_printf("%zu", i + 1);
		bool isSame = strcmp(name, number) == 0;

		g_free(number);
		if (!isSame)
			return false;
	}
	return true;
}

static void levelsAddPhasesOf(struct levels *levels, const hdINode *node,
			      const struct phases *phases)
{
	bool isNumbered = levelsAreNumbered(phases);

	for (size_t i = 0; i < phases->count; i++) {
		const struct phase *phase = &phases->list[i];
		const char *name = phases->names->pdata[phase->name];
		struct level level = levelNew(node, phase->start, phase->end);

		level.target = levelsTargetOf(name, isNumbered);
		level.isCalibration = g_ascii_strncasecmp(name, "cal", 3) == 0;
		level.isTargetGuessed = isnan(level.target);
		g_array_append_val(levels->list, level);
	}
}

void levelsAddPhases(struct levels *levels, const struct scan *scan,
		     const struct powerChoice *powers,
		     const struct phases *phases)
{
	for (size_t i = 0; i < scan->project->nodeCount; i++) {
		const hdINode *node = scan->project->nodes[i];

		if (selectionHasNode(scan->selection, node) &&
		    (powerChoiceOf(powers, node) || utilizationIsAt(node)))
			levelsAddPhasesOf(levels, node, phases);
	}
}
