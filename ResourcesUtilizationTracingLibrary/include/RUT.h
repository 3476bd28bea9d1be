/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Resource utilization: CPUs, memory, network and disks of a node.
 *
 * A utilization trace is a statistics group `Utilization` of a topology node. A
 * thread of the library adds an entry after every interval. (Thesis sections
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
 * In a parallel program, only one process of each node does this.
 *
 * **Intervals.** Entries are written at multiples of the interval since the
 * first start, without drift. If the system does not run the thread at a
 * deadline, this deadline is skipped, and the next entry covers more time.
 * rut_stopTrace() writes a last entry, which ends the current interval, so no
 * time between start and stop is missing. If rut_startTrace() is called again,
 * the next interval begins at this restart. The pause is not recorded, and the
 * following entries are written at the same multiples as before.
 *
 * **Several traces.** The traces of a process share one thread, except traces
 * with sources that may hang (see below). The multiples of all traces count
 * from the first start of any of these traces, so entries with the same
 * deadline are written in turn. The first interval of a trace that starts later
 * is 0.5 to 1.5 times the usual length, as after a restart. The traces also
 * wait for each other: if a file cannot be written because its file system
 * hangs, or if a source is slow to read, entries of all these traces are late
 * or skipped. rut_stopTrace() waits for the last entry of its trace.
 *
 * **Values.** Values have the names of the sources below. If a value describes
 * a single unit, such as a CPU, the number or name of the unit is appended
 * (`CPU_TOTAL_0`, `NET_IN_eth0`). The set of CPUs, interfaces and disks with
 * separate values is fixed when the trace is created. Units that appear later
 * only count in the sums, and units that disappear have the value 0. A source
 * that does not exist on this node is omitted with a warning (`RUT_VERBOSITY`).
 * If a file would have more than about 1,400 values, values of single CPUs,
 * idle states, interfaces or disks are omitted in the same way.
 *
 * **Sources that may hang.** Each file system and each GPU is read by a
 * separate thread. A sample waits for this thread for half an interval, but at
 * most 200 ms. Without an answer, the source has no value (NaN) in this entry;
 * all other sources have their values. A source that does not answer within 5 s
 * when the trace is created is omitted with a warning. Its thread remains until
 * the system answers.
 *
 * **CPU utilization** is the fraction of the interval in which a CPU was not
 * idle, from 0 to 100 %; waiting for a disk counts as idle. The usual counters
 * of the kernel have steps of 10 ms, which is too coarse for short intervals.
 * The library therefore uses the counter with the best resolution on this node:
 * idle-state residency (`cpuidle`), the CPU accounting of the root control
 * group (`cpuacct`), or the scheduler's statistics (`schedstat`). Without these
 * counters (`stat`), a value covers at least the last 200 ms, in steps of 10
 * ms. In the first 200 ms after a start, it covers the time since the start.
 * The attributes `source` and `resolution` of the value describe the counter.
 * Time that a counter reports late is added to the next entries, so the mean is
 * correct.
 *
 * **Memory** follows the definitions of libgtop: used is total minus free;
 * cached includes reclaimable slabs. All values of an entry are read at once.
 *
 * **Network.** External interfaces are hardware interfaces. If a node, such as
 * a container, has no hardware interfaces, external interfaces are all
 * interfaces except loopback, bridges, bonds, and interfaces on top of other
 * interfaces.
 *
 * @section rutenv Environment rut_createTrace() reads these variables.
 *
 * - `RUT_VERBOSITY`: log lines on stderr: -1 none, 0 errors (default), 1 also
 *   warnings, 2 also information, 3 everything. If the utilization is not
 *   recorded, the library prints one line per process. If the reason is the
 *   file, libhdStats prints this line (HDTRACE_VERBOSITY, see hdTopology.h).
 * - `RUT_HDD_MOUNTPOINT`: mount point of the block device that
 *   rutSources_s::HDD_READ and rutSources_s::HDD_WRITE count (default: all
 *   disks of the node).
 * - `RUT_BACKEND`: `linux` (default) reads the kernel's files; `gtop` uses
 *   libgtop for the 15 sources of the thesis, if the library was built with it.
 *
 * **Threads, processes.** Any thread may start and stop a trace. No other
 * thread may use it while it is finalized. A child process that was created by
 * fork() records nothing; there, rut_finalizeTrace() only frees memory.
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

	/** Context switches: `CTX_SWITCHES`. (This and all following sources
	 *  are not in the thesis.)
	 */
	unsigned int CTX_SWITCHES : 1;
	/** Frequency of each CPU: `CPU_FREQ_X`, in Hz. */
	unsigned int CPU_FREQ_X : 1;
	/** Fraction of time of each CPU in each idle state: `CPU_IDLE_X_C1`, in
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
	/** Pressure stall information: fraction of time in which some or all
	 *  tasks waited: `PSI_CPU_SOME`, `PSI_MEM_SOME`, `PSI_MEM_FULL`,
	 *  `PSI_IO_SOME`, `PSI_IO_FULL`, in %. */
	unsigned int PRESSURE : 1;
	/** Cost of tracing: CPU time of the tracing thread, `RUT_CPU_TIME` in
	 *  ns, and skipped deadlines, `RUT_LATE`. */
	unsigned int TRACER : 1;
	/** Hardware counters of all CPUs together, if the processor has them
	 *  and the kernel permits access: the amounts `HW_CYCLES`,
	 *  `HW_INSTRUCTIONS`, `HW_CACHE_REFERENCES` and `HW_CACHE_MISSES` (of
	 *  the last-level cache). If the kernel multiplexes them, the amounts
	 *  are estimated from the counted time. Not part of any set, because
	 *  each counter requires a file descriptor for each CPU. */
	unsigned int HW_COUNTERS : 1;
	/** Time of all CPUs by state, in %, from the ticks of the kernel:
	 *  `CPU_STATE_USER`, `CPU_STATE_NICE`, `CPU_STATE_SYSTEM` (with
	 *  interrupts), `CPU_STATE_IDLE`, `CPU_STATE_IOWAIT`,
	 *  `CPU_STATE_STEAL`; together 100 %. */
	unsigned int CPU_STATES : 1;
	/** The same for each CPU: `CPU_STATE_USER_X`, ... */
	unsigned int CPU_STATES_X : 1;
	/** Number of running and waiting tasks, averaged over 1, 5 and 15
	 *  minutes: `LOAD_1`, `LOAD_5`, `LOAD_15`. */
	unsigned int LOAD : 1;
	/** Memory that is available to programs without swapping, as estimated
	 *  by the kernel: `MEM_AVAILABLE`, in bytes. */
	unsigned int MEM_AVAILABLE : 1;
	/** Swap space, `SWAP_USED` and `SWAP_FREE`, and swap traffic,
	 *  `SWAP_IN` and `SWAP_OUT`, in bytes. */
	unsigned int SWAP : 1;
	/** Size of each local file system, named by its mount point,
	 *  `STORAGE_SIZE_X`, and the space left for users, `STORAGE_FREE_X`, in
	 *  bytes. NaN while the file system does not answer, such as on a
	 *  hanging disk. */
	unsigned int STORAGE : 1;
	/** Hardware counters of each CPU: `HW_CYCLES_X` and so on. The counters
	 *  of an offline CPU do not increase. */
	unsigned int HW_COUNTERS_X : 1;
	/** Bytes transferred between memory and caches, an amount:
	 * `MEM_TRAFFIC_READ` and `MEM_TRAFFIC_WRITE` if the memory controllers
	 * count them (Intel's uncore_imc), including the traffic of devices.
	 * Otherwise `MEM_TRAFFIC_CACHE_MISSES`: misses of the last-level cache
	 *  multiplied by its line size, without write-backs and prefetches. */
	unsigned int MEM_TRAFFIC : 1;
	/** Each NVIDIA GPU, read with the library of its driver: `GPU_UTIL_X`,
	 *  the fraction of time in which it was busy, in %; `GPU_MEM_USED_X`
	 *  and `GPU_MEM_SIZE_X` in bytes, if the library reports them. NaN
	 *  while the GPU does not answer. Not part of any set, because the
	 *  library is loaded into the process. */
	unsigned int GPU_X : 1;
};

/** Type of the bit field of sources. */
typedef struct rutSources_s rutSources;

/** Clear all sources of @p sources, a variable. */
#define RUTSRC_UNSET_ALL(sources) memset(&(sources), 0, sizeof(sources))

/** Select the CPU sources. */
#define RUTSRC_SET_CPU(sources) \
	((sources).CPU_UTIL = 1, (sources).CPU_UTIL_X = 1)

/** Select the memory sources. */
#define RUTSRC_SET_MEM(sources)                              \
	((sources).MEM_USED = 1, (sources).MEM_FREE = 1,     \
	 (sources).MEM_SHARED = 1, (sources).MEM_BUFFER = 1, \
	 (sources).MEM_CACHED = 1)

/** Select the network sources. */
#define RUTSRC_SET_NET(sources)                               \
	((sources).NET_IN_X = 1, (sources).NET_OUT_X = 1,     \
	 (sources).NET_IN_EXT = 1, (sources).NET_OUT_EXT = 1, \
	 (sources).NET_IN = 1, (sources).NET_OUT = 1)

/** Select the disk sources. */
#define RUTSRC_SET_HDD(sources) \
	((sources).HDD_READ = 1, (sources).HDD_WRITE = 1)

/** Select all sources of the thesis: CPU, memory, network and disks. */
#define RUTSRC_SET_ALL(sources)                            \
	(RUTSRC_SET_CPU(sources), RUTSRC_SET_MEM(sources), \
	 RUTSRC_SET_NET(sources), RUTSRC_SET_HDD(sources))

/** Select all sources that are not in the thesis, except hardware counters and
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
 * An upper bound for the number of values of a trace. The header of the file
 * describes each value and has at most HDS_MAX_HEADER_LENGTH bytes.
 *
 * This constant and the next two are for arrays in programs that were written
 * for earlier versions. The library itself has no such limits. If the header
 * does not have enough space for values of single CPUs, interfaces or disks,
 * all values of this kind are omitted with a warning, and the sums remain.
 */
#define RUT_MAX_STATS_VALUES 2000
/** An upper bound for CPUs with separate values; see RUT_MAX_STATS_VALUES. */
#define RUT_MAX_NUM_CPUS 2000
/** An upper bound for network interfaces with separate values; see
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
/** No source is available, `RUT_HDD_MOUNTPOINT` is not a mount point of a
 *  block device, or `RUT_BACKEND` is unknown. (Not in the thesis.) */
#define RUT_ESOURCE -4
/** An argument is invalid. (Not in the thesis.) */
#define RUT_EARGUMENT -5

/**
 * Create a utilization trace.
 *
 * Tracing starts with rut_startTrace().
 *
 * @param topoNode The trace belongs to this node or one of its ancestors; it
 *        may be destroyed afterwards.
 * @param topoLevel Level of the node to which the trace belongs.
 * @param sources Sources to trace.
 * @param interval Interval in milliseconds, at least 1.
 * @param[out] trace The trace; unchanged after an error.
 *
 * @retval RUT_SUCCESS Success.
 * @retval RUT_EMEMORY Out of memory.
 * @retval RUT_EHDLIB Error in the HDTrace library; for example, the file
 *         exists.
 * @retval RUT_ETHREAD Cannot create the tracing thread.
 * @retval RUT_ESOURCE No source is available, or RUT_HDD_MOUNTPOINT or
 *         RUT_BACKEND is invalid.
 * @retval RUT_EARGUMENT @p topoNode or @p trace is NULL, or @p interval is
 *         below 1.
 */
int rut_createTrace(hdTopoNode *topoNode, int topoLevel, rutSources sources,
		    int interval, UtilTrace **trace);

/**
 * Start tracing.
 *
 * @param trace Trace to start.
 *
 * @retval 0 The trace is now started.
 * @retval 1 The trace was already started.
 * @retval 2 @p trace is NULL.
 */
int rut_startTrace(UtilTrace *trace);

/**
 * Stop tracing.
 *
 * @param trace Trace to stop.
 *
 * @retval 0 The trace is now stopped.
 * @retval 1 The trace was already stopped.
 * @retval 2 @p trace is NULL.
 */
int rut_stopTrace(UtilTrace *trace);

/**
 * Finalize a trace: stop it, write all data, and free it.
 *
 * The topology and its nodes remain valid.
 *
 * @param trace Trace to finalize.
 *
 * @retval RUT_SUCCESS Success.
 * @retval RUT_EHDLIB A write failed, in this call or earlier.
 * @retval RUT_EARGUMENT @p trace is NULL.
 */
int rut_finalizeTrace(UtilTrace *trace);

#ifdef __cplusplus
}
#endif

#endif
