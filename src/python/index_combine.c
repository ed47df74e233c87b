/* SPDX-License-Identifier: Apache-2.0 */
/* How a pip section's own options go over pip's settings. */
#include "index_int.h"

#include <ctype.h>
#include <string.h>

#include <envbuild/mem.h>

#include "pip_line.h"

/* ---- --no-binary, --only-binary -------------------------------------------
 */

char *eb_index_project(const char *name)
{
	char *out = eb_malloc(strlen(name) + 1), *to = out;

	for (; *name; name++) {
		bool dash = strchr("-_.", *name) != NULL;

		if (!dash)
			*to++ = (char)tolower((unsigned char)*name);
		else if (to == out || to[-1] != '-')
			*to++ = '-';
	}
	*to = '\0';
	return out;
}

static void drop(struct eb_strv *names, const char *name)
{
	struct eb_strv kept = { 0 };

	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->v[i], name))
			eb_strv_add(&kept, names->v[i]);
	eb_strv_release(names);
	*names = kept;
}

void eb_index_format(const char *names, struct eb_strv *target,
		     struct eb_strv *other)
{
	struct eb_strv word EB_CLEANUP(eb_strv_release) = { 0 };
	bool none = false;
	size_t from = 0;

	eb_strv_split(&word, names, ",");
	for (size_t i = 0; i < word.n; i++) {
		if (strcmp(word.v[i], ":all:"))
			continue;
		from = i + 1;
		eb_strv_release(other);
		eb_strv_release(target);
		eb_strv_add(target, ":all:");
	}
	for (size_t i = from; from && i < word.n; i++)
		none = none || !strcmp(word.v[i], ":none:");
	if (from && !none)
		return;
	for (size_t i = from; i < word.n; i++) {
		eb_autofree char *name = eb_index_project(eb_strip(word.v[i]));

		if (!strcmp(name, ":none:")) {
			eb_strv_release(target);
			continue;
		}
		drop(other, name);
		if (*name && !eb_strv_has(target, name))
			eb_strv_add(target, name);
	}
}

/* ---- the section's own ----------------------------------------------------
 */

static void append(struct eb_strv *to, const struct eb_strv *from)
{
	for (size_t i = 0; i < from->n; i++)
		eb_strv_take(to, eb_index_place(from->v[i]));
}

/* "http://x@h/a" of "name @ git+http://x@h/a@1#egg=b ; marker". */
static void add_direct(const struct eb_pip_line *l, struct eb_strv *out)
{
	const char *at = strstr(l->text, "://"), *end;
	char *url, *login;

	while (at && at > l->text && at[-1] >= 'a' && at[-1] <= 'z')
		at--;
	if (!at)
		return;
	end = at + strcspn(at, " \t");
	url = eb_strndup(at, (size_t)(end - at));
	login = eb_index_userinfo(url);
	if (login)
		eb_strv_take(out, eb_steal(url));
	eb_wipe(login);
	eb_wipe(url);
}

static void take_direct(const struct eb_pip_set *set, struct eb_strv *out)
{
	for (size_t i = 0; i < set->n; i++)
		add_direct(&set->requirement[i], out);
	for (size_t i = 0; i < set->n_constraints; i++)
		add_direct(&set->constraint[i], out);
}

/* The option --index-url of a file takes the place of every index that was
 * known before; those that --extra-index-url names come behind. */
void eb_index_set_apply(const struct eb_pip_set *set, struct eb_indexes *out)
{
	out->no_index = out->no_index || set->no_index;
	if (set->index_url && !out->no_index) {
		eb_wipe(out->url);
		out->url = eb_index_place(set->index_url);
		eb_wipe_all(&out->extra);
	}
	if (!out->no_index)
		append(&out->extra, &set->extra_index);
	append(&out->find_links, &set->find_links);
	take_direct(set, &out->direct);
	for (size_t i = 0; i < set->trusted_host.n; i++)
		eb_strv_add(&out->trusted_host, set->trusted_host.v[i]);
	for (size_t i = 0; i < set->no_binary.n; i++)
		eb_index_format(set->no_binary.v[i], &out->no_binary,
				&out->only_binary);
	for (size_t i = 0; i < set->only_binary.n; i++)
		eb_index_format(set->only_binary.v[i], &out->only_binary,
				&out->no_binary);
	out->pre = out->pre || set->pre;
	out->require_hashes = out->require_hashes || set->require_hashes;
}
