/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the viewer shows in a line, at several levels of detail.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/pages/pack.h"
#include "HDTraceTools/pages/track.h"

/* ---- The store --------------------------------------------------------- */

struct store {
	pthread_mutex_t mutex;
	struct spool *spool;
};

struct store *storeNew(void)
{
	struct store *self = g_new0(struct store, 1);

	pthread_mutex_init(&self->mutex, NULL);
	self->spool = spoolNew();
	return self;
}

void storeFree(struct store *self)
{
	if (!self)
		return;
	spoolFree(self->spool);
	pthread_mutex_destroy(&self->mutex);
	g_free(self);
}

int storeAdd(struct store *self, const void *bytes, size_t size, uint64_t *at)
{
	int ret;

	pthread_mutex_lock(&self->mutex);
	*at = spoolLength(self->spool);
	ret = spoolAppend(self->spool, bytes, size);
	pthread_mutex_unlock(&self->mutex);
	return ret;
}

int storeRead(struct store *self, uint64_t at, void *bytes, size_t size)
{
	int ret = -EINVAL;

	pthread_mutex_lock(&self->mutex);
	if (at <= spoolLength(self->spool) &&
	    size <= spoolLength(self->spool) - at)
		ret = spoolRead(self->spool, at, bytes, size);
	pthread_mutex_unlock(&self->mutex);
	return ret;
}

/* ---- Tracks ------------------------------------------------------------ */

static void freeLevel(void *data)
{
	struct level *level = data;

	g_array_unref(level->chunks);
	g_array_unref(level->sizes);
	g_free(level);
}

void trackInit(struct track *self, enum trackKind kind, struct store *store)
{
	*self = (struct track){
		.kind = kind,
		.store = store,
		.levels = g_ptr_array_new_with_free_func(freeLevel),
		.names = g_ptr_array_new_with_free_func(g_free),
		.readTo = INT64_MIN,
	};
	pthread_mutex_init(&self->mutex, NULL);
}

void trackClear(struct track *self)
{
	g_ptr_array_unref(self->levels);
	g_ptr_array_unref(self->names);
	pthread_mutex_destroy(&self->mutex);
}

guint trackAddLevel(struct track *self, guint partCount, int64_t width)
{
	struct level *level = g_new0(struct level, 1);
	guint number;

	level->width = width;
	level->partCount = partCount;
	level->chunks = g_array_new(FALSE, FALSE, sizeof(struct chunk));
	level->sizes = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	pthread_mutex_lock(&self->mutex);
	number = self->levels->len;
	g_ptr_array_add(self->levels, level);
	pthread_mutex_unlock(&self->mutex);
	return number;
}

int trackAddChunk(struct track *self, guint number, const struct chunk *chunk,
		  GByteArray *const *parts)
{
	struct level *level = self->levels->pdata[number];
	struct chunk copy = *chunk;
	GByteArray *all = g_byte_array_new();
	int ret = 0;

	for (guint i = 0; parts && i < level->partCount; i++)
		g_byte_array_append(all, parts[i]->data, parts[i]->len);
	copy.at = 0;
	if (parts)
		ret = storeAdd(self->store, all->data, all->len, &copy.at);
	pthread_mutex_lock(&self->mutex);
	for (guint i = 0; ret == 0 && i < level->partCount; i++) {
		uint32_t size = parts ? parts[i]->len : 0;

		g_array_append_val(level->sizes, size);
	}
	if (ret == 0) {
		g_array_append_val(level->chunks, copy);
		level->bytes += all->len;
		level->items += chunk->count;
	}
	pthread_mutex_unlock(&self->mutex);
	g_byte_array_unref(all);
	return ret;
}

bool trackGetChunk(struct track *self, guint level, guint number,
		   struct chunk *chunk)
{
	bool found = false;

	pthread_mutex_lock(&self->mutex);
	if (level < self->levels->len) {
		const struct level *of = self->levels->pdata[level];

		found = number < of->chunks->len;
		if (found)
			*chunk =
				g_array_index(of->chunks, struct chunk, number);
	}
	pthread_mutex_unlock(&self->mutex);
	return found;
}

void trackReached(struct track *self, int64_t time, bool isComplete)
{
	pthread_mutex_lock(&self->mutex);
	self->readTo = time;
	self->isComplete = isComplete;
	pthread_mutex_unlock(&self->mutex);
}

/* ---- Describing and writing -------------------------------------------- */

/** Integers of all chunks: one member of each. */
static void putMember(GByteArray *out, const struct level *level, size_t offset,
		      size_t size)
{
	int64_t *list = g_new(int64_t, level->chunks->len + 1);

	for (guint i = 0; i < level->chunks->len; i++) {
		const char *chunk = (const char *)&g_array_index(
			level->chunks, struct chunk, i);
		uint32_t narrow;

		if (size == sizeof(narrow)) {
			memcpy(&narrow, chunk + offset, size);
			list[i] = narrow;
		} else {
			memcpy(&list[i], chunk + offset, size);
		}
	}
	packIntegers(out, list, level->chunks->len);
	g_free(list);
}

#define PUT_MEMBER(out, level, member)                               \
	putMember(out, level, G_STRUCT_OFFSET(struct chunk, member), \
		  sizeof(((struct chunk *)NULL)->member))

/** Where chunks stand, if what was before is as long as this. */
static void putPositions(GByteArray *out, const struct level *level,
			 uint64_t *at)
{
	int64_t *list = g_new(int64_t, level->chunks->len + 1);

	for (guint i = 0; i < level->chunks->len; i++) {
		list[i] = (int64_t)*at;
		for (guint k = 0; k < level->partCount; k++)
			*at += g_array_index(level->sizes, uint32_t,
					     i * level->partCount + k);
	}
	packIntegers(out, list, level->chunks->len);
	g_free(list);
}

static void putSizes(GByteArray *out, const struct level *level)
{
	int64_t *list = g_new(int64_t, level->sizes->len + 1);

	for (guint i = 0; i < level->sizes->len; i++)
		list[i] = g_array_index(level->sizes, uint32_t, i);
	packIntegers(out, list, level->sizes->len);
	g_free(list);
}

static void putLevel(GByteArray *out, const struct level *level, guint number,
		     bool isPacked, uint64_t *at)
{
	const int64_t head[] = { number, level->width, level->partCount };

	packIntegers(out, head, G_N_ELEMENTS(head));
	PUT_MEMBER(out, level, start);
	PUT_MEMBER(out, level, end);
	PUT_MEMBER(out, level, first);
	PUT_MEMBER(out, level, count);
	if (isPacked)
		putPositions(out, level, at);
	else
		PUT_MEMBER(out, level, at);
	putSizes(out, level);
}

static void putNames(GByteArray *out, const GPtrArray *names)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < names->len; i++) {
		char *valid = g_utf8_make_valid(names->pdata[i], -1);

		g_string_append(text, valid);
		g_string_append_c(text, '\0');
		g_free(valid);
	}
	packBytes(out, text->str, text->len);
	g_string_free(text, TRUE);
}

void trackDescribe(struct track *self, guint from, bool isPacked,
		   GByteArray *out)
{
	GByteArray *columns = g_byte_array_new();
	uint64_t at = 0;
	int64_t head[5];

	pthread_mutex_lock(&self->mutex);
	from = MIN(from, self->levels->len);
	head[0] = self->levels->len - from;
	head[1] = self->isComplete;
	head[2] = self->isCut;
	head[3] = self->readTo;
	head[4] = self->depth;
	packIntegers(columns, head, G_N_ELEMENTS(head));
	putNames(columns, self->names);
	for (guint i = from; i < self->levels->len; i++)
		putLevel(columns, self->levels->pdata[i], i, isPacked, &at);
	pthread_mutex_unlock(&self->mutex);
	packFinish(out, columns);
	g_byte_array_unref(columns);
}

static int writeLevel(struct track *self, const struct level *level,
		      int (*take)(const void *bytes, size_t size, void *data),
		      void *data)
{
	GByteArray *bytes = g_byte_array_new();
	int ret = 0;

	for (guint i = 0; i < level->chunks->len && ret == 0; i++) {
		uint32_t size = 0;

		for (guint k = 0; k < level->partCount; k++)
			size += g_array_index(level->sizes, uint32_t,
					      i * level->partCount + k);
		g_byte_array_set_size(bytes, size);
		ret = storeRead(
			self->store,
			g_array_index(level->chunks, struct chunk, i).at,
			bytes->data, size);
		if (ret == 0)
			ret = take(bytes->data, size, data);
	}
	g_byte_array_unref(bytes);
	return ret;
}

int trackWrite(struct track *self, guint from,
	       int (*take)(const void *bytes, size_t size, void *data),
	       void *data)
{
	int ret = 0;

	for (guint i = from; i < self->levels->len && ret == 0; i++)
		ret = writeLevel(self, self->levels->pdata[i], take, data);
	return ret;
}

uint64_t trackSize(const struct track *self, guint from)
{
	uint64_t size = 0;

	for (guint i = from; i < self->levels->len; i++)
		size += ((const struct level *)self->levels->pdata[i])->bytes;
	return size;
}
