/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The files in the directory of a project.
 */
#ifndef HDI_FILES_H
#define HDI_FILES_H

#include <stddef.h>

#include "HDTraceReadingCLibrary/src/project/project.h"

/** A file in the directory. */
struct hdIFileEntry {
	char *name;
	int isUsed;
};

/** A group that is declared. */
struct hdIDeclared {
	const char *name;
	size_t order;
};

/** The files in the directory of a project, by name. */
struct hdIFiles {
	struct hdIProjectData *project;
	const char *directory; /* With '/' at the end, or "". */
	const char *base;      /* What the files' names begin with. */
	const char *cleanBase;
	struct hdIFileEntry *entries;
	size_t count;
	size_t room;
	size_t *groupUses;            /* For each declared group. */
	struct hdIDeclared *declared; /* By name, each once. */
	size_t declaredCount;
	size_t used;
};

/** Tell whether a file belongs to another project, whose name is longer; or
 *  -ENOMEM. */
int hdIFilesIsOthers(struct hdIFiles *files, const char *name);

/** Tell whether there may be files of a node; or -ENOMEM. */
int hdIFilesHasSome(struct hdIFiles *files, const struct hdINodeData *node);

/** Tell whether a file is compressed, and is there as a plain file, too; or
 *  -ENOMEM. */
int hdIFilesIsCopy(struct hdIFiles *files, const char *name);

/** Read the directory. Returns 0 or -ENOMEM. */
int hdIFilesList(struct hdIFiles *files);

/**
 * Find the file of a node that has this ending and is not used yet: first by
 * its literal name, then by a clean one.
 *
 * @param group Name of a group, or "".
 * @param[out] result The file, or NULL.
 *
 * @return 0 or -ENOMEM.
 */
int hdIFilesLookUp(struct hdIFiles *files, const struct hdINodeData *node,
		   const char *group, const char *suffix,
		   struct hdIFileEntry **result);

#endif
