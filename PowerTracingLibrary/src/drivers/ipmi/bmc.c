/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asking a BMC by IPMI, with FreeIPMI; see bmc.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

#include <freeipmi/freeipmi.h>

#include "PowerTracingLibrary/src/drivers/ipmi/bmc.h"
#include "common/library.h"
#include "PowerTracingLibrary/src/core/ptlog.h"

/* An answer that has not come by then is asked for again. */
#define AGAIN_MS 500
/* FreeIPMI uses select(): a descriptor must be below this. */
#define DESCRIPTOR_MAX (FD_SETSIZE - 24)

/* What we need of FreeIPMI. */
#define FUNCTIONS(X)                   \
	X(ipmi_cmd_raw)                \
	X(ipmi_ctx_close)              \
	X(ipmi_ctx_create)             \
	X(ipmi_ctx_destroy)            \
	X(ipmi_ctx_errnum)             \
	X(ipmi_ctx_open_inband)        \
	X(ipmi_ctx_open_outofband)     \
	X(ipmi_ctx_open_outofband_2_0) \
	X(ipmi_ctx_strerror)

struct bmcApi {
	FUNCTIONS(HD_LIBRARY_FUNCTION)
};

#define SYMBOL(name) HD_LIBRARY_SYMBOL(struct bmcApi, name)
static const struct hdSymbol symbols[] = { FUNCTIONS(SYMBOL) HD_LIBRARY_END };

/* The library; it is never closed. */
static struct {
	pthread_mutex_t mutex; /* For loading it, and making contexts. */
	void *handle;
	struct bmcApi api;
} bmc = { .mutex = PTHREAD_MUTEX_INITIALIZER };

struct ptBmc {
	const char *name;
	char *where;
	ipmi_ctx_t context;
};

/* ---- The library ------------------------------------------------------- */

/* Load the library; called with the mutex. */
static bool bmcLoadLibrary(const char *library, char *why, size_t whySize)
{
	char reason[200];

	if (bmc.handle)
		return true;
	bmc.handle = hdLibraryOpen(library ? library : FREEIPMI_SONAME, symbols,
				   &bmc.api, reason, sizeof(reason));
	if (!bmc.handle)
		snprintf(why, whySize,
			 "FreeIPMI: cannot open: %s; on Debian: apt-get "
			 "install libfreeipmi17",
			 reason);
	return bmc.handle != NULL;
}

bool ptBmcIsThere(const char *library, char *why, size_t whySize)
{
	bool isThere;

	pthread_mutex_lock(&bmc.mutex);
	isThere = bmcLoadLibrary(library, why, whySize);
	pthread_mutex_unlock(&bmc.mutex);
	return isThere;
}

/* ---- Names ------------------------------------------------------------- */

struct name {
	const char *name;
	unsigned int value;
};

static const struct name privileges[] = {
	{ "user", IPMI_PRIVILEGE_LEVEL_USER },
	{ "operator", IPMI_PRIVILEGE_LEVEL_OPERATOR },
	{ "admin", IPMI_PRIVILEGE_LEVEL_ADMIN },
	{ NULL, 0 },
};

/* Of IPMI 2.0, as FreeIPMI's commands name them. */
static const struct name workarounds[] = {
	{ "authcap",
	  IPMI_WORKAROUND_FLAGS_OUTOFBAND_2_0_AUTHENTICATION_CAPABILITIES },
	{ "intel20", IPMI_WORKAROUND_FLAGS_OUTOFBAND_2_0_INTEL_2_0_SESSION },
	{ "supermicro20",
	  IPMI_WORKAROUND_FLAGS_OUTOFBAND_2_0_SUPERMICRO_2_0_SESSION },
	{ "sun20", IPMI_WORKAROUND_FLAGS_OUTOFBAND_2_0_SUN_2_0_SESSION },
	{ "opensesspriv",
	  IPMI_WORKAROUND_FLAGS_OUTOFBAND_2_0_OPEN_SESSION_PRIVILEGE },
	{ "integritycheckvalue",
	  IPMI_WORKAROUND_FLAGS_OUTOFBAND_2_0_NON_EMPTY_INTEGRITY_CHECK_VALUE },
	{ NULL, 0 },
};

/* Find a name of a given length; NULL: there is none. */
static const struct name *bmcFindName(const struct name *list, const char *name,
				      size_t length)
{
	while (list->name && (strlen(list->name) != length ||
			      strncmp(list->name, name, length) != 0))
		list++;
	return list->name ? list : NULL;
}

/* Put the values of a list of names together. */
static bool bmcCollect(const char *list, unsigned int *flags)
{
	const struct name *found;
	size_t length;

	*flags = 0;
	for (const char *at = list; at;
	     at = at[length] ? at + length + 1 : NULL) {
		length = strcspn(at, ",");
		found = bmcFindName(workarounds, at, length);
		if (!found)
			return false;
		*flags |= found->value;
	}
	return true;
}

bool ptBmcKnowsPrivilege(const char *name)
{
	return bmcFindName(privileges, name, strlen(name)) != NULL;
}

bool ptBmcKnowsWorkarounds(const char *list)
{
	unsigned int flags;

	return bmcCollect(list, &flags);
}

/* ---- Sessions ---------------------------------------------------------- */

static int bmcToErrno(int error)
{
	switch (error) {
	case IPMI_ERR_PERMISSION:
	case IPMI_ERR_USERNAME_INVALID:
	case IPMI_ERR_PASSWORD_INVALID:
	case IPMI_ERR_K_G_INVALID:
	case IPMI_ERR_PRIVILEGE_LEVEL_INSUFFICIENT:
	case IPMI_ERR_PRIVILEGE_LEVEL_CANNOT_BE_OBTAINED:
	case IPMI_ERR_AUTHENTICATION_TYPE_UNAVAILABLE:
	case IPMI_ERR_CIPHER_SUITE_ID_UNAVAILABLE:
	case IPMI_ERR_PASSWORD_VERIFICATION_TIMEOUT:
		return -EACCES;
	case IPMI_ERR_CONNECTION_TIMEOUT:
	case IPMI_ERR_SESSION_TIMEOUT:
	case IPMI_ERR_DRIVER_TIMEOUT:
	case IPMI_ERR_MESSAGE_TIMEOUT:
		return -ETIMEDOUT;
	case IPMI_ERR_DEVICE_NOT_FOUND:
	case IPMI_ERR_DEVICE_NOT_SUPPORTED:
		return -ENODEV;
	case IPMI_ERR_OUT_OF_MEMORY:
		return -ENOMEM;
	default:
		return -EIO;
	}
}

/* Say what went wrong. */
static int bmcReportError(const struct ptBmc *self)
{
	int error = bmc.api.ipmi_ctx_errnum(self->context);

	ptMessage(HD_LOG_ERROR, "%s: %s: %s", self->name, self->where,
		  bmc.api.ipmi_ctx_strerror(error));
	return bmcToErrno(error);
}

/* A process with many files open must not get beyond what select() takes. */
static bool hasDescriptors(const struct ptBmc *self)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	if (fd >= 0 && fd < DESCRIPTOR_MAX)
		return true;
	ptMessage(HD_LOG_ERROR, "%s: %s: too many open files for FreeIPMI",
		  self->name, self->where);
	return false;
}

static int openContext(const struct ptBmc *self, const struct ptBmcSetup *setup)
{
	unsigned int flags = 0, level = IPMI_PRIVILEGE_LEVEL_USER;
	int ret;

	if (setup->privilege)
		level = bmcFindName(privileges, setup->privilege,
				    strlen(setup->privilege))
				->value;
	(void)bmcCollect(setup->workarounds, &flags);
	if (setup->device)
		ret = bmc.api.ipmi_ctx_open_inband(self->context,
						   IPMI_DEVICE_OPENIPMI, 1, 0,
						   0, setup->device, 0, 0);
	else if (setup->isOld)
		ret = bmc.api.ipmi_ctx_open_outofband(
			self->context, setup->host, setup->user,
			setup->password, IPMI_AUTHENTICATION_TYPE_MD5,
			(uint8_t)level, PT_BMC_PATIENCE_MS, AGAIN_MS, 0, 0);
	else
		ret = bmc.api.ipmi_ctx_open_outofband_2_0(
			self->context, setup->host, setup->user,
			setup->password, (const unsigned char *)setup->key,
			setup->key ? (unsigned int)strlen(setup->key) : 0,
			(uint8_t)level, (uint8_t)setup->cipher,
			PT_BMC_PATIENCE_MS, AGAIN_MS, flags, 0);
	return ret < 0 ? bmcReportError(self) : 0;
}

int ptBmcOpen(const struct ptBmcSetup *setup, struct ptBmc **result)
{
	struct ptBmc *self = calloc(1, sizeof(*self));
	char why[300];
	int ret = 0;

	if (!self)
		return -ENOMEM;
	self->name = setup->name;
	self->where = strdup(setup->device ? setup->device : setup->host);
	if (!ptBmcIsThere(setup->library, why, sizeof(why))) {
		ptMessage(HD_LOG_ERROR, "%s: %s", self->name, why);
		ret = -ENOENT;
	} else if (!self->where) {
		ret = -ENOMEM;
	} else if (!hasDescriptors(self)) {
		ret = -EMFILE;
	}
	if (ret == 0) {
		self->context = bmc.api.ipmi_ctx_create();
		ret = self->context ? openContext(self, setup) : -ENOMEM;
	}
	if (ret == 0) {
		*result = self;
		return 0;
	}
	if (self->context)
		bmc.api.ipmi_ctx_destroy(self->context);
	free(self->where);
	free(self);
	return ret;
}

int ptBmcAsk(struct ptBmc *self, uint8_t netFn, const uint8_t *request,
	     size_t size, uint8_t *answer, size_t max, size_t *got)
{
	int ret = bmc.api.ipmi_cmd_raw(self->context, 0, netFn, request,
				       (unsigned int)size, answer,
				       (unsigned int)max);

	if (ret < 0) {
		(void)bmcReportError(self);
		return -ENODEV;
	}
	*got = (size_t)ret;
	return 0;
}

void ptBmcClose(struct ptBmc *self)
{
	if (!self)
		return;
	(void)bmc.api.ipmi_ctx_close(self->context);
	bmc.api.ipmi_ctx_destroy(self->context);
	free(self->where);
	free(self);
}
