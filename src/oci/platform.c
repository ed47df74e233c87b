/* SPDX-License-Identifier: Apache-2.0 */
/* Platforms: OS/ARCH[/VARIANT], as image-spec and GOARCH name them. */
#include <stdio.h>
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/mem.h>

#include "descriptor.h"

static void set(char out[32], const char *text)
{
	if (text && strlen(text) < 32)
		snprintf(out, 32, "%s", text);
	else
		out[0] = '\0';
}

/* amd64/v1 and arm64/v8 are what the bare names mean. */
static void normalise(struct eb_platform *p)
{
	if ((strcmp(p->arch, "amd64") == 0 && strcmp(p->variant, "v1") == 0) ||
	    (strcmp(p->arch, "arm64") == 0 && strcmp(p->variant, "v8") == 0))
		p->variant[0] = '\0';
}

int eb_platform_parse(const char *text, struct eb_platform *out,
		      struct eb_error *err)
{
	struct eb_strv part = { 0 };
	bool good;

	eb_strv_split(&part, text, "/");
	good = part.n == 2 || part.n == 3;
	memset(out, 0, sizeof *out);
	if (good) {
		set(out->os, part.v[0]);
		set(out->arch, part.v[1]);
		set(out->variant, part.n == 3 ? part.v[2] : "");
		good = *out->os && *out->arch && (part.n == 2 || *out->variant);
	}
	eb_strv_release(&part);
	if (!good)
		return eb_err_set(err, EB_USAGE,
				  "\"%s\" is not a platform, as \"linux/amd64\""
				  " is",
				  text);
	normalise(out);
	return 0;
}

void eb_platform_of(const json_t *json, struct eb_platform *out)
{
	set(out->os, eb_json_str(json, "os"));
	set(out->arch, eb_json_str(json, "architecture"));
	set(out->variant, eb_json_str(json, "variant"));
	normalise(out);
}

bool eb_platform_fits(const struct eb_platform *have,
		      const struct eb_platform *want)
{
	return strcmp(have->os, want->os) == 0 &&
	       strcmp(have->arch, want->arch) == 0 &&
	       strcmp(have->variant, want->variant) == 0;
}

char *eb_platform_text(const struct eb_platform *p)
{
	return eb_asprintf("%s/%s%s%s", *p->os ? p->os : "?",
			   *p->arch ? p->arch : "?", *p->variant ? "/" : "",
			   p->variant);
}
