/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The token of an operation in xdata: found, set and removed.
 */
#include "config.h"

#include <string.h>

#include "GlusterFSTracing/xlator/token.h"
#include "GlusterFSTracing/xlator/operation.h"

/* ---- The token in xdata ------------------------------------------------ */

const char *tokenFind(dict_t *xdata)
{
	data_t *data = xdata ? dict_get_sizen(xdata, TOKEN_KEY) : NULL;

	if (!data || !data->data || data->len == 0 ||
	    data->len > HDR_TOKEN_SIZE ||
	    !memchr(data->data, '\0', (size_t)data->len))
		return NULL;
	return data->data;
}

/* Copy a dictionary without the token in it; the values are the same. */
static dict_t *tokenLeaveOut(const dict_t *xdata)
{
	dict_t *dict = dict_new();

	for (data_pair_t *at = xdata ? xdata->members_list : NULL; dict && at;
	     at = at->next) {
		if (strcmp(at->key, TOKEN_KEY) == 0)
			continue;
		if (dict_addn(dict, at->key, (int)strlen(at->key), at->value) <
		    0) {
			dict_unref(dict);
			dict = NULL;
		}
	}
	return dict;
}

dict_t *tokenSet(dict_t *xdata, hdR_token token)
{
	char text[HDR_TOKEN_SIZE];
	dict_t *dict = tokenLeaveOut(xdata);
	char *copy = NULL;

	if (dict && hdR_putRemoteToken(token, text, sizeof(text)) > 0)
		copy = gf_strdup(text);
	if (copy && dict_set_dynstr_sizen(dict, TOKEN_KEY, copy) == 0)
		return dict;
	GF_FREE(copy);
	if (dict)
		dict_unref(dict);
	return xdata;
}

dict_t *tokenRemove(dict_t *xdata)
{
	if (!xdata || !dict_get_sizen(xdata, TOKEN_KEY))
		return xdata;
	/* Nothing else in it: as if there had been none. */
	return xdata->count == 1 ? NULL : tokenLeaveOut(xdata);
}

void operationPassed(dict_t *handed, dict_t *xdata)
{
	if (handed && handed != xdata)
		dict_unref(handed);
}
