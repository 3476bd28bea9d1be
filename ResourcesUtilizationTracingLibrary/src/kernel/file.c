/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of /proc and /sys; see kernelfile.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"

/* The kernel fills a page with whole lines before it returns less. So a first
 * read that leaves this much of a page, ends with a line, and gave about as
 * much as the file had before, is all; it saves a call that would only say so.
 */
#define FILE_PAGE 4096
#define FILE_LINE 512
#define FILE_SIZE_MAX (64 << 20)

/* Each open file of ours names one of these signals, which nobody sends: it
 * does not ask for any. One of the program's names none. To ask for it takes
 * next to nothing, to ask for the inode, four times a sample, a tenth of the
 * sample; so that is done for one read in so many. */
#define FILE_MARK_FIRST 34
#define FILE_MARKS 30
#define FILE_READS 64

ssize_t (*rutFilePread)(int fd, void *bytes, size_t count,
			off_t offset) = pread;

static void fileMark(struct rutFile *file)
{
	static atomic_uint count;

	hdOwnedSet(&file->owned, file->fd);
	file->mark = FILE_MARK_FIRST + (int)(count++ % FILE_MARKS);
	if (fcntl(file->fd, F_SETSIG, file->mark) != 0 ||
	    fcntl(file->fd, F_GETSIG) != file->mark)
		file->mark = 0;
}

/* Whether the descriptor is still ours. */
static bool fileIsOurs(struct rutFile *file)
{
	if (file->mark && file->looked++ % FILE_READS != 0)
		return fcntl(file->fd, F_GETSIG) == file->mark;
	return hdOwnedIs(&file->owned, file->fd);
}

static int fileGrow(struct rutFile *file)
{
	size_t size = file->size ? 2 * file->size : 2 * FILE_PAGE;
	char *bytes;

	if (size > FILE_SIZE_MAX)
		return -EFBIG;
	bytes = realloc(file->bytes, size);
	if (!bytes)
		return -ENOMEM;
	file->bytes = bytes;
	file->size = size;
	return 0;
}

static int filePath(char *path, const char *root, const char *format,
		    va_list arguments)
{
	int head = snprintf(path, RUT_PATH_SIZE, "%s", root);
	int tail;

	if (head < 0 || head >= RUT_PATH_SIZE)
		return -ENAMETOOLONG;
	tail = vsnprintf(path + head, (size_t)(RUT_PATH_SIZE - head), format,
			 arguments);
	return tail < 0 || tail >= RUT_PATH_SIZE - head ? -ENAMETOOLONG : 0;
}

static int fileOpen(struct rutFile *file, struct hdScan *scan, const char *root,
		    const char *format, va_list arguments)
{
	char path[RUT_PATH_SIZE];
	int ret;

	*file = (struct rutFile)RUT_FILE_NONE;
	ret = filePath(path, root, format, arguments);
	if (ret < 0)
		return ret;
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (file->fd < 0)
		return -errno;
	fileMark(file);
	ret = rutFileRead(file, scan);
	if (ret < 0)
		rutFileClose(file);
	return ret;
}

int rutFileOpen(struct rutFile *file, const char *root, const char *format, ...)
{
	struct hdScan scan;
	va_list arguments;
	int ret;

	va_start(arguments, format);
	ret = fileOpen(file, &scan, root, format, arguments);
	va_end(arguments);
	return ret;
}

int rutFileGet(struct rutFile *file, struct hdScan *scan, const char *root,
	       const char *format, ...)
{
	va_list arguments;
	int ret;

	va_start(arguments, format);
	ret = fileOpen(file, scan, root, format, arguments);
	va_end(arguments);
	return ret;
}

static bool fileIsAll(const struct rutFile *file, size_t before)
{
	return before > 0 && file->used >= before - before / 4 &&
	       file->used < FILE_PAGE - FILE_LINE &&
	       file->bytes[file->used - 1] == '\n';
}

int rutFileRead(struct rutFile *file, struct hdScan *scan)
{
	size_t before = file->used;

	scan->at = scan->end = file->bytes;
	file->used = 0;
	/* A number from a file of the program's would be worse than none. */
	if (file->fd < 0 || !fileIsOurs(file))
		return -EBADF;
	for (;;) {
		size_t room = file->size - file->used;
		ssize_t got;
		int ret;

		if (room <= FILE_LINE) {
			ret = fileGrow(file);
			if (ret < 0)
				return ret;
			scan->at = scan->end = file->bytes;
			continue;
		}
		got = rutFilePread(file->fd, file->bytes + file->used, room,
				   (off_t)file->used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		file->used += (size_t)got;
		if (got == 0 ||
		    (file->used == (size_t)got && fileIsAll(file, before)))
			break;
	}
	scan->end = file->bytes + file->used;
	return 0;
}

size_t rutFilesMax(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 256;
	return (size_t)limit.rlim_cur / 4;
}

void rutFileClose(struct rutFile *file)
{
	if (file->fd >= 0)
		hdOwnedClose(&file->owned, file->fd);
	free(file->bytes);
	*file = (struct rutFile)RUT_FILE_NONE;
}

bool rutFileExists(const char *root, const char *format, ...)
{
	char path[RUT_PATH_SIZE];
	va_list arguments;
	int ret;

	va_start(arguments, format);
	ret = filePath(path, root, format, arguments);
	va_end(arguments);
	return ret == 0 && access(path, F_OK) == 0;
}
