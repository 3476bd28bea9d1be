/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replacing an old project by a new one; see replacement.h. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/format/projectfile.h"
#include "common/format/frame.h"
#include "common/format/replacement.h"

struct hdReplacement {
	char *project;   /* What is written meanwhile. */
	char *target;    /* Path of the project without what ends files. */
	char *directory; /* Path of the directory. */
	char *base;      /* What names in it begin with. */
	int fd;          /* The directory, locked. */
};

/* ---- Lists of names ---------------------------------------------------- */

struct names {
	char **list;
	size_t count;
};

static void replacementFreeNames(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->list[i]);
	free(names->list);
	*names = (struct names){ NULL, 0 };
}

static int namesAdd(struct names *names, const char *name)
{
	char **larger =
		realloc(names->list, (names->count + 1) * sizeof(*names->list));

	if (!larger)
		return -ENOMEM;
	names->list = larger;
	larger[names->count] = strdup(name);
	if (!larger[names->count])
		return -ENOMEM;
	names->count++;
	return 0;
}

static bool namesHave(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->list[i], name) == 0)
			return true;
	return false;
}

/* The names in a directory that begin with something, to be freed in any
 * case. */
static int namesRead(const char *path, const char *begin, struct names *names)
{
	size_t length = strlen(begin);
	DIR *directory = opendir(path);
	const struct dirent *entry;
	int ret = directory ? 0 : -errno;

	*names = (struct names){ NULL, 0 };
	while (ret == 0 && (entry = readdir(directory)))
		if (strncmp(entry->d_name, begin, length) == 0)
			ret = namesAdd(names, entry->d_name);
	if (directory)
		closedir(directory);
	return ret;
}

/* ---- Beginning --------------------------------------------------------- */

static void replacementFree(struct hdReplacement *replacement)
{
	if (replacement->fd >= 0)
		close(replacement->fd);
	free(replacement->project);
	free(replacement->target);
	free(replacement->directory);
	free(replacement->base);
	free(replacement);
}

static void replacementClear(const struct hdReplacement *replacement)
{
	struct names files;

	namesRead(replacement->directory, replacement->base, &files);
	for (size_t i = 0; i < files.count; i++)
		unlinkat(replacement->fd, files.list[i], 0);
	replacementFreeNames(&files);
}

static int replacementOpen(struct hdReplacement *replacement)
{
	if (mkdir(replacement->directory, 0777) < 0 && errno != EEXIST)
		return -errno;
	replacement->fd = open(replacement->directory,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (replacement->fd < 0)
		return -errno;
	if (flock(replacement->fd, LOCK_EX | LOCK_NB) < 0 &&
	    errno == EWOULDBLOCK)
		return -EBUSY;
	replacementClear(replacement);
	return 0;
}

static const char *replacementBaseOf(const char *project)
{
	const char *slash = strrchr(project, '/');

	return slash ? slash + 1 : project;
}

char *hdReplacementName(const char *project)
{
	char *name;

	return asprintf(&name, "%s.new/%s", project,
			replacementBaseOf(project)) < 0
		       ? NULL
		       : name;
}

int hdReplacementBegin(const char *project, struct hdReplacement **result)
{
	struct hdReplacement *replacement = calloc(1, sizeof(*replacement));
	int ret = -ENOMEM;

	if (!replacement)
		return -ENOMEM;
	replacement->fd = -1;
	replacement->base = strdup(replacementBaseOf(project));
	replacement->project = hdReplacementName(project);
	replacement->target = hdProjectFileName(project, "");
	replacement->directory = hdProjectFileName(project, ".new");
	if (replacement->base && replacement->project && replacement->target &&
	    replacement->directory)
		ret = replacementOpen(replacement);
	if (ret < 0)
		replacementFree(replacement);
	else
		*result = replacement;
	return ret;
}

const char *hdReplacementProject(const struct hdReplacement *replacement)
{
	return replacement->project;
}

/* ---- Ending ------------------------------------------------------------ */

/* The place of a new file, to be freed. */
static char *replacementPlace(const struct hdReplacement *replacement,
			      const char *name)
{
	char *place;

	return asprintf(&place, "%s%s", replacement->target,
			name + strlen(replacement->base)) < 0
		       ? NULL
		       : place;
}

/* Whether another process is recording into a file; see outfile.c. */
static int replacementCheck(const char *path)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct stat is;
	int fd, ret;

	if (lstat(path, &is) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (S_ISDIR(is.st_mode))
		return -EISDIR;
	if (!S_ISREG(is.st_mode))
		return 0;
	fd = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ret = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? -EBUSY
								       : 0;
	close(fd);
	return ret;
}

static int replacementCheckAll(const struct hdReplacement *replacement,
			       const struct names *files)
{
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < files->count; i++) {
		char *place = replacementPlace(replacement, files->list[i]);

		ret = place ? replacementCheck(place) : -ENOMEM;
		free(place);
	}
	return ret;
}

/* Remove the compressed form of a plain file, or the other way round: it would
 * be taken for the same. */
static void replacementRemoveOther(const char *place)
{
	size_t length = strlen(place), end = sizeof(HD_FRAME_SUFFIX) - 1;
	char *other;

	if (asprintf(&other, "%s%s", place, HD_FRAME_SUFFIX) < 0)
		return;
	if (hdFrameIsCompressed(place))
		other[length - end] = '\0';
	if (replacementCheck(other) == 0)
		unlink(other);
	free(other);
}

static int replacementRename(const struct hdReplacement *replacement,
			     const char *name)
{
	char *place = replacementPlace(replacement, name);
	int ret = place ? 0 : -ENOMEM;

	if (place && renameat(replacement->fd, name, AT_FDCWD, place) < 0)
		ret = -errno;
	if (place && ret == 0)
		replacementRemoveOther(place);
	free(place);
	return ret;
}

/* Move all but the project file, then that, if there is one. */
static int replacementMove(const struct hdReplacement *replacement,
			   const struct names *files)
{
	const char *last = NULL;
	size_t length = strlen(replacement->base);
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < files->count; i++) {
		if (strcmp(files->list[i] + length, ".proj") == 0)
			last = files->list[i];
		else
			ret = replacementRename(replacement, files->list[i]);
	}
	return ret == 0 && last ? replacementRename(replacement, last) : ret;
}

/* Whether it is "GROUP.stat". */
static bool isGroup(const char *rest)
{
	return hdFrameIsEnding(rest + strcspn(rest, "_."), ".stat");
}

/* Whether what follows "_HOST_RANK_" is of a thread, "THREAD.trc" and the like,
 * of a group of one, or of the rank. */
static bool isOfRank(const char *rest)
{
	size_t thread = strspn(rest, "0123456789");

	if (thread > 0 && rest[thread] == '_')
		return isGroup(rest + thread + 1);
	return (thread > 0 && (hdFrameIsEnding(rest + thread, ".trc") ||
			       hdFrameIsEnding(rest + thread, ".info") ||
			       hdFrameIsEnding(rest + thread, ".rel"))) ||
	       isGroup(rest);
}

/* Whether it is that of a link of a replay, "_links_LINK_Link.stat". */
static bool replacementIsOfLink(const char *rest)
{
	static const char links[] = "_links_", group[] = "_Link.";
	size_t link;

	if (strncmp(rest, links, strlen(links)) != 0)
		return false;
	rest += strlen(links);
	link = strcspn(rest, "_");
	return link > 0 && strncmp(rest + link, group, strlen(group)) == 0 &&
	       isGroup(rest + link + 1);
}

/* Whether what follows a project's name is that of a file of a rank,
 * "_HOST_RANK_THREAD.trc", of a group of a host, "_HOST_GROUP.stat", or of a
 * link. Other projects may begin with that name, too. */
static bool isOfRanks(const char *rest)
{
	static const char digits[] = "0123456789";
	size_t host = *rest == '_' ? strcspn(rest + 1, "_") : 0;
	size_t rank;

	if (replacementIsOfLink(rest))
		return true;
	if (host == 0 || rest[1 + host] != '_')
		return false;
	rest += 2 + host;
	rank = strspn(rest, digits);
	return rank > 0 && rest[rank] == '_' ? isOfRank(rest + rank + 1)
					     : isGroup(rest);
}

/* Whether it is that of a trace or a group of a host, "_HOST_NUMBER.trc" or
 * "_HOST_GROUP.stat". */
static bool replacementIsOfHost(const char *rest, const char *host)
{
	size_t length = strlen(host);

	if (*rest != '_' || strncmp(rest + 1, host, length) != 0 ||
	    rest[1 + length] != '_')
		return false;
	rest += length + 2;
	length = strspn(rest, "0123456789");
	if (length > 0 && (hdFrameIsEnding(rest + length, ".trc") ||
			   hdFrameIsEnding(rest + length, ".info")))
		return true;
	return hdFrameIsEnding(rest + strcspn(rest, "_."), ".stat");
}

/* Remove what the new project has not; of ranks, or of a host. */
static void replacementRemoveRest(const struct hdReplacement *replacement,
				  const struct names *files, const char *host)
{
	size_t length = strlen(replacement->base);
	char *slash = strrchr(replacement->target, '/');
	struct names old;

	if (slash)
		*slash = '\0';
	namesRead(slash ? (slash > replacement->target ? replacement->target
						       : "/")
			: ".",
		  replacement->base, &old);
	if (slash)
		*slash = '/';
	for (size_t i = 0; i < old.count; i++) {
		const char *rest = old.list[i] + length;
		char *place;

		if (!(host ? replacementIsOfHost(rest, host)
			   : isOfRanks(rest)) ||
		    namesHave(files, old.list[i]))
			continue;
		place = replacementPlace(replacement, old.list[i]);
		if (place && replacementCheck(place) == 0)
			unlink(place);
		free(place);
	}
	replacementFreeNames(&old);
}

/* The old project file names files that are none of the new project. */
static int replacementRemoveFile(const struct hdReplacement *replacement)
{
	char *place;
	int ret = 0;

	if (asprintf(&place, "%s.proj", replacement->target) < 0)
		return -ENOMEM;
	if (unlink(place) < 0 && errno != ENOENT)
		ret = -errno;
	free(place);
	return ret;
}

static int replacementKeep(struct hdReplacement *replacement, bool isWhole,
			   const char *host)
{
	struct names files;
	int ret;

	if (!replacement)
		return 0;
	ret = namesRead(replacement->directory, replacement->base, &files);
	if (ret == 0)
		ret = replacementCheckAll(replacement, &files);
	if (ret == 0 && isWhole)
		ret = replacementRemoveFile(replacement);
	if (ret == 0)
		ret = replacementMove(replacement, &files);
	if (ret == 0 && (isWhole || host))
		replacementRemoveRest(replacement, &files, host);
	if (ret == 0)
		rmdir(replacement->directory);
	replacementFreeNames(&files);
	replacementFree(replacement);
	return ret;
}

int hdReplacementKeep(struct hdReplacement *replacement, bool isWhole)
{
	return replacementKeep(replacement, isWhole, NULL);
}

int hdReplacementKeepHost(struct hdReplacement *replacement, const char *host)
{
	return replacementKeep(replacement, false, host);
}

void hdReplacementLeave(struct hdReplacement *replacement)
{
	if (!replacement)
		return;
	/* Only if it is empty. */
	rmdir(replacement->directory);
	replacementFree(replacement);
}

void hdReplacementDrop(struct hdReplacement *replacement)
{
	if (!replacement)
		return;
	replacementClear(replacement);
	rmdir(replacement->directory);
	replacementFree(replacement);
}
