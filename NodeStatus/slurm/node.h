/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a node does about a step: slurmstepd starts hdtrace-slurm-record, which
 * records the node as the user of the job, and ends it behind the last task.
 *
 * slurmstepd has threads and is root. So between fork() and exec() there is
 * nothing but system calls, all descriptors are closed, and nothing is touched
 * before all rights are given up.
 */
#ifndef HD_SLURM_NODE_H
#define HD_SLURM_NODE_H

#include <stdbool.h>
#include <sys/types.h>

#include "NodeStatus/slurm/account.h"

/** Bytes of what the recorder answers. */
#define HDSLURM_ANSWER_MAX 1024

/** Who runs the job. */
struct hdslurmUser {
	uid_t uid;
	gid_t gid;
	const gid_t *groups;
	size_t groupCount;
};

/**
 * Start a program, as somebody, in a session of its own. It has nothing but a
 * socket as descriptor 3.
 *
 * @param user NULL: as who this is.
 * @param seconds It is killed after that; 0: never.
 *
 * @return Our end of the socket, or a negative errno value.
 */
int hdslurmNodeRun(char *const *arguments, char *const *environment,
		   const struct hdslurmUser *user, unsigned int seconds);

/**
 * Wait for a line from it.
 *
 * @param size Of @p line, which gets no newline.
 *
 * @retval -EPIPE It has ended without.
 * @retval -ETIMEDOUT There is none.
 * @return 0, or another negative errno value.
 */
int hdslurmNodeRead(int fd, int timeoutMs, char *line, size_t size);

/** Format what the recorder answers when all nodes of the job are through. */
void hdslurmNodeFormat(const struct hdslurmTotal *total, char *line,
		       size_t size);

/** Read it; false if it says something else. */
bool hdslurmNodeParse(const char *line, struct hdslurmTotal *total);

#endif
