/* SPDX-License-Identifier: Apache-2.0 */
/* Image references: registry references (distribution-spec grammar) and the
 * local forms store:, oci:, oci-archive:, docker-archive:, rootfs:, scratch.
 */
#ifndef EB_REFERENCE_H
#define EB_REFERENCE_H

#include <stdbool.h>

#include <envbuild/digest.h>
#include <envbuild/error.h>

enum eb_ref_kind {
	EB_REF_REGISTRY,
	EB_REF_STORE,	       /* store:sha256:<64 hex> or store:<tag> */
	EB_REF_OCI,	       /* oci:DIR[:TAG] */
	EB_REF_OCI_ARCHIVE,    /* oci-archive:FILE[:TAG] */
	EB_REF_DOCKER_ARCHIVE, /* docker-archive:FILE[:NAME:TAG] */
	EB_REF_ROOTFS, /* rootfs:TARFILE (base) or rootfs:DIR (output) */
	EB_REF_SCRATCH,
};

struct eb_reference {
	enum eb_ref_kind kind;
	char *registry, *repository; /* of a registry reference, defaults
				      * filled in (docker.io, library/) */
	char *path;		     /* of a local form */
	char *tag;		     /* or NULL */
	bool has_digest;
	struct eb_digest digest;
};
/* EB_USAGE that names the text and what is wrong with it. */
int eb_reference_parse(const char *text, struct eb_reference *out,
		       struct eb_error *err);
char *eb_reference_format(const struct eb_reference *r); /* caller frees */
void eb_reference_release(struct eb_reference *r);

#endif
