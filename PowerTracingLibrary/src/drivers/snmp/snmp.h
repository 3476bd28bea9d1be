/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Asking a device by SNMP: versions 1, 2c and 3 (with user and keys).
 *
 * net-snmp does the work. It is not linked: libPT is linked into other people's
 * programs, and few of them have such a device. It is opened at run time, and
 * of its state only that is used which every program shares: it reads no
 * configuration and no MIBs, and it prints nothing.
 *
 * Times are those of CLOCK_MONOTONIC. Functions return 0 or a negative errno
 * value after logging the reason, but for -EINTR. A session is used by one
 * thread at a time.
 *
 * apc asks by net-snmp, which is opened at run time and compiled with its
 * headers: structs of a library this large are not to be declared a second
 * time. Nothing of it reads the system's or the user's files, or prints; a
 * request does not hold its lock while it waits.
 */
#ifndef PT_SNMP_H
#define PT_SNMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Longest name of an object. */
#define PT_SNMP_OID_MAX 24
/** Longest text that is kept, with the terminating zero. */
#define PT_SNMP_TEXT_MAX 256

struct ptSnmp;

/** How to reach a device. */
struct ptSnmpSetup {
	const char *name;    /**< Who asks, for messages: "apc". */
	const char *library; /**< Instead of net-snmp's, or NULL. */
	const char *address; /**< In numbers. */
	const char *port;
	int version; /**< 1, 2 or 3. */
	const char *community;
	const char *user, *auth, *authPass, *priv, *privPass;
	int wakeFd; /**< Readable when calls must return -EINTR; or -1. */
};

/** Name of an object. */
struct ptSnmpOid {
	size_t length;
	uint32_t numbers[PT_SNMP_OID_MAX];
};

/** What an object is. */
enum ptSnmpKind {
	PT_SNMP_UNTOLD, /**< It was not told, because of another one. */
	PT_SNMP_NONE,   /**< There is none of this name. */
	PT_SNMP_NUMBER, /**< Any kind of whole number. */
	PT_SNMP_TEXT,
	PT_SNMP_OTHER,
};

struct ptSnmpValue {
	enum ptSnmpKind kind;
	int64_t number;
	char text[PT_SNMP_TEXT_MAX]; /**< What cannot be printed is '?'. */
};

/**
 * Tell whether this can be used here.
 *
 * @param[out] why Why not, and which package helps.
 */
bool ptSnmpIsThere(const char *library, char *why, size_t whySize);

/** Check a name: of an authentication ("SHA"), or of an encryption ("AES"). */
bool ptSnmpKnows(bool isPriv, const char *name);

/** Begin a session; sends nothing. */
int ptSnmpOpen(const struct ptSnmpSetup *setup, struct ptSnmp **result);

/**
 * Get objects: one request for all, or a few at the same time if there are
 * many.
 *
 * With version 1 a device that has not one of them says only that: this one is
 * PT_SNMP_NONE, and those that were asked for with it are PT_SNMP_UNTOLD.
 *
 * @retval -ETIMEDOUT No answer.
 * @retval -EINTR The wakeFd became readable.
 * @retval -EPROTO The answer is none to this, or an error.
 * @retval -EACCES The device does not know us: user, keys.
 */
int ptSnmpGet(struct ptSnmp *snmp, const struct ptSnmpOid *oids, size_t count,
	      struct ptSnmpValue *values, int64_t deadlineNs);

/** End a session; takes NULL. */
void ptSnmpClose(struct ptSnmp *snmp);

#endif
