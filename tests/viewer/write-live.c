/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Writes a project as it is told to, for tests of hdtrace view:
 *
 *     write-live PROJECT
 *
 * Each line of the input is a command; when it is done, and what it wrote is in
 * the files, the time follows in ns since 1970:
 *
 *     rank            begin one more rank, "alpha" and its number
 *     steps N         N states of each rank, of 10 ms before now
 *     name NAME       name of the states from now on
 *     nest NAME       begin a state of the first rank that does not end yet
 *     power W         an entry of the power of the host, since the last one
 *     relation        a relation of the host, of 10 ms
 *     close           end all files
 *
 * At the end of the input it exits without ending them, as after a crash.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hdRelation.h>
#include <hdStats.h>
#include <hdTopology.h>
#include <hdTrace.h>

#define RANKS_MAX 64
#define STEP_NS 10000000

struct writer {
	hdTopology *topology;
	hdTrace *traces[RANKS_MAX];
	size_t count;
	char name[64];
	hdStatsGroup *group;
	hdR_topoToken relations;
};

static struct timespec timeAfter(const struct timespec *start, int64_t ns)
{
	int64_t sum = start->tv_nsec + ns;

	return (struct timespec){
		.tv_sec = start->tv_sec + (time_t)(sum / 1000000000),
		.tv_nsec = (long)(sum % 1000000000),
	};
}

static int addRank(struct writer *self)
{
	char label[16];
	const char *path[] = { "alpha", label };
	hdTopoNode *node;

	if (self->count == RANKS_MAX)
		return -1;
	snprintf(label, sizeof(label), "%zu", self->count);
	node = hdT_createTopoNode(self->topology, path, 2);
	if (!node)
		return -1;
	self->traces[self->count] = hdT_createTrace(node);
	hdT_destroyTopoNode(node);
	if (!self->traces[self->count])
		return -1;
	return hdT_flush(self->traces[self->count++]);
}

/** States one after the other, up to now. */
static int writeSteps(struct writer *self, long steps)
{
	struct timespec now;
	int ret = 0;

	clock_gettime(CLOCK_REALTIME, &now);
	for (size_t i = 0; i < self->count; i++) {
		struct timespec start = { now.tv_sec - 60, now.tv_nsec };

		for (long k = 0; k < steps; k++) {
			int64_t at = INT64_C(60) * 1000000000 -
				     (steps - k) * (int64_t)STEP_NS;
			struct timespec from = timeAfter(&start, at);
			struct timespec to = timeAfter(&from, STEP_NS);

			ret |= hdT_logStateStartAt(self->traces[i], self->name,
						   &from);
			ret |= hdT_logAttributeInt64(self->traces[i], "step",
						     k);
			ret |= hdT_logStateEndAt(self->traces[i], &to);
		}
		ret |= hdT_flush(self->traces[i]);
	}
	return ret;
}

static int setName(struct writer *self, const char *name)
{
	return snprintf(self->name, sizeof(self->name), "%s", name) < 1 ? -1
									: 0;
}

static int beginNest(struct writer *self, const char *name)
{
	if (self->count == 0)
		return -1;
	return hdT_logStateStart(self->traces[0], name);
}

static hdTopoNode *hostOf(struct writer *self)
{
	const char *path[] = { "alpha" };

	return hdT_createTopoNode(self->topology, path, 1);
}

static int writePower(struct writer *self, double watts)
{
	if (!self->group) {
		hdTopoNode *node = hostOf(self);

		self->group = hdS_createGroup("Energy", node, 1);
		hdT_destroyTopoNode(node);
		if (!self->group ||
		    hdS_addValue(self->group, "P", DOUBLE, "W", "Power") < 0 ||
		    hdS_commitGroup(self->group) < 0)
			return -1;
		if (hdS_enableGroup(self->group) < 0)
			return -1;
	}
	if (hdS_writeDoubleValue(self->group, watts) < 0)
		return -1;
	return hdS_flush(self->group);
}

static int writeRelation(struct writer *self)
{
	const struct timespec pause = { .tv_nsec = STEP_NS };
	hdR_token token;
	int ret;

	if (!self->relations) {
		hdTopoNode *node = hostOf(self);

		ret = hdR_initTopology(node, &self->relations);
		hdT_destroyTopoNode(node);
		if (ret < 0)
			return -1;
	}
	token = hdR_createTopLevelRelation(self->relations);
	ret = hdR_startS(token, "request");
	nanosleep(&pause, NULL);
	ret |= hdR_endS(token);
	ret |= hdR_destroyRelation(&token);
	return ret | hdR_flush(self->relations);
}

static int closeAll(struct writer *self)
{
	int ret = 0;

	for (size_t i = 0; i < self->count; i++)
		ret |= hdT_finalize(self->traces[i]);
	if (self->group)
		ret |= hdS_finalize(self->group);
	if (self->relations)
		ret |= hdR_finalize(&self->relations);
	self->count = 0;
	self->group = NULL;
	return ret;
}

static int doCommand(struct writer *self, char *line)
{
	char *argument = strchr(line, ' ');

	if (argument)
		*argument++ = '\0';
	if (strcmp(line, "rank") == 0)
		return addRank(self);
	if (strcmp(line, "steps") == 0 && argument)
		return writeSteps(self, strtol(argument, NULL, 10));
	if (strcmp(line, "name") == 0 && argument)
		return setName(self, argument);
	if (strcmp(line, "nest") == 0 && argument)
		return beginNest(self, argument);
	if (strcmp(line, "power") == 0 && argument)
		return writePower(self, strtod(argument, NULL));
	if (strcmp(line, "relation") == 0)
		return writeRelation(self);
	if (strcmp(line, "close") == 0)
		return closeAll(self);
	return -1;
}

int main(int argc, char **argv)
{
	const char *levels[] = { "Host", "Rank" };
	struct writer self = { .name = "compute" };
	char line[256];

	if (argc != 2)
		return 2;
	self.topology = hdT_createTopology(argv[1], levels, 2);
	if (!self.topology)
		return 2;
	while (fgets(line, sizeof(line), stdin)) {
		struct timespec now;

		line[strcspn(line, "\n")] = '\0';
		if (doCommand(&self, line) < 0) {
			fprintf(stderr, "%s: failed\n", line);
			_exit(1);
		}
		clock_gettime(CLOCK_REALTIME, &now);
		printf("%" PRId64 "\n",
		       (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
		fflush(stdout);
	}
	/* As a program that crashes: nothing is ended. */
	_exit(0);
}
