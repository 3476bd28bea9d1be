/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines of /proc/stat that are about CPUs; see procstat.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/machine/procstat.h"
#include "PowerTracingLibrary/src/core/sysfile.h"
#include "common/clock.h"

#define SIZE_MAX_BYTES (1 << 20)

int ptProcStatOpen(struct ptProcStat *stat, const char *root)
{
	*stat = (struct ptProcStat){ .size = 4096 };
	stat->text = calloc(1, stat->size);
	if (!stat->text)
		return -ENOMEM;
	stat->fd = ptSysOpen(root, "/proc/stat");
	if (stat->fd >= 0) {
		hdOwnedSet(&stat->owned, stat->fd);
		return 0;
	}
	free(stat->text);
	stat->text = NULL;
	return stat->fd;
}

int ptProcStatRead(struct ptProcStat *stat)
{
	size_t used = 0;
	ssize_t got;

	if (!hdOwnedIs(&stat->owned, stat->fd))
		return -EBADF;
	do {
		if (used + 1 == stat->size) {
			char *text;

			if (stat->size >= SIZE_MAX_BYTES)
				break;
			text = realloc(stat->text, 2 * stat->size);
			if (!text)
				return -ENOMEM;
			stat->text = text;
			stat->size *= 2;
		}
		got = ptSysPread(stat->fd, stat->text + used,
				 stat->size - 1 - used, (off_t)used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		used += (size_t)got;
		stat->text[used] = '\0';
	} while (got != 0 && !strstr(stat->text, "\nintr"));
	return 0;
}

int64_t ptProcStatIdle(const struct ptProcStat *stat, unsigned int cpu)
{
	unsigned long long ticks[5];
	char name[24];
	const char *line;

	snprintf(name, sizeof(name), "\ncpu%u ", cpu);
	line = strstr(stat->text, name);
	/* User, nice, system, idle, waiting for a disk: idle as well. */
	if (!line ||
	    sscanf(line + strlen(name), "%llu %llu %llu %llu %llu", &ticks[0],
		   &ticks[1], &ticks[2], &ticks[3], &ticks[4]) != 5)
		return -1;
	return (int64_t)((ticks[3] + ticks[4]) *
			 (unsigned long long)(HD_NS_PER_S /
					      sysconf(_SC_CLK_TCK)));
}

void ptProcStatClose(struct ptProcStat *stat)
{
	if (stat->text)
		hdOwnedClose(&stat->owned, stat->fd);
	free(stat->text);
	stat->text = NULL;
}
