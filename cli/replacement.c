/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replacing an old project by a new one; see replacement.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib.h>

#include "cli/replacement.h"
#include "common/format/projectfile.h"

struct cliReplacement {
	char *project;   /* What is written meanwhile. */
	char *target;    /* Path of the project without what ends files. */
	char *directory; /* Path of the directory. */
	char *base;      /* What names in it begin with. */
	int fd;          /* The directory, locked. */
};

static void replacementFree(struct cliReplacement *replacement)
{
	if (replacement->fd >= 0)
		close(replacement->fd);
	g_free(replacement->project);
	free(replacement->target);
	free(replacement->directory);
	g_free(replacement->base);
	g_free(replacement);
}

/* The names of the new files, to be freed. */
static GPtrArray *replacementFiles(const struct cliReplacement *replacement)
{
	GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
	GDir *directory = g_dir_open(replacement->directory, 0, NULL);
	const char *name;

	while (directory && (name = g_dir_read_name(directory)))
		if (g_str_has_prefix(name, replacement->base))
			g_ptr_array_add(files, g_strdup(name));
	if (directory)
		g_dir_close(directory);
	return files;
}

static void replacementClear(const struct cliReplacement *replacement)
{
	GPtrArray *files = replacementFiles(replacement);

	for (guint i = 0; i < files->len; i++)
		unlinkat(replacement->fd, files->pdata[i], 0);
	g_ptr_array_free(files, TRUE);
}

static int replacementOpen(struct cliReplacement *replacement)
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

int cliReplacementBegin(const char *project, struct cliReplacement **result)
{
	struct cliReplacement *replacement = g_new0(struct cliReplacement, 1);
	const char *slash = strrchr(project, '/');
	int ret = -ENOMEM;

	replacement->fd = -1;
	replacement->base = g_strdup(slash ? slash + 1 : project);
	replacement->project =
		g_strdup_printf("%s.new/%s", project, replacement->base);
	replacement->target = hdProjectFileName(project, "");
	replacement->directory = hdProjectFileName(project, ".new");
	if (replacement->target && replacement->directory)
		ret = replacementOpen(replacement);
	if (ret < 0)
		replacementFree(replacement);
	else
		*result = replacement;
	return ret;
}

const char *cliReplacementProject(const struct cliReplacement *replacement)
{
	return replacement->project;
}

/* The place of a new file, to be freed. */
static char *replacementPlace(const struct cliReplacement *replacement,
			      const char *name)
{
	return g_strconcat(replacement->target,
			   name + strlen(replacement->base), NULL);
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

static int replacementRename(const struct cliReplacement *replacement,
			     const char *name)
{
	char *place = replacementPlace(replacement, name);
	int ret = renameat(replacement->fd, name, AT_FDCWD, place) < 0 ? -errno
								       : 0;

	g_free(place);
	return ret;
}

/* Move all but the project file, then that. */
static int replacementMove(const struct cliReplacement *replacement,
			   const GPtrArray *files)
{
	char *last = g_strconcat(replacement->base, ".proj", NULL);
	int ret = 0;

	for (guint i = 0; ret == 0 && i < files->len; i++)
		if (strcmp(files->pdata[i], last) != 0)
			ret = replacementRename(replacement, files->pdata[i]);
	if (ret == 0)
		ret = replacementRename(replacement, last);
	g_free(last);
	return ret;
}

int cliReplacementKeep(struct cliReplacement *replacement)
{
	GPtrArray *files;
	int ret = 0;

	if (!replacement)
		return 0;
	files = replacementFiles(replacement);
	for (guint i = 0; ret == 0 && i < files->len; i++) {
		char *place = replacementPlace(replacement, files->pdata[i]);

		ret = replacementCheck(place);
		g_free(place);
	}
	if (ret == 0)
		ret = replacementMove(replacement, files);
	if (ret == 0)
		rmdir(replacement->directory);
	g_ptr_array_free(files, TRUE);
	replacementFree(replacement);
	return ret;
}

void cliReplacementDrop(struct cliReplacement *replacement)
{
	if (!replacement)
		return;
	replacementClear(replacement);
	rmdir(replacement->directory);
	replacementFree(replacement);
}
