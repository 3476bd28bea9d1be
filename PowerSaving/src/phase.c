/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Telling hdpower which phase begins; see hdPower.h. */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <hdPower.h>
#include "PowerSaving/core/phases.h"

static int phaseSend(const char *to, const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t length = strlen(to);
	int fd, ret = -1;

	if (length == 0 || length >= sizeof(address.sun_path) ||
	    strlen(name) >= HD_POWER_PHASE_SIZE)
		return -1;
	/* A first zero byte marks abstract names. */
	memcpy(address.sun_path + 1, to, length);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	if (sendto(fd, name, strlen(name), MSG_NOSIGNAL,
		   (const struct sockaddr *)&address,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			       length)) >= 0)
		ret = 0;
	close(fd);
	return ret;
}

int hdPower_phase(const char *name)
{
	const char *to = secure_getenv(HD_POWER_PHASES);
	int before = errno;
	int ret = to && name ? phaseSend(to, name) : -1;

	errno = before;
	return ret;
}
