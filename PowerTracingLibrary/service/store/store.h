/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a device has measured, as long as somebody needs it.
 *
 * Readings are kept in segments of PT_SEGMENT_SIZE, and of each only the
 * columns that a set wants. Several sets share them; a column of a segment is
 * freed with the last set that has it. A set is what was measured between a
 * start and a stop.
 *
 * One thread adds readings, another one does everything else; a mutex is
 * between them.
 *
 * Its store has segments of 1024 readings, by column, shared by all counters
 * and streams; each set counts what it uses. So 400 counters cost what one
 * does, and what nobody uses is freed by counting, not by looking for it.
 */
#ifndef PT_STORE_H
#define PT_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Readings in a segment. */
#define PT_SEGMENT_SIZE 1024

/** How many bytes are kept, and how many may be: of the service, of a client.
 */
struct ptAccount {
	int64_t used; /**< Any thread; see ptAccountUsed(). */
	int64_t limit;
};

/** A reading, without its values. */
struct ptStored {
	int64_t wall; /**< When it ended; ns. */
	int64_t mono;
	int64_t length;
	uint32_t lost;
	uint32_t marks; /**< PT_WIRE_GAP. */
};

/** Why something is missing. */
enum ptMissing {
	PT_MISSING_NOTHING,
	PT_MISSING_CLIENT,  /**< The limit of the client. */
	PT_MISSING_SERVICE, /**< That of the service, or no memory. */
};

struct ptSegment;
struct ptStore;

/** What was measured between a start and a stop. All but what is said belongs
 * to the store. */
struct ptSet {
	struct ptStore *store;
	struct ptSet *next; /**< In the list of those that want readings. */
	/** Set before ptSetStart(): who pays, the wanted columns, and whether
	 * the oldest readings are to be dropped when there is no room, and not
	 * the newest. */
	struct ptAccount *account;
	const size_t *columns;
	size_t columnCount;
	bool dropsOldest;
	/** Times of start and stop, INT64_MAX while there is no stop. */
	int64_t startWall, startMono, stopWall, stopMono;
	/** When it is complete at the latest, by CLOCK_MONOTONIC. */
	int64_t deadlineNs;
	bool isOpen;                    /**< It wants the next reading. */
	enum ptMissing missing;         /**< Read by ptSetMissing(). */
	struct ptSegment *first, *last; /**< That it uses. */
	struct ptSegment *pinned;       /**< That a run lies in. */
	int64_t bytes;
	/** Numbers of the first reading that may belong to it, and of the
	 * first that came when it was complete. */
	uint64_t begin, end;
};

/** Readings as they are read: where they are is valid until ptSetRelease(). */
struct ptRun {
	uint64_t number; /**< Of the first of them. */
	size_t count;
	const struct ptStored *readings;
};

/** Create the store of a device with so many columns; NULL without memory. */
struct ptStore *ptStoreCreate(size_t columns, struct ptAccount *service);

/** Free it; nobody may have a set any more. Takes NULL. */
void ptStoreDestroy(struct ptStore *store);

/**
 * Add a reading; the thread of the device.
 *
 * @param values One for each column.
 */
void ptStoreAdd(struct ptStore *store, const struct ptStored *reading,
		const double *values);

/**
 * Get the last reading there was, even if nobody wanted to keep it.
 *
 * @param[out] values Its columns; may be NULL.
 *
 * @return How many there were so far; 0 leaves the rest untouched.
 */
uint64_t ptStoreLast(struct ptStore *store, struct ptStored *reading,
		     double *values);

/** Get how long the last readings took from their end until they were added. */
int64_t ptStoreLatency(struct ptStore *store);

/**
 * Begin a set, now.
 *
 * @retval -ENOMEM Out of memory, or the limit of the service is reached.
 * @retval -EDQUOT The limit of the client is reached.
 */
int ptSetStart(struct ptSet *set, struct ptStore *store, int64_t wall,
	       int64_t mono);

/** Stop it: readings that ended later do not belong to it. */
void ptSetStop(struct ptSet *set, int64_t wall, int64_t mono);

/**
 * Tell whether all readings are there that belong to a set that was stopped,
 * and if so let no more come.
 *
 * @param isUp Whether the device works: else nothing is to be waited for.
 */
bool ptSetIsComplete(struct ptSet *set, int64_t nowNs, bool isUp);

/** Tell what is missing of it, and why. */
enum ptMissing ptSetMissing(struct ptSet *set);

/**
 * Find readings of a set, from a number on.
 *
 * @param number The next one that is wanted; set->begin for the first.
 * @param[out] run At most the rest of a segment. Its number is larger than the
 *        one that was asked for where readings were dropped.
 *
 * @return false There are none, now.
 */
bool ptSetFind(struct ptSet *set, uint64_t number, struct ptRun *run);

/** Get the values of a column of a run, which the set wants. */
const double *ptSetValues(struct ptSet *set, const struct ptRun *run,
			  size_t column);

/** Release the run that was found, and what lies before a number; whole
 * segments are freed. */
void ptSetRelease(struct ptSet *set, uint64_t number);

/** Forget all of it; also of one that was never started. */
void ptSetClear(struct ptSet *set);

/** Get the bytes that an account has used. */
int64_t ptAccountUsed(const struct ptAccount *account);

#endif
