/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A project of this host: a trace for each of some parts of it, and its power
 * beside, which a configuration of libPT says how to measure.
 *
 * It says what fails, on stderr, after the name of the tool.
 */
#ifndef HD_LOAD_LOADRECORD_H
#define HD_LOAD_LOADRECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hdTrace.h>

/** What is recorded. */
struct hdLoadTarget {
	const char *tool;          /**< Before messages: "hdload". */
	const char *project;       /**< As of hdT_createTopology(). */
	const char *level;         /**< Type of the level below the host. */
	const int *labels;         /**< Numbers of the parts. */
	size_t count;              /**< How many. */
	const char *configuration; /**< pt.cfg(5), or NULL: no power. */
	bool isForced;             /**< Replace an old project. */
	bool hasHost;              /**< The host has a trace, too. */
	const char *group;         /**< Further group of the host, or NULL. */
	/** Creates this group at the node of the host. */
	void (*createGroup)(void *context, hdTopoNode *host);
	void *context; /**< For createGroup(). */
};

struct hdLoadRecord;

/** The usual cycle of meters, where a configuration says none, in ns. */
#define HD_LOAD_CYCLE_NS INT64_C(100000000)

/** What a configuration says: the meter's cycle, in ns; -1 after a message. */
int64_t hdLoadCycle(const char *tool, const char *configuration);

/**
 * Create the files and start to measure; waits for nothing.
 *
 * @param[out] result To be given to hdLoadRecordEnd().
 *
 * @return Whether all is there; nothing new is left else.
 */
bool hdLoadRecordBegin(const struct hdLoadTarget *target,
		       struct hdLoadRecord **result);

/** The traces, in the order of the labels. */
hdTrace *const *hdLoadRecordTraces(const struct hdLoadRecord *record);

/** The trace of the host; NULL: there is none. */
hdTrace *hdLoadRecordHostTrace(const struct hdLoadRecord *record);

/** End it; whether all was recorded. */
bool hdLoadRecordEnd(struct hdLoadRecord *record);

#endif
