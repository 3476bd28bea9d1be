/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every tolerance and every error of .stat files, one row each. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/reading/reading.h"

/* A small header: with V("INT32") it has 87 bytes, so that the initial time
 * stamp stands at 93 and the first entry at 101. */
#define V(type) "  <Value name=\"v\" type=\"" type "\" />\n"
#define HEAD "<Statistics>\n<Group name=\"G\">\n"
#define FOOT "</Group>\n</Statistics>\n"

static const struct row {
	const char *name;
	const char *length;
	const char *header;
	const char *values;
	const char *group;
	const char *data;
	int result;
	const char *messages;
	const char *delivered;
} rows[] = {
	/* What is right. */
	{ "all types", NULL, NULL, "INT32 INT64 UINT64 FLOAT DOUBLE", NULL,
	  "T1 T2 I-1 L-2 L-1 F1.5 D-2.5 T3.000000001 I7 L8 L9 F0 D1e300", 0, "",
	  "1..2: -1 -2 18446744073709551615 1.5 -2.5\n"
	  "2..3.000000001: 7 8 9 0 1.0000000000000001e+300\n" },
	{ "strings", NULL, NULL, "STRING INT32 STRING", NULL,
	  "T1 T2 Sone I1 S T3 S I2 Smore", 0, "",
	  "1..2: 'one' 1 ''\n2..3: '' 2 'more'\n" },
	{ "no entries", NULL, NULL, "INT32", NULL, "T1", 0, "", "" },
	{ "no values", NULL, HEAD FOOT, NULL, NULL, "T1 T2 T3", 0, "",
	  "1..2:\n2..3:\n" },
	{ "NaN", NULL, NULL, "FLOAT DOUBLE", NULL, "T1 T2 Fnan Dnan", 0, "",
	  "1..2: nan nan\n" },
	{ "infinity", NULL, NULL, "FLOAT DOUBLE", NULL, "T1 T2 Finf D-inf", 0,
	  "", "1..2: inf -inf\n" },
	{ "equal times", NULL, NULL, "INT32", NULL, "T1 T1 I1 T1 I2", 0, "",
	  "1..1: 1\n1..1: 2\n" },
	{ "times after 2038", NULL, NULL, "INT32", NULL,
	  "T4294967294.5 T4294967295.999999999 I1", 0, "",
	  "4294967294.500000000..4294967295.999999999: 1\n" },
	{ "escaped names", NULL,
	  HEAD V("INT32") "  <Value name=\"a&lt;b\" "
			  "type=\"INT32\" />\n" FOOT,
	  NULL, NULL, "T1 T2 I1 I2", 0, "", "1..2: 1 2\n" },

	/* Tolerance: the length. */
	{ "length of few digits", "87\n", HEAD V("INT32") FOOT, NULL, NULL,
	  "T1 T2 I5", 0, "", "1..2: 5\n" },
	{ "length of many digits", "000000000000000000000000000000087\n",
	  HEAD V("INT32") FOOT, NULL, NULL, "T1 T2 I5", 0, "", "1..2: 5\n" },
	{ "carriage return after the length", "00087\r\n", HEAD V("INT32") FOOT,
	  NULL, NULL, "T1 T2 I5", 0, "", "1..2: 5\n" },

	/* Tolerance: the header. */
	{ "XML prolog", NULL,
	  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" HEAD V("INT32") FOOT,
	  NULL, NULL, "T1 T2 I5", 0, "", "1..2: 5\n" },
	{ "no TopologyNode", NULL, HEAD V("INT32") FOOT, NULL, NULL, "T1 T2 I5",
	  0, "", "1..2: 5\n" },
	{ "any element name", NULL,
	  HEAD "<Statistics name='a' type='INT32'/><b type='INT32'/>" FOOT,
	  NULL, NULL, "T1 T2 I5 I6", 0, "", "1..2: 5 6\n" },
	{ "types in any case", NULL, NULL, "int32 Float dOuBlE", NULL,
	  "T1 T2 I5 F1 D2", 0, "", "1..2: 5 1 2\n" },
	{ "elements in any case", NULL,
	  "<statistics><GROUP name='G'><v type='INT32'/></GROUP></statistics>",
	  NULL, NULL, "T1 T2 I5", 0, "", "1..2: 5\n" },
	{ "UINT64 in lower case", NULL, NULL, "uint64", NULL, "T1 T2 L-1", 0,
	  "", "1..2: 18446744073709551615\n" },
	{ "no timestampDatatype", NULL, NULL, "INT32", "timeAdjustment='1'",
	  "T1 T2 I5", 0, "", "2..3: 5\n" },
	{ "timestampDatatype in lower case", NULL, NULL, "INT32",
	  "timestampDatatype='epoch'", "T1 T2 I5", 0, "", "1..2: 5\n" },
	{ "other timestampDatatype", NULL, NULL, "INT32",
	  "timestampDatatype='INT'", "T1 T2 I5", 0, "stat.timestamps@50\n",
	  "1..2: 5\n" },

	/* Tolerance: the time adjustment. */
	{ "adjustment missing", NULL, NULL, "INT32", "", "T1 T2 I5", 0, "",
	  "1..2: 5\n" },
	{ "adjustment empty", NULL, NULL, "INT32", "timeAdjustment=''",
	  "T1 T2 I5", 0, "", "1..2: 5\n" },
	{ "adjustment negative zero", NULL, NULL, "INT32",
	  "timeAdjustment='-0000000000.000000000'", "T1 T2 I5", 0, "",
	  "1..2: 5\n" },
	{ "adjustment exact", NULL, NULL, "INT32",
	  "timeAdjustment='-1241465909.61045s'",
	  "T1241465911.003150784 T1241465911.011735999 I5", 0, "",
	  "1.392700784..1.401285999: 5\n" },
	{ "adjustment positive", NULL, NULL, "INT32",
	  "timeAdjustment='+0.000000001'", "T1 T2.999999999 I5", 0, "",
	  "1.000000001..3: 5\n" },
	{ "adjustment in ms", NULL, NULL, "INT32", "timeAdjustment='-5.02ms'",
	  "T1 T2 I5", 0, "", "0.994980000..1.994980000: 5\n" },
	{ "adjustment to before 1970", NULL, NULL, "INT32",
	  "timeAdjustment='-2.5'", "T1 T2 I5", 0, "",
	  "-1.500000000..-0.500000000: 5\n" },
	{ "adjustment no number", NULL, NULL, "INT32", "timeAdjustment='soon'",
	  "T1 T2 I5", 0, "stat.adjustment@50\n", "1..2: 5\n" },
	{ "adjustment too large", NULL, NULL, "INT32",
	  "timeAdjustment='99999999999'", "T1 T2 I5", 0, "stat.adjustment@50\n",
	  "1..2: 5\n" },

	/* Stop and start. */
	{ "gap", NULL, NULL, "INT32", NULL, "T1 T2 I5 GAP T10 T11 I6 T12 I7", 0,
	  "", "1..2: 5\n10..!11: 6\n11..12: 7\n" },
	{ "gap before the first entry", NULL, NULL, "INT32", NULL,
	  "T1 GAP T10 T11 I6", 0, "", "10..!11: 6\n" },
	{ "gap at the end", NULL, NULL, "INT32", NULL, "T1 T2 I5 GAP T10", 0,
	  "", "1..2: 5\n" },
	{ "two gaps", NULL, NULL, "INT32", NULL,
	  "T1 T2 I5 GAP T10 GAP T20 T21 I6", 0, "", "1..2: 5\n20..!21: 6\n" },
	{ "gap of no length", NULL, NULL, "INT32", NULL,
	  "T1 T2 I5 GAP T2 T2 I6", 0, "", "1..2: 5\n2..!2: 6\n" },
	{ "gap with strings", NULL, NULL, "STRING", NULL,
	  "T1 T2 Sa GAP T10 T11 Sb", 0, "", "1..2: 'a'\n10..!11: 'b'\n" },
	{ "gap where there are no values", NULL, HEAD FOOT, NULL, NULL,
	  "T1 T2 GAP T10 T11", 0, "", "1..2:\n10..!11:\n" },
	{ "values like a gap", NULL, NULL, "INT64 INT64", NULL,
	  "T1 T2 L-1 L-1 T3 L-1 L-1", 0, "", "1..2: -1 -1\n2..3: -1 -1\n" },
	{ "gap in the past", NULL, HEAD V("INT32") FOOT, NULL, NULL,
	  "T1 T5 I5 GAP T4 T6 I6", -1, "stat.time-decreases@121\n",
	  "1..5: 5\n" },
	{ "gap with a wrong time", NULL, HEAD V("INT32") FOOT, NULL, NULL,
	  "T1 T5 I5 GAP X000000093b9aca00 T6 I6", -1, "stat.time-invalid@121\n",
	  "1..5: 5\n" },

	/* Cut files. */
	{ "no initial time stamp", NULL, HEAD V("INT32") FOOT, NULL, NULL, "",
	  0, "stat.no-start@93\n", "" },
	{ "half an initial time stamp", NULL, HEAD V("INT32") FOOT, NULL, NULL,
	  "X01020304", 0, "stat.no-start@93\n", "" },
	{ "cut in a time stamp", NULL, HEAD V("INT32") FOOT, NULL, NULL,
	  "T1 T2 I5 X0000", 0, "stat.cut-tail@113\n", "1..2: 5\n" },
	{ "cut in a value", NULL, HEAD V("INT32") FOOT, NULL, NULL,
	  "T1 T2 I5 T3 X0000", 0, "stat.cut-tail@113\n", "1..2: 5\n" },
	{ "cut in a gap", NULL, HEAD V("INT32") FOOT, NULL, NULL,
	  "T1 T2 I5 GAP X0000", 0, "stat.cut-tail@113\n", "1..2: 5\n" },
	{ "cut in a string", NULL, HEAD V("STRING") FOOT, NULL, NULL,
	  "T1 T2 Sab T3 X0003 X6162", 0, "stat.cut-tail@114\n",
	  "1..2: 'ab'\n" },
	{ "cut in the length of a string", NULL, HEAD V("STRING") FOOT, NULL,
	  NULL, "T1 T2 Sab T3 X00", 0, "stat.cut-tail@114\n", "1..2: 'ab'\n" },

	/* Errors in entries: all before is delivered. */
	{ "time decreases", NULL, HEAD V("INT32") FOOT, NULL, NULL,
	  "T1 T3 I5 T2.999999999 I6 T4 I7", -1, "stat.time-decreases@113\n",
	  "1..3: 5\n" },
	{ "time before the start", NULL, HEAD V("INT32") FOOT, NULL, NULL,
	  "T2 T1 I5", -1, "stat.time-decreases@101\n", "" },
	{ "time decreases, with strings", NULL, HEAD V("STRING") FOOT, NULL,
	  NULL, "T1 T3 Sab T2 Scd", -1, "stat.time-decreases@114\n",
	  "1..3: 'ab'\n" },
	{ "too many nanoseconds", NULL, HEAD V("INT32") FOOT, NULL, NULL,
	  "T1 T2 I5 X000000033b9aca00 I6", -1, "stat.time-invalid@113\n",
	  "1..2: 5\n" },
	{ "too many nanoseconds at the start", NULL, HEAD V("INT32") FOOT, NULL,
	  NULL, "X000000033b9aca00 T4 I6", -1, "stat.time-invalid@93\n", "" },
	{ "string of negative length", NULL, HEAD V("STRING") FOOT, NULL, NULL,
	  "T1 T2 Sab T3 X8000", -1, "stat.string@122\n", "1..2: 'ab'\n" },

	/* Errors in the header: no entry can be read. */
	{ "empty file", "", "", NULL, NULL, "", -1, "stat.length@0\n", "" },
	{ "no length", "", "<Statistics/>", NULL, NULL, "", -1,
	  "stat.length@0\n", "" },
	{ "only a length", "00123", "", NULL, NULL, "", -1, "stat.length@5\n",
	  "" },
	{ "no line feed after the length", "00123 ", "<Statistics/>", NULL,
	  NULL, "", -1, "stat.length@5\n", "" },
	{ "signed length", "-0123\n", "<Statistics/>", NULL, NULL, "", -1,
	  "stat.length@0\n", "" },
	{ "absurd length", "99999999999999999999999999\n", "<Statistics/>",
	  NULL, NULL, "", -1, "stat.length@0\n", "" },
	{ "length behind the end", "00099\n", HEAD, NULL, NULL, "", -1,
	  "stat.header@36\n", "" },
	{ "length too small", "00070\n", HEAD V("INT32") FOOT, NULL, NULL,
	  "T1 T2 I5", -1, "stat.header@*\n", "" },
	{ "length too large", "00091\n", HEAD V("INT32") FOOT, NULL, NULL,
	  "T1 T2 I5", -1, "stat.header@*\n", "" },
	{ "length 0", "00000\n", "", NULL, NULL, "T1 T2 I5", -1,
	  "stat.header@6\n", "" },
	{ "not XML", NULL, "hello\n", NULL, NULL, "", -1, "stat.header@*\n",
	  "" },
	{ "XML with an error", NULL, HEAD "<a></b>" FOOT, NULL, NULL, "", -1,
	  "stat.header@*\n", "" },
	{ "DOCTYPE", NULL, "<!DOCTYPE Statistics>\n" HEAD V("INT32") FOOT, NULL,
	  NULL, "T1 T2 I5", -1, "stat.header@*\n", "" },
	{ "external entity", NULL,
	  "<!DOCTYPE a [<!ENTITY b SYSTEM \"/etc/passwd\">]>\n" HEAD
	  "<v name='&b;' type='INT32'/>" FOOT,
	  NULL, NULL, "T1 T2 I5", -1, "stat.header@*\n", "" },
	{ "other root", NULL, "<Program></Program>\n", NULL, NULL, "", -1,
	  "stat.header@6\n", "" },
	{ "no group", NULL, "<Statistics></Statistics>\n", NULL, NULL, "", -1,
	  "stat.header@6\n", "" },
	{ "group without a name", NULL,
	  "<Statistics>\n<Group>\n</Group></Statistics>\n", NULL, NULL, "", -1,
	  "stat.header@19\n", "" },
	{ "unknown type", NULL, HEAD V("INT32") V("INT16") FOOT, NULL, NULL,
	  "T1 T2 I5", -1, "stat.type@70\n", "" },
	{ "no type", NULL, HEAD "<Value name='v'/>" FOOT, NULL, NULL,
	  "T1 T2 I5", -1, "stat.type@36\n", "" },

	/* Of before 2009: no initial time stamp, a date as adjustment. */
	{ "old format", NULL, NULL, "INT32", "timeAdjustment='1242562359.5'",
	  "T1242562360 I5 T1242562361 I6", 0, "stat.old-format@*\n",
	  "1242562360..1242562360: 5\n1242562360..1242562361: 6\n" },
	{ "old format, cut", NULL, NULL, "INT32",
	  "timeAdjustment='1242562359.5'", "T1242562360 X01", 0,
	  "stat.old-format@*\nstat.cut-tail@*\n", "" },
	{ "date as adjustment of small times", NULL, NULL, "INT32",
	  "timeAdjustment='1242562359.5'", "T1 T2 I5", 0, "",
	  "1242562360.500000000..1242562361.500000000: 5\n" },
};

static void testRow(gconstpointer data)
{
	const struct row *row = data;
	struct reading reading;
	GString *bytes = readingStat(row->length, row->header, row->values,
				     row->group, row->data);

	readingInit(&reading);
	readingRun(&reading, "test.stat", bytes->str, bytes->len);
	g_assert_true(reading.isOpen);
	g_assert_cmpstr(reading.values->str, ==, row->delivered);
	g_assert_cmpint(reading.result, ==, row->result);
	if (row->result < 0)
		g_assert_cmpint(reading.error, ==, EBADMSG);
	if (!g_pattern_match_simple(row->messages, reading.messages->str))
		g_assert_cmpstr(reading.messages->str, ==, row->messages);
	readingClear(&reading);
	g_string_free(bytes, TRUE);
}

/* More entries than one block and than one buffer holds. */
static void testMany(gconstpointer data)
{
	const char *type = data;
	GString *words = g_string_new("T1");
	GString *expected = g_string_new(NULL);
	GString *bytes;
	struct reading reading;

	for (int i = 0; i < 50000; i++) {
		int isGap = i % 20000 == 19999;

		if (isGap)
			g_string_append_printf(words, " GAP T%d.5", i + 1);
		g_string_append_printf(words, " T%d %c%d", i + 2, *type, i);
		g_string_append_printf(
			expected,
			isGap ? "%d.500000000..!%d: " : "%d..%d: ", i + 1,
			i + 2);
		g_string_append_printf(expected,
				       *type == 'S' ? "'%d'\n" : "%d\n", i);
	}
	bytes = readingStat(NULL, NULL, type, NULL, words->str);
	readingInit(&reading);
	readingRun(&reading, "test.stat", bytes->str, bytes->len);
	g_assert_cmpint(reading.result, ==, 0);
	g_assert_cmpstr(reading.messages->str, ==, "");
	g_assert_true(strcmp(reading.values->str, expected->str) == 0);
	readingClear(&reading);
	g_string_free(bytes, TRUE);
	g_string_free(words, TRUE);
	g_string_free(expected, TRUE);
}

/* Entries that are larger than the buffer: many values, or long strings. */
static void testLarge(void)
{
	GString *types = g_string_new("STRING");
	GString *words = g_string_new("T1");
	char *text = g_strnfill(32767, 'x');
	GString *bytes;
	struct reading reading;

	for (int i = 1; i < 40; i++)
		g_string_append(types, " STRING");
	for (int i = 0; i < 3; i++) {
		g_string_append_printf(words, " T%d", i + 2);
		for (int k = 0; k < 40; k++)
			g_string_append_printf(words, " S%s", text);
	}
	bytes = readingStat(NULL, NULL, types->str, NULL, words->str);
	readingInit(&reading);
	readingRun(&reading, "test.stat", bytes->str, bytes->len);
	g_assert_cmpint(reading.result, ==, 0);
	g_assert_cmpuint(reading.values->len, ==, 3 * (6 + 40 * 32770));
	readingClear(&reading);
	g_string_free(bytes, TRUE);

	g_string_assign(types, "DOUBLE");
	g_string_assign(words, "T1 T2 D1");
	for (int i = 1; i < 40000; i++) {
		g_string_append(types, " DOUBLE");
		g_string_append(words, " D1");
	}
	bytes = readingStat(NULL, NULL, types->str, NULL, words->str);
	readingInit(&reading);
	readingRun(&reading, "test.stat", bytes->str, bytes->len);
	g_assert_cmpint(reading.result, ==, 0);
	g_assert_cmpuint(reading.values->len, ==, 6 + 40000 * 2);
	readingClear(&reading);
	g_string_free(bytes, TRUE);
	g_string_free(types, TRUE);
	g_string_free(words, TRUE);
	g_free(text);
}

/** An entry, and where it stands. */
struct place {
	int64_t start;
	int64_t end;
	int64_t offset;
	uint64_t number;
	int32_t value;
};

static GArray *placesOf(hdIStatReader *reader)
{
	GArray *places = g_array_new(FALSE, FALSE, sizeof(struct place));
	const hdIBlock *block;

	while (hdI_readStat(reader, &block) == 1) {
		for (size_t i = 0; i < block->count; i++) {
			struct place place = {
				block->start[i],
				block->end[i],
				block->offset[i],
				block->first + i,
				block->columns[0].int32[i],
			};

			g_array_append_val(places, place);
		}
	}
	return places;
}

static void checkPlace(hdIStatReader *reader, const struct place *place)
{
	const hdIBlock *block;

	g_assert_cmpint(hdI_seekStat(reader, place->offset, place->start,
				     place->number),
			==, 0);
	g_assert_cmpint(hdI_readStat(reader, &block), ==, 1);
	g_assert_cmpint(block->start[0], ==, place->start);
	g_assert_cmpint(block->end[0], ==, place->end);
	g_assert_cmpint(block->offset[0], ==, place->offset);
	g_assert_cmpuint(block->first, ==, place->number);
	g_assert_cmpint(block->columns[0].int32[0], ==, place->value);
}

/* Reading goes on at any entry: behind gaps, and after the end was reached. */
static void testSeek(void)
{
	GString *words = g_string_new("T1");
	char *directory = g_dir_make_tmp("hdtrace-seek-XXXXXX", NULL);
	char *path = g_build_filename(directory, "test.stat", NULL);
	hdIProject *project;
	hdIStatReader *reader;
	GString *bytes;
	GArray *places;

	for (int i = 0; i < 30000; i++) {
		if (i % 7000 == 6999)
			g_string_append_printf(words, " GAP T%d.5", i + 1);
		g_string_append_printf(words, " T%d I%d", i + 2, i);
	}
	bytes = readingStat(NULL, NULL, "INT32", NULL, words->str);
	g_assert_true(g_file_set_contents(path, bytes->str, (gssize)bytes->len,
					  NULL));
	project = hdI_openProject(path, NULL, NULL);
	g_assert_nonnull(project);
	reader = hdI_openStat(project, project->groups[0]);
	g_assert_nonnull(reader);
	places = placesOf(reader);
	g_assert_cmpuint(places->len, ==, 30000);
	for (guint i = places->len; i-- > 0;) {
		if (i % 777 == 0 || i % 7000 >= 6998 || i + 3 > places->len)
			checkPlace(reader,
				   &g_array_index(places, struct place, i));
	}
	g_assert_cmpint(hdI_seekStat(reader, 5, 0, 0), ==, -1);
	g_assert_cmpint(errno, ==, EINVAL);
	hdI_closeStat(reader);
	hdI_closeProject(project);
	g_array_unref(places);
	g_string_free(bytes, TRUE);
	g_string_free(words, TRUE);
	remove(path);
	remove(directory);
	g_free(path);
	g_free(directory);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		char *path = g_strdup_printf("/read-stat/%s", rows[i].name);

		g_test_add_data_func(path, &rows[i], testRow);
		g_free(path);
	}
	g_test_add_data_func("/read-stat/many entries", "INT32", testMany);
	g_test_add_data_func("/read-stat/many strings", "STRING", testMany);
	g_test_add_func("/read-stat/large entries", testLarge);
	g_test_add_func("/read-stat/seek", testSeek);
	return g_test_run();
}
