/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Queries: what matches, and the message and column of what is not a query. The
 * cases are those of tests/fixtures/query/cases.json, which the page's test
 * reads as well. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include <glib.h>
#include <jansson.h>

#include "HDTraceTools/choice/query.h"
#include "common/format/seconds.h"

static json_t *cases;

static const char *textOf(const json_t *item, const char *key)
{
	return json_string_value(json_object_get(item, key));
}

static int64_t secondsOf(const json_t *item, const char *key)
{
	const char *text = textOf(item, key);
	int64_t ns = 0;

	if (text)
		g_assert_cmpint(hdSecondsParse(text, &ns), ==, 0);
	return ns;
}

/* Up to seven texts. */
static const char *const *textsOf(const json_t *item, const char *key,
				  const char **texts)
{
	const json_t *list = json_object_get(item, key);
	size_t count = json_array_size(list);

	for (size_t i = 0; i < count; i++)
		texts[i] = json_string_value(json_array_get(list, i));
	texts[count] = NULL;
	return texts;
}

static const char *attributeOf(const void *data, const char *name)
{
	return textOf(json_object_get(data, "attributes"), name);
}

static bool isMatch(const struct query *query, const json_t *item)
{
	const char *nodes[8], *waits[8];
	struct queryItem asked = {
		.name = textOf(item, "name"),
		.group = textOf(item, "group"),
		.rank = textOf(item, "rank"),
		.thread = textOf(item, "thread"),
		.nodes = textsOf(item, "nodes", nodes),
		.start = secondsOf(item, "from"),
		.end = secondsOf(item, "to"),
		.waits = textsOf(item, "waits", waits),
		.waited = secondsOf(item, "waited"),
		.attribute = attributeOf,
		.data = item,
	};
	bool matches;

	matches = queryMatches(query, &asked);
	/* The place is a part of it. */
	g_assert_true(!matches || queryMatchesPlace(query, &asked));
	return matches;
}

static bool isListed(const json_t *list, const char *name)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		if (strcmp(json_string_value(json_array_get(list, i)), name) ==
		    0)
			return true;
	}
	return false;
}

static void testMatches(void)
{
	json_t *queries = json_object_get(cases, "queries");
	json_t *items = json_object_get(cases, "items");
	size_t i;
	json_t *one, *item;
	const char *name;

	g_assert_cmpuint(json_array_size(queries), >, 90);
	json_array_foreach(queries, i, one)
	{
		const char *text = textOf(one, "query");
		struct query *query = NULL;
		struct queryError error = { 0 };
		int ret = queryParse(text, &query, &error);

		if (ret != 0)
			g_error("%s: column %zu: %s", text, error.column,
				error.message);
		querySetStart(query, secondsOf(cases, "start"));
		json_object_foreach(items, name, item)
		{
			bool expected =
				isListed(json_object_get(one, "matches"), name);

			if (isMatch(query, item) != expected)
				g_error("%s: %s %s", text, name,
					expected ? "does not match"
						 : "matches");
		}
		queryFree(query);
	}
}

static void testErrors(void)
{
	json_t *errors = json_object_get(cases, "errors");
	size_t i;
	json_t *one;

	g_assert_cmpuint(json_array_size(errors), >, 50);
	json_array_foreach(errors, i, one)
	{
		const char *text = textOf(one, "query");
		struct query *query = NULL;
		struct queryError error = { 0 };

		if (queryParse(text, &query, &error) != -EINVAL)
			g_error("%s: is a query", text);
		g_assert_null(query);
		if (strcmp(error.message, textOf(one, "text")) != 0 ||
		    (json_int_t)error.column !=
			    json_integer_value(json_object_get(one, "column")))
			g_error("%s: column %zu: %s", text, error.column,
				error.message);
		g_free(error.message);
	}
}

/* JSON cannot say this one. */
static void testBytes(void)
{
	struct query *query = NULL;
	struct queryError error = { 0 };
	struct queryItem item = { .name = "a\xff" };

	g_assert_cmpint(queryParse("name=\xc3\xa4 \xff", &query, &error), ==,
			-EINVAL);
	g_assert_cmpuint(error.column, ==, 8);
	g_assert_cmpstr(error.message, ==, "not UTF-8");
	g_free(error.message);
	/* A byte of a name that is not UTF-8 is one character. */
	g_assert_cmpint(queryParse("name=a?", &query, &error), ==, 0);
	g_assert_true(queryMatches(query, &item));
	item.name = "a\xff\xff";
	g_assert_false(queryMatches(query, &item));
	queryFree(query);
	queryFree(NULL);
}

/* Many stars in a pattern that does not match take no exponential time. */
static void testStars(void)
{
	GString *text = g_string_new("name=");
	char *name = g_strnfill(10000, 'a');
	struct queryItem item = { .name = name };
	struct query *query = NULL;
	struct queryError error = { 0 };

	for (int i = 0; i < 100; i++)
		g_string_append(text, "*a");
	g_string_append(text, "b");
	g_assert_cmpint(queryParse(text->str, &query, &error), ==, 0);
	g_assert_false(queryMatches(query, &item));
	queryFree(query);
	g_free(name);
	g_string_free(text, TRUE);
}

int main(int argc, char **argv)
{
	const char *top = g_getenv("abs_top_srcdir");
	char *path = g_build_filename(top ? top : ".", "tests", "fixtures",
				      "query", "cases.json", NULL);
	json_error_t error;
	int status;

	g_test_init(&argc, &argv, NULL);
	cases = json_load_file(path, 0, &error);
	if (!cases)
		g_error("%s: %s", path, error.text);
	g_test_add_func("/query/matches", testMatches);
	g_test_add_func("/query/errors", testErrors);
	g_test_add_func("/query/bytes", testBytes);
	g_test_add_func("/query/stars", testStars);
	status = g_test_run();
	json_decref(cases);
	g_free(path);
	return status;
}
