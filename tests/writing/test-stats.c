/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads smoke */
/* Statistics groups: what every call returns and what stands in the file. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/statfile.h"
#include "tests/lib/testlib.h"

#define SECOND INT64_C(1000000000)

/* The fake time when groups are committed. */
#define START (INT64_C(1234567890) * SECOND + 123456789)

static void setTime(int64_t afterStart)
{
	testClockSet(START + afterStart, 0);
}

/* Create the group G of a project's root. */
static hdStatsGroup *create(const char *project)
{
	hdTopoNode *node = testNode(project, "");
	hdStatsGroup *group;

	testMakes(group, hdS_createGroup("G", node, 0));
	testWorks(hdT_destroyTopoNode(node));
	return group;
}

/* The same with values of the given types, committed at START. */
static hdStatsGroup *commitWith(hdStatsGroup *group, const char *types)
{
	for (const char *type = types; *type; type++) {
		char name[] = { 'v', *type, '\0' };

		testWorks(hdS_addValue(
			group, name,
			(hdStatsValueType)(strchr("ilfds", *type) - "ilfds"),
			NULL, NULL));
	}
	setTime(0);
	testWorks(hdS_commitGroup(group));
	return group;
}

static hdStatsGroup *createWith(const char *project, const char *types)
{
	return commitWith(create(project), types);
}

static struct testStatFile *finish(hdStatsGroup *group, const char *path)
{
	struct testStatFile *file;

	testWorks(hdS_finalize(group));
	testClockReset();
	file = testStatRead(path);
	g_assert_cmpuint(file->bytesLeft, ==, 0);
	return file;
}

static void checkLosses(const hdStatsGroup *group, uint64_t records,
			uint64_t times)
{
	hdLosses losses;

	testWorks(hdS_getLosses(group, &losses));
	g_assert_cmpuint(losses.records, ==, records);
	g_assert_cmpuint(losses.times, ==, times);
}

static float floatOf(const unsigned char *bytes)
{
	uint32_t bits = testBig32(bytes);
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static double doubleOf(const unsigned char *bytes)
{
	uint64_t bits = testBig64(bytes);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* ---- The file ---------------------------------------------------------- */

/* Listing 3.3 of the thesis, byte for byte, and an entry. */
static void testListing(void)
{
	static const char expected[] =
		"00444\n"
		"<Statistics>\n"
		"<TopologyNode>\n"
		"  <Label value=\"node06\" />\n"
		"</TopologyNode>\n"
		"<Group name=\"Utilization\" timestampDatatype=\"EPOCH\""
		" timeAdjustment=\"-0000000000.000000000\">\n"
		"  <Value name=\"CPU_TOTAL\" type=\"FLOAT\" unit=\"%\""
		" grouping=\"CPU\" />\n"
		"  <Value name=\"MEM_USED\" type=\"INT64\" unit=\"B\""
		" grouping=\"MEM\" />\n"
		"  <Value name=\"NET_IN\" type=\"INT64\" unit=\"B\""
		" grouping=\"NET\" />\n"
		"  <Value name=\"NET_OUT\" type=\"INT64\" unit=\"B\""
		" grouping=\"NET\" />\n"
		"</Group>\n"
		"</Statistics>\n"
		"\x49\x96\x02\xd3\x07\x5b\xcd\x15"
		"\x49\x96\x02\xd4\x00\x00\x00\x01"
		"\x3f\x80\x00\x00"
		"\x00\x00\x00\x00\x00\x00\x00\x02"
		"\xff\xff\xff\xff\xff\xff\xff\xfd"
		"\x01\x23\x45\x67\x89\xab\xcd\xef";
	hdTopoNode *node = testNode("listing", "node06/0");
	hdStatsGroup *group;
	size_t length;
	char *bytes;

	setTime(0);
	testMakes(group, hdS_createGroup("Utilization", node, 1));
	testWorks(hdT_destroyTopoNode(node));
	testWorks(hdS_addValue(group, "CPU_TOTAL", FLOAT, "%", "CPU"));
	testWorks(hdS_addValue(group, "MEM_USED", INT64, "B", "MEM"));
	testWorks(hdS_addValue(group, "NET_IN", INT64, "B", "NET"));
	testWorks(hdS_addValue(group, "NET_OUT", INT64, "B", "NET"));
	testWorks(hdS_commitGroup(group));
	setTime(SECOND);
	testGives(0, hdS_enableGroup(group));
	testClockSet(INT64_C(1234567892) * SECOND + 1, 0);
	testWorks(hdS_writeFloatValue(group, 1));
	testWorks(hdS_writeInt64Value(group, 2));
	testWorks(hdS_writeInt64Value(group, -3));
	testWorks(hdS_writeInt64Value(group, INT64_C(0x0123456789abcdef)));
	testWorks(hdS_finalize(group));
	testClockReset();
	bytes = testRead("listing_node06_Utilization.stat", &length);
	g_assert_cmpmem(bytes, length, expected, sizeof(expected) - 1);
	g_free(bytes);
}

/* The header and the name of the file, for each level. */
static void testLevels(void)
{
	static const struct {
		const char *file;
		const char *node;
	} levels[] = {
		{ "levels_G.stat", "" },
		{ "levels_h.1_G.stat", "  <Label value=\"h.1\" />\n" },
		{ "levels_h.1_p_G.stat", "  <Label value=\"h.1\">\n"
					 "    <Label value=\"p\" />\n"
					 "  </Label>\n" },
		{ "levels_h.1_p_t-0_G.stat", "  <Label value=\"h.1\">\n"
					     "    <Label value=\"p\">\n"
					     "      <Label value=\"t-0\" />\n"
					     "    </Label>\n"
					     "  </Label>\n" },
	};
	hdTopoNode *node = testNode("levels", "h.1/p/t-0");

	for (int level = 0; level < 4; level++) {
		struct testStatFile *file;
		hdStatsGroup *group;
		char *expected;

		testMakes(group, hdS_createGroup("G", node, level));
		testWorks(hdS_commitGroup(group));
		file = finish(group, levels[level].file);
		expected = g_strdup_printf("<Statistics>\n<TopologyNode>\n%s"
					   "</TopologyNode>\n<Group ",
					   levels[level].node);
		g_assert_true(g_str_has_prefix(file->header + 6, expected));
		g_free(expected);
		testStatFree(file);
	}
	testFailsNull(HD_ERR_INVALID_ARGUMENT, hdS_createGroup("G", node, 4));
	testFailsNull(HD_ERR_INVALID_ARGUMENT, hdS_createGroup("G", node, -1));
	testFailsNull(HD_ERR_INVALID_ARGUMENT, hdS_createGroup(NULL, node, 1));
	testFailsNull(HD_ERR_INVALID_ARGUMENT, hdS_createGroup("G", NULL, 0));
	testWorks(hdT_destroyTopoNode(node));
}

/* Values and attributes in the header, escaped. */
static void testHeader(void)
{
	hdStatsGroup *group;
	struct testStatFile *file;

	setTime(0);
	group = create("header");
	testWorks(hdS_addAttribute(group, "source", "a \"meter\" <&'\n"));
	testWorks(hdS_addAttribute(group, "simulated", ""));
	testWorks(hdS_addValue(group, "a<b>&\"c\"'\t\x01\xff\xc3\xa4", INT32,
			       "\xc2\xb5V & more", "<g>"));
	testWorks(hdS_addAttribute(group, "source", "another one"));
	testWorks(hdS_addValue(group, "plain", STRING, NULL, NULL));
	testWorks(hdS_addValue(group, "plain", DOUBLE, NULL, "g"));
	testWorks(hdS_addValue(group, "plain", INT64, "", NULL));
	testWorks(hdS_addAttribute(group, "resolution", "10 ms"));
	testWorks(hdS_addAttribute(group, "x-y.z_1", "="));
	testWorks(hdS_commitGroup(group));
	file = finish(group, "header_G.stat");
	testClockReset();
	g_assert_cmpstr(
		file->header + 6, ==,
		"<Statistics>\n"
		"<TopologyNode>\n"
		"</TopologyNode>\n"
		"<Group name=\"G\" timestampDatatype=\"EPOCH\""
		" timeAdjustment=\"-0000000000.000000000\""
		" source=\"a &quot;meter&quot; &lt;&amp;&apos;&#10;\""
		" simulated=\"\">\n"
		"  <Value name=\"a&lt;b&gt;&amp;&quot;c&quot;&apos;&#9;"
		"\xef\xbf\xbd\xef\xbf\xbd\xc3\xa4\" type=\"INT32\""
		" unit=\"\xc2\xb5V &amp; more\" grouping=\"&lt;g&gt;\""
		" source=\"another one\" />\n"
		"  <Value name=\"plain\" type=\"STRING\" />\n"
		"  <Value name=\"plain\" type=\"DOUBLE\" grouping=\"g\" />\n"
		"  <Value name=\"plain\" type=\"INT64\" unit=\"\""
		" resolution=\"10 ms\" x-y.z_1=\"=\" />\n"
		"</Group>\n"
		"</Statistics>\n");
	testStatFree(file);
}

/* A header may have 99,999 bytes, and not one more. */
static void testHeaderLimit(void)
{
	for (int over = 0; over <= 1; over++) {
		const char *project = over ? "over-limit" : "at-limit";
		hdStatsGroup *group;
		struct testStatFile *file;
		/* What is not a value, and the attribute x="". */
		size_t used = strlen("<Statistics>\n<TopologyNode>\n"
				     "</TopologyNode>\n<Group name=\"G\""
				     " timestampDatatype=\"EPOCH\""
				     " timeAdjustment=\"-0000000000.000000000\""
				     ">\n</Group>\n</Statistics>\n x=\"\"");
		size_t each = strlen("  <Value name=\"v\" type=\"INT32\" />\n");
		char *fill;
		size_t count = 0;

		/* Without the attributes of the clock. */
		setTime(0);
		group = create(project);
		testClockReset();
		while (used + each <= 99999 - 10) {
			testWorks(hdS_addValue(group, "v", INT32, NULL, NULL));
			used += each;
			count++;
		}
		g_assert_cmpuint(count, >, 2900);
		fill = g_strnfill(99999 - used + (size_t)over, 'x');
		testWorks(hdS_addAttribute(group, "x", fill));
		g_free(fill);
		if (over) {
			testFails(HD_ERR_BUFFER_OVERFLOW,
				  hdS_commitGroup(group));
			testFails(HD_ERR_BUFFER_OVERFLOW,
				  hdS_commitGroup(group));
			testGives(-1, hdS_isEnabled(group));
			testFails(HDS_ERR_GROUP_COMMIT_STATE,
				  hdS_finalize(group));
			g_assert_false(testExists("over-limit_G.stat"));
			continue;
		}
		testWorks(hdS_commitGroup(group));
		testGives(0, hdS_enableGroup(group));
		for (size_t i = 0; i < 2 * count; i++)
			testWorks(hdS_writeInt32Value(group, (int32_t)i));
		file = finish(group, "at-limit_G.stat");
		g_assert_true(g_str_has_prefix(file->header, "99999\n"));
		g_assert_cmpuint(file->typeCount, ==, count);
		g_assert_cmpuint(file->count, ==, 2);
		for (size_t i = 0; i < count; i++)
			g_assert_cmpuint(
				testBig32(file->entries[1].values + 4 * i), ==,
				count + i);
		testStatFree(file);
	}
}

/* Texts of the longest lengths, and one byte more. */
static void testLengths(void)
{
	hdStatsGroup *group = create("lengths");
	hdTopoNode *node = testNode("lengths", "");
	char *longest = g_strnfill(1000, 'x');
	char *tooLong = g_strnfill(1001, 'x');
	/* 6 bytes each when escaped, so 1002. */
	char *escaped = g_strnfill(167, '"');
	struct testStatFile *file;

	testWorks(hdS_addValue(group, longest, INT32, longest, longest));
	testFails(HD_ERR_BUFFER_OVERFLOW,
		  hdS_addValue(group, tooLong, INT32, NULL, NULL));
	testFails(HD_ERR_BUFFER_OVERFLOW,
		  hdS_addValue(group, escaped, INT32, NULL, NULL));
	testFails(HD_ERR_BUFFER_OVERFLOW,
		  hdS_addValue(group, "a", INT32, tooLong, NULL));
	testFails(HD_ERR_BUFFER_OVERFLOW,
		  hdS_addValue(group, "a", INT32, escaped, NULL));
	testFails(HD_ERR_BUFFER_OVERFLOW,
		  hdS_addValue(group, "a", INT32, NULL, tooLong));
	testFails(HD_ERR_BUFFER_OVERFLOW,
		  hdS_addValue(group, "a", INT32, NULL, escaped));
	/* Nothing was added; the attribute belongs to the first value. */
	testWorks(hdS_addAttribute(group, "last", "yes"));
	escaped[166] = '\0';
	testWorks(hdS_addValue(group, escaped, INT32, escaped, escaped));
	testWorks(hdS_commitGroup(group));
	file = finish(group, "lengths_G.stat");
	g_assert_cmpuint(file->typeCount, ==, 2);
	g_assert_nonnull(strstr(file->header, "x\" last=\"yes\" />\n  <Value"));
	testStatFree(file);

	tooLong[201] = '\0';
	testFailsNull(HD_ERR_BUFFER_OVERFLOW,
		      hdS_createGroup(tooLong, node, 0));
	tooLong[200] = '\0';
	testMakes(group, hdS_createGroup(tooLong, node, 0));
	testFails(HDS_ERR_GROUP_COMMIT_STATE, hdS_finalize(group));
	testWorks(hdT_destroyTopoNode(node));
	g_free(longest);
	g_free(tooLong);
	g_free(escaped);
}

/* ---- Arguments and states ---------------------------------------------- */

static void testGroupNames(void)
{
	static const struct {
		const char *name;
		bool isAllowed;
	} names[] = {
		{ "Utilization", true }, { "a", true },    { "A-b.9", true },
		{ "", false },           { "_", false },   { "a_b", false },
		{ "9", false },          { "-a", false },  { ".a", false },
		{ "a b", false },        { "a/b", false }, { "a<", false },
		{ "\xc3\xa4", false },   { "a\n", false },
	};
	hdTopoNode *node = testNode("group-names", "");

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		hdStatsGroup *group;

		if (!names[i].isAllowed) {
			testFailsNull(HD_ERR_INVALID_ARGUMENT,
				      hdS_createGroup(names[i].name, node, 0));
			continue;
		}
		testMakes(group, hdS_createGroup(names[i].name, node, 0));
		testWorks(hdS_commitGroup(group));
		testWorks(hdS_finalize(group));
	}
	testWorks(hdT_destroyTopoNode(node));
}

static void testKeys(void)
{
	static const char *const bad[] = {
		"name",
		"type",
		"unit",
		"grouping",
		"timestampDatatype",
		"clock",
		"timeAdjustment",
		"",
		"1",
		"a b",
		"a=",
		"a\"",
		"-",
		"\xc3\xa4",
	};
	hdStatsGroup *group = create("keys");

	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
			testFails(HD_ERR_INVALID_ARGUMENT,
				  hdS_addAttribute(group, bad[i], "x"));
		testWorks(hdS_addAttribute(group, "names", " key=\"x\""));
		testWorks(hdS_addAttribute(group, "nam", "x"));
		testWorks(hdS_addAttribute(group, "key", "x"));
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdS_addAttribute(group, "key", "y"));
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdS_addAttribute(group, "names", "y"));
		/* Again, for a value. */
		testWorks(hdS_addValue(group, "v", INT32, NULL, NULL));
	}
	testWorks(hdS_commitGroup(group));
	testStatFree(finish(group, "keys_G.stat"));
}

static void testArguments(void)
{
	struct timespec now = testTime(START);
	char entry[4] = { 0 };
	hdLosses losses;
	hdStatsGroup *group = create("arguments");

	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdS_addValue(NULL, "v", INT32, NULL, NULL));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdS_addValue(group, NULL, INT32, NULL, NULL));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdS_addValue(group, "", INT32, NULL, NULL));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdS_addValue(group, "v", (hdStatsValueType)5, NULL, NULL));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdS_addValue(group, "v", (hdStatsValueType)-1, NULL, NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_addAttribute(NULL, "k", "v"));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_addAttribute(group, NULL, "v"));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_addAttribute(group, "k", NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_commitGroup(NULL));
	testGives(-2, hdS_enableGroup(NULL));
	testGives(-2, hdS_enableGroupAt(NULL, &now));
	testGives(-2, hdS_disableGroup(NULL));
	testGives(-2, hdS_isEnabled(NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_setEntryTime(NULL, &now));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_writeEntry(NULL, entry, 4));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdS_writeEntryAt(NULL, entry, 4, &now));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_writeInt32Value(NULL, 1));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_writeInt64Value(NULL, 1));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_writeFloatValue(NULL, 1));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_writeDoubleValue(NULL, 1));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_writeString(NULL, ""));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_flush(NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_getLosses(NULL, &losses));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_getLosses(group, NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_finalize(NULL));
	testFails(HDS_ERR_GROUP_COMMIT_STATE, hdS_finalize(group));
}

/* Everything, in a group that is not committed. */
static void testNotCommitted(void)
{
	struct timespec now = testTime(START);
	char entry[4] = { 0 };
	hdStatsGroup *group = create("not-committed");

	testWorks(hdS_addValue(group, "v", INT32, NULL, NULL));
	testGives(-1, hdS_enableGroup(group));
	testGives(-1, hdS_enableGroupAt(group, &now));
	testGives(-1, hdS_disableGroup(group));
	testGives(-1, hdS_isEnabled(group));
	testFails(HDS_ERR_GROUP_COMMIT_STATE, hdS_setEntryTime(group, &now));
	testFails(HDS_ERR_GROUP_COMMIT_STATE, hdS_writeEntry(group, entry, 4));
	testFails(HDS_ERR_GROUP_COMMIT_STATE,
		  hdS_writeEntryAt(group, entry, 4, &now));
	testFails(HDS_ERR_GROUP_COMMIT_STATE, hdS_writeInt32Value(group, 1));
	testFails(HDS_ERR_GROUP_COMMIT_STATE, hdS_writeInt64Value(group, 1));
	testFails(HDS_ERR_GROUP_COMMIT_STATE, hdS_writeFloatValue(group, 1));
	testFails(HDS_ERR_GROUP_COMMIT_STATE, hdS_writeDoubleValue(group, 1));
	testFails(HDS_ERR_GROUP_COMMIT_STATE, hdS_writeString(group, ""));
	testFails(HDS_ERR_GROUP_COMMIT_STATE, hdS_flush(group));
	checkLosses(group, 0, 0);
	g_assert_true(testExists("not-committed_G.stat"));
	testFails(HDS_ERR_GROUP_COMMIT_STATE, hdS_finalize(group));
	g_assert_false(testExists("not-committed_G.stat"));
}

/* Everything, in a group that is committed and disabled. */
static void testDisabled(void)
{
	struct timespec now = testTime(START);
	char entry[4] = { 0 };
	hdStatsGroup *group = createWith("disabled", "i");

	testFails(HDS_ERR_GROUP_COMMIT_STATE, hdS_commitGroup(group));
	testFails(HDS_ERR_GROUP_COMMIT_STATE,
		  hdS_addValue(group, "w", INT32, NULL, NULL));
	testFails(HDS_ERR_GROUP_COMMIT_STATE,
		  hdS_addAttribute(group, "k", "v"));
	for (int round = 0; round < 2; round++) {
		testGives(0, hdS_isEnabled(group));
		testGives(1, hdS_disableGroup(group));
		testFails(HD_ERR_TRACE_DISABLED, hdS_setEntryTime(group, &now));
		testFails(HD_ERR_TRACE_DISABLED,
			  hdS_writeEntry(group, entry, 4));
		testFails(HD_ERR_TRACE_DISABLED,
			  hdS_writeEntryAt(group, entry, 4, &now));
		testFails(HD_ERR_TRACE_DISABLED, hdS_writeInt32Value(group, 1));
		testFails(HD_ERR_TRACE_DISABLED, hdS_writeInt64Value(group, 1));
		testFails(HD_ERR_TRACE_DISABLED, hdS_writeFloatValue(group, 1));
		testFails(HD_ERR_TRACE_DISABLED,
			  hdS_writeDoubleValue(group, 1));
		testFails(HD_ERR_TRACE_DISABLED, hdS_writeString(group, ""));
		testWorks(hdS_flush(group));
		testGives(-3, hdS_enableGroupAt(group, NULL));
		testGives(0, hdS_enableGroup(group));
		testGives(1, hdS_enableGroup(group));
		testGives(1, hdS_enableGroupAt(group, &now));
		testGives(1, hdS_isEnabled(group));
		testGives(0, hdS_disableGroup(group));
	}
	checkLosses(group, 0, 0);
	testStatFree(finish(group, "disabled_G.stat"));
}

static void testTimesRefused(void)
{
	static const struct timespec bad[] = {
		{ -1, 0 },
		{ 0, -1 },
		{ 0, 1000000000 },
		{ INT64_C(0x100000000), 0 },
		{ INT64_MIN, 0 },
		{ INT64_MAX, 0 },
		{ 1234567891, -1000 },
	};
	char entry[4] = { 0 };
	hdStatsGroup *group = createWith("times-refused", "i");
	struct testStatFile *file;

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
		testGives(-3, hdS_enableGroupAt(group, &bad[i]));
	testGives(0, hdS_enableGroup(group));
	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdS_setEntryTime(group, &bad[i]));
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdS_writeEntryAt(group, entry, 4, &bad[i]));
	}
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_setEntryTime(group, NULL));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdS_writeEntryAt(group, entry, 4, NULL));
	file = finish(group, "times-refused_G.stat");
	g_assert_cmpuint(file->count, ==, 0);
	testStatFree(file);
}

static void testClockGone(void)
{
	hdStatsGroup *group = create("clock-gone");
	struct testStatFile *file;
	char entry[4] = { 0 };

	testWorks(hdS_addValue(group, "v", INT32, NULL, NULL));
	testClockBreak();
	testFails(HD_ERR_GET_TIME, hdS_commitGroup(group));
	setTime(0);
	testWorks(hdS_commitGroup(group));
	testClockBreak();
	/* The commit's time is the last there is. */
	testGives(0, hdS_enableGroup(group));
	testFails(HD_ERR_GET_TIME, hdS_writeInt32Value(group, 1));
	testFails(HD_ERR_GET_TIME, hdS_writeEntry(group, entry, 4));
	setTime(5);
	testWorks(hdS_writeInt32Value(group, 2));
	testClockBreak();
	testGives(0, hdS_disableGroup(group));
	testGives(0, hdS_enableGroup(group));
	file = finish(group, "clock-gone_G.stat");
	g_assert_cmpint(file->init, ==, START);
	g_assert_cmpuint(file->count, ==, 2);
	g_assert_cmpint(file->entries[0].time, ==, START + 5);
	g_assert_true(file->entries[1].isGap);
	g_assert_cmpint(file->entries[1].time, ==, START + 5);
	testStatFree(file);
}

/* ---- Values ------------------------------------------------------------ */

/* Extreme values of every type come out bit by bit. */
static void testValues(void)
{
	static const int32_t int32s[] = { 0, 1, -1, INT32_MIN, INT32_MAX };
	static const int64_t int64s[] = { 0, 1, -1, INT64_MIN, INT64_MAX };
	static const float floats[] = { 0, -0.0F, INFINITY, 1e-45F, 1.5F };
	static const double doubles[] = { 0, -0.0, -INFINITY, 5e-324, 1.5 };
	static const char *const strings[] = { "", "a", "\xff\n<&>", "long one",
					       "x" };
	hdStatsGroup *group = createWith("values", "ilfdsi");
	struct testStatFile *file;

	testGives(0, hdS_enableGroup(group));
	for (int i = 0; i < 5; i++) {
		setTime(i + 1);
		testWorks(hdS_writeInt32Value(group, int32s[i]));
		/* The time is that of the first value. */
		setTime(1000);
		testWorks(hdS_writeInt64Value(group, int64s[i]));
		testWorks(hdS_writeFloatValue(group, floats[i]));
		testWorks(hdS_writeDoubleValue(group, doubles[i]));
		testWorks(hdS_writeString(group, strings[i]));
		testWorks(hdS_writeInt32Value(group, i));
	}
	checkLosses(group, 0, 0);
	file = finish(group, "values_G.stat");
	g_assert_cmpuint(file->count, ==, 5);
	for (int i = 0; i < 5; i++) {
		const unsigned char *at = file->entries[i].values;
		size_t length = strlen(strings[i]);
		float single = floatOf(at + 12);
		double wide = doubleOf(at + 16);

		g_assert_cmpint(file->entries[i].time, ==, START + i + 1);
		g_assert_cmpint((int32_t)testBig32(at), ==, int32s[i]);
		g_assert_cmpint((int64_t)testBig64(at + 4), ==, int64s[i]);
		g_assert_cmpmem(&single, 4, &floats[i], 4);
		g_assert_cmpmem(&wide, 8, &doubles[i], 8);
		g_assert_cmpuint(at[24] << 8 | at[25], ==, length);
		g_assert_cmpmem(at + 26, length, strings[i], length);
		g_assert_cmpint((int32_t)testBig32(at + 26 + length), ==, i);
	}
	testStatFree(file);
}

/* NaNs keep their bits, too. */
static void testNan(void)
{
	hdStatsGroup *group = createWith("nan", "fd");
	uint32_t single = UINT32_C(0xffc12345);
	uint64_t wide = UINT64_C(0xfff8123456789abc);
	struct testStatFile *file;
	float asFloat;
	double asDouble;

	memcpy(&asFloat, &single, sizeof(asFloat));
	memcpy(&asDouble, &wide, sizeof(asDouble));
	testGives(0, hdS_enableGroup(group));
	testWorks(hdS_writeFloatValue(group, asFloat));
	testWorks(hdS_writeDoubleValue(group, asDouble));
	file = finish(group, "nan_G.stat");
	g_assert_cmphex(testBig32(file->entries[0].values), ==, single);
	g_assert_cmphex(testBig64(file->entries[0].values + 4), ==, wide);
	testStatFree(file);
}

/* Call the function of a type. */
static int writeType(hdStatsGroup *group, hdStatsValueType type)
{
	switch (type) {
	case INT32:
		return hdS_writeInt32Value(group, 1);
	case INT64:
		return hdS_writeInt64Value(group, 1);
	case FLOAT:
		return hdS_writeFloatValue(group, 1);
	case DOUBLE:
		return hdS_writeDoubleValue(group, 1);
	case STRING:
		return hdS_writeString(group, "1");
	}
	g_assert_not_reached();
}

/* At every place all types but one are refused, and change nothing. */
static void testOrder(void)
{
	static const hdStatsValueType order[] = { INT32,  INT64,  FLOAT,
						  DOUBLE, STRING, STRING,
						  DOUBLE, FLOAT,  INT64,
						  INT32 };
	hdStatsGroup *group = createWith("order", "ilfdssdfli");
	struct timespec now = testTime(START + 50);
	struct testStatFile *file;
	char entry[100] = { 0 };

	testGives(0, hdS_enableGroup(group));
	for (int i = 0; i < 30; i++) {
		size_t place = (size_t)i % G_N_ELEMENTS(order);

		setTime(100 + i);
		for (int type = INT32; type <= STRING; type++)
			if ((hdStatsValueType)type != order[place])
				testFails(HDS_ERR_ENTRY_STATE,
					  writeType(group,
						    (hdStatsValueType)type));
		if (place > 0) {
			testFails(HDS_ERR_ENTRY_STATE,
				  hdS_writeEntry(group, entry, 52));
			testFails(HDS_ERR_ENTRY_STATE,
				  hdS_setEntryTime(group, &now));
			testWorks(hdS_flush(group));
		}
		testWorks(writeType(group, order[place]));
	}
	file = finish(group, "order_G.stat");
	g_assert_cmpuint(file->count, ==, 3);
	for (int i = 0; i < 3; i++)
		g_assert_cmpint(file->entries[i].time, ==,
				START + 100 + 10 * i);
	testStatFree(file);
}

/* A group without values has entries all the same: times. */
static void testNoValues(void)
{
	hdStatsGroup *group = createWith("no-values", "");
	struct testStatFile *file;
	char entry[1] = { 0 };

	testGives(0, hdS_enableGroup(group));
	testFails(HDS_ERR_ENTRY_STATE, hdS_writeInt32Value(group, 1));
	testFails(HDS_ERR_ENTRY_STATE, hdS_writeString(group, ""));
	testFails(HDS_ERR_UNEXPECTED_ARGVALUE, hdS_writeEntry(group, entry, 1));
	setTime(7);
	testWorks(hdS_writeEntry(group, NULL, 0));
	file = finish(group, "no-values_G.stat");
	g_assert_cmpuint(file->count, ==, 1);
	g_assert_cmpint(file->entries[0].time, ==, START + 7);
	testStatFree(file);
}

static void testStrings(void)
{
	static const size_t lengths[] = { 0,   1,   127,   128,   255,
					  256, 257, 32766, 32767, 3 };
	hdStatsGroup *group = createWith("strings", "sds");
	struct testStatFile *file;

	testGives(0, hdS_enableGroup(group));
	for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
		char *text = g_strnfill(lengths[i], (char)('a' + i));
		char *tooLong = g_strnfill(32768 + i * 100000, 'x');

		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdS_writeString(group, tooLong));
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdS_writeString(group, NULL));
		testWorks(hdS_writeString(group, text));
		testWorks(hdS_writeDoubleValue(group, (double)i));
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdS_writeString(group, tooLong));
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdS_writeString(group, NULL));
		testWorks(hdS_writeString(group, text));
		g_free(tooLong);
		g_free(text);
	}
	file = finish(group, "strings_G.stat");
	g_assert_cmpuint(file->count, ==, G_N_ELEMENTS(lengths));
	for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
		const unsigned char *at = file->entries[i].values;

		for (int side = 0; side < 2; side++) {
			g_assert_cmpuint(at[0] << 8 | at[1], ==, lengths[i]);
			at += 2;
			for (size_t b = 0; b < lengths[i]; b++)
				g_assert_cmpint(*at++, ==, 'a' + (int)i);
			if (side == 0) {
				g_assert_cmpfloat(doubleOf(at), ==, (double)i);
				at += 8;
			}
		}
	}
	testStatFree(file);
}

/* ---- Whole entries ----------------------------------------------------- */

static void testEntries(void)
{
	hdStatsGroup *group = createWith("entries", "ild");
	struct timespec when = testTime(START + 70);
	struct testStatFile *file;
	unsigned char entry[24];
	int32_t small = -5;
	int64_t large = INT64_C(0x0102030405060708);
	double real = 2.5;

	order_bytes32ip(&small);
	order_bytes64ip(&large);
	order_bytes64fp(&real);
	memcpy(entry, &small, 4);
	memcpy(entry + 4, &large, 8);
	memcpy(entry + 12, &real, 8);
	testGives(0, hdS_enableGroup(group));
	for (size_t length = 0; length <= 24; length++) {
		if (length == 20)
			continue;
		testFails(HDS_ERR_UNEXPECTED_ARGVALUE,
			  hdS_writeEntry(group, entry, length));
		testFails(HDS_ERR_UNEXPECTED_ARGVALUE,
			  hdS_writeEntryAt(group, entry, length, &when));
	}
	testFails(HD_ERR_INVALID_ARGUMENT, hdS_writeEntry(group, NULL, 20));
	setTime(60);
	testWorks(hdS_writeEntry(group, entry, 20));
	testWorks(hdS_writeEntryAt(group, entry, 20, &when));
	/* A time that was set holds for a whole entry as well, once. */
	when = testTime(START + 80);
	testWorks(hdS_setEntryTime(group, &when));
	testWorks(hdS_writeEntry(group, entry, 20));
	setTime(90);
	testWorks(hdS_writeEntry(group, entry, 20));
	file = finish(group, "entries_G.stat");
	g_assert_cmpuint(file->count, ==, 4);
	for (size_t i = 0; i < file->count; i++) {
		g_assert_cmpint(file->entries[i].time, ==,
				START + 60 + 10 * (int64_t)i);
		g_assert_cmpint((int32_t)testBig32(file->entries[i].values), ==,
				-5);
		g_assert_cmphex(testBig64(file->entries[i].values + 4), ==,
				UINT64_C(0x0102030405060708));
		g_assert_cmpfloat(doubleOf(file->entries[i].values + 12), ==,
				  2.5);
	}
	testStatFree(file);
}

static void testOrderMacros(void)
{
	int32_t i32 = 0x01020304;
	int64_t i64 = INT64_C(0x0102030405060708);
	float f = 1;
	double d = 1;

	order_bytes32ip(&i32);
	g_assert_cmpmem(&i32, 4, "\1\2\3\4", 4);
	order_bytes64ip(&i64);
	g_assert_cmpmem(&i64, 8, "\1\2\3\4\5\6\7\10", 8);
	order_bytes32fp(&f);
	g_assert_cmpmem(&f, 4, "\x3f\x80\0\0", 4);
	order_bytes64fp(&d);
	g_assert_cmpmem(&d, 8, "\x3f\xf0\0\0\0\0\0\0", 8);
}

/* Entries with strings, and which lengths fit. */
static void testStringEntries(void)
{
	static const struct {
		const char *bytes;
		size_t length;
		bool fits;
	} cases[] = {
		{ "\0\1a\0\0\0\1\0\0", 9, true },
		{ "\0\0\0\0\0\1\0\2bc", 10, true },
		{ "\0\0\0\0\0\1\0\2bc", 9, false },
		{ "\0\0\0\0\0\1\0\2bcd", 11, false },
		{ "\0\0\0\0\0\1\0", 7, false },
		{ "\0\0\0\0\0\1", 6, false },
		{ "\0\0\0\0\0", 5, false },
		{ "\0\0", 2, false },
		{ "\0", 1, false },
		{ "", 0, false },
		{ "\0\5a", 3, false },
		{ "\x80\0\0\0\0\1\0\0", 8, false },
		{ "\xff\xff\0\0\0\1\0\0", 8, false },
	};
	hdStatsGroup *group = createWith("string-entries", "sis");
	struct testStatFile *file;
	size_t found = 0;
	char *large;

	testGives(0, hdS_enableGroup(group));
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		if (cases[i].fits)
			testWorks(hdS_writeEntry(group, (void *)cases[i].bytes,
						 cases[i].length));
		else
			testFails(HDS_ERR_UNEXPECTED_ARGVALUE,
				  hdS_writeEntry(group, (void *)cases[i].bytes,
						 cases[i].length));
	/* The longest string fits; one that is negative does not. */
	large = g_malloc0(2 + 32768 + 6);
	memcpy(large, "\x7f\xff", 2);
	testWorks(hdS_writeEntry(group, large, 2 + 32767 + 6));
	memcpy(large, "\x80\x00", 2);
	testFails(HDS_ERR_UNEXPECTED_ARGVALUE,
		  hdS_writeEntry(group, large, 2 + 32768 + 6));
	g_free(large);
	file = finish(group, "string-entries_G.stat");
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		if (cases[i].fits) {
			g_assert_cmpmem(file->entries[found].values,
					file->entries[found].length,
					cases[i].bytes, cases[i].length);
			found++;
		}
	g_assert_cmpuint(file->count, ==, found + 1);
	testStatFree(file);
}

/* ---- Time -------------------------------------------------------------- */

/* The first stamp: the commit, until the first enabling says it better. */
static void testInitialStamp(void)
{
	struct timespec when = testTime(START - 5 * SECOND);
	struct testStatFile *file;
	hdStatsGroup *group;

	group = createWith("init-commit", "i");
	setTime(10);
	file = testStatRead("init-commit_G.stat");
	g_assert_cmpint(file->init, ==, START);
	testStatFree(file);
	file = finish(group, "init-commit_G.stat");
	g_assert_cmpint(file->init, ==, START);
	g_assert_cmpuint(file->count, ==, 0);
	testStatFree(file);

	group = createWith("init-enable", "i");
	setTime(10);
	testGives(0, hdS_enableGroup(group));
	file = testStatRead("init-enable_G.stat");
	g_assert_cmpint(file->init, ==, START + 10);
	testStatFree(file);
	setTime(20);
	testGives(0, hdS_disableGroup(group));
	setTime(30);
	testGives(0, hdS_enableGroup(group));
	file = finish(group, "init-enable_G.stat");
	g_assert_cmpint(file->init, ==, START + 10);
	g_assert_cmpuint(file->count, ==, 1);
	g_assert_true(file->entries[0].isGap);
	g_assert_cmpint(file->entries[0].time, ==, START + 30);
	testStatFree(file);

	/* Also before the commit; then entries may be there as well. */
	group = createWith("init-at", "i");
	testGives(0, hdS_enableGroupAt(group, &when));
	when = testTime(START - 4 * SECOND);
	testWorks(hdS_setEntryTime(group, &when));
	testWorks(hdS_writeInt32Value(group, 1));
	checkLosses(group, 0, 0);
	file = finish(group, "init-at_G.stat");
	g_assert_cmpint(file->init, ==, START - 5 * SECOND);
	g_assert_cmpint(file->entries[0].time, ==, START - 4 * SECOND);
	testStatFree(file);
}

static void testClamping(void)
{
	hdStatsGroup *group = createWith("clamping", "i");
	struct timespec early = testTime(1);
	struct testStatFile *file;
	char entry[4] = { 0 };

	setTime(100);
	testGives(0, hdS_enableGroup(group));
	setTime(50);
	testWorks(hdS_writeInt32Value(group, 1));
	checkLosses(group, 0, 1);
	setTime(200);
	testWorks(hdS_writeEntry(group, entry, 4));
	checkLosses(group, 0, 1);
	testClockSet(0, 0);
	testWorks(hdS_writeEntry(group, entry, 4));
	checkLosses(group, 0, 2);
	testWorks(hdS_writeEntryAt(group, entry, 4, &early));
	checkLosses(group, 0, 3);
	testWorks(hdS_setEntryTime(group, &early));
	testWorks(hdS_writeInt32Value(group, 1));
	checkLosses(group, 0, 4);
	testGives(0, hdS_disableGroup(group));
	testGives(0, hdS_enableGroupAt(group, &early));
	checkLosses(group, 0, 5);
	file = finish(group, "clamping_G.stat");
	g_assert_cmpuint(file->count, ==, 6);
	g_assert_cmpint(file->init, ==, START + 100);
	g_assert_cmpint(file->entries[0].time, ==, START + 100);
	for (int i = 1; i < 6; i++)
		g_assert_cmpint(file->entries[i].time, ==, START + 200);
	testStatFree(file);
}

/* The last stamp that a file can hold is no gap. */
static void testEnd(void)
{
	struct timespec last = { UINT32_MAX, 999999999 };
	hdStatsGroup *group = createWith("end", "i");
	struct testStatFile *file;

	testGives(0, hdS_enableGroup(group));
	testWorks(hdS_setEntryTime(group, &last));
	testWorks(hdS_writeInt32Value(group, -1));
	file = finish(group, "end_G.stat");
	g_assert_cmpuint(file->count, ==, 1);
	g_assert_false(file->entries[0].isGap);
	g_assert_cmpint(file->entries[0].time, ==,
			UINT32_MAX * SECOND + 999999999);
	testStatFree(file);
}

/* Disabling drops half an entry, and counts it. */
static void testHalfEntries(void)
{
	hdStatsGroup *group = createWith("half", "ii");
	struct timespec when = testTime(START + 99);
	struct testStatFile *file;

	testGives(0, hdS_enableGroup(group));
	setTime(1);
	testWorks(hdS_writeInt32Value(group, 1));
	testGives(0, hdS_disableGroup(group));
	checkLosses(group, 1, 0);
	testGives(0, hdS_enableGroup(group));
	/* A time that was set and not used does not survive that either. */
	testWorks(hdS_setEntryTime(group, &when));
	testGives(0, hdS_disableGroup(group));
	testGives(0, hdS_enableGroup(group));
	setTime(2);
	testWorks(hdS_writeInt32Value(group, 2));
	testWorks(hdS_writeInt32Value(group, 3));
	/* The end drops half an entry as well. */
	testWorks(hdS_writeInt32Value(group, 4));
	file = finish(group, "half_G.stat");
	g_assert_cmpuint(file->count, ==, 3);
	g_assert_true(file->entries[0].isGap && file->entries[1].isGap);
	g_assert_cmpint(file->entries[2].time, ==, START + 2);
	g_assert_cmpuint(testBig32(file->entries[2].values), ==, 2);
	g_assert_cmpuint(testBig32(file->entries[2].values + 4), ==, 3);
	testStatFree(file);
}

/* ---- Gaps -------------------------------------------------------------- */

static void writeGapsTo(hdStatsGroup *group)
{
	for (int part = 0; part < 3; part++) {
		setTime(100 * part);
		testGives(0, hdS_enableGroup(group));
		setTime(100 * part + 10);
		testWorks(hdS_writeInt32Value(group, 1));
		testWorks(hdS_writeInt64Value(group, 2));
		testWorks(hdS_writeFloatValue(group, 3));
		testWorks(hdS_writeDoubleValue(group, 4));
		testWorks(hdS_writeString(group, "five"));
		setTime(100 * part + 20);
		testGives(0, hdS_disableGroup(group));
	}
	checkLosses(group, 0, 0);
	testWorks(hdS_finalize(group));
}

static void writeGaps(const char *project)
{
	writeGapsTo(createWith(project, "ilfds"));
}

static void checkEntry(const struct testEntry *entry, int64_t time)
{
	g_assert_false(entry->isGap);
	g_assert_cmpint(entry->time, ==, START + time);
	g_assert_cmpuint(testBig32(entry->values), ==, 1);
}

static void testGapsMarker(void)
{
	struct testStatFile *file;

	if (testInProcess("")) {
		writeGaps("gaps-marker");
		return;
	}
	file = testStatRead("gaps-marker_G.stat");
	g_assert_cmpuint(file->count, ==, 5);
	checkEntry(&file->entries[0], 10);
	g_assert_true(file->entries[1].isGap);
	g_assert_cmpint(file->entries[1].time, ==, START + 100);
	checkEntry(&file->entries[2], 110);
	g_assert_true(file->entries[3].isGap);
	g_assert_cmpint(file->entries[3].time, ==, START + 200);
	checkEntry(&file->entries[4], 210);
	testStatFree(file);
}

static void testGapsEntry(void)
{
	struct testStatFile *file;

	if (testInProcess("HDTRACE_GAPS=entry")) {
		writeGaps("gaps-entry");
		return;
	}
	file = testStatRead("gaps-entry_G.stat");
	g_assert_cmpuint(file->count, ==, 5);
	for (int i = 0; i < 3; i++)
		checkEntry(&file->entries[2 * i], 100 * i + 10);
	for (int i = 1; i < 3; i++) {
		const struct testEntry *filler = &file->entries[2 * i - 1];

		g_assert_false(filler->isGap);
		g_assert_cmpint(filler->time, ==, START + 100 * i);
		g_assert_cmpuint(filler->length, ==, 26);
		g_assert_cmpuint(testBig32(filler->values), ==, 0);
		g_assert_cmpuint(testBig64(filler->values + 4), ==, 0);
		g_assert_true(isnan(floatOf(filler->values + 12)));
		g_assert_true(isnan(doubleOf(filler->values + 16)));
		g_assert_cmpuint(filler->values[24], ==, 0);
		g_assert_cmpuint(filler->values[25], ==, 0);
	}
	testStatFree(file);
}

/* Integers of a filler are what the group states for "no value". */
static void testGapsMissing(void)
{
	struct testStatFile *file;

	if (testInProcess("HDTRACE_GAPS=entry")) {
		hdStatsGroup *group = create("gaps-missing");

		testGives(0, hdS_addAttribute(group, "missing", "-7"));
		writeGapsTo(commitWith(group, "ilfds"));
		return;
	}
	file = testStatRead("gaps-missing_G.stat");
	g_assert_cmpuint(file->count, ==, 5);
	for (int i = 1; i < 3; i++) {
		const struct testEntry *filler = &file->entries[2 * i - 1];

		g_assert_cmpint((int32_t)testBig32(filler->values), ==, -7);
		g_assert_cmpint((int64_t)testBig64(filler->values + 4), ==, -7);
	}
	testStatFree(file);
}

static void testGapsNone(void)
{
	struct testStatFile *file;

	if (testInProcess("HDTRACE_GAPS=none")) {
		writeGaps("gaps-none");
		return;
	}
	file = testStatRead("gaps-none_G.stat");
	g_assert_cmpuint(file->count, ==, 3);
	for (int i = 0; i < 3; i++)
		checkEntry(&file->entries[i], 100 * i + 10);
	testStatFree(file);
}

/* ---- Full buffers ------------------------------------------------------ */

/* What is there and what was lost add up, and each entry is whole. */
static void testDropping(void)
{
	enum { COUNT = 200000 };
	hdStatsGroup *group;
	struct testStatFile *file;
	hdLosses losses;
	uint32_t last = 0;
	size_t entries = 0;
	size_t gaps = 0;
	char large[5000];

	if (!testInProcess("HDTRACE_ON_FULL=drop HDTRACE_BUFFER_SIZE_KB=4"))
		return;
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	group = createWith("dropping", "idsi");
	testGives(0, hdS_enableGroup(group));
	for (int i = 1; i <= COUNT; i++) {
		testWorks(hdS_writeInt32Value(group, i));
		testWorks(hdS_writeDoubleValue(group, i));
		/* How many find the buffer full is up to the threads, but this
		 * one is larger than it. */
		testWorks(hdS_writeString(group, i == 1  ? large
						 : i % 3 ? "some text"
							 : ""));
		testWorks(hdS_writeInt32Value(group, -i));
		if (i % 1000 == 0) {
			/* Gaps are never lost. */
			testGives(0, hdS_disableGroup(group));
			testGives(0, hdS_enableGroup(group));
		}
	}
	testWorks(hdS_getLosses(group, &losses));
	file = finish(group, "dropping_G.stat");
	for (size_t i = 0; i < file->count; i++) {
		const struct testEntry *entry = &file->entries[i];
		uint32_t number;

		if (entry->isGap) {
			gaps++;
			continue;
		}
		entries++;
		number = testBig32(entry->values);
		g_assert_cmpuint(number, >, last);
		g_assert_cmpfloat(doubleOf(entry->values + 4), ==, number);
		g_assert_cmpuint(entry->length, ==, number % 3 ? 27 : 18);
		g_assert_cmpint(
			(int32_t)testBig32(entry->values + entry->length - 4),
			==, -(int32_t)number);
		last = number;
	}
	g_assert_cmpuint(gaps, ==, COUNT / 1000);
	g_assert_cmpuint(losses.records, >, 0);
	g_assert_cmpuint(entries + losses.records, ==, COUNT);
	testStatFree(file);
}

/* A buffer that waits loses nothing, even if an entry is larger than it. */
static void testWaiting(void)
{
	enum { VALUES = 2500, COUNT = 300 };
	char types[VALUES + 1];
	hdStatsGroup *group;
	struct testStatFile *file;

	if (!testInProcess("HDTRACE_BUFFER_SIZE_KB=4 HDTRACE_FLUSH_MS=1"))
		return;
	memset(types, 'd', VALUES);
	types[VALUES] = '\0';
	group = createWith("waiting", types);
	testGives(0, hdS_enableGroup(group));
	for (int i = 0; i < COUNT; i++) {
		uint64_t entry[VALUES];

		if (i % 2) {
			for (int v = 0; v < VALUES; v++)
				testWorks(hdS_writeDoubleValue(group, i + v));
			continue;
		}
		for (int v = 0; v < VALUES; v++) {
			double value = i + v;

			memcpy(&entry[v], &value, 8);
			order_bytes64fp(&entry[v]);
		}
		testWorks(hdS_writeEntry(group, entry, sizeof(entry)));
	}
	checkLosses(group, 0, 0);
	file = finish(group, "waiting_G.stat");
	g_assert_cmpuint(file->count, ==, COUNT);
	for (int i = 0; i < COUNT; i++)
		for (int v = 0; v < VALUES; v++)
			g_assert_cmpfloat(
				doubleOf(file->entries[i].values + 8 * v), ==,
				i + v);
	testStatFree(file);
}

/* ---- Files ------------------------------------------------------------- */

static void testCreation(void)
{
	static const char *const projects[] = {
		"exists",          /* The file. */
		"missing/p",       /* No such directory. */
		"exists_G.stat/p", /* Not a directory. */
		"/proc/self/fd/p"  /* Nobody may write there. */
	};
	char *text;

	g_assert_true(g_file_set_contents("exists_G.stat", "mine", -1, NULL));
	for (size_t i = 0; i < G_N_ELEMENTS(projects); i++) {
		hdTopoNode *node = testNode(projects[i], "");

		testFailsNull(HD_ERR_CREATE_FILE,
			      hdS_createGroup("G", node, 0));
		hdT_destroyTopoNode(node);
	}
	text = testRead("exists_G.stat", NULL);
	g_assert_cmpstr(text, ==, "mine");
	g_free(text);
}

static void testOverwriting(void)
{
	char *old = g_strnfill(100000, 'x');
	struct testStatFile *file;

	if (!g_test_subprocess())
		g_assert_true(
			g_file_set_contents("over_G.stat", old, -1, NULL));
	g_free(old);
	if (testInProcess("HDTRACE_OVERWRITE_EXISTING_FILES=1")) {
		testWorks(hdS_finalize(createWith("over", "i")));
		return;
	}
	file = testStatRead("over_G.stat");
	g_assert_cmpuint(file->count, ==, 0);
	testStatFree(file);
}

/* After a flush everything complete is there; half an entry is not. */
static void testFlushing(void)
{
	hdStatsGroup *group = createWith("flushing", "ii");
	struct testStatFile *file;

	testGives(0, hdS_enableGroup(group));
	for (size_t i = 0; i < 5; i++) {
		testWorks(hdS_writeInt32Value(group, 1));
		testWorks(hdS_flush(group));
		file = testStatRead("flushing_G.stat");
		g_assert_cmpuint(file->count, ==, i);
		g_assert_cmpuint(file->bytesLeft, ==, 0);
		testStatFree(file);
		testWorks(hdS_writeInt32Value(group, 2));
		testWorks(hdS_flush(group));
	}
	file = finish(group, "flushing_G.stat");
	g_assert_cmpuint(file->count, ==, 5);
	testStatFree(file);
}

static void testForceFlushVariable(void)
{
	hdStatsGroup *group;

	if (!testInProcess("HDTRACE_FORCE_FLUSH=1 HDTRACE_FLUSH_MS=3600000"))
		return;
	group = createWith("force-flush", "i");
	testGives(0, hdS_enableGroup(group));
	for (size_t i = 1; i < 5; i++) {
		struct testStatFile *file;

		testWorks(hdS_writeInt32Value(group, 1));
		file = testStatRead("force-flush_G.stat");
		g_assert_cmpuint(file->count, ==, i);
		testStatFree(file);
	}
	testWorks(hdS_finalize(group));
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	g_test_add_func("/stats/listing", testListing);
	g_test_add_func("/stats/levels", testLevels);
	g_test_add_func("/stats/header", testHeader);
	g_test_add_func("/stats/header-limit", testHeaderLimit);
	g_test_add_func("/stats/lengths", testLengths);
	g_test_add_func("/stats/group-names", testGroupNames);
	g_test_add_func("/stats/keys", testKeys);
	g_test_add_func("/stats/arguments", testArguments);
	g_test_add_func("/stats/not-committed", testNotCommitted);
	g_test_add_func("/stats/disabled", testDisabled);
	g_test_add_func("/stats/times-refused", testTimesRefused);
	g_test_add_func("/stats/clock-gone", testClockGone);
	g_test_add_func("/stats/values", testValues);
	g_test_add_func("/stats/nan", testNan);
	g_test_add_func("/stats/order", testOrder);
	g_test_add_func("/stats/no-values", testNoValues);
	g_test_add_func("/stats/strings", testStrings);
	g_test_add_func("/stats/entries", testEntries);
	g_test_add_func("/stats/order-macros", testOrderMacros);
	g_test_add_func("/stats/string-entries", testStringEntries);
	g_test_add_func("/stats/init", testInitialStamp);
	g_test_add_func("/stats/clamping", testClamping);
	g_test_add_func("/stats/end", testEnd);
	g_test_add_func("/stats/half-entries", testHalfEntries);
	g_test_add_func("/stats/gaps-marker", testGapsMarker);
	g_test_add_func("/stats/gaps-entry", testGapsEntry);
	g_test_add_func("/stats/gaps-missing", testGapsMissing);
	g_test_add_func("/stats/gaps-none", testGapsNone);
	g_test_add_func("/stats/dropping", testDropping);
	g_test_add_func("/stats/waiting", testWaiting);
	g_test_add_func("/stats/creation", testCreation);
	g_test_add_func("/stats/overwriting", testOverwriting);
	g_test_add_func("/stats/flushing", testFlushing);
	g_test_add_func("/stats/force-flush-variable", testForceFlushVariable);
	return testRun();
}
