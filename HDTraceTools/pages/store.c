/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Bytes of all tracks, in a temporary file.
 *
 * A store of one edition has no list of what is in it. Otherwise there is a
 * record for all that was added at once; records are found by a hash of their
 * bytes, and then compared.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <glib.h>

#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/pages/store.h"

/** Bytes that were added at once. */
struct storeRecord {
	uint64_t at;
	size_t size;
	uint64_t hash;
	uint64_t edition; /**< The last one that added them. */
};

struct store {
	pthread_mutex_t mutex; /**< Protects what follows. */
	struct spool *spool;
	uint64_t edition;    /**< 0: there are none. */
	GPtrArray *records;  /**< struct storeRecord, by place. */
	GHashTable *known;   /**< The same, by hash. */
	GByteArray *compare; /**< Bytes that are there. */
};

static guint storeHashOf(gconstpointer data)
{
	const struct storeRecord *record = data;

	return (guint)(record->hash ^ record->hash >> 32);
}

static gboolean storeIsSame(gconstpointer a, gconstpointer b)
{
	const struct storeRecord *x = a;
	const struct storeRecord *y = b;

	return x->hash == y->hash && x->size == y->size;
}

struct store *storeNew(void)
{
	struct store *self = g_new0(struct store, 1);

	pthread_mutex_init(&self->mutex, NULL);
	self->spool = spoolNew();
	self->records = g_ptr_array_new_with_free_func(g_free);
	self->known = g_hash_table_new(storeHashOf, storeIsSame);
	self->compare = g_byte_array_new();
	return self;
}

void storeFree(struct store *self)
{
	if (!self)
		return;
	spoolFree(self->spool);
	g_hash_table_destroy(self->known);
	g_ptr_array_unref(self->records);
	g_byte_array_unref(self->compare);
	pthread_mutex_destroy(&self->mutex);
	g_free(self);
}

uint64_t storeBegin(struct store *self)
{
	uint64_t edition;

	pthread_mutex_lock(&self->mutex);
	edition = ++self->edition;
	pthread_mutex_unlock(&self->mutex);
	return edition;
}

/** FNV-1a: equal bytes are compared afterwards. */
static uint64_t storeSumOf(const unsigned char *bytes, size_t size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/** The record with these bytes, or NULL. */
static struct storeRecord *storeFind(struct store *self,
				     const struct storeRecord *key,
				     const void *bytes)
{
	struct storeRecord *found = g_hash_table_lookup(self->known, key);

	if (!found)
		return NULL;
	g_byte_array_set_size(self->compare, (guint)found->size);
	if (spoolRead(self->spool, found->at, self->compare->data,
		      found->size) < 0 ||
	    memcmp(self->compare->data, bytes, found->size) != 0)
		return NULL;
	return found;
}

/** Add bytes of an edition. */
static int storeAddRecord(struct store *self, const void *bytes, size_t size,
			  uint64_t *at)
{
	struct storeRecord key = {
		.at = spoolLength(self->spool),
		.size = size,
		.hash = storeSumOf(bytes, size),
		.edition = self->edition,
	};
	struct storeRecord *found = storeFind(self, &key, bytes);
	int ret;

	if (found) {
		found->edition = self->edition;
		*at = found->at;
		return 0;
	}
	*at = key.at;
	ret = spoolAppend(self->spool, bytes, size);
	if (ret < 0 || size == 0)
		return ret;
	found = g_memdup2(&key, sizeof(key));
	g_ptr_array_add(self->records, found);
	g_hash_table_add(self->known, found);
	return 0;
}

int storeAdd(struct store *self, const void *bytes, size_t size, uint64_t *at)
{
	int ret;

	pthread_mutex_lock(&self->mutex);
	if (self->edition) {
		ret = storeAddRecord(self, bytes, size, at);
	} else {
		*at = spoolLength(self->spool);
		ret = spoolAppend(self->spool, bytes, size);
	}
	pthread_mutex_unlock(&self->mutex);
	return ret;
}

/** Whether bytes are in one record. */
static bool storeHasRecord(const struct store *self, uint64_t at, size_t size)
{
	guint low = 0;
	guint high = self->records->len;
	const struct storeRecord *record;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		record = self->records->pdata[middle];
		if (record->at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return false;
	record = self->records->pdata[low - 1];
	return size <= record->size && at - record->at <= record->size - size;
}

int storeRead(struct store *self, uint64_t at, void *bytes, size_t size)
{
	uint64_t length;
	int ret = -EINVAL;

	pthread_mutex_lock(&self->mutex);
	length = spoolLength(self->spool);
	if (at <= length && size <= length - at)
		ret = self->edition && !storeHasRecord(self, at, size)
			      ? -ENOENT
			      : spoolRead(self->spool, at, bytes, size);
	pthread_mutex_unlock(&self->mutex);
	return ret;
}

/** Free the space between two places; what lies side by side goes at once. */
struct storeHole {
	uint64_t start;
	uint64_t end;
};

static void storeDig(struct store *self, struct storeHole *hole,
		     const struct storeRecord *record)
{
	if (record && hole->end == record->at) {
		hole->end += record->size;
		return;
	}
	spoolDiscard(self->spool, hole->start, hole->end - hole->start);
	if (record)
		*hole = (struct storeHole){ record->at,
					    record->at + record->size };
}

void storeForget(struct store *self, uint64_t edition)
{
	struct storeHole hole = { 0 };
	GPtrArray *kept = g_ptr_array_new_with_free_func(g_free);

	pthread_mutex_lock(&self->mutex);
	for (guint i = 0; i < self->records->len; i++) {
		struct storeRecord *record = self->records->pdata[i];

		if (record->edition >= edition) {
			g_ptr_array_add(kept, record);
			continue;
		}
		storeDig(self, &hole, record);
		/* Another one with this hash may have taken its place. */
		if (g_hash_table_lookup(self->known, record) == record)
			g_hash_table_remove(self->known, record);
		g_free(record);
	}
	storeDig(self, &hole, NULL);
	g_ptr_array_set_free_func(self->records, NULL);
	g_ptr_array_unref(self->records);
	self->records = kept;
	pthread_mutex_unlock(&self->mutex);
}
