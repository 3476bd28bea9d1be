/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report --csv: a line for each finding.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/report/report.h"
#include "cli/rows.h"

static const struct rowColumn findingColumns[] = {
	{ NULL, "kind", ROW_TEXT, 0 },
	{ NULL, "part_of", ROW_TEXT, 0 },
	{ NULL, "count", ROW_COUNT, 0 },
	{ NULL, "time_s", ROW_TIME, 0 },
	{ NULL, "energy_j", ROW_NUMBER, 0 },
	{ NULL, "avoidable_j", ROW_NUMBER, 0 },
	{ NULL, "known_s", ROW_TIME, 0 },
	{ NULL, "saved_s", ROW_TIME, 0 },
	{ NULL, "waiting", ROW_TEXT, 0 },
	{ NULL, "causing", ROW_TEXT, 0 },
	{ NULL, "region", ROW_TEXT, 0 },
	{ NULL, "call_site", ROW_TEXT, 0 },
	{ NULL, "from_s", ROW_TIME, 0 },
	{ NULL, "to_s", ROW_TIME, 0 },
	{ NULL, "advice", ROW_TEXT, 0 },
	{ NULL, "command", ROW_TEXT, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};
enum {
	FINDING_KIND,
	FINDING_PART_OF,
	FINDING_COUNT,
	FINDING_TIME,
	FINDING_ENERGY,
	FINDING_AVOIDABLE,
	FINDING_KNOWN,
	FINDING_SAVED,
	FINDING_WAITING,
	FINDING_CAUSING,
	FINDING_REGION,
	FINDING_SITE,
	FINDING_FROM,
	FINDING_TO,
	FINDING_ADVICE,
	FINDING_COMMAND,
};

/** Ranks, with blanks between them. */
static void csvRanks(struct rows *rows, size_t column, const GArray *shares)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < shares->len; i++)
		g_string_append_printf(
			text, "%s%" PRId64, i ? " " : "",
			g_array_index(shares, struct findingShare, i).rank);
	rowsText(rows, column, text->str);
	g_string_free(text, TRUE);
}

static void csvFinding(struct rows *rows, const struct findings *findings,
		       const struct finding *finding)
{
	bool hasEnergy = finding->energy.measured > 0;
	char *site = finding->site
			     ? siteText(finding->site, findings->addresses)
			     : NULL;

	rowsText(rows, FINDING_KIND, finding->kind);
	rowsText(rows, FINDING_PART_OF, finding->partOf);
	rowsCount(rows, FINDING_COUNT, finding->count);
	rowsTime(rows, FINDING_TIME, finding->time);
	rowsNumber(rows, FINDING_ENERGY,
		   hasEnergy ? attributionEnergy(&finding->energy) : NAN);
	rowsNumber(rows, FINDING_AVOIDABLE,
		   finding->hasAvoidable ? (double)finding->avoidable / 1e12
					 : NAN);
	rowsTime(rows, FINDING_KNOWN, finding->energy.measured);
	rowsTime(rows, FINDING_SAVED, finding->saved);
	csvRanks(rows, FINDING_WAITING, finding->waiting);
	csvRanks(rows, FINDING_CAUSING, finding->causing);
	rowsText(rows, FINDING_REGION, finding->region);
	rowsText(rows, FINDING_SITE, site);
	rowsTime(rows, FINDING_FROM, finding->from);
	rowsTime(rows, FINDING_TO, finding->to);
	rowsText(rows, FINDING_ADVICE, finding->advice);
	rowsText(rows, FINDING_COMMAND, finding->command);
	rowsEnd(rows);
	g_free(site);
}

void reportPrintCsv(const struct findings *findings)
{
	struct rows *rows = rowsNew(findingColumns, OUT_CSV, NULL);

	rowsHeader(rows);
	for (guint i = 0; i < findings->list->len; i++)
		csvFinding(rows, findings,
			   &g_array_index(findings->list, struct finding, i));
	rowsFree(rows);
}
