/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * States, call sites, counters, and kernels, for programs.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/command/results.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/report/json/json.h"

void reportJsonPutStates(struct outJson *json, const struct findings *findings,
			 const GPtrArray *states)
{
	outJsonArray(json, "states", false);
	for (guint i = 0; i < states->len; i++) {
		const struct profileState *state = states->pdata[i];

		outJsonObject(json, NULL, true);
		outJsonText(json, "name", state->name);
		reportJsonPutCount(json, "count", state->count);
		outJsonSeconds(json,
			       reportJsonKey(json, "own_s", "own_seconds"),
			       state->own.time);
		outJsonSeconds(json,
			       reportJsonKey(json, "total_s", "total_seconds"),
			       state->total.time);
		outJsonSeconds(
			json,
			reportJsonKey(json, "longest_s", "longest_seconds"),
			state->longest);
		reportJsonPutJoules(json,
				    reportJsonKey(json, "energy_j", "joules"),
				    &state->own.amounts[0]);
		reportJsonPutOther(
			json,
			reportJsonKey(json, "other_energy_j", "other_joules"),
			findings, state->own.amounts);
		reportJsonPutJoules(
			json,
			reportJsonKey(json, "total_energy_j", "total_joules"),
			&state->total.amounts[0]);
		if (json->isInPage)
			outJsonSeconds(json, "measured_seconds",
				       state->own.amounts[0].measured);
		reportJsonPutKnown(
			json, (struct known){ state->own.amounts[0].measured,
					      state->own.time });
		outJsonSeconds(json, "total_known_s",
			       state->total.amounts[0].measured);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

void reportJsonPutCounters(struct outJson *json,
			   const struct findings *findings)
{
	outJsonArray(json, "counters", false);
	for (size_t i = 0; i < findings->project->groupCount; i++) {
		const struct findingsGroup *group = &findings->groups[i];
		struct findingsCounters is;

		if (!findingsCountersOf(findings, group, &is))
			continue;
		outJsonObject(json, NULL, false);
		outJsonText(json, "node", rolesPath(group->group->node));
		outJsonDouble(json, "instructions", is.instructions);
		outJsonDouble(json, "cycles", is.cycles);
		outJsonDouble(json, "instructions_per_cycle",
			      is.instructions / is.cycles);
		outJsonSeconds(json, "known_s", is.known.knownNs);
		outJsonDouble(json, "traffic_bytes", is.traffic);
		outJsonText(json, "traffic_from",
			    isnan(is.traffic) ? NULL
			    : is.isOfMisses   ? "cache misses"
					      : "memory controllers");
		outJsonDouble(json,
			      reportJsonKey(json, "traffic_bytes_per_j",
					    "bytes_per_joule"),
			      is.bytesPerJoule);
		outJsonSeconds(json, "traffic_known_s",
			       is.trafficKnown.knownNs);
		outJsonSeconds(json, "duration_s",
			       findings->end - findings->start);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

/** What the processor did; null: nobody says. */
static void reportJsonPutEvents(struct outJson *json,
				const struct profileEvents *events)
{
	static const char *const keys[PROFILE_EVENTS] = {
		[PROFILE_CYCLES] = "cycles",
		[PROFILE_INSTRUCTIONS] = "instructions",
		[PROFILE_CACHE_MISSES] = "cache_misses",
	};

	for (int i = 0; i < PROFILE_EVENTS; i++)
		outJsonDouble(json, keys[i],
			      events->with[i] ? (double)events->total[i] : NAN);
	outJsonDouble(json, "instructions_per_cycle", profileRatio(events));
	reportJsonPutCount(json, "counted", events->counted);
}

void reportJsonPutOutside(struct outJson *json, struct profileEvents outside)
{
	outJsonObject(json, "outside", true);
	reportJsonPutEvents(json, &outside);
	outJsonEnd(json);
}

void reportJsonPutSites(struct outJson *json, const struct findings *findings)
{
	outJsonArray(json, "call_sites", false);
	for (guint i = 0; i < findings->sites->len; i++) {
		const struct profileSite *states = findings->sites->pdata[i];
		const struct attributionAmount *amounts = states->own.amounts;

		outJsonObject(json, NULL, true);
		outJsonText(json, "state", states->name);
		resultsPutSite(json, states->site, findings->addresses);
		reportJsonPutCount(json, "count", states->count);
		outJsonSeconds(json,
			       reportJsonKey(json, "own_s", "own_seconds"),
			       states->own.time);
		outJsonSeconds(
			json,
			reportJsonKey(json, "longest_s", "longest_seconds"),
			states->longest);
		reportJsonPutJoules(json,
				    reportJsonKey(json, "energy_j", "joules"),
				    &amounts[0]);
		reportJsonPutOther(
			json,
			reportJsonKey(json, "other_energy_j", "other_joules"),
			findings, amounts);
		reportJsonPutKnown(json, (struct known){ amounts[0].measured,
							 states->own.time });
		reportJsonPutEvents(json, &states->own.events);
		reportJsonPutOutside(json, states->own.outside);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

void reportJsonPutKernels(struct outJson *json, const struct findings *findings)
{
	outJsonArray(json, "kernels", false);
	for (guint i = 0; i < findings->kernels->len; i++) {
		const struct kernel *kernel =
			&g_array_index(findings->kernels, struct kernel, i);
		struct attributionAmount all = kernelEnergy(kernel);

		outJsonObject(json, NULL, true);
		outJsonText(json, "name", kernel->name);
		outJsonText(json, "node", rolesPath(kernel->group->node));
		reportJsonPutCount(json, "instances", kernel->instances);
		outJsonDouble(json, "body_s", kernel->seconds[KERNEL_BODY]);
		outJsonDouble(json, "instructions_per_cycle", kernel->ratio);
		outJsonDouble(json, "dispatch_s",
			      kernel->hasDispatch
				      ? kernel->seconds[KERNEL_DISPATCH]
				      : NAN);
		reportJsonPutJoules(json, "body_j",
				    &kernel->energy[KERNEL_BODY]);
		reportJsonPutJoules(json, "dispatch_j",
				    &kernel->energy[KERNEL_DISPATCH]);
		outJsonDouble(json, "instance_j",
			      all.measured && kernel->instances
				      ? attributionEnergy(&all) /
						(double)kernel->instances
				      : NAN);
		reportJsonPutKnown(
			json,
			(struct known){ kernel->energy[KERNEL_BODY].measured,
					kernel->busy[KERNEL_BODY] });
		outJsonEnd(json);
	}
	outJsonEnd(json);
	outJsonDouble(json, "kernels_unattributed_j",
		      findings->kernels->len && findings->energy.isKnown
			      ? (double)findings->kernelsRest / 1e12
			      : NAN);
}
