/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files with secrets; see secret.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/secret.h"

#define SECTION "Credentials"
#define CREDENTIALS_MAX 4096

/* Check whose file it is and who may use it. */
static int checkFile(int fd, size_t max, char *why, size_t whySize)
{
	struct stat st;

	if (fstat(fd, &st) < 0) {
		int error = errno;

		snprintf(why, whySize, "%s", strerror(error));
		return -error;
	}
	if (!S_ISREG(st.st_mode) || st.st_size > (off_t)max) {
		snprintf(why, whySize,
			 "not a regular file of at most %zu bytes", max);
		return -EINVAL;
	}
	if (st.st_mode & (S_IRWXO | S_IWGRP | S_IXGRP)) {
		snprintf(why, whySize,
			 "other users have access (mode %03o); run chmod 600 "
			 "or 640",
			 (unsigned int)st.st_mode & 0777);
		return -EPERM;
	}
	if (st.st_uid != 0 && st.st_uid != geteuid()) {
		snprintf(why, whySize,
			 "the owner is neither root nor the user that runs pt");
		return -EPERM;
	}
	return 0;
}

int hdSecretRead(const char *path, size_t max, char **text, size_t *size,
		 char *why, size_t whySize)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret;
	char *bytes = NULL;
	size_t used = 0;
	ssize_t got = 1;

	if (fd < 0) {
		ret = -errno;
		snprintf(why, whySize, "cannot open: %s", strerror(-ret));
		return ret;
	}
	ret = checkFile(fd, max, why, whySize);
	if (ret == 0) {
		bytes = malloc(max + 1);
		if (!bytes)
			ret = -ENOMEM;
	}
	while (ret == 0 && got > 0 && used < max) {
		got = read(fd, bytes + used, max - used);
		if (got > 0)
			used += (size_t)got;
		else if (got < 0)
			ret = -errno;
	}
	close(fd);
	if (ret == 0 && memchr(bytes, '\0', used)) {
		snprintf(why, whySize, "not a text file");
		hdSecretFree(bytes, used);
		return -EINVAL;
	}
	if (ret < 0) {
		if (ret != -EPERM && ret != -EINVAL)
			snprintf(why, whySize, "%s", strerror(-ret));
		hdSecretFree(bytes, used);
		return ret;
	}
	bytes[used] = '\0';
	*text = bytes;
	*size = used;
	return 0;
}

void hdSecretFree(char *text, size_t size)
{
	if (text)
		explicit_bzero(text, size);
	free(text);
}

/* ---- Credentials ------------------------------------------------------- */

/* The first thing that is wrong. */
struct problem {
	char *why;
	size_t whySize;
	bool isThere;
};

static void secretLogProblem(void *context, long line, const char *text)
{
	struct problem *problem = context;

	if (!problem->isThere)
		snprintf(problem->why, problem->whySize, "line %ld: %s", line,
			 text);
	problem->isThere = true;
}

/* Check that there is nothing but what there may be. Values are not shown. */
static void secretCheckSection(const struct hdIni *ini, const char *const *keys,
			       struct problem *problem)
{
	char text[64];

	if (ini->count == 0)
		secretLogProblem(problem, 1, "missing section [" SECTION "]");
	for (size_t i = 0; i < ini->count; i++)
		if (i > 0 || strcmp(ini->sections[i].name, SECTION) != 0)
			secretLogProblem(problem, ini->sections[i].line,
					 "unknown section; expected [" SECTION
					 "]");
	for (size_t i = 0; ini->count > 0 && i < ini->sections[0].count; i++) {
		const struct hdIniKey *key = &ini->sections[0].keys[i];
		const char *const *known = keys;

		while (*known && strcmp(*known, key->name) != 0)
			known++;
		snprintf(text, sizeof(text), "%.40s: unknown key", key->name);
		if (!*known)
			secretLogProblem(problem, key->line, text);
		snprintf(text, sizeof(text), "%.40s is empty", key->name);
		if (*known && !*key->value)
			secretLogProblem(problem, key->line, text);
	}
}

int hdCredentialsRead(const char *path, const char *const *keys,
		      struct hdCredentials *credentials, char *why,
		      size_t whySize)
{
	struct problem problem = { why, whySize, false };
	size_t size = 0;
	char *text;
	int ret =
		hdSecretRead(path, CREDENTIALS_MAX, &text, &size, why, whySize);

	if (ret < 0)
		return ret;
	ret = hdIniParse(text, size, secretLogProblem, &problem,
			 &credentials->ini);
	hdSecretFree(text, size);
	if (ret < 0) {
		snprintf(why, whySize, "%s", strerror(-ret));
		return ret;
	}
	secretCheckSection(&credentials->ini, keys, &problem);
	if (problem.isThere)
		hdCredentialsClear(credentials);
	return problem.isThere ? -EINVAL : 0;
}

const char *hdCredentialsGet(const struct hdCredentials *credentials,
			     const char *name)
{
	const struct hdIniKey *key = NULL;

	if (credentials->ini.count > 0)
		key = hdIniFind(&credentials->ini.sections[0], name);
	return key ? key->value : NULL;
}

void hdCredentialsClear(struct hdCredentials *credentials)
{
	/* The values lie in the text that is freed. */
	for (size_t i = 0; i < credentials->ini.count; i++)
		for (size_t k = 0; k < credentials->ini.sections[i].count;
		     k++) {
			char *value =
				(char *)(uintptr_t)credentials->ini.sections[i]
					.keys[k]
					.value;

			explicit_bzero(value, strlen(value));
		}
	hdIniClear(&credentials->ini);
}
