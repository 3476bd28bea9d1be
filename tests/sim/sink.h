/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A file that a thread of its own writes: the meter must not wait for a disk.
 *
 * Used by one thread.
 */
#ifndef SIM_SINK_H
#define SIM_SINK_H

#include <stdbool.h>

#include <glib.h>

struct simSink;

/** Create a file; NULL if that fails, and @p error tells. */
struct simSink *simSinkOpen(const char *path, GError **error);

/** Append a text; NULL takes none. Waits only if very much is to be written. */
void simSinkAppend(struct simSink *sink, const GString *text);

/** Write the rest and free it; takes NULL. Says whether all was written. */
bool simSinkClose(struct simSink *sink);

#endif
