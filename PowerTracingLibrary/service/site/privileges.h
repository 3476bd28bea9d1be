/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Giving up what is not needed once devices and sockets are open.
 */
#ifndef PT_PRIVILEGES_H
#define PT_PRIVILEGES_H

#include <stddef.h>

struct ptSite;

/**
 * Check the names of capabilities: "perfmon, dac_read_search".
 *
 * @param[out] why What is allowed.
 * @retval -EINVAL There is another one.
 */
int ptPrivilegesCheck(const char *names, char *why, size_t size);

/**
 * Become the user of the configuration, for ever; before there are threads.
 *
 * No program that is started can have more rights afterwards, whatever its
 * file says. Only the capabilities of keep= are left; without user= all stays
 * but that. Says if a device could not be opened again.
 *
 * @return 0, or a negative errno value after a message.
 */
int ptPrivilegesDrop(const struct ptSite *site);

#endif
