/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which tasks ran when a process died: of whatever, also of what no handler of
 * signals gets to know.
 */
#ifndef HD_EXECUTE_WATCH_H
#define HD_EXECUTE_WATCH_H

#include "PredictionLibrary/execution/execute.h"

/** Get memory for the marks of @p count workers, which a watcher sees, too;
 * NULL: no memory. */
struct hdExecuteMark *hdExecuteMarksNew(uint32_t count);

/** Free them; takes NULL. */
void hdExecuteMarksFree(struct hdExecuteMark *marks, uint32_t count);

/** Start a child that watches this process. It is silent where there is none.
 *
 * @return To be given to hdExecuteWatchEnd(). */
int hdExecuteWatch(const struct hdExecution *run);

/** This process is about to end as it should. */
void hdExecuteWatchEnd(int watcher);

#endif
