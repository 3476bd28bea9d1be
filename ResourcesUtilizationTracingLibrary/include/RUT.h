/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Resources utilization: what a node's CPUs, memory, network and disks do.
 *
 * A utilization trace is a statistics group `Utilization` of a topology node.
 * A thread of the library adds an entry at every interval. (Thesis sections
 * 3.5.1, 4.4 and appendix C.)
 *
 *     const char *levels[] = { "Host" }, *path[] = { "node01" };
 *     hdTopology *topology = hdT_createTopology("MyProject", levels, 1);
 *     hdTopoNode *node = hdT_createTopoNode(topology, path, 1);
 *     rutSources sources;
 *     UtilTrace *trace;
 *
 *     RUTSRC_UNSET_ALL(sources);
 *     RUTSRC_SET_CPU(sources);
 *     sources.MEM_USED = 1;
 *     if (rut_createTrace(node, 1, sources, 100, &trace) == RUT_SUCCESS) {
 *             rut_startTrace(trace);
 *             ...
 *             rut_finalizeTrace(trace);
 *     }
 *     hdT_destroyTopoNode(node);
 *     hdT_destroyTopology(topology);
 *
 * In a parallel program one process of each node does that.
 *
 * **Intervals.** Entries are made at multiples of the interval since the first
 * start, without drift. A deadline at which the system did not let the thread
 * run is left out, so that the next entry covers more. rut_stopTrace() makes a
 * last entry, which ends the interval that had begun, so nothing between start
 * and stop is missing; after rut_startTrace() the next interval begins at the
 * restart, what happened meanwhile is not recorded, and entries come at the old
 * multiples again.
 *
 * **Several traces.** Traces of a process have one thread together, but for
 * those with sources that may hang (below). The multiples of all are counted
 * from the first start of any of them, so that entries which are due at the
 * same time are made one after the other; the first interval of a trace that is
 * started later has half to one and a half of its length, as after a restart.
 * They wait for each other, too: where a file cannot be written because its
 * file system hangs, or a source takes long to read, entries of all these
 * traces are late or left out, and rut_stopTrace() of one waits for its own.
 *
 * **Values.** The names are those of the sources below, per unit with its
 * number or name (`CPU_TOTAL_0`, `NET_IN_eth0`). Which CPUs, interfaces and
 * disks have values of their own is decided when the trace is created; those
 * that come later count in the sums, and those that vanish have 0. A source
 * that this node does not have is left out, with a warning (`RUT_VERBOSITY`);
 * so are the values of single CPUs, idle states, interfaces or disks that are
 * too many for the header of a file (about 1,400 values in all).
 *
 * **What may hang.** File systems and GPUs are asked by a thread of their own
 * each. A sample waits for it for half an interval, 200 ms at most; what has
 * not answered then has no value (NaN) in this entry, and all others have
 * theirs. If it does not answer within 5 s when the trace is created it is left
 * out, with a warning. Such a thread stays until the system gives it an answer.
 *
 * **CPU utilization** is the share of the interval in which a CPU was not idle
 * (waiting for a disk is idle), from 0 to 100 %. The kernel's usual counters
 * have steps of 10 ms, too coarse for short intervals. So the library takes the
 * finest that this node offers: idle-state residency (`cpuidle`), the CPU
 * accounting of the root control group (`cpuacct`), the scheduler's statistics
 * (`schedstat`). Where there is none of these (`stat`), a value is computed
 * over the last 200 ms at least, in the first 200 ms after a start over the
 * time since then: in steps of 10 ms. The attributes `source` and `resolution`
 * of the value say what it was. Time that a counter reports late is credited to
 * the next entries, so that the mean is right.
 *
 * **Memory** is what libgtop defines: used is total minus free; cached includes
 * reclaimable slabs. The values of an entry were read at once.
 *
 * **Network.** External are the interfaces that are hardware; where a node
 * (a container, say) has none, those that are no loopback, bridge, bond, or
 * stacked upon another.
 *
 * @section rutenv Environment
 * Read by rut_createTrace().
 *
 * - `RUT_VERBOSITY`: log lines on stderr: -1 none, 0 errors (default), 1
 *   warnings, 2 information, 3 everything. That the utilization is not recorded
 *   is said once a process, by libhdStats if it concerns the file
 *   (HDTRACE_VERBOSITY, see hdTopology.h).
 * - `RUT_HDD_MOUNTPOINT`: whose block device rutSources_s::HDD_READ and
 *   rutSources_s::HDD_WRITE count; the directory where it is mounted. If not
 *   set: all disks of the node.
 * - `RUT_BACKEND`: `linux` (default) reads the kernel's files; `gtop` asks
 *   libgtop for the 15 sources of the thesis, if the library was built with it.
 *
 * **Threads, processes.** A trace may be started and stopped by any thread;
 * nothing else may use it while it is finalized. A child made by fork() records
 * nothing; there, rut_finalizeTrace() only frees memory.
 */
#ifndef RUT_H
#define RUT_H

#include <string.h>

#include <hdTopology.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A utilization trace; see rut_createTrace(). */
typedef struct UtilTrace_s UtilTrace;

/**
 * Bit field for sources to trace.
 *
 * "X" stands for the number of a CPU or the name of a network interface or
 * block device.
 */
struct rutSources_s {
	/** Utilization of all CPUs: `CPU_TOTAL`, in %. */
	unsigned int CPU_UTIL : 1;
	/** Utilization of each CPU: `CPU_TOTAL_X`, in %. */
	unsigned int CPU_UTIL_X : 1;
	/** Main memory used, in bytes. */
	unsigned int MEM_USED : 1;
	/** Main memory free, in bytes. */
	unsigned int MEM_FREE : 1;
	/** Main memory shared, in bytes. */
	unsigned int MEM_SHARED : 1;
	/** Main memory used as buffer, in bytes. */
	unsigned int MEM_BUFFER : 1;
	/** Main memory cached, in bytes. */
	unsigned int MEM_CACHED : 1;
	/** Incoming traffic of each network interface, in bytes. */
	unsigned int NET_IN_X : 1;
	/** Outgoing traffic of each network interface, in bytes. */
	unsigned int NET_OUT_X : 1;
	/** Incoming traffic of external network interfaces, in bytes. */
	unsigned int NET_IN_EXT : 1;
	/** Outgoing traffic of external network interfaces, in bytes. */
	unsigned int NET_OUT_EXT : 1;
	/** Incoming traffic of all network interfaces, in bytes. */
	unsigned int NET_IN : 1;
	/** Outgoing traffic of all network interfaces, in bytes. */
	unsigned int NET_OUT : 1;
	/** Data read from disk, in bytes. */
	unsigned int HDD_READ : 1;
	/** Data written to disk, in bytes. */
	unsigned int HDD_WRITE : 1;

	/** Context switches: `CTX_SWITCHES`. (From here on not in the thesis.)
	 */
	unsigned int CTX_SWITCHES : 1;
	/** Frequency of each CPU: `CPU_FREQ_X`, in Hz. */
	unsigned int CPU_FREQ_X : 1;
	/** Share of time of each CPU in each idle state: `CPU_IDLE_X_C1`, in
	 *  %. */
	unsigned int CPU_IDLE_X : 1;
	/** Operations, bytes, busy time (%) and operations in flight of each
	 *  block device: `HDD_READ_OPS_X`, `HDD_WRITE_OPS_X`, `HDD_READ_X`,
	 *  `HDD_WRITE_X`, `HDD_BUSY_X`, `HDD_INFLIGHT_X`. */
	unsigned int HDD_DEV_X : 1;
	/** Packets, errors and drops of each network interface:
	 *  `NET_PACKETS_IN_X`, `NET_PACKETS_OUT_X`, `NET_ERRORS_IN_X`,
	 *  `NET_ERRORS_OUT_X`, `NET_DROPS_IN_X`, `NET_DROPS_OUT_X`. */
	unsigned int NET_PACKETS_X : 1;
	/** Pressure stall information: share of time in which some or all tasks
	 *  waited: `PSI_CPU_SOME`, `PSI_MEM_SOME`, `PSI_MEM_FULL`,
	 *  `PSI_IO_SOME`, `PSI_IO_FULL`, in %. */
	unsigned int PRESSURE : 1;
	/** What tracing costs: CPU time of its thread, `RUT_CPU_TIME` in ns,
	 * and deadlines left out, `RUT_LATE`. */
	unsigned int TRACER : 1;
	/** Hardware counters of all CPUs together, as far as the processor has
	 *  them and the kernel lets them be read: `HW_CYCLES`,
	 *  `HW_INSTRUCTIONS`, `HW_CACHE_REFERENCES` and `HW_CACHE_MISSES` (of
	 *  the last cache), amounts. Where they take turns with other users'
	 *  they are estimated from the time that they counted. In no set; they
	 *  cost a descriptor for each of them and CPU. */
	unsigned int HW_COUNTERS : 1;
	/** What all CPUs do with their time, in %, by the ticks of the kernel:
	 *  `CPU_STATE_USER`, `CPU_STATE_NICE`, `CPU_STATE_SYSTEM` (with
	 *  interrupts), `CPU_STATE_IDLE`, `CPU_STATE_IOWAIT`,
	 *  `CPU_STATE_STEAL`; together 100 %. */
	unsigned int CPU_STATES : 1;
	/** The same of each CPU: `CPU_STATE_USER_X`, ... */
	unsigned int CPU_STATES_X : 1;
	/** Tasks that run or wait, mean of 1, 5 and 15 minutes: `LOAD_1`,
	 *  `LOAD_5`, `LOAD_15`. */
	unsigned int LOAD : 1;
	/** Memory that programs can have without swapping, by the kernel's
	 *  estimate: `MEM_AVAILABLE`, in bytes. */
	unsigned int MEM_AVAILABLE : 1;
	/** Swap: `SWAP_USED` and `SWAP_FREE`, and what went in from it and out
	 *  to it, `SWAP_IN` and `SWAP_OUT`, in bytes. */
	unsigned int SWAP : 1;
	/** Each local file system, by the path where it is mounted:
	 *  `STORAGE_SIZE_X` and `STORAGE_FREE_X`, what is left for users, in
	 *  bytes; NaN while nothing answers, as of a disk that hangs. */
	unsigned int STORAGE : 1;
	/** The same of each CPU: `HW_CYCLES_X` and so on. A CPU that is
	 *  offline counts nothing. */
	unsigned int HW_COUNTERS_X : 1;
	/** Bytes between memory and caches, an amount: `MEM_TRAFFIC_READ` and
	 *  `MEM_TRAFFIC_WRITE` where the memory controllers count them (Intel's
	 *  uncore_imc; all that goes through them, of devices as well), else
	 *  `MEM_TRAFFIC_CACHE_MISSES`: misses of the last cache times its line,
	 *  which lacks what is written back and what prefetchers fetch. */
	unsigned int MEM_TRAFFIC : 1;
	/** Each NVIDIA GPU, by the library of its driver, as far as it tells:
	 *  `GPU_UTIL_X`, the share of time in which it had something to do, in
	 *  %; `GPU_MEM_USED_X` and `GPU_MEM_SIZE_X` in bytes. NaN while nothing
	 *  answers. In no set: that library comes into the process. */
	unsigned int GPU_X : 1;
};

/** Type definition of tracing sources bit field. */
typedef struct rutSources_s rutSources;

/** Clear all sources of @p sources, a variable. */
#define RUTSRC_UNSET_ALL(sources) memset(&(sources), 0, sizeof(sources))

/** Set the sources of the CPU. */
#define RUTSRC_SET_CPU(sources) \
	((sources).CPU_UTIL = 1, (sources).CPU_UTIL_X = 1)

/** Set the sources of the memory. */
#define RUTSRC_SET_MEM(sources)                              \
	((sources).MEM_USED = 1, (sources).MEM_FREE = 1,     \
	 (sources).MEM_SHARED = 1, (sources).MEM_BUFFER = 1, \
	 (sources).MEM_CACHED = 1)

/** Set the sources of the network. */
#define RUTSRC_SET_NET(sources)                               \
	((sources).NET_IN_X = 1, (sources).NET_OUT_X = 1,     \
	 (sources).NET_IN_EXT = 1, (sources).NET_OUT_EXT = 1, \
	 (sources).NET_IN = 1, (sources).NET_OUT = 1)

/** Set the sources of the disks. */
#define RUTSRC_SET_HDD(sources) \
	((sources).HDD_READ = 1, (sources).HDD_WRITE = 1)

/** Set all sources of the thesis: CPU, memory, network and disks. */
#define RUTSRC_SET_ALL(sources)                            \
	(RUTSRC_SET_CPU(sources), RUTSRC_SET_MEM(sources), \
	 RUTSRC_SET_NET(sources), RUTSRC_SET_HDD(sources))

/** Set all sources beyond those of the thesis, but for hardware counters and
 *  GPUs. */
#define RUTSRC_SET_MORE(sources)                               \
	((sources).CTX_SWITCHES = 1, (sources).CPU_FREQ_X = 1, \
	 (sources).CPU_IDLE_X = 1, (sources).HDD_DEV_X = 1,    \
	 (sources).NET_PACKETS_X = 1, (sources).PRESSURE = 1,  \
	 (sources).TRACER = 1, (sources).CPU_STATES = 1,       \
	 (sources).CPU_STATES_X = 1, (sources).LOAD = 1,       \
	 (sources).MEM_AVAILABLE = 1, (sources).SWAP = 1,      \
	 (sources).STORAGE = 1)

/**
 * More values than a trace can have: the header of its file, which is
 * HDS_MAX_HEADER_LENGTH long at most, names each of them.
 *
 * This and the two below are for the arrays of programs that were written for
 * earlier versions. Nothing in the library has such a limit: where there is no
 * room for the values of single CPUs, interfaces or disks, those of this kind
 * are left out with a warning, and the sums stay.
 */
#define RUT_MAX_STATS_VALUES 2000
/** More CPUs than can have values of their own; see RUT_MAX_STATS_VALUES. */
#define RUT_MAX_NUM_CPUS 2000
/** More network interfaces than can have values of their own; see
 *  RUT_MAX_STATS_VALUES. */
#define RUT_MAX_NUM_NETIFS 2000

/** Success. */
#define RUT_SUCCESS 0
/** Out of memory. */
#define RUT_EMEMORY -1
/** Error in the HDTrace library; its value is in errno. */
#define RUT_EHDLIB -2
/** Cannot create the tracing thread. */
#define RUT_ETHREAD -3
/** None of the sources works here, or `RUT_HDD_MOUNTPOINT` is no mount point
 *  of a block device, or there is no such `RUT_BACKEND`. (Not in the thesis.)
 */
#define RUT_ESOURCE -4
/** An argument is invalid. (Not in the thesis.) */
#define RUT_EARGUMENT -5

/**
 * Create a utilization trace.
 *
 * Tracing does not start before rut_startTrace().
 *
 * @param topoNode The trace belongs to this node or one of its ancestors; it
 *        may be destroyed afterwards.
 * @param topoLevel Level of the node that the trace belongs to.
 * @param sources Sources to trace.
 * @param interval Interval in milliseconds, at least 1.
 * @param[out] trace The trace; untouched if an error is returned.
 *
 * @retval RUT_SUCCESS Success.
 * @retval RUT_EMEMORY Out of memory.
 * @retval RUT_EHDLIB Error in the HDTrace library: the file exists, for
 *         example.
 * @retval RUT_ETHREAD Cannot create the tracing thread.
 * @retval RUT_ESOURCE There is nothing to trace, or RUT_HDD_MOUNTPOINT or
 *         RUT_BACKEND is wrong.
 * @retval RUT_EARGUMENT @p topoNode or @p trace is NULL, or @p interval is
 *         below 1.
 */
int rut_createTrace(hdTopoNode *topoNode, int topoLevel, rutSources sources,
		    int interval, UtilTrace **trace);

/**
 * Start tracing.
 *
 * @param trace Trace object to work on.
 *
 * @retval 0 Tracing is now started (was stopped before).
 * @retval 1 Tracing is started (as it was already before).
 * @retval 2 @p trace is NULL.
 */
int rut_startTrace(UtilTrace *trace);

/**
 * Stop tracing.
 *
 * @param trace Trace object to work on.
 *
 * @retval 0 Tracing is now stopped (was started before).
 * @retval 1 Tracing is stopped (as it was already before).
 * @retval 2 @p trace is NULL.
 */
int rut_stopTrace(UtilTrace *trace);

/**
 * Finalize a trace: stop it, write everything, and free it.
 *
 * The topology and its nodes stay.
 *
 * @param trace Trace to finalize.
 *
 * @retval RUT_SUCCESS Success.
 * @retval RUT_EHDLIB Something could not be written, now or before.
 * @retval RUT_EARGUMENT @p trace is NULL.
 */
int rut_finalizeTrace(UtilTrace *trace);

#ifdef __cplusplus
}
#endif

#endif
