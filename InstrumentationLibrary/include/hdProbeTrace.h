/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Probes in traces: what they count, over time, beside power and utilization.
 *
 *     #include <hdProbe.h>
 *     #include <hdProbeTrace.h>
 *
 *     int main(void)
 *     {
 *             hdProbe_traceStart(NULL);
 *             ...
 *     }
 *
 *     cc program.c $(pkg-config --cflags --libs libhdProbeTrace)
 *
 * libhdProbe itself knows nothing of files. This library has a thread that
 * watches the probes (hdProbe_watch()) and writes what they have counted, after
 * each interval, into statistics groups: one for each probe, `Probe-NAME`, at
 * the node of the process. What a measurement costs is as without. The groups
 * have the attributes `probe` (the name), `probeTo` (of a transfer) and
 * `probeKind` (`timer`, `kernel`, `transfer`, `counter`), and the values, as
 * amounts since the entry before:
 *
 * - `Instances`: completed;
 * - of timers and kernels `Body` (s, of all threads together), `Missed`, and
 * for the interval `Mean` (s) and `P99` (s), NaN without a timed instance;
 * - of kernels `Dispatch` (s);
 * - of timers and kernels that count events (hdProbe_setEvents(),
 *   HDPROBE_COUNTERS) these: `Cycles`, `Instructions`, `CacheReferences`,
 *   `CacheMisses`, `Branches`, `BranchMisses`, `PageFaults`, `TaskClock` (s);
 *   NaN of instances in which none was counted;
 * - of transfers `Bytes`, of counters `Amount`.
 *
 * With sampling, sums are scaled as those of hdProbe_snapshot(); of instances
 * of which none was timed in an interval, the time is in the next interval
 * where one was. doc/format/format.md describes the groups; with a group that
 * tells power, at the node or above, hdtrace report says what kernels cost in
 * joules.
 *
 * **States.** Where asked, each measurement of a timer is a state of its thread
 * as well, and of a kernel two: `NAME.dispatch`, and `NAME` in it. That costs a
 * microsecond or so a measurement, outside of what is measured. What began in
 * another thread is no state; what is not nested ends with what is around it.
 * If the program runs under libhdMPI, states go into the trace of that.
 *
 * **Threads.** Functions may be called by any thread. Not by signal handlers; a
 * probe in a handler that interrupts the recording of a state is no state.
 *
 * **fork().** A child records nothing; it may start anew.
 *
 * Environment, for what the program does not say:
 *
 * - `HDPROBE_TRACE=off`: hdProbe_traceStart() does nothing.
 * - `HDPROBE_TRACE_PROJECT`: name of the project, with directories; else that
 * of the program, with a number where it is taken.
 * - `HDPROBE_TRACE_HOST`, `HDPROBE_TRACE_PROCESS`: labels of host and process,
 *   else the host's name, and the process ID.
 * - `HDPROBE_TRACE_INTERVAL`: milliseconds, from 1; else 100.
 * - `HDPROBE_TRACE_STATES`: names with commas between them, or `all`.
 * - `HDPROBE_TRACE_VERBOSITY`: -1 silences the line that says that something is
 *   not recorded.
 */
#ifndef HD_PROBE_TRACE_H
#define HD_PROBE_TRACE_H

#include <stdint.h>

#include <hdTopology.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is recorded, and where. */
struct hdProbeTraceOptions {
	/** Of a project that the program records, which stays until
	 *  hdProbe_traceStop(); NULL: a project of its own, with the levels
	 *  Host, Process and Thread. */
	hdTopology *topology;
	/** With topology: labels of the process, from level 1 down. */
	const char **path;
	/** How many. States need a level below, whose labels are numbers of
	 *  threads, from 0. */
	int pathLength;
	/** Nanoseconds; 0: as the environment says; below 0: only
	 *  hdProbe_traceWrite() writes. */
	int64_t interval;
	/** Names of probes that are states, with commas between them, or
	 *  "all"; NULL: as the environment says; "": none. Copied. */
	const char *states;
};

/**
 * Record what probes count from now on, until hdProbe_traceStop() or the end of
 * the program.
 *
 * @param options NULL: as the environment says.
 *
 * @retval 0 It is recorded.
 * @retval 1 It is not: HDPROBE_TRACE=off.
 * @retval -1 Error, and nothing is recorded; errno is EBUSY (it is recorded
 *         already, or somebody else observes and states were asked for), EINVAL
 *         (no level for states, or a path longer than the topology is deep),
 *         ENOMEM, EAGAIN (no thread), or a value of hdError.h.
 */
int hdProbe_traceStart(const struct hdProbeTraceOptions *options);

/**
 * End the interval now, and hand everything to the system.
 *
 * @retval 0 Done.
 * @retval -1 Error; errno is EINVAL (nothing is recorded) or a value of
 *         hdError.h: HD_ERR_WRITE_FILE, or HD_ERR_CREATE_FILE if a new probe
 *         got no file.
 */
int hdProbe_traceWrite(void);

/**
 * Write what was counted until now, and close all files.
 *
 * @retval 0 Done.
 * @retval -1 Error; errno as of hdProbe_traceWrite(), now or before; all is
 *         closed.
 */
int hdProbe_traceStop(void);

#ifdef __cplusplus
}
#endif

#endif
