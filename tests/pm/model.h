/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A server of pmlib made of software, for tests of libpm: it answers as the
 * four known ones do, and goes wrong where a test wants it to.
 *
 * It knows two devices. What it "measures" is a law: sample i of set s of line
 * l is modelWatts(l, s, i), and set s has modelCount(s) samples. It runs in
 * processes of its own, one for each connection, and shares no code with libpm.
 */
#ifndef PM_MODEL_H
#define PM_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmlib.h>

/** Connections of which the requests are kept, and how many bytes of each. */
#define MODEL_CONNECTIONS 8
#define MODEL_REQUESTS 4096

/** The devices: one with lines of power, one with C-states. */
#define MODEL_DEVICE "DCMeter1"
#define MODEL_LINES 12
#define MODEL_FREQUENCY 28
#define MODEL_STATES "Cstates"
#define MODEL_STATES_LINES 8
#define MODEL_STATES_FREQUENCY 10

/** As the first, but it is not in the list. */
#define MODEL_HIDDEN "Dummy4"

/** What the model does wrong. */
enum modelFault {
	MODEL_GOOD,
	MODEL_CLOSES,  /**< Ends the connection. */
	MODEL_RESETS,  /**< Ends it with a reset. */
	MODEL_SILENT,  /**< Says no more, but stays. */
	MODEL_GARBLES, /**< Sends a byte with all bits turned over. */
	MODEL_LIES,    /**< Sends other bytes, those of modelLie(). */
};

/** What the model is to be. */
struct model {
	char dialect;      /**< 'A' to 'D'; 'O' is ours. */
	bool isStatusSlow; /**< Never answers STATUS, as Python with counters.
			    */
	bool hasNoLines;   /**< Lines have no names that tell a CPU. */
	int tooManySets;   /**< Added to the number of sets. */
	int tooManyValues; /**< Added to the number of values. */
	bool isLimited;    /**< Ends what is running itself: STOP is refused. */
	int chunk;         /**< Bytes sent at once; 0 for all. */
	/* Of the model. */
	struct modelRecord *record;
	int pid;
	server_t server;
};

/** What the test and the model share. */
struct modelRecord {
	/* The fault comes in this connection (0 is the first) when so many
	 * bytes were sent. */
	enum modelFault fault;
	int connection;
	size_t after;
	unsigned char lie[8];
	size_t lieSize;
	int generation;  /**< Number of the last modelArm(). */
	int connections; /**< How many there were since then. */
	int finalized;   /**< Counters that were ended properly. */
	size_t got[MODEL_CONNECTIONS];  /**< Bytes received. */
	size_t sent[MODEL_CONNECTIONS]; /**< Bytes sent. */
	unsigned char requests[MODEL_CONNECTIONS][MODEL_REQUESTS];
};

/** Watts of a sample; of the device of states, a percentage. */
double modelWatts(int line, int set, int sample);
double modelPercent(int line, int set, int sample);

/** Number of samples of a set. */
int modelCount(int set);

/** Start a model; its server is filled in. */
void modelStart(struct model *model);

/**
 * Let the model go wrong, and forget what it has got; nobody is connected.
 *
 * @param connection The connection in which it does, from 0.
 * @param after How many bytes it sends before.
 */
void modelArm(struct model *model, enum modelFault fault, int connection,
	      size_t after);

/** As modelArm(): send these bytes, 8 at most, of a message that is sent at
 * once and has as many left. */
void modelLie(struct model *model, int connection, size_t after,
	      const void *bytes, size_t size);

/** End it. */
void modelStop(struct model *model);

#endif
