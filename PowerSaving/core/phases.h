/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How programs tell hdpower their phases: datagrams with the name of the phase,
 * to a socket in the abstract name space.
 */
#ifndef HD_POWER_PHASES_H
#define HD_POWER_PHASES_H

/** Environment variable with the name of the socket. */
#define HD_POWER_PHASES "HDPOWER_PHASES"
/** Longest name of a phase, with its final zero byte. */
#define HD_POWER_PHASE_SIZE 128

#endif
