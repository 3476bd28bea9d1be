/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers for communicators, files, windows and messages. */
#include "config.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "MPITracingLibrary/src/handles/handles.h"
#include "MPITracingLibrary/src/handles/map.h"

_Atomic(uint64_t) hdmpiGeneration = 1;

/* A number that a communicator has or had. */
struct commId {
	uint64_t description; /* Hash of its line. */
	int64_t nextFree;     /* With the same description; -1 is none. */
};

static struct {
	pthread_mutex_t lock;
	struct hdmpiMap comms;     /* Handle to number. */
	struct hdmpiMap freeComms; /* Description to the first free number. */
	struct commId *commIds;
	size_t commCount;
	size_t commSize;
	struct hdmpiMap files;     /* Handle to number. */
	struct hdmpiMap fileNames; /* Hash of a name to number. */
	struct hdmpiMap wins;
	int64_t winCount;
	struct hdmpiMap messages;
} handles = { .lock = PTHREAD_MUTEX_INITIALIZER };

void hdmpiCacheSet(struct hdmpiCached cache[HDMPI_CACHE_SIZE], uint64_t key,
		   uint64_t generation, int64_t id, int64_t size)
{
	cache[(key ^ key >> 4 ^ key >> 8 ^ key >> 24) % HDMPI_CACHE_SIZE] =
		(struct hdmpiCached){ key, generation, id, size };
}

/* ---- Texts
 * ------------------------------------------------------------------- */

void hdmpiTextAdd(struct hdmpiText *text, const char *format, ...)
{
	va_list arguments;
	int length;

	if (text->hasFailed)
		return;
	va_start(arguments, format);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length >= 0 && text->used + (size_t)length >= text->size) {
		size_t size = 2 * (text->used + (size_t)length) + 64;
		char *bytes = realloc(text->bytes, size);

		if (bytes) {
			text->bytes = bytes;
			text->size = size;
		} else {
			length = -1;
		}
	}
	if (length < 0) {
		text->hasFailed = true;
		return;
	}
	va_start(arguments, format);
	vsnprintf(text->bytes + text->used, text->size - text->used, format,
		  arguments);
	va_end(arguments);
	text->used += (size_t)length;
}

void hdmpiTextName(struct hdmpiText *text, const char *name)
{
	hdmpiTextAdd(text, "'");
	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;

		if (c == '\'' || c == '\\')
			hdmpiTextAdd(text, "\\%c", c);
		else if (c < ' ' || c == 127)
			hdmpiTextAdd(text, "\\%03o", c);
		else
			hdmpiTextAdd(text, "%c", c);
	}
	hdmpiTextAdd(text, "'");
}

void hdmpiTextClear(struct hdmpiText *text)
{
	free(text->bytes);
	*text = (struct hdmpiText){ NULL };
}

/* ---- Communicators
 * ----------------------------------------------------------- */

/* Append "W->L;" for the processes of a group. */
static int commMap(MPI_Group group, struct hdmpiText *text)
{
	MPI_Group world;
	int size, *ranks;
	int ret = -1;

	PMPI_Group_size(group, &size);
	ranks = calloc(2 * (size_t)size + 1, sizeof(*ranks));
	if (!ranks)
		return -1;
	for (int i = 0; i < size; i++)
		ranks[i] = i;
	if (PMPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS) {
		if (PMPI_Group_translate_ranks(group, size, ranks, world,
					       ranks + size) == MPI_SUCCESS)
			ret = 0;
		PMPI_Group_free(&world);
	}
	for (int i = 0; ret == 0 && i < size; i++)
		if (ranks[size + i] != MPI_UNDEFINED)
			hdmpiTextAdd(text, "%d->%d;", ranks[size + i], i);
	free(ranks);
	return ret;
}

/* Append the processes of a communicator: map='..', and remote='..' if there
 * are processes on the other side of it. */
static int commMaps(MPI_Comm comm, struct hdmpiText *text)
{
	MPI_Group group;
	int isInter = 0, ret;

	if (PMPI_Comm_group(comm, &group) != MPI_SUCCESS)
		return -1;
	hdmpiTextAdd(text, "map='");
	ret = commMap(group, text);
	hdmpiTextAdd(text, "'");
	PMPI_Group_free(&group);
	PMPI_Comm_test_inter(comm, &isInter);
	if (ret < 0 || !isInter)
		return ret;
	if (PMPI_Comm_remote_group(comm, &group) != MPI_SUCCESS)
		return -1;
	hdmpiTextAdd(text, " remote='");
	ret = commMap(group, text);
	hdmpiTextAdd(text, "'");
	PMPI_Group_free(&group);
	return ret;
}

static int commDescribe(MPI_Comm comm, struct hdmpiText *maps,
			struct hdmpiText *name)
{
	char text[MPI_MAX_OBJECT_NAME] = "WORLD";
	int length;

	if (commMaps(comm, maps) < 0)
		return -1;
	if (comm != MPI_COMM_WORLD &&
	    PMPI_Comm_get_name(comm, text, &length) != MPI_SUCCESS)
		*text = '\0';
	hdmpiTextName(name, text);
	return maps->hasFailed || name->hasFailed ? -1 : 0;
}

/* Take a free number of a description or a new one; isNew tells which. */
static int64_t commNumber(uint64_t description, bool *isNew)
{
	uint64_t id;

	*isNew = false;
	if (hdmpiMapRemove(&handles.freeComms, description, &id)) {
		int64_t next = handles.commIds[id].nextFree;

		if (next >= 0)
			hdmpiMapSet(&handles.freeComms, description,
				    (uint64_t)next);
		return (int64_t)id;
	}
	if (handles.commCount == handles.commSize) {
		size_t size = handles.commSize ? 2 * handles.commSize : 16;
		struct commId *ids =
			realloc(handles.commIds, size * sizeof(*ids));

		if (!ids)
			return -1;
		handles.commIds = ids;
		handles.commSize = size;
	}
	*isNew = true;
	handles.commIds[handles.commCount].description = description;
	return (int64_t)handles.commCount++;
}

static int64_t commMeet(struct hdmpiThread *self, MPI_Comm comm)
{
	struct hdmpiText maps = { NULL }, name = { NULL };
	bool isNew = false;
	int64_t id = -1;
	uint64_t known;

	if (commDescribe(comm, &maps, &name) == 0) {
		pthread_mutex_lock(&handles.lock);
		if (hdmpiMapGet(&handles.comms, HDMPI_KEY(comm), &known))
			id = (int64_t)known;
		else
			id = commNumber(
				hdmpiHashText(maps.bytes) ^
					hdmpiHash(hdmpiHashText(name.bytes)),
				&isNew);
		if (id >= 0)
			hdmpiMapSet(&handles.comms, HDMPI_KEY(comm),
				    (uint64_t)id);
		pthread_mutex_unlock(&handles.lock);
		if (isNew && self->trace)
			hdT_writeInfo(self->trace, "Comm %s id=%lld name=%s\n",
				      maps.bytes, (long long)id, name.bytes);
	}
	hdmpiTextClear(&maps);
	hdmpiTextClear(&name);
	return id;
}

int64_t hdmpiCommId(struct hdmpiThread *self, MPI_Comm comm)
{
	uint64_t key = HDMPI_KEY(comm);
	uint64_t generation = atomic_load(&hdmpiGeneration);
	const struct hdmpiCached *cached = hdmpiCacheGet(self->comms, key);
	uint64_t known;
	int64_t id;
	bool isKnown;

	if (__builtin_expect(cached != NULL, 1))
		return cached->id;
	if (comm == MPI_COMM_NULL)
		return -1;
	pthread_mutex_lock(&handles.lock);
	isKnown = hdmpiMapGet(&handles.comms, key, &known);
	pthread_mutex_unlock(&handles.lock);
	id = isKnown ? (int64_t)known : commMeet(self, comm);
	if (id >= 0)
		hdmpiCacheSet(self->comms, key, generation, id, 0);
	return id;
}

int64_t hdmpiCommForget(MPI_Comm comm)
{
	uint64_t id, first;
	bool isKnown;

	pthread_mutex_lock(&handles.lock);
	isKnown = hdmpiMapRemove(&handles.comms, HDMPI_KEY(comm), &id);
	if (isKnown) {
		struct commId *number = &handles.commIds[id];

		number->nextFree = hdmpiMapGet(&handles.freeComms,
					       number->description, &first)
					   ? (int64_t)first
					   : -1;
		hdmpiMapSet(&handles.freeComms, number->description, id);
		atomic_fetch_add(&hdmpiGeneration, 1);
	}
	pthread_mutex_unlock(&handles.lock);
	return isKnown ? (int64_t)id : -1;
}

/* ---- Files, windows, messages
 * ------------------------------------------------ */

int64_t hdmpiFileOpened(struct hdmpiThread *self, MPI_File file,
			const char *name)
{
	uint64_t hash = hdmpiHashText(name);
	MPI_Offset size = 0;
	struct hdmpiText text = { NULL };
	bool isKnown;
	uint64_t id;

	pthread_mutex_lock(&handles.lock);
	isKnown = hdmpiMapGet(&handles.fileNames, hash, &id);
	if (!isKnown) {
		id = handles.fileNames.used;
		hdmpiMapSet(&handles.fileNames, hash, id);
	}
	hdmpiMapSet(&handles.files, HDMPI_KEY(file), id);
	pthread_mutex_unlock(&handles.lock);
	if (isKnown || !self->trace)
		return (int64_t)id;
	hdmpiTextName(&text, name);
	if (!text.hasFailed) {
		PMPI_File_get_size(file, &size);
		hdT_writeInfo(self->trace, "File name=%s Size=%lld id=%lld\n",
			      text.bytes, (long long)size, (long long)id);
	}
	hdmpiTextClear(&text);
	return (int64_t)id;
}

static int64_t handleFind(const struct hdmpiMap *map, uint64_t key)
{
	bool isKnown;
	uint64_t id;

	pthread_mutex_lock(&handles.lock);
	isKnown = hdmpiMapGet(map, key, &id);
	pthread_mutex_unlock(&handles.lock);
	return isKnown ? (int64_t)id : -1;
}

static int64_t handleTake(struct hdmpiMap *map, uint64_t key)
{
	bool isKnown;
	uint64_t id;

	pthread_mutex_lock(&handles.lock);
	isKnown = hdmpiMapRemove(map, key, &id);
	pthread_mutex_unlock(&handles.lock);
	return isKnown ? (int64_t)id : -1;
}

int64_t hdmpiFileId(MPI_File file)
{
	return handleFind(&handles.files, HDMPI_KEY(file));
}

void hdmpiFileForget(MPI_File file)
{
	handleTake(&handles.files, HDMPI_KEY(file));
}

int64_t hdmpiWinId(MPI_Win win)
{
	uint64_t id;

	pthread_mutex_lock(&handles.lock);
	if (!hdmpiMapGet(&handles.wins, HDMPI_KEY(win), &id)) {
		id = (uint64_t)handles.winCount++;
		hdmpiMapSet(&handles.wins, HDMPI_KEY(win), id);
	}
	pthread_mutex_unlock(&handles.lock);
	return (int64_t)id;
}

void hdmpiWinForget(MPI_Win win)
{
	handleTake(&handles.wins, HDMPI_KEY(win));
}

void hdmpiMessageMatched(MPI_Message message, int64_t cid)
{
	if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC)
		return;
	pthread_mutex_lock(&handles.lock);
	hdmpiMapSet(&handles.messages, HDMPI_KEY(message), (uint64_t)cid);
	pthread_mutex_unlock(&handles.lock);
}

int64_t hdmpiMessageTake(MPI_Message message)
{
	return handleTake(&handles.messages, HDMPI_KEY(message));
}

void hdmpiHandlesEnd(void)
{
	pthread_mutex_lock(&handles.lock);
	hdmpiMapClear(&handles.comms);
	hdmpiMapClear(&handles.freeComms);
	hdmpiMapClear(&handles.files);
	hdmpiMapClear(&handles.fileNames);
	hdmpiMapClear(&handles.wins);
	hdmpiMapClear(&handles.messages);
	free(handles.commIds);
	handles.commIds = NULL;
	handles.commCount = 0;
	handles.commSize = 0;
	pthread_mutex_unlock(&handles.lock);
	hdmpiTypesEnd();
}
