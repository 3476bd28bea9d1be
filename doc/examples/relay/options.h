/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of options. */
#ifndef OPTIONS_H
#define OPTIONS_H

/* Print how the program is used, and end it. */
_Noreturn void optionsFail(const char *usage);

/* A number within limits, in which K and M are 2^10 and 2^20. */
long long optionsNumber(const char *text, long long least, long long most,
			const char *usage);

/* A label of the topology: `_` separates these, and becomes `-`. Changes the
 * text.
 */
char *optionsLabel(char *text);

/* The label of this host. */
const char *optionsHost(void);

#endif
