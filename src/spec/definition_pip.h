/* SPDX-License-Identifier: Apache-2.0 */
/* The pip part of a definition's normal text. */
#ifndef EB_DEFINITION_PIP_H
#define EB_DEFINITION_PIP_H

#include <envbuild/spec.h>

struct eb_definition_pip {
	struct eb_strv line;	   /* requirements; sorted, unique */
	struct eb_strv constraint; /* the same */
	struct eb_strv option;	   /* in the file's order */
	struct eb_strv locked;	   /* packages of a pylock.toml; sorted */
};
int eb_definition_pip(const struct eb_spec *spec, struct eb_definition_pip *out,
		      struct eb_error *err);
void eb_definition_pip_release(struct eb_definition_pip *p);

#endif
