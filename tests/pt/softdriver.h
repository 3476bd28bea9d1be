/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Driving a driver without the core: with a clock that stands still and a
 * directory for the root.
 */
#ifndef SOFTDRIVER_H
#define SOFTDRIVER_H

#include <glib.h>

#include "PowerTracingLibrary/src/core/driver.h"

#define MS INT64_C(1000000)
#define SECOND (1000 * MS)

/** A device, and what it read last. */
struct softDevice {
	struct ptDevice dev;
	struct ptColumn *columns;
	union hdCell *cells;
	size_t count;
	struct ptReading reading;
};

/** Use the fake clock, and keep messages instead of printing them. */
void softInit(void);

/** Keep messages, and leave the clock as it is. */
void softListen(void);

/** DEVICE of `port` of what is opened from now on, or NULL. */
extern const char *softAddress;

/** What of a scale all columns get that are opened from now on. */
extern struct ptScale softScale;

/** Get the fake monotonic clock. */
int64_t softNow(void);

/** Let time pass; the wall clock passes as much. */
void softPass(int64_t ns);

/**
 * Open a device.
 *
 * @param wanted "CHANNEL QUANTITY, CHANNEL QUANTITY"; the test fails if they
 *        cannot be resolved.
 * @param options As in struct ptSetup, or NULL.
 *
 * @return What the driver's open() returns; then there is nothing to close.
 */
int softOpen(struct softDevice *soft, const struct ptDriver *driver,
	     const char *root, int64_t cycleNs, const char *const *options,
	     const char *wanted);

/** As softOpen(), for a driver that has a port; the transport stays the
 *  caller's. */
int softOpenPort(struct softDevice *soft, const struct ptDriver *driver,
		 struct ptTransport *transport, int64_t cycleNs,
		 const char *const *options, const char *wanted);

/** Get the values that were read last: "1.5 NaN". To be freed. */
char *softValues(const struct softDevice *soft);

/** Start measuring, which must work. */
void softStart(struct softDevice *soft);

/** Read after some time. */
int softRead(struct softDevice *soft, int64_t ns);

/** Read, which must work, and get what was read: "1.5 NaN". To be freed. */
char *softGet(struct softDevice *soft, int64_t ns);

/** Compare what is read after some time. */
#define softExpect(soft, ns, text)                 \
	do {                                       \
		char *softIs = softGet(soft, ns);  \
		g_assert_cmpstr(softIs, ==, text); \
		g_free(softIs);                    \
	} while (0)

/** Tell whether what was read last is this: "1.5 NaN". */
bool softIs(const struct softDevice *soft, const char *values);

/** Stop and close. */
void softClose(struct softDevice *soft);

/** Tell whether the messages since the last call, "LEVEL TEXT\n" each, have a
 *  text in them. */
bool softSaid(const char *text);

/** Tell whether there are no messages since the last call of softSaid(). */
bool softIsSilent(void);

/** Get what the driver lists: "+LABEL: TEXT\n", or "-" for what does not work.
 *  To be freed. */
char *softList(const struct ptDriver *driver, const char *root,
	       const char *const *options);

/** Resolve one channel; returns what the driver returns, and the label or why
 *  not. */
int softResolve(const struct ptDriver *driver, const char *root,
		const char *const *options, const char *channel, size_t index,
		char **text);

#endif
