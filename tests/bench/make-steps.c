/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plan of the steps of all ranks, so that messages fit together. */
#include "config.h"

#include <stdlib.h>

#include "tests/bench/make-project.h"

int64_t makeStepStart(const struct makeShape *shape, int64_t step)
{
	return shape->solve + step * shape->step;
}

int64_t makeComputeTime(const struct makeShape *shape, int64_t rank,
			int64_t step)
{
	double part = 0.5 + 0.2 * makeChance(shape, MAKE_RANK, rank, 0) +
		      0.15 * makeChance(shape, MAKE_STEP, rank, step);

	return (int64_t)(part * (double)shape->step);
}

int64_t makeLeftOf(const struct makeShape *shape, int64_t rank)
{
	return (rank + shape->ranks - 1) % shape->ranks;
}

int64_t makeRightOf(const struct makeShape *shape, int64_t rank)
{
	return (rank + 1) % shape->ranks;
}

struct makePlan makePlanStep(const struct makeShape *shape, int64_t rank,
			     int64_t step)
{
	struct makePlan plan = { .tick = shape->step / 1000 };
	int64_t left = makeComputeTime(shape, makeLeftOf(shape, rank), step);
	int64_t right = makeComputeTime(shape, makeRightOf(shape, rank), step);

	plan.start = makeStepStart(shape, step);
	plan.computed = plan.start + makeComputeTime(shape, rank, step);
	/* A message takes eight ticks from when it is sent. */
	plan.fromLeft = makeLater(plan.computed + 6 * plan.tick,
				  plan.start + left + 9 * plan.tick);
	plan.fromRight = makeLater(plan.fromLeft + 3 * plan.tick,
				   plan.start + right + 10 * plan.tick);
	plan.waited = plan.fromRight + 4 * plan.tick;
	return plan;
}

void makeSteps(struct makeShape *shape)
{
	shape->stepEnds = calloc((size_t)shape->steps + 1, sizeof(int64_t));
	makeCheck(shape->stepEnds, "memory");
	for (int64_t step = 0; step < shape->steps; step++) {
		for (int64_t rank = 0; rank < shape->ranks; rank++) {
			struct makePlan plan = makePlanStep(shape, rank, step);

			shape->stepEnds[step] =
				makeLater(shape->stepEnds[step],
					  plan.waited + 7 * plan.tick);
		}
	}
}
