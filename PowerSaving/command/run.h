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

/** Listen for phases, in the environment of the command; whether that works. */
bool runFollowPhases(struct run *self);

/** Stop to listen. */
void runEndPhases(struct run *self);

/** Clocks that the CPUs offer, in MHz. */
GArray *runClocks(const char *root);

#endif
