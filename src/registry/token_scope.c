/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes: repository:NAME:pull,push. (distribution, auth/scope.md) */
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/mem.h>

#include "token_int.h"

#define MAX_SCOPES 32

static const char *const action_names[] = { "pull", "push", "delete" };

void eb_want_release(struct eb_want *w)
{
	free(w->host);
	while (w->n)
		free(w->access[--w->n].repository);
	*w = (struct eb_want){ 0 };
}

bool eb_access_covers(const struct eb_access *have, size_t n,
		      const struct eb_want *want)
{
	for (unsigned i = 0; i < want->n; i++) {
		const struct eb_access *w = &want->access[i];
		size_t j = 0;

		while (j < n && (strcmp(have[j].repository, w->repository) ||
				 (have[j].actions & w->actions) != w->actions))
			j++;
		if (j == n)
			return false;
	}
	return true;
}

/* ":pull,push" */
static void add_actions(struct eb_buf *out, unsigned actions)
{
	const char *between = ":";

	for (unsigned i = 0; i < 3; i++) {
		if (!(actions & 1u << i))
			continue;
		eb_buf_addf(out, "%s%s", between, action_names[i]);
		between = ",";
	}
}

char *eb_access_text(const struct eb_access *a)
{
	EB_AUTOBUF(out, EB_MAX_TEXT);

	eb_buf_addf(&out, "repository:%s", a->repository);
	add_actions(&out, a->actions);
	return eb_buf_steal(&out, NULL);
}

static unsigned parse_actions(const char *text, struct eb_strv *others)
{
	struct eb_strv names EB_CLEANUP(eb_strv_release) = { 0 };
	unsigned actions = 0, j;

	eb_strv_split(&names, text, ",");
	for (size_t i = 0; i < names.n; i++) {
		for (j = 0; j < 3 && strcmp(names.v[i], action_names[j]); j++)
			;
		if (j < 3)
			actions |= 1u << j;
		else if (others && *names.v[i] &&
			 !eb_strv_has(others, names.v[i]))
			eb_strv_add(others, names.v[i]);
	}
	return actions;
}

int eb_access_parse(const char *text, struct eb_access *out)
{
	const char *colon = strrchr(text, ':');

	if (!eb_starts(text, "repository:") || colon - text <= 11)
		return -1;
	out->repository = eb_strndup(text + 11, (size_t)(colon - text) - 11);
	out->actions = parse_actions(colon + 1, NULL);
	return 0;
}

/* One scope while the list is made: "repository:a/b" and its actions. */
struct scope {
	char *head;
	unsigned actions;
	struct eb_strv others;
};
struct scopes {
	struct scope v[MAX_SCOPES];
	size_t n;
};

static void release_scopes(struct scopes *s)
{
	while (s->n) {
		free(s->v[--s->n].head);
		eb_strv_release(&s->v[s->n].others);
	}
}

static void merge(struct scopes *s, const char *text)
{
	const char *first = strchr(text, ':'), *colon = strrchr(text, ':');
	eb_autofree char *head = NULL;
	size_t i = 0;

	/* TYPE:NAME:ACTIONS, nothing of it empty */
	if (!first || first == text || colon - first < 2 || !colon[1])
		return;
	head = eb_strndup(text, (size_t)(colon - text));
	while (i < s->n && strcmp(s->v[i].head, head))
		i++;
	if (i == MAX_SCOPES)
		return;
	if (i == s->n)
		s->v[s->n++] = (struct scope){ .head = eb_steal(head) };
	s->v[i].actions |= parse_actions(colon + 1, &s->v[i].others);
}

static void format(const struct scope *s, struct eb_strv *out)
{
	EB_AUTOBUF(text, EB_MAX_TEXT);
	const char *between = s->actions ? "," : ":";

	eb_buf_adds(&text, s->head);
	add_actions(&text, s->actions);
	for (size_t i = 0; i < s->others.n; i++) {
		eb_buf_addf(&text, "%s%s", between, s->others.v[i]);
		between = ",";
	}
	eb_strv_add(out, text.data);
}

static bool is_of(const char *scope, const struct eb_access *a)
{
	struct eb_access other;
	bool same;

	if (eb_access_parse(scope, &other) < 0)
		return false;
	same = !strcmp(other.repository, a->repository);
	free(other.repository);
	return same;
}

/* Some serve a repository by another name than the token server knows. */
static bool is_foreign(const struct eb_strv *asked, const struct eb_want *want)
{
	bool others = false;

	for (size_t i = 0; i < asked->n; i++) {
		if (want->n && is_of(asked->v[i], &want->access[0]))
			return false;
		others |= eb_starts(asked->v[i], "repository");
	}
	return others;
}

void eb_scopes_make(const struct eb_want *want, bool mount,
		    const char *challenge, struct eb_strv *out)
{
	struct scopes all EB_CLEANUP(release_scopes) = { 0 };
	struct eb_strv asked EB_CLEANUP(eb_strv_release) = { 0 };
	unsigned own = mount ? want->n : want->n > 0;

	if (challenge)
		eb_strv_split(&asked, challenge, " \t");
	if (is_foreign(&asked, want))
		own = 0;
	for (unsigned i = 0; i < own; i++) {
		eb_autofree char *text = eb_access_text(&want->access[i]);

		merge(&all, text);
	}
	for (size_t i = 0; i < asked.n; i++) {
		bool left_out = !mount && want->n > 1 &&
				is_of(asked.v[i], &want->access[1]) &&
				!is_of(asked.v[i], &want->access[0]);

		if (!left_out)
			merge(&all, asked.v[i]);
	}
	for (size_t i = 0; i < all.n; i++)
		format(&all.v[i], out);
}
