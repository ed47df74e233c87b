/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache that a team shares: one repository, exactly HOST/PREFIX, and the
 * tags in it (DESIGN "Registry"; envbuild-registry(5)):
 *
 *	env-<32 hex>, lock-<32 hex>[-zstd], n-NAME.vVERSION	images
 *	locked-<32 hex>		the lock, a map of its layers, their path lists
 *	layer-<32 hex>		an own layer and its path list
 *	step-<32 hex>		the result of an executed step
 *	recent			the last 256 environments: a hint
 *	def-, label-, claim-	the environments that have names
 *
 * A registry has no compare-and-set: the first env- wins as far as can be
 * seen, and what stands there after the move is what is told.
 */
#ifndef EB_TEAM_H
#define EB_TEAM_H

#include <stdbool.h>

#include <envbuild/build.h>
#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/mem.h>
#include <envbuild/registry.h>
#include <envbuild/transfer.h>

/* How a client asks, where the options leave it open. */
struct eb_asking {
	const char *login_host; /* the given login is for it alone; NULL: for
				 * the team's */
	bool single;		/* one thing at a time */
	unsigned tries, timeout_ms; /* 0: as usual */
};
/* The client that the options ask for; `asking` may be NULL. */
struct eb_registry *eb_config_registry(const struct eb_config *config,
				       const struct eb_asking *asking,
				       struct eb_events *events);

struct eb_team;

/* 1 open, 0: no registry is configured (or --no-push, --offline, --local),
 * -1. The policy's list of registries is looked at. `single` as above. No
 * request is made. */
int eb_team_open(const struct eb_config *config, bool single,
		 struct eb_events *events, struct eb_team **out,
		 struct eb_error *err);
void eb_team_free(struct eb_team *t);
EB_AUTOPTR(struct eb_team, eb_team_free)
struct eb_registry *eb_team_registry(struct eb_team *t);
struct eb_repository *eb_team_repository(struct eb_team *t);
/* "HOST/PREFIX@sha256:..."; caller frees. */
char *eb_team_reference(const struct eb_team *t, const struct eb_digest *d);

/* --- is it there? -----------------------------------------------------------
 */
struct eb_team_image {
	struct eb_digest digest; /* what the tag points to */
	bool has_lock;		 /* found by a GET: */
	struct eb_digest lock;
	int64_t time; /* of the lock: s, 0 unknown */
	/* by eb_team_lock() and eb_team_build(): the image itself, where the
	 * tag is that of an index, and its configuration */
	struct eb_digest manifest, config;
};
/* One HEAD of env-... (of lock-... when env->given or --lock); with --max-age
 * or `more` two GETs: the lock's hash and its time. 1 hit; 0 miss, `why` says
 * so (caller frees); -1 cannot tell. */
int eb_team_check(struct eb_team *t, const struct eb_env *env,
		  const struct eb_config *config, bool more,
		  struct eb_team_image *out, char **why, struct eb_error *err);

/* The nearest environment that `recent` knows, for people: its name, what
 * differs (lines as "+numpy 1.19.5", "-six 1.16.0", "six 1.15.0 -> 1.16.0"),
 * its age, and the bytes that a build would push (exact: false where the
 * definition could not be solved with what the store has: then only requested
 * names are compared and bytes is 0). 1, 0 there is none, -1.
 *
 * The bytes are an estimate: packed sizes of the packages that the nearest has
 * not, and of each bucket that changes the size that it has in the nearest's
 * map, for it is written anew. No channel is asked: ours is the lock that the
 * store (may be NULL) has for the definition, or is solved with what it has. */
struct eb_team_nearest {
	char *name;
	struct eb_digest definition, lock;
	int64_t time; /* s */
	struct eb_strv differs;
	uint64_t push_bytes;
	bool exact;
};
int eb_team_nearest(struct eb_team *t, struct eb_env *env,
		    const struct eb_config *config, struct eb_store *store,
		    struct eb_team_nearest *out, struct eb_error *err);
void eb_team_nearest_release(struct eb_team_nearest *n);

/* --- the lock ----------------------------------------------------------------
 */
/* What stands under env-...: its image and its lock, which is put into the
 * store (unless the store has it). 1, 0 there is none or it is older than
 * --max-age, -1. A lock of a newer format: 0, said. */
int eb_team_lock(struct eb_team *t, const struct eb_env *env,
		 const struct eb_config *config, struct eb_store *store,
		 struct eb_team_image *image, struct eb_lock **lock,
		 struct eb_error *err);

/* Somebody will build: what eb_team_build() looks at first is asked for now, in
 * the background. Not for a `single` one. */
void eb_team_ahead(struct eb_team *t);

/* --- building with it
 * --------------------------------------------------------- */
/* Like eb_build_image, but layers and parts that the team has are not made,
 * and the image is pushed: layers while later ones are packed, then the
 * manifest as lock-..., locked-..., env-... (moved when `refresh` or when it is
 * not there), --tag's; layer-... and recent afterwards, as far as the registry
 * takes them now. *out is what stands under env-... in the end. */
int eb_team_build(struct eb_team *t, struct eb_lock *lock,
		  const struct eb_env *env, const struct eb_config *config,
		  struct eb_store *store, struct eb_events *events,
		  struct eb_built *built, struct eb_team_image *out,
		  struct eb_error *err);
/* --tag TAG|REF of an image in the repository: a tag, or a copy elsewhere. */
int eb_team_tag(struct eb_team *t, const struct eb_digest *image,
		const char *tag, struct eb_error *err);
/* The tag of a catalogue name and version (caller frees). */
char *eb_team_name_tag(const char *name, const char *version);

/* --- results of executed steps
 * ------------------------------------------------ */
/* The first one there wins: put gives the one that stands there in the end. A
 * result is one blob of the store and its commentary. 1, 0, -1. */
int eb_team_step_find(struct eb_team *t, const struct eb_digest *key,
		      struct eb_store *store, struct eb_digest *blob,
		      uint64_t *size, struct eb_error *err);
/* Which one stands there, without fetching it. 1, 0, -1. */
int eb_team_step_look(struct eb_team *t, const struct eb_digest *key,
		      struct eb_digest *blob, uint64_t *size,
		      struct eb_error *err);
int eb_team_step_put(struct eb_team *t, const struct eb_digest *key,
		     struct eb_store *store, struct eb_digest *blob,
		     uint64_t *size, struct eb_error *err);

/* One that is an image of the store, which stands there itself: 1, 0, -1 (its
 * layers stay in the registry); 0, -1. */
int eb_team_step_image_find(struct eb_team *t, const struct eb_digest *key,
			    const char *platform, struct eb_store *store,
			    struct eb_digest *manifest, struct eb_error *err);
int eb_team_step_image_put(struct eb_team *t, const struct eb_digest *key,
			   const char *platform, struct eb_store *store,
			   struct eb_digest *manifest, struct eb_error *err);

/* --- the team's catalogue
 * ---------------------------------------------------- */
/* The environments that a team shares, as artifacts in its repository; as
 * catalog.h has it, but that "latest" is the highest number, and only where a
 * name has none the version that was registered last. EB_USAGE where no
 * registry is configured. No request is made. What is got of it is kept in the
 * store too, for calls with --local.
 *
 * A registry has no compare-and-set. So a version is claimed by a tag that is
 * nobody else's, then it is looked which claims there are, and it is taken by
 * who sees his own alone: of two, the one who looks last sees both. Of those
 * who see each other one stays until the others have gone on to the next
 * numbers. A number whose claimant was killed is left out. The tag is read back
 * in the end. What remains is a registry whose list of tags lags behind: there
 * two may believe that they are alone, and the one whose write comes first
 * loses it after it has read it back. */
int eb_shared_open(const struct eb_config *config, struct eb_events *events,
		   struct eb_catalog **out, struct eb_error *err);

/* --- care
 * ----------------------------------------------------------------------- */
struct eb_team_gc_options {
	int64_t max_age_s; /* of the lock; 0: no limit */
	bool remove;	   /* else told only */
};
struct eb_team_gc_report {
	unsigned images, locks, layers, steps; /* seen */
	unsigned old, unreachable, removed, refused;
};
/* Old: images whose lock is older, by every tag they have; unreachable:
 * locked-, layer-, step- that no image left needs. Each is an event (note). A
 * digest goes only when all its tags may. */
int eb_team_gc(struct eb_team *t, const struct eb_team_gc_options *options,
	       struct eb_team_gc_report *out, struct eb_error *err);

#endif
