/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How many of the places of a service each client may have.
 *
 * An owner, be it a user of this host or one with a token, and an address of
 * another host have a share. An eighth is kept for root, for the user of the
 * service, and for users with tokens: all others cannot keep them out.
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

/** How many places there are, and the shares in percent, rounded up. */
struct hdShareLimits {
	size_t places;
	unsigned int ownerPercent, addressPercent;
};

/** What others have; all zero, then hdShareAdd() of each. */
struct hdShareCounts {
	size_t all;
	size_t common; /**< Those that no places are kept for. */
	size_t ofOwner, ofAddress;
};

/** Why there is no place. */
enum hdShareVerdict {
	HD_SHARE_FREE, /**< There is one. */
	HD_SHARE_OWNER,
	HD_SHARE_ADDRESS,
	HD_SHARE_KEPT, /**< The other ones are kept. */
	HD_SHARE_ALL,
};

/** Get a part of the places: one at least. */
size_t hdShareOf(size_t places, unsigned int percent);

/** Whether places are kept for it. */
bool hdShareIsKept(const struct hdShareOwner *owner);

/** Whether two are the same owner. */
bool hdShareIsSame(const struct hdShareOwner *a, const struct hdShareOwner *b);

/** Whether two come from the same user of this host, or the same other host. */
bool hdShareIsSameOrigin(const struct hdShareOwner *a,
			 const struct hdShareOwner *b);

/** Whether an idle client of one gives way to another one at once: a token
 *  comes before root, and root before all others. */
bool hdShareComesBefore(const struct hdShareOwner *owner,
			const struct hdShareOwner *other);

/** Count places of another client, as seen by @p owner. */
void hdShareAdd(struct hdShareCounts *counts, const struct hdShareOwner *owner,
		const struct hdShareOwner *other, size_t places);

/** Look whether there is a place. */
enum hdShareVerdict hdShareJudge(const struct hdShareCounts *counts,
				 const struct hdShareOwner *owner,
				 const struct hdShareLimits *limits);

#endif
