/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Probes in projects: their counters over time, next to power and utilization.
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
 * libhdProbe itself does not write files. This library has a thread that reads
 * the probes (hdProbe_watch()) after each interval and writes statistics
 * groups. The node of the process has one group `Probe-NAME` for each probe.
 * This does not affect the cost of a measurement. The groups have the
 * attributes `probe` (the name), `probeTo` (target of a transfer) and
 * `probeKind` (`timer`, `kernel`, `transfer`, `counter`). Their values are
 * amounts since the previous entry:
 *
 * - all probes: `Instances`, the completed measurements;
 * - timers and kernels: `Body` (s, sum of all threads), `Missed`, and for the
 *   interval `Mean` (s) and `P99` (s), which are NaN without a timed instance;
 * - kernels: `Dispatch` (s);
 * - timers and kernels that count events (hdProbe_setEvents(),
 *   HDPROBE_COUNTERS): `Cycles`, `Instructions`, `CacheReferences`,
 *   `CacheMisses`, `Branches`, `BranchMisses`, `PageFaults`, `TaskClock` (s);
 *   NaN if no instance counted them;
 * - transfers: `Bytes`; counters: `Amount`.
 *
 * With sampling, sums are scaled as in hdProbe_snapshot(). If no instance was
 * timed in an interval, the time appears in the next interval with a timed
 * instance. doc/format/format.md describes the groups. If the node or a node
 * above it has a power group, hdtrace report shows the energy of the kernels.
 *
 * **States.** If requested, each measurement of a timer is also a state of its
 * thread. A measurement of a kernel becomes two states: `NAME.dispatch` and,
 * inside it, `NAME`. This costs about a microsecond per measurement, outside of
 * the measured time. A measurement that started in another thread does not
 * become a state. A measurement that is not properly nested ends with the
 * enclosing state. If the program runs under libhdMPI, the states are written
 * to the trace of libhdMPI.
 *
 * **Threads.** Any thread may call the functions, but signal handlers must not.
 * A probe in a handler that interrupts the recording of a state is not recorded
 * as a state.
 *
 * **fork().** A child process records nothing until it calls
 * hdProbe_traceStart().
 *
 * Environment variables are defaults for options that the program does not set:
 *
 * - `HDPROBE_TRACE=off`: hdProbe_traceStart() does nothing.
 * - `HDPROBE_TRACE_PROJECT`: path and name of the project (default: the name of
 *   the program, with a number if this project exists).
 * - `HDPROBE_TRACE_HOST`, `HDPROBE_TRACE_PROCESS`: labels of the host and the
 *   process (default: the host name and the process ID).
 * - `HDPROBE_TRACE_INTERVAL`: milliseconds, at least 1 (default: 100).
 * - `HDPROBE_TRACE_STATES`: comma-separated list of names, or `all`.
 * - `HDPROBE_TRACE_VERBOSITY`: -1 suppresses the line on stderr about data that
 *   is not recorded.
 */
#ifndef HD_PROBE_TRACE_H
#define HD_PROBE_TRACE_H

#include <stdint.h>

#include <hdTopology.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Options of a recording. */
struct hdProbeTraceOptions {
	/** Topology of a project that the program records. It must stay valid
	 *  until hdProbe_traceStop(). NULL: create a project with the topology
	 *  levels Host, Process and Thread. */
	hdTopology *topology;
	/** With topology: path of the process, labels from level 1 down. */
	const char **path;
	/** Length of the path. States require an additional level in the
	 *  topology, whose labels are thread numbers from 0. */
	int pathLength;
	/** Interval in nanoseconds; 0: from the environment; negative: only
	 *  hdProbe_traceWrite() writes. */
	int64_t interval;
	/** Comma-separated list of probes to record as states, or "all"; NULL:
	 *  from the environment; "": none. The library copies it. */
	const char *states;
};

/**
 * Start recording the probes, until hdProbe_traceStop() or the end of the
 * program.
 *
 * @param options NULL: all options from the environment.
 *
 * @retval 0 Recording has started.
 * @retval 1 Recording is disabled by HDPROBE_TRACE=off.
 * @retval -1 Error; nothing is recorded. errno is EBUSY (already recording, or
 *         states are requested and another observer is installed), EINVAL (the
 *         topology has no level for states or is shorter than the path),
 * ENOMEM, EAGAIN (cannot create a thread), or a value of hdError.h.
 */
int hdProbe_traceStart(const struct hdProbeTraceOptions *options);

/**
 * End the current interval and write all data to the files.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is EINVAL (not recording) or a value of
 *         hdError.h: HD_ERR_WRITE_FILE, or HD_ERR_CREATE_FILE if the file
 *         of a new probe cannot be created.
 */
int hdProbe_traceWrite(void);

/**
 * Write all data and close all files.
 *
 * @retval 0 Success.
 * @retval -1 An error occurred now or earlier; errno as for
 *         hdProbe_traceWrite(). All files are closed.
 */
int hdProbe_traceStop(void);

#ifdef __cplusplus
}
#endif

#endif
