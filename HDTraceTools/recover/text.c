/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace recover: writes traces, .proj and .info files anew.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/edit/infofile.h"
#include "HDTraceTools/edit/traceedit.h"
#include "HDTraceTools/edit/xmlscan.h"
#include "HDTraceTools/recover/recover.h"
#include "cli/output.h"
#include "common/format/projectfile.h"

/* ---- Traces ------------------------------------------------------------ */

int recoverWriteTrace(struct recover *recover, hdITraceReader *reader,
		      int64_t fileSize, struct newFile *new,
		      struct recovered *result)
{
	struct traceEdit writer;
	const hdIAttribute *attributes = NULL;
	const hdIRecord *record;
	size_t count = 0;
	int64_t end = 0;
	int more = 0;

	traceEditBegin(&writer, new->file);
	recover->lostOwners = recover->lostRecords = 0;
	if (reader) {
		attributes = hdI_getTraceAttributes(reader, &count);
		traceEditProgram(&writer, attributes, count);
		more = hdI_readTrace(reader, &record);
	} else {
		traceEditProgram(&writer, NULL, 0);
	}
	for (; more == 1; more = hdI_readTrace(reader, &record)) {
		traceEditRecord(&writer, record, recover->lostOwners);
		result->recordsLost += (int64_t)recover->lostOwners;
		recover->lostOwners = 0;
		end = MAX(end, record->endOffset);
		toolProgressAt(recover->tool, record->offset);
	}
	recover->lostOwners = MAX(recover->lostOwners, writer.open->len);
	result->recordsLost +=
		(int64_t)(recover->lostOwners + recover->lostRecords);
	result->bytesLost = fileSize - end;
	return traceEditEnd(&writer);
}

/* ---- Projects ---------------------------------------------------------- */

/** Elements that make sense without all of their content. */
static bool isContainer(const char *text, const struct xmlPiece *piece)
{
	static const char *const names[] = {
		"Application", "FileList",
		"Topology",    "Level",
		"Node",        "CommunicatorList",
		"Datatypes",   "ExternalStatistics",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		if (xmlHasName(text, piece, names[i]))
			return true;
	}
	return false;
}

/** Whether a reader accepts a start tag, at a depth. */
static bool isAccepted(const char *text, const struct xmlPiece *piece,
		       guint depth)
{
	size_t quotes = 0;

	for (size_t i = piece->start; i < piece->end; i++)
		quotes += text[i] == '"' || text[i] == '\'';
	return depth < HDI_NESTING_MAX && quotes / 2 <= HDI_ATTRIBUTES_MAX;
}

/** A place in a .proj where it can end, but for some end tags. */
struct goodEnd {
	size_t at;
	GPtrArray *open; /**< Names of the elements to close. */
};

static void markGoodEnd(struct goodEnd *good, size_t at, const GPtrArray *open)
{
	good->at = at;
	g_ptr_array_set_size(good->open, 0);
	for (guint i = 0; i < open->len; i++)
		g_ptr_array_add(good->open, g_strdup(open->pdata[i]));
}

/**
 * Find the last place where an element was complete, and only containers were
 * open.
 */
static void findGoodEnd(const char *text, size_t size, struct goodEnd *good)
{
	GPtrArray *open = g_ptr_array_new_with_free_func(g_free);
	guint partial = 0; /* Open elements that are no containers. */
	struct xmlPiece piece;

	for (size_t at = 0; xmlNext(text, size, at, &piece); at = piece.end) {
		bool isPartial =
			(piece.kind == XML_START || piece.kind == XML_END) &&
			!isContainer(text, &piece);

		if (piece.kind == XML_TEXT || piece.kind == XML_OTHER)
			continue;
		if (piece.kind != XML_END &&
		    !isAccepted(text, &piece, open->len))
			break;
		if (piece.kind == XML_START) {
			partial += isPartial;
			g_ptr_array_add(open, g_strndup(text + piece.name,
							piece.nameLength));
			if (open->len == 1)
				markGoodEnd(good, piece.end, open);
			continue;
		}
		if (piece.kind == XML_END) {
			const char *last =
				open->len ? open->pdata[open->len - 1] : "";

			if (strlen(last) != piece.nameLength ||
			    memcmp(last, text + piece.name, piece.nameLength) !=
				    0)
				break;
			partial -= isPartial;
			g_ptr_array_set_size(open, (gint)open->len - 1);
		}
		if (partial == 0)
			markGoodEnd(good, piece.end, open);
		if (open->len == 0)
			break;
	}
	g_ptr_array_free(open, TRUE);
}

int recoverWriteProject(struct recover *recover, const char *text, size_t size,
			struct newFile *new, struct recovered *result)
{
	struct goodEnd good = {
		.open = g_ptr_array_new_with_free_func(g_free),
	};

	findGoodEnd(text, size, &good);
	if (good.at == 0) {
		hdProjectTag(new->file, 0, "Application name",
			     recover->project->name, false);
		g_ptr_array_add(good.open, g_strdup("Application"));
	} else {
		fwrite(text, 1, good.at, new->file);
	}
	if (good.open->len == 1 &&
	    !g_strstr_len(text, (gssize)good.at, "<Topology"))
		fputs("\n<Topology>\n</Topology>", new->file);
	for (guint i = good.open->len; i > 0; i--)
		fprintf(new->file, "\n</%s>", (char *)good.open->pdata[i - 1]);
	fputc('\n', new->file);
	result->bytesLost = (int64_t)(size - good.at);
	result->recordsLost = -1;
	g_ptr_array_free(good.open, TRUE);
	return 0;
}

/* ---- Lines for the merger ---------------------------------------------- */

int recoverWriteInfo(struct recover *recover, const char *file,
		     const char *text, size_t size, struct newFile *new,
		     struct recovered *result)
{
	size_t end = size;
	char *tail;
	GPtrArray *lines;
	size_t warnings;
	bool isComplete;

	while (end > 0 && text[end - 1] != '\n')
		end--;
	fwrite(text, 1, end, new->file);
	/* A line that only lacks its end is kept. */
	tail = g_strdup_printf("%.*s\n", (int)MIN(size - end, INT_MAX - 2),
			       text + end);
	warnings = recover->tool->warnings;
	recover->isMuted = true;
	lines = infoParse(recover->tool, file, tail, strlen(tail));
	recover->isMuted = false;
	isComplete = lines->len == 1 && recover->tool->warnings == warnings;
	recover->tool->warnings = warnings;
	g_ptr_array_unref(lines);
	if (isComplete) {
		fputs(tail, new->file);
	} else {
		result->bytesLost = (int64_t)(size - end);
		result->recordsLost = 1;
	}
	g_free(tail);
	return 0;
}
