/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Whether something is left behind: files, descriptors, threads.
 */
#ifndef LEFTOVER_H
#define LEFTOVER_H

#include <stdbool.h>

/** Count what is in a directory, "." and ".." included. */
int testCountFiles(const char *path);

/**
 * Wait until this process has no more than so many threads, as
 * testCountFiles("/proc/self/task") counts them; fail if that takes a minute.
 * The kernel lists a thread for a moment after it was joined.
 */
void testWaitThreads(int most);

/** Descriptors that testTakeDescriptors() looks at. */
#define TEST_DESCRIPTORS 1024

/** Note which descriptors are open. */
void testNoteDescriptors(bool isOpen[TEST_DESCRIPTORS]);

/**
 * Do as a program does that closes all descriptors and opens its own: those
 * that were opened since they were noted become copies of another.
 *
 * @param isOpen As noted; on return true for those that were taken only.
 * @return How many were taken.
 */
int testTakeDescriptors(bool isOpen[TEST_DESCRIPTORS], int own);

/** Check that what was taken is still there, close it, and check that nothing
 *  was written into the file at @p path, which holds @p text. */
void testCheckTaken(const bool taken[TEST_DESCRIPTORS], const char *path,
		    const char *text);

#endif
