/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The thread that writes files, and the locks around it.
 */
#ifndef HD_OUTFILELOOP_H
#define HD_OUTFILELOOP_H

#include <stdbool.h>
#include <hdError.h>

#include "HDTraceWritingCLibrary/src/outfile.h"

/** Steps of the wall clock that are known one by one until they are written. */
#define LOOP_STEPS 8

/** The background thread and its list of files. The lock is never held during
 * I/O; who drains a file outside it makes it "current" first. */
struct outfileLoop {
	pthread_mutex_t lock;
	pthread_cond_t wake; /* The thread shall look around. */
	pthread_cond_t done; /* The thread is done with a file. */
	struct hdOutfile *files;
	struct hdOutfile *current;
	pthread_t thread;
	bool isRunning;
	bool isEnding;
	bool isWoken;
	struct hdSteps steps;           /* Of the wall clock, so far. */
	struct hdStep last[LOOP_STEPS]; /* By their number. */
};

extern unsigned int hdOutfileGeneration;

extern struct outfileLoop hdOutfileLoop;

/** Get the I/O lock of a file. */
void hdOutfileEnter(struct hdOutfile *file, struct hdOutfileGuard *guard);

void hdOutfileLeave(struct hdOutfile *file, const struct hdOutfileGuard *guard);

/** Drain by whoever calls. */
void hdOutfileDrainNow(struct hdOutfile *file);

/** Add a file, unless this process writes it already under any name. */
bool hdOutfileLoopAdd(struct hdOutfile *file);

void hdOutfileLoopRemove(struct hdOutfile *file);

#endif
