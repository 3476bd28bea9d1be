/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wall clock from the time stamp counter; see tscclock.h. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/environment.h"
#include "common/tsc.h"
#include "common/tscclock.h"

/* Tries of a comparison. */
#define TRIES 8
/* Times in ns. How long the rate is measured in the beginning; */
#define CALIBRATE_NS (HD_NS_PER_S / 500)
/* when the clock is compared for the first time, and how often then; */
#define PERIOD_FIRST_NS (HD_NS_PER_S / 500)
#define PERIOD_NS (HD_NS_PER_S / 4)
/* how long it takes until all threads know of a change; */
#define LEAD_NS (HD_NS_PER_S / 5000)
/* from when on a rate is known well; */
#define BASE_NS (HD_NS_PER_S / 5)
/* and what is no error any more: somebody has set a clock. */
#define STEP_NS (HD_NS_PER_S / 100)
/* Most that is taken back, and most that a rate differs from the first one: no
 * counter is so far off. Who slews the system's clock faster makes this one
 * jump after it. */
#define SLEW_PPM 500
#define RATE_PPM 1000
#define MILLION 1000000

/* Digits behind the binary point of a rate. */
#define RATE_BITS 40
#define RATE_ONE (UINT64_C(1) << RATE_BITS)
/* Counters go at 10 MHz to 50 GHz. */
#define TICK_NS_MIN 0.02
#define TICK_NS_MAX 100

#define HD_ALWAYS_INLINE inline __attribute__((__always_inline__))

/* ---- Ticks and nanoseconds ------------------------------------------------
 */

static inline int64_t toNs(uint64_t ticks, uint64_t rate)
{
	return (int64_t)((unsigned __int128)ticks * rate >> RATE_BITS);
}

static uint64_t toTicks(int64_t ns, uint64_t rate)
{
	return (uint64_t)(((unsigned __int128)(uint64_t)ns << RATE_BITS) /
			  rate);
}

static inline uint64_t tscLoad(const _Atomic(uint64_t) *value)
{
	return atomic_load_explicit(value, memory_order_acquire);
}

static int64_t pieceNs(const struct hdTscPiece *piece, uint64_t ticks)
{
	int64_t ns = atomic_load_explicit(&piece->ns, memory_order_acquire);
	uint64_t start = tscLoad(&piece->ticks);

	/* Only the first of them is asked for what was before. */
	return ticks < start ? ns
			     : ns + toNs(ticks - start, tscLoad(&piece->rate));
}

/* The piece that holds at a time. */
static HD_ALWAYS_INLINE const struct hdTscPiece *planPiece(
	const struct hdTscPlan *plan, uint64_t ticks)
{
	const struct hdTscPiece *piece = &plan->pieces[HD_TSC_PIECES - 1];

	while (__builtin_expect(ticks < tscLoad(&piece->ticks), 0) &&
	       piece > plan->pieces)
		piece--;
	return piece;
}

static void pieceSet(struct hdTscPiece *piece, uint64_t ticks, int64_t ns,
		     uint64_t rate)
{
	/* Who reads one of these sees that the version has changed. */
	atomic_store_explicit(&piece->ticks, ticks, memory_order_release);
	atomic_store_explicit(&piece->ns, ns, memory_order_release);
	atomic_store_explicit(&piece->rate, rate, memory_order_release);
}

/* ---- Comparing ------------------------------------------------------------
 */

bool hdTscMomentTake(const struct hdTscSource *source,
		     struct hdTscMoment *moment)
{
	moment->width = UINT64_MAX;
	for (int i = 0; i < TRIES; i++) {
		uint64_t before = source->ticks();
		int64_t ns = source->wall();
		uint64_t after = source->ticks();

		if (ns < 0)
			return false;
		if (after - before < moment->width) {
			moment->width = after - before;
			moment->ticks = before + moment->width / 2;
			moment->ns = ns;
		}
	}
	return true;
}

/* ---- Versions -------------------------------------------------------------
 *
 * A change takes a version of plan 0 to one of plan 1:
 *
 *     0 --announce--> 1 --publish--> 2
 *                     1 --withdraw-> 4, of plan 0 again
 */

#define IS_ANNOUNCED 1U
#define TO_OTHER_PLAN 2U

/* The plan that is read. */
static inline struct hdTscPlan *clockPlan(struct hdTscClock *clock,
					  unsigned int version)
{
	return &clock->plans[version / TO_OTHER_PLAN & 1];
}

static struct hdTscPlan *clockPlanNow(struct hdTscClock *clock)
{
	return clockPlan(clock, atomic_load(&clock->version));
}

static struct hdTscPlan *clockOtherPlan(struct hdTscClock *clock)
{
	return clockPlan(clock, atomic_load(&clock->version) + TO_OTHER_PLAN);
}

/* Returns the version of it. */
static unsigned int clockAnnounce(struct hdTscClock *clock)
{
	return atomic_fetch_add(&clock->version, IS_ANNOUNCED) + IS_ANNOUNCED;
}

/* Returns whether it was not withdrawn. */
static bool clockPublish(struct hdTscClock *clock, unsigned int announced)
{
	return atomic_compare_exchange_strong(&clock->version, &announced,
					      announced - IS_ANNOUNCED +
						      TO_OTHER_PLAN);
}

/* Returns whether it was announced yet. */
static bool clockWithdraw(struct hdTscClock *clock, unsigned int announced)
{
	return atomic_compare_exchange_strong(&clock->version, &announced,
					      announced - IS_ANNOUNCED +
						      2 * TO_OTHER_PLAN);
}

/* ---- Correcting -----------------------------------------------------------
 */

/* Show the wall clock's time from a moment on. */
static void clockJump(struct hdTscClock *clock,
		      const struct hdTscMoment *moment, uint64_t rate)
{
	struct hdTscPlan *plan = clockOtherPlan(clock);

	for (int i = 0; i < HD_TSC_PIECES; i++)
		pieceSet(&plan->pieces[i], moment->ticks, moment->ns, rate);
	clock->base = *moment;
	atomic_fetch_add(&clock->version, TO_OTHER_PLAN);
}

bool hdTscClockBegin(struct hdTscClock *clock, double tickNs,
		     const struct hdTscMoment *moment)
{
	if (!(tickNs >= TICK_NS_MIN && tickNs <= TICK_NS_MAX))
		return false;
	clock->firstRate = (uint64_t)(tickNs * (double)RATE_ONE);
	clock->first = *moment;
	clock->usual = toTicks(PERIOD_NS, clock->firstRate);
	clock->period = toTicks(PERIOD_FIRST_NS, clock->firstRate);
	atomic_store(&clock->due, moment->ticks + clock->period);
	atomic_store(&clock->error,
		     toNs(moment->width, clock->firstRate) / 2 + 1);
	clockJump(clock, moment, clock->firstRate);
	return true;
}

/* The rate since the last time that it was measured; @p rate if nothing can be
 * said. */
static uint64_t clockRate(const struct hdTscClock *clock,
			  const struct hdTscMoment *now, uint64_t rate)
{
	uint64_t ticks = now->ticks - clock->base.ticks;
	uint64_t most = clock->firstRate / MILLION * RATE_PPM;
	int64_t ns = now->ns - clock->base.ns;
	unsigned __int128 found;

	/* What is not known of both moments must not be more than a part in a
	 * million; in the beginning as little as there is. */
	if (ns <= 0 || ticks == 0 ||
	    (now->width > ticks / MILLION && clock->isFirstFixed))
		return rate;
	found = ((unsigned __int128)(uint64_t)ns << RATE_BITS) / ticks;
	return found > clock->firstRate + most ||
			       found < clock->firstRate - most
		       ? rate
		       : (uint64_t)found;
}

static void clockDrift(struct hdTscClock *clock, const struct hdTscMoment *now,
		       uint64_t rate)
{
	int64_t ns = now->ns - clock->first.ns - clock->stepped;

	if (!clock->isFirstFixed && ns >= BASE_NS) {
		clock->isFirstFixed = true;
		clock->first = *now;
		clock->firstRate = rate;
		clock->stepped = 0;
		return;
	}
	if (clock->isFirstFixed)
		atomic_store(&clock->drift,
			     ns - toNs(now->ticks - clock->first.ticks,
				       clock->firstRate));
}

/* Plan to meet the wall clock, from a little later on.
 *
 * off: what is missing now; rate: of the wall clock; slew: ticks that there are
 * to make up for it. Returns whether that could be done now. */
static bool clockPlanAhead(struct hdTscClock *clock,
			   const struct hdTscSource *source,
			   const struct hdTscMoment *now, int64_t off,
			   uint64_t rate, uint64_t slew)
{
	const struct hdTscPlan *old = clockPlanNow(clock);
	struct hdTscPlan *plan = clockOtherPlan(clock);
	uint64_t start = now->ticks + toTicks(LEAD_NS, rate);
	const struct hdTscPiece *piece = planPiece(old, start);
	int64_t from = pieceNs(piece, start);
	unsigned int announced;
	uint64_t change;

	/* A piece ends in between: later. */
	if (planPiece(old, now->ticks) != piece)
		return false;
	off += toNs(start - now->ticks, rate) -
	       (from - pieceNs(piece, now->ticks));
	change = (uint64_t)(((unsigned __int128)(uint64_t)llabs(off)
			     << RATE_BITS) /
			    slew);
	if (change > rate / MILLION * SLEW_PPM) {
		change = rate / MILLION * SLEW_PPM;
		slew = (uint64_t)(((unsigned __int128)(uint64_t)llabs(off)
				   << RATE_BITS) /
				  change);
	}
	pieceSet(&plan->pieces[0], tscLoad(&piece->ticks),
		 atomic_load(&piece->ns), tscLoad(&piece->rate));
	pieceSet(&plan->pieces[1], start, from,
		 off < 0 ? rate - change : rate + change);
	pieceSet(&plan->pieces[2], start + slew,
		 pieceNs(&plan->pieces[1], start + slew), rate);
	atomic_store(&clock->due, start);
	announced = clockAnnounce(clock);
	/* Before that, we may have been stopped for longer; later on others
	 * look after it. */
	if (source->ticks() - now->ticks < start - now->ticks)
		return clockPublish(clock, announced);
	clockWithdraw(clock, announced);
	return false;
}

/* Compare the clock, and correct it. Only one thread at a time. */
static void clockCorrect(struct hdTscClock *clock,
			 const struct hdTscSource *source)
{
	struct hdTscPlan *plan;
	uint64_t rate, next;
	int64_t off, half;
	struct hdTscMoment now;
	unsigned int version = atomic_load(&clock->version);
	bool isPlanned;

	/* In a child of fork(), by a thread that is not there. */
	if (version & IS_ANNOUNCED)
		clockWithdraw(clock, version);
	plan = clockPlanNow(clock);
	rate = tscLoad(&plan->pieces[HD_TSC_PIECES - 1].rate);
	if (!hdTscMomentTake(source, &now))
		return;
	off = now.ns - pieceNs(planPiece(plan, now.ticks), now.ticks);
	half = toNs(now.width, rate) / 2 + 1;
	if (llabs(off) + half > atomic_load(&clock->error))
		atomic_store(&clock->error, llabs(off) + half);
	clock->period = 2 * clock->period < clock->usual ? 2 * clock->period
							 : clock->usual;
	next = now.ticks + clock->period;
	atomic_store(&clock->due, next);
	if (llabs(off) > STEP_NS) {
		clock->stepped += off;
		clockJump(clock, &now, rate);
		return;
	}
	rate = clockRate(clock, &now, rate);
	clockDrift(clock, &now, rate);
	/* What may be the comparison's own error is left. */
	if (llabs(off) <= half)
		off = 0;
	isPlanned = clockPlanAhead(clock, source, &now, off, rate,
				   clock->period / 2);
	atomic_store(&clock->due, next);
	if (isPlanned && now.ns - clock->base.ns >= BASE_NS)
		clock->base = now;
}

/* Whoever gets it compares the clock. In a child of fork() a thread of the
 * parent may have it, and does not come back. */
static __attribute__((__noinline__, __cold__)) void clockCheck(
	struct hdTscClock *clock, const struct hdTscSource *source)
{
	int self = (int)getpid(), holder = atomic_load(&clock->holder);

	if (holder == self ||
	    !atomic_compare_exchange_strong(&clock->holder, &holder, self))
		return;
	clockCorrect(clock, source);
	atomic_store(&clock->holder, 0);
}

/* ---- Reading --------------------------------------------------------------
 */

/* A reading of the clock. */
struct reading {
	unsigned int version;
	uint64_t ticks;
	int64_t ns;
};

/* Returns whether something is due then; a counter that was set back is. When
 * is asked after the counter: what is announced later begins after it. */
static HD_ALWAYS_INLINE bool clockTime(struct hdTscClock *clock,
				       const struct hdTscSource *source,
				       struct reading *reading)
{
	const struct hdTscPlan *plan;
	bool isDue;

	do {
		reading->version = atomic_load_explicit(&clock->version,
							memory_order_acquire);
		plan = clockPlan(clock, reading->version);
		reading->ticks = source->early();
		reading->ns = pieceNs(planPiece(plan, reading->ticks),
				      reading->ticks);
		isDue = reading->ticks >= tscLoad(&clock->due) ||
			reading->ticks < tscLoad(&plan->pieces[0].ticks);
	} while (__builtin_expect(
		atomic_load_explicit(&clock->version, memory_order_acquire) !=
			reading->version,
		0));
	return isDue;
}

/* Whether a reading holds: a change that is announced, and was to have begun by
 * then, is withdrawn. If it was published meanwhile it does not. */
static bool clockKeep(struct hdTscClock *clock, const struct reading *reading)
{
	unsigned int version = reading->version;
	uint64_t start;

	if (!(version & IS_ANNOUNCED))
		return true;
	start = tscLoad(
		&clockPlan(clock, version + TO_OTHER_PLAN)->pieces[1].ticks);
	if (reading->ticks < start)
		return true;
	if (!clockWithdraw(clock, version))
		return false;
	/* Until whoever was stopped goes on nothing is due. */
	atomic_compare_exchange_strong(&clock->due, &start,
				       start + clock->usual);
	return true;
}

/* Read it where something is due. */
static __attribute__((__noinline__, __cold__)) int64_t clockNsDue(
	struct hdTscClock *clock, const struct hdTscSource *source)
{
	bool isChecked = false;
	struct reading reading;

	while (clockTime(clock, source, &reading)) {
		if (!clockKeep(clock, &reading))
			continue;
		if (isChecked)
			break;
		clockCheck(clock, source);
		isChecked = true;
	}
	return reading.ns;
}

int64_t hdTscClockNs(struct hdTscClock *clock, const struct hdTscSource *source)
{
	struct reading reading;

	return clockTime(clock, source, &reading) ? clockNsDue(clock, source)
						  : reading.ns;
}

int64_t hdTscClockError(const struct hdTscClock *clock)
{
	return atomic_load(&clock->error);
}

int64_t hdTscClockDrift(const struct hdTscClock *clock)
{
	return atomic_load(&clock->drift);
}

/* ---- The clock of the process ---------------------------------------------
 */

static int64_t machineWall(void)
{
	struct timespec now;

	return hdClockSteady(CLOCK_REALTIME, &now) == 0 ? hdClockToNs(&now)
							: -1;
}

static const struct hdTscSource machine = { .ticks = hdTscRead,
					    .early = hdTscReadEarly,
					    .wall = machineWall };

static struct hdTscClock process;

static int processPut(struct timespec *now, int64_t ns)
{
	*now = hdClockToTimespec(ns);
	return 0;
}

static int processRead(clockid_t clock, struct timespec *now)
{
	struct reading reading;

	if (__builtin_expect(clock != CLOCK_REALTIME, 0))
		return clock_gettime(clock, now);
	if (__builtin_expect(clockTime(&process, &machine, &reading), 0))
		return processPut(now, clockNsDue(&process, &machine));
	return processPut(now, reading.ns);
}

static const char *processRefusal;

static const char *processStart(void)
{
	struct hdTscFacts facts;
	struct hdTscMoment now;
	const char *refusal;
	double tickNs;

	hdTscFind(&facts);
	refusal = hdTscRefusal(&facts);
	if (refusal)
		return refusal;
	tickNs = hdTscCalibrate(CALIBRATE_NS);
	if (!hdTscMomentTake(&machine, &now))
		return "cannot read the wall clock";
	if (!hdTscClockBegin(&process, tickNs, &now))
		return "it does not advance steadily";
	return NULL;
}

static void processTry(void)
{
	/* Tests may have put another one there. */
	if (atomic_load(&hdClockRead) != hdClockSteady)
		return;
	processRefusal = processStart();
	if (!processRefusal)
		hdClockUse(processRead);
}

const char *hdTscClockUse(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, processTry);
	return processRefusal;
}

void hdTscClockFollow(void)
{
	const char *asked = hdEnvironmentText("HDTRACE_CLOCK");

	if (asked && strcmp(asked, "tsc") == 0)
		hdTscClockUse();
}

const struct hdTscClock *hdTscClockUsed(void)
{
	return atomic_load(&hdClockRead) == processRead ? &process : NULL;
}
