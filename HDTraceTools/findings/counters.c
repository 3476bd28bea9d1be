/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What hardware counters of a node amount to, and what memory traffic costs.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/findings/findings.h"

/** Add what a value tells; NaN if it is not there, or nothing is known. */
static void eventCountersAddValue(const struct findingsGroup *group,
				  const char *name, double *sum,
				  struct known *known, bool *isThere)
{
	for (size_t i = 0; i < group->group->valueCount; i++) {
		const struct findingsValue *value = &group->values[i];

		if (strcmp(group->group->values[i].name, name) != 0)
			continue;
		*isThere = true;
		*sum = isnan(*sum) ? value->total : *sum + value->total;
		*known = known->durationNs ? knownOfAll(*known, value->known)
					   : value->known;
	}
}

/** A second of what is known; NaN if that is not enough. */
static double eventCountersRateOf(double sum, struct known known)
{
	return knownMean(known, sum / ((double)known.knownNs / 1e9));
}

bool findingsCountersOf(const struct findings *findings,
			const struct findingsGroup *group,
			struct findingsCounters *counters)
{
	struct findingsEnergy energy =
		findingsNodeEnergy(findings, group->group->node);
	struct known of = { 0 };
	bool isThere = false, isTraffic = false;

	*counters = (struct findingsCounters){ .instructions = NAN,
					       .cycles = NAN,
					       .traffic = NAN,
					       .bytesPerJoule = NAN };
	if (!group->values)
		return false;
	eventCountersAddValue(group, "HW_INSTRUCTIONS", &counters->instructions,
			      &of, &isThere);
	eventCountersAddValue(group, "HW_CYCLES", &counters->cycles, &of,
			      &isThere);
	counters->known = of;
	of = (struct known){ 0 };
	eventCountersAddValue(group, "MEM_TRAFFIC_CACHE_MISSES",
			      &counters->traffic, &of, &isTraffic);
	counters->isOfMisses = isTraffic;
	eventCountersAddValue(group, "MEM_TRAFFIC_READ", &counters->traffic,
			      &of, &isTraffic);
	eventCountersAddValue(group, "MEM_TRAFFIC_WRITE", &counters->traffic,
			      &of, &isTraffic);
	counters->trafficKnown = of;
	/* Of the same node: a meter above has others' power, too. Both over
	 * the time in which they are known. */
	if (isTraffic && energy.isKnown && energy.joules > 0) {
		counters->bytesPerJoule =
			eventCountersRateOf(counters->traffic, of) /
			eventCountersRateOf(energy.joules, energy.known);
		counters->trafficKnown = knownOfAll(of, energy.known);
	}
	return isThere || isTraffic;
}
