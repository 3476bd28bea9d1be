/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Whether something is left behind: files, descriptors, threads.
 */
#ifndef LEFTOVER_H
#define LEFTOVER_H

/** Count what is in a directory, "." and ".." included. */
int testCountFiles(const char *path);

/**
 * Wait until this process has no more than so many threads, as
 * testCountFiles("/proc/self/task") counts them; fail if that takes a minute.
 * The kernel lists a thread for a moment after it was joined.
 */
void testWaitThreads(int most);

#endif
