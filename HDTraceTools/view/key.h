/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: addresses that are the same when it is started again.
 *
 * The page of a server that ended goes on with the next one, if that has its
 * address. So with a port that was asked for, the token is no new random number
 * but made of a secret of the user, the port and the project: HMAC-SHA256,
 * which tells nobody the secret or another token. The secret is 32 random bytes
 * in hdtrace/view.key below $XDG_DATA_HOME (~/.local/share), readable for the
 * user alone.
 */
#ifndef HD_VIEWKEY_H
#define HD_VIEWKEY_H

#include <inttypes.h>
#include <stddef.h>

/**
 * Make the token of projects and a port.
 *
 * @param projects Their full paths.
 * @param token So many digits and a NUL.
 *
 * @return 0; or the negative errno of the secret, which cannot be kept, or is
 *         not ours alone (-EPERM): such a token must be a new one.
 */
int viewKeyToken(const char *projects, uint16_t port, char *token,
		 size_t length);

#endif
