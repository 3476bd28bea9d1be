/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many places each client may have; see shares.h. */
#include "config.h"

#include <string.h>

#include "net/address.h"
#include "net/service/shares.h"

size_t hdShareOf(size_t places, unsigned int percent)
{
	size_t share = (places * percent + 99) / 100;

	return share > 0 ? share : 1;
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
	return hdShareIsSameOrigin(a, b);
}

bool hdShareIsSameOrigin(const struct hdShareOwner *a,
			 const struct hdShareOwner *b)
{
	if (a->isLocal || b->isLocal)
		return a->isLocal && b->isLocal && a->uid == b->uid;
	return hdAddressIsSameHost(a->address, b->address);
}

static int shareRank(const struct hdShareOwner *owner)
{
	return *owner->user ? 2 : owner->isOurs;
}

bool hdShareComesBefore(const struct hdShareOwner *owner,
			const struct hdShareOwner *other)
{
	return shareRank(owner) > shareRank(other);
}

void hdShareAdd(struct hdShareCounts *counts, const struct hdShareOwner *owner,
		const struct hdShareOwner *other, size_t places)
{
	counts->all += places;
	if (!hdShareIsKept(other))
		counts->common += places;
	if (hdShareIsSame(owner, other))
		counts->ofOwner += places;
	if (!owner->isLocal && !other->isLocal &&
	    hdAddressIsSameHost(owner->address, other->address))
		counts->ofAddress += places;
}

enum hdShareVerdict hdShareJudge(const struct hdShareCounts *counts,
				 const struct hdShareOwner *owner,
				 const struct hdShareLimits *limits)
{
	size_t places = limits->places;

	/* Who is ours has no share, but as a user with a token. */
	if ((!owner->isOurs || *owner->user) &&
	    counts->ofOwner >= hdShareOf(places, limits->ownerPercent))
		return HD_SHARE_OWNER;
	if (!owner->isLocal &&
	    counts->ofAddress >= hdShareOf(places, limits->addressPercent))
		return HD_SHARE_ADDRESS;
	if (!hdShareIsKept(owner) && counts->common >= shareCommon(places))
		return HD_SHARE_KEPT;
	return counts->all >= places ? HD_SHARE_ALL : HD_SHARE_FREE;
}
