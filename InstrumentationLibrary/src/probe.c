/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is done where a probe is: two readings of the clock, and additions.
 *
 * A slot has one writer, so plain additions do. Readers see from the sequence
 * whether sums belong together (a sequence lock without fences: stores release,
 * loads acquire). A signal handler sees from it that it interrupts its own
 * thread here, and counts in the slot that threads share, by atomic additions.
 */
#include "config.h"

#include <errno.h>

#include "InstrumentationLibrary/src/clock.h"
#include "InstrumentationLibrary/src/counters.h"
#include "InstrumentationLibrary/src/decay.h"
#include "InstrumentationLibrary/src/core/memory.h"
#include "InstrumentationLibrary/src/core/observe.h"

/* What hdProbe_begin() gives where an instance is counted, not timed. */
#define NOT_TIMED 1

/* Of n instances; of a kernel also what their dispatch took. */
struct measurement {
	uint64_t n;
	uint64_t ticks;
	uint64_t outer;
	uint64_t end; /* When; 0: unknown. */
};

static inline __attribute__((always_inline)) void probeAddTo(
	_Atomic uint64_t *to, uint64_t amount, int isShared)
{
	if (isShared)
		atomic_fetch_add_explicit(to, amount, memory_order_relaxed);
	else
		atomic_store_explicit(to, hdProbeGet(to) + amount,
				      memory_order_release);
}

/* To 128 bits, low ones first. */
static inline __attribute__((always_inline)) void addWide(
	_Atomic uint64_t *to, unsigned __int128 amount, int isShared)
{
	uint64_t low = (uint64_t)amount, high = (uint64_t)(amount >> 64), was;

	if (isShared) {
		was = atomic_fetch_add_explicit(&to[0], low,
						memory_order_relaxed);
	} else {
		was = hdProbeGet(&to[0]);
		atomic_store_explicit(&to[0], was + low, memory_order_release);
	}
	high += was + low < was;
	if (high)
		probeAddTo(&to[1], high, isShared);
}

/* The squares of n parts of a sum, as even as whole numbers can be: so they
 * belong to the sum, and the variance is not negative. */
static inline unsigned __int128 squares(uint64_t sum, uint64_t n)
{
	uint64_t part, rest;

	if (__builtin_expect(n == 1, 1))
		return (unsigned __int128)sum * sum;
	part = sum / n;
	rest = sum % n;
	return (unsigned __int128)part * part * n +
	       (unsigned __int128)rest * (2 * part + 1);
}

static void minimize(_Atomic uint64_t *to, uint64_t value)
{
	uint64_t is = hdProbeGet(to);

	while (value < is && !atomic_compare_exchange_weak(to, &is, value)) {
	}
}

static void maximize(_Atomic uint64_t *to, uint64_t value)
{
	uint64_t is = hdProbeGet(to);

	while (value > is && !atomic_compare_exchange_weak(to, &is, value)) {
	}
}

static inline __attribute__((always_inline)) void extremes(
	struct hdProbeSlot *slot, uint64_t value, int isShared)
{
	uint32_t epoch =
		atomic_load_explicit(&slot->resets, memory_order_relaxed);

	if (__builtin_expect(
		    atomic_load_explicit(&slot->epoch, memory_order_relaxed) !=
			    epoch,
		    0)) {
		atomic_store_explicit(&slot->min, value, memory_order_release);
		atomic_store_explicit(&slot->max, value, memory_order_release);
		atomic_store_explicit(&slot->epoch, epoch,
				      memory_order_release);
	} else if (isShared) {
		minimize(&slot->min, value);
		maximize(&slot->max, value);
	} else {
		if (value < hdProbeGet(&slot->min))
			atomic_store_explicit(&slot->min, value,
					      memory_order_release);
		if (value > hdProbeGet(&slot->max))
			atomic_store_explicit(&slot->max, value,
					      memory_order_release);
	}
}

/* The mean that forgets, kept as of its newest instance. */
static void decay(struct hdProbeSlot *slot, const struct measurement *new,
		  uint64_t value, uint64_t halfLife)
{
	double weight = hdProbeFromBits(hdProbeGet(&slot->weight));
	double decayed = hdProbeFromBits(hdProbeGet(&slot->decayed));
	uint64_t stamp = hdProbeGet(&slot->stamp);
	double n = (double)new->n;

	if (new->end >= stamp) {
		double f = hdProbeHalve((double)(new->end - stamp) /
					(double)halfLife);

		weight *= f;
		decayed *= f;
		stamp = new->end;
	} else {
		n *= hdProbeHalve((double)(stamp - new->end) /
				  (double)halfLife);
	}
	weight += n;
	decayed += n * (double)value;
	atomic_store_explicit(&slot->weight, hdProbeToBits(weight),
			      memory_order_release);
	atomic_store_explicit(&slot->decayed, hdProbeToBits(decayed),
			      memory_order_release);
	atomic_store_explicit(&slot->stamp, stamp, memory_order_release);
}

static inline __attribute__((always_inline)) void store(
	struct hdProbeSlot *slot, const struct hdProbeEntry *entry,
	const struct measurement *new, int isTimed, int isShared)
{
	struct hdProbeSums *sums = &slot->sums;
	uint64_t value = new->ticks, option;

	probeAddTo(&sums->count, new->n, isShared);
	if (!isTimed)
		return;
	if (__builtin_expect(new->n != 1, 0))
		value = new->ticks / new->n;
	probeAddTo(&sums->timed, new->n, isShared);
	probeAddTo(&sums->sum, new->ticks, isShared);
	addWide(sums->squares, squares(new->ticks, new->n), isShared);
	probeAddTo(&sums->histogram[hdProbeBucket(value)], new->n, isShared);
	if (new->outer) {
		probeAddTo(&sums->outer, new->outer, isShared);
		addWide(sums->outerSquares, squares(new->outer, new->n),
			isShared);
	}
	extremes(slot, value, isShared);
	option = hdProbeGet(&entry->deadline);
	if (__builtin_expect(option != 0, 0) && value > option)
		probeAddTo(&sums->missed, new->n, isShared);
	option = hdProbeGet(&entry->halfLife);
	if (__builtin_expect(option != 0, 0) && !isShared && new->end)
		decay(slot, new, value, option);
}

/* Its number, or 0; the first use of a probe in any thread sets it. */
static inline __attribute__((always_inline)) unsigned int probeIndex(
	const struct hdProbe *probe)
{
	return __atomic_load_n(&probe->index, __ATOMIC_RELAXED);
}

/* Out of line, as it is rare. */
static __attribute__((noinline)) void storeShared(const struct hdProbe *probe,
						  const struct measurement *new,
						  int isTimed)
{
	struct hdProbeSlot *slot = hdProbeSharedSlot(probeIndex(probe));

	if (slot)
		store(slot, &hdProbePage->entries[probeIndex(probe)], new,
		      isTimed, 1);
	else
		atomic_fetch_add(&hdProbePage->lost, 1);
}

static inline __attribute__((always_inline)) struct hdProbeSlot *probeSlotOf(
	struct hdProbe *probe)
{
	struct hdProbeOwn *own = hdProbeOwn;
	struct hdProbeSlot *slot = NULL;

	/* Number 0 has no slot. */
	if (__builtin_expect(own != NULL, 1))
		slot = atomic_load_explicit(&own->slots[probeIndex(probe)],
					    memory_order_relaxed);
	return __builtin_expect(slot != NULL, 1) ? slot : hdProbeClaim(probe);
}

/* Nobody counts in the slot now: it is the thread's, and this no handler that
 * has interrupted it. */
static inline __attribute__((always_inline)) int probeIsFree(
	const struct hdProbeSlot *slot, uint32_t sequence)
{
	return !(sequence & 1) &&
	       atomic_load_explicit(&slot->lane, memory_order_relaxed) !=
		       HD_PROBE_SHARED;
}

static inline __attribute__((always_inline)) void probeRecordTime(
	struct hdProbe *probe, const struct measurement *new, int isTimed)
{
	struct hdProbeSlot *slot = probeSlotOf(probe);
	uint32_t sequence;

	if (__builtin_expect(!slot, 0))
		return;
	sequence = atomic_load_explicit(&slot->sequence, memory_order_relaxed);
	if (__builtin_expect(!probeIsFree(slot, sequence), 0)) {
		storeShared(probe, new, isTimed);
		return;
	}
	atomic_store_explicit(&slot->sequence, sequence + 1,
			      memory_order_relaxed);
	/* A handler that comes from now on sees that. */
	atomic_signal_fence(memory_order_seq_cst);
	store(slot, &hdProbePage->entries[probeIndex(probe)], new, isTimed, 0);
	atomic_store_explicit(&slot->sequence, sequence + 2,
			      memory_order_release);
}

static void storeEvents(struct hdProbeSums *sums, unsigned int counted,
			const uint64_t *amounts, uint64_t n, int isShared)
{
	for (unsigned int i = 0; i < HDPROBE_EVENTS; i++) {
		if (!(counted >> i & 1))
			continue;
		probeAddTo(&sums->events[i], amounts[i], isShared);
		probeAddTo(&sums->counted[i], n, isShared);
	}
}

/* Events of n instances that have been recorded. */
static void recordEvents(struct hdProbe *probe, unsigned int counted,
			 const uint64_t *amounts, uint64_t n)
{
	struct hdProbeSlot *slot = counted ? probeSlotOf(probe) : NULL;
	uint32_t sequence;

	if (!slot)
		return;
	sequence = atomic_load_explicit(&slot->sequence, memory_order_relaxed);
	if (!probeIsFree(slot, sequence)) {
		slot = hdProbeSharedSlot(probeIndex(probe));
		if (slot)
			storeEvents(&slot->sums, counted, amounts, n, 1);
		return;
	}
	atomic_store_explicit(&slot->sequence, sequence + 1,
			      memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	storeEvents(&slot->sums, counted, amounts, n, 0);
	atomic_store_explicit(&slot->sequence, sequence + 2,
			      memory_order_release);
}

/* ---- Sampling --------------------------------------------------------------
 */

/* xorshift64*: Vigna, An experimental exploration of Marsaglia's xorshift
 * generators, scrambled, 2016. */
static uint64_t probeDrawRandom(struct hdProbeSlot *slot)
{
	uint64_t x = hdProbeGet(&slot->chance);

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	atomic_store_explicit(&slot->chance, x, memory_order_relaxed);
	return x * UINT64_C(0x2545f4914f6cdd1d);
}

/* How many are not timed before the next one that is. */
static uint64_t drawSkip(struct hdProbeSlot *slot, uint64_t every, int isRandom,
			 int isFirst)
{
	double u;

	if (!isRandom)
		return isFirst ? probeDrawRandom(slot) % every : every - 1;
	/* Of 2^53 numbers between 0 and 1, neither included. */
	u = ((double)(probeDrawRandom(slot) >> 11) + 0.5) / 9007199254740992.0;
	/* The number of failures before a success of probability 1 / every. */
	return (uint64_t)(hdProbeLog(u) / hdProbeLog(1 - 1 / (double)every));
}

static int isTimedNow(struct hdProbe *probe, uint64_t every, int isRandom)
{
	struct hdProbeSlot *slot = probeSlotOf(probe);
	uint64_t skip;

	if (!slot)
		return 1;
	skip = hdProbeGet(&slot->skip);
	if (skip == UINT64_MAX)
		skip = drawSkip(slot, every, isRandom, 1);
	if (skip > 0) {
		atomic_store_explicit(&slot->skip, skip - 1,
				      memory_order_relaxed);
		return 0;
	}
	atomic_store_explicit(&slot->skip, drawSkip(slot, every, isRandom, 0),
			      memory_order_relaxed);
	return 1;
}

/* ---- Calls -----------------------------------------------------------------
 */

/* With sampling, or observed, or with events. */
static __attribute__((noinline)) uint64_t beginRarely(struct hdProbe *probe)
{
	unsigned int index = hdProbeNumber(probe);
	const struct hdProbeEntry *entry = &hdProbePage->entries[index];
	uint64_t bits = index ? hdProbeGet(&entry->every) : 0;
	uint64_t every = bits & ~HD_PROBE_MORE, begun = 0, start;
	struct hdProbeMark *mark = NULL;

	if (bits & HD_PROBE_OBSERVED) {
		hdProbeObserveBegin(entry);
		begun = HD_PROBE_BEGUN_MORE;
	}
	if (every &&
	    !isTimedNow(probe, every, hdProbeGet(&entry->isRandom) != 0))
		return NOT_TIMED | begun;
	if (bits & HD_PROBE_COUNTED && probeSlotOf(probe))
		mark = hdProbeCountersBegin(hdProbeOwn, index,
					    entry->kind == HDPROBE_KIND_KERNEL);
	if (mark)
		begun |= HD_PROBE_BEGUN_RARE;
	start = hdProbeClockRead();
	hdProbeCountersBegun(mark, start);
	return start | begun;
}

uint64_t hdProbe_begin(struct hdProbe *probe)
{
	const struct hdProbeEntry *entry =
		&hdProbePage->entries[probeIndex(probe)];

	if (__builtin_expect(hdProbeGet(&entry->every) != 0, 0))
		return beginRarely(probe);
	return hdProbeClockRead();
}

uint64_t hdProbe_now(void)
{
	return hdProbeClockRead();
}

/* Observed, or with events: of the end of n instances. */
static __attribute__((noinline)) void finishRarely(struct hdProbe *probe,
						   uint64_t start,
						   struct measurement *new,
						   int isKernel)
{
	uint64_t ticks = start & ~HD_PROBE_BEGUN_MORE, all;
	uint64_t amounts[HDPROBE_EVENTS];
	unsigned int counted;

	if (ticks == NOT_TIMED) {
		probeRecordTime(probe, new, 0);
	} else {
		new->end = hdProbeClockRead();
		counted = hdProbeCountersEnd(probeIndex(probe), ticks, amounts);
		all = new->end > ticks ? new->end - ticks : 0;
		if (isKernel)
			new->outer = all > new->ticks ? all - new->ticks : 0;
		else
			new->ticks = all;
		if (new->n > 0) {
			probeRecordTime(probe, new, 1);
			recordEvents(probe, counted, amounts, new->n);
		}
	}
	if (start & HD_PROBE_BEGUN_OBSERVED)
		hdProbeObserveEnd(&hdProbePage->entries[probeIndex(probe)]);
}

void hdProbe_finish(struct hdProbe *probe, uint64_t start, uint64_t n)
{
	struct measurement new = { .n = n };

	if (__builtin_expect(start >= HD_PROBE_BEGUN_RARE, 0)) {
		finishRarely(probe, start, &new, 0);
		return;
	}
	if (start == NOT_TIMED) {
		probeRecordTime(probe, &new, 0);
		return;
	}
	new.end = hdProbeClockRead();
	new.ticks = new.end > start ? new.end - start : 0;
	if (n > 0)
		probeRecordTime(probe, &new, 1);
}

void hdProbe_finishSpan(struct hdProbe *probe, struct hdProbeSpan *span,
			uint64_t n)
{
	struct measurement new = { .n = n, .ticks = span->inside };
	uint64_t all;

	if (__builtin_expect(span->dispatch >= HD_PROBE_BEGUN_RARE, 0)) {
		finishRarely(probe, span->dispatch, &new, 1);
		return;
	}
	if (span->dispatch == NOT_TIMED) {
		probeRecordTime(probe, &new, 0);
		return;
	}
	new.end = hdProbeClockRead();
	all = new.end > span->dispatch ? new.end - span->dispatch : 0;
	new.outer = all > new.ticks ? all - new.ticks : 0;
	if (n > 0)
		probeRecordTime(probe, &new, 1);
}

void hdProbe_addAmount(struct hdProbe *probe, uint64_t amount)
{
	struct measurement new = { .n = 1, .ticks = amount };

	probeRecordTime(probe, &new, 1);
}

/* ---- Settings --------------------------------------------------------------
 */

void hdProbe_enable(int isOn)
{
	__atomic_store_n(&hdProbe_isOn, isOn != 0, __ATOMIC_RELAXED);
}

int hdProbe_enabled(void)
{
	return hdProbe_isEnabled();
}

static struct hdProbeEntry *entryOf(struct hdProbe *probe)
{
	unsigned int index = hdProbeNumber(probe);

	if (index)
		return &hdProbePage->entries[index];
	errno = ENOSPC;
	return NULL;
}

/* Seconds in ticks: at least one, 0 if there are none, or no number. */
static uint64_t probeTicksOf(double seconds)
{
	double ticks = seconds * 1e9 / hdProbeTickNs;

	if (!(ticks > 0))
		return 0;
	return ticks < 1 ? 1 : ticks < 9e18 ? (uint64_t)ticks : INT64_MAX;
}

int hdProbe_setSampling(struct hdProbe *probe, unsigned int every, int isRandom)
{
	struct hdProbeEntry *entry = entryOf(probe);

	if (!entry)
		return -1;
	atomic_store(&entry->isRandom, isRandom != 0);
	hdProbeSetEvery(entry, every > 1 ? every : 0, ~HD_PROBE_MORE);
	return 0;
}

int hdProbe_setDeadline(struct hdProbe *probe, double seconds)
{
	struct hdProbeEntry *entry = entryOf(probe);

	if (!entry)
		return -1;
	atomic_store(&entry->deadline, probeTicksOf(seconds));
	return 0;
}

int hdProbe_setDecay(struct hdProbe *probe, double halfLife)
{
	struct hdProbeEntry *entry = entryOf(probe);

	if (!entry)
		return -1;
	atomic_store(&entry->halfLife, probeTicksOf(halfLife));
	return 0;
}

uint64_t hdProbe_lost(void)
{
	return hdProbeGet(&hdProbePage->lost);
}
