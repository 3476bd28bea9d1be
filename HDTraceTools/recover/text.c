/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace recover: writes traces, .proj and .info files anew.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "HDTraceTools/edit/infofile.h"
#include "HDTraceTools/edit/xmlscan.h"
#include "HDTraceTools/recover/recover.h"
#include "cli/output.h"
#include "common/format/seconds.h"

/* ---- Traces ------------------------------------------------------------ */

/** A trace that is being written. */
struct traceWriter {
	FILE *file;
	int64_t written; /**< Bytes so far. */
	int64_t base;    /**< Times are relative to it. */
	/** Where the tags of the open Nested blocks stand: int64_t. */
	GArray *open;
	GArray *lifted; /**< Tags that must become blanks: int64_t. */
};

static const char openTag[] = "<Nested>\n";
static const char closeTag[] = "</Nested>\n";

static void put(struct traceWriter *writer, const char *text)
{
	writer->written += (int64_t)strlen(text);
	fputs(text, writer->file);
}

static void putEscaped(struct traceWriter *writer, const char *text)
{
	GString *out = g_string_new(NULL);

	xmlAppend(out, text);
	put(writer, out->str);
	g_string_free(out, TRUE);
}

static void putAttribute(struct traceWriter *writer, const char *name,
			 const char *value)
{
	put(writer, " ");
	put(writer, name);
	put(writer, "='");
	putEscaped(writer, value);
	put(writer, "'");
}

static void putAttributes(struct traceWriter *writer, const hdIAttribute *list,
			  size_t count)
{
	for (size_t i = 0; i < count; i++)
		putAttribute(writer, list[i].name, list[i].value);
}

static void putTime(struct traceWriter *writer, const char *name, int64_t time)
{
	char buffer[OUT_NUMBER_SIZE];

	putAttribute(writer, name, outSeconds(buffer, time - writer->base));
}

static void putElements(struct traceWriter *writer, const hdIElement *list,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		put(writer, "<");
		put(writer, list[i].name);
		putAttributes(writer, list[i].attributes,
			      list[i].attributeCount);
		if (!*list[i].text && !list[i].childCount) {
			put(writer, "/>");
			continue;
		}
		put(writer, ">");
		putEscaped(writer, list[i].text);
		putElements(writer, list[i].children, list[i].childCount);
		put(writer, "</");
		put(writer, list[i].name);
		put(writer, ">");
	}
}

static void putRecord(struct traceWriter *writer, const hdIRecord *record)
{
	for (unsigned int i = 0; i < record->depth; i++)
		put(writer, "\t");
	if (record->kind == HDI_EVENT) {
		put(writer, "<Event");
		putAttribute(writer, "name", record->name);
	} else {
		put(writer, "<");
		put(writer, record->name);
	}
	putAttributes(writer, record->attributes, record->attributeCount);
	put(writer, " ");
	putTime(writer, "time", record->start);
	if (record->kind == HDI_STATE)
		putTime(writer, "end", record->end);
	if (!record->elementCount && !*record->text) {
		put(writer, "/>\n");
		return;
	}
	put(writer, ">");
	putEscaped(writer, record->text);
	putElements(writer, record->elements, record->elementCount);
	put(writer, "</");
	put(writer, record->kind == HDI_EVENT ? "Event" : record->name);
	put(writer, ">\n");
}

/** The innermost open block has no owner: what is in it moves up. */
static void liftBlock(struct traceWriter *writer)
{
	guint last = writer->open->len - 1;

	g_array_append_val(writer->lifted,
			   g_array_index(writer->open, int64_t, last));
	g_array_set_size(writer->open, last);
}

/**
 * Open and close blocks until a record of some depth can follow.
 *
 * @param lost Number of blocks that have no owner.
 */
static void moveTo(struct traceWriter *writer, unsigned int depth, size_t lost)
{
	while (writer->open->len > depth + 1) {
		liftBlock(writer);
		lost -= lost > 0;
	}
	if (writer->open->len == depth + 1 && lost) {
		liftBlock(writer);
	} else if (writer->open->len == depth + 1) {
		put(writer, closeTag);
		g_array_set_size(writer->open, depth);
	}
	while (writer->open->len < depth) {
		int64_t at = writer->written;

		g_array_append_val(writer->open, at);
		put(writer, openTag);
	}
}

/** Overwrite the tags of blocks without owner. */
static int blankLifted(struct traceWriter *writer)
{
	char blanks[sizeof(openTag)];
	size_t length = strlen(openTag) - 1;

	memset(blanks, ' ', sizeof(blanks));
	if (fflush(writer->file) != 0)
		return -errno;
	for (guint i = 0; i < writer->lifted->len; i++) {
		off_t at = (off_t)g_array_index(writer->lifted, int64_t, i);

		if (pwrite(fileno(writer->file), blanks, length, at) !=
		    (ssize_t)length)
			return errno ? -errno : -EIO;
	}
	return 0;
}

static void putProgram(struct traceWriter *writer,
		       const hdIAttribute *attributes, size_t count)
{
	put(writer, "<Program");
	for (size_t i = 0; attributes && i < count; i++) {
		const char *value = attributes[i].value;

		if (strcmp(attributes[i].name, "timeAdjustment") == 0 &&
		    hdAdjustmentParse(value, &writer->base) < 0) {
			writer->base = 0;
			value = "0";
		}
		putAttribute(writer, attributes[i].name, value);
	}
	if (!attributes)
		putAttribute(writer, "timeAdjustment", "0");
	put(writer, ">\n");
}

int recoverWriteTrace(struct recover *recover, hdITraceReader *reader,
		      int64_t fileSize, struct newFile *new,
		      struct recovered *result)
{
	struct traceWriter writer = {
		.file = new->file,
		.open = g_array_new(FALSE, FALSE, sizeof(int64_t)),
		.lifted = g_array_new(FALSE, FALSE, sizeof(int64_t)),
	};
	const hdIAttribute *attributes = NULL;
	const hdIRecord *record;
	size_t count = 0;
	int64_t end = 0;
	int ret;
	int more = 0;

	recover->lostOwners = recover->lostRecords = 0;
	if (reader) {
		attributes = hdI_getTraceAttributes(reader, &count);
		putProgram(&writer, attributes, count);
		more = hdI_readTrace(reader, &record);
	} else {
		putProgram(&writer, NULL, 0);
	}
	for (; more == 1; more = hdI_readTrace(reader, &record)) {
		moveTo(&writer, record->depth, recover->lostOwners);
		result->recordsLost += (int64_t)recover->lostOwners;
		recover->lostOwners = 0;
		putRecord(&writer, record);
		end = MAX(end, record->endOffset);
		toolProgressAt(recover->tool, record->offset);
	}
	recover->lostOwners = MAX(recover->lostOwners, writer.open->len);
	while (writer.open->len)
		liftBlock(&writer);
	put(&writer, "</Program>\n");
	result->recordsLost +=
		(int64_t)(recover->lostOwners + recover->lostRecords);
	result->bytesLost = fileSize - end;
	ret = blankLifted(&writer);
	g_array_free(writer.open, TRUE);
	g_array_free(writer.lifted, TRUE);
	return ret;
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
		GString *out = g_string_new("<Application name=\"");

		xmlAppend(out, recover->project->name);
		g_string_append(out, "\">\n");
		fputs(out->str, new->file);
		g_string_free(out, TRUE);
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
