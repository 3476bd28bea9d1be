/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Whose process listens at an address of this host. Any user can listen at the
 * port of hdnode while that does not run, and would be asked instead.
 */
#ifndef HD_SLURM_LISTENER_H
#define HD_SLURM_LISTENER_H

enum hdslurmListener {
	HDSLURM_LISTENER_NONE,
	HDSLURM_LISTENER_OURS, /**< Of root, or of who asks; or elsewhere. */
	HDSLURM_LISTENER_STRANGER,
};

/**
 * Look who listens at an address.
 *
 * @param address As of hdNode_add(). Only loopback addresses and Unix sockets
 *        are looked at: whom the network leads to cannot be seen here.
 */
enum hdslurmListener hdslurmListenerFind(const char *address);

#endif
