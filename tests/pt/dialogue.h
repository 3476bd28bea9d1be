/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Dialogues with meters: what a driver says, what the meter says, and what
 * comes of it. tests/fixtures/meters/README tells how they are written.
 */
#ifndef DIALOGUE_H
#define DIALOGUE_H

#include "tests/pt/fakeport.h"

/** What a line asks for. */
enum dialogueAction {
	DIALOGUE_OPEN,
	DIALOGUE_START,
	DIALOGUE_READ,
	DIALOGUE_STOP,
	DIALOGUE_CLOSE,
};

/** Bytes, and when they come. */
struct dialogueChunk {
	int64_t afterNs; /**< Since those before. */
	GString *bytes;
};

/** What the driver must write, and what the meter says then. */
struct dialogueTurn {
	GString *written;  /**< NULL: before it writes, or unasked. */
	GPtrArray *chunks; /**< Of struct dialogueChunk. */
};

/** A step: a call of the driver. */
struct dialogueStep {
	int line;
	enum dialogueAction action;
	int result;       /**< What it is to return. */
	char *words;      /**< What is to be said, or what is read. */
	uint64_t lost;    /**< Of a reading. */
	GPtrArray *turns; /**< Of struct dialogueTurn. */
};

struct dialogue {
	char *name; /**< Of the file. */
	const struct ptDriver *driver;
	char *columns;
	struct ptScale scale;
	int64_t cycleNs;
	GPtrArray *options; /**< Names and values, then NULL. */
	/** Whether damaged bytes may make a wrong reading: the meter has
	 *  nothing that tells. */
	bool isBlind;
	bool isLossless;  /**< The way to the meter loses nothing. */
	GPtrArray *steps; /**< Of struct dialogueStep. */
};

/** Read a file; what is wrong with it fails the test. */
struct dialogue *dialogueRead(const char *path);

void dialogueFree(struct dialogue *dialogue);

/** The step that starts measuring. */
struct dialogueStep *dialogueStart(const struct dialogue *dialogue);

/** The readings that are expected, as texts. */
GPtrArray *dialogueReadings(const struct dialogue *dialogue);

/** Copy what the meter sends while it is measuring: of struct dialogueChunk. */
GPtrArray *dialogueStream(const struct dialogue *dialogue);

void dialogueChunkFree(void *chunk);

/** A dialogue that is being held. */
struct dialogueRun {
	const struct dialogue *dialogue;
	struct fakePort port;
	struct softDevice soft;
	/** What the meter sends instead while measuring, or NULL. */
	const GPtrArray *stream;
	/** Whether anything may be written and answered as far as it fits. */
	bool isFree;
	const struct dialogueStep *step; /**< At work. */
	guint turn;
};

void dialogueRunInit(struct dialogueRun *run, const struct dialogue *dialogue);
void dialogueRunClear(struct dialogueRun *run);

/** Do a step and return what the driver returned. */
int dialogueDo(struct dialogueRun *run, const struct dialogueStep *step);

/** Do all steps, which must come out as written. */
void dialoguePlay(struct dialogueRun *run);

#endif
