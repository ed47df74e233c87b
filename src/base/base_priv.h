/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the base module share. */
#ifndef EB_BASE_PRIV_H
#define EB_BASE_PRIV_H

#include <envbuild/base.h>
#include <envbuild/reference.h>

#define EB_BASE_FORMS                                            \
	"oci:DIR[:TAG], oci-archive:FILE, docker-archive:FILE, " \
	"rootfs:TARFILE, scratch"

/* A reference that can be a base in this release: a local form or scratch;
 * EB_USAGE otherwise. */
int eb_base_parse(const char *reference, struct eb_reference *out,
		  struct eb_error *err);

/* CONDA_OVERRIDE_GLIBC: 1 it is set and decides, 0, -1. */
int eb_base_override_glibc(struct eb_base *b, struct eb_error *err);
/* base_glibc.c: fills glibc and os_name of a base that is otherwise read. */
int eb_base_find_glibc(struct eb_base *b, struct eb_store *store,
		       struct eb_events *events, struct eb_error *err);

/* base_libc.c: what the layers hold. */
struct eb_libc {
	char *glibc;   /* version, or NULL */
	char *os_name; /* PRETTY_NAME of os-release, or NULL */
	bool musl;     /* its loader is there */
};
int eb_libc_find(const struct eb_manifest *image, const char *arch,
		 struct eb_store *store, struct eb_libc *out,
		 struct eb_error *err);
void eb_libc_release(struct eb_libc *l);

#endif
