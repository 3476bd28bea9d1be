/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to otf2 --findings: what to change, as markers of the whole
 * trace; a category for each kind.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/export/otf2/otf2.h"
#include "HDTraceTools/findings/findings.h"

/** So many findings are most severe, as the report has them first. */
#define MARKERS_FIRST 3

/** Markers that are written. */
struct otf2Markers {
	struct otf2 *otf2;
	OTF2_MarkerWriter *writer;
	GPtrArray *kinds;   /**< Texts of categories. */
	unsigned int first; /**< Findings that are no part of others. */
};

/** How severe a finding is. */
static OTF2_MarkerSeverity markersSeverity(struct otf2Markers *self,
					   const struct finding *finding)
{
	if (finding->partOf)
		return OTF2_SEVERITY_LOW;
	return self->first++ < MARKERS_FIRST ? OTF2_SEVERITY_HIGH
					     : OTF2_SEVERITY_MEDIUM;
}

/** What viewers show: "Title: 1.5 s in 3 calls, waiting 0,1 for 2; advice". */
static char *markersText(const struct finding *finding)
{
	GString *text = g_string_new(finding->title);
	char *waiting = exportFindingRanks(finding->waiting);
	char *causing = exportFindingRanks(finding->causing);
	char *causes = exportFindingCauses(finding);

	g_string_append_printf(text, ": %.9f s, count %" PRIu64,
			       (double)finding->time / 1e9, finding->count);
	if (finding->saved > 0)
		g_string_append_printf(text, ", saves %.9f s",
				       (double)finding->saved / 1e9);
	if (*waiting)
		g_string_append_printf(text, ", waiting ranks %s", waiting);
	if (*causing)
		g_string_append_printf(text, ", causing ranks %s", causing);
	if (*causes)
		g_string_append_printf(text, ", causes: %s", causes);
	if (finding->region)
		g_string_append_printf(text, ", region %s", finding->region);
	g_string_append_printf(text, "; %s (%s)", finding->advice,
			       finding->command);
	g_free(waiting);
	g_free(causing);
	g_free(causes);
	return g_string_free(text, FALSE);
}

/** The category of a finding, which has the severity of its first one. */
static OTF2_MarkerRef markersCategory(struct otf2Markers *self,
				      const struct finding *finding)
{
	OTF2_MarkerSeverity severity = markersSeverity(self, finding);

	for (guint i = 0; i < self->kinds->len; i++) {
		if (strcmp(self->kinds->pdata[i], finding->kind) == 0)
			return i;
	}
	otf2Check(self->otf2,
		  otf2Api.OTF2_MarkerWriter_WriteDefMarker(
			  self->writer, self->kinds->len, "hdtrace report",
			  finding->kind, severity));
	g_ptr_array_add(self->kinds, g_strdup(finding->kind));
	return self->kinds->len - 1;
}

static void markersPut(const struct finding *finding, void *data)
{
	struct otf2Markers *self = data;
	OTF2_MarkerRef reference = markersCategory(self, finding);
	char *text = markersText(finding);

	otf2Check(self->otf2,
		  otf2Api.OTF2_MarkerWriter_WriteMarker(
			  self->writer, (OTF2_TimeStamp)finding->from,
			  (OTF2_TimeStamp)(finding->to - finding->from),
			  reference, OTF2_MARKER_SCOPE_GLOBAL, 0, text));
	g_free(text);
}

void otf2PutFindings(struct otf2 *self)
{
	struct otf2Markers markers = {
		.otf2 = self,
		.writer = otf2Api.OTF2_Archive_GetMarkerWriter(self->archive),
	};

	if (!markers.writer) {
		otf2Check(self, OTF2_ERROR_INVALID);
		return;
	}
	markers.kinds = g_ptr_array_new_with_free_func(g_free);
	exportFindings(self->export, markersPut, &markers);
	otf2Check(self, otf2Api.OTF2_Archive_CloseMarkerWriter(self->archive,
							       markers.writer));
	g_ptr_array_unref(markers.kinds);
}
