/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * An instance of the graph where the translator stands: its options, and what
 * it records at the moment.
 */
#ifndef HDG_INSTANCE_H
#define HDG_INSTANCE_H

#include "GlusterFSTracing/xlator/gluster.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "GlusterFSTracing/xlator/layerrecord.h"

/** Bytes of a label, and of a layer's name, with the NUL. */
#define INSTANCE_LABEL_MAX 192
#define INSTANCE_LAYER_MAX 64

/** Which part of a layer an instance is. */
enum instanceSide {
	INSTANCE_WHOLE, /**< Operations are in the layer from call to result. */
	INSTANCE_ENTER, /**< They come into it here, ... */
	INSTANCE_LEAVE, /**< ... and are out of it when they get here. */
};

/** What is recorded, as it can be changed while the volume serves. */
struct instanceChoice {
	bool isOn;
	unsigned int what; /**< Of enum recordWhat, when it is on. */
	uint64_t fops;     /**< A bit for each GF_FOP_... */
};

struct instance {
	/* What a fop looks at. */
	_Atomic(struct record *) record; /**< NULL: nothing is recorded. */
	_Atomic unsigned int what;
	_Atomic uint64_t fops;
	enum instanceSide side;
	bool isTop;          /**< None of ours is above it in this process. */
	bool isLowest;       /**< None of ours gets the token from below it. */
	uint64_t needsToken; /**< See instanceNeedsToken(); a bit for each fop.
			      */
	bool hasPaths;       /**< Record names of files. */
	bool hasFrames;      /**< What is below gets a frame of its own. */

	/* Constant. */
	struct instance *next; /**< Of the list of all instances. */
	xlator_t *this;
	char layer[INSTANCE_LAYER_MAX];
	char host[INSTANCE_LABEL_MAX];
	char node[INSTANCE_LABEL_MAX];
	bool isClient;
	int64_t throttleNs;
	int utilizationMs;
	char *power; /**< Configuration file of libPT, or NULL. */

	/* Protected by the lock of the list. */
	char *directory;
	char *project; /**< As the volume file says; ... */
	char *other;   /**< ... what is recorded into instead, or NULL. */
	struct instanceChoice options; /**< As the volume file says. */
	struct instanceChoice choice;  /**< As it is. */
	char *report;   /**< On the last request; see control.h. */
	bool isRetired; /**< Another graph is used instead. */
};

/** Read the options of a translator, and begin to record: 0, or -1 if an option
 *  makes no sense. That files cannot be made is no error. Where a graph follows
 *  another one of the process, what was asked for holds for it, too. */
int instanceInit(xlator_t *this);

/**
 * Read options that have been changed.
 *
 * What was asked for since then holds, unless these say otherwise than they did
 * before.
 *
 * @return 0; or -1, and nothing was changed.
 */
int instanceReconfigure(xlator_t *this, dict_t *options);

/** Its graph is not used any more: it lets go of what it records into. */
void instanceRetire(xlator_t *this);

/** End it. */
void instanceFini(xlator_t *this);

/** Whether a translator is one of ours. */
bool instanceIs(const xlator_t *xlator);

/**
 * Whether the frames of an operation may be lost below an instance, above the
 * next ones of ours: by the wire, or a translator that is not known to hand it
 * on in the frame in which it came.
 */
static inline bool instanceNeedsToken(const struct instance *instance, int fop)
{
	return instance->needsToken >> fop & 1;
}

/** Read a list of what to record, or of operations: 0, or -1 with the word that
 *  is none in @p wrong. */
int instanceParseWhat(const char *text, unsigned int *what, char *wrong,
		      size_t size);
int instanceParseFops(const char *text, uint64_t *fops, char *wrong,
		      size_t size);

/** All operations, as bits. */
uint64_t instanceAllFops(void);

/** Write operations as a list with commas, or "all". */
void instancePutFops(uint64_t fops, char *text, size_t size);

#endif
