/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The account of a step; see account.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "NodeStatus/slurm/account.h"

#define LINE_MAX_BYTES 2048

/* Where the totals of a job are added up. */
struct summing {
	unsigned int job;
	struct hdslurmTotal *total;
};

bool hdslurmAccountPath(const char *project, char *path)
{
	return snprintf(path, PATH_MAX, "%s.slurm", project) < PATH_MAX;
}

int hdslurmAccountCreate(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static bool accountParseLine(const char *line, struct hdslurmNode *node)
{
	int simulated, used = 0;
	size_t length;

	memset(node, 0, sizeof(*node));
	if (sscanf(line, "node %127s %u %lf %lf %lf %lf %d %511s %n",
		   node->name, &node->job, &node->fromS, &node->toS,
		   &node->joules, &node->knownS, &simulated, node->inputs,
		   &used) != 8 ||
	    !used)
		return false;
	node->isSimulated = simulated != 0;
	snprintf(node->text, sizeof(node->text), "%s", line + used);
	length = strcspn(node->text, "\n");
	node->text[length] = '\0';
	return true;
}

int hdslurmAccountRead(const char *path,
		       void (*take)(void *context,
				    const struct hdslurmNode *node),
		       void *context)
{
	FILE *file = fopen(path, "re");
	char line[LINE_MAX_BYTES];
	int count = 0;

	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		struct hdslurmNode node;

		if (!accountParseLine(line, &node))
			continue;
		count++;
		take(context, &node);
	}
	fclose(file);
	return count;
}

/* Nodes without energy have no say. */
static void accountSumInputs(struct hdslurmTotal *total,
			     const struct hdslurmNode *node)
{
	if (node->knownS <= 0)
		return;
	if (strcmp(total->inputs, "-") == 0)
		strcpy(total->inputs, node->inputs);
	else if (strcmp(total->inputs, node->inputs) != 0)
		strcpy(total->inputs, "various");
}

static void accountSumLine(void *context, const struct hdslurmNode *node)
{
	struct summing *summing = context;
	struct hdslurmTotal *total = summing->total;

	if (node->job != summing->job)
		return;
	if (total->nodes == 0 || node->fromS < total->fromS)
		total->fromS = node->fromS;
	if (node->toS > total->toS)
		total->toS = node->toS;
	total->nodes++;
	total->joules += node->joules;
	total->knownS += node->knownS;
	total->durationS += node->toS - node->fromS;
	total->isSimulated |= node->isSimulated;
	accountSumInputs(total, node);
}

/* Wait for the file, but not for ever: the job would not end. */
static int accountLockFile(int fd)
{
	struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	for (int i = 0; i < 100; i++) {
		if (fcntl(fd, F_SETLK, &all) == 0)
			return 0;
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return -errno;
		usleep(20000);
	}
	return -EAGAIN;
}

/* Some file systems have no locks: then a line is added by itself, and more
 * than one node may find that it was the last. */
static bool hasNoLocks(int ret)
{
	return ret == -ENOLCK || ret == -ENOSYS || ret == -EOPNOTSUPP ||
	       ret == -EINVAL;
}

static int accountAppendLine(int fd, const struct hdslurmNode *node,
			     bool isLocked)
{
	char line[LINE_MAX_BYTES];
	int length = snprintf(line, sizeof(line),
			      "node %s %u %.6f %.6f %.6f %.6f %d %s %s\n",
			      node->name, node->job, node->fromS, node->toS,
			      node->joules, node->knownS, node->isSimulated,
			      *node->inputs ? node->inputs : "-", node->text);
	ssize_t written;
	off_t end;

	if (length >= (int)sizeof(line))
		return -ENAMETOOLONG;
	end = lseek(fd, 0, SEEK_END);
	if (end < 0)
		return -errno;
	written = write(fd, line, (size_t)length);
	if (written == length)
		return 0;
	/* No half of a line, to which the next would be added. */
	if (written > 0 && isLocked && ftruncate(fd, end) < 0)
		return -errno;
	return written < 0 ? -errno : -ENOSPC;
}

int hdslurmAccountAdd(const char *path, const struct hdslurmNode *node,
		      unsigned int nodes, struct hdslurmTotal *total)
{
	struct summing summing = { .job = node->job, .total = total };
	int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
	int ret;

	memset(total, 0, sizeof(*total));
	strcpy(total->inputs, "-");
	if (fd < 0)
		return -errno;
	ret = accountLockFile(fd);
	if (ret == 0 || hasNoLocks(ret))
		ret = accountAppendLine(fd, node, ret == 0);
	/* Closing any descriptor of a file gives up its lock. */
	if (ret == 0)
		ret = hdslurmAccountRead(path, accountSumLine, &summing);
	close(fd);
	if (ret < 0)
		return ret;
	if (total->nodes > 0) {
		total->knownS /= total->nodes;
		total->durationS /= total->nodes;
	}
	return total->nodes == nodes;
}
