/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to openmetrics: reads nodes by columns, in any thread.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "HDTraceTools/export/openmetrics.h"
#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/command/parts.h"
#include "HDTraceTools/export/export.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/kind.h"
#include "common/number.h"

/* ---- Nodes by columns, in any thread ------------------------------------ */

/** Bytes of entries that a node gathers before they go to the spool, roughly;
 *  and no more of these than their samples are written at a time. */
#define CHUNK_SIZE (1 << 20)
#define NS_PER_MS 1000000

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

size_t openmetricsChunkEntries(size_t entrySize)
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

bool openmetricsIsReading(const struct family *family, const hdIColumn *values,
			  size_t entry)
{
	double number = columnNumber(family->value, values, entry);

	return family->kind == HD_KIND_COUNTER ? number >= 0 : !isnan(number);
}

static void loseReadings(struct nodeReader *self, const hdIBlock *block,
			 size_t entry)
{
	const struct nodes *nodes = self->nodes;

	for (size_t i = 0; i < nodes->familyCount; i++) {
		const struct family *family = &nodes->families[i];

		if (family->width &&
		    !openmetricsIsReading(
			    family, exportColumn(self->group, block, i), entry))
			exportLose(self->export,
				   family->kind == HD_KIND_COUNTER
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
		toolErrorTemporary(self->export->tool, ret);
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

int openmetricsReadNodes(struct nodes *self)
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

void openmetricsOpenNodes(struct nodes *self, struct family *families)
{
	self->families = families;
	self->entrySize = sizeof(int64_t);
	for (size_t i = 0; i < self->familyCount; i++) {
		families[i].before = self->entrySize;
		self->entrySize += families[i].width;
	}
	self->chunkEntries = openmetricsChunkEntries(self->entrySize);
	self->spool = spoolNew();
	pthread_mutex_init(&self->lock, NULL);
	self->list = g_new0(struct node, self->groups->len + 1);
	for (guint i = 0; i < self->groups->len; i++)
		self->list[i].chunks =
			g_array_new(FALSE, FALSE, sizeof(uint64_t));
}

void openmetricsCloseNodes(struct nodes *self)
{
	for (guint i = 0; i < self->groups->len; i++)
		g_array_unref(self->list[i].chunks);
	g_free(self->list);
	pthread_mutex_destroy(&self->lock);
	spoolFree(self->spool);
}
