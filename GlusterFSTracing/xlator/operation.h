/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * An operation on its way through a place: counted, and with a relation.
 *
 * What an operation becomes below has it as its cause: in this process by the
 * frames of the call, and where these are lost, by the text of its relation's
 * token, which goes down in xdata, under TOKEN_KEY. They are lost behind the
 * wire, and in translators that go on in a frame of their own; below a place
 * that has none of these (placeNeedsToken()) a token from above stays as it is:
 * to set another one takes a copy of the dictionary.
 * The lowest place takes the token out, since storage/posix takes unknown keys
 * of some operations for extended attributes.
 *
 * A dictionary that came from above may be used by others: it is never changed;
 * where the token is set or taken out that is done in a copy, which refers to
 * the same values.
 */
#ifndef HDG_OPERATION_H
#define HDG_OPERATION_H

#include "GlusterFSTracing/xlator/place.h"

/** Key of the token in xdata. */
#define TOKEN_KEY "glusterfs.hdtrace.relation"

/** What an operation works on, as its arguments say. */
struct operationAbout {
	const loc_t *loc; /**< Or NULL. */
	fd_t *fd;         /**< Or NULL. */
	bool hasOffset, hasSize;
	bool movesBytes; /**< Its result is a number of bytes. */
	bool waits;      /**< It is for a lock, and waits until it has that. */
	int64_t offset, size;
};

struct operation;

/** Whether a place does nothing with an operation but pass it on. */
static inline bool placePasses(struct place *place, int fop)
{
	return atomic_load_explicit(&place->what, memory_order_relaxed) == 0 ||
	       (atomic_load_explicit(&place->fops, memory_order_relaxed) >>
			fop &
		1) == 0;
}

/**
 * An operation comes into a place.
 *
 * @param frame Its frame; what the callback needs is put into its local.
 * @param xdata As it came.
 *
 * @return What to hand on in place of @p xdata, to be given to
 * operationPassed().
 */
dict_t *operationBegin(call_frame_t *frame, struct place *place, int fop,
		       const char *name, const struct operationAbout *about,
		       dict_t *xdata);

/** The same of an operation that a place only passes on: the token of a place
 *  above does not get below the lowest one, and gets to where it is needed. */
dict_t *operationPass(const call_frame_t *frame, const struct place *place,
		      int fop, dict_t *xdata);

/** It was handed on; it may have ended long ago. */
void operationPassed(dict_t *handed, dict_t *xdata);

/**
 * An operation has ended: count and record that.
 *
 * @param operation From operationTake(); may be NULL.
 * @param file The file it made or found, or NULL.
 */
void operationEnd(struct operation *operation, int32_t result, int32_t error,
		  const struct iatt *file);

/** Let go of it, once its result was handed up. */
void operationFree(struct operation *operation);

/** What a thread was at before it went down or up. */
struct operationWay {
	const char *before;
	struct operation *operation; /**< Or NULL. */
};

/**
 * This thread goes down with the operation of a frame, or up with the result of
 * an operation: what other translators do by themselves meanwhile has the
 * same cause.
 *
 * @return What to give to operationReturn() when the call has returned. That of
 *         operationGoUp() lets go of the operation, too.
 */
struct operationWay operationGoDown(const call_frame_t *frame);
struct operationWay operationGoUp(struct operation *operation);
void operationReturn(struct operationWay way);

/** Take what operationBegin() put into a frame. */
static inline struct operation *operationTake(call_frame_t *frame)
{
	struct operation *operation = frame->local;

	frame->local = NULL;
	return operation;
}

/** Whether a lock is waited for, as lk and inodelk give it. */
bool hdgFlockWaits(int32_t command, const struct gf_flock *flock);

#endif
