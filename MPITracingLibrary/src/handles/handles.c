/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers for files, windows and messages; texts. */
#include "config.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "MPITracingLibrary/src/handles/handles.h"
#include "common/hashmap/hashmap.h"

_Atomic(uint64_t) hdmpiGeneration = 1;

/* A number that a file has or had. */
struct fileNumber {
	uint64_t name; /* Hash of it. */
	int64_t next;  /* Free, of the same name; -1 is none. */
};

static struct {
	pthread_mutex_t lock;
	struct hdMap files;     /* Handle to number. */
	struct hdMap freeFiles; /* Hash of a name to the first free number. */
	struct fileNumber *fileNumbers;
	size_t fileCount;
	size_t fileSize;
	struct hdMap wins;
	int64_t winCount;
	struct hdMap messages;
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

void hdmpiTextName(struct hdmpiText *text, const char *name, char quote)
{
	hdmpiTextAdd(text, "%c", quote);
	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;

		/* Who only looks for the next quote finds the end, too. */
		if (c == '\'' || c == '"' || c == '\\' || c < ' ' || c == 127)
			hdmpiTextAdd(text, "\\%03o", c);
		else
			hdmpiTextAdd(text, "%c", c);
	}
	hdmpiTextAdd(text, "%c", quote);
}

void hdmpiTextClear(struct hdmpiText *text)
{
	free(text->bytes);
	*text = (struct hdmpiText){ NULL };
}

/* ---- Files, windows, messages
 * ------------------------------------------------ */

/* A number for a file that was opened: one that no open file has. */
static int64_t fileNumber(uint64_t name, bool *isNew)
{
	uint64_t id;

	*isNew = false;
	if (hdMapRemove(&handles.freeFiles, name, &id)) {
		int64_t next = handles.fileNumbers[id].next;

		if (next >= 0)
			hdMapSet(&handles.freeFiles, name, (uint64_t)next);
		return (int64_t)id;
	}
	if (handles.fileCount == handles.fileSize) {
		size_t size = handles.fileSize ? 2 * handles.fileSize : 16;
		struct fileNumber *numbers =
			realloc(handles.fileNumbers, size * sizeof(*numbers));

		if (!numbers)
			return -1;
		handles.fileNumbers = numbers;
		handles.fileSize = size;
	}
	*isNew = true;
	handles.fileNumbers[handles.fileCount].name = name;
	return (int64_t)handles.fileCount++;
}

int64_t hdmpiFileOpened(struct hdmpiThread *self, MPI_File file,
			const char *name)
{
	MPI_Offset size = 0;
	struct hdmpiText text = { NULL };
	bool isNew;
	int64_t id;

	pthread_mutex_lock(&handles.lock);
	id = fileNumber(hdMapHashText(name), &isNew);
	if (id >= 0)
		hdMapSet(&handles.files, HDMPI_KEY(file), (uint64_t)id);
	pthread_mutex_unlock(&handles.lock);
	if (!isNew || !self->trace)
		return id;
	hdmpiTextName(&text, name, '"');
	if (!text.hasFailed) {
		PMPI_File_get_size(file, &size);
		hdT_writeInfo(self->trace, "File name=%s Size=%lld id=%lld\n",
			      text.bytes, (long long)size, (long long)id);
	}
	hdmpiTextClear(&text);
	return id;
}

static int64_t handleFind(const struct hdMap *map, uint64_t key)
{
	bool isKnown;
	uint64_t id;

	pthread_mutex_lock(&handles.lock);
	isKnown = hdMapGet(map, key, &id);
	pthread_mutex_unlock(&handles.lock);
	return isKnown ? (int64_t)id : -1;
}

static int64_t handleTake(struct hdMap *map, uint64_t key)
{
	bool isKnown;
	uint64_t id;

	pthread_mutex_lock(&handles.lock);
	isKnown = hdMapRemove(map, key, &id);
	pthread_mutex_unlock(&handles.lock);
	return isKnown ? (int64_t)id : -1;
}

int64_t hdmpiFileId(MPI_File file)
{
	return handleFind(&handles.files, HDMPI_KEY(file));
}

void hdmpiFileForget(MPI_File file)
{
	int64_t id = handleTake(&handles.files, HDMPI_KEY(file));
	struct fileNumber *number;
	uint64_t first;

	if (id < 0)
		return;
	pthread_mutex_lock(&handles.lock);
	number = &handles.fileNumbers[id];
	number->next = hdMapGet(&handles.freeFiles, number->name, &first)
			       ? (int64_t)first
			       : -1;
	hdMapSet(&handles.freeFiles, number->name, (uint64_t)id);
	pthread_mutex_unlock(&handles.lock);
}

int64_t hdmpiWinId(MPI_Win win)
{
	uint64_t id;

	pthread_mutex_lock(&handles.lock);
	if (!hdMapGet(&handles.wins, HDMPI_KEY(win), &id)) {
		id = (uint64_t)handles.winCount++;
		hdMapSet(&handles.wins, HDMPI_KEY(win), id);
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
	hdMapSet(&handles.messages, HDMPI_KEY(message), (uint64_t)cid);
	pthread_mutex_unlock(&handles.lock);
}

int64_t hdmpiMessageTake(MPI_Message message)
{
	return handleTake(&handles.messages, HDMPI_KEY(message));
}

void hdmpiHandlesEnd(void)
{
	pthread_mutex_lock(&handles.lock);
	hdMapClear(&handles.files);
	hdMapClear(&handles.freeFiles);
	hdMapClear(&handles.wins);
	hdMapClear(&handles.messages);
	free(handles.fileNumbers);
	handles.fileNumbers = NULL;
	handles.fileCount = 0;
	handles.fileSize = 0;
	pthread_mutex_unlock(&handles.lock);
	hdmpiCommsEnd();
	hdmpiTypesEnd();
}
