/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: answers from the data of a project.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <microhttpd.h>

#include "HDTraceTools/pages/entries.h"
#include "HDTraceTools/view/answers.h"

/** No part is larger. */
#define PART_MAX (64 << 20)

bool answerNumber(const struct exchange *exchange, const char *name,
		  guint64 max, guint64 *number)
{
	const char *text = exchange->argument(exchange, name);

	return text &&
	       g_ascii_string_to_unsigned(text, 10, 0, max, number, NULL);
}

/** The track that "id" names; NULL if there is none. */
static struct track *answersFindTrack(const struct exchange *exchange,
				      guint64 *number)
{
	struct tracks *tracks = exchange->project->tracks;
	const hdIProject *project = tracks->project;
	const char *id = exchange->argument(exchange, "id");

	if (!id || !*id ||
	    !g_ascii_string_to_unsigned(id + 1, 10, 0, G_MAXUINT32, number,
					NULL))
		return NULL;
	if (id[0] == TRACK_STATISTICS && *number < project->groupCount)
		return &tracks->groups[*number];
	if (id[0] == TRACK_TRACE && *number < project->traceCount)
		return &tracks->traces[*number];
	if (id[0] == TRACK_WAITS && *number < project->traceCount)
		return &tracks->waits[*number];
	if (id[0] == TRACK_RELATIONS && *number < project->relationCount)
		return &tracks->relations[*number];
	if (id[0] == TRACK_CAUSES && *number == 0)
		return &tracks->causes;
	if (id[0] == TRACK_OVERVIEW && *number == 0)
		return &tracks->overview;
	return id[0] == TRACK_MESSAGES && *number == 0 ? &tracks->messages
						       : NULL;
}

unsigned int answerTrack(struct exchange *exchange)
{
	guint64 number;
	struct track *track = answersFindTrack(exchange, &number);

	if (!track)
		return MHD_HTTP_NOT_FOUND;
	viewJobsWant(exchange->project->jobs, track);
	trackDescribe(track, 0, false, exchange->body);
	return MHD_HTTP_OK;
}

unsigned int answerPart(struct exchange *exchange)
{
	guint64 at;
	guint64 size;
	int ret;

	if (!answerNumber(exchange, "at", G_MAXINT64, &at) ||
	    !answerNumber(exchange, "size", PART_MAX, &size))
		return MHD_HTTP_BAD_REQUEST;
	g_byte_array_set_size(exchange->body, (guint)size);
	ret = storeRead(exchange->project->tracks->store, at,
			exchange->body->data, size);
	if (ret == 0)
		return MHD_HTTP_OK;
	g_byte_array_set_size(exchange->body, 0);
	return ret == -ENOENT ? MHD_HTTP_NO_CONTENT : MHD_HTTP_NOT_FOUND;
}

/** Read the entries of a chunk again. */
static int answersReadEntries(struct exchange *exchange, guint64 number,
			      const struct chunk *chunk, guint part)
{
	const hdIProject *project = exchange->project->tracks->project;
	const hdIGroup *group = project->groups[number];
	hdIStatReader *reader =
		diagnosticsOpenStat(project, group, &diagnosticsDropped);
	size_t lead = chunk->hasLead;
	struct amounts *amounts;
	struct entries entries;
	const hdIBlock *block;

	if (!reader)
		return errno ? -errno : -EIO;
	amounts = amountsNew(group);
	entriesInit(&entries, group, amounts, chunk->count);
	/* What leads to them ends where they start. */
	if (hdI_seekStat(reader, chunk->offset, chunk->start,
			 chunk->first - lead) == 0) {
		while (entries.count < entries.capacity &&
		       hdI_readStat(reader, &block) == 1) {
			amountsTake(amounts, block);
			if (block->count > lead)
				entriesAppend(&entries, block, lead,
					      block->count);
			lead = 0;
		}
	}
	entriesPack(&entries, part, exchange->body);
	entriesClear(&entries);
	amountsFree(amounts);
	hdI_closeStat(reader);
	return 0;
}

unsigned int answerEntries(struct exchange *exchange)
{
	guint64 number;
	guint64 position;
	guint64 part;
	guint64 count;
	struct track *track = answersFindTrack(exchange, &number);
	const hdIGroup *group;
	struct chunk chunk;

	if (!track || track->kind != TRACK_STATISTICS ||
	    !answerNumber(exchange, "chunk", G_MAXUINT32, &position) ||
	    !answerNumber(exchange, "part", G_MAXUINT32, &part))
		return MHD_HTTP_BAD_REQUEST;
	if (!trackGetChunk(track, 0, (guint)position, &chunk) ||
	    part > exchange->project->tracks->project->groups[number]
			    ->valueCount)
		return MHD_HTTP_NOT_FOUND;
	/* It may be longer in another edition than in that of the page. */
	if (exchange->argument(exchange, "count") &&
	    (!answerNumber(exchange, "count", chunk.count, &count) ||
	     count != chunk.count))
		return MHD_HTTP_NO_CONTENT;
	if (answersReadEntries(exchange, number, &chunk, (guint)part) < 0)
		return MHD_HTTP_INTERNAL_SERVER_ERROR;
	group = exchange->project->tracks->project->groups[number];
	if (!viewFilesHold(exchange->edition->files, group->file,
			   group->dataOffset)) {
		g_byte_array_set_size(exchange->body, 0);
		return MHD_HTTP_NO_CONTENT;
	}
	return MHD_HTTP_OK;
}

/** A time in an argument, which may be negative; without it @p time stays. */
static bool answersTime(const struct exchange *exchange, const char *name,
			int64_t *time)
{
	const char *text = exchange->argument(exchange, name);
	gint64 number;

	if (!text)
		return true;
	if (!g_ascii_string_to_signed(text, 10, INT64_MIN, INT64_MAX, &number,
				      NULL))
		return false;
	*time = number;
	return true;
}

static unsigned int answersTable(struct exchange *exchange, enum viewTable kind)
{
	int64_t from = INT64_MIN;
	int64_t to = INT64_MAX;
	int ret;

	if (!answersTime(exchange, "from", &from) ||
	    !answersTime(exchange, "to", &to) || from > to)
		return MHD_HTTP_BAD_REQUEST;
	ret = viewTablesAsk(exchange->project->tables, kind, from, to,
			    exchange->body);
	if (ret < 0)
		return MHD_HTTP_NOT_FOUND;
	/* A page that waits comes before tracks that none looks at. */
	if (ret > 0)
		viewJobsRest(exchange->project->jobs);
	exchange->type = ANSWER_JSON;
	return MHD_HTTP_OK;
}

unsigned int answerStates(struct exchange *exchange)
{
	return answersTable(exchange, VIEW_STATES);
}

unsigned int answerPairs(struct exchange *exchange)
{
	return answersTable(exchange, VIEW_PAIRS);
}

unsigned int answerNotes(struct exchange *exchange)
{
	exchange->type = ANSWER_TEXT;
	return viewNotesRead(exchange->project->notes, exchange->body) == 0
		       ? MHD_HTTP_OK
		       : MHD_HTTP_INTERNAL_SERVER_ERROR;
}

unsigned int answerNoteChange(struct exchange *exchange, const GByteArray *line)
{
	const char *what = exchange->argument(exchange, "do");
	bool isAdd = g_strcmp0(what, "add") == 0;
	const char *reason;
	int ret = -EINVAL;

	exchange->type = ANSWER_TEXT;
	if (isAdd || g_strcmp0(what, "remove") == 0)
		ret = viewNotesChange(exchange->project->notes, isAdd,
				      (const char *)line->data, line->len);
	if (ret == 0)
		return MHD_HTTP_OK;
	reason = strerror(-ret);
	g_byte_array_append(exchange->body, (const guint8 *)reason,
			    (guint)strlen(reason));
	return ret == -EINVAL   ? MHD_HTTP_BAD_REQUEST
	       : ret == -ENOENT ? MHD_HTTP_CONFLICT
				: MHD_HTTP_INTERNAL_SERVER_ERROR;
}
