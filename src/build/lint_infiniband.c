/* SPDX-License-Identifier: Apache-2.0 */
/* Lint of variables that speak of InfiniBand: of no use in an image that has
 * no libraries for it. */
#include <string.h>

#include "lint_base.h"

#define ADVICE                                                             \
	"add \"rdma-core\" and \"ucx\" of conda-forge, --apt "             \
	"libibverbs1,librdmacm1,ibverbs-providers, or take --base-family " \
	"azureml; NCCL_IB_DISABLE=1 says that there is none"

/* ---- what variables wish for ----------------------------------------------*/

/* One of the words between commas. */
static bool has_word(const char *list, const char *const *words)
{
	struct eb_strv part EB_CLEANUP(eb_strv_release) = { 0 };

	eb_strv_split(&part, list, ",");
	for (; *words; words++)
		for (size_t i = 0; i < part.n; i++)
			if (!strncmp(part.v[i], *words, strlen(*words)))
				return true;
	return false;
}

static bool wishes(const char *name, const char *value)
{
	static const char *const transports[] = { "rc", "dc", "ud", "ib",
						  NULL };
	static const char *const devices[] = { "mlx", "ib", NULL };

	if (!strcmp(name, "NCCL_IB_DISABLE"))
		return !strcmp(value, "0");
	if (!strcmp(name, "NCCL_NET"))
		return !strcasecmp(value, "IB");
	if (!strcmp(name, "NCCL_NET_PLUGIN"))
		return *value && strcmp(value, "none") != 0;
	if (!strcmp(name, "UCX_TLS"))
		return has_word(value, transports);
	if (!strcmp(name, "UCX_NET_DEVICES"))
		return has_word(value, devices);
	return eb_starts(name, "NCCL_IB_") || eb_starts(name, "UCX_IB_");
}

static bool is_off(const struct eb_strv *name, const struct eb_strv *value)
{
	for (size_t i = 0; i < name->n; i++)
		if (!strcmp(name->v[i], "NCCL_IB_DISABLE") &&
		    strcmp(value->v[i], "0") != 0)
			return true;
	return false;
}

/* ---- who brings it --------------------------------------------------------*/

static bool is_brought(const struct eb_config *c, const struct eb_spec *spec)
{
	static const char *const names[] = { "rdma-core", "ucx", NULL };
	static const char *const system[] = { "rdma-core", "libibverbs", "ucx",
					      "ibverbs", NULL };

	for (size_t i = 0; spec && i < spec->n_conda; i++) {
		const char *name = eb_matchspec_name(spec->conda[i]);

		if (name && has_word(name, names))
			return true;
	}
	for (size_t i = 0; i < c->apt.n; i++)
		if (has_word(c->apt.v[i], system))
			return true;
	return false;
}

/* An image that no table knows may have all of it. */
static bool image_lacks(const char *image)
{
	struct eb_base_row row = { 0 };
	bool lacks = image && eb_base_row_find(image, &row) > 0 &&
		     (!row.rdma || !strcmp(row.rdma, "none"));

	eb_base_row_release(&row);
	return lacks;
}

/* ---- findings -------------------------------------------------------------*/

static void lint_variables(struct eb_linted *l, const struct eb_strv *name,
			   const struct eb_strv *value, const char *file,
			   const char *image)
{
	for (size_t i = 0; !is_off(name, value) && i < name->n; i++) {
		struct eb_place at = eb_place_of_words(file, name->v[i]);

		if (wishes(name->v[i], value->v[i]))
			eb_lint_add(&l->findings, "infiniband", at.file,
				    at.line, at.column, ADVICE,
				    "\"%s\" speaks of InfiniBand, for which "
				    "\"%s\" has no libraries (libibverbs, "
				    "librdmacm, the provider mlx5): machines "
				    "talk by TCP, or not at all",
				    name->v[i], image);
	}
}

void eb_lint_infiniband(const struct eb_config *config, struct eb_linted *l,
			const char *image)
{
	const struct eb_spec *spec = eb_linted_spec(l);
	const struct eb_azure *a = l->azure;

	if (is_brought(config, spec) || !image_lacks(image))
		return;
	if (a)
		lint_variables(l, &a->variable_name, &a->variable_value,
			       a->file, image);
	if (spec)
		lint_variables(l, &spec->variable_name, &spec->variable_value,
			       spec->file, image);
}
