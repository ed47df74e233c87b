/* SPDX-License-Identifier: Apache-2.0 */
/* uv as a program: where it is, how it is run, what it says. */
#ifndef EB_PYTHON_UV_H
#define EB_PYTHON_UV_H

#include <jansson.h>
#include <sys/stat.h>

#include <envbuild/digest.h>
#include <envbuild/pip_resolve.h>

#define EB_UV_ANSWER ((size_t)64 << 20) /* of what it writes */
#define EB_UV_TIME 600			/* s, of one call */

/* There is none here, or ENVBUILD_UV is "none" (uv_find.c). */
bool eb_uv_is_absent(void);
/* eb_find_uv(); its version is asked for once as long as the program stays as
 * it is, which is noted in the folder `root` (NULL: asked for each time). */
char *eb_uv_find(const char *root, char **version, struct eb_error *err);

/* --- running it (uv_run.c) ------------------------------------------------ */
struct eb_uv_job {
	const char *root; /* of this call and of the cache; writable, real */
	const char *const *argv, *const *env;
	const char *const *see; /* files and folders that it reads; or NULL */
	unsigned timeout_s;
	struct eb_buf *log; /* both of its outputs */
	int status;	    /* filled */
};
/* EB_STEP: it took too long; EB_MACHINE: it cannot be run. */
int eb_uv_run(struct eb_uv_job *job, struct eb_events *events,
	      struct eb_error *err);
/* A Python of this machine for uv to look at: it wants one, whatever it
 * resolves for. *folder: what that one lies in, or NULL. The caller frees. */
char *eb_uv_python(char **folder, struct eb_error *err);
/* A program itself, and no script that may start any other? */
bool eb_uv_is_elf(const char *path);
/* Value of --python-platform; NULL: uv knows none for that machine. */
char *eb_uv_platform(const struct eb_python_target *t);

/* --- what it says (uv_log.c) ---------------------------------------------- */
struct eb_uv_edge {		 /* "A 1.0 requires B>=2" */
	char *who, *who_version; /* NULL: the definition */
	char *name, *range;	 /* range: "" or specifiers */
};
struct eb_uv_log {
	struct eb_uv_edge *edge;
	size_t n, alloc;
	struct eb_strv page;   /* URLs of projects' pages, as asked */
	struct eb_strv yanked; /* "NAME VERSION REASON" */
	char *built;	       /* what it built, or NULL */
	char *circle;	       /* where redirects led on and on, or NULL */
	char *text;	       /* its words, without what it logged */
};
/* Masked by the settings; the edges only where they are wanted. */
void eb_uv_log_read(const char *log, const struct eb_indexes *x, bool edges,
		    struct eb_uv_log *out);
void eb_uv_log_release(struct eb_uv_log *l);
/* What it stopped at because its metadata has to be built: "NAME==VERSION" or
 * "NAME @ URL". Caller frees; NULL: it did not. */
char *eb_uv_log_stop(const struct eb_uv_log *l);
/* The reason of that name and version, or NULL. */
const char *eb_uv_log_yanked(const struct eb_uv_log *l, const char *name,
			     const char *version);

/* --- a call (uv_call.c, uv_settings.c, uv_stage.c, uv_stub.c) ------------- */
enum eb_uv_conda {
	EB_UV_CONSTRAINTS, /* conda's versions hold */
	EB_UV_PREFERENCES, /* they hold where nothing wants others */
};
struct eb_told { /* a project's requirements, which nobody is to ask for */
	char *name, *version; /* normal */
	struct eb_strv depends;
	char *requires_python; /* or NULL */
	struct eb_strv extras;
	const char *by; /* "PKG-INFO", "egg-info" ...; NULL: itself */
	char *built;	/* the sha256 of what was built, or NULL */
	bool direct;	/* of a URL, whatever its version */
};
/* Of the text of METADATA, of `what`. EB_INPUT. (told.c) */
int eb_told_read(const char *metadata, size_t len, const char *what,
		 struct eb_told *out, struct eb_error *err);
void eb_told_release(struct eb_told *t);
/* A line that the resolver is given as a folder of this machine: a commit of a
 * repository, or a folder that does not tell its name. */
struct eb_standin {
	const struct eb_pip_line *line;
	char *path;	   /* absolute */
	char *dir;	   /* of a commit: all of its tree; path is in there */
	char *head;	   /* "NAME[EXTRAS] @ " */
	struct eb_pin pin; /* what it is; has a name */
};
struct eb_uv_call_plan {
	const struct eb_pip_request *r;
	enum eb_uv_conda conda;
	bool away;	    /* to be run in the environment's own root */
	bool pip;	    /* a pip in uv's place, which may build */
	bool wheels;	    /* wheels alone, whatever the settings say */
	const char *python; /* that uv looks at; of `away`: in that root */
	const char *cache;  /* uv's, as the call sees it */
	const char *root;   /* what is kept between runs lies there */
	const struct eb_strv *tags; /* of the target; NULL: any may fit */
	const char *urls; /* of `away`: the folder's URL, where a name's
			   * file has to be one; NULL: paths will do */
	const struct eb_told *told;
	size_t n_told;
	const struct eb_standin *standin;
	size_t n_standins;
};
struct eb_uv_call_made {
	char *dir; /* holds all; removed by the caller */
	struct eb_strv argv, env;
	struct eb_strv
		see; /* files and folders; of `away`: those at EB_UV_SEE */
	struct eb_strv local, staged; /* of `away`: where it was, where it is */
};
/* Fills the folder `out->dir`. */
int eb_uv_call_make(const struct eb_uv_call_plan *plan,
		    struct eb_uv_call_made *out, struct eb_error *err);
void eb_uv_call_made_release(struct eb_uv_call_made *m);

/* Parts of it: requirements.in and constraints.txt; what --find-links names,
 * as the call sees it. */
int eb_uv_call_lines(const struct eb_uv_call_plan *plan,
		     struct eb_uv_call_made *out, struct eb_error *err);
int eb_uv_call_links(const struct eb_uv_call_plan *plan,
		     struct eb_uv_call_made *out, struct eb_strv *find,
		     struct eb_error *err);

/* DIR/NAME, mode 0600; not synced, it is gone with the call. */
int eb_uv_write(const char *dir, const char *name, const void *p, size_t n,
		struct eb_error *err);
/* Part of the call: DIR/uv.toml, mode 0600. `find` are the places of the
 * settings as the call sees them, the stubs first. */
int eb_uv_settings_write(const struct eb_uv_call_plan *plan,
			 const struct eb_strv *find, const char *dir,
			 struct eb_error *err);
/* Environment of the call, with what it has to see for that. */
int eb_uv_settings_env(const struct eb_uv_call_plan *plan,
		       struct eb_uv_call_made *out, struct eb_error *err);
/* `path` as the call sees it: for `away` a copy in the folder. The caller
 * frees. */
char *eb_uv_stage(const struct eb_uv_call_plan *plan,
		  struct eb_uv_call_made *out, const char *path,
		  struct eb_error *err);
/* The folder `dir` of files, as a place of `find` (uv_links.c). `seen`: where
 * the call has it already, or NULL. */
int eb_uv_links(const struct eb_uv_call_plan *plan, struct eb_uv_call_made *out,
		const char *dir, const char *seen, struct eb_strv *find,
		struct eb_error *err);
/* Has the line a local file or folder (`path`)? Where it stands in `text`. */
bool eb_uv_local_in(const struct eb_pip_line *l, size_t *at, size_t *n);
/* DIR/NAME-VERSION-py3-none-any.whl: what conda installs, for a resolver. */
int eb_uv_stub_write(const char *dir, const struct eb_installed *p,
		     struct eb_error *err);
/* What it requires, by conda's own metadata. */
void eb_uv_stub_told(const struct eb_installed *p, struct eb_told *out);

/* --- kept between runs (uv_known.c) ----------------------------------------
 */
/* The object in ROOT/NAME; an empty one where there is none. */
json_t *eb_uv_known_read(const char *root, const char *name);
/* These members are added, as far as it goes. */
void eb_uv_known_write(const char *root, const char *name, json_t *known);
/* The file as it is now: whoever writes to it changes this. Caller frees. */
char *eb_uv_state(const struct stat *st);

/* --- answers kept between runs (uv_answers.c) -------------------------------
 */
/* 1: a key of all that the answer of this call depends on; 0: it depends on
 * what is not at hand, an index for one. */
int eb_uv_answer_key(const struct eb_uv_call_plan *plan,
		     const struct eb_uv_call_made *made, const char *uv,
		     struct eb_digest *out);
/* The answer as if it came from a call: pylock.toml in its folder, its words
 * in `said`. */
bool eb_uv_answer_find(const char *root, const struct eb_digest *key,
		       const struct eb_uv_call_made *made, struct eb_buf *said);
/* As far as it goes; `said`: the words, masked. */
void eb_uv_answer_keep(const char *root, const struct eb_digest *key,
		       const struct eb_uv_call_made *made, const char *said);

#endif
