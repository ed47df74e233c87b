/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What conda-meta and RECORD claim of files, and the files. All claims are
 * gathered, then looked at path by path: several packages may claim one, and
 * the image then has the content of one of them.
 */
#ifndef EB_VERIFY_CLAIMS_H
#define EB_VERIFY_CLAIMS_H

#include <envbuild/verify.h>

/* A file, folder or link below the root, links followed inside of it; the last
 * one only with `follow`. `flags` of open(2); -1 with errno. */
int eb_inside(int root, const char *path, int flags, bool follow);

enum eb_claim_type { EB_CLAIM_ANY, EB_CLAIM_FILE, EB_CLAIM_LINK, EB_CLAIM_DIR };

struct eb_claim {
	char *path; /* below the prefix */
	size_t owner;
	enum eb_claim_type type;
	bool has_sha256, has_size;
	bool weak;    /* a RECORD that a conda package brought: what conda-meta
		       * says of a file counts */
	bool changed; /* by a post-link script: nothing is known of it */
	struct eb_digest sha256;
	uint64_t size;
};

typedef int eb_claims_record_fn(void *data, const char *file, const json_t *j,
				struct eb_error *err);

struct eb_claims {
	int root;	    /* the image's */
	const char *prefix; /* "opt/env"; "." where the root is the prefix */
	size_t max;	    /* bytes of a file that is read; 0: the usual */
	struct eb_claim *v;
	size_t n, alloc;
	struct eb_strv owner; /* "python 3.11.2", "beta 2.0 (RECORD)" */
	struct eb_findings *out;
	struct eb_verified *what;
	/* Of who wants what conda-meta says besides; or NULL. */
	eb_claims_record_fn *record;
	void *data;
};
/* A new claim of the newest owner; the path is taken. */
struct eb_claim *eb_claim_add(struct eb_claims *c, char *path);
void eb_claims_release(struct eb_claims *c);
/* Sorted by path, then owner. */
void eb_claims_sort(struct eb_claims *c);
/* Is the path claimed? Of sorted ones. */
bool eb_claims_have(const struct eb_claims *c, const char *path);

/* A whole file below the prefix. */
int eb_claims_read(const struct eb_claims *c, const char *path,
		   struct eb_buf *out, struct eb_error *err);
/* Names in a folder below the prefix, sorted; none when it is not there.
 * `ending` may be NULL. */
int eb_claims_list(const struct eb_claims *c, const char *path,
		   const char *ending, struct eb_strv *out,
		   struct eb_error *err);

/* verify_conda.c, verify_records.c: gather. */
int eb_verify_conda(struct eb_claims *c, struct eb_error *err);
int eb_verify_records(struct eb_claims *c, struct eb_error *err);
/* The folders site-packages, into c->what. */
int eb_claims_sites(struct eb_claims *c, struct eb_error *err);
/* verify_match.c: the claims against the files. */
int eb_verify_match(struct eb_claims *c, struct eb_error *err);
/* verify_changed.c: claims on paths that post-link scripts changed do not count
 * any more, which is noted; the claims are sorted. */
int eb_verify_changed(struct eb_claims *c, struct eb_error *err);
/* What it finds of a link whose target is missing, or was never packed. */
#define EB_LEADS_NOWHERE "is a link that leads nowhere"
/* verify_case.c: paths that differ in case alone. */
void eb_verify_case(struct eb_claims *c);
/* verify_stray.c: files below site-packages that nothing claims. */
int eb_verify_stray(struct eb_claims *c, struct eb_error *err);
/* How many such files are below a folder ("": the prefix, but for conda-meta
 * and what a conda of its own keeps there); *first, where there is one, is the
 * caller's. */
int eb_claims_stray(struct eb_claims *c, const char *folder, size_t *n,
		    char **first, struct eb_error *err);

/* verify_gpu.c: what a framework said of its GPUs. */
void eb_verify_take_gpu(const json_t *line, struct eb_findings *out);

#endif
