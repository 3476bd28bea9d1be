/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connections to the service; see hdpower.h and daemon/server.h. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "PowerSaving/command/hdpower.h"
#include "PowerSaving/core/journal.h"

#define LINK_GREETING "hdpower 1"
#define LINK_TIMEOUT_MS 10000
/* Longest answer. */
#define LINK_MAX ((gsize)1 << 22)

/* Get the next line; 0 or a negative errno. */
static int linkLine(struct powerLink *self, char **line)
{
	for (;;) {
		char *end = memchr(self->in->str, '\n', self->in->len);
		struct pollfd poll_ = { .fd = self->fd, .events = POLLIN };
		char bytes[4096];
		ssize_t got;
		int ready;

		if (end) {
			gsize length = (gsize)(end - self->in->str);

			*line = g_strndup(self->in->str, length);
			g_string_erase(self->in, 0, (gssize)length + 1);
			return 0;
		}
		if (self->in->len > LINK_MAX)
			return -EPROTO;
		ready = poll(&poll_, 1, LINK_TIMEOUT_MS);
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return ready < 0 ? -errno : -ETIMEDOUT;
		got = recv(self->fd, bytes, sizeof(bytes), 0);
		if (got <= 0)
			return got < 0 ? -errno : -ECONNRESET;
		g_string_append_len(self->in, bytes, got);
	}
}

bool powerLinkIsAbsent(int ret)
{
	return ret == -ENOENT || ret == -ECONNREFUSED;
}

int powerLinkOpen(struct powerLink *self, const char *root)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char *path = g_strconcat(root, HD_POWER_SOCKET, NULL);
	char *line = NULL;
	int ret = 0;

	*self = (struct powerLink){ .fd = -1, .in = g_string_new(NULL) };
	if (strlen(path) >= sizeof(address.sun_path))
		ret = -ENAMETOOLONG;
	else
		strcpy(address.sun_path, path);
	g_free(path);
	if (ret == 0)
		self->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (ret == 0 && (self->fd < 0 ||
			 connect(self->fd, (const struct sockaddr *)&address,
				 sizeof(address)) < 0))
		ret = -errno;
	if (ret == 0)
		ret = linkLine(self, &line);
	if (ret == 0 && strcmp(line, LINK_GREETING) != 0)
		ret = -EPROTO;
	g_free(line);
	if (ret < 0)
		powerLinkClose(self);
	return ret;
}

void powerLinkClose(struct powerLink *self)
{
	if (self->fd >= 0)
		close(self->fd);
	if (self->in)
		g_string_free(self->in, TRUE);
	*self = (struct powerLink){ .fd = -1 };
}

int powerLinkAsk(struct powerLink *self, const char *request,
		 powerLinkTake *take, void *context, char **error)
{
	char *text = g_strconcat(request, "\n", NULL);
	size_t length = strlen(text);
	ssize_t put = send(self->fd, text, length, MSG_NOSIGNAL);
	int ret = put == (ssize_t)length ? 0 : put < 0 ? -errno : -EIO;

	*error = NULL;
	g_free(text);
	while (ret == 0) {
		char *line = NULL;
		bool isEnd;

		ret = linkLine(self, &line);
		isEnd = ret == 0 && strcmp(line, "ok") == 0;
		if (ret == 0 && g_str_has_prefix(line, "error ")) {
			*error = g_strdup(line + strlen("error "));
			ret = -EREMOTEIO;
		} else if (ret == 0 && !isEnd && take) {
			take(context, line);
		}
		g_free(line);
		if (isEnd)
			break;
	}
	return ret;
}
