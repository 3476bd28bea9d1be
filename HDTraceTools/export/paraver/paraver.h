/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to paraver: what its parts share.
 */
#ifndef HD_EXPORTPARAVER_H
#define HD_EXPORTPARAVER_H

#include "HDTraceTools/export/export.h"
#include "common/number.h"
#include "HDTraceTools/model/causes/dependencies.h"
#include "HDTraceTools/model/mpi/roles.h"

/** Types of events. */
enum {
	PARAVER_STATE = 90000001, /**< At depth 0; others follow. */
	PARAVER_EVENT = 91000000,
	PARAVER_VALUE = 92000001, /**< The first one. */
};

/** A file of the project while it is read. */
struct paraverStream {
	const hdITraceFile *trace; /**< NULL for a group. */
	const struct exportGroup *group;
	unsigned int appl, task, thread;
	char place[40]; /**< The same, as records have it. */
	size_t placeLength;
	int64_t time; /**< Of what comes next. */
	/* A trace. */
	struct ordered *ordered;
	struct orderedStep step;
	GArray *stack; /**< size_t: numbers of open states. */
	GString *text; /**< Records of the step before, without a state. */
	int64_t textTime;
	bool hasStep;
	/* A group. */
	struct exportReader *reader;
	struct exportEntries entries;
	size_t entry;
	unsigned int *types; /**< Of its values; 0: not carried. */
	char *line;          /**< Room for the record of an entry. */
};

struct paraver {
	struct export *export;
	FILE *file;
	GArray *streams; /**< struct paraverStream */
	GPtrArray *heap; /**< struct paraverStream *, the earliest one first. */
	int64_t start;
	int64_t end;
	GHashTable *names; /**< Of states and events, to number. */
	GPtrArray *nameList;
	unsigned int depths; /**< That occur. */
	bool hasEvents;
	GHashTable *values; /**< Label to type. */
	GPtrArray *valueList;
	GPtrArray *hosts; /**< hdINode */
	GPtrArray *ranks; /**< hdINode of each task of application 1 ... */
	GPtrArray *nodes; /**< ... and of application 2. */
	struct dependencies *dependencies;
	struct dependency message; /**< The next one, if hasMessage. */
	bool hasMessage;
	bool hasFailed;
};

static inline struct paraverStream *paraverStreamAt(const struct paraver *self,
						    guint number)
{
	return &g_array_index(self->streams, struct paraverStream, number);
}

/** A time as Paraver has it. */
static inline int64_t paraverSince(const struct paraver *self, int64_t time)
{
	return MAX(time - self->start, 0);
}

/** Room that paraverPut() needs, of which a byte or two stay free. */
#define PARAVER_FIELD_MAX (1 + HD_INT64_MAX + 2)

/** Put a field that is not the first one; returns its end. */
static inline char *paraverPut(char *to, int64_t value)
{
	*to++ = ':';
	return hdNumberPutInt64(to, value);
}

static inline const hdINode *paraverHost(const hdINode *node)
{
	return rolesAt(node, 1);
}

/** Number of a name, from 1; it is added to the list if it is not there. */
size_t paraverNumber(GHashTable *table, GPtrArray *list, const char *name);

/** Position of a node in a list, from 1; it is added if it is not there. */
unsigned int paraverPlace(GPtrArray *list, const hdINode *node);

/* ---- records.c -------------------------------------------- */

/** All of a stream is known that its records have in common. */
void paraverSetPlace(struct paraverStream *stream);
/** Take what comes first in a trace. */
void paraverTakeStep(struct paraver *self, struct paraverStream *stream);
/** Write what happens at the time of a trace, and go on to the next. */
void paraverWriteSteps(struct paraver *self, struct paraverStream *stream);
/** Take the next entry of a group. */
void paraverTakeEntry(struct paraverStream *stream);
/** Write an entry of a group, and go on to the next. */
void paraverWriteEntry(struct paraver *self, struct paraverStream *stream);

/* ---- communications.c ------------------------------------------- */

/** Find all messages. */
void paraverFindMessages(struct paraver *self);
/** Write the messages that were sent until then. */
void paraverWriteMessages(struct paraver *self, int64_t until);

/* ---- files.c ---------------------------------------------- */

/** The header; its length is found out at the end, so it has a fixed width. */
void paraverPutHeader(struct paraver *self);
/** The .pcf file: names of states, events and values. */
void paraverPutConfiguration(struct paraver *self, FILE *file);
/** The .row file: names of hosts and threads. */
void paraverPutRows(struct paraver *self, FILE *file);

#endif
