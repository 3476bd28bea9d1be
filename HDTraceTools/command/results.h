/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Results as members of JSON and as lines, as all subcommands print them.
 */
#ifndef HD_COMMAND_RESULTS_H
#define HD_COMMAND_RESULTS_H

#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/moments.h"
#include "HDTraceTools/model/profile.h"
#include "HDTraceTools/sites/sites.h"
#include "cli/output.h"

/** Put "min" and "max" into an object: exact for integers, null if there are
 *  none, and for counters. */
void resultsPutRange(struct outJson *json, const struct moments *moments,
		     hdIType type, enum hdKind kind);

/** Put "kind" and "kind_guessed" into an object; null for strings. */
void resultsPutKind(struct outJson *json, const hdIGroup *group,
		    const hdIValue *value);

/** Put what is known of a call site into an object: "site" as text, "function",
 *  "file" and "line", "object", "build_id" and "address", "inlined_into" and
 *  "callers". */
void resultsPutSite(struct outJson *json, const struct site *site,
		    struct addresses *addresses);

/** Say what programs of call sites could not be used, as notes. */
void resultsTellSites(struct tool *tool, const hdIProject *project,
		      const struct addresses *addresses);

/** Print for people what the processor did outside of states, behind a text;
 *  nothing if none says so. */
void resultsTellOutside(const char *before,
			const struct profileEvents *outside);

#endif
