/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Windows and files of MPI, as ranks call them.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/model/causes/handles.h"

struct handles {
	GHashTable *table;  /**< int64_t of number and kind to struct handle. */
	GHashTable *counts; /**< int64_t of communicator and kind to uint64_t:
			     *   how many it made. */
	GHashTable *names;  /**< Of files that were opened. */
};

/** Names of so many files are kept. */
#define HANDLES_NAMES 4096

static void sideClear(struct handleSide *side)
{
	if (side->ranks)
		g_array_unref(side->ranks);
	g_hash_table_destroy(side->counts);
}

static void lockClear(void *data)
{
	struct handleLock *lock = data;

	g_array_unref(lock->calls);
}

static void handleFree(void *data)
{
	struct handle *handle = data;

	g_array_unref(handle->touches);
	g_array_unref(handle->accessed);
	g_array_unref(handle->locks);
	sideClear(&handle->origin);
	sideClear(&handle->target);
	g_free(handle);
}

struct handles *handlesNew(void)
{
	struct handles *self = g_new0(struct handles, 1);

	self->table = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
					    handleFree);
	self->counts = g_hash_table_new_full(g_int64_hash, g_int64_equal,
					     g_free, g_free);
	self->names =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return self;
}

void dependencyHandlesEnd(struct dependencyReader *reader)
{
	struct handles *self = reader->handles;

	if (!self)
		return;
	g_hash_table_destroy(self->table);
	g_hash_table_destroy(self->counts);
	g_hash_table_destroy(self->names);
	g_free(self);
}

/** What a record calls a handle; false: it names none. */
static bool handlesKey(const struct dependencyReader *reader,
		       enum handleKind kind, int64_t *key)
{
	int64_t id;

	if (!messageField(&reader->read->own,
			  kind == HANDLE_FILE ? MESSAGE_FID : MESSAGE_WID,
			  &id) ||
	    id < 0 || id > INT64_MAX / HANDLE_KINDS - 1)
		return false;
	*key = id * HANDLE_KINDS + kind;
	return true;
}

/** How many handles a communicator made before; now it is one more. */
static uint64_t handlesCount(struct handles *self,
			     const struct messageGroup *group,
			     enum handleKind kind)
{
	int64_t key = (int64_t)group->number * HANDLE_KINDS + kind;
	uint64_t *count = g_hash_table_lookup(self->counts, &key);

	if (!count) {
		count = g_new0(uint64_t, 1);
		g_hash_table_insert(self->counts, g_memdup2(&key, sizeof(key)),
				    count);
	}
	return (*count)++;
}

/** Whether a file of the name in a record was opened before. */
static bool handlesIsKnown(struct handles *self, const hdIRecord *record)
{
	for (size_t i = 0; i < record->attributeCount; i++) {
		const char *name = record->attributes[i].value;

		if (strcmp(record->attributes[i].name, "name") != 0)
			continue;
		if (g_hash_table_contains(self->names, name))
			return true;
		if (g_hash_table_size(self->names) < HANDLES_NAMES)
			g_hash_table_add(self->names, g_strdup(name));
	}
	return false;
}

struct handle *handlesMake(struct dependencyReader *reader,
			   enum handleKind kind)
{
	const struct messageGroup *group;
	struct handle *handle;
	int64_t cid, key, local;

	if (!messageField(&reader->read->own, MESSAGE_CID, &cid))
		return NULL;
	group = messagesGroupOf(reader->messages, cid);
	if (!group || !handlesKey(reader, kind, &key))
		return NULL;
	if (!reader->handles)
		reader->handles = handlesNew();
	local = messagesLocalRank(reader->messages, cid);
	handle = g_new0(struct handle, 1);
	handle->kind = kind;
	handle->group = group;
	handle->number = (uint32_t)handlesCount(reader->handles, group, kind);
	handle->local =
		local >= 0 && local < LOCAL_NONE ? (uint32_t)local : LOCAL_NONE;
	handle->isAgain = kind == HANDLE_FILE &&
			  handlesIsKnown(reader->handles, reader->record);
	handle->touches = g_array_new(FALSE, FALSE, sizeof(struct handleTouch));
	handle->accessed =
		g_array_new(FALSE, FALSE, sizeof(struct handleTouch));
	handle->locks = g_array_new(FALSE, FALSE, sizeof(struct handleLock));
	g_array_set_clear_func(handle->locks, lockClear);
	handle->origin.counts = g_hash_table_new_full(
		g_int64_hash, g_int64_equal, g_free, g_free);
	handle->target.counts = g_hash_table_new_full(
		g_int64_hash, g_int64_equal, g_free, g_free);
	g_hash_table_replace(reader->handles->table,
			     g_memdup2(&key, sizeof(key)), handle);
	return handle;
}

struct handle *handlesFind(const struct dependencyReader *reader,
			   enum handleKind kind)
{
	int64_t key;

	return reader->handles && handlesKey(reader, kind, &key)
		       ? g_hash_table_lookup(reader->handles->table, &key)
		       : NULL;
}

void handlesForget(struct dependencyReader *reader, enum handleKind kind)
{
	int64_t key;

	if (reader->handles && handlesKey(reader, kind, &key))
		g_hash_table_remove(reader->handles->table, &key);
}

void handlesAdd(struct dependencyReader *reader,
		const struct dependencyEnd *end, const struct handle *handle,
		enum handleSubject subject, int64_t sender, int64_t receiver)
{
	const int64_t subjects =
		((int64_t)handle->number * HANDLE_SUBJECTS + subject) *
			HANDLE_KINDS +
		handle->kind;
	/* Tags of messages and numbers of sources are not below -1. */
	const struct messageEnd key = {
		.sender = sender,
		.receiver = receiver,
		.tag = -2 - subjects,
		.epoch = reader->epoch,
		.group = handle->group,
		.time = end->time,
	};

	dependencyAdd(reader, end, &key);
}
