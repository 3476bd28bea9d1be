/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the simulated meter measures: a law of time for each channel.
 *
 * A law gives the mean power of any interval exactly; so a test can compute
 * what the meter must have shown.
 */
#ifndef SIM_LAW_H
#define SIM_LAW_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

/** Quantities of a channel, with the names that the SHORT language has. */
enum simQuantity {
	SIM_UTRMS, /**< Root mean square of the voltage, in volts. */
	SIM_ITRMS, /**< Root mean square of the current, in amperes. */
	SIM_P,     /**< Active power, in watts. */
	SIM_S,     /**< Apparent power, in voltamperes. */
	SIM_Q,     /**< Reactive power, in var. */
	SIM_PF,    /**< Power factor. */
	SIM_FREQ,  /**< Frequency, in hertz. */
	SIM_EP,    /**< Active energy since *RST, in watt hours. */
	SIM_QUANTITIES,
};

/** How the power of a channel depends on time. */
enum simShape {
	SIM_CONSTANT,
	SIM_RAMP,
	SIM_SINE,
	SIM_SQUARE,
	SIM_HOST,
	SIM_FILE,
	SIM_PROCESS,
	SIM_EDGES,
	SIM_NODE,
};

/** The law of a channel. */
struct simLaw {
	enum simShape shape;
	double low, high;    /**< The levels, in watts. */
	double memory;       /**< Of a node: watts at full memory traffic. */
	double period;       /**< In seconds of the meter's time. */
	double duty;         /**< Share of the period at the high level. */
	double volts;        /**< Voltage. */
	double factor;       /**< Power factor. */
	double hertz;        /**< Frequency. */
	GArray *values;      /**< Of a file: uint32_t, the bits of a float. */
	guint next;          /**< Of a file: the next value. */
	uint64_t busy, idle; /**< Of the host: what /proc/stat last said. */
	char *path;     /**< Of a process: where its number is; of edges; of a
			     node: where its memory traffic is. */
	double late;    /**< Of edges: how far behind, in ms. */
	GArray *edges;  /**< What was read of them so far. */
	long offset;    /**< Until there. */
	int64_t origin; /**< Time 0, of the monotonic clock, in ns. */
	int64_t spent;  /**< Of a process: CPU time, ns; -1: not there. */
	char *text;     /**< As it was given. */
};

/**
 * Read a law: KIND[:NAME=VALUE,...], or file:PATH[,NAME=VALUE...],
 * and process, edges and node likewise.
 *
 * @return The law, to be given to simLawDestroy(); or NULL, and @p error says
 * what is wrong and what is allowed.
 */
struct simLaw *simLawParse(const char *text, GError **error);

/** Free a law; NULL does nothing. */
void simLawDestroy(struct simLaw *law);

/**
 * Measure one cycle.
 *
 * @param from, to The cycle, in seconds of the meter's time since its start.
 * @param energy What the channel has used so far, in watt hours; updated.
 * @param bits The values, as the bits of floats. A law of kind file leaves
 * them alone: there, simLawNext() gives one value for each query.
 */
void simLawMeasure(struct simLaw *law, double from, double to, double *energy,
		   uint32_t bits[SIM_QUANTITIES]);

/** The next value of a file, from the start again after the last. */
uint32_t simLawNext(struct simLaw *law);

/** The bits of a float. */
uint32_t simBits(double value);

#endif
