/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Addresses of code, as text.
 */
#ifndef HD_OMP_CODE_H
#define HD_OMP_CODE_H

#define OMP_CODE_MAX 256
#define OMP_CODE_KNOWN 64

/** Addresses that a thread has asked for before: the loader has a lock. */
struct ompCodes {
	struct {
		const void *address;
		char text[OMP_CODE_MAX];
	} known[OMP_CODE_KNOWN];
};

/**
 * Say where an address is: "PROGRAM+0x1234", as `addr2line -e PROGRAM 0x1234`
 * takes it.
 *
 * @param codes Of the calling thread.
 * @param address What a call returns to; NULL: unknown.
 *
 * @return The text, until the next call; NULL: not known.
 */
const char *ompCode(struct ompCodes *codes, const void *address);

#endif
