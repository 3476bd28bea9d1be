/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files written by a background thread; see outfile.h. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "hdError.h"
#include "log.h"
#include "outfile.h"
#include "settings.h"

unsigned int hdOutfileGeneration;

/* The background thread and its list of files. The lock is never held during
 * I/O; who drains a file outside it makes it "current" first. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t wake; /* The thread shall look around. */
	pthread_cond_t done; /* The thread is done with a file. */
	struct hdOutfile *files;
	struct hdOutfile *current;
	pthread_t thread;
	bool isRunning;
	bool isEnding;
	bool isWoken;
} loop = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- Draining ---------------------------------------------------------- */

/* Count the records in a part of the ring that is given up: entries, or lines
 * that are not the brackets of nested states. */
static uint64_t outfileCountRecords(const struct hdOutfile *file, size_t from,
				    size_t to)
{
	uint64_t records = 0;

	if (!file->isText)
		return file->recordSize ? (to - from) / file->recordSize
					: to > from;
	for (size_t i = from; i != to; i++)
		if (file->ring[i & file->mask] == '\n' &&
		    (i - from < 2 || file->ring[(i - 1) & file->mask] != '>' ||
		     file->ring[(i - 2) & file->mask] != 'd'))
			records++;
	return records;
}

/* The file is lost: keep what is complete, let the owner run on. */
static void outfileGiveUp(struct hdOutfile *file, int error, size_t from,
			  size_t to)
{
	atomic_fetch_add(&file->discarded, outfileCountRecords(file, from, to));
	if (file->isText && file->lineEnd < file->written &&
	    ftruncate(file->fd, file->lineEnd) == 0)
		file->written = file->lineEnd;
	hdLog(HD_LOG_ERROR, "%s: offset %lld: %s; the file ends here",
	      file->path, (long long)file->written, strerror(error));
	atomic_store(&file->error, error);
}

/* Write what was published. The caller holds the I/O lock. */
static void outfileDrain(struct hdOutfile *file)
{
	size_t tail = atomic_load_explicit(&file->tail, memory_order_relaxed);
	size_t head =
		atomic_load_explicit(&file->published, memory_order_acquire);

	while (tail != head && atomic_load(&file->error) == 0) {
		size_t at = tail & file->mask;
		size_t length = head - tail;
		const char *lineEnd;
		ssize_t done;

		if (length > file->mask + 1 - at)
			length = file->mask + 1 - at;
		done = write(file->fd, file->ring + at, length);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			outfileGiveUp(file, done < 0 ? errno : EIO, tail, head);
			break;
		}
		if (file->isText) {
			lineEnd = memrchr(file->ring + at, '\n', (size_t)done);
			if (lineEnd)
				file->lineEnd = file->written + 1 +
						(lineEnd - (file->ring + at));
		}
		file->written += done;
		tail += (size_t)done;
		atomic_store_explicit(&file->tail, tail, memory_order_release);
	}
	/* After a failure what is published goes nowhere, but it goes. */
	atomic_store_explicit(&file->tail, head, memory_order_release);
}

/* Drain by whoever calls. */
static void outfileDrainNow(struct hdOutfile *file)
{
	int saved = errno;
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&file->io);
	outfileDrain(file);
	pthread_mutex_unlock(&file->io);
	pthread_setcancelstate(state, NULL);
	errno = saved;
}

/* ---- The background thread --------------------------------------------- */

/* Add milliseconds and a half to a time. */
static void loopAdvance(struct timespec *time, unsigned int flushMs)
{
	int64_t ns = time->tv_nsec + (int64_t)flushMs * (HD_NS_PER_S / 2000);

	time->tv_sec += (time_t)(ns / HD_NS_PER_S);
	time->tv_nsec = (long)(ns % HD_NS_PER_S);
}

/* Drain all files. Called and returns with the lock held. */
static void loopDrainAll(void)
{
	struct hdOutfile *file = loop.files;

	while (file) {
		loop.current = file;
		pthread_mutex_unlock(&loop.lock);
		atomic_store(&file->isAwaited, false);
		outfileDrainNow(file);
		pthread_mutex_lock(&loop.lock);
		/* It cannot leave the list while it is current. */
		file = file->next;
		loop.current = NULL;
		pthread_cond_broadcast(&loop.done);
	}
}

static void *loopRun(void *unused)
{
	unsigned int flushMs = hdSettingsGet()->flushMs;
	struct timespec deadline;

	(void)unused;
	clock_gettime(CLOCK_MONOTONIC, &deadline);
	pthread_mutex_lock(&loop.lock);
	while (!loop.isEnding) {
		int ret = 0;

		loopAdvance(&deadline, flushMs);
		while (!loop.isEnding && !loop.isWoken && ret == 0)
			ret = loop.files ? pthread_cond_timedwait(&loop.wake,
								  &loop.lock,
								  &deadline)
					 : pthread_cond_wait(&loop.wake,
							     &loop.lock);
		loop.isWoken = false;
		loopDrainAll();
		clock_gettime(CLOCK_MONOTONIC, &deadline);
	}
	pthread_mutex_unlock(&loop.lock);
	return NULL;
}

/* In a child of fork(): the thread is not there, the files are not ours. */
static void loopForget(void)
{
	pthread_condattr_t monotonic;

	hdOutfileGeneration++;
	pthread_mutex_init(&loop.lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&loop.wake, &monotonic);
	pthread_cond_init(&loop.done, NULL);
	pthread_condattr_destroy(&monotonic);
	loop.files = NULL;
	loop.current = NULL;
	loop.isRunning = false;
	loop.isEnding = false;
	loop.isWoken = false;
}

static void loopInitialise(void)
{
	unsigned int generation = hdOutfileGeneration;

	loopForget();
	hdOutfileGeneration = generation;
	pthread_atfork(NULL, NULL, loopForget);
}

/* Start the thread unless it runs. The lock is held. Without a thread files
 * are still written: when they are full, flushed or closed. */
static void loopStart(void)
{
	sigset_t all, old;
	int ret;

	if (loop.isRunning || loop.isEnding)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(&loop.thread, NULL, loopRun, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (ret == 0)
		loop.isRunning = true;
	else
		hdLog(HD_LOG_ERROR, "no background thread: %s", strerror(ret));
}

static void loopAdd(struct hdOutfile *file)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, loopInitialise);
	file->generation = hdOutfileGeneration;
	pthread_mutex_lock(&loop.lock);
	loopStart();
	file->next = loop.files;
	if (file->next)
		file->next->previous = file;
	else
		pthread_cond_signal(&loop.wake);
	loop.files = file;
	pthread_mutex_unlock(&loop.lock);
}

static void loopRemove(struct hdOutfile *file)
{
	pthread_mutex_lock(&loop.lock);
	while (loop.current == file)
		pthread_cond_wait(&loop.done, &loop.lock);
	if (file->next)
		file->next->previous = file->previous;
	if (file->previous)
		file->previous->next = file->next;
	else
		loop.files = file->next;
	pthread_mutex_unlock(&loop.lock);
}

static void loopWake(void)
{
	pthread_mutex_lock(&loop.lock);
	loop.isWoken = true;
	pthread_cond_signal(&loop.wake);
	pthread_mutex_unlock(&loop.lock);
}

/* The process ends, or the library is unloaded: end the thread, write what is
 * complete. */
__attribute__((__destructor__)) static void loopEnd(void)
{
	bool wasRunning;

	pthread_mutex_lock(&loop.lock);
	wasRunning = loop.isRunning;
	loop.isEnding = true;
	if (wasRunning)
		pthread_cond_signal(&loop.wake);
	pthread_mutex_unlock(&loop.lock);
	if (wasRunning)
		pthread_join(loop.thread, NULL);
	pthread_mutex_lock(&loop.lock);
	loop.isRunning = false;
	loopDrainAll();
	pthread_mutex_unlock(&loop.lock);
}

/* ---- Files ------------------------------------------------------------- */

static void outfileFree(struct hdOutfile *file)
{
	free(file->path);
	free(file->ring);
	free(file);
}

int hdOutfileOpen(char *path, bool isText, struct hdOutfile **result)
{
	const struct hdSettings *settings = hdSettingsGet();
	int saved = errno;
	struct hdOutfile *file = calloc(1, sizeof(*file));

	if (!file) {
		free(path);
		return -HD_ERR_MALLOC;
	}
	file->path = path;
	file->isText = isText;
	file->mask = settings->bufferSize - 1;
	file->dropOnFull = settings->dropOnFull;
	file->forceFlush = settings->forceFlush;
	file->ring = malloc(settings->bufferSize);
	if (!file->ring) {
		outfileFree(file);
		return -HD_ERR_MALLOC;
	}
	file->fd = open(path,
			O_WRONLY | O_CREAT | O_CLOEXEC |
				(settings->overwrite ? O_TRUNC : O_EXCL),
			0666);
	if (file->fd < 0) {
		hdLog(HD_LOG_ERROR, "%s: cannot be created: %s", path,
		      strerror(errno));
		errno = saved;
		outfileFree(file);
		return -HD_ERR_CREATE_FILE;
	}
	pthread_mutex_init(&file->io, NULL);
	loopAdd(file);
	errno = saved;
	*result = file;
	return 0;
}

int hdOutfileBeginSlowly(struct hdOutfile *file, size_t size,
			 enum hdOutfileNeed need)
{
	bool mayDrop = file->dropOnFull && need == HD_OUTFILE_MAY_DROP;
	size_t wanted = size + (mayDrop ? file->reserved : 0);

	file->tailSeen =
		atomic_load_explicit(&file->tail, memory_order_acquire);
	if (file->mask + 1 - (file->head - file->tailSeen) < wanted) {
		if (mayDrop) {
			file->lost++;
			return 1;
		}
		outfileDrainNow(file);
		file->tailSeen = file->head;
	}
	if (atomic_load(&file->error) == 0)
		return 0;
	file->lost++;
	if (file->errorReported)
		return 1;
	file->errorReported = true;
	return -HD_ERR_WRITE_FILE;
}

void hdOutfileAddSlowly(struct hdOutfile *file, const char *bytes,
			size_t length)
{
	while (length > 0) {
		size_t at = file->head & file->mask;
		size_t room;
		size_t part;

		/* Only a record that is larger than the ring runs out of room:
		 * it goes out in pieces. */
		room = file->mask + 1 - (file->head - file->tailSeen);
		if (room == 0) {
			atomic_store_explicit(&file->published, file->head,
					      memory_order_release);
			outfileDrainNow(file);
			file->tailSeen = file->head;
			room = file->mask + 1;
		}
		part = file->mask + 1 - at;
		if (part > room)
			part = room;
		if (part > length)
			part = length;
		memcpy(file->ring + at, bytes, part);
		file->head += part;
		bytes += part;
		length -= part;
	}
}

void hdOutfileCommitSlowly(struct hdOutfile *file)
{
	if (file->forceFlush) {
		outfileDrainNow(file);
		file->tailSeen = file->head;
		return;
	}
	file->tailSeen =
		atomic_load_explicit(&file->tail, memory_order_acquire);
	if (file->head - file->tailSeen > file->mask / 2 &&
	    !atomic_load_explicit(&file->isAwaited, memory_order_relaxed)) {
		atomic_store(&file->isAwaited, true);
		loopWake();
	}
}

int hdOutfileFlush(struct hdOutfile *file)
{
	if (hdOutfileIsForeign(file))
		return 0;
	outfileDrainNow(file);
	file->tailSeen = file->head;
	if (atomic_load(&file->error) == 0)
		return 0;
	file->errorReported = true;
	return -HD_ERR_WRITE_FILE;
}

int hdOutfileOverwrite(struct hdOutfile *file, int64_t offset,
		       const char *bytes, size_t length)
{
	int saved = errno;
	int ret = hdOutfileFlush(file);

	pthread_mutex_lock(&file->io);
	while (ret == 0 && length > 0) {
		ssize_t done = pwrite(file->fd, bytes, length, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			outfileGiveUp(file, done < 0 ? errno : EIO, 0, 0);
			ret = -HD_ERR_WRITE_FILE;
			break;
		}
		offset += done;
		bytes += done;
		length -= (size_t)done;
	}
	pthread_mutex_unlock(&file->io);
	errno = saved;
	return ret;
}

uint64_t hdOutfileLost(const struct hdOutfile *file)
{
	return file->lost + atomic_load(&file->discarded);
}

int hdOutfileClose(struct hdOutfile *file)
{
	int saved = errno;
	int ret = 0;

	if (hdOutfileIsForeign(file)) {
		close(file->fd);
	} else {
		loopRemove(file);
		ret = hdOutfileFlush(file);
		if (hdOutfileLost(file) > 0)
			hdLog(HD_LOG_WARNING, "%s: %llu records are lost",
			      file->path,
			      (unsigned long long)hdOutfileLost(file));
		/* The descriptor is gone even where close() is interrupted. */
		if (close(file->fd) < 0 && errno != EINTR) {
			hdLog(HD_LOG_ERROR, "%s: cannot be closed: %s",
			      file->path, strerror(errno));
			if (ret == 0)
				ret = -HD_ERR_CLOSE_FILE;
		}
		pthread_mutex_destroy(&file->io);
	}
	outfileFree(file);
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
