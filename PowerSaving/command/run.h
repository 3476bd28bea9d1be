/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A command that runs with settings, and its decisions.
 */
#ifndef HD_POWER_RUN_H
#define HD_POWER_RUN_H

#include "LoadLevels/core/loadrecord.h"
#include "PowerSaving/command/hdpower.h"
#include "PowerSaving/command/plan.h"

#define RUN_TOOL "hdpower run"

/** What was asked for. */
struct runOptions {
	char *root;
	char *policy, *set, *slowdown, *limit, *usage;
	char *project, *configuration;
	gboolean applies, isForced, isVerbose, isQuiet;
};

/** Policies, by their index in --policy. */
enum runPolicy { RUN_FIXED, RUN_MIN_ENERGY, RUN_MIN_TIME };

/** A setting that was, or would be, changed. */
struct runChange {
	char *path, *old, *now;
};

/** The run. */
struct run {
	const struct runOptions *options;
	const char *root;
	int policy;
	struct hdSettingValues values; /**< That hold now. */
	GPtrArray *usage;              /**< NULL: none. */
	struct powerPlan plan;
	struct powerLink link; /**< fd -1: a dry run. */
	struct hdLoadRecord *record;
	GArray *changes; /**< struct runChange, that hold now. */
	char *error;     /**< Why the service refused the last lease. */
	bool hasPlan;    /**< The state Plan is open. */
	char *phase;     /**< That goes on; NULL: none yet. */
	bool isTold;     /**< The program names its phases. */
	struct recognizer *recognizer; /**< NULL: none. */
	/* The thread that follows phases: */
	GThread *thread;
	int phasesFd, wakeFd;
	char *phases; /**< Name of the socket. */
};

/** Name of the policy. */
const char *runPolicyName(const struct run *self);

/** Get, or in a dry run find out, what values change; 0 or an exit status after
 *  a message. */
int runApply(struct run *self, const struct hdSettingValues *values);

/** End the states of decisions. */
void runForget(struct run *self);

/** Record what a plan expects, if there is one. */
void runRecordPlan(struct run *self);

/** Record that a phase begins; decisions go on. */
void runRecordPhase(struct run *self, const char *name);

/** End the states of phases and of the plan. */
void runRecordEnd(struct run *self);

/** Recognises phases by the utilization that libRUT measures. */
struct recognizer;

/** Time between two looks at the utilization, in ms. */
#define RUN_RECOGNIZE_MS 200

/** Start; NULL: the usage has no utilization, or libRUT measures none. */
struct recognizer *recognizerNew(const char *root, const GPtrArray *usage);

/** Free it; NULL does nothing. */
void recognizerFree(struct recognizer *self);

/** Find the phase that goes on, with this clock, by its number in the usage;
 *  -1: it is not clear. */
int recognizerLook(struct recognizer *self, double mhz);

/** Listen for phases, in the environment of the command; whether that works. */
bool runFollowPhases(struct run *self);

/** Stop to listen. */
void runEndPhases(struct run *self);

/** Clocks that the CPUs offer, in MHz. */
GArray *runClocks(const char *root);

#endif
