/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Environments that have names: the curated ones, which the library carries
 * (templates/environments/), and the user's own, in
 * $XDG_DATA_HOME/envbuild/catalogue.sqlite, or those that a team shares in its
 * registry (team.h, eb_shared_open).
 *
 * References:
 *
 *	NAME, NAME:VERSION, NAME@LABEL, each also behind "azureml:"
 *	azureml://registries/azureml/environments/NAME/versions/VERSION
 *	azureml://registries/azureml/environments/NAME/labels/LABEL
 *
 * A name has letters, digits, ".", "-" and "_", begins with a letter or digit,
 * has at most 255 of them, and case counts. Names that begin with AzureML,
 * Microsoft or envbuild- are the curated ones': nobody else can give them. A
 * version is any text without "/" and control characters; without one given it
 * is the next number. The label "latest" is always there: the version that was
 * registered last and is not archived. Of an own and a curated environment of
 * one name the own one is meant, but not by azureml://.
 */
#ifndef EB_CATALOG_H
#define EB_CATALOG_H

#include <stdbool.h>
#include <stdint.h>

#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/mem.h>
#include <envbuild/spec.h>
#include <envbuild/str.h>

/* --- names and references -------------------------------------------------
 */
#define EB_NAME_LENGTH 255

struct eb_env_ref {
	char *name;
	char *version, *label; /* at most one of them; neither: latest */
	bool curated;	       /* azureml://: no own one is meant */
};
/* EB_INPUT: it is no reference, or one of another registry. */
int eb_env_ref_parse(const char *text, struct eb_env_ref *out,
		     struct eb_error *err);
void eb_env_ref_release(struct eb_env_ref *ref);

/* May an own environment have this name, version, label? EB_USAGE with the
 * rule that it breaks. */
int eb_env_name_check(const char *name, struct eb_error *err);
int eb_env_version_check(const char *version, struct eb_error *err);
int eb_env_label_check(const char *label, struct eb_error *err);

/* --- an environment -------------------------------------------------------
 */
enum eb_env_status {
	EB_ENV_OWN,
	EB_ENV_SHARED,	   /* one of the team's */
	EB_ENV_CURRENT,	   /* curated, and its source still has it */
	EB_ENV_SUPERSEDED, /* it goes on under another name */
	EB_ENV_DELETED,	   /* its source has it no more */
};
/* "own", "shared", "current", "superseded", "deleted" */
const char *eb_env_status_name(enum eb_env_status status);

struct eb_named {
	char *name;
	char *version; /* NULL: not known */
	enum eb_env_status status;
	bool archived;	       /* an own one */
	struct eb_strv labels; /* of an own version, without latest */
	struct eb_strv aliases;
	char *superseded_by; /* or NULL */
	char *origin;	     /* what an own one was made from, or NULL */
	char *source;	     /* where a curated one's facts are from */
	int64_t time;	     /* s: when an own one was registered */

	/* The definition. `text` is NULL where it is not public; `file` is what
	 * a reader takes it for (for messages too). */
	char *text, *file;
	char *files; /* of an own one: Azure's files that it was loaded from,
		      * as JSON (azure.h, eb_azure_files); or NULL */
	/* The options that it brings (eb_named_options), name and value: what
	 * the command line may say that enters the definition hash, as it was
	 * given when it was registered. A flag has "true"; one that can be
	 * repeated stands once a value, channels in their order; files of --apt
	 * are read and paths absolute, so that all of it stands alone. Nothing
	 * of it is secret: a channel has no login. This, the text and the
	 * variables are the whole definition: whoever takes it elsewhere takes
	 * these three. */
	struct eb_strv option_name, option_value;
	struct eb_strv variable_name, variable_value; /* of the image */

	/* Of a curated one. Base and date of an incomplete one are options
	 * too. */
	bool base_moves;      /* the base's newest tag was taken each time */
	char *python;	      /* or NULL */
	struct eb_strv known; /* main packages, as conda or pip specs */
	/* What its name says is in it, and what its tags say: "pytorch=1.6",
	 * "cuda=11", "gpu", "cpu", "python=3.8", "os=ubuntu18.04"; frameworks
	 * first. */
	struct eb_strv claims_name, claims_tags;
};
void eb_named_free(struct eb_named *e);
EB_AUTOPTR(struct eb_named, eb_named_free)
/* NULL when it has no such option; of a repeated one the first. */
const char *eb_named_option(const struct eb_named *e, const char *option);
void eb_named_add_option(struct eb_named *e, const char *option,
			 const char *value);
/* The long names of all options that a definition may bring; ends with NULL.
 * No other is taken from a catalogue, wherever it came from. */
extern const char *const eb_named_options[];
bool eb_named_keeps(const char *option);   /* is it one of them? */
bool eb_named_repeats(const char *option); /* may it have several values? */
/* "NAME:VERSION", or NAME alone; caller frees. */
char *eb_named_reference(const struct eb_named *e);

/* --- curated environments -------------------------------------------------
 */
/* One by its name or an alias: 1, 0, -1. Nothing but its document is parsed. */
int eb_curated_get(const char *name, struct eb_named **out,
		   struct eb_error *err);
/* What can be told without parsing; texts are not terminated. */
struct eb_curated_head {
	const char *name, *version, *status; /* version: of length 0 */
	const char *framework, *cuda;	     /* the first claims of these */
	int name_len, version_len, status_len, framework_len, cuda_len;
	bool complete;
};
typedef int eb_curated_fn(void *data, const struct eb_curated_head *head,
			  struct eb_error *err);
/* In their order; 1 from `fn` stops. */
int eb_curated_each(eb_curated_fn *fn, void *data, struct eb_error *err);
/* Fills the error for one without a public definition: what is known, and the
 * nearest that has one. Always -1, EB_INPUT. */
int eb_curated_incomplete(const struct eb_named *e, struct eb_error *err);

/* Contradictions between what an environment claims and what it has, and
 * within what it has (packages that do not belong together, several CUDAs): one
 * sentence each. An own one claims nothing. */
void eb_claims_check(const struct eb_named *e, struct eb_strv *findings);
/* "pytorch 1.6.0" and "10.1" of the contents; NULL where there is no framework,
 * no CUDA. Callers free. */
char *eb_named_framework(const struct eb_named *e);
char *eb_named_cuda(const struct eb_named *e);

/* --- own environments -----------------------------------------------------
 */
struct eb_catalog;

enum { EB_CATALOG_READONLY = 1 };
/* `path` NULL: the user's. Made when absent, unless read-only: then it is as if
 * it were empty, and a file is opened when something needs it. A file of a
 * newer format is EB_MACHINE that names both formats. A handle is for one
 * thread. */
int eb_catalog_open(const char *path, unsigned flags, struct eb_catalog **out,
		    struct eb_error *err);
void eb_catalog_close(struct eb_catalog *c);
EB_AUTOPTR(struct eb_catalog, eb_catalog_close)

/* An own or a curated one; of a catalogue that is elsewhere, one of that, an
 * own or a curated one. EB_INPUT with near names where there is none, and with
 * the versions that there are. What is archived is found. */
int eb_catalog_get(struct eb_catalog *c, const struct eb_env_ref *ref,
		   struct eb_named **out, struct eb_error *err);

/* A definition that is kept has to stand alone: EB_INPUT with its place for -r
 * files and local projects that lie beside it. */
int eb_named_stands_alone(const struct eb_spec *spec, struct eb_error *err);
/* A new version of a name: `e` has the name, text, file, options, origin, and
 * maybe the version. The same definition again gives the version that has
 * it (*made false), unless another version is asked for; a version that is
 * there with another definition is EB_INPUT. Two at once never get the same
 * number. `e->version` is set. */
int eb_catalog_add(struct eb_catalog *c, struct eb_named *e, bool *made,
		   struct eb_error *err);
/* e->labels, of one that is got from elsewhere; what is here has them. */
int eb_catalog_labels(struct eb_catalog *c, struct eb_named *e,
		      struct eb_error *err);
/* What makes two definitions the same: their normal text on each platform. */
int eb_catalog_identity(const struct eb_named *e, struct eb_digest *out,
			struct eb_error *err);
/* Moves a label there. EB_INPUT: there is no such version. */
int eb_catalog_label(struct eb_catalog *c, const char *name,
		     const char *version, const char *label,
		     struct eb_error *err);
/* Hide a version, or all of a name (`version` NULL), from lists and from
 * "latest"; or take that back. */
int eb_catalog_archive(struct eb_catalog *c, const char *name,
		       const char *version, bool archived,
		       struct eb_error *err);

/* The latest version of each name, or all versions of `name`; in order of name,
 * newest first. Archived ones only when they are asked for. */
struct eb_catalog_row {
	const char *name, *version, *framework, *cuda; /* or NULL */
	int64_t time;
	bool archived;
	bool shared, has_image; /* of the team's: its image has its tag */
	/* What eb_catalog_remember() was told under `settings`, or NULL. */
	const struct eb_digest *hash;
};
typedef int eb_catalog_fn(void *data, const struct eb_catalog_row *row,
			  struct eb_error *err);
int eb_catalog_list(struct eb_catalog *c, const char *name, bool archived,
		    const struct eb_digest *settings, eb_catalog_fn *fn,
		    void *data, struct eb_error *err);
/* What a version's definition hashes to under certain settings. */
int eb_catalog_remember(struct eb_catalog *c, const char *name,
			const char *version, const struct eb_digest *settings,
			const struct eb_digest *hash, struct eb_error *err);

/* --- a catalogue that is elsewhere ----------------------------------------
 */
/* What stands in for the user's file in the functions above. Names, versions
 * and labels that come in here have been looked at, and no curated name does.
 * All but `get` and `close` may be NULL where nothing calls them; `list` NULL:
 * the user's file is listed. */
struct eb_catalog_place {
	/* 1, 0 it has none, -1 */
	int (*get)(void *place, const struct eb_env_ref *ref,
		   struct eb_named **out, struct eb_error *err);
	int (*labels)(void *place, struct eb_named *e, struct eb_error *err);
	int (*add)(void *place, struct eb_named *e,
		   const struct eb_digest *identity, bool *made,
		   struct eb_error *err);
	/* 1, 0 there is no such version (or name), -1 */
	int (*label)(void *place, const char *name, const char *version,
		     const char *label, struct eb_error *err);
	int (*archive)(void *place, const char *name, const char *version,
		       bool archived, struct eb_error *err);
	int (*list)(void *place, const char *name, bool archived,
		    eb_catalog_fn *fn, void *data, struct eb_error *err);
	/* What there is, for errors: all names; the newest versions, and the
	 * labels, of `name`. */
	int (*tell)(void *place, const char *name, struct eb_strv *names,
		    struct eb_strv *versions, struct eb_strv *labels,
		    struct eb_error *err);
	void (*close)(void *place);
};
/* Takes `place`, which eb_catalog_close() closes. What it has not is looked for
 * in the user's file, which is only read. */
struct eb_catalog *eb_catalog_at(const struct eb_catalog_place *at,
				 void *place);

#endif
