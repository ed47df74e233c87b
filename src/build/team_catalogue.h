/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The team's catalogue in its repository (envbuild-registry(5)):
 *
 *	def-NAME.vVERSION	a version: an artifact whose one layer is the
 *				definition (env_catalog.h). What is known of it
 *				stands in annotations, so that a list needs no
 *				blob: name, version, when it was registered,
 *				identity, framework, CUDA, whether it is
 *				archived. Archiving writes the manifest anew.
 *	label-NAME.vLABEL	the same artifact, with its label
 *	claim-<32 hex of NAME and VERSION>-<32 hex of the identity>-<8 hex>
 *				somebody wants that version for that definition;
 *				the last digits are of one call
 *
 * Where def- and label- are no valid tags, or NAME holds ".v": 32 hex digits of
 * sha256(NAME NUL VERSION), as for n-.
 *
 *	team_catalogue_tag.c	names of tags
 *	team_catalogue.c	opened; one by its reference
 *	team_catalogue_versions.c which there are, and the latest of them
 *	team_catalogue_list.c	all as a list
 *	team_catalogue_add.c	a new version
 *	team_catalogue_claim.c	who wants which
 *	team_catalogue_change.c	labels, archiving
 */
#ifndef EB_TEAM_CATALOGUE_H
#define EB_TEAM_CATALOGUE_H

#include "env_catalog.h"
#include "team_artifact.h"

#define EB_MT_ENVIRONMENT "application/vnd.envbuild.environment.v1"
#define EB_MT_ENVIRONMENT_TEXT "application/vnd.envbuild.environment.v1+json"
#define EB_NOTE_NAME "org.opencontainers.image.title"
#define EB_NOTE_VERSION "org.opencontainers.image.version"
#define EB_NOTE_IDENTITY "dev.envbuild.identity"
#define EB_NOTE_FRAMEWORK "dev.envbuild.framework"
#define EB_NOTE_CUDA "dev.envbuild.cuda"
#define EB_NOTE_ORIGIN "dev.envbuild.origin"
#define EB_NOTE_LABEL "dev.envbuild.label"
#define EB_NOTE_ARCHIVED "dev.envbuild.archived"

struct eb_shared {
	struct eb_config config; /* a copy */
	struct eb_team *team;
	struct eb_events *events;
	struct eb_strv tags; /* of the repository, sorted; as last listed */
};

/* --- tags; callers free --------------------------------------------------- */
/* STEM-NAME.vVERSION, or STEM-<32 hex>. */
char *eb_catalogue_tag(const char *stem, const char *name, const char *version);
/* What such a tag names: 1; 0 with *name NULL: it is a hashed one; -1: it is
 * none. */
int eb_catalogue_tag_read(const char *tag, const char *stem, char **name,
			  char **version);
/* "claim-<32 hex>-": how all claims for a version begin. */
char *eb_catalogue_claims(const char *name, const char *version);
/* What stands behind that in a claim: "<32 hex of the identity>-<8 hex>"; NULL:
 * it is no claim. */
#define EB_CLAIM_IDENTITY 32
#define EB_CLAIM_MARK 8
const char *eb_catalogue_claimant(const char *tag);
/* Is it one of these? (n- is none.) */
bool eb_catalogue_tag_is(const char *tag);

/* --- one ------------------------------------------------------------------ */
/* What stands under def- or label- (`stem`); 1, 0, -1. EB_INTEGRITY: it is of
 * another name or version. */
int eb_shared_artifact(struct eb_shared *s, const char *stem, const char *name,
		       const char *version, struct eb_artifact *out,
		       struct eb_error *err);
/* The whole of it, from its blob. */
int eb_shared_take(struct eb_shared *s, const struct eb_artifact *a,
		   struct eb_named **out, struct eb_error *err);
bool eb_shared_is_archived(const struct eb_artifact *a);
/* Anybody can write a tag: nothing passes for a curated one, and nothing is
 * called what could not be registered. */
bool eb_shared_may_be(const char *name, const char *version);

/* --- which there are ------------------------------------------------------ */
struct eb_version {
	char *name, *version, *tag; /* the first two NULL: not known yet */
	uint64_t number;	    /* 0: the version is none */
	bool wanted, seen, gone;
	struct eb_artifact artifact; /* once it was seen */
	struct eb_shared *shared;
};
struct eb_versions {
	struct eb_version *v; /* by name; the latest first */
	size_t n, alloc;
};
void eb_versions_release(struct eb_versions *v);
/* Lists the tags; versions of `name`, or of all (NULL). */
int eb_versions_read(struct eb_shared *s, const char *name,
		     struct eb_versions *out, struct eb_error *err);
/* Again, once more is known of them. */
void eb_versions_sort(struct eb_versions *v);
/* Artifacts of those that are wanted and were not seen, several at once. What
 * is damaged is told and gone. */
int eb_versions_fetch(struct eb_shared *s, struct eb_versions *v,
		      struct eb_error *err);
/* As much of them as the latest ones are decided by. */
int eb_versions_settle(struct eb_shared *s, struct eb_versions *v,
		       struct eb_error *err);
/* The latest of the versions from `at`, all of one name: one that is not
 * archived, else (`archived`) one that is; NULL. */
const struct eb_version *eb_versions_latest(const struct eb_versions *v,
					    size_t at, bool archived);
size_t eb_versions_next(const struct eb_versions *v, size_t at); /* name */

/* Whole numbers as they are written by us, without zeros before them; 0: it is
 * none. */
uint64_t eb_version_number(const char *version);

/* --- what catalog.h asks of a place ----------------------------------------
 */
int eb_shared_labels(void *place, struct eb_named *e, struct eb_error *err);
int eb_shared_add(void *place, struct eb_named *e,
		  const struct eb_digest *identity, bool *made,
		  struct eb_error *err);
int eb_shared_label(void *place, const char *name, const char *version,
		    const char *label, struct eb_error *err);
int eb_shared_archive(void *place, const char *name, const char *version,
		      bool archived, struct eb_error *err);
int eb_shared_list(void *place, const char *name, bool archived,
		   eb_catalog_fn *fn, void *data, struct eb_error *err);
int eb_shared_tell(void *place, const char *name, struct eb_strv *names,
		   struct eb_strv *versions, struct eb_strv *labels,
		   struct eb_error *err);

#endif
