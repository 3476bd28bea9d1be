/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A clock that is set while a program runs, and that of nobody else: loaded
 * before the C library it adds the seconds that are in the file HD_SET_CLOCK to
 * what CLOCK_REALTIME says, once there is that file. (No program may have a
 * CLOCK_REALTIME of its own by other means.)
 */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *is)
{
	const char *path = getenv("HD_SET_CLOCK");
	char text[32] = "";
	int ret = (int)syscall(SYS_clock_gettime, id, is);
	int fd;

	if (ret != 0 || id != CLOCK_REALTIME || !path)
		return ret;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return ret;
	if (read(fd, text, sizeof(text) - 1) > 0)
		is->tv_sec += atol(text);
	close(fd);
	return ret;
}
