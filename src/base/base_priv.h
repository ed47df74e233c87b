/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the base module share. */
#ifndef EB_BASE_PRIV_H
#define EB_BASE_PRIV_H

#include <envbuild/base.h>
#include <envbuild/layout.h>
#include <envbuild/reference.h>

#define EB_BASE_FORMS                                                  \
	"a registry's HOST/REPOSITORY[:TAG][@DIGEST], oci:DIR[:TAG], " \
	"oci-archive:FILE, docker-archive:FILE, "                      \
	"rootfs:TARFILE, scratch"

#define EB_BASE_FACT "base-manifest"

/* A reference that can be a base: a registry's, a local form or scratch;
 * EB_USAGE otherwise. */
int eb_base_parse(const char *reference, struct eb_reference *out,
		  struct eb_error *err);

/* CONDA_OVERRIDE_GLIBC: 1 it is set and decides, 0, -1. */
int eb_base_override_glibc(struct eb_base *b, struct eb_error *err);
/* base_glibc.c: fills glibc and os_name of a base that is otherwise read. */
int eb_base_find_glibc(struct eb_base *b, const struct eb_base_from *from,
		       struct eb_error *err);

/* base_registry.c: manifest and config into the store; b->manifest and digest
 * filled. `pinned` (may be NULL): that digest, whatever the tag says. */
int eb_base_pull(struct eb_base *b, const struct eb_reference *r,
		 const struct eb_digest *pinned, const char *platform,
		 const struct eb_base_from *from, struct eb_error *err);
/* base_stream.c: a layer's members, wherever its bytes are: from the store,
 * else streamed from a place of its, verified at the end. */
int eb_base_walk_layer(const struct eb_base_from *from,
		       const struct eb_descriptor *layer, eb_member_fn *fn,
		       void *data, struct eb_error *err);

/* base_libc.c: what the layers hold. */
struct eb_libc {
	char *glibc;   /* version, or NULL */
	char *os_name; /* PRETTY_NAME of os-release, or NULL */
	bool musl;     /* its loader is there */
};
int eb_libc_find(const struct eb_manifest *image, const char *arch,
		 const struct eb_base_from *from, struct eb_libc *out,
		 struct eb_error *err);
void eb_libc_release(struct eb_libc *l);

#endif
