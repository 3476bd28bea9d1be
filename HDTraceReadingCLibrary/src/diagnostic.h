/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Messages about problems in files.
 */
#ifndef HDI_DIAGNOSTIC_H
#define HDI_DIAGNOSTIC_H

#include <hdReading.h>

/** The rules, in the order of the table in diagnostic.c. */
enum hdIRuleId {
	HDI_RULE_FILE_OPEN,
	HDI_RULE_FILE_READ,
	HDI_RULE_HDZ_ARCHIVE,
	HDI_RULE_ZST_FRAME,
	HDI_RULE_ZST_CUT,
	HDI_RULE_ZST_INDEX,
	HDI_RULE_ZST_BOTH,
	HDI_RULE_PROJ_SEVERAL,
	HDI_RULE_PROJ_XML,
	HDI_RULE_PROJ_ROOT,
	HDI_RULE_PROJ_OLD_FORMAT,
	HDI_RULE_PROJ_TOPOLOGY,
	HDI_RULE_PROJ_COMMUNICATOR,
	HDI_RULE_PROJ_DATATYPE,
	HDI_RULE_PROJ_FILE_SIZE,
	HDI_RULE_PROJ_CLOCK,
	HDI_RULE_PROJ_GROUP_MISSING,
	HDI_RULE_PROJ_UNDECLARED,
	HDI_RULE_STAT_LENGTH,
	HDI_RULE_STAT_HEADER,
	HDI_RULE_STAT_TYPE,
	HDI_RULE_STAT_ADJUSTMENT,
	HDI_RULE_STAT_TIMESTAMPS,
	HDI_RULE_STAT_NAME,
	HDI_RULE_STAT_OLD_FORMAT,
	HDI_RULE_STAT_NO_START,
	HDI_RULE_STAT_TIME_INVALID,
	HDI_RULE_STAT_TIME_DECREASES,
	HDI_RULE_STAT_STRING,
	HDI_RULE_STAT_CUT_TAIL,
	HDI_RULE_TRC_XML,
	HDI_RULE_TRC_ROOT,
	HDI_RULE_TRC_ADJUSTMENT,
	HDI_RULE_TRC_TIME,
	HDI_RULE_TRC_TIME_ORDER,
	HDI_RULE_TRC_NAME,
	HDI_RULE_TRC_NESTED_NO_OWNER,
	HDI_RULE_TRC_CUT,
	HDI_RULE_TRC_NO_END,
	HDI_RULE_REL_XML,
	HDI_RULE_REL_ROOT,
	HDI_RULE_REL_ADJUSTMENT,
	HDI_RULE_REL_IDENTITY,
	HDI_RULE_REL_ELEMENT,
	HDI_RULE_REL_ORDER,
	HDI_RULE_REL_TIME_ORDER,
	HDI_RULE_REL_CUT,
	HDI_RULE_REL_NO_END,
	HDI_RULE_COUNT
};

/** Where messages go. */
struct hdISink {
	hdIMessageHandler handler; /**< May be NULL. */
	void *data;
};

/**
 * Send a message.
 *
 * Keeps errno and allocates nothing; texts are cut at some 1000 bytes, and
 * control characters in them become blanks.
 */
void hdIReport(const struct hdISink *sink, enum hdIRuleId rule,
	       const char *file, int64_t offset, int64_t line,
	       const char *format, ...)
	__attribute__((__format__(__printf__, 6, 7)));

#endif
