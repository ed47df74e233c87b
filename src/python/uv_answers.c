/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers of uv that need not be asked for again: those of calls whose folder
 * holds all that they depend on. Such a call asks no index, and the folders of
 * files that it chooses from stand in it as pages with the sum of each file.
 * One file an answer, under a key of everything that the call is given, of the
 * program itself and of the Python that it looks at.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/json.h>

#include "uv.h"

#define ANSWERS "answers"
#define MOST 64 /* that are kept; the one that waited longest goes */
#define MAX_ANSWER ((size_t)4 << 20)
#define HERE \
	"@call@" /* instead of the folder, which has a new name each time */

/* --- which calls ----------------------------------------------------------
 */
static bool is_plain(const struct eb_pip_line *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (lines[i].normal.kind != EB_REQ_REQUIREMENT ||
		    !lines[i].normal.text || strchr(lines[i].normal.text, '@'))
			return false;
	return true;
}

static bool is_folder(const char *link)
{
	const char *path = eb_starts(link, "file://") ? link + 7 : link;
	struct stat st;

	return !strstr(path, "://") &&
	       (stat(path, &st) < 0 || S_ISDIR(st.st_mode));
}

/* Nothing of it lies outside of its folder? */
static bool holds_all(const struct eb_uv_call_plan *plan)
{
	const struct eb_pip_request *r = plan->r;

	if (plan->away || !r->indexes->no_index ||
	    !is_plain(r->set->requirement, r->set->n) ||
	    !is_plain(r->set->constraint, r->set->n_constraints))
		return false;
	for (size_t i = 0; i < r->indexes->find_links.n; i++)
		if (!is_folder(r->indexes->find_links.v[i]))
			return false;
	return true;
}

/* --- the key ---------------------------------------------------------------
 */
/* "run-Ab12Cd/0" of the folder: as it stands in every path and URL of it. */
static const char *own_part(const char *dir)
{
	const char *p = dir + strlen(dir);

	for (int slashes = 0; p > dir; p--)
		if (p[-1] == '/' && ++slashes == 2)
			break;
	return p;
}

/* `text` with `to` wherever it has `from`. */
static void put_moved(struct eb_buf *out, const char *text, const char *from,
		      const char *to)
{
	const char *at;

	for (; (at = strstr(text, from)); text = at + strlen(from)) {
		eb_buf_add(out, text, (size_t)(at - text));
		eb_buf_adds(out, to);
	}
	eb_buf_adds(out, text);
}

static void key_moved(struct eb_keyer *k, const char *text, const char *own)
{
	EB_AUTOBUF(moved, EB_UV_ANSWER);

	put_moved(&moved, text, own, HERE);
	eb_key_text(k, moved.data);
	explicit_bzero(moved.data, moved.len);
}

static void key_list(struct eb_keyer *k, const struct eb_strv *list,
		     const char *own)
{
	eb_key_u64(k, list->n);
	for (size_t i = 0; i < list->n; i++)
		key_moved(k, list->v[i], own);
}

static int key_state(struct eb_keyer *k, const char *path)
{
	eb_autofree char *state = NULL;
	struct stat st;

	if (stat(path, &st) < 0)
		return -1;
	state = eb_uv_state(&st);
	eb_key_text(k, path);
	eb_key_text(k, state);
	return 0;
}

/* What the call's folder has at its top. Of its folders `home` is empty, and
 * `conda` stands in the pages with the sum of each file. */
static int key_files(struct eb_keyer *k, const char *dir, const char *own)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv names = { 0 };
	DIR *d = opendir(dir);
	struct dirent *e;
	int rc = d ? 0 : -1;

	while (d && (e = readdir(d)))
		if (e->d_type != DT_DIR)
			eb_strv_add(&names, e->d_name);
	if (d)
		closedir(d);
	eb_strv_sort(&names);
	for (size_t i = 0; i < names.n && rc == 0; i++) {
		struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
		eb_autofree char *path = eb_path_join(dir, names.v[i]);
		EB_AUTOBUF(text, EB_UV_ANSWER);

		rc = eb_read_file(path, text.max, &text, &none);
		eb_key_text(k, names.v[i]);
		if (rc == 0)
			key_moved(k, text.data, own);
		explicit_bzero(text.data, text.len);
	}
	return rc;
}

int eb_uv_answer_key(const struct eb_uv_call_plan *plan,
		     const struct eb_uv_call_made *made, const char *uv,
		     struct eb_digest *out)
{
	const char *own = own_part(made->dir);
	/* the first word is the program, which its state stands for */
	const struct eb_strv arguments = { made->argv.v + 1, made->argv.n - 1,
					   0 };
	struct utsname machine;
	struct eb_keyer k;

	if (!holds_all(plan) || uname(&machine) < 0)
		return 0;
	eb_key_begin(&k, "answer of uv 1");
	if (key_state(&k, uv) < 0 || key_state(&k, plan->python) < 0)
		return 0;
	eb_key_text(&k, machine.release);
	eb_key_text(&k, machine.version);
	key_list(&k, &arguments, own);
	key_list(&k, &made->env, own);
	if (key_files(&k, made->dir, own) < 0)
		return 0;
	eb_key_end(&k, out);
	return 1;
}

/* --- kept --------------------------------------------------------------------
 */
static char *place(const char *root, const struct eb_digest *key)
{
	char hex[EB_HEX_SIZE];

	return eb_asprintf("%s/" ANSWERS "/%s", root, eb_digest_hex(key, hex));
}

static char *moved(const char *text, const char *from, const char *to)
{
	EB_AUTOBUF(out, MAX_ANSWER);

	put_moved(&out, text, from, to);
	return out.overflow ? NULL : eb_buf_steal(&out, NULL);
}

static json_t *read_answer(const char *path)
{
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(text, MAX_ANSWER);

	if (!eb_path_exists(path) ||
	    eb_read_file(path, text.max, &text, &none) < 0)
		return NULL;
	return eb_json_parse(text.data, text.len, path, &none);
}

bool eb_uv_answer_find(const char *root, const struct eb_digest *key,
		       const struct eb_uv_call_made *made, struct eb_buf *said)
{
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofree char *path = place(root, key), *lock = NULL;
	eb_autojson json_t *answer = read_answer(path);
	const char *words = eb_json_str(answer, "said");
	const char *text = eb_json_str(answer, "pylock");
	eb_autofree char *to = eb_path_join(made->dir, "pylock.toml");

	if (!words || !text)
		return false;
	lock = moved(text, HERE, own_part(made->dir));
	unlink(to); /* what it was to prefer */
	if (!lock || eb_uv_write(made->dir, "pylock.toml", lock, strlen(lock),
				 &none) < 0)
		return false;
	utimensat(AT_FDCWD, path, NULL, 0);
	eb_buf_adds(said, words);
	return true;
}

/* The one that was used longest ago; NULL: there are not too many. */
static char *one_too_many(const char *dir)
{
	DIR *d = opendir(dir);
	struct timespec oldest = { 0 };
	eb_autofree char *name = NULL;
	struct dirent *e;
	struct stat st;
	size_t n = 0;

	while (d && (e = readdir(d))) {
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		if (n++ && (st.st_mtim.tv_sec > oldest.tv_sec ||
			    (st.st_mtim.tv_sec == oldest.tv_sec &&
			     st.st_mtim.tv_nsec >= oldest.tv_nsec)))
			continue;
		oldest = st.st_mtim;
		free(name);
		name = eb_path_join(dir, e->d_name);
	}
	if (d)
		closedir(d);
	return n > MOST ? eb_steal(name) : NULL;
}

static void thin_out(const char *dir)
{
	char *path;

	while ((path = one_too_many(dir))) {
		int rc = unlink(path);

		free(path);
		if (rc < 0 && errno != ENOENT)
			return;
	}
}

/* Not synced: a file that a crash left without its end is no JSON, and so no
 * answer. */
static void put_beside(const char *path, const char *text, size_t n)
{
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofree char *temp = eb_asprintf("%s.XXXXXX", path);
	eb_autofd int fd = mkostemp(temp, O_CLOEXEC);

	if (fd >= 0 && (eb_write_all(fd, text, n, path, &none) < 0 ||
			rename(temp, path) < 0))
		unlink(temp);
}

void eb_uv_answer_keep(const char *root, const struct eb_digest *key,
		       const struct eb_uv_call_made *made, const char *said)
{
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofree char *path = place(root, key), *lock = NULL;
	eb_autofree char *from = eb_path_join(made->dir, "pylock.toml");
	eb_autofree char *dir = eb_path_join(root, ANSWERS);
	eb_autojson json_t *answer = json_object();
	EB_AUTOBUF(text, MAX_ANSWER);

	if (eb_mkdirs(dir, 0700, &none) < 0 ||
	    eb_read_file(from, text.max, &text, &none) < 0)
		return;
	lock = moved(text.data, own_part(made->dir), HERE);
	if (!lock)
		return;
	json_object_set_new(answer, "pylock", json_string(lock));
	json_object_set_new(answer, "said", json_string(said));
	eb_buf_reset(&text);
	eb_json_canonical(answer, &text);
	if (!text.overflow)
		put_beside(path, text.data, text.len);
	thin_out(dir);
}
