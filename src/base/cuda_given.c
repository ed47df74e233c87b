/* SPDX-License-Identifier: Apache-2.0 */
/* The user's own base: it wins, and is looked at. What its config says goes
 * before what the table has. */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "cuda_image.h"

/* ---- what is known --------------------------------------------------------*/

static const char *after(const char *entry, const char *name)
{
	size_t n = strlen(name);

	return strncmp(entry, name, n) == 0 && entry[n] == '=' ? entry + n + 1
							       : NULL;
}

static void read_entry(const char *entry, struct eb_decision_base *out)
{
	const char *value;

	if ((value = after(entry, "CUDA_VERSION")))
		out->cuda = value;
	else if ((value = after(entry, "NV_CUDNN_VERSION")))
		out->cudnn = value;
	else if ((value = after(entry, "CUDNN_VERSION")) && !out->cudnn)
		out->cudnn = value;
	else if ((value = after(entry, "NVIDIA_REQUIRE_CUDA")))
		out->require = value;
}

void eb_decision_base_read(const json_t *config, struct eb_decision_base *out,
			   struct eb_strv *hold)
{
	const json_t *env = eb_json_arr(config, "Env");
	const json_t *labels = eb_json_obj(config, "Labels");
	const char *name =
		eb_json_str(labels, "org.opencontainers.image.ref.name");
	const char *version =
		eb_json_str(labels, "org.opencontainers.image.version");

	*out = (struct eb_decision_base){ 0 };
	for (size_t i = 0; i < json_array_size(env); i++) {
		const char *entry = json_string_value(json_array_get(env, i));

		if (entry)
			read_entry(entry, out);
	}
	if (!out->cuda)
		out->cuda = eb_json_str(labels, "com.nvidia.cuda.version");
	if (!out->cudnn)
		out->cudnn = eb_json_str(labels, "com.nvidia.cudnn.version");
	if (!name || !version)
		return;
	eb_strv_addf(hold, "%s %s", name, version);
	out->os = hold->v[hold->n - 1];
}

/* Both of them, the config's word first; what is in neither is NULL. */
struct given {
	struct eb_base_row row;
	bool has_row, read; /* read: the config is known */
	const char *cuda, *cudnn, *glibc;
};

static const char *first_of(const char *a, const char *b)
{
	return a ? a : b;
}

static void look(const struct eb_case *c, struct given *g)
{
	static const struct eb_decision_base nothing;
	const struct eb_decision_base *facts = c->r->base_facts;

	*g = (struct given){ .read = facts != NULL };
	if (!facts)
		facts = &nothing;
	g->has_row = eb_base_row_find(c->r->base, &g->row);
	g->cuda = g->read ? facts->cuda : g->row.cuda;
	g->cudnn = first_of(facts->cudnn, g->row.cudnn);
	g->glibc = first_of(facts->glibc, g->row.glibc);
}

static void take(struct eb_case *c, const struct given *g)
{
	struct eb_decision *d = c->d;

	d->image = eb_strdup(c->r->base);
	d->image_given = true;
	d->image_cuda = eb_strdup(g->cuda);
	d->image_flavour = g->has_row ? g->row.flavour : EB_FLAVOUR_NONE;
	d->glibc = eb_strdup(g->glibc);
	d->os = eb_strdup(first_of(
		c->r->base_facts ? c->r->base_facts->os : NULL, g->row.os));
}

/* ---- is it there, is it what it says --------------------------------------*/

static int deleted(struct eb_case *c)
{
	struct eb_base_row near;

	eb_refuse(c, "\"%s\" was deleted upstream, and is not read yet",
		  c->r->base);
	c->d->refusal = "base-deleted";
	if (eb_base_row_nearest(c->r->base, &near))
		eb_advise(c,
			  "the nearest row is %s:%s; it is not taken by "
			  "itself",
			  near.repository, near.tag);
	eb_base_row_release(&near);
	return -1;
}

static void compare_row(struct eb_case *c, const struct given *g)
{
	if (!g->has_row || !g->read || !g->row.cuda ||
	    (g->cuda && eb_cuda_compare(g->cuda, g->row.cuda) == 0))
		return;
	eb_strv_addf(&c->d->warning,
		     "The table has %s with CUDA %s, and its own config says "
		     "%s: the config's word is taken.",
		     c->r->base, g->row.cuda, g->cuda ? g->cuda : "none");
}

static void check_glibc(struct eb_case *c, const struct given *g)
{
	if (!c->glibc || !g->glibc || eb_cuda_compare(g->glibc, c->glibc) >= 0)
		return;
	eb_strv_addf(&c->d->warning,
		     "%s needs glibc %s, and %s has %s: it will not start "
		     "there.",
		     c->glibc_by, c->glibc, c->r->base, g->glibc);
	eb_warning_rule(c, "glibc-too-old");
}

static void check_flavour(struct eb_case *c, const struct given *g)
{
	if (!g->has_row || g->row.flavour >= c->d->flavour || !c->d->gpu)
		return;
	eb_strv_addf(&c->d->warning,
		     "The flavour \"%s\" is needed, and that of %s is \"%s\".",
		     eb_flavour_name(c->d->flavour), c->r->base,
		     eb_flavour_name(g->row.flavour));
	eb_warning_rule(c, "base-cuda");
}

/* ---- does it serve --------------------------------------------------------*/

/* What a framework that loads the base's libraries finds there; NULL: what it
 * needs, or nobody knows. Caller frees. */
static char *missing(const struct eb_case *c, const struct given *g)
{
	eb_autofree char *minor = g->cuda ? eb_cuda_minor(g->cuda) : NULL;

	if (!g->cuda && !g->read && !g->has_row)
		return NULL;
	if (!g->cuda)
		return eb_asprintf("%s has no CUDA", c->r->base);
	if (c->d->cuda && strcmp(minor, c->d->cuda) != 0)
		return eb_asprintf("%s has CUDA %s", c->r->base, g->cuda);
	if (c->cudnn && g->cudnn && !eb_same_major(c->cudnn, g->cudnn))
		return eb_asprintf("%s has cuDNN %s, and not %s", c->r->base,
				   g->cudnn, c->cudnn);
	return NULL;
}

static int does_not_serve(struct eb_case *c, const struct eb_framework *f,
			  const char *why)
{
	if (c->r->gpu != EB_GPU_YES || c->r->allow_cpu) {
		eb_strv_addf(&c->d->warning,
			     "\"%s\" loads CUDA %s from the base, and %s: it "
			     "will find no GPU and run on the CPU.",
			     f->item->shown, c->d->cuda, why);
		eb_warning_rule(c, "gpu-on-cpu-base");
		return 0;
	}
	eb_refuse(c,
		  "a GPU is asked for, \"%s\" loads CUDA %s from the base, and "
		  "%s: it would run on the CPU",
		  f->item->shown, c->d->cuda, why);
	eb_advise(c,
		  "take a base with CUDA %s, leave --base away, or take "
		  "--allow-cpu",
		  c->d->cuda);
	return -1;
}

static int check_frameworks(struct eb_case *c, const struct given *g)
{
	eb_autofree char *why = missing(c, g);

	for (size_t i = 0; i < c->n_frameworks && why; i++) {
		const struct eb_framework *f = &c->framework[i];

		if (f->brings && strcmp(f->brings, "base") == 0 &&
		    does_not_serve(c, f, why) < 0)
			return -1;
	}
	if (!c->need_cudnn || g->cuda || g->read || g->has_row)
		return 0;
	eb_strv_addf(&c->d->assumption,
		     "What %s has of CUDA is not known; it is taken to have "
		     "CUDA %s.",
		     c->r->base, c->d->cuda);
	return 0;
}

/* Two CUDAs in one image, of which the base's is not used. */
static void check_third(struct eb_case *c, const struct given *g)
{
	eb_autofree char *minor = g->cuda ? eb_cuda_minor(g->cuda) : NULL;

	if (!minor || !c->d->cuda || c->need_cudnn ||
	    strcmp(minor, c->d->cuda) == 0)
		return;
	eb_strv_addf(&c->d->warning,
		     "%s has CUDA %s, and the packages run on CUDA %s, which "
		     "they bring: the base's is in the image for nothing, and "
		     "what is compiled there is for another CUDA.",
		     c->r->base, g->cuda, c->d->cuda);
	eb_warning_rule(c, "base-cuda");
}

static int check(struct eb_case *c, const struct given *g)
{
	if (!g->read && g->row.deleted > 0)
		return deleted(c);
	compare_row(c, g);
	check_glibc(c, g);
	check_flavour(c, g);
	if (c->d->gpu && check_frameworks(c, g) < 0)
		return -1;
	check_third(c, g);
	if (g->row.deprecated) {
		eb_strv_addf(&c->d->warning,
			     "%s is deprecated by those who publish it, and "
			     "may go at any time.",
			     c->r->base);
		eb_warning_rule(c, "base-deprecated");
	}
	return 0;
}

void eb_cuda_given_look(struct eb_case *c)
{
	struct given g;

	if (!c->r->base)
		return;
	look(c, &g);
	take(c, &g);
	eb_base_row_release(&g.row);
}

int eb_cuda_given(struct eb_case *c)
{
	struct given g;
	int rc;

	look(c, &g);
	rc = check(c, &g);
	if (rc == 0 && !g.cuda)
		eb_plain_variables(c);
	if (rc == 0)
		eb_find_build_image(c);
	eb_base_row_release(&g.row);
	return rc;
}
