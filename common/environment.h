/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The environment, for what is linked into other people's programs.
 */
#ifndef HD_ENVIRONMENT_H
#define HD_ENVIRONMENT_H

#include <stdlib.h>

/**
 * Get a variable. In a program that has more rights than who runs it, set-uid
 * or set-gid, there is none: it would be said by others where files are
 * written and what is run.
 */
static inline const char *hdEnvironment(const char *name)
{
	return secure_getenv(name);
}

/** The same, but NULL where it is empty, too. */
static inline const char *hdEnvironmentText(const char *name)
{
	const char *text = hdEnvironment(name);

	return text && *text ? text : NULL;
}

#endif
