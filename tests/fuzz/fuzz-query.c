/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: queries of hdtrace dump --where, and what they are asked of: the
 * text after a zero byte is the name, rank and attribute of an item. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include <glib.h>

#include "HDTraceTools/choice/query.h"
#include "tests/fuzz/fuzz.h"

static const char *attributeIs(const void *data, const char *name)
{
	must(*name);
	return data;
}

static void checkError(const char *text, struct queryError *error)
{
	const char *end;

	must(g_utf8_validate(error->message, -1, NULL));
	must(error->column >= 1);
	g_utf8_validate(text, -1, &end);
	must(*end || error->column <= (size_t)g_utf8_strlen(text, -1) + 1);
	g_free(error->message);
}

static void checkQuery(struct query *query, const char *text)
{
	const char *const texts[] = { text, "", NULL };
	struct queryItem item = { 0 };
	bool matches;

	queryMatches(query, &item);
	item = (struct queryItem){
		.name = text,
		.group = text,
		.rank = text,
		.thread = text,
		.nodes = texts,
		.waits = texts,
		.start = INT64_MIN / 2,
		.end = INT64_MAX / 2,
		.attribute = attributeIs,
		.data = text,
	};
	querySetStart(query, INT64_MAX);
	matches = queryMatches(query, &item);
	must(!matches || queryMatchesPlace(query, &item));
	must(matches == queryMatches(query, &item));
	queryHasWaits(query);
	queryNeedsStart(query);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = g_strndup((const char *)data, size);
	size_t length = strlen(text);
	char *rest = length < size ? g_strndup((const char *)data + length + 1,
					       size - length - 1)
				   : g_strdup(text);
	struct query *query = NULL;
	struct queryError error = { 0, NULL };
	int ret = queryParse(text, &query, &error);

	must(ret == 0 || ret == -EINVAL);
	must((ret == 0) == (query != NULL));
	must((ret < 0) == (error.message != NULL));
	if (ret == 0)
		checkQuery(query, rest);
	else
		checkError(text, &error);
	queryFree(query);
	g_free(text);
	g_free(rest);
	return 0;
}
