/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Traces: states and events of one topology node.
 *
 * A state has a start and an end. It may contain attributes, child elements and
 * other states. An event happens at one point in time. Both are written as XML
 * elements to `PROJECT_LABEL1_LABEL2...trc`. A state is written when it ends.
 * (Thesis section 3.3.3; doc/format defines the layout of the file.)
 *
 *     hdTrace *trace = hdT_createTrace(node);
 *     hdT_logStateStart(trace, "Compute");
 *     hdT_logAttributeInt64(trace, "iteration", 7);
 *     ...
 *     hdT_logStateEnd(trace);
 *     hdT_finalize(trace);
 *
 * **Buffering.** Records go into a buffer, and a background thread of the
 * library writes the buffer to the file. The environment variables in
 * hdTopology.h control this. A call never waits for the disk while the buffer
 * has room.
 *
 * **Threads.** Only one thread at a time may use a trace, but threads may use
 * different traces concurrently.
 *
 * **File errors.** If a record cannot be written (the disk is full, or the
 * program has closed the file descriptor), one call returns -1 with
 * HD_ERR_WRITE_FILE. Later calls return 0, and their records count as lost. The
 * records before the error stay readable. hdT_finalize() reports the error
 * again.
 *
 * **Time.** Wall clock time in nanoseconds. Within a file, time never
 * decreases: if the clock steps back, the library repeats the last time and
 * counts this.
 *
 * **Text.** Attribute values are UTF-8 and may contain any character.
 * Characters that XML cannot express (control characters, invalid UTF-8) are
 * replaced by U+FFFD. Names of states, elements and attributes start with a
 * letter or `_`, followed by letters, digits, `_`, `.` and `-` (ASCII). The
 * format reserves some names: `Nested`, `Event` and `Program` for states,
 * `time` and `end` for attributes of states.
 */
#ifndef HD_TRACE_H
#define HD_TRACE_H

#include <stdint.h>
#include <time.h>

#include <hdError.h>
#include <hdTopology.h>

/* Strict C99 hides it in time.h. */
struct timespec;

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
/** Lets the compiler check printf arguments. */
#define HDT_PRINTF(format, arguments) \
	__attribute__((__format__(__printf__, format, arguments)))
#else
#define HDT_PRINTF(format, arguments)
#endif

/** A trace of events; see hdT_createTrace(). */
typedef struct _hdTrace hdTrace;

/**
 * Create a trace and its file. The trace is enabled.
 *
 * @param node Topology node that the trace belongs to; may be destroyed
 *        afterwards.
 *
 * @return The trace, to be ended with hdT_finalize().
 * @retval NULL Error; errno is HD_ERR_INVALID_ARGUMENT, HD_ERR_MALLOC,
 *         HD_ERR_GET_TIME, HD_ERR_CREATE_FILE (the file exists, or is
 *         being written, or the directory does not exist) or
 *         HD_ERR_WRITE_FILE.
 */
hdTrace *hdT_createTrace(hdTopoNode *node);

/**
 * Create a trace whose records may begin at an earlier time.
 *
 * This is for states that started before the trace existed, such as the
 * initialization of a traced library.
 *
 * @param node See hdT_createTrace().
 * @param when Time since 1970 (CLOCK_REALTIME).
 *
 * @return The trace, to be ended with hdT_finalize().
 * @retval NULL Error, as for hdT_createTrace(); HD_ERR_INVALID_ARGUMENT also if
 *         @p when is NULL or not a time from 1970 to 2106.
 */
hdTrace *hdT_createTraceAt(hdTopoNode *node, const struct timespec *when);

/**
 * Limit the nesting of recorded states.
 *
 * Deeper states and their contents are not recorded, but the library still
 * tracks their nesting. The limit applies to states that start after the call.
 *
 * The library never records states with a nesting above 990, because readers
 * reject files that are nested too deeply. States that exceed this limit count
 * as lost (hdT_getLosses()).
 *
 * @param trace Trace to change.
 * @param depth Maximum nesting of recorded states; 0 records only the outermost
 *        states.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT (NULL, negative depth).
 */
int hdT_setNestedDepth(hdTrace *trace, int depth);

/**
 * Pass each record to the operating system as soon as it is complete.
 *
 * This is slow and intended for debugging. The default is
 * `HDTRACE_FORCE_FLUSH`.
 *
 * @param trace Trace to change.
 * @param flag 0 disables this, any other value enables it.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdT_setForceFlush(hdTrace *trace, int flag);

/**
 * Enable recording.
 *
 * @param trace Trace to enable.
 *
 * @retval 1 The trace was already enabled.
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdT_enableTrace(hdTrace *trace);

/**
 * Disable recording.
 *
 * On a disabled trace, all calls return 0 and record nothing, but the library
 * still tracks the nesting of states. A state that started while the trace was
 * enabled is recorded with its correct end, even if the trace is disabled by
 * then.
 *
 * @param trace Trace to disable.
 *
 * @retval 1 The trace was already disabled.
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdT_disableTrace(hdTrace *trace);

/**
 * Check whether recording is enabled.
 *
 * @param trace Trace to query.
 *
 * @retval 1 Yes.
 * @retval 0 No, or the trace was inherited by fork().
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdT_isEnabled(const hdTrace *trace);

/**
 * Start a state, inside the current state if there is one.
 *
 * @param trace Trace to write to.
 * @param name Name of the state; copied.
 *
 * @retval 0 Success.
 * @retval -1 Error, and no state was started; errno is
 *         HD_ERR_INVALID_ARGUMENT (NULL, or not a name), HD_ERR_MALLOC,
 *         HD_ERR_GET_TIME or HD_ERR_WRITE_FILE (once; the nesting is tracked).
 */
int hdT_logStateStart(hdTrace *trace, const char *name);

/**
 * Say which clock the times are of that the functions ...At() get for a trace.
 *
 * Without this call they are of CLOCK_REALTIME as it is set at the call. The
 * times of a file do not follow a clock that is set: they continue from the
 * time at which the process began to record. So a time is converted by what the
 * clock was set by until the call.
 *
 * @param trace Trace to write to.
 * Called before the first record, it also applies to the time of
 * hdT_createTraceAt().
 *
 * @param base Times are CLOCK_BOOTTIME plus this number of nanoseconds, and go
 *        on evenly; or HD_TIME_AS_GIVEN: they are written as they are.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT: @p trace is NULL.
 */
int hdT_setTimeBase(hdTrace *trace, int64_t base);

/**
 * Start a state at a given time.
 *
 * Like hdT_logStateStart(), but the caller specifies the time.
 *
 * @param trace Trace to write to.
 * @param name Name of the state; copied.
 * @param when Time since 1970; see hdT_setTimeBase(). A time before the last
 * time in the trace is replaced by the last time and counted.
 *
 * @retval 0 Success.
 * @retval -1 Error, as for hdT_logStateStart(); HD_ERR_INVALID_ARGUMENT also if
 *         @p when is NULL or not a time from 1970 to 2106.
 */
int hdT_logStateStartAt(hdTrace *trace, const char *name,
			const struct timespec *when);

/**
 * End the current state.
 *
 * @param trace Trace to write to.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT, HD_ERR_INVALID_CONTEXT
 *         (no state is open), HD_ERR_MALLOC, HD_ERR_GET_TIME (the last time in
 *         the trace is used instead) or HD_ERR_WRITE_FILE (once). After the
 *         last three errors, the state has ended.
 */
int hdT_logStateEnd(hdTrace *trace);

/**
 * End the current state at a given time.
 *
 * @param trace Trace to write to.
 * @param when See hdT_logStateStartAt().
 *
 * @retval 0 Success.
 * @retval -1 Error, as for hdT_logStateEnd() and hdT_logStateStartAt().
 */
int hdT_logStateEndAt(hdTrace *trace, const struct timespec *when);

/**
 * Add attributes to the current state, formatted as by printf().
 *
 *     hdT_logAttributes(trace, "size='%d' toRank='%d'", size, rank);
 *
 * The formatted text must be a list of `key='value'` or `key="value"`. The
 * library escapes the values. A quote inside a value ends the value only if it
 * is followed by a blank and another `key=`, or by the end of the text. The
 * typed functions below are faster and avoid this ambiguity.
 *
 * @param trace Trace to write to.
 * @param format printf format, and its arguments.
 *
 * @retval 0 Success, or nothing is recorded at the moment.
 * @retval -1 Error, and none of the attributes was added; errno is
 *         HD_ERR_INVALID_ARGUMENT (NULL, not a valid list, or a name that is
 *         not allowed or already exists), HD_ERR_INVALID_CONTEXT (no state is
 *         open) or HD_ERR_MALLOC.
 */
int hdT_logAttributes(hdTrace *trace, const char *format, ...) HDT_PRINTF(2, 3);

/**
 * Add an integer attribute to the current state.
 *
 * @param trace Trace to write to.
 * @param key Name of the attribute; copied.
 * @param value Its value.
 *
 * @retval 0 Success, or nothing is recorded at the moment.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT (NULL, not a valid name,
 *         or it already exists), HD_ERR_INVALID_CONTEXT (no state is open) or
 *         HD_ERR_MALLOC.
 */
int hdT_logAttributeInt64(hdTrace *trace, const char *key, int64_t value);

/**
 * Add several integer attributes to the current state.
 *
 *     hdT_logAttributesInt64(trace, "size toRank",
 *                            (const int64_t[]){ size, rank });
 *
 * If a program repeats the same list, this is faster than one call for each
 * attribute, because a trace caches some lists.
 *
 * @param trace Trace to write to.
 * @param keys Names of the attributes, separated by single blanks; copied.
 * @param values Their values, one for each name.
 *
 * @retval 0 Success, or nothing is recorded at the moment.
 * @retval -1 Error, as for hdT_logAttributeInt64(), and none of the attributes
 *         was added.
 */
int hdT_logAttributesInt64(hdTrace *trace, const char *keys,
			   const int64_t *values);

/**
 * Add a floating point attribute to the current state.
 *
 * The value is written with the fewest digits that read back as the same
 * number. The decimal point is `.` in every locale; `NaN`, `INF` and `-INF` are
 * written as in XML Schema.
 *
 * @param trace Trace to write to.
 * @param key Name of the attribute; copied.
 * @param value Its value.
 *
 * @retval 0 Success, or nothing is recorded at the moment.
 * @retval -1 Error, as for hdT_logAttributeInt64().
 */
int hdT_logAttributeDouble(hdTrace *trace, const char *key, double value);

/**
 * Add a text attribute to the current state.
 *
 * @param trace Trace to write to.
 * @param key Name of the attribute; copied.
 * @param value Its value, of any length and content; copied and escaped.
 *
 * @retval 0 Success, or nothing is recorded at the moment.
 * @retval -1 Error, as for hdT_logAttributeInt64(), and
 *         HD_ERR_INVALID_ARGUMENT if @p value is NULL.
 */
int hdT_logAttributeString(hdTrace *trace, const char *key, const char *value);

/**
 * Add a child element to the current state.
 *
 *     hdT_logElement(trace, "Data", "offset='%ld' size='%ld'", offset, size);
 *
 * produces `<Data offset='0' size='4'/>` inside the element of the state.
 *
 * @param trace Trace to write to.
 * @param name Name of the element; copied.
 * @param format Its attributes, as in hdT_logAttributes(); may be NULL or "".
 *
 * @retval 0 Success, or nothing is recorded at the moment.
 * @retval -1 Error, as for hdT_logAttributes(); HD_ERR_INVALID_ARGUMENT also if
 *         @p name is not a valid name or is `Nested`.
 */
int hdT_logElement(hdTrace *trace, const char *name, const char *format, ...)
	HDT_PRINTF(3, 4);

/**
 * Add a child element with integer attributes to the current state.
 *
 * @param trace Trace to write to.
 * @param name Name of the element; copied.
 * @param keys Names of the attributes; see hdT_logAttributesInt64().
 * @param values Their values, one for each name.
 *
 * @retval 0 Success, or nothing is recorded at the moment.
 * @retval -1 Error, as for hdT_logElement().
 */
int hdT_logElementInt64(hdTrace *trace, const char *name, const char *keys,
			const int64_t *values);

/**
 * Record an event, which happens at one point in time.
 *
 * @param trace Trace to write to.
 * @param name Any text.
 *
 * @retval 0 Success, or the trace is disabled.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT (NULL), HD_ERR_MALLOC,
 *         HD_ERR_GET_TIME or HD_ERR_WRITE_FILE (once).
 */
int hdT_logEvent(hdTrace *trace, const char *name);

/**
 * Record an event at a given time.
 *
 * @param trace Trace to write to.
 * @param name Any text.
 * @param when See hdT_logStateStartAt().
 *
 * @retval 0 Success, or the trace is disabled.
 * @retval -1 Error, as for hdT_logEvent() and hdT_logStateStartAt().
 */
int hdT_logEventAt(hdTrace *trace, const char *name,
		   const struct timespec *when);

/**
 * Write a line for `hdtrace merge` into the `.info` file of the trace, even if
 * the trace is disabled.
 *
 * The first call creates the file. Names in a line must be escaped as in C
 * strings; doc/format defines the lines.
 *
 * @param trace Trace to write to.
 * @param format printf format and its arguments. The line must end with
 *        `\n`.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT, HD_ERR_MALLOC,
 *         HD_ERR_CREATE_FILE or HD_ERR_WRITE_FILE (once).
 */
int hdT_writeInfo(hdTrace *trace, const char *format, ...) HDT_PRINTF(2, 3);

/**
 * Pass all complete records to the operating system now.
 *
 * @param trace Trace to flush.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT or HD_ERR_WRITE_FILE.
 */
int hdT_flush(hdTrace *trace);

/**
 * Get the losses of a trace.
 *
 * @param trace Trace to query.
 * @param[out] losses The current numbers.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdT_getLosses(const hdTrace *trace, hdLosses *losses);

/**
 * Get the size of a trace so far, including what is not written yet; states
 * that are open do not count. Only the thread that uses the trace may call it.
 *
 * @param trace Trace to query.
 *
 * @return Number of bytes.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int64_t hdT_getSize(const hdTrace *trace);

/**
 * Get the size of the file of a trace so far, as hdT_getSize() does, but of a
 * compressed file after compression. What is not compressed yet, at most some
 * 256 KiB, counts as much as what was compressed before, on average; at first,
 * an eighth. Only the thread that uses the trace may call it.
 *
 * @param trace Trace to query.
 *
 * @return Number of bytes.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int64_t hdT_getFileSize(const hdTrace *trace);

/**
 * End a trace: close open states, write all data, close the file, and free the
 * trace.
 *
 * In a child process that inherited the trace by fork(), this function only
 * frees it.
 *
 * @param trace Trace to end; freed even on error.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT (NULL), HD_ERR_WRITE_FILE
 *         (some data could not be written, now or earlier) or
 *         HD_ERR_CLOSE_FILE.
 */
int hdT_finalize(hdTrace *trace);

#ifdef __cplusplus
}
#endif

#endif
