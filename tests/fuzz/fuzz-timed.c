/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: the timed trace of SimGrid, beside the lines that were replayed:
 * the input is cut at its first zero byte. There are two ranks. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/nodepower.h"
#include "PredictionLibrary/command/replay/links.h"
#include "PredictionLibrary/command/replay/replaying.h"
#include "PredictionLibrary/command/replay/timedproject.h"
#include "tests/fuzz/fuzz.h"

#define RANKS 2

static char place[] = "/tmp/hdtrace-fuzz-timed-XXXXXX";

/* What is only for projects, and for messages. */

char *replayFile(const struct replay *self, const char *name)
{
	return g_build_filename(self->place, name, NULL);
}

int predictError(const struct predict *predict, const char *format, ...)
{
	(void)predict;
	must(*format != '\0');
	return PREDICT_FAILED;
}

int predictErrorOpen(const struct predict *predict, const char *path, int error)
{
	(void)predict;
	(void)path;
	(void)error;
	return PREDICT_FAILED;
}

int predictErrorWrite(const struct predict *predict, const char *path,
		      int error)
{
	return predictErrorOpen(predict, path, error);
}

/* A project that is nowhere; its rows of links are real. */
static char project;
static struct timedLinks *links;

struct timedProject *timedProjectNew(struct replay *self, const char *name)
{
	must(self->place == place && *name != '\0');
	return (struct timedProject *)&project;
}

struct timedLinks *timedProjectLinks(const struct timedProject *self)
{
	must((const char *)self == &project);
	return links;
}

hdTopoNode *timedProjectNode(const struct timedProject *self,
			     const char *const *path, int count)
{
	must((const char *)self == &project && count > 0 && *path[0] != '\0');
	return NULL;
}

int64_t timedProjectBase(const struct timedProject *self)
{
	must((const char *)self == &project);
	return 0;
}

double nodePowerCpu(const struct hdPowerModel *model, double load, double clock)
{
	must(model != NULL && load >= 0);
	return clock;
}

bool timedProjectIsGood(const struct timedProject *self)
{
	return (const char *)self == &project;
}

bool timedProjectAdd(struct timedProject *self, size_t rank,
		     const struct tiLine *line, double start, double end)
{
	(void)self;
	(void)line;
	return rank < RANKS && start <= end;
}

void timedProjectPower(struct timedProject *self, guint host, double until,
		       double power)
{
	(void)self;
	must(host == 0 && isfinite(until) && isfinite(power));
}

char *timedProjectLabel(const char *name)
{
	return g_strdup(name);
}

int timedProjectEnd(struct timedProject *self, bool isGood)
{
	must((const char *)self == &project);
	timedLinksEnd(links, 0);
	return isGood ? 0 : -1;
}

static void putFile(const char *name, const void *bytes, size_t size)
{
	char path[sizeof(place) + 32];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", place, name);
	file = fopen(path, "we");
	must(file && fwrite(bytes, 1, size, file) == size);
	must(fclose(file) == 0);
}

static void removePlace(void)
{
	char command[sizeof(place) + 16];

	strcpy(command, "rm -rf ");
	strcat(command, place);
	if (system(command) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t lines = strnlen((const char *)data, size);
	struct replayHost host = { .name = (char *)"host",
				   .speed = 1e9,
				   .cores = 2,
				   .watts = { true, 10, 20, 30 } };
	struct replayRank ranks[RANKS] = { { .host = 0 } };
	struct replay replay = { .place = place,
				 .ranks = ranks,
				 .count = RANKS };
	static bool isMade;

	if (!isMade) {
		must(mkdtemp(place) != NULL);
		atexit(removePlace);
		isMade = true;
	}
	putFile("rank-0.ti", data, lines);
	putFile("rank-1.ti", data, lines);
	putFile("trace.paje", data + MIN(lines + 1, size),
		size - MIN(lines + 1, size));
	replay.hosts = g_array_new(FALSE, TRUE, sizeof(host));
	g_array_append_val(replay.hosts, host);
	links = timedLinksNew((struct timedProject *)&project);
	if (timedRead(&replay, "replayed") == PREDICT_OK) {
		const struct replayHost *result = replayHostAt(&replay, 0);

		must(isfinite(replay.time) && replay.time >= 0);
		must(result->busy == 0 && isfinite(result->energy));
		for (int i = 0; i < RANKS; i++)
			must(ranks[i].computation >= 0 && ranks[i].mpi >= 0 &&
			     ranks[i].files >= 0 &&
			     ranks[i].end <= replay.time);
	}
	timedExplain(&replay);
	timedLinksFree(links);
	g_array_unref(replay.hosts);
	return 0;
}
