/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which values tell the energy of a node, and how exactly.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/findings/findings.h"

struct findingsValue findingsValueOf(const struct findingsGroup *group,
				     size_t value, int64_t runNs)
{
	const hdIValue *of = &group->group->values[value];
	const struct moments *moments = &group->moments[value];
	struct findingsValue self = {
		.result = momentsGet(moments, of->type),
		.bound = boundGet(group->group, of, moments,
				  group->interruptions + 1, group->shortest),
		.total = NAN,
		.totalBound = NAN,
		.known = { (int64_t)moments->weight, runNs },
		.rate = NAN,
	};
	double scale;

	self.result.mean = knownMean(self.known, self.result.mean);
	self.bound.mean = knownMean(self.known, self.bound.mean);
	if (of->type == HDI_STRING || self.known.knownNs == 0)
		return self;
	if (kindIsAmount(group->kinds[value])) {
		self.totalUnit = g_strdup(of->unit);
		self.total = self.result.sum;
		self.rateUnit = rateUnit(of->unit, &scale);
		self.rate = knownMean(self.known,
				      self.total * scale /
					      ((double)moments->weight / 1e9));
		if (self.bound.isKnown)
			self.totalBound = self.bound.sum;
	} else if (unitIsPower(of->unit) || g_str_has_suffix(of->unit, "/s")) {
		self.totalUnit = momentsIntegralUnit(of->unit);
		self.total = self.result.integral;
		if (self.bound.isKnown)
			self.totalBound = self.bound.integral;
	}
	return self;
}

struct findingsEnergy findingsGroupEnergy(const struct findingsGroup *group,
					  const struct moments *moments)
{
	struct findingsEnergy energy = {
		.hasBound = true,
		.known.knownNs = group->powerCount ? INT64_MAX : 0,
	};

	for (size_t i = 0; i < group->group->valueCount; i++) {
		const hdIValue *value = &group->group->values[i];
		double scale = unitParse(value->unit).scale;
		bool isAmount = kindIsAmount(group->kinds[i]);
		int64_t known = (int64_t)moments[i].weight;
		struct momentsResult result;
		struct bound bound;
		double joules;

		if (!group->isPower[i])
			continue;
		energy.known.knownNs = MIN(energy.known.knownNs, known);
		if (known == 0)
			continue;
		result = momentsGet(&moments[i], value->type);
		bound = boundGet(group->group, value, &moments[i],
				 group->interruptions + 1, group->shortest);
		joules = scale * (isAmount ? result.sum : result.integral);
		energy.joules += joules;
		energy.watts += isAmount ? joules / ((double)known / 1e9)
					 : scale * result.mean;
		energy.bound += scale * (isAmount ? bound.sum : bound.integral);
		energy.hasBound &= bound.isKnown;
		energy.isSimulated |= valueIsSimulated(group->group, value);
		energy.seconds = MAX(energy.seconds, (double)known / 1e9);
	}
	energy.isKnown = energy.known.knownNs > 0;
	energy.hasBound &= energy.isKnown;
	return energy;
}

void findingsEnergyOver(struct findingsEnergy *energy, int64_t durationNs)
{
	energy->known.durationNs = durationNs;
}

/* What nobody knows of one node makes the sum what it is at least. */
void findingsEnergyAdd(struct findingsEnergy *sum,
		       const struct findingsEnergy *energy)
{
	bool isFirst = sum->known.durationNs == 0;

	sum->known =
		isFirst ? energy->known : knownOfAll(sum->known, energy->known);
	if (!energy->isKnown)
		return;
	sum->hasBound = energy->hasBound && (sum->hasBound || !sum->isKnown);
	sum->isKnown = true;
	sum->joules += energy->joules;
	sum->bound += energy->bound;
	sum->watts += energy->watts;
	sum->isSimulated |= energy->isSimulated;
	sum->seconds = MAX(sum->seconds, energy->seconds);
}

double findingsWatts(const struct findingsEnergy *energy)
{
	return knownMean(energy->known, energy->watts);
}

struct findingsMost findingsFindMost(const struct findings *findings)
{
	struct findingsMost most = { NULL, NULL };

	for (guint i = 0;
	     findings->phases->len > 1 && i < findings->phases->len; i++) {
		const struct findingsPhase *phase = &g_array_index(
			findings->phases, struct findingsPhase, i);
		double watts = findingsWatts(&phase->energy);

		if (!phase->energy.isKnown)
			continue;
		if (!most.energy ||
		    phase->energy.joules > most.energy->energy.joules)
			most.energy = phase;
		/* NaN is not more than anything. */
		if (watts > -INFINITY &&
		    (!most.power || watts > findingsWatts(&most.power->energy)))
			most.power = phase;
	}
	return most;
}

void findingsChoosePowers(struct findings *findings)
{
	const hdIProject *project = findings->project;

	findings->powers = powerChoiceNew(project, findings->power);
	for (size_t i = 0; i < project->groupCount; i++) {
		struct findingsGroup *group = &findings->groups[i];
		const struct powerGroup *power =
			powerChoiceAt(findings->powers, i);

		group->isPower = power->isPower;
		group->leftOut = power->leftOut;
		group->powerCount = power->count;
		group->isFirst = power->count && power->first == power;
		if (power->count)
			group->energyIndex = findings->energyCount++;
		group->countsForTotal = !powerChoiceNear(
			findings->powers, group->group->node->parent);
	}
}

struct findingsGroup *findingsPowerOf(const struct findings *findings,
				      const hdINode *node)
{
	const struct powerGroup *power =
		powerChoiceNear(findings->powers, node);

	return power ? &findings->groups[power -
					 powerChoiceAt(findings->powers, 0)]
		     : NULL;
}

/* ---- Nodes ------------------------------------------------------------- */

struct findingsEnergy findingsNodeEnergy(const struct findings *findings,
					 const hdINode *node)
{
	struct findingsEnergy sum = { .hasBound = false };

	for (size_t i = 0; i < findings->project->groupCount; i++) {
		const struct findingsGroup *group = &findings->groups[i];

		if (group->powerCount && group->group->node == node)
			findingsEnergyAdd(&sum, &group->energy);
	}
	return sum;
}

struct findingsEnergy findingsPhaseEnergy(const struct findings *findings,
					  const struct findingsPhase *phase,
					  const hdINode *node)
{
	struct findingsEnergy sum = { .hasBound = false };

	for (size_t i = 0; i < findings->project->groupCount; i++) {
		const struct findingsGroup *group = &findings->groups[i];

		if (group->powerCount && group->group->node == node)
			findingsEnergyAdd(&sum,
					  &phase->groups[group->energyIndex]);
	}
	return sum;
}
