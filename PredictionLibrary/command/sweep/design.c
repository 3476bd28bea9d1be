/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The points of a sweep; see design.h. */
#include "config.h"

#include <string.h>

#include "PredictionLibrary/command/lines.h"
#include "PredictionLibrary/command/sweep/design.h"
#include "cli/errors.h"

void designInit(struct design *self)
{
	*self = (struct design){
		.names = g_ptr_array_new(),
		.values = g_ptr_array_new(),
		.count = 1,
		.texts = g_string_chunk_new(1024),
	};
}

void designClear(struct design *self)
{
	g_ptr_array_unref(self->names);
	g_ptr_array_unref(self->values);
	g_string_chunk_free(self->texts);
}

const char *designValue(const struct design *self, size_t point, size_t name)
{
	return self->values->pdata[point * self->names->len + name];
}

static char *designAddName(struct design *self, const char *name)
{
	for (guint i = 0; i < self->names->len; i++) {
		if (strcmp(self->names->pdata[i], name) == 0)
			return g_strdup_printf("%s is varied twice", name);
	}
	if (!*name)
		return g_strdup("a parameter without a name");
	g_ptr_array_add(self->names,
			g_string_chunk_insert_const(self->texts, name));
	return NULL;
}

/* Split at ';' if there is one, else at commas; without blanks around. */
static char **designSplitText(const char *text, const char *mark)
{
	char **list = g_strsplit(text, mark, -1);

	for (char **i = list; *i; i++)
		g_strstrip(*i);
	return list;
}

static const char *markOf(const char *text)
{
	return strchr(text, ';') ? ";" : ",";
}

/* Each point becomes as many as there are rows: of width values each. */
static char *designMultiply(struct design *self, const GPtrArray *rows,
			    guint width)
{
	guint old = self->names->len - width, count = rows->len / width;
	GPtrArray *values;

	if (self->count > DESIGN_POINTS_MAX / MAX(count, 1))
		return g_strdup_printf("more than %d points",
				       DESIGN_POINTS_MAX);
	values = g_ptr_array_new();
	for (size_t p = 0; p < self->count; p++) {
		for (guint r = 0; r < count; r++) {
			for (guint i = 0; i < old; i++)
				g_ptr_array_add(
					values,
					self->values->pdata[p * old + i]);
			for (guint i = 0; i < width; i++)
				g_ptr_array_add(values,
						rows->pdata[r * width + i]);
		}
	}
	g_ptr_array_unref(self->values);
	self->values = values;
	self->count *= count;
	return NULL;
}

/* Add the values of a row; what is wrong, to be freed, or NULL. */
static char *designAddRow(struct design *self, GPtrArray *rows, char **list)
{
	for (; *list; list++) {
		if (!**list)
			return g_strdup("a value is missing");
		g_ptr_array_add(
			rows, g_string_chunk_insert_const(self->texts, *list));
	}
	return NULL;
}

char *designVary(struct design *self, const char *text)
{
	const char *is = strchr(text, '=');
	GPtrArray *rows;
	char *name, *wrong, **list;

	if (!is)
		return g_strdup_printf(
			"invalid parameter \"%s\"; expected NAME=VALUE,VALUE",
			text);
	name = g_strstrip(g_strndup(text, (gsize)(is - text)));
	wrong = designAddName(self, name);
	g_free(name);
	if (wrong)
		return wrong;
	rows = g_ptr_array_new();
	list = designSplitText(is + 1, markOf(is + 1));
	wrong = *list ? designAddRow(self, rows, list)
		      : g_strdup_printf("\"%s\" has no value", text);
	if (!wrong)
		wrong = designMultiply(self, rows, 1);
	g_strfreev(list);
	g_ptr_array_unref(rows);
	return wrong;
}

/* A line of a table: names first, then values. */
static char *designAddLine(struct design *self, GPtrArray *rows,
			   const char *line, const char *mark, guint *width)
{
	char **list = designSplitText(line, mark), *wrong = NULL;
	guint count = g_strv_length(list);

	if (*width == 0) {
		for (char **i = list; *i && !wrong; i++)
			wrong = designAddName(self, *i);
		*width = count;
	} else if (count != *width) {
		wrong = g_strdup_printf("%u values for %u names", count,
					*width);
	} else {
		wrong = designAddRow(self, rows, list);
	}
	g_strfreev(list);
	return wrong;
}

static char *addTable(struct design *self, char **lines)
{
	GPtrArray *rows = g_ptr_array_new();
	const char *mark = NULL;
	char *wrong = NULL;
	guint width = 0;

	for (guint i = 0; lines[i] && !wrong; i++) {
		g_strstrip(lines[i]);
		if (!*lines[i] || *lines[i] == '#')
			continue;
		if (!mark)
			mark = markOf(lines[i]);
		wrong = designAddLine(self, rows, lines[i], mark, &width);
		if (wrong) {
			char *text =
				g_strdup_printf("line %u: %s", i + 1, wrong);

			g_free(wrong);
			wrong = text;
		}
	}
	if (!wrong && rows->len == 0)
		wrong = g_strdup("no points");
	if (!wrong)
		wrong = designMultiply(self, rows, width);
	g_ptr_array_unref(rows);
	return wrong;
}

char *designRead(struct design *self, const char *path)
{
	GError *error = NULL;
	char *text, *wrong, *said, **lines;

	if (!g_file_get_contents(path, &text, NULL, &error)) {
		wrong = g_strdup_printf(CLI_TEXT_OPEN, path,
					linesReason(error));
		g_error_free(error);
		return wrong;
	}
	lines = g_strsplit(text, "\n", -1);
	said = addTable(self, lines);
	wrong = said ? g_strdup_printf("%s: %s", path, said) : NULL;
	g_free(said);
	g_strfreev(lines);
	g_free(text);
	return wrong;
}
