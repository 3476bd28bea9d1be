/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * net-snmp as snmp.c uses it: opened at run time, and prepared.
 */
#ifndef PT_SNMPAPI_H
#define PT_SNMPAPI_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <net-snmp/net-snmp-config.h>
/* Its own headers, which are not clean. */
#include <net-snmp/net-snmp-includes.h>

/** What we need of net-snmp. */
struct ptSnmpApi {
	char *(*getString)(int store, int which);
	int (*setString)(int store, int which, const char *value);
	int (*getBoolean)(int store, int which);
	void *(*getLogHandlers)(void);
	netsnmp_log_handler *(*registerLog)(int type, int priority);
	void (*initV3)(const char *type);
	int (*callCallbacks)(int major, int minor, void *argument);
	int (*generateKu)(const oid *type, u_int length, const u_char *pass,
			  size_t passLength, u_char *key, size_t *keyLength);
	void (*sessInit)(netsnmp_session *session);
	void *(*sessOpen)(netsnmp_session *session);
	int (*sessClose)(void *session);
	netsnmp_session *(*sessSession)(void *session);
	netsnmp_transport *(*sessTransport)(void *session);
	struct usmUser *(*getUser)(const u_char *engine, size_t length,
				   const char *name);
	struct usmUser *(*removeUser)(struct usmUser *user);
	struct usmUser *(*freeUser)(struct usmUser *user);
	int (*sessSend)(void *session, netsnmp_pdu *pdu,
			netsnmp_callback callback, void *context);
	int (*sessRead)(void *session, netsnmp_large_fd_set *set);
	void (*sessTimeout)(void *session);
	void (*sessError)(void *session, int *clib, int *snmp, char **text);
	void (*error)(netsnmp_session *session, int *clib, int *snmp,
		      char **text);
	const char *(*errorText)(int error);
	netsnmp_pdu *(*pduCreate)(int command);
	void (*pduFree)(netsnmp_pdu *pdu);
	netsnmp_variable_list *(*addNull)(netsnmp_pdu *pdu, const oid *name,
					  size_t length);
	int (*reportType)(netsnmp_pdu *pdu);
	void (*setInit)(netsnmp_large_fd_set *set, int size);
	void (*setFd)(int fd, netsnmp_large_fd_set *set);
	void (*setCleanup)(netsnmp_large_fd_set *set);
};

/** The library; it is never closed. */
struct ptSnmpLibrary {
	pthread_mutex_t mutex; /**< For all calls, but those on a PDU. */
	void *handle;
	bool hasV3;
	struct ptSnmpApi api;
};
extern struct ptSnmpLibrary ptSnmpLibrary;

/**
 * Load the library, if it is not; to be called with the mutex.
 *
 * @param library Its name instead of the usual one, or NULL.
 * @param[out] why Why not, and which package helps.
 */
bool ptSnmpLoad(const char *library, char *why, size_t whySize);

/** Prepare version 3, if the program has not; to be called with the mutex,
 *  after the first snmp_sess_init(). */
void ptSnmpPrepareV3(void);

#endif
