/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Findings of the run that is exported.
 */
#include "config.h"

#include "HDTraceTools/export/export.h"
#include "HDTraceTools/findings/findings.h"

char *exportFindingRanks(const GArray *shares)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < shares->len; i++)
		g_string_append_printf(
			text, "%s%" PRId64, i ? "," : "",
			g_array_index(shares, struct findingShare, i).rank);
	return g_string_free(text, FALSE);
}

char *exportFindingCauses(const struct finding *finding)
{
	GString *text = g_string_new(NULL);
	const char *comma = "";

	for (guint i = 0; finding->causes && i < finding->causes->len; i++) {
		const struct findingCause *cause =
			&g_array_index(finding->causes, struct findingCause, i);

		g_string_append_printf(
			text, "%srank %" PRId64 " %s%s %.9f s", comma,
			cause->rank, cause->state ? "in " : "",
			cause->state ? cause->state : "outside of states",
			cause->time / 1e9);
		comma = ", ";
	}
	if (finding->indirect > 0) {
		g_string_append_printf(text, "%sindirect %.9f s", comma,
				       finding->indirect / 1e9);
		comma = ", ";
	}
	if (finding->others > 0)
		g_string_append_printf(text, "%sother %.9f s", comma,
				       finding->others / 1e9);
	return g_string_free(text, FALSE);
}

void exportFindings(struct export *export, exportTakeFinding *take, void *data)
{
	struct tool quiet = *export->tool;
	struct findings findings;

	findingsInit(&findings, &quiet);
	/* What is wrong with files is said when they are written. */
	quiet.progress.isOn = false;
	quiet.take = findingsTakeDiagnostic;
	quiet.takeData = &findings;
	if (findingsStart(&findings, export->project) == 0) {
		findingsRead(&findings);
		for (guint i = 0; i < findings.list->len; i++)
			take(&g_array_index(findings.list, struct finding, i),
			     data);
	}
	findingsEnd(&findings);
	findingsClear(&findings);
}
