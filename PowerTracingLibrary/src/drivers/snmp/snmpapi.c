/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * net-snmp, opened at run time; see snmpapi.h.
 *
 * init_snmp() is not called: it reads files of the system and of the user, and
 * reports them on stderr. What version 3 needs of it is done here.
 */
#include "config.h"

#include <stdio.h>
#include <syslog.h>

#include "PowerTracingLibrary/src/drivers/snmp/snmp.h"
#include "PowerTracingLibrary/src/drivers/snmp/snmpapi.h"
#include "common/library.h"

#define APPLICATION "hdtrace"

#define SYMBOL(name) HD_LIBRARY_SYMBOL(struct ptSnmpApi, name)
static const struct hdSymbol symbols[] = { SNMP_CALLS(SYMBOL) HD_LIBRARY_END };

struct ptSnmpLibrary ptSnmpLibrary = {
	.mutex = PTHREAD_MUTEX_INITIALIZER,
};
static const struct ptSnmpApi *const api = &ptSnmpLibrary.api;

bool ptSnmpLoad(const char *library, char *why, size_t whySize)
{
	char reason[200];

	if (ptSnmpLibrary.handle)
		return true;
	ptSnmpLibrary.handle =
		hdLibraryOpen(library ? library : NETSNMP_SONAME, symbols,
			      &ptSnmpLibrary.api, reason, sizeof(reason));
	if (!ptSnmpLibrary.handle) {
		snprintf(why, whySize,
			 "net-snmp: cannot open: %s; on Debian: apt-get "
			 "install libsnmp40",
			 reason);
		return false;
	}
	/* It would print to stderr; but a program that uses it itself has
	 * chosen where to. */
	if (!api->get_logh_head())
		(void)api->netsnmp_register_loghandler(NETSNMP_LOGHANDLER_NONE,
						       LOG_DEBUG);
	if (!api->netsnmp_ds_get_string(NETSNMP_DS_LIBRARY_ID,
					NETSNMP_DS_LIB_APPTYPE))
		(void)api->netsnmp_ds_set_string(NETSNMP_DS_LIBRARY_ID,
						 NETSNMP_DS_LIB_APPTYPE,
						 APPLICATION);
	return true;
}

void ptSnmpPrepareV3(void)
{
	if (ptSnmpLibrary.hasV3)
		return;
	ptSnmpLibrary.hasV3 = true;
	if (api->netsnmp_ds_get_boolean(NETSNMP_DS_LIBRARY_ID,
					NETSNMP_DS_LIB_HAVE_READ_PREMIB_CONFIG))
		return;
	api->init_snmpv3(APPLICATION);
	api->snmp_call_callbacks(SNMP_CALLBACK_LIBRARY,
				 SNMP_CALLBACK_POST_PREMIB_READ_CONFIG, NULL);
	api->snmp_call_callbacks(SNMP_CALLBACK_LIBRARY,
				 SNMP_CALLBACK_POST_READ_CONFIG, NULL);
}

bool ptSnmpIsThere(const char *library, char *why, size_t whySize)
{
	bool isThere;

	pthread_mutex_lock(&ptSnmpLibrary.mutex);
	isThere = ptSnmpLoad(library, why, whySize);
	pthread_mutex_unlock(&ptSnmpLibrary.mutex);
	return isThere;
}
