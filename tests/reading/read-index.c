/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: both */
/* The index of compressed traces: it leaves out only what is outside of an
 * interval, and one that is wrong is found out. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdTopology.h>
#include <hdTrace.h>
#include "common/format/frame.h"
#include "common/format/traceindex.h"
#include "common/format/tracelines.h"
#include "common/format/zstd.h"
#include "tests/reading/made.h"
#include "tests/reading/reading.h"

static const char *directory;

/* ---- Traces ------------------------------------------------------------ */

/* What records have for attributes and content, some of it to be mistaken for
 * the end of something. */
static const char *const extras[] = {
	"",
	"",
	"",
	" a='1 &gt; &lt;/Nested&gt;'",
	" a='/>'",
	" part='3'",
	" sampleNs='1000'",
	" cid='1' toRank='2'",
};
static const char *const contents[] = {
	NULL,
	NULL,
	NULL,
	NULL,
	NULL,
	"<c d='>'/>",
	"text >",
	"<Site id='4'/>",
	"<x>&amp;\303\244</x>",
};
#define PICK(random, list) \
	(list)[g_rand_int_range((random), 0, (int)G_N_ELEMENTS(list))]

/* A state that is open while a trace is made. */
struct open {
	gint64 start;
	gboolean hasBlock;
};

/* A trace that is being made, in the order of logging. */
struct making {
	GRand *random;
	GString *text;
	GArray *open; /* struct open */
	gint64 time;
	guint names;
};

static void indent(struct making *self, guint depth)
{
	for (guint i = 0; i < depth; i++)
		g_string_append_c(self->text, '\t');
}

/* Open the blocks that a record at the innermost level lies in. */
static void openBlocks(struct making *self)
{
	for (guint i = 0; i < self->open->len; i++) {
		struct open *open = &g_array_index(self->open, struct open, i);

		if (open->hasBlock)
			continue;
		indent(self, i);
		g_string_append(self->text, "<Nested>\n");
		open->hasBlock = TRUE;
	}
}

static void appendTime(GString *text, const char *name, gint64 time)
{
	g_string_append_printf(text, " %s='%" G_GINT64_FORMAT ".%09d'", name,
			       time / 1000000000, (int)(time % 1000000000));
}

static void endState(struct making *self)
{
	guint depth = self->open->len - 1;
	struct open open = g_array_index(self->open, struct open, depth);
	int name = g_rand_int_range(self->random, 0, (int)self->names);
	const char *content = PICK(self->random, contents);

	g_array_set_size(self->open, depth);
	openBlocks(self);
	if (open.hasBlock) {
		indent(self, depth);
		g_string_append(self->text, "</Nested>\n");
	}
	indent(self, depth);
	g_string_append_printf(self->text, "<s%d%s ", name,
			       PICK(self->random, extras));
	appendTime(self->text, "time", open.start);
	appendTime(self->text, "end", self->time);
	if (content)
		g_string_append_printf(self->text, ">%s</s%d>\n", content,
				       name);
	else
		g_string_append(self->text, "/>\n");
}

static void logOne(struct making *self)
{
	int what = g_rand_int_range(self->random, 0, 10);

	self->time += g_rand_int_range(self->random, 0, 3) * 700000000;
	if (what == 0) {
		openBlocks(self);
		indent(self, self->open->len);
		g_string_append(self->text, "<Event name='e' ");
		appendTime(self->text, "time", self->time);
		g_string_append(self->text, "/>\n");
	} else if (what < 5 && self->open->len < 5) {
		struct open open = { self->time, FALSE };

		g_array_append_val(self->open, open);
	} else if (self->open->len > 0) {
		endState(self);
	}
}

/* A trace of so many steps; rarely some are at the top. */
static GString *makeTrace(GRand *random, int steps, gboolean hasMain)
{
	struct making self = {
		.random = random,
		.text = g_string_new("<Program timeAdjustment='100'>\n"),
		.open = g_array_new(FALSE, FALSE, sizeof(struct open)),
		.time = 1000000000,
		.names = 3,
	};
	const struct open main = { self.time, FALSE };

	if (hasMain)
		g_array_append_val(self.open, main);
	for (int i = 0; i < steps; i++) {
		/* A new name in the middle. */
		self.names = i == steps / 2 ? 4 : self.names;
		if (!hasMain || self.open->len > 1)
			logOne(&self);
		else
			g_array_append_val(self.open,
					   ((struct open){ self.time, FALSE }));
	}
	while (self.open->len > 0)
		endState(&self);
	g_array_unref(self.open);
	g_string_append(self.text, "</Program>\n");
	return self.text;
}

/* ---- Files ------------------------------------------------------------- */

static char *pathOf(const char *name)
{
	return g_build_filename(directory, name, NULL);
}

static void writeFile(const char *name, const GString *bytes)
{
	char *path = pathOf(name);

	g_assert_true(g_file_set_contents(path, bytes->str, (gssize)bytes->len,
					  NULL));
	g_free(path);
}

/* Split a trace into frames of some bytes, mostly at line ends. */
static struct made splitTrace(GRand *random, const GString *trace,
			      GArray *frames, gboolean isRough)
{
	struct made made = madeNew();
	gsize at = 0;

	while (at < trace->len) {
		gsize size = (gsize)g_rand_int_range(random, 1, 400);
		const char *line;
		hdITraceFrame frame = { 0 };

		if (at == 0)
			size = 1;
		size = MIN(size, trace->len - at);
		line = memchr(trace->str + at + size - 1, '\n',
			      trace->len - at - size + 1);
		if (line &&
		    (at == 0 || !isRough || g_rand_int_range(random, 0, 6)))
			size = (gsize)(line + 1 - (trace->str + at));
		madeAddFrame(&made, trace->str + at, size, at == 0);
		for (gsize i = 0; i < size; i++)
			frame.lines += trace->str[at + i] == '\n';
		frame.isLine = trace->str[at + size - 1] == '\n';
		frame.plain = (guint32)size;
		at += size;
		frame.end = (gint64)at;
		g_array_append_val(frames, frame);
	}
	return made;
}

/* Make the index of a trace: its content, or NULL if it can have none. */
static char *indexOf(const GString *trace, const GArray *frames, gsize *size)
{
	char *path = pathOf("plain.trc");
	void *index = NULL;
	int ret;

	writeFile("plain.trc", trace);
	ret = hdI_indexTrace(path, (const hdITraceFrame *)(void *)frames->data,
			     frames->len, &index, size);
	remove(path);
	g_free(path);
	g_assert_cmpint(ret, >=, 0);
	g_assert_true((ret == 1) == (index != NULL));
	return index;
}

/* ---- Reading ----------------------------------------------------------- */

static void takeMessage(const hdIMessage *message, void *data)
{
	g_string_append_printf(
		data, "%s@%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ": %s\n",
		message->rule, message->offset, message->line, message->text);
}

static gint64 secondsOf(double seconds)
{
	return seconds < 0     ? INT64_MIN
	       : seconds > 1e6 ? INT64_MAX
			       : (gint64)((100 + seconds) * 10) * 100000000;
}

struct wanted {
	gint64 start;
	gint64 end;
	gboolean skips;
	guint first; /* Records that are read before the rest is left out. */
	/* What came out. */
	GString *records;
	GString *messages;
	guint read;
	int ret;
};

static void addRecord(struct wanted *self, const hdIRecord *record,
		      guint64 number)
{
	if (record->end < self->start || record->start > self->end)
		return;
	g_string_append_printf(self->records,
			       "%" G_GUINT64_FORMAT " %s %u %" G_GINT64_FORMAT
			       " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT
			       " %" G_GINT64_FORMAT " %s",
			       number, record->name, record->depth,
			       record->start, record->end, record->offset,
			       record->endOffset, record->text);
	for (gsize i = 0; i < record->attributeCount; i++)
		g_string_append_printf(self->records, " %s=%s",
				       record->attributes[i].name,
				       record->attributes[i].value);
	g_string_append_c(self->records, '\n');
}

/* Read the records of an interval. */
static void readWanted(const char *name, struct wanted *self)
{
	char *path = pathOf(name);
	hdIProject *project = hdI_openProject(path, NULL, NULL);
	hdITraceReader *reader;
	const hdIRecord *record;
	guint64 number = 0;

	g_assert_nonnull(project);
	self->records = g_string_new(NULL);
	self->messages = g_string_new(NULL);
	reader = hdI_openTraceWith(project, project->traces[0], takeMessage,
				   self->messages);
	g_assert_nonnull(reader);
	if (self->skips && self->first == 0)
		self->ret = hdI_skipTrace(reader, self->start, self->end);
	while (hdI_readTrace(reader, &record) == 1) {
		addRecord(self, record, number + hdI_getTraceSkipped(reader));
		number++;
		self->read++;
		if (self->skips && number == self->first)
			self->ret =
				hdI_skipTrace(reader, self->start, self->end);
	}
	hdI_closeTrace(reader);
	hdI_closeProject(project);
	g_free(path);
}

static void clearWanted(struct wanted *self)
{
	g_string_free(self->records, TRUE);
	g_string_free(self->messages, TRUE);
}

/* With and without leaving something out, the same comes out of an interval.
 * Returns the number of records that were not read. */
static guint compareOne(double start, double end, guint first, int hasIndex)
{
	struct wanted all = { .start = secondsOf(start),
			      .end = secondsOf(end) };
	struct wanted part = all;
	guint left;

	part.skips = TRUE;
	part.first = first;
	readWanted("test.trc.zst", &all);
	readWanted("test.trc.zst", &part);
	g_test_message("%g to %g behind %u: %u of %u", start, end, first,
		       part.read, all.read);
	g_assert_cmpstr(part.messages->str, ==, all.messages->str);
	g_assert_cmpstr(part.records->str, ==, all.records->str);
	if (all.read > first)
		g_assert_cmpint(part.ret, ==, hasIndex);
	left = all.read - part.read;
	clearWanted(&all);
	clearWanted(&part);
	return left;
}

/* The times of all records are known without reading them. */
static void compareTimes(const struct wanted *all)
{
	char *path = pathOf("test.trc.zst");
	hdIProject *project = hdI_openProject(path, NULL, NULL);
	hdITraceReader *reader = hdI_openTrace(project, project->traces[0]);
	char **lines = g_strsplit(all->records->str, "\n", -1);
	gint64 first = INT64_MAX, last = INT64_MIN, start, end;

	for (gsize i = 0; lines[i] && *lines[i]; i++) {
		g_assert_cmpint(
			sscanf(lines[i], "%*s %*s %*s %ld %ld", &start, &end),
			==, 2);
		first = MIN(first, start);
		last = MAX(last, end);
	}
	g_strfreev(lines);
	g_assert_cmpint(hdI_getTraceTimes(reader, &start, &end), ==,
			first <= last);
	if (first <= last) {
		g_assert_cmpint(start, ==, first);
		g_assert_cmpint(end, ==, last);
	}
	hdI_closeTrace(reader);
	hdI_closeProject(project);
	g_free(path);
}

/* ---- The same ---------------------------------------------------------- */

static void testRandom(void)
{
	GRand *random = g_rand_new_with_seed(48);
	guint left = 0;

	for (int run = 0; run < 150; run++) {
		GString *trace = makeTrace(
			random, g_rand_int_range(random, 0, 300), run % 3 == 0);
		GArray *frames =
			g_array_new(FALSE, FALSE, sizeof(hdITraceFrame));
		struct made made =
			splitTrace(random, trace, frames, run % 4 == 1);
		struct wanted all = { .start = INT64_MIN, .end = INT64_MAX };
		gsize size;
		char *index = indexOf(trace, frames, &size);

		g_assert_nonnull(index);
		madeAddIndex(&made, index, size);
		madeAddTable(&made);
		writeFile("test.trc.zst", made.bytes);
		readWanted("test.trc.zst", &all);
		g_assert_cmpstr(all.messages->str, ==, "");
		compareTimes(&all);
		clearWanted(&all);
		compareOne(-1, 1e9, 0, 1);
		for (int i = 0; i < 12; i++) {
			double start = g_rand_double_range(random, -5, 200);
			double length = g_rand_double_range(random, 0, 40);
			guint first = (guint)g_rand_int_range(random, -20, 30);

			if (first > 30)
				first = 0;
			left += compareOne(start, start + length, first, 1);
			left += compareOne(start, 1e9, first, 1);
			left += compareOne(-1, start + length, first, 1);
		}
		free(index);
		madeFree(&made);
		g_array_unref(frames);
		g_string_free(trace, TRUE);
	}
	/* Much of what is not wanted is not read. */
	g_test_message("%u records were left out", left);
	g_assert_cmpuint(left, >, 20000);
	g_rand_free(random);
}

/* ---- Traces without an index ------------------------------------------- */

static const struct {
	const char *name;
	const char *body;
	int hasIndex;
} traces[] = {
	{ "in order", "<a time='1' end='2'/>\n<b time='2' end='3'/>\n", 1 },
	{ "ends decrease", "<a time='1' end='4'/>\n<b time='2' end='3'/>\n",
	  0 },
	{ "overlap", "<a time='1' end='3'/>\n<b time='2' end='4'/>\n", 0 },
	{ "inside of a later one",
	  "<Nested>\n<a time='1' end='2'/>\n</Nested>\n<b time='1.5' "
	  "end='3'/>\n",
	  0 },
	{ "behind one that is less deep",
	  "<a time='1' end='3'/>\n<Nested>\n<b time='2' end='3'/>\n</Nested>\n"
	  "<c time='3' end='3'/>\n",
	  0 },
	{ "no owner", "<Nested>\n<a time='1' end='2'/>\n</Nested>\n", 0 },
	{ "empty block", "<Nested>\n</Nested>\n<a time='1' end='2'/>\n", 0 },
	{ "block inside of its state",
	  "<a time='1' end='2'><Nested><b time='1' end='2'/></Nested></a>\n",
	  1 },
	{ "no time", "<a time='1'/>\n", 0 },
	{ "ends before it starts", "<a time='2' end='1'/>\n", 0 },
	{ "unknown entity", "<a time='1' end='2' b='&bad;'/>\n", 0 },
	{ "comment", "<a time='1' end='2'/>\n<!-- <b> -->\n", 1 },
	{ "no end", NULL, 0 },
};

static void testTraces(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(traces); i++) {
		GString *trace =
			g_string_new("<Program timeAdjustment='100'>\n");
		GArray *frames =
			g_array_new(FALSE, FALSE, sizeof(hdITraceFrame));
		hdITraceFrame frame = { 0 };
		char *index;
		gsize size;

		g_test_message("%s", traces[i].name);
		if (traces[i].body)
			g_string_append_printf(trace, "%s</Program>\n",
					       traces[i].body);
		frame.end = (gint64)trace->len;
		frame.plain = (guint32)trace->len;
		g_array_append_val(frames, frame);
		index = indexOf(trace, frames, &size);
		g_assert_cmpint(index != NULL, ==, traces[i].hasIndex);
		free(index);
		/* The file is longer than its frames, and shorter. */
		for (int more = -1; more < 2; more += 2) {
			g_array_index(frames, hdITraceFrame, 0).end =
				(gint64)trace->len + more;
			index = indexOf(trace, frames, &size);
			g_assert_null(index);
		}
		g_array_unref(frames);
		g_string_free(trace, TRUE);
	}
}

/* A boundary inside of a comment is not a place to start. */
static void testComment(void)
{
	char *filling = g_strnfill(5000, 'x');
	GString *trace = g_string_new("<Program timeAdjustment='100'>\n");
	GArray *frames = g_array_new(FALSE, FALSE, sizeof(hdITraceFrame));
	struct made made = madeNew();
	gint64 end = 0;
	guint left = 0;
	char *index, **lines;
	gsize size;

	for (int i = 1; i < 9; i++)
		g_string_append_printf(
			trace, "<a x='%s' time='%d' end='%d'/>\n%s", filling, i,
			i + 1, i == 4 ? "<!--\n<Nested>\n-->\n" : "");
	g_string_append(trace, "</Program>\n");
	lines = g_strsplit(trace->str, "\n", -1);
	for (gsize i = 0; *lines[i]; i++) {
		char *line = g_strconcat(lines[i], "\n", NULL);
		hdITraceFrame frame = { .plain = (guint32)strlen(line),
					.lines = 1,
					.isLine = 1 };

		end += frame.plain;
		frame.end = end;
		g_array_append_val(frames, frame);
		madeAddFrame(&made, line, frame.plain, FALSE);
		g_free(line);
	}
	index = indexOf(trace, frames, &size);
	g_assert_nonnull(index);
	madeAddIndex(&made, index, size);
	madeAddTable(&made);
	writeFile("test.trc.zst", made.bytes);
	for (double start = 0; start < 10; start += 0.5)
		left += compareOne(start, start + 1, 0, 1);
	g_assert_cmpuint(left, >, 30);
	free(index);
	g_free(filling);
	g_strfreev(lines);
	madeFree(&made);
	g_array_unref(frames);
	g_string_free(trace, TRUE);
}

/* ---- Wrong indexes ----------------------------------------------------- */

/* A trace of ten frames of one state each, in a state. They are larger than
 * what is read at once at the beginning. */
static struct made makeTen(GString *trace, GArray *frames)
{
	struct made made = madeNew();
	char *filling = g_strnfill(5000, 'x');

	g_string_assign(trace, "");
	for (int i = 0; i < 13; i++) {
		GString *line = g_string_new(NULL);
		hdITraceFrame frame = { .lines = 1, .isLine = 1 };

		if (i == 0)
			g_string_assign(line, "<Program>\n");
		else if (i == 12)
			g_string_assign(line, "</Program>\n");
		else if (i == 11)
			g_string_assign(line, "</Nested>\n<m time='1' "
					      "end='12'/>\n");
		else
			g_string_printf(
				line, "%s<a x='%s' time='%d' end='%d.5'/>\n%s",
				i == 1 ? "<Nested>\n" : "", filling, i, i,
				i == 6 ? "<Event name='x' time='6.5'/>\n" : "");
		frame.lines += i == 1 || i == 6 || i == 11;
		g_string_append(trace, line->str);
		frame.plain = (guint32)line->len;
		frame.end = (gint64)trace->len;
		g_array_append_val(frames, frame);
		madeAddFrame(&made, line->str, line->len, i == 0);
		g_string_free(line, TRUE);
	}
	g_free(filling);
	return made;
}

/* What is done to a part, or to the content before the parts (-1). */
static const struct {
	const char *name;
	int part;
	gsize offset; /* In it. */
	gsize size;
	guint64 value;
	const char *message; /* In the report. */
	int isUsed; /* Something may be left out before it is found out. */
} wrong[] = {
	{ "version 0", -1, 0, 4, 0, "its version", 0 },
	{ "version 2", -1, 0, 4, 2, NULL, 0 },
	{ "fewer frames", -1, 4, 4, 12, "another number of frames", 0 },
	{ "4 billion frames", -1, 4, 4, 0xffffffff, "another number of frames",
	  0 },
	{ "first behind last", 3, 0, 8, UINT64_C(90000000000),
	  "times of a frame", 0 },
	{ "first too small", 3, 0, 8, UINT64_C(0x8000000000000001),
	  "times of a frame", 0 },
	{ "last too large", 3, 8, 8, UINT64_C(0x7000000000000000),
	  "times of a frame", 0 },
	{ "times decrease", 3, 8, 8, UINT64_C(5000000000), "times decrease",
	  0 },
	{ "content of another size", 5, 16, 4, 29, "other frames", 0 },
	{ "more lines than bytes", 5, 20, 4, 20000, "more records or lines",
	  0 },
	{ "more records than bytes", 5, 24, 4, 20000, "more records or lines",
	  0 },
	{ "no records", 5, 24, 4, 0, "without records has times", 0 },
	{ "depth 991", 5, 28, 2, 991, "nested too deep", 0 },
	{ "reserved flag", 5, 30, 2, 4, "a reserved flag", 0 },
	{ "one record", 6, 24, 4, 1, "more records", 1 },
	{ "three records", 6, 24, 4, 3, "fewer records", 1 },
	{ "starts earlier", 6, 0, 8, UINT64_C(6200000000),
	  "not within its times", 1 },
	{ "first too early", 6, 0, 8, UINT64_C(5800000000), "other times", 1 },
	{ "last too late", 6, 8, 8, UINT64_C(6900000000), "other times", 1 },
	{ "a line less", 6, 20, 4, 1, "another number of lines", 1 },
	{ "a line more", 6, 20, 4, 3, "another number of lines", 1 },
	{ "another depth", 7, 28, 2, 2, "another nesting", 1 },
	{ "no depth", 7, 28, 2, 0, "another nesting", 1 },
};

/* Write the ten frames with an index. */
static void writeTen(const struct made *frames, const char *content, gsize size)
{
	struct made made = madeNew();

	g_string_append_len(made.bytes, frames->bytes->str,
			    (gssize)frames->bytes->len);
	g_array_append_vals(made.entries, frames->entries->data,
			    frames->entries->len);
	if (content)
		madeAddIndex(&made, content, size);
	madeAddTable(&made);
	writeFile("test.trc.zst", made.bytes);
	madeFree(&made);
}

/* Read an interval of the ten frames with an index. */
static struct wanted readTen(const struct made *frames, const char *content,
			     gsize size, gint64 start, gint64 end)
{
	struct wanted wanted = { .skips = TRUE,
				 .start = start * 1000000000,
				 .end = end * 1000000000 };

	writeTen(frames, content, size);
	readWanted("test.trc.zst", &wanted);
	return wanted;
}

/* Once; once for a file. */
static void assertOnce(const char *text, const char *part)
{
	const char *found = strstr(text, part);

	g_assert_nonnull(found);
	g_assert_null(strstr(found + 1, "zst.index"));
}

static void testWrong(void)
{
	GString *trace = g_string_new(NULL);
	GArray *frames = g_array_new(FALSE, FALSE, sizeof(hdITraceFrame));
	struct made made = makeTen(trace, frames);
	gsize size;
	char *index = indexOf(trace, frames, &size);
	struct wanted right;

	g_assert_nonnull(index);
	g_assert_cmpuint(size, ==, hdTraceIndexSize(13));
	right = readTen(&made, NULL, 0, 6, 7);
	for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
		char *bytes = g_memdup2(index, size);
		guint64 value = GUINT64_TO_LE(wrong[i].value);
		struct wanted wanted;

		memcpy(bytes +
			       (wrong[i].part < 0 ? 0
						  : 8 + 32 * wrong[i].part) +
			       wrong[i].offset,
		       &value, wrong[i].size);
		wanted = readTen(&made, bytes, size, 6, 7);
		g_test_message("%s: %d, %s", wrong[i].name, wanted.ret,
			       wanted.messages->str);
		g_assert_cmpint(wanted.ret, ==, wrong[i].isUsed);
		if (wrong[i].message)
			assertOnce(wanted.messages->str, wrong[i].message);
		else
			g_assert_cmpstr(wanted.messages->str, ==, "");
		if (!wrong[i].isUsed)
			g_assert_cmpstr(wanted.records->str, ==,
					right.records->str);
		clearWanted(&wanted);
		g_free(bytes);
	}
	/* Cut, and longer. */
	for (gsize cut = 0; cut < size + 40; cut++) {
		char *bytes = g_malloc0(size + 40);
		struct wanted wanted;

		memcpy(bytes, index, size);
		wanted = readTen(&made, bytes, cut, 6, 7);
		g_assert_cmpint(wanted.ret, ==, cut == size);
		g_assert_cmpstr(wanted.records->str, ==, right.records->str);
		if (cut != size)
			assertOnce(wanted.messages->str, "zst.index");
		clearWanted(&wanted);
		g_free(bytes);
	}
	clearWanted(&right);
	free(index);
	madeFree(&made);
	g_array_unref(frames);
	g_string_free(trace, TRUE);
}

/* Change a part to one without records. */
static void hidePart(char *index, int part)
{
	const gint64 times[] = { GINT64_TO_LE(INT64_MAX),
				 GINT64_TO_LE(INT64_MIN) };

	memcpy(index + 8 + 32 * part, times, sizeof(times));
	memset(index + 8 + 32 * part + 24, 0, 4);
	index[8 + 32 * part + 30] &= 1;
}

/* If all is asked for, all is read, and each frame is compared. */
static void testAll(void)
{
	GString *trace = g_string_new(NULL);
	GArray *frames = g_array_new(FALSE, FALSE, sizeof(hdITraceFrame));
	struct made made = makeTen(trace, frames);
	gsize size;
	char *index = indexOf(trace, frames, &size);
	struct wanted all = { .start = INT64_MIN, .end = INT64_MAX };

	g_assert_nonnull(index);
	writeTen(&made, index, size);
	readWanted("test.trc.zst", &all);
	g_assert_cmpuint(all.read, ==, 12);
	for (int what = -1; what < 13; what++) {
		char *bytes = g_memdup2(index, size);
		struct wanted wanted = { .start = INT64_MIN,
					 .end = INT64_MAX,
					 .skips = TRUE };
		const char *message = NULL;

		/* Parts 1 to 10 have records of a, part 1 the first of it,
		 * and part 11 one of m. */
		if (what == 0) {
			for (int i = 1; i < 12; i++)
				hidePart(bytes, i);
			message = "more records";
		} else if (what == 1 || what == 11) {
			bytes[8 + 32 * what + 30] &= 1;
			message = "readers of other frames need it";
		} else if (what > 1 && what < 11) {
			hidePart(bytes, what);
			message = "more records";
		}
		writeTen(&made, bytes, size);
		readWanted("test.trc.zst", &wanted);
		g_test_message("%d: %s", what, wanted.messages->str);
		g_assert_cmpint(wanted.ret, ==, 1);
		g_assert_cmpstr(wanted.records->str, ==, all.records->str);
		if (message)
			assertOnce(wanted.messages->str, message);
		else
			g_assert_cmpstr(wanted.messages->str, ==, "");
		clearWanted(&wanted);
		g_free(bytes);
	}
	clearWanted(&all);
	free(index);
	madeFree(&made);
	g_array_unref(frames);
	g_string_free(trace, TRUE);
}

/* An index that was found to be wrong is not used again. */
static void testAgain(void)
{
	GString *trace = g_string_new(NULL);
	GArray *frames = g_array_new(FALSE, FALSE, sizeof(hdITraceFrame));
	struct made made = makeTen(trace, frames);
	gsize size;
	char *index = indexOf(trace, frames, &size);
	char *path = pathOf("test.trc.zst");
	GString *messages = g_string_new(NULL);
	hdIProject *project;
	hdITraceReader *reader;
	const hdIRecord *record;
	gint64 start, end;

	hidePart(index, 2);
	writeTen(&made, index, size);
	project = hdI_openProject(path, NULL, NULL);
	reader = hdI_openTraceWith(project, project->traces[0], takeMessage,
				   messages);
	g_assert_cmpint(hdI_getTraceTimes(reader, &start, &end), ==, 1);
	g_assert_cmpint(hdI_skipTrace(reader, INT64_MIN, INT64_MAX), ==, 1);
	while (messages->len == 0)
		g_assert_cmpint(hdI_readTrace(reader, &record), ==, 1);
	assertOnce(messages->str, "more records");
	g_assert_cmpint(hdI_skipTrace(reader, 0, 1), ==, 0);
	g_assert_cmpint(hdI_getTraceTimes(reader, &start, &end), ==, 0);
	g_assert_cmpint(hdI_readTrace(reader, &record), ==, 1);
	g_assert_cmpint(record->start, ==, G_GINT64_CONSTANT(3000000000));
	hdI_closeTrace(reader);
	hdI_closeProject(project);
	g_string_free(messages, TRUE);
	g_free(path);
	free(index);
	madeFree(&made);
	g_array_unref(frames);
	g_string_free(trace, TRUE);
}

/* A trace of another encoding has no index, even if there is one. */
static void testEncoding(void)
{
	GString *trace = g_string_new(NULL);
	GArray *frames = g_array_new(FALSE, FALSE, sizeof(hdITraceFrame));
	struct made made = makeTen(trace, frames), other = madeNew();
	gsize size, at = 0;
	char *index = indexOf(trace, frames, &size);
	const double intervals[][2] = { { -1, 1e9 }, { 6, 7 }, { 12, 13 } };

	for (guint i = 0; i < frames->len; i++) {
		guint plain = g_array_index(frames, hdITraceFrame, i).plain;
		guint32 bytes = GUINT32_TO_LE(2 * plain);
		GString *text = g_string_new_len(trace->str + at, plain);
		char *wide;
		gsize length;

		if (i == 0)
			g_string_prepend(text,
					 "\357\273\277<?xml version='1.0' "
					 "encoding='UTF-16'?>\n");
		wide = g_convert(text->str, (gssize)text->len, "UTF-16LE",
				 "UTF-8", NULL, &length, NULL);
		g_assert_nonnull(wide);
		madeAddFrame(&other, wide, length, i == 0);
		memcpy(index + 8 + 32 * i + 16, &bytes, 4);
		at += plain;
		g_free(wide);
		g_string_free(text, TRUE);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(intervals); i++) {
		gint64 start = secondsOf(intervals[i][0] - 100);
		gint64 end = secondsOf(intervals[i][1] - 100);
		struct wanted all = { .start = start, .end = end };
		struct wanted part = all;

		part.skips = TRUE;
		writeTen(&other, index, size);
		readWanted("test.trc.zst", &all);
		readWanted("test.trc.zst", &part);
		g_assert_cmpint(part.ret, ==, 0);
		g_assert_cmpstr(part.messages->str, ==, "");
		g_assert_cmpstr(part.records->str, ==, all.records->str);
		g_assert_cmpuint(part.read, ==, 12);
		clearWanted(&all);
		clearWanted(&part);
	}
	free(index);
	madeFree(&made);
	madeFree(&other);
	g_array_unref(frames);
	g_string_free(trace, TRUE);
}

/* No flipped bit of the index goes unnoticed, or changes what is read. */
static void testFlips(void)
{
	GString *trace = g_string_new(NULL);
	GArray *frames = g_array_new(FALSE, FALSE, sizeof(hdITraceFrame));
	struct made made = makeTen(trace, frames);
	struct wanted right;
	gsize size, begin = made.bytes->len, end;
	char *index = indexOf(trace, frames, &size);

	right = readTen(&made, NULL, 0, 6, 7);
	madeAddIndex(&made, index, size);
	end = made.bytes->len;
	madeAddTable(&made);
	for (gsize bit = begin * 8; bit < end * 8; bit++) {
		struct wanted wanted = { .skips = TRUE,
					 .start = right.start,
					 .end = right.end };

		made.bytes->str[bit / 8] ^= (char)(1 << bit % 8);
		writeFile("test.trc.zst", made.bytes);
		readWanted("test.trc.zst", &wanted);
		g_assert_cmpstr(wanted.records->str, ==, right.records->str);
		/* With another magic number it is not an index. */
		if (bit / 8 >= begin + 4 && wanted.ret == 0)
			assertOnce(wanted.messages->str, "zst.index");
		else if (bit / 8 >= begin + 4)
			g_test_message("bit %zu has no meaning", bit);
		clearWanted(&wanted);
		made.bytes->str[bit / 8] ^= (char)(1 << bit % 8);
	}
	clearWanted(&right);
	free(index);
	madeFree(&made);
	g_array_unref(frames);
	g_string_free(trace, TRUE);
}

/* A frame of the interval is damaged: it is said, and the rest is read. */
static void testDamaged(void)
{
	GString *trace = g_string_new(NULL);
	GArray *frames = g_array_new(FALSE, FALSE, sizeof(hdITraceFrame));
	struct made made = makeTen(trace, frames);
	gsize size, at = 0;
	char *index = indexOf(trace, frames, &size);
	struct wanted wanted;

	for (guint i = 0; i < 6; i++)
		at += g_array_index(made.entries, struct hdFrameEntry, i)
			      .stored;
	made.bytes->str[at + 10] ^= 0x55;
	wanted = readTen(&made, index, size, 6, 7);
	g_assert_cmpint(wanted.ret, ==, 1);
	assertOnce(wanted.messages->str, "zst.frame");
	g_assert_null(strstr(wanted.records->str, " a 1 6000000000 "));
	g_assert_nonnull(strstr(wanted.records->str, " m 0 1000000000 "));
	clearWanted(&wanted);
	free(index);
	madeFree(&made);
	g_array_unref(frames);
	g_string_free(trace, TRUE);
}

/* Messages about what is read have the lines of the file. */
static void testLines(void)
{
	GString *trace = g_string_new(NULL);
	GArray *frames = g_array_new(FALSE, FALSE, sizeof(hdITraceFrame));
	struct made made = makeTen(trace, frames), other;
	gsize size;
	char *index = indexOf(trace, frames, &size);
	struct wanted all, part;
	char *bad = strstr(trace->str, "time='7'");

	bad[6] = 'x';
	other = madeNew();
	for (guint i = 0, at = 0; i < frames->len; i++) {
		guint plain = g_array_index(frames, hdITraceFrame, i).plain;

		madeAddFrame(&other, trace->str + at, plain, i == 0);
		at += plain;
	}
	all = readTen(&other, NULL, 0, 7, 7);
	part = readTen(&other, index, size, 7, 7);
	g_assert_cmpint(part.ret, ==, 1);
	g_assert_true(g_str_has_prefix(all.messages->str, "trc.time@"));
	g_assert_true(g_str_has_prefix(part.messages->str, all.messages->str));
	/* The frame has a record less than the index says. */
	assertOnce(part.messages->str, "zst.index");
	clearWanted(&all);
	clearWanted(&part);
	free(index);
	madeFree(&made);
	madeFree(&other);
	g_array_unref(frames);
	g_string_free(trace, TRUE);
}

/* ---- What libhdTracing writes ------------------------------------------ */

static const char *const logged[] = { "one", "two", "three", "Polls" };

static void logAttributes(GRand *random, hdTrace *trace, int step)
{
	if (g_rand_int_range(random, 0, 3) == 0)
		hdT_logAttributeString(trace, "text", "a > b '\"&</Nested>");
	if (g_rand_int_range(random, 0, 5000) == 0)
		hdT_logAttributeInt64(trace, "part", step);
	if (g_rand_int_range(random, 0, 2000) == 0)
		hdT_logAttributeInt64(trace, "tracerNs", step % 2);
	if (g_rand_int_range(random, 0, 2000) == 0)
		hdT_logAttributeInt64(trace, "IprobeCalls", step % 3);
	if (g_rand_int_range(random, 0, 3000) == 0)
		hdT_logElement(trace, "Site",
			       "id='%d' object='0' address='0x1'", step);
	if (g_rand_int_range(random, 0, 9) == 0)
		hdT_logElement(trace, "Data", "offset='%d'", step);
}

/* Write a compressed trace; whether that went well. */
static gboolean logTrace(int seed, int steps)
{
	const char *levels[] = { "Host" };
	const char *labels[] = { "h" };
	char *prefix = pathOf("written");
	GRand *random = g_rand_new_with_seed((guint32)seed);
	hdTopology *topology = hdT_createTopology(prefix, levels, 1);
	hdTopoNode *node = hdT_createTopoNode(topology, labels, 1);
	hdTrace *trace = hdT_createTrace(node);
	int depth = 0;
	gboolean isGood;

	for (int i = 0; i < steps; i++) {
		int what = g_rand_int_range(random, 0, 20);

		if (what == 0) {
			hdT_logEvent(trace, "event");
		} else if (what < 10 && depth < 6) {
			int name = g_rand_int_range(random, 0,
						    i < steps / 2 ? 2 : 4);

			hdT_logStateStart(trace, logged[name]);
			depth++;
		} else if (depth > seed % 2) {
			logAttributes(random, trace, i);
			hdT_logStateEnd(trace);
			depth--;
		}
	}
	isGood = hdT_finalize(trace) == 0;
	hdT_destroyTopoNode(node);
	hdT_destroyTopology(topology);
	g_rand_free(random);
	g_free(prefix);
	return isGood;
}

/* Take a file apart: its frames, and the content of its index. */
static GBytes *takeApart(const char *bytes, gsize size, GArray *frames)
{
	const unsigned char *data = (const unsigned char *)bytes;
	gsize count, step, at = 0;
	gsize table = (gsize)hdFrameReadFoot(data + size - 9, &count, &step);
	ZSTD_DCtx *context = hdZstd.ZSTD_createDCtx();
	GBytes *index = NULL;
	gint64 end = 0;

	g_assert_true(table > 0 && hdFrameIsTable(data + size - table, table));
	for (gsize i = 0; i < count; i++) {
		struct hdFrameEntry entry =
			hdFrameReadEntry(data + size - table + 8 + i * step);
		gsize skip = entry.plain ? 0 : HD_FRAME_INDEX_HEAD;
		char *plain = g_malloc(1 << 23);
		gsize done = hdZstd.ZSTD_decompressDCtx(context, plain, 1 << 23,
							bytes + at + skip,
							entry.stored - skip);
		hdITraceFrame frame = { .plain = entry.plain, .isLine = 1 };

		g_assert_false(hdZstd.ZSTD_isError(done));
		end += entry.plain;
		frame.end = end;
		for (gsize k = 0; k < done; k++)
			frame.lines += plain[k] == '\n';
		if (entry.plain) {
			g_array_append_val(frames, frame);
		} else {
			g_assert_true(hdFrameIsIndex(data + at));
			g_assert_null(index);
			index = g_bytes_new(plain, done);
		}
		at += entry.stored;
		g_free(plain);
	}
	hdZstd.ZSTD_freeDCtx(context);
	g_assert_nonnull(index);
	return index;
}

/* Lines that libhdTracing does not write are refused. */
static void testForeignLines(void)
{
	static const struct {
		const char *text;
		int ret;
	} rows[] = {
		{ "<a  time='1.000000000' end='2.000000000'/>\n", 0 },
		{ "</Program>\n", 0 },
		{ "<a  time='1.000000000' end='2.000000000'/>\n</a>\n"
		  "<b  time='2.000000000' end='3.000000000'/>\n",
		  -EINVAL },
		{ "<Nested>\n<a  time='1.000000000' end='2.000000000'/>\n"
		  "</Program>\n<b  time='2.000000000' end='3.000000000'/>\n",
		  -EINVAL },
		{ "</Nested>\n", -EINVAL },
		{ "<\n", -EINVAL },
		{ "<a  time='1.000000000' end='2.000000000'/>", -EINVAL },
		{ "<a  time='1.00000000' end='2.000000000'/>\n", -EINVAL },
		{ "<a  time='9999999999.999999999' end='2.000000000'/>\n",
		  -EINVAL },
		{ "<a  time='99999999999.999999999' end='2.000000000'/>\n",
		  -EINVAL },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct hdTraceLines *lines = hdTraceLinesCreate();
		struct hdTracePart part;

		g_assert_nonnull(lines);
		g_test_message("%s", rows[i].text);
		g_assert_cmpint(
			hdTraceLinesAdd(lines, "<Program>\n", 10, &part), ==,
			0);
		g_assert_cmpint(hdTraceLinesAdd(lines, rows[i].text,
						strlen(rows[i].text), &part),
				==, rows[i].ret);
		hdTraceLinesFree(lines);
	}
}

/* What is written while recording is what a reader of all of it finds. */
static void testWritten(void)
{
	char *path = pathOf("written_h.trc.zst");

	for (int seed = 0; seed < 4; seed++) {
		GArray *frames =
			g_array_new(FALSE, FALSE, sizeof(hdITraceFrame));
		char *bytes;
		void *expected;
		gsize size, expectedSize, indexSize;
		const void *index;
		GBytes *content;

		g_assert_true(logTrace(seed, seed == 3 ? 10 : 60000));
		g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
		content = takeApart(bytes, size, frames);
		index = g_bytes_get_data(content, &indexSize);
		if (seed < 3)
			g_assert_cmpuint(frames->len, >, 8);
		g_assert_cmpint(
			hdI_indexTrace(
				path,
				(const hdITraceFrame *)(void *)frames->data,
				frames->len, &expected, &expectedSize),
			==, 1);
		g_assert_cmpmem(index, indexSize, expected, expectedSize);
		free(expected);
		g_bytes_unref(content);
		g_free(bytes);
		g_array_unref(frames);
		remove(path);
	}
	g_free(path);
}

int main(int argc, char **argv)
{
	char *path = g_dir_make_tmp("hdtrace-index-XXXXXX", NULL);
	char *file;
	int ret;

	g_setenv("HDTRACE_COMPRESS", "zstd", TRUE);
	g_test_init(&argc, &argv, NULL);
	if (hdZstdMissing()) {
		g_test_message("%s", hdZstdMissing());
		return 77;
	}
	directory = path;
	g_test_add_func("/read-index/random intervals", testRandom);
	g_test_add_func("/read-index/traces without an index", testTraces);
	g_test_add_func("/read-index/boundary in a comment", testComment);
	g_test_add_func("/read-index/wrong index", testWrong);
	g_test_add_func("/read-index/all is read", testAll);
	g_test_add_func("/read-index/wrong index is not used again", testAgain);
	g_test_add_func("/read-index/another encoding", testEncoding);
	g_test_add_func("/read-index/flipped bits", testFlips);
	g_test_add_func("/read-index/damaged frame", testDamaged);
	g_test_add_func("/read-index/lines of messages", testLines);
	g_test_add_func("/read-index/foreign lines", testForeignLines);
	g_test_add_func("/read-index/written while recording", testWritten);
	ret = g_test_run();
	file = pathOf("test.trc.zst");
	remove(file);
	remove(path);
	g_free(file);
	g_free(path);
	return ret;
}
