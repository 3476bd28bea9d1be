/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Giving the group of a statistics file an attribute.
 */
#ifndef HD_EDIT_STATATTRIBUTE_H
#define HD_EDIT_STATATTRIBUTE_H

/**
 * Set an attribute of the group in the header of a .stat file, which is written
 * anew: until it is complete, the old one is there.
 *
 * @param name Name of the attribute.
 * @param value Needs no escaping.
 * @param[out] why What is wrong, of -EBADMSG.
 *
 * @retval 0 Success.
 * @retval -EBUSY The file grew meanwhile: it is still being recorded.
 * @retval -EBADMSG The header is none, or would become too long.
 * @return A negative errno, or as of plainFileOpen(); nothing was changed.
 */
int statAttributeSet(const char *path, const char *name, const char *value,
		     const char **why);

#endif
