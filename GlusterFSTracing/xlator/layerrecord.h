/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What is recorded of a layer of a node: a gauge of pending operations, the
 * relations, and a gauge of operations that wait for a lock.
 *
 * Several instances of a process may share a record: those of the same layer
 * and node, such as the two sides of BREQ, or a graph and the one that follows
 * it; not if their gauges are throttled differently, as files of these differ.
 *
 * **Life.** Whoever uses a record holds it: each instance that records into it,
 * and each operation that is under way. When the last one lets go its files are
 * closed. Its memory is kept, since another thread may look at it at that
 * moment (recordHold()); a record is made when recording is switched on, not
 * for each operation.
 */
#ifndef HDG_LAYERRECORD_H
#define HDG_LAYERRECORD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <hdRelation.h>
#include <hdStats.h>

#include "GlusterFSTracing/xlator/machine.h"

/** What is recorded, as bits. */
enum recordWhat {
	RECORD_GAUGES = 1,
	RECORD_RELATIONS = 2,
	RECORD_STATES = 4, /**< States of the relations. */
	RECORD_ALL = 7,
};

/** Which record it is. All texts are plain labels but the first. */
struct recordName {
	const char *project; /**< Absolute path and name. */
	const char *host;
	const char *node; /**< Below the host: a brick, or a client. */
	const char *layer;
	bool isClient;
	bool isPrivate;     /**< For the owner to read only: names of files. */
	int64_t throttleNs; /**< As of hdS_gaugeCreate(). */
	struct machineWhat machine;
};

struct record {
	hdS_gauge *gauge;        /**< NULL if it could not be made. */
	hdR_topoToken relations; /**< NULL likewise. */

	/* Of layerrecord.c. */
	struct record *next;
	struct session *session;
	char layer[64];
	bool isPrivate;
	int64_t throttleNs;
	hdTopoNode *node;
	_Atomic(hdS_gauge *) locks;
	bool hasNoLocks;
	atomic_int users;
	atomic_bool isClosed;
};

/**
 * Get a record, which is made if there is none of this name, and hold it. By
 * one thread at a time.
 *
 * Where files of the node exist, of a process that ended, the node's label gets
 * a number: NODE-2 and so on.
 *
 * @return The record, or NULL: nothing can be recorded, which was logged.
 */
struct record *recordGet(const struct recordName *name);

/**
 * Hold the record that an instance has at the moment.
 *
 * @return It, or NULL if there is none.
 */
struct record *recordHold(_Atomic(struct record *) *instance);

/** Let go of a record; NULL is none. */
void recordRelease(struct record *record);

/** Count an operation that begins (1) or has ended (-1) to wait for a lock. */
void recordCountLock(struct record *record, int change);

/** The project's path, and the node's label, which may have got a number. */
const char *recordProject(const struct record *record);
const char *recordNode(const struct record *record);

/** How many entries and elements a record has lost, as its disk was full. */
uint64_t recordLosses(const struct record *record);

/** Write what is there to the files of all records: the process ends, and
 *  operations may be under way. */
void recordFlushAll(void);

/** How many hold a record, instances and operations. */
int recordCountUsers(void);

/** How many records there are whose files are open, or those of their host. */
int recordCountOpen(void);

#endif
