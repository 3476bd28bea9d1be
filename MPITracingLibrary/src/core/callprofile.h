/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What is recorded of a thread whose trace is as large as it may become: calls
 * are added up by function, in states "Profile" that have the number and the
 * time of each.
 *
 * These states follow each other, each twice as long as the one before; so a
 * process that is killed loses half of that time at most, and their number
 * stays small.
 */
#ifndef HDMPI_CALLPROFILE_H
#define HDMPI_CALLPROFILE_H

#include <stdbool.h>
#include <stdint.h>

struct hdmpiCall;
struct hdmpiProfile;
struct hdmpiThread;

/** What each call takes for tracing, in nanoseconds. */
extern int64_t hdmpiProfileOwnNs;

/** A call has ended, outside of others: begin if the trace is too large. */
void hdmpiProfileLimit(struct hdmpiThread *self, int64_t now);

/** Begin a call that is added up; always true. */
bool hdmpiProfileEnter(struct hdmpiThread *self, struct hdmpiCall *call);

/** Its function has returned. */
void hdmpiProfileLeave(struct hdmpiCall *call);

/** Write what there is, up to a time; no call is open. */
void hdmpiProfileWrite(struct hdmpiThread *self, int64_t now);

/** Write it, and end. */
void hdmpiProfileEnd(struct hdmpiThread *self);

#endif
