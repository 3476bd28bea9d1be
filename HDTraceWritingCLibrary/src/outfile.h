/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A file that is written through a buffer by a background thread.
 *
 * The owner puts records into a ring buffer:
 *
 *     ret = hdOutfileBegin(file, size, HD_OUTFILE_MAY_DROP);
 *     if (ret != 0)
 *             return ret < 0 ? hdFail(ret) : 0;
 *     hdOutfileAdd(file, bytes, size);
 *     hdOutfileCommit(file);
 *
 * Where there is room in one piece, as most often, records are made in the ring
 * itself, and cost neither a copy nor a look at anything but two addresses:
 *
 *     char *to = hdOutfileRoom(file, max);
 *     if (to)
 *             hdOutfileCommitTo(file, putRecord(to));
 *
 * The library's background thread drains the rings of all files: every half of
 * HDTRACE_FLUSH_MS, and early where a ring is half full. The ring has one
 * producer, the owner, and one consumer, whoever holds the file's I/O lock;
 * the two meet in two atomic counters. The owner takes the I/O lock only to
 * drain by itself: when the ring is full, on flush and on close.
 *
 * Who had to drain a full ring is faster than the thread, and gets more of the
 * ring's memory: it fills it less often, and the thread is woken less often.
 * Memory that was not touched costs nothing until then.
 *
 * A record that is larger than the ring goes to the file without it, by the
 * owner. So a drain always takes whole records; when it fails the file is cut
 * behind the last one that is complete.
 *
 * After fork() a child finds its parent's files foreign: the generation that
 * they were opened in is over. Nothing is written to them and no lock of
 * theirs is touched.
 *
 * A program that closes our descriptors may get their numbers for files of its
 * own; so whoever writes looks first whose the descriptor is. A file whose
 * descriptor is gone has failed, as if it could not be written.
 *
 * Each file has one ring buffer with one producer, the thread that owns the
 * trace or group, and one consumer, who holds the file's I/O lock; so
 * records cost no lock. A thread that waits for room drains the ring itself:
 * nothing depends on the background thread but the time. Signals are blocked
 * while such a thread holds a lock (outfile.c says why).
 *
 * Where many threads write into one file their records stand elsewhere; then
 * the file has a function that brings them when it is drained.
 */
#ifndef HD_OUTFILE_H
#define HD_OUTFILE_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "HDTraceWritingCLibrary/src/steps.h"
#include "common/cacheline.h"
#include "common/owned.h"

/** How far ahead of the records the processor is told where it will write: what
 *  takes as long as another processor needs to give up a line. */
#define HD_OUTFILE_AHEAD 512

/** What to do with a record that does not fit into the ring. */
enum hdOutfileNeed {
	HD_OUTFILE_MAY_DROP, /**< As HDTRACE_ON_FULL says. */
	HD_OUTFILE_KEEP,     /**< Wait in any case. */
};

struct hdOutfile;
struct hdPacker;

/**
 * Measure the record that begins at @p at in the ring of a binary file; all of
 * it is there. Called where a file has failed, to count what is lost.
 */
typedef size_t (*hdOutfileMeasure)(const struct hdOutfile *file, size_t at);

/**
 * Bring records that stand elsewhere, by hdOutfileAppend(). Called with the
 * file's I/O lock held, whenever it is drained.
 */
typedef void (*hdOutfileGather)(struct hdOutfile *file, void *data);

struct hdOutfile {
	/* The owner's. */
	char *ring;
	size_t mask;    /**< Size of the ring - 1; changed with the I/O lock. */
	size_t maskMax; /**< What it grows to. */
	char *at;       /**< Where the next record goes, while end is set. */
	size_t lap;     /**< Makes that place a number of bytes put. */
	size_t head;    /**< Bytes put, with the record that was begun. */
	size_t tailSeen;  /**< Old value of tail. */
	size_t reserved;  /**< Bytes that droppable records must leave free. */
	size_t wakeAfter; /**< Bytes after which one looks around. */
	uint64_t lost;    /**< Records not put. */
	unsigned int generation;
	bool dropOnFull;
	bool forceFlush;
	bool errorReported;
	bool asksAhead;      /**< See hdOutfileAhead(). */
	bool isDirect;       /**< The record at hand bypasses the ring. */
	int64_t directStart; /**< Where it begins in the file. */

	/* Shared. */
	/** Up to here is room in one piece, without anything else to do; 0: one
	 *  has to look. Who finds that the file fails makes it 0, too. */
	_Atomic(uintptr_t) end;
	_Atomic(size_t) published; /**< Bytes put in complete records. */
	_Atomic(int) error;        /**< errno of the first failure, or 0. */
	atomic_bool isAwaited;     /**< The thread was woken for this file. */
	_Atomic(uint64_t)
		discarded; /**< Records lost in the ring on failure. */
	/* Set before the first record that it measures is put. */
	hdOutfileMeasure measure;
	const void *measureData;

	/* Of who holds the I/O lock. */
	char apart[64];       /**< Keeps tail off the owner's cache line. */
	_Atomic(size_t) tail; /**< Bytes drained since the beginning. */
	pthread_mutex_t io;
	int fd;
	struct hdOwned owned; /**< The file that the descriptor is of. */
	bool isText;
	int64_t written;         /**< Bytes in the file. */
	struct hdPacker *packer; /**< NULL: the file is not compressed. */
	char *path;
	hdOutfileGather gather; /**< NULL: nothing stands elsewhere. */
	void *gatherData;

	/* Of the background thread's list. */
	struct hdSteps stepsBefore; /**< Of this process, when it was opened. */
	uint64_t stepsSaid;         /**< Those that were written down. */
	struct hdOutfile *next;
	struct hdOutfile *previous;
};

/** Number of forks between the first process and this one. */
extern unsigned int hdOutfileGeneration
	__attribute__((__visibility__("hidden")));

/** Whether the file belongs to a parent of this process. */
static inline bool hdOutfileIsForeign(const struct hdOutfile *file)
{
	return __builtin_expect(file->generation != hdOutfileGeneration, 0);
}

/**
 * Create a file. If HDTRACE_COMPRESS says so, it is compressed and .zst is
 * added to its path, unless it is an .info file.
 *
 * @param path Its path; taken over, and freed also on failure.
 * @param isText Whether records are lines of text.
 * @param[out] result The file.
 *
 * @return 0, -HD_ERR_MALLOC or -HD_ERR_CREATE_FILE (logged).
 */
int hdOutfileOpen(char *path, bool isText, struct hdOutfile **result);

/** Slow part of hdOutfileBegin(). */
int hdOutfileBeginSlowly(struct hdOutfile *file, size_t size,
			 enum hdOutfileNeed need);

/**
 * Make room for a record of @p size bytes.
 *
 * @retval 0 Add the bytes, then commit.
 * @retval 1 The record is lost, and counted.
 * @retval -HD_ERR_WRITE_FILE The same, and the owner should be told: the file
 *         cannot be written any more. Returned once.
 */
static inline int hdOutfileBegin(struct hdOutfile *file, size_t size,
				 enum hdOutfileNeed need)
{
	size_t used;

	file->head =
		atomic_load_explicit(&file->published, memory_order_relaxed);
	used = file->head - file->tailSeen;
	if (__builtin_expect(
		    size + file->reserved > file->mask + 1 - used ||
			    atomic_load_explicit(&file->error,
						 memory_order_relaxed) != 0,
		    0))
		return hdOutfileBeginSlowly(file, size, need);
	return 0;
}

/** Slow part of hdOutfileAdd(): around the ring's end, or past the ring. */
void hdOutfileAddSlowly(struct hdOutfile *file, const char *bytes,
			size_t length);

/** Add bytes to the record that was begun. */
static inline void hdOutfileAdd(struct hdOutfile *file, const char *bytes,
				size_t length)
{
	size_t at = file->head & file->mask;

	if (__builtin_expect(length > file->mask + 1 - at ||
				     file->head + length - file->tailSeen >
					     file->mask + 1,
			     0)) {
		hdOutfileAddSlowly(file, bytes, length);
		return;
	}
	memcpy(file->ring + at, bytes, length);
	file->head += length;
}

/** Wake the background thread for this file, or drain it here; 0, for who has
 *  nothing else to do. */
int hdOutfileCommitSlowly(struct hdOutfile *file);

/** What comes next has to look for room. */
static inline void hdOutfileLook(struct hdOutfile *file)
{
	atomic_store_explicit(&file->end, 0, memory_order_relaxed);
}

/** The record is complete; 0. */
static inline int hdOutfileCommit(struct hdOutfile *file)
{
	char *at = file->ring + (file->head & file->mask);

	/* Around the ring's end. */
	if (at <= file->at)
		hdOutfileLook(file);
	/* What a handler writes now that ends the process comes after it. */
	atomic_signal_fence(memory_order_seq_cst);
	file->at = at;
	atomic_store_explicit(&file->published, file->head,
			      memory_order_release);
	if (__builtin_expect(file->head - file->tailSeen > file->wakeAfter, 0))
		return hdOutfileCommitSlowly(file);
	return 0;
}

/** Bytes of all records so far; only its owner may ask. */
static inline size_t hdOutfileSize(const struct hdOutfile *file)
{
	return atomic_load_explicit(&file->published, memory_order_relaxed);
}

/** Leave so many bytes more to records that must not be dropped. */
static inline void hdOutfileReserve(struct hdOutfile *file, size_t size)
{
	file->reserved += size;
	hdOutfileLook(file);
}

/** Write each record at once, or not. */
void hdOutfileForceFlush(struct hdOutfile *file, bool isForced);

/** Whether there is room for a record of at most @p max bytes in one piece, as
 *  far as one knows without looking. */
static inline bool hdOutfileHasRoom(const struct hdOutfile *file, size_t max)
{
	uintptr_t end = atomic_load_explicit(&file->end, memory_order_relaxed);

	return (intptr_t)(end - (uintptr_t)file->at) >= (intptr_t)max;
}

/** Where the next record begins, if there is room. */
static inline char *hdOutfileAt(const struct hdOutfile *file)
{
	return file->at;
}

/** Slow part of hdOutfileRoom(): where the ring ends, and what is drained. */
char *hdOutfileRoomSlowly(struct hdOutfile *file, size_t max);

/**
 * Get room for a record of at most @p max bytes in one piece, to be filled and
 * committed with hdOutfileCommitTo(); NULL where that is not to be had: then
 * begin and add.
 */
static inline char *hdOutfileRoom(struct hdOutfile *file, size_t max)
{
	if (__builtin_expect(!hdOutfileHasRoom(file, max), 0))
		return hdOutfileRoomSlowly(file, max);
	return hdOutfileAt(file);
}

/**
 * Ask for the lines that are written after some records more: the thread has
 * read them on another processor since they were written last. Two, for there
 * are records of two lines.
 */
static inline void hdOutfileAhead(const struct hdOutfile *file, const char *end)
{
	uintptr_t at = (uintptr_t)end + HD_OUTFILE_AHEAD;

	if (__builtin_expect(!file->asksAhead, 0))
		return;
	hdCacheLineOwn(at);
	hdCacheLineOwn(at + HD_CACHE_LINE);
}

/** The record that got its room from hdOutfileRoom() ends at @p end; 0. */
static inline int hdOutfileCommitTo(struct hdOutfile *file, char *end)
{
	size_t published = (uintptr_t)end + file->lap;

	hdOutfileAhead(file, end);
	file->at = (char *)end;
	atomic_store_explicit(&file->published, published,
			      memory_order_release);
	return 0;
}

/** Begin, add and commit a record of one piece; results as of begin. */
static inline int hdOutfilePut(struct hdOutfile *file, const char *bytes,
			       size_t length, enum hdOutfileNeed need)
{
	int ret = hdOutfileBegin(file, length, need);

	if (__builtin_expect(ret == 0, 1)) {
		hdOutfileAdd(file, bytes, length);
		hdOutfileCommit(file);
	}
	return ret;
}

/**
 * Write what was committed to the file, now.
 *
 * @return 0, or -HD_ERR_WRITE_FILE (each time after a failure).
 */
int hdOutfileFlush(struct hdOutfile *file);

/** Write over bytes that have been flushed; 0 or -HD_ERR_WRITE_FILE. */
int hdOutfileOverwrite(struct hdOutfile *file, int64_t offset,
		       const char *bytes, size_t length);

/** From now on records are brought by a function; NULL: no more. */
void hdOutfileSetGather(struct hdOutfile *file, hdOutfileGather gather,
			void *data);

/**
 * Write records; what cannot be written is counted as lost, and the file ends
 * behind the last record that is complete. For hdOutfileGather() only.
 *
 * @param bytes The records, one after the other.
 * @param ends Where each ends in @p bytes.
 * @param count How many there are.
 */
void hdOutfileAppend(struct hdOutfile *file, const char *bytes,
		     const size_t *ends, size_t count);

/** Write records that are too long to stand elsewhere, as of hdOutfileAppend(),
 *  behind those that do. Any thread. */
void hdOutfileAppendNow(struct hdOutfile *file, const char *bytes,
			const size_t *ends, size_t count);

/** Make the background thread look around soon. Any thread. */
void hdOutfileWake(void);

/** What protects a thread while it holds a lock of ours; see outfile.c. */
struct hdOutfileGuard {
	int error; /**< errno of the program. */
	int cancelState;
	sigset_t mask;
};

/** To be called before a lock of ours is taken in a thread of the program. */
void hdOutfileGuardEnter(struct hdOutfileGuard *guard);

/** If the file has failed because it was too large: take the signal of that,
 *  unless the program may have been waiting for one. */
void hdOutfileTakeSignal(const struct hdOutfile *file,
			 const struct hdOutfileGuard *guard);

/** To be called after it was given back. */
void hdOutfileGuardLeave(const struct hdOutfileGuard *guard);

/** Get the steps of the wall clock since a file was opened, and write down
 * those that were not yet. Owner only. */
void hdOutfileSteps(struct hdOutfile *file, struct hdSteps *steps);

/** Number of records that were lost. Owner only. */
uint64_t hdOutfileLost(struct hdOutfile *file);

/**
 * Write everything, close the file and free it.
 *
 * @return 0, -HD_ERR_WRITE_FILE (now or before) or -HD_ERR_CLOSE_FILE. Of a
 *         foreign file always 0.
 */
int hdOutfileClose(struct hdOutfile *file);

/** Close and remove a file that shall not exist after all. */
void hdOutfileRemove(struct hdOutfile *file);

/* ---- For the library ---------------------------------------------------- */

/** Steps of the wall clock that are known one by one until they are written. */
#define LOOP_STEPS 8

/** The background thread and its list of files. The lock is never held during
 * I/O; who drains a file outside it makes it "current" first. */
struct outfileLoop {
	pthread_mutex_t lock;
	pthread_cond_t wake; /* The thread shall look around. */
	pthread_cond_t done; /* The thread is done with a file. */
	struct hdOutfile *files;
	struct hdOutfile *current;
	pthread_t thread;
	bool isRunning;
	bool isEnding;
	bool isWoken;
	struct hdSteps steps;           /* Of the wall clock, so far. */
	struct hdStep last[LOOP_STEPS]; /* By their number. */
};

extern struct outfileLoop hdOutfileLoop;

/** Get the I/O lock of a file. */
void hdOutfileEnter(struct hdOutfile *file, struct hdOutfileGuard *guard);

void hdOutfileLeave(struct hdOutfile *file, const struct hdOutfileGuard *guard);

/** Whether a file is an .info file. */
bool hdOutfileIsInfo(const struct hdOutfile *file);

/** Find the end of the record, or line, that begins at @p at in the ring. */
size_t hdOutfileRecordEnd(const struct hdOutfile *file, size_t at, size_t head);

/** Count the records from @p start to @p head of which no more is written than
 *  what is before @p done as lost. Returns how many bytes of one are written.
 */
size_t hdOutfileDiscard(struct hdOutfile *file, size_t start, size_t done,
			size_t head);

/** The file is lost: cut off what is not complete, let the owner run on. */
void hdOutfileGiveUp(struct hdOutfile *file, int error, int64_t incomplete);

/** Drain by whoever calls. Of a compressed file, records may stay in memory
 * until they are due, unless @p isFlushed. */
void hdOutfileDrainNow(struct hdOutfile *file, bool isFlushed);

/** Let the thread drain the files, and wait until it has drained one; false if
 *  there is no thread. */
bool hdOutfileLoopWait(void);

/** Add a file, unless this process writes it already under any name. */
bool hdOutfileLoopAdd(struct hdOutfile *file);

void hdOutfileLoopRemove(struct hdOutfile *file);

#endif
