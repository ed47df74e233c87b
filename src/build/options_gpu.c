/* SPDX-License-Identifier: Apache-2.0 */
/* The options that say which GPUs, drivers, CUDA and CPUs are meant: read, and
 * brought to one text for one meaning, for they are hashed. */
#include <string.h>

#include <envbuild/archspec.h>
#include <envbuild/buf.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "options.h"

#define MAX_ARCHS 1024 /* characters */

/* Numbers of at most 4 digits with dots between them. */
static bool is_version(const char *text, unsigned least, unsigned most)
{
	unsigned parts = 0;

	for (;; text++) {
		size_t n = strspn(text, "0123456789");

		if (!n || n > 4)
			return false;
		parts++;
		text += n;
		if (*text != '.')
			return !*text && parts >= least && parts <= most;
	}
}

/* "7.0" of "7.0", "70" and "sm_70"; NULL: it is none. Caller frees. */
static char *arch(const char *word)
{
	const char *at = eb_starts(word, "sm_") ? word + 3 : word;
	size_t n = strspn(at, "0123456789");

	if (n && n < 3 && at[n] == '.' &&
	    strspn(at + n + 1, "0123456789") == 1 && !at[n + 2])
		return eb_strdup(at);
	if (n < 2 || n > 3 || at[n])
		return NULL;
	return eb_asprintf("%.*s.%c", (int)n - 1, at, at[n - 1]);
}

static int by_number(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t n = strlen(x), m = strlen(y);

	return n != m ? (n > m) - (n < m) : strcmp(x, y);
}

static char *archs(const char *value)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv word = { 0 }, all = { 0 };
	EB_AUTOBUF(text, MAX_ARCHS);

	eb_strv_split(&word, value, ", ");
	for (size_t i = 0; i < word.n; i++) {
		char *one = *word.v[i] ? arch(word.v[i]) : NULL;

		if (one)
			eb_strv_take(&all, one);
		else if (*word.v[i])
			return NULL;
	}
	if (!all.n || all.n > 64)
		return NULL;
	qsort(all.v, all.n, sizeof *all.v, by_number);
	eb_strv_unique(&all);
	for (size_t i = 0; i < all.n; i++)
		eb_buf_addf(&text, "%s%s", i ? "," : "", all.v[i]);
	return eb_buf_steal(&text, NULL);
}

char *eb_option_normal(const char *name, const char *value, const char **form)
{
	if (!strcmp(name, "gpu-arch")) {
		*form = "a list such as 7.0,8.0 or sm_90";
		return archs(value);
	}
	if (!strcmp(name, "arch")) {
		*form = "a microarchitecture such as x86_64_v3 or zen4";
		value = eb_archspec_name(value);
		return value ? eb_strdup(value) : NULL;
	}
	if (!strcmp(name, "driver")) {
		*form = "a version such as 535 or 535.104.05";
		return is_version(value, 1, 3) ? eb_strdup(value) : NULL;
	}
	*form = "a version such as 12.6";
	return is_version(value, 2, 3) ? eb_strdup(value) : NULL;
}

int eb_option_arch_check(const struct eb_config *c, struct eb_error *err)
{
	bool arm = strstr(c->platform, "arm64");

	if (!c->arch || arm == !strcmp(eb_archspec_family(c->arch), "aarch64"))
		return 0;
	return eb_err_set(err, EB_USAGE,
			  "option \"arch\" is \"%s\", which is none of "
			  "\"%s\"",
			  c->arch, c->platform);
}

int eb_option_gpu_check(const struct eb_config *c, struct eb_error *err)
{
	const char *other = c->gpu	  ? "gpu"
			    : c->cuda	  ? "cuda"
			    : c->driver	  ? "driver"
			    : c->gpu_arch ? "gpu-arch"
					  : NULL;

	if (!c->cpu || !other)
		return 0;
	eb_err_set(err, EB_USAGE,
		   "option \"cpu\" beside \"%s\", which asks for a GPU", other);
	return eb_err_hint(err, "leave one of them away");
}
