/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Users of SNMP's version 3: their protocols and keys (RFC 3414).
 *
 * All is to be called with the mutex of struct ptSnmpLibrary.
 */
#ifndef PT_SNMPUSER_H
#define PT_SNMPUSER_H

#include "PowerTracingLibrary/src/drivers/snmp/snmp.h"
#include "PowerTracingLibrary/src/drivers/snmp/snmpapi.h"

/** Numbers in the name of a protocol. */
#define PT_SNMP_PROTOCOL_LENGTH 10

/**
 * Set user and keys of a session that is to be opened.
 *
 * @param[out] auth Name of the protocol; must live until it is open.
 * @retval -EINVAL A password cannot be one; logged.
 */
int ptSnmpSetUser(const struct ptSnmpSetup *setup, netsnmp_session *session,
		  oid auth[PT_SNMP_PROTOCOL_LENGTH],
		  oid priv[PT_SNMP_PROTOCOL_LENGTH]);

/** Tell whether two sessions are of the same user of the same device. */
bool ptSnmpIsSameUser(const netsnmp_session *first,
		      const netsnmp_session *second);

/** Forget the keys of a session's user. */
void ptSnmpForgetUser(const netsnmp_session *session);

#endif
