/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of a project's files: those there are, and those to look for. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceReadingCLibrary/src/archive.h"
#include "HDTraceReadingCLibrary/src/file.h"
#include "HDTraceReadingCLibrary/src/project/files.h"
#include "common/format/frame.h"

/* Whether a file may belong to a project, by its ending. */
static int fileNamesIsKnown(const char *name)
{
	static const char *const kinds[] = { ".stat", ".trc", ".rel" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (hdFrameStem(name, kinds[i]))
			return 1;
	return !hdFrameIsCompressed(name) &&
	       (hdFrameStem(name, ".info") || hdFrameStem(name, ".proj"));
}

static int fileNamesCompareEntries(const void *a, const void *b)
{
	return strcmp(((const struct hdIFileEntry *)a)->name,
		      ((const struct hdIFileEntry *)b)->name);
}

static int fileNamesAddEntry(struct hdIFiles *files, const char *name)
{
	if (files->count == files->room) {
		size_t room = files->room ? 2 * files->room : 64;
		struct hdIFileEntry *entries;

		entries = realloc(files->entries, room * sizeof(*entries));
		if (!entries)
			return -ENOMEM;
		files->entries = entries;
		files->room = room;
	}
	files->entries[files->count].name = strdup(name);
	if (!files->entries[files->count].name)
		return -ENOMEM;
	files->entries[files->count].isUsed = 0;
	files->count++;
	return 0;
}

/* Take the names of an archive. */
static int fileNamesListArchive(struct hdIFiles *files,
				const struct hdIArchive *archive)
{
	int ret = 0;

	for (size_t i = 0; i < archive->count && ret == 0; i++)
		if (fileNamesIsKnown(archive->entries[i].name))
			ret = fileNamesAddEntry(files,
						archive->entries[i].name);
	return ret;
}

int hdIFilesList(struct hdIFiles *files)
{
	const char *path = *files->directory ? files->directory : ".";
	DIR *directory;
	struct dirent *found;
	int ret = 0;

	if (files->project->archive)
		return fileNamesListArchive(files, files->project->archive);
	directory = opendir(path);
	if (!directory) {
		if (errno == ENOMEM)
			return -ENOMEM;
		hdIReport(&files->project->sink, HDI_RULE_FILE_OPEN, path, -1,
			  0, "%s", strerror(errno));
		return 0;
	}
	errno = 0;
	while (ret == 0 && (found = readdir(directory)) != NULL) {
		const char *name = found->d_name;

		if (fileNamesIsKnown(name))
			ret = fileNamesAddEntry(files, name);
		errno = 0;
	}
	if (ret == 0 && errno)
		hdIReport(&files->project->sink, HDI_RULE_FILE_READ, path, -1,
			  0, "%s", strerror(errno));
	closedir(directory);
	if (files->count > 0)
		qsort(files->entries, files->count, sizeof(*files->entries),
		      fileNamesCompareEntries);
	return ret;
}

static struct hdIFileEntry *fileNamesFindEntry(const struct hdIFiles *files,
					       char *name)
{
	const struct hdIFileEntry key = { .name = name };

	if (files->count == 0)
		return NULL;
	return bsearch(&key, files->entries, files->count, sizeof(key),
		       fileNamesCompareEntries);
}

int hdIFilesIsOthers(struct hdIFiles *files, const char *name)
{
	struct hdIArena *arena = &files->project->arena;
	struct hdIArenaMark mark = hdIArenaGetMark(arena);
	const char *end = name + strlen(files->base) + 1;
	int ret = 0;

	while (ret == 0 && (end = strchr(end, '_')) != NULL) {
		char *other = hdIArenaPrintf(arena, "%.*s.proj",
					     (int)(end - name), name);

		ret = other ? fileNamesFindEntry(files, other) != NULL
			    : -ENOMEM;
		end++;
	}
	hdIArenaRelease(arena, mark);
	return ret;
}

int hdIFilesIsCopy(struct hdIFiles *files, const char *name)
{
	struct hdIArena *arena = &files->project->arena;
	struct hdIArenaMark mark = hdIArenaGetMark(arena);
	const struct hdIFileEntry *entry;
	char *plain;

	if (!hdFrameIsCompressed(name))
		return 0;
	plain = hdIArenaPrintf(arena, "%.*s", (int)(strrchr(name, '.') - name),
			       name);
	entry = plain ? fileNamesFindEntry(files, plain) : NULL;
	hdIArenaRelease(arena, mark);
	return plain ? entry != NULL : -ENOMEM;
}

/* Find BASE[_PATH][_GROUP]SUFFIX, or that with .zst. *name is NULL if there is
 * none. */
static int fileNamesFindName(struct hdIFiles *files, const char *base,
			     const char *path, const char *group,
			     const char *suffix, struct hdIFileEntry **result)
{
	struct hdIArena *arena = &files->project->arena;
	char *name;

	name = hdIArenaPrintf(arena, "%s%s%s%s%s%s.zst", base, *path ? "_" : "",
			      path, *group ? "_" : "", group, suffix);
	if (!name)
		return -ENOMEM;
	*strrchr(name, '.') = '\0';
	*result = fileNamesFindEntry(files, name);
	if (!*result) {
		name[strlen(name)] = '.';
		*result = fileNamesFindEntry(files, name);
	}
	if (*result && (*result)->isUsed)
		*result = NULL;
	return 0;
}

/* Try the literal name, then clean ones. */
static int tryNames(struct hdIFiles *files, const struct hdINodeData *node,
		    const char *group, const char *suffix,
		    struct hdIFileEntry **result)
{
	struct hdIArena *arena = &files->project->arena;
	const char *path = node->pub.path;
	int ret = fileNamesFindName(files, files->base, path, group, suffix,
				    result);

	if (ret < 0 || *result)
		return ret;
	path = node->cleanPath;
	group = hdITopologyClean(arena, group);
	if (!group)
		return -ENOMEM;
	ret = fileNamesFindName(files, files->base, path, group, suffix,
				result);
	if (ret < 0 || *result)
		return ret;
	return fileNamesFindName(files, files->cleanBase, path, group, suffix,
				 result);
}

/* Whether some name begins with BASE[_PATH]. */
static int hasBeginning(const struct hdIFiles *files, const char *base,
			const char *path)
{
	struct hdIArena *arena = &files->project->arena;
	const char *text =
		hdIArenaPrintf(arena, "%s%s%s", base, *path ? "_" : "", path);
	size_t low = 0, high = files->count;

	if (!text)
		return -ENOMEM;
	/* The first name that is not less is the first that begins so. */
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (strcmp(files->entries[middle].name, text) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < files->count &&
	       strncmp(files->entries[low].name, text, strlen(text)) == 0;
}

int hdIFilesHasSome(struct hdIFiles *files, const struct hdINodeData *node)
{
	struct hdIArena *arena = &files->project->arena;
	struct hdIArenaMark mark = hdIArenaGetMark(arena);
	int ret = hasBeginning(files, files->base, node->pub.path);

	if (ret == 0)
		ret = hasBeginning(files, files->base, node->cleanPath);
	if (ret == 0)
		ret = hasBeginning(files, files->cleanBase, node->cleanPath);
	hdIArenaRelease(arena, mark);
	return ret;
}

int hdIFilesLookUp(struct hdIFiles *files, const struct hdINodeData *node,
		   const char *group, const char *suffix,
		   struct hdIFileEntry **result)
{
	struct hdIArena *arena = &files->project->arena;
	struct hdIArenaMark mark = hdIArenaGetMark(arena);
	int ret = tryNames(files, node, group, suffix, result);

	hdIArenaRelease(arena, mark);
	return ret;
}
