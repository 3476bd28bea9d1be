/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Efficiencies as they are told: those of ranks, of all threads, and how the
 * computation scales from another run.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/findings/findings.h"

/** Useful computation of a thread in the time that counts. */
static int64_t efficienciesUseful(const struct findings *findings, size_t trace)
{
	int64_t useful = findings->traces[trace].computation;

	/* Threads without calls do nothing before and after it. */
	if (callsOf(findings->calls, trace)->count == 0)
		return useful;
	useful -=
		replayUseful(findings->replay, trace, findings->selection.start,
			     findings->selection.end);
	useful +=
		replayUseful(findings->replay, trace, findings->efficiencyFrom,
			     findings->efficiencyTo);
	return MAX(useful, 0);
}

/** Whether threads of OpenMP work beside those that call MPI. */
static bool efficienciesHasThreads(const struct findings *findings)
{
	for (size_t i = 0; i < findings->project->traceCount; i++) {
		const struct findingTrace *trace = &findings->traces[i];

		if (trace->openmp || trace->waitIdle)
			return true;
	}
	return false;
}

/** Of all threads. */
static struct efficiency efficienciesOfThreads(const struct findings *findings)
{
	struct efficiencySums sums = {
		.time = isnan(findings->efficiency.parallel)
				? findings->profile->end -
					  findings->profile->start
				: findings->efficiency.time,
	};

	for (size_t i = 0; i < findings->project->traceCount; i++) {
		int64_t useful;

		if (findings->traces[i].start >= findings->traces[i].end)
			continue;
		useful = efficienciesUseful(findings, i);
		sums.useful += (double)useful;
		sums.largest = MAX(sums.largest, useful);
		sums.ranks++;
	}
	return efficiencyOf(&sums);
}

struct findingsEfficiencies findingsEfficienciesOf(const struct efficiency *of)
{
	struct findingsEfficiencies self;

	for (size_t i = 0; i < FINDINGS_EFFICIENCIES; i++)
		self.values[i] = NAN;
	self.values[EFFICIENCY_SERIALISATION] = of->serialisation;
	self.values[EFFICIENCY_TRANSFER] = of->transfer;
	self.values[EFFICIENCY_MPI_PARALLEL] = of->parallel;
	self.values[EFFICIENCY_MPI_BALANCE] = of->loadBalance;
	self.values[EFFICIENCY_MPI_COMMUNICATION] = of->communication;
	return self;
}

void findingsEfficienciesOfAll(struct findingsEfficiencies *self,
			       const struct efficiency *of)
{
	self->values[EFFICIENCY_PARALLEL] = of->parallel;
	self->values[EFFICIENCY_BALANCE] = of->loadBalance;
	self->values[EFFICIENCY_COMMUNICATION] = of->communication;
	/* A run by itself is what others scale from. */
	self->values[EFFICIENCY_SCALING] = isnan(of->parallel) ? NAN : 1;
	self->values[EFFICIENCY_GLOBAL] = of->parallel;
}

bool findingsIsHybrid(const struct findings *findings)
{
	return findings->isHybrid;
}

void findingsEndEfficiencies(struct findings *findings)
{
	const struct efficiency *ranks = &findings->efficiency;
	struct findingsEfficiencies *all = &findings->efficiencies;
	struct efficiency threads;

	*all = findingsEfficienciesOf(ranks);
	all->values[EFFICIENCY_ENERGY] = findings->energyEfficiency;
	findings->isHybrid = efficienciesHasThreads(findings);
	if (!findings->isHybrid)
		findingsEfficienciesOfAll(all, ranks);
	if (!findings->isHybrid)
		return;
	threads = efficienciesOfThreads(findings);
	findingsEfficienciesOfAll(all, &threads);
	if (isnan(ranks->parallel)) {
		/* Without MPI all is of threads. */
		all->values[EFFICIENCY_OMP_PARALLEL] = threads.parallel;
		all->values[EFFICIENCY_OMP_BALANCE] = threads.loadBalance;
		all->values[EFFICIENCY_OMP_COMMUNICATION] =
			threads.communication;
		return;
	}
	all->values[EFFICIENCY_OMP_PARALLEL] =
		threads.parallel / ranks->parallel;
	all->values[EFFICIENCY_OMP_BALANCE] =
		threads.loadBalance / ranks->loadBalance;
	all->values[EFFICIENCY_OMP_COMMUNICATION] =
		threads.communication / ranks->communication;
}

const char *findingsEfficiencyName(enum findingsEfficiency efficiency)
{
	static const char *const names[FINDINGS_EFFICIENCIES] = {
		[EFFICIENCY_GLOBAL] = "global",
		[EFFICIENCY_PARALLEL] = "parallel",
		[EFFICIENCY_BALANCE] = "load_balance",
		[EFFICIENCY_COMMUNICATION] = "communication",
		[EFFICIENCY_SERIALISATION] = "serialisation",
		[EFFICIENCY_TRANSFER] = "transfer",
		[EFFICIENCY_SCALING] = "computation_scaling",
		[EFFICIENCY_INSTRUCTIONS] = "instruction_scaling",
		[EFFICIENCY_IPC] = "ipc_scaling",
		[EFFICIENCY_FREQUENCY] = "frequency_scaling",
		[EFFICIENCY_MPI_PARALLEL] = "mpi_parallel",
		[EFFICIENCY_MPI_BALANCE] = "mpi_load_balance",
		[EFFICIENCY_MPI_COMMUNICATION] = "mpi_communication",
		[EFFICIENCY_OMP_PARALLEL] = "openmp_parallel",
		[EFFICIENCY_OMP_BALANCE] = "openmp_load_balance",
		[EFFICIENCY_OMP_COMMUNICATION] = "openmp_communication",
		[EFFICIENCY_ENERGY] = "energy",
	};

	return names[efficiency];
}

/* ---- Scaling --------------------------------------------------------------
 */

struct findingsScale findingsScaleOf(const struct findings *findings)
{
	const struct profileEvents outside = profileOutside(findings->profile);
	struct findingsScale scale = {
		.runTime = findingsRunTime(findings),
		.window = isnan(findings->efficiency.parallel)
				  ? findingsRunTime(findings)
				  : findings->efficiency.time,
		.energy = findings->energy.isKnown ? findings->energy.joules
						   : NAN,
		.instructions = NAN,
		.cycles = NAN,
		.efficiencies = findings->efficiencies,
	};

	for (size_t i = 0; i < findings->project->traceCount; i++) {
		const struct findingTrace *trace = &findings->traces[i];

		if (trace->start >= trace->end)
			continue;
		scale.useful += (double)efficienciesUseful(findings, i);
		scale.ranks += callsOf(findings->calls, i)->count > 0;
		scale.threads++;
	}
	if (outside.both) {
		scale.instructions = (double)outside.bothInstructions;
		scale.cycles = (double)outside.bothCycles;
	}
	return scale;
}

bool findingsScaleIsWeak(const struct findingsScale *first,
			 const struct findingsScale *last)
{
	double more = (double)last->threads / (double)first->threads;

	/* Nearer to as much work of each as to as much in all. */
	return last->useful / first->useful > sqrt(more);
}

void findingsScaleFrom(struct findingsScale *self,
		       const struct findingsScale *first, bool isWeak)
{
	double *values = self->efficiencies.values;
	/* The part of the first run's work that a thread has. */
	double more =
		isWeak ? (double)self->threads / (double)first->threads : 1;

	self->isWeak = isWeak;
	self->speedup = (double)first->window / (double)self->window;
	if (isnan(values[EFFICIENCY_PARALLEL]) || self->useful <= 0)
		return;
	values[EFFICIENCY_SCALING] = first->useful * more / self->useful;
	values[EFFICIENCY_GLOBAL] =
		values[EFFICIENCY_PARALLEL] * values[EFFICIENCY_SCALING];
	values[EFFICIENCY_INSTRUCTIONS] =
		first->instructions * more / self->instructions;
	values[EFFICIENCY_IPC] = self->instructions / self->cycles /
				 (first->instructions / first->cycles);
	values[EFFICIENCY_FREQUENCY] =
		self->cycles / self->useful / (first->cycles / first->useful);
}
