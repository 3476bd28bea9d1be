/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SimGrid's timed trace (Paje): what each rank did when. Its states have no
 * names of their own, so that they are told by the lines that were replayed,
 * which are in the same order. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/nodepower.h"
#include "PredictionLibrary/command/replay/timedproject.h"

/* Events of Paje that are read, by name. */
enum timedEvent {
	TIMED_CREATE,
	TIMED_VALUE,
	TIMED_PUSH,
	TIMED_POP,
	TIMED_EVENTS
};

static const char *const timedNames[TIMED_EVENTS] = {
	[TIMED_CREATE] = "PajeCreateContainer",
	[TIMED_VALUE] = "PajeDefineEntityValue",
	[TIMED_PUSH] = "PajePushState",
	[TIMED_POP] = "PajePopState",
};

/* A rank while it is read. */
struct timedRank {
	struct tiLines *lines;
	struct tiLine line; /* Of the state that is open, or comes next. */
	bool isOpen;
	bool isOwn;       /* The open state is one of SimGrid's own. */
	bool isComputing; /* That is what it does. */
	bool isSleeping;
	bool isBusy; /* It counts for its host. */
	bool isOver; /* There is no next one. */
	double start;
};

struct timed {
	struct replay *replay;
	struct timedProject *project; /* Or NULL. */
	struct timedLinks *links;     /* Of it; or NULL. */
	struct timedRank *ranks;
	GHashTable *containers; /* Alias to rank + 1. */
	GHashTable *own;        /* Aliases of SimGrid's own states. */
	long codes[TIMED_EVENTS];
	double now;
	bool isGood;
};

/* ---- Power ------------------------------------------------------------- */

static double timedWatts(const struct replay *replay,
			 const struct replayHost *host)
{
	double load =
		(double)MIN(host->busy, host->cores) / (double)host->cores;

	if (replay->model)
		return nodePowerCpu(replay->model, load, host->clock);
	return host->busy > 0
		       ? host->watts.epsilon +
				 load * (host->watts.all - host->watts.epsilon)
		       : host->watts.idle;
}

/* The power of a host was the same up to now. */
static void timedAdvance(struct timed *self, guint number)
{
	struct replayHost *host = replayHostAt(self->replay, number);
	double power = timedWatts(self->replay, host);

	if (!(self->now > host->since))
		return;
	host->energy += power * (self->now - host->since);
	host->since = self->now;
	if (self->project && host->watts.isKnown)
		timedProjectPower(self->project, number, self->now, power);
}

static void timedSetBusy(struct timed *self, size_t number, bool isBusy)
{
	guint host = self->replay->ranks[number].host;
	struct timedRank *rank = &self->ranks[number];

	if (rank->isBusy == isBusy)
		return;
	timedAdvance(self, host);
	replayHostAt(self->replay, host)->busy += isBusy ? 1 : -1;
	rank->isBusy = isBusy;
}

/* A rank is busy while it computes; one that waits polls, or sleeps. */
static void timedUpdateBusy(struct timed *self, size_t number)
{
	const struct timedRank *rank = &self->ranks[number];

	timedSetBusy(self, number,
		     !rank->isOver && !rank->isSleeping &&
			     (self->replay->isBusy || rank->isComputing));
}

/* ---- States ------------------------------------------------------------ */

/* Actions that take no state. */
static bool timedIsSilent(const struct tiLine *line)
{
	return strcmp(line->action, "init") == 0 ||
	       strcmp(line->action, "finalize") == 0;
}

static void timedAdd(struct timed *self, size_t number,
		     const struct tiLine *line, double start, double end)
{
	if (self->project)
		self->isGood &= timedProjectAdd(self->project, number, line,
						start, end);
}

/* Find the next action of a rank that has a state; without one it is over. */
static void timedNext(struct timed *self, size_t number)
{
	struct timedRank *rank = &self->ranks[number];

	while (tiLinesNext(rank->lines, &rank->line)) {
		if (!timedIsSilent(&rank->line))
			return;
		timedAdd(self, number, &rank->line, self->now, self->now);
	}
	rank->isOver = true;
}

static void timedPush(struct timed *self, size_t number)
{
	struct timedRank *rank = &self->ranks[number];

	if (rank->isOpen || rank->isOver) {
		self->isGood = false;
		return;
	}
	rank->isOpen = true;
	rank->start = self->now;
	rank->isComputing = strcmp(rank->line.action, "compute") == 0;
	rank->isSleeping = strcmp(rank->line.action, "sleep") == 0;
	timedUpdateBusy(self, number);
}

static void timedPop(struct timed *self, size_t number)
{
	struct replayRank *result = &self->replay->ranks[number];
	struct timedRank *rank = &self->ranks[number];
	double time = self->now - rank->start;

	if (!rank->isOpen) {
		self->isGood = false;
		return;
	}
	if (rank->isComputing)
		result->computation += time;
	else if (rank->isSleeping)
		result->files += time;
	else
		result->mpi += time;
	result->end = self->now;
	if (!rank->isComputing)
		timedAdd(self, number, &rank->line, rank->start, self->now);
	rank->isOpen = rank->isComputing = rank->isSleeping = false;
	timedNext(self, number);
	timedUpdateBusy(self, number);
}

/* ---- The file ---------------------------------------------------------- */

/* "%EventDef NAME CODE" */
static void timedDefine(struct timed *self, const char *line)
{
	char name[64];
	long code;

	if (sscanf(line, "%%EventDef %63s %ld", name, &code) != 2)
		return;
	if (self->links)
		timedLinksDefine(self->links, name, code);
	for (int i = 0; i < TIMED_EVENTS; i++) {
		if (strcmp(timedNames[i], name) == 0)
			self->codes[i] = code;
	}
}

/* "CODE TIME ALIAS TYPE PARENT "rank-N"" */
static void timedCreate(struct timed *self, const char *alias, const char *rest)
{
	const char *name = strstr(rest, "\"rank-");
	guint64 rank;

	if (!name)
		return;
	rank = g_ascii_strtoull(name + 6, NULL, 10);
	if (rank < self->replay->count)
		g_hash_table_insert(self->containers, g_strdup(alias),
				    GSIZE_TO_POINTER((size_t)rank + 1));
}

/* "CODE ALIAS TYPE NAME COLOR": SMPI has a state before and behind all. */
static void timedTakeValue(struct timed *self, const char *alias,
			   const char *name)
{
	if (g_str_has_prefix(name, "smpi_replay_run_"))
		g_hash_table_add(self->own, g_strdup(alias));
}

static void timedState(struct timed *self, size_t number, const char *value)
{
	struct timedRank *rank = &self->ranks[number];

	if (value && g_hash_table_contains(self->own, value))
		rank->isOwn = true;
	else if (value)
		timedPush(self, number);
	else if (rank->isOwn)
		rank->isOwn = false;
	else
		timedPop(self, number);
}

static void timedLine(struct timed *self, char *line)
{
	char *rest = line, *fields[5];
	double time;
	long code;
	size_t rank;

	if (*line == '%') {
		timedDefine(self, line);
		return;
	}
	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < 5; i++)
		fields[i] = strsep(&rest, " ");
	if (!fields[3])
		return;
	if (self->links)
		timedLinksTake(self->links, fields, rest);
	code = strtol(fields[0], NULL, 10);
	if (code == self->codes[TIMED_VALUE]) {
		timedTakeValue(self, fields[1], fields[3]);
		return;
	}
	if (code == self->codes[TIMED_CREATE]) {
		timedCreate(self, fields[2], rest ? rest : "");
		return;
	}
	if (code != self->codes[TIMED_PUSH] && code != self->codes[TIMED_POP])
		return;
	rank = GPOINTER_TO_SIZE(
		g_hash_table_lookup(self->containers, fields[3]));
	if (rank == 0)
		return;
	time = g_ascii_strtod(fields[1], NULL);
	if (!isfinite(time)) {
		self->isGood = false;
		return;
	}
	self->now = fmax(self->now, time);
	timedState(self, rank - 1,
		   code == self->codes[TIMED_PUSH] && fields[4] ? fields[4]
								: NULL);
}

static bool timedReadFile(struct timed *self)
{
	char *path = replayFile(self->replay, "trace.paje"), *line = NULL;
	FILE *file = fopen(path, "re");
	size_t room = 0;

	while (file && self->isGood && getline(&line, &room, file) > 0)
		timedLine(self, line);
	if (!file || ferror(file))
		self->isGood = false;
	if (file)
		fclose(file);
	free(line);
	g_free(path);
	return self->isGood;
}

/* Open the lines of all ranks. Returns an exit status. */
static int timedOpen(struct timed *self)
{
	int status = PREDICT_OK;

	for (size_t i = 0; i < self->replay->count && status == PREDICT_OK;
	     i++) {
		char *name = g_strdup_printf("rank-%zu.ti", i);
		char *path = replayFile(self->replay, name);

		self->ranks[i].lines = tiLinesOpen(path);
		if (self->ranks[i].lines) {
			timedNext(self, i);
			timedUpdateBusy(self, i);
		} else {
			status = predictErrorOpen(self->replay->predict, path,
						  errno);
		}
		g_free(name);
		g_free(path);
	}
	return status;
}

static void timedInit(struct timed *self, struct replay *replay)
{
	*self = (struct timed){
		.replay = replay,
		.ranks = g_new0(struct timedRank, replay->count + 1),
		.containers = g_hash_table_new_full(g_str_hash, g_str_equal,
						    g_free, NULL),
		.own = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					     NULL),
		.codes = { -1, -1, -1, -1 },
		.isGood = true,
	};
}

static void timedClear(struct timed *self)
{
	for (size_t i = 0; i < self->replay->count; i++)
		tiLinesClose(self->ranks[i].lines);
	g_free(self->ranks);
	g_hash_table_destroy(self->containers);
	g_hash_table_destroy(self->own);
}

int timedRead(struct replay *replay, const char *output)
{
	struct timed self;
	int status = PREDICT_OK, ret = 0;

	timedInit(&self, replay);
	if (output)
		self.project = timedProjectNew(replay, output);
	if (self.project)
		self.links = timedProjectLinks(self.project);
	if (!self.project || timedProjectIsGood(self.project))
		status = timedOpen(&self);
	else
		self.isGood = false;
	self.isGood =
		self.isGood && status == PREDICT_OK && timedReadFile(&self);
	for (size_t i = 0; i < replay->count; i++)
		self.isGood &= self.ranks[i].isOver;
	replay->time = self.now;
	for (guint i = 0; i < replay->hosts->len && self.isGood; i++)
		timedAdvance(&self, i);
	if (self.project)
		ret = timedProjectEnd(self.project, self.isGood);
	timedClear(&self);
	if (ret < 0)
		return predictErrorWrite(replay->predict, output, ret);
	if (status != PREDICT_OK)
		return status;
	return self.isGood ? PREDICT_OK
			   : predictError(replay->predict,
					  "the timed trace of SimGrid does not "
					  "match the replayed calls");
}

/* ---- Deadlocks --------------------------------------------------------- */

void timedExplain(struct replay *replay)
{
	struct predict *predict = replay->predict;
	struct timed self;
	guint waiting = 0;

	timedInit(&self, replay);
	if (timedOpen(&self) == PREDICT_OK)
		timedReadFile(&self);
	for (size_t i = 0; i < replay->count; i++) {
		const struct timedRank *rank = &self.ranks[i];

		if (!rank->isOpen || ++waiting > PREDICT_SHOWN)
			continue;
		predictError(predict,
			     "deadlock: rank %zu waits in MPI_%s since %.9g s "
			     "(%s %s)",
			     i, rank->line.function, rank->start,
			     rank->line.action, rank->line.arguments);
	}
	if (waiting > PREDICT_SHOWN)
		predictError(predict, "deadlock: %u ranks wait", waiting);
	if (waiting == 0)
		predictError(predict, "deadlock: no rank goes on");
	timedClear(&self);
}
