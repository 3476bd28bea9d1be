/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Writing the project file.
 */
#ifndef HDMPI_PROJECT_H
#define HDMPI_PROJECT_H

/**
 * Let `hdtrace merge` write the project file, and wait for it.
 *
 * HDTRACE_MPI_HDTRACE names the command; the default is where it was
 * installed. Nothing happens if it is not there.
 */
void hdmpiProjectMerge(void);

#endif
