/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the two files that fill struct eb_config. */
#ifndef EB_OPTIONS_H
#define EB_OPTIONS_H

#include <envbuild/config.h>

#define EB_SYSTEM_CONFIG "/etc/envbuild/config.yml"

/* The machine's own platform, as OCI spells it. */
const char *eb_machine_platform(void);
/* May this option, one with a list of choices, be that? */
bool eb_option_allows(const char *name, const char *value);
/* A date of --as-of in milliseconds since 1970; 0, or -1 when it is none. */
int eb_date_parse(const char *text, int64_t *ms);
void eb_config_defaults(struct eb_config *c);
/* The one text of what a value of --arch, --cuda, --driver or --gpu-arch means;
 * NULL: it is none, and `form` says what is expected. Caller frees. */
char *eb_option_normal(const char *name, const char *value, const char **form);
/* EB_USAGE: --cpu beside an option that asks for a GPU. */
int eb_option_gpu_check(const struct eb_config *c, struct eb_error *err);
/* EB_USAGE: --arch is none of the platform. */
int eb_option_arch_check(const struct eb_config *c, struct eb_error *err);

#endif
