/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which states are functions of MPI.
 */
#ifndef HD_CAUSES_MPIFUNCTIONS_H
#define HD_CAUSES_MPIFUNCTIONS_H

#include <stdbool.h>

/** Whether a name is that of a function of MPI, as libhdMPI records it: "Send";
 *  any thread. */
bool mpiIsFunction(const char *name);

#endif
