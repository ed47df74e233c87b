/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of resolving a pip section. */
#ifndef EB_PIP_RESOLVE_INT_H
#define EB_PIP_RESOLVE_INT_H

#include <jansson.h>
#include <pthread.h>

#include <envbuild/pip_resolve.h>

#include "uv.h"

struct eb_resolve_seen;

/* For who looks without resolving (pip_look.c): indexes that did not answer. */
struct eb_resolve_silent {
	pthread_mutex_t lock;
	struct eb_strv index, why, refused;
};

/* One resolution, which may take several calls of uv. */
struct eb_resolving {
	const struct eb_pip_request *r;
	struct eb_events *events;
	const char *what; /* of a build's requirements, or NULL */
	char *uv, *version, *python, *python_folder;
	char *pip_file; /* a wheel of pip in uv's place, or NULL */
	json_t *answer; /* a pylock's packages; NULL: they lie in a file */
	char *root;	/* all that uv writes lies there */
	char *cache;	/* uv's */
	char *dir;	/* of this resolution */
	unsigned calls;
	struct eb_strv tags;
	struct eb_strv wanted; /* of the project that was looked at last */
	struct eb_told *told;  /* what sdists say of themselves */
	size_t n_told, n_built, alloc_told; /* first those that were built */
	struct eb_standin *standin;
	size_t n_standins, alloc_standins;
	bool asked, nowhere; /* somebody; nobody can be */
	/* of the last call */
	enum eb_uv_conda conda;
	bool away;
	int status;
	bool kept; /* its answer, under this key */
	struct eb_digest key;
	struct eb_uv_call_made made;
	struct eb_uv_log log;
	char *stop; /* where it stopped to build, or NULL */
	struct eb_resolve_seen *seen;
	size_t n_seen, alloc_seen;
	struct eb_resolve_silent *silent; /* or NULL */
};

/* `what`: whose requirements these are, of a build; NULL: the section's. */
int eb_resolve(const struct eb_pip_request *r, const char *what,
	       struct eb_events *events, struct eb_pip_result *out,
	       struct eb_error *err);

/* --- answers (pip_resolve_answer.c) ----------------------------------------
 */
/* The last call's pylock.toml as pins. */
int eb_resolve_answer(struct eb_resolving *z, struct eb_pip_result *out,
		      struct eb_error *err);
/* What the line `l` asks for is asked for here: its marker holds. */
bool eb_resolve_line_holds(const struct eb_resolving *z,
			   const struct eb_pip_line *l);
/* The first line that asks for it, or NULL. */
const struct eb_pip_line *eb_resolve_line_of(const struct eb_resolving *z,
					     const char *name);
/* The same; of a path without a name the file's or folder's place tells. */
const struct eb_pip_line *eb_resolve_line_of_pin(const struct eb_resolving *z,
						 const struct eb_pin *pin);
/* Is it to be installed, or conda's the same? What it replaces is added. */
bool eb_resolve_beside_conda(const struct eb_pip_request *r, const char *name,
			     const char *version, bool direct,
			     struct eb_strv *replaced);

/* Version of a folder or repository, "0" where nothing tells it before it is
 * built. Caller frees. */
char *eb_resolve_folder_version(const struct eb_resolving *z,
				const struct eb_pin *pin);

/* --- hashes (pip_resolve_hashes.c, ..._bytes.c) ----------------------------
 */
/* For a reader of the answer (`data`: the resolution): what lines and
 * constraints ask of a project; NULL: nothing. Until the next call. */
const struct eb_strv *eb_resolve_hashes_of(void *data, const char *name);
/* Has the pin what is asked for? What its bytes alone tell waits in its
 * `hash`. EB_NO at the line. */
int eb_resolve_check_hashes(struct eb_resolving *z, struct eb_pin *pin,
			    struct eb_error *err);
/* Files of which something waits there are read once, as they stream by;
 * EB_INTEGRITY: they have none of it. */
int eb_resolve_bytes(struct eb_resolving *z, struct eb_pin *pin, size_t n,
		     struct eb_error *err);

/* --- stand-ins (pip_resolve_standin.c) --------------------------------------
 */
/* Commits are fetched, and folders asked for their name. */
int eb_resolve_standins(struct eb_resolving *z, struct eb_error *err);
void eb_resolve_standins_release(struct eb_resolving *z);
/* Of the line, or as its stand-in has it; NULL: nobody knows yet. */
const char *eb_resolve_line_name(const struct eb_resolving *z,
				 const struct eb_pip_line *l);
/* A folder of the answer that stands in for a commit becomes that. */
void eb_resolve_put_back(const struct eb_resolving *z, struct eb_pin *pin);

/* --- what is no wheel (pip_resolve_ask.c, ..._sdist.c) ---------------------
 */
/* The source at which the resolver stopped; of an archive its bytes are there,
 * in `fd`, and measured. 1; 0: it cannot be found. */
int eb_resolve_stopped_at(struct eb_resolving *z, struct eb_pin *pin, int *fd,
			  struct eb_error *err);
/* What it requires is told in the next call. 1; 0: nothing tells that, or it
 * was told already. */
int eb_resolve_learn(struct eb_resolving *z, struct eb_error *err);
/* It is asked; its version (and its name, where it has none) is filled. 0; 1:
 * nobody can be asked here. */
int eb_resolve_ask(struct eb_resolving *z, struct eb_pin *pin, int fd,
		   struct eb_error *err);
/* A path of a call elsewhere as it is here, or NULL. Caller frees. */
char *eb_resolve_place(void *resolving, const char *path);

/* --- what sdists say of themselves (pip_resolve_told.c) --------------------
 */
/* That is believed in the next call. 1; 0: nothing tells what it requires. */
int eb_resolve_told(struct eb_resolving *z, const struct eb_pin *pin, int fd,
		    struct eb_error *err);
/* One more, to be filled. */
struct eb_told *eb_resolve_told_add(struct eb_resolving *z);
/* Of that version, or NULL. */
const struct eb_told *eb_resolve_told_of(const struct eb_resolving *z,
					 const char *name, const char *version);
void eb_resolve_told_mark(const struct eb_resolving *z, struct eb_pin *pin,
			  size_t n);
void eb_resolve_told_release(struct eb_resolving *z);

/* --- what was built before (pip_resolve_built.c) ---------------------------
 */
/* What is known of the target is told from the first call on. */
void eb_resolve_built_tell(struct eb_resolving *z);
/* Is each of them that the answer has the very file that was built? */
bool eb_resolve_built_holds(const struct eb_resolving *z,
			    const struct eb_pin *pin, size_t n);

/* --- what pages say (pip_resolve_facts.c, ..._pages.c) ---------------------
 */
/* Index, size, time and so on of every pin. */
int eb_resolve_facts(struct eb_resolving *z, struct eb_pin *pin, size_t n,
		     struct eb_error *err);
/* Kept between runs, by the sha256 of a file: what an index says of its
 * Python, time and size never changes, and asking for a page costs more than
 * resolving does. Whether it was withdrawn may change; that uv tells. */
#define EB_RESOLVE_FILES "files.json"
struct eb_resolve_page {
	const char *index, *project; /* filled by the caller */
	int found;		     /* 1, 0 */
	struct eb_index_page page;
};
/* All at once. */
int eb_resolve_pages(struct eb_resolving *z, struct eb_resolve_page *p,
		     size_t n, struct eb_error *err);
/* Sizes that no page told, of the servers of the files (..._sizes.c). */
int eb_resolve_sizes(struct eb_resolving *z, struct eb_pin *pin, size_t n,
		     struct eb_error *err);
/* An index without credentials and a slash at the end: it is written one way.
 * Caller frees. */
char *eb_resolve_index_shown(const char *url);
/* Indexes that were asked for a project, the one that decided first. */
void eb_resolve_indexes_of(const struct eb_resolving *z, const char *project,
			   struct eb_strv *out);

/* --- explanations (pip_resolve_explain.c and others) -------------------------
 */
/* A project as the indexes have it, read once. */
struct eb_resolve_seen {
	char *name;
	char *index; /* whose page decides; NULL: none has it */
	char *other; /* a later index that has it too, or NULL */
	bool unsure; /* one did not answer */
	struct eb_index_page page, other_page;
};
/* Why the last call gave no answer; always -1. */
int eb_resolve_explain(struct eb_resolving *z, struct eb_error *err);
/* What is no question of versions: network, lines that cannot be read. */
int eb_resolve_explain_other(struct eb_resolving *z, struct eb_error *err);
/* It stopped at an sdist. */
int eb_resolve_explain_build(struct eb_resolving *z, struct eb_error *err);
/* The error gets the place of the line that asks for the project, by whatever
 * chain. -1. */
int eb_resolve_at_project(struct eb_resolving *z, const char *name,
			  struct eb_error *err);
/* One demand that no file meets by itself: 1 and err filled; 0: some do, or
 * nobody can tell. */
int eb_resolve_explain_demand(struct eb_resolving *z,
			      const struct eb_uv_edge *e, struct eb_error *err);
/* No version of one project meets two demands: the same. */
int eb_resolve_explain_conflict(struct eb_resolving *z, struct eb_error *err);
/* The one whose name is filled; from any thread where z->silent is set. */
void eb_resolve_look_into(struct eb_resolving *z, struct eb_resolve_seen *out);
/* NULL: no page of it can be read. */
const struct eb_resolve_seen *eb_resolve_look(struct eb_resolving *z,
					      const char *project);
void eb_resolve_seen_release(struct eb_resolving *z);
/* Versions of the files, each once, oldest first. */
void eb_resolve_versions(const struct eb_index_page *page, struct eb_strv *out);
char *eb_resolve_version_of(const char *file); /* or NULL */
/* Does the word stand in uv's explanation? */
bool eb_resolve_is_named(const struct eb_resolving *z, const char *project);
/* What is asked for, as the line has it: "shared>=2". Caller frees. */
char *eb_resolve_asked(const struct eb_resolving *z,
		       const struct eb_uv_edge *e);
/* "left 1.0 requires mid, mid 1.0 requires shared>=2": from the definition's
 * line on to `e`. Caller frees. */
char *eb_resolve_chain(const struct eb_resolving *z,
		       const struct eb_uv_edge *e);
/* Is it what conda installs that asks for this? Its package, or NULL. */
const struct eb_installed *eb_resolve_conda(const struct eb_resolving *z,
					    const struct eb_uv_edge *e);
const struct eb_installed *eb_resolve_installed(const struct eb_pip_request *r,
						const char *name);
/* The line that a demand goes back to, or NULL. */
const struct eb_pip_line *eb_resolve_line(const struct eb_resolving *z,
					  const struct eb_uv_edge *e);
/* The error gets that line's place. -1. */
int eb_resolve_at(const struct eb_resolving *z, const struct eb_uv_edge *e,
		  struct eb_error *err);

#endif
