/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file attributes.h
 * The attributes of one XML element while they are collected.
 */
#ifndef HD_ATTRIBUTES_H
#define HD_ATTRIBUTES_H

#include <stddef.h>
#include <stdint.h>

#include "text.h"

/**
 * Append ` key='`, after checking the key.
 *
 * @param text Text that ends in the element's start tag, as far as it is.
 * @param element Where that start tag stands in @p text.
 * @param seen Filter of the keys so far; 0 for a new element.
 * @param key Name of the attribute; need not be terminated.
 * @param length Its length.
 * @param room Bytes to make room for after it.
 *
 * @return 0, -HD_ERR_MALLOC or -HD_ERR_INVALID_ARGUMENT (the key is not a
 *         name, is reserved, or was there before) with nothing appended.
 */
int hdAttributeBegin(struct hdText *text, size_t element, uint64_t *seen,
		     const char *key, size_t length, size_t room);

/**
 * Append a list of attributes, `key='value' key="value"`, escaped.
 *
 * @param text, element, seen As of hdAttributeBegin().
 * @param list The list.
 *
 * @return 0, -HD_ERR_MALLOC or -HD_ERR_INVALID_ARGUMENT with nothing appended.
 */
int hdAttributeList(struct hdText *text, size_t element, uint64_t *seen,
		    const char *list);

#endif
