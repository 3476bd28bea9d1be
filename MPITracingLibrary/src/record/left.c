/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls that the program has left: a handler of errors may leave an MPI
 * function by longjmp() or an exception. */
#include "config.h"

#include "MPITracingLibrary/src/core/hdmpi.h"
#include "common/clock.h"

/* Of stacks; other ones may be farther away, or gone. */
#define LEFT_NEAR 65536
#define LEFT_STACK_MAX (UINT64_C(8) << 20)

/* Whether the frame of an outer function is not around an inner one. Sanitizers
 * may say that its place is nobody's. */
static __attribute__((__no_sanitize_address__)) bool leftIsGone(
	const struct hdmpiFrame *outer, uintptr_t inner)
{
	if (outer->begin <= inner)
		return inner - outer->begin < LEFT_STACK_MAX;
#if defined(__x86_64__)
	/* Another function has its place. */
	if (outer->begin - inner < LEFT_NEAR)
		return ((const void *const *)outer->begin)[-1] != outer->caller;
#endif
	return false;
}

/* End the innermost state. When it was left is not known, so it is no longer
 * than what was recorded in it: the program may have computed since. */
static void leftEnd(struct hdmpiThread *self)
{
	const struct timespec begin = hdClockToTimespec(hdmpiRuntimeBegan());

	if (self->polls.open) {
		/* It has no state yet. */
		self->polls.open = NULL;
	} else {
		hdmpiRelationLeave(self);
		hdT_logAttributeInt64(self->trace, "left", 1);
		hdT_logStateEndAt(self->trace, &begin);
	}
	self->depth--;
	if (self->depth > 0)
		self->function =
			self->outer[(self->depth - 1) % HDMPI_DEPTH_MAX];
	self->polls.isPending = true;
}

void hdmpiLeaveFrames(struct hdmpiThread *self, uintptr_t inner)
{
	while (self->depth > 0 && self->depth <= HDMPI_DEPTH_MAX &&
	       leftIsGone(&self->frames[self->depth - 1], inner))
		leftEnd(self);
}
