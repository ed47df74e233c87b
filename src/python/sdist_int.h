/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of reading source distributions: members of archives, texts. */
#ifndef EB_SDIST_INT_H
#define EB_SDIST_INT_H

#include <envbuild/buf.h>
#include <envbuild/sdist.h>

/* --- sdist_archive.c: the members, one after the other ------------------- */
enum eb_sdist_type {
	EB_SDIST_FILE,
	EB_SDIST_DIR,
	EB_SDIST_LINK, /* symbolic; never leads out */
	EB_SDIST_HARD, /* of a file that came before */
};
struct eb_sdist_member {
	const char *path; /* below the top folder; never "" */
	enum eb_sdist_type type;
	bool executable;
	int64_t mtime;
	uint64_t size;
	const char *target; /* LINK: verbatim; HARD: below the top folder */
};
struct eb_sdist_archive;
/* Reads from `a` or not; 0 to go on, -1. */
typedef int eb_sdist_member_fn(void *data, const struct eb_sdist_member *m,
			       struct eb_sdist_archive *a,
			       struct eb_error *err);
/* All members, verified: names, kinds, links, limits, growth. `top` (may be
 * NULL): the one folder's name, the caller frees. */
int eb_sdist_walk(int fd, const char *file,
		  const struct eb_wheel_limits *limits, eb_sdist_member_fn *fn,
		  void *data, char **top, struct eb_error *err);
/* Content of the member at hand: 1 to n bytes, 0 at its end, -1. */
ssize_t eb_sdist_content(struct eb_sdist_archive *a, void *p, size_t n,
			 struct eb_error *err);

/* --- sdist_link.c --------------------------------------------------------- */
/* Does a link at `path` (both below the top folder) stay inside? ".." may
 * stand at the beginning of a target alone: by that no chain of links leads
 * out, whichever links there are. */
bool eb_sdist_link_stays(const char *path, const char *target);

/* --- sdist_text.c: which files tell something ------------------------------
 */
struct eb_sdist_texts {
	char *pkg_info, *pyproject;
	char *setup_py, *setup_cfg;
	char *requires, *setup_requires; /* of the egg-info */
	char *egg;			 /* path of that, or NULL */
	char *c_file; /* first source for a compiler, or NULL */
};
/* Where this file's text goes; NULL: it tells nothing. Of two folders
 * *.egg-info the one nearest to the top counts. */
char **eb_sdist_text_place(struct eb_sdist_texts *t, const char *path);
void eb_sdist_note_source(struct eb_sdist_texts *t, const char *path);
void eb_sdist_texts_release(struct eb_sdist_texts *t);

/* --- sdist_judge.c: what they tell ---------------------------------------- */
/* `file` for messages; `named`: its name tells name and version. The C file
 * moves. */
int eb_sdist_judge(struct eb_sdist_texts *t, const char *file, bool named,
		   struct eb_sdist *out, struct eb_error *err);
/* sdist_metadata.c: PKG-INFO, and *.egg-info/requires.txt. */
void eb_sdist_take_pkg_info(const char *text, struct eb_sdist *out);
void eb_sdist_take_egg(const char *requires, struct eb_sdist *out);
/* sdist_project.c: pyproject.toml. */
int eb_sdist_take_project(const char *text, const char *file,
			  struct eb_sdist *out, struct eb_error *err);

#endif
