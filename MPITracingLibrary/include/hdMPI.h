/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a program may say to the MPI wrapper that traces it.
 *
 * libhdMPI records the calls of MPI without the program's help. With these
 * functions the program adds what only it knows: the regions that its run
 * consists of, events, numbers; and it can record parts of a run only.
 *
 *     hdMPI_regionStart("Solve");
 *     hdMPI_attributeInt("iterations", n);
 *     MPI_Allreduce(...);              // recorded inside of "Solve"
 *     hdMPI_regionEnd();
 *
 * Regions are states of the calling thread's trace, around the states of the
 * MPI calls that it makes meanwhile. They must be properly nested.
 *
 * **Without tracing.** If `HDMPI_OFF` is defined before this header is
 * included, the functions are empty inline functions, and the program does not
 * need the library. Programs that are linked with the library but run with
 * `HDTRACE_MPI=0` record nothing either. From Fortran call the functions as
 * subroutines with the same names and arguments, but without results; see
 * hdMPI.inc.
 *
 * **When.** Between MPI_Init() and MPI_Finalize(). Before and after, and where
 * nothing is recorded at the moment, the functions do nothing and return 1.
 *
 * **Threads.** Any thread may call them; each has its own regions.
 *
 * `MPI_Pcontrol(0)` is the same as hdMPI_disable(), `MPI_Pcontrol(1)` as
 * hdMPI_enable(), and `MPI_Pcontrol(2)` hands what was recorded to the system.
 *
 * The environment variables that libhdMPI obeys are described in hdmpirun(1).
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
 * Record from now on, in all threads of this process.
 *
 * @retval 0 Recording is enabled now.
 * @retval 1 It was enabled already, or there is nothing to enable.
 */
int hdMPI_enable(void);

/**
 * Record nothing from now on, in all threads of this process.
 *
 * Regions that are open are recorded with their true end.
 *
 * @retval 0 Recording is disabled now.
 * @retval 1 It was disabled already.
 */
int hdMPI_disable(void);

/**
 * Start a region.
 *
 * @param name Its name. Characters that the name of a state must not hold (see
 *        hdTrace.h) are replaced by `_`; the attribute `name` has the original
 *        then.
 *
 * @retval 0 It is recorded.
 * @retval 1 It is not, but must be ended all the same.
 */
int hdMPI_regionStart(const char *name);

/**
 * End the region that was started last.
 *
 * @retval 0 It was recorded.
 * @retval 1 It was not, or there is none.
 */
int hdMPI_regionEnd(void);

/**
 * Record an event: something that happens at a moment.
 *
 * @param name Any text.
 *
 * @retval 0 It is recorded.
 * @retval 1 It is not.
 */
int hdMPI_event(const char *name);

/**
 * Add an integer to the region that was started last.
 *
 * @param key Name of the attribute: letters, digits, `_`, `.` and `-`,
 *        beginning with a letter or `_`, not `time` or `end`, and not given
 *        before.
 * @param value Its value.
 *
 * @retval 0 It is recorded.
 * @retval 1 It is not: the region is not, or the key is not allowed.
 */
int hdMPI_attributeInt(const char *key, int64_t value);

/**
 * Add a floating point number to the region that was started last.
 *
 * @param key As of hdMPI_attributeInt().
 * @param value Its value.
 *
 * @return As of hdMPI_attributeInt().
 */
int hdMPI_attributeDouble(const char *key, double value);

/**
 * Add a text to the region that was started last.
 *
 * @param key As of hdMPI_attributeInt().
 * @param value Its value, of any length and content.
 *
 * @return As of hdMPI_attributeInt().
 */
int hdMPI_attributeString(const char *key, const char *value);

/**
 * Get the token of the MPI call that the calling thread is in, for what is
 * below MPI: a library that the call's I/O goes through, say. With it
 * hdR_relateRemoteToken() (hdRelation.h) makes a relation that the call has
 * caused, in this process or in any other one that it is sent to.
 *
 *     char token[HDR_TOKEN_SIZE];
 *
 *     if (hdMPI_currentRelation(token, sizeof(token)) > 0)
 *             mine = hdR_relateRemoteToken(node, token);
 *
 * The first time that this is asked in a call it gets a relation, on the node
 * of its thread, with one state, which is named by the function. Both last from
 * then to the end of the call. Calls of which nobody asks have none.
 *
 * What a thread of the MPI library does for a call is not known to be done for
 * it. Who calls this from a function that libhdMPI uses, too, such as write(),
 * has to expect itself: the relation is written with it.
 *
 * @param[out] buffer Where to put it; HDR_TOKEN_SIZE bytes are always enough.
 * @param size Its size.
 *
 * @return Length of the text without its '\0'.
 * @retval -1 The thread is in no call that is recorded, or in one that only
 * asks whether something has happened (MPI_Test() and such), or in one inside a
 *         call that was asked for before; relations are not recorded; or the
 * buffer is too small. Nothing was written. errno is not touched.
 */
int hdMPI_currentRelation(char *buffer, size_t size);

/**
 * What another library in the process writes its states with, among those of
 * the MPI calls of the same thread: libhdOmp does, for OpenMP.
 *
 * States are regions, and nest with those of hdMPI_regionStart(). A thread's
 * states are begun and ended by one thread at a time: the thread itself, or
 * another one while it is known to wait.
 */
struct hdMPI_recorder {
	/** Get the calling thread; NULL before MPI_Init(), after
	 *  MPI_Finalize(), and where nothing is recorded. What it returns is
	 *  the same as long as the thread lives. */
	void *(*thread)(void);
	/**
	 * Begin a state.
	 *
	 * @param thread Whose.
	 * @param name As of hdMPI_regionStart(), but one that a state may have.
	 * @param when Since 1970 (CLOCK_REALTIME); NULL: now.
	 *
	 * @retval 0 It is recorded.
	 * @retval 1 It is not, but must be ended all the same.
	 * @retval -1 It is not, and must not be ended.
	 */
	int (*start)(void *thread, const char *name,
		     const struct timespec *when);
	/**
	 * End the state that was begun last.
	 *
	 * @param thread Whose.
	 * @param when As of start().
	 *
	 * @return As of hdMPI_regionEnd().
	 */
	int (*end)(void *thread, const struct timespec *when);
	/**
	 * Add integers to the state that was begun last.
	 *
	 * @param thread Whose.
	 * @param keys Their names, with one blank between them.
	 * @param values As many.
	 *
	 * @return As of hdMPI_attributeInt().
	 */
	int (*attributes)(void *thread, const char *keys,
			  const int64_t *values);
	/** Add a text to the state that was begun last; as
	 *  hdMPI_attributeString(). */
	int (*text)(void *thread, const char *key, const char *value);
	/**
	 * Tell how much CPU time the thread has used: now and then that goes
	 * into the group `Cpu` of its node.
	 *
	 * @param thread Whose.
	 * @param nowNs Nanoseconds since 1970.
	 * @param usedNs CPU time in nanoseconds.
	 */
	void (*cpu)(void *thread, int64_t nowNs, int64_t usedNs);
};

/**
 * Get what others write states with.
 *
 * @return It; constant, never NULL. Look for the function with dlsym(): where
 *         there is none the process is not traced.
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
