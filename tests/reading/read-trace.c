/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: smoke */
/* Every tolerance and every error of .trc files, one row each. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "tests/reading/reading.h"

#define P "<Program>\n"
#define Q "</Program>\n"
/* A state of 22 bytes: <X time='1' end='2' /> */
#define S(name) "<" name " time='1' end='2' />"

static const struct row {
	const char *name;
	const char *bytes;
	int result;
	const char *messages;
	const char *delivered;
} rows[] = {
	/* What is right. */
	{ "as the specification shows it",
	  "<Program timeAdjustment='100'>\n"
	  "<Nested>\n"
	  "\t<Send size='8' toRank='1'  time='0.613456' end='0.613458'/>\n"
	  "</Nested>\n"
	  "<Sendrecv count='1'  time='0.613429' end='0.613461'/>\n"
	  "<Event name='checkpoint'  time='0.7'/>\n"
	  "</Program>\n",
	  0, "",
	  "1 state Send 100.613456000..100.613458000 size=8 toRank=1\n"
	  "0 state Sendrecv 100.613429000..100.613461000 count=1\n"
	  "0 event checkpoint 100.700000000\n" },
	{ "nothing", P Q, 0, "", "" },
	{ "nothing, as one tag", "<Program/>", 0, "", "" },
	{ "two levels",
	  P "<Nested><Nested>" S("a")
		  S("b") "</Nested>" S("c") "</Nested>" S("d") Q,
	  0, "",
	  "2 state a 1..2\n2 state b 1..2\n1 state c 1..2\n0 state d 1..2\n" },
	{ "a block for each of two states",
	  P "<Nested>" S("a") "</Nested>" S("b") "<Nested>" S(
		  "c") "</Nested>" S("d") Q,
	  0, "",
	  "1 state a 1..2\n0 state b 1..2\n1 state c 1..2\n0 state d 1..2\n" },
	{ "end tag", P "<a time='1' end='2'></a><a time='3' end='4'> </a>" Q, 0,
	  "", "0 state a 1..2\n0 state a 3..4\n" },
	{ "child elements",
	  P "<a time='1' end='2' k='v'><b x='1'/><c>text</c><d><e y='2'/>"
	    "</d></a>" Q,
	  0, "", "0 state a 1..2 k=v <b x=1> <c \"text\"> <d <e y=2>>\n" },
	{ "nested before a state with child elements",
	  P "<Nested>" S("a") "</Nested><b time='1' end='2'><c/></b>" Q, 0, "",
	  "1 state a 1..2\n0 state b 1..2 <c>\n" },
	{ "nested in a state, last",
	  P "<a time='1' end='2' k='v'><c/><Nested>" S("b") "</Nested></a>" Q,
	  0, "", "1 state b 1..2\n0 state a 1..2 k=v <c>\n" },
	{ "nested in a state, deeper",
	  P "<a time='1' end='2'><Nested><b time='3' end='4'><Nested>" S(
		  "c") "</Nested></b></Nested></a>" Q,
	  0, "", "2 state c 1..2\n1 state b 3..4\n0 state a 1..2\n" },
	{ "nested before and in a state",
	  P "<Nested>" S("a") "</Nested><b time='1' end='2'><Nested>" S(
		  "c") "</Nested></b>" Q,
	  0, "", "1 state a 1..2\n1 state c 1..2\n0 state b 1..2\n" },
	{ "Nested in a child element is one, too",
	  P "<a time='1' end='2'><b><Nested><c time='1'/></Nested></b></a>" Q,
	  0, "", "0 state a 1..2 <b <Nested <c time=1>>>\n" },
	{ "empty nested block", P "<Nested></Nested><Nested/>" S("a") Q, 0, "",
	  "0 state a 1..2\n" },
	{ "attributes of a child element are not times",
	  P "<a time='1' end='2'><b time='x' name='n'/></a>" Q, 0, "",
	  "0 state a 1..2 <b time=x name=n>\n" },
	{ "name is an attribute of states",
	  P "<a name='n' time='1' end='2'/>" Q, 0, "",
	  "0 state a 1..2 name=n\n" },
	{ "event with attributes and elements",
	  P "<Event k='v' name='n' time='1'><b/></Event>" Q, 0, "",
	  "0 event n 1 k=v <b>\n" },
	{ "nested event",
	  P "<Nested><Event name='n' time='1'/></Nested>" S("a") Q, 0, "",
	  "1 event n 1\n0 state a 1..2\n" },

	/* Times. */
	{ "times of 1 to 9 digits",
	  P "<a time='1.5' end='1.123456789'/>"
	    "<a time='0.000000001' end='4294967295.999999999'/>" Q,
	  0, "trc.time-order@10\n",
	  "0 state a 1.500000000..1.123456789\n"
	  "0 state a 0.000000001..4294967295.999999999\n" },
	{ "times of more digits", P "<a time='.5' end='1.1234567899'/>" Q, 0,
	  "", "0 state a 0.500000000..1.123456789\n" },
	{ "times before 1970", P "<a time='-1.5' end='-0.5'/>" Q, 0, "",
	  "0 state a -1.500000000..-0.500000000\n" },
	{ "adjustment is fractional",
	  "<Program timeAdjustment='-0.5s'><a time='1' end='2'/>" Q, 0, "",
	  "0 state a 0.500000000..1.500000000\n" },
	{ "adjustment is empty",
	  "<Program timeAdjustment=''><a time='1' end='2'/>" Q, 0, "",
	  "0 state a 1..2\n" },
	{ "adjustment in ms",
	  "<Program timeAdjustment='1500ms'><a time='1' end='2'/>" Q, 0, "",
	  "0 state a 2.500000000..3.500000000\n" },
	{ "adjustment is no number",
	  "<Program timeAdjustment='soon'><a time='1' end='2'/>" Q, 0,
	  "trc.adjustment@0\n", "0 state a 1..2\n" },
	{ "no time", P "<a end='2'/>" S("b") Q, 0, "trc.time@10\n",
	  "0 state b 1..2\n" },
	{ "no end", P "<a time='2'/>" S("b") Q, 0, "trc.time@10\n",
	  "0 state b 1..2\n" },
	{ "event without time", P "<Event name='x'/>" S("b") Q, 0,
	  "trc.time@10\n", "0 state b 1..2\n" },
	{ "time is no number", P "<a time='now' end='2'/>" S("b") Q, 0,
	  "trc.time@10\n", "0 state b 1..2\n" },
	{ "time is too large", P "<a time='1' end='9999999999'/>" S("b") Q, 0,
	  "trc.time@10\n", "0 state b 1..2\n" },
	{ "time with something behind", P "<a time='1s' end='2'/>" S("b") Q, 0,
	  "trc.time@10\n", "0 state b 1..2\n" },
	{ "what is nested in a state without times",
	  P "<Nested>" S("a") "</Nested><b><c/></b>" S("d") Q, 0,
	  "trc.time@49\n", "1 state a 1..2\n0 state d 1..2\n" },
	{ "end before the start", P "<a time='3' end='2'/>" Q, 0,
	  "trc.time-order@10\n", "0 state a 3..2\n" },
	{ "event without name", P "<Event time='3'/>" Q, 0, "trc.name@10\n",
	  "0 event  3\n" },

	/* Tolerance: how it is written. */
	{ "white space and carriage returns",
	  "\n  \r\n\t<Program>\r\n\t\t<a time=\"1\"\r\n\tend = \"2\"\r\n/>\r\n"
	  "\t</Program>\r\n\r\n",
	  0, "", "0 state a 1..2\n" },
	{ "XML prolog and comments",
	  "<?xml version='1.0'?>\n<!-- a -->" P
	  "<!-- <b/> -->" S("a") "<?pi x?>" Q "<!-- c -->",
	  0, "", "0 state a 1..2\n" },
	{ "byte order mark", "\xef\xbb\xbf" P S("a") Q, 0, "",
	  "0 state a 1..2\n" },
	{ "escaped text",
	  P "<a time='1' end='2' k='&lt;&amp;&#x41;&quot;'>&lt; &gt;</a>" Q, 0,
	  "", "0 state a 1..2 k=<&A\" \"< >\"\n" },
	{ "CDATA", P "<a time='1' end='2'><![CDATA[<b/>]]></a>" Q, 0, "",
	  "0 state a 1..2 \"<b/>\"\n" },
	{ "text is trimmed and in one piece",
	  P "<a time='1' end='2'>\n one <b>\ttwo </b> three\n</a>" Q, 0, "",
	  "0 state a 1..2 \"one  three\" <b \"two\">\n" },
	{ "text between states", P "hello" S("a") "world" Q, 0, "",
	  "0 state a 1..2\n" },
	{ "names with a prefix", P "<x:a time='1' end='2' y:k='v'/>" Q, 0, "",
	  "0 state x:a 1..2 y:k=v\n" },
	{ "UTF-8", P "<a time='1' end='2' k='\xc3\xa4'/>" Q, 0, "",
	  "0 state a 1..2 k=\xc3\xa4\n" },

	/* Blocks without an owner. */
	{ "block at the end", P S("a") "<Nested>" S("b") "</Nested>" Q, 0,
	  "trc.nested-no-owner@32\n", "0 state a 1..2\n1 state b 1..2\n" },
	{ "block at the end of a block",
	  P "<Nested><Nested>" S("a") "</Nested></Nested>" S("b") Q, 0,
	  "trc.nested-no-owner@18\n", "2 state a 1..2\n0 state b 1..2\n" },
	{ "block before a block",
	  P "<Nested>" S("a") "</Nested><Nested>" S("b") "</Nested>" S("c") Q,
	  0, "trc.nested-no-owner@10\n",
	  "1 state a 1..2\n1 state b 1..2\n0 state c 1..2\n" },
	{ "block before an event",
	  P "<Nested>" S("a") "</Nested><Event name='e' time='1'/>" S("c") Q, 0,
	  "trc.nested-no-owner@10\n",
	  "1 state a 1..2\n0 event e 1\n0 state c 1..2\n" },

	/* Cut files. */
	{ "empty file", "", 0, "trc.no-end@0\n", "" },
	{ "only blanks", " \n", 0, "trc.no-end@2\n", "" },
	{ "cut in the first tag", "<Prog", 0, "trc.cut@0\n", "" },
	{ "no end of Program", P S("a"), 0, "trc.no-end@32\n",
	  "0 state a 1..2\n" },
	{ "no end of Program and blocks",
	  P S("a") "<Nested>" S("b") "<Nested>" S("c") "\n", 0,
	  "trc.no-end@93\n",
	  "0 state a 1..2\n1 state b 1..2\n2 state c 1..2\n" },
	{ "cut between a block and its state", P "<Nested>" S("a") "</Nested>",
	  0, "trc.no-end@49\n", "1 state a 1..2\n" },
	{ "cut in a tag", P S("a") "<b time='1' end", 0, "trc.cut@32\n",
	  "0 state a 1..2\n" },
	{ "cut in an end tag", P S("a") "</Prog", 0, "trc.cut@32\n",
	  "0 state a 1..2\n" },
	{ "cut in a state", P S("a") "<b time='1' end='2'><c/>", 0,
	  "trc.cut@32\n", "0 state a 1..2\n" },
	{ "cut in a state with a block",
	  P S("a") "<b time='1' end='2'><Nested>" S("c"), 0, "trc.cut@32\n",
	  "0 state a 1..2\n1 state c 1..2\n" },
	{ "cut in a comment", P S("a") "<!-- b", 0, "trc.cut@32\n",
	  "0 state a 1..2\n" },

	/* Errors: all before is delivered. */
	{ "other root", "<Statistics></Statistics>\n", -1, "trc.root@0\n", "" },
	{ "not XML", "hello", -1, "trc.xml@*\n", "" },
	{ "wrong end tag", P S("a") "<b></c>" S("d") Q, -1, "trc.xml@*\n",
	  "0 state a 1..2\n" },
	{ "attribute without quotes", P S("a") "<b time=1 end='2'/>" Q, -1,
	  "trc.xml@*\n", "0 state a 1..2\n" },
	{ "the same attribute twice",
	  P S("a") "<b k='1' k='2' time='1' end='2'/>" Q, -1, "trc.xml@*\n",
	  "0 state a 1..2\n" },
	{ "unknown entity", P S("a") "<b k='&x;' time='1' end='2'/>" Q, -1,
	  "trc.xml@*\n", "0 state a 1..2\n" },
	{ "something behind the end", P S("a") Q "<b/>", -1, "trc.xml@*\n",
	  "0 state a 1..2\n" },
	{ "control characters", P S("a") "\x01" S("b") Q, -1, "trc.xml@*\n",
	  "0 state a 1..2\n" },
	{ "not UTF-8", P S("a") "<b k='\xff' time='1' end='2'/>" Q, -1,
	  "trc.xml@*\n", "0 state a 1..2\n" },
	{ "DOCTYPE", "<!DOCTYPE Program>" P S("a") Q, -1, "trc.xml@*\n", "" },
	{ "an encoding that hides tags",
	  "<?xml version='1.0' encoding='UTF-7'?>" P
	  "+ADw-a time='1' end='2'/+AD4-" Q,
	  -1, "trc.xml@*\n", "" },
	{ "entities that grow",
	  "<!DOCTYPE a [<!ENTITY b 'bbbbbbbb'><!ENTITY c '&b;&b;&b;&b;'>]>" P
	  "<a time='1' end='2' k='&c;'/>" Q,
	  -1, "trc.xml@*\n", "" },
	{ "external entity",
	  "<!DOCTYPE a [<!ENTITY b SYSTEM '/etc/passwd'>]>" P
	  "<a time='1' end='2'>&b;</a>" Q,
	  -1, "trc.xml@*\n", "" },
};

static void run(const char *bytes, gsize size, int result, const char *messages,
		const char *delivered)
{
	struct reading reading;

	readingInit(&reading);
	readingRun(&reading, "test.trc", bytes, size);
	g_assert_true(reading.isOpen);
	g_assert_cmpstr(reading.values->str, ==, delivered);
	g_assert_cmpint(reading.result, ==, result);
	if (result < 0)
		g_assert_cmpint(reading.error, ==, EBADMSG);
	if (!g_pattern_match_simple(messages, reading.messages->str))
		g_assert_cmpstr(reading.messages->str, ==, messages);
	readingClear(&reading);
}

static void testRow(gconstpointer data)
{
	const struct row *row = data;

	run(row->bytes, strlen(row->bytes), row->result, row->messages,
	    row->delivered);
}

/* What file systems leave behind after a crash. */
static void testNul(void)
{
	static const char tail[] = P S("a") "\0\0\0\0";
	static const char inside[] = P S("a") "\0\0" S("b") Q;

	run(tail, sizeof(tail) - 1, 0, "trc.cut@32\n", "0 state a 1..2\n");
	run(inside, sizeof(inside) - 1, -1, "trc.xml@*\n", "0 state a 1..2\n");
}

/* Records over the borders of the pieces that are parsed at once, with every
 * kind of memory in use. */
static void testMany(void)
{
	GString *bytes = g_string_new(P);
	GString *expected = g_string_new(NULL);

	for (int i = 0; i < 20000; i++) {
		g_string_append_printf(bytes,
				       "<Nested>\n<a time='%d' end='%d'/>\n"
				       "</Nested>\n",
				       i, i + 1);
		g_string_append_printf(bytes,
				       "<b n='%d' time='%d' end='%d'>"
				       "<c i='%d'>text</c>&lt;%d</b>\n",
				       i, i, i + 1, i, i);
		g_string_append_printf(expected, "1 state a %d..%d\n", i,
				       i + 1);
		g_string_append_printf(expected,
				       "0 state b %d..%d n=%d \"<%d\" "
				       "<c i=%d \"text\">\n",
				       i, i + 1, i, i, i);
	}
	g_string_append(bytes, Q);
	run(bytes->str, bytes->len, 0, "", expected->str);
	g_string_free(bytes, TRUE);
	g_string_free(expected, TRUE);
}

/* States in states that stay open over many pieces. */
static void testDeep(void)
{
	GString *bytes = g_string_new(P);
	GString *expected = g_string_new(NULL);
	const int depth = 499;

	for (int i = 0; i < depth; i++)
		g_string_append_printf(
			bytes, "<a n='%d' time='1' end='2'><c/>x<Nested>", i);
	for (int i = depth - 1; i >= 0; i--) {
		g_string_append(bytes, "</Nested>y</a>");
		g_string_append_printf(
			expected, "%d state a 1..2 n=%d \"xy\" <c>\n", i, i);
	}
	g_string_append(bytes, Q);
	run(bytes->str, bytes->len, 0, "", expected->str);
	g_string_free(bytes, TRUE);
	g_string_free(expected, TRUE);
}

/* A thousand elements may be open, and no more. */
static void testTooDeep(void)
{
	for (int depth = 999; depth <= 5000; depth += depth < 1001 ? 1 : 3999) {
		GString *bytes = g_string_new(P S("a"));
		char *messages = g_strdup("trc.no-end@*");

		/* With Program. */
		for (int i = 0; i < depth; i++)
			g_string_append(bytes, "<Nested>");
		if (depth > 999) {
			g_free(messages);
			messages =
				g_strdup_printf("trc.xml@%d\n", 32 + 8 * 999);
		}
		run(bytes->str, bytes->len, depth > 999 ? -1 : 0, messages,
		    "0 state a 1..2\n");
		g_string_free(bytes, TRUE);
		g_free(messages);
	}
}

/* A record with a number of attributes, time and end included, behind others;
 * texts, comments and values with what looks like some. */
static void runAttributes(int count, int filler)
{
	GString *bytes = g_string_new(P);
	GString *expected = g_string_new(NULL);
	char *messages = g_strdup("");
	int offset;

	for (int i = 0; i < filler; i++) {
		g_string_append(bytes, S("a"));
		g_string_append(expected, "0 state a 1..2\n");
	}
	g_string_append(bytes, "<!-- ");
	for (int i = 0; i < 5000; i++)
		g_string_append(bytes, "k='v' ");
	g_string_append(bytes, "--><b time='1' end='2'>");
	g_string_append(expected, "0 state b 1..2 \"");
	for (int i = 0; i < 5000; i++) {
		g_string_append(bytes, "k=\"'");
		g_string_append(expected, "k=\"'");
	}
	g_string_append(bytes, "</b>");
	g_string_append(expected, "\"\n");
	offset = (int)bytes->len;
	g_string_append(bytes, "<c time='1' end='2'");
	for (int i = 2; i < count; i++)
		g_string_append_printf(bytes,
				       i % 2 ? " k%d = \"'>'\"" : " k%d=''", i);
	g_string_append(bytes, "/>" Q);
	if (count > 2000) {
		g_free(messages);
		messages = g_strdup_printf("trc.xml@%d\n", offset);
	} else {
		g_string_append(expected, "0 state c 1..2");
		for (int i = 2; i < count; i++)
			g_string_append_printf(expected,
					       i % 2 ? " k%d='>'" : " k%d=", i);
		g_string_append(expected, "\n");
	}
	run(bytes->str, bytes->len, count > 2000 ? -1 : 0, messages,
	    expected->str);
	g_string_free(bytes, TRUE);
	g_string_free(expected, TRUE);
	g_free(messages);
}

/* Wherever the borders of the pieces are that are parsed at once. */
static void testAttributes(void)
{
	for (int filler = 0; filler < 4000; filler += 331) {
		runAttributes(2000, filler);
		runAttributes(2001, filler);
	}
	runAttributes(40000, 1);
}

/* One record with many, and long, attributes and elements. */
static void testLarge(void)
{
	GString *bytes = g_string_new(P "<a time='1' end='2'");
	GString *expected = g_string_new("0 state a 1..2");
	char *text = g_strnfill(3000000, 'x');

	for (int i = 0; i < 1000; i++) {
		g_string_append_printf(bytes, " k%d='v'", i);
		g_string_append_printf(expected, " k%d=v", i);
	}
	g_string_append_printf(bytes, " long='%s'>%s", text, text);
	g_string_append_printf(expected, " long=%s \"%s\"", text, text);
	for (int i = 0; i < 20000; i++) {
		g_string_append_printf(bytes, "<e i='%d'/>", i);
		g_string_append_printf(expected, " <e i=%d>", i);
	}
	g_string_append(bytes, "</a>" Q);
	g_string_append(expected, "\n");
	run(bytes->str, bytes->len, 0, "", expected->str);
	g_string_free(bytes, TRUE);
	g_string_free(expected, TRUE);
	g_free(text);
}

/* Names are kept while a file is read, so there must be an end to them. */
static void testNames(void)
{
	GString *bytes = g_string_new(P);
	char *text = g_strnfill(1000, 'x');
	struct reading reading;

	for (int i = 0; i < 20000; i++)
		g_string_append_printf(bytes, "<a%d%s time='1' end='2'/>\n", i,
				       text);
	g_string_append(bytes, Q);
	readingInit(&reading);
	readingRun(&reading, "test.trc", bytes->str, bytes->len);
	g_assert_cmpint(reading.result, ==, -1);
	g_assert_cmpint(reading.error, ==, EBADMSG);
	g_assert_true(g_str_has_prefix(reading.messages->str, "trc.xml@"));
	g_assert_cmpuint(reading.ends->len, >, 1000);
	readingClear(&reading);
	g_string_free(bytes, TRUE);
	g_free(text);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		char *path = g_strdup_printf("/read-trace/%s", rows[i].name);

		g_test_add_data_func(path, &rows[i], testRow);
		g_free(path);
	}
	g_test_add_func("/read-trace/bytes of 0", testNul);
	g_test_add_func("/read-trace/many records", testMany);
	g_test_add_func("/read-trace/deep nesting", testDeep);
	g_test_add_func("/read-trace/nesting has a limit", testTooDeep);
	g_test_add_func("/read-trace/attributes have a limit", testAttributes);
	g_test_add_func("/read-trace/large record", testLarge);
	g_test_add_func("/read-trace/too many names", testNames);
	return g_test_run();
}
