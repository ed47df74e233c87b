/* SPDX-License-Identifier: Apache-2.0 */
/* Pins: copies, and the text of direct_url.json (PEP 610). */
#include <ctype.h>
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/pin.h>

static void release_build(struct eb_pin_build *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n_requires; i++)
		eb_pin_release(&b->requires[i]);
	free(b->requires);
	eb_strv_release(&b->setting);
	eb_strv_release(&b->variable);
	free(b);
}

void eb_pin_release(struct eb_pin *p)
{
	free(p->name);
	free(p->version);
	free(p->file);
	free(p->url);
	free(p->index);
	free(p->requires_python);
	free(p->upload_time);
	free(p->yanked);
	free(p->metadata);
	free(p->vcs);
	free(p->commit);
	free(p->revision);
	free(p->subdirectory);
	eb_strv_release(&p->hash);
	release_build(p->build);
	*p = (struct eb_pin){ 0 };
}

static struct eb_pin_build *copy_build(const struct eb_pin_build *from)
{
	struct eb_pin_build *b;

	if (!from)
		return NULL;
	b = eb_calloc(1, sizeof *b);
	b->isolated = from->isolated;
	b->n_requires = from->n_requires;
	b->requires = eb_calloc(from->n_requires + 1, sizeof *b->requires);
	for (size_t i = 0; i < from->n_requires; i++)
		eb_pin_copy(&b->requires[i], &from -> requires[i]);
	eb_strv_copy(&b->setting, &from->setting);
	eb_strv_copy(&b->variable, &from->variable);
	return b;
}

void eb_pin_copy(struct eb_pin *to, const struct eb_pin *from)
{
	*to = *from;
	to->name = eb_strdup(from->name);
	to->version = eb_strdup(from->version);
	to->file = eb_strdup(from->file);
	to->url = eb_strdup(from->url);
	to->index = eb_strdup(from->index);
	to->requires_python = eb_strdup(from->requires_python);
	to->upload_time = eb_strdup(from->upload_time);
	to->yanked = eb_strdup(from->yanked);
	to->metadata = eb_strdup(from->metadata);
	to->vcs = eb_strdup(from->vcs);
	to->commit = eb_strdup(from->commit);
	to->revision = eb_strdup(from->revision);
	to->subdirectory = eb_strdup(from->subdirectory);
	to->hash = (struct eb_strv){ 0 };
	eb_strv_copy(&to->hash, &from->hash);
	to->build = copy_build(from->build);
}

/* ${NAME}, from `s` on: what lies behind it, or NULL. */
static const char *behind_variable(const char *s, const char *end)
{
	const char *at = s + 2;

	if (end - s < 4 || s[0] != '$' || s[1] != '{')
		return NULL;
	while (at < end && (isalnum((unsigned char)*at) || strchr("-_", *at)))
		at++;
	return at > s + 2 && at < end && *at == '}' ? at + 1 : NULL;
}

/* ${NAME} or ${NAME}:${NAME}: they hold no secret themselves. */
static bool is_variables(const char *s, const char *end)
{
	const char *at = behind_variable(s, end);

	if (at && at < end && *at == ':')
		at = behind_variable(at + 1, end);
	return at == end;
}

/* The URL without "git+", fragment and credentials. */
static char *plain_url(const struct eb_pin *p)
{
	eb_autofree char *before = p->vcs ? eb_asprintf("%s+", p->vcs) : NULL;
	const char *url = p->url ? p->url : "", *host, *end, *at = NULL;

	if (before && eb_starts(url, before))
		url += strlen(before);
	host = strstr(url, "://");
	host = host ? host + 3 : url;
	end = host + strcspn(host, "/?#");
	for (const char *c = host; c < end; c++) {
		if (*c == '@')
			at = c;
	}
	if (at && (is_variables(host, at) ||
		   (p->vcs && !strcmp(p->vcs, "git") && at - host == 3 &&
		    !strncmp(host, "git", 3))))
		at = NULL;
	return eb_asprintf("%.*s%.*s", (int)(host - url), url,
			   (int)strcspn(at ? at + 1 : host, "#"),
			   at ? at + 1 : host);
}

static void put(json_t *to, const char *key, json_t *value)
{
	if (json_object_set_new(to, key, value) < 0)
		eb_oom();
}

/* "hash" is the old form, which pip writes beside the other. */
static json_t *archive_info(const struct eb_pin *p)
{
	json_t *info = json_object(), *hashes = json_object();
	char hex[EB_HEX_SIZE];

	eb_digest_hex(&p->sha256, hex);
	put(hashes, "sha256", json_string(hex));
	put(info, "hashes", hashes);
	put(info, "hash", json_sprintf("sha256=%s", hex));
	return info;
}

static json_t *vcs_info(const struct eb_pin *p)
{
	json_t *info = json_object();

	put(info, "vcs", json_string(p->vcs));
	put(info, "commit_id", json_string(p->commit));
	if (p->revision)
		put(info, "requested_revision", json_string(p->revision));
	return info;
}

static json_t *dir_info(const struct eb_pin *p)
{
	json_t *info = json_object();

	if (p->editable)
		put(info, "editable", json_true());
	return info;
}

/* Escapes with small digits, as Python writes them. */
static char *lower_escapes(char *text)
{
	for (char *at = text; (at = strchr(at, '\\')); at += 2) {
		for (int i = 2; at[1] == 'u' && i < 6; i++)
			at[i] = (char)tolower((unsigned char)at[i]);
	}
	return text;
}

char *eb_pin_direct_url(const struct eb_pin *p)
{
	eb_autojson json_t *j = NULL;
	eb_autofree char *url = NULL;
	char *text;

	if (!p->direct)
		return NULL;
	j = json_object();
	url = plain_url(p);
	put(j, "url", json_string(url));
	if (p->source == EB_PIN_VCS)
		put(j, "vcs_info", vcs_info(p));
	else if (p->source == EB_PIN_DIR)
		put(j, "dir_info", dir_info(p));
	else
		put(j, "archive_info", archive_info(p));
	if (p->subdirectory)
		put(j, "subdirectory", json_string(p->subdirectory));
	text = json_dumps(j, JSON_SORT_KEYS | JSON_ENSURE_ASCII);
	if (!text)
		eb_oom();
	return lower_escapes(text);
}
