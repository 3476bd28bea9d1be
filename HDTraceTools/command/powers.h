/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which values make up the power of nodes, as all subcommands say it: the
 * option
 * --verbose, lines of text, and JSON.
 */
#ifndef HD_COMMAND_POWERS_H
#define HD_COMMAND_POWERS_H

#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/model/power/choice.h"

/** Option for toolParse(); its letter is 0 where that was once another one's.
 */
#define POWERS_ENTRY(letter, isVerbose)                                   \
	{                                                                 \
		"verbose", letter, 0, G_OPTION_ARG_NONE, isVerbose,       \
			"List the values that make up the power of each " \
			"node, "                                          \
			"and the omitted ones",                           \
			NULL                                              \
	}

/** Which values that tell power are left out. */
enum powersLeftOut {
	POWERS_FAULTS, /**< Those with a fault. */
	POWERS_ALL,
};

/** Print the values of a node that count: "P_package-0 + P_gpu-0". */
void powersPrintCounted(const hdIProject *project,
			const struct powerChoice *choice, const hdINode *node);

/** Print the values of a node that do not count, with the reasons, each behind
 *  a text: the first one, or that between them. Returns whether there are any.
 */
bool powersPrintLeftOut(const hdIProject *project,
			const struct powerChoice *choice, const hdINode *node,
			enum powersLeftOut which, const char *before);

/** Print a line for each node: its power, and what is left out of it. */
void powersPrint(const hdIProject *project, const struct powerChoice *choice);

/** Put an array "power_choice" of all nodes into an object. */
void powersPut(struct outJson *json, const hdIProject *project,
	       const struct powerChoice *choice);

/** Put an array "energy_left_out" of a group into an object, if there is any.
 */
void powersPutLeftOut(struct outJson *json, const struct powerGroup *group);

#endif
