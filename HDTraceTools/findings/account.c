/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What all time of all locations was spent on; the parts add up.
 */
#include "config.h"

#include "HDTraceTools/findings/findings.h"

/** Take a part of what is left. */
static int64_t accountTake(int64_t *left, int64_t part)
{
	int64_t taken = CLAMP(part, 0, *left);

	*left -= taken;
	return taken;
}

static void accountAddTrace(struct findingsAccount *account,
			    struct findingTrace *trace, int64_t run)
{
	int64_t active =
		trace->start < trace->end ? trace->end - trace->start : 0;
	int64_t left = MIN(active, run);
	int64_t mpi, openmp, io, waits;

	account->total += run;
	account->unknown += run - left;
	account->tracer += accountTake(&left, trace->tracer);
	io = accountTake(&left, trace->io);
	mpi = accountTake(&left, trace->mpi);
	openmp = accountTake(&left, trace->openmp);
	waits = accountTake(&mpi, trace->waitMpi) +
		accountTake(&io, trace->waitIo) +
		accountTake(&openmp, trace->waitOpenmp) +
		accountTake(&left, trace->waitIdle);
	account->waiting += waits;
	account->transfer += mpi;
	account->io += io;
	account->openmp += openmp;
	account->computation += left;
	trace->computation = left;
}

void findingsAddAccount(struct findings *findings)
{
	int64_t run = findingsRunTime(findings);

	findings->account = (struct findingsAccount){ .total = 0 };
	for (size_t i = 0; i < findings->project->traceCount; i++)
		accountAddTrace(&findings->account, &findings->traces[i], run);
}
