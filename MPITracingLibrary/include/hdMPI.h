/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Functions for MPI programs that are traced by libhdMPI.
 *
 * libhdMPI records MPI calls without changes to the program. With these
 * functions, the program can add regions, events and attributes, and can
 * restrict recording to parts of a run.
 *
 *     hdMPI_regionStart("Solve");
 *     hdMPI_attributeInt("iterations", n);
 *     MPI_Allreduce(...);              // recorded inside of "Solve"
 *     hdMPI_regionEnd();
 *
 * Regions are states in the trace of the calling thread. They contain the
 * states of the MPI calls that the thread makes inside them. Regions must be
 * properly nested.
 *
 * **Without tracing.** If `HDMPI_OFF` is defined before this header is
 * included, the functions are empty inline functions, and the program does not
 * need the library. `HDTRACE_MPI=0` disables recording in programs that are
 * linked with the library.
 *
 * **Fortran.** Call the functions as subroutines with the same names and
 * arguments, but without results; see hdMPI.inc.
 *
 * **When.** Call the functions between MPI_Init() and MPI_Finalize(). Outside
 * of this interval, and while recording is disabled, they do nothing and
 * return 1.
 *
 * **Threads.** Any thread may call the functions; each thread has its own
 * regions.
 *
 * `MPI_Pcontrol(0)` is equivalent to hdMPI_disable(), and `MPI_Pcontrol(1)` to
 * hdMPI_enable(). `MPI_Pcontrol(2)` passes all buffered records to the
 * operating system.
 *
 * hdmpirun(1) describes the environment variables of libhdMPI.
 */
#ifndef HD_MPI_H
#define HD_MPI_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Strict C99 hides it in time.h. */
struct timespec;

#ifdef __cplusplus
extern "C" {
#endif

#ifndef HDMPI_OFF

/**
 * Enable recording in all threads of this process.
 *
 * @retval 0 Recording is enabled now.
 * @retval 1 It was already enabled, or the process is not traced.
 */
int hdMPI_enable(void);

/**
 * Disable recording in all threads of this process.
 *
 * Open regions are recorded with their actual end.
 *
 * @retval 0 Recording is disabled now.
 * @retval 1 It was already disabled.
 */
int hdMPI_disable(void);

/**
 * Start a region.
 *
 * @param name Its name. Characters that are not allowed in the name of a state
 *        (see hdTrace.h) are replaced by `_`, and the attribute `name` contains
 *        the original name.
 *
 * @retval 0 The region is recorded.
 * @retval 1 It is not recorded, but must still be ended.
 */
int hdMPI_regionStart(const char *name);

/**
 * End the region that was started last.
 *
 * @retval 0 The region was recorded.
 * @retval 1 It was not recorded, or no region is open.
 */
int hdMPI_regionEnd(void);

/**
 * Record an event, which has a time but no duration.
 *
 * @param name Any text.
 *
 * @retval 0 The event is recorded.
 * @retval 1 It is not recorded.
 */
int hdMPI_event(const char *name);

/**
 * Add an integer to the region that was started last.
 *
 * @param key Name of the attribute: letters, digits, `_`, `.` and `-`. It
 * begins with a letter or `_`, is not `time` or `end`, and was not used before
 *        in this region.
 * @param value Its value.
 *
 * @retval 0 The attribute is recorded.
 * @retval 1 The region is not recorded, or the key is not allowed.
 */
int hdMPI_attributeInt(const char *key, int64_t value);

/**
 * Add a floating point number to the region that was started last.
 *
 * @param key See hdMPI_attributeInt().
 * @param value Its value.
 *
 * @return See hdMPI_attributeInt().
 */
int hdMPI_attributeDouble(const char *key, double value);

/**
 * Add a text to the region that was started last.
 *
 * @param key See hdMPI_attributeInt().
 * @param value Its value, of any length and content.
 *
 * @return See hdMPI_attributeInt().
 */
int hdMPI_attributeString(const char *key, const char *value);

/**
 * Get the token of the current MPI call of the calling thread. This is for
 * layers below MPI, such as a library that performs the I/O of the call. With
 * this token, hdR_relateRemoteToken() (hdRelation.h) creates a relation that
 * was caused by the call, in this process or in any other process.
 *
 *     char token[HDR_TOKEN_SIZE];
 *
 *     if (hdMPI_currentRelation(token, sizeof(token)) > 0)
 *             mine = hdR_relateRemoteToken(node, token);
 *
 * The first request in a call creates a relation for the call, on the node of
 * its thread. The relation has one state, which is named after the MPI
 * function. Both last from this request to the end of the call. Calls without a
 * request have no relation.
 *
 * Work of an internal thread of the MPI library cannot be attributed to a call.
 * libhdMPI writes the relation with functions such as write(). A replacement of
 * such a function that calls hdMPI_currentRelation() must be able to handle
 * recursion.
 *
 * @param[out] buffer Buffer for the token; HDR_TOKEN_SIZE bytes are always
 *        sufficient.
 * @param size Size of the buffer.
 *
 * @return Length of the text without its '\0'.
 * @retval -1 No token, because of one of these reasons: the thread is not in a
 *         recorded call; the call only polls, such as MPI_Test(); it is inside
 *         a call whose token was requested before; relations are not recorded;
 *         or the buffer is too small. The buffer and errno are not changed.
 */
int hdMPI_currentRelation(char *buffer, size_t size);

/**
 * Functions with which another library in the process can write states to the
 * traces of libhdMPI. libhdOmp uses them for OpenMP.
 *
 * The states are regions, and nest with regions of hdMPI_regionStart(). Only
 * one thread at a time may begin and end the states of a thread: the thread
 * itself, or another thread while the thread is known to wait.
 */
struct hdMPI_recorder {
	/** Get the calling thread; NULL before MPI_Init(), after
	 *  MPI_Finalize(), and if nothing is recorded. The result does not
	 *  change during the lifetime of the thread. */
	void *(*thread)(void);
	/**
	 * Begin a state.
	 *
	 * @param thread The thread.
	 * @param name A valid name of a state, see hdMPI_regionStart().
	 * @param when Time since 1970 (CLOCK_REALTIME); NULL: now.
	 *
	 * @retval 0 The state is recorded.
	 * @retval 1 It is not recorded, but must still be ended.
	 * @retval -1 It is not recorded, and must not be ended.
	 */
	int (*start)(void *thread, const char *name,
		     const struct timespec *when);
	/**
	 * End the state that was begun last.
	 *
	 * @param thread The thread.
	 * @param when See start().
	 *
	 * @return See hdMPI_regionEnd().
	 */
	int (*end)(void *thread, const struct timespec *when);
	/**
	 * Add integers to the state that was begun last.
	 *
	 * @param thread The thread.
	 * @param keys Names of the attributes, separated by one blank.
	 * @param values One value for each name.
	 *
	 * @return See hdMPI_attributeInt().
	 */
	int (*attributes)(void *thread, const char *keys,
			  const int64_t *values);
	/** Add a text to the state that was begun last; see
	 *  hdMPI_attributeString(). */
	int (*text)(void *thread, const char *key, const char *value);
	/**
	 * Report the CPU time of the thread. It is occasionally written to the
	 * group `Cpu` of its node.
	 *
	 * @param thread The thread.
	 * @param nowNs Nanoseconds since 1970.
	 * @param usedNs CPU time in nanoseconds.
	 */
	void (*cpu)(void *thread, int64_t nowNs, int64_t usedNs);
};

/**
 * Get the recorder.
 *
 * @return The recorder; constant, never NULL. Look up this function with
 *         dlsym(): if it does not exist, the process is not traced.
 */
const struct hdMPI_recorder *hdMPI_getRecorder(void);

#else

static inline int hdMPI_currentRelation(char *buffer, size_t size)
{
	(void)buffer;
	(void)size;
	return -1;
}

static inline int hdMPI_enable(void)
{
	return 1;
}

static inline int hdMPI_disable(void)
{
	return 1;
}

static inline int hdMPI_regionStart(const char *name)
{
	(void)name;
	return 1;
}

static inline int hdMPI_regionEnd(void)
{
	return 1;
}

static inline int hdMPI_event(const char *name)
{
	(void)name;
	return 1;
}

static inline int hdMPI_attributeInt(const char *key, int64_t value)
{
	(void)key;
	(void)value;
	return 1;
}

static inline int hdMPI_attributeDouble(const char *key, double value)
{
	(void)key;
	(void)value;
	return 1;
}

static inline int hdMPI_attributeString(const char *key, const char *value)
{
	(void)key;
	(void)value;
	return 1;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
