/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Bringing the files of a project together, from directories of other hosts.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/newfile.h"
#include "HDTraceTools/base/plainfile.h"
#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/merge/merge.h"
#include "cli/errors.h"

/** A file to be copied. */
struct copy {
	char *from;
	char *to;
	off_t size;
};

static void copyFree(void *data)
{
	struct copy *copy = data;

	g_free(copy->from);
	g_free(copy->to);
	g_free(copy);
}

static bool mergeCopyIsOfProject(const char *file, const char *name)
{
	size_t length = name ? strlen(name) : 0;
	enum mergeKind kind;

	return mergeKindOf(file, &kind) &&
	       (!name ||
		(strncmp(file, name, length) == 0 && file[length] == '_'));
}

/** Whether two files have the same content; an error is said. */
static bool mergeCopyIsSame(struct tool *tool, const struct copy *copy)
{
	bool same = plainFileIsSame(copy->from, copy->to);

	if (!same)
		toolError(tool, "%s: %s exists and differs", copy->from,
			  copy->to);
	return same;
}

/** Add to a list what is to be copied from a directory. */
static void mergeCopyFindCopies(struct tool *tool, const char *from,
				const char *to, const char *name,
				GPtrArray *copies)
{
	DIR *dir = opendir(from);
	const struct dirent *entry;

	if (!dir) {
		toolErrorOpen(tool, from, errno);
		return;
	}
	while ((entry = readdir(dir)) != NULL) {
		const char *file = entry->d_name;
		struct copy *copy;

		if (!mergeCopyIsOfProject(file, name))
			continue;
		copy = g_new0(struct copy, 1);
		copy->from = g_build_filename(from, file, NULL);
		copy->to = g_build_filename(to, file, NULL);
		if (!g_file_test(copy->to, G_FILE_TEST_EXISTS)) {
			copy->size = plainFileSize(copy->from);
			g_ptr_array_add(copies, copy);
			continue;
		}
		mergeCopyIsSame(tool, copy);
		copyFree(copy);
	}
	closedir(dir);
}

void mergeShowCopied(void *tool, off_t size)
{
	toolProgressAt(tool, size);
}

int mergePrepareCopy(struct tool *tool, const char *from, const char *to,
		     struct newFile *new)
{
	off_t size;
	int fd = plainFileOpen(from, &size);
	int ret;

	if (fd < 0) {
		toolError(tool, CLI_TEXT_OPEN, from, plainFileError(fd));
		return TOOL_FAILED;
	}
	ret = newFileStart(new, to);
	if (ret == 0) {
		ret = newFileCopy(new, fd, 0, size, mergeShowCopied, tool);
		if (ret < 0)
			newFileAbort(new);
	}
	close(fd);
	if (ret < 0)
		toolErrorWrite(tool, to, ret);
	return ret < 0 ? TOOL_FAILED : -1;
}

static void mergeCopyCopyFile(struct tool *tool, const struct copy *copy)
{
	struct newFile new;
	int ret;

	if (mergePrepareCopy(tool, copy->from, copy->to, &new) >= 0)
		return;
	ret = newFileCommit(&new, false);
	/* Two directories may have the same file. */
	if (ret == -EEXIST)
		mergeCopyIsSame(tool, copy);
	else if (ret < 0)
		toolErrorWrite(tool, copy->to, ret);
}

static int64_t mergeCopySizeOf(const GPtrArray *copies)
{
	int64_t size = 0;

	for (guint i = 0; i < copies->len; i++)
		size += ((const struct copy *)copies->pdata[i])->size;
	return size;
}

int mergeCollect(struct tool *tool, const char *argument,
		 char *const *directories)
{
	GPtrArray *copies = g_ptr_array_new_with_free_func(copyFree);
	bool isDirectory = g_file_test(argument, G_FILE_TEST_IS_DIR);
	char *to =
		isDirectory ? g_strdup(argument) : g_path_get_dirname(argument);
	char *name = isDirectory ? NULL : g_path_get_basename(argument);

	if (name && g_str_has_suffix(name, ".proj"))
		name[strlen(name) - strlen(".proj")] = '\0';
	for (; *directories; directories++)
		mergeCopyFindCopies(tool, *directories, to, name, copies);
	toolProgressStart(tool, mergeCopySizeOf(copies));
	for (guint i = 0; i < copies->len && !tool->hasFailed; i++) {
		const struct copy *copy = copies->pdata[i];

		mergeCopyCopyFile(tool, copy);
		toolProgressFile(tool, copy->size);
	}
	toolProgressEnd(tool);
	g_ptr_array_free(copies, TRUE);
	g_free(to);
	g_free(name);
	return tool->hasFailed ? TOOL_FAILED : -1;
}
