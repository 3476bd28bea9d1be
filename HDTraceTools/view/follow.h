/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: follows a project that is being written.
 *
 * The files are looked at several times a second. When they have grown, the
 * project is opened again and read in the background; when all tracks of this
 * edition are read, it takes the place of the one before. That one stays as
 * long as a request uses it. Its bytes stay for some seconds more, since pages
 * ask for what they were told before; what is in the next edition, too, stays
 * anyway, at the same place (store.h). So a page needs no place of its own
 * here, and any number of pages may come and go.
 *
 * Reading takes at most about a quarter of the time of one processor, however
 * large a project is: a large one has fewer editions.
 *
 * The report is made when no program writes the project any more. A program
 * that writes one has a lock on its files.
 */
#ifndef HD_VIEWFOLLOW_H
#define HD_VIEWFOLLOW_H

#include "HDTraceTools/view/edition.h"
#include "cli/output.h"

struct viewFollow;

/**
 * Open a project.
 *
 * @param opening Its members but the store outlive this; the store is made.
 * @return NULL if that fails, which was said.
 */
struct viewFollow *viewFollowNew(const struct viewOpening *opening);

/** Add so much to its times, in ns: before it is started. */
void viewFollowShift(struct viewFollow *self, int64_t shift);

/** Start to read, and to look for changes, when signals are blocked. */
void viewFollowStart(struct viewFollow *self);

/** End looking; no more editions come. Not from the thread of a request. */
void viewFollowStop(struct viewFollow *self);

/** Whether it can be freed without waiting for what cannot be stopped. After
 * the stop. */
bool viewFollowIsIdle(struct viewFollow *self);

/** Free it; NULL does nothing. */
void viewFollowFree(struct viewFollow *self);

/** Get the edition that there is, to be given back; any thread. */
struct viewEdition *viewFollowTake(struct viewFollow *self);
void viewFollowGiveBack(struct viewFollow *self, struct viewEdition *edition);

/**
 * Put what a page is told several times a second; any thread. Members: edition
 * (number), layout, hasTracks, hasReport, state ("rest": not written since it
 * was opened; "written"; "silent": for long, and no program is known to write
 * it; "stopped": no program writes it any more; "ended": the same, and all
 * traces and relations have their ends; "killed": the same, without one of
 * these; "gone": it cannot be opened), changed (when the files last changed;
 * null if they have not) and now, in s since 1970 as text, and events: texts of
 * what else happened to the files, the last ones.
 */
void viewFollowPut(struct viewFollow *self, struct outJson *json);

#endif
