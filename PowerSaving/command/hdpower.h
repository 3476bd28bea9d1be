/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdpower: its subcommands, and how they speak to the service.
 */
#ifndef HD_POWER_HDPOWER_H
#define HD_POWER_HDPOWER_H

#include <stdbool.h>
#include <glib.h>

#include "PowerSaving/core/settings.h"

/** Exit status of status and restore. */
enum hdpowerStatus { HDPOWER_OK = 0, HDPOWER_PROBLEMS = 1, HDPOWER_FAILED = 2 };

/** A connection to the service. */
struct powerLink {
	int fd;
	GString *in; /**< What came and was not taken. */
};

/** Takes a line of an answer. */
typedef void powerLinkTake(void *context, const char *line);

/**
 * Connect to the service.
 *
 * @retval -ENOENT There is no service. (Also -ECONNREFUSED.)
 * @retval -EPROTO It is not a service of this version.
 * @return 0 or another negative errno.
 */
int powerLinkOpen(struct powerLink *self, const char *root);

/** Close it; a lease ends. */
void powerLinkClose(struct powerLink *self);

/**
 * Ask, and take all lines of the answer but the last one.
 *
 * @param[out] error What the service refuses, to be freed, or NULL.
 *
 * @return 0, or a negative errno: -EREMOTEIO with an error.
 */
int powerLinkAsk(struct powerLink *self, const char *request,
		 powerLinkTake *take, void *context, char **error);

/** Whether an error means that no service is running. */
bool powerLinkIsAbsent(int ret);

/** hdpower run. */
int powerRun(int argc, char **argv);

#endif
