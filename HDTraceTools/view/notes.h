/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: notes of users on a project, in the file NAME.notes beside it.
 *
 * A line is "@START[..END]", a tab, the path of a node or nothing, a tab, and
 * the text. Times are in seconds since 1970, with up to nine decimals.
 */
#ifndef HD_VIEWNOTES_H
#define HD_VIEWNOTES_H

#include <glib.h>
#include <stdbool.h>

/** No line, and no file, is longer. */
#define NOTES_LINE_MAX 16384
#define NOTES_FILE_MAX (1 << 20)

struct viewNotes;

/** Get ready; @p prefix is that of the project's files. */
struct viewNotes *viewNotesNew(const char *prefix);

/** Free it; NULL does nothing. */
void viewNotesFree(struct viewNotes *self);

/** Whether a text is a line, without its end. */
bool viewNotesIsLine(const char *text, size_t length);

/**
 * Append the file to a text; any thread. Lines that are no notes are left out.
 *
 * @return 0, also if there is no file; or a negative errno.
 */
int viewNotesRead(struct viewNotes *self, GByteArray *body);

/**
 * Add a line, or remove the first that is equal; any thread. All other lines
 * stay as they are.
 *
 * @retval 0 Success.
 * @retval -EINVAL It is not a line.
 * @retval -ENOENT There is no such line to remove.
 * @retval -EFBIG The file would be too long.
 * @return Another negative errno of the file.
 */
int viewNotesChange(struct viewNotes *self, bool isAdd, const char *line,
		    size_t length);

#endif
