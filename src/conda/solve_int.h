/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A solve in steps, each a file:
 *
 *   solve_pool     candidates: the records of every name that can come up
 *   solve_versions a name's versions in their order
 *   solve_filter   which records of a name count at all (channels, features)
 *   solve_spec     dependency texts as numbers, each with what it matches
 *   solve_memo     texts that were parsed, for all attempts
 *   solve_prune    candidates that cannot be in any answer
 *   solve_cuda     which builds come first where CUDA is asked for
 *   solve_rank     the order of a name's candidates, best last
 *   solve_when     what counts under a condition, or with a group of extras
 *   solve_reach    names that can come up in the end
 *   solve_same     candidates and texts that are as good as others
 *   solve_order    names, dependencies first
 *   solve_sat      libsolv
 *   solve_explain  why there is no answer
 */
#ifndef EB_SOLVE_INT_H
#define EB_SOLVE_INT_H

#include <envbuild/solve.h>

#include "repodata_int.h"

#define EB_SV_NONE UINT32_MAX

struct eb_sv_memo;

/* Why a candidate cannot be in an answer; behind it what dead_by is. */
enum eb_sv_dead {
	EB_SV_ALIVE,
	EB_SV_USER,	/* a spec of the user does not match it (spec) */
	EB_SV_PIN,	/* nor does what its name is pinned to (spec) */
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
	uint32_t conds, n_conds; /* in sv->cond */
	uint16_t tracked;	 /* how many features it tracks */
	uint8_t dead;		 /* enum eb_sv_dead */
	bool aside;		 /* a better one does all that it could */
	bool favoured;		 /* has a feature that was asked for */
	bool unasked;		 /* has a feature that nothing asked for */
	bool on_cpu;		 /* for the CPU, where CUDA is asked for */
	uint32_t dead_by;
	uint32_t rank; /* 1 is the worst of its name */
	int id;	       /* libsolv's */
};

/* How a name's records were cut down. */
struct eb_sv_name {
	const char *name;
	uint32_t first, n; /* candidates */
	/* Their versions in order, one of those that are equal; the number in
	 * a candidate's version_order counts from 1. */
	const struct eb_version **version;
	uint32_t n_versions;
	uint32_t alive;
	bool loaded, expanded;
	bool changed;	  /* lost candidates since they were counted */
	bool reached;	  /* an answer can have it */
	bool must;	  /* every answer has it */
	uint32_t must_by; /* the name that needs it, EB_SV_NONE: the user */
	bool hidden;	  /* other channels' records were left out */
	unsigned channel; /* ... in favour of this one */
};

/* Of a dependency whose name is plain to see no more than that is known until
 * it is matched. */
struct eb_sv_spec {
	const char *text;
	const struct eb_matchspec
		*m;    /* when matched; NULL: it cannot be read */
	uint32_t name; /* EB_SV_NONE: a glob */
	bool matched, user;
	bool told;   /* `when` and `simple` are known */
	bool simple; /* it has neither a condition nor extras */
	int8_t when; /* its condition: 1 holds or has none, 0 not, -1 perhaps */
	uint32_t *match; /* candidates in ascending order */
	uint32_t n_match, n_alive;
	uint32_t best;	   /* highest version_order of what matches */
	bool best_tracked; /* all of those track features */
	bool has_best;
	uint32_t like; /* the first that matches the same candidates */
	bool all;      /* that is all of its name */
};

/* What counts only where a condition holds, or once somebody asks for a group
 * of optional dependencies. */
enum eb_sv_cond_kind {
	EB_SV_COND_NEEDS,  /* the spec */
	EB_SV_COND_ALLOWS, /* the spec alone */
	EB_SV_COND_ASKS,   /* for the group `asks` */
};

struct eb_sv_cond {
	enum eb_sv_cond_kind kind;
	uint32_t spec;	/* its condition counts */
	uint32_t asks;	/* a group's number */
	uint32_t group; /* that has to be asked for; EB_SV_NONE: none */
	bool followed;
};

/* A name's group of optional dependencies that a spec asks for. */
struct eb_sv_group {
	uint32_t name;
	const char *text;
	bool wanted; /* by something that may be in the answer */
};

struct eb_sv {
	const struct eb_solve_request *q;
	struct eb_repodata *rd;
	const char *alias;
	struct eb_events *events;
	const bool *use; /* of the user's specs, NULL: all */
	bool allow_featured, add_pip;
	bool any_answer;	    /* the best is not wanted */
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
	size_t *asked;	     /* their indexes in the request */
	uint32_t it;	     /* the one of them that explanations call so */
	const char *it_text; /* ... or like this */
	uint32_t *perhaps;   /* those of the user's with an open condition */
	uint32_t n_perhaps;
	struct eb_sv_cond *cond; /* the user's, then by candidate */
	uint32_t n_conds, alloc_conds, n_user_conds;
	struct eb_sv_group *group;
	uint32_t n_groups, alloc_groups;
	uint32_t *group_slot, group_slots;
	uint32_t *pin; /* the pins, likewise */
	uint32_t n_pins;
	struct eb_record *virtual_record;
	struct eb_strv asked_features;
	uint32_t empty;	  /* has to be there, has none left */
	uint32_t *chosen; /* candidates of the answer */
	uint32_t n_chosen;
	uint32_t clash; /* a name of which libsolv had to have two, or none */
};

/* solve_run.c */
struct eb_sv *eb_sv_new(const struct eb_solve_request *q, const bool *use,
			struct eb_events *events);
void eb_sv_free(struct eb_sv *sv);
EB_AUTOPTR(struct eb_sv, eb_sv_free)
/* The request's specs in an order of their own, for n_specs indexes. */
void eb_sv_line_order(const struct eb_solve_request *q, size_t *order);
/* 1 there is an answer (chosen), 0 there is none, -1 */
int eb_sv_run(struct eb_sv *sv, struct eb_error *err);

/* solve_memo.c: NULL for what cannot be read; texts have to live as long */
struct eb_sv_memo *eb_sv_memo_new(void);
void eb_sv_memo_free(struct eb_sv_memo *memo);
EB_AUTOPTR(struct eb_sv_memo, eb_sv_memo_free)
const struct eb_matchspec *eb_sv_memo_spec(struct eb_sv_memo *memo,
					   const char *text);
const struct eb_version *eb_sv_memo_version(struct eb_sv_memo *memo,
					    const char *text);
/* The same text at one address, which lives as long as the memo. */
const char *eb_sv_memo_text(struct eb_sv_memo *memo, const char *text);

static inline const struct eb_version *eb_sv_version_of(struct eb_sv *sv,
							const char *text)
{
	return eb_sv_memo_version(sv->q->memo, text);
}

/* solve_pool.c */
void eb_sv_load(struct eb_sv *sv);
uint32_t eb_sv_name_of(struct eb_sv *sv, const char *name);
void eb_sv_load_name(struct eb_sv *sv, uint32_t name);
void eb_sv_load_all(struct eb_sv *sv);
/* For explanations: what pruned candidates ask for is matched, too. */
void eb_sv_complete(struct eb_sv *sv);

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

/* solve_versions.c */
void eb_sv_order_versions(struct eb_sv *sv, struct eb_sv_name *name);

/* solve_when.c */
/* 1, 0 or -1: see `when` above. Loads virtual packages. */
int eb_sv_when(struct eb_sv *sv, uint32_t spec);
/* Of one spec in a condition: virtual packages are there or not; of others
 * nobody can tell. `data` is the struct eb_sv. */
int eb_sv_on_machine(void *data, const struct eb_matchspec *m);
/* What a spec asks for besides its package, added to the conditions; what
 * itself is conditional is added whole: then true. */
bool eb_sv_add_conds(struct eb_sv *sv, uint32_t spec, enum eb_sv_cond_kind kind,
		     uint32_t group);
/* All groups of a candidate of this name. */
void eb_sv_add_groups(struct eb_sv *sv, uint32_t name,
		      const struct eb_record *r);
/* Load the names that conditions can bring; true: there were new ones. */
bool eb_sv_follow_conds(struct eb_sv *sv);
/* The number of a spec in a condition. */
uint32_t eb_sv_part(struct eb_sv *sv, const struct eb_matchspec *m);
/* Each spec that one speaks of: its own and those of its condition. */
typedef void eb_sv_part_fn(void *data, uint32_t spec);
void eb_sv_each_part(struct eb_sv *sv, const struct eb_sv_cond *c,
		     eb_sv_part_fn *fn, void *data);
/* Once all names are loaded. */
void eb_sv_match_conds(struct eb_sv *sv);
/* Does a condition's package count at all? */
bool eb_sv_cond_counts(const struct eb_sv *sv, const struct eb_sv_cond *c);

/* solve_prune.c: false when a name that has to be there has nothing left */
bool eb_sv_prune(struct eb_sv *sv);

/* solve_cuda.c: before ranking; what of it did not help */
void eb_sv_prefer_cuda(struct eb_sv *sv);
void eb_sv_tell_cpu(const struct eb_sv *sv, struct eb_events *events);

/* solve_rank.c */
void eb_sv_rank(struct eb_sv *sv);

/* solve_reach.c */
void eb_sv_reach(struct eb_sv *sv);

/* solve_same.c: after ranking */
void eb_sv_join(struct eb_sv *sv);
/* Does it, by this text of its, exclude a candidate that is left? */
bool eb_sv_excludes(const struct eb_sv *sv, const struct eb_sv_cand *c,
		    uint32_t spec);

/* solve_order.c: n_names names, dependencies first; caller frees */
uint32_t *eb_sv_name_order(const struct eb_sv *sv);

/* solve_sat_when.c: conditions as rules of libsolv */
struct s_Pool;
struct s_Repo;
struct eb_sv_wires {
	struct eb_sv *sv;
	struct s_Pool *pool;
	struct s_Repo *repo; /* of made-up packages */
	int always;	     /* a package that is always installed */
	void *data;
	/* A candidate requires a relation; the relation of a spec. */
	void (*need)(void *data, const struct eb_sv_cand *c, int relation);
	int (*relation)(void *data, uint32_t spec);
};
/* `order`: the candidates in the pool. */
void eb_sv_wire(struct eb_sv_wires *w, const uint32_t *order, uint32_t n);

/* solve_sat.c */
int eb_sv_sat(struct eb_sv *sv, struct eb_error *err);

/* solve_explain.c: fills err with EB_NO */
int eb_sv_explain(const struct eb_solve_request *q, struct eb_sv *sv,
		  struct eb_error *err);

static inline bool eb_sv_is_virtual_name(const char *name)
{
	return name[0] == '_' && name[1] == '_';
}

#endif
