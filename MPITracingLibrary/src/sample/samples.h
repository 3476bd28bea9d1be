/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Samples of a thread on their way into its trace, and where they come from.
 *
 * One side puts samples into a ring: the handler of a signal of the thread, or
 * whoever has the lock of the buffers that the kernel fills. The thread takes
 * them out.
 */
#ifndef HDMPI_SAMPLES_H
#define HDMPI_SAMPLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "MPITracingLibrary/src/core/options.h"
#include "MPITracingLibrary/src/sample/unwind.h"

/** Samples that wait for a call; a power of 2. */
#define HDMPI_SAMPLES_MAX 4096

/** A stack; the address behind an instruction of each function. */
struct hdmpiSample {
	int64_t time; /**< Of the clock of files. */
	size_t count;
	uintptr_t frames[HDMPI_SITE_DEPTH_MAX];
};

/** A timer of a thread. */
struct hdmpiTimerSource {
	timer_t timer;
	bool isOpen;
	uintptr_t stackBegin, stackEnd; /**< 0: not known. */
};

struct perf_event_mmap_page;

/** A buffer that the kernel fills. */
struct hdmpiPerfSource {
	int handle; /**< Valid if @p page is not NULL. */
	struct perf_event_mmap_page *page;
	uint64_t id;     /**< The kernel's number of the event. */
	uint64_t number; /**< No other one has had it. */
	uint64_t tail;   /**< Read up to here. */
	bool isGone; /**< Only its thread reads it: there is no descriptor. */
	/** The thread is in a call; it alone changes that. */
	atomic_bool isInside;
	/** When the last call ended, by the clock of files. */
	int64_t from;
	/** The buffer was full in a call: what was lost then is known. */
	bool mayIgnoreLoss;
	/** The buffer was full when a call began: what was lost before may be
	 *  said in the call. */
	bool owesLoss;
	/** Since when the kernel takes no samples; 0: it does. */
	uint64_t throttled;
	struct hdmpiSamples *next; /**< All open ones. */
};

/** What a thread has sampled. */
struct hdmpiSamples {
	struct hdmpiTimerSource timer;
	struct hdmpiPerfSource perf;
	struct hdmpiUnwinder unwinder;
	_Atomic(size_t) head;   /**< Put. */
	_Atomic(size_t) tail;   /**< Taken. */
	_Atomic(uint64_t) lost; /**< Without room. */
	_Atomic(uint64_t)
		overruns; /**< Periods in which the kernel took none. */
	uint64_t lostSaid, overrunsSaid;
	bool isDescribed; /**< The trace says how they are taken. */
	struct hdmpiSample ring[HDMPI_SAMPLES_MAX];
};

/** The next sample, to be filled; NULL: there is no room, which is counted. */
static inline struct hdmpiSample *hdmpiSamplesNext(struct hdmpiSamples *self)
{
	size_t head = atomic_load_explicit(&self->head, memory_order_relaxed);

	if (head - atomic_load(&self->tail) < HDMPI_SAMPLES_MAX)
		return &self->ring[head % HDMPI_SAMPLES_MAX];
	atomic_fetch_add(&self->lost, 1);
	return NULL;
}

/** It is filled. */
static inline void hdmpiSamplesPut(struct hdmpiSamples *self)
{
	atomic_fetch_add(&self->head, 1);
}

/* ---- The kernel's buffers; perfsource.c -----------------------------------
 */

/** Whether the kernel samples this thread: 0, or a negative errno; -ENOBUFS: it
 *  has no memory for the buffer. */
int hdmpiPerfSourceTry(void);

/** Begin to sample the calling thread: 0, or a negative errno. */
int hdmpiPerfSourceOpen(struct hdmpiSamples *self);

/** The thread begins a call: take what was sampled before. */
void hdmpiPerfSourceTake(struct hdmpiSamples *self);

/** The thread ends a call: leave what was sampled since it began. */
void hdmpiPerfSourceSkip(struct hdmpiSamples *self);

/** End it. */
void hdmpiPerfSourceClose(struct hdmpiSamples *self);

/** End it in a child of fork(), which has none of its memory and threads. NULL:
 *  the thread has no samples. */
void hdmpiPerfSourceChild(struct hdmpiSamples *self);

/** All are closed. */
void hdmpiPerfSourcesEnd(void);

/* ---- A timer and its signal; timersource.c --------------------------------
 */

/** Choose a signal that the program does not use: 0, or a negative errno. */
int hdmpiTimerSourcesStart(void);

/** Begin to sample the calling thread: 0, or a negative errno. */
int hdmpiTimerSourceOpen(struct hdmpiSamples *self);

/** Whether the signal is still ours. */
bool hdmpiTimerSourceIsOurs(void);

/** End it. */
void hdmpiTimerSourceClose(struct hdmpiSamples *self);

#endif
