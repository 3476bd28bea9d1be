/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the parts of hdload share: its options, and its phases.
 */
#ifndef HD_LOAD_HDLOAD_H
#define HD_LOAD_HDLOAD_H

#include <glib.h>

#include "LoadLevels/core/levels.h"
#include "LoadLevels/core/load.h"
#include "cli/options.h"

/** Exit status. */
enum hdloadStatus {
	HDLOAD_OK = 0,
	HDLOAD_INCOMPLETE = 1,
	HDLOAD_FAILED = 2,
};

/** The options; numbers that are not given are negative where 0 is valid. */
struct hdloadOptions {
	char *cpus;
	char *components;
	char *loads;
	char *staircase; /**< COMPONENT[:UP|DOWN] */
	char *operations;
	char *replay; /**< Project whose utilization is replayed. */
	char *node;   /**< Pattern of its node. */
	char *configuration;
	char *project;
	char *directory;
	char *peer;
	double load;
	double duration;
	double levelTime;
	double pause;
	double rate;
	double maxTemperature;
	double minFree; /**< In MB, as the next two. */
	double fileSize;
	double memory;
	double step; /**< In ms. */
	int levels;
	int calibrate;
	int order; /**< 0: no sequence. */
	int seed;
	gboolean isOfNode;
	gboolean isSequence;
	gboolean isSquare;
	gboolean isRandom;
	gboolean isForced;
	gboolean isNumbered;
	gboolean isQuiet;
};

/** The CPUs, as numbers. */
struct hdloadCpus {
	int list[HD_LOAD_CPUS_MAX];
	size_t count;
};

extern const struct cliCommand hdloadCommand;

/** Parse the command line. @return -1, or the exit status after a message. */
int hdloadParse(int argc, char **argv, const struct hdloadOptions **options);

/** Free what hdloadParse() took. */
void hdloadForgetOptions(void);

/**
 * Make phases of the utilization that a project measured.
 *
 * @return -1, or the exit status after a message.
 */
int hdloadReplay(const struct hdloadOptions *options, struct hdLevelJob *job);

/**
 * Find the components, and make the phases.
 *
 * @return -1, or the exit status after a message.
 */
int hdloadMakePhases(const struct hdloadOptions *options,
		     struct hdLevelJob *job);

/** Run levels of components; returns the exit status. */
int hdloadRunLevels(const struct hdloadOptions *options,
		    const struct hdloadCpus *cpus);

/** Open the file that gets edges; 0: there is none; -1 after a message. */
int hdloadOpenEdges(void);

/** Print that the file of edges could not be written. */
void hdloadSayEdgeLost(void);

/** Print that CPUs cannot be used; returns the exit status. */
int hdloadSayUnusable(int error);

#endif
