/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Where translators of ours stand in a graph of GlusterFS, and how they get
 * there and away again.
 */
#ifndef HD_GLUSTER_PLACES_H
#define HD_GLUSTER_PLACES_H

#include "GlusterFSTracing/command/volumes.h"

/** The type of our translator. */
#define PLACES_TYPE "debug/hdtrace"

/** A translator of ours. */
struct place {
	const char *layer; /**< "TROVE" */
	const char *side;  /**< "enter", "leave", or NULL for both. */
	const char *what;  /**< Where that is, for people: "above". */
	struct volume *below;
	/** Stands only between this one and @p below; NULL: above @p below,
	 *  whoever has it. */
	struct volume *above;
	/** Clients ask for the volume by its name: so the translator has it,
	 *  and the volume gets another. */
	bool takesName;
	char *name;
	char *node; /**< The label of its node, set by who writes. */
};

/** What of a layer is not there, and why. */
struct placeMissing {
	const char *layer, *why;
};

/** All of them. */
struct places {
	GPtrArray *all;  /**< struct place, from the storage up. */
	GArray *missing; /**< struct placeMissing */
};

/**
 * Find the places of a graph that has no translators of ours.
 *
 * @param layers Those that are wanted, NULL terminated; NULL: all.
 */
struct places *placesFind(const struct volumes *volumes, char **layers);

/** Free them. */
void placesFree(struct places *places);

/** Whether there is such a layer. */
bool placesHasLayer(const char *layer);

/**
 * Write a volume file with translators at these places.
 *
 * @param options Lines "    option KEY VALUE\n" for all of them.
 */
char *placesWrite(const struct volumes *volumes, const struct places *places,
		  const char *options);

/**
 * Write a volume file without translators of ours.
 *
 * @param[out] count How many there were.
 * @param[out] why What is wrong: "LINE: TEXT".
 *
 * @return The text, or NULL.
 */
char *placesRemove(const struct volumes *volumes, guint *count, char **why);

#endif
