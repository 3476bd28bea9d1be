/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The usage file; see usage.h and doc/power-saving.md.
 *
 * The key "learnt" of a phase is a checksum of its other lines. If they differ,
 * a user has edited the phase, and it is kept as it is.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/usage/usage.h"

#define WRITE_PHASE "[phase "
#define WRITE_LEARNT "learnt"

const char *const usageLoadKeys[USAGE_LOADS] = {
	[USAGE_CPU] = "cpu_percent",
	[USAGE_BANDWIDTH] = "memory_bandwidth_bytes_per_s",
	[USAGE_NETWORK] = "network_bytes_per_s",
	[USAGE_READ] = "disk_read_bytes_per_s",
	[USAGE_WRITE] = "disk_write_bytes_per_s",
};

/* ---- Sections ---------------------------------------------------------- */

/* FNV-1a, of all lines but blank ones and that of the checksum. */
static guint64 usageWriteSum(const char *section)
{
	char **lines = g_strsplit(section, "\n", -1);
	guint64 sum = G_GUINT64_CONSTANT(0xcbf29ce484222325);

	/* The name may change: a phase that has another one is another one. */
	for (size_t i = 0; lines[i]; i++) {
		const char *line = g_strstrip(lines[i]);

		if (!*line || g_str_has_prefix(line, WRITE_LEARNT " ") ||
		    g_str_has_prefix(line, WRITE_LEARNT "="))
			continue;
		for (; *line; line++)
			sum = (sum ^ (guchar)*line) *
			      G_GUINT64_CONSTANT(0x100000001b3);
		sum = (sum ^ '\n') * G_GUINT64_CONSTANT(0x100000001b3);
	}
	g_strfreev(lines);
	return sum;
}

/* Whether the lines of a section are those that were learnt. */
static bool usageWriteIsEdited(const char *section)
{
	char **lines = g_strsplit(section, "\n", -1);
	char *expected = g_strdup_printf("%016" G_GINT64_MODIFIER "x",
					 usageWriteSum(section));
	bool isLearnt = false;

	for (size_t i = 0; lines[i]; i++) {
		char *line = g_strstrip(lines[i]);

		if (!g_str_has_prefix(line, WRITE_LEARNT))
			continue;
		line = g_strchug(line + strlen(WRITE_LEARNT));
		isLearnt |= *line == '=' &&
			    strcmp(g_strchug(line + 1), expected) == 0;
	}
	g_free(expected);
	g_strfreev(lines);
	return !isLearnt;
}

/* A value for each clock, "-" where it is unknown; nothing if all are. */
static void usageWriteList(GString *text, const char *key, const GArray *points,
			   size_t offset)
{
	GString *list = g_string_new(NULL);
	bool isKnown = false;

	for (guint i = 0; i < points->len; i++) {
		const char *point =
			points->data + i * sizeof(struct usagePoint);
		double value;
		char number[G_ASCII_DTOSTR_BUF_SIZE];

		memcpy(&value, point + offset, sizeof(value));
		isKnown |= !isnan(value);
		g_ascii_formatd(number, sizeof(number), "%.6g", value);
		g_string_append_printf(list, " %s",
				       isnan(value) ? "-" : number);
	}
	if (isKnown)
		g_string_append_printf(text, "%s =%s\n", key, list->str);
	g_string_free(list, TRUE);
}

static char *usageWriteSection(const struct usagePhase *phase)
{
	GString *text = g_string_new(NULL);
	char number[G_ASCII_DTOSTR_BUF_SIZE];

	g_string_append_printf(text, WRITE_PHASE "%s]\n", phase->name);
	usageWriteList(text, "clock_mhz", phase->points,
		       G_STRUCT_OFFSET(struct usagePoint, mhz));
	usageWriteList(text, "time_s", phase->points,
		       G_STRUCT_OFFSET(struct usagePoint, time));
	usageWriteList(text, "power_w", phase->points,
		       G_STRUCT_OFFSET(struct usagePoint, power));
	usageWriteList(text, "time_spread_s", phase->points,
		       G_STRUCT_OFFSET(struct usagePoint, timeSpread));
	usageWriteList(text, "power_spread_w", phase->points,
		       G_STRUCT_OFFSET(struct usagePoint, powerSpread));
	for (size_t i = 0; i < USAGE_LOADS; i++)
		usageWriteList(text, usageLoadKeys[i], phase->points,
			       G_STRUCT_OFFSET(struct usagePoint, load) +
				       i * sizeof(double));
	g_string_append(text, "runs =");
	for (guint i = 0; i < phase->points->len; i++)
		g_string_append_printf(
			text, " %zu",
			g_array_index(phase->points, struct usagePoint, i)
				.runs);
	g_string_append_c(text, '\n');
	if (!isnan(phase->sensitivity)) {
		g_ascii_formatd(number, sizeof(number), "%.4g",
				phase->sensitivity);
		g_string_append_printf(text, "clock_sensitivity = %s\n",
				       number);
	}
	g_string_append_printf(text,
			       WRITE_LEARNT " = %016" G_GINT64_MODIFIER "x\n",
			       usageWriteSum(text->str));
	return g_string_free(text, FALSE);
}

/* ---- An earlier file --------------------------------------------------- */

/* Phases that were edited, by their names. */
struct usageKept {
	GPtrArray *names;
	GPtrArray *texts;
};

static void usageKeptAdd(struct usageKept *self, const char *section)
{
	const char *end = strchr(section, ']');

	if (!end || !usageWriteIsEdited(section))
		return;
	section += strlen(WRITE_PHASE);
	g_ptr_array_add(self->names,
			g_strstrip(g_strndup(section, (gsize)(end - section))));
	section -= strlen(WRITE_PHASE);
	g_ptr_array_add(self->texts, g_strchomp(g_strdup(section)));
}

/* Divide a text into sections. */
static void usageKeptRead(struct usageKept *self, const char *text)
{
	char **lines = g_strsplit(text ? text : "", "\n", -1);
	GString *section = NULL;

	for (size_t i = 0;; i++) {
		char *line = lines[i];
		bool isHead = line && *g_strchug(line) == '[';

		if ((!line || isHead) && section) {
			usageKeptAdd(self, section->str);
			g_string_free(section, TRUE);
			section = NULL;
		}
		if (!line)
			break;
		if (isHead && g_str_has_prefix(line, WRITE_PHASE))
			section = g_string_new(NULL);
		if (section)
			g_string_append_printf(section, "%s\n",
					       g_strchomp(line));
	}
	g_strfreev(lines);
}

static const char *usageKeptTake(const struct usageKept *self, const char *name)
{
	for (guint i = 0; i < self->names->len; i++) {
		char *known = self->names->pdata[i];

		if (strcmp(known, name) != 0)
			continue;
		*known = '\0';
		return self->texts->pdata[i];
	}
	return NULL;
}

/* ---- The file ---------------------------------------------------------- */

void usageWrite(struct usage *self, const char *before, FILE *file)
{
	struct usageKept kept = { g_ptr_array_new_with_free_func(g_free),
				  g_ptr_array_new_with_free_func(g_free) };

	usageKeptRead(&kept, before);
	fprintf(file,
		"# Written by hdtrace usage. A phase that you edit is kept "
		"when "
		"usage is learnt again.\n"
		"[usage]\nversion = 1\nruns = %zu\nphases_from = %s\n",
		self->runs, usageSourceNames[self->source]);
	for (guint i = 0; i < self->phases->len; i++) {
		struct usagePhase *phase = self->phases->pdata[i];
		const char *edited = usageKeptTake(&kept, phase->name);
		char *own = edited ? NULL : usageWriteSection(phase);

		phase->isEdited = edited != NULL;
		fprintf(file, "\n%s", edited ? edited : own);
		if (edited)
			fputc('\n', file);
		g_free(own);
	}
	/* Phases that a user has added. */
	for (guint i = 0; i < kept.names->len; i++) {
		if (*(const char *)kept.names->pdata[i])
			fprintf(file, "\n%s\n",
				(const char *)kept.texts->pdata[i]);
	}
	g_ptr_array_unref(kept.names);
	g_ptr_array_unref(kept.texts);
}
