/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild check ENV, where a registry is configured: it alone answers. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <envbuild/json.h>
#include <envbuild/team.h>

#include "cmd_check.h"

struct checking {
	struct eb_cli *cli;
	struct eb_store *store; /* NULL: there is none yet */
	struct eb_env *env;
	struct eb_team *team;
	bool explain;
};

static void release(struct checking *c)
{
	eb_team_free(c->team);
	eb_env_free(c->env);
	eb_store_close(c->store);
}

/* --- words ------------------------------------------------------------ */
/* "3 days", "1 hour", "less than a minute" */
static char *age(int64_t since)
{
	static const struct {
		int64_t seconds;
		const char *name;
	} units[] = { { 86400, "day" }, { 3600, "hour" }, { 60, "minute" } };
	int64_t s = (int64_t)time(NULL) - since, n = 0;
	size_t i = 0;

	if (s < 0)
		s = 0;
	while (i < 2 && s < units[i].seconds)
		i++;
	n = s / units[i].seconds;
	if (!n)
		return eb_strdup("less than a minute");
	return eb_asprintf("%lld %s%s", (long long)n, units[i].name,
			   n == 1 ? "" : "s");
}

static json_t *time_json(int64_t time)
{
	char text[32];

	return time ? json_string(eb_rfc3339(time, text)) : json_null();
}

static json_t *digest_json(const struct eb_digest *d)
{
	char text[EB_DIGEST_TEXT];

	return json_string(eb_digest_text(d, text));
}

/* --- hit -------------------------------------------------------------- */
static json_t *hit_json(const char *reference,
			const struct eb_team_image *image)
{
	json_t *j = json_pack("{s:i,s:s,s:s}", "schema", 1, "status", "hit",
			      "reference", reference);

	if (image->has_lock)
		json_object_set_new(j, "lock", digest_json(&image->lock));
	json_object_set_new(j, "time", time_json(image->time));
	return j;
}

static int hit(struct checking *c, const struct eb_team_image *image,
	       struct eb_error *err)
{
	eb_autofree char *reference =
		eb_team_reference(c->team, &image->digest);
	eb_autofree char *old = age(image->time);
	char hex[EB_HEX_SIZE];

	if (c->cli->config.json)
		return eb_cli_print_json(hit_json(reference, image), err);
	if (c->explain && image->has_lock)
		eb_note(c->cli->events, "its lock is %.12s%s%s%s",
			eb_digest_hex(&image->lock, hex),
			image->time ? ", solved or confirmed " : "",
			image->time ? old : "", image->time ? " ago" : "");
	return eb_cli_print(err, "%s", reference);
}

/* --- miss ------------------------------------------------------------- */
static json_t *nearest_json(const struct eb_team_nearest *n)
{
	json_t *j = json_object(), *list = json_array();

	for (size_t i = 0; i < n->differs.n; i++)
		json_array_append_new(list, json_string(n->differs.v[i]));
	json_object_set_new(j, "name", json_string(n->name));
	json_object_set_new(j, "definition", digest_json(&n->definition));
	json_object_set_new(j, "lock", digest_json(&n->lock));
	json_object_set_new(j, "time", time_json(n->time));
	json_object_set_new(j, "differs", list);
	json_object_set_new(j, "exact", json_boolean(n->exact));
	if (n->exact)
		json_object_set_new(j, "push-bytes",
				    json_integer((json_int_t)n->push_bytes));
	return j;
}

static int miss_json(const char *why, const struct eb_team_nearest *n,
		     struct eb_error *err)
{
	json_t *j = json_pack("{s:i,s:s,s:s}", "schema", 1, "status", "miss",
			      "why", why);

	if (n)
		json_object_set_new(j, "nearest", nearest_json(n));
	return eb_cli_print_json(j, err);
}

static int print_nearest(const struct eb_team_nearest *n, struct eb_error *err)
{
	eb_autofree char *old = age(n->time);
	char definition[EB_HEX_SIZE], lock[EB_HEX_SIZE], size[32];

	if (eb_cli_print(err, "nearest: %s%sdefinition %.12s, lock %.12s%s%s%s",
			 n->name, *n->name ? ", " : "",
			 eb_digest_hex(&n->definition, definition),
			 eb_digest_hex(&n->lock, lock),
			 n->time ? ", solved or confirmed " : "",
			 n->time ? old : "", n->time ? " ago" : "") < 0)
		return -1;
	for (size_t i = 0; i < n->differs.n; i++)
		if (eb_cli_print(err, "  %s", n->differs.v[i]) < 0)
			return -1;
	if (!n->differs.n && eb_cli_print(err, "  nothing differs%s",
					  n->exact ? "" : " by name") < 0)
		return -1;
	if (n->exact)
		return eb_cli_print(err, "a build would push about %s",
				    eb_human_size(n->push_bytes, size));
	return eb_cli_print(err, "only what is asked for was compared: the "
				 "definition cannot be solved with what the "
				 "store has");
}

static int print_miss(const char *why, const struct eb_team_nearest *n,
		      struct eb_error *err)
{
	if (eb_cli_print(err, "miss: %s", why) < 0)
		return -1;
	if (!n)
		return eb_cli_print(err, "nearest: none is known");
	return print_nearest(n, err);
}

/* What is near is a courtesy: the answer stands without it. */
static int find_nearest(struct checking *c, struct eb_team_nearest *out)
{
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	int rc = eb_team_nearest(c->team, c->env, &c->cli->config, c->store,
				 out, &why);

	if (rc < 0)
		eb_warn(c->cli->events, "cannot tell what is near: %s",
			why.message);
	return rc;
}

static int miss(struct checking *c, const char *why, struct eb_error *err)
{
	EB_CLEANUP(eb_team_nearest_release) struct eb_team_nearest n = { 0 };
	const struct eb_team_nearest *near = NULL;
	int rc = 0;

	if (c->explain && find_nearest(c, &n) > 0)
		near = &n;
	eb_progress_pause(c->cli->progress);
	if (c->cli->config.json)
		rc = miss_json(why, near, err);
	else if (c->explain)
		rc = print_miss(why, near, err);
	else
		eb_note(c->cli->events, "miss: %s", why);
	return rc < 0 ? -1 : EB_NO;
}

/* --- neither ---------------------------------------------------------- */
/* Never with the status of a hit or a miss. */
static int cannot_tell(struct checking *c, struct eb_error *err)
{
	struct eb_error other = EB_ERROR_INIT;
	json_t *j;

	if (err->code == EB_OK || err->code == EB_NO)
		err->code = EB_NETWORK;
	eb_err_prefix(err, "cannot tell whether the image is there");
	if (!c->cli->config.json)
		return -1;
	j = json_pack("{s:i,s:s,s:s,s:s}", "schema", 1, "status", "cannot-tell",
		      "why", err->message, "code", eb_code_name(err->code));
	eb_cli_print_json(j, &other);
	eb_err_release(&other);
	return -1;
}

static int ask(struct checking *c, struct eb_error *err)
{
	const struct eb_config *config = &c->cli->config;
	struct eb_team_image image;
	eb_autofree char *why = NULL;
	int rc = eb_team_check(c->team, c->env, config,
			       c->explain || config->json, &image, &why, err);

	if (rc < 0)
		return cannot_tell(c, err);
	return rc ? hit(c, &image, err) : miss(c, why, err);
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	struct checking c EB_CLEANUP(release) = {
		.cli = cli, .explain = eb_cli_own(cli, "explain") != NULL
	};
	int rc;

	if (!eb_check_is_remote(cli))
		return eb_check_run_local(cli, err);
	if (eb_check_store(cli, &c.store, err) < 0 ||
	    eb_env_open(cli->args.v[0], &cli->config, c.store, cli->events,
			&c.env, err) < 0)
		return -1;
	rc = eb_team_open(&cli->config, true, cli->events, &c.team, err);
	if (rc < 0)
		return cannot_tell(&c, err);
	return ask(&c, err);
}

const struct eb_command eb_cmd_check_registry = {
	.name = "check",
	.usage = EB_CHECK_USAGE,
	.summary = EB_CHECK_SUMMARY,
	.own = eb_check_own,
	.min_args = 1,
	.max_args = 1,
	.takes_env = true,
	.run = run,
};
