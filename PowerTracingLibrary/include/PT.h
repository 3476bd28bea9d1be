/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Power tracing: what the nodes draw, from a power analyzer or from the meters
 * that the machine itself has.
 *
 * A configuration file (pt.cfg(5)) names the device and the nodes that its
 * inputs measure; each node gets a statistics group `Energy`. A thread of
 * the library adds an entry for every measuring cycle of the device. (Thesis
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
 * **Time.** An entry carries the time at which its measurement ended, by the
 * wall clock of this host; what the configuration calls `delay` is subtracted.
 * Time without measurements is a gap in the files: between stop and start,
 * while the device is out of reach, and where it lost a cycle.
 *
 * **Devices that vanish.** The library says so (PT_VERBOSITY), tries again at
 * growing distances, and goes on when the device is back.
 *
 * @section ptenv Environment
 * - `PT_VERBOSITY`: log lines on stderr: -1 none, 0 errors (default), 1
 *   warnings, 2 information, 3 everything. Read by pt_createTrace(). That
 *   power is not recorded is said once a process, by libhdStats if it concerns
 *   the file (HDTRACE_VERBOSITY, see hdTopology.h).
 *
 * **Threads, processes.** A trace may be started and stopped by any thread;
 * nothing else may use it while it is finalized. A child made by fork() records
 * nothing; there, pt_finalizeTrace() only frees memory. Every call returns
 * within two seconds, or one cycle of the device where that is longer.
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
/** The call is wrong: an argument is NULL; of the `pt` command, its syntax. */
#define PT_ESYNTAX (-1)
/** The configuration file could not be found or read. */
#define PT_ECONFNOTFOUND (-2)
/** The configuration is invalid; PT_VERBOSITY tells each error and its line. */
#define PT_ECONFINVALID (-3)
/** The node of `port` is not this host. */
#define PT_EWRONGHOST (-4)
/** The configuration has no traces. */
#define PT_ENOTRACES (-5)
/** Out of memory. */
#define PT_EMEMORY (-6)
/** Error in the writing library; errno says which (hdT_strerror()). */
#define PT_EHDLIB (-7)
/** Problem with the measuring device, or with the way to it. */
#define PT_EDEVICE (-8)
/** The tracing thread cannot be created. */
#define PT_ETHREAD (-9)

/**
 * Create a power trace from a configuration file.
 *
 * Opens the device and creates the files; nothing is traced before
 * pt_startTracing(). A parallel program may call this in every process: where
 * the device is not, the call changes nothing and returns PT_EWRONGHOST.
 *
 * @param configfile Name of the configuration file; see pt.cfg(5).
 * @param topology Topology to use instead of `project` and `topology` of the
 *        file, or NULL for these. It stays the caller's and may be destroyed
 *        after the call.
 * @param[out] trace The trace, to be given to pt_finalizeTrace(). Untouched
 *        after an error, which leaves no files behind.
 *
 * @retval PT_SUCCESS Success.
 * @retval PT_ESYNTAX @p configfile or @p trace is NULL.
 * @retval PT_ECONFNOTFOUND The file could not be found or read.
 * @retval PT_ECONFINVALID The file is wrong; all its errors were told.
 * @retval PT_EWRONGHOST The device is at another host.
 * @retval PT_ENOTRACES The file has no traces.
 * @retval PT_EMEMORY Out of memory.
 * @retval PT_EHDLIB The files cannot be created; errno is that of
 *         hdT_createTopology(), hdT_createTopoNode(), hdS_createGroup(),
 *         hdS_addValue() or hdS_commitGroup().
 * @retval PT_EDEVICE The device is not there, busy, forbidden, silent, or
 *         another one than the file says.
 * @retval PT_ETHREAD The tracing thread cannot be created.
 */
int pt_createTrace(const char *configfile, hdTopology *topology,
		   PowerTrace **trace);

/**
 * Get the name of the host that the device is connected to.
 *
 * @param trace Trace to ask.
 *
 * @return NODE of `port`, valid until the trace is finalized.
 * @retval NULL The configuration names none, or @p trace is NULL.
 */
char *pt_getHostname(PowerTrace *trace);

/**
 * Start tracing.
 *
 * Tells the device to measure; the first entry comes after its first whole
 * cycle. A device that is out of reach is told when it is back.
 *
 * @param trace Trace to start.
 *
 * @retval 0 It is started now.
 * @retval 1 It had been started already.
 * @retval 2 @p trace is NULL, or was inherited by fork().
 */
int pt_startTracing(PowerTrace *trace);

/**
 * Stop tracing.
 *
 * The last entry is that of the last cycle that the device has sent; of a
 * device that this host samples (RAPL, GPU, ...), one more is taken now. Until
 * the next start there is a gap.
 *
 * @param trace Trace to stop.
 *
 * @retval 0 It is stopped now.
 * @retval 1 It had been stopped already.
 * @retval 2 @p trace is NULL, or was inherited by fork().
 */
int pt_stopTracing(PowerTrace *trace);

/**
 * Stop tracing, write everything, and free the trace.
 *
 * @param trace Trace to end; freed whatever is returned. NULL is allowed.
 *
 * @retval PT_SUCCESS Success.
 * @retval PT_EDEVICE The device is out of reach; what was measured before is
 *         in the files.
 * @retval PT_EHDLIB Something could not be written, now or before; errno is
 *         that of hdS_finalize().
 */
int pt_finalizeTrace(PowerTrace *trace);

#ifdef __cplusplus
}
#endif

#endif
