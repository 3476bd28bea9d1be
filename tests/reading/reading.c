/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of the reading library share; see reading.h. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "HDTraceReadingCLibrary/src/file.h"
#include "common/format/frame.h"
#include "tests/reading/reading.h"

void readingInit(struct reading *reading)
{
	memset(reading, 0, sizeof(*reading));
	reading->messages = g_string_new(NULL);
	reading->values = g_string_new(NULL);
	reading->ends = g_array_new(FALSE, FALSE, sizeof(int64_t));
}

void readingClear(struct reading *reading)
{
	g_string_free(reading->messages, TRUE);
	g_string_free(reading->values, TRUE);
	g_array_unref(reading->ends);
}

/* A message is one line, and its rule is in the table. */
static void checkMessage(const hdIMessage *message)
{
	size_t count;
	const hdIRule *rules = hdI_getRules(&count);
	size_t i = 0;

	while (i < count && strcmp(rules[i].id, message->rule) != 0)
		i++;
	g_assert_cmpuint(i, <, count);
	g_assert_cmpint(rules[i].severity, ==, message->severity);
	g_assert_cmpstr(message->text, !=, "");
	g_assert_null(strpbrk(message->text, "\n\r\t"));
	g_assert_nonnull(message->file);
}

void readingTakeMessage(const hdIMessage *message, void *data)
{
	struct reading *reading = data;

	checkMessage(message);
	g_string_append_printf(reading->messages, "%s@%" PRId64 "\n",
			       message->rule, message->offset);
	g_test_message("%s %s:%" PRId64 ":%" PRId64 ": %s", message->rule,
		       message->file, message->offset, message->line,
		       message->text);
}

/* ---- Statistics: "START..END[!GAP]: VALUE VALUE" ----------------------- */

static void appendNumber(GString *text, double number)
{
	char buffer[G_ASCII_DTOSTR_BUF_SIZE];

	g_string_append(
		text, isnan(number)
			      ? "nan"
			      : g_ascii_dtostr(buffer, sizeof(buffer), number));
}

static void appendTime(GString *text, int64_t time)
{
	uint64_t amount = time < 0 ? -(uint64_t)time : (uint64_t)time;

	g_string_append_printf(text, "%s%" PRIu64, time < 0 ? "-" : "",
			       amount / 1000000000);
	if (amount % 1000000000 != 0)
		g_string_append_printf(text, ".%09" PRIu64,
				       amount % 1000000000);
}

static void appendValue(GString *text, hdIType type, hdIColumn column, size_t i)
{
	g_string_append_c(text, ' ');
	switch (type) {
	case HDI_INT32:
		g_string_append_printf(text, "%" PRId32, column.int32[i]);
		break;
	case HDI_INT64:
		g_string_append_printf(text, "%" PRId64, column.int64[i]);
		break;
	case HDI_UINT64:
		g_string_append_printf(text, "%" PRIu64, column.uint64[i]);
		break;
	case HDI_FLOAT:
		appendNumber(text, (double)column.float32[i]);
		break;
	case HDI_DOUBLE:
		appendNumber(text, column.float64[i]);
		break;
	case HDI_STRING:
		g_string_append_printf(text, "'%.*s'",
				       (int)column.string[i].length,
				       column.string[i].bytes);
		break;
	}
}

static void appendBlock(struct reading *reading, const hdIGroup *group,
			const hdIBlock *block)
{
	GString *text = reading->values;

	g_assert_cmpuint(block->count, >, 0);
	for (size_t i = 0; i < block->count; i++) {
		appendTime(text, block->start[i]);
		g_string_append(text, block->isAfterGap[i] ? "..!" : "..");
		appendTime(text, block->end[i]);
		g_string_append_c(text, ':');
		for (size_t k = 0; k < group->valueCount; k++)
			appendValue(text, group->values[k].type,
				    block->columns[k], i);
		g_string_append_c(text, '\n');
		if (group->entrySize > 0) {
			int64_t end =
				block->offset[i] + (int64_t)group->entrySize;

			g_array_append_val(reading->ends, end);
		}
	}
}

static void runStat(struct reading *reading, const hdIProject *project,
		    const hdIGroup *group)
{
	hdIStatReader *reader = hdI_openStat(project, group);
	const hdIBlock *block;
	uint64_t count = 0;

	if (!reader) {
		reading->result = -1;
		reading->error = errno;
		return;
	}
	while ((reading->result = hdI_readStat(reader, &block)) == 1) {
		g_assert_cmpuint(block->first, ==, count);
		count += block->count;
		appendBlock(reading, group, block);
	}
	reading->error = errno;
	/* The end stays the end, without more messages. */
	if (reading->error != ENOMEM || reading->result == 0) {
		gsize length = reading->messages->len;

		g_assert_cmpint(hdI_readStat(reader, &block), ==,
				reading->result);
		g_assert_cmpuint(reading->messages->len, ==, length);
	}
	hdI_closeStat(reader);
}

/* ---- Traces: "DEPTH KIND NAME START..END KEY=VALUE <ELEMENT>" ---------- */

static void appendAttributes(GString *text, const hdIAttribute *attributes,
			     size_t count)
{
	for (size_t i = 0; i < count; i++)
		g_string_append_printf(text, " %s=%s", attributes[i].name,
				       attributes[i].value);
}

static void appendElements(GString *text, const hdIElement *elements,
			   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		g_string_append_printf(text, " <%s", elements[i].name);
		appendAttributes(text, elements[i].attributes,
				 elements[i].attributeCount);
		if (*elements[i].text)
			g_string_append_printf(text, " \"%s\"",
					       elements[i].text);
		appendElements(text, elements[i].children,
			       elements[i].childCount);
		g_string_append_c(text, '>');
	}
}

static void checkOffsets(const struct reading *reading, const hdIRecord *record)
{
	if (!reading->bytes)
		return;
	g_assert_cmpint(record->offset, >=, 0);
	g_assert_cmpint(record->offset, <, record->endOffset);
	g_assert_cmpint(record->endOffset, <=, (gint64)reading->size);
	g_assert_cmpint(reading->bytes[record->offset], ==, '<');
	g_assert_cmpint(reading->bytes[record->endOffset - 1], ==, '>');
	if (record->kind == HDI_STATE)
		g_assert_true(g_str_has_prefix(
			reading->bytes + record->offset + 1, record->name));
}

static void appendRecord(struct reading *reading, const hdIRecord *record)
{
	GString *text = reading->values;

	checkOffsets(reading, record);
	g_string_append_printf(text, "%u %s %s ", record->depth,
			       record->kind == HDI_EVENT ? "event" : "state",
			       record->name);
	appendTime(text, record->start);
	if (record->kind == HDI_STATE) {
		g_string_append(text, "..");
		appendTime(text, record->end);
	} else {
		g_assert_cmpint(record->start, ==, record->end);
	}
	appendAttributes(text, record->attributes, record->attributeCount);
	if (*record->text)
		g_string_append_printf(text, " \"%s\"", record->text);
	appendElements(text, record->elements, record->elementCount);
	g_string_append_c(text, '\n');
	g_array_append_val(reading->ends, record->endOffset);
}

static void runTrace(struct reading *reading, const hdIProject *project,
		     const hdITraceFile *trace)
{
	hdITraceReader *reader = hdI_openTrace(project, trace);
	const hdIRecord *record;

	if (!reader) {
		reading->result = -1;
		reading->error = errno;
		return;
	}
	while ((reading->result = hdI_readTrace(reader, &record)) == 1)
		appendRecord(reading, record);
	reading->error = errno;
	if (reading->result == 0 || reading->error != ENOMEM) {
		gsize length = reading->messages->len;

		g_assert_cmpint(hdI_readTrace(reader, &record), ==,
				reading->result);
		g_assert_cmpuint(reading->messages->len, ==, length);
	}
	hdI_closeTrace(reader);
}

/* A relation as a line: its own, its states, its links. */
static void printRelation(GString *to, const hdIRelation *relation)
{
	static const char *const kinds[] = { "-", "i", "l", "r", "p", "ws" };

	g_string_append_printf(to,
			       "%" G_GUINT64_FORMAT " %" G_GINT64_FORMAT " ",
			       relation->id, relation->start);
	if (relation->end == HDI_NEVER)
		g_string_append(to, "never");
	else
		g_string_append_printf(to, "%" G_GINT64_FORMAT, relation->end);
	g_string_append_printf(to, " %s:%s w:%s", kinds[relation->parentKind],
			       relation->parent, relation->trace);
	for (size_t i = 0; i < relation->stateCount; i++) {
		const hdIRelationState *state = &relation->states[i];

		g_string_append_printf(to, " [%u %s %" G_GINT64_FORMAT " ",
				       state->depth, state->name, state->start);
		if (state->end == HDI_NEVER)
			g_string_append(to, "never");
		else
			g_string_append_printf(to, "%" G_GINT64_FORMAT,
					       state->end);
		for (size_t k = 0; k < state->attributeCount; k++)
			g_string_append_printf(to, " %s=%s",
					       state->attributes[k].name,
					       state->attributes[k].value);
		g_string_append(to, "]");
	}
	for (size_t i = 0; i < relation->linkCount; i++)
		g_string_append_printf(to, " +%s", relation->links[i]);
	g_string_append_c(to, '\n');
}

static void runRelations(struct reading *reading, const hdIProject *project,
			 const hdIRelationFile *file)
{
	hdIRelationReader *reader = hdI_openRelations(project, file);
	const hdIRelation *relation;

	if (!reader) {
		reading->result = -1;
		reading->error = errno;
		return;
	}
	while ((reading->result = hdI_readRelation(reader, &relation)) == 1)
		printRelation(reading->values, relation);
	reading->error = errno;
	hdI_closeRelations(reader);
}

void readingRunProject(struct reading *reading, const hdIProject *project)
{
	for (size_t i = 0; i < project->groupCount; i++)
		runStat(reading, project, project->groups[i]);
	for (size_t i = 0; i < project->traceCount; i++)
		runTrace(reading, project, project->traces[i]);
	for (size_t i = 0; i < project->relationCount; i++)
		runRelations(reading, project, project->relations[i]);
}

/* ---- Files in memory --------------------------------------------------- */

static int memory = -1;

static int openMemory(const char *path)
{
	int fd = dup(memory);

	(void)path;
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

void readingRun(struct reading *reading, const char *name, const char *bytes,
		gsize size)
{
	int (*saved)(const char *path) = hdIFileOpener;
	hdIProject *project;

	memory = memfd_create("test", MFD_CLOEXEC);
	g_assert_cmpint(memory, >=, 0);
	g_assert_cmpint(write(memory, bytes, size), ==, (gssize)size);
	hdIFileOpener = openMemory;
	reading->bytes = hdFrameIsCompressed(name) ? NULL : bytes;
	reading->size = size;
	project = hdI_openProject(name, readingTakeMessage, reading);
	reading->error = errno;
	reading->isOpen = project != NULL;
	if (project)
		readingRunProject(reading, project);
	hdI_closeProject(project);
	hdIFileOpener = saved;
	close(memory);
}

/* ---- Making .stat files ------------------------------------------------ */

static void append32(GString *bytes, guint32 n)
{
	n = GUINT32_TO_BE(n);
	g_string_append_len(bytes, (const char *)&n, sizeof(n));
}

static void append64(GString *bytes, guint64 n)
{
	n = GUINT64_TO_BE(n);
	g_string_append_len(bytes, (const char *)&n, sizeof(n));
}

static void appendStamp(GString *bytes, const char *text)
{
	char *end;
	guint64 seconds = g_ascii_strtoull(text, &end, 10);
	guint64 ns = 0;

	if (*end == '.') {
		const char *start = end + 1;

		ns = g_ascii_strtoull(start, &end, 10);
		for (gssize i = end - start; i < 9; i++)
			ns *= 10;
	}
	append32(bytes, (guint32)seconds);
	append32(bytes, (guint32)ns);
}

static void appendWord(GString *bytes, const char *word)
{
	const char *rest = word + 1;
	guint32 bits32;
	guint64 bits64;
	float number;
	double wide;

	switch (word[0]) {
	case 'T':
		appendStamp(bytes, rest);
		break;
	case 'G':
		append64(bytes, G_MAXUINT64);
		break;
	case 'F':
		number = (float)g_ascii_strtod(rest, NULL);
		memcpy(&bits32, &number, sizeof(bits32));
		append32(bytes, bits32);
		break;
	case 'D':
		wide = g_ascii_strtod(rest, NULL);
		memcpy(&bits64, &wide, sizeof(bits64));
		append64(bytes, bits64);
		break;
	case 'I':
		append32(bytes, (guint32)g_ascii_strtoll(rest, NULL, 10));
		break;
	case 'L':
		append64(bytes, (guint64)g_ascii_strtoll(rest, NULL, 10));
		break;
	case 'S':
		g_string_append_c(bytes, (char)(strlen(rest) >> 8));
		g_string_append_c(bytes, (char)strlen(rest));
		g_string_append(bytes, rest);
		break;
	case 'X':
		for (; *rest; rest += 2)
			g_string_append_c(
				bytes,
				(char)(g_ascii_xdigit_value(rest[0]) * 16 +
				       g_ascii_xdigit_value(rest[1])));
		break;
	default:
		g_error("no such word: %s", word);
	}
}

GString *readingStat(const char *length, const char *header, const char *values,
		     const char *group, const char *data)
{
	GString *bytes = g_string_new(NULL);
	GString *made = g_string_new(NULL);
	char **types = g_strsplit(values ? values : "", " ", -1);
	GString *word = g_string_new(NULL);

	g_string_append_printf(made,
			       "<Statistics>\n<TopologyNode>\n"
			       "</TopologyNode>\n<Group name=\"G\" %s>\n",
			       group ? group
				     : "timestampDatatype=\"EPOCH\" "
				       "timeAdjustment=\"0\"");
	for (guint i = 0; types[i]; i++)
		g_string_append_printf(made,
				       "  <Value name=\"v%u\" type=\"%s\" />\n",
				       i, types[i]);
	g_string_append(made, "</Group>\n</Statistics>\n");
	if (!header)
		header = made->str;
	if (length)
		g_string_append(bytes, length);
	else
		g_string_append_printf(bytes, "%05zu\n", strlen(header));
	g_string_append(bytes, header);
	/* Not g_strsplit(): AddressSanitizer makes it quadratic. */
	for (const char *p = data ? data : ""; *p;) {
		size_t size = strcspn(p, " ");

		g_string_truncate(word, 0);
		g_string_append_len(word, p, (gssize)size);
		if (size > 0)
			appendWord(bytes, word->str);
		p += size + (p[size] == ' ');
	}
	g_strfreev(types);
	g_string_free(word, TRUE);
	g_string_free(made, TRUE);
	return bytes;
}
