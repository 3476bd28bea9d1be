/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to perfetto --findings: what to change, a track for each
 * finding.
 */
#include "config.h"

#include "HDTraceTools/export/perfetto/perfetto.h"
#include "HDTraceTools/findings/findings.h"

/** Ranks as text: "0,1". */
static void findingsAnnotateRanks(struct perfetto *self, const char *name,
				  const GArray *shares)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < shares->len; i++)
		g_string_append_printf(
			text, "%s%" PRId64, i ? "," : "",
			g_array_index(shares, struct findingShare, i).rank);
	if (text->len)
		perfettoAnnotate(self, name, text->str);
	g_string_free(text, TRUE);
}

static void perfettoPutFinding(struct perfetto *self, uint64_t parent,
			       const struct finding *finding)
{
	self->track = perfettoStartTrack(self, parent, finding->kind);
	perfettoPutPacket(self, PACKET_TRACK_DESCRIPTOR, NULL);
	perfettoStartEvent(self, EVENT_IS_BEGIN);
	pbText(&self->body, EVENT_NAME, finding->kind);
	perfettoAnnotate(self, "title", finding->title);
	perfettoAnnotate(self, "advice", finding->advice);
	perfettoAnnotate(self, "command", finding->command);
	if (finding->partOf)
		perfettoAnnotate(self, "part_of", finding->partOf);
	if (finding->region)
		perfettoAnnotate(self, "region", finding->region);
	perfettoAnnotateNumber(self, "count", (int64_t)finding->count);
	perfettoAnnotateNumber(self, "time_ns", finding->time);
	perfettoAnnotateNumber(self, "saved_ns", finding->saved);
	findingsAnnotateRanks(self, "waiting", finding->waiting);
	findingsAnnotateRanks(self, "causing", finding->causing);
	perfettoPutPacket(self, PACKET_TRACK_EVENT, &finding->from);
	perfettoStartEvent(self, EVENT_IS_END);
	perfettoPutPacket(self, PACKET_TRACK_EVENT, &finding->to);
}

void perfettoPutFindings(struct perfetto *self)
{
	struct tool quiet = *self->export->tool;
	struct findings findings;

	findingsInit(&findings, &quiet);
	/* What is wrong with files is said when they are written. */
	quiet.progress.isOn = false;
	quiet.take = findingsTakeDiagnostic;
	quiet.takeData = &findings;
	if (findingsStart(&findings, self->export->project) == 0) {
		uint64_t parent;

		findingsRead(&findings);
		parent = perfettoStartTrack(self, 0, "Findings");
		perfettoPutPacket(self, PACKET_TRACK_DESCRIPTOR, NULL);
		for (guint i = 0; i < findings.list->len; i++)
			perfettoPutFinding(self, parent,
					   &g_array_index(findings.list,
							  struct finding, i));
	}
	findingsEnd(&findings);
	findingsClear(&findings);
}
