/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report: what caused what, as hdtrace relations prints it.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "HDTraceTools/relations/relations.h"
#include "HDTraceTools/report/report.h"
#include "cli/quantity.h"

/** A tree of a page has no more relations than that: it is to be read. */
#define TREE_ROOM 200

/** What relations are printed with. */
static struct relationsRun reportRelationsPrinterOf(
	const struct findings *findings, enum outFormat format,
	struct outJson *json)
{
	return (struct relationsRun){
		.tool = findings->tool,
		.format = format,
		.json = json,
		.forest = findings->relations.forest,
		.joules = findings->relations.joules,
		.inferred = findings->relations.inferred,
		.start = findings->start,
		.room = TREE_ROOM,
	};
}

static void reportRelationsPrintCount(uint64_t count, const char *what)
{
	if (count > 0)
		printf(", %" PRIu64 " %s", count, what);
}

void reportPrintRelations(const struct report *report)
{
	const struct findings *findings = &report->findings;
	const struct findingsRelations *relations = &findings->relations;
	struct relationsRun printer =
		reportRelationsPrinterOf(findings, OUT_TEXT, NULL);
	struct forestCounts counts;
	char buffer[OUT_NUMBER_SIZE];

	if (!relations->sums)
		return;
	counts = forestCountAll(relations->forest);
	printf("\n%sRelations%s\n", findings->tool->isColored ? "\033[1m" : "",
	       findings->tool->isColored ? "\033[0m" : "");
	printf("  %" PRIu32, forestCount(relations->forest));
	reportRelationsPrintCount(counts.roots, "without a cause");
	reportRelationsPrintCount(
		inferredCount(relations->inferred),
		"of these probably caused by states of ranks");
	reportRelationsPrintCount(counts.inferred, "with an inferred cause");
	reportRelationsPrintCount(counts.unknown,
				  "with a cause that is in no file");
	reportRelationsPrintCount(counts.unended, "without an end");
	reportRelationsPrintCount(counts.circular, "in a cycle of causes");
	putchar('\n');
	if (findings->energy.isKnown)
		printf("  Energy of relations in a state: %s\n",
		       quantityText(buffer, (double)relations->energy / 1e12,
				    "J"));
	/* Else states say so. */
	if (!findings->profile->states->len && findingsIsUnattributed(findings))
		printf("  Unattributed, no relation active: %s\n",
		       quantityText(buffer,
				    (double)findings->unattributed / 1e12,
				    "J"));
	joulesLock(relations->joules);
	relationsPrintTheseSums(&printer, relationSumsAll(relations->sums));
	puts("  Slowest:");
	relationsPrintNumbers(&printer, relations->slowest);
	joulesUnlock(relations->joules);
}

/** The slowest, each with what caused it and what it caused. */
static void putSlowest(const struct findings *findings,
		       struct relationsRun *printer)
{
	const GArray *slowest = findings->relations.slowest;
	struct outJson *json = printer->json;
	struct forestRelation relation;

	outJsonArray(json, "slowest", false);
	for (guint i = 0; i < slowest->len; i++) {
		uint32_t number = g_array_index(slowest, uint32_t, i);

		if (relationsFailed(printer, forestGet(printer->forest, number,
						       &relation)))
			break;
		outJsonObject(json, NULL, false);
		outJsonText(json, "token", relation.token);
		relationsPrintTree(printer, number);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

void reportPutRelations(const struct findings *findings, struct outJson *json)
{
	const struct findingsRelations *relations = &findings->relations;
	struct relationsRun printer =
		reportRelationsPrinterOf(findings, OUT_JSON, json);

	if (!relations->sums)
		return;
	outJsonObject(json, "relations", false);
	relationsPutCounts(relations->forest, relations->inferred, json);
	outJsonDouble(json, "energy_j",
		      findings->energy.isKnown
			      ? (double)relations->energy / 1e12
			      : NAN);
	joulesLock(relations->joules);
	relationsPrintTheseSums(&printer, relationSumsAll(relations->sums));
	putSlowest(findings, &printer);
	joulesUnlock(relations->joules);
	outJsonEnd(json);
}
