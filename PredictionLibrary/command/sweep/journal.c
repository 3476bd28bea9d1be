/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of a sweep in a file; see journal.h. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "PredictionLibrary/command/sweep/journal.h"
#include "common/number.h"

#define JOURNAL_MARK "hdpredict-sweep-2"

void sweepRowsInit(struct sweepRows *self, const GPtrArray *names, size_t count,
		   bool hasSamples)
{
	self->names = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; i < names->len; i++)
		g_ptr_array_add(self->names, g_strdup(names->pdata[i]));
	self->count = count;
	self->rows = g_new0(struct sweepRow, count);
	self->hasSamples = hasSamples;
}

void sweepRowsClear(struct sweepRows *self)
{
	for (size_t i = 0; i < self->count; i++) {
		g_free(self->rows[i].error);
		if (self->rows[i].texts)
			g_ptr_array_unref(self->rows[i].texts);
	}
	g_free(self->rows);
	if (self->names)
		g_ptr_array_unref(self->names);
}

/* ---- Lines ------------------------------------------------------------- */

static void journalAddText(GString *out, const char *text)
{
	char *escaped = g_strescape(text, NULL);

	g_string_append_c(out, '\t');
	g_string_append(out, escaped);
	g_free(escaped);
}

static char *firstLine(const char *digest, const struct sweepRows *rows)
{
	GString *out = g_string_new(JOURNAL_MARK);

	g_string_append_printf(out, "\t%s\t%zu\t%d", digest, rows->count,
			       rows->hasSamples);
	for (guint i = 0; i < rows->names->len; i++)
		journalAddText(out, rows->names->pdata[i]);
	return g_string_free(out, FALSE);
}

/* Fields of a line, without escapes. */
static char **fieldsOf(const char *line)
{
	char **fields = g_strsplit(line, "\t", -1);

	for (char **i = fields; *i; i++) {
		char *text = g_strcompress(*i);

		g_free(*i);
		*i = text;
	}
	return fields;
}

static bool journalReadValue(const char *text, double *value)
{
	char *end;

	*value = *text ? g_ascii_strtod(text, &end) : NAN;
	return !*text || (end != text && !*end);
}

/* The row that fields say; false: they say none. */
static bool journalReadRow(char **fields, struct sweepRows *rows)
{
	guint names = rows->names->len;
	struct sweepRow row = { .isThere = true };
	struct sweepRow *place;
	guint64 point;
	char *end;

	if (g_strv_length(fields) != names + POINT_VALUES + 2)
		return false;
	point = g_ascii_strtoull(fields[0], &end, 10);
	if (end == fields[0] || *end || point < 1 || point > rows->count)
		return false;
	for (guint i = 0; i < POINT_VALUES; i++) {
		if (!journalReadValue(fields[1 + names + i], &row.values[i]))
			return false;
	}
	place = &rows->rows[point - 1];
	if (place->isThere)
		return true;
	row.texts = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; i < names; i++)
		g_ptr_array_add(row.texts, g_strdup(fields[1 + i]));
	if (*fields[1 + names + POINT_VALUES])
		row.error = g_strdup(fields[1 + names + POINT_VALUES]);
	*place = row;
	return true;
}

/* Read rows; the length of what was complete, or -1 and what is wrong. */
static gssize readRows(const char *path, const char *text,
		       struct sweepRows *rows, char **wrong)
{
	const char *line = strchr(text, '\n') + 1, *end;

	for (size_t number = 2; (end = strchr(line, '\n')); number++) {
		char *copy = g_strndup(line, (gsize)(end - line));
		char **fields = fieldsOf(copy);
		bool isGood = journalReadRow(fields, rows);

		g_strfreev(fields);
		g_free(copy);
		if (!isGood) {
			*wrong = g_strdup_printf("%s:%zu: not a row of a sweep",
						 path, number);
			return -1;
		}
		line = end + 1;
	}
	return line - text;
}

/* ---- Reading ----------------------------------------------------------- */

static const char noRows[] = "not rows of a sweep";

/* The first line, to be freed; NULL: it is not one of ours. */
static char *headOf(const char *text)
{
	const char *end = strchr(text, '\n');

	return end && g_str_has_prefix(text, JOURNAL_MARK "\t")
		       ? g_strndup(text, (gsize)(end - text))
		       : NULL;
}

static bool journalReadHead(char **fields, char **digest,
			    struct sweepRows *rows)
{
	GPtrArray *names;
	guint64 count;
	char *end;

	if (g_strv_length(fields) < 4)
		return false;
	count = g_ascii_strtoull(fields[2], &end, 10);
	if (*end || count < 1 || count > DESIGN_POINTS_MAX)
		return false;
	names = g_ptr_array_new();
	for (char **i = fields + 4; *i; i++)
		g_ptr_array_add(names, *i);
	sweepRowsInit(rows, names, count, strcmp(fields[3], "1") == 0);
	g_ptr_array_unref(names);
	*digest = g_strdup(fields[1]);
	return true;
}

char *journalJoin(const char *path, char **digest, struct sweepRows *rows)
{
	char *text, *head, *wrong = NULL, **fields;
	GError *error = NULL;

	if (!g_file_get_contents(path, &text, NULL, &error)) {
		wrong = g_strdup(error->message);
		g_error_free(error);
		return wrong;
	}
	head = headOf(text);
	fields = fieldsOf(head ? head : "");
	if (!head || (!*digest && !journalReadHead(fields, digest, rows)))
		wrong = linesWrong(path, noRows);
	else if (g_strv_length(fields) < 4 || strcmp(fields[1], *digest) != 0)
		wrong = g_strdup_printf("%s: belongs to another sweep", path);
	else
		readRows(path, text, rows, &wrong);
	g_strfreev(fields);
	g_free(head);
	g_free(text);
	return wrong;
}

/* ---- Writing ----------------------------------------------------------- */

static char *journalLoad(struct lines *self, const char *text, const char *head,
			 bool isForced, struct sweepRows *rows)
{
	char *old = headOf(text), *wrong = NULL;
	gssize length = 0;
	int ret;

	/* Of a first line that is not complete nothing is lost. */
	if (old && strcmp(old, head) == 0)
		length = readRows(self->path, text, rows, &wrong);
	else if (!isForced &&
		 (old || strchr(text, '\n') || !g_str_has_prefix(head, text)))
		wrong = old ? linesWrong(self->path,
					 "belongs to another sweep, or a model "
					 "has changed; use -f to replace it")
			    : linesWrong(self->path, noRows);
	ret = wrong ? 0 : linesStart(self, (size_t)length, head);
	if (ret < 0)
		wrong = linesWrong(self->path, g_strerror(-ret));
	g_free(old);
	return wrong;
}

char *journalOpen(struct lines *self, const char *path, const char *digest,
		  bool isForced, struct sweepRows *rows)
{
	char *text, *head;
	char *wrong = linesOpen(self, path, "in use by another sweep", &text);

	if (wrong)
		return wrong;
	head = firstLine(digest, rows);
	wrong = journalLoad(self, text, head, isForced, rows);
	g_free(head);
	g_free(text);
	return wrong;
}

int journalAdd(struct lines *self, size_t point, const struct design *design,
	       const struct sweepRow *row)
{
	GString *out;
	int ret;

	if (!self->path)
		return 0;
	out = g_string_new(NULL);
	g_string_append_printf(out, "%zu", point + 1);
	for (guint i = 0; i < design->names->len; i++)
		journalAddText(out, designValue(design, point, i));
	for (int i = 0; i < POINT_VALUES; i++) {
		char text[HD_DOUBLE_MAX];

		g_string_append_c(out, '\t');
		if (!isnan(row->values[i]))
			g_string_append_len(
				out, text,
				hdNumberDouble(text, row->values[i]) - text);
	}
	journalAddText(out, row->error ? row->error : "");
	g_string_append_c(out, '\n');
	ret = linesAdd(self, out->str, out->len);
	g_string_free(out, TRUE);
	return ret;
}
