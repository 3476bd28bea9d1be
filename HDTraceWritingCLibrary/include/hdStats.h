/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Statistics: values that are measured again and again.
 *
 * A statistics group has a list of values; an entry has one number (or
 * string) for each of them and the time at which its interval ended. Groups go
 * into `PROJECT_LABEL1_..._GROUP.stat`, a short XML header and then binary
 * entries. (Thesis sections 3.2.3, 3.3.4 and A.1.2; the layout of the file is
 * in doc/format.)
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
 * **Time of an entry.** The end of the interval that it describes: the time of
 * the call that starts the entry, or the time given with hdS_setEntryTime() or
 * hdS_writeEntryAt(). An entry covers the time since the entry before it.
 * Within a file time never decreases: where the clock steps back the last
 * time is repeated, and counted.
 *
 * **Stopped and started again.** `HDTRACE_GAPS` says what is written where a
 * group was disabled for a while: `marker` (default) a gap record that makes
 * the next interval begin at the restart; `entry` a filler entry at the
 * restart (NaN, 0 and "") for readers that do not know gaps; `none` nothing,
 * so that the pause is charged to the next entry.
 *
 * **Buffering, threads, errors of the file**: as in hdTrace.h.
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
/** The header of a file is shorter than this, in bytes. */
#define HDS_MAX_HEADER_LENGTH 100000
/** Longest string in an entry, in bytes. */
#define HDS_MAX_STRING_LENGTH 32767

/** Types of values. In the file all are big endian. */
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
	/* Spelled out, compilers make one instruction of it. */
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
 * @param grouping Tag that values to be compared have in common, or NULL.
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
 * Before the first hdS_addValue() it describes the group, then the value added
 * last. Readers that do not know the attribute ignore it.
 *
 *     hdS_addAttribute(group, "resolution", "10 ms");
 *     hdS_addAttribute(group, "kind", "delta");
 *
 * A value's kind is `gauge` (what holds for a while), `counter` (what a counter
 * that grows shows) or `delta` (an amount since the entry before); tools guess
 * it where it is not given.
 *
 * @param group Group to extend.
 * @param key Name of the attribute; not one that the format uses (`name`,
 *        `type`, `unit`, `grouping`, `timestampDatatype`, `timeAdjustment`,
 *        `clock`) and not given before.
 * @param value Its text.
 *
 * @retval 0 Success.
 * @retval -1 Error as of hdS_addValue().
 */
int hdS_addAttribute(hdStatsGroup *group, const char *key, const char *value);

/**
 * Commit a group: write its header; its structure is final.
 *
 * The group stays disabled.
 *
 * @param group Group to commit.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT,
 *         HDS_ERR_GROUP_COMMIT_STATE (it is committed already),
 *         HD_ERR_BUFFER_OVERFLOW (the header is not below
 *         HDS_MAX_HEADER_LENGTH), HD_ERR_MALLOC, HD_ERR_GET_TIME or
 *         HD_ERR_WRITE_FILE.
 */
int hdS_commitGroup(hdStatsGroup *group);

/**
 * Enable a group. The first interval starts now. Does not set errno.
 *
 * @param group Group to enable.
 *
 * @retval 1 It was enabled already.
 * @retval 0 It is enabled now.
 * @retval -1 Error: the group is not committed.
 * @retval -2 Error: @p group is NULL.
 */
int hdS_enableGroup(hdStatsGroup *group);

/**
 * Enable a group; its first interval starts at a given time.
 *
 * @param group Group to enable.
 * @param when Start of the first interval since 1970.
 *
 * @return As of hdS_enableGroup().
 * @retval -3 Error: @p when is NULL or not a time from 1970 to 2106.
 */
int hdS_enableGroupAt(hdStatsGroup *group, const struct timespec *when);

/**
 * Disable a group. Does not set errno, to be usable as reaction to errors.
 *
 * The values of an entry that is not complete are dropped.
 *
 * @param group Group to disable.
 *
 * @retval 1 It was disabled already.
 * @retval 0 It is disabled now.
 * @retval -1 Error: the group is not committed.
 * @retval -2 Error: @p group is NULL.
 */
int hdS_disableGroup(hdStatsGroup *group);

/**
 * Tell whether a group is enabled. Does not set errno.
 *
 * @param group Group to ask.
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
 * For values that were measured before they are written: a meter needs it.
 *
 * @param group Group to use.
 * @param when End of the interval since 1970. A time before the last one
 *        in the file is replaced by that one, and counted.
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
 * The values must be in network byte order and without padding, strings as two
 * bytes of length and the bytes; only the length of the entry is checked.
 *
 * @param group Group to write to.
 * @param entry The values.
 * @param entryLength Length in bytes.
 *
 * @retval 0 Success.
 * @retval -1 Error, and nothing was written; errno is HD_ERR_INVALID_ARGUMENT,
 *         HD_ERR_TRACE_DISABLED, HDS_ERR_GROUP_COMMIT_STATE,
 *         HDS_ERR_UNEXPECTED_ARGVALUE (the length does not fit),
 *         HDS_ERR_ENTRY_STATE (an entry has been started), HD_ERR_GET_TIME or
 *         HD_ERR_WRITE_FILE (once).
 */
int hdS_writeEntry(hdStatsGroup *group, void *entry, size_t entryLength);

/**
 * Write a complete entry that was measured at a given time.
 *
 * @param group Group to write to.
 * @param entry As of hdS_writeEntry().
 * @param entryLength Length in bytes.
 * @param when As of hdS_setEntryTime().
 *
 * @retval 0 Success.
 * @retval -1 Error as of hdS_writeEntry() and hdS_setEntryTime().
 */
int hdS_writeEntryAt(hdStatsGroup *group, const void *entry, size_t entryLength,
		     const struct timespec *when);

/**
 * Write the next value of the current entry; the last one completes it.
 *
 * @param group Group to write to.
 * @param value Value to write; the next one must be of type INT32.
 *
 * @retval 0 Success.
 * @retval -1 Error, and nothing was written; errno is HD_ERR_INVALID_ARGUMENT,
 *         HD_ERR_TRACE_DISABLED, HDS_ERR_GROUP_COMMIT_STATE,
 *         HDS_ERR_ENTRY_STATE (the next value is of another type),
 *         HD_ERR_GET_TIME or HD_ERR_WRITE_FILE (once; the entry is lost).
 */
int hdS_writeInt32Value(hdStatsGroup *group, int32_t value);

/**
 * Write the next value of the current entry; the last one completes it.
 *
 * @param group Group to write to.
 * @param value Value to write; the next one must be of type INT64.
 *
 * @retval 0 Success.
 * @retval -1 Error as of hdS_writeInt32Value().
 */
int hdS_writeInt64Value(hdStatsGroup *group, int64_t value);

/**
 * Write the next value of the current entry; the last one completes it.
 *
 * @param group Group to write to.
 * @param value Value to write; the next one must be of type FLOAT.
 *
 * @retval 0 Success.
 * @retval -1 Error as of hdS_writeInt32Value().
 */
int hdS_writeFloatValue(hdStatsGroup *group, float value);

/**
 * Write the next value of the current entry; the last one completes it.
 *
 * @param group Group to write to.
 * @param value Value to write; the next one must be of type DOUBLE.
 *
 * @retval 0 Success.
 * @retval -1 Error as of hdS_writeInt32Value().
 */
int hdS_writeDoubleValue(hdStatsGroup *group, double value);

/**
 * Write the next value of the current entry; the last one completes it.
 *
 * @param group Group to write to.
 * @param str String to write; the next value must be of type STRING. Any bytes.
 *
 * @retval 0 Success.
 * @retval -1 Error as of hdS_writeInt32Value(), HD_ERR_MALLOC, and
 *         HD_ERR_INVALID_ARGUMENT also if @p str is NULL or longer than
 *         HDS_MAX_STRING_LENGTH.
 */
int hdS_writeString(hdStatsGroup *group, const char *str);

/**
 * Hand every complete entry to the system, now.
 *
 * @param group Group to flush.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT,
 *         HDS_ERR_GROUP_COMMIT_STATE or HD_ERR_WRITE_FILE.
 */
int hdS_flush(hdStatsGroup *group);

/**
 * Get what the group could not record as it was asked to.
 *
 * @param group Group to ask.
 * @param[out] losses The numbers so far.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdS_getLosses(const hdStatsGroup *group, hdLosses *losses);

/**
 * End a group: write everything, close and free it.
 *
 * In a child process that inherited the group by fork(): free it. An entry
 * that is not complete is dropped.
 *
 * @param group Group to end; freed whatever is returned.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT (NULL),
 *         HDS_ERR_GROUP_COMMIT_STATE (it was not committed; its empty file is
 *         removed), HD_ERR_WRITE_FILE (something could not be written, now or
 *         before) or HD_ERR_CLOSE_FILE.
 */
int hdS_finalize(hdStatsGroup *group);

/* ---- Gauges ------------------------------------------------------------ */

/**
 * How many operations are pending in a layer of a program: a group that is
 * written when that changes, by any thread.
 *
 *     hdS_gauge *disk = hdS_gaugeCreate("DISK", node, 1, 0);
 *
 *     hdS_gaugeAdd(disk, 1, 0);        // an operation begins
 *     done = pwrite(...);
 *     hdS_gaugeAdd(disk, -1, done);    // it has ended, with so many bytes
 *
 * The group has the values `Pending` (a gauge, which begins at 0) and `Bytes`
 * (an amount). An entry covers the time before its stamp, so at a change the
 * number that held until then is written; the last one is written when the
 * gauge is flushed, disabled or finalized. Where nothing is written the number
 * did not change.
 *
 * **Threads.** Any thread may call hdS_gaugeAdd() at any time, without a lock
 * of the caller's; changes have the order of their stamps. Nobody may use a
 * gauge while it is finalized. Not to be called by signal handlers.
 *
 * **Losses.** No change is left out where buffers are full, whatever
 * `HDTRACE_ON_FULL` says: a gauge waits. After an error of the file (as in
 * hdTrace.h) nothing more is written.
 */
typedef struct _hdS_gauge hdS_gauge;

/**
 * Create a gauge and its file, and enable it.
 *
 * @param layer Name of the group, as of hdS_createGroup().
 * @param topoNode As of hdS_createGroup().
 * @param topoLevel As of hdS_createGroup().
 * @param interval 0: every change is written. Else there is an entry after so
 *        many nanoseconds at the earliest, at a change, and it has of its
 *        interval the mean over time (`Pending`, exact), the lowest and the
 *        highest number (`PendingMin`, `PendingMax`), and the sum of the bytes.
 *
 * @return The gauge, to be ended with hdS_gaugeFinalize().
 * @retval NULL Error as of hdS_createGroup() and hdS_commitGroup();
 *         HD_ERR_INVALID_ARGUMENT also if @p interval is negative.
 */
hdS_gauge *hdS_gaugeCreate(const char *layer, hdTopoNode *topoNode,
			   int topoLevel, int64_t interval);

/**
 * Change the number of pending operations.
 *
 * A post that fails, or completes at once, must be taken back like any other. A
 * number below 0 means that the program has not done so, or twice; it is
 * recorded as it is, counted (hdS_gaugeNegatives()), and said once in a
 * log line.
 *
 * @param gauge Gauge; NULL does nothing.
 * @param change What to add to the number; may be 0.
 * @param bytes What to add to the bytes of the interval that ends now.
 *
 * @retval 0 Success, or the gauge is disabled: the number is followed.
 * @retval -1 Error, or NULL (errno is not touched); the number is followed.
 *         errno is HD_ERR_GET_TIME (the last time is taken), HD_ERR_WRITE_FILE
 *         (once) or, in a child of fork(), HD_ERR_TRACE_DISABLED.
 */
int hdS_gaugeAdd(hdS_gauge *gauge, int64_t change, int64_t bytes);

/**
 * Write what holds until now, and hand everything to the system.
 *
 * @param gauge Gauge to flush.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT, HD_ERR_GET_TIME or
 *         HD_ERR_WRITE_FILE.
 */
int hdS_gaugeFlush(hdS_gauge *gauge);

/**
 * Stop recording. What holds until now is written; the number is followed.
 *
 * @param gauge Gauge to disable.
 *
 * @retval 1 It was disabled already.
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdS_gaugeDisable(hdS_gauge *gauge);

/**
 * Record again, from the number that holds now. What was before is a gap.
 *
 * @param gauge Gauge to enable.
 *
 * @retval 1 It was enabled already.
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdS_gaugeEnable(hdS_gauge *gauge);

/**
 * Get the number of pending operations.
 *
 * @param gauge Gauge to ask; NULL gives 0.
 *
 * @return The number.
 */
int64_t hdS_gaugeValue(hdS_gauge *gauge);

/**
 * Get how often the number has become negative.
 *
 * @param gauge Gauge to ask; NULL gives 0.
 *
 * @return How often it went below 0.
 */
uint64_t hdS_gaugeNegatives(hdS_gauge *gauge);

/**
 * Get what the gauge could not record, after its file failed.
 *
 * @param gauge Gauge to ask.
 * @param[out] losses As of hdS_getLosses().
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdS_gaugeLosses(hdS_gauge *gauge, hdLosses *losses);

/**
 * End a gauge: write what holds until now, close its file and free it.
 *
 * @param gauge Gauge to end; freed whatever is returned.
 *
 * @retval 0 Success.
 * @retval -1 Error as of hdS_finalize().
 */
int hdS_gaugeFinalize(hdS_gauge *gauge);

#ifdef __cplusplus
}
#endif

#endif
