/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The topology: which trace belongs where.
 *
 * A project is a tree. Its root is the project itself, level 0. The types of
 * the deeper levels are free; (Project, Host, Rank, Thread) is common. Every
 * trace and every statistics group belongs to one node of the tree, and the
 * labels on the way to that node make its file name:
 *
 *     myProject_node01_rank3_0.trc          events of thread 0 of rank 3
 *     myProject_node01_Utilization.stat     statistics of host node01
 *
 * (Thesis sections 3.2.2, 3.3.1 and A.1.1.)
 *
 * **Names.** Level types and labels are one or more of `A-Z a-z 0-9 . -`
 * (thesis: letters and digits; host names hold the other two). `_` separates
 * labels and `/` would leave the directory: both are refused. The project name
 * may hold any character that a file name may, and a directory in front
 * (`/scratch/run1/myProject`).
 *
 * **What is unique.** A file has one trace or group, or the relations of one
 * node. So at a node there is one trace, and one group of a name, for all
 * programs that write into a project at a time; siblings need different labels.
 * Labels and names of groups are never changed to make a file name, and have no
 * `_`, so within a project different ones make different files. Two projects of
 * a directory may still meet: node `b` of project `a` and the root of project
 * `a_b`. And so may labels that differ only in what the file system takes for
 * one, such as capitals. Whoever comes second is refused with
 * HD_ERR_CREATE_FILE, also where existing files are replaced: a file that is
 * being written is not.
 *
 * **Threads.** A topology and its nodes are constant after creation; any
 * thread may read them. Creating nodes of one topology from several threads
 * at once is allowed. Destroying them needs that nobody uses them any more.
 *
 * @section env Environment
 * Read once, when the first topology is created; a value that makes no sense
 * counts as not set. Defaults are in parentheses. A program that has more
 * rights than who runs it (set-uid, set-gid) has none of them, and none of
 * those of libRUT, libPT, libpm and libhdMPI.
 *
 * - `HDTRACE_VERBOSITY` (0): lines on stderr; 0 one line if something is not
 *   recorded, 1 all errors, 2 warnings, 3 information; -1 none at all.
 * - `HDTRACE_BUFFER_SIZE_KB` (256): buffer of each file, 4 to 1048576; rounded
 *   up to a power of two. Where it is not set, a buffer that was full grows to
 *   1024, unless it drops records.
 * - `HDTRACE_FLUSH_MS` (1000): a complete record is handed to the system after
 *   this time at the latest, 1 to 3600000.
 * - `HDTRACE_FORCE_FLUSH` (0): 1 hands every record to the system at once.
 * - `HDTRACE_ON_FULL` (wait): when a buffer is full, `wait` until it was
 *   written, or `drop` and count the record.
 * - `HDTRACE_OVERWRITE_EXISTING_FILES` (0): 1 replaces existing files instead
 *   of failing with HD_ERR_CREATE_FILE; not symbolic links.
 * - `HDTRACE_RELATION` (1): 0 records no relations; see hdRelation.h.
 * - `HDTRACE_MAX_NESTING_DEPTH` (990): default of hdT_setNestedDepth().
 * - `HDTRACE_PREFIX` (empty): put before every relative project name, e.g.
 *   `/scratch/run7/`.
 * - `HDTRACE_CLOCK` (realtime): where times are read from; `tsc` is the time
 *   stamp counter of the processor, which is compared with the system's clock
 *   again and again. Files say how wrong it was. Where it may not be trusted
 *   one line says so, and the system's clock is read.
 * - `HDTRACE_GAPS` (marker): what stands where a group was stopped, `marker`,
 *   `entry` or `none`; see hdStats.h.
 *
 * **What is not recorded.** A program is never stopped by it, and may not look
 * at results. So a process says once on stderr that a trace, a group or a part
 * of one is not recorded: which file, why, and what helps (of a file that
 * exists: HDTRACE_OVERWRITE_EXISTING_FILES). Of the processes of an MPI program
 * it is the first of each host that says so, as its launcher numbers them.
 * libRUT and libPT do the same.
 *
 * **Processes.** A child made by fork() inherits topologies, traces and
 * groups, but writes nothing into them: calls return as on a disabled trace,
 * hdT_finalize() and hdS_finalize() only free memory. The child may create its
 * own. A process that ends by exit() or by returning from main() without
 * finalizing loses nothing that was complete; one that is killed loses at most
 * what `HDTRACE_FLUSH_MS` allows.
 *
 * **Descriptors.** A program that closes all descriptors, as daemons do, closes
 * those of the traces, and may get their numbers for its own files. Before it
 * writes the library compares device and inode, and writes into no file that is
 * not its own: the trace ends there, as if the disk were full, and what comes
 * later is counted as lost (hdT_getLosses(), hdS_getLosses()).
 */
#ifndef HD_TOPOLOGY_H
#define HD_TOPOLOGY_H

#ifdef __cplusplus
extern "C" {
#endif

/** A topology; see hdT_createTopology(). */
typedef struct _hdTopology hdTopology;

/** A node of a topology; see hdT_createTopoNode(). */
typedef struct _hdTopoNode hdTopoNode;

/**
 * Create a topology.
 *
 *     const char *levels[] = { "Host", "Process", "Thread" };
 *     hdTopology *topology = hdT_createTopology("myProject", levels, 3);
 *
 * @param project Name of the project, optionally with a directory.
 * @param levels Types of the levels below the root. The array and its strings
 *        are copied.
 * @param nlevels Number of elements of @p levels; may be 0.
 *
 * @return The topology, to be freed with hdT_destroyTopology().
 * @retval NULL Error; errno is HD_ERR_INVALID_ARGUMENT (a NULL or empty name,
 *         a character that is not allowed, a negative number) or
 *         HD_ERR_MALLOC.
 */
hdTopology *hdT_createTopology(const char *project, const char **levels,
			       int nlevels);

/**
 * Destroy a topology.
 *
 * Nodes, traces and groups that were made from it stay usable.
 *
 * @param topology Topology to free.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT (@p topology is NULL).
 */
int hdT_destroyTopology(hdTopology *topology);

/**
 * Create a node of a topology.
 *
 *     const char *path[] = { hostname, "0", "main" };
 *     hdTopoNode *node = hdT_createTopoNode(topology, path, 3);
 *
 * @param topology Topology that the node belongs to.
 * @param path Labels from level 1 down to the node. The array and its strings
 *        are copied.
 * @param length Number of elements of @p path, from 0 (the root) to the number
 *        of levels.
 *
 * @return The node, to be freed with hdT_destroyTopoNode().
 * @retval NULL Error; errno is HD_ERR_INVALID_ARGUMENT (NULL, an empty label
 *         or one with a character that is not allowed, a path longer than the
 *         topology is deep) or HD_ERR_MALLOC.
 */
hdTopoNode *hdT_createTopoNode(hdTopology *topology, const char **path,
			       int length);

/**
 * Destroy a topology node.
 *
 * Traces and groups that were made from it stay usable.
 *
 * @param node Node to free.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT (@p node is NULL).
 */
int hdT_destroyTopoNode(hdTopoNode *node);

/**
 * Get the depth of a topology.
 *
 * @param topology Topology to ask.
 *
 * @return Number of levels, the root (level 0) included.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdT_getTopoDepth(const hdTopology *topology);

/**
 * Get the level on which a node lives.
 *
 * @param node Node to ask.
 *
 * @return The level; 0 is the root.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdT_getTopoNodeLevel(const hdTopoNode *node);

/**
 * Get the path of a node as a string: its labels joined with `_`, without the
 * project name, e.g. `host1_process1_thread1`. The root's is empty.
 *
 * @param node Node to ask.
 *
 * @return The path, valid until the node is destroyed.
 * @retval NULL Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
const char *hdT_getTopoPathString(const hdTopoNode *node);

/**
 * Get one label on the path of a node.
 *
 * For a node made from `{ "host0", "process0", "thread0" }` level 2 gives
 * "process0".
 *
 * @param node Node to ask.
 * @param level Level of the label, from 1 to the level of the node.
 *
 * @return The label, valid until the node is destroyed.
 * @retval NULL Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
const char *hdT_getTopoPathLabel(const hdTopoNode *node, int level);

#ifdef __cplusplus
}
#endif

#endif
