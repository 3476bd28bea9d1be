/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Asking a device by SNMP, with net-snmp; see snmp.h.
 *
 * Its functions for single sessions are used, and of these such that do not
 * wait: who waits is ptSnmpGet(), without the lock that all sessions share, for
 * version 3 has tables that they share, too.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/src/drivers/snmp/snmp.h"
#include "PowerTracingLibrary/src/drivers/snmp/snmpapi.h"
#include "PowerTracingLibrary/src/drivers/snmp/snmpuser.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/core/now.h"
#include "common/net.h"

#define MS INT64_C(1000000)

/* An answer that has not come by then is asked for again, and then given up. */
#define ANSWER_US 300000
#define RETRIES 1
/* How often net-snmp is to look whether that is so. */
#define LOOK_NS (50 * MS)
/* A request with more objects may not fit into a packet. */
#define OBJECTS_MAX 48
#define REQUESTS_MAX 16

static const struct ptSnmpApi *const api = &ptSnmpLibrary.api;

/* A request on its way. */
struct request {
	int id; /* 0: it is over. */
	const struct ptSnmpOid *oids;
	struct ptSnmpValue *values;
	size_t count;
	int ret;
};

struct ptSnmp {
	const char *name;
	char peer[HD_NET_ADDRESS_MAX + 32];
	int wakeFd;
	int version;
	void *session;
	netsnmp_large_fd_set set;
	size_t objectsMax; /* Of a request. */
	struct request requests[REQUESTS_MAX];
	size_t requestCount;
	struct ptSnmp *next;
};

/* Those that are open; for the mutex. */
static struct ptSnmp *sessions;

/* ---- Sessions ---------------------------------------------------------- */

/* Open a session of net-snmp's; called with the mutex. */
static int snmpOpenSession(struct ptSnmp *self, const struct ptSnmpSetup *setup)
{
	oid auth[PT_SNMP_PROTOCOL_LENGTH], priv[PT_SNMP_PROTOCOL_LENGTH];
	netsnmp_session session;
	int ret = 0, clib, error;
	char *text;

	api->snmp_sess_init(&session);
	session.peername = self->peer;
	session.timeout = ANSWER_US;
	session.retries = RETRIES;
	if (setup->version < 3) {
		session.version =
			setup->version == 1 ? SNMP_VERSION_1 : SNMP_VERSION_2c;
		session.community = (u_char *)(uintptr_t)setup->community;
		session.community_len = strlen(setup->community);
	} else {
		session.version = SNMP_VERSION_3;
		ptSnmpPrepareV3();
		ret = ptSnmpSetUser(setup, &session, auth, priv);
	}
	if (ret == 0)
		self->session = api->snmp_sess_open(&session);
	explicit_bzero(session.securityAuthKey,
		       sizeof(session.securityAuthKey));
	explicit_bzero(session.securityPrivKey,
		       sizeof(session.securityPrivKey));
	if (ret < 0 || self->session)
		return ret;
	api->snmp_error(&session, &clib, &error, &text);
	ptMessage(HD_LOG_ERROR, "%s: %s: %s", self->name, self->peer, text);
	free(text);
	return -EIO;
}

int ptSnmpOpen(const struct ptSnmpSetup *setup, struct ptSnmp **result)
{
	struct ptSnmp *self = calloc(1, sizeof(*self));
	char why[300];
	int ret = -ENOENT;

	if (!self)
		return -ENOMEM;
	self->name = setup->name;
	self->wakeFd = setup->wakeFd;
	self->version = setup->version;
	self->objectsMax = OBJECTS_MAX;
	if (strchr(setup->address, ':'))
		snprintf(self->peer, sizeof(self->peer), "udp6:[%s]:%s",
			 setup->address, setup->port);
	else
		snprintf(self->peer, sizeof(self->peer), "udp:%s:%s",
			 setup->address, setup->port);
	pthread_mutex_lock(&ptSnmpLibrary.mutex);
	if (ptSnmpLoad(setup->library, why, sizeof(why)))
		ret = snmpOpenSession(self, setup);
	else
		ptMessage(HD_LOG_ERROR, "%s: %s", self->name, why);
	if (ret == 0) {
		api->netsnmp_large_fd_set_init(&self->set, FD_SETSIZE);
		self->next = sessions;
		sessions = self;
	}
	pthread_mutex_unlock(&ptSnmpLibrary.mutex);
	if (ret == 0)
		*result = self;
	else
		free(self);
	return ret;
}

/* Take a session from the list; net-snmp would remember keys and use them
 * again, instead of those that a user has by then. Called with the mutex. */
static void forgetUser(struct ptSnmp *self)
{
	const netsnmp_session *own = api->snmp_sess_session(self->session);
	struct ptSnmp **place = &sessions;
	bool isUsed = false;

	while (*place != self)
		place = &(*place)->next;
	*place = self->next;
	for (const struct ptSnmp *other = sessions; other; other = other->next)
		isUsed |= ptSnmpIsSameUser(
			own, api->snmp_sess_session(other->session));
	if (self->version == 3 && !isUsed)
		ptSnmpForgetUser(own);
}

void ptSnmpClose(struct ptSnmp *self)
{
	if (!self)
		return;
	pthread_mutex_lock(&ptSnmpLibrary.mutex);
	self->requestCount = 0;
	forgetUser(self);
	api->snmp_sess_close(self->session);
	api->netsnmp_large_fd_set_cleanup(&self->set);
	pthread_mutex_unlock(&ptSnmpLibrary.mutex);
	free(self);
}

/* ---- Answers ----------------------------------------------------------- */

static void snmpParseText(const netsnmp_variable_list *variable, char *text)
{
	size_t length = variable->val_len < PT_SNMP_TEXT_MAX - 1
				? variable->val_len
				: PT_SNMP_TEXT_MAX - 1;

	for (size_t i = 0; i < length; i++) {
		u_char byte = variable->val.string[i];

		text[i] = byte >= ' ' && byte < 0x7f ? (char)byte : '?';
	}
	text[length] = '\0';
}

static void snmpParseValue(const netsnmp_variable_list *variable,
			   struct ptSnmpValue *value)
{
	*value = (struct ptSnmpValue){ .kind = PT_SNMP_NUMBER };
	switch (variable->type) {
	case ASN_INTEGER:
		value->number = *variable->val.integer;
		break;
	case ASN_COUNTER:
	case ASN_GAUGE:
	case ASN_TIMETICKS:
		value->number = (int64_t)(uint32_t)*variable->val.integer;
		break;
	case ASN_OCTET_STR:
		value->kind = PT_SNMP_TEXT;
		snmpParseText(variable, value->text);
		break;
	case SNMP_NOSUCHOBJECT:
	case SNMP_NOSUCHINSTANCE:
	case SNMP_ENDOFMIBVIEW:
		value->kind = PT_SNMP_NONE;
		break;
	default:
		value->kind = PT_SNMP_OTHER;
		break;
	}
}

static bool snmpIsName(const netsnmp_variable_list *variable,
		       const struct ptSnmpOid *name)
{
	if (variable->name_length != name->length)
		return false;
	for (size_t i = 0; i < name->length; i++)
		if (variable->name[i] != name->numbers[i])
			return false;
	return true;
}

/* Take an answer without errors. */
static int snmpParseValues(const struct ptSnmp *self, const netsnmp_pdu *pdu,
			   const struct request *request)
{
	const netsnmp_variable_list *variable = pdu->variables;

	for (size_t i = 0; i < request->count;
	     i++, variable = variable->next_variable) {
		if (!variable || !snmpIsName(variable, &request->oids[i])) {
			ptMessage(HD_LOG_WARNING,
				  "%s: the reply does not match the request",
				  self->name);
			return -EPROTO;
		}
		snmpParseValue(variable, &request->values[i]);
	}
	if (!variable)
		return 0;
	ptMessage(HD_LOG_WARNING, "%s: the reply has too many objects",
		  self->name);
	return -EPROTO;
}

/* Take an answer that is an error. */
static int snmpParseError(struct ptSnmp *self, const netsnmp_pdu *pdu,
			  const struct request *request)
{
	size_t place = (size_t)pdu->errindex - 1;

	if (pdu->errstat == SNMP_ERR_NOSUCHNAME && place < request->count) {
		request->values[place].kind = PT_SNMP_NONE;
		return 0;
	}
	if (pdu->errstat == SNMP_ERR_TOOBIG && self->objectsMax > 1) {
		self->objectsMax /= 2;
		ptMessage(HD_LOG_WARNING,
			  "%s: the reply would be too large; requesting %zu "
			  "objects at a time",
			  self->name, self->objectsMax);
		return -EPROTO;
	}
	ptMessage(HD_LOG_WARNING, "%s: the device reports error %ld",
		  self->name, pdu->errstat);
	return -EPROTO;
}

/* Take a report of version 3: we are not welcome. Which request it is about it
 * need not say; it is true for all. */
static void takeReport(struct ptSnmp *self, netsnmp_pdu *pdu)
{
	int type = api->snmpv3_get_report_type(pdu);

	/* net-snmp learns the time of the device by this, and asks again. */
	if (type == SNMPERR_NOT_IN_TIME_WINDOW)
		return;
	ptMessage(HD_LOG_ERROR, "%s: %s: %s", self->name, self->peer,
		  api->snmp_api_errstring(type));
	for (size_t i = 0; i < self->requestCount; i++) {
		self->requests[i].id = 0;
		self->requests[i].ret = -EACCES;
	}
}

/* Called by net-snmp, with the mutex. */
static int answered(int operation, netsnmp_session *session, int id,
		    netsnmp_pdu *pdu, void *context)
{
	struct ptSnmp *self = context;

	(void)session;
	if (pdu && pdu->command == SNMP_MSG_REPORT) {
		takeReport(self, pdu);
		return 1;
	}
	for (size_t i = 0; i < self->requestCount; i++) {
		struct request *request = &self->requests[i];

		if (request->id != id)
			continue;
		request->id = 0;
		/* What could not be sent is not answered either. */
		if (operation != NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE)
			request->ret = -ETIMEDOUT;
		else if (pdu->command != SNMP_MSG_RESPONSE)
			request->ret = -EPROTO;
		else if (pdu->errstat != SNMP_ERR_NOERROR)
			request->ret = snmpParseError(self, pdu, request);
		else
			request->ret = snmpParseValues(self, pdu, request);
		break;
	}
	return 1;
}

/* ---- Requests ---------------------------------------------------------- */

/* Send one; called with the mutex. */
static int sendRequest(struct ptSnmp *self, struct request *request)
{
	netsnmp_pdu *pdu = api->snmp_pdu_create(SNMP_MSG_GET);
	oid name[PT_SNMP_OID_MAX];
	int clib, error;
	char *text;

	for (size_t i = 0; pdu && i < request->count; i++) {
		const struct ptSnmpOid *wanted = &request->oids[i];

		for (size_t k = 0; k < wanted->length; k++)
			name[k] = wanted->numbers[k];
		if (!api->snmp_add_null_var(pdu, name, wanted->length)) {
			api->snmp_free_pdu(pdu);
			pdu = NULL;
		}
	}
	if (!pdu)
		return -ENOMEM;
	request->id =
		api->snmp_sess_async_send(self->session, pdu, answered, self);
	if (request->id != 0)
		return 0;
	api->snmp_sess_error(self->session, &clib, &error, &text);
	/* Version 3 asks the device who it is first. */
	ptMessage(HD_LOG_ERROR, "%s: %s: %s", self->name, self->peer, text);
	free(text);
	api->snmp_free_pdu(pdu);
	return error == SNMPERR_TIMEOUT ? -ETIMEDOUT : -EIO;
}

/* Send as many as are needed for all objects. */
static int sendAll(struct ptSnmp *self, const struct ptSnmpOid *oids,
		   size_t count, struct ptSnmpValue *values)
{
	int ret = 0;

	self->requestCount = 0;
	for (size_t at = 0; ret == 0 && at < count;) {
		struct request *request = &self->requests[self->requestCount];
		size_t part = count - at < self->objectsMax ? count - at
							    : self->objectsMax;

		if (self->requestCount == REQUESTS_MAX) {
			ptMessage(HD_LOG_ERROR, "%s: too many objects",
				  self->name);
			return -E2BIG;
		}
		*request = (struct request){
			.oids = oids + at,
			.values = values + at,
			.count = part,
		};
		self->requestCount++;
		ret = sendRequest(self, request);
		at += part;
	}
	return ret;
}

/* How all requests ended; -EAGAIN while one has not. */
static int outcome(const struct ptSnmp *self)
{
	int ret = 0;

	for (size_t i = 0; i < self->requestCount; i++) {
		const struct request *request = &self->requests[i];

		if (request->id != 0)
			return -EAGAIN;
		if (ret == 0)
			ret = request->ret;
	}
	return ret;
}

/* Wait until there is something, or net-snmp is to look at its timers; called
 * with the mutex. */
static int snmpStep(struct ptSnmp *self, int64_t deadlineNs)
{
	int fd = api->snmp_sess_transport(self->session)->sock;
	int64_t until = ptNow() + LOOK_NS;
	int ret;

	if (until > deadlineNs)
		until = deadlineNs;
	pthread_mutex_unlock(&ptSnmpLibrary.mutex);
	ret = hdNetWait(fd, POLLIN, self->wakeFd, until);
	pthread_mutex_lock(&ptSnmpLibrary.mutex);
	if (ret >= 0) {
		api->netsnmp_large_fd_setfd(fd, &self->set);
		(void)api->snmp_sess_read2(self->session, &self->set);
		return 0;
	}
	if (ret == -ETIMEDOUT) {
		api->snmp_sess_timeout(self->session);
		return ptNow() < deadlineNs ? 0 : -ETIMEDOUT;
	}
	return ret;
}

int ptSnmpGet(struct ptSnmp *self, const struct ptSnmpOid *oids, size_t count,
	      struct ptSnmpValue *values, int64_t deadlineNs)
{
	int ret;

	memset(values, 0, count * sizeof(*values));
	pthread_mutex_lock(&ptSnmpLibrary.mutex);
	ret = sendAll(self, oids, count, values);
	while (ret == 0 && (ret = outcome(self)) == -EAGAIN)
		ret = snmpStep(self, deadlineNs);
	/* Answers to what is given up must not find these values. */
	self->requestCount = 0;
	pthread_mutex_unlock(&ptSnmpLibrary.mutex);
	if (ret == -ETIMEDOUT)
		ptMessage(HD_LOG_WARNING,
			  "%s: no answer from %s; does it speak SNMP version "
			  "%d, %s?",
			  self->name, self->peer, self->version,
			  self->version < 3 ? "to this community"
					    : "with these keys");
	return ret;
}
