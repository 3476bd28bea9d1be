/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Results as members of JSON.
 */
#include "config.h"

#include "HDTraceTools/command/results.h"

static void resultsPutExtreme(struct outJson *json, const char *key,
			      const struct moments *moments, hdIType type,
			      double value, outInt128 integer)
{
	char buffer[OUT_NUMBER_SIZE];

	if (moments->count == 0 || type == HDI_STRING)
		outJsonPlain(json, key, "null");
	else if (type == HDI_FLOAT || type == HDI_DOUBLE)
		outJsonDouble(json, key, value);
	else
		outJsonPlain(json, key, outInteger(buffer, integer));
}

void resultsPutRange(struct outJson *json, const struct moments *moments,
		     hdIType type)
{
	resultsPutExtreme(json, "min", moments, type, moments->min,
			  moments->minInteger);
	resultsPutExtreme(json, "max", moments, type, moments->max,
			  moments->maxInteger);
}
