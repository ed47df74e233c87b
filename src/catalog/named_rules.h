/* SPDX-License-Identifier: Apache-2.0 */
/* What names, versions and labels may look like. */
#ifndef EB_NAMED_RULES_H
#define EB_NAMED_RULES_H

#include <stdbool.h>

/* The rule that it breaks, "a name has ..."; NULL: none. */
const char *eb_name_rule(const char *name);
const char *eb_version_rule(const char *version);
const char *eb_label_rule(const char *label);
/* The prefix of curated names that it has, or NULL. */
const char *eb_name_reserved(const char *name);

#endif
