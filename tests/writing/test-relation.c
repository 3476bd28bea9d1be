/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: smoke */
/* Relations: what calls write, what they refuse, tokens as text, hints. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdRelation.h>
#include "HDTraceWritingCLibrary/src/fragment.h"
#include "common/format/relationid.h"
#include "tests/lib/relfile.h"
#include "tests/lib/testlib.h"

#define START (INT64_C(1234567890) * 1000000000)

static hdR_topoToken openNode(const char *project, const char *labels)
{
	hdTopoNode *node = testNode(project, labels);
	hdR_topoToken topology;

	testWorks(hdR_initTopology(node, &topology));
	g_assert_nonnull(topology);
	hdT_destroyTopoNode(node);
	return topology;
}

static void checkElement(const struct testRelFile *file, size_t n,
			 const char *name, uint64_t token, int64_t time)
{
	const struct testRelElement *element = testRelAt(file, n);

	g_assert_cmpstr(element->name, ==, name);
	g_assert_cmpuint(element->token, ==, token);
	g_assert_cmpint(element->time, ==, time);
}

static void checkAttribute(const struct testRelFile *file, size_t n,
			   const char *key, const char *value)
{
	g_assert_cmpstr(testRelGet(testRelAt(file, n), key), ==, value);
}

/* R3: relations that overlap; each has its own times. */
static void testInterleaved(void)
{
	hdR_topoToken node;
	struct testRelFile *file;
	hdR_token a, b;

	testClockSet(START, 1000);
	node = openNode("r3", "");
	testMakes(a, hdR_createTopLevelRelation(node));
	testMakes(b, hdR_createTopLevelRelation(node));
	testWorks(hdR_startS(a, "A"));
	testWorks(hdR_startS(b, "B"));
	testWorks(hdR_endS(a));
	testWorks(hdR_endS(b));
	testWorks(hdR_destroyRelation(&b));
	testWorks(hdR_destroyRelation(&a));
	g_assert_null(a);
	testWorks(hdR_finalize(&node));
	g_assert_null(node);
	testClockReset();

	file = testRelRead("r3.rel");
	g_assert_true(file->isComplete);
	g_assert_cmpuint(file->elements->len, ==, 8);
	g_assert_cmpstr(g_hash_table_lookup(file->header, "version"), ==, "1");
	g_assert_cmpstr(g_hash_table_lookup(file->header, "timeAdjustment"), ==,
			"1234567890");
	checkElement(file, 0, "rel", 0, START + 2000);
	checkElement(file, 1, "rel", 1, START + 3000);
	checkElement(file, 2, "s", 0, START + 4000);
	checkAttribute(file, 2, "name", "A");
	checkElement(file, 3, "s", 1, START + 5000);
	checkAttribute(file, 3, "name", "B");
	checkElement(file, 4, "e", 0, START + 6000);
	checkElement(file, 5, "e", 1, START + 7000);
	checkElement(file, 6, "un", 1, START + 8000);
	checkElement(file, 7, "un", 0, START + 9000);
	testRelFree(file);
}

/* A relation and its state at once: two elements of one time, as by the calls
 * for each of them. */
static void testTogether(void)
{
	static const char *const keys[] = { "size", "offset" };
	const char *values[] = { "4096", "<0>" };
	char cause[HDR_TOKEN_SIZE];
	hdR_topoToken node, other;
	struct testRelFile *file;
	hdR_token a, b, c;

	testClockSet(START, 1000);
	node = openNode("together", "");
	other = openNode("together", "other");
	testMakes(a, hdR_startRelation(node, NULL, NULL, "a & b"));
	testMakes(b, hdR_startRelation(node, a, "not looked at", "below"));
	g_assert_cmpint(hdR_putRemoteToken(a, cause, sizeof(cause)), >, 0);
	testMakes(c, hdR_startRelation(other, NULL, cause, "far"));
	testWorks(hdR_startS(b, "inner"));
	testWorks(hdR_endS(b));
	testWorks(hdR_logAttributeString(b, "size", "is replaced"));
	testWorks(hdR_logAttributeInt64(b, "more", 7));
	testWorks(hdR_endRelation(&b, 2, keys, values));
	g_assert_null(b);
	/* A further state, and what is left open stays so. */
	testWorks(hdR_endS(a));
	testFails(HD_ERR_INVALID_CONTEXT, hdR_endRelation(&a, 0, NULL, NULL));
	g_assert_nonnull(a);
	testWorks(hdR_startS(a, "again"));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdR_endRelation(&a, 1, (const char *[]){ "t" }, values));
	g_assert_nonnull(a);
	testWorks(hdR_endRelation(&a, 0, NULL, NULL));
	testWorks(hdR_finalize(&node));
	/* Of a node that was finalized. */
	testWorks(hdR_finalize(&other));
	testFails(HD_ERR_TRACE_DISABLED, hdR_endRelation(&c, 0, NULL, NULL));
	g_assert_null(c);
	testClockReset();

	file = testRelRead("together.rel");
	testRelCheck(file);
	g_assert_cmpuint(file->elements->len, ==, 12);
	for (int i = 0; i < 2; i++) {
		int64_t time = testRelAt(file, 2 * (size_t)i)->time;

		checkElement(file, 2 * (size_t)i, "rel", (uint64_t)i, time);
		checkElement(file, 2 * (size_t)i + 1, "s", (uint64_t)i, time);
	}
	g_assert_null(testRelGet(testRelAt(file, 0), "p"));
	checkAttribute(file, 1, "name", "a & b");
	g_assert_nonnull(testRelGet(testRelAt(file, 2), "p"));
	checkAttribute(file, 3, "name", "below");
	checkElement(file, 6, "e", 1, testRelAt(file, 7)->time);
	checkElement(file, 7, "un", 1, testRelAt(file, 6)->time);
	checkAttribute(file, 6, "size", "4096");
	checkAttribute(file, 6, "offset", "<0>");
	checkAttribute(file, 6, "more", "7");
	checkElement(file, 11, "un", 0, testRelAt(file, 10)->time);
	testRelFree(file);
	file = testRelRead("together_other.rel");
	g_assert_cmpuint(file->elements->len, ==, 2);
	g_assert_true(
		g_str_has_prefix(cause, testRelGet(testRelAt(file, 0), "r")));
	g_assert_nonnull(testRelGet(testRelAt(file, 0), "w"));
	testRelFree(file);
}

/* A relation that has ended, whose token is kept: it causes others, and has the
 * same text as before; nothing more is recorded of it. */
static void testFinished(void)
{
	static const char longest[] = "a-key-that-is-longer-than-most-others";
	const hdR_attribute attributes[] = {
		{ "offset", NULL, INT64_MIN },
		{ "gfid", "<0>", 5 },
		{ longest, NULL, 0 },
	};
	const hdR_attribute twice[] = { { "a", "1", 0 }, { "a", NULL, 1 } };
	const hdR_attribute none = { NULL, "1", 0 };
	hdR_topoToken node = openNode("finished", "");
	char before[HDR_TOKEN_SIZE], after[HDR_TOKEN_SIZE];
	hdR_token a, b, c;
	struct testRelFile *file;

	testMakes(a, hdR_startRelation(node, NULL, NULL, "a"));
	g_assert_cmpint(hdR_putRemoteToken(a, before, sizeof(before)), >, 0);
	testWorks(hdR_logAttributeInt64(a, "offset", 7));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_finishRelation(a, 2, twice));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_finishRelation(a, 1, &none));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_finishRelation(a, 1, NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_finishRelation(a, -1, NULL));
	/* The second time its keys are known. */
	testWorks(hdR_startS(a, "inner"));
	testWorks(hdR_finishRelation(a, 3, attributes));
	testFails(HD_ERR_INVALID_CONTEXT, hdR_finishRelation(a, 0, NULL));
	testFails(HD_ERR_INVALID_CONTEXT, hdR_finishRelation(a, 3, attributes));
	testFails(HD_ERR_INVALID_CONTEXT, hdR_startS(a, "more"));
	testFails(HD_ERR_INVALID_CONTEXT, hdR_endS(a));
	testFails(HD_ERR_INVALID_CONTEXT, hdR_link(a, before));
	testFails(HD_ERR_INVALID_CONTEXT,
		  hdR_logAttributeInt64(a, "offset", 7));
	testMakes(b, hdR_startRelation(node, a, NULL, "b"));
	g_assert_cmpint(hdR_putRemoteToken(a, after, sizeof(after)), >, 0);
	g_assert_cmpstr(after, ==, before);
	testWorks(hdR_finishRelation(b, 3, attributes));
	testWorks(hdR_destroyRelation(&a));
	g_assert_null(a);
	/* Of one without a state there are no attributes. */
	testMakes(c, hdR_relateProcessLocalToken(node, b));
	testFails(HD_ERR_INVALID_CONTEXT, hdR_finishRelation(c, 3, attributes));
	testWorks(hdR_finishRelation(c, 0, NULL));
	testWorks(hdR_destroyRelation(&c));
	testMakes(c, hdR_createTopLevelRelation(node));
	testWorks(hdR_finalize(&node));
	testFails(HD_ERR_TRACE_DISABLED, hdR_finishRelation(c, 0, NULL));
	testWorks(hdR_destroyRelation(&b));
	testWorks(hdR_destroyRelation(&c));

	file = testRelRead("finished.rel");
	g_assert_true(file->isComplete);
	g_assert_cmpuint(file->elements->len, ==, 12);
	checkElement(file, 3, "e", 0, testRelAt(file, 4)->time);
	checkElement(file, 4, "un", 0, testRelAt(file, 3)->time);
	checkElement(file, 5, "rel", 1, testRelAt(file, 6)->time);
	g_assert_true(
		g_str_has_suffix(testRelGet(testRelAt(file, 5), "p"), ":0"));
	for (size_t i = 3; i <= 7; i += 4) {
		checkAttribute(file, i, "offset", "-9223372036854775808");
		checkAttribute(file, i, "gfid", "<0>");
		checkAttribute(file, i, longest, "0");
	}
	checkElement(file, 8, "un", 1, testRelAt(file, 7)->time);
	checkElement(file, 9, "rel", 2, testRelAt(file, 9)->time);
	checkElement(file, 10, "un", 2, testRelAt(file, 10)->time);
	checkElement(file, 11, "rel", 3, testRelAt(file, 11)->time);
	testRelFree(file);
}

/* What cannot be begun together is not begun. */
static void testNotTogether(void)
{
	char *name = g_strnfill(HDR_MAX_NAME_LENGTH + 1, 'x');
	hdR_topoToken node = openNode("not-together", "");

	errno = 0;
	g_assert_null(hdR_startRelation(node, NULL, NULL, ""));
	g_assert_cmpint(errno, ==, HD_ERR_INVALID_ARGUMENT);
	g_assert_null(hdR_startRelation(node, NULL, NULL, NULL));
	g_assert_null(hdR_startRelation(node, NULL, NULL, name));
	g_assert_cmpint(errno, ==, HD_ERR_BUFFER_OVERFLOW);
	g_assert_null(hdR_startRelation(node, NULL, "no:token", "a"));
	g_assert_cmpint(errno, ==, HD_ERR_INVALID_ARGUMENT);
	testWorks(hdR_finalize(&node));
	g_assert_false(testExists("not-together.rel"));
	g_free(name);
}

/* R4: values survive, whatever is in them; those of the end win. */
static void testAttributes(void)
{
	static const char *const keys[] = { "offset", "text", "both" };
	const char *values[] = { "12345678901234567890",
				 "<>&\"'\n\t \xc3\xa4\xf0\x9f\x98\x80", "1" };
	const char *late[] = { "2", "x y=\"z\"", "end" };
	char *longest = g_strnfill(HDR_MAX_VALUE_LENGTH, '<');
	hdR_topoToken node = openNode("r4", "");
	struct testRelFile *file;
	hdR_token a;

	testMakes(a, hdR_createTopLevelRelation(node));
	testWorks(hdR_start(a, "a <name> & \"more\"", 3, keys, values));
	testWorks(hdR_logAttributeInt64(a, "both", 7));
	testWorks(hdR_logAttributeInt64(a, "min", INT64_MIN));
	testWorks(hdR_startS(a, "inner"));
	testWorks(hdR_logAttributeDouble(a, "d", 0.1));
	testWorks(hdR_logAttributeString(a, "s", "a=\"b\" c='d'"));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_logAttributeString(a, "s", ""));
	testWorks(hdR_endS(a));
	/* Goes on where it was; the key may come again in another state. */
	testWorks(hdR_logAttributeString(a, "s", "outer"));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_logAttributeInt64(a, "both", 8));
	testWorks(hdR_end(a, 3, keys, late));
	testWorks(hdR_start(a, "long", 1, keys, (const char *[]){ longest }));
	testWorks(hdR_logAttributeString(a, "longest", longest));
	testWorks(hdR_startE(a, "xml", 0, NULL, NULL, "<d a='%d'>t&lt;</d><e/>",
			     3));
	testWorks(hdR_endE(a, 1, keys, values, "%s", "<f><g h=\"1\"/></f>\n"));
	testWorks(hdR_endS(a));
	testWorks(hdR_startS(a, "bad"));
	testWorks(hdR_endFailed(a, "No space left on device"));
	testWorks(hdR_destroyRelation(&a));
	testWorks(hdR_finalize(&node));

	file = testRelRead("r4.rel");
	testRelCheck(file);
	checkAttribute(file, 1, "name", "a <name> & \"more\"");
	for (int i = 0; i < 3; i++)
		checkAttribute(file, 1, keys[i], values[i]);
	checkAttribute(file, 3, "d", "0.1");
	checkAttribute(file, 3, "s", "a=\"b\" c='d'");
	checkAttribute(file, 3, "both", NULL);
	for (int i = 0; i < 3; i++)
		checkAttribute(file, 4, keys[i], late[i]);
	checkAttribute(file, 4, "min", "-9223372036854775808");
	checkAttribute(file, 4, "s", "outer");
	checkAttribute(file, 5, "offset", longest);
	g_assert_cmpstr(testRelAt(file, 6)->inside, ==, "d e ");
	g_assert_cmpstr(testRelAt(file, 7)->inside, ==, "f ");
	checkAttribute(file, 7, "offset", values[0]);
	checkAttribute(file, 8, "longest", longest);
	checkAttribute(file, 10, HDR_ERROR_KEY, "No space left on device");
	testRelFree(file);
	g_free(longest);
}

/* What is over a limit or no name is refused, and nothing is written. */
static void testLimits(void)
{
	hdR_topoToken node = openNode("limits", "");
	char *tooLong = g_strnfill(HDR_MAX_VALUE_LENGTH + 1, 'x');
	char *name = g_strnfill(HDR_MAX_NAME_LENGTH + 1, 'x');
	static const char *const bad[] = { "",     "1a", "a b", "name",
					   "time", "t",  "a=",  "\xc3\xa4" };
	const char *keys[HDR_MAX_ATTRIBUTES + 1];
	const char *values[HDR_MAX_ATTRIBUTES + 1];
	struct testRelFile *file;
	hdR_token a;

	for (int i = 0; i <= HDR_MAX_ATTRIBUTES; i++) {
		keys[i] = g_strdup_printf("k%d", i);
		values[i] = "v";
	}
	testMakes(a, hdR_createTopLevelRelation(node));
	testFails(HD_ERR_INVALID_CONTEXT, hdR_endS(a));
	testFails(HD_ERR_INVALID_CONTEXT, hdR_logAttributeInt64(a, "k", 1));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_startS(a, ""));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_startS(a, NULL));
	testFails(HD_ERR_BUFFER_OVERFLOW, hdR_startS(a, name));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_start(a, "a", -1, NULL, NULL));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_start(a, "a", 1, NULL, values));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_start(a, "a", 1, keys, NULL));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdR_start(a, "a", 1, keys, (const char *[]){ NULL }));
	testFails(HD_ERR_BUFFER_OVERFLOW,
		  hdR_start(a, "a", HDR_MAX_ATTRIBUTES + 1, keys, values));
	testFails(HD_ERR_BUFFER_OVERFLOW,
		  hdR_start(a, "a", 1, keys, (const char *[]){ tooLong }));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdR_start(a, "a", 2, (const char *[]){ "k", "k" }, values));
	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdR_start(a, "a", 1, &bad[i], values));
	testFails(HD_ERR_BUFFER_OVERFLOW,
		  hdR_startE(a, "a", 0, NULL, NULL, "<a>%s%s</a>", tooLong,
			     tooLong));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdR_startE(a, "a", 0, NULL, NULL, "%s", "<a>"));

	testWorks(hdR_start(a, "full", HDR_MAX_ATTRIBUTES, keys, values));
	for (int i = 0; i < HDR_MAX_ATTRIBUTES; i++)
		testWorks(hdR_logAttributeInt64(a, keys[i], i));
	testFails(HD_ERR_BUFFER_OVERFLOW, hdR_logAttributeInt64(a, "more", 1));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdR_logAttributeString(a, "k", NULL));
	testFails(HD_ERR_BUFFER_OVERFLOW,
		  hdR_end(a, 1, keys, (const char *[]){ tooLong }));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdR_endE(a, 0, NULL, NULL, "%s", "text"));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_endFailed(a, NULL));
	testWorks(hdR_endS(a));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_getLosses(node, NULL));
	testWorks(hdR_destroyRelation(&a));
	testFails(HD_ERR_INVALID_CONTEXT, hdR_closeAPI());
	testWorks(hdR_flush(node));
	testWorks(hdR_finalize(&node));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_initTopology(NULL, &node));
	g_assert_null(node);
	file = testRelRead("limits.rel");
	testRelCheck(file);
	g_assert_cmpuint(file->elements->len, ==, 4);
	testRelFree(file);
	for (int i = 0; i <= HDR_MAX_ATTRIBUTES; i++)
		g_free((char *)keys[i]);
	g_free(tooLong);
	g_free(name);
}

/* NULL is the token of what is not traced. */
static void testNull(void)
{
	hdR_topoToken node = openNode("null", "");
	hdR_hints *hints = NULL;
	hdR_token none = NULL;
	char text[HDR_TOKEN_SIZE];
	hdLosses losses;

	errno = TEST_ERRNO;
	g_assert_null(hdR_createTopLevelRelation(NULL));
	g_assert_null(hdR_relateTopologyInternalToken(NULL));
	g_assert_null(hdR_relateProcessLocalToken(node, NULL));
	g_assert_null(hdR_relateLocalToken(node, NULL));
	g_assert_null(hdR_relateRemoteToken(node, NULL));
	g_assert_null(hdR_relateRemoteToken(NULL, "h:1:2:3"));
	g_assert_null(hdR_relateTraceparent(node, NULL));
	g_assert_null(hdR_relateHint(node, NULL));
	g_assert_null(hdR_startRelation(NULL, NULL, "h:1:2:3", "a"));
	testGives(-1, hdR_endRelation(NULL, 0, NULL, NULL));
	testGives(-1, hdR_endRelation(&none, 0, NULL, NULL));
	testGives(-1, hdR_finishRelation(NULL, 0, NULL));
	g_assert_null(hdR_getLocalToken(NULL));
	g_assert_null(hdR_getRemoteToken(NULL));
	testGives(-1, hdR_putRemoteToken(NULL, text, sizeof(text)));
	testGives(-1, hdR_putTraceparent(NULL, text, sizeof(text)));
	testGives(-1, hdR_startS(NULL, "a"));
	testGives(-1, hdR_start(NULL, "a", 1, NULL, NULL));
	testGives(-1, hdR_startE(NULL, "a", 1, NULL, NULL, "%d", 1));
	testGives(-1, hdR_endS(NULL));
	testGives(-1, hdR_end(NULL, 1, NULL, NULL));
	testGives(-1, hdR_endE(NULL, 1, NULL, NULL, "%d", 1));
	testGives(-1, hdR_endFailed(NULL, "a"));
	testGives(-1, hdR_logAttributeInt64(NULL, "a", 1));
	testGives(-1, hdR_logAttributeDouble(NULL, "a", 1));
	testGives(-1, hdR_logAttributeString(NULL, "a", "b"));
	testGives(-1, hdR_link(NULL, "h:1:2:3"));
	testGives(-1, hdR_destroyRelation(NULL));
	testGives(-1, hdR_destroyRelation(&none));
	testGives(-1, hdR_finalize(NULL));
	testGives(-1, hdR_flush(NULL));
	testGives(-1, hdR_getLosses(NULL, &losses));
	testGives(-1, hdR_addTokenHint(&hints, NULL));
	g_assert_null(hints);
	g_assert_cmpint(errno, ==, TEST_ERRNO);
	/* No relation, no file. */
	g_assert_true(testExists("null.rel"));
	testWorks(hdR_finalize(&node));
	g_assert_false(testExists("null.rel"));
	testWorks(hdR_closeAPI());
}

/* HDTRACE_RELATION=0: nothing is traced, and that is no error. */
static void testDisabled(void)
{
	hdTopoNode *node;
	hdR_topoToken topology;

	if (!testInProcess("HDTRACE_RELATION=0"))
		return;
	node = testNode("disabled", "");
	testWorks(hdR_initTopology(node, &topology));
	g_assert_null(topology);
	g_assert_null(hdR_createTopLevelRelation(topology));
	g_assert_false(testExists("disabled.rel"));
	hdT_destroyTopoNode(node);
}

/* ---- Tokens as text ---------------------------------------------------- */

/* R1: texts that go out come in. */
static void testTokens(void)
{
	char remote[HDR_TOKEN_SIZE], context[HDR_TRACEPARENT_SIZE];
	hdR_topoToken node, other;
	hdR_token a, b, c, d, e, f;
	char *local, *text, *expected, **parts;
	struct testRelFile *file;
	int length;

	node = openNode("r1", "");
	other = openNode("r1", "o");
	testMakes(a, hdR_createTopLevelRelation(node));
	testMakes(local, hdR_getLocalToken(a));
	testMakes(text, hdR_getRemoteToken(a));
	length = hdR_putRemoteToken(a, remote, sizeof(remote));
	g_assert_cmpint(length, ==, strlen(text));
	g_assert_cmpstr(remote, ==, text);
	testGives(length, hdR_putRemoteToken(a, remote, (size_t)length + 1));
	testFails(HD_ERR_BUFFER_OVERFLOW,
		  hdR_putRemoteToken(a, remote, (size_t)length));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_putRemoteToken(a, NULL, 9));
	testGives(55, hdR_putTraceparent(a, context, sizeof(context)));
	testFails(HD_ERR_BUFFER_OVERFLOW, hdR_putTraceparent(a, context, 55));
	parts = g_strsplit(text, ":", -1);
	g_assert_cmpuint(g_strv_length(parts), ==, 5);
	expected = g_strdup_printf("%s:%s:%s", parts[1], parts[2], parts[3]);
	g_assert_cmpstr(local, ==, expected);
	g_free(expected);
	expected = g_strdup_printf("%d.", getpid());
	g_assert_true(g_str_has_prefix(parts[1], expected));
	g_free(expected);
	/* Both say which trace it is. */
	g_assert_true(g_str_has_prefix(context, "00-"));
	g_assert_cmpmem(context + 3, 32, parts[4], 32);
	g_assert_cmpstr(parts[4] + 32, ==, "-01");

	testMakes(b, hdR_relateLocalToken(other, local));
	testMakes(c, hdR_relateRemoteToken(other, text));
	testMakes(d, hdR_relateTraceparent(other, context));
	testMakes(e, hdR_relateProcessLocalToken(other, a));
	testMakes(f, hdR_relateTopologyInternalToken(e));
	testWorks(hdR_link(f, text));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_link(f, local));
	/* What was received goes on to who comes after. */
	free(text);
	testMakes(text, hdR_getRemoteToken(d));
	g_assert_true(g_str_has_suffix(text, parts[4]));
	free(text);
	/* A relation of this process has its topmost ancestor's. */
	testMakes(text, hdR_getRemoteToken(f));
	g_assert_true(g_str_has_suffix(text, parts[4]));
	testWorks(hdR_destroyRelation(&b));
	testWorks(hdR_destroyRelation(&c));
	testWorks(hdR_destroyRelation(&d));
	testWorks(hdR_destroyRelation(&e));
	testWorks(hdR_destroyRelation(&f));
	testWorks(hdR_destroyRelation(&a));
	testWorks(hdR_finalize(&other));
	testWorks(hdR_finalize(&node));

	file = testRelRead("r1_o.rel");
	testRelCheck(file);
	g_assert_cmpstr(g_hash_table_lookup(file->header, "hostID"), ==,
			parts[0]);
	g_assert_cmpstr(g_hash_table_lookup(file->header, "localToken"), ==,
			parts[1]);
	g_assert_cmpuint(g_ascii_strtoull(g_hash_table_lookup(file->header,
							      "topologyNumber"),
					  NULL, 10),
			 ==, g_ascii_strtoull(parts[2], NULL, 10) + 1);
	checkAttribute(file, 0, "l", local);
	expected = g_strdup_printf("%s:%s", parts[0], local);
	checkAttribute(file, 1, "r", expected);
	checkAttribute(file, 1, "w", parts[4]);
	checkAttribute(file, 2, "w", parts[4]);
	context[52] = '\0';
	checkAttribute(file, 2, "ws", context + 36);
	checkAttribute(file, 3, "p", strchr(local, ':') + 1);
	checkAttribute(file, 4, "i", "3");
	g_assert_cmpstr(testRelAt(file, 5)->name, ==, "link");
	checkAttribute(file, 5, "r", expected);
	testRelFree(file);
	g_free(expected);
	g_strfreev(parts);
	free(local);
	free(text);
}

#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"

/* R1: texts that are no tokens. */
static void testHostile(void)
{
	static const char *const bad[] = {
		"",
		":",
		":::",
		"h",
		"h:1:2",
		"h:1:2:",
		":1:2:3",
		"h::2:3",
		"h:1::3",
		"h:1:2:x",
		"h:1:-2:3",
		"h:1:+2:3",
		"h:1: 2:3",
		"h:1:2:3 ",
		"h h:1:2:3",
		"h\n:1:2:3",
		"h\x7f:1:2:3",
		"h:1\t:2:3",
		"h:1:4294967296:3",
		"h:1:2:18446744073709551616",
		"h:1:2:99999999999999999999999",
		"h:1:2:3:",
		"h:1:2:3:4",
		"h:1:2:3:4:5",
		"h:1:2:3:" TRACE,
		"h:1:2:3:" TRACE "-0",
		"h:1:2:3:" TRACE "-011",
		"h:1:2:3:" TRACE ":01",
		"h:1:2:3:4BF92F3577B34DA6A3CE929D0E0E4736-01",
		"h:1:2:3:00000000000000000000000000000000-01",
		"h:1:2:3:" TRACE "-01:",
	};
	static const char *const contexts[] = {
		"",
		"00",
		"ff-" TRACE "-00f067aa0ba902b7-01",
		"00-" TRACE "-00f067aa0ba902b7-0",
		"00-" TRACE "-00f067aa0ba902b7-01-",
		"00-" TRACE "-00f067aa0ba902b7-01 ",
		"cc-" TRACE "-00f067aa0ba902b7-01.what",
		"00-" TRACE "-0000000000000000-01",
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01",
		"00-" TRACE "-00F067AA0BA902B7-01",
		"00_" TRACE "-00f067aa0ba902b7-01",
		"00-" TRACE "_00f067aa0ba902b7-01",
		"00-" TRACE "-00f067aa0ba902b7_01",
		"0g-" TRACE "-00f067aa0ba902b7-01",
	};
	static const char *const good[] = {
		"h:1:2:3",
		"h:1:4294967295:18446744073709551615",
		"a-host.b_c:1.x-y_z:0:0:" TRACE "-ff",
		"\xc3\xa4<&\">:1:2:3",
	};
	static const char *const goodContexts[] = {
		"00-" TRACE "-00f067aa0ba902b7-01",
		"cc-" TRACE "-00f067aa0ba902b7-01-what-comes",
		"01-" TRACE "-00f067aa0ba902b7-00",
	};
	char *large = g_strnfill(1000000, ':');
	hdR_topoToken node = openNode("hostile", "");
	struct testRelFile *file;
	hdR_token a;

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
		testFailsNull(HD_ERR_INVALID_ARGUMENT,
			      hdR_relateRemoteToken(node, bad[i]));
	for (size_t i = 0; i < G_N_ELEMENTS(contexts); i++)
		testFailsNull(HD_ERR_INVALID_ARGUMENT,
			      hdR_relateTraceparent(node, contexts[i]));
	for (const char *c = "h:1a\n\x01\xff"; *c; c++) {
		memset(large, *c, 1000000);
		testFailsNull(HD_ERR_INVALID_ARGUMENT,
			      hdR_relateRemoteToken(node, large));
		testFailsNull(HD_ERR_INVALID_ARGUMENT,
			      hdR_relateLocalToken(node, large));
		testFailsNull(HD_ERR_INVALID_ARGUMENT,
			      hdR_relateTraceparent(node, large));
	}
	memcpy(large + 999990, ":1:2:3", 7);
	testFailsNull(HD_ERR_INVALID_ARGUMENT,
		      hdR_relateRemoteToken(node, large));
	testFailsNull(HD_ERR_INVALID_ARGUMENT,
		      hdR_relateLocalToken(node, "h:1:2:3"));
	testFailsNull(HD_ERR_INVALID_ARGUMENT,
		      hdR_relateLocalToken(node, "1:2:3:" TRACE "-01"));
	for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
		testMakes(a, hdR_relateRemoteToken(node, good[i]));
		testWorks(hdR_destroyRelation(&a));
	}
	for (size_t i = 0; i < G_N_ELEMENTS(goodContexts); i++) {
		testMakes(a, hdR_relateTraceparent(node, goodContexts[i]));
		testWorks(hdR_destroyRelation(&a));
	}
	testWorks(hdR_finalize(&node));
	file = testRelRead("hostile.rel");
	g_assert_cmpuint(testRelCount(file, "rel"), ==,
			 G_N_ELEMENTS(good) + G_N_ELEMENTS(goodContexts));
	checkAttribute(file, 4, "r", "a-host.b_c:1.x-y_z:0:0");
	checkAttribute(file, 4, "w", TRACE "-ff");
	checkAttribute(file, 6, "r", good[3]);
	checkAttribute(file, 6, "w", NULL);
	checkAttribute(file, 8, "ws", "00f067aa0ba902b7");
	testRelFree(file);
	g_free(large);
}

/* Where messages are asked for a bad token is said, once each. */
static void testMessage(void)
{
	if (g_test_subprocess()) {
		hdR_topoToken node = openNode("message", "");

		g_assert_null(hdR_relateRemoteToken(node, "h:1:\x1b[31m"));
		g_assert_null(hdR_relateTraceparent(node, "x"));
		testWorks(hdR_finalize(&node));
		return;
	}
	g_setenv("HDTRACE_VERBOSITY", "1", TRUE);
	g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
	g_unsetenv("HDTRACE_VERBOSITY");
	g_test_trap_assert_passed();
	g_test_trap_assert_stderr(
		"hdtrace: relation: not a remote token (9 bytes)\n"
		"hdtrace: relation: not a traceparent token (1 bytes)\n");
}

/* Values that the hash's authors publish. */
static void testIds(void)
{
	static const unsigned char span[] = { 0x85, 0x94, 0x41, 0x71,
					      0xf7, 0x39, 0x67, 0xe8 };
	static const unsigned char trace[] = { 0x34, 0x3e, 0x16, 0x62,
					       0x79, 0x3c, 0x64, 0xbf,
					       0x6f, 0x0d, 0x35, 0x97,
					       0xba, 0x44, 0x6f, 0x18 };
	unsigned char id[16];

	hdSpanId("foobar", 6, id);
	g_assert_cmpmem(id, 8, span, 8);
	hdTraceId("foobar", 6, id);
	g_assert_cmpmem(id, 16, trace, 16);
}

/* ---- Further XML ------------------------------------------------------- */

static void testFragment(void)
{
	static const char *const good[] = {
		"",
		" \n",
		"<a/>",
		"<a></a>",
		"<a  b='1'\tc=\"2\" />",
		"<a b = '>' c='\"'>t > u</a><b/>\n",
		"<a>&amp;&lt;&gt;&apos;&quot;&#65;&#x1F600;</a>",
		"<a><b><c>\xc3\xa4</c></b ></a>",
		"<_a.b-c d_e='&#10;'/>",
	};
	static const char *const bad[] = {
		"text",
		"<a>",
		"</a>",
		"<a></b>",
		"<a/><",
		"<a b/>",
		"<a b=1/>",
		"<a b='1'c='2'/>",
		"<a b='1' b='2'/>",
		"<a b='<'/>",
		"<a b='&'/>",
		"<a b='&nbsp;'/>",
		"<a>&#0;</a>",
		"<a>&#xD800;</a>",
		"<a>&#x110000;</a>",
		"<a>&#;</a>",
		"<a>&#65</a>",
		"<a>]]></a>",
		"<!-- c -->",
		"<?p?>",
		"<![CDATA[x]]>",
		"<!DOCTYPE a>",
		"<1/>",
		"< a/>",
		"<a\x01/>",
		"<a>\x01</a>",
		"<a>\xff</a>",
		"<a>\xc3</a>",
		"<a>\x7f\xed\xa0\x80</a>",
		"<a/></relation>",
		"<a b='",
		"<a b='1",
		"<a b=",
	};
	GString *deep = g_string_new(NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(good); i++)
		g_assert_true(hdFragmentIsValid(good[i], strlen(good[i])));
	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
		g_assert_false(hdFragmentIsValid(bad[i], strlen(bad[i])));
	for (int i = 0; i < HD_FRAGMENT_DEPTH; i++)
		g_string_append(deep, "<a>");
	for (int i = 0; i < HD_FRAGMENT_DEPTH; i++)
		g_string_append(deep, "</a>");
	g_assert_true(hdFragmentIsValid(deep->str, deep->len));
	g_string_prepend(deep, "<b>");
	g_string_append(deep, "</b>");
	g_assert_false(hdFragmentIsValid(deep->str, deep->len));
	g_string_free(deep, TRUE);
}

/* ---- Hints ------------------------------------------------------------- */

static void testHints(void)
{
	char *longest = g_strnfill(HDR_MAX_HINT_LENGTH + 1, 'v');
	char *key = g_strnfill(HDR_MAX_HINT_KEY_LENGTH + 1, 'k');
	hdR_topoToken node = openNode("hints", "");
	hdR_hints *hints = NULL, *copy;
	unsigned char *bytes;
	char text[HDR_TOKEN_SIZE];
	size_t length, needed;
	hdR_token a, b;

	g_assert_null(hdR_getHint(NULL, "a", &length));
	g_assert_cmpuint(length, ==, 0);
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_addHint(NULL, "a", "b", 1));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_addHint(&hints, "", "b", 1));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_addHint(&hints, NULL, "b", 1));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_addHint(&hints, "a", NULL, 1));
	testFails(HD_ERR_BUFFER_OVERFLOW, hdR_addHint(&hints, key, "b", 1));
	testFails(HD_ERR_BUFFER_OVERFLOW,
		  hdR_addHint(&hints, "a", longest, HDR_MAX_HINT_LENGTH + 1));
	g_assert_null(hints);
	g_assert_cmpuint(hdR_encodeHints(NULL, NULL, 0), ==, 5);

	testMakes(a, hdR_createTopLevelRelation(node));
	testWorks(hdR_addHint(&hints, "a", "old", 3));
	testWorks(hdR_addHint(&hints, "bytes", "\0\xff", 2));
	testWorks(hdR_addHint(&hints, "a", "a newer one", 11));
	testWorks(hdR_addHint(&hints, "none", NULL, 0));
	testWorks(hdR_addHint(&hints, "l", longest, HDR_MAX_HINT_LENGTH));
	testWorks(hdR_addTokenHint(&hints, a));
	needed = hdR_encodeHints(hints, NULL, 0);
	bytes = g_malloc(needed);
	memset(bytes, 0x55, needed);
	g_assert_cmpuint(hdR_encodeHints(hints, bytes, needed - 1), ==, needed);
	g_assert_cmpuint(bytes[0], ==, 0x55);
	g_assert_cmpuint(hdR_encodeHints(hints, bytes, needed), ==, needed);
	testWorks(hdR_decodeHints(&copy, bytes, needed));
	hdR_freeHints(&hints);
	g_assert_null(hints);
	g_assert_cmpstr(hdR_getHint(copy, "a", &length), ==, "a newer one");
	g_assert_cmpuint(length, ==, 11);
	g_assert_cmpmem(hdR_getHint(copy, "bytes", NULL), 3, "\0\xff", 3);
	g_assert_cmpstr(hdR_getHint(copy, "none", &length), ==, "");
	g_assert_cmpuint(length, ==, 0);
	g_assert_null(hdR_getHint(copy, "bytes2", NULL));
	g_assert_null(hdR_getHint(copy, "byte", NULL));
	hdR_putRemoteToken(a, text, sizeof(text));
	g_assert_cmpstr(hdR_getHint(copy, HDR_HINT_TOKEN, NULL), ==, text);
	testMakes(b, hdR_relateHint(node, copy));
	g_assert_null(hdR_relateHint(NULL, copy));
	/* Others put what they like. */
	testWorks(hdR_addHint(&copy, HDR_HINT_TOKEN, "h:1:2:3\0x", 9));
	testFailsNull(HD_ERR_INVALID_ARGUMENT, hdR_relateHint(node, copy));
	for (int i = 0; i < HDR_MAX_HINTS - 5; i++) {
		g_snprintf(key, 9, "%d", i);
		testWorks(hdR_addHint(&copy, key, "", 0));
	}
	testFails(HD_ERR_BUFFER_OVERFLOW, hdR_addHint(&copy, "one", "", 0));
	testWorks(hdR_addHint(&copy, "a", "", 0));
	hdR_freeHints(&copy);
	hdR_freeHints(&copy);
	hdR_freeHints(NULL);
	testWorks(hdR_destroyRelation(&a));
	testWorks(hdR_destroyRelation(&b));
	testWorks(hdR_finalize(&node));
	g_free(bytes);
	g_free(longest);
	g_free(key);
}

/* Every cut of a list, every byte of it changed, and bytes by chance. */
static void testHintBytes(void)
{
	struct testRandom random = { testSeed() };
	hdR_hints *hints = NULL, *other;
	unsigned char bytes[256];
	size_t length;

	testWorks(hdR_addHint(&hints, "key", "value", 5));
	testWorks(hdR_addHint(&hints, "k", "", 0));
	length = hdR_encodeHints(hints, bytes, sizeof(bytes));
	hdR_freeHints(&hints);
	for (size_t cut = 0; cut < length; cut++)
		testFails(HD_ERR_INVALID_ARGUMENT,
			  hdR_decodeHints(&other, bytes, cut));
	testFails(HD_ERR_INVALID_ARGUMENT,
		  hdR_decodeHints(&other, bytes, length + 1));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_decodeHints(&other, NULL, 9));
	testFails(HD_ERR_INVALID_ARGUMENT, hdR_decodeHints(NULL, bytes, 9));
	for (int i = 0; i < 100000; i++) {
		unsigned char changed[sizeof(bytes)];
		size_t size = testRandomBelow(&random, length + 20);

		memcpy(changed, bytes, sizeof(bytes));
		for (uint64_t n = testRandomBelow(&random, 4); n-- > 0;)
			changed[testRandomBelow(&random, length)] =
				(unsigned char)testRandomBits(&random);
		/* A list that is taken gives the same bytes again. */
		if (hdR_decodeHints(&other, changed, size) == 0) {
			unsigned char again[sizeof(bytes)];

			g_assert_cmpuint(hdR_encodeHints(other, again, size),
					 ==, size);
			g_assert_cmpmem(again, size, changed, size);
		} else {
			g_assert_null(other);
		}
		hdR_freeHints(&other);
	}
}

/* ---- Time -------------------------------------------------------------- */

/* A clock that steps back: times of a relation do not, and it is counted. One
 * that cannot be read. */
static void testTimes(void)
{
	struct testRelFile *file;
	hdR_topoToken node;
	hdLosses losses;
	hdR_token a, b;

	testClockSet(START, 0);
	node = openNode("times", "");
	testMakes(a, hdR_createTopLevelRelation(node));
	testClockSet(START - 5, 0);
	testWorks(hdR_startS(a, "a"));
	testMakes(b, hdR_createTopLevelRelation(node));
	testWorks(hdR_getLosses(node, &losses));
	g_assert_cmpuint(losses.times, ==, 1);
	g_assert_cmpuint(losses.records, ==, 0);
	testClockBreak();
	testFailsNull(HD_ERR_GET_TIME, hdR_createTopLevelRelation(node));
	testFails(HD_ERR_GET_TIME, hdR_startS(a, "no"));
	testFails(HD_ERR_GET_TIME, hdR_endS(a));
	testFails(HD_ERR_INVALID_CONTEXT, hdR_endS(a));
	testFails(HD_ERR_GET_TIME, hdR_destroyRelation(&a));
	g_assert_null(a);
	testClockReset();
	testWorks(hdR_destroyRelation(&b));
	testWorks(hdR_finalize(&node));
	file = testRelRead("times.rel");
	testRelCheck(file);
	checkElement(file, 1, "s", 0, START);
	/* Before the file's first second: at its begin. */
	checkElement(file, 2, "rel", 1, START);
	checkElement(file, 3, "e", 0, START);
	checkElement(file, 4, "un", 0, START);
	testRelFree(file);
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	g_test_add_func("/relation/interleaved", testInterleaved);
	g_test_add_func("/relation/together", testTogether);
	g_test_add_func("/relation/together/refused", testNotTogether);
	g_test_add_func("/relation/finished", testFinished);
	g_test_add_func("/relation/attributes", testAttributes);
	g_test_add_func("/relation/limits", testLimits);
	g_test_add_func("/relation/null", testNull);
	g_test_add_func("/relation/disabled", testDisabled);
	g_test_add_func("/relation/tokens", testTokens);
	g_test_add_func("/relation/hostile", testHostile);
	g_test_add_func("/relation/message", testMessage);
	g_test_add_func("/relation/ids", testIds);
	g_test_add_func("/relation/fragment", testFragment);
	g_test_add_func("/relation/hints", testHints);
	g_test_add_func("/relation/hints/bytes", testHintBytes);
	g_test_add_func("/relation/times", testTimes);
	return testRun();
}
