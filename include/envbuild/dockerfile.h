/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Dockerfile and its build context: read so far that it is known what they
 * are made of. Nothing is executed here, and nobody is asked.
 *
 *	eb_dockerfile_parse()	  which images it begins with, does it copy
 *	eb_context_key()	  the files that .dockerignore leaves, keyed
 *
 * Sources: the Dockerfile reference of docs.docker.com (format, ARG and FROM,
 * .dockerignore), Go's path/filepath (Match, Clean).
 */
#ifndef EB_DOCKERFILE_H
#define EB_DOCKERFILE_H

#include <stdbool.h>
#include <stddef.h>

#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/str.h>

#define EB_MAX_DOCKERFILE ((size_t)1 << 20) /* bytes */

/* --- the Dockerfile ------------------------------------------------------ */
/* An image that it names: FROM, COPY --from, RUN --mount=...,from. */
struct eb_dockerfile_from {
	char *word;	 /* as it stands there: "debian:12", "${BASE}" */
	char *reference; /* arguments filled in; NULL: that cannot be told
			  * before it is built */
	size_t at, len;	 /* of the word, in the text */
	unsigned line;
};
struct eb_dockerfile {
	char *file; /* for messages */
	char *text;
	size_t len;
	struct eb_dockerfile_from *from; /* in their order; neither scratch
					  * nor the stages before */
	size_t n, alloc;
	bool copies; /* it takes files of the context */
};
/* `args`: NAME=VALUE, which win over the defaults of ARG lines before the first
 * FROM; in FROM lines these, and TARGETPLATFORM, TARGETOS, TARGETARCH and
 * BUILD* by `platform` ("linux/amd64"), are filled in as $NAME, ${NAME},
 * ${NAME:-word} and ${NAME:+word}. EB_INPUT with its place: no FROM, an
 * argument that has no value, an image for another platform, Windows. */
int eb_dockerfile_parse(const char *text, size_t len, const char *file,
			const struct eb_strv *args, const char *platform,
			struct eb_dockerfile *out, struct eb_error *err);
/* Of a file, of EB_MAX_DOCKERFILE bytes at most. */
int eb_dockerfile_read(const char *path, const struct eb_strv *args,
		       const char *platform, struct eb_dockerfile *out,
		       struct eb_error *err);
void eb_dockerfile_release(struct eb_dockerfile *d);

/* --- .dockerignore ---------------------------------------------------------
 */
/* A rule a line: "#" begins a comment, "!" takes back, a path is cleaned and
 * counts from the context's top; `*`, `?` stay within a name, [...] is a class,
 * `**` goes across folders. A folder's rule holds for what is below it. The
 * last rule that matches counts. */
struct eb_dockerignore {
	struct eb_strv rule; /* cleaned, with its "!" */
	bool takes_back;     /* one has a "!" */
};
/* EB_INPUT with its place: no pattern, or more than 10,000 of them. */
int eb_dockerignore_parse(const char *text, size_t len, const char *file,
			  struct eb_dockerignore *out, struct eb_error *err);
/* Is it left out? `path` is relative to the context, without "./". */
bool eb_dockerignore_matches(const struct eb_dockerignore *ig,
			     const char *path);
void eb_dockerignore_release(struct eb_dockerignore *ig);

/* --- the context -----------------------------------------------------------
 */
/* The digest of what the context holds: of every folder, file and link that is
 * not left out its path, type, mode (the lower 12 bits), bytes, target, in
 * order of path; no times, no owners. Rules are those of
 * DOCKERFILE.dockerignore beside `dockerfile` (may be NULL) where that is
 * there, else of .dockerignore in `dir`. With `to` (an empty folder, or NULL)
 * all of it is copied there, and the digest is that of the copy. EB_INPUT:
 * `dir` is no folder, something in it is neither file, folder nor link, or it
 * is too much: 200,000 entries, 8 GiB, 64 folders deep. */
int eb_context_key(const char *dir, const char *dockerfile, const char *to,
		   struct eb_digest *out, struct eb_error *err);

#endif
