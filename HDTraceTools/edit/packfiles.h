/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The files of a project, in the order in which archives have them.
 */
#ifndef HD_PACKFILES_H
#define HD_PACKFILES_H

#include <stdbool.h>
#include <glib.h>

#include <hdReading.h>

/** A file of a project. */
struct packFile {
	char *path; /**< As it is. */
	char *name; /**< Of the plain file, without its directory. */
	/** Whether an archive has it in compressed form. */
	bool isCompressed;
	const hdIGroup *group; /**< Of statistics; else NULL. */
	const hdINode *node;   /**< Of texts of a node; else NULL. */
	int64_t size;          /**< Of the plain file. */
};

/** Find the files of a project: the .proj first, then by name. To be freed with
 *  g_ptr_array_unref(). */
GPtrArray *packFilesOf(const hdIProject *project);

#endif
