/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A solve in steps, each a file:
 *
 *   solve_pool     candidates: the records of every name that can come up
 *   solve_filter   which records of a name count at all (channels, features)
 *   solve_spec     dependency texts as numbers, each with what it matches
 *   solve_prune    candidates that cannot be in any answer
 *   solve_rank     the order of a name's candidates, best last
 *   solve_order    names, dependencies first
 *   solve_sat      libsolv
 *   solve_explain  why there is no answer
 */
#ifndef EB_SOLVE_INT_H
#define EB_SOLVE_INT_H

#include <envbuild/solve.h>

#include "repodata_int.h"

#define EB_SV_NONE UINT32_MAX

/* Why a candidate cannot be in an answer; behind it what dead_by is. */
enum eb_sv_dead {
	EB_SV_ALIVE,
	EB_SV_USER,	/* a spec of the user does not match it (spec) */
	EB_SV_NEEDS,	/* nothing satisfies a dependency of it (spec) */
	EB_SV_EXCLUDES, /* it excludes what has to be there (spec) */
	EB_SV_OTHER,	/* what has to be there allows only others (name) */
};

struct eb_sv_cand {
	uint32_t row; /* in the repodata; EB_SV_NONE: a virtual package */
	uint32_t name, channel;
	const struct eb_record *r;
	const struct eb_version *version;
	uint32_t version_order; /* equal versions have equal numbers */
	uint32_t needs; /* first in sv->needs; then what it constrains */
	uint16_t n_needs, n_excludes;
	uint16_t tracked; /* how many features it tracks */
	uint8_t dead;	  /* enum eb_sv_dead */
	bool favoured;	  /* has a feature that was asked for */
	bool unasked;	  /* has a feature that nothing asked for */
	uint32_t dead_by;
	uint32_t rank; /* 1 is the worst of its name */
	int id;	       /* libsolv's */
};

/* How a name's records were cut down. */
struct eb_sv_name {
	const char *name;
	uint32_t first, n; /* candidates */
	uint32_t alive;
	bool loaded, expanded;
	bool must;	  /* every answer has it */
	uint32_t must_by; /* the name that needs it, EB_SV_NONE: the user */
	bool hidden;	  /* other channels' records were left out */
	unsigned channel; /* ... in favour of this one */
};

struct eb_sv_spec {
	const char *text;
	struct eb_matchspec *own;     /* parsed by us */
	const struct eb_matchspec *m; /* NULL: it cannot be read */
	uint32_t name;		      /* EB_SV_NONE: a glob */
	bool matched, user;
	uint32_t *match; /* candidates in ascending order */
	uint32_t n_match, n_alive;
	uint32_t best;	   /* highest version_order of what matches */
	bool best_tracked; /* all of those track features */
	bool has_best;
};

struct eb_sv_version {
	const char *text;
	struct eb_version *version;
};

struct eb_sv {
	const struct eb_solve_request *q;
	struct eb_repodata *rd;
	const char *alias;
	struct eb_events *events;
	const bool *use; /* of the user's specs, NULL: all */
	bool allow_featured, add_pip;
	bool had_featured, had_pip; /* set where that made a difference */
	struct eb_strpool pool;
	struct eb_sv_cand *cand;
	uint32_t n_cands, alloc_cands;
	struct eb_sv_name *name;
	uint32_t n_names, alloc_names;
	uint32_t *name_slot, name_slots;
	struct eb_sv_spec *spec;
	uint32_t n_specs, alloc_specs;
	uint32_t *spec_slot, spec_slots;
	uint32_t *needs; /* specs by number */
	uint32_t n_needs, alloc_needs;
	uint32_t *user; /* the user's specs by number */
	uint32_t n_user;
	struct eb_record *virtual_record;
	struct eb_sv_version *version;
	uint32_t versions, version_slots;
	struct eb_strv asked_features;
	uint32_t empty;	  /* has to be there, has none left */
	uint32_t *chosen; /* candidates of the answer */
	uint32_t n_chosen;
	char *clash; /* a pair of libsolv's reasons in words, or NULL */
};

/* solve_run.c */
struct eb_sv *eb_sv_new(const struct eb_solve_request *q, const bool *use,
			struct eb_events *events);
void eb_sv_free(struct eb_sv *sv);
EB_AUTOPTR(struct eb_sv, eb_sv_free)
/* 1 there is an answer (chosen), 0 there is none, -1 */
int eb_sv_run(struct eb_sv *sv, struct eb_error *err);

/* solve_pool.c */
void eb_sv_load(struct eb_sv *sv);
uint32_t eb_sv_name_of(struct eb_sv *sv, const char *name);
const struct eb_version *eb_sv_version_of(struct eb_sv *sv, const char *text);

/* solve_filter.c: the rows of a name that count, in a list for the caller */
uint32_t *eb_sv_filter(struct eb_sv *sv, struct eb_sv_name *name, size_t *n);
void eb_sv_ask_features(struct eb_sv *sv);
bool eb_sv_channel_fits(const struct eb_sv *sv, const struct eb_matchspec *m,
			const struct eb_record *r, unsigned channel);
bool eb_sv_has_feature(const struct eb_sv *sv, const char *features);

/* solve_spec.c */
uint32_t eb_sv_spec_of(struct eb_sv *sv, const char *text);
uint32_t eb_sv_spec_user(struct eb_sv *sv, const struct eb_matchspec *m);
void eb_sv_match(struct eb_sv *sv, uint32_t spec);
bool eb_sv_matches(const struct eb_sv_spec *s, uint32_t cand);

/* solve_prune.c: false when a name that has to be there has nothing left */
bool eb_sv_prune(struct eb_sv *sv);

/* solve_rank.c */
void eb_sv_rank(struct eb_sv *sv);
void eb_sv_order_versions(struct eb_sv *sv, const struct eb_sv_name *name);

/* solve_order.c: n_names names, dependencies first; caller frees */
uint32_t *eb_sv_name_order(const struct eb_sv *sv);

/* solve_sat.c */
int eb_sv_sat(struct eb_sv *sv, struct eb_error *err);

/* solve_explain.c: fills err with EB_NO */
int eb_sv_explain(const struct eb_solve_request *q, struct eb_sv *sv,
		  struct eb_error *err);

/* solve_near.c */
void eb_sv_near_versions(struct eb_sv *sv, uint32_t name,
			 const struct eb_matchspec *m, struct eb_buf *out);

static inline bool eb_sv_is_virtual_name(const char *name)
{
	return name[0] == '_' && name[1] == '_';
}

#endif
