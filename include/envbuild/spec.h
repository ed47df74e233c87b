/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is asked for: a conda environment file (CEP 24), a requirements file of
 * pip, or a pylock.toml, read, checked, normalised and hashed. The normal text
 * is documented in envbuild(1), "Definition hash".
 *
 * A file whose name ends in `.txt`, or is `requirements*.in`, is a
 * requirements file, unless one of its lines begins with `dependencies:`. Its
 * lines are the pip section; it has no channels, and the one conda package
 * `python`, any version: a requirements file has no way to say which (markers
 * say for which ones a line is meant). Whoever means a certain one writes an
 * environment file: `dependencies: [python=3.11, {pip: [-r FILE]}]`, which
 * without a version has the same definition hash as the file alone.
 *
 * A file named pylock.toml or pylock.NAME.toml (PEP 751) is a pip section that
 * is resolved already; of `python` it asks for what its requires-python says.
 *
 * Lists of conda's, a line a package (CEP 23), are told by what is in them and
 * by name (envbuild(1), "Lists and locks of other tools"): specs, or exact
 * packages where a line says so. Exact packages come of a conda-lock.yml (CEP
 * 37) and of a pixi.lock, too, told by their keys; what these have for pip
 * stands in `pylock`.
 */
#ifndef EB_SPEC_H
#define EB_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include <envbuild/azure.h>
#include <envbuild/buf.h>
#include <envbuild/channel.h>
#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/matchspec.h>
#include <envbuild/pip_set.h>
#include <envbuild/pylock.h>
#include <envbuild/record.h>
#include <envbuild/requirement.h>
#include <envbuild/str.h>

#define EB_DEFINITION_FORMAT 1

struct eb_spec_line {	       /* where a conda or pip line stands */
	unsigned line, column; /* 0: in no file */
	const char *option;    /* "--conda-package"; NULL: in the file */
	char *text;	       /* of conda's: as written; or NULL */
};

struct eb_exact_package {
	struct eb_record record;
	char *channel;	/* where it is fetched from; NULL: record.channel */
	bool requested; /* a person asked for it */
	bool partial;	/* the rest of the record is the channel's to say, else
			 * the package's own: whoever wrote it down had but the
			 * name, the place and a hash */
	unsigned line, column; /* where it stands; 0: in no file */
};

/* Packages that are chosen already: nothing is solved. Each has a line among
 * the conda ones, too. */
struct eb_exact {
	struct eb_exact_package *package; /* sorted by name, each name once */
	size_t n, alloc;
	bool installed; /* in an environment of this machine: spec->file */
	struct eb_strv pip_requested; /* likewise, of the pip section; sorted */
};
/* A new one at the end; it is the caller's to fill. */
struct eb_exact_package *eb_exact_add(struct eb_exact *x);
void eb_exact_free(struct eb_exact *x);

struct eb_spec {
	char *file;		 /* for messages */
	char *name, *env_prefix; /* of the file; never hashed */
	struct eb_strv channels; /* as written, in order, without nodefaults */
	struct eb_matchspec **conda; /* in the file's order */
	struct eb_spec_line *conda_at;
	size_t n_conda;
	struct eb_requirement *pip; /* in the file's order */
	struct eb_spec_line *pip_at;
	size_t n_pip;
	bool has_pip_section;
	struct eb_exact *exact;	  /* or NULL */
	struct eb_pylock *pylock; /* it stands for the pip section; or NULL */
	struct eb_strv variable_name, variable_value; /* in file order */
	/* Azure's name of the same file (azure.h); "": it is no conda YAML */
	char azure_name[EB_AZURE_NAME];
};

/* Read and check a file ("-" is standard input). `platform` ("linux/amd64")
 * decides `# [selector]` comments and sel(...) keys. Warnings (unknown keys,
 * two pip sections, empty items, base/root ...) go to events with their place.
 * `-r`, `-c` files and local paths of the pip section are relative to the
 * file and must exist (EB_INPUT): they count by content. */
int eb_spec_read(const char *path, const char *platform,
		 struct eb_events *events, struct eb_spec **out,
		 struct eb_error *err);
int eb_spec_parse(const char *text, size_t len, const char *file,
		  const char *platform, struct eb_events *events,
		  struct eb_spec **out, struct eb_error *err);
/* What is meant of a lock of another tool that holds several environments. */
struct eb_spec_part {
	const char *environment;	/* of a pixi.lock; NULL: "default" */
	const struct eb_strv *category; /* of a conda-lock.yml; NULL or empty:
					 * "main" */
};
/* The same for one; `part` may be NULL. EB_USAGE: the file has none such. */
int eb_spec_read_part(const char *path, const char *platform,
		      const struct eb_spec_part *part, struct eb_events *events,
		      struct eb_spec **out, struct eb_error *err);
int eb_spec_parse_part(const char *text, size_t len, const char *file,
		       const char *platform, const struct eb_spec_part *part,
		       struct eb_events *events, struct eb_spec **out,
		       struct eb_error *err);
void eb_spec_free(struct eb_spec *spec);
EB_AUTOPTR(struct eb_spec, eb_spec_free)
/* One that asks for nothing; caller frees. */
struct eb_spec *eb_spec_new(const char *file);
/* spec->exact is filled, in any order: sorts it, and gives the spec channels
 * and lines. EB_INPUT: a name twice, or one that is none. */
int eb_spec_take_exact(struct eb_spec *spec, struct eb_error *err);
/* Is the package for this platform, as far as its subdir is known? EB_INPUT. */
int eb_exact_fits(const struct eb_record *r, const char *platform,
		  struct eb_error *err);
/* What messages call the place of a line: the option, or the file. */
const char *eb_spec_place(const struct eb_spec *spec,
			  const struct eb_spec_line *at);

/* Lines of the command line, each as the values of an option. */
struct eb_spec_options {
	const struct eb_strv *python; /* "3", "3.8", "3.8.13" */
	const struct eb_strv *conda;  /* as a line of `dependencies` */
	const struct eb_strv *pip;    /* as one of its pip section; paths are
				       * relative to the working folder */
};
/* Adds them as the file's own lines would be; one that is there already is
 * not added again. EB_INPUT with the option as place: it cannot be read, or it
 * names a version and another line one that it excludes (both are named). */
int eb_spec_add_options(struct eb_spec *spec, const struct eb_spec_options *o,
			struct eb_events *events, struct eb_error *err);
/* The environment file that stands for it: the same definition hash under the
 * same options. `at`, where it is not NULL, has a place for each conda line
 * and then each pip line: the line that it got. Its pylock has no such text.
 * A full buffer is left to the caller. */
void eb_spec_yaml(const struct eb_spec *spec, unsigned *at, struct eb_buf *out);
/* By its name alone: pylock.toml, pylock.NAME.toml (PEP 751). */
bool eb_spec_is_pylock(const char *file);

/* The pip section with the lines of its -r and -c files, for a resolver.
 * Checked as a whole by eb_pip_set_check(), unless there is something in
 * `remote`, which is read first. The files are read again. EB_INPUT. */
int eb_spec_pip_set(const struct eb_spec *spec, struct eb_pip_set *out,
		    struct eb_error *err);
/* Fills the error for an environment in which nothing brings a Python for its
 * pip section (a package may: conda's pip does), at that section; -1. */
int eb_spec_no_python(const struct eb_spec *spec, struct eb_error *err);

/* --- local sources: `-e .`, ./libs/x ---------------------------------------
 */
struct eb_local_entry {	  /* a file or a link */
	const char *path; /* below the source */
	bool executable;
	int64_t mtime;
	uint64_t size;
	int fd;		    /* of a file, at any offset; -1 */
	const char *target; /* of a link, verbatim; or NULL */
};
typedef int eb_local_fn(void *data, const struct eb_local_entry *e,
			struct eb_error *err);
/* What of a folder counts, in a fixed order, and the digest of it all, which
 * the definition hash and pins have. Names, contents, executable bits and links
 * count; not .git, __pycache__, *.egg-info, what .gitignore files name, `build`
 * and `dist` at the top, and `besides` (a file that counts otherwise, or NULL).
 * `fn` may be NULL. */
int eb_local_source_each(const char *path, const char *besides, eb_local_fn *fn,
			 void *data, struct eb_digest *out,
			 struct eb_error *err);

/* Everything beside the file that makes a definition (DESIGN "Two keys"). */
struct eb_request {
	const struct eb_spec *spec;
	const char *platform;	       /* "linux/amd64" */
	const char *prefix;	       /* "/opt/env" */
	struct eb_channels channels;   /* effective, in order */
	struct eb_channel_rules rules; /* what names of channels mean */
	char *base; /* as hashed: "scratch", "sha256:..." (local, by content),
		     * a reference as written, or NULL: none given */
	/* name=value of every option that changes lock or manifest and is not
	 * at its default ("pyc=none", "compression=zstd:3"); any order */
	struct eb_strv options;
};
void eb_request_release(struct eb_request *r);

/* The exact text that is hashed, and the hash. */
int eb_definition_text(const struct eb_request *r, struct eb_buf *out,
		       struct eb_error *err);
int eb_definition_hash(const struct eb_request *r, struct eb_digest *out,
		       struct eb_error *err);
#endif
