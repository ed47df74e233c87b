/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the decision share. They work on one case, in the order of
 * the rule: items (what is named, by lines or by a resolver), evidence (what
 * that says about CUDA), the set that all of it allows, who brings the
 * libraries, the CUDA, the row.
 */
#ifndef EB_CUDA_INT_H
#define EB_CUDA_INT_H

#include <stdint.h>

#include <envbuild/decision.h>
#include <envbuild/version.h>

/* ---- tables (cuda_table.c) ------------------------------------------------*/

#define EB_CELLS 16
extern const char eb_images_tsv[], eb_frameworks_tsv[], eb_drivers_tsv[],
	eb_architectures_tsv[];

/* A row in its own copy; a cell that is "-" is NULL. */
struct eb_row {
	char *line;
	const char *cell[EB_CELLS];
};
struct eb_table {
	const char *at;
	struct eb_row row;
};
/* The columns, in the order of each table's header. */
enum eb_image_cell {
	IMAGE_FAMILY,
	IMAGE_REPOSITORY,
	IMAGE_TAG,
	IMAGE_DIGEST,
	IMAGE_CUDA,
	IMAGE_CUDNN,
	IMAGE_NCCL,
	IMAGE_MPI,
	IMAGE_RDMA,
	IMAGE_OS,
	IMAGE_GLIBC,
	IMAGE_FLAVOUR,
	IMAGE_DELETED,
	IMAGE_NOTE,
	IMAGE_SOURCE,
};
enum eb_framework_cell {
	FRAMEWORK_NAME,
	FRAMEWORK_VERSION,
	FRAMEWORK_PACKAGE,
	FRAMEWORK_PYTHON,
	FRAMEWORK_BUILDS,
	FRAMEWORK_STABLE,
	FRAMEWORK_EXPERIMENTAL,
	FRAMEWORK_DEFAULT,
	FRAMEWORK_CUDNN,
	FRAMEWORK_INDEX,
	FRAMEWORK_VISION,
	FRAMEWORK_AUDIO,
	FRAMEWORK_LIBRARIES,
	FRAMEWORK_NEEDS,
	FRAMEWORK_SOURCE,
	FRAMEWORK_CELLS,
};
enum eb_driver_cell { DRIVER_CUDA, DRIVER_FLOOR, DRIVER_FULL, DRIVER_EVIDENCE };
enum eb_arch_cell {
	ARCH_FRAMEWORK,
	ARCH_VERSION,
	ARCH_CUDA,
	ARCH_PLATFORM,
	ARCH_KIND,
	ARCH_SM,
	ARCH_PTX,
	ARCH_SOURCE
};

void eb_table_open(struct eb_table *t, const char *text);
bool eb_table_next(struct eb_table *t); /* the row is replaced */
void eb_table_close(struct eb_table *t);
/* Is the word one of those in a cell (parted by blanks)? NULL has none. */
bool eb_cell_has(const char *cell, const char *word);

/* ---- versions (cuda_version.c) --------------------------------------------*/

/* conda's order and specs; what is no version compares as text, fits none. */
int eb_cuda_compare(const char *a, const char *b);
bool eb_cuda_fits(const char *version, const char *spec);
char *eb_cuda_minor(const char *version); /* "12.6" of "12.6.3" */
bool eb_same_major(const char *a, const char *b);
bool eb_is_numbers(const char *text); /* "12.6.3" */

/* ---- the CUDA versions that there are (cuda_universe.c) -------------------*/

typedef uint64_t eb_cudas; /* a set of them */
#define EB_CUDAS_ALL UINT64_MAX
#define EB_CUDA_MOST 64

struct eb_universe {
	char minor[EB_CUDA_MOST][8]; /* ascending */
	unsigned n;
};
void eb_universe_read(struct eb_universe *u);
/* Those of a cell: "12.6", "12.*", ">=12.1,<13", parted by blanks. */
eb_cudas eb_cudas_of(const struct eb_universe *u, const char *cell);
/* Those of which a patch may fit a constraint of conda, or of pip. */
eb_cudas eb_cudas_that_fit(const struct eb_universe *u, const char *constraint,
			   bool python_side);
eb_cudas eb_cudas_major(const struct eb_universe *u, unsigned major);
const char *eb_cudas_lowest(const struct eb_universe *u, eb_cudas set);
const char *eb_cudas_highest(const struct eb_universe *u, eb_cudas set);
/* "CUDA 12.6, 13.0 and 13.2", "no CUDA that is known"; caller frees. */
char *eb_cudas_text(const struct eb_universe *u, eb_cudas set);
/* The driver below which it does not run, or NULL: nobody says. */
char *eb_cuda_floor(const char *minor);
/* Its toolkit's own: of the exact version, else of the newest patch. */
char *eb_cuda_toolkit_driver(const char *version);
/* May a driver be taken for `floor` or newer? "535" is a branch: its newest. */
bool eb_driver_serves(const char *driver, const char *floor);

/* ---- items (cuda_items.c) -------------------------------------------------*/

struct eb_item {
	char *name; /* lower case; of the Python side normal */
	bool python_side, solved, built;
	char *constraint; /* conda's, or specifiers of pip; NULL: any */
	char *version;	  /* exact, without local part; or NULL */
	char *local;	  /* "cu101"; or NULL */
	char *build;	  /* of conda, exact or a pattern; or NULL */
	char *glibc;	  /* the newest that it asks for; or NULL */
	struct eb_strv extras;
	const struct eb_strv *depends;
	char *shown; /* as written, or as chosen */
	const char *file;
	unsigned line, column;
};

enum eb_index_kind { EB_INDEX_CUDA, EB_INDEX_CPU };
struct eb_index_line {	    /* of a pip section, that names a build of torch */
	char *shown, *word; /* "cu118", "cpu" */
	const char *file;
	unsigned line, column;
};

/* ---- the case -------------------------------------------------------------*/

/* What the tables say about one framework of the case, and it about itself. */
struct eb_framework {
	const char *name;	    /* "torch" */
	const struct eb_item *item; /* the one that has it; conda's wins */
	char *version;		    /* exact or assumed; NULL: not known */
	bool assumed;
	char *cell[FRAMEWORK_CELLS]; /* all rows that fit, the last one's word
				      * wins; a cell may be NULL */
	bool known;		     /* a row says which CUDA it is made for */
	enum { EB_VARIANT_UNSAID, EB_VARIANT_GPU, EB_VARIANT_CPU } variant;
	const char *variant_by; /* what says so, for people */
	eb_cudas builds, stable, experimental;
	bool exact;   /* something of its own names the CUDA */
	bool range;   /* no list: what a resolver finds counts */
	char *brings; /* "wheel", "conda", "base", or NULL */
};

struct eb_evidence {
	eb_cudas allows;
	eb_cudas serves; /* of libraries that were chosen for a framework: those
			  * that they do for as well, should it say another */
	bool soft;	 /* a wish: given up when nothing is left */
	bool gpu;	 /* says that a GPU is meant */
	bool pinned;	 /* somebody chose it: experimental or not */
	bool toolkit;	 /* conda's runtime */
	char *what;	 /* "CUDA 11.0" */
	char *why, *package;
	const char *file;
	unsigned line, column;
};

#define EB_FRAMEWORKS 8
struct eb_case {
	const struct eb_decision_request *r;
	struct eb_decision *d;
	struct eb_universe u;
	char *python; /* "3.8" where a line says it; or NULL */
	struct eb_item *item;
	size_t n_items, alloc_items;
	struct eb_index_line *index;
	size_t n_index, alloc_index;
	struct eb_framework framework[EB_FRAMEWORKS];
	size_t n_frameworks;
	struct eb_evidence *evidence;
	size_t n_evidence, alloc_evidence;
	struct eb_strv arch; /* of the fleet: "7.0" */
	char *cuda_minor;    /* of --cuda */
	eb_cudas allowed;
	bool implicit;	 /* a GPU's build, and nobody asks for a GPU */
	bool carried;	 /* the environment has CUDA's runtime */
	char *cudnn;	 /* that a framework needs, or the packages have */
	bool need_cudnn; /* of the base */
	char *glibc;	 /* the newest that packages ask for; or NULL */
	const char *glibc_by;
};

/* A refusal; -1 always, with a place for the first one alone. */
int eb_refuse(struct eb_case *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The warning that was added last is one of this rule of lint. */
void eb_warning_rule(struct eb_case *c, const char *rule);
void eb_advise(struct eb_case *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void eb_add_refused(struct eb_decision *d, const char *row, char *why);

void eb_items_collect(struct eb_case *c);
void eb_item_release(struct eb_item *i);
const struct eb_item *eb_item_find(const struct eb_case *c, const char *name);
/* The package's framework ("pytorch" -> "torch"), or NULL. */
const char *eb_framework_of(const struct eb_item *i);

/* cuda_framework.c: fills c->framework. */
void eb_frameworks_find(struct eb_case *c);
void eb_framework_release(struct eb_framework *f);
/* cuda_build.c: what a build string of conda says: 1 CUDA, `*minor` filled
 * where it says which (caller frees); -1 the CPU; 0 nothing. */
int eb_build_says(const char *build, char **minor);
/* The same of a suffix of wheels: "cu118", "cpu". */
int eb_suffix_says(const char *word, char **minor);

/* The steps; -1: refused, the decision says why. */
void eb_evidence_collect(struct eb_case *c);
/* Does a framework that runs on either use the GPU? Where one is asked for, the
 * user's base has CUDA, or the environment has its runtime for all. */
bool eb_cuda_is_meant(const struct eb_case *c);
void eb_evidence_release(struct eb_evidence *e);
int eb_cuda_intersect(struct eb_case *c);
int eb_cuda_gpu(struct eb_case *c); /* is it for a GPU? */
int eb_cuda_libraries(struct eb_case *c);
int eb_cuda_choose(struct eb_case *c);
int eb_cuda_rows(struct eb_case *c);
/* The user's base: what it is, at first; whether it serves, at the end. */
void eb_cuda_given_look(struct eb_case *c);
int eb_cuda_given(struct eb_case *c);
void eb_cuda_conditions(struct eb_case *c);
void eb_cuda_pairs(struct eb_case *c);
int eb_cuda_claims(struct eb_case *c); /* what names and channels promise */

/* cuda_arch.c: does a build run on a GPU? 1, 0 with a reason (caller frees),
 * -1 nobody says. */
int eb_arch_covered(const struct eb_case *c, const char *minor, const char *sm,
		    char **why);
/* What it has kernels for, as the tables say. */
void eb_arch_list(const struct eb_case *c, const char *minor,
		  struct eb_strv *out);
/* "7.0" of "7.0", "70", "sm_70"; NULL: it is none. */
char *eb_arch_read(const char *word);

#endif
