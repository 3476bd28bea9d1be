/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a program draws between two of its lines, from a server that knows the
 * meters: pt of HDTrace, or one of the servers of pmlib.
 *
 * The names, types, arguments and results are those of pmlib, so that programs
 * that were written for it compile without a change:
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
 * **Errors** are returned, as one of the negative values PM_E..., and errno
 * says more. The program is never ended, and no signal is raised. A call that
 * failed has changed nothing, but for the counter whose connection is broken:
 * all that needs the server is PM_ECONNECTION then. A call that succeeds leaves
 * errno alone.
 *
 * **Sets.** A counter records one set of samples from each start or continue to
 * the next stop. Functions that take a set take -1 for all of them, and else
 * the number of one, from 0. (Those of C- and P-states count from 1, and 0 is
 * all.) In early programs, such as that in figure 4 of the paper on pmlib, 0 is
 * all of them everywhere: see `PM_SETS`.
 *
 * **Times.** The protocol of pmlib has no times. A set lasts from the start to
 * the stop, as well as this host knows: the server did it at some moment of the
 * call, and the middle of the call is taken. The samples of a set are taken to
 * be equally far from each other. So single samples may be wrong by an interval
 * of the meter, and a sample that the meter lost moves those before and after
 * it. What `pt record` writes has the meter's own times.
 *
 * **Energy** of a set is its mean power times its length; that of several sets
 * is the sum. A set that is shorter than the meter's interval may have no
 * samples: it does not count.
 *
 * **Servers.** All four known dialects of the protocol are understood. What
 * cannot be seen otherwise is tried when it matters: a reply without the
 * number of devices; numbers of 4 bytes, when nothing more comes; the order of
 * several sets, by a second counter without lines. The result in memory is
 * always as that of the Python server: doubles, line by line, and for each line
 * set by set.
 *
 * **Threads.** A counter may be used by one thread at a time; different
 * counters are independent of each other. A child made by fork() must not use
 * the counters of its parent.
 *
 * @section pmenv Environment
 * - `PM_VERBOSITY`: log lines on stderr: -1 none (default), 0 errors, 1
 * warnings, 2 information, 3 everything.
 * - `PM_TIMEOUT`: how many seconds to wait for a server; default 10.
 * - `PM_SERVERS`: other places of servers, for programs in which theirs is
 *   written: a list `OLD=NEW,...` where OLD is HOST:PORT as the program has it,
 *   and NEW is HOST:PORT, [IPV6]:PORT or the path of a Unix socket.
 * - `PM_DIALECT`: what the server speaks, instead of finding it out: `a`
 *   (2013, 4 bytes), `b` (Python), `c` (C++), `d` (C++, LIST repaired), or
 *   `auto`.
 * - `PM_SETS`: what number the first set has: `0` (default), or `1`, as in
 * early programs; then 0 is all sets.
 */
#ifndef PMLIB_H
#define PMLIB_H

#include <line.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The call is wrong: NULL, a text that is not one, an unknown unit, no lines.
 */
#define PM_EINVAL (-1)
/** Out of memory. */
#define PM_ENOMEM (-2)
/** The server cannot be reached, or was lost; errno says why. */
#define PM_ECONNECTION (-3)
/** The server has not answered in time. */
#define PM_ETIMEOUT (-4)
/** The server says no: it does not have such a device, the counter is running
 *  already, or is not, or it is forbidden. */
#define PM_EREFUSED (-5)
/** What the server answers is nonsense. */
#define PM_EPROTOCOL (-6)
/** There is no such set, or it has no samples; or pm_get_counter_data() was
 *  not called. */
#define PM_ENODATA (-7)
/** The file cannot be written; errno says why. */
#define PM_EFILE (-8)

/** Bytes of the name of a host, or of the path of a Unix socket, with the
 *  terminating zero. */
#define PM_HOST_MAX 256

/** A server. */
typedef struct {
	char server_ip[PM_HOST_MAX]; /**< Host, address or path. */
	int port;
} server_t;

/** What is known of a device. */
typedef struct {
	char *name;        /**< To be freed. */
	int max_frecuency; /**< Samples in a second at most. */
	int n_lines;
} device_t;

/** Samples of a counter. */
typedef struct {
	int watts_size;      /**< Number of values. */
	int watts_sets_size; /**< Number of sets, plus 1. */
	/** Where each set begins: sample number, 0 first; then their end. */
	int *watts_sets;
	/** Of an aggregate counter sample by sample; else those of its first
	 *  line, those of the second, and so on. */
	double *watts;
	int lines_len; /**< Lines that it has. */
} pm_measures;

/** Samples of a counter, and when they were taken. */
typedef struct {
	int next_timing; /**< Sets that were stopped. */
	/** Begin and end of each set, in seconds since 1970. */
	double *timing;
	pm_measures energy;
} pm_measures_wt;

/** A counter. It may be copied; copies must not be used after
 *  pm_finalize_counter(). */
typedef struct {
	int sock; /**< The connection, or -1. */
	int aggregate;
	line_t lines;
	int num_lines; /**< Lines of the device. */
	int interval;  /**< Samples in a second, 0 for as many as there are. */
	pm_measures_wt *measures;
} counter_t;

/** A unit of time: "", "s", "ms", "us" or "ns". */
typedef char *unit_t;

/**
 * Say where a server is. Nothing is connected yet.
 *
 * @param ip Name or address (IPv4 or IPv6) of the host; or the path of a Unix
 *        socket, beginning with "/".
 * @param port Port; ignored for a Unix socket.
 * @param[out] server The server.
 *
 * @retval 0 Success.
 * @retval PM_EINVAL A pointer is NULL, @p ip is empty or too long, or @p port
 *         is none.
 */
int pm_set_server(const char *ip, int port, server_t *server);

/**
 * Make a set of lines from a text like "0,2-3,100".
 *
 * @param text Numbers below PM_LINES_MAX, and ranges of them. A range whose end
 *        is before its begin is empty, as is the empty text.
 * @param[out] lines The set; unchanged after an error.
 *
 * @retval 0 Success.
 * @retval PM_EINVAL The text is something else.
 */
int pm_set_lines(const char *text, line_t *lines);

/**
 * Get the names of a server's devices.
 *
 * @param server The server.
 * @param[out] list The names; each of them, and the list, is to be freed.
 * @param[out] count Number of names.
 *
 * @retval 0 Success.
 * @retval PM_EINVAL PM_ENOMEM PM_ECONNECTION PM_ETIMEOUT PM_EPROTOCOL
 *         See there.
 */
int pm_get_devices(server_t server, char ***list, int *count);

/**
 * Get what a server knows of a device.
 *
 * @param server The server.
 * @param id Name of the device.
 * @param[out] device What is known; its name is to be freed.
 *
 * @retval 0 Success.
 * @retval PM_EREFUSED The server has no such device, or does not show it.
 * @retval PM_EINVAL PM_ENOMEM PM_ECONNECTION PM_ETIMEOUT PM_EPROTOCOL
 *         See there.
 */
int pm_get_device_info(server_t server, const char *id, device_t *device);

/**
 * Create a counter of a device.
 *
 * @param id Name of the device.
 * @param lines Lines to record. What a server makes of the empty set is not
 *        certain: some take all lines, and some none.
 * @param aggregate Whether the lines are added, instead of recorded one by one.
 * @param frequency Samples in a second; 0 for as many as the device has. A
 *        server takes every k-th sample of the device; there are never more
 *        than it has.
 * @param server The server.
 * @param[out] counter The counter, to be given to pm_finalize_counter(). After
 *        an error it has no connection, and may be given to any function.
 *
 * @retval 0 Success.
 * @retval PM_EREFUSED There is no such device, or it is forbidden.
 * @retval PM_ETIMEOUT No answer. (The Python server has none for an error.)
 * @retval PM_EINVAL PM_ENOMEM PM_ECONNECTION PM_EPROTOCOL See there.
 */
int pm_create_counter(const char *id, line_t lines, int aggregate,
		      int frequency, server_t server, counter_t *counter);

/**
 * Forget the samples, and begin the first set.
 *
 * @param counter Counter to start.
 *
 * @retval 0 Success.
 * @retval PM_EREFUSED It is running.
 * @retval PM_EINVAL PM_ENOMEM PM_ECONNECTION PM_ETIMEOUT See there.
 */
int pm_start_counter(counter_t *counter);

/**
 * Begin another set.
 *
 * @param counter Counter to continue.
 *
 * @return As of pm_start_counter().
 */
int pm_continue_counter(counter_t *counter);

/**
 * End the set.
 *
 * @param counter Counter to stop.
 *
 * @retval 0 Success.
 * @retval PM_EREFUSED It is not running; or the server has ended it before, as
 *         it had reached a limit: the set is over, and has the samples until
 *         then.
 * @retval PM_EINVAL PM_ECONNECTION PM_ETIMEOUT See there.
 */
int pm_stop_counter(counter_t *counter);

/**
 * Get the samples of all sets from the server into `counter->measures`. What
 * was there before is freed.
 *
 * @param counter Counter that is stopped.
 *
 * @retval 1 Success.
 * @retval PM_EREFUSED It is running.
 * @retval PM_EINVAL PM_ENOMEM PM_ECONNECTION PM_ETIMEOUT PM_EPROTOCOL
 *         See there.
 */
int pm_get_counter_data(counter_t *counter);

/**
 * Get the number of sets that were stopped.
 *
 * @param counter Counter to ask.
 *
 * @return Number of sets.
 * @retval PM_EINVAL There is no counter.
 */
int pm_get_counter_num_sets(const counter_t *counter);

/**
 * End a counter, here and at the server, and free all that it has. One that is
 * running is stopped.
 *
 * @param counter Counter to end; freed whatever is returned.
 *
 * @retval 0 Success.
 * @retval PM_EINVAL There is no counter.
 * @retval PM_EREFUSED PM_ECONNECTION PM_ETIMEOUT The server does not end it
 *         properly; it notices that the connection is closed.
 */
int pm_finalize_counter(counter_t *counter);

/**
 * Get time and energy of a counter as numbers. (pmlib has no such function.)
 *
 * @param counter Counter with samples.
 * @param lines Lines of it to add up; all if it is an aggregate one.
 * @param set One of its sets, or -1 for all.
 * @param[out] seconds How long these were; NULL if nobody wants it.
 * @param[out] joules Energy in this time; NULL if nobody wants it.
 *
 * @retval 0 Success.
 * @retval PM_EINVAL None of the lines is in the counter.
 * @retval PM_ENODATA There is no such set, or no sample in it.
 */
int pm_get_energy(counter_t counter, line_t lines, int set, double *seconds,
		  double *joules);

/**
 * Print time, mean power and energy: of an aggregate counter a line
 * `SECONDS WATTS JOULES`, separated by tabs, else four lines for each line and
 * for the sum.
 *
 * @param counter Counter with samples.
 * @param lines Lines of it to print; ignored if it is an aggregate one.
 * @param set One of its sets, or -1 for all.
 *
 * @retval 1 Success.
 * @retval PM_EINVAL PM_ENODATA As of pm_get_energy().
 * @retval PM_EFILE It cannot be printed.
 */
int pm_calculate_energy(counter_t counter, line_t lines, int set);

/**
 * Append a description of a counter to a file.
 *
 * @param file Name of the file; created if it is not there.
 * @param counter Counter to describe.
 *
 * @retval 1 Success.
 * @retval PM_EINVAL PM_EFILE See there.
 */
int pm_fprint_counter_info(const char *file, counter_t counter);

/**
 * Write samples as text, separated by tabs: number of the set, time in seconds
 * since it began, values of the lines, and their sum. Times go from 0 to the
 * length of the set.
 *
 * @param file Name of the file; replaced.
 * @param counter Counter with samples.
 * @param lines Lines of it to write; ignored if it is an aggregate one.
 * @param set One of its sets, or -1 for all.
 *
 * @retval 1 Success.
 * @retval PM_EINVAL File is NULL, or none of the lines is in the counter.
 * @retval PM_ENODATA There is no such set.
 * @retval PM_EFILE It cannot be written.
 */
int pm_print_data_text(const char *file, counter_t counter, line_t lines,
		       int set);

/**
 * Write samples as CSV: as pm_print_data_text(), separated by semicolons.
 *
 * @param file Name of the file; replaced.
 * @param counter Counter with samples.
 * @param lines Lines of it to write; ignored if it is an aggregate one.
 * @param set One of its sets, or -1 for all.
 *
 * @return As of pm_print_data_text().
 */
int pm_print_data_csv(const char *file, counter_t counter, line_t lines,
		      int set);

/**
 * Print samples as pm_print_data_text() does.
 *
 * @param counter Counter with samples.
 * @param lines Lines of it to print; ignored if it is an aggregate one.
 * @param set One of its sets, or -1 for all.
 *
 * @return As of pm_print_data_text().
 */
int pm_print_data_stdout(counter_t counter, line_t lines, int set);

/**
 * Write samples for Paraver: a file .prv, and beside it .pcf and .row.
 *
 * Line n has events of the type 500000010 + n, the sum (of an aggregate
 * counter: all) 500000009. A value holds from the begin of its interval on, and
 * is 0 where a set ends. Paraver knows integers only: values are in mW.
 *
 * @param file Name of the .prv file; replaced, as are those beside it.
 * @param counter Counter with samples.
 * @param lines Lines of it to write; ignored if it is an aggregate one.
 * @param set One of its sets, or -1 for all: then times count from the start of
 *        the first one, and the time between sets is there as well.
 * @param unit Of the times: "ms", "us" or "ns". Paraver knows no seconds: "s"
 *        and "" (or NULL) are written in microseconds.
 *
 * @retval 1 Success.
 * @retval PM_EINVAL As of pm_print_data_text(), or another unit.
 * @retval PM_ENODATA There is no such set.
 * @retval PM_EFILE A file cannot be written.
 */
int pm_print_data_paraver(const char *file, counter_t counter, line_t lines,
			  int set, const char *unit);

/**
 * Do pm_get_counter_data(), then pm_print_data_paraver().
 *
 * @param file As of pm_print_data_paraver().
 * @param counter Counter that is stopped.
 * @param lines As of pm_print_data_paraver().
 * @param set As of pm_print_data_paraver().
 * @param unit As of pm_print_data_paraver().
 *
 * @return As of the first of both that fails; else 1.
 */
int pm_get_and_print_data_paraver(const char *file, counter_t *counter,
				  line_t lines, int set, const char *unit);

/**
 * Write C-states for Paraver: percentages of time in each state, of counters
 * whose lines are states of CPUs.
 *
 * Each CPU is a thread. With @p separate each state has events of the type
 * 900000010 + number of the state, whose values are in 0.001 %. Without it
 * there is one type, 90000000, and its value is the number of a state: within
 * each interval the states are laid out one after the other, as long as each
 * had.
 *
 * Which line is which state of which CPU is seen from the names of the lines
 * ("cpu3/C1E", "CPU 3 C6", ...), for which the server is asked. Where they are
 * not like that each CPU has four lines.
 *
 * @param file Name of the .prv file; replaced, as are those beside it.
 * @param counter Counter with samples, not an aggregate one.
 * @param lines Lines of it to write.
 * @param set One of its sets, from 1; 0 or -1 for all.
 * @param unit As of pm_print_data_paraver().
 * @param separate Whether each state has a type of its own. In C it may be left
 *        out, as in C++; then it is 0.
 *
 * @return As of pm_print_data_paraver(); PM_EINVAL also for an aggregate
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
 * Write P-states for Paraver: as C-states with @p separate, but events of the
 * type 800000010 + number of the state.
 *
 * @param file As of pm_print_data_paraver_cstates().
 * @param counter As of pm_print_data_paraver_cstates().
 * @param lines As of pm_print_data_paraver_cstates().
 * @param set As of pm_print_data_paraver_cstates().
 * @param unit As of pm_print_data_paraver_cstates().
 *
 * @return As of pm_print_data_paraver_cstates().
 */
int pm_print_data_paraver_pstates(const char *file, counter_t counter,
				  line_t lines, int set, const char *unit);

/**
 * Write samples in the Open Trace Format, version 1: FILE.otf, and beside it
 * FILE.0.def and FILE.1.events. Values are in mW.
 *
 * @param file Name of the .otf file, or without that; replaced, as are those
 *        beside it.
 * @param counter Counter with samples.
 * @param lines Lines of it to write; ignored if it is an aggregate one.
 * @param set One of its sets, or -1 for all, as of pm_print_data_paraver().
 *
 * @return As of pm_print_data_text().
 */
int pm_print_data_otf(const char *file, counter_t counter, line_t lines,
		      int set);

/**
 * Get a text for an error.
 *
 * @param error One of PM_E..., or what any function has returned.
 *
 * @return A text that stays; never NULL.
 */
const char *pm_strerror(int error);

#ifdef __cplusplus
}
#endif

#endif
