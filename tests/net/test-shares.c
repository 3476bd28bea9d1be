/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who may have how many places of a service, and whose a connection is. */
#include "config.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>

#include "net/service/owner.h"
#include "net/service/places.h"

static const struct hdShareLimits limits = { 64, 50, 50 };

static const struct sockaddr_in here = { .sin_family = AF_INET };

static struct hdShareOwner local(uid_t uid)
{
	return (struct hdShareOwner){ .user = "",
				      .isLocal = true,
				      .isOurs = uid == 0,
				      .uid = uid,
				      .address = (const void *)&here };
}

static struct hdShareOwner remote(const char *user, uint32_t address,
				  struct sockaddr_in *at)
{
	*at = here;
	at->sin_addr.s_addr = htonl(address);
	return (struct hdShareOwner){ .user = user,
				      .uid = (uid_t)-1,
				      .address = (const void *)at };
}

/* How many of its clients an owner gets in, beside those of another one. */
static size_t admitted(const struct hdShareOwner *owner,
		       const struct hdShareOwner *other, size_t others)
{
	for (size_t mine = 0;; mine++) {
		struct hdShareCounts counts = { 0 };

		for (size_t i = 0; i < others; i++)
			hdShareAdd(&counts, owner, other, 1);
		for (size_t i = 0; i < mine; i++)
			hdShareAdd(&counts, owner, owner, 1);
		if (hdShareJudge(&counts, owner, &limits) != HD_SHARE_FREE)
			return mine;
	}
}

static void testShares(void)
{
	struct sockaddr_in a, b;
	const struct hdShareOwner root = local(0), user = local(1000);
	const struct hdShareOwner another = local(1001);
	const struct hdShareOwner ops = remote("ops", 0xc0000201, &a);
	const struct hdShareOwner dev = remote("dev", 0xc0000201, &b);

	/* A user has half; two have all but what is kept. */
	g_assert_cmpuint(admitted(&user, &root, 0), ==, 32);
	g_assert_cmpuint(admitted(&another, &user, 32), ==, 24);
	/* Root has all, and what is kept if there are others. */
	g_assert_cmpuint(admitted(&root, &user, 0), ==, 64);
	g_assert_cmpuint(admitted(&root, &user, 56), ==, 8);
	/* Tokens have half for each user, and for each address. */
	g_assert_cmpuint(admitted(&ops, &user, 32), ==, 32);
	g_assert_cmpuint(admitted(&ops, &user, 56), ==, 8);
	g_assert_cmpuint(admitted(&dev, &ops, 32), ==, 0);
	g_assert_cmpuint(admitted(&dev, &root, 0), ==, 32);
}

static void testSame(void)
{
	struct sockaddr_in a, b;
	const struct hdShareOwner user = local(1000), another = local(1001);
	const struct hdShareOwner ops = remote("ops", 1, &a);
	const struct hdShareOwner far = remote("ops", 2, &b);

	g_assert_true(hdShareIsSame(&user, &user));
	g_assert_false(hdShareIsSame(&user, &another));
	g_assert_true(hdShareIsSame(&ops, &far));
	g_assert_false(hdShareIsSame(&ops, &user));
	g_assert_true(hdShareIsKept(&ops));
	g_assert_false(hdShareIsKept(&user));
}

/* ---- Places ------------------------------------------------------------ */

/* A client of the test; its socket is none, so that its user is unknown. */
struct guest {
	struct hdPlace place; /* First. */
	int64_t idleNs;       /* INT64_MAX: busy. */
	bool isGone;
};

static int64_t guestIdleSince(const struct hdPlace *place)
{
	return ((const struct guest *)(const void *)place)->idleNs;
}

static void guestGiveWay(struct hdPlace *place, const char *why)
{
	g_assert_nonnull(why);
	((struct guest *)(void *)place)->isGone = true;
	hdPlaceClose(place);
}

static const struct hdPlaceCalls guestCalls = { guestIdleSince, guestGiveWay };

/* A connection from a host, of a user with a token or of none. */
static void guestOpen(struct hdPlaces *places, struct guest *guest,
		      uint32_t host)
{
	struct sockaddr_in at = { .sin_family = AF_INET };

	at.sin_addr.s_addr = htonl(host);
	*guest = (struct guest){ .idleNs = INT64_MAX };
	hdPlaceOpen(places, &guest->place, &guestCalls, -1,
		    (const struct sockaddr *)&at);
}

static const char *guestAdmit(struct guest *guest, const char *user)
{
	guest->place.owner.user = user;
	return hdPlaceAdmit(&guest->place);
}

/* Of those that are pending, the crowd of one host gives way. */
static void testPendingPlaces(void)
{
	struct hdPlaces places = { .limits = limits,
				   .pendingMax = 8,
				   .patienceNs = INT64_MAX };
	struct guest good, crowd[40];
	size_t left = 0;

	guestOpen(&places, &good, 0xc0000201);
	for (size_t i = 0; i < G_N_ELEMENTS(crowd); i++)
		guestOpen(&places, &crowd[i], 0xc0000202);
	g_assert_cmpuint(places.pending, ==, 8);
	g_assert_false(good.isGone);
	for (size_t i = 0; i < G_N_ELEMENTS(crowd); i++)
		left += !crowd[i].isGone;
	g_assert_cmpuint(left, ==, 7);
	g_assert_null(guestAdmit(&good, "ops"));
	g_assert_cmpuint(places.pending, ==, 7);
	/* For a descriptor another one of the crowd goes. */
	g_assert_true(hdPlacesShed(&places));
	g_assert_cmpuint(places.pending, ==, 6);
	g_assert_false(good.isGone);
}

/* Who is idle gives way to users with tokens, and who is busy does not. */
static void testIdlePlaces(void)
{
	struct hdPlaces places = {
		.limits = { 4, 50, 100 },
		.pendingMax = 8,
		.patienceNs = INT64_MAX,
	};
	struct guest idle, busy, ops[3], dev;

	guestOpen(&places, &idle, 0xc0000201);
	guestOpen(&places, &busy, 0xc0000202);
	g_assert_null(guestAdmit(&idle, ""));
	g_assert_null(guestAdmit(&busy, ""));
	idle.idleNs = 0;
	for (size_t i = 0; i < 3; i++)
		guestOpen(&places, &ops[i], 0xc0000203);
	g_assert_null(guestAdmit(&ops[0], "ops"));
	g_assert_null(guestAdmit(&ops[1], "ops"));
	/* Its own share is used: nobody gives way to it. */
	g_assert_cmpstr(guestAdmit(&ops[2], "ops"), ==,
			"too many clients of this user");
	guestOpen(&places, &dev, 0xc0000204);
	g_assert_null(guestAdmit(&dev, "dev"));
	g_assert_false(idle.isGone);
	hdPlacesRun(&places);
	g_assert_true(idle.isGone);
	g_assert_false(busy.isGone);
	g_assert_cmpuint(places.admitted, ==, 4);
}

/* Both ends are ours; and of what was closed nobody is the owner. */
static void testOwner(void)
{
	struct sockaddr_storage peer = { 0 };
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t size = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0), from, to;
	uid_t uid = (uid_t)-1;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	g_assert_cmpint(bind(listener, (void *)&at, sizeof(at)), ==, 0);
	g_assert_cmpint(listen(listener, 1), ==, 0);
	g_assert_cmpint(getsockname(listener, (void *)&at, &size), ==, 0);
	from = socket(AF_INET, SOCK_STREAM, 0);
	g_assert_cmpint(connect(from, (void *)&at, sizeof(at)), ==, 0);
	size = sizeof(peer);
	to = accept(listener, (void *)&peer, &size);
	g_assert_cmpint(to, >=, 0);
	g_assert_true(hdOwnerOf(to, &peer, &uid));
	g_assert_cmpuint(uid, ==, geteuid());
	close(from);
	g_assert_false(hdOwnerOf(to, &peer, &uid));
	close(to);
	close(listener);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/shares/of users, root and tokens", testShares);
	g_test_add_func("/shares/same owner", testSame);
	g_test_add_func("/shares/pending connections", testPendingPlaces);
	g_test_add_func("/shares/idle clients", testIdlePlaces);
	g_test_add_func("/shares/owner of a connection", testOwner);
	return g_test_run();
}
