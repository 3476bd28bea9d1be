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

static void traceEditPutText(struct traceEdit *writer, const char *text)
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

static void traceEditPutAttribute(struct traceEdit *writer, const char *name,
				  const char *value)
{
	traceEditPutText(writer, " ");
	traceEditPutText(writer, name);
	traceEditPutText(writer, "='");
	putEscaped(writer, value);
	traceEditPutText(writer, "'");
}

static void traceEditPutAttributes(struct traceEdit *writer,
				   const hdIAttribute *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		traceEditPutAttribute(writer, list[i].name, list[i].value);
}

static void traceEditPutTime(struct traceEdit *writer, const char *name,
			     int64_t time)
{
	char buffer[OUT_NUMBER_SIZE];

	traceEditPutAttribute(writer, name,
			      outSeconds(buffer, time - writer->base));
}

static void traceEditPutElements(struct traceEdit *writer,
				 const hdIElement *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		traceEditPutText(writer, "<");
		traceEditPutText(writer, list[i].name);
		traceEditPutAttributes(writer, list[i].attributes,
				       list[i].attributeCount);
		if (!*list[i].text && !list[i].childCount) {
			traceEditPutText(writer, "/>");
			continue;
		}
		traceEditPutText(writer, ">");
		putEscaped(writer, list[i].text);
		traceEditPutElements(writer, list[i].children,
				     list[i].childCount);
		traceEditPutText(writer, "</");
		traceEditPutText(writer, list[i].name);
		traceEditPutText(writer, ">");
	}
}

static void traceEditPutRecord(struct traceEdit *writer,
			       const hdIRecord *record)
{
	for (unsigned int i = 0; i < record->depth; i++)
		traceEditPutText(writer, "\t");
	if (record->kind == HDI_EVENT) {
		traceEditPutText(writer, "<Event");
		traceEditPutAttribute(writer, "name", record->name);
	} else {
		traceEditPutText(writer, "<");
		traceEditPutText(writer, record->name);
	}
	traceEditPutAttributes(writer, record->attributes,
			       record->attributeCount);
	traceEditPutText(writer, " ");
	traceEditPutTime(writer, "time", record->start);
	if (record->kind == HDI_STATE)
		traceEditPutTime(writer, "end", record->end);
	if (!record->elementCount && !*record->text) {
		traceEditPutText(writer, "/>\n");
		return;
	}
	traceEditPutText(writer, ">");
	putEscaped(writer, record->text);
	traceEditPutElements(writer, record->elements, record->elementCount);
	traceEditPutText(writer, "</");
	traceEditPutText(writer,
			 record->kind == HDI_EVENT ? "Event" : record->name);
	traceEditPutText(writer, ">\n");
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
		traceEditPutText(writer, closeTag);
		g_array_set_size(writer->open, depth);
	}
	while (writer->open->len < depth) {
		int64_t at = writer->written;

		g_array_append_val(writer->open, at);
		traceEditPutText(writer, openTag);
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
	traceEditPutText(writer, "<Program");
	for (size_t i = 0; attributes && i < count; i++) {
		const char *value = attributes[i].value;

		if (strcmp(attributes[i].name, "timeAdjustment") == 0 &&
		    hdAdjustmentParse(value, &writer->base) < 0) {
			writer->base = 0;
			value = "0";
		}
		traceEditPutAttribute(writer, attributes[i].name, value);
	}
	if (!attributes)
		traceEditPutAttribute(writer, "timeAdjustment", "0");
	traceEditPutText(writer, ">\n");
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
	traceEditPutRecord(writer, record);
}

int traceEditEnd(struct traceEdit *writer)
{
	int ret;

	while (writer->open->len)
		liftBlock(writer);
	traceEditPutText(writer, "</Program>\n");
	ret = blankLifted(writer);
	g_array_free(writer->open, TRUE);
	g_array_free(writer->lifted, TRUE);
	return ret;
}
