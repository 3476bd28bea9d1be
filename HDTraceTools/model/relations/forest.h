/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * All relations of a project, and which one caused which, across files.
 *
 * Relations have numbers from 0, in the order in which the files have them.
 * What they are lies in a temporary file; in memory are some 40 bytes of each.
 * Who caused a relation is found by tokens, or by the span of a W3C trace that
 * a token stands for. Of relations with the same token the first one has the
 * children. Those that would be causes of themselves have no parent.
 *
 * An object belongs to one thread at a time.
 */
#ifndef HD_MODEL_RELATIONS_FOREST_H
#define HD_MODEL_RELATIONS_FOREST_H

#include <stdbool.h>
#include <inttypes.h>

#include <glib.h>

#include <hdReading.h>
#include "HDTraceTools/model/diagnostics.h"

/** No relation. */
#define FOREST_NONE UINT32_MAX

/** A file of relations. */
struct forestFile {
	const hdIRelationFile *file;
	char *prefix;  /**< What its tokens begin with, "HOST:PID:TOPOLOGY:". */
	char *host;    /**< hostID. */
	int64_t begin; /**< Its first time, if there is a relation, */
	int64_t last;  /**< and its last one. */
	uint32_t first; /**< Number of its first relation, */
	uint32_t count; /**< and how many there are. */
};

/** A relation. */
struct forestRelation {
	uint32_t number;
	const struct forestFile *file;
	const char *token;
	/** Token of the one that caused it, whether that was found or not;
	 * NULL: there is none, or it is a span that was not found. */
	const char *parent;
	const char
		*span; /**< The span of a W3C trace that caused it, or NULL. */
	const char
		*trace; /**< W3C trace and flags that were received, or "". */
	bool isParentFound;
	uint32_t depth; /**< How many caused it, one another. */
	int64_t start;
	int64_t end;      /**< HDI_NEVER if it did not end. */
	int64_t lasted;   /**< Until its end, or the last time of its file. */
	const char *name; /**< Of its first state; NULL if it has none. */
	const hdIRelationState *states;
	size_t stateCount;
	const char *const *links;
	size_t linkCount;
};

/** How long a relation did what, in ns. */
struct forestTimes {
	int64_t total;
	int64_t self;   /**< Without those that it caused. */
	int64_t waited; /**< In no state, and none that it caused was there. */
	int64_t active; /**< In a state. */
};

/** How many relations there are. */
struct forestCounts {
	uint64_t roots;    /**< Nothing caused them. */
	uint64_t unknown;  /**< What caused them was not found. */
	uint64_t unended;  /**< They did not end. */
	uint64_t circular; /**< They would be causes of themselves. */
	/** A part of the program made them by itself (attribute `origin`), and
	 *  their cause is what it was at then. */
	uint64_t inferred;
};

struct forest;

/** Start with none. */
struct forest *forestNew(const hdIProject *project);
/** Free it; NULL does nothing. */
void forestFree(struct forest *self);

/** Told so many bytes of a file were read. */
typedef void forestProgress(void *data, int64_t bytes);

/**
 * Read a file of the project.
 *
 * @param sink Takes the diagnostics; NULL: the project's handler.
 * @param progress Called with @p data now and then; may be NULL.
 *
 * @return 0, or the negative errno of opening it.
 */
int forestRead(struct forest *self, const hdIRelationFile *file,
	       const struct diagnosticSink *sink, forestProgress *progress,
	       void *data);

/** All were read: find out who caused whom. 0, or the negative errno of a
 *  temporary file. */
int forestEnd(struct forest *self);

/* What follows is there after forestEnd(). */

uint32_t forestCount(const struct forest *self);
struct forestCounts forestCountAll(const struct forest *self);
const hdIProject *forestProject(const struct forest *self);

/** The names of its hosts do not depend on what was chosen: nth file read. */
const struct forestFile *forestFileAt(const struct forest *self, size_t n);
size_t forestFileCount(const struct forest *self);

/** Get a relation, which is valid until the next call; 0, or the negative errno
 *  of the temporary file. */
int forestGet(struct forest *self, uint32_t number,
	      struct forestRelation *relation);

/** Which file it is of. */
const struct forestFile *forestFileOf(const struct forest *self,
				      uint32_t number);

/** Who caused it; FOREST_NONE if that was not found. */
uint32_t forestParent(const struct forest *self, uint32_t number);
/** The first that it caused, and the next one of the same cause. */
uint32_t forestChild(const struct forest *self, uint32_t number);
uint32_t forestSibling(const struct forest *self, uint32_t number);

/** How many caused it, one another. */
uint32_t forestDepth(const struct forest *self, uint32_t number);
/** Whether it ended. */
bool forestEnded(const struct forest *self, uint32_t number);

/** That a relation names another one of the project as a further cause. */
struct forestLink {
	uint32_t number; /**< Who names it, */
	uint32_t index;  /**< with which of its links, from 0, */
	uint32_t cause;  /**< and whom. */
};

/** All of them: struct forestLink, by number and index. */
const GArray *forestLinks(const struct forest *self);

/** When it began, and until when it lasted, without reading it. */
int64_t forestStart(const struct forest *self, uint32_t number);
int64_t forestLasted(const struct forest *self, uint32_t number);

/** Whether it is not said to be caused by another, since it would be a cause of
 *  itself. */
bool forestIsCircular(const struct forest *self, uint32_t number);

/** How long it did what. */
struct forestTimes forestTimesOf(struct forest *self,
				 const struct forestRelation *relation);

/** Find a relation by its token, with or without a W3C trace behind it;
 *  FOREST_NONE: there is none. @p error is 0 or as of forestGet(). */
uint32_t forestFind(struct forest *self, const char *token, int *error);

/** When a state of a relation ended; when the relation did, if it did not. */
int64_t forestStateEnd(const struct forestRelation *relation,
		       const hdIRelationState *state);

/** What a relation is called: as its first state, or else as its layer. */
const char *forestTitle(const struct forestRelation *relation);

/** Why a relation failed: that of its first state that did, or NULL. */
const char *forestError(const struct forestRelation *relation);

#endif
