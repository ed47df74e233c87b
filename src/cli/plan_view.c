/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as tables: layers, steps, clashes, sums. */
#include <stdio.h>
#include <string.h>

#include "plan_view.h"

#define NAMES_SHOWN 4

/* "numpy 1.19.5, six 1.16.0 and 3 more"; caller frees. */
static char *names(const struct eb_build_plan *p, const size_t *index, size_t n)
{
	EB_AUTOBUF(text, EB_MAX_TEXT);
	size_t len;

	for (size_t i = 0; i < n && i < NAMES_SHOWN; i++) {
		const struct eb_planned_package *one = &p->package[index[i]];

		eb_buf_addf(&text, "%s%s%s%s", i ? ", " : "", one->name,
			    one->version ? " " : "",
			    one->version ? one->version : "");
	}
	if (n > NAMES_SHOWN)
		eb_buf_addf(&text, " and %zu more", n - NAMES_SHOWN);
	return text.len ? eb_buf_steal(&text, &len) : eb_strdup("");
}

bool eb_plan_has_no_guess(enum eb_planned_kind kind)
{
	return kind == EB_PLANNED_LAST || kind == EB_PLANNED_APT ||
	       kind == EB_PLANNED_SCRIPTS;
}

/* --- layers ------------------------------------------------------------- */
static const char *yes(bool there)
{
	return there ? "yes" : "no";
}

static int print_layer(const struct eb_build_plan *p,
		       const struct eb_planned_layer *l, struct eb_error *err)
{
	eb_autofree char *of = names(p, l->package, l->n);
	char kind[32], key[EB_HEX_SIZE] = "-", size[40] = "-", human[32];
	bool guessed = l->estimate && eb_plan_has_no_guess(l->kind);

	snprintf(kind, sizeof kind,
		 l->kind == EB_PLANNED_BUCKET ? "%s %u" : "%s",
		 eb_planned_kind_name(l->kind), l->bucket);
	if (l->has_key)
		eb_digest_hex(&l->key, key);
	else if (l->has_blob)
		eb_digest_hex(&l->blob, key);
	if (!guessed)
		snprintf(size, sizeof size, "%s%s", l->estimate ? "~" : "",
			 eb_human_size(l->size, human));
	if (!*of && l->kind == EB_PLANNED_BUCKET) {
		free(of);
		of = eb_asprintf("%zu record%s", l->records,
				 l->records == 1 ? "" : "s");
	}
	return eb_cli_print(err, "%-10s %-12.12s %10s  %-5s  %-8s  %s", kind,
			    key, size, yes(l->here),
			    p->registry ? yes(l->there) : "-", of);
}

static int print_layers(const struct eb_build_plan *p, struct eb_error *err)
{
	if (eb_cli_print(err, "%-10s %-12s %10s  %-5s  %-8s  %s", "LAYER",
			 "KEY", "SIZE", "STORE", "REGISTRY", "PACKAGES") < 0)
		return -1;
	for (size_t i = 0; i < p->n_layers; i++)
		if (print_layer(p, &p->layer[i], err) < 0)
			return -1;
	return 0;
}

/* --- steps -------------------------------------------------------------- */
static const char *needs(enum eb_privilege p)
{
	static const char *const words[] = { "nothing",
					     "an OCI runtime or Landlock",
					     "an OCI runtime" };

	return words[p];
}

bool eb_plan_may_grow(enum eb_planned_step_kind kind)
{
	return kind == EB_PLANNED_BYTECODE || kind == EB_PLANNED_POST_LINK ||
	       kind == EB_PLANNED_ACTIVATION;
}

static char *state(const struct eb_planned_step *s)
{
	char hex[EB_HEX_SIZE];

	if (s->impossible)
		return eb_strdup("the build would end with it");
	if (s->has_result && s->milliseconds)
		return eb_asprintf("its result is known: %.12s, built in "
				   "%.1f s",
				   eb_digest_hex(&s->result, hex),
				   (double)s->milliseconds / 1000);
	if (s->has_result)
		return eb_asprintf("its result is known: %.12s",
				   eb_digest_hex(&s->result, hex));
	if (!eb_plan_may_grow(s->kind) || !s->runs)
		return eb_strdup(s->runs ? "runs" : "does not run");
	if (s->perhaps)
		return eb_asprintf("%zu packages, perhaps %zu more", s->n,
				   s->perhaps);
	return eb_asprintf("%zu package%s", s->n, s->n == 1 ? "" : "s");
}

static int print_steps(const struct eb_build_plan *p, struct eb_error *err)
{
	if (!p->n_steps)
		return 0;
	if (eb_cli_print(err, "\n%-10s %-28s %s", "STEP", "NEEDS", "OF") < 0)
		return -1;
	for (size_t i = 0; i < p->n_steps; i++) {
		const struct eb_planned_step *s = &p->step[i];
		eb_autofree char *is = state(s);

		if (eb_cli_print(
			    err, "%-10s %-28s %s: %s",
			    eb_planned_step_name(s->kind),
			    needs(s->runs ? s->privilege : EB_PRIVILEGE_NONE),
			    s->name, is) < 0)
			return -1;
	}
	return 0;
}

/* --- clashes ------------------------------------------------------------ */
static int print_clash(const struct eb_build_plan *p,
		       const struct eb_planned_clash *c, struct eb_error *err)
{
	eb_autofree char *of = names(p, c->package, c->n);
	eb_autofree char *path = eb_printable(c->path);
	eb_autofree char *other = c->other ? eb_printable(c->other) : NULL;

	if (other)
		return eb_cli_print(err,
				    "case: \"%s\" and \"%s\" differ in case "
				    "alone: %s",
				    path, other, of);
	return eb_cli_print(err, "clash: \"%s\" of %s: that of %s is taken",
			    path, of, p->package[c->winner].name);
}

static int print_clashes(const struct eb_build_plan *p, struct eb_error *err)
{
	size_t same = 0;

	if (p->n_clashes && eb_cli_print(err, "%s", "") < 0)
		return -1;
	for (size_t i = 0; i < p->n_clashes; i++) {
		const struct eb_planned_clash *c = &p->clash[i];

		if (!c->same && print_clash(p, c, err) < 0)
			return -1;
		same += c->same;
	}
	if (!same)
		return 0;
	return eb_cli_print(err,
			    "%zu path%s in several packages with the same "
			    "content",
			    same, same == 1 ? "" : "s");
}

/* --- sums --------------------------------------------------------------- */
static int print_sum(const char *what, bool about, uint64_t bytes,
		     struct eb_error *err)
{
	char size[32];

	return eb_cli_print(err, "%-6s %s%s", what, about ? "~" : "",
			    eb_human_size(bytes, size));
}

static int print_sums(const struct eb_build_plan *p, struct eb_error *err)
{
	if (eb_cli_print(err, "%s", "") < 0)
		return -1;
	if (p->image_there)
		return eb_cli_print(err,
				    "the image is in %s: nothing is to be "
				    "done",
				    p->registry);
	if (p->image_here && eb_cli_print(err, "the image is in the store") < 0)
		return -1;
	if (p->unknown &&
	    eb_cli_print(
		    err,
		    "%zu path list%s not known: clashes with these, their "
		    "scripts and the keys of their buckets are not foreseen",
		    p->unknown, p->unknown == 1 ? " is" : "s are") < 0)
		return -1;
	if (print_sum("fetch", p->about_fetch, p->fetch, err) < 0 ||
	    (p->read && print_sum("read", false, p->read, err) < 0))
		return -1;
	if (!p->registry)
		return 0;
	return print_sum("pull", false, p->pull, err) < 0
		       ? -1
		       : print_sum("push", p->about_push, p->push, err);
}

int eb_plan_print(const struct eb_build_plan *p, struct eb_error *err)
{
	if (print_layers(p, err) < 0 || print_steps(p, err) < 0 ||
	    print_clashes(p, err) < 0)
		return -1;
	return print_sums(p, err);
}
