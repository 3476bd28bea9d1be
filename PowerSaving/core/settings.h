/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Settings of a node that change its power: which files of the kernel hold
 * them, and what their values mean.
 *
 * Paths are without the root below which they are: "" but for tests. Values are
 * as in the files: clocks in kHz, power limits in uW.
 */
#ifndef HD_POWER_SETTINGS_H
#define HD_POWER_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

/** Longest path, and longest value with its final zero byte. */
#define HD_SETTING_PATH_SIZE 160
#define HD_SETTING_VALUE_SIZE 32

/** Kinds of settings. */
enum hdSettingKind {
	HD_SETTING_MAX_FREQ,
	HD_SETTING_MIN_FREQ,
	HD_SETTING_GOVERNOR,
	HD_SETTING_EPP,
	HD_SETTING_UNCORE, /**< Highest clock of uncores. */
	HD_SETTING_RAPL,   /**< Long-term power limit of packages. */
	HD_SETTING_KINDS,
};

/** A value for each kind; "": none. */
struct hdSettingValues {
	char of[HD_SETTING_KINDS][HD_SETTING_VALUE_SIZE];
};

/** Names of kinds: "max_freq" ... */
extern const char *const hdSettingNames[HD_SETTING_KINDS];

/** Find a kind by its name; -1: there is none. */
int hdSettingFind(const char *name, size_t length);

/**
 * Parse "max_freq=1200MHz,governor=powersave".
 *
 * @param[out] why What is wrong, for -EINVAL; a static text.
 *
 * @return 0 or -EINVAL.
 */
int hdSettingsParse(const char *text, struct hdSettingValues *values,
		    const char **why);

/** Write values as "max_freq=1200000,governor=powersave": as in files. */
void hdSettingsText(const struct hdSettingValues *values, char *text,
		    size_t size);

/** Parse the text of hdSettingsText(); 0 or -EINVAL. */
int hdSettingsParsePlain(const char *text, struct hdSettingValues *values);

/** Whether any value is set. */
bool hdSettingsAreAny(const struct hdSettingValues *values);

/** Compare two values of a kind: more than 0, if the first one restricts the
 *  machine less. */
int hdSettingCompare(enum hdSettingKind kind, const char *a, const char *b);

/** Get the kind of a path, if it is that of a setting; -1: it is not. */
int hdSettingKindOf(const char *path);

/** Whether a text may be a value: a word of letters, digits and "_". */
bool hdSettingIsValue(const char *text);

/** Takes a path of a kind. */
typedef void hdSettingTake(void *context, const char *path);

/** Find the files of a kind on this machine, in the order of their names, but
 *  those of CPUs that are offline; how many there are. */
size_t hdSettingFiles(const char *root, enum hdSettingKind kind,
		      hdSettingTake *take, void *context);

/** Fit a value to the limits of a file: a clock to those of the CPU. @p fitted
 *  may be @p value. 0, or -EINVAL: it does not have this governor. */
int hdSettingFit(const char *root, const char *path, const char *value,
		 char fitted[HD_SETTING_VALUE_SIZE]);

/** Read the value of a file; 0 or a negative errno (-EPROTO: not a value). */
int hdSettingRead(const char *root, const char *path,
		  char value[HD_SETTING_VALUE_SIZE]);

/** Write the value of a file; 0 or a negative errno. */
int hdSettingWrite(const char *root, const char *path, const char *value);

/** What hdSettingWrite() does; tests replace it by a kernel of their own. */
extern int (*hdSettingWriter)(const char *root, const char *path,
			      const char *value);

/** Get the highest and lowest clock of the CPUs in kHz; false: unknown. */
bool hdSettingClocks(const char *root, double *lowest, double *highest);

#endif
