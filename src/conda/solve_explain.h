/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why there is no answer, in steps:
 *
 *   solve_explain       problems, one after the other, and the message
 *   solve_core          the smallest set of lines that fail
 *   solve_say_missing   a line that nothing matches
 *   solve_say_channel   ... for it is in another channel
 *   solve_say_conflict  lines that do not go together
 *   solve_reason        what speaks against each of a row of candidates
 *   solve_say_reason    ... told group by group
 *   solve_say_end       ... and where it ends at what is not there
 *   solve_say_other     ... or at what another package wants
 *   solve_say_versions  ... which of a name's versions they are
 *   solve_near          what is near to what is not there
 *   solve_advice        one thing to change
 *   solve_advice_line   ... a line that is written in another way
 *   solve_held          where there is an answer: why nothing newer
 *   solve_held_limits   ... that lines, pins and channels leave
 *   solve_held_allowed  ... or that does not go with the rest
 *
 * The sentences add to `out`; none ends with a full stop.
 */
#ifndef EB_SOLVE_EXPLAIN_H
#define EB_SOLVE_EXPLAIN_H

#include <envbuild/buf.h>

#include "solve_int.h"

#define EB_SV_TOLD 8

/* One explanation, and what it came across, for advice. */
struct eb_sv_say {
	struct eb_sv *sv;
	struct eb_buf *out;
	uint32_t machine;   /* a spec that the machine does not satisfy */
	const char *absent; /* a name or spec that no channel has */
	uint32_t pin;	    /* a pin that keeps something out */
	uint32_t hidden;    /* a name that strict priority cuts down; */
	unsigned other;	    /* ... the channel that would do */
	struct eb_buf *advice;
	uint32_t told[EB_SV_TOLD]; /* lines that a chain ended at */
	unsigned n_told;
};

/* A row of candidates of one name, in ascending order. */
struct eb_sv_set {
	uint32_t name;
	uint32_t *cand;
	uint32_t n;
};
void eb_sv_set_release(struct eb_sv_set *s);

/* --- solve_core.c --- */
/* The specs in use have no answer: what is left of the attempt. NULL: they
 * have one, or there is no more time. */
struct eb_sv *eb_sv_fails(const struct eb_solve_request *q, const bool *use,
			  uint64_t until);
/* Had a name a part in the failure of an attempt? Also where that is not
 * known. */
bool eb_sv_blames(const struct eb_sv *sv, const char *name);
/* Lines that had a part in the end of candidates, by the request's index. */
void eb_sv_blame_set(const struct eb_sv *sv, const struct eb_sv_set *set,
		     bool *use);
/* `use` are specs that fail, as `sv` found out: cut down to a set of which
 * none can be left out. An attempt with those alone, the caller's; NULL: `sv`
 * is one. */
struct eb_sv *eb_sv_core(const struct eb_solve_request *q, struct eb_sv *sv,
			 bool *use, uint64_t until);

/* Do a candidate's own texts leave room for another? */
bool eb_sv_admits(const struct eb_sv *sv, const struct eb_sv_cand *c,
		  uint32_t cand);

/* --- lines --- */
/* As it was written. */
const char *eb_sv_line_text(const struct eb_solve_request *q, size_t spec);
/* The request's index of a spec of the user. */
size_t eb_sv_asked(const struct eb_sv *sv, uint32_t spec);
/* The first spec of the user on a name, EB_SV_NONE when there is none. */
uint32_t eb_sv_user_spec(const struct eb_sv *sv, uint32_t name);
void eb_sv_add_place(const struct eb_solve_request *q, size_t spec,
		     struct eb_buf *out);
/* A pin in quotes. */
void eb_sv_add_pin(const struct eb_sv *sv, uint32_t spec, struct eb_buf *out);
const char *eb_sv_channel_name(const struct eb_sv *sv, unsigned channel);

/* --- solve_reason.c --- */
enum eb_sv_why {
	EB_SV_WHY_NEEDS,    /* nothing that it needs of a name is left */
	EB_SV_WHY_EXCLUDES, /* ... or that it goes together with */
	EB_SV_WHY_OTHER,    /* a package that has to be there wants another */
	EB_SV_WHY_USER,	    /* a line of the user wants another */
	EB_SV_WHY_PIN,	    /* ... or a pin */
	EB_SV_WHY_NOTHING,
};

/* Candidates that fail at the same. */
struct eb_sv_fault {
	enum eb_sv_why kind;
	uint32_t target; /* a name; of USER and PIN: a spec */
	bool outright;	 /* it fails at what is not there, or at a line */
	struct eb_sv_set set;
	uint32_t *spec; /* of NEEDS and EXCLUDES, by candidate */
};

struct eb_sv_faults {
	struct eb_sv_fault *v;
	uint32_t n, alloc;
};

/* The weightiest first; the caller releases them. */
struct eb_sv_faults eb_sv_faults_of(const struct eb_sv *sv,
				    const struct eb_sv_set *set);
void eb_sv_faults_release(struct eb_sv_faults *list);
/* All that the group's specs match; the caller releases it. */
struct eb_sv_set eb_sv_wanted(const struct eb_sv *sv,
			      const struct eb_sv_fault *g);
/* The index of the newest of the group, by which it is quoted. */
uint32_t eb_sv_fault_newest(const struct eb_sv *sv,
			    const struct eb_sv_fault *g);
/* Have all of its specs one text? */
bool eb_sv_one_text(const struct eb_sv *sv, const struct eb_sv_fault *g);

/* --- sentences --- */
/* Of a virtual package, what dependencies ask about. */
const char *eb_sv_machine_has(const struct eb_sv_cand *c);
/* A spec of the user that no record matches. */
void eb_sv_say_missing(struct eb_sv_say *say, uint32_t spec);
/* What keeps the specs in use from each other. */
void eb_sv_say_conflict(struct eb_sv_say *say);
/* Why all of a name's candidates are out; what is said is never nothing. */
void eb_sv_say_reasons(struct eb_sv_say *say, const struct eb_sv_set *set,
		       const char *subject);
/* `"a=1"`, or `"a=1" (through b, c)`, for a name that has to be there. */
void eb_sv_say_trail(const struct eb_sv *sv, uint32_t name, struct eb_buf *out);
/* `"b" needs x 2`: what the packages of one name want of another. */
void eb_sv_say_restriction(struct eb_sv_say *say, uint32_t by, uint32_t name);
/* The same where it is known what they keep out. */
void eb_sv_say_other(struct eb_sv_say *say, uint32_t by,
		     const struct eb_sv_set *out_of);
/* `, which no channel has`: the end of a clause, at a spec that nothing
 * matches. */
void eb_sv_end_unmatched(struct eb_sv_say *say, uint32_t spec);
/* `, but "x" comes before it and has only a 1.0`: what strict priority leaves
 * of a name. */
void eb_sv_say_before(const struct eb_sv *sv, uint32_t name,
		      struct eb_buf *out);
/* "3.11 or newer", "3.8, 3.9 or 3.10": of all versions that the name has. */
void eb_sv_say_versions(const struct eb_sv *sv, const struct eb_sv_set *set,
			struct eb_buf *out);
/* What is there of a name whose spec matches nothing; how many are told. */
size_t eb_sv_near_versions(struct eb_sv *sv, uint32_t name,
			   const struct eb_matchspec *m, struct eb_buf *out);
size_t eb_sv_near_builds(struct eb_sv *sv, uint32_t name,
			 const struct eb_matchspec *m, struct eb_buf *out);
/* A line that nothing matches, for another channel has it; false: none has. */
bool eb_sv_say_hidden(struct eb_sv_say *say, const struct eb_sv_name *name,
		      uint32_t spec);
/* A channel that has what the spec wants but does not count, UINT_MAX. */
unsigned eb_sv_hidden_in(struct eb_sv *sv, const struct eb_matchspec *m);

/* --- solve_advice.c: nothing where there is none --- */
/* A part of a request, and the lines of one problem in it. */
struct eb_sv_asking {
	const struct eb_solve_request *q;
	const bool *use;  /* lines of the problem */
	const bool *with; /* and those that are not of another one */
	uint64_t until;
};
/* True: the lines in `with` have a solution once the advice is taken. */
bool eb_sv_advise(const struct eb_sv_asking *a, const struct eb_sv_say *met,
		  struct eb_buf *out);
/* Has a request an answer? What of `name` is in it goes to *found, whose record
 * is the repodata's. */
bool eb_sv_solves(const struct eb_solve_request *q, const bool *with,
		  const char *name, struct eb_sv_cand *found);
/* Lines that do in another way. */
void eb_sv_advise_lines(const struct eb_sv_asking *a, const struct eb_sv *sv,
			struct eb_buf *out);
/* The only way out of a build for the GPU may be one for the CPU: that is
 * said. */
void eb_sv_advise_cpu(const struct eb_sv_asking *a, struct eb_buf *out);
/* Lines without which it goes. */
void eb_sv_advise_less(const struct eb_sv_asking *a, struct eb_buf *out);

/* --- solve_held.c --- */
struct eb_sv_look {
	const struct eb_solve_request *q;
	const struct eb_solution *s;
	struct eb_sv *sv; /* solved once more */
	uint64_t until;
	bool *line; /* those that hold the one back that is looked at */
	uint32_t name;
	const struct eb_version *has;	  /* in the solution */
	const struct eb_version *newest;  /* of all channels */
	const struct eb_version *allowed; /* of what lines and channels leave */
};

/* Candidates of a version: those that a line or pin keeps out, or the others.
 * The caller releases them. */
struct eb_sv_set eb_sv_of_version(const struct eb_sv *sv, uint32_t name,
				  const struct eb_version *v, bool kept_out);
/* Why not the newest of all, where lines and channels leave less. */
void eb_sv_say_limits(struct eb_sv_look *l, struct eb_buf *out);
/* Why not the newest that they leave. */
void eb_sv_say_allowed(struct eb_sv_look *l, struct eb_buf *out);

#endif
