/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Results as members of JSON.
 */
#include "config.h"

#include <stdio.h>

#include "HDTraceTools/command/results.h"

static void resultsPutExtreme(struct outJson *json, const char *key,
			      const struct moments *moments, hdIType type,
			      enum hdKind kind, double value, outInt128 integer)
{
	char buffer[OUT_NUMBER_SIZE];

	if (moments->count == 0 || type == HDI_STRING ||
	    kind == HD_KIND_COUNTER)
		outJsonPlain(json, key, "null");
	else if (type == HDI_FLOAT || type == HDI_DOUBLE)
		outJsonDouble(json, key, value);
	else
		outJsonPlain(json, key, outInteger(buffer, integer));
}

void resultsPutRange(struct outJson *json, const struct moments *moments,
		     hdIType type, enum hdKind kind)
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
	enum hdKind kind = valueKind(group, value, &isGuessed);

	if (value->type == HDI_STRING) {
		outJsonPlain(json, "kind", "null");
		outJsonPlain(json, "kind_guessed", "null");
		return;
	}
	outJsonText(json, "kind", hdKindName(kind));
	outJsonBool(json, "kind_guessed", isGuessed);
}

/* ---- Call sites -------------------------------------------------------- */

static void resultsPutFunction(struct outJson *json,
			       const struct addressPlace *place)
{
	outJsonText(json, "function", place ? place->function : NULL);
	outJsonText(json, "file", place ? place->file : NULL);
	if (place && place->line > 0)
		outJsonInteger(json, "line", place->line);
	else
		outJsonPlain(json, "line", "null");
}

/** Of one address, without callers. */
static void resultsPutFrame(struct outJson *json, const struct site *site,
			    struct addresses *addresses)
{
	const struct addressFound *found = siteFind(site, addresses);
	const struct addressPlace *places =
		(const struct addressPlace *)(const void *)found->places->data;
	char address[32];

	g_snprintf(address, sizeof(address), "0x%" PRIx64, site->address);
	resultsPutFunction(json, found->places->len ? places : NULL);
	outJsonText(json, "object", site->object.path);
	outJsonText(json, "build_id",
		    *site->object.buildId ? site->object.buildId : NULL);
	outJsonText(json, "address", address);
	outJsonArray(json, "inlined_into", true);
	for (guint i = 1; i < found->places->len; i++) {
		outJsonObject(json, NULL, true);
		resultsPutFunction(json, &places[i]);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

void resultsPutSite(struct outJson *json, const struct site *site,
		    struct addresses *addresses)
{
	char *text = siteText(site, addresses);

	outJsonText(json, "site", text);
	g_free(text);
	resultsPutFrame(json, site, addresses);
	outJsonArray(json, "callers", true);
	for (site = site->caller; site; site = site->caller) {
		outJsonObject(json, NULL, true);
		resultsPutFrame(json, site, addresses);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

void resultsTellSites(struct tool *tool, const hdIProject *project,
		      const struct addresses *addresses)
{
	const GArray *problems = addressesProblems(addresses);

	for (guint i = 0; i < problems->len; i++) {
		const struct addressProblem *problem =
			&g_array_index(problems, struct addressProblem, i);

		toolReport(tool, "trc.program",
			   problem->path ? problem->path : project->file, -1, 0,
			   "%s", problem->text);
	}
}

void resultsTellOutside(const char *before, const struct profileEvents *outside)
{
	static const char *const words[PROFILE_EVENTS] = {
		[PROFILE_CYCLES] = "cycles",
		[PROFILE_INSTRUCTIONS] = "instructions",
		[PROFILE_CACHE_MISSES] = "cache misses",
	};
	char buffer[OUT_NUMBER_SIZE];

	if (!outside->counted)
		return;
	for (int i = 0; i < PROFILE_EVENTS; i++) {
		if (!outside->with[i])
			continue;
		printf("%s%s %s", before, outInteger(buffer, outside->total[i]),
		       words[i]);
		before = ", ";
	}
	if (outside->both && outside->bothCycles)
		printf(", %.2f instructions a cycle", profileRatio(outside));
	putchar('\n');
}
