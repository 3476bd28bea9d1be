/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Who may have how many of the places of a service.
 *
 * An owner, be it a user of this host or one with a token, and an address of
 * another host have half of the places at most. An eighth is kept for root, for
 * who runs the service, and for users with tokens: nobody else keeps them out.
 */
#ifndef HD_SHARES_H
#define HD_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

/** Who a client is. */
struct hdShareOwner {
	const char *user; /**< Of its token; "": it has none. */
	bool isLocal;     /**< Of this host. */
	bool isOurs;      /**< Root, or who runs the service; of this host. */
	uid_t uid;        /**< Of this host; (uid_t)-1: not known. */
	const struct sockaddr *address;
};

/** What others have; all zero, then hdShareAdd() of each. */
struct hdShareCounts {
	size_t all;
	size_t common; /**< Those that no places are kept for. */
	size_t ofOwner, ofAddress;
};

/** Whether places are kept for it. */
bool hdShareIsKept(const struct hdShareOwner *owner);

/** Whether two are the same owner. */
bool hdShareIsSame(const struct hdShareOwner *a, const struct hdShareOwner *b);

/** Count another client, as seen by @p owner. */
void hdShareAdd(struct hdShareCounts *counts, const struct hdShareOwner *owner,
		const struct hdShareOwner *other);

/** Whether it has its whole share: no other owner need give way to it. */
bool hdShareIsUsed(const struct hdShareCounts *counts,
		   const struct hdShareOwner *owner, size_t places);

/** Whether there is a place: NULL, or why there is none. */
const char *hdShareRefusal(const struct hdShareCounts *counts,
			   const struct hdShareOwner *owner, size_t places);

#endif
