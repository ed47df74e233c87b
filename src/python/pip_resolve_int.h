/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of resolving a pip section. */
#ifndef EB_PIP_RESOLVE_INT_H
#define EB_PIP_RESOLVE_INT_H

#include <jansson.h>

#include <envbuild/pip_resolve.h>

#include "uv.h"

struct eb_resolve_seen;

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

/* EB_REFUSED at a line that only ssh can follow (pip_resolve_ssh.c). */
int eb_resolve_check_ssh(const struct eb_resolving *z, struct eb_error *err);

/* --- what sdists say of themselves (pip_resolve_told.c) --------------------
 */
/* The sdist at which uv stopped is believed in the next call. 1; 0: nothing
 * tells what it requires, or that is told already. */
int eb_resolve_told(struct eb_resolving *z, struct eb_error *err);
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
	struct eb_index_page page, other_page;
};
/* Why the last call gave no answer; always -1. */
int eb_resolve_explain(struct eb_resolving *z, struct eb_error *err);
/* What is no question of versions: network, lines that cannot be read. */
int eb_resolve_explain_other(struct eb_resolving *z, struct eb_error *err);
/* It stopped, or failed, at an sdist. */
int eb_resolve_explain_build(struct eb_resolving *z, struct eb_error *err);
/* One demand that no file meets by itself: 1 and err filled; 0: some do, or
 * nobody can tell. */
int eb_resolve_explain_demand(struct eb_resolving *z,
			      const struct eb_uv_edge *e, struct eb_error *err);
/* No version of one project meets two demands: the same. */
int eb_resolve_explain_conflict(struct eb_resolving *z, struct eb_error *err);
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
