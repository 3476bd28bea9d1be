/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Power tracing: the power of nodes, from a power analyzer or from the
 * internal meters of the machine.
 *
 * A configuration file (pt.cfg(5)) specifies the device and the nodes that its
 * inputs measure. Each node gets a statistics group `Energy`. A thread of the
 * library adds an entry for every measuring cycle of the device. (Thesis
 * sections 3.5.2, 4.3 and appendix B.)
 *
 *     PowerTrace *trace;
 *
 *     if (pt_createTrace("pt.cfg", NULL, &trace) == PT_SUCCESS) {
 *             pt_startTracing(trace);
 *             ...
 *             pt_finalizeTrace(trace);
 *     }
 *
 * **Time.** The time of an entry is the end of its measurement, according to
 * the wall clock of this host, minus the `delay` in the configuration. Time
 * without measurements is a gap in the files: between stop and start, while the
 * device is unreachable, and where the device lost a cycle.
 *
 * **Lost devices.** The library logs the loss (PT_VERBOSITY), retries at
 * growing intervals, and continues when the device is back.
 *
 * @section ptenv Environment
 * - `PT_VERBOSITY`: log lines on stderr: -1 none, 0 errors (default), 1 also
 *   warnings, 2 also information, 3 everything. pt_createTrace() reads it. If
 *   power is not recorded, the library prints one line per process. If the
 *   reason is the file, libhdStats prints this line (HDTRACE_VERBOSITY, see
 *   hdTopology.h).
 *
 * **Threads, processes.** Any thread may start and stop a trace. No other
 * thread may use it while it is finalized. A child process that was created by
 * fork() records nothing; there, pt_finalizeTrace() only frees memory. Every
 * call returns within two seconds, or within one cycle of the device if this is
 * longer.
 */
#ifndef PT_H
#define PT_H

#include <stddef.h>

#include <hdTopology.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A power trace. */
typedef struct powertrace_s PowerTrace;

/** Success. */
#define PT_SUCCESS 0
/** An argument is NULL; in the `pt` command, a usage error. */
#define PT_ESYNTAX (-1)
/** The configuration file could not be found or read. */
#define PT_ECONFNOTFOUND (-2)
/** The configuration is invalid; the log contains each error with its line. */
#define PT_ECONFINVALID (-3)
/** The node of `port` is not this host. */
#define PT_EWRONGHOST (-4)
/** The configuration has no traces. */
#define PT_ENOTRACES (-5)
/** Out of memory. */
#define PT_EMEMORY (-6)
/** Error in the writing library; errno contains its value (hdT_strerror()). */
#define PT_EHDLIB (-7)
/** Problem with the measuring device or the connection to it. */
#define PT_EDEVICE (-8)
/** The tracing thread cannot be created. */
#define PT_ETHREAD (-9)

/**
 * Create a power trace from a configuration file.
 *
 * Opens the device and creates the files. Tracing begins with
 * pt_startTracing(). A parallel program may call this function in every
 * process. On a host without the device, the call changes nothing and returns
 * PT_EWRONGHOST.
 *
 * @param configfile Name of the configuration file; see pt.cfg(5).
 * @param topology Topology to use instead of `project` and `topology` of the
 *        file, or NULL to use the file. The caller owns it and may destroy it
 *        after the call.
 * @param[out] trace The trace, to be passed to pt_finalizeTrace(). Unchanged
 *        after an error, which leaves no files behind.
 *
 * @retval PT_SUCCESS Success.
 * @retval PT_ESYNTAX @p configfile or @p trace is NULL.
 * @retval PT_ECONFNOTFOUND The file could not be found or read.
 * @retval PT_ECONFINVALID The file is invalid; all its errors were logged.
 * @retval PT_EWRONGHOST The device is connected to another host.
 * @retval PT_ENOTRACES The file has no traces.
 * @retval PT_EMEMORY Out of memory.
 * @retval PT_EHDLIB The files cannot be created; errno was set by
 *         hdT_createTopology(), hdT_createTopoNode(), hdS_createGroup(),
 *         hdS_addValue() or hdS_commitGroup().
 * @retval PT_EDEVICE The device is missing, busy, silent, not accessible, or
 *         differs from the configured device.
 * @retval PT_ETHREAD The tracing thread cannot be created.
 */
int pt_createTrace(const char *configfile, hdTopology *topology,
		   PowerTrace **trace);

/**
 * Get the name of the host to which the device is connected.
 *
 * @param trace Trace to query.
 *
 * @return NODE of `port`, valid until the trace is finalized.
 * @retval NULL The configuration has no NODE, or @p trace is NULL.
 */
char *pt_getHostname(PowerTrace *trace);

/**
 * Start tracing.
 *
 * Starts the measurements of the device. The first entry is written after the
 * first complete cycle. An unreachable device is started when it is reachable
 * again.
 *
 * @param trace Trace to start.
 *
 * @retval 0 The trace is now started.
 * @retval 1 The trace was already started.
 * @retval 2 @p trace is NULL, or was inherited by fork().
 */
int pt_startTracing(PowerTrace *trace);

/**
 * Stop tracing.
 *
 * The last entry contains the last cycle that the device has sent. For a device
 * that this host samples (RAPL, GPU, ...), the call takes an additional sample.
 * The trace has a gap until the next start.
 *
 * @param trace Trace to stop.
 *
 * @retval 0 The trace is now stopped.
 * @retval 1 The trace was already stopped.
 * @retval 2 @p trace is NULL, or was inherited by fork().
 */
int pt_stopTracing(PowerTrace *trace);

/**
 * Stop tracing, write all data, and free the trace.
 *
 * @param trace Trace to end; it is always freed. NULL is allowed.
 *
 * @retval PT_SUCCESS Success.
 * @retval PT_EDEVICE The device is unreachable; earlier measurements are in
 *         the files.
 * @retval PT_EHDLIB A write failed, in this call or earlier; errno was set by
 *         hdS_finalize().
 */
int pt_finalizeTrace(PowerTrace *trace);

#ifdef __cplusplus
}
#endif

#endif
