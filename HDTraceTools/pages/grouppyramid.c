/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A group of statistics at several degrees of detail, called zooms, for the
 * viewer.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/model/amounts.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/pages/entries.h"
#include "HDTraceTools/pages/grouppyramid.h"
#include "HDTraceTools/pages/pack.h"

/** Items that become one of the zoom above. */
#define FANOUT 16
/** So many values are in a chunk of entries, and of sums. */
#define CHUNK_VALUES 65536
#define CHUNK_SUMS 16384
/** Offsets in a chunk must be exact as doubles. */
#define CHUNK_NS (INT64_C(1) << 52)
/** Gaps that keep items of zoom 1 apart, however few items there are; less in
 *  each zoom above, so that there is an end to them. */
#define GAPS_FREE 64

/** Some items of the zoom below, put together. */
struct bucket {
	int64_t start;
	int64_t end;
	int64_t covered;
	uint64_t entries;
	guint children;
};

/** The lowest and the highest rate, of amounts; NaN: there is none. */
struct rates {
	double min;
	double max;
};

/** A zoom above zoom 0, while it is written. */
struct sums {
	struct bucket open; /**< The item that is being put together. */
	struct moments *openMoments;
	struct rates *openRates;
	uint64_t closed; /**< Items so far, and those that a gap closed. */
	uint64_t closedByGap;
	/** The chunk that is being gathered. */
	guint count;
	struct bucket *buckets;
	struct moments *moments; /**< Those of an item one after another. */
	struct rates *rates;
	uint64_t written; /**< Entries in chunks so far. */
	bool isAdded;     /**< Whether the track has the zoom. */
};

struct groupPyramid {
	struct track *track;
	const hdIGroup *group;
	bool isStored;
	struct amounts *amounts;
	struct entries entries;
	GPtrArray *sums; /**< struct sums, from zoom 1 up. */
	guint sumsOfChunk;
	GPtrArray *parts; /**< GByteArray, of a chunk. */
	GByteArray *columns;
	int error;
};

static guint chunkItems(const hdIGroup *group, guint values, guint min)
{
	return CLAMP(values / (guint)MAX(group->valueCount, 1), min, 8192);
}

/* ---- Entries ----------------------------------------------------------- */

static GByteArray *const *getParts(const struct groupPyramid *self)
{
	return (GByteArray *const *)self->parts->pdata;
}

static void writeEntries(struct groupPyramid *self)
{
	const struct entries *entries = &self->entries;
	struct chunk chunk = {
		.first = entries->first,
		.count = (uint32_t)entries->count,
		.offset = entries->offset,
		.hasLead = entries->hasLead,
	};
	int ret;

	if (entries->count == 0)
		return;
	chunk.start = entries->start[0];
	chunk.end = entries->end[entries->count - 1];
	for (guint i = 0; self->isStored && i < self->parts->len; i++)
		entriesPack(entries, i, self->parts->pdata[i]);
	ret = trackAddChunk(self->track, 0, &chunk,
			    self->isStored ? getParts(self) : NULL);
	if (ret < 0 && self->error == 0)
		self->error = ret;
	entriesEmpty(&self->entries);
}

static void gatherEntries(struct groupPyramid *self, const hdIBlock *block)
{
	struct entries *entries = &self->entries;
	size_t at = 0;

	while (at < block->count) {
		size_t last = at;

		if (entries->count &&
		    block->end[at] - entries->start[0] >= CHUNK_NS)
			writeEntries(self);
		while (last < block->count &&
		       (last == at ||
			block->end[last] - (entries->count ? entries->start[0]
							   : block->start[at]) <
				CHUNK_NS))
			last++;
		at += entriesAppend(entries, block, at, last);
		if (entries->count == entries->capacity)
			writeEntries(self);
	}
}

/* ---- Packing sums ------------------------------------------------------ */

/** The list of numbers that a column is made of. */
struct list {
	const struct sums *sums;
	const struct moments *moments; /**< Of a value, of the first item. */
	const struct rates *rates;
	size_t step;
	int64_t *integers;
	double *doubles;
	bool isInteger; /**< Of integers, with "no value" packed as doubles. */
};

#define LIST_EACH(list, target, expression)                          \
	for (guint i_ = 0; i_ < (list)->sums->count; i_++) {         \
		const struct moments *m =                            \
			(list)->moments + (size_t)i_ * (list)->step; \
		const struct rates *r =                              \
			(list)->rates + (size_t)i_ * (list)->step;   \
		(void)m, (void)r;                                    \
		(target)[i_] = (expression);                         \
	}

static double groupPyramidSumOf(const struct momentsSum *sum)
{
	return sum->high + sum->low;
}

static void packExtremes(const struct list *list, hdIType type, GByteArray *out)
{
	guint count = list->sums->count;

	switch (type) {
	case HDI_UINT64:
		LIST_EACH(list, list->integers,
			  (int64_t)(uint64_t)m->minInteger);
		packUnsigned(out, (const uint64_t *)list->integers, count);
		LIST_EACH(list, list->integers,
			  (int64_t)(uint64_t)m->maxInteger);
		packUnsigned(out, (const uint64_t *)list->integers, count);
		break;
	case HDI_INT32:
	case HDI_INT64:
		LIST_EACH(list, list->integers, (int64_t)m->minInteger);
		packIntegers(out, list->integers, count);
		LIST_EACH(list, list->integers, (int64_t)m->maxInteger);
		packIntegers(out, list->integers, count);
		break;
	default:
		if (list->isInteger) {
			LIST_EACH(list, list->doubles,
				  m->count ? (double)m->minInteger : NAN);
			packDoubles(out, list->doubles, count);
			LIST_EACH(list, list->doubles,
				  m->count ? (double)m->maxInteger : NAN);
			packDoubles(out, list->doubles, count);
			break;
		}
		LIST_EACH(list, list->doubles, m->count ? m->min : NAN);
		packDoubles(out, list->doubles, count);
		LIST_EACH(list, list->doubles, m->count ? m->max : NAN);
		packDoubles(out, list->doubles, count);
	}
}

static void packSum(const struct list *list, hdIType type, GByteArray *out)
{
	guint count = list->sums->count;

	if (type == HDI_FLOAT || type == HDI_DOUBLE) {
		LIST_EACH(list, list->doubles,
			  groupPyramidSumOf(&m->sum) + (double)m->sumInteger);
		packDoubles(out, list->doubles, count);
		return;
	}
	LIST_EACH(list, list->integers, (int64_t)(uint64_t)m->sumInteger);
	packUnsigned(out, (const uint64_t *)list->integers, count);
	LIST_EACH(list, list->integers, (int64_t)(m->sumInteger >> 64));
	packIntegers(out, list->integers, count);
}

/** What counters grew by. */
static void groupPyramidPackGrowth(const struct list *list, hdIType type,
				   GByteArray *out)
{
	guint count = list->sums->count;
	bool isInteger = type != HDI_FLOAT && type != HDI_DOUBLE;

	LIST_EACH(list, list->integers, (int64_t)m->bare);
	packIntegers(out, list->integers, count);
	LIST_EACH(list, list->integers, (int64_t)m->resets);
	packIntegers(out, list->integers, count);
	LIST_EACH(list, list->doubles,
		  isInteger ? m->sum.high : groupPyramidSumOf(&m->sum));
	packDoubles(out, list->doubles, count);
	if (!isInteger)
		return;
	LIST_EACH(list, list->doubles, m->sum.low);
	packDoubles(out, list->doubles, count);
}

static void packRates(const struct list *list, GByteArray *out)
{
	LIST_EACH(list, list->doubles, r->min);
	packDoubles(out, list->doubles, list->sums->count);
	LIST_EACH(list, list->doubles, r->max);
	packDoubles(out, list->doubles, list->sums->count);
}

static void packLevels(const struct list *list, GByteArray *out)
{
	LIST_EACH(list, list->doubles, groupPyramidSumOf(&m->integral));
	packDoubles(out, list->doubles, list->sums->count);
	LIST_EACH(list, list->doubles, m->squares);
	packDoubles(out, list->doubles, list->sums->count);
}

static void packMoments(const struct groupPyramid *self,
			const struct sums *sums, size_t column, GByteArray *out)
{
	const hdIValue *value = &self->group->values[column];
	hdIType type = columnPlainType(value);
	enum hdKind kind = amountsKind(self->amounts, column);
	struct list list = {
		.sums = sums,
		.moments = sums->moments + column,
		.rates = sums->rates + column,
		.step = self->group->valueCount,
		.isInteger = value->hasMissing,
		.integers = g_new(int64_t, sums->count),
		.doubles = g_new(double, sums->count),
	};

	LIST_EACH(&list, list.integers, (int64_t)(m->missing + m->bare));
	packIntegers(out, list.integers, sums->count);
	LIST_EACH(&list, list.integers,
		  sums->buckets[i_].covered - (int64_t)m->weight);
	packIntegers(out, list.integers, sums->count);
	if (kindIsAmount(kind))
		packRates(&list, out);
	else
		packLevels(&list, out);
	if (kind == HD_KIND_COUNTER)
		groupPyramidPackGrowth(&list, type, out);
	else
		packExtremes(&list, type, out);
	if (kind == HD_KIND_DELTA)
		packSum(&list, type, out);
	g_free(list.integers);
	g_free(list.doubles);
}

static void packBuckets(const struct sums *sums, GByteArray *out)
{
	int64_t *list = g_new(int64_t, sums->count);
	int64_t last = sums->buckets[0].start;

	for (guint i = 0; i < sums->count; i++) {
		list[i] = sums->buckets[i].start - last;
		last = sums->buckets[i].end;
	}
	packIntegers(out, list, sums->count);
	for (guint i = 0; i < sums->count; i++)
		list[i] = sums->buckets[i].end - sums->buckets[i].start;
	packIntegers(out, list, sums->count);
	for (guint i = 0; i < sums->count; i++)
		list[i] = sums->buckets[i].covered;
	packIntegers(out, list, sums->count);
	for (guint i = 0; i < sums->count; i++)
		list[i] = (int64_t)sums->buckets[i].entries;
	packIntegers(out, list, sums->count);
	g_free(list);
}

static void groupPyramidPackSums(struct groupPyramid *self,
				 const struct sums *sums)
{
	for (guint i = 0; i < self->parts->len; i++) {
		GByteArray *part = self->parts->pdata[i];

		g_byte_array_set_size(self->columns, 0);
		g_byte_array_set_size(part, 0);
		if (i == 0)
			packBuckets(sums, self->columns);
		else if (self->group->values[i - 1].type != HDI_STRING)
			packMoments(self, sums, i - 1, self->columns);
		if (self->columns->len)
			packFinish(part, self->columns);
	}
}

/* ---- Sums -------------------------------------------------------------- */

/** Start without any rates. */
static void emptyRates(struct rates *rates, size_t count)
{
	for (size_t i = 0; i < count; i++)
		rates[i] = (struct rates){ NAN, NAN };
}

static void mergeRates(struct rates *rates, const struct rates *other)
{
	/* These leave NaN out. */
	rates->min = fmin(rates->min, other->min);
	rates->max = fmax(rates->max, other->max);
}

static struct sums *groupPyramidSumsAt(struct groupPyramid *self, guint number)
{
	size_t columns = self->group->valueCount;
	struct sums *sums;

	if (number < self->sums->len)
		return self->sums->pdata[number];
	sums = g_new0(struct sums, 1);
	sums->openMoments = g_new0(struct moments, columns + 1);
	sums->openRates = g_new(struct rates, columns + 1);
	emptyRates(sums->openRates, columns);
	sums->buckets = g_new(struct bucket, self->sumsOfChunk);
	sums->moments = g_new(struct moments, self->sumsOfChunk * columns + 1);
	sums->rates = g_new(struct rates, self->sumsOfChunk * columns + 1);
	g_ptr_array_add(self->sums, sums);
	return sums;
}

static void freeSums(void *data)
{
	struct sums *sums = data;

	g_free(sums->openMoments);
	g_free(sums->openRates);
	g_free(sums->buckets);
	g_free(sums->moments);
	g_free(sums->rates);
	g_free(sums);
}

/** Write the chunk of a zoom, of which those below are written. */
static void writeSums(struct groupPyramid *self, guint number)
{
	struct sums *sums = self->sums->pdata[number];
	struct chunk chunk = {
		.first = sums->written,
		.count = sums->count,
		.offset = -1,
	};
	int ret;

	if (sums->count == 0)
		return;
	if (!sums->isAdded)
		trackAddZoom(self->track, self->parts->len, 0);
	sums->isAdded = true;
	chunk.start = sums->buckets[0].start;
	chunk.end = sums->buckets[sums->count - 1].end;
	groupPyramidPackSums(self, sums);
	ret = trackAddChunk(self->track, number + 1, &chunk, getParts(self));
	if (ret < 0 && self->error == 0)
		self->error = ret;
	for (guint i = 0; i < sums->count; i++)
		sums->written += sums->buckets[i].entries;
	sums->count = 0;
}

static void mergeUp(struct groupPyramid *self, guint number,
		    const struct bucket *bucket, const struct moments *moments,
		    const struct rates *rates);

/** The open item is complete: it goes into the chunk, and into the zoom
 *  above. */
static void closeBucket(struct groupPyramid *self, guint number, bool isByGap)
{
	struct sums *sums = groupPyramidSumsAt(self, number);
	size_t columns = self->group->valueCount;
	struct moments *moments;
	struct rates *rates;

	if (sums->open.children == 0)
		return;
	/* Such a chunk would have no offsets that are exact. */
	if (sums->count && sums->open.end - sums->buckets[0].start >= CHUNK_NS)
		writeSums(self, number);
	moments = sums->moments + sums->count * columns;
	memcpy(moments, sums->openMoments, columns * sizeof(*moments));
	rates = sums->rates + sums->count * columns;
	memcpy(rates, sums->openRates, columns * sizeof(*rates));
	sums->buckets[sums->count++] = sums->open;
	sums->closed++;
	sums->closedByGap += isByGap;
	memset(sums->openMoments, 0, columns * sizeof(*sums->openMoments));
	emptyRates(sums->openRates, columns);
	sums->open.children = 0;
	mergeUp(self, number + 1, &sums->buckets[sums->count - 1], moments,
		rates);
	if (sums->count == self->sumsOfChunk)
		writeSums(self, number);
}

/** Whether what is put together would rather be apart from what follows: the
 * gap is long, or what is there took no time. The time that an item starts with
 * is not in it, so it must not begin with what is at that time. */
static bool isApart(const struct bucket *open, int64_t start, int64_t end)
{
	return start - open->end > open->covered / 4 ||
	       (open->start == open->end && end > start);
}

/** Make room for an item in the open one; close that one if it is full, or too
 *  long ago. What takes no time belongs to what ends then. */
static void startChild(struct groupPyramid *self, guint number, int64_t start,
		       int64_t end)
{
	struct sums *sums = groupPyramidSumsAt(self, number);
	struct bucket *open = &sums->open;
	bool isFull = open->children >= FANOUT;
	bool isAtEnd = start == end && start == open->end;
	/* With many gaps, this would never get coarser. */
	uint64_t allowed =
		(GAPS_FREE >> MIN(2 * number, 31)) + sums->closed / 4;

	if (open->children && !isAtEnd &&
	    (isFull ||
	     (sums->closedByGap < allowed && isApart(open, start, end))))
		closeBucket(self, number, !isFull);
	if (open->children == 0)
		*open = (struct bucket){ .start = start, .end = start };
}

static void mergeUp(struct groupPyramid *self, guint number,
		    const struct bucket *bucket, const struct moments *moments,
		    const struct rates *rates)
{
	struct sums *sums;
	struct bucket *open;

	startChild(self, number, bucket->start, bucket->end);
	sums = groupPyramidSumsAt(self, number);
	open = &sums->open;
	open->end = bucket->end;
	open->covered += bucket->covered;
	open->entries += bucket->entries;
	open->children++;
	for (size_t i = 0; i < self->group->valueCount; i++) {
		momentsMerge(&sums->openMoments[i], &moments[i]);
		mergeRates(&sums->openRates[i], &rates[i]);
	}
}

static void addRates(const struct groupPyramid *self, struct rates *rates,
		     size_t column, size_t first, size_t last)
{
	for (size_t i = first; i < last; i++) {
		double rate = amountsLevel(self->amounts, column, i);

		mergeRates(rates, &(struct rates){ rate, rate });
	}
}

/** Add entries without a gap between them that fit into the open item. */
static void groupPyramidAddRun(struct groupPyramid *self, const hdIBlock *block,
			       size_t first, size_t last)
{
	struct sums *sums = groupPyramidSumsAt(self, 0);
	struct bucket *open = &sums->open;

	for (size_t i = 0; i < self->group->valueCount; i++) {
		amountsAdd(self->amounts, i, &sums->openMoments[i], first,
			   last);
		if (kindIsAmount(amountsKind(self->amounts, i)))
			addRates(self, &sums->openRates[i], i, first, last);
	}
	open->covered += block->end[last - 1] - block->start[first];
	open->end = block->end[last - 1];
	open->entries += last - first;
	open->children += (guint)(last - first);
}

/** Find the end of the run of entries that fit into the open item, from one
 * that does. */
static size_t endOfRun(const struct bucket *open, const hdIBlock *block,
		       size_t first)
{
	size_t room = FANOUT - MIN(open->children, FANOUT);
	size_t last = first + 1;

	while (last < block->count &&
	       block->start[last] == block->end[last - 1]) {
		bool isInstant = block->start[last] == block->end[last];

		if (!isInstant && (last >= first + room ||
				   block->end[last - 1] == open->start))
			break;
		last++;
	}
	return last;
}

static void addSums(struct groupPyramid *self, const hdIBlock *block)
{
	size_t at = 0;

	while (at < block->count) {
		size_t last;

		startChild(self, 0, block->start[at], block->end[at]);
		last = endOfRun(&groupPyramidSumsAt(self, 0)->open, block, at);
		groupPyramidAddRun(self, block, at, last);
		at = last;
	}
}

/* ---- All together ------------------------------------------------------ */

struct groupPyramid *groupPyramidNew(struct track *track, const hdIGroup *group,
				     bool isStored)
{
	struct groupPyramid *self = g_new0(struct groupPyramid, 1);
	guint parts = (guint)group->valueCount + 1;

	self->track = track;
	self->group = group;
	self->isStored = isStored;
	self->amounts = amountsNew(group);
	entriesInit(&self->entries, group, self->amounts,
		    chunkItems(group, CHUNK_VALUES, 256));
	self->sumsOfChunk = MIN(chunkItems(group, CHUNK_SUMS, 16), 1024);
	self->sums = g_ptr_array_new_with_free_func(freeSums);
	self->columns = g_byte_array_new();
	self->parts = g_ptr_array_new_with_free_func(
		(GDestroyNotify)g_byte_array_unref);
	for (guint i = 0; i < parts; i++)
		g_ptr_array_add(self->parts, g_byte_array_new());
	trackAddZoom(track, parts, 0);
	return self;
}

int groupPyramidAdd(struct groupPyramid *self, const hdIBlock *block)
{
	amountsTake(self->amounts, block);
	gatherEntries(self, block);
	addSums(self, block);
	trackReached(self->track, block->end[block->count - 1], false);
	return self->error;
}

int groupPyramidFinish(struct groupPyramid *self)
{
	writeEntries(self);
	/* There is no use in a zoom above a single item. */
	for (guint i = 0; i < self->sums->len; i++) {
		struct sums *sums = self->sums->pdata[i];

		if (i > 0 && sums->closed == 0 && sums->open.children <= 1)
			break;
		closeBucket(self, i, false);
		writeSums(self, i);
	}
	return self->error;
}

void groupPyramidFree(struct groupPyramid *self)
{
	if (!self)
		return;
	entriesClear(&self->entries);
	amountsFree(self->amounts);
	g_ptr_array_unref(self->sums);
	g_ptr_array_unref(self->parts);
	g_byte_array_unref(self->columns);
	g_free(self);
}
