/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to openmetrics: the OpenMetrics text format, version 1.0.
 *
 * A value of a group is a metric family of gauges, or of counters if it is one,
 * and each node has one. The amount in an interval is a gauge: it may be
 * missing, and what was before the file is not known. The samples of a family
 * must stand together, while files have an entry after the other; so each value
 * of a group is spooled by itself.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/command/parts.h"
#include "HDTraceTools/export/export.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/units.h"

/** Names of units in OpenMetrics. */
static const char *const units[][2] = {
	{ "W", "watts" },  { "J", "joules" },  { "s", "seconds" },
	{ "B", "bytes" },  { "V", "volts" },   { "A", "amperes" },
	{ "Hz", "hertz" }, { "%", "percent" }, { "B/s", "bytes_per_second" },
};

/** A metric family while its samples are gathered. */
struct family {
	const hdIValue *value;
	enum valueKind kind;
	const char *unit; /**< "" if there is none. */
	double scale;
	char *name;
	struct spool *samples;
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
	for (; *text; text++) {
		if (*text == '\\' || *text == '"')
			g_string_append_c(out, '\\');
		if (*text == '\n')
			g_string_append(out, "\\n");
		else
			g_string_append_c(out, *text);
	}
}

/** Take a name, and that of its samples, unless another family has one. */
static bool takeName(GHashTable *names, const char *name, bool isCounter)
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
		.samples = spoolNew(),
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
		if (takeName(names, name->str, family->kind == KIND_COUNTER))
			break;
		g_string_truncate(name, length);
		g_string_append_printf(name, "_%d", number);
	}
	family->name = g_string_free(name, FALSE);
}

/** What a sample tells of the time until then. */
static const char *const ofTime[] = {
	[KIND_GAUGE] = " of the interval that ends then",
	[KIND_COUNTER] = " until then",
	[KIND_DELTA] = " in the interval that ends then",
};

static void putHead(FILE *file, const struct family *family,
		    const hdIGroup *group)
{
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "# TYPE %s %s\n", family->name,
			       family->kind == KIND_COUNTER ? "counter"
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

/** A value as the file has it, unless its unit gets another prefix. */
static const char *numberText(char *buffer, const struct family *family,
			      const hdIColumn *values, size_t entry)
{
	double number;

	if (family->scale == 1 && family->value->type == HDI_INT64)
		return outInteger(buffer, values->int64[entry]);
	if (family->scale == 1 && family->value->type == HDI_UINT64)
		return outInteger(buffer, values->uint64[entry]);
	number = columnNumber(values, family->value->type, entry);
	if (family->scale != 1)
		number *= family->scale;
	if (isinf(number))
		return strcpy(buffer, number > 0 ? "+Inf" : "-Inf");
	return outDouble(buffer, number);
}

/* ---- Nodes in any thread ------------------------------------------------ */

/** What a node may have when it is done: more could be done and not taken. */
#define DONE_MAX (1 << 20)
/** What it may have before its turn, of few values and of many: a value has a
 *  file beyond 256 KiB, so there are no more than 32 in either case. */
#define AHEAD_MAX (UINT64_C(256) << 20)
#define AHEAD_MANY_MAX (UINT64_C(8) << 20)
#define MANY 32

/** The nodes of some families. */
struct nodes {
	struct export *export;
	const struct export *begun; /**< As it was before the first one. */
	GPtrArray *groups;          /**< struct exportGroup */
	struct family *families;
	size_t familyCount;
	int error; /**< -1: it was said. */
};

/** One of them. */
struct node {
	struct export *export;
	struct nodes *nodes;
	struct family *families; /**< With samples of its own until its turn. */
	uint64_t length;         /**< Bytes of these. */
	bool hadTurn;
	int error;
};

/** In a node's turn: what it has goes to the samples of all nodes, and so does
 *  what follows; 0 or a negative errno. */
static int joinFamilies(struct node *self)
{
	int ret = 0;

	for (size_t i = 0; i < self->nodes->familyCount; i++) {
		struct spool *all = self->nodes->families[i].samples;
		struct spool *own = self->families[i].samples;

		if (ret == 0)
			ret = spoolCopy(all, own);
		spoolFree(own);
		self->families[i].samples = all;
	}
	self->hadTurn = true;
	return ret;
}

static int addEntry(struct node *node, const struct exportGroup *group,
		    const char *labels, const hdIBlock *block, size_t entry,
		    GString *line)
{
	char buffer[OUT_NUMBER_SIZE];
	int ret = 0;

	for (size_t i = 0; i < group->valueCount && ret == 0; i++) {
		struct family *family = &node->families[i];

		if (family->value->type == HDI_STRING)
			continue;
		/* A counter has a number from 0 on. */
		if (family->kind == KIND_COUNTER &&
		    !(columnNumber(exportColumn(group, block, i),
				   family->value->type, entry) >= 0)) {
			exportLose(node->export,
				   "readings of counters that are none", 1);
			continue;
		}
		g_string_assign(line, family->name);
		if (family->kind == KIND_COUNTER)
			g_string_append(line, "_total");
		g_string_append(line, labels);
		g_string_append(line, numberText(buffer, family,
						 exportColumn(group, block, i),
						 entry));
		g_string_append_c(line, ' ');
		g_string_append(line, outSeconds(buffer, block->end[entry]));
		g_string_append_c(line, '\n');
		ret = spoolAppend(family->samples, line->str, line->len);
		node->length += line->len;
	}
	return ret;
}

/** Wait for a node's turn if it has more than so much for later. */
static int waitBeyond(struct node *self, uint64_t size)
{
	if (self->hadTurn || self->length <= size)
		return 0;
	toolWaitTurn(self->export->tool);
	return joinFamilies(self);
}

/** Add the samples of a node. */
static int addNode(struct node *node, const struct exportGroup *group)
{
	struct export *export = node->export;
	struct exportReader *reader = exportOpenStat(export, group);
	GString *labels = g_string_new("{node=\"");
	GString *line = g_string_new(NULL);
	uint64_t ahead = group->valueCount > MANY ? AHEAD_MANY_MAX : AHEAD_MAX;
	struct exportEntries entries;
	int64_t last = INT64_MIN;
	int ret = 0;

	appendEscaped(labels, group->group->node->path);
	g_string_append(labels, "\"} ");
	while (ret == 0 && exportReadStat(reader, &entries)) {
		const hdIBlock *block = entries.block;

		for (size_t i = entries.first; i < entries.last && ret == 0;
		     i++) {
			exportLose(export, "gaps", block->isAfterGap[i]);
			if (block->end[i] <= last) {
				exportLose(export,
					   "entries at the time of another", 1);
				export->entries--;
				continue;
			}
			last = block->end[i];
			ret = addEntry(node, group, labels->str, block, i,
				       line);
			if (ret == 0)
				ret = waitBeyond(node, ahead);
		}
	}
	if (ret == 0)
		ret = waitBeyond(node, DONE_MAX);
	if (ret < 0)
		toolError(export->tool, "temporary file: %s", strerror(-ret));
	exportCloseStat(reader);
	g_string_free(labels, TRUE);
	g_string_free(line, TRUE);
	return ret < 0 ? -1 : 0;
}

static void runNode(struct part *part, size_t number, void *data)
{
	struct nodes *self = data;
	struct node *node = g_new0(struct node, 1);

	part->result = node;
	node->nodes = self;
	node->export = exportStartPart(self->begun, part);
	node->families = g_new(struct family, self->familyCount + 1);
	for (size_t i = 0; i < self->familyCount; i++) {
		node->families[i] = self->families[i];
		node->families[i].samples = spoolNew();
	}
	node->error = addNode(node, self->groups->pdata[number]);
}

static bool takeNode(struct part *part, size_t number, void *data)
{
	struct nodes *self = data;
	const struct exportGroup *group = self->groups->pdata[number];
	struct node *node = part->result;
	bool isWanted;
	int ret = 0;

	if (!node)
		return false;
	isWanted = !part->isDropped && node->error == 0;
	exportEndPart(self->export, node->export);
	if (!node->hadTurn)
		ret = joinFamilies(node);
	if (isWanted && ret < 0)
		toolError(self->export->tool, "temporary file: %s",
			  strerror(-ret));
	if (!part->isDropped && (ret < 0 || node->error < 0))
		self->error = -1;
	g_free(node->families);
	g_free(node);
	toolProgressFile(self->export->tool, group->group->fileSize);
	return self->error == 0;
}

/** Add the samples of all these nodes. */
static int addNodes(struct export *export, GPtrArray *groups,
		    struct family *families, size_t familyCount)
{
	const struct export begun = *export;
	struct nodes self = {
		.export = export,
		.begun = &begun,
		.groups = groups,
		.families = families,
		.familyCount = familyCount,
	};
	const struct partsWork work = {
		.tool = export->tool,
		.count = groups->len,
		.run = runNode,
		.take = takeNode,
		.data = &self,
	};

	partsDo(&work);
	return self.error;
}

/** Whether two groups have the same values, so that they can be one family. */
static bool areAlike(const struct exportGroup *a, const struct exportGroup *b)
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

/** Put the samples of a family, as far as the file takes them. */
static int putSamples(struct export *export, FILE *file,
		      const struct family *family)
{
	uint64_t length = spoolLength(family->samples);
	char buffer[16384];
	int ret = 0;

	for (uint64_t at = 0; at < length && ret == 0; at += sizeof(buffer)) {
		size_t part = (size_t)MIN(sizeof(buffer), length - at);

		ret = spoolRead(family->samples, at, buffer, part);
		if (ret == 0 && fwrite(buffer, 1, part, file) != part) {
			export->tool->outputError = errno;
			break;
		}
	}
	if (ret < 0)
		toolError(export->tool, "temporary file: %s", strerror(-ret));
	return ret < 0 ? -1 : 0;
}

/** Write the families of a group, and of those of other nodes like it. */
static int writeFamilies(struct export *export, FILE *file, guint first,
			 bool *isDone, GHashTable *names)
{
	const struct exportGroup *group = export->groups->pdata[first];
	struct family *families = g_new(struct family, group->valueCount + 1);
	GPtrArray *alike = g_ptr_array_new();
	int ret;

	for (size_t i = 0; i < group->valueCount; i++)
		startFamily(&families[i], group->group, group->values[i],
			    names);
	for (guint i = first; i < export->groups->len; i++) {
		if (isDone[i] || !areAlike(group, export->groups->pdata[i]))
			continue;
		isDone[i] = true;
		g_ptr_array_add(alike, export->groups->pdata[i]);
	}
	ret = addNodes(export, alike, families, group->valueCount);
	g_ptr_array_unref(alike);
	for (size_t i = 0; i < group->valueCount; i++) {
		if (families[i].value->type == HDI_STRING) {
			exportLose(export, "values of the type STRING", 1);
		} else if (ret == 0 && !ferror(file)) {
			putHead(file, &families[i], group->group);
			ret = putSamples(export, file, &families[i]);
		}
		spoolFree(families[i].samples);
		g_free(families[i].name);
	}
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
static bool putAll(struct export *export, FILE *file)
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

	/* There is a temporary one for each value. */
	exportAllowFiles();
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
		if (ret == 0 && export->hasTraces && putAll(export, file.file))
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
