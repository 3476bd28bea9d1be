/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Windows and files of MPI, as ranks call them: each rank has numbers of its
 * own for them. The first window that a communicator made on one rank is the
 * first one on the others, and so on.
 */
#ifndef HD_HANDLES_H
#define HD_HANDLES_H

#include "HDTraceTools/model/causes/ends.h"

/** Kinds of handles. */
enum handleKind { HANDLE_WINDOW, HANDLE_FILE, HANDLE_KINDS };

/** What ends of a handle are about, each in channels of its own. */
enum handleSubject {
	HANDLE_CALLS,  /**< Calls that all ranks make. */
	HANDLE_ACCESS, /**< Accesses between Win_start and Win_complete. */
	HANDLE_LOCK,   /**< Locks of a target. */
	HANDLE_SUBJECTS
};

/** The last access to a target. */
struct handleTouch {
	int64_t target; /**< Rank in the communicator. */
	int64_t time;   /**< When the call ended. */
};

/** A call with the ranks that it names. */
struct handleSide {
	GArray *ranks; /**< int64_t in the communicator; NULL: not begun. */
	int64_t start;
	int64_t end;
	GHashTable *counts; /**< int64_t rank to uint64_t: epochs so far. */
};

/** A lock that is held. */
struct handleLock {
	int64_t target;
	bool isExclusive;
	GArray *calls; /**< struct dependencyEnd */
};

/** A window or file in a trace. */
struct handle {
	enum handleKind kind;
	const struct messageGroup *group;
	uint32_t number;  /**< Of those of the communicator, from 0. */
	uint32_t local;   /**< The rank in it, or LOCAL_NONE. */
	uint64_t calls;   /**< Calls of all ranks, so far. */
	bool isAgain;     /**< A file of this name was opened before. */
	GArray *touches;  /**< struct handleTouch since the last such call. */
	GArray *accessed; /**< The same since Win_start. */
	struct handleSide origin;
	struct handleSide target;
	GArray *locks; /**< struct handleLock */
	/** Win_lock_all, until Win_unlock_all. */
	struct dependencyEnd lockAll;
	bool hasLockAll;
};

struct handles;

/** Start with none. */
struct handles *handlesNew(void);

/** The record that is read makes a handle; NULL: its communicator is not known.
 */
struct handle *handlesMake(struct dependencyReader *reader,
			   enum handleKind kind);

/** The handle that the record names; NULL: it is not known. */
struct handle *handlesFind(const struct dependencyReader *reader,
			   enum handleKind kind);

/** The record frees the handle that it names. */
void handlesForget(struct dependencyReader *reader, enum handleKind kind);

/** Note an end of a handle. @p sender and @p receiver are ranks, or -1. */
void handlesAdd(struct dependencyReader *reader,
		const struct dependencyEnd *end, const struct handle *handle,
		enum handleSubject subject, int64_t sender, int64_t receiver);

#endif
