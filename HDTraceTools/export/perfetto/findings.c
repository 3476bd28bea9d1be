/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to perfetto --findings: what to change, a track for each
 * finding.
 */
#include "config.h"

#include "HDTraceTools/export/perfetto/perfetto.h"
#include "HDTraceTools/findings/findings.h"

/** Add a text, which is freed, if it says something. */
static void findingsAnnotate(struct perfetto *self, const char *name,
			     char *text)
{
	if (*text)
		perfettoAnnotate(self, name, text);
	g_free(text);
}

/** What findings are added to. */
struct perfettoFindings {
	struct perfetto *perfetto;
	uint64_t parent; /**< Their track. */
};

static void perfettoPutFinding(const struct finding *finding, void *data)
{
	const struct perfettoFindings *findings = data;
	struct perfetto *self = findings->perfetto;

	self->track = perfettoStartTrack(self, findings->parent, finding->kind);
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
	findingsAnnotate(self, "waiting", exportFindingRanks(finding->waiting));
	findingsAnnotate(self, "causing", exportFindingRanks(finding->causing));
	findingsAnnotate(self, "causes", exportFindingCauses(finding));
	perfettoPutPacket(self, PACKET_TRACK_EVENT, &finding->from);
	perfettoStartEvent(self, EVENT_IS_END);
	perfettoPutPacket(self, PACKET_TRACK_EVENT, &finding->to);
}

void perfettoPutFindings(struct perfetto *self)
{
	struct perfettoFindings findings = {
		.perfetto = self,
		.parent = perfettoStartTrack(self, 0, "Findings"),
	};

	perfettoPutPacket(self, PACKET_TRACK_DESCRIPTOR, NULL);
	exportFindings(self->export, perfettoPutFinding, &findings);
}
