/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: tables of an interval, made in the background and kept: the
 * states, and the messages between pairs of ranks. A page asks for one again
 * and again until it is complete; a table that no page asks for is given up.
 */
#ifndef HD_VIEWTABLES_H
#define HD_VIEWTABLES_H

#include <glib.h>
#include <inttypes.h>

#include "HDTraceTools/findings/findings.h"

struct viewTables;

/** Get ready for a project. @param findings After findingsStart(). */
struct viewTables *viewTablesNew(const struct findings *findings);

/** Start to make what is asked for, when signals are blocked. */
void viewTablesStart(struct viewTables *self);

/** End all work, and free it; NULL does nothing. */
void viewTablesFree(struct viewTables *self);

/** What a table is of. */
enum viewTable { VIEW_STATES, VIEW_PAIRS };

/**
 * Append JSON with what is known of an interval so far; any thread.
 *
 * @param start With @p end: ]start, end], in ns since 1970.
 *
 * @retval 0 The table is complete, or failed.
 * @retval 1 It is being made.
 * @retval -ENOTSUP The project has no such tables.
 */
int viewTablesAsk(struct viewTables *self, enum viewTable kind, int64_t start,
		  int64_t end, GByteArray *body);

#endif
