/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The probes of programs on this node, as JSON.
 */
#ifndef HD_NODE_PROBES_H
#define HD_NODE_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <jansson.h>

/**
 * Read the probes of some processes.
 *
 * @param isReset Whether they begin anew.
 * @param budgetNs How long that may take; those that are left then are listed
 *        with an `error`.
 * @param[out] missed Deadlines that were missed since each began, or was reset;
 *             NULL if nobody wants it.
 *
 * @return `processes`: of each `pid`, `name`, `error` (null), `clock`,
 *         `seconds`, `lost`, and `probes`.
 */
json_t *nodeProbesRead(const pid_t *list, size_t count, bool isReset,
		       int64_t budgetNs, uint64_t *missed);

#endif
