/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compressed files; see packer.h. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <hdError.h>

#include "HDTraceWritingCLibrary/src/outfile.h"
#include "HDTraceWritingCLibrary/src/packer.h"
#include "HDTraceWritingCLibrary/src/settings.h"
#include "common/clock.h"
#include "common/format/compress.h"
#include "common/format/frame.h"
#include "common/format/traceindex.h"
#include "common/format/tracelines.h"

/* A record may be longer than a frame should be; not than this. */
#define PACKER_MAX ((size_t)4 << 20)

/* Plain bytes that a share is of, and the share before anything is compressed:
 * about that of MPI calls. */
#define SHARE_OF ((int64_t)1 << 20)
#define SHARE_FIRST (SHARE_OF / 8)

struct hdPacker {
	char *plain; /* What was collected since the last frame. */
	size_t used;
	size_t room;
	size_t records; /* In it; of text, they are counted when needed. */
	size_t saved;   /* So much of it is in the file, as it is. */
	size_t savedRecords;
	int64_t savedEnd;  /* Where that ends in the file. */
	int64_t savedTime; /* When it was written there. */
	int64_t frameAt;   /* Where the next frame begins in the file. */
	int64_t frameFrom; /* The same in the plain file. */
	size_t head;       /* Plain bytes of the first frame. */
	/* What is stored of 2^20 plain bytes; the owner asks without a lock. */
	_Atomic(uint32_t) share;
	struct hdFrameEntry *entries;
	size_t count;
	size_t entryRoom;
	/* Of a trace: what the frames hold, for the index. */
	struct hdTraceLines *lines; /* NULL: there will be none. */
	struct hdTracePart *parts;  /* As many as there are entries. */
	size_t partRoom;
};

/* One compressor for all files: it needs more memory than a file does. */
static struct {
	pthread_mutex_t lock;
	ZSTD_CCtx *context;
	char *frame;
	size_t room;
} compressor = { .lock = PTHREAD_MUTEX_INITIALIZER };

void hdPackerForget(void)
{
	pthread_mutex_init(&compressor.lock, NULL);
	/* They may be half written; their memory is lost. */
	compressor.context = NULL;
	compressor.frame = NULL;
	compressor.room = 0;
}

static struct hdPacker *packerCreate(void)
{
	struct hdPacker *packer = calloc(1, sizeof(*packer));

	if (!packer)
		return NULL;
	packer->room = HD_FRAME_PLAIN + (HD_FRAME_PLAIN >> 2);
	packer->share = SHARE_FIRST;
	packer->plain = malloc(packer->room);
	if (!packer->plain) {
		free(packer);
		return NULL;
	}
	return packer;
}

void hdPackerFree(struct hdPacker *packer)
{
	if (!packer)
		return;
	hdTraceLinesFree(packer->lines);
	free(packer->plain);
	free(packer->entries);
	free(packer->parts);
	free(packer);
}

int64_t hdPackerExpect(const struct hdPacker *packer, int64_t size)
{
	double share =
		atomic_load_explicit(&packer->share, memory_order_relaxed);

	return (int64_t)((double)size * share / (double)SHARE_OF);
}

/* Tell what was stored so far. */
static void packerTell(struct hdPacker *packer)
{
	double share = (double)packer->frameAt / (double)packer->frameFrom;

	/* The first frame is not compressed. */
	if (packer->count > 1)
		atomic_store_explicit(&packer->share,
				      (uint32_t)(share * (double)SHARE_OF),
				      memory_order_relaxed);
}

static size_t packerRoom(const struct hdPacker *packer)
{
	/* The header is a frame of its own. */
	if (packer->count == 0)
		return 1;
	return packer->used < HD_FRAME_PLAIN ? HD_FRAME_PLAIN - packer->used
					     : 1;
}

/* ---- Writing ----------------------------------------------------------- */

/* Write at an offset; 0 or an errno value. */
static int packerPut(struct hdOutfile *file, int64_t offset, const char *bytes,
		     size_t size)
{
	if (!hdOwnedIs(&file->owned, file->fd))
		return EBADF;
	while (size > 0) {
		ssize_t done = pwrite(file->fd, bytes, size, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? errno : EIO;
		offset += done;
		bytes += done;
		size -= (size_t)done;
		if (file->written < offset)
			file->written = offset;
	}
	return 0;
}

static int packerGrow(struct hdPacker *packer, size_t size)
{
	size_t room = packer->room;
	char *plain;

	while (room < packer->used + size)
		room *= 2;
	if (room == packer->room)
		return 0;
	plain = realloc(packer->plain, room);
	if (!plain)
		return ENOMEM;
	packer->plain = plain;
	packer->room = room;
	return 0;
}

static int packerRemember(struct hdPacker *packer, size_t stored)
{
	if (packer->count == packer->entryRoom) {
		size_t room = packer->entryRoom ? 2 * packer->entryRoom : 64;
		struct hdFrameEntry *entries =
			realloc(packer->entries, room * sizeof(*entries));

		if (!entries)
			return ENOMEM;
		packer->entries = entries;
		packer->entryRoom = room;
	}
	packer->entries[packer->count++] = (struct hdFrameEntry){
		.stored = (uint32_t)stored,
		.plain = (uint32_t)packer->used,
	};
	return 0;
}

/* Describe the frame that was remembered last. A trace of which that fails has
 * no index. */
static void packerDescribe(struct hdPacker *packer)
{
	size_t room = packer->entryRoom;
	struct hdTracePart *parts;

	if (!packer->lines)
		return;
	if (packer->partRoom < room) {
		parts = realloc(packer->parts, room * sizeof(*parts));
		if (parts) {
			packer->parts = parts;
			packer->partRoom = room;
		}
	}
	if (packer->partRoom >= packer->count &&
	    hdTraceLinesAdd(packer->lines, packer->plain, packer->used,
			    &packer->parts[packer->count - 1]) == 0)
		return;
	hdTraceLinesFree(packer->lines);
	packer->lines = NULL;
}

/* Make a frame of bytes, in the compressor, which is locked. */
static int packerMake(const char *bytes, size_t size, bool isRaw, size_t *made)
{
	size_t room = hdCompressRoom(size);

	if (room > compressor.room) {
		char *frame = realloc(compressor.frame, room);

		if (!frame)
			return ENOMEM;
		compressor.frame = frame;
		compressor.room = room;
	}
	if (!isRaw && !compressor.context)
		compressor.context =
			hdCompressCreate(hdSettingsGet()->compression);
	*made = hdCompressFrame(isRaw ? NULL : compressor.context, bytes, size,
				compressor.frame);
	return 0;
}

/* Make a frame of bytes, and write it at an offset. */
static int packerWrite(struct hdOutfile *file, int64_t offset,
		       const char *bytes, size_t size, bool isRaw, size_t *made)
{
	int ret;

	pthread_mutex_lock(&compressor.lock);
	ret = packerMake(bytes, size, isRaw, made);
	if (ret == 0)
		ret = packerPut(file, offset, compressor.frame, *made);
	pthread_mutex_unlock(&compressor.lock);
	return ret;
}

/* Remove what is behind an offset: it was stored before, and is in a frame
 * now. */
static int packerTruncate(struct hdOutfile *file, int64_t offset)
{
	if (file->written == offset)
		return 0;
	if (ftruncate(file->fd, (off_t)offset) < 0)
		return errno;
	file->written = offset;
	return 0;
}

/* Make a frame of all that was collected. */
static int packerFinish(struct hdOutfile *file, bool isRaw)
{
	struct hdPacker *packer = file->packer;
	size_t made;
	int ret;

	if (packer->used == 0)
		return 0;
	/* If that fails, what is there is written over. */
	packer->saved = 0;
	packer->savedRecords = 0;
	ret = packerWrite(file, packer->frameAt, packer->plain, packer->used,
			  isRaw, &made);
	if (ret == 0)
		ret = packerTruncate(file, packer->frameAt + (int64_t)made);
	if (ret == 0)
		ret = packerRemember(packer, made);
	if (ret != 0)
		return ret;
	packerDescribe(packer);
	packer->frameAt += (int64_t)made;
	packer->frameFrom += (int64_t)packer->used;
	packerTell(packer);
	packer->used = 0;
	packer->records = 0;
	return 0;
}

static int packerAdd(struct hdOutfile *file, const char *bytes, size_t size,
		     size_t records)
{
	struct hdPacker *packer = file->packer;
	int ret = packerGrow(packer, size);

	if (ret != 0)
		return ret;
	memcpy(packer->plain + packer->used, bytes, size);
	packer->used += size;
	packer->records += records;
	if (records > 0 && packer->count == 0) {
		packer->head = packer->used;
		return packerFinish(file, true);
	}
	if ((records > 0 && packer->used >= HD_FRAME_PLAIN) ||
	    packer->used > PACKER_MAX)
		return packerFinish(file, false);
	return 0;
}

int hdPackerSave(struct hdOutfile *file)
{
	struct hdPacker *packer = file->packer;
	size_t size = packer->used - packer->saved, made;
	int ret;

	packer->savedTime = hdMonotonicNow();
	if (size == 0)
		return 0;
	if (packer->saved == 0)
		packer->savedEnd = packer->frameAt;
	ret = packerWrite(file, packer->savedEnd, packer->plain + packer->saved,
			  size, true, &made);
	if (ret != 0)
		return ret;
	packer->saved = packer->used;
	packer->savedRecords = packer->records;
	packer->savedEnd += (int64_t)made;
	return 0;
}

bool hdPackerIsDue(const struct hdPacker *packer)
{
	int64_t half = hdSettingsGet()->flushMs * (HD_NS_PER_S / 2000);

	return packer->saved < packer->used &&
	       hdMonotonicNow() - packer->savedTime >= half;
}

/* Make the index in the compressor, which is locked: its size, or 0. */
static size_t packerMakeIndex(const struct hdPacker *packer)
{
	size_t size = hdTraceIndexSize(packer->count), made = 0;
	size_t room = HD_FRAME_INDEX_HEAD + hdCompressRoom(size);
	char *index = malloc(size);
	char *frame = malloc(room);

	if (index && frame && compressor.context) {
		hdTraceIndexWrite(index, packer->parts, packer->count);
		made = hdCompressChecked(compressor.context, index, size,
					 frame + HD_FRAME_INDEX_HEAD);
	}
	free(index);
	/* Readers refuse what would be a bomb; they can do without. */
	if (made == 0 || size > HD_FRAME_MAX || !hdFrameIsWithin(size, made)) {
		free(frame);
		return 0;
	}
	hdFrameWriteIndexHead(frame, made);
	free(compressor.frame);
	compressor.frame = frame;
	compressor.room = room;
	return HD_FRAME_INDEX_HEAD + made;
}

/* Write the index of a trace: 0 or an errno value. */
static int packerPutIndex(struct hdOutfile *file)
{
	struct hdPacker *packer = file->packer;
	size_t size;
	int ret = 0;

	if (!packer->lines)
		return 0;
	pthread_mutex_lock(&compressor.lock);
	size = packerMakeIndex(packer);
	if (size > 0)
		ret = packerPut(file, packer->frameAt, compressor.frame, size);
	pthread_mutex_unlock(&compressor.lock);
	if (ret == 0 && size > 0)
		ret = packerRemember(packer, size);
	packer->frameAt += ret == 0 ? (int64_t)size : 0;
	return ret;
}

static int packerEnd(struct hdOutfile *file)
{
	struct hdPacker *packer = file->packer;
	size_t size;
	char *table;
	int64_t end;
	int ret = packerFinish(file, false);

	if (ret != 0)
		return ret;
	end = packer->frameAt;
	ret = packerPutIndex(file);
	if (ret != 0) {
		packerTruncate(file, end);
		return ret;
	}
	size = hdFrameTableSize(packer->count);
	table = malloc(size);
	if (!table)
		return ENOMEM;
	hdFrameWriteTable(table, packer->entries, packer->count);
	ret = packerPut(file, packer->frameAt, table, size);
	/* Without a part of it, the file is as if it had not been closed. */
	if (ret != 0)
		packerTruncate(file, end);
	free(table);
	return ret;
}

int hdPackerOverwrite(struct hdOutfile *file, int64_t offset, const char *bytes,
		      size_t size)
{
	struct hdPacker *packer = file->packer;
	int64_t end = offset + (int64_t)size;
	int64_t first = offset - packer->frameFrom;

	/* In the header, which has one block. */
	if (end <= (int64_t)packer->head && packer->head <= HD_FRAME_BLOCK_MAX)
		return packerPut(
			file,
			(int64_t)(hdFrameRawSize(packer->head) - packer->head) +
				offset,
			bytes, size);
	if (first < 0 || end > packer->frameFrom + (int64_t)packer->used)
		return 0;
	memcpy(packer->plain + first, bytes, size);
	if (first >= (int64_t)packer->saved)
		return 0;
	packer->saved = 0;
	return hdPackerSave(file);
}

/* Count lines, but for the brackets of nested states. */
static uint64_t packerCountLines(const char *text, size_t size)
{
	const char *end = text + size, *next;
	uint64_t count = 0;

	for (; text < end; text = next + 1) {
		next = memchr(text, '\n', (size_t)(end - text));
		if (!next)
			break;
		count += !(next - text == 8 && !memcmp(text, "<Nested>", 8)) &&
			 !(next - text == 9 && !memcmp(text, "</Nested>", 9));
	}
	return count;
}

static uint64_t packerCut(struct hdOutfile *file)
{
	struct hdPacker *packer = file->packer;
	size_t saved = packer->saved;
	uint64_t lost = file->isText ? packerCountLines(packer->plain + saved,
							packer->used - saved)
				     : packer->records - packer->savedRecords;

	if (hdOwnedIs(&file->owned, file->fd))
		packerTruncate(file,
			       saved ? packer->savedEnd : packer->frameAt);
	packer->used = saved;
	packer->records = packer->savedRecords;
	return lost;
}

/* ---- For files ---------------------------------------------------------- */

/* Compressing failed: the file ends with its last complete frame. */
void hdPackerGiveUp(struct hdOutfile *file, int error)
{
	atomic_fetch_add(&file->discarded, packerCut(file));
	hdOutfileGiveUp(file, error, 0);
}

/* Find the end of records that begin at @p at and reach a size, or of all. */
static size_t packerPieceEnd(const struct hdOutfile *file, size_t at,
			     size_t head, size_t size, size_t *records)
{
	size_t end = at;

	*records = 1;
	if (file->isText)
		return head - at > size
			       ? hdOutfileRecordEnd(file, at + size - 1, head)
			       : head;
	for (*records = 0; end != head && end - at < size; ++*records)
		end = hdOutfileRecordEnd(file, end, head);
	return end;
}

/* Compress what is between two places of the ring. */
void hdPackerDrain(struct hdOutfile *file, size_t at, size_t head)
{
	int ret = 0;

	while (at != head && ret == 0) {
		size_t records, size,
			first = file->mask + 1 - (at & file->mask);

		size = packerPieceEnd(file, at, head, packerRoom(file->packer),
				      &records) -
		       at;
		if (first < size)
			ret = packerAdd(file, file->ring + (at & file->mask),
					first, 0);
		else
			first = 0;
		if (ret == 0)
			ret = packerAdd(
				file, file->ring + ((at + first) & file->mask),
				size - first, records);
		at += size;
	}
	if (ret == 0)
		return;
	hdOutfileDiscard(file, at, at, head);
	hdPackerGiveUp(file, ret);
}

/* Compress the file, if that is asked for: 0 or -HD_ERR_MALLOC. */
int hdPackerStart(struct hdOutfile *file)
{
	size_t length = strlen(file->path), end = sizeof(HD_FRAME_SUFFIX);
	char *path;

	if (hdSettingsGet()->compression == 0 || hdOutfileIsInfo(file))
		return 0;
	path = realloc(file->path, length + end);
	if (!path)
		return -HD_ERR_MALLOC;
	memcpy(path + length, HD_FRAME_SUFFIX, end);
	file->path = path;
	file->packer = packerCreate();
	if (!file->packer)
		return -HD_ERR_MALLOC;
	if (hdFrameStem(path, ".trc") > 0)
		file->packer->lines = hdTraceLinesCreate();
	return 0;
}

/* The same for a compressed file. */
void hdPackerAppend(struct hdOutfile *file, const char *bytes,
		    const size_t *ends, size_t count)
{
	size_t at = 0, i = 0;
	int ret = 0;

	for (; i < count && ret == 0; at = ends[i++])
		ret = packerAdd(file, bytes + at, ends[i] - at, 1);
	if (ret == 0)
		return;
	atomic_fetch_add(&file->discarded, count - i);
	hdPackerGiveUp(file, ret);
}

int hdPackerAddPart(struct hdOutfile *file, const char *bytes, size_t size)
{
	return packerAdd(file, bytes, size, 0);
}

/* A record that was written in parts is complete. */
void hdPackerEndRecord(struct hdOutfile *file)
{
	struct hdOutfileGuard guard;
	int ret = 0;

	if (!file->packer)
		return;
	hdOutfileEnter(file, &guard);
	if (atomic_load(&file->error) == 0)
		ret = packerAdd(file, "", 0, 1);
	if (ret != 0)
		hdPackerGiveUp(file, ret);
	hdOutfileLeave(file, &guard);
}

/* Write the last frame and the seek table of a compressed file. */
int hdPackerClose(struct hdOutfile *file)
{
	struct hdOutfileGuard guard;
	int ret;

	if (!file->packer || atomic_load(&file->error) != 0)
		return 0;
	hdOutfileEnter(file, &guard);
	ret = packerEnd(file);
	if (ret != 0)
		hdPackerGiveUp(file, ret);
	hdOutfileLeave(file, &guard);
	return ret == 0 ? 0 : -HD_ERR_WRITE_FILE;
}
