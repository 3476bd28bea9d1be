/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which settings each user may change: hdpower.conf.
 *
 *     [user NAME]
 *     allow = max_freq governor
 *
 * NAME is a user, a number, or "*" for all others. Without a file, root and the
 * user of the service may change all, and nobody else anything. They may always
 * change what the file does not take away from them by a section of their own.
 */
#ifndef HD_POWER_PERMISSIONS_H
#define HD_POWER_PERMISSIONS_H

#include <stdbool.h>
#include <sys/types.h>

#include "PowerSaving/core/settings.h"

#define HD_POWER_CONFIGURATION "/etc/hdtrace/hdpower.conf"

struct permission {
	bool isAny; /**< "*" */
	uid_t uid;
	bool allowed[HD_SETTING_KINDS];
};

struct permissions {
	struct permission *list;
	size_t count;
};

/**
 * Read ROOT/etc/hdtrace/hdpower.conf; without one there are none. Says what is
 * wrong.
 *
 * @retval -EPERM Others may change the file.
 * @return 0 or a negative errno.
 */
int permissionsRead(struct permissions *self, const char *root);

/** Free them. */
void permissionsClear(struct permissions *self);

/** Find a value that a user may not set; -1: there is none. */
int permissionsRefuse(const struct permissions *self, uid_t uid,
		      const struct hdSettingValues *values);

#endif
