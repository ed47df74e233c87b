/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which CUDA, which base image, and why: decided from what is asked for and,
 * where it is known, from what a resolver made of it. A pure function over
 * the tables of templates/base, which are carried inside: nothing is opened,
 * nobody is asked.
 *
 * The rule has seven steps: collect what packages and options say; see who
 * brings the libraries; choose the CUDA; choose the row; its digest; record;
 * refuse. A decision is made twice where a resolver can be run: from the
 * lines alone, whose `virtual_cuda` the solver needs, and again with the
 * packages that it chose, which is the one that counts. Where a solver finds
 * nothing for a GPU with that `virtual_cuda`, the CUDAs of `alternative` are to
 * be tried in their order: the tables know the project's own builds, channels
 * make others.
 *
 *	struct eb_decision_request r = { .spec = spec,
 *					 .platform = "linux/amd64",
 *					 .gpu = EB_GPU_YES };
 *	if (eb_decide(&r, &d, &err) < 0)   // wrong use of an option
 *		...
 *	eb_decision_tell(d, &text);	   // for people
 *	json = eb_decision_to_json(d);	   // explain --json
 *	if (d->refused)			   // exit 1
 */
#ifndef EB_DECISION_H
#define EB_DECISION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include <envbuild/buf.h>
#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/mem.h>
#include <envbuild/pin.h>
#include <envbuild/pip_set.h>
#include <envbuild/record.h>
#include <envbuild/spec.h>
#include <envbuild/str.h>

/* ---- what is asked for --------------------------------------------------- */

enum eb_gpu {
	EB_GPU_UNSAID, /* the packages say it */
	EB_GPU_YES,    /* --gpu; --cuda, --driver and --gpu-arch say it too */
	EB_GPU_NO,     /* --cpu */
};

/* A package that a resolver chose. */
struct eb_decision_package {
	const char *name;    /* conda's, or the normal project name */
	const char *version; /* with its local part, "1.7.1+cu101" */
	const char *build;   /* of a conda package; else NULL */
	const char *file;    /* of a wheel, for its tags; or NULL */
	/* conda: `depends`; wheel: its Requires-Dist; NULL: not known */
	const struct eb_strv *depends;
	bool python_side;
	bool built; /* no wheel: made from source */
};

/* What is known of a base that the user names: members of its config. Any of
 * them may be NULL. */
struct eb_decision_base {
	const char *cuda;    /* CUDA_VERSION, else the label
			      * com.nvidia.cuda.version */
	const char *cudnn;   /* NV_CUDNN_VERSION */
	const char *require; /* NVIDIA_REQUIRE_CUDA */
	const char *glibc;
	const char *os; /* "ubuntu 22.04", "debian 12" */
};

struct eb_decision_request { /* everything is borrowed */
	const struct eb_spec *spec;
	/* The pip section with the lines of its -r files (eb_spec_pip_set());
	 * NULL: those of the spec alone. */
	const struct eb_pip_set *pip;
	const char *platform; /* "linux/amd64" */
	/* A name that may promise something ("...-cuda11.8-..."): the one of
	 * the catalogue; or NULL. */
	const char *name;

	bool solved; /* the packages below are all there are */
	const struct eb_decision_package *package;
	size_t n_packages;

	enum eb_gpu gpu;
	const char *cuda;     /* --cuda "12.6", or "12.6.3"; or NULL */
	const char *driver;   /* --driver "535", "535.104.05": the oldest of
			       * the fleet; or NULL */
	const char *gpu_arch; /* --gpu-arch "7.0,8.0", "sm_90"; or NULL */
	const char *family;   /* --base-family; or NULL */
	bool allow_cpu;	      /* a GPU request may end on the CPU, said */
	bool experimental;    /* experimental builds count as stable ones */
	const char *base;     /* --base, or what the definition names; NULL */
	const struct eb_decision_base *base_facts; /* NULL: not read yet */
};

/* Borrowed from a record of conda, a pin of the Python side. */
void eb_decision_from_record(const struct eb_record *record,
			     struct eb_decision_package *out);
void eb_decision_from_pin(const struct eb_pin *pin,
			  struct eb_decision_package *out);

/* ---- what is decided ------------------------------------------------------*/

/* How large a base has to be. */
enum eb_flavour {
	EB_FLAVOUR_NONE,    /* nothing of CUDA */
	EB_FLAVOUR_BASE,    /* libcudart alone */
	EB_FLAVOUR_RUNTIME, /* with the math libraries, NCCL, cuDNN */
	EB_FLAVOUR_DEVEL,   /* with headers and nvcc */
};
/* "none", "base", "runtime", "devel" */
const char *eb_flavour_name(enum eb_flavour f);

struct eb_forced {	       /* something that was said, and who says it */
	char *what;	       /* "CUDA 11.0", "CUDA 12.6, 13.0", "no GPU" */
	char *why;	       /* a sentence for people, without full stop */
	char *package;	       /* "cudatoolkit"; of an option "--cuda" */
	char *file;	       /* NULL: an option, or chosen by a resolver */
	unsigned line, column; /* 0: none */
};

struct eb_refused { /* a row, or a CUDA, that was not taken */
	char *row;  /* "nvidia/cuda:12.3.2-cudnn9-devel-...", "CUDA 13.0" */
	char *why;
};

/* What distributed training and compiling need of an image. */
struct eb_condition {
	char *what;    /* "MPI", "nvcc", "ssh", "NCCL", "compiler", ... */
	char *package; /* who needs it: "horovod" */
	char *by;      /* who brings it; NULL: nobody does */
	char *advice;  /* what to do when nobody does; or NULL */
	bool at_build; /* in the step that compiles, not in the image */
};

struct eb_alternative { /* another CUDA that the packages would allow */
	char *cuda, *driver_floor; /* driver_floor may be NULL */
	struct eb_strv gpu_arch;   /* may be empty: not known */
	char *why;		   /* a sentence: what would lead to it */
};

struct eb_considered {	      /* a package that had a say */
	char *name, *version; /* version: exact, or NULL */
	char *build;	      /* or NULL */
	char *cuda;	      /* of that package, "12.6"; or NULL */
	char *libraries;      /* who brings CUDA's libraries: "wheel", "conda",
			       * "base"; NULL: it needs none */
	bool python_side, cpu;
};

struct eb_decision {
	bool refused;
	char *reason, *advice; /* of a refusal; advice may be NULL */
	const char *refusal;   /* the rule of lint that it is, "cuda-refused" */
	bool solved;	       /* decided from packages, not from lines */
	bool gpu;	       /* the result is for a GPU */
	bool gpu_asked;	       /* an option says so */

	/* NULL or empty where there is none, or it is not known. */
	char *cuda;		 /* "12.6": what the frameworks run on */
	char *cudnn;		 /* "9.10.2.21", or the major alone: "8" */
	char *because;		 /* a sentence: why that CUDA */
	char *virtual_cuda;	 /* __cuda for the solver: "12.6" */
	char *driver_floor;	 /* "525.60.13": refuses below */
	char *toolkit_driver;	 /* "560.35.05": warns below */
	struct eb_strv gpu_arch; /* "8.0", "12.0+PTX"; ranges as "5.0-9.0" */

	enum eb_flavour flavour;       /* the smallest that serves */
	enum eb_flavour image_flavour; /* that of the row */
	enum eb_flavour build_flavour; /* for steps that compile */
	char *image;	   /* "nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04" */
	char *build_image; /* for steps that compile (--build-base); or NULL */
	char *image_cuda;  /* of the row or of the user's base: "12.4.1" */
	char *glibc, *os;  /* of the row: "2.35", "ubuntu 22.04" */
	bool has_digest;
	struct eb_digest digest;
	bool image_given; /* it is the user's */

	struct eb_forced *forced;
	size_t n_forced, alloc_forced;
	struct eb_refused *row;
	size_t n_rows, alloc_rows;
	struct eb_condition *condition;
	size_t n_conditions, alloc_conditions;
	struct eb_alternative *alternative;
	size_t n_alternatives, alloc_alternatives;
	struct eb_considered *package;
	size_t n_packages, alloc_packages;
	struct eb_strv warning;	   /* what will happen, each a sentence */
	struct eb_strv rule;	   /* of each warning, a rule of lint or "";
				    * may be shorter */
	struct eb_strv assumption; /* what was taken for granted, the same */
	struct eb_strv libraries;  /* who brings them, the same */
	struct eb_strv variable;   /* NAME=VALUE that the image needs beside
				    * the base's own */
};

/* -1: EB_USAGE, an option that is none (a CUDA, driver, architecture or family
 * that cannot be read). A refusal is a decision: 0. */
int eb_decide(const struct eb_decision_request *request,
	      struct eb_decision **out, struct eb_error *err);
void eb_decision_free(struct eb_decision *d);
EB_AUTOPTR(struct eb_decision, eb_decision_free)

/* As a person would tell it. */
void eb_decision_tell(const struct eb_decision *d, struct eb_buf *out);
/* explain --json: status, cuda, cudnn, flavour, image, digest, driver_floor,
 * gpu_arch, forced_by, refused, warnings, packages, and the rest of the above
 * (envbuild(1)). New reference. */
json_t *eb_decision_to_json(const struct eb_decision *d);
/* The same without file and line, for labels: dev.envbuild.cuda... NAME=VALUE
 * lines are added. */
void eb_decision_labels(const struct eb_decision *d, struct eb_strv *out);
/* EB_NO with reason and advice; -1. */
int eb_decision_error(const struct eb_decision *d, struct eb_error *err);

/* ---- rows ---------------------------------------------------------------- */

/* A row of the images' table. Strings are NULL where nobody says. */
struct eb_base_row {
	char *family, *repository, *tag, *digest;
	char *cuda, *cudnn, *nccl, *mpi, *rdma;
	char *os, *glibc;
	enum eb_flavour flavour;
	int deleted; /* 1 yes, 0 no, -1 nobody says */
	bool deprecated;
	char *source;
};
void eb_base_row_release(struct eb_base_row *r);
/* The row of a reference as people write it ("nvidia/cuda:...",
 * "docker.io/nvidia/cuda:..."): 1 found, 0 none. */
int eb_base_row_find(const char *reference, struct eb_base_row *out);
/* The nearest row that is not deleted, of the same repository and CUDA minor:
 * what to name when a tag is gone. 1, 0. */
int eb_base_row_nearest(const char *reference, struct eb_base_row *out);

/* ---- the registry's word --------------------------------------------------*/

/* What an image's config says (its "config" member), borrowed from it where
 * possible; `hold` keeps what is not. */
void eb_decision_base_read(const json_t *config, struct eb_decision_base *out,
			   struct eb_strv *hold);
/* Does the config contradict the row that was chosen? Warnings are added to
 * the decision; 1 it does, 0. */
int eb_decision_verify(struct eb_decision *d,
		       const struct eb_decision_base *facts);

#endif
