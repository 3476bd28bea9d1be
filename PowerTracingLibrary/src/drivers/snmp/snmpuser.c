/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Users of SNMP's version 3; see snmpuser.h. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "PowerTracingLibrary/src/drivers/snmp/snmpuser.h"
#include "PowerTracingLibrary/src/core/ptlog.h"

static const struct ptSnmpApi *const api = &ptSnmpLibrary.api;

/* Protocols of RFC 3414, 3826 and 7860; all but the last number are the same.
 */
static const struct protocol {
	const char *name;
	bool isPriv;
	oid last;
} protocols[] = {
	{ "MD5", false, 2 },     { "SHA", false, 3 },
	{ "SHA-224", false, 4 }, { "SHA-256", false, 5 },
	{ "SHA-384", false, 6 }, { "SHA-512", false, 7 },
	{ "DES", true, 2 },      { "AES", true, 4 },
};

static const struct protocol *findProtocol(bool isPriv, const char *name)
{
	for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++)
		if (protocols[i].isPriv == isPriv &&
		    strcasecmp(protocols[i].name, name) == 0)
			return &protocols[i];
	return NULL;
}

bool ptSnmpKnows(bool isPriv, const char *name)
{
	return findProtocol(isPriv, name) != NULL;
}

static void snmpUserNameOf(bool isPriv, const char *protocol,
			   oid name[PT_SNMP_PROTOCOL_LENGTH])
{
	static const oid base[] = { 1, 3, 6, 1, 6, 3, 10, 1, 1, 1 };

	memcpy(name, base, sizeof(base));
	name[PT_SNMP_PROTOCOL_LENGTH - 2] = isPriv ? 2 : 1;
	name[PT_SNMP_PROTOCOL_LENGTH - 1] =
		findProtocol(isPriv, protocol)->last;
}

/* Make the key of a password. */
static int snmpUserMakeKey(const struct ptSnmpSetup *setup, const oid *auth,
			   const char *password, u_char *key, size_t *length)
{
	if (api->generate_Ku(auth, PT_SNMP_PROTOCOL_LENGTH,
			     (const u_char *)password, strlen(password), key,
			     length) == 0)
		return 0;
	ptMessage(HD_LOG_ERROR,
		  "%s: a password is shorter than 8 characters, or net-snmp "
		  "does not support its protocol",
		  setup->name);
	return -EINVAL;
}

int ptSnmpSetUser(const struct ptSnmpSetup *setup, netsnmp_session *session,
		  oid auth[PT_SNMP_PROTOCOL_LENGTH],
		  oid priv[PT_SNMP_PROTOCOL_LENGTH])
{
	int ret = 0;

	session->securityName = (char *)(uintptr_t)setup->user;
	session->securityNameLen = strlen(setup->user);
	session->securityLevel = SNMP_SEC_LEVEL_NOAUTH;
	if (setup->authPass) {
		snmpUserNameOf(false, setup->auth, auth);
		session->securityLevel = SNMP_SEC_LEVEL_AUTHNOPRIV;
		session->securityAuthProto = auth;
		session->securityAuthProtoLen = PT_SNMP_PROTOCOL_LENGTH;
		session->securityAuthKeyLen = USM_AUTH_KU_LEN;
		ret = snmpUserMakeKey(setup, auth, setup->authPass,
				      session->securityAuthKey,
				      &session->securityAuthKeyLen);
	}
	if (ret == 0 && setup->authPass && setup->privPass) {
		snmpUserNameOf(true, setup->priv, priv);
		session->securityLevel = SNMP_SEC_LEVEL_AUTHPRIV;
		session->securityPrivProto = priv;
		session->securityPrivProtoLen = PT_SNMP_PROTOCOL_LENGTH;
		session->securityPrivKeyLen = USM_PRIV_KU_LEN;
		ret = snmpUserMakeKey(setup, auth, setup->privPass,
				      session->securityPrivKey,
				      &session->securityPrivKeyLen);
	}
	return ret;
}

bool ptSnmpIsSameUser(const netsnmp_session *first,
		      const netsnmp_session *second)
{
	return first->version == second->version && first->securityName &&
	       second->securityName &&
	       strcmp(first->securityName, second->securityName) == 0 &&
	       first->securityEngineIDLen == second->securityEngineIDLen &&
	       (first->securityEngineIDLen == 0 ||
		memcmp(first->securityEngineID, second->securityEngineID,
		       first->securityEngineIDLen) == 0);
}

void ptSnmpForgetUser(const netsnmp_session *session)
{
	struct usmUser *user = NULL;

	if (session->securityEngineIDLen > 0)
		user = api->usm_get_user(session->securityEngineID,
					 session->securityEngineIDLen,
					 session->securityName);
	if (!user)
		return;
	(void)api->usm_remove_user(user);
	(void)api->usm_free_user(user);
}
