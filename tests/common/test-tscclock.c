/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* The wall clock from the time stamp counter: it follows the system's, never
 * goes back, and says how wrong it was. Most of it with a counter and a wall
 * clock of the test's own, whose truth is known. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <glib.h>

#include "common/clock.h"
#include "common/tsc.h"
#include "common/tscclock.h"
#include "tests/lib/testlib.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define START (INT64_C(1700000000) * HD_NS_PER_S)

/* ---- A machine ------------------------------------------------------------
 */

/* True time, and what the two clocks make of it. */
static struct {
	int64_t ns; /* Since the beginning. */
	double ghz; /* Of the counter. */
	double wallPpm;
	int64_t wallSince, wallThen; /* When its rate was set, and its time. */
	int64_t ticksOff;            /* Taken off the counter. */
	int64_t stopped;             /* Who compares is stopped so long, */
	int until;      /* after so many readings of the wall clock, */
	int untilTicks; /* or of the counter. */
	bool isBroken;
} fake;

static struct hdTscClock clock_;
static struct testRandom chance;

static int64_t fakeTruth(void)
{
	return fake.wallThen + (int64_t)((double)(fake.ns - fake.wallSince) *
					 (1 + fake.wallPpm / 1e6));
}

static uint64_t fakeCounter(void)
{
	return (uint64_t)((double)fake.ns * fake.ghz) + 1000 -
	       (uint64_t)fake.ticksOff;
}

static void readMeanwhile(void);

/* Reading takes time, from 10 to 30 ns. */
static uint64_t fakeTicks(void)
{
	fake.ns += 10 + (int64_t)testRandomBelow(&chance, 20);
	return fakeCounter();
}

static void fakeStop(int *until)
{
	if (!fake.stopped || (*until)-- != 0)
		return;
	fake.ns += fake.stopped;
	fake.stopped = 0;
	readMeanwhile();
}

static int64_t fakeWall(void)
{
	fake.ns += 10 + (int64_t)testRandomBelow(&chance, 10);
	fakeStop(&fake.until);
	return fake.isBroken ? -1 : fakeTruth();
}

/* By who compares: it is stopped after that. */
static uint64_t fakeTicksComparing(void)
{
	uint64_t ticks = fakeTicks();

	fakeStop(&fake.untilTicks);
	return ticks;
}

static const struct hdTscSource source = { fakeTicksComparing, fakeTicks,
					   fakeWall };

/* From now on the wall clock goes at another rate, or shows another time. */
static void fakeSetWall(double ppm, int64_t step)
{
	fake.wallThen = fakeTruth() + step;
	fake.wallSince = fake.ns;
	fake.wallPpm = ppm;
}

/* A machine whose counter is said to go at 2.6 GHz, and is wrong by some. */
static void begin(double ppm)
{
	struct hdTscMoment now;

	memset(&fake, 0, sizeof(fake));
	memset(&clock_, 0, sizeof(clock_));
	fake.ghz = 2.6 * (1 + ppm / 1e6);
	fake.wallThen = START;
	g_assert_true(hdTscMomentTake(&source, &now));
	g_assert_true(hdTscClockBegin(&clock_, 1 / 2.6, &now));
}

/* What was seen of the clock. */
static struct seen {
	int64_t last;
	int64_t worst; /* How far it was from the truth. */
	int back;      /* How often it went back. */
} seen;

/* Another thread goes on. */
static void readMeanwhile(void)
{
	int64_t now = hdTscClockNs(&clock_, &source);

	seen.back += now < seen.last;
	seen.last = now;
}

/* Let time go by, with readings in between. */
static void pass(int64_t ns, int64_t step)
{
	int64_t end = fake.ns + ns;

	seen.worst = 0;
	seen.back = 0;
	while (fake.ns < end) {
		int64_t before, now, after, off;

		fake.ns +=
			(int64_t)testRandomBelow(&chance, 2 * (uint64_t)step);
		before = fakeTruth();
		now = hdTscClockNs(&clock_, &source);
		after = fakeTruth();
		off = now < before ? before - now
				   : (now > after ? now - after : 0);
		if (off > seen.worst)
			seen.worst = off;
		seen.back += now < seen.last;
		seen.last = now;
	}
}

static void beginSeen(double ppm)
{
	begin(ppm);
	seen = (struct seen){ 0 };
}

/* ---- What it does ---------------------------------------------------------
 */

/* A counter whose rate was measured wrongly. */
static void drifts(void)
{
	static const double wrong[] = { 0, 3, -40, 300, -300 };

	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
		int64_t allowed = 300 + (int64_t)(fabs(wrong[i]) * 4.5);

		beginSeen(wrong[i]);
		/* Until it is compared for the first time. */
		pass(HD_NS_PER_S / 2, 10 * US);
		g_assert_cmpint(seen.back, ==, 0);
		g_assert_cmpint(seen.worst, <=, allowed);
		g_assert_cmpint(hdTscClockError(&clock_), >=, seen.worst - 100);
		g_assert_cmpint(hdTscClockError(&clock_), <=, allowed + 100);
		/* And from then on it is right. */
		pass(20 * HD_NS_PER_S, MS);
		g_assert_cmpint(seen.back, ==, 0);
		g_assert_cmpint(seen.worst, <=, 100);
		g_test_message("%g ppm: then %" PRId64 " ns, drift %" PRId64,
			       wrong[i], seen.worst, hdTscClockDrift(&clock_));
		g_assert_cmpint(llabs(hdTscClockDrift(&clock_)), <, 20 * US);
	}
}

/* The wall clock is slewed, as NTP does; that is drift from then on. */
static void slews(void)
{
	beginSeen(5);
	pass(2 * HD_NS_PER_S, MS);
	fakeSetWall(400, 0);
	pass(10 * HD_NS_PER_S, MS);
	g_assert_cmpint(seen.back, ==, 0);
	g_assert_cmpint(seen.worst, <=, 150 * US);
	g_assert_cmpint(hdTscClockError(&clock_), >=, seen.worst - 2 * US);
	g_assert_cmpint(hdTscClockDrift(&clock_), >, 3900 * US);
	g_assert_cmpint(hdTscClockDrift(&clock_), <, 4100 * US);
	pass(5 * HD_NS_PER_S, MS);
	g_assert_cmpint(seen.worst, <=, 200);
	fakeSetWall(-400, 0);
	pass(10 * HD_NS_PER_S, MS);
	g_assert_cmpint(seen.back, ==, 0);
	g_assert_cmpint(seen.worst, <=, 300 * US);
}

/* A little step is taken back bit by bit, a large one at once. */
static void steps(void)
{
	beginSeen(5);
	pass(2 * HD_NS_PER_S, MS);
	fakeSetWall(0, -5 * MS);
	pass(20 * HD_NS_PER_S, MS);
	g_assert_cmpint(seen.back, ==, 0);
	pass(HD_NS_PER_S, MS);
	g_assert_cmpint(seen.worst, <=, 200);
	g_assert_cmpint(hdTscClockError(&clock_), >=, 5 * MS - US);
	g_assert_cmpint(hdTscClockError(&clock_), <, 6 * MS);
	fakeSetWall(0, HD_NS_PER_S);
	pass(HD_NS_PER_S / 2, MS);
	g_assert_cmpint(seen.back, ==, 0);
	pass(HD_NS_PER_S, MS);
	g_assert_cmpint(seen.worst, <=, 200);
	g_assert_cmpint(hdTscClockError(&clock_), >=, HD_NS_PER_S - 6 * MS);
	fakeSetWall(0, -HD_NS_PER_S);
	pass(HD_NS_PER_S / 2, MS);
	g_assert_cmpint(seen.back, ==, 1);
	pass(HD_NS_PER_S, MS);
	g_assert_cmpint(seen.back, ==, 0);
	g_assert_cmpint(seen.worst, <=, 200);
}

/* The counter begins anew, as after sleep. */
static void sleeps(void)
{
	beginSeen(5);
	pass(2 * HD_NS_PER_S, MS);
	fake.ticksOff = (int64_t)fakeCounter();
	fake.ns += 3 * HD_NS_PER_S;
	pass(HD_NS_PER_S, MS);
	g_assert_cmpint(seen.back, ==, 0);
	pass(HD_NS_PER_S, MS);
	g_assert_cmpint(seen.worst, <=, 200);
}

/* Nobody reads it for an hour; nor is it compared while that fails. */
static void rests(void)
{
	beginSeen(5);
	pass(2 * HD_NS_PER_S, MS);
	fake.ns += 3600 * HD_NS_PER_S;
	pass(10 * HD_NS_PER_S, MS);
	g_assert_cmpint(seen.back, ==, 0);
	pass(HD_NS_PER_S, MS);
	g_assert_cmpint(seen.worst, <=, 200);
	fake.isBroken = true;
	pass(10 * HD_NS_PER_S, MS);
	g_assert_cmpint(seen.back, ==, 0);
	g_assert_cmpint(seen.worst, <=, 2 * US);
}

/* Who compares is stopped, in the middle of that or before it publishes. */
static void isStopped(void)
{
	beginSeen(300);
	for (int i = 0; i < 200; i++) {
		fakeSetWall(i % 2 ? 400 : -400, 0);
		fake.until = fake.untilTicks = -1;
		if (i % 4 < 2)
			fake.until = (int)testRandomBelow(&chance, 16);
		else
			fake.untilTicks = (int)testRandomBelow(&chance, 20);
		fake.stopped = 1 + (int64_t)testRandomBelow(&chance, 5 * MS);
		pass(HD_NS_PER_S / 2, MS);
		g_assert_cmpint(seen.back, ==, 0);
		fake.stopped = 0;
	}
	fakeSetWall(0, 0);
	pass(2 * HD_NS_PER_S, MS);
	pass(HD_NS_PER_S, MS);
	g_assert_cmpint(seen.worst, <=, 200);
}

/* Who compares is stopped when nothing is left to do but to publish the change,
 * until long after it was to begin: others read on as if there were none, and
 * so does it. */
static void isLate(void)
{
	beginSeen(0);
	pass(2 * HD_NS_PER_S, MS);
	for (int i = 0; i < 40; i++) {
		unsigned int version = atomic_load(&clock_.version);

		fakeSetWall(0, i % 2 ? 4 * MS : -4 * MS);
		/* All of a comparison, and then once more. */
		fake.until = -1;
		fake.untilTicks = 16;
		fake.stopped = 50 * MS;
		pass(HD_NS_PER_S, MS);
		g_assert_cmpint(fake.stopped, ==, 0);
		g_assert_cmpint(seen.back, ==, 0);
		/* It is made another time. */
		g_assert_cmpuint(atomic_load(&clock_.version), >, version + 4);
	}
	pass(20 * HD_NS_PER_S, MS);
	pass(HD_NS_PER_S, MS);
	g_assert_cmpint(seen.worst, <=, 200);
}

static void refuses(void)
{
	static const double wrong[] = { 0, -1, 0.001, 1e9, NAN };
	struct hdTscMoment now;

	begin(0);
	g_assert_true(hdTscMomentTake(&source, &now));
	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++)
		g_assert_false(hdTscClockBegin(&clock_, wrong[i], &now));
	fake.isBroken = true;
	g_assert_false(hdTscMomentTake(&source, &now));
}

/* ---- Threads and processes ------------------------------------------------
 */

/* Another clock of the system as the counter, 150 ppm off. */
static uint64_t otherTicks(void)
{
	uint64_t ns = (uint64_t)hdMonotonicNow();

	return ns + ns / 1000000 * 150;
}

static int64_t realWall(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return hdClockToNs(&now);
}

static const struct hdTscSource other = { otherTicks, otherTicks, realWall };

static void beginOther(void)
{
	struct hdTscMoment now;

	memset(&clock_, 0, sizeof(clock_));
	g_assert_true(hdTscMomentTake(&other, &now));
	g_assert_true(hdTscClockBegin(&clock_, 1, &now));
}

/* Whether a change was published: only those bring another rate, withdrawn ones
 * leave what they found. */
static bool hasChanged(void)
{
	unsigned int version = atomic_load(&clock_.version);

	return atomic_load(&clock_.plans[version / 2 & 1]
				    .pieces[HD_TSC_PIECES - 1]
				    .rate) != UINT64_C(1) << 40;
}

static _Atomic(int64_t) latest;
static atomic_bool isOver;

/* What any thread reads is not before what another one has read before. */
static void *readOn(void *data)
{
	int64_t count = 0;

	(void)data;
	while (!atomic_load(&isOver)) {
		int64_t before = atomic_load(&latest);
		int64_t now = hdTscClockNs(&clock_, &other);

		g_assert_cmpint(now, >=, before);
		while (before < now &&
		       !atomic_compare_exchange_weak(&latest, &before, now)) {
		}
		count++;
	}
	return (void *)(intptr_t)count;
}

static void threads(void)
{
	pthread_t list[6];
	int64_t start;

	beginOther();
	atomic_store(&latest, 0);
	atomic_store(&isOver, false);
	start = hdMonotonicNow();
	for (size_t i = 0; i < G_N_ELEMENTS(list); i++)
		pthread_create(&list[i], NULL, readOn, NULL);
	while (hdMonotonicNow() - start < HD_NS_PER_S ||
	       (!hasChanged() && hdMonotonicNow() - start < 60 * HD_NS_PER_S))
		g_usleep(20000);
	atomic_store(&isOver, true);
	for (size_t i = 0; i < G_N_ELEMENTS(list); i++) {
		void *count;

		pthread_join(list[i], &count);
		g_assert_cmpint((intptr_t)count, >, 0);
	}
	/* It was compared. */
	g_assert_true(hasChanged());
}

/* A machine of threads whose time is what they do: all of them go on while one
 * compares, so that changes are late again and again. */
static _Atomic(uint64_t) ownTime;

static uint64_t ownTicks(void)
{
	return atomic_fetch_add(&ownTime, 20);
}

/* One of 512 readings takes much longer than changes are announced before. */
static uint64_t ownEarly(void)
{
	uint64_t ticks = ownTicks();

	if (ticks / 20 % 512 == 0)
		return atomic_fetch_add(&ownTime, 20 * MS);
	return ticks;
}

/* By who compares: one of eight times all others go on then. */
static uint64_t ownComparing(void)
{
	uint64_t ticks = ownTicks();

	if (ticks / 20 % 8 == 0)
		for (int i = 0; i < 10; i++)
			sched_yield();
	return ticks;
}

/* The wall clock is slewed to and fro: by 80 ppm, which for whoever is stopped
 * for most of the test, 90 s, are 7 ms and no step yet. */
static int64_t ownWall(void)
{
	int64_t now = (int64_t)ownTicks(), part = now % HD_NS_PER_S;

	if (part > HD_NS_PER_S / 2)
		part = HD_NS_PER_S - part;
	return START + now + part / 12500;
}

static const struct hdTscSource own = { ownComparing, ownEarly, ownWall };

static void *readOwn(void *data)
{
	(void)data;
	for (int i = 0; i < 200000; i++) {
		int64_t before = atomic_load(&latest);
		int64_t now = hdTscClockNs(&clock_, &own);

		g_assert_cmpint(now, >=, before);
		while (before < now &&
		       !atomic_compare_exchange_weak(&latest, &before, now)) {
		}
	}
	return NULL;
}

static void lateThreads(void)
{
	struct hdTscMoment now;
	pthread_t list[4];

	memset(&clock_, 0, sizeof(clock_));
	atomic_store(&ownTime, 1000);
	atomic_store(&latest, 0);
	g_assert_true(hdTscMomentTake(&own, &now));
	g_assert_true(hdTscClockBegin(&clock_, 1, &now));
	for (size_t i = 0; i < G_N_ELEMENTS(list); i++)
		pthread_create(&list[i], NULL, readOwn, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(list); i++)
		pthread_join(list[i], NULL);
	g_test_message("%.3f s, version %u", (double)ownTime / 1e9,
		       atomic_load(&clock_.version));
	g_assert_true(hasChanged());
}

/* How wrong the clock is at least, between two readings of the wall clock. */
static int64_t wrong(int64_t (*read)(void))
{
	int64_t least = INT64_MAX;

	for (int i = 0; i < 1000; i++) {
		int64_t before = realWall(), now = read(), after = realWall();
		int64_t off = now < before ? before - now
					   : (now > after ? now - after : 0);

		if (off < least)
			least = off;
	}
	return least;
}

static int64_t readOther(void)
{
	return hdTscClockNs(&clock_, &other);
}

/* A child of fork() goes on, also where a thread that is not there had the
 * clock. */
static void forks(void)
{
	int status;
	pid_t child;

	beginOther();
	atomic_store(&clock_.holder, (int)getpid());
	child = fork();
	g_assert_cmpint(child, >=, 0);
	if (child == 0) {
		int64_t start = hdMonotonicNow();

		while (hdMonotonicNow() - start < HD_NS_PER_S)
			(void)readOther();
		_exit(wrong(readOther) <= 20 * US ? 0 : 1);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_cmpint(status, ==, 0);
	/* While it is held it is not compared. */
	(void)readOther();
	g_assert_cmpuint(atomic_load(&clock_.version), ==, 2);
}

static int64_t readNow(void)
{
	return hdClockNow();
}

/* The counter of this machine. */
static void real(void)
{
	const char *refusal;
	int64_t start, worst = 0, last = 0;

	g_assert_null(hdTscClockUsed());
	refusal = hdTscClockUse();
	if (refusal) {
		g_assert_null(hdTscClockUsed());
		g_test_skip(refusal);
		return;
	}
	g_assert_nonnull(hdTscClockUsed());
	start = hdMonotonicNow();
	while (hdMonotonicNow() - start < HD_NS_PER_S) {
		int64_t off = wrong(readNow), now = hdClockNow();

		g_assert_cmpint(now, >=, last);
		last = now;
		if (off > worst)
			worst = off;
	}
	g_test_message("off by %" PRId64 " ns; it says %" PRId64
		       " ns, drift %" PRId64 " ns",
		       worst, hdTscClockError(hdTscClockUsed()),
		       hdTscClockDrift(hdTscClockUsed()));
	/* A clock that is slewed all the time by 500 ppm is so far off. */
	g_assert_cmpint(worst, <=, 250 * US);
	g_assert_cmpint(worst, <=,
			hdTscClockError(hdTscClockUsed()) + 125 * US);
	hdClockUse(hdClockSteady);
	g_assert_null(hdTscClockUsed());
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	chance.state = testSeed();
	g_test_add_func("/tscclock/drift", drifts);
	g_test_add_func("/tscclock/slew", slews);
	g_test_add_func("/tscclock/step", steps);
	g_test_add_func("/tscclock/sleep", sleeps);
	g_test_add_func("/tscclock/rest", rests);
	g_test_add_func("/tscclock/stopped", isStopped);
	g_test_add_func("/tscclock/refused", refuses);
	g_test_add_func("/tscclock/late", isLate);
	g_test_add_func("/tscclock/threads", threads);
	g_test_add_func("/tscclock/threads/late", lateThreads);
	g_test_add_func("/tscclock/fork", forks);
	g_test_add_func("/tscclock/real", real);
	return g_test_run();
}
