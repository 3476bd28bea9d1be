/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The connections of a service, and which of them have a place.
 *
 * A connection is pending until it is known who it is; then it is admitted, if
 * there is a place for it (net/service/shares.h). A limited number may be
 * pending: one more replaces the oldest one, or the oldest one from its own
 * user or address if these have their share, so that silent connections keep
 * nobody out. When there is no place, an idle client gives way: of the same
 * owner after a while, and of an owner that comes after the new one at once.
 *
 * Only the thread of the loop may call these functions.
 */
#ifndef HD_PLACES_H
#define HD_PLACES_H

#include <stdint.h>

#include "net/service/shares.h"

struct hdPlace;
struct hdPlaces;

/** What a connection does. */
struct hdPlaceCalls {
	/** Since when it waits for nothing, by the monotonic clock; INT64_MAX:
	 * it does not. */
	int64_t (*idleSince)(const struct hdPlace *place);
	/** Close it, which calls hdPlaceClose(); tell it why, if possible. */
	void (*giveWay)(struct hdPlace *place, const char *why);
};

/** A connection; part of what its owner knows of it. */
struct hdPlace {
	struct hdPlaces *places;
	const struct hdPlaceCalls *calls;
	struct hdPlace *older, *newer;
	struct hdShareOwner owner;
	struct sockaddr_storage address;
	int64_t sinceNs;    /**< When it came. */
	bool isAdmitted;    /**< It has a place. */
	const char *ousted; /**< Why it has lost its place; else NULL. */
	size_t extras;      /**< Of hdPlaceTake(). */
};

/** All of a service. The first members are the caller's. */
struct hdPlaces {
	struct hdShareLimits limits;
	size_t pendingMax;
	int64_t patienceNs; /**< An idle client gives way after this time. */
	struct hdPlace *newest, *oldest;
	size_t pending, admitted;
	size_t extras; /**< Of all. */
	bool hasOusted;
};

/**
 * Begin with a connection that was accepted, and make room for it.
 *
 * @param place All zero.
 * @param fd Its socket; tells its owner.
 */
void hdPlaceOpen(struct hdPlaces *places, struct hdPlace *place,
		 const struct hdPlaceCalls *calls, int fd,
		 const struct sockaddr *address);

/** Let another struct be the same connection. */
void hdPlaceMove(struct hdPlace *place, struct hdPlace *from,
		 const struct hdPlaceCalls *calls);

/**
 * Give a connection a place, once it is known who it is, and again when it has
 * become another user.
 *
 * @return NULL, or why there is none.
 */
const char *hdPlaceAdmit(struct hdPlace *place);

/** Give back what it has. */
void hdPlaceClose(struct hdPlace *place);

/** Close a connection, for its descriptor; returns whether there was one. */
bool hdPlacesShed(struct hdPlaces *places);

/** Close those that have lost their places: outside of any list of clients. */
void hdPlacesRun(struct hdPlaces *places);

/**
 * Take one of a number of other things that have the same shares.
 *
 * @param limits How many there are.
 */
enum hdShareVerdict hdPlaceTake(struct hdPlace *place,
				const struct hdShareLimits *limits);

/** Give it back. */
void hdPlaceGive(struct hdPlace *place);

#endif
