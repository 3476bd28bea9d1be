/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The files of a project, in the order in which archives have them.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/edit/packfiles.h"
#include "common/format/frame.h"

static void packFileFree(void *data)
{
	struct packFile *file = data;

	g_free(file->path);
	g_free(file->name);
	g_free(file);
}

static void packFilesAdd(GPtrArray *files, const char *path, bool isCompressed,
			 const hdIGroup *group, int64_t size)
{
	struct packFile *file = g_new0(struct packFile, 1);

	file->path = g_strdup(path);
	file->name = g_path_get_basename(path);
	if (hdFrameIsCompressed(file->name))
		*strrchr(file->name, '.') = '\0';
	file->isCompressed = isCompressed;
	file->group = group;
	file->size = size;
	g_ptr_array_add(files, file);
}

/** Files of a node that are plain text, if they exist. */
static void packFilesAddTexts(GPtrArray *files, const hdIProject *project,
			      const hdINode *node)
{
	static const char *const ends[] = { ".info", ".notes" };

	for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
		char *path = g_strdup_printf("%s%s%s%s", project->prefix,
					     *node->path ? "_" : "", node->path,
					     ends[i]);
		hdIFile *file = hdI_openFile(path, NULL, NULL);

		if (file) {
			packFilesAdd(files, path, false, NULL,
				     hdI_getFileSize(file));
			((struct packFile *)files->pdata[files->len - 1])
				->node = node;
		}
		hdI_closeFile(file);
		g_free(path);
	}
}

static gint packFilesCompare(gconstpointer a, gconstpointer b)
{
	const struct packFile *const *x = a, *const *y = b;
	bool isFirst = g_str_has_suffix((*x)->name, ".proj");
	bool isOtherFirst = g_str_has_suffix((*y)->name, ".proj");

	if (isFirst != isOtherFirst)
		return isFirst ? -1 : 1;
	return strcmp((*x)->name, (*y)->name);
}

GPtrArray *packFilesOf(const hdIProject *project)
{
	GPtrArray *files = g_ptr_array_new_with_free_func(packFileFree);
	hdIFile *file = hdI_openFile(project->file, NULL, NULL);

	packFilesAdd(files, project->file, false, NULL,
		     file ? hdI_getFileSize(file) : 0);
	hdI_closeFile(file);
	for (size_t i = 0; i < project->groupCount; i++)
		packFilesAdd(files, project->groups[i]->file, true,
			     project->groups[i], project->groups[i]->fileSize);
	for (size_t i = 0; i < project->traceCount; i++)
		packFilesAdd(files, project->traces[i]->file, true, NULL,
			     project->traces[i]->fileSize);
	for (size_t i = 0; i < project->relationCount; i++)
		packFilesAdd(files, project->relations[i]->file, true, NULL,
			     project->relations[i]->fileSize);
	for (size_t i = 0; i < project->nodeCount; i++)
		packFilesAddTexts(files, project, project->nodes[i]);
	g_ptr_array_sort(files, packFilesCompare);
	return files;
}
