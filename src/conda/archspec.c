/* SPDX-License-Identifier: Apache-2.0 */
/* Which microarchitecture runs what was built for which other. */
#include <envbuild/archspec.h>

#include <ctype.h>
#include <string.h>

/* Parents stand before their children. */
static const struct arch {
	const char *name, *parent[2];
} archs[] = {
	{ "x86_64", { NULL, NULL } },
	{ "x86_64_v2", { "x86_64", NULL } },
	{ "x86_64_v3", { "x86_64_v2", NULL } },
	{ "x86_64_v4", { "x86_64_v3", NULL } },
	{ "nocona", { "x86_64", NULL } },
	{ "core2", { "nocona", NULL } },
	{ "nehalem", { "core2", "x86_64_v2" } },
	{ "westmere", { "nehalem", NULL } },
	{ "sandybridge", { "westmere", NULL } },
	{ "ivybridge", { "sandybridge", NULL } },
	{ "haswell", { "ivybridge", "x86_64_v3" } },
	{ "broadwell", { "haswell", NULL } },
	{ "skylake", { "broadwell", NULL } },
	{ "mic_knl", { "broadwell", NULL } },
	{ "skylake_avx512", { "skylake", "x86_64_v4" } },
	{ "cannonlake", { "skylake", "x86_64_v4" } },
	{ "cascadelake", { "skylake_avx512", NULL } },
	{ "icelake", { "cascadelake", "cannonlake" } },
	{ "sapphirerapids", { "icelake", NULL } },
	{ "alderlake", { "skylake", NULL } },
	{ "arrowlake", { "alderlake", NULL } },
	{ "arrowlake_s", { "arrowlake", NULL } },
	{ "k10", { "x86_64", NULL } },
	{ "bulldozer", { "x86_64_v2", NULL } },
	{ "piledriver", { "bulldozer", NULL } },
	{ "steamroller", { "piledriver", NULL } },
	{ "excavator", { "steamroller", "x86_64_v3" } },
	{ "zen", { "x86_64_v3", NULL } },
	{ "zen2", { "zen", NULL } },
	{ "zen3", { "zen2", NULL } },
	{ "zen4", { "zen3", "x86_64_v4" } },
	{ "zen5", { "zen4", NULL } },
	{ "aarch64", { NULL, NULL } },
	{ "armv8.1a", { "aarch64", NULL } },
	{ "armv8.2a", { "armv8.1a", NULL } },
	{ "armv8.3a", { "armv8.2a", NULL } },
	{ "armv8.4a", { "armv8.3a", NULL } },
	{ "armv8.5a", { "armv8.4a", NULL } },
	{ "armv8.6a", { "armv8.5a", NULL } },
	{ "armv9.0a", { "armv8.5a", NULL } },
	{ "armv9.2a", { "armv9.0a", "armv8.6a" } },
	{ "thunderx2", { "armv8.1a", NULL } },
	{ "a64fx", { "armv8.2a", NULL } },
	{ "cortex_a72", { "aarch64", NULL } },
	{ "neoverse_n1", { "cortex_a72", "armv8.2a" } },
	{ "neoverse_v1", { "neoverse_n1", "armv8.4a" } },
	{ "neoverse_v2", { "neoverse_n1", "armv9.0a" } },
	{ "neoverse_n2", { "neoverse_n1", "armv9.0a" } },
	{ "neoverse_v3ae", { "neoverse_v2", "armv9.2a" } },
	{ "ampere1", { "neoverse_n1", "armv8.6a" } },
	{ "ampere1a", { "ampere1", NULL } },
	{ "m1", { "armv8.4a", NULL } },
	{ "m2", { "m1", "armv8.5a" } },
	{ "m3", { "m2", "armv8.6a" } },
	{ "m4", { "m3", "armv8.6a" } },
};

/* Case and the kind of dash do not matter. */
static bool same(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (tolower((unsigned char)*a) != *b &&
		    !(*a == '-' && *b == '_'))
			return false;
	return *a == *b;
}

static const struct arch *find(const char *name)
{
	for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
		if (same(name, archs[i].name))
			return &archs[i];
	return NULL;
}

const char *eb_archspec_name(const char *text)
{
	const struct arch *a = find(text);

	return a ? a->name : NULL;
}

const char *eb_archspec_family(const char *name)
{
	const struct arch *a = find(name);

	while (a && a->parent[0])
		a = find(a->parent[0]);
	return a ? a->name : NULL;
}

static size_t add(const char *name, const char **out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(out[i], name))
			return n;
	if (n < EB_ARCHSPEC_MOST)
		out[n++] = name;
	return n;
}

size_t eb_archspec_all(const char *name, const char *out[EB_ARCHSPEC_MOST])
{
	size_t n = add(name, out, 0);

	for (size_t i = 0; i < n; i++) {
		const struct arch *a = find(out[i]);

		for (size_t k = 0; a && k < 2 && a->parent[k]; k++)
			n = add(a->parent[k], out, n);
	}
	return n;
}
