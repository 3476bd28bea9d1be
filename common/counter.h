/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Counters of a machine, followed from reading to reading: the one rule for
 * libRUT and libPT.
 *
 * The first value is a base. A counter that decreased has wrapped if it has a
 * width and the gain is plausible, else it was reset, and its gain is not
 * known. More than one possible number of wraps, and more than a counter can
 * gain, give no value either. Whoever reads a counter says when it is another
 * one: the identity of hardware is not in its value.
 */
#ifndef HD_COUNTER_H
#define HD_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/** What is known of a kind of counter. */
struct hdCounterLaw {
	uint64_t span;  /**< Where it is at 0 again; 0: it has 64 bits. */
	double rate;    /**< Of counts a second, at most; 0: not known. */
	int64_t onceNs; /**< In this time it wraps once at most. */
};

/** A counter may be read late by this time. */
#define HD_COUNTER_LATE_NS INT64_C(1000000000)

/** What a counter can gain in a time. */
static inline double hdCounterMost(const struct hdCounterLaw *law, int64_t ns)
{
	return law->rate * ((double)ns / 1e9);
}

/** Whether a counter may have wrapped once more than it seems. */
static inline bool hdCounterIsAmbiguous(const struct hdCounterLaw *law,
					uint64_t gain, int64_t ns)
{
	return law->span && law->rate > 0 && ns > law->onceNs &&
	       (double)gain + (double)law->span <= hdCounterMost(law, ns);
}

/** What a counter gained if it wrapped; false if it was rather set to zero.
 *  Without a known rate none gains more than a quarter of its range between two
 *  readings. */
static inline bool hdCounterWrap(const struct hdCounterLaw *law, uint64_t old,
				 uint64_t now, int64_t ns, uint64_t *gain)
{
	if (law->span && old > law->span)
		return false;
	*gain = now - old + law->span;
	return law->rate > 0 ? (double)*gain <= hdCounterMost(law, ns)
			     : *gain <= (law->span - 1) / 4;
}

/**
 * Find what a counter gained from one reading to the next.
 *
 * @param ns Between the two.
 *
 * @return false: that is not known.
 */
static inline bool hdCounterGain(const struct hdCounterLaw *law, uint64_t old,
				 uint64_t now, int64_t ns, uint64_t *gain)
{
	*gain = now - old;
	if (now < old && !hdCounterWrap(law, old, now, ns, gain))
		return false;
	return !hdCounterIsAmbiguous(law, *gain, ns);
}

/** A counter that is followed, from one sample to the next. Zero-initialise. */
struct hdCounter {
	uint64_t raw;
	uint64_t sum;
	uint64_t taken;
	int64_t seenNs;
	bool isBased; /**< raw is what it was when it was last seen. */
	bool isLost;  /**< A part of the interval is not known. */
};

/** Begin to follow a counter. */
static inline void hdCounterBegin(struct hdCounter *counter, uint64_t raw,
				  int64_t nowNs)
{
	counter->raw = raw;
	counter->taken = counter->sum;
	counter->seenNs = nowNs;
	counter->isBased = true;
	counter->isLost = false;
}

/** A counter could not be read, or is another one by now. */
static inline void hdCounterLose(struct hdCounter *counter)
{
	counter->isBased = false;
	counter->isLost = true;
}

/** Add what a counter has counted since it was last seen. */
static inline void hdCounterFollow(struct hdCounter *counter,
				   const struct hdCounterLaw *law, uint64_t raw,
				   int64_t nowNs)
{
	int64_t ns = nowNs - counter->seenNs + HD_COUNTER_LATE_NS;
	uint64_t gain = 0;

	if (!counter->isBased ||
	    !hdCounterGain(law, counter->raw, raw, ns, &gain) ||
	    (law->rate > 0 && (double)gain > hdCounterMost(law, ns))) {
		counter->isLost = true;
		gain = 0;
	}
	counter->isBased = true;
	counter->raw = raw;
	counter->seenNs = nowNs;
	counter->sum += gain;
}

/**
 * Get what was added since the last time.
 *
 * @return false: a part of it is not known.
 */
static inline bool hdCounterTake(struct hdCounter *counter, uint64_t *amount)
{
	bool isLost = counter->isLost;

	*amount = counter->sum - counter->taken;
	counter->taken = counter->sum;
	counter->isLost = !counter->isBased;
	return !isLost;
}

#endif
