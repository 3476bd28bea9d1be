/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads .rel files; see relfile.h. */
#include "config.h"

#include <string.h>

#include "tests/lib/relfile.h"
#include "tests/lib/testlib.h"

struct parse {
	struct testRelFile *file;
	int depth;
};

static void elementFree(void *data)
{
	struct testRelElement *element = data;

	g_free(element->name);
	g_free(element->inside);
	g_hash_table_unref(element->attributes);
	g_free(element);
}

static GHashTable *attributesOf(const char **names, const char **values)
{
	GHashTable *table =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);

	for (size_t i = 0; names[i]; i++)
		g_assert_true(g_hash_table_insert(table, g_strdup(names[i]),
						  g_strdup(values[i])));
	return table;
}

static uint64_t numberOf(const char *text)
{
	char *end;
	uint64_t number;

	g_assert_nonnull(text);
	g_assert_true(g_ascii_isdigit(*text));
	number = g_ascii_strtoull(text, &end, 10);
	g_assert_cmpstr(end, ==, "");
	return number;
}

/* Seconds with nine digits behind the point. */
static int64_t timeOf(const char *text)
{
	const char *point;
	int64_t seconds;
	char *end;

	g_assert_nonnull(text);
	point = strchr(text, '.');
	g_assert_nonnull(point);
	g_assert_cmpuint(strlen(point), ==, 10);
	seconds = (int64_t)g_ascii_strtoull(text, &end, 10);
	g_assert_true(end == point);
	return seconds * 1000000000 + (int64_t)numberOf(point + 1);
}

static void start(GMarkupParseContext *context, const char *name,
		  const char **names, const char **values, void *data,
		  GError **error)
{
	struct parse *parse = data;
	struct testRelElement *element;
	GPtrArray *elements = parse->file->elements;

	(void)context;
	(void)error;
	if (parse->depth++ == 0) {
		g_assert_cmpstr(name, ==, "relation");
		parse->file->header = attributesOf(names, values);
		return;
	}
	if (parse->depth > 2) {
		element = g_ptr_array_index(elements, elements->len - 1);
		if (parse->depth == 3) {
			char *inside =
				g_strconcat(element->inside, name, " ", NULL);

			g_free(element->inside);
			element->inside = inside;
		}
		return;
	}
	element = g_new0(struct testRelElement, 1);
	element->name = g_strdup(name);
	element->inside = g_strdup("");
	element->attributes = attributesOf(names, values);
	element->token = numberOf(testRelGet(element, "t"));
	element->time = timeOf(testRelGet(element, "time")) +
			(int64_t)numberOf(g_hash_table_lookup(
				parse->file->header, "timeAdjustment")) *
				1000000000;
	g_ptr_array_add(elements, element);
}

static void end(GMarkupParseContext *context, const char *name, void *data,
		GError **error)
{
	(void)context;
	(void)name;
	(void)error;
	((struct parse *)data)->depth--;
}

/* Between elements there is nothing, but for the line end of the header. */
static void text(GMarkupParseContext *context, const char *bytes, size_t length,
		 void *data, GError **error)
{
	struct parse *parse = data;

	(void)context;
	(void)error;
	if (parse->depth == 1 && parse->file->elements->len == 0)
		g_assert_cmpmem(bytes, length, "\n", 1);
	else if (parse->depth < 2)
		g_assert_cmpuint(length, ==, 0);
}

static struct testRelFile *readFile(const char *path, bool isCut)
{
	static const GMarkupParser parser = { start, end, text, NULL, NULL };
	struct testRelFile *file = g_new0(struct testRelFile, 1);
	struct parse parse = { .file = file };
	GMarkupParseContext *context;
	GError *error = NULL;
	size_t length;
	char *bytes = testRead(path, &length);

	if (isCut) {
		char *last = g_strrstr(bytes, "/>");

		length = last ? (size_t)(last - bytes) + 2 : 0;
		bytes[length] = '\0';
	}
	file->elements = g_ptr_array_new_with_free_func(elementFree);
	file->isComplete = g_str_has_suffix(bytes, "</relation>");
	context = g_markup_parse_context_new(&parser, 0, &parse, NULL);
	g_markup_parse_context_parse(context, bytes, (gssize)length, &error);
	g_assert_no_error(error);
	if (!file->isComplete)
		g_markup_parse_context_parse(context, "</relation>", -1,
					     &error);
	g_assert_no_error(error);
	g_markup_parse_context_end_parse(context, &error);
	g_assert_no_error(error);
	g_markup_parse_context_free(context);
	g_free(bytes);
	return file;
}

struct testRelFile *testRelRead(const char *path)
{
	return readFile(path, false);
}

struct testRelFile *testRelReadCut(const char *path)
{
	return readFile(path, true);
}

void testRelFree(struct testRelFile *file)
{
	g_ptr_array_unref(file->elements);
	g_hash_table_unref(file->header);
	g_free(file);
}

size_t testRelCount(const struct testRelFile *file, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < file->elements->len; i++)
		count += strcmp(testRelAt(file, i)->name, name) == 0;
	return count;
}

const struct testRelElement *testRelAt(const struct testRelFile *file, size_t n)
{
	g_assert_cmpuint(n, <, file->elements->len);
	return g_ptr_array_index(file->elements, n);
}

const char *testRelGet(const struct testRelElement *element, const char *key)
{
	return g_hash_table_lookup(element->attributes, key);
}

struct known {
	int64_t time;
	int depth;
	bool isOver;
};

void testRelCheck(const struct testRelFile *file)
{
	GHashTable *all = g_hash_table_new_full(g_int64_hash, g_int64_equal,
						NULL, g_free);

	for (size_t i = 0; i < file->elements->len; i++) {
		struct testRelElement *element =
			g_ptr_array_index(file->elements, i);
		struct known *known = g_hash_table_lookup(all, &element->token);

		if (strcmp(element->name, "rel") == 0) {
			g_assert_null(known);
			known = g_new0(struct known, 1);
			g_hash_table_insert(all, &element->token, known);
		}
		g_assert_nonnull(known);
		g_assert_false(known->isOver);
		g_assert_cmpint(element->time, >=, known->time);
		known->time = element->time;
		if (strcmp(element->name, "s") == 0)
			known->depth++;
		else if (strcmp(element->name, "e") == 0)
			g_assert_cmpint(known->depth--, >, 0);
		else if (strcmp(element->name, "un") == 0)
			known->isOver = true;
	}
	g_hash_table_unref(all);
}
