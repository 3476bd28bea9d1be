/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the files that read the configuration share.
 */
#ifndef PT_CONFIGPARSE_H
#define PT_CONFIGPARSE_H

#include "PowerTracingLibrary/src/config/configuration.h"

/** A configuration that is being read. */
struct ptParse {
	const struct ptRequest *request;
	struct ptConfig *config;
	const struct hdIni *ini; /**< Where the sections are. */
	/** Only [Trace] sections that have it as device=, if not NULL. */
	const char *device;
	struct ptSetup setup;
	size_t errors;
	bool isOutOfMemory;
};

/**
 * Report an error of the line of a key, or of an option that replaces it:
 * "FILE:LINE: TEXT", "--port: TEXT".
 */
void ptParseFail(struct ptParse *parse, const struct hdIniKey *key,
		 const char *format, ...)
	__attribute__((__format__(__printf__, 3, 4)));

/** As ptParseFail(), for a line; 0 for the file as a whole. */
void ptParseFailAt(struct ptParse *parse, long line, const char *format, ...)
	__attribute__((__format__(__printf__, 3, 4)));

/** The same for common/ini.h; @p context is the struct ptParse. */
void ptParseReport(void *context, long line, const char *text);

/** Find a key that must be there and not be empty; reports. */
const struct hdIniKey *ptParseNeed(struct ptParse *parse,
				   const struct hdIniSection *section,
				   const char *name);

/** Tell whether a list that NULL ends, or NULL, has a name. */
bool ptParseIsIn(const char *const *list, const char *name);

/** Report keys that are in neither of two lists, of which one may be NULL. */
void ptParseUnknown(struct ptParse *parse, const struct hdIniSection *section,
		    const char *const *known, const char *const *options);

/**
 * Split a text at a character; the parts lose the blanks around them.
 *
 * @return The parts, in one block to be freed; NULL without memory.
 */
char **ptParseSplit(struct ptParse *parse, const char *text, char separator,
		    size_t *count);

/** Check that labels or types of levels are what hdTopology.h allows. */
bool ptParseLabels(struct ptParse *parse, const struct hdIniKey *key,
		   char *const *labels, size_t count);

/** Tell whether an allocation worked. */
bool ptParseGot(struct ptParse *parse, const void *memory);

/** Add a name to a list of what is allowed: "a, b, c". */
void ptParseList(char *list, size_t size, const char *name);

/** Give keys that were called otherwise once the names of today: `channel=` is
 *  `input=`, `channels=` is `inputs=`. */
void ptParseOldNames(struct ptParse *parse, struct hdIni *ini);

/**
 * Read the scale of channels from the keys of a section: voltage, slope,
 * offset, as far as the driver takes them; what it does not take is left to
 * ptParseUnknown().
 */
void ptParseScale(struct ptParse *parse, const struct hdIniSection *section,
		  struct ptScale *scale);

/** Report if a quantity needs a term of a scale that is not given. */
void ptParseScaleFits(struct ptParse *parse, const struct hdIniSection *section,
		      const struct ptQuantity *quantity,
		      const struct ptScale *scale);

/**
 * Get the keys of a scale that the driver takes; @p keys ends with NULL.
 */
void ptParseScaleKeys(const struct ptDriver *driver, const char *keys[4]);

/**
 * Read what a section says of the device: driver, port, baud, cycle, delay and
 * options.
 *
 * @param driver The key that has the name of the driver.
 * @param keys All keys that the section may have beside options.
 */
void ptParseDevice(struct ptParse *parse, const struct hdIniSection *section,
		   const char *driver, const char *const *keys);

/** Read project and topology; @p isNeeded says whether they must be there. */
void ptParseProject(struct ptParse *parse, const struct hdIniSection *section,
		    bool isNeeded);

/**
 * Read a list of the driver's quantities, "P,E"; reports.
 *
 * @param scale What must suit them.
 * @param[out] list To be freed; NULL after an error.
 */
void ptParseQuantities(struct ptParse *parse,
		       const struct hdIniSection *section,
		       const struct hdIniKey *key, const struct ptScale *scale,
		       const struct ptQuantity ***list, size_t *count);

/** Read all [Trace] sections. */
void ptParseTraces(struct ptParse *parse);

#endif
