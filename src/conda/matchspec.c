/* SPDX-License-Identifier: Apache-2.0 */
/* MatchSpec: its parts, its end. */
#include <string.h>

#include "matchspec_parts.h"

void eb_matchspec_free(struct eb_matchspec *m)
{
	if (!m)
		return;
	eb_pattern_release(&m->name);
	eb_pattern_release(&m->channel);
	eb_pattern_release(&m->build);
	eb_pattern_release(&m->build_number.pattern);
	eb_pattern_release(&m->license);
	eb_pattern_release(&m->license_family);
	eb_verspec_free(m->version);
	eb_strv_release(&m->track_features);
	eb_strv_release(&m->features);
	eb_strv_release(&m->extras);
	for (size_t i = 0; m->flag && i < m->flags.n; i++)
		eb_pattern_release(&m->flag[i]);
	free(m->flag);
	eb_strv_release(&m->flags);
	free(m->build_number.text);
	free(m->channel_given);
	free(m->subdir);
	free(m->url);
	free(m->clean_url);
	free(m->fn);
	free(m->md5);
	free(m->sha256);
	free(m->when);
	eb_when_free(m->condition);
	free(m->text);
	free(m->normal);
	free(m);
}

const char *eb_matchspec_text(const struct eb_matchspec *m)
{
	char **place = (char **)&m->text;
	char *text = eb_once_text(place);

	return text ? text : eb_once_keep(place, eb_matchspec_make_text(m));
}

const char *eb_matchspec_normal(const struct eb_matchspec *m)
{
	char **place = (char **)&m->normal;
	char *text = eb_once_text(place);

	return text ? text : eb_once_keep(place, eb_matchspec_make_normal(m));
}

const char *eb_matchspec_name(const struct eb_matchspec *m)
{
	return m->name.kind == EB_PATTERN_EXACT ? m->name.text : NULL;
}

const char *eb_matchspec_channel(const struct eb_matchspec *m)
{
	return m->channel_given;
}

const char *eb_matchspec_build(const struct eb_matchspec *m)
{
	return m->build.text;
}

const char *eb_matchspec_subdir(const struct eb_matchspec *m)
{
	return m->subdir;
}

const char *eb_matchspec_version(const struct eb_matchspec *m)
{
	const char *text = m->version ? eb_verspec_text(m->version) : "*";

	return strcmp(text, "*") ? text : NULL;
}

bool eb_matchspec_is_bare(const struct eb_matchspec *m)
{
	return eb_matchspec_name(m) &&
	       strcmp(eb_matchspec_normal(m), m->name.text) == 0;
}

const struct eb_strv *eb_matchspec_extras(const struct eb_matchspec *m)
{
	return &m->extras;
}

const char *eb_matchspec_when(const struct eb_matchspec *m)
{
	return m->condition ? m->when : NULL;
}

const char *eb_matchspec_hash(const struct eb_matchspec *m)
{
	return m->sha256 ? m->sha256 : m->md5;
}

const char *eb_matchspec_url(const struct eb_matchspec *m)
{
	return m->url;
}
