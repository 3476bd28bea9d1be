/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A place of the graph where the translator stands: its options, and what it
 * records at the moment.
 */
#ifndef HDG_PLACE_H
#define HDG_PLACE_H

#include "GlusterFSTracing/xlator/gluster.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "GlusterFSTracing/xlator/record.h"

/** Bytes of a label, and of a layer's name, with the NUL. */
#define PLACE_LABEL_MAX 192
#define PLACE_LAYER_MAX 64

/** Which part of a layer a place is. */
enum placeSide {
	PLACE_WHOLE, /**< Operations are in the layer from call to result. */
	PLACE_ENTER, /**< They come into it here, ... */
	PLACE_LEAVE, /**< ... and are out of it when they get here. */
};

/** What is recorded, as it can be changed while the volume serves. */
struct placeChoice {
	bool isOn;
	unsigned int what; /**< Of enum recordWhat, when it is on. */
	uint64_t fops;     /**< A bit for each GF_FOP_... */
};

struct place {
	/* What a fop looks at. */
	_Atomic(struct record *) record; /**< NULL: nothing is recorded. */
	_Atomic unsigned int what;
	_Atomic uint64_t fops;
	enum placeSide side;
	bool isTop;          /**< None of ours is above it in this process. */
	bool isLowest;       /**< None of ours gets the token from below it. */
	uint64_t needsToken; /**< See placeNeedsToken(); a bit for each fop. */
	bool hasPaths;       /**< Record names of files. */
	bool hasFrames;      /**< What is below gets a frame of its own. */

	/* Constant. */
	struct place *next; /**< Of the list of all places. */
	xlator_t *this;
	char layer[PLACE_LAYER_MAX];
	char host[PLACE_LABEL_MAX];
	char node[PLACE_LABEL_MAX];
	bool isClient;
	int64_t throttleNs;
	int utilizationMs;
	char *power; /**< Configuration file of libPT, or NULL. */

	/* Protected by the lock of the list. */
	char *directory;
	char *project; /**< As the volume file says; ... */
	char *other;   /**< ... what is recorded into instead, or NULL. */
	struct placeChoice options; /**< As the volume file says. */
	struct placeChoice choice;  /**< As it is. */
	char *report;               /**< On the last request; see control.h. */
	bool isRetired;             /**< Another graph is used instead. */
};

/** Read the options of a translator, and begin to record: 0, or -1 if an option
 *  makes no sense. That files cannot be made is no error. Where a graph follows
 *  another one of the process, what was asked for holds for it, too. */
int placeInit(xlator_t *this);

/**
 * Read options that have been changed.
 *
 * What was asked for since then holds, unless these say otherwise than they did
 * before.
 *
 * @return 0; or -1, and nothing was changed.
 */
int placeReconfigure(xlator_t *this, dict_t *options);

/** Its graph is not used any more: it lets go of what it records into. */
void placeRetire(xlator_t *this);

/** End it. */
void placeFini(xlator_t *this);

/** Whether a translator is one of ours. */
bool placeIs(const xlator_t *xlator);

/**
 * Whether the frames of an operation may be lost below a place, above the next
 * ones of ours: by the wire, or a translator that is not known to hand it on in
 * the frame in which it came.
 */
static inline bool placeNeedsToken(const struct place *place, int fop)
{
	return place->needsToken >> fop & 1;
}

/** Read a list of what to record, or of operations: 0, or -1 with the word that
 *  is none in @p wrong. */
int placeParseWhat(const char *text, unsigned int *what, char *wrong,
		   size_t size);
int placeParseFops(const char *text, uint64_t *fops, char *wrong, size_t size);

/** All operations, as bits. */
uint64_t placeAllFops(void);

/** Write operations as a list with commas, or "all". */
void placePutFops(uint64_t fops, char *text, size_t size);

#endif
