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
#include <pthread.h>
#include <stdio.h>
#include <string.h>

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

/** A metric family. */
struct family {
	const hdIValue *value;
	enum valueKind kind;
	const char *unit; /**< "" if there is none. */
	double scale;
	char *name;
	size_t width;  /**< Bytes of a value in memory; 0: it is not written. */
	size_t before; /**< Of what an entry has before it. */
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
					 family->kind == KIND_COUNTER))
			break;
		g_string_truncate(name, length);
		g_string_append_printf(name, "_%d", number);
	}
	family->name = g_string_free(name, FALSE);
}

/** What a sample tells of the time until then. */
static const char *const ofTime[] = {
	[KIND_GAUGE] = " of the interval that ends at the time stamp",
	[KIND_COUNTER] = " up to the time stamp",
	[KIND_DELTA] = " in the interval that ends at the time stamp",
};

static void openmetricsPutHead(FILE *file, const struct family *family,
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

/* ---- Nodes by columns, in any thread ------------------------------------ */

/** Bytes of entries that a node gathers before they go to the spool, roughly;
 *  and no more of these than their samples are written at a time. */
#define CHUNK_SIZE (1 << 20)
#define PART_ENTRIES 2048

#define NS_PER_MS 1000000

/** A node: its entries are in chunks of the spool, in each the times of all of
 *  them, and then the values, one family after the other. */
struct node {
	GArray *chunks;   /**< uint64_t: where they are. */
	uint64_t entries; /**< In all of them. */
	size_t firstPart; /**< Its number, of the samples of all nodes. */
};

/** The nodes of some families. */
struct nodes {
	struct export *export;
	const struct export *begun; /**< As it was before the first one. */
	GPtrArray *groups;          /**< struct exportGroup, of each node. */
	struct node *list;
	size_t parts; /**< Of the samples of a family. */
	const struct family *families;
	size_t familyCount;
	size_t entrySize;
	size_t chunkEntries; /**< Of all chunks of a node but the last one. */
	struct spool *spool;
	pthread_mutex_t lock; /**< For appending. */
	int error;            /**< -1: it was said. */
};

/** One that is read. */
struct nodeReader {
	struct export *export;
	struct nodes *nodes;
	struct node *node;
	const struct exportGroup *group;
	unsigned char *chunk; /**< The next one. */
	size_t entries;       /**< That are in it. */
	int error;
};

static size_t chunkEntries(size_t entrySize)
{
	size_t entries = PART_ENTRIES;

	while (entries > 1 && entries * entrySize > CHUNK_SIZE)
		entries /= 2;
	return entries;
}

/** Put what was gathered into the spool; 0 or a negative errno. */
static int putChunk(struct nodeReader *self)
{
	struct nodes *nodes = self->nodes;
	unsigned char *to = self->chunk + self->entries * sizeof(int64_t);
	uint64_t offset;
	int ret;

	if (!self->entries)
		return 0;
	/* Columns of the last one are shorter than there was room for. */
	for (size_t i = 0; i < nodes->familyCount; i++) {
		const struct family *family = &nodes->families[i];
		size_t size = self->entries * family->width;

		memmove(to, self->chunk + nodes->chunkEntries * family->before,
			size);
		to += size;
	}
	pthread_mutex_lock(&nodes->lock);
	offset = spoolLength(nodes->spool);
	ret = spoolAppend(nodes->spool, self->chunk,
			  (size_t)(to - self->chunk));
	pthread_mutex_unlock(&nodes->lock);
	g_array_append_val(self->node->chunks, offset);
	self->node->entries += self->entries;
	self->entries = 0;
	return ret;
}

/** Gather entries of a block, from first to before last. */
static int openmetricsGatherEntries(struct nodeReader *self,
				    const hdIBlock *block, size_t first,
				    size_t last)
{
	const struct nodes *nodes = self->nodes;
	int ret = 0;

	while (first < last && ret == 0) {
		size_t count =
			MIN(last - first, nodes->chunkEntries - self->entries);

		memcpy(self->chunk + self->entries * sizeof(int64_t),
		       block->end + first, count * sizeof(int64_t));
		for (size_t i = 0; i < nodes->familyCount; i++) {
			const struct family *family = &nodes->families[i];
			const unsigned char *values =
				(const unsigned char *)exportColumn(self->group,
								    block, i)
					->int32;

			memcpy(self->chunk +
				       nodes->chunkEntries * family->before +
				       self->entries * family->width,
			       values + first * family->width,
			       count * family->width);
		}
		self->entries += count;
		first += count;
		if (self->entries == nodes->chunkEntries)
			ret = putChunk(self);
	}
	return ret;
}

/** Whether there is a number, of a counter one from 0 on. */
static bool isReading(const struct family *family, const hdIColumn *values,
		      size_t entry)
{
	double number = columnNumber(family->value, values, entry);

	return family->kind == KIND_COUNTER ? number >= 0 : !isnan(number);
}

static void loseReadings(struct nodeReader *self, const hdIBlock *block,
			 size_t entry)
{
	const struct nodes *nodes = self->nodes;

	for (size_t i = 0; i < nodes->familyCount; i++) {
		const struct family *family = &nodes->families[i];

		if (family->width &&
		    !isReading(family, exportColumn(self->group, block, i),
			       entry))
			exportLose(self->export,
				   family->kind == KIND_COUNTER
					   ? "invalid readings of counters"
					   : "missing values",
				   1);
	}
}

/** Gather those entries of a block that are later than the one before. */
static int gatherBlock(struct nodeReader *self,
		       const struct exportEntries *entries, int64_t *before)
{
	const hdIBlock *block = entries->block;
	size_t first = entries->first;
	int ret = 0;

	for (size_t i = first; i < entries->last && ret == 0; i++) {
		exportLose(self->export, "gaps", block->isAfterGap[i]);
		if (block->end[i] > *before) {
			/* Times of Prometheus have milliseconds. */
			exportLose(
				self->export,
				"samples in the millisecond of another sample "
				"(Prometheus keeps one)",
				block->end[i] / NS_PER_MS ==
					*before / NS_PER_MS);
			*before = block->end[i];
			loseReadings(self, block, i);
			continue;
		}
		exportLose(self->export,
			   "entries with the time of another entry", 1);
		self->export->entries--;
		ret = openmetricsGatherEntries(self, block, first, i);
		first = i + 1;
	}
	return ret < 0 ? ret
		       : openmetricsGatherEntries(self, block, first,
						  entries->last);
}

static void runNode(struct part *part, size_t number, void *data)
{
	struct nodes *nodes = data;
	struct nodeReader *self = g_new0(struct nodeReader, 1);
	int64_t before = INT64_MIN;
	struct exportEntries entries;
	struct exportReader *reader;
	int ret = 0;

	part->result = self;
	self->export = exportStartPart(nodes->begun, part);
	self->nodes = nodes;
	self->node = &nodes->list[number];
	self->group = nodes->groups->pdata[number];
	self->chunk = g_malloc(nodes->chunkEntries * nodes->entrySize);
	reader = exportOpenStat(self->export, self->group);
	while (ret == 0 && exportReadStat(reader, &entries))
		ret = gatherBlock(self, &entries, &before);
	if (ret == 0)
		ret = putChunk(self);
	if (ret < 0)
		toolError(self->export->tool, "temporary file: %s",
			  strerror(-ret));
	self->error = ret < 0 ? -1 : 0;
	exportCloseStat(reader);
	g_clear_pointer(&self->chunk, g_free);
}

static bool openmetricsAddNode(struct part *part, size_t number, void *data)
{
	struct nodes *nodes = data;
	const struct exportGroup *group = nodes->groups->pdata[number];
	struct nodeReader *self = part->result;

	if (!self)
		return false;
	exportEndPart(nodes->export, self->export);
	if (!part->isDropped && self->error < 0)
		nodes->error = -1;
	g_free(self);
	toolProgressFile(nodes->export->tool, group->group->fileSize);
	return nodes->error == 0;
}

/** Read all nodes; 0, or -1 after an error that was said. */
static int readNodes(struct nodes *self)
{
	const struct partsWork work = {
		.tool = self->export->tool,
		.count = self->groups->len,
		.run = runNode,
		.take = openmetricsAddNode,
		.data = self,
	};

	partsDo(&work);
	for (guint i = 0; i < self->groups->len; i++) {
		self->list[i].firstPart = self->parts;
		self->parts +=
			(size_t)((self->list[i].entries + PART_ENTRIES - 1) /
				 PART_ENTRIES);
	}
	return self->error;
}

static void openNodes(struct nodes *self, struct family *families)
{
	self->families = families;
	self->entrySize = sizeof(int64_t);
	for (size_t i = 0; i < self->familyCount; i++) {
		families[i].before = self->entrySize;
		self->entrySize += families[i].width;
	}
	self->chunkEntries = chunkEntries(self->entrySize);
	self->spool = spoolNew();
	pthread_mutex_init(&self->lock, NULL);
	self->list = g_new0(struct node, self->groups->len + 1);
	for (guint i = 0; i < self->groups->len; i++)
		self->list[i].chunks =
			g_array_new(FALSE, FALSE, sizeof(uint64_t));
}

static void closeNodes(struct nodes *self)
{
	for (guint i = 0; i < self->groups->len; i++)
		g_array_unref(self->list[i].chunks);
	g_free(self->list);
	pthread_mutex_destroy(&self->lock);
	spoolFree(self->spool);
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

	if (self->family->kind == KIND_COUNTER)
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
		if (!isReading(self->family, values, i))
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
		toolError(&part->tool, "temporary file: %s", strerror(-ret));
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
	openNodes(&nodes, families);
	ret = readNodes(&nodes);
	for (size_t i = 0; i < group->valueCount; i++) {
		if (families[i].value->type == HDI_STRING) {
			exportLose(export, "values of the type STRING", 1);
		} else if (ret == 0 && !ferror(file)) {
			openmetricsPutHead(file, &families[i], group->group);
			ret = putSamples(&nodes, file, &families[i]);
		}
		g_free(families[i].name);
	}
	closeNodes(&nodes);
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
