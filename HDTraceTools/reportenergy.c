/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file reportenergy.c
 * hdtrace report: which values tell the energy of a node, and how exactly.
 */
#include "config.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "report.h"

struct bound reportBound(const struct reportGroup *group, size_t value)
{
	return boundGet(group->group, &group->group->values[value],
			&group->moments[value], group->gaps.count + 1,
			group->shortest);
}

double reportTotal(const struct reportGroup *group, size_t value, double *bound,
		   char **unit)
{
	const hdIValue *of = &group->group->values[value];
	const struct moments *moments = &group->moments[value];
	struct momentsResult result = momentsGet(moments, of->type);
	struct bound bounds = reportBound(group, value);

	*unit = NULL;
	*bound = NAN;
	if (of->type == HDI_STRING || moments->count == 0)
		return NAN;
	if (unitIsPower(of->unit) || g_str_has_suffix(of->unit, "/s")) {
		*unit = momentsIntegralUnit(of->unit);
		*bound = bounds.isKnown ? bounds.integral : NAN;
		return result.integral;
	}
	if (!unitIsEnergy(of->unit))
		return NAN;
	*unit = g_strdup(of->unit);
	*bound = bounds.isKnown ? bounds.sum : NAN;
	return result.sum;
}

struct reportEnergy reportGroupEnergy(const struct reportGroup *group,
				      const struct moments *moments)
{
	struct reportEnergy energy = { .hasBound = true };

	for (size_t i = 0; i < group->group->valueCount; i++) {
		const hdIValue *value = &group->group->values[i];
		double scale = unitParse(value->unit).scale;
		bool isPower = unitIsPower(value->unit);
		struct momentsResult result;
		struct bound bound;

		if (!group->isPower[i] || moments[i].count == 0)
			continue;
		result = momentsGet(&moments[i], value->type);
		bound = boundGet(group->group, value, &moments[i],
				 group->gaps.count + 1, group->shortest);
		energy.isKnown = true;
		energy.joules +=
			scale * (isPower ? result.integral : result.sum);
		energy.bound += scale * (isPower ? bound.integral : bound.sum);
		energy.hasBound &= bound.isKnown;
		energy.isSimulated |= valueIsSimulated(group->group, value);
		energy.seconds =
			MAX(energy.seconds, (double)moments[i].weight / 1e9);
	}
	energy.hasBound &= energy.isKnown;
	return energy;
}

void reportEnergyAdd(struct reportEnergy *sum,
		     const struct reportEnergy *energy)
{
	if (!energy->isKnown)
		return;
	sum->hasBound = energy->hasBound && (sum->hasBound || !sum->isKnown);
	sum->isKnown = true;
	sum->joules += energy->joules;
	sum->bound += energy->bound;
	sum->isSimulated |= energy->isSimulated;
	sum->seconds = MAX(sum->seconds, energy->seconds);
}

double reportWatts(const struct reportEnergy *energy)
{
	return energy->isKnown && energy->seconds > 0
		       ? energy->joules / energy->seconds
		       : NAN;
}

struct reportMost reportFindMost(const struct report *report)
{
	struct reportMost most = { NULL, NULL };

	for (guint i = 0; report->phases->len > 1 && i < report->phases->len;
	     i++) {
		const struct reportPhase *phase =
			&g_array_index(report->phases, struct reportPhase, i);
		double watts = reportWatts(&phase->energy);

		if (!phase->energy.isKnown)
			continue;
		if (!most.energy ||
		    phase->energy.joules > most.energy->energy.joules)
			most.energy = phase;
		/* NaN is not more than anything. */
		if (watts > -INFINITY &&
		    (!most.power || watts > reportWatts(&most.power->energy)))
			most.power = phase;
	}
	return most;
}

/** Whether names are the same but for numbers: those of sockets, say. */
static bool areAlike(const char *a, const char *b)
{
	for (;;) {
		while (g_ascii_isdigit(*a))
			a++;
		while (g_ascii_isdigit(*b))
			b++;
		if (*a != *b)
			return false;
		if (!*a)
			return true;
		a++;
		b++;
	}
}

/**
 * Choose the values that the energy of a node is told from: those in W, else
 * those in J, that match, or else that are alike the first one.
 */
static void choosePower(const struct report *report, struct reportGroup *group)
{
	const hdIGroup *of = group->group;

	for (int isEnergy = 0; isEnergy < 2 && !group->powerCount; isEnergy++) {
		const char *first = NULL;

		for (size_t i = 0; i < of->valueCount; i++) {
			const hdIValue *value = &of->values[i];

			if (value->type == HDI_STRING ||
			    !(isEnergy ? unitIsEnergy(value->unit)
				       : unitIsPower(value->unit)))
				continue;
			if (report->power
				    ? fnmatch(report->power, value->name, 0)
				    : first && !areAlike(first, value->name))
				continue;
			if (!first)
				first = value->name;
			group->isPower[i] = true;
			group->powerCount++;
		}
	}
}

/* Of a node only the first group with power counts, and only if no node above
 * has one. */
void reportChoosePowers(struct report *report)
{
	const hdIProject *project = report->project;
	GHashTable *nodes = g_hash_table_new(NULL, NULL);

	for (size_t i = 0; i < project->groupCount; i++) {
		struct reportGroup *group = &report->groups[i];
		const hdINode *node = project->groups[i]->node;

		group->isPower =
			g_new0(bool, project->groups[i]->valueCount + 1);
		if (g_hash_table_contains(nodes, node))
			continue;
		choosePower(report, group);
		if (!group->powerCount)
			continue;
		group->energyIndex = report->energyCount++;
		g_hash_table_add(nodes, (gpointer)node);
	}
	for (size_t i = 0; i < project->groupCount; i++) {
		const hdINode *node = project->groups[i]->node->parent;

		while (node && !g_hash_table_contains(nodes, node))
			node = node->parent;
		report->groups[i].countsForTotal = !node;
	}
	g_hash_table_destroy(nodes);
}
