/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Leases: settings that hold as long as their owner lives.
 *
 * Of the values of all leases, the least restrictive one of each kind is set.
 */
#ifndef HD_POWER_LEASE_H
#define HD_POWER_LEASE_H

#include <stdint.h>
#include <sys/types.h>

#include "PowerSaving/core/journal.h"

#define LEASE_POLICY_SIZE 32

/** A lease; its owner has the memory. */
struct lease {
	struct lease *next;
	pid_t pid;
	uid_t uid;
	int64_t sinceNs; /**< By the wall clock. */
	char policy[LEASE_POLICY_SIZE];
	struct hdSettingValues values;
};

/** Leases in the order in which they were granted. */
struct leases {
	const char *root;
	struct hdJournal journal;
	struct lease *first;
	char failed[HD_SETTING_PATH_SIZE]; /**< What could not be restored. */
};

/** Takes a change: an errno of 0 means success. */
typedef void leaseTell(void *context, const char *path, const char *old,
		       const char *now, int error);

/** Whether values would replace the governor userspace, whose clock is lost
 * with it and cannot be restored. */
bool leaseIsManual(const struct leases *self,
		   const struct hdSettingValues *values);

/**
 * Grant a lease, or change its values.
 *
 * @param tell Gets each setting of the lease; may be NULL.
 *
 * @return 0, or a negative errno: a value was refused, and all is as it was.
 */
int leaseGrant(struct leases *self, struct lease *lease,
	       const struct hdSettingValues *values, leaseTell *tell,
	       void *context);

/** End a lease; 0, or the negative errno of a setting that could not be
 * restored and that @c failed names. */
int leaseEnd(struct leases *self, struct lease *lease);

/** Try again to restore what no lease wants. */
void leaseRetry(struct leases *self);

#endif
