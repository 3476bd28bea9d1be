/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file PT.h
 * Power tracing: what the nodes draw, from a power analyzer or from the meters
 * that the machine itself has.
 *
 * A configuration file (pt.cfg(5)) names the device and the nodes that its
 * channels measure; each node gets a statistics group `Energy`. A thread of
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
 * - `PT_VERBOSITY`: messages on stderr: -1 none, 0 errors (default), 1
 *   warnings, 2 information, 3 everything. Read by pt_createTrace().
 *
 * **Threads, processes.** A trace may be started and stopped by any thread;
 * nothing else may use it while it is finalized. A child made by fork() records
 * nothing; there, pt_finalizeTrace() only frees memory. Every call returns
 * within two seconds, or one cycle of the device where that is longer.
 */
#ifndef PT_H
#define PT_H

#include "hdTopology.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A power trace. */
typedef struct powertrace_s PowerTrace;

/** Success. */
#define PT_SUCCESS 0
/** Call syntax error; the `pt` command only. */
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

#ifdef __cplusplus
}
#endif

#endif
