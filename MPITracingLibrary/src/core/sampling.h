/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Call stacks of a thread between its MPI calls.
 *
 * A timer of the CPU time of the thread sends a signal that the program does
 * not use. The handler keeps the stack in memory that was there before; the
 * thread itself writes it, before its next call. A thread that waits uses no
 * CPU time, so the signal ends no system call that waits. Unwinding takes no
 * lock, as libc looks up objects without one (glibc 2.35); with an older one
 * only the innermost function is known.
 */
#ifndef HDMPI_SAMPLING_H
#define HDMPI_SAMPLING_H

struct hdmpiThread;

/** What a thread has sampled. */
struct hdmpiSamples;

/** Get ready, if samples are asked for. */
void hdmpiSamplesStart(void);

/** A call begins, in no other one: write what there is, and begin to sample the
 * thread if that was not done yet. */
void hdmpiSamplesWrite(struct hdmpiThread *self);

/** Do not sample the thread any more. */
void hdmpiSamplesEnd(struct hdmpiThread *self);

#endif
