/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a Dockerfile: what its files share. */
#ifndef EB_DOCKERFILE_READ_H
#define EB_DOCKERFILE_READ_H

#include <envbuild/buf.h>
#include <envbuild/dockerfile.h>

struct eb_docker_word {
	size_t at, len; /* in the line */
};
/* An instruction, its lines joined. */
struct eb_docker_line {
	struct eb_buf text;
	size_t *pos; /* of each byte in the file */
	size_t alloc;
	unsigned number; /* of its first line */
	struct eb_docker_word *word;
	size_t n, words_alloc;
};
struct eb_docker_reader {
	const char *text;
	size_t len, at;
	unsigned number; /* of the line at `at` */
	char escape;
};
/* The `# escape=` line at the begin, where there is one. */
void eb_docker_begin(struct eb_docker_reader *r, const char *text, size_t len);
/* The next instruction: 1, 0 there is none. Zeroed once, then the same again.
 */
int eb_docker_next(struct eb_docker_reader *r, struct eb_docker_line *l);
void eb_docker_line_release(struct eb_docker_line *l);
char *eb_docker_word(const struct eb_docker_line *l,
		     size_t i); /* caller frees */

/* --- arguments (dockerfile_args.c) -----------------------------------------
 */
struct eb_docker_args {
	struct eb_strv known;	/* NAME=VALUE */
	struct eb_strv unknown; /* declared with a value that nobody can tell */
	const struct eb_strv *given;
	char escape;
};
/* Those of the platform. */
void eb_docker_args_begin(struct eb_docker_args *a, const struct eb_strv *given,
			  const char *platform, char escape);
/* A word of an ARG line before the first FROM. */
void eb_docker_args_declare(struct eb_docker_args *a, const char *word);
/* Quotes, escapes and variables replaced: 1; 0: that is beyond us; -1: *unset
 * (caller frees) has no value. */
int eb_docker_expand(const struct eb_docker_args *a, const char *word,
		     char **out, char **unset);
void eb_docker_args_release(struct eb_docker_args *a);

#endif
