/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a pixi.lock: what its parts share. */
#ifndef EB_PIXI_LOCK_H
#define EB_PIXI_LOCK_H

#include "locked_file.h"

struct eb_pixi_package {
	const char *place; /* URL or path, as it stands */
	const struct eb_yaml_node *at;
};

struct eb_pixi {
	struct eb_spec_reader *r;
	unsigned version;
	struct eb_pixi_package *package; /* sorted by place, then line */
	size_t n;
	struct eb_locked_pip pip;
};

/* pixi_packages.c: one of the list "packages" into the spec. */
int eb_pixi_conda(struct eb_pixi *x, const struct eb_yaml_node *n,
		  const char *place);
int eb_pixi_pypi(struct eb_pixi *x, const struct eb_yaml_node *n,
		 const char *place);

#endif
