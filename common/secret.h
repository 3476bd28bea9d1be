/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Files with secrets: passwords, tokens. Nobody else may read or change them.
 *
 * Secrets are in files that nobody else may read, never in a configuration,
 * an address or a command line, which others can see.
 */
#ifndef HD_SECRET_H
#define HD_SECRET_H

#include <stddef.h>
#include <stdint.h>

#include "common/ini.h"

/**
 * Read a file with secrets: one that belongs to root or to who runs this, and
 * that others may not read or change (its group may read it).
 *
 * @param max Most bytes that it may have.
 * @param[out] text Its content and a zero, to be given to hdSecretFree().
 * @param[out] why What is wrong, without the content and the path.
 *
 * @retval -EPERM It is somebody else's, or others may use it.
 * @retval -EINVAL It is no file, too large, or no text.
 * @retval -ENOMEM There is no memory. (Or another error of open() and read().)
 */
int hdSecretRead(const char *path, size_t max, char **text, size_t *size,
		 char *why, size_t whySize);

/** Forget a secret and free it; takes NULL. */
void hdSecretFree(char *text, size_t size);

/** What a meter wants to know of who reads it: a file with one section,
 *  [Credentials]. */
struct hdCredentials {
	struct hdIni ini;
};

/**
 * Read credentials.
 *
 * @param keys Which it may have; the list ends with NULL.
 * @param[out] why As of hdSecretRead(); with the line.
 *
 * @return 0 or a negative errno value.
 */
int hdCredentialsRead(const char *path, const char *const *keys,
		      struct hdCredentials *credentials, char *why,
		      size_t whySize);

/** Get one of them, or NULL. */
const char *hdCredentialsGet(const struct hdCredentials *credentials,
			     const char *name);

/** Forget them. */
void hdCredentialsClear(struct hdCredentials *credentials);

#endif
