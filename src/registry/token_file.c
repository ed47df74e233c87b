/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens that outlive the process: DIR/tokens, a file for its owner alone,
 * written anew under a lock. It is a cache: where it cannot be read or
 * written, tokens are asked for again.
 *
 *	{"entries": [{"key", "logins", "host", "anonymous", "basic",
 *		      "access": ["repository:a/b:pull"], "expires", "value"}],
 *	 "format": 1}
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "credential_int.h"
#include "token_int.h"

#define FORMAT 1
#define MAX_FILE ((size_t)1 << 20)
#define MAX_ENTRIES 256
#define LOCK_TRIES 40
#define LOCK_WAIT_NS 5000000

void eb_token_release(struct eb_token *t)
{
	free(t->host);
	for (size_t i = 0; i < t->n; i++)
		free(t->access[i].repository);
	free(t->access);
	eb_secret_free(t->value);
	*t = (struct eb_token){ 0 };
}

void eb_tokens_release(struct eb_tokens *t)
{
	while (t->n)
		eb_token_release(&t->v[--t->n]);
	free(t->v);
	*t = (struct eb_tokens){ 0 };
}

/* Whatever is wrong with the place is said once, and nothing is kept. */
static int give_up(struct eb_token_file *f, const char *path, const char *why)
{
	eb_warn(f->events,
		"\"%s\" %s: tokens are neither read from there nor "
		"kept there",
		path, why);
	free(eb_steal(f->dir));
	return -1;
}

static int check(struct eb_token_file *f, const char *path,
		 const struct stat *st, bool folder)
{
	if (folder ? !S_ISDIR(st->st_mode) : !S_ISREG(st->st_mode))
		return give_up(f, path,
			       folder ? "is no folder" : "is no regular file");
	if (st->st_uid != geteuid())
		return give_up(f, path, "belongs to somebody else");
	if (st->st_mode & 077)
		return give_up(f, path, "can be reached by others");
	return 0;
}

/* 1, 0 there is none yet, -1 nothing is to be had. */
static int open_folder(struct eb_token_file *f, bool make)
{
	struct stat st;

	if (!f->dir)
		return -1;
	if (make && mkdir(f->dir, 0700) < 0 && errno != EEXIST)
		return -1;
	if (lstat(f->dir, &st) < 0)
		return errno == ENOENT ? 0 : -1;
	return check(f, f->dir, &st, true) < 0 ? -1 : 1;
}

static json_t *parse(const char *text, size_t len)
{
	json_t *j = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);

	if (eb_json_int(j, "format", 0) == FORMAT && eb_json_arr(j, "entries"))
		return j;
	eb_secret_json_free(j);
	return NULL;
}

/* NULL: nothing that could be used. */
static json_t *read_file(struct eb_token_file *f)
{
	struct eb_buf text EB_CLEANUP(eb_buf_wipe) = { 0 };
	eb_autofree char *path = eb_path_join(f->dir, "tokens");
	struct eb_error err = EB_ERROR_INIT;
	struct stat st;
	int got;

	if (lstat(path, &st) < 0 || check(f, path, &st, false) < 0)
		return NULL;
	got = eb_secret_read(path, MAX_FILE, &text, &err);
	eb_err_release(&err);
	return got == 1 ? parse(text.data, text.len) : NULL;
}

static bool is_alive(const json_t *entry, int64_t now)
{
	json_int_t expires = eb_json_int(entry, "expires", 0);

	return expires > now + EB_TOKEN_SPARE;
}

static bool is_header_value(const char *text)
{
	for (; *text; text++)
		if (*text < 0x20 || *text >= 0x7f)
			return false;
	return true;
}

static int read_access(const json_t *entry, struct eb_token *t)
{
	const json_t *list = eb_json_arr(entry, "access"), *item;
	size_t i;

	t->access = eb_calloc(json_array_size(list) + 1, sizeof *t->access);
	json_array_foreach (list, i, item) {
		const char *text = json_string_value(item);

		if (!text || eb_access_parse(text, &t->access[t->n]) < 0)
			return -1;
		t->n++;
	}
	return 0;
}

static int read_entry(const json_t *entry, struct eb_token *t)
{
	const char *key = eb_json_str(entry, "key");
	const char *host = eb_json_str(entry, "host");
	const char *value = eb_json_str(entry, "value");

	t->basic = json_is_true(json_object_get(entry, "basic"));
	if (!key || strlen(key) != EB_HEX_SIZE - 1 || !host ||
	    (!t->basic && (!value || !eb_starts(value, "Bearer ") ||
			   !is_header_value(value))))
		return -1;
	memcpy(t->key, key, EB_HEX_SIZE);
	t->host = eb_strdup(host);
	t->anonymous = json_is_true(json_object_get(entry, "anonymous"));
	t->expires = eb_json_int(entry, "expires", 0);
	if (!t->basic)
		t->value = eb_strdup(value);
	return read_access(entry, t);
}

static bool is_ours(const struct eb_token_file *f, const json_t *entry)
{
	const char *logins = eb_json_str(entry, "logins");
	char hex[EB_HEX_SIZE];

	return logins && !strcmp(logins, eb_digest_hex(&f->logins, hex));
}

void eb_token_file_load(struct eb_token_file *f, int64_t now,
			struct eb_tokens *out)
{
	eb_autosecretjson json_t *root = NULL;
	const json_t *entry;
	size_t i;

	if (open_folder(f, false) <= 0)
		return;
	root = read_file(f);
	json_array_foreach (json_object_get(root, "entries"), i, entry) {
		struct eb_token t EB_CLEANUP(eb_token_release) = { 0 };

		if (!is_alive(entry, now) || !is_ours(f, entry) ||
		    read_entry(entry, &t) < 0)
			continue;
		EB_GROW(out->v, out->n, out->alloc);
		out->v[out->n++] = t;
		t = (struct eb_token){ 0 };
	}
}

static json_t *make_entry(const struct eb_token_file *f,
			  const struct eb_token *t)
{
	char hex[EB_HEX_SIZE];
	json_t *access = json_array();

	for (size_t i = 0; i < t->n; i++) {
		eb_autofree char *text = eb_access_text(&t->access[i]);

		json_array_append_new(access, json_string(text));
	}
	return json_pack("{ss ss ss sb sb so sI ss}", "key", t->key, "logins",
			 eb_digest_hex(&f->logins, hex), "host", t->host,
			 "anonymous", t->anonymous, "basic", t->basic, "access",
			 access, "expires", (json_int_t)t->expires, "value",
			 t->value ? t->value : "");
}

/* What lives, but that of the same key; the oldest go where it is too many. */
static json_t *remaining(const json_t *root, int64_t now, const char *key)
{
	const json_t *old = json_object_get(root, "entries");
	json_t *all = json_array(), *entry;
	size_t i;

	json_array_foreach (old, i, entry) {
		const char *k = eb_json_str(entry, "key");

		if (k && strcmp(k, key) && is_alive(entry, now))
			json_array_append(all, entry);
	}
	while (json_array_size(all) >= MAX_ENTRIES)
		json_array_remove(all, 0);
	return all;
}

static void write_file(struct eb_token_file *f, const json_t *root)
{
	EB_SECRETBUF(text, MAX_FILE);
	eb_autofree char *path = eb_path_join(f->dir, "tokens");
	struct eb_error err = EB_ERROR_INIT;

	eb_json_canonical(root, &text);
	if (text.overflow)
		unlink(path);
	else if (eb_write_file(path, text.data, text.len, 0600, &err) < 0)
		eb_detail(f->events, "a token is not kept: %s", err.message);
	eb_err_release(&err);
}

/* Who cannot have the lock soon leaves it. */
static int lock_folder(struct eb_token_file *f)
{
	const struct timespec wait = { 0, LOCK_WAIT_NS };
	eb_autofree char *path = eb_path_join(f->dir, "tokens.lock");
	int fd = -1;

	for (int i = 0; i < LOCK_TRIES && fd < 0; i++) {
		struct eb_error err = EB_ERROR_INIT;
		int got = eb_lock_file(path, false, &fd, &err);

		eb_err_release(&err);
		if (got < 0)
			break;
		if (got == 0)
			nanosleep(&wait, NULL);
	}
	return fd;
}

/* `t` NULL: the entry of that key goes. */
static void change(struct eb_token_file *f, int64_t now, const char *key,
		   const struct eb_token *t)
{
	eb_autosecretjson json_t *old = NULL, *new = NULL;
	eb_autofd int lock = -1;
	json_t *all;

	if (open_folder(f, t != NULL) <= 0)
		return;
	lock = lock_folder(f);
	if (lock < 0)
		return;
	old = read_file(f);
	if (!f->dir) /* read_file() did not like what it saw */
		return;
	all = remaining(old, now, key);
	if (t)
		json_array_append_new(all, make_entry(f, t));
	new = json_pack("{si so}", "format", FORMAT, "entries", all);
	write_file(f, new);
}

void eb_token_file_put(struct eb_token_file *f, int64_t now,
		       const struct eb_token *t)
{
	change(f, now, t->key, t);
}

void eb_token_file_drop(struct eb_token_file *f, int64_t now, const char *key)
{
	change(f, now, key, NULL);
}
