/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The small files of /proc and /sys; see sysfile.h. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/core/sysfile.h"
#include "common/scan.h"

/* A 64 bit number, also with zeros or blanks before it. */
#define NUMBER_SIZE 64

static int openPath(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd >= 0 ? fd : -errno;
}

int (*ptSysOpenPath)(const char *path) = openPath;
ssize_t (*ptSysPread)(int fd, void *bytes, size_t count, off_t offset) = pread;

static int makePath(char *path, const char *root, const char *format,
		    va_list arguments)
{
	int head = snprintf(path, PT_SYS_PATH_MAX, "%s", root);
	int tail;

	if (head < 0 || head >= PT_SYS_PATH_MAX)
		return -ENAMETOOLONG;
	tail = vsnprintf(path + head, (size_t)(PT_SYS_PATH_MAX - head), format,
			 arguments);
	return tail < 0 || tail >= PT_SYS_PATH_MAX - head ? -ENAMETOOLONG : 0;
}

static int openBelow(const char *root, const char *format, va_list arguments)
{
	char path[PT_SYS_PATH_MAX];
	int ret = makePath(path, root, format, arguments);

	return ret < 0 ? ret : ptSysOpenPath(path);
}

int ptSysOpen(const char *root, const char *format, ...)
{
	va_list arguments;
	int fd;

	va_start(arguments, format);
	fd = openBelow(root, format, arguments);
	va_end(arguments);
	return fd;
}

ssize_t ptSysRead(int fd, char *text, size_t size)
{
	size_t used = 0;

	/* The kernel ends every text with a line feed; so what does end with
	 * one is all, which saves a call that would only say so. */
	while (used < size - 1 && (used == 0 || text[used - 1] != '\n')) {
		ssize_t got = ptSysPread(fd, text + used, size - 1 - used,
					 (off_t)used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		used += (size_t)got;
	}
	text[used] = '\0';
	return (ssize_t)used;
}

/* Read a file that holds one number. */
static int sysReadLine(int fd, char text[NUMBER_SIZE], struct hdScan *scan)
{
	ssize_t length = ptSysRead(fd, text, NUMBER_SIZE);

	if (length < 0)
		return (int)length;
	/* A longer text is no number, and its beginning would be another one.
	 */
	if (length == NUMBER_SIZE - 1)
		return -EPROTO;
	*scan = (struct hdScan){ text, text + length };
	return 0;
}

int ptSysReadNumber(int fd, uint64_t *number)
{
	char text[NUMBER_SIZE];
	struct hdScan scan = { NULL, NULL };
	int ret = sysReadLine(fd, text, &scan);

	if (ret < 0)
		return ret;
	return hdScanOnly(&scan, number) ? 0 : -EPROTO;
}

int ptSysReadSigned(int fd, int64_t *number)
{
	char text[NUMBER_SIZE];
	struct hdScan scan = { NULL, NULL };
	int64_t value;
	int ret = sysReadLine(fd, text, &scan);

	if (ret < 0)
		return ret;
	if (!hdScanSigned(&scan, &value) || !hdScanIsEnd(&scan))
		return -EPROTO;
	*number = value;
	return 0;
}

int ptSysGetLine(char *line, size_t size, const char *root, const char *format,
		 ...)
{
	va_list arguments;
	ssize_t length;
	int fd;

	va_start(arguments, format);
	fd = openBelow(root, format, arguments);
	va_end(arguments);
	if (fd < 0)
		return fd;
	length = ptSysRead(fd, line, size);
	close(fd);
	if (length < 0)
		return (int)length;
	length = (ssize_t)strcspn(line, "\n");
	while (length > 0 &&
	       (line[length - 1] == ' ' || line[length - 1] == '\t'))
		length--;
	line[length] = '\0';
	return 0;
}

int ptSysGetNumber(uint64_t *number, const char *root, const char *format, ...)
{
	va_list arguments;
	int fd, ret;

	va_start(arguments, format);
	fd = openBelow(root, format, arguments);
	va_end(arguments);
	if (fd < 0)
		return fd;
	ret = ptSysReadNumber(fd, number);
	close(fd);
	return ret;
}

static int isVisible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

ssize_t ptSysListNames(char ***names, const char *root, const char *format, ...)
{
	char path[PT_SYS_PATH_MAX];
	struct dirent **entries;
	va_list arguments;
	int count, ret;

	va_start(arguments, format);
	ret = makePath(path, root, format, arguments);
	va_end(arguments);
	if (ret < 0)
		return ret;
	count = scandir(path, &entries, isVisible, versionsort);
	if (count < 0)
		return -errno;
	*names = calloc((size_t)count + 1, sizeof(char *));
	for (int i = 0; i < count; i++) {
		if (*names)
			(*names)[i] = strdup(entries[i]->d_name);
		if (!*names || !(*names)[i])
			ret = -ENOMEM;
		free(entries[i]);
	}
	free(entries);
	if (*names && ret == 0)
		return count;
	if (*names)
		ptSysFreeNames(*names, (size_t)count);
	return -ENOMEM;
}

void ptSysFreeNames(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}
