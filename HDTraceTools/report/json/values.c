/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What all parts of the document write: numbers, times, and energy.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/report/json/json.h"

const char *reportJsonKey(const struct outJson *json, const char *key,
			  const char *inPage)
{
	return json->isInPage ? inPage : key;
}

void reportJsonPutKnown(struct outJson *json, struct known known)
{
	outJsonSeconds(json, "known_s", known.knownNs);
	outJsonSeconds(json, "duration_s", known.durationNs);
}

void reportJsonPutEnergy(struct outJson *json, const char *key,
			 const struct findingsEnergy *energy)
{
	if (!energy->isKnown) {
		outJsonPlain(json, key, "null");
		return;
	}
	outJsonObject(json, key, true);
	outJsonDouble(json, reportJsonKey(json, "energy_j", "joules"),
		      energy->joules);
	outJsonDouble(json, reportJsonKey(json, "energy_error_j", "error"),
		      energy->hasBound ? energy->bound : NAN);
	outJsonDouble(json, reportJsonKey(json, "power_w", "watts"),
		      findingsWatts(energy));
	outJsonDouble(json, reportJsonKey(json, "longest_known_s", "seconds"),
		      energy->seconds);
	reportJsonPutKnown(json, energy->known);
	outJsonBool(json, "simulated", energy->isSimulated);
	outJsonEnd(json);
}

void reportJsonPutTimes(struct outJson *json, int64_t start, int64_t end)
{
	const char *startKey = reportJsonKey(json, "start_s", "start");
	const char *endKey = reportJsonKey(json, "end_s", "end");

	if (start > end) {
		outJsonPlain(json, startKey, "null");
		outJsonPlain(json, endKey, "null");
		return;
	}
	outJsonSeconds(json, startKey, start);
	outJsonSeconds(json, endKey, end);
}

void reportJsonPutCount(struct outJson *json, const char *key, uint64_t count)
{
	char buffer[OUT_NUMBER_SIZE];

	outJsonPlain(json, key, outInteger(buffer, (outInt128)count));
}

void reportJsonPutJoules(struct outJson *json, const char *key,
			 const struct attributionAmount *amount)
{
	outJsonDouble(json, key,
		      amount->measured ? attributionEnergy(amount) : NAN);
}

void reportJsonPutOther(struct outJson *json, const char *key,
			const struct findings *findings,
			const struct attributionAmount *amounts)
{
	if (findings->other)
		reportJsonPutJoules(json, key, &amounts[FINDINGS_OTHER]);
	else
		outJsonPlain(json, key, "null");
}
