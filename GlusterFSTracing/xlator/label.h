/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What names in volume files may be, for those who write them or ask for one,
 * and the translator, which refuses others.
 */
#ifndef HDG_LABEL_H
#define HDG_LABEL_H

#include <stdbool.h>
#include <string.h>

/** Bytes of the label of a node or host, with the NUL. */
#define LABEL_GIVEN_MAX 96
/** Bytes of the name of a project, with the NUL. */
#define LABEL_PROJECT_MAX 128

/** What the name of a project is, and how many bytes at most. */
#define LABEL_PROJECT_RULE                                             \
	"a name of at most %d bytes without \"/\", \"_\", quotes and " \
	"blanks that does not start with \".\" or \"#\""

/** Whether a text may be the name of a project: a word of a volume file without
 *  quotes, and a part of names of files. */
static inline bool labelIsProject(const char *text)
{
	return *text && *text != '.' && *text != '#' &&
	       !strpbrk(text, " \t\r\n\"\\`/_") &&
	       strlen(text) < LABEL_PROJECT_MAX;
}

#endif
