/* SPDX-License-Identifier: Apache-2.0 */
/* direct_url.json (PEP 610) as the requirement that brings the same again. */
#include <string.h>

#include <envbuild/installed.h>
#include <envbuild/json.h>
#include <envbuild/mem.h>

static int bad(const char *what, const char *why, struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT, "\"%s\": %s", what, why);
}

/* What may stand in a requirement: nothing that ends it, or its line. */
static bool is_plain(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s <= ' ' || *s == ';' || *s == 127)
			return false;
	return true;
}

static bool is_remote(const char *url)
{
	static const char *const schemes[] = { "https://", "http://", "ssh://",
					       "git://" };

	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
		if (eb_starts(url, schemes[i]))
			return true;
	return false;
}

/* Who logs in by ssh is a part of the address, a password never is. */
static char *without_login(const char *url)
{
	size_t n = strcspn(url, "/"), host = n + strspn(url + n, "/");
	size_t user = strcspn(url + host, "@/?#");

	if (eb_starts(url, "ssh://") && url[host + user] == '@' &&
	    !memchr(url + host, ':', user))
		return eb_strdup(url);
	return eb_url_redact(url);
}

static void add_subdirectory(const json_t *j, const char *before,
			     struct eb_buf *out)
{
	const char *folder = eb_json_str(j, "subdirectory");

	if (folder && *folder)
		eb_buf_addf(out, "%ssubdirectory=%s", before, folder);
}

static int from_vcs(const json_t *j, const json_t *vcs, const char *url,
		    const char *what, struct eb_buf *out, struct eb_error *err)
{
	const char *tool = eb_json_str(vcs, "vcs");
	const char *commit = eb_json_str(vcs, "commit_id");

	if (!tool || !commit || !*commit || !is_plain(tool) ||
	    strpbrk(commit, "@#") || !is_plain(commit))
		return bad(what, "\"vcs_info\" names no commit", err);
	eb_buf_addf(out, "%s+%s@%s", tool, url, commit);
	add_subdirectory(j, "#", out);
	return 0;
}

static void from_archive(const json_t *j, const json_t *archive,
			 const char *url, struct eb_buf *out)
{
	const char *hash =
		eb_json_str(eb_json_obj(archive, "hashes"), "sha256");
	const char *old = eb_json_str(archive, "hash");

	if (!hash && old && eb_starts(old, "sha256="))
		hash = old + strlen("sha256=");
	eb_buf_adds(out, url);
	if (hash && !strchr(url, '#'))
		eb_buf_addf(out, "#sha256=%s", hash);
	add_subdirectory(j, strchr(url, '#') || hash ? "&" : "#", out);
}

int eb_installed_origin(const char *name, const char *text, size_t len,
			const char *what, char **line, struct eb_error *err)
{
	eb_autojson json_t *j = eb_json_parse(text, len, what, err);
	const char *given = j ? eb_json_need_str(j, "url", what, err) : NULL;
	eb_autofree char *url = given ? without_login(given) : NULL;
	const json_t *vcs = eb_json_obj(j, "vcs_info");
	const json_t *archive = eb_json_obj(j, "archive_info");
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	*line = NULL;
	if (!url)
		return -1;
	if (!is_remote(url) || (!vcs && !archive))
		return 0;
	eb_buf_addf(&out, "%s @ ", name);
	if (!vcs)
		from_archive(j, archive, url, &out);
	else if (from_vcs(j, vcs, url, what, &out, err) < 0)
		return -1;
	if (out.overflow || !is_plain(out.data + strlen(name) + 3))
		return bad(what, "\"url\" is none that pip can be given", err);
	*line = eb_buf_steal(&out, NULL);
	return 0;
}
