/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The simulated meter: what it is told, what it measures, what it says.
 */
#ifndef SIM_DEVICE_H
#define SIM_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "tests/sim/law.h"
#include "tests/sim/message.h"
#include "tests/sim/port.h"
#include "tests/sim/record.h"
#include "tests/sim/script.h"

#define SIM_CHANNELS 4

/** A channel. */
struct simChannel {
	struct simLaw *law;
	double energy; /**< In watt hours since *RST. */
	uint32_t bits[SIM_QUANTITIES];
};

/** One value that continuous mode sends. */
struct simQuery {
	int quantity; /**< enum simQuantity, or -1 for the cycle counter. */
	int channel;  /**< From 0. */
};

/** The meter. Set by the caller: what comes before @c language. */
struct simDevice {
	struct simPort *port;
	struct simRecord *record;
	GPtrArray *script;
	struct simChannel channels[SIM_CHANNELS];
	enum simBlocks blocks;
	int counter;     /**< enum simCounter. */
	bool oneChannel; /**< A query without a digit is of channel 1. */
	char *identity;
	double speedup;   /**< How fast its time passes. */
	bool fastest;     /**< Its time passes as fast as the host reads. */
	double latencyNs; /**< From the end of a cycle to its message. */
	double phase;     /**< From CYCL to the first cycle, in seconds. */
	double drift;     /**< How much longer cycles are, in 1e-6. */
	uint64_t limit;   /**< Messages of continuous mode; 0: no limit. */

	bool shortLanguage, packed, continuous;
	double cycle;       /**< As set, in seconds. */
	GArray *action;     /**< struct simQuery. */
	GQueue errors;      /**< char *. */
	GQueue commands;    /**< char *, NULL for the end of a line. */
	GString *line;      /**< What came of the next line. */
	bool telnet;        /**< The last byte was FF. */
	bool copyAtEnd;     /**< INIM: a query waits for the end of a cycle. */
	bool waiting;       /**< A query does. */
	GArray *reply;      /**< struct simItem, of the line at work. */
	GArray *lastValues; /**< Bits of the values of the last message. */
	GSList *faults;     /**< struct simRule, for the next message. */
	GString *held;      /**< A message that the next one overtakes. */
	uint64_t count;     /**< Cycle counter. */
	uint64_t messages;  /**< Of continuous mode. */
	uint64_t dropped;   /**< Of these, with no room or no host. */
	uint64_t replies;   /**< Others. */
	double cycleStart, cycleEnd; /**< In seconds of its time. */
	int64_t origin;              /**< Monotonic time of its time 0. */
	int64_t deafUntil;           /**< End of "hang" and "reboot". */
};

/** Switch it on. */
void simDeviceStart(struct simDevice *device);

/** Free what simDeviceStart() and the dialogue made. */
void simDeviceStop(struct simDevice *device);

/** Take bytes from the host. */
void simDeviceInput(struct simDevice *device, const char *bytes, size_t length);

/** Take a BREAK: continuous mode ends; SCPI and text from now on. */
void simDeviceBreak(struct simDevice *device);

/** Do what is due: the end of cycles, rules of the script. */
void simDeviceTick(struct simDevice *device, int64_t now);

/** When the next thing is due. */
int64_t simDeviceNext(const struct simDevice *device, int64_t now);

/** Whether it does not react. */
bool simDeviceDeaf(const struct simDevice *device, int64_t now);

/** Whether all messages of continuous mode that it may send are sent. */
bool simDeviceDone(const struct simDevice *device);

/* ---- Between device.c, commands.c and faults.c
 * ------------------------------------ */

/** Carry out the commands that came, until one waits. */
void simCommandsRun(struct simDevice *device);

/** Forget commands, and the answers to them. */
void simCommandsForget(struct simDevice *device);

/** Add the answer to a query to a message. */
void simDeviceAnswer(struct simDevice *device, const struct simQuery *query,
		     GArray *items, bool isContinuous);

/** Send what the line at work answered. */
void simDeviceReply(struct simDevice *device);

/** *RST. */
void simDeviceReset(struct simDevice *device);

/** Begin a cycle of this length now. */
void simDeviceSetCycle(struct simDevice *device, double seconds);

/** Put an error into the queue. */
void simDeviceError(struct simDevice *device, const char *error);

/** Empty the error queue. */
void simDeviceClearErrors(struct simDevice *device);

#endif
