/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What times of a server are by the clock of this host.
 *
 * The server's monotonic clock, which never steps, is compared with our wall
 * clock again and again, by round trips (clockfit.h). All times are in
 * nanoseconds.
 *
 * A client turns the times of a service into its own by the service's
 * monotonic clock, which it compares with its wall clock once a second: a
 * service whose wall clock steps does not matter. The way of the merger
 * (common/clockfit.h) does it.
 */
#ifndef PT_REMOTECLOCK_H
#define PT_REMOTECLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/clockfit.h"

/** Round trips of which the best one counts. */
#define PT_REMOTE_TRIPS 8
/** Points that are kept; of more every second one is dropped. */
#define PT_REMOTE_POINTS 512

/** A comparison of the clocks. */
struct ptRemoteMoment {
	int64_t wall;   /**< Our clock. */
	int64_t mono;   /**< The server's, that never steps. */
	int64_t server; /**< The server's wall clock. */
	int64_t error;  /**< It was wrong by no more than this. */
};

struct ptRemoteClock {
	struct ptRemoteMoment trips[PT_REMOTE_TRIPS];
	size_t tripCount;
	struct ptRemoteMoment moments[PT_REMOTE_POINTS];
	size_t momentCount;
	struct hdClockPoint fitted[PT_REMOTE_POINTS];
	size_t fittedCount;
};

/**
 * Add a round trip.
 *
 * @param sent When it was asked, by our wall clock.
 * @param lengthNs How long it took.
 * @param mono The server's monotonic time in it.
 * @param server Its wall clock at that time.
 */
void ptRemoteClockAdd(struct ptRemoteClock *clock, int64_t sent,
		      int64_t lengthNs, int64_t mono, int64_t server);

/** Use the round trips that there are, without waiting for more. */
void ptRemoteClockSettle(struct ptRemoteClock *clock);

/** Turn a monotonic time of the server into one of our wall clock. */
int64_t ptRemoteClockLocal(const struct ptRemoteClock *clock, int64_t mono);

/** Get what is to be added to the server's wall clock for ours, as last seen.
 */
int64_t ptRemoteClockOffset(const struct ptRemoteClock *clock);

/** Get how wrong such a time can be. */
int64_t ptRemoteClockError(const struct ptRemoteClock *clock);

#endif
