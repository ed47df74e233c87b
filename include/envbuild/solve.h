/* SPDX-License-Identifier: Apache-2.0 */
/* Solving: which records satisfy the specs (facts: candidate order, libsolv
 * encoding without conda support). The answer does not depend on the order of
 * specs or records.
 *
 * Of repodata v3: a dependency, constraint or spec with `when` counts where its
 * condition holds in the answer or on the machine (CEP 43); what a group of
 * optional dependencies needs is needed where anything in the answer, or the
 * user, asks for it (CEP 44); flags are matched (CEP 45). What the CEPs leave
 * open: envbuild-matchspec(5). */
#ifndef EB_SOLVE_H
#define EB_SOLVE_H

#include <stdbool.h>

#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/matchspec.h>
#include <envbuild/repodata.h>

enum eb_priority {
	EB_PRIORITY_STRICT,
	EB_PRIORITY_FLEXIBLE,
	EB_PRIORITY_DISABLED
};

/* The machine that will run the image, not the one that builds it. */
struct eb_virtual {
	char *name, *version, *build; /* "__glibc", "2.36", "0" */
};

/* Where a spec of the request comes from: explanations name it so. */
struct eb_solve_line {
	const char *text;      /* as it was written; NULL: the spec's text */
	const char *file;      /* or the option; NULL: nobody wrote it */
	unsigned line, column; /* from 1; 0: not in a file */
};

/* Other platforms' subdirs ("osx-arm64") that have a package of a name which
 * the repodata lacks: added to `out`; nothing where that is not known. */
typedef void eb_solve_elsewhere_fn(void *data, const char *name,
				   struct eb_strv *out);

/* Lines that cannot be had together, none of which can be left out; or one
 * that cannot be had at all. */
struct eb_solve_problem {
	size_t *spec; /* indexes into the request's, by the specs' text */
	size_t n;
	char *text; /* without the lines' places */
};

/* Why there is no solution. */
struct eb_unsolved {
	struct eb_solve_problem *problem; /* no line is in two */
	size_t n;
	char *advice; /* one thing to change, or NULL */
};
void eb_unsolved_release(struct eb_unsolved *u);

struct eb_solve_request {
	const struct eb_repodata *repodata;
	const struct eb_matchspec *const *spec;
	size_t n_specs;
	/* What else may not be of these names: conda's pinned packages. None of
	 * them is asked for; a name that is in the answer satisfies all of its
	 * pins. Each has a name, no glob. */
	const struct eb_matchspec *const *pin;
	size_t n_pins;
	/* Of __archspec the build is the microarchitecture; what asks for one
	 * that it descends from (archspec.h) is satisfied too. Where there is
	 * __cuda, or a spec asks for CUDA, a framework's builds for CUDA come
	 * before those for the CPU, whatever their versions; when one for the
	 * CPU is in the answer after all, a warning says so. */
	const struct eb_virtual *virtuals;
	size_t n_virtuals;
	enum eb_priority priority;
	const struct eb_channels *channels; /* for channel:: specs; or NULL */
	const char *alias;		    /* NULL: EB_CHANNEL_ALIAS */
	bool pip_beside_python; /* python in the answer brings pip, when the
				 * repodata has one (conda's default) */
	/* For explanations alone; any may be NULL. */
	const struct eb_solve_line *line; /* n_specs of them */
	eb_solve_elsewhere_fn *elsewhere;
	void *elsewhere_data;
	struct eb_unsolved *unsolved; /* filled where there is no solution */
	struct eb_sv_memo *memo;      /* private: NULL */
};

struct eb_solution {
	size_t *record;	 /* indexes into the repodata, in link order:
			  * dependencies first, ties by name */
	bool *requested; /* a spec names it */
	size_t n;
};

/* EB_NO: no solution. The message names the smallest set of lines that do not
 * go together and why, as the user wrote them and where, whatever their order;
 * up to three such sets. The hint is one thing to change; where it gives
 * another version, the request as a whole was solved with it. The place is
 * that of the first line named. */
int eb_solve(const struct eb_solve_request *request, struct eb_solution *out,
	     struct eb_events *events, struct eb_error *err);
void eb_solution_release(struct eb_solution *s);

/* A package that was asked for and is not the newest that the channels have
 * (pre-releases and builds with features aside). */
struct eb_held {
	char *name, *version, *newest;
	char *why;    /* a sentence without full stop */
	size_t *spec; /* indexes of the lines that hold it back; may be none */
	size_t n;
};
struct eb_held_list {
	struct eb_held *v; /* by name */
	size_t n;
};
/* Why the packages that specs of the request name are not newer in `s`, its
 * solution: each costs about as much as a solve. The first 32 are told. */
int eb_solve_held(const struct eb_solve_request *request,
		  const struct eb_solution *s, struct eb_held_list *out,
		  struct eb_error *err);
void eb_held_list_release(struct eb_held_list *l);

/* The link order of a set of records: order[i] is the index of the i-th. Two
 * of one name: EB_INPUT. */
int eb_link_order(const struct eb_record *const *record, size_t n,
		  size_t *order, struct eb_error *err);

#endif
