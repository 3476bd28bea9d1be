/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report, for programs: the parts of the document.
 */
#ifndef HD_REPORTJSON_H
#define HD_REPORTJSON_H

#include "HDTraceTools/findings/findings.h"
#include "cli/output.h"

/** A key of the document. Pages keep the key that their viewer reads. */
const char *reportJsonKey(const struct outJson *json, const char *key,
			  const char *inPage);

/** Put for how much of a time something is known. */
void reportJsonPutKnown(struct outJson *json, struct known known);

/** Put energy; null if it is not known. */
void reportJsonPutEnergy(struct outJson *json, const char *key,
			 const struct findingsEnergy *energy);

/** Put the energy that states were charged with; null if it is not known. */
void reportJsonPutJoules(struct outJson *json, const char *key,
			 const struct attributionAmount *amount);

/** The same by the other rule; null if it says the same, as nothing tells CPU
 *  time. */
void reportJsonPutOther(struct outJson *json, const char *key,
			const struct findings *findings,
			const struct attributionAmount *amounts);

/** Put both ends of a time; null if the end is before the start. */
void reportJsonPutTimes(struct outJson *json, int64_t start, int64_t end);

void reportJsonPutCount(struct outJson *json, const char *key, uint64_t count);

/** Put a group with its values. */
void reportJsonPutGroup(struct outJson *json, const struct findings *findings,
			const struct findingsGroup *group);

/** Put the phases, and which of them take most power and energy. */
void reportJsonPutPhases(struct outJson *json, const struct findings *findings);
void reportJsonPutMost(struct outJson *json, const struct findings *findings);

/** Put states, as findingsListStates() lists them. */
void reportJsonPutStates(struct outJson *json, const struct findings *findings,
			 const GPtrArray *states);

/** Put the places in the source that states were called from. */
void reportJsonPutSites(struct outJson *json, const struct findings *findings);

/** Put what the processor did outside of states. */
void reportJsonPutOutside(struct outJson *json, struct profileEvents outside);

/** Put the counters of nodes. */
void reportJsonPutCounters(struct outJson *json,
			   const struct findings *findings);

/** Put the kernels of a task graph. */
void reportJsonPutKernels(struct outJson *json,
			  const struct findings *findings);

/** Put the critical path; null if it is not known. */
void reportJsonPutPath(struct outJson *json, const struct findings *findings);

/** Put efficiencies into JSON: of a run, or of ranks in a part of it. */
void reportJsonPutEfficiencies(struct outJson *json,
			       const struct findingsEfficiencies *of);
void reportJsonPutPartEfficiencies(struct outJson *json,
				   const struct findings *findings,
				   const struct efficiency *of);

/** Put regions and iterations into JSON. */
void reportJsonPutParts(const struct findings *findings, struct outJson *json);

#endif
