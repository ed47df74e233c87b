/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain scalars by the rules of YAML 1.1 in the reading of PyYAML, which is
 * the one that most environment files were written for: the single letters y
 * and n are texts, an exponent needs a dot and a sign, and so on.
 */
#include <pthread.h>
#include <regex.h>
#include <stdbool.h>
#include <string.h>

#include "yaml_doc.h"

/* Longer ones are texts: no version, date or number has so many digits. */
#define LONGEST 1000

static const struct pattern {
	enum eb_yaml_kind kind;
	const char *regex;
} pattern[] = {
	{ EB_YAML_INT, "^[-+]?0b[0-1_]+$" },
	{ EB_YAML_INT, "^[-+]?0[0-7_]+$" },
	{ EB_YAML_INT, "^[-+]?(0|[1-9][0-9_]*)$" },
	{ EB_YAML_INT, "^[-+]?0x[0-9a-fA-F_]+$" },
	{ EB_YAML_INT, "^[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+$" },
	{ EB_YAML_FLOAT, "^[-+]?[0-9][0-9_]*\\.[0-9_]*([eE][-+][0-9]+)?$" },
	{ EB_YAML_FLOAT, "^\\.[0-9][0-9_]*([eE][-+][0-9]+)?$" },
	{ EB_YAML_FLOAT, "^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\\.[0-9_]*$" },
	{ EB_YAML_FLOAT, "^[-+]?\\.(inf|Inf|INF)$" },
	{ EB_YAML_FLOAT, "^\\.(nan|NaN|NAN)$" },
	{ EB_YAML_TIMESTAMP, "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" },
	{ EB_YAML_TIMESTAMP,
	  "^[0-9]{4}-[0-9][0-9]?-[0-9][0-9]?([Tt]|[ \t]+)[0-9][0-9]?"
	  ":[0-9]{2}:[0-9]{2}(\\.[0-9]*)?"
	  "([ \t]*(Z|[-+][0-9][0-9]?(:[0-9]{2})?))?$" },
};

#define N_PATTERNS (sizeof pattern / sizeof *pattern)

static regex_t compiled[N_PATTERNS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void compile(void)
{
	size_t i;

	for (i = 0; i < N_PATTERNS; i++)
		if (regcomp(&compiled[i], pattern[i].regex,
			    REG_EXTENDED | REG_NOSUB) != 0)
			eb_oom();
}

static bool is_one_of(const char *text, const char *const *word)
{
	for (; *word; word++)
		if (strcmp(text, *word) == 0)
			return true;
	return false;
}

static enum eb_yaml_kind resolve_number(const char *text)
{
	size_t i;

	pthread_once(&once, compile);
	for (i = 0; i < N_PATTERNS; i++)
		if (regexec(&compiled[i], text, 0, NULL, 0) == 0)
			return pattern[i].kind;
	return EB_YAML_TEXT;
}

/* Most scalars are names: their first letter decides, no pattern is tried. */
enum eb_yaml_kind eb_yaml_resolve(const char *text)
{
	static const char *const null[] = { "",	    "~",    "null",
					    "Null", "NULL", NULL };
	static const char *const boolean[] = {
		"yes",	"Yes",	"YES",	 "no",	  "No",	   "NO", "true",
		"True", "TRUE", "false", "False", "FALSE", "on", "On",
		"ON",	"off",	"Off",	 "OFF",	  NULL,
	};

	if (is_one_of(text, null))
		return EB_YAML_NULL;
	if (is_one_of(text, boolean))
		return EB_YAML_BOOL;
	if (!strchr("0123456789+-.", *text) || strlen(text) > LONGEST)
		return EB_YAML_TEXT;
	return resolve_number(text);
}
