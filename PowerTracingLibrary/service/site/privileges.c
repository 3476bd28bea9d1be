/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Giving up what is not needed any more; see privileges.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "PowerTracingLibrary/service/site/privileges.h"
#include "PowerTracingLibrary/service/site/site.h"
#include "PowerTracingLibrary/src/core/ptlog.h"

/* What a meter may need to be opened again. */
static const struct {
	const char *name;
	int number;
} capabilities[] = {
	{ "dac_read_search", CAP_DAC_READ_SEARCH },
	{ "net_bind_service", CAP_NET_BIND_SERVICE },
	{ "perfmon", CAP_PERFMON },
	{ "sys_rawio", CAP_SYS_RAWIO },
};

/* Turn names into bits; returns the place of one that is none, or NULL. */
static const char *capabilitiesOf(const char *names, uint64_t *bits)
{
	*bits = 0;
	while (names && *names) {
		size_t length = strcspn(names, ", \t");
		bool isFound = length == 0;

		for (size_t i = 0;
		     i < sizeof(capabilities) / sizeof(capabilities[0]); i++) {
			if (strlen(capabilities[i].name) != length ||
			    strncmp(capabilities[i].name, names, length) != 0)
				continue;
			*bits |= UINT64_C(1) << capabilities[i].number;
			isFound = true;
		}
		if (!isFound)
			return names;
		names += length;
		names += *names != '\0';
	}
	return NULL;
}

int ptPrivilegesCheck(const char *names, char *why, size_t size)
{
	uint64_t bits;

	if (!capabilitiesOf(names, &bits))
		return 0;
	snprintf(why, size, "there are %s, %s, %s and %s", capabilities[0].name,
		 capabilities[1].name, capabilities[2].name,
		 capabilities[3].name);
	return -EINVAL;
}

/* Have these capabilities, and no others. glibc does it for all threads with
 * user and group, but not with these: there is only one thread. */
static int privilegesKeep(uint64_t bits)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ .effective = (uint32_t)bits, .permitted = (uint32_t)bits },
		{ .effective = (uint32_t)(bits >> 32),
		  .permitted = (uint32_t)(bits >> 32) },
	};

	return syscall(SYS_capset, &header, data) == 0 ? 0 : -errno;
}

/* Become a user for ever. */
static int privilegesBecome(const struct ptSite *site,
			    const struct passwd *user, gid_t group)
{
	uint64_t bits;
	int ret;

	capabilitiesOf(site->keep, &bits);
	if (initgroups(user->pw_name, group) < 0 ||
	    prctl(PR_SET_KEEPCAPS, bits != 0, 0, 0, 0) < 0 ||
	    setresgid(group, group, group) < 0 ||
	    setresuid(user->pw_uid, user->pw_uid, user->pw_uid) < 0)
		return -errno;
	ret = privilegesKeep(bits);
	if (ret == 0 && user->pw_uid != 0 && setuid(0) == 0)
		ret = -EPERM;
	return ret;
}

/* Say of a device that could not be opened again why, and what helps. */
static void privilegesCheckDevice(const struct ptSite *site,
				  const struct ptSiteDevice *device)
{
	const char *path = device->config.address;
	struct group *group;
	struct stat st;

	if (!path || *path != '/' ||
	    faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0 ||
	    errno != EACCES || stat(path, &st) < 0)
		return;
	group = getgrgid(st.st_gid);
	ptMessage(HD_LOG_WARNING,
		  "%s: user %s cannot reopen %s after a loss; add the user to "
		  "the group %s",
		  device->name, site->user, path,
		  group ? group->gr_name : "of the file");
}

static int privilegesUser(const struct ptSite *site)
{
	struct passwd *user = getpwnam(site->user);
	struct group *group = site->group ? getgrnam(site->group) : NULL;
	int ret;

	if (!user || (site->group && !group)) {
		ptMessage(HD_LOG_ERROR, "unknown %s %s",
			  user ? "group" : "user",
			  user ? site->group : site->user);
		return -ENOENT;
	}
	if (geteuid() != 0 && geteuid() == user->pw_uid)
		return 0;
	ret = privilegesBecome(site, user,
			       group ? group->gr_gid : user->pw_gid);
	if (ret < 0)
		ptMessage(HD_LOG_ERROR, "cannot switch to user %s: %s",
			  site->user, strerror(-ret));
	return ret;
}

int ptPrivilegesDrop(const struct ptSite *site)
{
	int ret = site->user ? privilegesUser(site) : 0;

	if (ret == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
		ret = -errno;
		ptMessage(HD_LOG_ERROR, "no_new_privs: %s", strerror(-ret));
	}
	for (size_t i = 0; ret == 0 && site->user && i < site->deviceCount; i++)
		privilegesCheckDevice(site, &site->devices[i]);
	return ret;
}
