/* SPDX-License-Identifier: Apache-2.0 */
/* Pages in HTML (PEP 503, 592, 629, 658): what their anchors say. */
#include "index_int.h"

#include <string.h>

#include <envbuild/mem.h>

static int refuse_version(const char *version, const char *url,
			  struct eb_error *err)
{
	eb_autofree char *shown = eb_index_shown(url);
	eb_autofree char *plain = eb_printable(version);

	eb_err_set(err, EB_INPUT,
		   "\"%s\", reading the index's page: it has version \"%.32s\" "
		   "of the repository's interface",
		   shown, plain);
	return eb_err_hint(err, "versions 1.x can be read");
}

int eb_index_version_check(const char *version, const char *url,
			   struct eb_error *err)
{
	if (eb_starts(version, "1.") || !strcmp(version, "1"))
		return 0;
	return refuse_version(version, url, err);
}

static int add_anchor(const struct eb_html_tag *tag, const char *base,
		      struct eb_index_page *out, struct eb_error *err)
{
	const char *metadata = eb_html_attribute(tag, "data-core-metadata");
	struct eb_index_link link = {
		.url = eb_html_attribute(tag, "href"),
		.requires_python =
			eb_html_attribute(tag, "data-requires-python"),
		.upload_time = eb_html_attribute(tag, "data-upload-time"),
		.yanked = eb_html_attribute(tag, "data-yanked"),
	};

	if (!metadata)
		metadata = eb_html_attribute(tag, "data-dist-info-metadata");
	link.metadata = metadata && *metadata && strcmp(metadata, "false");
	if (!link.url || !*link.url)
		return 0;
	return eb_index_page_add(out, base, &link, err);
}

static int check_meta(const struct eb_html_tag *tag, const char *url,
		      struct eb_error *err)
{
	const char *name = eb_html_attribute(tag, "name");
	const char *content = eb_html_attribute(tag, "content");

	if (!name || strcmp(name, "pypi:repository-version") || !content)
		return 0;
	return eb_index_version_check(content, url, err);
}

/* The first one counts. */
static void set_base(const struct eb_html_tag *tag, const char *url,
		     char **base)
{
	const char *href = eb_html_attribute(tag, "href");

	if (href && !*base)
		*base = eb_http_resolve(url, href);
}

int eb_index_html_parse(const char *text, size_t len, const char *url,
			struct eb_index_page *out, struct eb_error *err)
{
	struct eb_html_tag tag = { 0 };
	eb_autofree char *base = NULL;
	size_t at = 0;
	int rc = 0;

	while (rc == 0 && eb_html_next(text, len, &at, &tag)) {
		if (!strcmp(tag.name, "a"))
			rc = add_anchor(&tag, base ? base : url, out, err);
		else if (!strcmp(tag.name, "base"))
			set_base(&tag, url, &base);
		else if (!strcmp(tag.name, "meta"))
			rc = check_meta(&tag, url, err);
	}
	eb_html_tag_release(&tag);
	return rc;
}
