/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: an .info file, as hdtrace merge reads it; and, on the same
 * bytes, the scanner of XML that hdtrace merge and recover use, and what
 * hdtrace merge corrects times with.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "HDTraceTools/edit/infofile.h"
#include "HDTraceTools/edit/xmlscan.h"
#include "HDTraceTools/merge/merge.h"
#include "tests/fuzz/fuzz.h"

static void takeMessage(const hdIMessage *message, void *data)
{
	(void)data;
	g_assert_nonnull(message->text);
	g_assert_cmpint(message->offset, >=, 0);
	g_assert_cmpint(message->line, >, 0);
}

static void checkRanks(const GArray *ranks)
{
	for (guint i = 1; i < ranks->len; i++)
		g_assert_cmpint(
			g_array_index(ranks, struct infoRank, i - 1).global, <,
			g_array_index(ranks, struct infoRank, i).global);
}

static void checkLine(const struct infoLine *line, size_t size)
{
	g_assert_true(line->kind == INFO_CLOCK || line->kind == INFO_STEP ||
		      line->name);
	g_assert_cmpint(line->offset, >=, 0);
	g_assert_cmpint(line->offset, <, size);
	switch (line->kind) {
	case INFO_FILE:
		break;
	case INFO_COMM:
		checkRanks(line->ranks);
		g_assert_cmpint(line->groupSize, >=, line->ranks->len);
		if (!line->remote)
			break;
		checkRanks(line->remote);
		g_assert_cmpint(line->remoteSize, >=, line->remote->len);
		break;
	case INFO_TYPE:
		g_assert_nonnull(line->integers);
		g_assert_nonnull(line->addresses);
		g_assert_nonnull(line->types);
		g_assert_true(g_ascii_isupper(*line->combiner));
		break;
	case INFO_COMM_NAME:
	case INFO_PROCESS:
	case INFO_STEP:
		break;
	case INFO_CLOCK:
		g_assert_nonnull(line->method);
		g_assert_cmpint(line->clock.error, >=, 0);
		break;
	}
}

static void parse(const char *text, size_t size)
{
	struct tool tool = { .command = "fuzz", .take = takeMessage };
	GPtrArray *lines = infoParse(&tool, "fuzz.info", text, size);

	for (guint i = 0; i < lines->len; i++)
		checkLine(lines->pdata[i], size);
	g_ptr_array_unref(lines);
}

static void scan(const char *text, size_t size)
{
	struct xmlPiece piece;
	size_t start;
	size_t end;

	for (size_t at = 0; xmlNext(text, size, at, &piece); at = piece.end) {
		g_assert_cmpuint(piece.start, ==, at);
		g_assert_cmpuint(piece.end, >, at);
		g_assert_cmpuint(piece.end, <=, size);
		if (piece.kind == XML_TEXT || piece.kind == XML_OTHER)
			continue;
		g_assert_cmpuint(piece.name + piece.nameLength, <=, piece.end);
		if (xmlFindAttribute(text, &piece, "id", &start, &end)) {
			g_assert_cmpuint(start, <=, end);
			g_assert_cmpuint(end, <, piece.end);
		}
	}
}

static void correct(const char *text, size_t size)
{
	struct hdClockPoint points[] = { { 0, -7, 1 },
					 { 1000000000, 99999, 1 } };
	struct mergeClock clock = {
		.points = g_array_new(FALSE, FALSE, sizeof(points[0])),
	};
	const hdIValue values[] = { { .type = HDI_STRING },
				    { .type = HDI_INT32 } };
	const hdIGroup group = { .values = values, .valueCount = 2 };
	struct tool quiet = { 0 };
	char *copy = NULL;
	size_t copySize = 0;
	FILE *out = open_memstream(&copy, &copySize);

	g_array_append_vals(clock.points, points, 2);
	mergeCorrectTrace(&quiet, &clock, text, size, 0, 0, out);
	fclose(out);
	free(copy);
	copy = NULL;
	out = open_memstream(&copy, &copySize);
	mergeCorrectStat(&quiet, &clock, &group, text, size, 0, out);
	fclose(out);
	g_assert_cmpuint(copySize, ==, size);
	free(copy);
	g_array_unref(clock.points);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Its own memory, so that reading beyond the end is found. */
	char *text = g_memdup2(data, size);

	parse(text, size);
	scan(text, size);
	correct(text, size);
	g_free(text);
	return 0;
}
