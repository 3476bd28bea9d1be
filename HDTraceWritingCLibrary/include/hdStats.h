/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Statistics: values that are measured repeatedly.
 *
 * A statistics group has a list of values. An entry contains one number (or
 * string) for each value, and the end time of its interval. Groups are written
 * to `PROJECT_LABEL1_..._GROUP.stat`, which contains a short XML header
 * followed by binary entries. (Thesis sections 3.2.3, 3.3.4 and A.1.2;
 * doc/format defines the layout of the file.)
 *
 *     hdStatsGroup *group = hdS_createGroup("Energy", node, 1);
 *     hdS_addValue(group, "P", FLOAT, "W", "Power");
 *     hdS_addValue(group, "E", DOUBLE, "J", NULL);
 *     hdS_commitGroup(group);
 *     hdS_enableGroup(group);      // the first interval starts now
 *     ...
 *     hdS_writeFloatValue(group, watts);
 *     hdS_writeDoubleValue(group, joules);    // completes the entry
 *     hdS_finalize(group);
 *
 * **Time of an entry.** The time of an entry is the end of its interval: the
 * time of the call that starts the entry, or the time that is passed to
 * hdS_setEntryTime() or hdS_writeEntryAt(). An entry covers the time since the
 * previous entry. Within a file, time never decreases: if the clock steps back,
 * the library repeats the last time and counts this.
 *
 * **Stop and restart.** `HDTRACE_GAPS` selects how a file represents a pause
 * during which the group was disabled. `marker` (default) is a gap record; the
 * next interval begins at the restart. `entry` is a filler entry at the restart
 * (NaN, 0 and "") for readers that do not support gaps. `none` adds the pause
 * to the next entry.
 *
 * **Buffering, threads, file errors**: see hdTrace.h.
 */
#ifndef HD_STATS_H
#define HD_STATS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <hdError.h>
#include <hdTopology.h>

/* Strict C99 hides it in time.h. */
struct timespec;

#ifdef __cplusplus
extern "C" {
#endif

/** Longest name of a group, after XML escaping, in bytes. */
#define HDS_MAX_GROUP_NAME_LENGTH 200
/** Longest name of a value, after XML escaping, in bytes. */
#define HDS_MAX_VALUE_NAME_LENGTH 1000
/** Longest unit, after XML escaping, in bytes. */
#define HDS_MAX_UNIT_NAME_LENGTH 1000
/** Longest grouping tag, after XML escaping, in bytes. */
#define HDS_MAX_GROUPING_NAME_LENGTH 1000
/** Upper limit of the length of a file header, in bytes. */
#define HDS_MAX_HEADER_LENGTH 100000
/** Longest string in an entry, in bytes. */
#define HDS_MAX_STRING_LENGTH 32767

/** Types of values. In the file, numbers are big-endian. */
typedef enum _hdStatsValueType {
	INT32,  /**< 32 bit integer. */
	INT64,  /**< 64 bit integer. */
	FLOAT,  /**< Single precision floating point; NaN means "no value". */
	DOUBLE, /**< Double precision floating point; NaN means "no value". */
	STRING  /**< Up to HDS_MAX_STRING_LENGTH bytes. */
} hdStatsValueType;

/** A statistics group; see hdS_createGroup(). */
typedef struct _hdStatsGroup hdStatsGroup;

/** Implementation of the order_bytes macros. */
static inline void hdS_orderBytes32(void *x)
{
	uint32_t v;
	unsigned char *b = (unsigned char *)x;

	memcpy(&v, x, sizeof(v));
	b[0] = (unsigned char)(v >> 24);
	b[1] = (unsigned char)(v >> 16);
	b[2] = (unsigned char)(v >> 8);
	b[3] = (unsigned char)v;
}

/** Implementation of the order_bytes macros. */
static inline void hdS_orderBytes64(void *x)
{
	uint64_t v;
	unsigned char *b = (unsigned char *)x;

	memcpy(&v, x, sizeof(v));
	/* Compilers turn these lines into one instruction. */
	b[0] = (unsigned char)(v >> 56);
	b[1] = (unsigned char)(v >> 48);
	b[2] = (unsigned char)(v >> 40);
	b[3] = (unsigned char)(v >> 32);
	b[4] = (unsigned char)(v >> 24);
	b[5] = (unsigned char)(v >> 16);
	b[6] = (unsigned char)(v >> 8);
	b[7] = (unsigned char)v;
}

/** Convert the 32 bit integer at @p x to network byte order, in place. */
#define order_bytes32ip(x) hdS_orderBytes32(x)
/** Convert the 64 bit integer at @p x to network byte order, in place. */
#define order_bytes64ip(x) hdS_orderBytes64(x)
/** Convert the float at @p x to network byte order, in place. */
#define order_bytes32fp(x) hdS_orderBytes32(x)
/** Convert the double at @p x to network byte order, in place. */
#define order_bytes64fp(x) hdS_orderBytes64(x)

/**
 * Create a statistics group and its file.
 *
 *     const char *path[] = { "host0", "process0" };
 *     hdTopoNode *node = hdT_createTopoNode(topology, path, 2);
 *     hdStatsGroup *group = hdS_createGroup("MyGroup", node, 1);
 *
 * creates `MyProject_host0_MyGroup.stat`.
 *
 * @param groupName Name of the group: a letter, then `A-Z a-z 0-9 . -`.
 * @param topoNode Topology node to use; may be destroyed afterwards.
 * @param topoLevel Level on the node's path that the group belongs to, from 0
 *        (the project) to the level of the node.
 *
 * @return The group, not committed and disabled.
 * @retval NULL Error; errno is HD_ERR_INVALID_ARGUMENT, HD_ERR_MALLOC,
 *         HD_ERR_BUFFER_OVERFLOW (the name is too long) or HD_ERR_CREATE_FILE
 *         (the file exists, or is being written, or the directory does not
 *         exist).
 */
hdStatsGroup *hdS_createGroup(const char *groupName, hdTopoNode *topoNode,
			      int topoLevel);

/**
 * Add a value to the structure of a group that is not committed.
 *
 * @param group Group to extend.
 * @param name Name of the value.
 * @param type Its type.
 * @param unit Its unit, e.g. "W", or NULL.
 * @param grouping Common tag of values that can be compared, or NULL.
 *
 * @retval 0 Success.
 * @retval -1 Error, and nothing was added; errno is HD_ERR_INVALID_ARGUMENT,
 *         HD_ERR_BUFFER_OVERFLOW (a text is too long), HD_ERR_MALLOC or
 *         HDS_ERR_GROUP_COMMIT_STATE (the group is committed).
 */
int hdS_addValue(hdStatsGroup *group, const char *name, hdStatsValueType type,
		 const char *unit, const char *grouping);

/**
 * Add an attribute to the description of the group or of its last value.
 *
 * Before the first hdS_addValue(), the attribute describes the group, otherwise
 * the last value that was added. Readers ignore unknown attributes.
 *
 *     hdS_addAttribute(group, "resolution", "10 ms");
 *     hdS_addAttribute(group, "kind", "delta");
 *
 * The kind of a value is `gauge` (a value during the interval), `counter` (the
 * reading of a growing counter) or `delta` (an amount since the previous
 * entry). Without this attribute, tools guess the kind.
 *
 * @param group Group to extend.
 * @param key Name of the attribute, which must not exist yet. The format
 *        reserves `name`, `type`, `unit`, `grouping`, `timestampDatatype`,
 *        `timeAdjustment` and `clock`.
 * @param value Its text.
 *
 * @retval 0 Success.
 * @retval -1 Error, as for hdS_addValue().
 */
int hdS_addAttribute(hdStatsGroup *group, const char *key, const char *value);

/**
 * Commit a group: write its header. Its structure is final after this call.
 *
 * The group stays disabled.
 *
 * @param group Group to commit.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT,
 *         HDS_ERR_GROUP_COMMIT_STATE (already committed),
 *         HD_ERR_BUFFER_OVERFLOW (the header is not shorter than
 *         HDS_MAX_HEADER_LENGTH), HD_ERR_MALLOC, HD_ERR_GET_TIME or
 *         HD_ERR_WRITE_FILE.
 */
int hdS_commitGroup(hdStatsGroup *group);

/**
 * Enable a group. The first interval starts now. Does not set errno.
 *
 * @param group Group to enable.
 *
 * @retval 1 It was already enabled.
 * @retval 0 Success.
 * @retval -1 Error: the group is not committed.
 * @retval -2 Error: @p group is NULL.
 */
int hdS_enableGroup(hdStatsGroup *group);

/**
 * Say which clock the times are of that hdS_enableGroupAt(), hdS_setEntryTime()
 * and hdS_writeEntryAt() get for a group; as hdT_setTimeBase() for a trace.
 *
 * @param group Group to write to.
 * @param base Times are CLOCK_BOOTTIME plus this number of nanoseconds, or
 *        HD_TIME_AS_GIVEN.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT: @p group is NULL.
 */
int hdS_setTimeBase(hdStatsGroup *group, int64_t base);

/**
 * Enable a group; its first interval starts at a given time.
 *
 * @param group Group to enable.
 * @param when Start of the first interval since 1970; see hdS_setTimeBase().
 *
 * @return See hdS_enableGroup().
 * @retval -3 Error: @p when is NULL or not a time from 1970 to 2106.
 */
int hdS_enableGroupAt(hdStatsGroup *group, const struct timespec *when);

/**
 * Disable a group. Does not set errno, so it can be used to handle errors.
 *
 * The values of an incomplete entry are dropped.
 *
 * @param group Group to disable.
 *
 * @retval 1 It was already disabled.
 * @retval 0 Success.
 * @retval -1 Error: the group is not committed.
 * @retval -2 Error: @p group is NULL.
 */
int hdS_disableGroup(hdStatsGroup *group);

/**
 * Check whether a group is enabled. Does not set errno.
 *
 * @param group Group to query.
 *
 * @retval 1 Yes.
 * @retval 0 No, or the group was inherited by fork().
 * @retval -1 Error: the group is not committed.
 * @retval -2 Error: @p group is NULL.
 */
int hdS_isEnabled(const hdStatsGroup *group);

/**
 * Set the time of the next entry that is written value by value.
 *
 * This is for values that are measured before they are written, such as the
 * readings of a meter.
 *
 * @param group Group to use.
 * @param when End of the interval since 1970. A time before the last time in
 *        the file is replaced by the last time and counted.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT (NULL, or not a time from
 *         1970 to 2106), HD_ERR_TRACE_DISABLED, HDS_ERR_GROUP_COMMIT_STATE or
 *         HDS_ERR_ENTRY_STATE (an entry has been started).
 */
int hdS_setEntryTime(hdStatsGroup *group, const struct timespec *when);

/**
 * Write a complete entry.
 *
 * The values must be in network byte order and without padding. A string
 * consists of its length in two bytes, followed by its bytes. The function
 * checks only the length of the entry.
 *
 * @param group Group to write to.
 * @param entry The values.
 * @param entryLength Length in bytes.
 *
 * @retval 0 Success.
 * @retval -1 Error, and nothing was written; errno is HD_ERR_INVALID_ARGUMENT,
 *         HD_ERR_TRACE_DISABLED, HDS_ERR_GROUP_COMMIT_STATE,
 *         HDS_ERR_UNEXPECTED_ARGVALUE (wrong length), HDS_ERR_ENTRY_STATE (an
 *         entry has been started), HD_ERR_GET_TIME or HD_ERR_WRITE_FILE (once).
 */
int hdS_writeEntry(hdStatsGroup *group, void *entry, size_t entryLength);

/**
 * Write a complete entry that was measured at a given time.
 *
 * @param group Group to write to.
 * @param entry See hdS_writeEntry().
 * @param entryLength Length in bytes.
 * @param when See hdS_setEntryTime().
 *
 * @retval 0 Success.
 * @retval -1 Error, as for hdS_writeEntry() and hdS_setEntryTime().
 */
int hdS_writeEntryAt(hdStatsGroup *group, const void *entry, size_t entryLength,
		     const struct timespec *when);

/**
 * Write the next value of the current entry. The last value completes it.
 *
 * @param group Group to write to.
 * @param value The value. The group must expect type INT32 next.
 *
 * @retval 0 Success.
 * @retval -1 Error, and nothing was written; errno is HD_ERR_INVALID_ARGUMENT,
 *         HD_ERR_TRACE_DISABLED, HDS_ERR_GROUP_COMMIT_STATE,
 *         HDS_ERR_ENTRY_STATE (the next value is of another type),
 *         HD_ERR_GET_TIME or HD_ERR_WRITE_FILE (once; the entry is lost).
 */
int hdS_writeInt32Value(hdStatsGroup *group, int32_t value);

/**
 * Write the next value of the current entry. The last value completes it.
 *
 * @param group Group to write to.
 * @param value The value. The group must expect type INT64 next.
 *
 * @retval 0 Success.
 * @retval -1 Error, as for hdS_writeInt32Value().
 */
int hdS_writeInt64Value(hdStatsGroup *group, int64_t value);

/**
 * Write the next value of the current entry. The last value completes it.
 *
 * @param group Group to write to.
 * @param value The value. The group must expect type FLOAT next.
 *
 * @retval 0 Success.
 * @retval -1 Error, as for hdS_writeInt32Value().
 */
int hdS_writeFloatValue(hdStatsGroup *group, float value);

/**
 * Write the next value of the current entry. The last value completes it.
 *
 * @param group Group to write to.
 * @param value The value. The group must expect type DOUBLE next.
 *
 * @retval 0 Success.
 * @retval -1 Error, as for hdS_writeInt32Value().
 */
int hdS_writeDoubleValue(hdStatsGroup *group, double value);

/**
 * Write the next value of the current entry. The last value completes it.
 *
 * @param group Group to write to.
 * @param str The string; it may contain any bytes. The group must expect type
 *        STRING next.
 *
 * @retval 0 Success.
 * @retval -1 Error, as for hdS_writeInt32Value(), or HD_ERR_MALLOC;
 *         HD_ERR_INVALID_ARGUMENT also if @p str is NULL or longer than
 *         HDS_MAX_STRING_LENGTH.
 */
int hdS_writeString(hdStatsGroup *group, const char *str);

/**
 * Pass all complete entries to the operating system now.
 *
 * @param group Group to flush.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT,
 *         HDS_ERR_GROUP_COMMIT_STATE or HD_ERR_WRITE_FILE.
 */
int hdS_flush(hdStatsGroup *group);

/**
 * Get the losses of a group.
 *
 * @param group Group to query.
 * @param[out] losses The current numbers.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdS_getLosses(const hdStatsGroup *group, hdLosses *losses);

/**
 * End a group: write all data, close the file, and free the group.
 *
 * In a child process that inherited the group by fork(), this function only
 * frees it. An incomplete entry is dropped.
 *
 * @param group Group to end; freed even on error.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT (NULL),
 *         HDS_ERR_GROUP_COMMIT_STATE (it was not committed; its empty file is
 *         removed), HD_ERR_WRITE_FILE (some data could not be written, now or
 *         earlier) or HD_ERR_CLOSE_FILE.
 */
int hdS_finalize(hdStatsGroup *group);

/* ---- Gauges ------------------------------------------------------------ */

/**
 * The number of pending operations in a layer of a program. A gauge is a group
 * that is written when a thread changes this number.
 *
 *     hdS_gauge *disk = hdS_gaugeCreate("DISK", node, 1, 0);
 *
 *     hdS_gaugeAdd(disk, 1, 0);        // an operation begins
 *     done = pwrite(...);
 *     hdS_gaugeAdd(disk, -1, done);    // it has ended, with its bytes
 *
 * The group has the values `Pending` (a gauge, which begins at 0) and `Bytes`
 * (an amount). An entry covers the time before its time stamp. At a change, the
 * library writes the number before the change. The last number is written when
 * the gauge is flushed, disabled or finalized. While there is no entry, the
 * number did not change.
 *
 * **Threads.** Any thread may call hdS_gaugeAdd() at any time without a lock.
 * Changes are ordered by their time stamps. No thread may use a gauge while it
 * is finalized. Signal handlers must not call these functions.
 *
 * **Losses.** If a buffer is full, a gauge waits, even if `HDTRACE_ON_FULL` is
 * `drop`. Changes are never lost. After a file error (see hdTrace.h), nothing
 * more is written.
 */
typedef struct _hdS_gauge hdS_gauge;

/**
 * Create a gauge and its file, and enable it.
 *
 * @param layer Name of the group; see hdS_createGroup().
 * @param topoNode See hdS_createGroup().
 * @param topoLevel See hdS_createGroup().
 * @param interval 0: every change is written. Otherwise the minimum time
 *        between two entries, in ns; an entry is written at a change. It
 *        contains the exact mean over its interval (`Pending`), the minimum and
 *        maximum (`PendingMin`, `PendingMax`), and the sum of the bytes.
 *
 * @return The gauge, to be ended with hdS_gaugeFinalize().
 * @retval NULL Error, as for hdS_createGroup() and hdS_commitGroup();
 *         HD_ERR_INVALID_ARGUMENT also if @p interval is negative.
 */
hdS_gauge *hdS_gaugeCreate(const char *layer, hdTopoNode *topoNode,
			   int topoLevel, int64_t interval);

/**
 * Change the number of pending operations.
 *
 * A failed or immediately completed operation must be subtracted like any
 * other. A negative number means that the program subtracted an operation
 * twice, or never added it. It is recorded unchanged, counted
 * (hdS_gaugeNegatives()), and reported once in a log line.
 *
 * @param gauge Gauge; NULL does nothing.
 * @param change Change of the number; may be 0.
 * @param bytes Bytes to add to the interval that ends now.
 *
 * @retval 0 Success, or the gauge is disabled; the number is tracked.
 * @retval -1 Error, or NULL (errno is not changed); the number is tracked.
 *         errno is HD_ERR_GET_TIME (the last time is used), HD_ERR_WRITE_FILE
 *         (once) or, in a child of fork(), HD_ERR_TRACE_DISABLED.
 */
int hdS_gaugeAdd(hdS_gauge *gauge, int64_t change, int64_t bytes);

/**
 * Write the current number, and pass all entries to the operating system.
 *
 * @param gauge Gauge to flush.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT, HD_ERR_GET_TIME or
 *         HD_ERR_WRITE_FILE.
 */
int hdS_gaugeFlush(hdS_gauge *gauge);

/**
 * Stop recording. The current number is written; the library still tracks
 * changes.
 *
 * @param gauge Gauge to disable.
 *
 * @retval 1 It was already disabled.
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdS_gaugeDisable(hdS_gauge *gauge);

/**
 * Resume recording, starting with the current number. The pause is a gap.
 *
 * @param gauge Gauge to enable.
 *
 * @retval 1 It was already enabled.
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdS_gaugeEnable(hdS_gauge *gauge);

/**
 * Get the number of pending operations.
 *
 * @param gauge Gauge to query; NULL returns 0.
 *
 * @return The number.
 */
int64_t hdS_gaugeValue(hdS_gauge *gauge);

/**
 * Get how often the number of pending operations became negative.
 *
 * @param gauge Gauge to query; NULL returns 0.
 *
 * @return The count.
 */
uint64_t hdS_gaugeNegatives(hdS_gauge *gauge);

/**
 * Get the losses of a gauge after a file error.
 *
 * @param gauge Gauge to query.
 * @param[out] losses See hdS_getLosses().
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdS_gaugeLosses(hdS_gauge *gauge, hdLosses *losses);

/**
 * End a gauge: write the current number, close its file and free it.
 *
 * @param gauge Gauge to end; freed even on error.
 *
 * @retval 0 Success.
 * @retval -1 Error, as for hdS_finalize().
 */
int hdS_gaugeFinalize(hdS_gauge *gauge);

#ifdef __cplusplus
}
#endif

#endif
