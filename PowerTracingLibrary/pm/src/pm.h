/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the files of libpm share.
 *
 * Functions inside return 0 or a negative errno value, after logging the
 * reason. -EREMOTEIO stands for a server that says no, -EPROTO for nonsense;
 * pmResult() turns all into PM_E....
 *
 * libpm has names, types and results of pmlib, and nothing else of it:
 * errors are returned, and what a server sends is checked. server_t has room
 * for names of hosts; sources do not notice. It speaks the protocol of pmlib
 * only, also with pt: to ask a server of pmlib for ours would break it, and
 * programs that want the times of samples have pt record.
 *
 * What dialect a server of pmlib speaks is found out where it matters. LIST
 * is parsed under both grammars (STATUS would be the same for all, but
 * Python's never answers it while there are counters). A counter without
 * lines tells the order of sets: Python takes all lines for none, C++ none.
 * Values of 4 bytes are recognized by the silence behind them, and then by
 * the answer to a STOP.
 */
#ifndef PM_H
#define PM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pmlib.h>
#include "common/log.h"
#include "common/owned.h"
#include "net/fields.h"

/** Operations of the protocol. */
enum pmOperation {
	PM_CREATE,
	PM_START,
	PM_CONTINUE,
	PM_STOP,
	PM_GET,
	PM_FINALIZE,
	PM_INFO,
	PM_LIST,
	PM_STATUS,
};

/** How the samples of several sets follow each other. */
enum pmOrder {
	PM_ORDER_UNKNOWN,
	PM_LINE_MAJOR, /**< Python: line by line, in it set by set. */
	PM_SET_MAJOR,  /**< C++: set by set, in it line by line. */
};

/** What a server speaks. */
struct pmDialect {
	size_t size; /**< Bytes of a value: 4, 8, or 0 if that is unknown. */
	enum pmOrder order;
};

/** When a set was recorded, in nanoseconds since 1970. */
struct pmSpan {
	int64_t start;
	int64_t stop;
};

/** A counter; counter_t.measures points to it. */
struct pmCounter {
	pm_measures_wt measures; /**< First: it is what the user sees. */
	server_t server;
	struct hdOwned owned; /**< The connection that sock is of. */
	char *device;
	struct pmDialect dialect;
	bool isRunning;
	struct pmSpan *spans; /**< One for each set, as measures.timing. */
	size_t room;          /**< Of these two, in sets. */
	int64_t wallNs;       /**< What the clock showed when ... */
	int64_t monoNs; /**< ... this was the monotonic time; 0 for never. */
};

extern struct hdLogger pmLogger;

/** Log something; with the name of the server or file in it. */
#define pmLog(level, ...) hdLog(&pmLogger, level, __VA_ARGS__)

/** Read PM_VERBOSITY: what every public function that logs does first. */
void pmBegin(void);

/**
 * End a public function: turn 0 or a negative errno value into its result, and
 * set errno.
 *
 * @param saved What errno was at the begin; a call that succeeds leaves it.
 */
int pmResult(int ret, int saved);

/** The same for files: PM_EFILE. */
int pmFileResult(int ret, int saved);

/** Get the private part of a counter, or NULL for none. */
struct pmCounter *pmCounterOf(const counter_t *counter);

/* ---- Connections (link.c) ---------------------------------------------- */

/** When an answer must be there. */
int64_t pmDeadline(void);

/** Connect to a server. */
int pmConnect(const server_t *server, int *fd);

/** Send bytes. */
int pmSend(int fd, const void *bytes, size_t size);

/** Send one integer. */
int pmSendInt(int fd, int32_t number);

/**
 * Receive so many bytes.
 *
 * @retval -ETIMEDOUT They did not come until the deadline.
 * @retval -ECONNRESET The server has closed the connection. (Or another error
 *         of a socket.)
 */
int pmReceive(int fd, void *bytes, size_t size, int64_t deadlineNs);

/**
 * Receive one integer.
 *
 * @param culprit Who sends it, for messages.
 *
 * @retval -EPROTO It is out of the field's range. (Or as of pmReceive().)
 */
int pmReceiveInt(int fd, const struct hdField *field, const char *culprit,
		 int32_t *number);

/** Tell whether something comes in so many milliseconds; the end does. */
bool pmIsComing(int fd, int ms);

/**
 * Receive so many bytes into memory, of which never much more is taken than has
 * come. A server may take its time, but must not be silent.
 *
 * @param[in,out] bytes Memory with @p used bytes, or NULL; freed after an
 * error.
 * @param size Bytes to have in the end.
 */
int pmReceiveMore(int fd, unsigned char **bytes, size_t used, size_t size);

/**
 * Receive all until the server closes, at most @p max bytes.
 *
 * @param[out] hasEnded Whether it has; else it is silent now, after something.
 *
 * @retval -EMSGSIZE There is more. (Or as of pmReceive().)
 */
int pmReceiveAll(int fd, size_t max, unsigned char **result, size_t *size,
		 bool *hasEnded);

/** A request that is put together. */
struct pmRequest {
	unsigned char *bytes;
	size_t used;
};

/** Begin a request with @p size bytes at most. */
int pmRequestBegin(struct pmRequest *request, enum pmOperation operation,
		   size_t size);
void pmRequestInt(struct pmRequest *request, int32_t number);
void pmRequestBytes(struct pmRequest *request, const void *bytes, size_t size);

/** Send it and free it. */
int pmRequestSend(struct pmRequest *request, int fd);

/* ---- Fields of frames (frames.c) --------------------------------------- */

extern const struct hdField pmFieldAnswer; /**< 0, or -1: no. */
extern const struct hdField pmFieldRate;   /**< Of INFO; -1: no. */
extern const struct hdField pmFieldNumber; /**< Lines of a device. */
extern const struct hdField pmFieldLine;
extern const struct hdField pmFieldYes;
extern const struct hdField pmFieldVolts;
extern const struct hdField pmFieldLength;
extern const struct hdField pmFieldCount;   /**< Of devices or counters. */
extern const struct hdField pmFieldValues;  /**< Of GET; -1: no. */
extern const struct hdField pmFieldSets;    /**< Of GET, and one more. */
extern const struct hdField pmFieldSampled; /**< Lines of a counter. */
extern const struct hdField pmFieldBorder;
extern const struct hdField pmFieldSingle; /**< A value of 4 bytes. */
extern const struct hdField pmFieldDouble; /**< A value of 8 bytes. */
extern const struct hdField pmFieldName;
extern const struct hdField pmFieldText; /**< That may be empty. */

/**
 * Read an integer of a frame.
 *
 * @param culprit Who has sent it, for messages; NULL: say nothing.
 *
 * @retval -EPROTO It is out of the field's range.
 */
int pmGetInt(const struct hdField *field, const char *culprit,
	     const unsigned char *bytes, int32_t *number);

/** The same for numbers that follow each other; they stay where they are. */
int pmCheckArray(const struct hdField *field, const char *culprit,
		 const unsigned char *bytes, size_t count);

/** The same for a text. */
int pmCheckText(const struct hdField *field, const char *culprit,
		const unsigned char *bytes, size_t length);

/* ---- Devices (devices.c, status.c) ------------------------------------- */

/** Ask for a device, as pm_get_device_info(); its name is left out. */
int pmInfo(const server_t *server, const char *id, device_t *device);

/**
 * Take a reply of LIST apart, under both grammars.
 *
 * @param[out] list The names, as of pm_get_devices().
 * @param[out] isCounted Whether there is a number at its begin.
 *
 * @retval -EPROTO It obeys neither.
 */
int pmParseList(const unsigned char *bytes, size_t size, char ***list,
		int *count, bool *isCounted);

/** Ask for the list. */
int pmList(const server_t *server, char ***list, int *count, bool *isCounted);

/** Free a list; takes NULL. */
void pmListFree(char **list, int count);

/**
 * Ask for the names of a device's lines.
 *
 * @param[out] names For each line a name to be freed, NULL for unknown.
 *
 * @retval -ENODEV The server does not tell of it.
 */
int pmLineNames(const server_t *server, const char *device,
		char *names[PM_LINES_MAX]);

/** Take a reply of STATUS apart, for one device; as pmLineNames(). */
int pmParseStatus(const unsigned char *bytes, size_t size, const char *device,
		  char *names[PM_LINES_MAX]);

/* ---- Samples (get.c, order.c) ------------------------------------------ */

/** What PM_DIALECT says. */
struct pmDialect pmDialectAsked(void);

/**
 * Send GET and receive the answer; values become doubles, in line-major order.
 *
 * @param[in,out] dialect What is known of the server, and what was found out.
 * @param sets Number of sets that were recorded.
 * @param[out] energy The samples; to be freed by pmMeasuresClear().
 *
 * @retval -EREMOTEIO The counter is running. After any other error the
 *         connection cannot be used any more.
 */
int pmGet(const counter_t *counter, struct pmDialect *dialect, int sets,
	  pm_measures *energy);

/** Free what samples have. */
void pmMeasuresClear(pm_measures *energy);

/** Find out the order of a server, by a counter without lines. */
enum pmOrder pmFindOrder(const server_t *server, const char *device);

/** Send CREATE and receive the answer. */
int pmCreate(int fd, const char *id, const line_t *lines, int aggregate,
	     int frequency);

/* ---- What is printed (view.c) ------------------------------------------ */

/** Some lines and sets of a counter. */
struct pmView {
	const struct pmCounter *counter;
	const pm_measures *energy;
	bool isAggregate;
	int columns;              /**< Lines to print; 1 of an aggregate. */
	int column[PM_LINES_MAX]; /**< Where each is in the data. */
	int line[PM_LINES_MAX];   /**< Its number. */
	int first, end;           /**< Sets: first to end - 1. */
};

/**
 * Choose lines and sets of a counter; sets count as PM_SETS says.
 *
 * @retval PM_EINVAL PM_ENODATA As of the public functions; errno is set.
 */
int pmViewMake(struct pmView *view, const counter_t *counter,
	       const line_t *lines, int set);

/** The same, but sets count from 1, and 0 is all of them. */
int pmViewMakeFrom1(struct pmView *view, const counter_t *counter,
		    const line_t *lines, int set);

/** Get the number of samples of a set. */
int pmViewCount(const struct pmView *view, int set);

/** Get a sample of a set. */
double pmViewValue(const struct pmView *view, int column, int set, int sample);

/** Get the sum of all lines of a sample. */
double pmViewSum(const struct pmView *view, int set, int sample);

/** Get the length of a set in nanoseconds. */
int64_t pmViewLength(const struct pmView *view, int set);

/** Get when a sample's interval begins, in nanoseconds since the first set of
 *  the view began; of the number behind the last, when the set ends. */
int64_t pmViewTime(const struct pmView *view, int set, int sample);

/** Write a number with six decimals, whatever the locale. */
void pmPutNumber(FILE *file, double number);

/** Write a text in one line. */
void pmPutText(FILE *file, const char *text);

/** Open a file to be written. */
int pmFileOpen(const char *name, const char *mode, FILE **file);

/** Close it; tells whether all is written. */
int pmFileClose(const char *name, FILE *file);

/* ---- Paraver (prv.c) --------------------------------------------------- */

/** A unit of Paraver's times. */
struct pmUnit {
	const char *name;
	int64_t ns;
	const char *suffix; /**< In the header. */
	const char *title;  /**< In the .pcf file. */
};

/** Find a unit, or return NULL. */
const struct pmUnit *pmFindUnit(const char *name);

/** The three files, of which one is written at a time. */
struct pmParaver {
	const struct pmView *view;
	const struct pmUnit *unit;
	int threads;
	FILE *file;
	void *data;
	/** Write the records. */
	void (*putRecords)(struct pmParaver *paraver);
	/** Write the types of events. */
	void (*putTypes)(struct pmParaver *paraver);
	/** Write the name of a thread. */
	void (*putThread)(struct pmParaver *paraver, int thread);
};

/** Write the three files; result as of pm_print_data_paraver(). */
int pmParaverWrite(struct pmParaver *paraver, const char *file);

/** Get a time in the unit. */
int64_t pmParaverTime(const struct pmParaver *paraver, int64_t ns);

/** Get a value as an integer: in thousandths. */
int64_t pmThousandths(double value);

/**
 * Make a name for a file beside another one.
 *
 * @param suffix Of that one: left out if it is there.
 *
 * @return The name, to be freed, or NULL.
 */
char *pmNameBeside(const char *file, const char *suffix, const char *other);

#endif
