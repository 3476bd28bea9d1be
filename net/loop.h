/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A loop that waits for file descriptors, and does what is to be done then.
 *
 * One thread runs it; others may wake it.
 */
#ifndef HD_LOOP_H
#define HD_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/** Something with a file descriptor that the loop waits for. */
struct hdPoll {
	/** It is ready: EPOLLIN and the like. */
	void (*ready)(struct hdPoll *poll, uint32_t events);
};

/** The loop; all belongs to it but for wakeFd and isOver. */
struct hdLoop {
	int fd;
	int wakeFd; /**< eventfd_write() wakes it, from any thread. */
	struct hdPoll wake;
	void (*woken)(struct hdLoop *loop);
	bool isOver; /**< Let events that came wait for ever. */
};

/**
 * Open a loop.
 *
 * @param woken Called in the loop when it was woken.
 *
 * @return 0 or a negative errno value; hdLoopClose() is to be called in any
 *         case.
 */
int hdLoopOpen(struct hdLoop *loop, void (*woken)(struct hdLoop *loop));

/** Wait for something more. The poll lives as long as the descriptor.
 *  Returns 0 or a negative errno value. */
int hdLoopAdd(struct hdLoop *loop, int fd, uint32_t events,
	      struct hdPoll *poll);

/** Wait for other events of a descriptor; 0 or a negative errno value. */
int hdLoopChange(struct hdLoop *loop, int fd, uint32_t events,
		 struct hdPoll *poll);

/** Wait for it no more; before it is given to somebody else. */
void hdLoopRemove(struct hdLoop *loop, int fd);

/**
 * For how long hdLoopStep() may wait until something is to be done.
 *
 * @param now By hdMonotonicNow(), as @p until.
 * @param until INT64_MAX: never.
 *
 * @return Milliseconds, not less than there are, but for those after a minute;
 * or -1.
 */
int hdLoopTimeout(int64_t now, int64_t until);

/** Wait, for so many milliseconds (-1: any time), and take what is ready. */
void hdLoopStep(struct hdLoop *loop, int timeoutMs);

/**
 * Let this process have so many files open, if that is allowed.
 *
 * @return @p wanted, or how many it may have.
 */
unsigned long hdLoopFiles(unsigned long wanted);

/** Close it; descriptors that were added belong to who added them. */
void hdLoopClose(struct hdLoop *loop);

#endif
