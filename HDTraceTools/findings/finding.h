/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What is worth to be changed in a program, as data: one finding for each kind,
 * and what all time was spent on. doc/findings.md defines kinds and times.
 */
#ifndef HD_FINDING_H
#define HD_FINDING_H

#include <glib.h>

#include <hdReading.h>
#include "HDTraceTools/choice/selection.h"
#include "HDTraceTools/model/attribution.h"
#include "HDTraceTools/model/efficiency/parts.h"
#include "HDTraceTools/model/lateness/lateness.h"
#include "HDTraceTools/model/regions/sequence.h"
#include "HDTraceTools/model/profile.h"
#include "HDTraceTools/model/waits/waits.h"

/** What all time of all locations (traces) was spent on. */
struct findingsAccount {
	int64_t computation;
	int64_t waiting;
	int64_t transfer; /**< In MPI, and not waiting. */
	int64_t io;
	int64_t openmp;
	int64_t tracer;
	int64_t unknown; /**< Before and after a trace. */
	int64_t total;   /**< Of these: locations times run time. */
};

/** The part of a rank or node. */
struct findingShare {
	int64_t rank;        /**< Among all. */
	const hdINode *node; /**< Or NULL. */
	int64_t time;
};

/** Why one rank came late. */
struct findingCause {
	int64_t rank;
	const char *state; /**< NULL: outside of all. */
	double time;       /**< In ns: that others waited. */
};

/** How sure a finding is. */
struct findingConfidence {
	uint64_t unpaired; /**< Ends of messages and calls without the other. */
	int64_t clockResidual; /**< How far clocks can be apart; -1: unknown. */
	int64_t powerGaps;     /**< Of its time, that without known power. */
};

/** A finding. */
struct finding {
	enum waitKind waits; /**< WAIT_NONE: it is no wait. */
	bool isFirst;        /**< It explains others. */
	const char *kind;
	const char *partOf; /**< Or NULL. */
	const char *title;
	const char *advice;
	uint64_t count;
	int64_t time;
	struct attributionAmount energy;
	bool hasAvoidable;
	powerPico avoidable; /**< Of the energy, above idle power. */
	int64_t of;          /**< What percentages of it are of. */
	int64_t rank;        /**< In the list: what is saved, if it matters. */
	int64_t saved;       /**< Run time that is saved without it. */
	GArray *waiting;     /**< struct findingShare, most time first, ... */
	GArray *causing;     /**< ... likewise ... */
	GArray *nodes;       /**< ... and of nodes, ... */
	GArray *threads;     /**< ... and of threads. */
	GArray *causes;      /**< struct findingCause, likewise; or NULL. */
	double indirect;     /**< In ns: that ranks came late as they waited. */
	/** In ns: other causes, below 1 % or of ranks that are not known. */
	double others;
	const char *region;      /**< That all of it is in; or NULL. */
	const struct site *site; /**< That nearly all is at; or NULL. */
	GArray *iterations;      /**< guint: those with most of it; or NULL. */
	int64_t from;
	int64_t to;
	struct findingConfidence confidence;
	char *command; /**< Shows the place with most time. */
};

/** Free what is in one; for g_array_set_clear_func(). */
void findingClear(void *finding);

/** What is noted of a trace for all this. */
struct findingTrace {
	int64_t start; /**< INT64_MAX: it is empty. */
	int64_t end;
	int64_t rank; /**< Among all; -1: none. */
	/** Own time of states. */
	int64_t mpi;
	int64_t io;
	int64_t openmp;
	int64_t tracer;
	/** Of it, waiting in calls of MPI, and of these in those of files; of
	 *  OpenMP; and between these. */
	int64_t waitMpi;
	int64_t waitIo;
	int64_t waitOpenmp;
	int64_t waitIdle;
	int64_t waits[WAIT_KINDS]; /**< By kind. */
	int64_t computation;       /**< What is left, when all was read. */
};

/** Efficiencies after POP, as they are told. */
enum findingsEfficiency {
	EFFICIENCY_GLOBAL,
	EFFICIENCY_PARALLEL,
	EFFICIENCY_BALANCE,
	EFFICIENCY_COMMUNICATION,
	EFFICIENCY_SERIALISATION,
	EFFICIENCY_TRANSFER,
	EFFICIENCY_SCALING,
	EFFICIENCY_INSTRUCTIONS,
	EFFICIENCY_IPC,
	EFFICIENCY_FREQUENCY,
	EFFICIENCY_MPI_PARALLEL,
	EFFICIENCY_MPI_BALANCE,
	EFFICIENCY_MPI_COMMUNICATION,
	EFFICIENCY_OMP_PARALLEL,
	EFFICIENCY_OMP_BALANCE,
	EFFICIENCY_OMP_COMMUNICATION,
	EFFICIENCY_ENERGY,
	FINDINGS_EFFICIENCIES
};

/** Their values; NaN: not known. */
struct findingsEfficiencies {
	double values[FINDINGS_EFFICIENCIES];
};

/** What a run has to be compared with another number of ranks. */
struct findingsScale {
	uint64_t ranks;
	uint64_t threads; /**< Of all ranks. */
	int64_t runTime;
	int64_t window;      /**< That efficiencies are of. */
	double useful;       /**< Computation of all threads. */
	double energy;       /**< NaN: not known. */
	double instructions; /**< In computation; NaN: not counted. */
	double cycles;
	double speedup; /**< From the first run on. */
	bool isWeak;
	struct findingsEfficiencies efficiencies;
};

/** What would be if something was changed. */
struct findingWhatIf {
	char *spec;
	bool isKnown;
	int64_t time;   /**< Of the run. */
	int64_t low;    /**< It takes no less ... */
	int64_t high;   /**< ... and no more. */
	int64_t spared; /**< Computation of all ranks that is left out. */
	double energy;  /**< Of the run; NaN: not known. */
	const char *method;
};

/** What all waits took; what is a part of others left out. */
struct findingsWaiting {
	int64_t time;
	struct attributionAmount energy;
	powerPico avoidable;
};

/** Free one; for g_array_set_clear_func(). */
void findingWhatIfClear(void *whatIf);

/** A repetition that was found. */
struct findingsIteration {
	struct iteration time;
	struct attributionAmount energy; /**< Of nodes with traces. */
	struct efficiency efficiency;
};

/** How even iterations are. */
struct findingsIterations {
	int64_t mean;
	int64_t longest;
	guint longestPlace;
	double spread; /**< Standard deviation by mean. */
	/** How much longer the last one is than the first one, of the mean, by
	 *  a line through all. */
	double trend;
	GArray *outliers; /**< guint: those that take much longer. */
	guint first;      /**< The number of the first one that is kept. */
};

/** A named part of the program. */
struct findingsRegion {
	const struct profileState *state; /**< All of its name. */
	struct efficiency efficiency;
};

struct findings;

/** Get ready for regions and iterations, before traces are read. */
void findingsStartParts(struct findings *findings);
void findingsFreeParts(struct findings *findings);

/** All traces were read: find iterations. 0 or a negative errno. */
int findingsFindIterations(struct findings *findings);

/** Power is known: find their energy. 0 or a negative errno. */
int findingsChargeIterations(struct findings *findings);

/** Add an interval to those of the times of all iterations that it lies in. */
void findingsAddToIterations(const struct findings *findings, int64_t start,
			     int64_t end, int64_t *times);

/** Iterations that have more than twice the mean of a time, if they have half
 *  of it: array of guint; NULL: there are none. */
GArray *findingsMainIterations(const struct findings *findings,
			       const int64_t *times, int64_t time);

/** What is to be known of parts while a run is replayed; 0 or a negative errno.
 */
int findingsStartEfficiencies(struct findings *findings, int64_t from,
			      int64_t to);

/** It was replayed: take the efficiencies of iterations and phases. */
void findingsTakeEfficiencies(struct findings *findings);

/** States are known: make the list of regions. */
void findingsListRegions(struct findings *findings);

/** Note how long a trace with calls is in its regions. */
void findingsNoteRegions(struct findings *findings,
			 const struct profile *profile);

/** All was read: the efficiencies of the run. */
void findingsEndEfficiencies(struct findings *findings);

/** Those of ranks; the others are not known. */
struct findingsEfficiencies findingsEfficienciesOf(const struct efficiency *of);

/** Set those of all threads. */
void findingsEfficienciesOfAll(struct findingsEfficiencies *self,
			       const struct efficiency *of);

/** Whether there are threads that are not ranks. */
bool findingsIsHybrid(const struct findings *findings);

/** How programs read it. */
const char *findingsEfficiencyName(enum findingsEfficiency efficiency);

/** Take from findings what is compared with other runs. */
struct findingsScale findingsScaleOf(const struct findings *findings);

/** Whether the work grows with the threads. */
bool findingsScaleIsWeak(const struct findingsScale *first,
			 const struct findingsScale *last);

/** Tell how the computation scales from the first run; what is global
 *  includes it. */
void findingsScaleFrom(struct findingsScale *self,
		       const struct findingsScale *first, bool isWeak);

/** Get ready for what-if questions, before traces are read. */
void findingsStartReplay(struct findings *findings);
void findingsFreeReplay(struct findings *findings);

/** Take what belongs together; data is the struct findings. 0 or a negative
 *  errno. */
int findingsTakeMatch(const struct dependencyMatch *match, void *data);

/** All was taken: efficiencies, and what comes from replays. 0 or a negative
 *  errno. */
int findingsReplay(struct findings *findings);

/** The energy of all nodes is known. */
void findingsEndReplay(struct findings *findings);

/** The run time; 0 if there is none. */
int64_t findingsRunTime(const struct findings *findings);

/** Run time by a model, see replayRun(): what traces take less, the run does.
 */
int findingsReplayModel(const struct findings *findings,
			const struct replayModel *model, int64_t *time);

/** See that what-if questions make sense: -1, or the exit status. */
int findingsCheckWhatIf(struct findings *findings);

/** Answer them, and 0; or a negative errno. */
int findingsAnswerWhatIf(struct findings *findings);

/** The energy of all nodes is known: find that of the answers. */
void findingsChargeWhatIf(struct findings *findings);

/** Run time without the waits of a kind; WAIT_NONE: of all. */
int64_t findingsWithoutWaits(const struct findings *findings,
			     enum waitKind kind);

/** Kinds that are no waits. */
#define FINDING_IMBALANCE "imbalance"
#define FINDING_TRACER "tracer"
#define FINDING_OVERSUBSCRIPTION "oversubscription"
#define FINDING_STEAL "steal"
#define FINDING_POLLING "polling"
#define FINDING_SMALL_MESSAGES "small-messages"
#define FINDING_PLACEMENT "placement"
#define FINDING_IO_ONE_RANK "io-one-rank"
#define FINDING_TINY_COLLECTIVES "tiny-collectives"
#define FINDING_IO_SMALL "io-small"
#define FINDING_IO_REOPEN "io-reopen"
#define FINDING_SWAP "swap"
#define FINDING_THROTTLING "throttling"
#define FINDING_IDLE_POWER "idle-power"
#define FINDING_SLOW_NODE "slow-node"
#define FINDING_IMBALANCE_THREADS "imbalance-threads"
#define FINDING_IMBALANCE_NODES "imbalance-nodes"

/** The name of such a kind, from 0 on; NULL: there are no more. */
const char *findingsOtherKind(size_t number);

/** Sums of groups are known: find CPUs that are too few. */
void findingsFindResources(struct findings *findings);

/** What is noted of messages for findings of habits. */
struct habits;

struct habits *habitsNew(const hdIProject *project);
void habitsFree(struct habits *self);
/** Take what belongs together, if it ended in the time that was asked for. */
void habitsTake(struct habits *self, const struct dependencyMatch *match,
		const struct selection *selection);

/** Note a record of a trace, as far as it is in the time that was asked for;
 *  one thread for each trace. */
void habitsNote(struct habits *self, size_t trace, const hdIRecord *record,
		const struct selection *selection);

/** Find habits that cost time. */
void findingsFindHabits(struct findings *findings);

/** All was read and accounted for: find what the tracer took. */
void findingsFindTracer(struct findings *findings);

/** Take a barrier of threads, and find how unevenly these work. */
void findingsTakeTeam(struct findings *findings,
		      const struct dependencyMatch *match);
void findingsFindThreads(struct findings *findings);

/** Time in which a node swaps, and at which frequencies its CPUs work. */
struct intervals;

/** Get ready for a group; NULL: it tells nothing of this. */
struct intervals *intervalsNew(const hdIGroup *group);
void intervalsFree(struct intervals *self);
/** Take the entries of a block, as far as they are in a time. */
void intervalsTake(struct intervals *self, const hdIBlock *block,
		   const struct selection *selection);

/** All groups were read: find swapping and throttling. */
void findingsFindIntervals(struct findings *findings);

/** Waits and all energy are known: find power of ranks that wait. */
void findingsFindIdlePower(struct findings *findings);

/** Find how unevenly ranks compute. 0 or a negative errno. */
int findingsFindImbalance(struct findings *findings);

/** List a finding of the whole run, if it takes more than 1 % of all time. Its
 *  kind, texts, count, time and energy are set. Takes the shares. */
void findingsAddFinding(struct findings *findings, struct finding finding,
			GArray *waiting, GArray *causing, GArray *nodes);

/** Lists of shares with most time first, without those below 1 % of a time. */
GArray *findingShares(void);
/** Add a share, to the last one if that is of the same rank or node. */
void findingShareAdd(GArray *shares, const struct findingShare *share);
void findingSortShares(GArray *shares, int64_t time);

/** How sure all findings are; and a command that shows a time. */
struct findingConfidence findingConfidenceOf(const struct findings *findings,
					     int64_t powerGaps);
char *findingCommand(const struct findings *findings, const char *kind,
		     int64_t from, int64_t to);

/** Find waits in what pathSearchEnd() has put together, while power is known.
 *  0 or a negative errno. */
int findingsFindWaits(struct findings *findings, struct waits *waits);

/** All was read: what all time was spent on. */
void findingsAddAccount(struct findings *findings);

/** Finish the list: its order. */
void findingsSortList(struct findings *findings);

#endif
