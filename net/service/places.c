/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who has a place; see places.h. */
#include "config.h"

#include <unistd.h>

#include "common/clock.h"
#include "net/address.h"
#include "net/service/owner.h"
#include "net/service/places.h"

#define TEXT_PENDING "not authenticated, and other clients are waiting"
#define TEXT_IDLE "idle connection closed; other clients are waiting"

/* ---- The list ---------------------------------------------------------- */

static void placeLink(struct hdPlace *place)
{
	struct hdPlaces *places = place->places;

	place->newer = NULL;
	place->older = places->newest;
	if (place->older)
		place->older->newer = place;
	else
		places->oldest = place;
	places->newest = place;
	places->pending++;
}

static void placeUnlink(struct hdPlace *place)
{
	struct hdPlaces *places = place->places;

	if (place->newer)
		place->newer->older = place->older;
	else
		places->newest = place->older;
	if (place->older)
		place->older->newer = place->newer;
	else
		places->oldest = place->newer;
}

/* ---- Pending ----------------------------------------------------------- */

/* Find the oldest that is pending, of an origin or of all (NULL), and count
 * them. */
static struct hdPlace *placesPending(const struct hdPlaces *places,
				     const struct hdShareOwner *origin,
				     size_t *count)
{
	struct hdPlace *oldest = NULL;

	*count = 0;
	for (struct hdPlace *p = places->newest; p; p = p->older) {
		if (p->isAdmitted ||
		    (origin && !hdShareIsSameOrigin(&p->owner, origin)))
			continue;
		oldest = p;
		(*count)++;
	}
	return oldest;
}

/* Find who gives way to a connection of an origin. */
static struct hdPlace *placesVictim(const struct hdPlaces *places,
				    const struct hdShareOwner *origin)
{
	size_t count;
	struct hdPlace *oldest = placesPending(places, origin, &count);

	return count >= hdShareOf(places->pendingMax,
				  places->limits.addressPercent)
		       ? oldest
		       : placesPending(places, NULL, &count);
}

static void placeFindOwner(struct hdPlace *place, int fd,
			   const struct sockaddr *address)
{
	struct hdShareOwner *owner = &place->owner;

	hdAddressCopy(&place->address, address);
	*owner = (struct hdShareOwner){
		.user = "",
		.isLocal = hdAddressIsLocal(address),
		.uid = (uid_t)-1,
		.address = (const struct sockaddr *)&place->address,
	};
	if (!owner->isLocal || !hdOwnerOf(fd, &place->address, &owner->uid))
		owner->uid = (uid_t)-1;
	owner->isOurs =
		owner->isLocal && (owner->uid == 0 || owner->uid == geteuid());
}

void hdPlaceOpen(struct hdPlaces *places, struct hdPlace *place,
		 const struct hdPlaceCalls *calls, int fd,
		 const struct sockaddr *address)
{
	struct hdPlace *victim;

	place->places = places;
	place->calls = calls;
	place->sinceNs = hdMonotonicNow();
	placeFindOwner(place, fd, address);
	if (places->pending >= places->pendingMax) {
		victim = placesVictim(places, &place->owner);
		if (victim)
			victim->calls->giveWay(victim, TEXT_PENDING);
	}
	placeLink(place);
}

void hdPlaceMove(struct hdPlace *place, struct hdPlace *from,
		 const struct hdPlaceCalls *calls)
{
	*place = *from;
	place->calls = calls;
	place->owner.address = (const struct sockaddr *)&place->address;
	if (place->newer)
		place->newer->older = place;
	else
		place->places->newest = place;
	if (place->older)
		place->older->newer = place;
	else
		place->places->oldest = place;
	from->places = NULL;
}

/* ---- Places ------------------------------------------------------------ */

static enum hdShareVerdict placeJudge(const struct hdPlace *place)
{
	const struct hdPlaces *places = place->places;
	struct hdShareCounts counts = { 0 };

	for (const struct hdPlace *p = places->newest; p; p = p->older)
		if (p != place && p->isAdmitted && !p->ousted)
			hdShareAdd(&counts, &place->owner, &p->owner, 1);
	return hdShareJudge(&counts, &place->owner, &places->limits);
}

/* Whether one gives way to another one. */
static bool placeMayGo(const struct hdPlace *p, const struct hdPlace *place,
		       int64_t idleNs, enum hdShareVerdict why)
{
	bool isSame = hdShareIsSame(&p->owner, &place->owner);
	bool isLong = idleNs >= place->places->patienceNs;

	/* Who has its own share gets no place of others. */
	if (why == HD_SHARE_OWNER)
		return isSame && isLong;
	if (why == HD_SHARE_ADDRESS)
		return isLong && hdShareIsSameOrigin(&p->owner, &place->owner);
	/* The place of one that places are kept for is not for all. */
	if (why == HD_SHARE_KEPT)
		return isLong && !hdShareIsKept(&p->owner);
	return isLong || hdShareComesBefore(&place->owner, &p->owner);
}

/* Find who gives way: who has been idle for longest, of the same owner if there
 * is one. */
static struct hdPlace *placeIdle(const struct hdPlace *place,
				 enum hdShareVerdict why)
{
	struct hdPlace *found = NULL;
	int64_t now = hdMonotonicNow(), foundNs = 0;
	bool isFoundSame = false;

	for (struct hdPlace *p = place->places->newest; p; p = p->older) {
		int64_t idle = p->isAdmitted && !p->ousted && p != place
				       ? p->calls->idleSince(p)
				       : INT64_MAX;
		bool isSame = hdShareIsSame(&p->owner, &place->owner);

		if (idle == INT64_MAX || (isFoundSame && !isSame) ||
		    !placeMayGo(p, place, now - idle, why))
			continue;
		if (found && isSame == isFoundSame && idle >= foundNs)
			continue;
		found = p;
		foundNs = idle;
		isFoundSame = isSame;
	}
	return found;
}

const char *hdPlaceAdmit(struct hdPlace *place)
{
	static const char *const texts[] = {
		[HD_SHARE_FREE] = NULL,
		[HD_SHARE_OWNER] = "too many clients of this user",
		[HD_SHARE_ADDRESS] = "too many clients of this address",
		[HD_SHARE_KEPT] =
			"too many clients; the other places are kept for root "
			"and users with tokens",
		[HD_SHARE_ALL] = "too many clients",
	};
	struct hdPlaces *places = place->places;
	enum hdShareVerdict why = placeJudge(place);

	if (why != HD_SHARE_FREE) {
		struct hdPlace *idle = placeIdle(place, why);

		if (idle) {
			idle->ousted = TEXT_IDLE;
			places->hasOusted = true;
			why = placeJudge(place);
		}
	}
	if (why == HD_SHARE_FREE && !place->isAdmitted) {
		place->isAdmitted = true;
		places->pending--;
		places->admitted++;
	}
	return texts[why];
}

void hdPlaceClose(struct hdPlace *place)
{
	struct hdPlaces *places = place->places;

	if (!places)
		return;
	placeUnlink(place);
	if (place->isAdmitted)
		places->admitted--;
	else
		places->pending--;
	places->extras -= place->extras;
	place->places = NULL;
}

bool hdPlacesShed(struct hdPlaces *places)
{
	struct hdPlace *newest = places->newest, *victim = NULL;
	int64_t idleNs = INT64_MAX;

	while (newest && newest->isAdmitted)
		newest = newest->older;
	/* Who fills the places has opened one just now. */
	if (newest)
		victim = placesVictim(places, &newest->owner);
	for (struct hdPlace *p = places->newest; p && !newest; p = p->older) {
		int64_t idle = hdShareIsKept(&p->owner)
				       ? INT64_MAX
				       : p->calls->idleSince(p);

		if (idle < idleNs) {
			idleNs = idle;
			victim = p;
		}
	}
	if (!victim)
		return false;
	victim->calls->giveWay(victim, TEXT_PENDING);
	return true;
}

void hdPlacesRun(struct hdPlaces *places)
{
	struct hdPlace *older;

	if (!places->hasOusted)
		return;
	places->hasOusted = false;
	for (struct hdPlace *p = places->newest; p; p = older) {
		older = p->older;
		if (p->ousted)
			p->calls->giveWay(p, p->ousted);
	}
}

/* ---- Other things ------------------------------------------------------ */

enum hdShareVerdict hdPlaceTake(struct hdPlace *place,
				const struct hdShareLimits *limits)
{
	const struct hdPlaces *places = place->places;
	struct hdShareCounts counts = { 0 };
	enum hdShareVerdict why;

	for (const struct hdPlace *p = places->newest; p; p = p->older)
		hdShareAdd(&counts, &place->owner, &p->owner, p->extras);
	why = hdShareJudge(&counts, &place->owner, limits);
	if (why == HD_SHARE_FREE) {
		place->extras++;
		place->places->extras++;
	}
	return why;
}

void hdPlaceGive(struct hdPlace *place)
{
	place->extras--;
	place->places->extras--;
}
