/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Journals; see lines.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <glib.h>

#include "PredictionLibrary/command/lines.h"
#include "cli/errors.h"

char *linesWrong(const char *path, const char *what)
{
	return g_strdup_printf("%s: %s", path, what);
}

const char *linesReason(const GError *error)
{
	const char *reason = strrchr(error->message, ':');

	return reason ? reason + 1 + strspn(reason + 1, " ") : error->message;
}

/* What is in the file, terminated; NULL after an error. */
static char *contents(int fd)
{
	GString *out = g_string_new(NULL);
	char part[65536];
	ssize_t n;

	while ((n = read(fd, part, sizeof(part))) > 0)
		g_string_append_len(out, part, n);
	return g_string_free(out, n < 0);
}

char *linesOpen(struct lines *self, const char *path, const char *busy,
		char **text)
{
	struct stat about;

	self->path = g_strdup(path);
	self->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (self->fd < 0 || fstat(self->fd, &about) < 0)
		return g_strdup_printf(CLI_TEXT_OPEN, path,
				       cliErrorReason(errno));
	if (!S_ISREG(about.st_mode))
		return linesWrong(path, "not a regular file");
	if (flock(self->fd, LOCK_EX | LOCK_NB) < 0)
		return linesWrong(
			path, errno == EWOULDBLOCK ? busy : g_strerror(errno));
	*text = contents(self->fd);
	return *text ? NULL : linesWrong(path, g_strerror(errno));
}

int linesStart(struct lines *self, size_t length, const char *head)
{
	int ret;

	if (ftruncate(self->fd, (off_t)length) < 0 ||
	    lseek(self->fd, (off_t)length, SEEK_SET) < 0)
		return -errno;
	if (length)
		return 0;
	ret = linesAdd(self, head, strlen(head));
	return ret < 0 ? ret : linesAdd(self, "\n", 1);
}

int linesAdd(struct lines *self, const char *text, size_t length)
{
	while (length) {
		ssize_t n = write(self->fd, text, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		length -= (size_t)n;
	}
	return 0;
}

int linesSync(struct lines *self)
{
	return fsync(self->fd) < 0 ? -errno : 0;
}

int linesClose(struct lines *self)
{
	int ret = 0;

	if (self->path && self->fd >= 0 && close(self->fd) < 0)
		ret = -errno;
	g_free(self->path);
	self->path = NULL;
	return ret;
}
