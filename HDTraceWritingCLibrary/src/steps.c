/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of the wall clock; see steps.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "HDTraceWritingCLibrary/src/steps.h"
#include "common/clock.h"
#include "common/format/frame.h"

/* Bytes at the end of an .info that are looked at. */
#define STEPS_END 4096
/* What a line begins with. */
#define STEPS_WORD "ClockStep"
/* What is a step. */
#define STEPS_NS (HD_NS_PER_S / 1000)

bool hdStepsLook(struct hdSteps *steps, struct hdStep *step)
{
	int64_t by = hdClockAhead() - steps->sumNs;

	if (by >= -STEPS_NS && by <= STEPS_NS)
		return false;
	/* Better it cannot be known: two clocks are read one after the other.
	 */
	by = (by + (by < 0 ? -500 : 500)) / 1000 * 1000;
	steps->count++;
	steps->sumNs += by;
	*step = (struct hdStep){ hdClockNow(), by };
	return true;
}

/* Make the path of a file that of the .info of its node; whether it is one of
 * a node. */
static bool stepsInfo(char *path, size_t room)
{
	char *name = strrchr(path, '/');
	char *end = strrchr(name ? name : path, '.');

	if (end && strcmp(end, HD_FRAME_SUFFIX) == 0) {
		*end = '\0';
		end = strrchr(name ? name : path, '.');
	}
	if (!end)
		return false;
	if (strcmp(end, ".stat") == 0) {
		*end = '\0';
		end = strrchr(name ? name : path, '_');
	} else if (strcmp(end, ".trc") != 0 && strcmp(end, ".rel") != 0) {
		return false;
	}
	if (!end || (size_t)(end - path) + sizeof(".info") > room)
		return false;
	memcpy(end, ".info", sizeof(".info"));
	return true;
}

/* Where a file is by now, whatever its path was relative to. */
static void stepsPath(const char *path, int fd, char *found, size_t size)
{
	char link[64];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, found, size - 1);
	if (length > 0 && *found == '/')
		found[length] = '\0';
	else
		snprintf(found, size, "%s", path);
}

static int stepsOpen(const char *path)
{
	struct stat is;
	int fd = open(path,
		      O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW |
			      O_NONBLOCK,
		      0666);

	if (fd >= 0 && (fstat(fd, &is) != 0 || !S_ISREG(is.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Whether another file of the node has written the line: it is near the end. */
static bool stepsHas(int fd, const char *line, size_t length)
{
	char end[STEPS_END];
	off_t size = lseek(fd, 0, SEEK_END);
	ssize_t got = pread(fd, end, sizeof(end),
			    size > STEPS_END ? size - STEPS_END : 0);

	return got > 0 && memmem(end, (size_t)got, line, length);
}

/* Whether a file may become that large: else a signal would end the program. */
static bool stepsFits(off_t size)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	       (limit.rlim_cur == RLIM_INFINITY ||
		(rlim_t)size <= limit.rlim_cur);
}

/* Add the line of a step to the .info file, unless it is there. */
static void stepsAppend(const char *info, const struct hdStep *step)
{
	uint64_t by =
		step->byNs < 0 ? -(uint64_t)step->byNs : (uint64_t)step->byNs;
	int length, to = stepsOpen(info);
	char line[128];
	off_t size;
	ssize_t ret;

	if (to < 0)
		return;
	length = snprintf(line, sizeof(line),
			  STEPS_WORD " time=%" PRId64 ".%09" PRId64
				     " by=%s%" PRIu64 ".%09" PRIu64 "\n",
			  step->timeNs / HD_NS_PER_S,
			  step->timeNs % HD_NS_PER_S, step->byNs < 0 ? "-" : "",
			  by / HD_NS_PER_S, by % HD_NS_PER_S);
	size = lseek(to, 0, SEEK_END);
	if (!stepsHas(to, line, (size_t)length) && stepsFits(size + length)) {
		ret = write(to, line, (size_t)length);
		/* No half of a line stays, unless others are behind it. */
		if (ret > 0 && ret < length &&
		    lseek(to, 0, SEEK_END) == size + ret)
			ret = ftruncate(to, size);
	}
	close(to);
}

void hdStepsWrite(const char *path, int fd, const struct hdStep *step)
{
	char info[PATH_MAX];
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	stepsPath(path, fd, info, sizeof(info));
	if (stepsInfo(info, sizeof(info)))
		stepsAppend(info, step);
	pthread_setcancelstate(state, NULL);
}

/* Read the beginning of a file; returns the number of bytes, or -1. */
static ssize_t stepsRead(const char *path, char *text, size_t size)
{
	ssize_t got;
	int fd, state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	got = fd < 0 ? -1 : read(fd, text, size);
	if (fd >= 0)
		close(fd);
	pthread_setcancelstate(state, NULL);
	return got;
}

bool hdStepsAreAll(const char *path)
{
	char text[STEPS_END];
	ssize_t got = stepsRead(path, text, sizeof(text) - 1);

	if (got <= 0 || (size_t)got == sizeof(text) - 1)
		return false;
	text[got] = '\0';
	for (char *line = text; *line; line = strchr(line, '\n') + 1)
		if (strncmp(line, STEPS_WORD " ", sizeof(STEPS_WORD)) != 0 ||
		    !strchr(line, '\n'))
			return false;
	return true;
}
