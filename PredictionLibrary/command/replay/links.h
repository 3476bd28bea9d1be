/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Links of a replay: the platform in a form that SimGrid traces links of, and
 * their rows in the project.
 *
 * SimGrid 3.32 aborts when it is to trace the links of a platform whose links
 * are pairs (SPLITDUPLEX, as all clusters have). So the hosts with ranks go to
 * a zone of type Full, with the same links and routes, where each direction is
 * a link of its own.
 */
#ifndef HD_PREDICT_REPLAY_LINKS_H
#define HD_PREDICT_REPLAY_LINKS_H

#include <stdio.h>

#include "PredictionLibrary/command/replay/replaying.h"

/** Functions of SimGrid's API for C, of its library. */
struct machineApi {
	void (*version)(int *major, int *minor, int *patch);
	void (*init)(int *argc, char **argv);
	void (*options)(void); /**< Declares options of SMPI; or NULL. */
	void (*load)(const char *path);
	size_t (*count)(void);
	void **(*list)(void);
	const char *(*name)(const void *host);
	double (*speedOf)(const void *host, unsigned long state);
	int (*cores)(const void *host);
	unsigned long (*pstate)(const void *host);
	const char *(*property)(const void *host, const char *name);
	/* For routes. */
	void *(*byName)(const char *name);
	unsigned long (*states)(const void *host);
	void (*route)(const void *from, const void *to, void *links);
	double (*routeLatency)(const void *from, const void *to);
	const char *(*linkName)(const void *link);
	double (*linkBandwidth)(const void *link);
	double (*linkLatency)(const void *link);
	int (*linkIsShared)(const void *link);
	void *(*dynarNew)(unsigned long size, void (*release)(void *));
	void (*dynarReset)(void *dynar);
	unsigned long (*dynarLength)(const void *dynar);
	void *(*dynarGet)(void *dynar, unsigned long index);
};

/** Open SimGrid's library, read a platform in the directory of the replay, and
 *  do something with it, in a process of its own; what is printed goes to a
 *  file. @return State of waitpid(); exit status 127: no library. */
int machineInChild(struct replay *self, const char *output,
		   int (*run)(const struct machineApi *api,
			      const struct replay *self));

/* ---- flat.c ------------------------------------------------------------ */

/** Write flat.xml, and let SimGrid replay that and trace its links. Platforms
 *  with other features than hosts, links and routes stay as they are, and have
 *  no rows of links; a warning gives the reason.
 *  @param name Of the platform, for the warning. */
void flatWrite(struct replay *self, const char *name);

/* ---- timedlinks.c ------------------------------------------------------ */

struct timedProject;

/** Links while the timed trace is read. */
struct timedLinks;

struct timedLinks *timedLinksNew(struct timedProject *project);

/** Take a line of the trace, as fields; those of others are ignored. */
void timedLinksTake(struct timedLinks *self, char *const fields[5],
		    const char *rest);

/** Note the number of an event of the trace. */
void timedLinksDefine(struct timedLinks *self, const char *event, long code);

/** Write the rows of links that were used to a project file. */
void timedLinksPut(const struct timedLinks *self, FILE *file);

/** Whether any was used. */
bool timedLinksAny(const struct timedLinks *self);

/** End all rows; false: something was not written. */
bool timedLinksEnd(struct timedLinks *self, double end);

void timedLinksFree(struct timedLinks *self);

#endif
