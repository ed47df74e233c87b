/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is asked for: a conda environment file (CEP 24), read, checked,
 * normalised and hashed. The normal text is documented in envbuild(1),
 * "Definition hash".
 */
#ifndef EB_SPEC_H
#define EB_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include <envbuild/buf.h>
#include <envbuild/channel.h>
#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/matchspec.h>
#include <envbuild/requirement.h>
#include <envbuild/str.h>

#define EB_DEFINITION_FORMAT 1

struct eb_spec_line { /* where a conda or pip line stands in the file */
	unsigned line, column;
};

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
	struct eb_strv variable_name, variable_value; /* in file order */
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
void eb_spec_free(struct eb_spec *spec);
EB_AUTOPTR(struct eb_spec, eb_spec_free)

/* Everything beside the file that makes a definition (DESIGN "Two keys"). */
struct eb_request {
	const struct eb_spec *spec;
	const char *platform;	     /* "linux/amd64" */
	const char *prefix;	     /* "/opt/env" */
	struct eb_channels channels; /* effective, in order */
	const char *channel_alias;   /* for short names; NULL: conda's own */
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
