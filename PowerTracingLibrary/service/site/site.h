/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The configuration of a power service: pt-site.cfg(5).
 *
 * It is read as a whole and not changed afterwards. A device that goes on when
 * the file is read again keeps the site that it came from.
 */
#ifndef PT_SITE_H
#define PT_SITE_H

#include <sys/socket.h>
#include <sys/types.h>

#include "PowerTracingLibrary/src/config/configuration.h"
#include "PowerTracingLibrary/wire/wire.h"
#include "net/address.h"

/** Longest name of a device, line or user, with the terminating zero. */
#define PT_SITE_NAME_MAX 64
/** Longest path of a node, with the terminating zero. */
#define PT_SITE_NODE_MAX 200

/** Which pmlib is spoken; pt-site.cfg(5) tells what differs. */
struct ptSiteDialect {
	bool isFloat;       /**< Watts have 4 bytes. */
	bool isListCounted; /**< LIST begins with a number. */
	bool isSetMajor;    /**< Order of the sets in GET. */
};

/** Numbers that are not exceeded. */
struct ptSiteLimits {
	int64_t clients;
	int64_t counters;     /**< Counters and streams, of all clients. */
	int64_t userShare;    /**< Percent of these for a user. */
	int64_t addressShare; /**< The same for an address of others. */
	int64_t memory;       /**< Bytes of readings that are kept, of all. */
	int64_t clientMemory; /**< The same, of one client. */
	int64_t timeoutNs; /**< For half a message, and for who does not read.
			    */
	int64_t idleNs;    /**< For who says nothing and records nothing. */
};

/** What a line measures. */
struct ptSiteValue {
	const struct ptQuantity *quantity;
	enum ptWireKind kind;
	bool canBeAdded; /**< Over the lines of a node. */
	size_t column;   /**< In the configuration of the device. */
};

/** A line: something that a channel of a meter measures. */
struct ptSiteLine {
	char name[PT_SITE_NAME_MAX];
	const char *node;
	char channel[PT_CHANNEL_MAX];
	const char *description;    /**< "" for none. */
	double voltage;             /**< NaN for none. */
	bool isSummed;              /**< It counts in the sum of its node. */
	struct ptSiteValue *values; /**< The first is what pmlib gets. */
	size_t valueCount;
};

/** A device, as the meter has it, and its lines. */
struct ptSiteDevice {
	const char *name;
	const char *description;
	/** Its columns are those of [Trace] sections, node by node, and then
	 * what lines have besides. */
	struct ptConfig config;
	struct ptSiteLine *lines;
	size_t lineCount;
	/** The sections that it was made from. */
	const struct hdIniSection **sections;
	size_t sectionCount;
};

/** Who may see what. */
struct ptSiteUser {
	const char *name; /**< "*" is any who is known, "anonymous" others. */
	char **nodes;     /**< Paths; "*" at the end stands for anything. */
	size_t nodeCount;
	double rate; /**< Readings a second at most; 0 for any. */
};

/** A configuration that has been read. */
struct ptSite {
	unsigned int uses; /**< For ptSiteUnref(). */
	const char *file;
	struct hdIni ini;
	struct hdAddress *listen; /**< None: the usual ones. */
	char **listenTexts;
	size_t listenCount;
	struct hdAddress metrics; /**< length 0: none. */
	const char *metricsUser;  /**< Who sees them; NULL is nobody known. */
	struct ptSiteDialect dialect;
	bool hasPmlib;
	struct hdNetwork *pmlib; /**< Hosts beside this one. */
	size_t pmlibCount;
	mode_t socketMode;
	const char *socketGroup; /**< NULL, as all below, for none. */
	const char *tokens, *certificate, *key;
	const char *user, *group, *keep;
	struct ptSiteLimits limits;
	struct ptSiteUser *users;
	size_t userCount;
	struct ptSiteDevice *devices;
	size_t deviceCount;
};

/** Tell whether a file is one: whether it has a section [Server]. */
bool ptSiteIsOne(const char *file);

/**
 * Read a file. Reports all errors, each with file and line.
 *
 * @param request Only file, drivers and root are used; file lives as long as
 *        the site.
 * @param[out] site To be given to ptSiteUnref().
 *
 * @return 0, or one of the public error values: PT_ECONFNOTFOUND,
 *         PT_ECONFINVALID, PT_ENOTRACES (no devices), PT_EMEMORY.
 */
int ptSiteRead(const struct ptRequest *request, struct ptSite **site);

/** Use a site once more. One thread at a time, as the next. */
struct ptSite *ptSiteRef(struct ptSite *site);

/** Use it no more; takes NULL. */
void ptSiteUnref(struct ptSite *site);

/** Find a device by name, or return NULL. */
const struct ptSiteDevice *ptSiteFindDevice(const struct ptSite *site,
					    const char *name);

/** Tell whether two devices were made from the same sections. */
bool ptSiteIsSame(const struct ptSiteDevice *a, const struct ptSiteDevice *b);

/**
 * Find what holds for a user.
 *
 * @param name NULL if nobody knows who it is.
 * @param[out] all Set to whether everybody sees everything, as there are no
 *        [User] sections.
 *
 * @return NULL if that is so, or if the user may see nothing.
 */
const struct ptSiteUser *ptSiteFindUser(const struct ptSite *site,
					const char *name, bool *all);

/** Tell whether a user may see a node. */
bool ptSiteUserSees(const struct ptSiteUser *user, const char *node);

#endif
