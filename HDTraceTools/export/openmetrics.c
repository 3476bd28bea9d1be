/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to openmetrics: the OpenMetrics text format, version 1.0.
 *
 * A value of a group is a metric family of gauges, or of counters if it is one,
 * and each node has one. The amount in an interval is a gauge: it may be
 * missing, and what was before the file is not known. The samples of a family
 * must stand together, while files have an entry after the other; so entries of
 * nodes are spooled first, by columns, and then written family by family.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/export/openmetrics.h"
#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/command/parts.h"
#include "HDTraceTools/export/export.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/units.h"
#include "common/format/exposition.h"
#include "common/number.h"

/** Names of units in OpenMetrics. */
static const char *const units[][2] = {
	{ "W", "watts" },  { "J", "joules" },  { "s", "seconds" },
	{ "B", "bytes" },  { "V", "volts" },   { "A", "amperes" },
	{ "Hz", "hertz" }, { "%", "percent" }, { "B/s", "bytes_per_second" },
};

static void appendName(GString *name, const char *text)
{
	for (; *text; text++) {
		char c = g_ascii_isalnum(*text) ? g_ascii_tolower(*text) : '_';

		g_string_append_c(name, c);
	}
}

static void appendEscaped(GString *out, const char *text)
{
	char piece[HD_EXPOSITION_PIECE];

	while (*text) {
		size_t length = hdExpositionPiece(HD_EXPOSITION_OPEN_HELP,
						  &text, piece);

		g_string_append_len(out, piece, (gssize)length);
	}
}

/** Take a name, and that of its samples, unless another family has one. */
static bool openmetricsClaimName(GHashTable *names, const char *name,
				 bool isCounter)
{
	char *samples = isCounter ? g_strconcat(name, "_total", NULL) : NULL;
	bool isFree = !g_hash_table_contains(names, name) &&
		      (!samples || !g_hash_table_contains(names, samples));

	if (isFree)
		g_hash_table_add(names, g_strdup(name));
	if (isFree && samples)
		g_hash_table_add(names, g_strdup(samples));
	g_free(samples);
	return isFree;
}

static void startFamily(struct family *family, const hdIGroup *group,
			const hdIValue *value, GHashTable *names)
{
	struct unit unit = unitParse(value->unit);
	GString *name = g_string_new("hdtrace_");
	size_t length;

	*family = (struct family){
		.value = value,
		.kind = valueKind(group, value, NULL),
		.unit = "",
		.scale = unit.scale,
		.width = value->type == HDI_STRING ? 0
						   : columnBytes(value->type),
	};
	appendName(name, group->name);
	g_string_append_c(name, '_');
	appendName(name, value->name);
	length = name->len;
	for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
		if (strcmp(unit.base, units[i][0]) == 0)
			family->unit = units[i][1];
	}
	if (!*family->unit)
		family->scale = 1;
	/* Names that differed in other characters get numbers. */
	for (int number = 2;; number++) {
		if (*family->unit)
			g_string_append_printf(name, "_%s", family->unit);
		if (openmetricsClaimName(names, name->str,
					 family->kind == HD_KIND_COUNTER))
			break;
		g_string_truncate(name, length);
		g_string_append_printf(name, "_%d", number);
	}
	family->name = g_string_free(name, FALSE);
}

/** What a sample tells of the time until then. */
static const char *const ofTime[] = {
	[HD_KIND_GAUGE] = " of the interval that ends at the time stamp",
	[HD_KIND_COUNTER] = " up to the time stamp",
	[HD_KIND_DELTA] = " in the interval that ends at the time stamp",
};

static void openmetricsPutHead(FILE *file, const struct family *family,
			       const hdIGroup *group)
{
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "# TYPE %s %s\n", family->name,
			       family->kind == HD_KIND_COUNTER ? "counter"
							       : "gauge");
	if (*family->unit)
		g_string_append_printf(text, "# UNIT %s %s\n", family->name,
				       family->unit);
	g_string_append_printf(text, "# HELP %s ", family->name);
	appendEscaped(text, family->value->name);
	if (*family->value->unit) {
		g_string_append(text, " in ");
		appendEscaped(text, family->value->unit);
	}
	g_string_append(text, ofTime[family->kind]);
	g_string_append(text, ", group ");
	appendEscaped(text, group->name);
	if (valueIsSimulated(group, family->value))
		g_string_append(text, ", simulated");
	g_string_append_c(text, '\n');
	fwrite(text->str, 1, text->len, file);
	g_string_free(text, TRUE);
}

/* ---- Samples, in any thread --------------------------------------------- */

/** The samples of a family. */
struct samples {
	const struct nodes *nodes;
	const struct family *family;
	int error; /**< -1: it was said. */
};

/** Put a value as the file has it, unless its unit gets another prefix; returns
 *  the end. */
static char *openmetricsPutNumber(char *to, const struct family *family,
				  const hdIColumn *values, size_t entry)
{
	double number;

	if (family->scale == 1 && family->value->type == HDI_INT64)
		return hdNumberInt64(to, values->int64[entry]);
	if (family->scale == 1 && family->value->type == HDI_UINT64)
		return hdNumberUint64(to, values->uint64[entry]);
	number = columnNumber(family->value, values, entry);
	if (family->scale != 1)
		number *= family->scale;
	if (isinf(number))
		return stpcpy(to, number > 0 ? "+Inf" : "-Inf");
	return to + strlen(outDouble(to, number));
}

/** What all samples of a node begin with. */
static GString *startLine(const struct samples *self, const hdINode *node)
{
	GString *line = g_string_new(self->family->name);

	if (self->family->kind == HD_KIND_COUNTER)
		g_string_append(line, "_total");
	g_string_append(line, "{node=\"");
	appendEscaped(line, node->path);
	g_string_append(line, "\"} ");
	return line;
}

/** Write the samples of so many entries. */
static void openmetricsPutLines(const struct samples *self, FILE *file,
				GString *line, const int64_t *ends,
				const hdIColumn *values, size_t count)
{
	size_t start = line->len;
	char *end;

	g_string_set_size(line, start + 2 * OUT_NUMBER_SIZE);
	for (size_t i = 0; i < count; i++) {
		if (!openmetricsIsReading(self->family, values, i))
			continue;
		end = openmetricsPutNumber(line->str + start, self->family,
					   values, i);
		*end++ = ' ';
		end += strlen(outSeconds(end, ends[i]));
		*end++ = '\n';
		fwrite_unlocked(line->str, 1, (size_t)(end - line->str), file);
	}
	g_string_set_size(line, start);
}

/** Write what entries from one on have, up to the end of their chunk, but no
 *  more than so many; returns their number, or a negative errno. */
static int putEntries(const struct samples *self, const struct node *node,
		      uint64_t first, size_t most, FILE *file, GString *line)
{
	const struct nodes *nodes = self->nodes;
	uint64_t chunk = first / nodes->chunkEntries;
	uint64_t begin = chunk * nodes->chunkEntries;
	uint64_t offset = g_array_index(node->chunks, uint64_t, chunk);
	uint64_t size = MIN(nodes->chunkEntries, node->entries - begin);
	size_t count = (size_t)MIN(most, begin + size - first);
	size_t width = self->family->width;
	int64_t *ends = g_new(int64_t, count);
	int64_t *values = g_malloc(count * width);
	int ret;

	ret = spoolPeek(nodes->spool, offset + (first - begin) * sizeof(*ends),
			ends, count * sizeof(*ends));
	if (ret == 0)
		ret = spoolPeek(nodes->spool,
				offset + size * self->family->before +
					(first - begin) * width,
				values, count * width);
	if (ret == 0)
		openmetricsPutLines(self, file, line, ends,
				    &(hdIColumn){ .int64 = values }, count);
	g_free(ends);
	g_free(values);
	return ret < 0 ? ret : (int)count;
}

static void runSamples(struct part *part, size_t number, void *data)
{
	const struct samples *self = data;
	const struct nodes *nodes = self->nodes;
	guint i = nodes->groups->len - 1;
	const struct exportGroup *group;
	uint64_t at, end;
	GString *line;
	int ret = 0;

	while (nodes->list[i].firstPart > number)
		i--;
	group = nodes->groups->pdata[i];
	line = startLine(self, group->group->node);
	at = (number - nodes->list[i].firstPart) * PART_ENTRIES;
	end = MIN(at + PART_ENTRIES, nodes->list[i].entries);
	for (; at < end && ret >= 0 && !ferror_unlocked(part->file);
	     at += (uint64_t)ret)
		ret = putEntries(self, &nodes->list[i], at, (size_t)(end - at),
				 part->file, line);
	if (ret < 0) {
		toolErrorTemporary(&part->tool, ret);
		part->result = data;
	}
	g_string_free(line, TRUE);
}

static bool openmetricsAddSamples(struct part *part, size_t number, void *data)
{
	struct samples *self = data;

	(void)number;
	if (!part->isDropped && part->result)
		self->error = -1;
	return self->error == 0;
}

/** Write the samples of a family, as far as the file takes them; 0, or -1 after
 *  an error that was said. */
static int putSamples(const struct nodes *nodes, FILE *file,
		      const struct family *family)
{
	struct samples self = { .nodes = nodes, .family = family };
	const struct partsWork work = {
		.tool = nodes->export->tool,
		.count = nodes->parts,
		.output = file,
		.run = runSamples,
		.take = openmetricsAddSamples,
		.data = &self,
	};

	partsDo(&work);
	return self.error;
}

/* ---- Families ----------------------------------------------------------- */

/** Whether two groups have the same values, so that they can be one family. */
static bool openmetricsAreAlike(const struct exportGroup *a,
				const struct exportGroup *b)
{
	if (strcmp(a->group->name, b->group->name) != 0 ||
	    a->valueCount != b->valueCount)
		return false;
	for (size_t i = 0; i < a->valueCount; i++) {
		const hdIValue *x = a->values[i];
		const hdIValue *y = b->values[i];

		if (strcmp(x->name, y->name) != 0 ||
		    strcmp(x->unit, y->unit) != 0 || x->type != y->type ||
		    valueKind(a->group, x, NULL) !=
			    valueKind(b->group, y, NULL) ||
		    valueIsSimulated(a->group, x) !=
			    valueIsSimulated(b->group, y))
			return false;
	}
	return true;
}

/** Write the families of a group, and of those of other nodes like it. */
static int writeFamilies(struct export *export, FILE *file, guint first,
			 bool *isDone, GHashTable *names)
{
	const struct exportGroup *group = export->groups->pdata[first];
	struct family *families = g_new(struct family, group->valueCount + 1);
	const struct export begun = *export;
	struct nodes nodes = {
		.export = export,
		.begun = &begun,
		.groups = g_ptr_array_new(),
		.familyCount = group->valueCount,
	};
	int ret;

	for (size_t i = 0; i < group->valueCount; i++)
		startFamily(&families[i], group->group, group->values[i],
			    names);
	for (guint i = first; i < export->groups->len; i++) {
		if (isDone[i] ||
		    !openmetricsAreAlike(group, export->groups->pdata[i]))
			continue;
		isDone[i] = true;
		g_ptr_array_add(nodes.groups, export->groups->pdata[i]);
	}
	openmetricsOpenNodes(&nodes, families);
	ret = openmetricsReadNodes(&nodes);
	for (size_t i = 0; i < group->valueCount; i++) {
		if (families[i].value->type == HDI_STRING) {
			exportLose(export, "values of the type STRING", 1);
		} else if (ret == 0 && !ferror(file)) {
			openmetricsPutHead(file, &families[i], group->group);
			ret = putSamples(&nodes, file, &families[i]);
		}
		g_free(families[i].name);
	}
	openmetricsCloseNodes(&nodes);
	g_ptr_array_unref(nodes.groups);
	g_free(families);
	return ret;
}

/** All states and events are lost; count them. */
static bool loseRecord(const hdIRecord *record, void *data)
{
	struct export *export = data;

	if (!selectionHasTime(&export->selection, record->start, record->end))
		return true;
	exportLose(export, "states", record->kind == HDI_STATE);
	exportLose(export, "events", record->kind == HDI_EVENT);
	return true;
}

/** All traces. */
struct traces {
	struct export *export;
	const struct export *begun; /**< As it was before the first one. */
};

static void loseTrace(struct part *part, size_t number, void *data)
{
	const struct traces *self = data;
	struct export *own = exportStartPart(self->begun, part);

	part->result = own;
	scanTrace(&own->scan, self->begun->traces->pdata[number], loseRecord,
		  own);
}

static bool takeLost(struct part *part, size_t number, void *data)
{
	const struct traces *self = data;
	const hdITraceFile *trace = self->begun->traces->pdata[number];

	exportEndPart(self->export, part->result);
	toolProgressFile(self->export->tool, trace->fileSize);
	return true;
}

static void loseTraces(struct export *export)
{
	const struct export begun = *export;
	struct traces self = { export, &begun };
	const struct partsWork work = {
		.tool = export->tool,
		.count = export->traces->len,
		.run = loseTrace,
		.take = takeLost,
		.data = &self,
	};

	partsDo(&work);
}

/** Write out what there is; whether the file takes all. */
static bool openmetricsPutAll(struct export *export, FILE *file)
{
	if (!ferror(file) && fflush(file) != 0)
		export->tool->outputError = errno;
	return !ferror(file);
}

static int writeOpenMetrics(struct export *export)
{
	bool *isDone = g_new0(bool, export->groups->len + 1);
	GHashTable *names =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	struct newFile file;
	int ret;

	ret = exportStartFile(export, &file, NULL);
	if (ret == 0) {
		exportLoseProject(export);
		exportLose(export, "communicators",
			   export->project->communicatorCount);
		exportLose(export, "starts of intervals",
			   export->groups->len > 0);
		for (guint i = 0; i < export->groups->len && ret == 0; i++) {
			if (!isDone[i] && !ferror(file.file))
				ret = writeFamilies(export, file.file, i,
						    isDone, names);
		}
		fputs("# EOF\n", file.file);
		/* Else nobody asks what is lost. */
		if (ret == 0 && export->hasTraces &&
		    openmetricsPutAll(export, file.file))
			loseTraces(export);
		ret = exportEndFile(export, &file, ret < 0);
	}
	g_hash_table_destroy(names);
	g_free(isDone);
	return ret;
}

const struct exportFormat exportOpenMetrics = {
	.name = "openmetrics",
	.suffix = ".openmetrics",
	.write = writeOpenMetrics,
};
