/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Probes: count and time parts of a program.
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
 * `hdprobe PID` shows the counters while the program runs. The program itself,
 * such as its scheduler, can read them with hdProbe_snapshot().
 *
 * A measurement reads a clock twice and does some additions in memory to which
 * only the calling thread writes. It uses no locks, allocations or system
 * calls, and other threads never wait for it. The reader adds up the counters
 * of all threads. A measurement counts when it is *completed*.
 *
 * **Off.** If HDPROBE_OFF is defined before this header is included, the macros
 * generate no code and do not evaluate their arguments. With HDPROBE=off in the
 * environment, or after hdProbe_enable(0), a probe is a single branch.
 *
 * **Threads.** Any thread may call any function at any time; see
 * hdProbe_snapshot() for one restriction. The counters of a thread remain after
 * its end. Up to 512 concurrent threads have their own counters. Additional
 * threads share counters, which are exact but slower.
 *
 * **Signal handlers.** Handlers may use probes, even if they interrupt a probe;
 * every measurement is counted. Only the decayed mean omits the few
 * measurements that interrupt counting in the same thread. Handlers must not
 * call hdProbe_snapshot() and hdProbe_quantile().
 *
 * **fork().** The counters of a child start at zero; the parent keeps its own
 * counters. A measurement that is open during the fork completes in each
 * process that stops it. A child of a direct clone() call, which does not run
 * the handlers of pthread_atfork(), must not use probes. vfork() and
 * posix_spawn() are safe.
 *
 * **dlclose().** An object with probes may be closed when none of its probes is
 * open. Its counters remain, and continue if the object is loaded again. The
 * shared library itself stays loaded (linked with nodelete). If the static
 * library is part of an object that is closed, the memory of the counters is
 * not freed.
 *
 * **Limits.** There can be up to 255 names. Measurements of additional probes
 * are not recorded; hdProbe_lost() returns their number. Names are truncated
 * after 95 bytes. Probes with the same name and kind share their counters.
 *
 * **Over time.** hdProbeTrace.h records the counters to files over time.
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

/** Kind of a probe. */
enum hdProbeKind {
	HDPROBE_KIND_TIMER = 1,    /**< Duration. */
	HDPROBE_KIND_KERNEL = 2,   /**< Body and the dispatch around it. */
	HDPROBE_KIND_TRANSFER = 3, /**< Bytes from a source to a target. */
	HDPROBE_KIND_COUNTER = 4   /**< Amounts. */
};

/** Clocks, in the order of the values of HDPROBE_CLOCK. */
enum hdProbeClock {
	HDPROBE_CLOCK_MONOTONIC = 0, /**< "monotonic", the default. */
	HDPROBE_CLOCK_RAW = 1,       /**< "raw": not adjusted by NTP. */
	HDPROBE_CLOCK_REALTIME = 2,  /**< "realtime": us, as gettimeofday(); it
				      *   goes on evenly if the clock is set. */
	HDPROBE_CLOCK_TSC = 3        /**< "tsc": if it is reliable. */
};

/** Events of the processor and of the operating system, in the order of the
 *  values of HDPROBE_COUNTERS. */
enum hdProbeEvent {
	HDPROBE_EVENT_CYCLES = 0,           /**< "cycles" */
	HDPROBE_EVENT_INSTRUCTIONS = 1,     /**< "instructions" */
	HDPROBE_EVENT_CACHE_REFERENCES = 2, /**< "cache-references" */
	HDPROBE_EVENT_CACHE_MISSES = 3,     /**< "cache-misses" (last) */
	HDPROBE_EVENT_BRANCHES = 4,         /**< "branches" */
	HDPROBE_EVENT_BRANCH_MISSES = 5,    /**< "branch-misses" */
	HDPROBE_EVENT_PAGE_FAULTS = 6,      /**< "page-faults" */
	HDPROBE_EVENT_TASK_CLOCK = 7,       /**< "task-clock": CPU time, s. */
	HDPROBE_EVENTS = 8                  /**< Number of events. */
};

/** A probe. It is static and initialized by HDPROBE_INIT(), or returned by
 *  hdProbe_find(). Only the library accesses its members. */
struct hdProbe {
	const char *name;   /**< Valid as long as the probe. */
	const char *to;     /**< Target of a transfer, else NULL. */
	unsigned int kind;  /**< From enum hdProbeKind. */
	unsigned int index; /**< 0 before its first use. */
};

/** Initializer of an unused probe. */
#define HDPROBE_INIT(name, to, kind) \
	{                            \
		name, to, kind, 0    \
	}

/** An open measurement of a kernel, on the stack of the calling thread. */
struct hdProbeSpan {
	uint64_t dispatch; /**< Start of the dispatch. */
	uint64_t body;     /**< Start of the body. */
	uint64_t inside;   /**< Total time of the bodies. */
};

/** Size of a name, including the NUL. */
#define HDPROBE_NAME_SIZE 96

/** Results of a probe, for all threads or for one thread. Times are in seconds.
 *  For transfers and counters, the members *_s contain bytes and amounts.
 *  Without a timed measurement, means, extremes and quantiles are NaN. */
struct hdProbeFigures {
	char name[HDPROBE_NAME_SIZE]; /**< Name; source of a transfer. */
	char to[HDPROBE_NAME_SIZE];   /**< Target of a transfer, else "". */
	unsigned int kind;            /**< From enum hdProbeKind. */
	uint64_t instances;           /**< Completed; stop_n(n) counts n. */
	uint64_t timed;  /**< Timed instances; fewer with sampling. */
	uint64_t missed; /**< Timed instances that missed the deadline. */
	double body_s;   /**< Sum, scaled by instances / timed. */
	/** Sum of the dispatches without their bodies, scaled in the same way;
	 *  NaN if the probe is not a kernel. */
	double dispatch_s;
	double mean_s;            /**< Of an instance; body of a kernel. */
	double variance;          /**< Sample variance, s^2; NaN if n < 2. */
	double min_s;             /**< Since the last reset. */
	double max_s;             /**< Since the last reset. */
	double p50_s;             /**< Median; see hdProbe_quantile(). */
	double p99_s;             /**< 99 % quantile. */
	double dispatch_mean_s;   /**< Per instance; NaN if not a kernel. */
	double dispatch_variance; /**< Variance of the dispatch. */
	double decayed_mean_s;    /**< See hdProbe_setDecay(); else NaN. */
	/** Indexed by enum hdProbeEvent: events in all instances (bodies of a
	 *  kernel), estimated from the instances that counted them; NaN if no
	 *  instance did. See hdProbe_setEvents(). */
	double events[HDPROBE_EVENTS];
};

/** Whether probes are enabled; for use by the functions below only. */
extern int hdProbe_isOn;

/** @cond Used by the functions below if probes are enabled; programs must not
 * call them. */
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

/** Check whether probes are enabled, with one load. @return 1 or 0. */
static inline int hdProbe_isEnabled(void)
{
	return __atomic_load_n(&hdProbe_isOn, __ATOMIC_RELAXED);
}

/**
 * Start a measurement.
 *
 * @return A value to pass to the stop, in this or another thread; 0: probes are
 *         off.
 */
static inline uint64_t hdProbe_start(struct hdProbe *probe)
{
	return hdProbe_isEnabled() ? hdProbe_begin(probe) : 0;
}

/**
 * Stop a measurement of a batch: @p n instances, each with 1/n of the time. The
 * variance within the batch is unknown and counts as zero.
 *
 * @param probe The probe of the start.
 * @param start From hdProbe_start(); 0 is ignored.
 * @param n Number of instances; 0 is ignored.
 */
static inline void hdProbe_stop_n(struct hdProbe *probe, uint64_t start,
				  uint64_t n)
{
	if (start)
		hdProbe_finish(probe, start, n);
}

/** Stop a measurement. */
static inline void hdProbe_stop(struct hdProbe *probe, uint64_t start)
{
	hdProbe_stop_n(probe, start, 1);
}

/** Start the dispatch of a kernel: the overhead of running its body. */
static inline void hdProbe_dispatchStart(struct hdProbe *probe,
					 struct hdProbeSpan *span)
{
	span->dispatch = hdProbe_start(probe);
	span->body = 0;
	span->inside = 0;
}

/** Start the body, within its dispatch. */
static inline void hdProbe_bodyStart(struct hdProbeSpan *span)
{
	if (__builtin_expect(span->dispatch >> 63 != 0, 0))
		hdProbe_observedBody(span, 1);
	if (span->dispatch > 1)
		span->body = hdProbe_now();
}

/** Stop the body. Several bodies in a dispatch count as one body. */
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

/** Stop the dispatch of @p n instances with a common body. Only this function
 *  counts them. The dispatch time excludes the body. */
static inline void hdProbe_dispatchStop_n(struct hdProbe *probe,
					  struct hdProbeSpan *span, uint64_t n)
{
	if (span->dispatch)
		hdProbe_finishSpan(probe, span, n);
}

/** Stop the dispatch of one instance. */
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
 * Get a probe by its name, for code that cannot use macros.
 *
 * @param name Name; the library copies it.
 * @param to Target of a transfer, else NULL.
 * @param kind From enum hdProbeKind.
 *
 * @return The probe, always the same one for a name and kind; never freed.
 *         NULL: errno is ENOSPC (more than 255 names) or EINVAL (invalid kind).
 */
struct hdProbe *hdProbe_find(const char *name, const char *to,
			     unsigned int kind);

/**
 * Enable or disable all probes. Open measurements complete if probes were
 * enabled when they started.
 *
 * @param isOn 0: disable.
 */
void hdProbe_enable(int isOn);

/**
 * Time only some of the instances, but count all of them. Sums are scaled.
 * Means, quantiles and extremes cover only timed instances.
 *
 * @param probe Not NULL.
 * @param every Time one of this number of instances; 0 and 1: all instances.
 * @param isRandom Skip a random number of instances (geometric distribution).
 *        Each instance is then timed independently with the same probability,
 *        and sums are unbiased for any program. Otherwise, each thread times
 *        every k-th instance, which can be misleading for periodic programs.
 *
 * @retval 0 Success.
 * @retval -1 errno is ENOSPC: too many names.
 */
int hdProbe_setSampling(struct hdProbe *probe, unsigned int every,
			int isRandom);

/**
 * Count instances that miss a deadline.
 *
 * @param probe Not NULL.
 * @param seconds Maximum duration of an instance; 0 or less: no deadline.
 *
 * @retval 0 Success.
 * @retval -1 errno is ENOSPC: too many names.
 */
int hdProbe_setDeadline(struct hdProbe *probe, double seconds);

/**
 * Maintain a decayed mean: the weight of an instance halves every @p halfLife.
 * The method is forward decay with g(n) = 2^(n / halfLife) (Cormode et al.,
 * ICDE 2009), relative to the newest instance to avoid overflow. It costs about
 * 10 ns per instance.
 *
 * @param probe Not NULL.
 * @param halfLife Seconds; 0 or less: no decayed mean.
 *
 * @retval 0 Success.
 * @retval -1 errno is ENOSPC: too many names.
 */
int hdProbe_setDecay(struct hdProbe *probe, double halfLife);

/**
 * Count processor events: cycles, instructions and last-level cache misses, or
 * the events that HDPROBE_COUNTERS selects.
 *
 * The events cover only user space, without the work of the operating system
 * for the thread. Therefore, any user can count them if perf_event_paranoid is
 * at most 2. Timers count events from start to stop, kernels while a body runs.
 * Both include about 50 instructions of the probe itself. Start and stop must
 * be in the same thread. A thread opens a file descriptor for each event at its
 * first measurement. It can store the starts of up to 16 nested measurements.
 *
 * If counters are readable in user space (rdpmc), reading them takes one such
 * instruction for each event; doc/measurements/performance.md does not include
 * this cost. Otherwise, reading a group of events takes one or two system
 * calls. The probe's own measurement excludes this cost; enclosing measurements
 * include it. If the processor has fewer counters than events, the counters are
 * multiplexed, and the results are estimates.
 *
 * If the operating system does not provide or allow these events, the probes
 * work without them, and one line on stderr states the reason.
 *
 * @param probe A timer or kernel.
 * @param isOn 0: stop counting.
 *
 * @retval 0 Success, or HDPROBE_COUNTERS=off, or events are not available.
 * @retval -1 errno is ENOSPC (too many names) or EINVAL (the probe does not
 *         measure time).
 */
int hdProbe_setEvents(struct hdProbe *probe, int isOn);

/**
 * Get the events that a probe counts.
 *
 * @param probe A probe that has been used or set up.
 *
 * @return A bit 1 << event for each event of enum hdProbeEvent. 0: no events,
 *         not counted yet, or no longer available.
 */
unsigned int hdProbe_events(const struct hdProbe *probe);

/**
 * Read all probes.
 *
 * Each result is exact for the measurements that were completed when the
 * counters of their thread were read. With @p reset, no measurement is lost or
 * counted twice: the sum of all snapshots and the remaining counters is exact,
 * even for each bucket of the histogram. A measurement that completes during
 * the call can be missing in the quantiles. It can also be missing in the
 * variance if its thread is interrupted for more than 20 ms. Extremes since a
 * reset are exact, except in threads that measure during the reset; these
 * extremes have the error of the histogram.
 *
 * @param[out] figures Results of all probes, in the order of their first use.
 * @param capacity Number of elements of @p figures.
 * @param reset Set the counters to zero, for all readers including hdprobe.
 *
 * @return The number of probes, which can exceed @p capacity. Probes beyond @p
 *         capacity are not reset.
 * @retval -1 errno is set: the counters could not be locked against a
 *         concurrent reset.
 */
int hdProbe_snapshot(struct hdProbeFigures *figures, size_t capacity,
		     int reset);

/**
 * Get a quantile of the times (or amounts) since the last reset. It is computed
 * from a histogram with a relative bucket width of 1/16. The error is at most
 * 1/32 (3.2 %) of the exact quantile, or half a clock tick.
 *
 * @param probe Not NULL.
 * @param q From 0 to 1.
 *
 * @return Seconds; NaN without measurements.
 */
double hdProbe_quantile(const struct hdProbe *probe, double q);

/** A watch: a reader of all probes with its own starting point. */
struct hdProbeWatch;

/**
 * Create a watch, which reads all measurements that complete from now on.
 *
 * A watch does not depend on resets and other watches, and does not affect
 * them. Only one thread at a time may use it. In a child of fork(), it reads
 * the measurements of the child.
 *
 * @return The watch; free it with hdProbe_unwatch().
 * @retval NULL errno is ENOMEM, or as for hdProbe_snapshot().
 */
struct hdProbeWatch *hdProbe_watch(void);

/**
 * Read the measurements that completed since the previous read of the watch.
 *
 * No measurement is lost or counted twice: the sum of all reads is exact.
 * Extremes have the error of the histogram. There is no decayed mean.
 *
 * @param watch Not NULL.
 * @param[out] figures Results of all probes, in the order of their first use.
 * @param capacity Number of elements of @p figures; the other probes are read
 *        later.
 *
 * @return The number of probes, which can exceed @p capacity.
 * @retval -1 errno as for hdProbe_watch(); no measurement is lost.
 */
int hdProbe_watchRead(struct hdProbeWatch *watch,
		      struct hdProbeFigures *figures, size_t capacity);

/**
 * Free a watch.
 *
 * @param watch NULL is ignored.
 */
void hdProbe_unwatch(struct hdProbeWatch *watch);

/**
 * An observer, which is called at each measurement of selected probes. For
 * example, the observer of libhdProbeTrace records states. The measuring thread
 * calls the observer outside of the measured time. The functions must be fast,
 * and async-signal-safe if signal handlers use probes.
 */
struct hdProbeObserver {
	/** Select a probe by its name, the target of a transfer (else "") and
	 *  its kind. Called at the first use of the probe, or when the
	 *  observer is installed. */
	int (*wants)(const char *name, const char *to, unsigned int kind);
	/** A measurement (the dispatch of a kernel) starts. The name stays
	 *  valid; its pointer is the same for the same probe. */
	void (*begin)(const char *name, unsigned int kind);
	/** The body of the last started kernel starts or ends. */
	void (*body)(int isBegin);
	/** A measurement ends; it may have started in another thread. */
	void (*end)(const char *name, unsigned int kind);
};

/**
 * Install the observer of the process. Open measurements are not observed.
 *
 * @param observer Must stay valid until the process ends. NULL: remove the
 *        observer; calls in progress may still finish afterwards.
 *
 * @retval 0 Success.
 * @retval -1 errno is EBUSY: another observer is installed.
 */
int hdProbe_observe(const struct hdProbeObserver *observer);

/** @return The number of measurements that were lost due to too many names. */
uint64_t hdProbe_lost(void);

/** @return The clock in use, from enum hdProbeClock. */
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

/** Measure until the block is left in any way except longjmp(); in C++, also by
 *  an exception. Names in macros are string literals. */
#define HDPROBE_SCOPE(name)                                \
	HDPROBE_SCOPE_(HDPROBE_PASTE(hdProbeOf, __LINE__), \
		       HDPROBE_PASTE(hdProbeScopeOf, __LINE__), name)

/** Start a measurement. HDPROBE_STOP(id) stops it, in the same block or an
 *  inner block; id is an identifier. */
#define HDPROBE_START(id, name)                               \
	static struct hdProbe hdProbeOf_##id =                \
		HDPROBE_INIT(name, NULL, HDPROBE_KIND_TIMER); \
	const uint64_t hdProbeStart_##id = hdProbe_start(&hdProbeOf_##id)
/** Stop a measurement. */
#define HDPROBE_STOP(id) hdProbe_stop(&hdProbeOf_##id, hdProbeStart_##id)
/** Stop a measurement of a batch of n. */
#define HDPROBE_STOP_N(id, n) \
	hdProbe_stop_n(&hdProbeOf_##id, hdProbeStart_##id, n)

/** Start the dispatch of a kernel. */
#define HDPROBE_DISPATCH_START(id, name)                       \
	static struct hdProbe hdProbeOf_##id =                 \
		HDPROBE_INIT(name, NULL, HDPROBE_KIND_KERNEL); \
	struct hdProbeSpan hdProbeSpan_##id;                   \
	hdProbe_dispatchStart(&hdProbeOf_##id, &hdProbeSpan_##id)
/** Begin the body of the kernel. */
#define HDPROBE_BODY_START(id) hdProbe_bodyStart(&hdProbeSpan_##id)
/** End the body of the kernel. */
#define HDPROBE_BODY_STOP(id) hdProbe_bodyStop(&hdProbeSpan_##id)
/** Stop the dispatch. */
#define HDPROBE_DISPATCH_STOP(id) \
	hdProbe_dispatchStop(&hdProbeOf_##id, &hdProbeSpan_##id)
/** Stop the dispatch of a batch of n. */
#define HDPROBE_DISPATCH_STOP_N(id, n) \
	hdProbe_dispatchStop_n(&hdProbeOf_##id, &hdProbeSpan_##id, n)

/** Count a transfer of bytes between two named ends. */
#define HDPROBE_TRANSFER(from, to, bytes)                          \
	HDPROBE_ADD_(HDPROBE_PASTE(hdProbeOf, __LINE__), from, to, \
		     HDPROBE_KIND_TRANSFER, bytes)
/** Count an amount. */
#define HDPROBE_COUNT(name, amount)                                  \
	HDPROBE_ADD_(HDPROBE_PASTE(hdProbeOf, __LINE__), name, NULL, \
		     HDPROBE_KIND_COUNTER, amount)
/** Set the deadline of the probe of HDPROBE_START() or
 *  HDPROBE_DISPATCH_START(). */
#define HDPROBE_DEADLINE(id, seconds) \
	((void)hdProbe_setDeadline(&hdProbeOf_##id, seconds))
/** Count events in the probe of HDPROBE_START() or HDPROBE_DISPATCH_START().
 * Counting begins at the next start. */
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
