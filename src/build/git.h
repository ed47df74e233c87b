/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repositories, by this machine's git and ssh as their user has set them up:
 * keys of the agent, ~/.ssh, ~/.netrc, helpers for logins. Nothing waits for an
 * answer (BatchMode, no prompts), and what a repository brings runs nothing:
 * no hooks, no filters of LFS, transports that git knows alone. Modules of it
 * are fetched as pip does, all of them; they never lie on this machine, unless
 * the repository does.
 */
#ifndef EB_BUILD_GIT_H
#define EB_BUILD_GIT_H

#include <envbuild/buf.h>

#include "build_private.h"

struct eb_git {
	const char *url;   /* may hold a login */
	const char *shown; /* without one: what git is given */
};

/* Is there a git, and for this URL an ssh, and may it be asked? EB_MACHINE;
 * EB_NETWORK: --offline. */
int eb_git_check(const struct eb_build *b, const struct eb_git *g,
		 struct eb_error *err);
/* All of its history, into the empty folder `dir`, without files. EB_REFUSED:
 * the login, or the host's key; EB_NETWORK. */
int eb_git_clone(const struct eb_git *g, const char *dir, struct eb_error *err);
/* The commit of a branch, tag, hash or `refs/...`; NULL: of what the repository
 * shows first. `out` of 65 bytes. EB_NO: there is none. */
int eb_git_find(const struct eb_git *g, const char *dir, const char *revision,
		char *out, struct eb_error *err);
/* Its files, and those of its modules; EB_INTEGRITY: they are of another. */
int eb_git_checkout(const struct eb_git *g, const char *dir, const char *commit,
		    struct eb_error *err);
/* The version that tags tell as setuptools-scm reads them: "1.2" of a tag
 * v1.2, "1.3.dev4+g0123abc" four commits later. Caller frees; NULL: none. */
char *eb_git_version(const char *dir);

#endif
