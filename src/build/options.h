/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the two files that fill struct eb_config. */
#ifndef EB_OPTIONS_H
#define EB_OPTIONS_H

#include <envbuild/config.h>

#define EB_SYSTEM_CONFIG "/etc/envbuild/config.yml"

/* The machine's own platform, as OCI spells it. */
const char *eb_machine_platform(void);
void eb_config_defaults(struct eb_config *c);

#endif
