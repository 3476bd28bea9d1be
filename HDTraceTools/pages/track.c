/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the viewer shows in a line, at several degrees of detail, called zooms.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/pages/pack.h"
#include "HDTraceTools/pages/track.h"

/* ---- Tracks ------------------------------------------------------------ */

static void trackFreeLevel(void *data)
{
	struct zoom *zoom = data;

	g_array_unref(zoom->chunks);
	g_array_unref(zoom->sizes);
	g_free(zoom);
}

void trackInit(struct track *self, enum trackKind kind, struct store *store)
{
	*self = (struct track){
		.kind = kind,
		.store = store,
		.zooms = g_ptr_array_new_with_free_func(trackFreeLevel),
		.names = g_ptr_array_new_with_free_func(g_free),
		.readTo = INT64_MIN,
	};
	pthread_mutex_init(&self->mutex, NULL);
}

void trackClear(struct track *self)
{
	g_ptr_array_unref(self->zooms);
	g_ptr_array_unref(self->names);
	pthread_mutex_destroy(&self->mutex);
}

guint trackAddZoom(struct track *self, guint partCount, int64_t width)
{
	struct zoom *zoom = g_new0(struct zoom, 1);
	guint number;

	zoom->width = width;
	zoom->partCount = partCount;
	zoom->chunks = g_array_new(FALSE, FALSE, sizeof(struct chunk));
	zoom->sizes = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	pthread_mutex_lock(&self->mutex);
	number = self->zooms->len;
	g_ptr_array_add(self->zooms, zoom);
	pthread_mutex_unlock(&self->mutex);
	return number;
}

int trackAddChunk(struct track *self, guint number, const struct chunk *chunk,
		  GByteArray *const *parts)
{
	struct zoom *zoom = self->zooms->pdata[number];
	struct chunk copy = *chunk;
	GByteArray *all = g_byte_array_new();
	int ret = 0;

	for (guint i = 0; parts && i < zoom->partCount; i++)
		g_byte_array_append(all, parts[i]->data, parts[i]->len);
	copy.at = 0;
	if (parts)
		ret = storeAdd(self->store, all->data, all->len, &copy.at);
	pthread_mutex_lock(&self->mutex);
	for (guint i = 0; ret == 0 && i < zoom->partCount; i++) {
		uint32_t size = parts ? parts[i]->len : 0;

		g_array_append_val(zoom->sizes, size);
	}
	if (ret == 0) {
		g_array_append_val(zoom->chunks, copy);
		zoom->bytes += all->len;
		zoom->items += chunk->count;
	}
	pthread_mutex_unlock(&self->mutex);
	g_byte_array_unref(all);
	return ret;
}

bool trackGetChunk(struct track *self, guint zoom, guint number,
		   struct chunk *chunk)
{
	bool found = false;

	pthread_mutex_lock(&self->mutex);
	if (zoom < self->zooms->len) {
		const struct zoom *of = self->zooms->pdata[zoom];

		found = number < of->chunks->len;
		if (found)
			*chunk =
				g_array_index(of->chunks, struct chunk, number);
	}
	pthread_mutex_unlock(&self->mutex);
	return found;
}

uint32_t trackAddName(struct track *self, GHashTable *names, const char *name)
{
	guint index = GPOINTER_TO_UINT(g_hash_table_lookup(names, name));
	char *copy;

	if (index)
		return index - 1;
	copy = g_strdup(name);
	pthread_mutex_lock(&self->mutex);
	g_ptr_array_add(self->names, copy);
	index = self->names->len;
	pthread_mutex_unlock(&self->mutex);
	g_hash_table_insert(names, copy, GUINT_TO_POINTER(index));
	return index - 1;
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
static void putMember(GByteArray *out, const struct zoom *zoom, size_t offset,
		      size_t size)
{
	int64_t *list = g_new(int64_t, zoom->chunks->len + 1);

	for (guint i = 0; i < zoom->chunks->len; i++) {
		const char *chunk = (const char *)&g_array_index(
			zoom->chunks, struct chunk, i);
		uint32_t narrow;

		if (size == sizeof(narrow)) {
			memcpy(&narrow, chunk + offset, size);
			list[i] = narrow;
		} else {
			memcpy(&list[i], chunk + offset, size);
		}
	}
	packIntegers(out, list, zoom->chunks->len);
	g_free(list);
}

#define PUT_MEMBER(out, zoom, member)                               \
	putMember(out, zoom, G_STRUCT_OFFSET(struct chunk, member), \
		  sizeof(((struct chunk *)NULL)->member))

/** Where chunks stand, if what was before is as long as this. */
static void putPositions(GByteArray *out, const struct zoom *zoom, uint64_t *at)
{
	int64_t *list = g_new(int64_t, zoom->chunks->len + 1);

	for (guint i = 0; i < zoom->chunks->len; i++) {
		list[i] = (int64_t)*at;
		for (guint k = 0; k < zoom->partCount; k++)
			*at += g_array_index(zoom->sizes, uint32_t,
					     i * zoom->partCount + k);
	}
	packIntegers(out, list, zoom->chunks->len);
	g_free(list);
}

static void putSizes(GByteArray *out, const struct zoom *zoom)
{
	int64_t *list = g_new(int64_t, zoom->sizes->len + 1);

	for (guint i = 0; i < zoom->sizes->len; i++)
		list[i] = g_array_index(zoom->sizes, uint32_t, i);
	packIntegers(out, list, zoom->sizes->len);
	g_free(list);
}

static void putLevel(GByteArray *out, const struct zoom *zoom, guint number,
		     bool isPacked, uint64_t *at)
{
	const int64_t head[] = { number, zoom->width, zoom->partCount };

	packIntegers(out, head, G_N_ELEMENTS(head));
	PUT_MEMBER(out, zoom, start);
	PUT_MEMBER(out, zoom, end);
	PUT_MEMBER(out, zoom, first);
	PUT_MEMBER(out, zoom, count);
	if (isPacked)
		putPositions(out, zoom, at);
	else
		PUT_MEMBER(out, zoom, at);
	putSizes(out, zoom);
}

static void trackPutNames(GByteArray *out, const GPtrArray *names)
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
	from = MIN(from, self->zooms->len);
	head[0] = self->zooms->len - from;
	head[1] = self->isComplete;
	head[2] = self->isCut;
	head[3] = self->readTo;
	head[4] = self->depth;
	packIntegers(columns, head, G_N_ELEMENTS(head));
	trackPutNames(columns, self->names);
	for (guint i = from; i < self->zooms->len; i++)
		putLevel(columns, self->zooms->pdata[i], i, isPacked, &at);
	pthread_mutex_unlock(&self->mutex);
	packFinish(out, columns);
	g_byte_array_unref(columns);
}

static int writeLevel(struct track *self, const struct zoom *zoom,
		      int (*take)(const void *bytes, size_t size, void *data),
		      void *data)
{
	GByteArray *bytes = g_byte_array_new();
	int ret = 0;

	for (guint i = 0; i < zoom->chunks->len && ret == 0; i++) {
		uint32_t size = 0;

		for (guint k = 0; k < zoom->partCount; k++)
			size += g_array_index(zoom->sizes, uint32_t,
					      i * zoom->partCount + k);
		g_byte_array_set_size(bytes, size);
		ret = storeRead(self->store,
				g_array_index(zoom->chunks, struct chunk, i).at,
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

	for (guint i = from; i < self->zooms->len && ret == 0; i++)
		ret = writeLevel(self, self->zooms->pdata[i], take, data);
	return ret;
}

uint64_t trackSize(const struct track *self, guint from)
{
	uint64_t size = 0;

	for (guint i = from; i < self->zooms->len; i++)
		size += ((const struct zoom *)self->zooms->pdata[i])->bytes;
	return size;
}
