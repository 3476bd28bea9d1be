/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Results as members of JSON, as all subcommands print them.
 */
#ifndef HD_COMMAND_RESULTS_H
#define HD_COMMAND_RESULTS_H

#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/moments.h"
#include "cli/output.h"

/** Put "min" and "max" into an object: exact for integers, null if there are
 *  none, and for counters. */
void resultsPutRange(struct outJson *json, const struct moments *moments,
		     hdIType type, enum valueKind kind);

/** Put "kind" and "kind_guessed" into an object; null for strings. */
void resultsPutKind(struct outJson *json, const hdIGroup *group,
		    const hdIValue *value);

#endif
