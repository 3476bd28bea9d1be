/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Power and energy between two points of a program. A server reads the meters:
 * pt of HDTrace, or one of the servers of pmlib.
 *
 * Names, types, arguments and results are compatible with pmlib. Programs for
 * pmlib compile without changes:
 *
 *     server_t server;
 *     line_t lines;
 *     counter_t counter;
 *
 *     pm_set_server("127.0.0.1", 6526, &server);
 *     pm_set_lines("0-11", &lines);
 *     if (pm_create_counter("DCMeter1", lines, 1, 0, server, &counter) == 0) {
 *             pm_start_counter(&counter);
 *             ...
 *             pm_stop_counter(&counter);
 *             pm_get_counter_data(&counter);
 *             pm_calculate_energy(counter, lines, -1);
 *             pm_finalize_counter(&counter);
 *     }
 *
 * **Errors.** Functions return one of the negative values PM_E..., and errno
 * has the cause. The library never ends the program and raises no signals. A
 * failed call changes nothing, with one exception: if the connection of a
 * counter breaks, all further requests return PM_ECONNECTION. A successful
 * call does not change errno.
 *
 * **Sets.** A counter records one set of samples from each start or continue to
 * the next stop. Functions with a parameter `set` take the number of a set,
 * from 0, or -1 for all sets. (The functions for C- and P-states count from 1,
 * and 0 means all.) In early programs, such as figure 4 of the paper on pmlib,
 * 0 always means all sets: see `PM_SETS`.
 *
 * **Times.** The protocol of pmlib has no times. The library estimates when a
 * set starts and stops: it uses the middle of the call, because the server acts
 * at some time during the call. It assumes that the samples of a set are evenly
 * spaced. Single samples may therefore be wrong by an interval of the meter. A
 * lost sample shifts the samples before and after it. `pt record` writes the
 * times of the meter instead.
 *
 * **Energy** of a set is its mean power times its length. The energy of several
 * sets is their sum. A set that is shorter than the meter's interval may have
 * no samples; it does not count.
 *
 * **Servers.** The library supports all four known dialects of the protocol.
 * It tests a property of the server only when it needs the property: a reply
 * without the number of devices; numbers of 4 bytes, when the data ends early;
 * the order of several sets, by a second counter without lines. The result in
 * memory always has the form of the Python server: doubles, line by line, and
 * for each line set by set.
 *
 * **Threads.** Only one thread at a time may use a counter. Different counters
 * are independent. A child made by fork() must not use the counters of its
 * parent.
 *
 * @section pmenv Environment
 * - `PM_VERBOSITY`: log lines on stderr: -1 none (default), 0 errors,
 *   1 warnings, 2 information, 3 everything.
 * - `PM_TIMEOUT`: timeout of a server in seconds (default: 10).
 * - `PM_SERVERS`: other addresses of servers, for programs with fixed
 *   addresses. A list `OLD=NEW,...` where OLD is HOST:PORT as in the program,
 *   and NEW is HOST:PORT, [IPV6]:PORT or the path of a Unix socket.
 * - `PM_DIALECT`: dialect of the server: `a` (2013, 4 bytes), `b` (Python),
 *   `c` (C++), `d` (C++, LIST repaired), or `auto` to detect it (default).
 * - `PM_SETS`: number of the first set: `0` (default), or `1` as in early
 *   programs; then 0 means all sets.
 */
#ifndef PMLIB_H
#define PMLIB_H

#include <line.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An argument is invalid: NULL, an invalid text, an unknown unit, no lines. */
#define PM_EINVAL (-1)
/** Out of memory. */
#define PM_ENOMEM (-2)
/** The server cannot be reached, or the connection broke; see errno. */
#define PM_ECONNECTION (-3)
/** The server did not answer within the timeout. */
#define PM_ETIMEOUT (-4)
/** The server refuses: the device is unknown or forbidden, or the counter is
 *  already running or not running. */
#define PM_EREFUSED (-5)
/** The reply of the server is invalid. */
#define PM_EPROTOCOL (-6)
/** The set does not exist or has no samples, or pm_get_counter_data() was not
 *  called. */
#define PM_ENODATA (-7)
/** The file cannot be written; see errno. */
#define PM_EFILE (-8)

/** Size of a host name or of the path of a Unix socket, including the
 *  terminating zero. */
#define PM_HOST_MAX 256

/** A server. */
typedef struct {
	char server_ip[PM_HOST_MAX]; /**< Host, address or path. */
	int port;
} server_t;

/** Properties of a device. */
typedef struct {
	char *name;        /**< The caller frees it. */
	int max_frecuency; /**< Highest number of samples per second. */
	int n_lines;
} device_t;

/** Samples of a counter. */
typedef struct {
	int watts_size;      /**< Number of values. */
	int watts_sets_size; /**< Number of sets, plus 1. */
	/** First sample of each set, beginning with 0; then the end. */
	int *watts_sets;
	/** Samples of an aggregate counter; otherwise the samples of the first
	 *  line, of the second line, and so on. */
	double *watts;
	int lines_len; /**< Number of lines. */
} pm_measures;

/** Samples of a counter with their times. */
typedef struct {
	int next_timing; /**< Number of stopped sets. */
	/** Start and end of each set, in seconds since 1970. */
	double *timing;
	pm_measures energy;
} pm_measures_wt;

/** A counter. Copies are allowed, but not their use after
 *  pm_finalize_counter(). */
typedef struct {
	int sock; /**< The connection, or -1. */
	int aggregate;
	line_t lines;
	int num_lines; /**< Lines of the device. */
	int interval;  /**< Samples per second, 0 for all. */
	pm_measures_wt *measures;
} counter_t;

/** A unit of time: "", "s", "ms", "us" or "ns". */
typedef char *unit_t;

/**
 * Set the address of a server. This does not connect yet.
 *
 * @param ip Name or address (IPv4 or IPv6) of the host, or the path of a Unix
 *        socket, which begins with "/".
 * @param port Port; ignored for a Unix socket.
 * @param[out] server The server.
 *
 * @retval 0 Success.
 * @retval PM_EINVAL A pointer is NULL, @p ip is empty or too long, or @p port
 *         is not a port number.
 */
int pm_set_server(const char *ip, int port, server_t *server);

/**
 * Make a set of lines from a text such as "0,2-3,100".
 *
 * @param text Numbers below PM_LINES_MAX, and ranges of them. A range that ends
 *        before its start is empty. An empty text is an empty set.
 * @param[out] lines The set; unchanged after an error.
 *
 * @retval 0 Success.
 * @retval PM_EINVAL The text is invalid.
 */
int pm_set_lines(const char *text, line_t *lines);

/**
 * Get the names of a server's devices.
 *
 * @param server The server.
 * @param[out] list The names. The caller frees each name and the list.
 * @param[out] count Number of names.
 *
 * @retval 0 Success.
 * @retval PM_EINVAL PM_ENOMEM PM_ECONNECTION PM_ETIMEOUT PM_EPROTOCOL
 *         See these values.
 */
int pm_get_devices(server_t server, char ***list, int *count);

/**
 * Get the properties of a device.
 *
 * @param server The server.
 * @param id Name of the device.
 * @param[out] device Its properties. The caller frees the name.
 *
 * @retval 0 Success.
 * @retval PM_EREFUSED The device is unknown or hidden.
 * @retval PM_EINVAL PM_ENOMEM PM_ECONNECTION PM_ETIMEOUT PM_EPROTOCOL
 *         See these values.
 */
int pm_get_device_info(server_t server, const char *id, device_t *device);

/**
 * Create a counter of a device.
 *
 * @param id Name of the device.
 * @param lines Lines to record. The meaning of the empty set depends on the
 *        server: all lines or no lines.
 * @param aggregate Whether to record the sum of the lines instead of each line.
 * @param frequency Samples per second; 0 for all samples of the device. A
 *        server takes every k-th sample, and never more than the device has.
 * @param server The server.
 * @param[out] counter The counter, to be passed to pm_finalize_counter(). After
 *        an error it has no connection, but all functions accept it.
 *
 * @retval 0 Success.
 * @retval PM_EREFUSED The device is unknown or forbidden.
 * @retval PM_ETIMEOUT No answer. (The Python server does not answer an error.)
 * @retval PM_EINVAL PM_ENOMEM PM_ECONNECTION PM_EPROTOCOL See these values.
 */
int pm_create_counter(const char *id, line_t lines, int aggregate,
		      int frequency, server_t server, counter_t *counter);

/**
 * Discard all samples, and begin the first set.
 *
 * @param counter Counter to start.
 *
 * @retval 0 Success.
 * @retval PM_EREFUSED The counter is running.
 * @retval PM_EINVAL PM_ENOMEM PM_ECONNECTION PM_ETIMEOUT See these values.
 */
int pm_start_counter(counter_t *counter);

/**
 * Begin another set.
 *
 * @param counter Counter to continue.
 *
 * @return See pm_start_counter().
 */
int pm_continue_counter(counter_t *counter);

/**
 * End the set.
 *
 * @param counter Counter to stop.
 *
 * @retval 0 Success.
 * @retval PM_EREFUSED The counter is not running, or the server has stopped
 *         it at a limit. The set then has the samples up to that time.
 * @retval PM_EINVAL PM_ECONNECTION PM_ETIMEOUT See these values.
 */
int pm_stop_counter(counter_t *counter);

/**
 * Get the samples of all sets from the server into `counter->measures`. The
 * previous samples are freed.
 *
 * @param counter Stopped counter.
 *
 * @retval 1 Success.
 * @retval PM_EREFUSED The counter is running.
 * @retval PM_EINVAL PM_ENOMEM PM_ECONNECTION PM_ETIMEOUT PM_EPROTOCOL
 *         See these values.
 */
int pm_get_counter_data(counter_t *counter);

/**
 * Get the number of stopped sets.
 *
 * @param counter Counter to query.
 *
 * @return Number of sets.
 * @retval PM_EINVAL The counter is invalid.
 */
int pm_get_counter_num_sets(const counter_t *counter);

/**
 * End a counter, here and at the server, and free its memory. A running counter
 * is stopped.
 *
 * @param counter Counter to end; it is freed in any case.
 *
 * @retval 0 Success.
 * @retval PM_EINVAL The counter is invalid.
 * @retval PM_EREFUSED PM_ECONNECTION PM_ETIMEOUT The server did not confirm the
 *         end; it detects that the connection is closed.
 */
int pm_finalize_counter(counter_t *counter);

/**
 * Get time and energy of a counter as numbers. (pmlib lacks this function.)
 *
 * @param counter Counter with samples.
 * @param lines Lines to add up; an aggregate counter always has all lines.
 * @param set A set of the counter, or -1 for all.
 * @param[out] seconds Total length of the sets; may be NULL.
 * @param[out] joules Energy in this time; may be NULL.
 *
 * @retval 0 Success.
 * @retval PM_EINVAL The counter has none of the lines.
 * @retval PM_ENODATA The set does not exist, or has no samples.
 */
int pm_get_energy(counter_t counter, line_t lines, int set, double *seconds,
		  double *joules);

/**
 * Print time, mean power and energy. For an aggregate counter, this is one
 * line `SECONDS WATTS JOULES`, separated by tabs. Otherwise it is four lines
 * for each line of the counter, and four for the sum.
 *
 * @param counter Counter with samples.
 * @param lines Lines to print; ignored for an aggregate counter.
 * @param set A set of the counter, or -1 for all.
 *
 * @retval 1 Success.
 * @retval PM_EINVAL PM_ENODATA See pm_get_energy().
 * @retval PM_EFILE Standard output cannot be written.
 */
int pm_calculate_energy(counter_t counter, line_t lines, int set);

/**
 * Append a description of a counter to a file.
 *
 * @param file Name of the file; created if it does not exist.
 * @param counter Counter to describe.
 *
 * @retval 1 Success.
 * @retval PM_EINVAL PM_EFILE See these values.
 */
int pm_fprint_counter_info(const char *file, counter_t counter);

/**
 * Write samples as text, separated by tabs: number of the set, seconds since
 * the start of the set, values of the lines, and their sum. Times go from 0 to
 * the length of the set.
 *
 * @param file Name of the file; an existing file is replaced.
 * @param counter Counter with samples.
 * @param lines Lines to write; ignored for an aggregate counter.
 * @param set A set of the counter, or -1 for all.
 *
 * @retval 1 Success.
 * @retval PM_EINVAL @p file is NULL, or the counter has none of the lines.
 * @retval PM_ENODATA The set does not exist.
 * @retval PM_EFILE The file cannot be written.
 */
int pm_print_data_text(const char *file, counter_t counter, line_t lines,
		       int set);

/**
 * Write samples as CSV, like pm_print_data_text() but separated by semicolons.
 *
 * @param file Name of the file; an existing file is replaced.
 * @param counter Counter with samples.
 * @param lines Lines to write; ignored for an aggregate counter.
 * @param set A set of the counter, or -1 for all.
 *
 * @return See pm_print_data_text().
 */
int pm_print_data_csv(const char *file, counter_t counter, line_t lines,
		      int set);

/**
 * Print samples in the form of pm_print_data_text().
 *
 * @param counter Counter with samples.
 * @param lines Lines to print; ignored for an aggregate counter.
 * @param set A set of the counter, or -1 for all.
 *
 * @return See pm_print_data_text().
 */
int pm_print_data_stdout(counter_t counter, line_t lines, int set);

/**
 * Write samples for Paraver: a file .prv, and its companions .pcf and .row.
 *
 * Line n has events of the type 500000010 + n. The sum and an aggregate
 * counter have events of the type 500000009. A value is valid from the start of
 * its interval, and is 0 where a set ends. Paraver supports integers only, so
 * values are in mW.
 *
 * @param file Name of the .prv file; existing files are replaced.
 * @param counter Counter with samples.
 * @param lines Lines to write; ignored for an aggregate counter.
 * @param set A set of the counter, or -1 for all. With -1, times count from the
 *        start of the first set and include the time between sets.
 * @param unit Unit of the times: "ms", "us" or "ns". Paraver has no seconds:
 *        "s" and "" (or NULL) are written in microseconds.
 *
 * @retval 1 Success.
 * @retval PM_EINVAL As for pm_print_data_text(), or an unknown unit.
 * @retval PM_ENODATA The set does not exist.
 * @retval PM_EFILE A file cannot be written.
 */
int pm_print_data_paraver(const char *file, counter_t counter, line_t lines,
			  int set, const char *unit);

/**
 * Call pm_get_counter_data(), then pm_print_data_paraver().
 *
 * @param file See pm_print_data_paraver().
 * @param counter Stopped counter.
 * @param lines See pm_print_data_paraver().
 * @param set See pm_print_data_paraver().
 * @param unit See pm_print_data_paraver().
 *
 * @return The result of the first function that fails; otherwise 1.
 */
int pm_get_and_print_data_paraver(const char *file, counter_t *counter,
				  line_t lines, int set, const char *unit);

/**
 * Write C-states for Paraver: percentages of time in each state, for counters
 * whose lines are CPU states.
 *
 * Each CPU is a thread. With @p separate, each state has events of the type
 * 900000010 + number of the state, whose values are in 0.001 %. Otherwise
 * all states have the type 90000000, whose value is the number of the state.
 * Within each interval, the states follow each other, each for its share of the
 * time.
 *
 * The names of the lines ("cpu3/C1E", "CPU 3 C6", ...), which the server
 * provides, identify CPU and state. If the names have a different form, each
 * CPU has four lines.
 *
 * @param file Name of the .prv file; existing files are replaced.
 * @param counter Counter with samples; not an aggregate counter.
 * @param lines Lines to write.
 * @param set A set of the counter, from 1; 0 or -1 for all.
 * @param unit See pm_print_data_paraver().
 * @param separate Whether each state has a separate type. Optional in C and
 *        C++ (default: 0).
 *
 * @return See pm_print_data_paraver(); PM_EINVAL also for an aggregate
 *         counter.
 */
int pm_print_data_paraver_cstates(const char *file, counter_t counter,
				  line_t lines, int set, const char *unit,
#ifdef __cplusplus
				  int separate = 0);
#else
				  int separate);

/** @cond */
#define pm_print_data_paraver_cstates(...) PM_CSTATES_(__VA_ARGS__, 0, 0)
#define PM_CSTATES_(file, counter, lines, set, unit, separate, ...)      \
	(pm_print_data_paraver_cstates)(file, counter, lines, set, unit, \
					separate)
/** @endcond */
#endif

/**
 * Write P-states for Paraver, like C-states with @p separate. The events have
 * the type 800000010 + number of the state.
 *
 * @param file See pm_print_data_paraver_cstates().
 * @param counter See pm_print_data_paraver_cstates().
 * @param lines See pm_print_data_paraver_cstates().
 * @param set See pm_print_data_paraver_cstates().
 * @param unit See pm_print_data_paraver_cstates().
 *
 * @return See pm_print_data_paraver_cstates().
 */
int pm_print_data_paraver_pstates(const char *file, counter_t counter,
				  line_t lines, int set, const char *unit);

/**
 * Write samples in the Open Trace Format, version 1: FILE.otf, FILE.0.def and
 * FILE.1.events. Values are in mW.
 *
 * @param file Name of the .otf file, with or without this suffix; existing
 *        files are replaced.
 * @param counter Counter with samples.
 * @param lines Lines to write; ignored for an aggregate counter.
 * @param set A set of the counter, or -1 for all; see pm_print_data_paraver().
 *
 * @return See pm_print_data_text().
 */
int pm_print_data_otf(const char *file, counter_t counter, line_t lines,
		      int set);

/**
 * Get the description of an error.
 *
 * @param error One of PM_E..., or the result of a function.
 *
 * @return A constant text; never NULL.
 */
const char *pm_strerror(int error);

#ifdef __cplusplus
}
#endif

#endif
