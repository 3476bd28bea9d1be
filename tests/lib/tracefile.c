/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads traces; see tracefile.h. */
#include "config.h"

#include <string.h>

#include <libxml/parser.h>

#include "tests/lib/testlib.h"
#include "tests/lib/tracefile.h"

#define TRACE_INDENT_MAX 16

/* Fail the test if a line is not what it must be. */
#define traceExpect(condition, line)                                         \
	do {                                                                 \
		if (!(condition))                                            \
			g_error("%s: in line \"%.300s\"", #condition, line); \
	} while (0)

char *testUnescape(const char *text, size_t length)
{
	static const struct {
		const char *reference;
		char byte;
	} references[] = {
		{ "&amp;", '&' },   { "&lt;", '<' },   { "&gt;", '>' },
		{ "&apos;", '\'' }, { "&quot;", '"' }, { "&#9;", '\t' },
		{ "&#10;", '\n' },  { "&#13;", '\r' },
	};
	GString *plain = g_string_sized_new(length + 1);

	for (size_t i = 0; i < length;) {
		size_t r = 0;

		g_assert_null(strchr("<>'\"", text[i]));
		g_assert_cmpint((unsigned char)text[i], >=, ' ');
		if (text[i] != '&') {
			g_string_append_c(plain, text[i++]);
			continue;
		}
		while (r < G_N_ELEMENTS(references) &&
		       !g_str_has_prefix(text + i, references[r].reference))
			r++;
		g_assert_cmpint(r, <, G_N_ELEMENTS(references));
		g_string_append_c(plain, references[r].byte);
		i += strlen(references[r].reference);
	}
	return g_string_free(plain, FALSE);
}

/* Read "S.NNNNNNNNN'" and move behind it. */
static int64_t traceTime(const char **at, const char *line)
{
	int64_t seconds = 0;
	int64_t ns = 0;

	traceExpect(g_ascii_isdigit(**at), line);
	traceExpect(**at != '0' || (*at)[1] == '.', line);
	while (g_ascii_isdigit(**at))
		seconds = seconds * 10 + (*(*at)++ - '0');
	traceExpect(*(*at)++ == '.', line);
	for (int i = 0; i < 9; i++) {
		traceExpect(g_ascii_isdigit(**at), line);
		ns = ns * 10 + (*(*at)++ - '0');
	}
	traceExpect(*(*at)++ == '\'', line);
	return seconds * 1000000000 + ns;
}

static const char *traceSkipName(const char *at, const char *line)
{
	traceExpect(g_ascii_isalpha(*at) || *at == '_', line);
	while (g_ascii_isalnum(*at) || *at == '_' || *at == '.' || *at == '-')
		at++;
	return at;
}

/* Skip ` key='value'` as often as it stands there. */
static const char *traceSkipAttributes(const char *at, const char *line)
{
	while (at[0] == ' ' && at[1] != ' ') {
		at = traceSkipName(at + 1, line);
		traceExpect(g_str_has_prefix(at, "='"), line);
		at = strchr(at + 2, '\'');
		traceExpect(at, line);
		at++;
	}
	return at;
}

/* Parse `<Name attributes  time='' end=''/>` or the same with elements. */
static struct testRecord traceRecord(const char *line, unsigned int depth)
{
	struct testRecord record = { .depth = depth };
	const char *at = line + 1;
	const char *from = at;

	at = traceSkipName(at, line);
	record.name = g_strndup(from, (size_t)(at - from));
	record.isEvent = strcmp(record.name, "Event") == 0;
	from = at;
	at = traceSkipAttributes(at, line);
	record.attributes = g_strndup(from, (size_t)(at - from));
	traceExpect(g_str_has_prefix(at, "  time='"), line);
	at += 8;
	record.start = traceTime(&at, line);
	record.end = record.start;
	if (record.isEvent) {
		char *name = testRecordAttribute(&record, "name");

		traceExpect(name, line);
		g_free(record.name);
		record.name = name;
	} else {
		traceExpect(g_str_has_prefix(at, " end='"), line);
		at += 6;
		record.end = traceTime(&at, line);
		traceExpect(record.end >= record.start, line);
	}
	if (strcmp(at, "/>") == 0) {
		record.elements = g_strdup("");
		return record;
	}
	traceExpect(!record.isEvent && *at == '>', line);
	from = ++at;
	while (at[0] == '<' && at[1] != '/') {
		at = traceSkipAttributes(traceSkipName(at + 1, line), line);
		traceExpect(g_str_has_prefix(at, "/>"), line);
		at += 2;
	}
	traceExpect(at > from, line);
	record.elements = g_strndup(from, (size_t)(at - from));
	traceExpect(g_str_has_prefix(at, "</"), line);
	traceExpect(g_str_has_prefix(at + 2, record.name), line);
	traceExpect(strcmp(at + 2 + strlen(record.name), ">") == 0, line);
	return record;
}

static void traceProgram(struct testTraceFile *trace, const char *line)
{
	static const char first[] = "<Program timeAdjustment='";
	char *end;

	traceExpect(g_str_has_prefix(line, first), line);
	trace->epoch =
		1000000000 * g_ascii_strtoll(line + strlen(first), &end, 10);
	if (g_str_has_prefix(end, "' levels='")) {
		const char *levels = end + strlen("' levels='");

		end = strchr(levels, '\'');
		traceExpect(end, line);
		trace->levels = g_strndup(levels, (size_t)(end - levels));
	}
	/* The clock that times are of. */
	if (g_str_has_prefix(end, "' clockBase='")) {
		end = strstr(end, "' clockStepped='");
		traceExpect(end, line);
		end = strchr(end + strlen("' clockStepped='"), '\'');
		traceExpect(end, line);
	}
	traceExpect(strcmp(end, "'>") == 0, line);
}

struct testTraceFile *testTraceRead(const char *path)
{
	struct testTraceFile *trace = g_new0(struct testTraceFile, 1);
	GArray *records = g_array_new(FALSE, FALSE, sizeof(struct testRecord));
	bool needsOwner = false;
	int64_t last = 0;
	unsigned int depth = 0;
	size_t length;
	char *text = testRead(path, &length);
	char *line = text;
	char *lineEnd;

	for (; (lineEnd = strchr(line, '\n')); line = lineEnd + 1) {
		struct testRecord record;
		unsigned int tabs = 0;

		*lineEnd = '\0';
		if (line == text) {
			traceProgram(trace, line);
			continue;
		}
		traceExpect(!trace->isEnded, line);
		if (strcmp(line, "</Program>") == 0) {
			traceExpect(depth == 0 && !needsOwner, line);
			trace->isEnded = true;
			continue;
		}
		while (line[tabs] == '\t')
			tabs++;
		if (strcmp(line + tabs, "</Nested>") == 0) {
			traceExpect(depth > 0 && !needsOwner, line);
			depth--;
			needsOwner = true;
		}
		traceExpect(tabs == MIN(depth, TRACE_INDENT_MAX), line);
		if (strcmp(line + tabs, "</Nested>") == 0)
			continue;
		if (strcmp(line + tabs, "<Nested>") == 0) {
			traceExpect(!needsOwner, line);
			depth++;
			continue;
		}
		record = traceRecord(line + tabs, depth);
		traceExpect(!needsOwner || !record.isEvent, line);
		traceExpect(record.end >= last, line);
		last = record.end;
		needsOwner = false;
		g_array_append_val(records, record);
	}
	g_assert_cmpuint(strlen(line), ==, (size_t)(text + length - line));
	trace->bytesLeft = strlen(line);
	trace->openBlocks = depth;
	trace->count = records->len;
	trace->records =
		(struct testRecord *)(void *)g_array_free(records, FALSE);
	g_free(text);
	return trace;
}

struct testTraceFile *testTraceReadEnded(const char *path)
{
	struct testTraceFile *trace = testTraceRead(path);
	xmlDocPtr document =
		xmlReadFile(path, NULL, XML_PARSE_NONET | XML_PARSE_HUGE);

	g_assert_nonnull(document);
	xmlFreeDoc(document);
	g_assert_true(trace->isEnded);
	g_assert_cmpuint(trace->bytesLeft, ==, 0);
	return trace;
}

void testTraceFree(struct testTraceFile *trace)
{
	for (size_t i = 0; i < trace->count; i++) {
		g_free(trace->records[i].name);
		g_free(trace->records[i].attributes);
		g_free(trace->records[i].elements);
	}
	g_free(trace->records);
	g_free(trace->levels);
	g_free(trace);
}

char *testRecordAttribute(const struct testRecord *record, const char *key)
{
	const char *at = record->attributes;

	while (*at) {
		const char *name = at + 1;
		const char *value = strchr(name, '=') + 2;
		const char *end = strchr(value, '\'');

		if ((size_t)(value - 2 - name) == strlen(key) &&
		    strncmp(name, key, strlen(key)) == 0)
			return testUnescape(value, (size_t)(end - value));
		at = end + 1;
	}
	return NULL;
}
