/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The memory where probes count, as the process and hdprobe see it.
 *
 * It is a memfd called "hdprobe", which others find as /proc/PID/fd/N; so it is
 * the kernel that lets only the process' user (and root) read it, and it goes
 * with the process. A head, then slots: one for each probe that a thread uses,
 * and one for each probe that threads share where they have none of their own.
 *
 * Only the owner of a slot writes its sums, which only grow; whoever resets
 * writes what they were, to be taken off, with a lock on the whole file (of an
 * open file description, so that it goes with who holds it).
 */
#ifndef HD_PROBE_PAGE_H
#define HD_PROBE_PAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hdProbe.h>

/** The version is that of these structs. */
#define HD_PROBE_MAGIC UINT64_C(0x31656270726f4864)
#define HD_PROBE_FILE "hdprobe"

#define HD_PROBE_PROBES 256 /**< The first is none. */
#define HD_PROBE_LANES 512
#define HD_PROBE_CHUNK 8 /**< Slots that are mapped at once. */
#define HD_PROBE_SLOTS (HD_PROBE_PROBES * (HD_PROBE_LANES + 1))
#define HD_PROBE_CHUNKS (HD_PROBE_SLOTS / HD_PROBE_CHUNK)
#define HD_PROBE_SHARED HD_PROBE_LANES /**< Lane of a slot that is shared. */

/** Buckets of the histogram: 16 for each power of two. */
#define HD_PROBE_FINE 4
/** Values from 2^48 ticks on are in the last one. */
#define HD_PROBE_BITS 48
#define HD_PROBE_BUCKETS ((HD_PROBE_BITS - HD_PROBE_FINE + 1) << HD_PROBE_FINE)

/** What only grows, modulo 2^64. */
struct hdProbeSums {
	_Atomic uint64_t count; /**< Completed. */
	_Atomic uint64_t timed;
	_Atomic uint64_t missed;
	_Atomic uint64_t sum; /**< Of ticks, bytes or amounts. */
	_Atomic uint64_t squares[2];
	_Atomic uint64_t outer; /**< Of kernels: ticks of dispatch. */
	_Atomic uint64_t outerSquares[2];
	_Atomic uint64_t histogram[HD_PROBE_BUCKETS];
	_Atomic uint64_t events[HDPROBE_EVENTS];  /**< Of the processor. */
	_Atomic uint64_t counted[HDPROBE_EVENTS]; /**< In so many instances. */
};

/** What a thread, or several, has counted of a probe. */
struct hdProbeSlot {
	_Atomic uint32_t probe;    /**< Number; 0: not in use. */
	_Atomic uint32_t lane;     /**< Whose it is. */
	_Atomic uint32_t sequence; /**< Odd: its thread is counting. */
	_Atomic uint32_t resets;   /**< Its own. */
	_Atomic uint32_t epoch;    /**< Of these, those before the extremes. */
	_Atomic uint64_t min, max;
	_Atomic uint64_t skip, chance;    /**< For sampling. */
	_Atomic uint64_t weight, decayed; /**< Doubles; see decay.h. */
	_Atomic uint64_t stamp;           /**< Ticks; of these two. */
	struct hdProbeSums sums;
	struct hdProbeSums base; /**< At the last reset. */
};

/** A probe that has a number. */
struct hdProbeEntry {
	_Atomic uint32_t state; /**< enum hdProbeEntryState. */
	uint32_t kind;
	char name[HDPROBE_NAME_SIZE];
	char to[HDPROBE_NAME_SIZE];
	_Atomic uint64_t deadline; /**< Ticks; 0: none. */
	/** One in so many is timed; 0: all; with HD_PROBE_OBSERVED and
	 *  HD_PROBE_COUNTED. Of number 0, which has no name, these if new
	 *  probes may have them. */
	_Atomic uint64_t every;
	_Atomic uint64_t isRandom;
	_Atomic uint64_t halfLife; /**< Ticks; 0: no decayed mean. */
};

/** Somebody is called at each measurement. */
#define HD_PROBE_OBSERVED (UINT64_C(1) << 63)
/** Events of the processor are counted. */
#define HD_PROBE_COUNTED (UINT64_C(1) << 62)
#define HD_PROBE_MORE (HD_PROBE_OBSERVED | HD_PROBE_COUNTED)

enum hdProbeEntryState {
	HD_PROBE_FREE,
	HD_PROBE_TAKEN,
	HD_PROBE_READY,
};

/** Who counts in a lane: one thread after the other. */
struct hdProbeLane {
	_Atomic uint32_t thread;  /**< The last one, as gettid(). */
	_Atomic uint32_t threads; /**< How many there were. */
};

/** The head. */
struct hdProbeHead {
	uint64_t magic;
	uint32_t headSize, slotSize;
	uint32_t pid;
	uint32_t clock;           /**< enum hdProbeClock. */
	double tickNs;            /**< Nanoseconds of a tick. */
	int64_t begin;            /**< CLOCK_MONOTONIC, when counting began. */
	_Atomic uint32_t slots;   /**< In use; may grow beyond all. */
	_Atomic uint32_t outside; /**< Slots that are not in the file. */
	_Atomic uint64_t lost;    /**< Measurements without a number. */
	_Atomic int64_t resetAt;  /**< CLOCK_MONOTONIC of the last reset. */
	struct hdProbeEntry entries[HD_PROBE_PROBES];
	struct hdProbeLane lanes[HD_PROBE_LANES];
};

/** Where the slots of the file begin. */
#define HD_PROBE_HEAD_SIZE \
	((sizeof(struct hdProbeHead) + 65535) / 65536 * 65536)
/** A chunk of slots is so large: whole pages of up to 64 kB. */
#define HD_PROBE_CHUNK_SIZE \
	((HD_PROBE_CHUNK * sizeof(struct hdProbeSlot) + 65535) / 65536 * 65536)

/** Whether a probe of such a kind measures times; else amounts. */
static inline bool hdProbeIsTime(unsigned int kind)
{
	return kind == HDPROBE_KIND_TIMER || kind == HDPROBE_KIND_KERNEL;
}

/** Read what others may write. */
static inline uint64_t hdProbeGet(const _Atomic uint64_t *from)
{
	return atomic_load_explicit(from, memory_order_relaxed);
}

/** Number of the bucket of a value. */
static inline unsigned int hdProbeBucket(uint64_t value)
{
	unsigned int bit;

	if (value < 1u << HD_PROBE_FINE)
		return (unsigned int)value;
	if (value >> HD_PROBE_BITS)
		return HD_PROBE_BUCKETS - 1;
	bit = 63 - (unsigned int)__builtin_clzll(value);
	return (bit - HD_PROBE_FINE + 1) << HD_PROBE_FINE |
	       (value >> (bit - HD_PROBE_FINE) & ((1u << HD_PROBE_FINE) - 1));
}

/** The smallest value of a bucket; of the one behind the last, too. */
static inline uint64_t hdProbeBucketBegin(unsigned int bucket)
{
	unsigned int power = bucket >> HD_PROBE_FINE;
	uint64_t fine = bucket & ((1u << HD_PROBE_FINE) - 1);

	if (power == 0)
		return fine;
	return ((UINT64_C(1) << HD_PROBE_FINE) | fine) << (power - 1);
}

#endif
