/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What goes wrong with the simulated meter, and when.
 *
 * A script has one rule a line, "TRIGGER: ACTION [ARGUMENTS]"; README lists
 * them.
 */
#ifndef SIM_SCRIPT_H
#define SIM_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

/** What a rule waits for. */
enum simTrigger {
	SIM_AT_CYCLE,   /**< A message of continuous mode, by number. */
	SIM_AT_REPLY,   /**< Any other message, by number. */
	SIM_AT_COMMAND, /**< A command, by name and number. */
	SIM_AT_TIME,    /**< Seconds since the start. */
};

/** What a rule does. */
enum simAction {
	/* To a message: */
	SIM_SILENT,  /**< It is not sent; a command is ignored. */
	SIM_LOSE,    /**< Bytes get lost: position, number. */
	SIM_DOUBLE,  /**< Bytes come twice: position, number. */
	SIM_INSERT,  /**< Bytes come in addition: position, hexadecimal. */
	SIM_REPLACE, /**< Other bytes come: hexadecimal. */
	SIM_LENGTH,  /**< The length that blocks state is off by a number. */
	SIM_VALUES,  /**< It has some values more, or less. */
	SIM_ASCII,   /**< It is text where packed was asked for. */
	SIM_PACKED,  /**< It is packed where text was asked for. */
	SIM_SLOW,    /**< It comes later, by milliseconds. */
	SIM_AGAIN,   /**< It comes twice. */
	SIM_SWAP,    /**< It comes after the one that follows it. */
	/* To the meter: */
	SIM_ERROR,    /**< An error gets into the queue: text. */
	SIM_IDENTITY, /**< *IDN? says something else from now on: text. */
	SIM_HANG,     /**< Neither reads nor sends for some seconds. */
	SIM_UNPLUG,   /**< Port gone, back after some seconds (0: never). */
	SIM_REBOOT,   /**< Off, and starting anew after some seconds. */
	SIM_DRIFT,    /**< Cycles last longer by parts per million. */
	SIM_COUNT,    /**< The cycle counter has another value. */
	SIM_COUNTER,  /**< COUNT? answers something else: text. */
};

/** A line of a script. */
struct simRule {
	enum simTrigger trigger;
	uint64_t from, to; /**< Numbers; for commands 1 to the highest. */
	double seconds;    /**< Of SIM_AT_TIME. */
	char *command;     /**< Of SIM_AT_COMMAND: upper case. */
	uint64_t seen;     /**< How often that command came. */
	enum simAction action;
	double number;  /**< First number that the action has. */
	long count;     /**< Second number. */
	GString *bytes; /**< Text or bytes, or NULL. */
	bool done;      /**< Of SIM_AT_TIME. */
};

/** Whether an action changes a message, and not the meter. */
bool simActionOnMessage(enum simAction action);

/** Read a script; on failure NULL, and @p error names file and line. */
GPtrArray *simScriptRead(const char *path, GError **error);

/** An empty script. */
GPtrArray *simScriptNew(void);

/**
 * What is to happen now.
 *
 * @param number Of the message; ignored for commands, which are counted.
 * @param command For SIM_AT_COMMAND: in upper case, one space before arguments.
 * @return The rules, not copied, in the order of the script; or NULL if there
 * are none. To be freed with g_slist_free().
 */
GSList *simScriptMatch(GPtrArray *script, enum simTrigger trigger,
		       uint64_t number, const char *command);

/** Rules whose time has come, each once; as simScriptMatch(). */
GSList *simScriptTimed(GPtrArray *script, double seconds);

/** When the next rule's time comes, in seconds, or infinity. */
double simScriptNext(const GPtrArray *script);

#endif
