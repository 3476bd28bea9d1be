/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the runtime of OpenMP tells.
 */
#ifndef HD_OMP_CALLBACKS_H
#define HD_OMP_CALLBACKS_H

/* Where it is only configure knows: it lies among clang's own headers. */
#include HD_OMP_TOOLS_H

/** Ask the runtime to tell what ompOptions wants. */
void ompCallbacksSet(ompt_set_callback_t set);

#endif
