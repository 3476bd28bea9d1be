/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * An operation on its way through an instance: counted, and with a relation.
 *
 * What an operation becomes below has it as its cause: in this process by the
 * frames of the call, and where these are lost, by the text of its relation's
 * token, which goes down in xdata, under TOKEN_KEY. They are lost behind the
 * wire, and in translators that go on in a frame of their own; below an
 * instance that has none of these (instanceNeedsToken()) a token from above
 * stays as it is: to set another one takes a copy of the dictionary. The lowest
 * instance takes the token out, since storage/posix takes unknown keys of some
 * operations for extended attributes.
 *
 * A dictionary that came from above may be used by others: it is never changed;
 * where the token is set or taken out that is done in a copy, which refers to
 * the same values.
 *
 * **Frames.** An instance has no frame of its own, which would cost more than
 * all that is counted at it: it hands on the frame in which an operation comes,
 * and is put before whoever waits for the result. What frame->ret and
 * frame->cookie were is kept with the operation, and put back when the result
 * is there; GlusterFS calls the function with what it put in, and knows nothing
 * of it. Where a translator below may put something into frame->cookie itself,
 * what is below gets a frame of its own (struct instance). Several instances,
 * one above the other, may share a frame; the operation that a frame has is
 * that of the lowest of them, which knows the others by what it keeps.
 */
#ifndef HDG_OPERATION_H
#define HDG_OPERATION_H

#include "GlusterFSTracing/xlator/instance.h"

/** Key of the token in xdata. */
#define TOKEN_KEY "glusterfs.hdtrace.relation"

/** What an operation is, and works on, as its arguments say. */
struct operationAbout {
	int fop;            /**< GF_FOP_... */
	const char *name;   /**< Constant. */
	void (*done)(void); /**< Marked OPERATION_DONE. */
	const loc_t *loc;   /**< Or NULL. */
	fd_t *fd;           /**< Or NULL. */
	bool hasOffset, hasSize;
	bool movesBytes; /**< Its result is a number of bytes. */
	bool waits;      /**< It is for a lock, and waits until it has that. */
	int64_t offset, size;
};

struct operation;

/** Whether an instance does nothing with an operation but pass it on. */
static inline bool instancePasses(struct instance *instance, int fop)
{
	return atomic_load_explicit(&instance->what, memory_order_relaxed) ==
		       0 ||
	       (atomic_load_explicit(&instance->fops, memory_order_relaxed) >>
			fop &
		1) == 0;
}

/** Those who get results: by where they are a frame is known to be of an
 *  operation of ours. */
#define OPERATION_DONE \
	__attribute__((__section__("hdtrace_done"), __noinline__, __used__))

/** What a thread was at before it went down or up, and what to let go of. */
struct operationWay {
	struct current *own; /**< The thread's. */
	struct operation *at;
	bool isAbove;
	struct operation *operation; /**< Or NULL. */
};

/**
 * An operation comes into an instance, and this thread goes down with it: what
 * other translators do by themselves meanwhile has it as its cause.
 *
 * @param frame Its frame, to be handed on itself; where the operation is
 *        recorded its result goes to about->done, with the operation as cookie.
 * @param xdata As it came.
 * @param[out] way To be given to operationReturn() when the call has returned.
 *
 * @return What to hand on in place of @p xdata, to be given to
 * operationPassed().
 */
dict_t *operationBegin(call_frame_t *frame, struct instance *instance,
		       const struct operationAbout *about, dict_t *xdata,
		       struct operationWay *way);

/** The same of an operation that an instance only passes on: the token of an
 * instance above does not get below the lowest one, and gets to where it is
 * needed. */
dict_t *operationPass(const call_frame_t *frame,
		      const struct instance *instance, int fop, dict_t *xdata);

/** It was handed on; it may have ended long ago. */
void operationPassed(dict_t *handed, dict_t *xdata);

/** Who waits for the result of an operation, and with what. */
struct operationCaller {
	void (*ret)(void);
	void *cookie;
};

/**
 * An operation has ended: count and record that, and go up with it.
 *
 * @param cookie As the function got it that the result went to.
 * @param file The file it made or found, or NULL.
 * @param[out] way To be given to operationReturn() when the caller has
 * returned; that lets go of the operation.
 *
 * @return Whom to give the result.
 */
struct operationCaller operationEnd(void *cookie, int32_t result, int32_t error,
				    const struct iatt *file,
				    struct operationWay *way);

/** This thread has gone down, or up, and is back. */
void operationReturn(struct operationWay way);

/** Whether an operation that comes by a frame was recorded by an instance
 * above: its frames were kept. */
bool operationIsFrom(const call_frame_t *frame,
		     const struct instance *instance);

/** Whether a lock is waited for, as lk and inodelk give it. */
bool hdgFlockWaits(int32_t command, const struct gf_flock *flock);

#endif
