/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files written by a background thread; see outfile.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <hdError.h>

#include "HDTraceWritingCLibrary/src/outfile.h"
#include "HDTraceWritingCLibrary/src/packer.h"
#include "HDTraceWritingCLibrary/src/settings.h"
#include "common/clock.h"
#include "common/format/frame.h"
#include "common/tscclock.h"

unsigned int hdOutfileGeneration;

struct outfileLoop hdOutfileLoop = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- Draining ---------------------------------------------------------- */

/* Whether what lies between two places counts as a record: neither the header
 * of a binary file nor the brackets of nested states do. */
static bool outfileCounts(const struct hdOutfile *file, size_t start,
			  size_t end)
{
	static const char bracket[] = "Nested>\n";
	size_t length = sizeof(bracket) - 1;
	char before;

	if (!file->isText)
		return file->measure;
	if (end - start <= length)
		return true;
	for (size_t i = 0; i < length; i++)
		if (file->ring[(end - length + i) & file->mask] != bracket[i])
			return true;
	/* No state is called Nested. */
	before = file->ring[(end - length - 1) & file->mask];
	return before != '<' && before != '/';
}

/* Find the end of the record, or line, that begins at @p at. */
size_t hdOutfileRecordEnd(const struct hdOutfile *file, size_t at, size_t head)
{
	if (!file->isText)
		return file->measure ? at + file->measure(file, at) : head;
	while (at != head && file->ring[at++ & file->mask] != '\n')
		;
	return at;
}

/* Count the records from @p start to @p head of which no more is written than
 * what is before @p done. Returns how many bytes of one are written. */
size_t hdOutfileDiscard(struct hdOutfile *file, size_t start, size_t done,
			size_t head)
{
	size_t complete = start;
	uint64_t lost = 0;

	for (size_t at = start; at != head;) {
		size_t end = hdOutfileRecordEnd(file, at, head);

		if (end - start <= done - start)
			complete = end;
		else
			lost += outfileCounts(file, at, end);
		at = end;
	}
	atomic_fetch_add(&file->discarded, lost);
	return done - complete;
}

/* The size of the file: others may have appended to an .info file. */
static int64_t outfileSize(const struct hdOutfile *file)
{
	struct stat is;

	return fstat(file->fd, &is) == 0 ? is.st_size : file->written;
}

/* The file is lost: cut off what is not complete, let the owner run on. */
void hdOutfileGiveUp(struct hdOutfile *file, int error, int64_t incomplete)
{
	bool isOurs = hdOwnedIs(&file->owned, file->fd);

	if (isOurs && incomplete > 0 &&
	    ftruncate(file->fd, outfileSize(file) - incomplete) == 0)
		file->written -= incomplete;
	hdLoss("%s: offset %lld: %s; the file ends here", file->path,
	       (long long)file->written,
	       isOurs ? strerror(error) : HD_OWNED_GONE);
	atomic_store(&file->error, error);
	/* In this order: see hdOutfileRoomSlowly(). */
	atomic_store(&file->end, 0);
}

/* Write bytes; 0 or an errno value. The caller holds the I/O lock. */
static int outfileWrite(struct hdOutfile *file, const char *bytes,
			size_t length)
{
	if (length > 0 && !hdOwnedIs(&file->owned, file->fd))
		return EBADF;
	while (length > 0) {
		ssize_t done = write(file->fd, bytes, length);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? errno : EIO;
		file->written += done;
		bytes += done;
		length -= (size_t)done;
	}
	return 0;
}

/* Write what was published. The caller holds the I/O lock. */
static void outfileDrainRing(struct hdOutfile *file)
{
	size_t start = atomic_load_explicit(&file->tail, memory_order_relaxed);
	size_t head =
		atomic_load_explicit(&file->published, memory_order_acquire);
	size_t at = start & file->mask;
	size_t length = head - start;
	size_t first = file->mask + 1 - at;
	int64_t before = file->written;
	int ret;

	if (length == 0)
		return;
	if (first > length)
		first = length;
	if (atomic_load(&file->error) != 0) {
		/* It goes nowhere, but it goes. */
		hdOutfileDiscard(file, start, start, head);
	} else if (file->packer) {
		hdPackerDrain(file, start, head);
	} else {
		ret = outfileWrite(file, file->ring + at, first);
		if (ret == 0)
			ret = outfileWrite(file, file->ring, length - first);
		if (ret != 0) {
			size_t done = start + (size_t)(file->written - before);
			size_t rest = hdOutfileDiscard(file, start, done, head);

			hdOutfileGiveUp(file, ret, (int64_t)rest);
		}
	}
	/* Not before: what is written is needed to find the records' ends. */
	atomic_store_explicit(&file->tail, head, memory_order_release);
}

/* Write all there is. The caller holds the I/O lock. */
static void outfileDrain(struct hdOutfile *file, bool isFlushed)
{
	int ret = 0;

	outfileDrainRing(file);
	if (file->gather)
		file->gather(file, file->gatherData);
	if (file->packer && atomic_load(&file->error) == 0 &&
	    (isFlushed || hdPackerIsDue(file->packer)))
		ret = hdPackerSave(file);
	if (ret != 0)
		hdPackerGiveUp(file, ret);
}

void hdOutfileDrainNow(struct hdOutfile *file, bool isFlushed)
{
	struct hdOutfileGuard guard;

	hdOutfileEnter(file, &guard);
	outfileDrain(file, isFlushed);
	hdOutfileLeave(file, &guard);
}

/* ---- Files ------------------------------------------------------------- */

static void outfileFree(struct hdOutfile *file)
{
	hdPackerFree(file->packer);
	free(file->path);
	free(file->ring);
	free(file);
}

/* Say that there is no file. */
static int outfileRefuse(const struct hdOutfile *file, const char *why)
{
	hdLoss("%s: not recorded: cannot create the file: %s", file->path, why);
	return -HD_ERR_CREATE_FILE;
}

/* Whether another process writes the file. Where nobody can tell, none does.
 * The lock is the process's: a child of fork() does not keep it. */
static bool outfileIsTaken(const struct hdOutfile *file)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(file->fd, F_SETLK, &lock) < 0 &&
	       (errno == EACCES || errno == EAGAIN);
}

/* Make a file that was opened ours alone, and empty. */
static int outfileTake(struct hdOutfile *file, bool overwrite)
{
	int ret = 0;

	hdOwnedSet(&file->owned, file->fd);
	if (!hdOutfileLoopAdd(file))
		return outfileRefuse(file, "this program already writes to it");
	if (outfileIsTaken(file))
		ret = outfileRefuse(file, "another program writes to it");
	else if (overwrite && ftruncate(file->fd, 0) < 0)
		ret = outfileRefuse(file, strerror(errno));
	if (ret < 0)
		hdOutfileLoopRemove(file);
	return ret;
}

bool hdOutfileIsInfo(const struct hdOutfile *file)
{
	const char *end = strrchr(file->path, '.');

	return end && strcmp(end, ".info") == 0;
}

/* Leave no plain file beside a compressed one, or the other way round: it would
 * be taken for the same. */
static int outfileClearOther(const struct hdOutfile *file, bool overwrite)
{
	size_t length = strlen(file->path), end = sizeof(HD_FRAME_SUFFIX) - 1;
	char *other = malloc(length + end + 1);
	int ret = 0;

	if (!other)
		return -HD_ERR_MALLOC;
	memcpy(other, file->path, length + 1);
	if (file->packer)
		other[length - end] = '\0';
	else
		memcpy(other + length, HD_FRAME_SUFFIX, end + 1);
	if (overwrite)
		unlink(other);
	if (access(other, F_OK) == 0) {
		hdLoss("%s: " HD_EXISTS, other);
		ret = -HD_ERR_CREATE_FILE;
	}
	free(other);
	return ret;
}

/* Open a file that is known but for its descriptor. */
static int outfileOpen(struct hdOutfile *file, bool overwrite)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC, ret;
	bool isInfo = hdOutfileIsInfo(file);
	bool isJoined = isInfo && hdStepsAreAll(file->path);

	ret = isInfo ? 0 : outfileClearOther(file, overwrite);
	if (ret < 0)
		return ret;
	/* What is replaced is a file that is there itself: others may have put
	 * a link there, or a FIFO that nobody reads. */
	flags |= overwrite || isJoined ? O_NOFOLLOW | O_NONBLOCK : O_EXCL;
	/* Others add to it: steps of the clock, by any process of the node. */
	flags |= isInfo ? O_APPEND : 0;
	do {
		file->fd = open(file->path, flags, 0666);
	} while (file->fd < 0 && errno == EINTR);
	if (file->fd < 0 && errno == EEXIST) {
		hdLoss("%s: " HD_EXISTS, file->path);
		return -HD_ERR_CREATE_FILE;
	}
	if (file->fd < 0)
		return outfileRefuse(file, errno == ELOOP
						   ? "it is a symbolic link"
						   : strerror(errno));
	ret = outfileTake(file, overwrite && !isJoined);
	if (ret < 0)
		close(file->fd);
	return ret;
}

int hdOutfileOpen(char *path, bool isText, struct hdOutfile **result)
{
	const struct hdSettings *settings = hdSettingsGet();
	int saved = errno;
	struct hdOutfile *file = calloc(1, sizeof(*file));
	int state, ret;

	if (!file) {
		free(path);
		return -HD_ERR_MALLOC;
	}
	file->path = path;
	file->isText = isText;
	file->mask = settings->bufferSize - 1;
	file->maskMax = settings->bufferMax - 1;
	file->dropOnFull = settings->dropOnFull;
	file->asksAhead = hdCacheLineCanOwn();
	hdOutfileForceFlush(file, settings->forceFlush);
	file->ring = malloc(settings->bufferMax);
	/* Where memory is short it does not grow. */
	if (!file->ring && settings->bufferMax > settings->bufferSize) {
		file->ring = malloc(settings->bufferSize);
		file->maskMax = file->mask;
	}
	file->at = file->ring;
	if (!file->ring) {
		outfileFree(file);
		return -HD_ERR_MALLOC;
	}
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_init(&file->io, NULL);
	ret = hdPackerStart(file);
	if (ret == 0)
		ret = outfileOpen(file, settings->overwrite);
	if (ret == 0) {
		*result = file;
	} else {
		pthread_mutex_destroy(&file->io);
		outfileFree(file);
	}
	pthread_setcancelstate(state, NULL);
	errno = saved;
	return ret;
}

/* Whether so many bytes fit, as far as was looked. */
static bool outfileFits(const struct hdOutfile *file, size_t size)
{
	return size <= file->mask + 1 - (file->head - file->tailSeen);
}

/* Make room in a ring that is full. The thread may have done so while one
 * waited for the lock. */
static void outfileMakeRoom(struct hdOutfile *file, size_t size)
{
	struct hdOutfileGuard guard;

	/* Compressing is the thread's work. */
	while (file->packer && !outfileFits(file, size) &&
	       size <= file->mask + 1 && hdOutfileLoopWait())
		file->tailSeen =
			atomic_load_explicit(&file->tail, memory_order_acquire);
	hdOutfileEnter(file, &guard);
	file->tailSeen =
		atomic_load_explicit(&file->tail, memory_order_relaxed);
	if (file->mask < file->maskMax || !outfileFits(file, size)) {
		outfileDrain(file, false);
		file->tailSeen = file->head;
		/* Where a byte of a ring that is empty goes matters to nobody.
		 */
		file->mask = file->maskMax;
		hdOutfileForceFlush(file, file->forceFlush);
	}
	hdOutfileLeave(file, &guard);
}

int hdOutfileBeginSlowly(struct hdOutfile *file, size_t size,
			 enum hdOutfileNeed need)
{
	bool mayDrop = file->dropOnFull && need == HD_OUTFILE_MAY_DROP;
	size_t wanted = size + (mayDrop ? file->reserved : 0);

	file->tailSeen =
		atomic_load_explicit(&file->tail, memory_order_acquire);
	if (!outfileFits(file, wanted)) {
		if (mayDrop) {
			file->lost++;
			return 1;
		}
		outfileMakeRoom(file, wanted);
	}
	if (atomic_load(&file->error) == 0) {
		if (size > file->mask + 1) {
			file->isDirect = true;
			file->directStart = file->written;
			/* No room: what is added goes the slow way. */
			file->tailSeen = file->head - file->mask - 1;
		}
		return 0;
	}
	file->lost++;
	if (file->errorReported)
		return 1;
	file->errorReported = true;
	return -HD_ERR_WRITE_FILE;
}

/* Wake the thread for a ring that is half full. */
static void outfileAwait(struct hdOutfile *file)
{
	if (atomic_load_explicit(&file->isAwaited, memory_order_relaxed))
		return;
	atomic_store(&file->isAwaited, true);
	hdOutfileWake();
}

/* Get the room in one piece at a place of the ring, or less: up to where the
 * thread is to be woken. One record may go beyond that. */
static size_t outfilePiece(const struct hdOutfile *file, size_t used,
			   size_t max)
{
	size_t size = file->mask + 1;
	size_t piece = size - ((file->tailSeen + used) & file->mask);
	size_t taken = used + file->reserved;
	size_t room = taken < size ? size - taken : 0;

	if (piece > room)
		piece = room;
	if (used <= file->wakeAfter && piece > file->wakeAfter - used + max)
		piece = file->wakeAfter - used + max;
	return piece;
}

char *hdOutfileRoomSlowly(struct hdOutfile *file, size_t max)
{
	size_t head =
		atomic_load_explicit(&file->published, memory_order_relaxed);
	size_t used, piece;

	if (file->forceFlush)
		return NULL;
	file->tailSeen =
		atomic_load_explicit(&file->tail, memory_order_acquire);
	used = head - file->tailSeen;
	if (used > file->wakeAfter)
		outfileAwait(file);
	piece = outfilePiece(file, used, max);
	/* A handler that ends the process here looks again. */
	hdOutfileLook(file);
	atomic_signal_fence(memory_order_seq_cst);
	file->at = file->ring + (head & file->mask);
	file->lap = head - (uintptr_t)file->at;
	atomic_store(&file->end, (uintptr_t)file->at + piece);
	/* Who fails now makes the end 0 after this. */
	if (atomic_load(&file->error) != 0)
		hdOutfileLook(file);
	return hdOutfileHasRoom(file, max) ? file->at : NULL;
}

void hdOutfileForceFlush(struct hdOutfile *file, bool isForced)
{
	file->forceFlush = isForced;
	file->wakeAfter = isForced ? 0 : file->mask / 2;
	hdOutfileLook(file);
}

/* Write a part of a record that does not fit into the ring. */
static void outfileWriteDirectly(struct hdOutfile *file, const char *bytes,
				 size_t length)
{
	struct hdOutfileGuard guard;
	int ret;

	hdOutfileEnter(file, &guard);
	if (atomic_load(&file->error) == 0) {
		ret = file->packer ? hdPackerAddPart(file, bytes, length)
				   : outfileWrite(file, bytes, length);
		if (ret != 0 && file->packer)
			hdPackerGiveUp(file, ret);
		else if (ret != 0)
			hdOutfileGiveUp(file, ret,
					file->written - file->directStart);
	}
	hdOutfileLeave(file, &guard);
}

void hdOutfileAddSlowly(struct hdOutfile *file, const char *bytes,
			size_t length)
{
	size_t at = file->head & file->mask;
	size_t first = file->mask + 1 - at;

	if (file->isDirect) {
		outfileWriteDirectly(file, bytes, length);
		return;
	}
	memcpy(file->ring + at, bytes, first);
	memcpy(file->ring, bytes + first, length - first);
	file->head += length;
}

int hdOutfileCommitSlowly(struct hdOutfile *file)
{
	if (file->isDirect) {
		file->isDirect = false;
		file->tailSeen = file->head;
		hdPackerEndRecord(file);
		if (atomic_load(&file->error) != 0)
			file->lost += file->isText || file->measure;
		return 0;
	}
	if (file->forceFlush) {
		hdOutfileDrainNow(file, true);
		file->tailSeen = file->head;
		return 0;
	}
	file->tailSeen =
		atomic_load_explicit(&file->tail, memory_order_acquire);
	if (file->head - file->tailSeen > file->wakeAfter)
		outfileAwait(file);
	return 0;
}

int hdOutfileFlush(struct hdOutfile *file)
{
	if (hdOutfileIsForeign(file))
		return 0;
	hdOutfileDrainNow(file, true);
	file->tailSeen =
		atomic_load_explicit(&file->published, memory_order_relaxed);
	if (atomic_load(&file->error) == 0)
		return 0;
	file->errorReported = true;
	return -HD_ERR_WRITE_FILE;
}

int hdOutfileOverwrite(struct hdOutfile *file, int64_t offset,
		       const char *bytes, size_t length)
{
	int ret = hdOutfileFlush(file);
	struct hdOutfileGuard guard;

	hdOutfileEnter(file, &guard);
	if (ret == 0 && !hdOwnedIs(&file->owned, file->fd)) {
		hdOutfileGiveUp(file, EBADF, 0);
		ret = -HD_ERR_WRITE_FILE;
	}
	if (ret == 0 && file->packer) {
		int error = hdPackerOverwrite(file, offset, bytes, length);

		if (error != 0) {
			hdPackerGiveUp(file, error);
			ret = -HD_ERR_WRITE_FILE;
		}
	}
	while (ret == 0 && length > 0 && !file->packer) {
		ssize_t done = pwrite(file->fd, bytes, length, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			hdOutfileGiveUp(file, done < 0 ? errno : EIO, 0);
			ret = -HD_ERR_WRITE_FILE;
			break;
		}
		offset += done;
		bytes += done;
		length -= (size_t)done;
	}
	hdOutfileLeave(file, &guard);
	return ret;
}

void hdOutfileSetGather(struct hdOutfile *file, hdOutfileGather gather,
			void *data)
{
	struct hdOutfileGuard guard;

	hdOutfileEnter(file, &guard);
	file->gather = gather;
	file->gatherData = data;
	hdOutfileLeave(file, &guard);
}

void hdOutfileAppend(struct hdOutfile *file, const char *bytes,
		     const size_t *ends, size_t count)
{
	int64_t before = file->written;
	size_t complete = 0, done, i = 0;
	int ret;

	if (count == 0)
		return;
	if (atomic_load(&file->error) != 0) {
		atomic_fetch_add(&file->discarded, count);
		return;
	}
	if (file->packer) {
		hdPackerAppend(file, bytes, ends, count);
		return;
	}
	ret = outfileWrite(file, bytes, ends[count - 1]);
	if (ret == 0)
		return;
	done = (size_t)(file->written - before);
	for (; i < count && ends[i] <= done; i++)
		complete = ends[i];
	atomic_fetch_add(&file->discarded, count - i);
	hdOutfileGiveUp(file, ret, (int64_t)(done - complete));
}

void hdOutfileAppendNow(struct hdOutfile *file, const char *bytes,
			const size_t *ends, size_t count)
{
	struct hdOutfileGuard guard;

	hdOutfileEnter(file, &guard);
	outfileDrain(file, false);
	hdOutfileAppend(file, bytes, ends, count);
	hdOutfileLeave(file, &guard);
}

uint64_t hdOutfileLost(struct hdOutfile *file)
{
	/* What was put before the failure was seen is lost, too. */
	if (!hdOutfileIsForeign(file) && atomic_load(&file->error) != 0)
		hdOutfileDrainNow(file, true);
	return file->lost + atomic_load(&file->discarded);
}

int hdOutfileClose(struct hdOutfile *file)
{
	int saved = errno;
	int ret = 0;
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (hdOutfileIsForeign(file)) {
		hdOwnedClose(&file->owned, file->fd);
	} else {
		hdOutfileLoopRemove(file);
		ret = hdOutfileFlush(file);
		if (ret == 0)
			ret = hdPackerClose(file);
		/* Where it has ended that was said. */
		if (hdOutfileLost(file) > 0 && atomic_load(&file->error) != 0)
			hdMessage(HD_LOG_WARNING, "%s: %llu records are lost",
				  file->path,
				  (unsigned long long)hdOutfileLost(file));
		else if (hdOutfileLost(file) > 0)
			hdLoss("%s: %llu records are lost", file->path,
			       (unsigned long long)hdOutfileLost(file));
		/* The descriptor is gone even where close() is interrupted. */
		if (hdOwnedClose(&file->owned, file->fd) < 0 &&
		    errno != EINTR) {
			hdLoss("%s: not recorded completely: cannot close "
			       "the file: %s",
			       file->path, strerror(errno));
			if (ret == 0)
				ret = -HD_ERR_CLOSE_FILE;
		}
		pthread_mutex_destroy(&file->io);
	}
	outfileFree(file);
	pthread_setcancelstate(state, NULL);
	errno = saved;
	return ret;
}

void hdOutfileRemove(struct hdOutfile *file)
{
	int saved = errno;

	if (!hdOutfileIsForeign(file))
		unlink(file->path);
	hdOutfileClose(file);
	errno = saved;
}
