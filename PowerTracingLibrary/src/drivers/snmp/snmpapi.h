/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * net-snmp as snmpsession.c uses it: opened at run time, and prepared.
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
#include <net-snmp/library/large_fd_set.h>

#include "common/library.h"

/** What we need of net-snmp. */
#define SNMP_CALLS(X)                   \
	X(generate_Ku)                  \
	X(get_logh_head)                \
	X(init_snmpv3)                  \
	X(netsnmp_ds_get_boolean)       \
	X(netsnmp_ds_get_string)        \
	X(netsnmp_ds_set_string)        \
	X(netsnmp_large_fd_set_cleanup) \
	X(netsnmp_large_fd_set_init)    \
	X(netsnmp_large_fd_setfd)       \
	X(netsnmp_register_loghandler)  \
	X(snmp_add_null_var)            \
	X(snmp_api_errstring)           \
	X(snmp_call_callbacks)          \
	X(snmp_error)                   \
	X(snmp_free_pdu)                \
	X(snmp_pdu_create)              \
	X(snmp_sess_async_send)         \
	X(snmp_sess_close)              \
	X(snmp_sess_error)              \
	X(snmp_sess_init)               \
	X(snmp_sess_open)               \
	X(snmp_sess_read2)              \
	X(snmp_sess_session)            \
	X(snmp_sess_timeout)            \
	X(snmp_sess_transport)          \
	X(snmpv3_get_report_type)       \
	X(usm_free_user)                \
	X(usm_get_user)                 \
	X(usm_remove_user)

struct ptSnmpApi {
	SNMP_CALLS(HD_LIBRARY_FUNCTION)
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
