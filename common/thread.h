/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Threads of ours in programs that are not: signals belong to the program.
 */
#ifndef HD_THREAD_H
#define HD_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/** Block all signals in the calling thread: @p before is what was blocked. */
static inline void hdSignalsBlock(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, before);
}

/** Block again just what was blocked before hdSignalsBlock(). */
static inline void hdSignalsRestore(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/**
 * Keep the address of what is a thread's own: in a library that is loaded it is
 * found by a call, which compilers find cheap enough to make it again.
 */
#define HD_THREAD_KEEP(pointer) __asm__("" : "+r"(pointer))

/**
 * Start a thread in which all signals are blocked.
 *
 * @param[out] thread The thread, which is to be joined; NULL: nobody joins it.
 * @param run What it runs.
 * @param context Passed to it.
 *
 * @return 0, or the negative error of pthread_create().
 */
static inline int hdThreadStart(pthread_t *thread, void *(*run)(void *context),
				void *context)
{
	pthread_t own;
	sigset_t before;
	int error;

	hdSignalsBlock(&before);
	error = pthread_create(thread ? thread : &own, NULL, run, context);
	hdSignalsRestore(&before);
	if (!error && !thread)
		pthread_detach(own);
	return -error;
}

#endif
