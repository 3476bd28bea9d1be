/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to otf2: what its parts have in common.
 */
#ifndef HD_EXPORTOTF2_H
#define HD_EXPORTOTF2_H

#include <otf2/otf2.h>

#include "HDTraceTools/export/export.h"
#include "HDTraceTools/model/messages.h"

/** A metric event holds no more values than fit into its counter. */
#define OTF2_MEMBERS_MAX 255

/** A location: a group, a trace, or a lane of relations. */
struct otf2Location {
	const hdINode *node;
	const struct exportGroup *group; /**< NULL for the others. */
	const char *name;                /**< Of a lane; else NULL. */
	uint64_t events;
	int64_t first; /**< Times of its events. */
	int64_t last;
	/** Its first metric class; its instance follows, and then the next. */
	OTF2_MetricRef firstMetric;
};

struct otf2Region {
	OTF2_StringRef name;
	OTF2_Paradigm paradigm;
	OTF2_RegionRole role;
};

struct otf2Attribute {
	OTF2_StringRef name;
	OTF2_Type type;
};

struct otf2 {
	struct export *export;
	OTF2_Archive *archive;
	OTF2_GlobalDefWriter *definitions;
	OTF2_EvtWriter *events;
	OTF2_AttributeList *list;
	int rankLevel;       /**< Or 0. */
	GHashTable *strings; /**< Text to reference + 1. */
	GPtrArray *stringList;
	GHashTable *regions;    /**< Name to reference + 1. */
	GArray *regionList;     /**< struct otf2Region */
	GHashTable *attributes; /**< Type and name to reference + 1. */
	GArray *attributeList;  /**< struct otf2Attribute */
	size_t texts;           /**< Of attributes. */
	GArray *locations;      /**< struct otf2Location */
	GHashTable *ranks;      /**< Global rank to location + 1. */
	int64_t lastRank;
	GHashTable *tree; /**< hdINode to its number; the root has 0. */
	OTF2_SystemTreeNodeRef treeNodes;
	OTF2_MetricRef metrics;
	OTF2_MetricMemberRef members;
	struct messages *messages;
	GHashTable
		*pending; /**< Requests of the trace to struct otf2Request. */
	bool wantsSent;
	OTF2_ErrorCode error; /**< The first one. */
};

/** Keep the first error; false if there was one. */
bool otf2Check(struct otf2 *self, OTF2_ErrorCode code);

/** The location that is written, or any. */
struct otf2Location *otf2Current(struct otf2 *self);
struct otf2Location *otf2LocationAt(const struct otf2 *self, guint number);

/** An event was written at a time. */
void otf2CountEvent(struct otf2 *self, int64_t time);

/* ---- exportotf2names.c: what definitions are made of later -------------- */

OTF2_StringRef otf2String(struct otf2 *self, const char *text);
OTF2_RegionRef otf2RegionOf(struct otf2 *self, const hdIRecord *record);
/** Set the list to the attributes of a record. */
void otf2SetAttributes(struct otf2 *self, const hdIRecord *record);

/* ---- exportotf2groups.c ------------------------------------------------ */

OTF2_Type otf2MetricType(hdIType type);
/** The values of a group that are numbers: size_t, to be freed. */
GArray *otf2NumbersOf(const struct exportGroup *group);
void otf2PutGroup(struct otf2 *self, const struct exportGroup *group);

/* ---- exportotf2mpi.c --------------------------------------------------- */

/** The role of a function of MPI; OTF2_REGION_ROLE_FUNCTION of others. */
OTF2_RegionRole otf2MpiRole(const char *name);
/** What a state does with MPI: after it was entered, before it is left. */
void otf2PutEntered(struct otf2 *self, const hdIRecord *record, int64_t time);
void otf2PutLeaving(struct otf2 *self, const hdIRecord *record, int64_t time);

/* ---- relations.c ------------------------------------------------------- */

/** Write all relations that were asked for; 0, or -1 after an error that was
 *  said or kept. */
int otf2PutRelations(struct otf2 *self);

/* ---- exportotf2defs.c -------------------------------------------------- */

/** Write all definitions, and end. */
void otf2Define(struct otf2 *self);

#endif
