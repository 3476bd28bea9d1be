/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A clock that is wrong on purpose, for tests.
 */
#ifndef HDMPI_TESTCLOCK_H
#define HDMPI_TESTCLOCK_H

/** Let what HDTRACE_MPI_TEST_CLOCK says replace the clock, if it is set. */
void hdmpiTestClock(void);

#endif
