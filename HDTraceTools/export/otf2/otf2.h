/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to otf2: what its parts have in common.
 */
#ifndef HD_EXPORTOTF2_H
#define HD_EXPORTOTF2_H

#include <pthread.h>

#include "HDTraceTools/command/parts.h"
#include "HDTraceTools/export/export.h"
#include "HDTraceTools/export/otf2/library.h"
#include "HDTraceTools/model/mpi/messages.h"

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

/** A window of one-sided calls. */
struct otf2Window {
	OTF2_StringRef name;
	OTF2_CommRef comm;
};

/** A file that was opened. */
struct otf2Handle {
	OTF2_IoFileRef file;
	OTF2_StringRef name;
	OTF2_CommRef comm;
};

/** What a function does; names are those of MPI without "MPI_". */
struct otf2Function {
	const char *name;
	OTF2_RegionRole role;
	bool isCollective;
	OTF2_CollectiveOp op;
};

struct otf2Attribute {
	OTF2_StringRef name;
	OTF2_Type type;
};

/** A line of a source file. */
struct otf2Line {
	OTF2_StringRef file;
	uint32_t line;
};

/** What is numbered as it is met: names of regions, attributes of integers, of
 *  texts and of lines, the lines, windows, files and when these are opened, and
 * the texts of all of them and others. */
enum otf2Table {
	OTF2_STRINGS,
	OTF2_REGIONS,
	OTF2_NUMBERS,
	OTF2_TEXTS,
	OTF2_PLACES,
	OTF2_LINES,
	OTF2_WINDOWS,
	OTF2_FILES,
	OTF2_HANDLES,
	OTF2_TABLES
};

struct otf2 {
	struct export *export;
	/** Of which this is a part that writes a location, in any thread;
	 * itself if it is none. */
	struct otf2 *whole;
	const struct otf2 *begun;      /**< As it was before the first part. */
	struct part *part;             /**< NULL: it is none. */
	struct otf2Location *location; /**< That is written. */
	OTF2_Archive *archive;
	OTF2_GlobalDefWriter *definitions;
	OTF2_EvtWriter *events;
	OTF2_AttributeList *list;
	int rankLevel; /**< Or 0. */
	/** Names to references + 1, which all parts have in common, under the
	 *  lock; and of a part those that it has met. */
	GHashTable *tables[OTF2_TABLES];
	GHashTable *known[OTF2_TABLES];
	pthread_mutex_t *lock;
	GPtrArray *stringList;
	GArray *regionList;    /**< struct otf2Region */
	GArray *attributeList; /**< struct otf2Attribute */
	GArray *lineList;      /**< struct otf2Line */
	GArray *windowList;    /**< struct otf2Window */
	GArray *fileList;      /**< OTF2_StringRef */
	GArray *handleList;    /**< struct otf2Handle */
	size_t texts;          /**< Of attributes, in the whole. */
	GHashTable *functions; /**< Names to those of MPI. */
	GArray *locations;     /**< struct otf2Location */
	GHashTable *ranks;     /**< Global rank to location + 1. */
	int64_t lastRank;
	GHashTable *tree; /**< hdINode to its number; the root has 0. */
	OTF2_SystemTreeNodeRef treeNodes;
	OTF2_MetricRef *firstMetrics; /**< By group. */
	OTF2_MetricMemberRef members;
	struct messages *messages;
	GHashTable
		*pending; /**< Requests of the trace to struct otf2Request. */
	/** Requests of collective calls that are not complete, to what they
	 *  are. */
	GHashTable *collectives;
	/** Ends of messages to how many more were sent than received; of all
	 *  parts, under the lock. */
	GHashTable *ends;
	uint64_t unsent, unreceived; /**< Messages with one end. */
	struct otf2Rma *rma;
	struct otf2Io *io;
	bool wantsSent;
	OTF2_ErrorCode error; /**< The first one. */
	bool hasFailed;       /**< Which was said. */
};

/** Keep the first error; false if there was one. */
bool otf2Check(struct otf2 *self, OTF2_ErrorCode code);

/** A location by its number. */
struct otf2Location *otf2LocationAt(const struct otf2 *self, guint number);

/** An event was written at a time. */
void otf2CountEvent(struct otf2 *self, int64_t time);

/* ---- names.c: what definitions are made of later ------------------------- */

/* A name that nobody has met yet gets its number in the order of the parts, so
 * that they are the same for any number of threads: a part waits for those
 * before it, until they have met it, too, or are done. */

OTF2_StringRef otf2String(struct otf2 *self, const char *text);
OTF2_RegionRef otf2RegionOf(struct otf2 *self, const hdIRecord *record);
/** Set the list to the attributes of a record. */
void otf2SetAttributes(struct otf2 *self, const hdIRecord *record,
		       const struct site *site);

/** The window that a communicator made as its count-th one. */
OTF2_RmaWinRef otf2WindowOf(struct otf2 *self, const struct messageGroup *group,
			    unsigned int count);
/** A file by its name. */
OTF2_IoFileRef otf2FileOf(struct otf2 *self, const char *name);
/** A file that a communicator opened for the count-th time. */
OTF2_IoHandleRef otf2HandleOf(struct otf2 *self, const char *name,
			      const struct messageGroup *group,
			      unsigned int count);

/* ---- groups.c ------------------------------------------------------------ */

OTF2_Type otf2MetricType(hdIType type);
/** The values of a group that are numbers: size_t, to be freed. */
GArray *otf2NumbersOf(const struct exportGroup *group);
void otf2PutGroup(struct otf2 *self, const struct exportGroup *group);

/* ---- mpi.c --------------------------------------------------------------- */

/** Ends of messages, none yet. */
GHashTable *otf2EndsNew(void);

/** All locations are written: say how many messages have one end only. */
void otf2CountEnds(struct otf2 *self);

/** The functions of MPI, by name. */
GHashTable *otf2MpiFunctions(void);
/** One of those that have messages or are collective; NULL: it is none. */
const struct otf2Function *otf2MpiFunction(const struct otf2 *self,
					   const char *name);
/** The role of a function of MPI; OTF2_REGION_ROLE_FUNCTION of others. */
OTF2_RegionRole otf2MpiRole(const struct otf2 *self, const char *name);
/** What a state does with MPI: after it was entered, before it is left. */
void otf2PutEntered(struct otf2 *self, const hdIRecord *record, int64_t time);
void otf2PutLeaving(struct otf2 *self, const hdIRecord *record, int64_t time);

/* ---- collectives.c ------------------------------------------------------- */

bool otf2CollectiveIsOfNeighbors(const char *name);
/** Of a state that is entered or left; false: it is no such call. */
bool otf2CollectiveEnter(struct otf2 *self, const hdIRecord *record,
			 int64_t time);
bool otf2CollectiveLeave(struct otf2 *self, const hdIRecord *record,
			 int64_t time);
/** A request was started again, or is complete. */
void otf2CollectiveStart(struct otf2 *self, int64_t request, int64_t time);
void otf2CollectiveComplete(struct otf2 *self, int64_t request, int64_t time);

/* ---- rma.c --------------------------------------------------------------- */

struct otf2Rma *otf2RmaNew(void);
void otf2RmaFree(struct otf2Rma *rma);
/** Whether a function is a one-sided one. */
bool otf2RmaIsFunction(const char *name);
bool otf2RmaEnter(struct otf2 *self, const hdIRecord *record, int64_t time);
bool otf2RmaLeave(struct otf2 *self, const hdIRecord *record, int64_t time);
void otf2RmaComplete(struct otf2 *self, int64_t request, int64_t time);

/* ---- io.c ---------------------------------------------------------------- */

struct otf2Io *otf2IoNew(void);
void otf2IoFree(struct otf2Io *io);
bool otf2IoEnter(struct otf2 *self, const hdIRecord *record, int64_t time);
bool otf2IoLeave(struct otf2 *self, const hdIRecord *record, int64_t time);
/** A call has completed the requests that it names. */
void otf2IoComplete(struct otf2 *self, const hdIRecord *record, int64_t time);

/* ---- relations.c ------------------------------------------------------- */

/** Write all relations that were asked for; 0, or -1 after an error that was
 *  said or kept. */
int otf2PutRelations(struct otf2 *self);

/* ---- markers.c ----------------------------------------------------------- */

/** Write the findings of the whole run. */
void otf2PutFindings(struct otf2 *self);

/* ---- definitions.c ------------------------------------------------------- */

/** Write all definitions, and end. */
void otf2Define(struct otf2 *self);

#endif
