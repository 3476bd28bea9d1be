/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * net-snmp, opened at run time; see snmpapi.h.
 *
 * init_snmp() is not called: it reads files of the system and of the user, and
 * complains about them on stderr. What version 3 needs of it is done here.
 */
#include "config.h"

#include <stdio.h>
#include <syslog.h>

#include "PowerTracingLibrary/src/drivers/snmp/snmp.h"
#include "PowerTracingLibrary/src/drivers/snmp/snmpapi.h"
#include "common/library.h"

#define APPLICATION "hdtrace"

#define SYMBOL(name, field)                                    \
	{                                                      \
		name, offsetof(struct ptSnmpApi, field), false \
	}
static const struct hdSymbol symbols[] = {
	SYMBOL("netsnmp_ds_get_string", getString),
	SYMBOL("netsnmp_ds_set_string", setString),
	SYMBOL("netsnmp_ds_get_boolean", getBoolean),
	SYMBOL("get_logh_head", getLogHandlers),
	SYMBOL("netsnmp_register_loghandler", registerLog),
	SYMBOL("init_snmpv3", initV3),
	SYMBOL("snmp_call_callbacks", callCallbacks),
	SYMBOL("generate_Ku", generateKu),
	SYMBOL("snmp_sess_init", sessInit),
	SYMBOL("snmp_sess_open", sessOpen),
	SYMBOL("snmp_sess_close", sessClose),
	SYMBOL("snmp_sess_session", sessSession),
	SYMBOL("snmp_sess_transport", sessTransport),
	SYMBOL("usm_get_user", getUser),
	SYMBOL("usm_remove_user", removeUser),
	SYMBOL("usm_free_user", freeUser),
	SYMBOL("snmp_sess_async_send", sessSend),
	SYMBOL("snmp_sess_read2", sessRead),
	SYMBOL("snmp_sess_timeout", sessTimeout),
	SYMBOL("snmp_sess_error", sessError),
	SYMBOL("snmp_error", error),
	SYMBOL("snmp_api_errstring", errorText),
	SYMBOL("snmp_pdu_create", pduCreate),
	SYMBOL("snmp_free_pdu", pduFree),
	SYMBOL("snmp_add_null_var", addNull),
	SYMBOL("snmpv3_get_report_type", reportType),
	SYMBOL("netsnmp_large_fd_set_init", setInit),
	SYMBOL("netsnmp_large_fd_setfd", setFd),
	SYMBOL("netsnmp_large_fd_set_cleanup", setCleanup),
	{ .name = NULL },
};

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
			 "SNMP needs net-snmp: %s; on Debian: apt-get install "
			 "libsnmp40",
			 reason);
		return false;
	}
	/* It would print to stderr; but a program that uses it itself has
	 * chosen where to. */
	if (!api->getLogHandlers())
		(void)api->registerLog(NETSNMP_LOGHANDLER_NONE, LOG_DEBUG);
	if (!api->getString(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_APPTYPE))
		(void)api->setString(NETSNMP_DS_LIBRARY_ID,
				     NETSNMP_DS_LIB_APPTYPE, APPLICATION);
	return true;
}

void ptSnmpPrepareV3(void)
{
	if (ptSnmpLibrary.hasV3)
		return;
	ptSnmpLibrary.hasV3 = true;
	if (api->getBoolean(NETSNMP_DS_LIBRARY_ID,
			    NETSNMP_DS_LIB_HAVE_READ_PREMIB_CONFIG))
		return;
	api->initV3(APPLICATION);
	api->callCallbacks(SNMP_CALLBACK_LIBRARY,
			   SNMP_CALLBACK_POST_PREMIB_READ_CONFIG, NULL);
	api->callCallbacks(SNMP_CALLBACK_LIBRARY,
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
