/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Results as members of JSON.
 */
#include "config.h"

#include "HDTraceTools/command/results.h"

static void resultsPutExtreme(struct outJson *json, const char *key,
			      const struct moments *moments, hdIType type,
			      enum valueKind kind, double value,
			      outInt128 integer)
{
	char buffer[OUT_NUMBER_SIZE];

	if (moments->count == 0 || type == HDI_STRING || kind == KIND_COUNTER)
		outJsonPlain(json, key, "null");
	else if (type == HDI_FLOAT || type == HDI_DOUBLE)
		outJsonDouble(json, key, value);
	else
		outJsonPlain(json, key, outInteger(buffer, integer));
}

void resultsPutRange(struct outJson *json, const struct moments *moments,
		     hdIType type, enum valueKind kind)
{
	resultsPutExtreme(json, "min", moments, type, kind, moments->min,
			  moments->minInteger);
	resultsPutExtreme(json, "max", moments, type, kind, moments->max,
			  moments->maxInteger);
}

void resultsPutKind(struct outJson *json, const hdIGroup *group,
		    const hdIValue *value)
{
	bool isGuessed;
	enum valueKind kind = valueKind(group, value, &isGuessed);

	if (value->type == HDI_STRING) {
		outJsonPlain(json, "kind", "null");
		outJsonPlain(json, "kind_guessed", "null");
		return;
	}
	outJsonText(json, "kind", valueKindName(kind));
	outJsonBool(json, "kind_guessed", isGuessed);
}
