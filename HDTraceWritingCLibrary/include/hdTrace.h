/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Traces: states and events of one topology node.
 *
 * A state has a start and an end and may hold attributes, child elements and
 * other states; an event is a moment. Both are written as XML elements into
 * `PROJECT_LABEL1_LABEL2...trc`, a state when it ends. (Thesis section 3.3.3;
 * the layout of the file is in doc/format.)
 *
 *     hdTrace *trace = hdT_createTrace(node);
 *     hdT_logStateStart(trace, "Compute");
 *     hdT_logAttributeInt64(trace, "iteration", 7);
 *     ...
 *     hdT_logStateEnd(trace);
 *     hdT_finalize(trace);
 *
 * **Buffering.** Records go to a buffer which a background thread of the
 * library writes to the file; see the environment variables in hdTopology.h.
 * A call never waits for the disk while there is room in the buffer.
 *
 * **Threads.** A trace belongs to one thread at a time; different traces need
 * no coordination.
 *
 * **Errors of the file.** When a record cannot be written (disk full, or the
 * program has closed the descriptor of the file), one call returns -1 with
 * HD_ERR_WRITE_FILE; later records are counted as lost, their calls return 0.
 * What was written stays readable. hdT_finalize() reports the error again.
 *
 * **Time.** Wall clock in nanoseconds. Within a file it never decreases: where
 * the clock steps back the last time is repeated, and counted.
 *
 * **Text.** Attribute values are UTF-8 and may hold any character; what XML
 * cannot express (control characters, bytes that are not UTF-8) is replaced by
 * U+FFFD. Names of states, elements and attributes start with a letter or `_`
 * and go on with letters, digits, `_`, `.` and `-` (ASCII). States must not be
 * called `Nested`, `Event` or `Program`, attributes of states not `time` or
 * `end`: the format uses these.
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
 * Create a trace whose first record may be from a given time on.
 *
 * For what began before the trace could be created: the initialization of a
 * library that is traced.
 *
 * @param node As of hdT_createTrace().
 * @param when Time since 1970 (CLOCK_REALTIME).
 *
 * @return The trace, to be ended with hdT_finalize().
 * @retval NULL Error as of hdT_createTrace(); HD_ERR_INVALID_ARGUMENT also if
 *         @p when is NULL or not a time from 1970 to 2106.
 */
hdTrace *hdT_createTraceAt(hdTopoNode *node, const struct timespec *when);

/**
 * Limit how deeply nested states are recorded.
 *
 * Deeper states, and what is logged in them, are not recorded; their nesting
 * is still followed. Applies to states that start after the call.
 *
 * No state deeper than 990 is ever recorded, since readers refuse files that
 * are nested too deeply; where this is the limit, what is left out counts as
 * lost (hdT_getLosses()).
 *
 * @param trace Trace to change.
 * @param depth Nesting of the deepest states to record; 0 is the outermost
 * only.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT (NULL, negative depth).
 */
int hdT_setNestedDepth(hdTrace *trace, int depth);

/**
 * Hand every record to the system as soon as it is complete.
 *
 * Slow; for debugging. The default is `HDTRACE_FORCE_FLUSH`.
 *
 * @param trace Trace to change.
 * @param flag 0 no, other values yes.
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
 * @retval 1 It was enabled already.
 * @retval 0 It is enabled now.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdT_enableTrace(hdTrace *trace);

/**
 * Disable recording.
 *
 * What is called on a disabled trace returns 0 and records nothing, but the
 * nesting of states is followed. A state that started while the trace was
 * enabled is recorded with its true end, even if that comes while the trace is
 * disabled.
 *
 * @param trace Trace to disable.
 *
 * @retval 1 It was disabled already.
 * @retval 0 It is disabled now.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdT_disableTrace(hdTrace *trace);

/**
 * Tell whether recording is enabled.
 *
 * @param trace Trace to ask.
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
 *         HD_ERR_GET_TIME or HD_ERR_WRITE_FILE (once; the nesting is followed).
 */
int hdT_logStateStart(hdTrace *trace, const char *name);

/**
 * Start a state at a given time.
 *
 * As hdT_logStateStart(), but with a time of the caller's instead of the time
 * of the call.
 *
 * @param trace Trace to write to.
 * @param name Name of the state; copied.
 * @param when Time since 1970 (CLOCK_REALTIME). A time before the last one
 *        in the trace is replaced by that one, and counted.
 *
 * @retval 0 Success.
 * @retval -1 Error as of hdT_logStateStart(); HD_ERR_INVALID_ARGUMENT also if
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
 *         (no state is open), HD_ERR_MALLOC, HD_ERR_GET_TIME (the last time
 *         in the trace is used instead) or HD_ERR_WRITE_FILE (once). After the
 *         last three the state is ended.
 */
int hdT_logStateEnd(hdTrace *trace);

/**
 * End the current state at a given time.
 *
 * @param trace Trace to write to.
 * @param when As of hdT_logStateStartAt().
 *
 * @retval 0 Success.
 * @retval -1 Error as of hdT_logStateEnd() and hdT_logStateStartAt().
 */
int hdT_logStateEndAt(hdTrace *trace, const struct timespec *when);

/**
 * Add attributes to the current state, printf form.
 *
 *     hdT_logAttributes(trace, "size='%d' toRank='%d'", size, rank);
 *
 * The formatted text must be a list of `key='value'` or `key="value"`. Values
 * are escaped; a quote inside a value ends it only where a blank and another
 * `key=` or the end of the text follows. The typed functions below are faster
 * and have no such pitfalls.
 *
 * @param trace Trace to write to.
 * @param format printf format, and its arguments.
 *
 * @retval 0 Success, or nothing is recorded at the moment.
 * @retval -1 Error, and none of the attributes was added; errno is
 *         HD_ERR_INVALID_ARGUMENT (NULL, not such a list, a name that is not
 *         allowed or was given before), HD_ERR_INVALID_CONTEXT (no state is
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
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT (NULL, not a name, or
 *         given before), HD_ERR_INVALID_CONTEXT (no state is open) or
 *         HD_ERR_MALLOC.
 */
int hdT_logAttributeInt64(hdTrace *trace, const char *key, int64_t value);

/**
 * Add several integer attributes to the current state.
 *
 *     hdT_logAttributesInt64(trace, "size toRank",
 *                            (const int64_t[]){ size, rank });
 *
 * Faster than one after the other, where the same list is given again and
 * again: a trace remembers some.
 *
 * @param trace Trace to write to.
 * @param keys Names of the attributes, with one blank between them; copied.
 * @param values Their values, as many.
 *
 * @retval 0 Success, or nothing is recorded at the moment.
 * @retval -1 Error as of hdT_logAttributeInt64(), and none of the attributes
 *         was added.
 */
int hdT_logAttributesInt64(hdTrace *trace, const char *keys,
			   const int64_t *values);

/**
 * Add a floating point attribute to the current state.
 *
 * Written with as few digits as read back to the same value, `.` as decimal
 * point whatever the locale; `NaN`, `INF` and `-INF` as in XML Schema.
 *
 * @param trace Trace to write to.
 * @param key Name of the attribute; copied.
 * @param value Its value.
 *
 * @retval 0 Success, or nothing is recorded at the moment.
 * @retval -1 Error as of hdT_logAttributeInt64().
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
 * @retval -1 Error as of hdT_logAttributeInt64(), and
 *         HD_ERR_INVALID_ARGUMENT if @p value is NULL.
 */
int hdT_logAttributeString(hdTrace *trace, const char *key, const char *value);

/**
 * Add a child element to the current state.
 *
 *     hdT_logElement(trace, "Data", "offset='%ld' size='%ld'", offset, size);
 *
 * gives `<Data offset='0' size='4'/>` inside the state's element.
 *
 * @param trace Trace to write to.
 * @param name Name of the element; copied.
 * @param format Its attributes, as of hdT_logAttributes(); may be NULL or "".
 *
 * @retval 0 Success, or nothing is recorded at the moment.
 * @retval -1 Error as of hdT_logAttributes(); HD_ERR_INVALID_ARGUMENT also if
 *         @p name is not a name or is `Nested`.
 */
int hdT_logElement(hdTrace *trace, const char *name, const char *format, ...)
	HDT_PRINTF(3, 4);

/**
 * Add a child element with integer attributes to the current state.
 *
 * @param trace Trace to write to.
 * @param name Name of the element; copied.
 * @param keys Names of the attributes, as of hdT_logAttributesInt64().
 * @param values Their values, as many.
 *
 * @retval 0 Success, or nothing is recorded at the moment.
 * @retval -1 Error as of hdT_logElement().
 */
int hdT_logElementInt64(hdTrace *trace, const char *name, const char *keys,
			const int64_t *values);

/**
 * Record an event: something that happens at a moment.
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
 * @param when As of hdT_logStateStartAt().
 *
 * @retval 0 Success, or the trace is disabled.
 * @retval -1 Error as of hdT_logEvent() and hdT_logStateStartAt().
 */
int hdT_logEventAt(hdTrace *trace, const char *name,
		   const struct timespec *when);

/**
 * Write a line for the merger into the `.info` file of the trace, whether the
 * trace is enabled or not.
 *
 * The file is created by the first call. Escape names in it as in C strings;
 * what lines mean is in doc/format.
 *
 * @param trace Trace to write to.
 * @param format printf format, and its arguments. Give the `\n` at the end of
 *        the line.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT, HD_ERR_MALLOC,
 *         HD_ERR_CREATE_FILE or HD_ERR_WRITE_FILE (once).
 */
int hdT_writeInfo(hdTrace *trace, const char *format, ...) HDT_PRINTF(2, 3);

/**
 * Hand everything that is complete to the system, now.
 *
 * @param trace Trace to flush.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT or HD_ERR_WRITE_FILE.
 */
int hdT_flush(hdTrace *trace);

/**
 * Get what the trace could not record as it was asked to.
 *
 * @param trace Trace to ask.
 * @param[out] losses The numbers so far.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT.
 */
int hdT_getLosses(const hdTrace *trace, hdLosses *losses);

/**
 * End a trace: close open states, write everything, close and free it.
 *
 * In a child process that inherited the trace by fork(): free it.
 *
 * @param trace Trace to end; freed whatever is returned.
 *
 * @retval 0 Success.
 * @retval -1 Error; errno is HD_ERR_INVALID_ARGUMENT (NULL),
 *         HD_ERR_WRITE_FILE (something could not be written, now or before)
 *         or HD_ERR_CLOSE_FILE.
 */
int hdT_finalize(hdTrace *trace);

#ifdef __cplusplus
}
#endif

#endif
