/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Bytes that a machine sends and receives: the sum of its external network
 * interfaces, as libRUT chooses them for NET_IN_EXT and NET_OUT_EXT.
 */
#ifndef PT_NETBYTES_H
#define PT_NETBYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** An interface, and what it counted last. */
struct ptNetIf {
	char name[16];
	int device; /**< enum hdNetDevice */
	bool isSeen;
	bool isNew; /**< Its count is a base. */
	uint64_t bytes;
	uint64_t gained;
};

/** The interfaces. */
struct ptNetBytes {
	const char *root;
	int fd; /**< Of /proc/net/dev; -1: none. */
	struct ptNetIf *list;
	size_t count;
};

/** Start to count; 0 or a negative errno, and then fd is -1. */
int ptNetBytesOpen(struct ptNetBytes *self, const char *root);

/** Get the bytes since the call before; NaN: unknown. Interfaces that came or
 *  were reset count from the next call on. */
double ptNetBytesTake(struct ptNetBytes *self);

/** Stop to count. */
void ptNetBytesClose(struct ptNetBytes *self);

#endif
