/* SPDX-License-Identifier: Apache-2.0 */
/* What is in an environment, as far as its base's name and its package lines
 * tell. */
#ifndef EB_CONTENTS_H
#define EB_CONTENTS_H

#include <stdbool.h>

#include <envbuild/catalog.h>

struct eb_content {
	char *name;    /* normal: "torch" for conda's "pytorch" too */
	char *extras;  /* "and-cuda", or "" */
	char *op;      /* "==", "=", "~=", ">=", ..., "" */
	char *version; /* "1.7.1" without the local part, or "" */
	char *local;   /* "cu101", or "" */
	char *line;    /* as it stands */
	bool of_base;  /* the base's name says it */
};

struct eb_contents {
	const char *base;	 /* or NULL; borrowed */
	char *python;		 /* "3.8", or NULL */
	char *os, *cuda, *mpi;	 /* of the base: "ubuntu18.04", "11.1",
				  * "openmpi 4.1.0"; or NULL */
	struct eb_content *item; /* packages */
	size_t n, alloc;
};

void eb_contents_of(const struct eb_named *e, struct eb_contents *out);
void eb_contents_release(struct eb_contents *c);
const struct eb_content *eb_contents_find(const struct eb_contents *c,
					  const char *name);
/* The CUDA that a package line says or implies for certain: "11.0" of
 * cudatoolkit=11.0, "10.1" of torch==1.7.1+cu101, "12" of jax[cuda12]; NULL.
 * Caller frees. */
char *eb_content_cuda(const struct eb_content *c);
/* Does it have CUDA, of whichever version? */
bool eb_content_is_gpu(const struct eb_content *c);

/* "2.16" of "2.16.2": the first `n` parts; caller frees. */
char *eb_version_head(const char *version, unsigned n);
/* As far as both go, part by part as numbers: <0, 0, >0. */
int eb_version_heads(const char *a, const char *b);

/* What does not belong together (pairs of packages, a framework and the CUDA
 * below it): one sentence each. */
void eb_claims_pairs(const struct eb_contents *c, struct eb_strv *out);
#endif
