/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: answers from the data of a project.
 */
#ifndef HD_VIEWANSWERS_H
#define HD_VIEWANSWERS_H

#include <stdbool.h>
#include <glib.h>

#include "HDTraceTools/view/server.h"

struct MHD_Connection;

/** A request, and the answer to it. */
struct exchange {
	struct viewServer *server;
	/** The project that is asked about, and its edition; NULL: none. */
	struct viewFollow *follow;
	struct viewEdition *edition;
	const struct viewServed *project; /**< Of the edition. */
	struct MHD_Connection *connection;
	/** Get an argument of the address, or NULL. */
	const char *(*argument)(const struct exchange *exchange,
				const char *name);
	GByteArray *body;
	const char *type;
};

/** Types of answers. */
#define ANSWER_HTML "text/html; charset=utf-8"
#define ANSWER_TEXT "text/plain; charset=utf-8"
#define ANSWER_JSON "application/json"
#define ANSWER_BYTES "application/octet-stream"

/** Get a number in an argument; false: there is none, or it is too large. */
bool answerNumber(const struct exchange *exchange, const char *name,
		  guint64 max, guint64 *number);

/* Each returns a status of HTTP; server.h says what they are. */
unsigned int answerTrack(struct exchange *exchange);
unsigned int answerPart(struct exchange *exchange);
unsigned int answerEntries(struct exchange *exchange);
unsigned int answerStates(struct exchange *exchange);
unsigned int answerPairs(struct exchange *exchange);
unsigned int answerNotes(struct exchange *exchange);

/** Add or remove a note; what is wrong is told. */
unsigned int answerNoteChange(struct exchange *exchange,
			      const GByteArray *line);

#endif
