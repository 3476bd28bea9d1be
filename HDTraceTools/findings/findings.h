/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What is found out about a project, as data: hdtrace report prints it, and
 * pages show it.
 */
#ifndef HD_FINDINGS_H
#define HD_FINDINGS_H

#include "HDTraceTools/command/attributionoption.h"
#include "HDTraceTools/command/core/delayoption.h"
#include "HDTraceTools/command/phaseoptions.h"
#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/command/select.h"
#include "HDTraceTools/command/windowoption.h"
#include "HDTraceTools/findings/finding.h"
#include "HDTraceTools/model/causes/criticalpath.h"
#include "HDTraceTools/model/kernels.h"
#include "HDTraceTools/model/layers/outliers.h"
#include "HDTraceTools/model/power/choice.h"
#include "HDTraceTools/model/profile.h"
#include "HDTraceTools/model/regions/period.h"
#include "HDTraceTools/model/relations/inferred.h"
#include "HDTraceTools/model/relations/sums.h"
#include "HDTraceTools/model/summary.h"
#include "HDTraceTools/model/units.h"
#include "cli/known.h"

/** So many gaps, late samples and messages are kept of each kind and file. */
#define FINDINGS_KEPT 10000

/** An interval that a group has no entry for, or a single one where there
 *  should be several. */
struct findingsSpan {
	int64_t start;
	int64_t end;
};

/** Some of them, and how many there were. */
struct findingsSpans {
	GArray *list; /**< struct findingsSpan, at most FINDINGS_KEPT, or NULL.
		       */
	uint64_t count;
	int64_t total; /**< Their length. */
};

/** Energy of a node, from all its values that tell it. */
struct findingsEnergy {
	bool isKnown;
	bool isSimulated;
	bool hasBound;
	double joules;
	double bound;
	double watts;       /**< The sum of the means of its values. */
	double seconds;     /**< The longest that one of its values is known. */
	struct known known; /**< That all of its values are. */
};

/** What a value of a group amounts to. */
struct findingsValue {
	struct momentsResult result;
	struct bound bound;
	/** What is integrated or summed: energy, X of X/s, deltas, and what
	 *  counters grew by; NaN if there is no sense in a total. */
	double total;
	double totalBound;  /**< By how much it can be off; NaN: not known. */
	char *totalUnit;    /**< NULL if there is no total. */
	double rate;        /**< Of deltas and counters; else NaN. */
	char *rateUnit;     /**< Likewise; else NULL. */
	struct known known; /**< Of the run. */
};

/** What the entries of a group amount to. */
struct findingsGroup {
	const hdIGroup *group;
	uint64_t entries;
	int64_t start;
	int64_t end;
	int64_t usual; /**< Length of most intervals; 0 if not known. */
	int64_t shortest;
	enum hdKind *kinds;           /**< One for each value ... */
	bool *isGuessed;              /**< ... and those not in the file. */
	struct moments *moments;      /**< Likewise. */
	struct findingsValue *values; /**< Likewise, when all was read. */
	uint64_t interruptions;       /**< Those while it was recorded. */
	struct intervals *intervals;  /**< Or NULL. */
	struct findingsSpans gaps;    /**< These, and before and after it. */
	struct findingsSpans late;
	const bool *isPower; /**< Values from which the energy of the node is
			      *   derived. */
	const struct powerLeftOut *leftOut; /**< Others that tell power. */
	size_t powerCount;
	bool isFirst; /**< Of the groups that tell the power of the node. */
	struct findingsEnergy energy; /**< When all was read. */
	size_t energyIndex;  /**< Its place in findingsPhase::groups. */
	bool countsForTotal; /**< No node above has such values. */
	struct powerSeries
		*series; /**< Of the node; while traces are read ... */
	/** ... and what relations leave of it for ranks; NULL: all. */
	struct powerSeries *rest;
	size_t traces; /**< ... whose energy it tells. */
	size_t tracesRead;
	powerPico relations; /**< What relations are charged with ... */
	powerPico charged;   /**< ... and what these and traces are. */
	powerPico drawn;     /**< Its energy. */
	/** Of some groups: what may tell iterations; or NULL. */
	struct period *powerPeriod;
	struct period *busyPeriod;
};

/** By which value of a node iterations were found. */
struct findingsSeries {
	const hdINode *node; /**< NULL: by none. */
	const char *name;    /**< "power", or the name of the value. */
	double strength;     /**< Autocorrelation at the period. */
	double part;         /**< What is periodic of the value. */
};

/** The rule that was asked for, and the other one. */
enum { FINDINGS_RULE, FINDINGS_OTHER, FINDINGS_RULES };

/** What time is spent on: calls of MPI, of which those that access files are
 * apart; the tracer; and all else. */
enum findingsKind {
	FINDINGS_COMPUTATION,
	FINDINGS_MPI,
	FINDINGS_IO,
	FINDINGS_TRACER,
	FINDINGS_WORKS
};

/** Time and energy that was spent on one of these. */
struct findingsWork {
	int64_t time;
	struct attributionAmount amount;
};

/** What a rank took; where there are no ranks, what a node with traces did. */
struct findingsRank {
	const hdINode *node;
	uint64_t states; /**< Of all its traces. */
	int64_t start; /**< Of its first record; INT64_MAX if there is none. */
	int64_t end;
	/** That it is charged with, and for how long that is known: of several
	 *  traces the longest. */
	struct attributionAmount amounts[FINDINGS_RULES];
	struct findingsWork works[FINDINGS_WORKS]; /**< Of all its traces. */
};

/** A phase, or all of one name. */
struct findingsPhase {
	const char *name;
	uint64_t occurrences;
	int64_t start;
	int64_t end;
	int64_t length;
	struct findingsEnergy energy;  /**< Of all nodes. */
	struct findingsEnergy *groups; /**< Of each group that tells energy. */
	struct efficiency efficiency;
};

/** The phases that drew most; NULL if there are fewer than two to compare. */
struct findingsMost {
	const struct findingsPhase *power; /**< On average. */
	const struct findingsPhase *energy;
};

/** A message, copied. */
struct findingsDiagnostic {
	hdISeverity severity;
	char *rule;
	char *file;
	int64_t offset;
	char *text;
};

/** Different messages. */
struct findingsDiagnostics {
	GArray *list; /**< struct findingsDiagnostic, at most FINDINGS_KEPT. */
	GHashTable *seen;
	uint64_t count;
};

/** What caused what; nothing is there without relations. */
struct findingsRelations {
	struct forest *forest; /**< From findingsStart() on, or NULL. */
	struct joules *joules;
	/** When all was read; NULL: that failed. */
	struct relationSums *sums;
	/** Causes that were inferred, which are none of the forest's. */
	struct inferred *inferred;
	GArray *slowest;  /**< uint32_t: numbers, the slowest first. */
	powerPico energy; /**< What all are charged with. */
};

struct findings {
	struct tool *tool;
	const hdIProject *project;
	int64_t start; /**< Of everything; INT64_MAX if there is nothing. */
	int64_t end;
	int64_t size; /**< Of all files. */
	struct findingsGroup *groups;
	/** Of all traces; its sources are energy as the rule divides it, and as
	 *  the other rule does. */
	struct profile *profile;
	/** Its states, by own time and by own energy, the largest first; of the
	 *  same, as they are met, and as they are by time. */
	GPtrArray *byTime;
	GPtrArray *byEnergy;
	/** Call sites: struct profileSite of the profile, by own time, the
	 *  largest first; and what they are in the source. */
	GPtrArray *sites;
	struct addresses *addresses;
	GArray *ranks; /**< struct findingsRank, as they are met. */
	struct findingTrace *traces; /**< By their places in the project. */
	GHashTable *steps;           /**< Traces to struct clockSteps. */
	GArray *list;                /**< struct finding, what is worth most
				      *   first. */
	struct findingsAccount account;
	/* Of replays: from findingsStart() on. */
	struct calls *calls;
	struct calls **named; /**< States of what-if questions, or NULL. */
	struct events events;
	struct replay *replay;
	struct waits *waits;
	/** With keepsAllWaits: of waitSorterNew(), when all was read. Those of
	 * the whole run, as pages show all of it, whatever was selected. */
	struct sorter *allWaits;
	struct lateness *lateness;
	struct efficiency efficiency; /**< When all was read: of ranks, ... */
	int64_t efficiencyFrom;       /**< ... in this time. */
	int64_t efficiencyTo;
	struct findingsEfficiencies efficiencies;
	bool isHybrid;           /**< Threads work, too. */
	double energyEfficiency; /**< NaN: not known. */
	GArray *whatIf;          /**< struct findingWhatIf, likewise. */
	struct findingsWaiting waiting;
	struct habits *habits; /**< From findingsStart() on. */
	int64_t *teamTimes;    /**< By trace: by how much it came later to
				*   barriers of threads than the mean. */
	uint64_t teamCount;
	/* Parts of the run: from findingsStart() on. */
	struct regions *regions;
	GHashTable *regionTimes;     /**< Names to what ranks had of them. */
	GArray *regionList;          /**< struct findingsRegion, when all was
				      *   read: most time first. */
	uint32_t sequenceTrace;      /**< Where iterations are looked for. */
	struct sequence *sequence;   /**< What it does. */
	GArray *iterations;          /**< struct findingsIteration */
	const char *iterationRegion; /**< That they are; or NULL. */
	struct findingsSeries iterationSeries;
	struct findingsIterations evenness;
	struct efficiencyParts *parts; /**< While a run is replayed. */
	/** What traces did outside of states, while they were active. */
	int64_t outsideTime;
	struct attributionAmount outside[FINDINGS_RULES];
	GArray *phases; /**< struct findingsPhase */
	struct findingsMost most;
	struct findingsEnergy energy; /**< Of all nodes. */
	size_t energyCount;           /**< Groups that tell energy. */
	/** Of the energy of all that count for the total, what nobody is
	 *  charged with, by whatever group: less than 0 where nodes tell less
	 *  than those below them. */
	powerPico unattributed;
	struct powerChoice *powers;
	struct findingsRelations relations;
	/** What is pending in layers; NULL: there are none. */
	struct layers *layers;
	GArray *outliers; /**< When all was read: of outliersFind(). */
	GPtrArray *out;   /**< Of outliersOut(). */
	/** From findingsStart() on; NULL if nothing tells energy. */
	struct attribution *attribution;
	/** By the other rule; NULL if that says the same. */
	struct attribution *other;
	struct criticalPath *path; /**< When all was read. */
	/** What probes of programs counted: struct kernel, when all was read;
	 *  and of the energy of their nodes, what no kernel is charged with. */
	GArray *kernels;
	powerPico kernelsRest;
	int64_t tracerNs; /**< CPU time of the tracer; -1 if not known. */
	/** Of the time of MPI calls, what their tracing took; -1 if not known.
	 */
	int64_t callsNs;
	int64_t tracerLate;
	struct findingsDiagnostics diagnostics;

	/** Only what tells power is wanted, and no relations. */
	bool isPowerOnly;
	bool keepsAllWaits; /**< Pages have all waits. */

	/* Options. */
	struct phaseOptions phaseOptions;
	struct windowOption window; /**< That pages begin with. */
	char *power;
	char *ruleText;        /**< Of ATTRIBUTION_ENTRY(), if it is offered. */
	gboolean isAsRecorded; /**< Of DELAY_ENTRY(). */
	/** Of a node, in W; less than 0: not known. */
	double idlePower;
	char **questions;  /**< What-if; or NULL. */
	char *waitingText; /**< How ranks wait then; or NULL: busy. */
	/** The time that was asked for: all, if there are no options. */
	struct selection selection;
	struct phases selected; /**< The same, as a phase. */
	enum attributionRule rule;
	struct phases phaseList;
	bool hasPhases;
};

/* ---- findings.c -------------------------------------------------------- */

/** Options of all that finds, for toolParse(); no terminator. */
#define FINDINGS_ENTRIES(findings)                                           \
	PHASE_ENTRIES(&(findings)->phaseOptions),                            \
		PHASE_ENTRY_BY_NAME(&(findings)->phaseOptions),              \
		WINDOW_ENTRY(&(findings)->window),                           \
		DELAY_ENTRY(&(findings)->isAsRecorded),                      \
	{                                                                    \
		"power", 0, 0, G_OPTION_ARG_FILENAME, &(findings)->power,    \
			"Values from which to compute the energy of a node", \
			"PATTERN"                                            \
	}

/** Whether only a part of the time was asked for. */
static inline bool findingsIsPart(const struct findings *findings)
{
	return findings->selection.from || findings->selection.to;
}

/** Start with nothing, before options are parsed. */
void findingsInit(struct findings *findings, struct tool *tool);

/** Free what findingsInit(), options and messages took. */
void findingsClear(struct findings *findings);

/** See that these options make sense, those of pages too if one is asked for:
 *  -1, or the exit status. */
int findingsCheckOptions(struct findings *findings, bool isPage);

/** Open a project whose messages become a part of the report; NULL: it was said
 *  why not. */
hdIProject *findingsOpen(struct findings *findings, const char *path);

/**
 * Get ready to report a project: its phases, and whose power counts.
 *
 * @return 0, or -1 after an error, which was said; findingsEnd() in both cases.
 */
int findingsStart(struct findings *findings, const hdIProject *project);

/** Read everything. */
void findingsRead(struct findings *findings);

/** The states of a profile, most own time first; of a part of the time, those
 *  that are in it. The list is to be freed, the states stay the profile's. */
GPtrArray *findingsListStates(const struct profile *profile, bool isPart);

/** Free what findingsStart() and findingsRead() took. */
void findingsEnd(struct findings *findings);

/* ---- energy.c ---------------------------------------------------- */

/** Choose the values that tell the energy of nodes. */
void findingsChoosePowers(struct findings *findings);

/** The group that stands for the power of the nearest node, from one upwards;
 * or NULL. */
struct findingsGroup *findingsPowerOf(const struct findings *findings,
				      const hdINode *node);

/** Energy of a node, by all groups that tell its power, when all was read. */
struct findingsEnergy findingsNodeEnergy(const struct findings *findings,
					 const hdINode *node);

/** Likewise, in a phase. */
struct findingsEnergy findingsPhaseEnergy(const struct findings *findings,
					  const struct findingsPhase *phase,
					  const hdINode *node);

/** Energy of a group in a slot of moments, as told by its power values. */
struct findingsEnergy findingsGroupEnergy(const struct findingsGroup *group,
					  const struct moments *moments);

/** Say how long the time was that an energy is of. */
void findingsEnergyOver(struct findingsEnergy *energy, int64_t durationNs);

/** Add energies of different nodes. */
void findingsEnergyAdd(struct findingsEnergy *sum,
		       const struct findingsEnergy *energy);

/** Mean power while it is known; NaN if that is not enough for a mean. */
double findingsWatts(const struct findingsEnergy *energy);

/** Find what a value of a group amounts to in a run; its units are to be
 *  freed. */
struct findingsValue findingsValueOf(const struct findingsGroup *group,
				     size_t value, int64_t runNs);

/** Find the phases that drew most. */
struct findingsMost findingsFindMost(const struct findings *findings);

/* ---- series.c ---------------------------------------------------------- */

/** Choose the values that may tell iterations. */
void findingsStartSeries(struct findings *findings);

/** Free what a group has of them. */
void findingsFreeSeries(struct findingsGroup *group);

/** Take how busy the CPUs are, of entries. */
void findingsTakeBusy(struct findingsGroup *group, const hdIBlock *block);

/** Take the power, when all entries were read; 0 or a negative errno. */
int findingsTakePower(struct findingsGroup *group,
		      const struct powerSeries *series);

/** Find iterations by the period of the one that has most of it: array of
 * struct iteration; NULL: there are none. */
GArray *findingsFindPeriod(struct findings *findings);

/* ---- counters.c -------------------------------------------------- */

/** What hardware counters of a node amount to (rut -s hw); NaN is unknown. */
struct findingsCounters {
	double instructions;
	double cycles;
	struct known known; /**< Of these two. */
	double traffic;     /**< Bytes from and to memory. */
	bool isOfMisses;    /**< As misses of the last cache tell them. */
	/** Of the node's energy: each over the time in which it is known; NaN
	 *  where either is not known for at least half of the run. */
	double bytesPerJoule;
	/** Of the traffic, and of the energy if that is known at all. */
	struct known trafficKnown;
};

/** Get them, when all was read; false if the group has none. */
bool findingsCountersOf(const struct findings *findings,
			const struct findingsGroup *group,
			struct findingsCounters *counters);

/* ---- group.c ----------------------------------------------------- */

/**
 * Go through the entries of a group; any thread.
 *
 * @param sink Takes the diagnostics.
 * @param[out] spoolError Negative errno of a temporary file, if it failed.
 *
 * @retval 0 Success, as far as messages say.
 * @return A negative errno.
 */
int findingsReadGroup(struct findings *findings, struct findingsGroup *group,
		      const struct diagnosticSink *sink, int *spoolError);

/** The time of the run is known: what the group misses at its ends are gaps,
 *  too. */
void findingsEndGaps(const struct findings *findings,
		     struct findingsGroup *group);

/** What a group tells is divided between relations and ranks, if it tells
 *  power and there are relations; any thread. 0, or the negative errno of a
 *  temporary file. */
int findingsDivide(struct findings *findings, struct findingsGroup *group);

/** What ranks get together of what a group tells. */
static inline const struct powerSeries *findingsOfRanks(
	const struct findingsGroup *group)
{
	return group->rest ? group->rest : group->series;
}

/** Whether anything is unattributed that matters: what is too little to be
 *  divided among relations is always. */
static inline bool findingsIsUnattributed(const struct findings *findings)
{
	return findings->unattributed >
	       (findings->relations.joules ? 1000000 : 0);
}

/* ---- relationcosts.c ------------------------------------------------- */

/** So many are kept as the slowest. */
#define FINDINGS_SLOWEST 10

/** Read the relations of the project. */
void findingsStartRelations(struct findings *findings);

/** Their energy was divided: add them up. */
void findingsEndRelations(struct findings *findings);

void findingsFreeRelations(struct findings *findings);

/* ---- work.c ------------------------------------------------------ */

/** For each trace the group that tells its power, at the nearest node; or
 *  NULL. To be freed with g_free(). */
struct findingsGroup **findingsFindPowers(const struct findings *findings);

/** Read all groups and traces. */
void findingsReadAll(struct findings *findings);

/** Takes what is wrong with the project; data is the struct findings. */
void findingsTakeDiagnostic(const hdIMessage *message, void *data);

/** So many more bytes are done; any thread. */
void findingsProgress(struct findings *findings, int64_t bytes);

/* ---- diagnostics.c -------------------------------------------------- */

void findingsDiagnosticsInit(struct findingsDiagnostics *messages);
void findingsDiagnosticsFree(struct findingsDiagnostics *messages);

/** Keep a message; false if it is known, since files may be read twice. */
bool findingsDiagnosticsAdd(struct findingsDiagnostics *messages,
			    const hdIMessage *message);

#endif
