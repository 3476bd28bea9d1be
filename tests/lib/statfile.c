/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads statistics files; see statfile.h. */
#include "config.h"

#include <string.h>

#include <glib.h>
#include <libxml/parser.h>

#include "tests/lib/statfile.h"
#include "tests/lib/testlib.h"

uint32_t testBig32(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
	       (uint32_t)bytes[2] << 8 | bytes[3];
}

uint64_t testBig64(const unsigned char *bytes)
{
	return (uint64_t)testBig32(bytes) << 32 | testBig32(bytes + 4);
}

static int64_t statStamp(const unsigned char *bytes)
{
	g_assert_cmpuint(testBig32(bytes + 4), <, 1000000000);
	return (int64_t)testBig32(bytes) * 1000000000 + testBig32(bytes + 4);
}

/* Get the types from `type="..."` of the lines that start with `  <Value`. */
static void statTypes(struct testStatFile *stat)
{
	static const char *const names[] = {
		[INT32] = " type=\"INT32\"",   [INT64] = " type=\"INT64\"",
		[FLOAT] = " type=\"FLOAT\"",   [DOUBLE] = " type=\"DOUBLE\"",
		[STRING] = " type=\"STRING\"",
	};
	char **lines = g_strsplit(stat->header, "\n", -1);

	stat->types = g_new0(hdStatsValueType, g_strv_length(lines));
	for (char **line = lines; *line; line++) {
		int type = INT32;

		if (!g_str_has_prefix(*line, "  <Value "))
			continue;
		while (type <= STRING && !strstr(*line, names[type]))
			type++;
		g_assert_cmpint(type, <=, STRING);
		stat->types[stat->typeCount++] = (hdStatsValueType)type;
	}
	g_strfreev(lines);
}

/* Get the length of the values at @p at, or SIZE_MAX where they are cut. */
static size_t statMeasure(const struct testStatFile *stat, size_t at)
{
	size_t start = at;

	for (size_t i = 0; i < stat->typeCount; i++) {
		switch (stat->types[i]) {
		case INT32:
		case FLOAT:
			at += 4;
			break;
		case INT64:
		case DOUBLE:
			at += 8;
			break;
		case STRING:
			if (at + 2 > stat->length)
				return SIZE_MAX;
			g_assert_cmpuint(stat->bytes[at], <, 0x80);
			at += 2 + ((size_t)stat->bytes[at] << 8 |
				   stat->bytes[at + 1]);
			break;
		}
		if (at > stat->length)
			return SIZE_MAX;
	}
	return at - start;
}

struct testStatFile *testStatRead(const char *path)
{
	struct testStatFile *stat = g_new0(struct testStatFile, 1);
	GArray *entries = g_array_new(FALSE, FALSE, sizeof(struct testEntry));
	xmlDocPtr document;
	size_t headerLength;
	int64_t last = 0;
	size_t at;

	stat->bytes = (unsigned char *)testRead(path, &stat->length);
	g_assert_cmpuint(stat->length, >, 6);
	for (int i = 0; i < 5; i++)
		g_assert_true(g_ascii_isdigit(stat->bytes[i]));
	g_assert_cmpint(stat->bytes[5], ==, '\n');
	headerLength = g_ascii_strtoull((char *)stat->bytes, NULL, 10);
	at = 6 + headerLength;
	g_assert_cmpuint(stat->length, >=, at + 8);
	document = xmlReadMemory((char *)stat->bytes + 6, (int)headerLength,
				 path, NULL, XML_PARSE_NONET | XML_PARSE_HUGE);
	g_assert_nonnull(document);
	xmlFreeDoc(document);
	stat->header = g_strndup((char *)stat->bytes, at);
	g_assert_cmpuint(strlen(stat->header), ==, at);
	g_assert_true(g_str_has_suffix(stat->header, "\n</Statistics>\n"));
	statTypes(stat);
	stat->init = statStamp(stat->bytes + at);
	last = stat->init;
	for (at += 8; at + 8 <= stat->length;) {
		struct testEntry entry = { 0 };

		if (testBig64(stat->bytes + at) == UINT64_MAX) {
			if (at + 16 > stat->length)
				break;
			entry.isGap = true;
			at += 8;
		} else {
			entry.length = statMeasure(stat, at + 8);
			if (entry.length == SIZE_MAX)
				break;
		}
		entry.time = statStamp(stat->bytes + at);
		entry.values = stat->bytes + at + 8;
		g_assert_cmpint(entry.time, >=, last);
		last = entry.time;
		g_array_append_val(entries, entry);
		at += 8 + entry.length;
	}
	stat->bytesLeft = stat->length - at;
	stat->count = entries->len;
	stat->entries =
		(struct testEntry *)(void *)g_array_free(entries, FALSE);
	return stat;
}

void testStatFree(struct testStatFile *stat)
{
	g_free(stat->header);
	g_free(stat->types);
	g_free(stat->entries);
	g_free(stat->bytes);
	g_free(stat);
}
