/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Asking a BMC by IPMI: of this machine by the kernel's driver, or of another
 * one by the network.
 *
 * FreeIPMI does the work, opened at run time. It waits for what it asked for
 * and cannot be woken meanwhile; so each function may take PT_BMC_PATIENCE_MS.
 *
 * Functions return 0 or a negative errno value after logging the reason. A BMC
 * is used by one thread at a time.
 */
#ifndef PT_BMC_H
#define PT_BMC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The longest that a BMC is waited for. */
#define PT_BMC_PATIENCE_MS 2000

struct ptBmc;

/** How to reach a BMC. */
struct ptBmcSetup {
	const char *name;    /**< Who asks, for messages: "ipmi". */
	const char *library; /**< Instead of FreeIPMI's, or NULL. */
	const char
		*device;  /**< Of the kernel's driver; NULL: by the network. */
	const char *host; /**< In numbers, with port. */
	const char *user, *password;
	const char *key;         /**< K_g, or NULL. */
	bool isOld;              /**< IPMI 1.5 instead of 2.0. */
	unsigned int cipher;     /**< Cipher suite; of IPMI 2.0. */
	const char *privilege;   /**< That ptBmcPrivilege() knows. */
	const char *workarounds; /**< That ptBmcWorkarounds() takes, or NULL. */
};

/**
 * Tell whether this can be used here.
 *
 * @param[out] why Why not, and which package helps.
 */
bool ptBmcIsThere(const char *library, char *why, size_t whySize);

/** Check a privilege: user, operator, admin. */
bool ptBmcKnowsPrivilege(const char *name);

/** Check a list of workarounds, "opensesspriv,authcap". */
bool ptBmcKnowsWorkarounds(const char *list);

/**
 * Begin a session.
 *
 * @retval -EACCES User, password, key or privilege are not what the BMC wants,
 *         or the device of the kernel's driver may not be used.
 * @retval -ETIMEDOUT No answer.
 * @retval -ENODEV There is no such device.
 */
int ptBmcOpen(const struct ptBmcSetup *setup, struct ptBmc **result);

/**
 * Ask, and get the answer: command, completion code, data.
 *
 * @param[out] got Its size; what is more than @p max is an error.
 *
 * @retval -ENODEV The session is over; close and open.
 */
int ptBmcAsk(struct ptBmc *bmc, uint8_t netFn, const uint8_t *request,
	     size_t size, uint8_t *answer, size_t max, size_t *got);

/** End a session; takes NULL. */
void ptBmcClose(struct ptBmc *bmc);

#endif
