/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Call stacks of a thread between its MPI calls.
 *
 * Where the kernel allows it, perf_event_open(2) copies the stack of the thread
 * by its CPU time, without a signal; a thread of ours unwinds copies before
 * their buffer is full. Else a timer of the CPU time of the thread sends a
 * signal that the program does not use, whose handler unwinds the stack. Either
 * way stacks are kept in memory that was there before, and the thread itself
 * writes them, before its next call. A thread that waits uses no CPU time, so
 * the signal ends no system call that waits.
 */
#ifndef HDMPI_SAMPLING_H
#define HDMPI_SAMPLING_H

struct hdmpiThread;

/** What a thread has sampled. */
struct hdmpiSamples;

/** Get ready, if samples are asked for. */
void hdmpiSamplesStart(void);

/** Say how the thread is sampled, in the state that was begun last, unless its
 *  trace says it already: threads without a buffer of the kernel have a timer.
 */
void hdmpiSamplesDescribe(struct hdmpiThread *self);

/** A call begins, in no other one: write what there is, and begin to sample the
 * thread if that was not done yet. */
void hdmpiSamplesWrite(struct hdmpiThread *self);

/** A call ends that was in no other one: what MPI did is known. */
void hdmpiSamplesSkip(struct hdmpiThread *self);

/** Do not sample the thread any more. */
void hdmpiSamplesEnd(struct hdmpiThread *self);

/** In a child of fork(): the samples are the parent's. */
void hdmpiSamplesChild(struct hdmpiThread *self);

/** No thread is sampled any more. */
void hdmpiSamplesStop(void);

#endif
