/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace info --sizes.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/info/sizes.h"
#include "common/format/compress.h"
#include "common/format/frame.h"

/** Kinds of records that text lists. */
#define SIZES_KINDS 10
/** Pieces of a file that are compressed on trial, and bytes of all of them. */
#define SIZES_PIECES 4
#define SIZES_TRIAL ((int64_t)64 << 20)
/** Bytes around an attribute: a blank, an equals sign, and quotes. */
#define SIZES_AROUND 4
#define SIZES_PERCENT 100.0

/** Records with the same name. */
struct sizesKind {
	const char *kind; /**< "state" */
	char *name;
	uint64_t count;
	int64_t bytes;
};

/** Options that save bytes. */
enum sizesOption {
	SIZES_COMPRESS,
	SIZES_INTERVAL,
	SIZES_NESTING,
	SIZES_SITES,
	SIZES_COUNTERS,
	SIZES_OPTIONS,
};

static const char *const sizesOptions[] = {
	[SIZES_COMPRESS] = "--compress, or hdtrace pack",
	[SIZES_INTERVAL] = "twice the interval (-i) of statistics",
	[SIZES_NESTING] = "hdmpirun --nesting=1",
	[SIZES_SITES] = "hdmpirun without --call-sites",
	[SIZES_COUNTERS] = "hdmpirun without --counters",
};

struct sizes {
	GHashTable *kinds; /**< struct sizesKind by kind and name. */
	int64_t all;       /**< Bytes of all files, as plain ones. */
	int64_t plain;     /**< Of those that are not compressed yet. */
	int64_t named;     /**< Of the records. */
	int64_t saved[SIZES_OPTIONS];
	int64_t tried;  /**< Plain bytes that were compressed, ... */
	int64_t stored; /**< ... and what they became. */
	ZSTD_CCtx *context;
};

static void sizesKindFree(void *data)
{
	struct sizesKind *kind = data;

	g_free(kind->name);
	g_free(kind);
}

struct sizes *sizesNew(void)
{
	struct sizes *self = g_new0(struct sizes, 1);

	self->kinds = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					    sizesKindFree);
	if (!hdZstdMissing())
		self->context = hdCompressCreate(HD_COMPRESS_DEFAULT);
	return self;
}

void sizesFree(struct sizes *self)
{
	if (!self)
		return;
	if (self->context)
		hdZstd.ZSTD_freeCCtx(self->context);
	g_hash_table_destroy(self->kinds);
	g_free(self);
}

/* ---- Counting ---------------------------------------------------------- */

static void sizesAdd(struct sizes *self, const char *kind, const char *name,
		     uint64_t count, int64_t bytes)
{
	char *key = g_strconcat(kind, " ", name, NULL);
	struct sizesKind *item = g_hash_table_lookup(self->kinds, key);

	if (item) {
		g_free(key);
	} else {
		item = g_new0(struct sizesKind, 1);
		item->kind = kind;
		item->name = g_strdup(name);
		g_hash_table_insert(self->kinds, key, item);
	}
	item->count += count;
	item->bytes += bytes;
	self->named += bytes;
}

/** Whether an attribute is a counter of hdmpirun. */
static bool sizesIsCounter(const char *name)
{
	static const char *const ends[] = { "ycles",          "nstructions",
					    "acheReferences", "acheMisses",
					    "ranches",        "ranchMisses" };

	for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
		if (g_str_has_suffix(name, ends[i]))
			return true;
	}
	return false;
}

void sizesAddRecord(struct sizes *self, const hdIRecord *record)
{
	int64_t bytes = record->endOffset - record->offset;

	sizesAdd(self, record->kind == HDI_EVENT ? "event" : "state",
		 record->name, 1, bytes);
	if (record->depth > 0)
		self->saved[SIZES_NESTING] += bytes;
	for (size_t i = 0; i < record->attributeCount; i++) {
		const hdIAttribute *attribute = &record->attributes[i];
		int64_t size = (int64_t)(strlen(attribute->name) +
					 strlen(attribute->value)) +
			       SIZES_AROUND;

		if (strcmp(attribute->name, "site") == 0)
			self->saved[SIZES_SITES] += size;
		else if (sizesIsCounter(attribute->name))
			self->saved[SIZES_COUNTERS] += size;
	}
}

void sizesAddElement(struct sizes *self, const hdIRelationRecord *record)
{
	sizesAdd(self, "relation",
		 record->kind == HDI_STATE_BEGIN ? record->name : "", 1,
		 record->endOffset - record->offset);
}

/* ---- Compression on trial ---------------------------------------------- */

/** Compress a piece of a file. */
static void sizesTryPiece(struct sizes *self, hdIFile *file, int64_t offset)
{
	char *plain = g_malloc(HD_FRAME_PLAIN);
	ssize_t got = hdI_readFile(file, offset, plain, HD_FRAME_PLAIN);
	char *frame;

	if (got > 0) {
		frame = g_malloc(hdCompressRoom((size_t)got));
		self->tried += got;
		self->stored += (int64_t)hdCompressFrame(self->context, plain,
							 (size_t)got, frame);
		g_free(frame);
	}
	g_free(plain);
}

/** Compress some pieces of a file. */
static void sizesTry(struct sizes *self, const char *path)
{
	hdIFile *file = NULL;
	int64_t size, step;

	if (self->context && self->tried < SIZES_TRIAL)
		/* Its problems were reported. */
		file = hdI_openFile(path, NULL, NULL);
	if (!file)
		return;
	size = hdI_getFileSize(file);
	step = MAX(size / SIZES_PIECES, (int64_t)HD_FRAME_PLAIN);
	for (int64_t at = 0; at < size; at += step)
		sizesTryPiece(self, file, at);
	hdI_closeFile(file);
}

void sizesAddFile(struct sizes *self, const struct content *content,
		  const hdIGroup *group)
{
	int64_t entries = group ? content->fileSize - group->dataOffset : 0;

	self->all += content->fileSize;
	if (group)
		sizesAdd(self, "group", group->name, content->entries,
			 content->fileSize);
	if (group && group->isReadable)
		self->saved[SIZES_INTERVAL] += entries / 2;
	if (hdFrameIsCompressed(content->file))
		return;
	self->plain += content->fileSize;
	sizesTry(self, content->file);
}

/** Bytes that an option would save; negative: not known. */
static int64_t sizesSaved(const struct sizes *self, enum sizesOption option)
{
	if (option != SIZES_COMPRESS)
		return self->saved[option];
	if (self->tried == 0)
		return -1;
	return self->plain -
	       (int64_t)((double)self->plain * (double)self->stored /
			 (double)self->tried);
}

/* ---- Printing ---------------------------------------------------------- */

static gint sizesCompare(gconstpointer a, gconstpointer b)
{
	const struct sizesKind *const *x = a, *const *y = b;

	if ((*x)->bytes != (*y)->bytes)
		return (*x)->bytes > (*y)->bytes ? -1 : 1;
	return strcmp((*x)->kind, (*y)->kind) ? strcmp((*x)->kind, (*y)->kind)
					      : strcmp((*x)->name, (*y)->name);
}

/** The kinds of records, those that take most first. */
static GPtrArray *sizesSort(const struct sizes *self)
{
	GPtrArray *list = g_ptr_array_new();
	GHashTableIter iterator;
	void *kind;

	g_hash_table_iter_init(&iterator, self->kinds);
	while (g_hash_table_iter_next(&iterator, NULL, &kind))
		g_ptr_array_add(list, kind);
	g_ptr_array_sort(list, sizesCompare);
	return list;
}

static double sizesPercent(const struct sizes *self, int64_t bytes)
{
	return self->all ? SIZES_PERCENT * (double)bytes / (double)self->all
			 : 0;
}

/** Add a line; without records there is no average. */
static void sizesPutLine(const struct sizes *self, struct outTable *table,
			 const char *what, uint64_t count, int64_t bytes)
{
	char buffer[OUT_NUMBER_SIZE];
	char *text;

	outTableAdd(table, what);
	outTableAdd(table, count ? outInteger(buffer, (int64_t)count) : "");
	outTableAdd(table, outSize(buffer, bytes));
	text = count ? g_strdup_printf("%.1f", (double)bytes / (double)count)
		     : g_strdup("");
	outTableAdd(table, text);
	g_free(text);
	text = g_strdup_printf("%.1f %%", sizesPercent(self, bytes));
	outTableAdd(table, text);
	g_free(text);
}

static void sizesPrintKinds(const struct sizes *self, const struct tool *tool)
{
	static const char *const headings[] = { "<Records", ">Number",
						">Size",    ">Bytes per record",
						">Share",   NULL };
	struct outTable *table = outTableNew(headings);
	GPtrArray *list = sizesSort(self);
	int64_t others = 0;
	uint64_t otherCount = 0;

	for (guint i = 0; i < list->len; i++) {
		const struct sizesKind *kind = list->pdata[i];
		char *what;

		if (i >= SIZES_KINDS) {
			others += kind->bytes;
			otherCount += kind->count;
			continue;
		}
		what = g_strdup_printf("%s %s", kind->kind, kind->name);
		sizesPutLine(self, table, what, kind->count, kind->bytes);
		g_free(what);
	}
	if (otherCount)
		sizesPutLine(self, table, "other records", otherCount, others);
	if (self->all > self->named)
		sizesPutLine(self, table, "headers, line ends and nesting", 0,
			     self->all - self->named);
	outTablePrint(table, "  ", tool->isColored);
	g_ptr_array_unref(list);
}

void sizesPrintText(const struct sizes *self, const struct tool *tool)
{
	static const char *const headings[] = { "<Option", ">Saves", ">Share",
						NULL };
	struct outTable *table = outTableNew(headings);
	char buffer[OUT_NUMBER_SIZE];

	sizesPrintKinds(self, tool);
	putchar('\n');
	for (int i = 0; i < SIZES_OPTIONS; i++) {
		int64_t saved = sizesSaved(self, (enum sizesOption)i);
		char *share;

		if (saved <= 0)
			continue;
		share = g_strdup_printf("%.1f %%", sizesPercent(self, saved));
		outTableAdd(table, sizesOptions[i]);
		outTableAdd(table, outSize(buffer, saved));
		outTableAdd(table, share);
		g_free(share);
	}
	outTablePrint(table, "  ", tool->isColored);
}

void sizesPrintJson(const struct sizes *self, struct outJson *json)
{
	GPtrArray *list = sizesSort(self);

	outJsonObject(json, "sizes", false);
	outJsonInteger(json, "size_bytes", self->all);
	outJsonArray(json, "records", false);
	for (guint i = 0; i < list->len; i++) {
		const struct sizesKind *kind = list->pdata[i];

		outJsonObject(json, NULL, true);
		outJsonText(json, "kind", kind->kind);
		outJsonText(json, "name", kind->name);
		outJsonInteger(json, "count", (int64_t)kind->count);
		outJsonInteger(json, "size_bytes", kind->bytes);
		outJsonEnd(json);
	}
	outJsonEnd(json);
	outJsonArray(json, "options", false);
	for (int i = 0; i < SIZES_OPTIONS; i++) {
		int64_t saved = sizesSaved(self, (enum sizesOption)i);

		if (saved < 0)
			continue;
		outJsonObject(json, NULL, true);
		outJsonText(json, "name", sizesOptions[i]);
		outJsonInteger(json, "saved_bytes", saved);
		outJsonEnd(json);
	}
	outJsonEnd(json);
	outJsonEnd(json);
	g_ptr_array_unref(list);
}
