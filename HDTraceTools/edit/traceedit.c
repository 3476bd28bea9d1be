/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Writes a trace anew from its records; see traceedit.h.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "HDTraceTools/edit/traceedit.h"
#include "cli/output.h"
#include "common/format/escape.h"
#include "common/format/seconds.h"

static const char openTag[] = "<Nested>\n";
static const char closeTag[] = "</Nested>\n";

static void put(struct traceEdit *writer, const char *text)
{
	writer->written += (int64_t)strlen(text);
	fputs(text, writer->file);
}

static void putEscaped(struct traceEdit *writer, const char *text)
{
	size_t length = strlen(text), taken, pieceLength;
	const char *piece;

	while ((taken = hdEscapeNext(text, length, &piece, &pieceLength)) > 0) {
		fwrite(piece, 1, pieceLength, writer->file);
		writer->written += (int64_t)pieceLength;
		text += taken;
		length -= taken;
	}
}

static void putAttribute(struct traceEdit *writer, const char *name,
			 const char *value)
{
	put(writer, " ");
	put(writer, name);
	put(writer, "='");
	putEscaped(writer, value);
	put(writer, "'");
}

static void putAttributes(struct traceEdit *writer, const hdIAttribute *list,
			  size_t count)
{
	for (size_t i = 0; i < count; i++)
		putAttribute(writer, list[i].name, list[i].value);
}

static void putTime(struct traceEdit *writer, const char *name, int64_t time)
{
	char buffer[OUT_NUMBER_SIZE];

	putAttribute(writer, name, outSeconds(buffer, time - writer->base));
}

static void putElements(struct traceEdit *writer, const hdIElement *list,
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

static void putRecord(struct traceEdit *writer, const hdIRecord *record)
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
static void liftBlock(struct traceEdit *writer)
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
static void moveTo(struct traceEdit *writer, unsigned int depth, size_t lost)
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
static int blankLifted(struct traceEdit *writer)
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

void traceEditProgram(struct traceEdit *writer, const hdIAttribute *attributes,
		      size_t count)
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

void traceEditBegin(struct traceEdit *writer, FILE *file)
{
	*writer = (struct traceEdit){
		.file = file,
		.open = g_array_new(FALSE, FALSE, sizeof(int64_t)),
		.lifted = g_array_new(FALSE, FALSE, sizeof(int64_t)),
	};
}

void traceEditRecord(struct traceEdit *writer, const hdIRecord *record,
		     size_t lost)
{
	moveTo(writer, record->depth, lost);
	putRecord(writer, record);
}

int traceEditEnd(struct traceEdit *writer)
{
	int ret;

	while (writer->open->len)
		liftBlock(writer);
	put(writer, "</Program>\n");
	ret = blankLifted(writer);
	g_array_free(writer->open, TRUE);
	g_array_free(writer->lifted, TRUE);
	return ret;
}
