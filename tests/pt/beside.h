/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a test needs beside it when its meter is a server of the system: files,
 * a port, and a bad way to it.
 */
#ifndef BESIDE_H
#define BESIDE_H

#include "tests/lib/process.h"

/** A directory of the test's own; its content and it are removed by
 *  besideEnd(). */
void besideStart(const char *name);
void besideEnd(void);

/** Where a file of this directory is; to be freed. */
char *besidePath(const char *name);

/** Write such a file. */
void besideWrite(const char *name, const char *text, int mode);

/** A port for UDP that nobody has at the moment. */
int besidePort(void);

/** Start tests/sim/udp-proxy with a script; returns its port. */
int besideProxy(struct process *proxy, int to, const char *script,
		gboolean both);

/** Add the test GROUP/NAME. */
void besideAdd(const char *group, const char *name, const void *data,
	       GTestDataFunc test);

/** A program of the system, or NULL; to be freed. */
char *besideFind(const char *program);

#endif
