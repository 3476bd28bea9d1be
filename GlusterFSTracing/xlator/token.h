/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The token of an operation in xdata.
 */
#ifndef HDG_TOKEN_H
#define HDG_TOKEN_H

#include "GlusterFSTracing/xlator/gluster.h"

#include <hdRelation.h>

/** Find the token of whoever is above, or return NULL. What came by the wire
 * may be anything. */
const char *tokenFind(dict_t *xdata);

/** Get a dictionary with another token in it. Without memory the old one goes
 * on: its token is that of a cause further up. */
dict_t *tokenSet(dict_t *xdata, hdR_token token);

/** Get a dictionary without a token in it. */
dict_t *tokenRemove(dict_t *xdata);

#endif
