/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which settings each user may change; see permissions.h. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "PowerSaving/daemon/permissions.h"
#include "common/ini.h"
#include "net/logger.h"

#define PERMISSIONS_USER "user "

struct permissionsReader {
	struct permissions *permissions;
	const char *path;
	bool hasErrors;
};

static void permissionsSay(void *context, long line, const char *text)
{
	struct permissionsReader *self = context;

	self->hasErrors = true;
	hdNetLog(HD_LOG_ERROR, "%s:%ld: %s", self->path, line, text);
}

/* -1: no such user. */
static int permissionsFindUser(const char *name, uid_t *uid)
{
	char *end;
	unsigned long number = strtoul(name, &end, 10);
	const struct passwd *user;

	if (end != name && !*end && number < UINT_MAX) {
		*uid = (uid_t)number;
		return 0;
	}
	user = getpwnam(name);
	if (!user)
		return -1;
	*uid = user->pw_uid;
	return 0;
}

static void permissionsTakeWords(struct permissionsReader *self,
				 const struct hdIniKey *key,
				 struct permission *permission)
{
	const char *at = key->value + strspn(key->value, " \t");

	while (*at) {
		size_t length = strcspn(at, " \t");
		int kind = hdSettingFind(at, length);

		if (kind < 0) {
			permissionsSay(self, key->line,
				       "allow: expected max_freq, min_freq, "
				       "governor, epp, uncore or rapl");
			return;
		}
		permission->allowed[kind] = true;
		at += length;
		at += strspn(at, " \t");
	}
}

static void permissionsTake(const struct hdIniSection *section, void *context)
{
	struct permissionsReader *self = context;
	struct permissions *all = self->permissions;
	struct permission one = { .isAny = false };
	const struct hdIniKey *key = hdIniFind(section, "allow");
	const char *name = section->name + strlen(PERMISSIONS_USER);
	struct permission *list;

	one.isAny = strcmp(name, "*") == 0;
	if (!one.isAny && permissionsFindUser(name, &one.uid) < 0) {
		/* A user that does not exist on this node asks for nothing. */
		hdNetLog(HD_LOG_WARNING, "%s:%ld: no user \"%s\"", self->path,
			 section->line, name);
		return;
	}
	if (!key || section->count != 1) {
		permissionsSay(self, section->line,
			       "expected one key: allow = SETTING ...");
		return;
	}
	permissionsTakeWords(self, key, &one);
	list = realloc(all->list, (all->count + 1) * sizeof(*list));
	if (!list) {
		permissionsSay(self, section->line, "out of memory");
		return;
	}
	all->list = list;
	list[all->count++] = one;
}

int permissionsRead(struct permissions *self, const char *root)
{
	static const struct hdIniPart parts[] = { { PERMISSIONS_USER, false,
						    false, permissionsTake },
						  { .name = NULL } };
	char path[PATH_MAX];
	struct permissionsReader reader = { self, path, false };
	struct hdIni ini;
	struct stat is;
	int ret;

	*self = (struct permissions){ .list = NULL };
	snprintf(path, sizeof(path), "%s" HD_POWER_CONFIGURATION, root);
	if (stat(path, &is) < 0) {
		if (errno == ENOENT)
			return 0;
		ret = -errno;
		hdNetLog(HD_LOG_ERROR, "%s: cannot read: %s", path,
			 strerror(-ret));
		return ret;
	}
	if ((is.st_uid != 0 && is.st_uid != geteuid()) ||
	    is.st_mode & (S_IWGRP | S_IWOTH)) {
		hdNetLog(HD_LOG_ERROR,
			 "%s: other users can change it; use chown root and "
			 "chmod go-w",
			 path);
		return -EPERM;
	}
	ret = hdIniRead(path, permissionsSay, &reader, &ini);
	if (ret < 0) {
		hdNetLog(HD_LOG_ERROR, "%s: cannot read: %s", path,
			 strerror(-ret));
		return ret;
	}
	hdIniSections(&ini, parts, "[user NAME]", permissionsSay, &reader);
	hdIniClear(&ini);
	if (reader.hasErrors)
		permissionsClear(self);
	return reader.hasErrors ? -EINVAL : 0;
}

void permissionsClear(struct permissions *self)
{
	free(self->list);
	*self = (struct permissions){ .list = NULL };
}

int permissionsRefuse(const struct permissions *self, uid_t uid,
		      const struct hdSettingValues *values)
{
	const struct permission *own = NULL, *any = NULL;
	bool isTrusted = uid == 0 || uid == geteuid();

	for (size_t i = 0; i < self->count; i++) {
		if (self->list[i].isAny)
			any = &self->list[i];
		else if (self->list[i].uid == uid)
			own = &self->list[i];
	}
	if (!own && !isTrusted)
		own = any;
	if (!own && isTrusted)
		return -1;
	for (int i = 0; i < HD_SETTING_KINDS; i++) {
		if (values->of[i][0] && !(own && own->allowed[i]))
			return i;
	}
	return -1;
}
