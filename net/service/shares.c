/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who may have how many of the places of a service; see shares.h. */
#include "config.h"

#include <string.h>

#include "net/address.h"
#include "net/service/shares.h"

/* Of an owner, and of an address. */
static size_t netSharesShareOf(size_t places)
{
	return (places + 1) / 2;
}

/* Of all for whom no places are kept. */
static size_t shareCommon(size_t places)
{
	return places - (places + 7) / 8;
}

bool hdShareIsKept(const struct hdShareOwner *owner)
{
	return owner->isOurs || *owner->user;
}

bool hdShareIsSame(const struct hdShareOwner *a, const struct hdShareOwner *b)
{
	if (*a->user || *b->user)
		return strcmp(a->user, b->user) == 0;
	if (a->isLocal || b->isLocal)
		return a->isLocal && b->isLocal && a->uid == b->uid;
	return hdAddressIsSameHost(a->address, b->address);
}

void hdShareAdd(struct hdShareCounts *counts, const struct hdShareOwner *owner,
		const struct hdShareOwner *other)
{
	counts->all++;
	counts->common += !hdShareIsKept(other);
	counts->ofOwner += hdShareIsSame(owner, other);
	counts->ofAddress +=
		!owner->isLocal && !other->isLocal &&
		hdAddressIsSameHost(owner->address, other->address);
}

bool hdShareIsUsed(const struct hdShareCounts *counts,
		   const struct hdShareOwner *owner, size_t places)
{
	return (!owner->isOurs &&
		counts->ofOwner >= netSharesShareOf(places)) ||
	       (!owner->isLocal &&
		counts->ofAddress >= netSharesShareOf(places));
}

const char *hdShareRefusal(const struct hdShareCounts *counts,
			   const struct hdShareOwner *owner, size_t places)
{
	if (!owner->isOurs && counts->ofOwner >= netSharesShareOf(places))
		return "too many clients of this user";
	if (hdShareIsUsed(counts, owner, places))
		return "too many clients of this address";
	if (!hdShareIsKept(owner) && counts->common >= shareCommon(places))
		return "too many clients; the other places are kept for root "
		       "and users with tokens";
	return counts->all >= places ? "too many clients" : NULL;
}
