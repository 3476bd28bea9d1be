/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A project while it is built, and what is behind the public structs.
 */
#ifndef HDI_PROJECT_H
#define HDI_PROJECT_H

#include <stdint.h>

#include <hdReading.h>
#include "HDTraceReadingCLibrary/src/arena.h"
#include "HDTraceReadingCLibrary/src/diagnostic.h"
#include "common/hashmap/hashmap.h"

/** A group; the public part comes first. */
struct hdIGroupData {
	hdIGroup pub;
	struct hdIGroupData *next; /**< At the same node. */
	size_t order; /**< Place of the declaration; SIZE_MAX: none. */
	int hasStart; /**< Whether there is an initial time stamp. */
};

/** A node; the public part comes first. */
struct hdINodeData {
	hdINode pub;
	struct hdINodeData *parent;
	struct hdINodeData *firstChild;
	struct hdINodeData *lastChild;
	struct hdINodeData *next;     /**< Next sibling. */
	struct hdINodeData *nextHash; /**< With the same hash of the path. */
	struct hdIGroupData *firstGroup;
	struct hdIGroupData *lastGroup;
	/** The path without what the original reader deleted from labels. */
	const char *cleanPath;
};

/** A list of texts. */
struct hdITextList {
	const char **texts;
	size_t count;
	size_t room;
};

/** A project; the public part comes first. */
struct hdIProjectData {
	hdIProject pub;
	struct hdISink sink;
	struct hdIArena arena; /**< Holds everything. */
	/** The archive that the project is in; NULL: a directory. */
	struct hdIArchive *archive;
	struct hdINodeData *root;
	struct hdMap nodes; /**< By the hash of their paths. */
	struct hdITextList levels;
	struct hdITextList declaredGroups;
	int isFileOptional; /**< Whether the .proj may be missing. */
};

/** No file has a longer name; it bounds what a hostile .proj can cost. */
#define HDI_PATH_MAX 4096

/** Append to a list; its texts are not copied. Returns 0 or -ENOMEM. */
int hdITextListAppend(struct hdIArena *arena, struct hdITextList *list,
		      const char *text);

/* ---- topology.c -------------------------------------------------------- */

/** Copy a text without what the original reader deleted from names. */
const char *hdITopologyClean(struct hdIArena *arena, const char *text);

/** Create the root. Returns 0 or -ENOMEM. */
int hdITopologyInit(struct hdIProjectData *project, const char *label);

/**
 * Find a child by its label, or add it. The path must not get longer than
 * HDI_PATH_MAX.
 *
 * @param[out] isNew Whether it was added; may be NULL.
 *
 * @return The child, or NULL: no memory.
 */
struct hdINodeData *hdITopologyAdd(struct hdIProjectData *project,
				   struct hdINodeData *parent,
				   const char *label, int *isNew);

/** Find a node by its path, of which there may be more behind it. */
struct hdINodeData *hdITopologyFind(const struct hdIProjectData *project,
				    const char *path, size_t length);

/** Node that follows in the tree, parents first; NULL after the last. */
struct hdINodeData *hdITopologyNext(const struct hdINodeData *node);

/** Make the arrays of the public structs. Returns 0 or -ENOMEM. */
int hdITopologyFinish(struct hdIProjectData *project);

/* ---- projxml.c --------------------------------------------------------- */

/**
 * Read a .proj file.
 *
 * @retval 0 It was read.
 * @retval -EBADMSG It was read up to an error, which was reported.
 * @retval -errno It could not be read, which was reported, or -ENOMEM.
 */
int hdIProjXmlRead(struct hdIProjectData *project, const char *file);

/* ---- files.c ----------------------------------------------------------- */

/**
 * Find the files of a project and add them to its nodes.
 *
 * @param project The project, with its prefix and all that is declared.
 * @param[out] count Number of files that there are.
 *
 * @return 0 or a negative errno value.
 */
int hdIFilesFind(struct hdIProjectData *project, size_t *count);

/** Make a project of one .stat or .trc file. */
int hdIFilesUseOne(struct hdIProjectData *project, const char *file);

/* ---- stat/header.c ---------------------------------------------------- */

/**
 * Read the header of a .stat file.
 *
 * Problems are reported, and show as !group->pub.isReadable. The name is set
 * if the header has one.
 *
 * @return 0 or -ENOMEM.
 */
int hdIStatHeadRead(struct hdIProjectData *project, struct hdIGroupData *group,
		    const char *file);

#endif
