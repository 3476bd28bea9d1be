/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Findings of file accesses that cost time: one rank accesses files for all,
 * accesses are small, and files are opened again and again.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/findings/habits/habits.h"
#include "HDTraceTools/model/mpi/messages.h"

/** Accesses of fewer bytes are small, and so are those that are not at a
 * multiple of the other number: pages of file systems. */
#define FILES_SMALL 65536
#define FILES_ALIGNED 4096
/** A rank opens a file again and again. */
#define FILES_OPENINGS 10

/* ---- Noting ---------------------------------------------------------------
 */

/** Whether a state is an access of its rank alone, by its name. */
static bool filesIsAccess(const char *name)
{
	static const char *const names[] = {
		"read",  "read_at",  "read_shared",
		"write", "write_at", "write_shared",
	};

	if (!g_str_has_prefix(name, "File_"))
		return false;
	name += strlen("File_");
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		const char *rest = name + strlen(names[i]);

		if (g_str_has_prefix(name, names[i]) &&
		    (*rest == '\0' || strcmp(rest, "_c") == 0))
			return true;
	}
	return false;
}

void habitsNote(struct habits *self, size_t trace, const hdIRecord *record,
		const struct selection *selection)
{
	struct habitsCount *count = &self->accesses[trace];
	int64_t start = MAX(record->start, selection->start);
	int64_t end = MIN(record->end, selection->end);
	int64_t size, offset = 0;

	if (record->kind != HDI_STATE || record->name[0] != 'F' ||
	    start >= end || !filesIsAccess(record->name) ||
	    !messagesNumber(record->attributes, record->attributeCount, "size",
			    &size))
		return;
	messagesNumber(record->attributes, record->attributeCount, "offset",
		       &offset);
	if (size >= FILES_SMALL && offset % FILES_ALIGNED == 0)
		return;
	count->count++;
	count->time += end - start;
}

void habitsTakeOpening(struct habits *self, const struct dependencyMatch *match)
{
	int64_t last = INT64_MIN;

	for (guint i = 0; match->pattern != PATTERN_ALONE && i < match->count;
	     i++)
		last = MAX(last, match->parts[i].start);
	for (guint i = 0; i < match->count; i++) {
		const struct dependencyPart *part = &match->parts[i];
		struct habitsCount *count = &self->openings[part->trace];

		if (!part->isAgain)
			continue;
		count->count += match->isOpening;
		count->time += MAX(part->end - MAX(part->start, last), 0);
	}
}

/* ---- Findings -------------------------------------------------------------
 */

static void filesFindOneRank(struct findings *findings)
{
	GArray *causing = findingShares();
	int64_t all = 0, most = 0;
	struct finding finding = {
		.kind = FINDING_IO_ONE_RANK,
		.title = "One rank accesses files for all ranks",
		.advice = "Let each rank access its own part of the file with "
			  "MPI_File_write_all or MPI_File_read_all.",
		.count = 1,
	};

	for (size_t i = 0; i < findings->project->traceCount; i++) {
		const struct findingShare share = {
			.rank = findings->traces[i].rank,
			.time = findings->traces[i].io,
		};

		all += share.time;
		if (share.time <= most)
			continue;
		most = share.time;
		g_array_set_size(causing, 0);
		g_array_append_val(causing, share);
	}
	if (findings->ranks->len > 1 && most >= all / 10 * 9)
		finding.time = most;
	findingsAddFinding(findings, finding, findingShares(), causing,
			   findingShares());
}

/** Those of all traces: the ranks, and what they took. */
static GArray *filesAddUp(const struct findings *findings,
			  const struct habitsCount *counts,
			  struct finding *finding, uint64_t *most)
{
	GArray *ranks = findingShares();

	*most = 0;
	for (size_t i = 0; i < findings->project->traceCount; i++) {
		const struct findingShare share = {
			.rank = findings->traces[i].rank,
			.time = counts[i].time,
		};

		finding->count += counts[i].count;
		finding->time += share.time;
		*most = MAX(*most, counts[i].count);
		if (share.rank >= 0 && share.time)
			g_array_append_val(ranks, share);
	}
	return ranks;
}

static void filesFindSmall(struct findings *findings)
{
	struct finding finding = {
		.kind = FINDING_IO_SMALL,
		.title = "Ranks access files in small or unaligned pieces",
		.advice = "Access larger, aligned pieces, or let "
			  "MPI_File_write_all or MPI_File_read_all combine "
			  "those of all ranks.",
	};
	uint64_t most;
	GArray *ranks = filesAddUp(findings, findings->habits->accesses,
				   &finding, &most);

	if (finding.count < HABITS_MANY)
		finding.time = 0;
	findingsAddFinding(findings, finding, ranks, findingShares(),
			   findingShares());
}

static void filesFindOpenings(struct findings *findings)
{
	struct finding finding = {
		.kind = FINDING_IO_REOPEN,
		.title = "Ranks open the same file again and again",
		.advice = "Open the file once, and close it at the end.",
	};
	uint64_t most;
	GArray *ranks = filesAddUp(findings, findings->habits->openings,
				   &finding, &most);

	if (most < FILES_OPENINGS)
		finding.time = 0;
	findingsAddFinding(findings, finding, ranks, findingShares(),
			   findingShares());
}

void findingsFindFiles(struct findings *findings)
{
	filesFindOneRank(findings);
	filesFindSmall(findings);
	filesFindOpenings(findings);
}
