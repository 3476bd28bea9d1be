/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Options of hdpredict map and simulate that choose a mapping.
 */
#ifndef HD_PREDICT_MAPCHOICE_H
#define HD_PREDICT_MAPCHOICE_H

#include <inttypes.h>

#include "PredictionLibrary/command/hdpredict.h"

/** What was asked for. */
struct mapChoice {
	char *map, *use, *nodes, *cost, *parts;
	double budget;
	gint64 seed, steps;
	gboolean ignoresMap;
};

/** Options, without those that have other meanings, too: --map, --seed. */
#define MAP_CHOICE_OPTIONS(choice)                                            \
	{ "use",                                                              \
	  0,                                                                  \
	  0,                                                                  \
	  G_OPTION_ARG_STRING,                                                \
	  &(choice)->use,                                                     \
	  "Patterns of PE names that mappings may use, such as "              \
	  "'XU4-*,ATB-1.*'",                                                  \
	  "PATTERN" },                                                        \
		{ "nodes",                                                    \
		  'n',                                                        \
		  0,                                                          \
		  G_OPTION_ARG_STRING,                                        \
		  &(choice)->nodes,                                           \
		  "Nodes that are switched on: the first N, or patterns "     \
		  "of their names (default: all)",                            \
		  "N|PATTERN" },                                              \
		{ "parts",                                                    \
		  0,                                                          \
		  0,                                                          \
		  G_OPTION_ARG_STRING,                                        \
		  &(choice)->parts,                                           \
		  "For --map FILE: meaning of the parts, nodes or pes "       \
		  "(default: nodes)",                                         \
		  "WHAT" },                                                   \
		{ "cost",                                                     \
		  0,                                                          \
		  0,                                                          \
		  G_OPTION_ARG_STRING,                                        \
		  &(choice)->cost,                                            \
		  "For --map anneal: time, energy, edp, 'energy at "          \
		  "time<=T' or 'time at power<=W'",                           \
		  "COST" },                                                   \
		{ "budget",                                                   \
		  0,                                                          \
		  0,                                                          \
		  G_OPTION_ARG_DOUBLE,                                        \
		  &(choice)->budget,                                          \
		  "For --map anneal: seconds (default: by --steps)",          \
		  "SECONDS" },                                                \
		{ "steps",                                                    \
		  0,                                                          \
		  0,                                                          \
		  G_OPTION_ARG_INT64,                                         \
		  &(choice)->steps,                                           \
		  "For --map anneal: steps (default: by the size of the "     \
		  "graph)",                                                   \
		  "N" },                                                      \
	{                                                                     \
		"ignore-map", 0, 0, G_OPTION_ARG_NONE, &(choice)->ignoresMap, \
			"Replace the mapping of the graph; otherwise mapped " \
			"tasks stay",                                         \
			NULL                                                  \
	}

/**
 * Check the options.
 *
 * @param isGivenAllowed Whether --map given is one of them.
 * @param[out] mapping What is to be done.
 * @param[out] isGiven Nothing: the graph has a mapping.
 * @return Exit status.
 */
int mapChoiceCheck(struct predict *predict, const struct mapChoice *choice,
		   const char *map, bool isGivenAllowed, hdPMapping *mapping,
		   bool *isGiven);

/** Costs that --cost names, for messages. */
extern const char mapChoiceCosts[];

/** Read a cost; false: it is not one. */
bool mapChoiceReadCost(const char *text, hdPMapping *mapping);

/** That a mapping is ignored: its tasks, a plural. */
#define MAP_CHOICE_IGNORED \
	"the mapping of %" PRId64 " task%s in the graph is ignored"

/** A selection of nodes that selects none: its name, itself, nodes. */
#define MAP_CHOICE_NO_NODES \
	"%s: \"%s\" does not select nodes; the platform has %" PRId64

/** Switch off nodes that --nodes does not select. @return Exit status. */
int mapChoiceSelect(struct predict *predict, const struct mapChoice *choice,
		    hdPPlatform *platform);

/** Map a graph; that its mapping is replaced is said. @return Exit status. */
int mapChoiceRun(struct predict *predict, const struct mapChoice *choice,
		 const hdPMapping *mapping, hdPGraph *graph,
		 const hdPPlatform *platform, const hdPResources *resources);

#endif
