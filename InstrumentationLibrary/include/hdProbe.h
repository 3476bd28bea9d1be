/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Probes: how often, and for how long, a program does what.
 *
 *     #include <hdProbe.h>
 *
 *     void assign(struct point *point)
 *     {
 *             HDPROBE_SCOPE("assign");
 *             ...
 *     }
 *
 *     cc program.c $(pkg-config --cflags --libs libhdProbe)
 *
 * `hdprobe PID` shows the numbers while the program runs; hdProbe_snapshot()
 * gives them to the program itself, such as to a scheduler.
 *
 * A measurement is two readings of a clock and some additions to memory that
 * only the calling thread writes: no lock, no allocation, no system call, and
 * nothing that other threads wait for. What threads have counted is added up by
 * who reads it. A measurement counts when it is *completed*.
 *
 * **Off.** With HDPROBE_OFF defined before the header is included, macros emit
 * nothing, and their arguments are not evaluated. With HDPROBE=off in the
 * environment, or after hdProbe_enable(0), a probe is one branch.
 *
 * **Threads.** All functions may be called by all threads at any time, but for
 * what is said of hdProbe_snapshot(). What a thread has counted stays when it
 * ends. Up to 512 threads at a time count for themselves; others share
 * counters: exact, but slower.
 *
 * **Signal handlers.** Probes may be used in them, also where they interrupt a
 * probe; every measurement is counted. Those few that interrupt the same
 * thread's counting are left out of decayed means. Not in handlers:
 * hdProbe_snapshot(), hdProbe_quantile().
 *
 * **fork().** A child begins at zero; the parent's numbers stay with the
 * parent. A measurement that is open at the fork is completed in both, if both
 * stop it. A child made by a bare clone(), which does not run the handlers of
 * pthread_atfork(), must not use probes. vfork() and posix_spawn() are safe.
 *
 * **dlclose().** An object with probes in it may be closed when none of them is
 * open; its numbers stay, and go on if it is loaded again. The shared library
 * itself stays loaded (it is linked with nodelete). If the static one is part
 * of an object that is closed, the memory of its numbers is not freed.
 *
 * **Limits.** 255 names; probes beyond are not recorded, and hdProbe_lost()
 * counts what was not. Names are cut off after 95 bytes. Probes of the same
 * name and kind are one.
 *
 * **Over time.** hdProbeTrace.h writes what probes count into files.
 *
 * Environment: HDPROBE, HDPROBE_CLOCK, HDPROBE_COUNTERS, HDPROBE_VERBOSITY; see
 * hdprobe(1).
 */
#ifndef HD_PROBE_H
#define HD_PROBE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a probe measures. */
enum hdProbeKind {
	HDPROBE_KIND_TIMER = 1,    /**< How long something takes. */
	HDPROBE_KIND_KERNEL = 2,   /**< Body, and the dispatch around it. */
	HDPROBE_KIND_TRANSFER = 3, /**< Bytes from somewhere to somewhere. */
	HDPROBE_KIND_COUNTER = 4   /**< Amounts. */
};

/** Clocks, in the order of HDPROBE_CLOCK's words. */
enum hdProbeClock {
	HDPROBE_CLOCK_MONOTONIC = 0, /**< "monotonic", the default. */
	HDPROBE_CLOCK_RAW = 1,       /**< "raw": not slewed by NTP. */
	HDPROBE_CLOCK_REALTIME = 2,  /**< "realtime": gettimeofday(), us. */
	HDPROBE_CLOCK_TSC = 3        /**< "tsc": where it may be trusted. */
};

/** Events that the processor, or the kernel, counts, in the order of
 *  HDPROBE_COUNTERS' words. */
enum hdProbeEvent {
	HDPROBE_EVENT_CYCLES = 0,           /**< "cycles" */
	HDPROBE_EVENT_INSTRUCTIONS = 1,     /**< "instructions" */
	HDPROBE_EVENT_CACHE_REFERENCES = 2, /**< "cache-references" */
	HDPROBE_EVENT_CACHE_MISSES = 3,     /**< "cache-misses", of the last. */
	HDPROBE_EVENT_BRANCHES = 4,         /**< "branches" */
	HDPROBE_EVENT_BRANCH_MISSES = 5,    /**< "branch-misses" */
	HDPROBE_EVENT_PAGE_FAULTS = 6,      /**< "page-faults" */
	HDPROBE_EVENT_TASK_CLOCK = 7,       /**< "task-clock": CPU time, s. */
	HDPROBE_EVENTS = 8                  /**< How many there are. */
};

/** A place that measures. Static, and made by HDPROBE_INIT() or by
 *  hdProbe_find(); its members are the library's. */
struct hdProbe {
	const char *name;   /**< Stays as long as the probe. */
	const char *to;     /**< Of a transfer: where to; else NULL. */
	unsigned int kind;  /**< Of enum hdProbeKind. */
	unsigned int index; /**< 0 before its first use. */
};

/** A probe that was not used yet. */
#define HDPROBE_INIT(name, to, kind) \
	{                            \
		name, to, kind, 0    \
	}

/** A measurement of a kernel that is open: on the stack of who measures. */
struct hdProbeSpan {
	uint64_t dispatch; /**< When the dispatch began. */
	uint64_t body;     /**< When the body began. */
	uint64_t inside;   /**< How long bodies took. */
};

/** Room for a name, with its end. */
#define HDPROBE_NAME_SIZE 96

/** What is known of a probe, or of a thread's part of it. Times are in seconds;
 *  of transfers and counters, *_s are bytes and amounts. Without a timed
 *  measurement, means, extremes and quantiles are NaN. */
struct hdProbeFigures {
	char name[HDPROBE_NAME_SIZE]; /**< Of a transfer: where from. */
	char to[HDPROBE_NAME_SIZE];   /**< Of a transfer: where to; else "". */
	unsigned int kind;            /**< Of enum hdProbeKind. */
	uint64_t instances;           /**< Completed; stop_n(n) counts n. */
	uint64_t timed;  /**< Of these, measured; fewer with sampling. */
	uint64_t missed; /**< Of these, that took longer than the deadline. */
	double body_s;   /**< Sum; scaled by instances / timed with sampling. */
	/** Sum of what dispatches took without their bodies, likewise; NaN if
	 *  it is no kernel. */
	double dispatch_s;
	double mean_s;   /**< Of an instance (of a kernel: of its body). */
	double variance; /**< Of these, in s^2, with n - 1; NaN below two. */
	double min_s;    /**< Since the last reset. */
	double max_s;    /**< Since the last reset. */
	double p50_s;    /**< Median; see hdProbe_quantile(). */
	double p99_s;    /**< 99 % are not longer. */
	double dispatch_mean_s;   /**< Of an instance; NaN if no kernel. */
	double dispatch_variance; /**< Likewise. */
	double decayed_mean_s;    /**< See hdProbe_setDecay(); else NaN. */
	/** By enum hdProbeEvent, in all instances, of a kernel in their bodies:
	 *  estimated from those in which it was counted; NaN if in none. See
	 *  hdProbe_setEvents(). */
	double events[HDPROBE_EVENTS];
};

/** Whether probes are on; for the functions below only. */
extern int hdProbe_isOn;

/** @cond
 * What the functions below call if probes are on; not for programs. */
uint64_t hdProbe_begin(struct hdProbe *probe);
uint64_t hdProbe_now(void);
void hdProbe_finish(struct hdProbe *probe, uint64_t start, uint64_t n);
void hdProbe_finishSpan(struct hdProbe *probe, struct hdProbeSpan *span,
			uint64_t n);
void hdProbe_addAmount(struct hdProbe *probe, uint64_t amount);
void hdProbe_observedBody(struct hdProbeSpan *span, int isBegin);
/* hdProbe_isEnabled() for languages that cannot read the variable: a Fortran
 * module would define one of its own. */
int hdProbe_enabled(void);
/** @endcond */

/** Whether probes are on: one load. @return 1 or 0. */
static inline int hdProbe_isEnabled(void)
{
	return __atomic_load_n(&hdProbe_isOn, __ATOMIC_RELAXED);
}

/**
 * Begin a measurement.
 *
 * @return What the stop needs, in the same thread or another; 0 is off.
 */
static inline uint64_t hdProbe_start(struct hdProbe *probe)
{
	return hdProbe_isEnabled() ? hdProbe_begin(probe) : 0;
}

/**
 * End a measurement of a batch: @p n instances that took 1/n of the time each.
 * Their variance within the batch is unknown, and counts as none.
 *
 * @param probe That of the start.
 * @param start What hdProbe_start() gave; 0 does nothing.
 * @param n How many; 0 does nothing.
 */
static inline void hdProbe_stop_n(struct hdProbe *probe, uint64_t start,
				  uint64_t n)
{
	if (start)
		hdProbe_finish(probe, start, n);
}

/** End a measurement. */
static inline void hdProbe_stop(struct hdProbe *probe, uint64_t start)
{
	hdProbe_stop_n(probe, start, 1);
}

/** Begin the dispatch of a kernel: what it takes to have its body run. */
static inline void hdProbe_dispatchStart(struct hdProbe *probe,
					 struct hdProbeSpan *span)
{
	span->dispatch = hdProbe_start(probe);
	span->body = 0;
	span->inside = 0;
}

/** Begin the body, within its dispatch. */
static inline void hdProbe_bodyStart(struct hdProbeSpan *span)
{
	if (__builtin_expect(span->dispatch >> 63 != 0, 0))
		hdProbe_observedBody(span, 1);
	if (span->dispatch > 1)
		span->body = hdProbe_now();
}

/** End the body. A dispatch may have several; they are one. */
static inline void hdProbe_bodyStop(struct hdProbeSpan *span)
{
	if (span->dispatch > 1) {
		uint64_t now = hdProbe_now();

		if (now > span->body)
			span->inside += now - span->body;
	}
	if (__builtin_expect(span->dispatch >> 63 != 0, 0))
		hdProbe_observedBody(span, 0);
}

/** End the dispatch: of @p n instances, whose bodies were one. Only this counts
 *  them. Dispatch time is the time between, less the body's. */
static inline void hdProbe_dispatchStop_n(struct hdProbe *probe,
					  struct hdProbeSpan *span, uint64_t n)
{
	if (span->dispatch)
		hdProbe_finishSpan(probe, span, n);
}

/** End the dispatch of one instance. */
static inline void hdProbe_dispatchStop(struct hdProbe *probe,
					struct hdProbeSpan *span)
{
	hdProbe_dispatchStop_n(probe, span, 1);
}

/** Count an amount, or the bytes of a transfer. */
static inline void hdProbe_add(struct hdProbe *probe, uint64_t amount)
{
	if (hdProbe_isEnabled())
		hdProbe_addAmount(probe, amount);
}

/**
 * Get a probe by its name, for languages and places without macros.
 *
 * @param name Copied.
 * @param to Of a transfer: where to; else NULL.
 * @param kind Of enum hdProbeKind.
 *
 * @return The probe, always the same one for a name and kind; never freed.
 *         NULL, errno ENOSPC: there are 255 already; EINVAL: no such kind.
 */
struct hdProbe *hdProbe_find(const char *name, const char *to,
			     unsigned int kind);

/**
 * Switch all probes on or off. What is open is completed where it was on when
 * it began.
 *
 * @param isOn 0 is off.
 */
void hdProbe_enable(int isOn);

/**
 * Time only some of the instances; all are counted. Sums are scaled; means,
 * quantiles and extremes are of those that were timed.
 *
 * @param probe Not NULL.
 * @param every One in so many; 0 and 1 are all.
 * @param isRandom Skips are drawn at random (geometrically), so that each
 *        instance is timed with the same probability, independently: sums are
 *        unbiased for any program. Else each thread times every k-th one, which
 *        misleads where a program has a period of its own.
 *
 * @retval 0 Done.
 * @retval -1 errno ENOSPC: no room for another name.
 */
int hdProbe_setSampling(struct hdProbe *probe, unsigned int every,
			int isRandom);

/**
 * Count instances that take longer.
 *
 * @param probe Not NULL.
 * @param seconds Strictly longer than this is missed; 0 or less: no deadline.
 *
 * @retval 0 Done.
 * @retval -1 errno ENOSPC: no room for another name.
 */
int hdProbe_setDeadline(struct hdProbe *probe, double seconds);

/**
 * Keep a mean that forgets: an instance weighs half of one that is
 * @p halfLife younger. This is forward decay with g(n) = 2^(n / halfLife)
 * (Cormode et al., ICDE 2009), kept relative to the newest instance, so that
 * nothing overflows. It costs some 10 ns an instance.
 *
 * @param probe Not NULL.
 * @param halfLife Seconds; 0 or less: no such mean.
 *
 * @retval 0 Done.
 * @retval -1 errno ENOSPC: no room for another name.
 */
int hdProbe_setDecay(struct hdProbe *probe, double halfLife);

/**
 * Count what the processor does meanwhile: cycles, instructions and misses of
 * the last cache, or what HDPROBE_COUNTERS says instead.
 *
 * It is what the thread itself does, not what the kernel does for it; so
 * anybody may count it where perf_event_paranoid is 2 or less. Of a timer it is
 * all between start and stop, of a kernel all in its bodies; with the two
 * readings of the clock, some 50 instructions. Start and stop have to be in one
 * thread, which opens a descriptor for each event at its first measurement. A
 * thread remembers the begin of 16 measurements within each other.
 *
 * Where the processor can be asked in user space (rdpmc), an event costs
 * that instruction a reading, which is not measured in doc/measurements/performance.md; else
 * a group of events costs a system call or two. That is outside of what this
 * probe measures, but inside of those around it. Where more events are asked
 * for than the processor has counters, they take turns, and numbers are
 * estimated from the time that each has counted.
 *
 * Where the kernel has no such events, or forbids them, probes are as without;
 * a line on stderr says why, once a process.
 *
 * @param probe A timer or kernel.
 * @param isOn 0: does not count.
 *
 * @retval 0 Done, or HDPROBE_COUNTERS=off, or events cannot be had.
 * @retval -1 errno ENOSPC: no room for another name; EINVAL: it measures no
 *         time.
 */
int hdProbe_setEvents(struct hdProbe *probe, int isOn);

/**
 * @param probe One that was used, or set up.
 *
 * @return What it counts, as bits by enum hdProbeEvent: 1 << which; 0: nothing,
 *         not yet, or no more, as it cannot be had.
 */
unsigned int hdProbe_events(const struct hdProbe *probe);

/**
 * Read all probes.
 *
 * Each number of a probe is exact for the measurements that were completed when
 * its thread's part was read, and with @p reset nothing is lost and nothing is
 * counted twice: what snapshots with a reset give, and what remains, add up to
 * all. (Bucket by bucket, too; a measurement that is being completed meanwhile
 * may be in the count and not in a quantile yet; nor in a variance, if its
 * thread is stopped in the middle for more than 20 ms.) Extremes since a reset
 * are exact; those of a thread that goes on measuring at the very moment of the
 * reset have the histogram's error.
 *
 * @param[out] figures One for each probe, in the order of their first use.
 * @param capacity How many fit.
 * @param reset Whether to begin at zero; for all who read, hdprobe as well.
 *
 * @return How many probes there are, which may be more than fit; with @p reset
 *         those that do not fit are not reset.
 * @retval -1 errno is set: the numbers could not be locked against a reset by
 *         others.
 */
int hdProbe_snapshot(struct hdProbeFigures *figures, size_t capacity,
		     int reset);

/**
 * Get a quantile of the times (or amounts) since the last reset, from a
 * histogram whose buckets are 1/16 of their value wide: the result is within
 * 1/32 (3.2 %) of the smallest measured time that the part @p q of all does not
 * exceed, or within half a tick.
 *
 * @param probe Not NULL.
 * @param q From 0 to 1.
 *
 * @return Seconds; NaN if nothing was measured.
 */
double hdProbe_quantile(const struct hdProbe *probe, double q);

/** Who reads all probes again and again, with a begin of its own. */
struct hdProbeWatch;

/**
 * Begin to watch: what is completed from now on is seen.
 *
 * A watch is its owner's alone: neither resets by others nor other watches
 * change what it sees, and it changes nothing for them. One thread at a time
 * uses it. In a child of fork() it sees what the child does.
 *
 * @return The watch, to be given to hdProbe_unwatch().
 * @retval NULL errno is set: ENOMEM, or as of hdProbe_snapshot().
 */
struct hdProbeWatch *hdProbe_watch(void);

/**
 * Read what was completed since the watch was read before.
 *
 * Nothing is lost, and nothing counted twice: what all reads give adds up to
 * all. Extremes have the histogram's error; there is no decayed mean.
 *
 * @param watch Not NULL.
 * @param[out] figures One for each probe, in the order of their first use.
 * @param capacity How many fit; others are read later.
 *
 * @return How many probes there are, which may be more than fit.
 * @retval -1 errno as of hdProbe_watch(); nothing is lost.
 */
int hdProbe_watchRead(struct hdProbeWatch *watch,
		      struct hdProbeFigures *figures, size_t capacity);

/**
 * Free a watch.
 *
 * @param watch NULL does nothing.
 */
void hdProbe_unwatch(struct hdProbeWatch *watch);

/**
 * Who is called at each measurement of some probes, such as to record states:
 * libhdProbeTrace is one. By the thread that measures, outside of what is
 * measured; so it must be quick, and fit for signal handlers if probes are used
 * in them.
 */
struct hdProbeObserver {
	/** Whether to be called for a probe: of this name, other end of a
	 *  transfer (else "") and kind. Asked at its first use, or when the
	 *  observer comes. */
	int (*wants)(const char *name, const char *to, unsigned int kind);
	/** A measurement, of a kernel its dispatch, begins. The name stays, and
	 *  is the same pointer for the same probe. */
	void (*begin)(const char *name, unsigned int kind);
	/** The body of the kernel that was begun last begins, or ends. */
	void (*body)(int isBegin);
	/** It has ended; the begin may have been in another thread. */
	void (*end)(const char *name, unsigned int kind);
};

/**
 * Have an observer, one a process; measurements that are open are not observed.
 *
 * @param observer Stays until the process ends; NULL: none from now on. Threads
 *        that are being called go on for a moment.
 *
 * @retval 0 Done.
 * @retval -1 errno EBUSY: there is one.
 */
int hdProbe_observe(const struct hdProbeObserver *observer);

/** @return How many measurements were not recorded: no room for another name.
 */
uint64_t hdProbe_lost(void);

/** @return Which clock is used, of enum hdProbeClock. */
int hdProbe_clock(void);

/** @cond */
struct hdProbeScope {
	struct hdProbe *probe;
	uint64_t start;
};
static inline void hdProbe_endScope(struct hdProbeScope *scope)
{
	hdProbe_stop(scope->probe, scope->start);
}
#define HDPROBE_PASTE2(a, b) a##b
#define HDPROBE_PASTE(a, b) HDPROBE_PASTE2(a, b)
#define HDPROBE_ADD_(variable, name, to, kind, amount)                         \
	do {                                                                   \
		static struct hdProbe variable = HDPROBE_INIT(name, to, kind); \
		hdProbe_add(&variable, amount);                                \
	} while (0)
#define HDPROBE_SCOPE_(probe, scope, name)                    \
	static struct hdProbe probe =                         \
		HDPROBE_INIT(name, NULL, HDPROBE_KIND_TIMER); \
	struct hdProbeScope scope                             \
		__attribute__((cleanup(hdProbe_endScope),     \
			       unused)) = { &probe, hdProbe_start(&probe) }
/** @endcond */

#ifndef HDPROBE_OFF

/** Measure from here to the end of the block, however it is left (but by
 *  longjmp()); in C++ by an exception, too. Names of macros are literals. */
#define HDPROBE_SCOPE(name)                                \
	HDPROBE_SCOPE_(HDPROBE_PASTE(hdProbeOf, __LINE__), \
		       HDPROBE_PASTE(hdProbeScopeOf, __LINE__), name)

/** Begin a measurement that HDPROBE_STOP(id) ends, in the same block or one
 *  within; id is an identifier. */
#define HDPROBE_START(id, name)                               \
	static struct hdProbe hdProbeOf_##id =                \
		HDPROBE_INIT(name, NULL, HDPROBE_KIND_TIMER); \
	const uint64_t hdProbeStart_##id = hdProbe_start(&hdProbeOf_##id)
/** End it. */
#define HDPROBE_STOP(id) hdProbe_stop(&hdProbeOf_##id, hdProbeStart_##id)
/** End it; it was a batch of n. */
#define HDPROBE_STOP_N(id, n) \
	hdProbe_stop_n(&hdProbeOf_##id, hdProbeStart_##id, n)

/** Begin the dispatch of a kernel. */
#define HDPROBE_DISPATCH_START(id, name)                       \
	static struct hdProbe hdProbeOf_##id =                 \
		HDPROBE_INIT(name, NULL, HDPROBE_KIND_KERNEL); \
	struct hdProbeSpan hdProbeSpan_##id;                   \
	hdProbe_dispatchStart(&hdProbeOf_##id, &hdProbeSpan_##id)
/** Begin its body. */
#define HDPROBE_BODY_START(id) hdProbe_bodyStart(&hdProbeSpan_##id)
/** End its body. */
#define HDPROBE_BODY_STOP(id) hdProbe_bodyStop(&hdProbeSpan_##id)
/** End the dispatch. */
#define HDPROBE_DISPATCH_STOP(id) \
	hdProbe_dispatchStop(&hdProbeOf_##id, &hdProbeSpan_##id)
/** End the dispatch of a batch of n. */
#define HDPROBE_DISPATCH_STOP_N(id, n) \
	hdProbe_dispatchStop_n(&hdProbeOf_##id, &hdProbeSpan_##id, n)

/** Count a transfer of bytes between two that have names. */
#define HDPROBE_TRANSFER(from, to, bytes)                          \
	HDPROBE_ADD_(HDPROBE_PASTE(hdProbeOf, __LINE__), from, to, \
		     HDPROBE_KIND_TRANSFER, bytes)
/** Count an amount. */
#define HDPROBE_COUNT(name, amount)                                  \
	HDPROBE_ADD_(HDPROBE_PASTE(hdProbeOf, __LINE__), name, NULL, \
		     HDPROBE_KIND_COUNTER, amount)
/** Set the deadline of what HDPROBE_START() or HDPROBE_DISPATCH_START() began.
 */
#define HDPROBE_DEADLINE(id, seconds) \
	((void)hdProbe_setDeadline(&hdProbeOf_##id, seconds))
/** Count events in what HDPROBE_START() or HDPROBE_DISPATCH_START() begins from
 *  the next time on. */
#define HDPROBE_COUNT_EVENTS(id) ((void)hdProbe_setEvents(&hdProbeOf_##id, 1))

#else

#define HDPROBE_SCOPE(name)
#define HDPROBE_START(id, name)
#define HDPROBE_STOP(id) ((void)0)
#define HDPROBE_STOP_N(id, n) ((void)0)
#define HDPROBE_DISPATCH_START(id, name)
#define HDPROBE_BODY_START(id) ((void)0)
#define HDPROBE_BODY_STOP(id) ((void)0)
#define HDPROBE_DISPATCH_STOP(id) ((void)0)
#define HDPROBE_DISPATCH_STOP_N(id, n) ((void)0)
#define HDPROBE_TRANSFER(from, to, bytes) ((void)0)
#define HDPROBE_COUNT(name, amount) ((void)0)
#define HDPROBE_DEADLINE(id, seconds) ((void)0)
#define HDPROBE_COUNT_EVENTS(id) ((void)0)

#endif

#ifdef __cplusplus
}
#endif

#endif
