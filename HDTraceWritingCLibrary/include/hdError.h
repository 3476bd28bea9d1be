/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Error values and losses of the HDTrace writing library.
 *
 * Functions that fail return -1, or NULL where they return a pointer, and set
 * errno to one of the values below. Functions that succeed do not change errno.
 * (Thesis sections 4.2.2 and A.1.3.)
 */
#ifndef HD_ERROR_H
#define HD_ERROR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** First error value of HDTrace; the errno values of the system are smaller. */
#define HD_ERR_BASE 800000

/** Errors that any function of the library may set. */
enum hdCommonError {
	/** An argument is invalid. */
	HD_ERR_INVALID_ARGUMENT = HD_ERR_BASE,
	/** Memory could not be allocated. */
	HD_ERR_MALLOC,
	/** An argument or result exceeds its documented limit. */
	HD_ERR_BUFFER_OVERFLOW,
	/** The system time could not be read. */
	HD_ERR_GET_TIME,
	/** A file could not be created, or it exists and must be kept. */
	HD_ERR_CREATE_FILE,
	/** A file could not be written: disk full, I/O error. */
	HD_ERR_WRITE_FILE,
	/** A file could not be closed. */
	HD_ERR_CLOSE_FILE,
	/** A timeout occurred. */
	HD_ERR_TIMEOUT,
	/** The trace or group is disabled. */
	HD_ERR_TRACE_DISABLED,
	/** The call is not allowed in this state: for example, an end without
	 *  a start. */
	HD_ERR_INVALID_CONTEXT,
	/** The cause is unknown. */
	HD_ERR_UNKNOWN
};

/** Errors of the statistics part. */
enum hdStatsError {
	/** The call is not allowed after, or not before, the group is
	 *  committed. */
	HDS_ERR_GROUP_COMMIT_STATE = HD_ERR_BASE + 200,
	/** An argument has an unexpected value, e.g. the length of an entry. */
	HDS_ERR_UNEXPECTED_ARGVALUE,
	/** The current entry expects a different call: a value of another
	 *  type, or the remaining values of an unfinished entry. */
	HDS_ERR_ENTRY_STATE
};

/** Losses of a trace or group. */
typedef struct hdLosses {
	/** Records dropped because the buffer was full, or because the file
	 *  could no longer be written: states, events, lines of information;
	 *  entries and gaps. An attribute or element that is dropped without
	 *  its state counts as one record. */
	uint64_t records;
	/** Times that were corrected because they decreased. */
	uint64_t times;
} hdLosses;

/**
 * Describe an error of this library.
 *
 * Safe to call from any thread.
 *
 * @param error A value that a function of this library left in errno.
 *
 * @return A sentence in English that must not be freed or changed.
 * @retval NULL @p error is not a value of this library; try strerror().
 */
char *hdT_strerror(int error);

#ifdef __cplusplus
}
#endif

#endif
