/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Stacks that were sampled in this library.
 *
 * A wrapper works before it says that a call has begun, and after it said that
 * the call has ended. What is sampled then is the tracer's work: the program is
 * not charged with it.
 */
#ifndef HDMPI_OWNFRAMES_H
#define HDMPI_OWNFRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Find where this library is. Linked into the program, it is not found, and no
 *  stack is its own. */
void hdmpiOwnFramesStart(void);

/**
 * Whether this library was at work, itself or by functions that it called. The
 * MPI library, and what that called, is not its work.
 *
 * @param frames Addresses behind instructions, from the innermost on.
 */
bool hdmpiOwnFramesAre(const uintptr_t *frames, size_t count);

#endif
