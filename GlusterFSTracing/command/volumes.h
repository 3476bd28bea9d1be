/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Volume files of GlusterFS as a graph, with the places of their words in the
 * text, so that the text can be changed and all else stays as it is.
 *
 *     volume NAME
 *         type DIRECTORY/NAME
 *         option KEY VALUE
 *         subvolumes NAME...
 *     end-volume
 *
 * Words may be in quotes; "#" begins a comment; lines have no meaning. A volume
 * is defined before it is used. The last one is the top of the graph.
 */
#ifndef HD_GLUSTER_VOLUMES_H
#define HD_GLUSTER_VOLUMES_H

#include <stdbool.h>
#include <glib.h>

/** Largest volume file that is read, in bytes. */
#define VOLUMES_MAX (16 << 20)

/** A word, without its quotes. */
struct volumeWord {
	char *text;
	gsize begin, end; /**< Where it stands, without quotes. */
	long line;
};

struct volume {
	struct volumeWord name, type;
	GPtrArray *below;    /**< struct volume: its subvolumes ... */
	GArray *belowWords;  /**< ... and their words. */
	GPtrArray *above;    /**< struct volume: those that have it. */
	GHashTable *options; /**< Text to text. */
	gsize begin, end;    /**< From "volume" to "end-volume". */
	/** The one volume of those below it, and itself, that has nothing
	 *  below; NULL if there are several. */
	const struct volume *lowest;
};

/** A volume file. */
struct volumes {
	char *text;
	gsize length;
	GPtrArray *all; /**< struct volume, in the order of the file. */
	GHashTable *names;
};

/**
 * Parse a volume file.
 *
 * @param text Its text; taken, in any case.
 * @param[out] why "LINE: what is wrong", to be freed.
 *
 * @return The graph, to be given to volumesFree(), or NULL.
 */
struct volumes *volumesParse(char *text, gsize length, char **why);

/** Free a graph; takes NULL. */
void volumesFree(struct volumes *volumes);

/** A subvolume of a volume. */
struct volume *volumeBelow(const struct volume *volume, guint number);

/** Whether a volume is of a type: "storage/posix", or a folder, "cluster/". */
bool volumeIs(const struct volume *volume, const char *type);

/** Whether there is a volume of a type, as of volumeIs(). */
bool volumesHave(const struct volumes *volumes, const char *type);

/** The last volume. */
struct volume *volumesTop(const struct volumes *volumes);

#endif
