/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The traces that make-project writes. */
#include "config.h"

#include <inttypes.h>
#include <math.h>

#include <hdTrace.h>
#include "tests/bench/make-project.h"

enum { TAG_RIGHT = 17, TAG_LEFT = 18 };

static void start(hdTrace *trace, const char *name, int64_t ns)
{
	struct timespec when = makeTime(ns);

	makeCheck(hdT_logStateStartAt(trace, name, &when) == 0, name);
}

static void end(hdTrace *trace, int64_t ns)
{
	struct timespec when = makeTime(ns);

	makeCheck(hdT_logStateEndAt(trace, &when) == 0, "end of a state");
}

static void attribute(hdTrace *trace, const char *key, int64_t value)
{
	makeCheck(hdT_logAttributeInt64(trace, key, value) == 0, key);
}

static int64_t messageSize(const struct makeShape *shape, int64_t from,
			   int64_t step)
{
	return 8 * (int64_t)(512 + 1536 * makeChance(shape, MAKE_STEP, from,
						     -1 - step));
}

static void logSend(hdTrace *trace, const struct makeShape *shape, int64_t rank,
		    int64_t step, int64_t to, int tag, int64_t when)
{
	int64_t size = messageSize(shape, rank, step);
	int64_t tick = shape->step / 1000;

	start(trace, "Isend", when);
	attribute(trace, "size", size);
	attribute(trace, "count", size / 8);
	attribute(trace, "tid", 0);
	attribute(trace, "toRank", to);
	attribute(trace, "toTag", tag);
	attribute(trace, "cid", 0);
	attribute(trace, "rid", tag);
	end(trace, when + tick);
}

static void logReceive(hdTrace *trace, const struct makeShape *shape,
		       int64_t step, int64_t from, int tag, int64_t when,
		       int64_t until)
{
	int64_t size = messageSize(shape, from, step);

	start(trace, "Recv", when);
	attribute(trace, "size", size);
	attribute(trace, "count", size / 8);
	attribute(trace, "tid", 0);
	attribute(trace, "fromRank", from);
	attribute(trace, "fromTag", tag);
	attribute(trace, "cid", 0);
	end(trace, until);
}

static void logWait(hdTrace *trace, int64_t when, int64_t until)
{
	start(trace, "Waitall", when);
	attribute(trace, "count", 2);
	for (int rid = TAG_RIGHT; rid <= TAG_LEFT; rid++)
		makeCheck(hdT_logElement(trace, "Request", "rid='%d'", rid) ==
				  0,
			  "Request");
	end(trace, until);
}

/** A step of a rank: MAKE_STEP_RECORDS records. */
static void logStep(hdTrace *trace, const struct makeShape *shape, int64_t rank,
		    int64_t step)
{
	struct makePlan plan = makePlanStep(shape, rank, step);
	int64_t tick = plan.tick;
	int64_t ready = shape->stepEnds[step];
	struct timespec when = makeTime(ready + tick);

	start(trace, "Step", plan.start + tick);
	attribute(trace, "number", step);
	start(trace, "Compute", plan.start + 2 * tick);
	attribute(trace, "rows", 127 + rank % 2);
	start(trace, "Kernel", plan.start + 3 * tick);
	end(trace, plan.computed - tick);
	end(trace, plan.computed);
	logSend(trace, shape, rank, step, makeRightOf(shape, rank), TAG_RIGHT,
		plan.computed + tick);
	logSend(trace, shape, rank, step, makeLeftOf(shape, rank), TAG_LEFT,
		plan.computed + 2 * tick);
	logReceive(trace, shape, step, makeLeftOf(shape, rank), TAG_RIGHT,
		   plan.computed + 4 * tick, plan.fromLeft);
	logReceive(trace, shape, step, makeRightOf(shape, rank), TAG_LEFT,
		   plan.fromLeft + tick, plan.fromRight);
	logWait(trace, plan.fromRight + tick, plan.waited);
	start(trace, "Allreduce", plan.waited + tick);
	attribute(trace, "size", 8);
	attribute(trace, "count", 1);
	attribute(trace, "tid", 0);
	attribute(trace, "cid", 0);
	end(trace, ready);
	makeCheck(hdT_logEventAt(trace, "residual", &when) == 0, "event");
	makeCheck(hdT_logAttributeDouble(trace, "residual",
					 exp(-(double)step / 400)) == 0,
		  "residual");
	end(trace, ready + 2 * tick);
}

/** Read or write files, a number of records, from a time to another. */
static void logFiles(hdTrace *trace, const char *name, int64_t count,
		     int64_t when, int64_t until)
{
	for (int64_t i = 0; i < count; i++) {
		int64_t slot = (until - when) / count;

		start(trace, name, when + i * slot);
		attribute(trace, "fid", 3);
		attribute(trace, "size", 1 << 20);
		makeCheck(hdT_logElement(trace, "Data",
					 "offset='%" PRId64 "' size='%d'",
					 i << 20, 1 << 20) == 0,
			  "Data");
		end(trace, when + i * slot + slot / 2);
	}
}

void makeTrace(const struct makeShape *shape, hdTopology *topology,
	       int64_t rank)
{
	int64_t records = shape->records + (rank < shape->rest);
	int64_t files =
		records - MAKE_PHASE_RECORDS - shape->steps * MAKE_STEP_RECORDS;
	int64_t solved = makeStepStart(shape, shape->steps);
	struct timespec begin = makeTime(0);
	hdTopoNode *node = makeNode(topology, rank / shape->ranksOfNode, rank);
	hdTrace *trace = hdT_createTraceAt(node, &begin);

	makeCheck(trace, "hdT_createTraceAt");
	makeCheck(hdT_setTimeBase(trace, HD_TIME_AS_GIVEN) == 0,
		  "hdT_setTimeBase");
	start(trace, "Load", 0);
	logFiles(trace, "FileRead", files / 2, 0, shape->solve);
	end(trace, shape->solve);
	start(trace, "Solve", shape->solve);
	for (int64_t step = 0; step < shape->steps; step++)
		logStep(trace, shape, rank, step);
	end(trace, solved);
	start(trace, "Write", solved);
	logFiles(trace, "FileWrite", files - files / 2, solved, shape->runtime);
	end(trace, shape->runtime);
	makeCheck(hdT_finalize(trace) == 0, "hdT_finalize");
	hdT_destroyTopoNode(node);
}
