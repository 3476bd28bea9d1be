/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The project of a replay while it is written.
 */
#ifndef HD_PREDICT_TIMED_PROJECT_H
#define HD_PREDICT_TIMED_PROJECT_H

#include <time.h>

#include <hdTopology.h>

#include "PredictionLibrary/command/replay/links.h"

/** The node of links, and the group of their statistics. */
#define TIMED_LINKS "links"
#define TIMED_LINK "Link"

/** The project while it is written. */
struct timedProject;

/** Begin it. If it is not good afterwards, it takes nothing, and its end
 * returns why. */
struct timedProject *timedProjectNew(struct replay *self, const char *name);
bool timedProjectIsGood(const struct timedProject *project);

/** Its rows of links; NULL: they are not traced. */
struct timedLinks *timedProjectLinks(const struct timedProject *project);

/** Something that a rank did in a time. */
bool timedProjectAdd(struct timedProject *project, size_t rank,
		     const struct tiLine *line, double start, double end);

/** The power of a host up to a time. */
void timedProjectPower(struct timedProject *project, guint host, double until,
		       double power);

/** Its start in ns since 1970, and a time after it. */
int64_t timedProjectBase(const struct timedProject *project);
struct timespec timedProjectTime(const struct timedProject *project,
				 double seconds);

/** Make a node of its topology, to be destroyed; NULL: an error. */
hdTopoNode *timedProjectNode(const struct timedProject *project,
			     const char *const path[], int levels);

/** Make a label of a name, without what separates levels; to be freed. */
char *timedProjectLabel(const char *name);

/** End it, if all was right; 0 or a negative errno. */
int timedProjectEnd(struct timedProject *project, bool isGood);

#endif
