/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: the files of a project that may be written.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "HDTraceTools/view/growth.h"
#include "common/format/frame.h"

/** So much of the beginning of a file tells it from others: it has times. */
#define GROWTH_HEAD 256
/** So long is a header at most, of a file whose header is a tag. */
#define GROWTH_TAG_MAX 4096

/** A file as it was seen. */
struct viewFile {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec written;
	/** The first bytes of its data, which a program that writes it does not
	 *  change; without compression. */
	char head[GROWTH_HEAD];
	size_t headSize;
};

struct viewFiles {
	GHashTable *list;    /**< Paths to struct viewFile. */
	GHashTable *leftOut; /**< Paths that are not of the project. */
};

/* ---- Looking ------------------------------------------------------------ */

static void growthAdd(struct viewFiles *self, const char *path)
{
	struct viewFile file;
	struct stat status;

	if (g_hash_table_contains(self->leftOut, path) ||
	    stat(path, &status) < 0 || !S_ISREG(status.st_mode))
		return;
	file = (struct viewFile){
		.device = status.st_dev,
		.inode = status.st_ino,
		.size = status.st_size,
		.written = status.st_mtim,
	};
	g_hash_table_replace(self->list, g_strdup(path),
			     g_memdup2(&file, sizeof(file)));
}

/** Whether a name is that of a file with data. */
static bool growthIsData(const char *name)
{
	return hdFrameStem(name, ".trc") || hdFrameStem(name, ".stat") ||
	       hdFrameStem(name, ".rel");
}

/** Look for files of a prefix. */
static void growthList(struct viewFiles *self, const char *prefix)
{
	char *directory = g_path_get_dirname(prefix);
	char *base = g_path_get_basename(prefix);
	size_t length = strlen(prefix) - strlen(base);
	GDir *entries = g_dir_open(directory, 0, NULL);
	const char *name;

	while (entries && (name = g_dir_read_name(entries)) != NULL) {
		const char *rest = name + strlen(base);
		char *path;

		if (!g_str_has_prefix(name, base) ||
		    (strcmp(rest, ".proj") != 0 &&
		     (*rest != '_' || !growthIsData(name))))
			continue;
		path = g_strdup_printf("%.*s%s", (int)length, prefix, name);
		growthAdd(self, path);
		g_free(path);
	}
	if (entries)
		g_dir_close(entries);
	g_free(directory);
	g_free(base);
}

struct viewFiles *viewFilesNew(const hdIProject *project,
			       const struct viewFiles *like)
{
	struct viewFiles *self = g_new0(struct viewFiles, 1);

	self->list =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	self->leftOut = like ? g_hash_table_ref(like->leftOut)
			     : g_hash_table_new_full(g_str_hash, g_str_equal,
						     g_free, NULL);
	if (g_str_has_suffix(project->file, ".proj"))
		growthList(self, project->prefix);
	else
		growthAdd(self, project->file);
	return self;
}

void viewFilesFree(struct viewFiles *self)
{
	if (!self)
		return;
	g_hash_table_destroy(self->list);
	g_hash_table_unref(self->leftOut);
	g_free(self);
}

/** Length of the bytes up to the end of the first tag that is an element; -1:
 * it is not there. */
static int64_t growthFirstTag(const char *bytes, size_t size)
{
	const char *end = bytes + size;
	const char *at = bytes;

	while ((at = memchr(at, '<', (size_t)(end - at))) && end - at > 1 &&
	       (at[1] == '?' || at[1] == '!'))
		at++;
	if (!at)
		return -1;
	at = memchr(at, '>', (size_t)(end - at));
	return at ? at + 1 - bytes : -1;
}

/** Read the first bytes of the data of a file. @param offset Where that begins;
 *  -1: behind the first tag, of which attributes may change. */
static void growthReadHead(struct viewFile *self, const char *path,
			   int64_t offset)
{
	char bytes[GROWTH_TAG_MAX];
	hdIFile *file = hdI_openFile(path, NULL, NULL);
	ssize_t n = 0;

	if (file && offset < 0) {
		n = hdI_readFile(file, 0, bytes, sizeof(bytes));
		offset = n > 0 ? growthFirstTag(bytes, (size_t)n) : -1;
	}
	if (file && offset >= 0)
		n = hdI_readFile(file, offset, self->head, sizeof(self->head));
	self->headSize = offset >= 0 && n > 0 ? (size_t)n : 0;
	hdI_closeFile(file);
}

void viewFilesTake(struct viewFiles *self, const hdIProject *project)
{
	GHashTable *own = g_hash_table_new(g_str_hash, g_str_equal);
	static int64_t tag = -1;
	GHashTableIter iter;
	gpointer path;
	gpointer file;

	g_hash_table_insert(own, (gpointer)project->file, NULL);
	for (size_t i = 0; i < project->groupCount; i++)
		g_hash_table_insert(own, (gpointer)project->groups[i]->file,
				    (gpointer)&project->groups[i]->dataOffset);
	for (size_t i = 0; i < project->traceCount; i++)
		g_hash_table_insert(own, (gpointer)project->traces[i]->file,
				    &tag);
	for (size_t i = 0; i < project->relationCount; i++)
		g_hash_table_insert(own, (gpointer)project->relations[i]->file,
				    &tag);
	g_hash_table_iter_init(&iter, self->list);
	while (g_hash_table_iter_next(&iter, &path, &file)) {
		const int64_t *offset = g_hash_table_lookup(own, path);

		if (offset)
			growthReadHead(file, path, *offset);
		if (g_hash_table_contains(own, path))
			continue;
		g_hash_table_add(self->leftOut, g_strdup(path));
		g_hash_table_iter_remove(&iter);
	}
	g_hash_table_destroy(own);
}

/* ---- Comparing ---------------------------------------------------------- */

static bool growthIsSame(const struct viewFile *a, const struct viewFile *b)
{
	return a->device == b->device && a->inode == b->inode &&
	       a->size == b->size && a->written.tv_sec == b->written.tv_sec &&
	       a->written.tv_nsec == b->written.tv_nsec;
}

bool viewFilesDiffer(const struct viewFiles *before,
		     const struct viewFiles *now)
{
	GHashTableIter iter;
	gpointer path;
	gpointer file;
	guint same = 0;

	g_hash_table_iter_init(&iter, now->list);
	while (g_hash_table_iter_next(&iter, &path, &file)) {
		const struct viewFile *old =
			g_hash_table_lookup(before->list, path);

		if (!old || !growthIsSame(old, file))
			return true;
		same++;
	}
	return same != g_hash_table_size(before->list);
}

/** Whether a file may be another one that has grown. */
static bool growthContinues(const struct viewFile *old, struct viewFile *now)
{
	if (memcmp(old->head, now->head, MIN(old->headSize, now->headSize)) !=
	    0)
		return false;
	/* What is being compressed again, or written anew, shows later. */
	if (now->headSize < old->headSize) {
		memcpy(now->head, old->head, old->headSize);
		now->headSize = old->headSize;
	}
	return true;
}

/** The same file, compressed or not, among others. */
static struct viewFile *growthFind(const struct viewFiles *files,
				   const char *path)
{
	struct viewFile *found = g_hash_table_lookup(files->list, path);
	char *other = g_str_has_suffix(path, ".zst")
			      ? g_strndup(path, strlen(path) - 4)
			      : g_strconcat(path, ".zst", NULL);

	if (!found)
		found = g_hash_table_lookup(files->list, other);
	g_free(other);
	return found;
}

bool viewFilesHold(const struct viewFiles *self, const char *path,
		   int64_t offset)
{
	const struct viewFile *old = g_hash_table_lookup(self->list, path);
	struct viewFile now = { .size = 0 };
	struct stat status;

	/* An archive is one file. */
	if (!old)
		return true;
	if (stat(path, &status) < 0 || status.st_ino != old->inode ||
	    status.st_dev != old->device)
		return false;
	growthReadHead(&now, path, offset);
	return now.headSize >= old->headSize &&
	       memcmp(now.head, old->head, old->headSize) == 0;
}

void viewFilesCompare(const struct viewFiles *before, struct viewFiles *now,
		      GPtrArray *lines)
{
	GHashTableIter iter;
	gpointer path;
	gpointer file;

	g_hash_table_iter_init(&iter, before->list);
	while (g_hash_table_iter_next(&iter, &path, &file)) {
		const struct viewFile *old = file;
		struct viewFile *new = growthFind(now, path);
		const char *what = NULL;

		/* The project file is always written anew. */
		if (!growthIsData(path))
			continue;
		if (!new)
			what = "removed";
		else if (!growthContinues(old, new))
			what = new->inode == old->inode &&new->device ==
					       old->device
				       ? "overwritten"
				       : "replaced";
		if (what)
			g_ptr_array_add(
				lines,
				g_strdup_printf("%s: %s", (char *)path, what));
	}
}

/* ---- Writers ------------------------------------------------------------ */

/** Whether a process has the lock of a recorder on a file. */
static bool growthIsLocked(const char *path)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool isLocked;

	if (fd < 0)
		return false;
	isLocked = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
	close(fd);
	return isLocked;
}

static void growthNoteLock(GHashTable *locked, const char *path)
{
	if (growthIsLocked(path))
		g_hash_table_add(locked, g_strdup(path));
}

GHashTable *viewGrowthLocked(const hdIProject *project)
{
	GHashTable *locked =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (size_t i = 0; i < project->traceCount; i++)
		growthNoteLock(locked, project->traces[i]->file);
	for (size_t i = 0; i < project->groupCount; i++)
		growthNoteLock(locked, project->groups[i]->file);
	for (size_t i = 0; i < project->relationCount; i++)
		growthNoteLock(locked, project->relations[i]->file);
	return locked;
}

bool viewGrowthHasEnd(const char *path)
{
	hdIFile *file = hdI_openFile(path, NULL, NULL);
	char tail[64];
	int64_t size = file ? hdI_getFileSize(file) : 0;
	int64_t from = MAX(0, size - (int64_t)sizeof(tail));
	ssize_t n = file ? hdI_readFile(file, from, tail, sizeof(tail)) : 0;

	hdI_closeFile(file);
	return n > 0 && (g_strstr_len(tail, n, "</Program>") ||
			 g_strstr_len(tail, n, "</relation>"));
}

bool viewGrowthTells(const char *path)
{
	return hdFrameStem(path, ".trc") || hdFrameStem(path, ".rel");
}

bool viewGrowthIsClosed(const hdIProject *project)
{
	bool isClosed = true;

	for (size_t i = 0; isClosed && i < project->traceCount; i++)
		isClosed = viewGrowthHasEnd(project->traces[i]->file);
	for (size_t i = 0; isClosed && i < project->relationCount; i++)
		isClosed = viewGrowthHasEnd(project->relations[i]->file);
	return isClosed;
}
