/* SPDX-License-Identifier: Apache-2.0 */
/* What the name and the tags of an environment claim, against its contents. */
#include <stdarg.h>
#include <string.h>

#include <envbuild/buf.h>

#include "contents.h"

struct claim {
	const char *who; /* "its name says" */
	char *key;
	const char *value; /* or "" */
};

__attribute__((format(printf, 3, 4))) static void
find(const struct claim *c, struct eb_strv *out, const char *fmt, ...)
{
	eb_autofree char *text = NULL;
	EB_AUTOBUF(b, EB_MAX_TEXT);
	va_list ap;

	va_start(ap, fmt);
	eb_buf_vaddf(&b, fmt, ap);
	va_end(ap);
	text = eb_buf_steal(&b, NULL);
	eb_strv_addf(out, "%s %s", c->who, text);
}

static void check_python(const struct claim *c, const struct eb_contents *has,
			 struct eb_strv *out)
{
	if (has->python && eb_version_heads(c->value, has->python))
		find(c, out, "Python %s, and it has %s", c->value, has->python);
}

static void check_os(const struct claim *c, const struct eb_contents *has,
		     struct eb_strv *out)
{
	if (has->os && strcmp(c->value, has->os))
		find(c, out, "%s, and its base has %s", c->value, has->os);
}

static void check_mpi(const struct claim *c, const struct eb_contents *has,
		      struct eb_strv *out)
{
	const char *version = has->mpi ? strchr(has->mpi, ' ') + 1 : NULL;

	if (version && (!eb_starts(has->mpi, "openmpi ") ||
			eb_version_heads(c->value, version)))
		find(c, out, "Open MPI %s, and its base has %s", c->value,
		     has->mpi);
}

static bool has_gpu(const struct eb_contents *has)
{
	if (has->cuda)
		return true;
	for (size_t i = 0; i < has->n; i++)
		if (eb_content_is_gpu(&has->item[i]))
			return true;
	return false;
}

static void check_gpu(const struct claim *c, const struct eb_contents *has,
		      struct eb_strv *out)
{
	if (has->n && !has_gpu(has))
		find(c, out, "that it is for GPUs, and it has no CUDA");
}

static void check_cpu(const struct claim *c, const struct eb_contents *has,
		      struct eb_strv *out)
{
	if (has->cuda)
		find(c, out, "that it is for CPUs, and its base has CUDA %s",
		     has->cuda);
	for (size_t i = 0; i < has->n; i++)
		if (eb_ends(has->item[i].name, "-gpu") ||
		    strstr(has->item[i].extras, "cuda"))
			find(c, out, "that it is for CPUs, and it has %s",
			     has->item[i].line);
}

static void check_cuda(const struct claim *c, const struct eb_contents *has,
		       struct eb_strv *out)
{
	if (has->cuda && eb_version_heads(c->value, has->cuda))
		find(c, out, "CUDA %s, and its base has %s", c->value,
		     has->cuda);
	for (size_t i = 0; i < has->n; i++) {
		eb_autofree char *cuda = eb_content_cuda(&has->item[i]);

		if (cuda && eb_version_heads(c->value, cuda))
			find(c, out, "CUDA %s, and it has %s", c->value,
			     has->item[i].line);
	}
	if (has->base && has->n && !has_gpu(has))
		find(c, out, "CUDA %s, and it has none", c->value);
}

/* Can a version that begins with `value` be what the line allows? */
static bool allows(const struct eb_content *item, const char *value)
{
	int order = eb_version_heads(value, item->version);

	if (!strcmp(item->op, ">=") || !strcmp(item->op, ">"))
		return order >= 0;
	if (!strcmp(item->op, "<=") || !strcmp(item->op, "<"))
		return order <= 0;
	return !strcmp(item->op, "!=") || order == 0;
}

static void check_package(const struct claim *c, const struct eb_contents *has,
			  struct eb_strv *out)
{
	const struct eb_content *item = eb_contents_find(has, c->key);

	if (!item || !*c->value || allows(item, c->value))
		return;
	if (item->of_base)
		find(c, out, "%s %s, and its base has %s %s", c->key, c->value,
		     item->name, item->version);
	else
		find(c, out, "%s %s, and it has %s", c->key, c->value,
		     item->line);
}

static void check(const struct claim *c, const struct eb_contents *has,
		  struct eb_strv *out)
{
	static const struct {
		const char *key;
		void (*check)(const struct claim *c,
			      const struct eb_contents *has,
			      struct eb_strv *out);
	} kinds[] = {
		{ "python", check_python }, { "os", check_os },
		{ "openmpi", check_mpi },   { "gpu", check_gpu },
		{ "cpu", check_cpu },	    { "cuda", check_cuda },
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(c->key, kinds[i].key)) {
			kinds[i].check(c, has, out);
			return;
		}
	check_package(c, has, out);
}

static void check_list(const struct eb_strv *claims, const char *who,
		       const struct eb_strv *skip,
		       const struct eb_contents *has, struct eb_strv *out)
{
	for (size_t i = 0; i < claims->n; i++) {
		const char *text = claims->v[i];
		size_t n = strcspn(text, "=");
		eb_autofree char *key = eb_strndup(text, n);
		struct claim c = { who, key, text[n] ? text + n + 1 : "" };

		if (!skip || !eb_strv_has(skip, text))
			check(&c, has, out);
	}
}

void eb_claims_check(const struct eb_named *e, struct eb_strv *findings)
{
	struct eb_contents has EB_CLEANUP(eb_contents_release) = { 0 };

	eb_contents_of(e, &has);
	check_list(&e->claims_name, "its name says", NULL, &has, findings);
	check_list(&e->claims_tags, "its tags say", &e->claims_name, &has,
		   findings);
	eb_claims_pairs(&has, findings);
}

char *eb_named_framework(const struct eb_named *e)
{
	/* the first of these that it has is what it is for */
	static const char *const names[] = { "torch",	    "tensorflow",
					     "jax",	    "mxnet",
					     "xgboost",	    "lightgbm",
					     "scikit-learn" };
	struct eb_contents has EB_CLEANUP(eb_contents_release) = { 0 };

	eb_contents_of(e, &has);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct eb_content *item =
			eb_contents_find(&has, names[i]);

		if (item)
			return eb_asprintf("%s %s", i ? names[i] : "pytorch",
					   item->version);
	}
	return NULL;
}

char *eb_named_cuda(const struct eb_named *e)
{
	struct eb_contents has EB_CLEANUP(eb_contents_release) = { 0 };

	eb_contents_of(e, &has);
	for (size_t i = 0; i < has.n; i++) {
		char *cuda = eb_content_cuda(&has.item[i]);

		if (cuda)
			return cuda;
	}
	return eb_steal(has.cuda);
}
