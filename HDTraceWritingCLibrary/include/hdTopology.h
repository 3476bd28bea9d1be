/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The topology: the place of each trace in a project.
 *
 * A project is a tree. Its root, level 0, is the project itself. The program
 * chooses the types of the deeper levels; (Project, Host, Rank, Thread) is
 * common. Each trace and each statistics group belongs to one node of the tree.
 * The labels on the path to that node form its file name:
 *
 *     myProject_node01_rank3_0.trc          events of thread 0 of rank 3
 *     myProject_node01_Utilization.stat     statistics of host node01
 *
 * (Thesis sections 3.2.2, 3.3.1 and A.1.1.)
 *
 * **Names.** Level types and labels consist of one or more of `A-Z a-z 0-9 . -`
 * (thesis: letters and digits; host names need the other two). `_` separates
 * labels and `/` would leave the directory, so both are refused. The project
 * name may contain any character that is valid in a file name. It may start
 * with a directory (`/scratch/run1/myProject`).
 *
 * **Uniqueness.** A file contains one trace, one group, or the relations of one
 * node. Therefore a node has at most one trace, and one group of each name.
 * This applies across all programs that write to a project at the same time.
 * Sibling nodes must have different labels. Labels and group names are used
 * unchanged in file names and contain no `_`. Within a project, different names
 * therefore lead to different files. Two projects in one directory can still
 * collide: for example, node `b` of project `a` and the root of project `a_b`.
 * Labels can also collide if the file system treats them as equal, for example
 * if it ignores case. In both cases, the second writer fails with
 * HD_ERR_CREATE_FILE, even if existing files are replaced: a file that is being
 * written is never replaced.
 *
 * **Threads.** A topology and its nodes do not change after creation; any
 * thread may read them. Several threads may create nodes of one topology at the
 * same time. A topology or node must not be destroyed while a thread uses it.
 *
 * @section env Environment The library reads the variables once, when the first
 * topology is created. A variable with an invalid value is ignored. Defaults
 * are in parentheses. Set-uid and set-gid programs ignore all of these
 * variables, as well as the variables of libRUT, libPT, libpm and libhdMPI.
 *
 * - `HDTRACE_VERBOSITY` (0): output on standard error. -1: none; 0: one line if
 *   data is not recorded; 1: all errors; 2: also warnings; 3: also information.
 * - `HDTRACE_BUFFER_SIZE_KB` (256): buffer size of each file, 4 to 1048576,
 *   rounded up to a power of two. Without this variable, a full buffer grows to
 *   1024, unless `HDTRACE_ON_FULL` is `drop`.
 * - `HDTRACE_FLUSH_MS` (1000): longest time in ms until a complete record is
 *   passed to the operating system, 1 to 3600000. A unit is allowed: `50ms`,
 *   `2s`.
 * - `HDTRACE_FORCE_FLUSH` (0): 1 passes each record to the operating system
 *   immediately.
 * - `HDTRACE_ON_FULL` (wait): behavior when a buffer is full: `wait` until it
 *   has been written, or `drop` and count the record.
 * - `HDTRACE_OVERWRITE_EXISTING_FILES` (0): 1 replaces existing files instead
 *   of failing with HD_ERR_CREATE_FILE. Symbolic links are never followed.
 * - `HDTRACE_RELATION` (1): 0 disables relations; see hdRelation.h.
 * - `HDTRACE_MAX_NESTING_DEPTH` (990): default of hdT_setNestedDepth().
 * - `HDTRACE_PREFIX` (empty): prefix of each relative project name, for example
 *   `/scratch/run7/`.
 * - `HDTRACE_CLOCK` (realtime): source of time stamps. `tsc` is the time stamp
 *   counter of the processor, which is repeatedly compared with the system
 *   clock. The files contain the maximum error. If the counter is not reliable,
 *   the library prints one line and uses the system clock.
 * - `HDTRACE_COMPRESS` (none): `zstd` or `zstd:N` compresses traces, statistics
 *   and relations; `.zst` follows the names of the files. N is 1 (fastest, the
 *   default) to 19. The background thread compresses. If libzstd is missing,
 *   the library prints one line and does not compress.
 * - `HDTRACE_GAPS` (marker): representation of a pause of a group in its file:
 *   `marker`, `entry` or `none`; see hdStats.h.
 *
 * **Missing recordings.** A failure of tracing never stops the program, and
 * many programs ignore the results of the calls. Therefore a process prints one
 * line on standard error if all or part of a trace or group is not recorded.
 * The line contains the file, the cause and the remedy (for existing files:
 * HDTRACE_OVERWRITE_EXISTING_FILES). In an MPI program only the first process
 * of each host prints this line. libRUT and libPT do the same.
 *
 * **Processes.** A child process that was created by fork() inherits
 * topologies, traces and groups, but does not write to them. Its calls behave
 * as on a disabled trace; hdT_finalize() and hdS_finalize() only free memory.
 * The child may create its own traces. A process that ends by exit() or returns
 * from main() without finalizing does not lose complete records. A process that
 * is killed loses at most the records of the last `HDTRACE_FLUSH_MS`.
 *
 * **Descriptors.** A program that closes all descriptors, as daemons do, also
 * closes the descriptors of the traces. The operating system may then reuse the
 * numbers for other files. Before each write, the library compares device and
 * inode, so it never writes to a file that is not its own. The trace then ends
 * as if the disk were full. Later records count as lost (hdT_getLosses(),
 * hdS_getLosses()).
 */
#ifndef HD_TOPOLOGY_H
#define HD_TOPOLOGY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** For hdT_setTimeBase() and hdS_setTimeBase(): times are written as given. */
#define HD_TIME_AS_GIVEN INT64_MIN

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
 *         an invalid character, a negative number) or HD_ERR_MALLOC.
 */
hdTopology *hdT_createTopology(const char *project, const char **levels,
			       int nlevels);

/**
 * Destroy a topology.
 *
 * Nodes, traces and groups that were created from it remain usable.
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
 * @retval NULL Error; errno is HD_ERR_INVALID_ARGUMENT (NULL, an empty label or
 *         a label with an invalid character, a path with more labels than the
 *         topology has levels) or HD_ERR_MALLOC.
 */
hdTopoNode *hdT_createTopoNode(hdTopology *topology, const char **path,
			       int length);

/**
 * Destroy a topology node.
 *
 * Traces and groups that were created from it remain usable.
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
 * @param topology Topology to query.
 *
 * @return Number of levels, including the root (level 0).
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdT_getTopoDepth(const hdTopology *topology);

/**
 * Get the level of a node.
 *
 * @param node Node to query.
 *
 * @return The level; 0 is the root.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdT_getTopoNodeLevel(const hdTopoNode *node);

/**
 * Get the path of a node as a string: its labels joined with `_`, without the
 * project name, e.g. `host1_process1_thread1`. The path of the root is empty.
 *
 * @param node Node to query.
 *
 * @return The path, valid until the node is destroyed.
 * @retval NULL Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
const char *hdT_getTopoPathString(const hdTopoNode *node);

/**
 * Get one label on the path of a node.
 *
 * For the node `{ "host0", "process0", "thread0" }`, the label of level 2 is
 * "process0".
 *
 * @param node Node to query.
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
