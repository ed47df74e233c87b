/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild cache path|list|check|gc: the local store. cmd_cache_registry.c
 * looks after the team's repository. */
#include <stdio.h>
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>

#include "cmd_cache.h"

static int cache_path(struct eb_cli *cli, struct eb_error *err)
{
	eb_autofree char *dir = cli->config.cache_dir
					? eb_strdup(cli->config.cache_dir)
					: eb_xdg_dir("CACHE");

	if (!dir)
		return eb_err_set(err, EB_MACHINE,
				  "neither XDG_CACHE_HOME nor HOME is set");
	return eb_cli_print(err, "%s", dir);
}

/* --- list -------------------------------------------------------------------
 */
struct list {
	struct eb_cli *cli;
	json_t *images;
};

static int list_row(void *data, const struct eb_image_row *row,
		    struct eb_error *err)
{
	struct list *l = data;
	eb_autofree char *reference = eb_cli_reference(&row->manifest);
	char time[32], size[32], lock[EB_HEX_SIZE];
	json_t *j;

	eb_rfc3339(row->time, time);
	eb_digest_hex(&row->lock, lock);
	if (!l->cli->config.json)
		return eb_cli_print(err, "%s  %-10s  %s  lock %.12s  %s", time,
				    eb_human_size(row->size, size), reference,
				    lock, row->compressor);
	j = json_object();
	json_object_set_new(j, "reference", json_string(reference));
	json_object_set_new(j, "lock", json_string(lock));
	json_object_set_new(j, "compressor", json_string(row->compressor));
	json_object_set_new(j, "bytes", json_integer((json_int_t)row->size));
	json_object_set_new(j, "time", json_string(time));
	json_array_append_new(l->images, j);
	return 0;
}

static int cache_list(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_store_close_ptr) struct eb_store *store = NULL;
	struct list l = { .cli = cli, .images = json_array() };
	json_t *j = json_object();
	int rc;

	json_object_set_new(j, "schema", json_integer(1));
	json_object_set_new(j, "images", l.images);
	rc = eb_cli_store(cli, EB_STORE_READONLY, &store, err);
	if (rc < 0 && err->code == EB_NO) {
		eb_err_release(err); /* no store: nothing to list */
		rc = 0;
	} else if (rc == 0) {
		rc = eb_store_images(store, list_row, &l, err);
	}
	if (rc == 0 && cli->config.json)
		return eb_cli_print_json(j, err);
	json_decref(j);
	return rc;
}

/* --- check, gc
 * ----------------------------------------------------------------- */
static int print_report(struct eb_cli *cli,
			const struct eb_store_report *report,
			struct eb_error *err)
{
	char bytes[32], removed[32];
	json_t *j;

	eb_progress_pause(cli->progress);
	if (!cli->config.json)
		return eb_cli_print(
			err,
			"%llu blobs, %s; %llu damaged, %llu missing, %llu "
			"unknown; %llu removed, %s",
			(unsigned long long)report->blobs,
			eb_human_size(report->bytes, bytes),
			(unsigned long long)report->bad,
			(unsigned long long)report->missing,
			(unsigned long long)report->unknown,
			(unsigned long long)report->removed,
			eb_human_size(report->removed_bytes, removed));
	j = json_pack("{s:i,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "schema", 1, "blobs",
		      (json_int_t)report->blobs, "bytes",
		      (json_int_t)report->bytes, "damaged",
		      (json_int_t)report->bad, "missing",
		      (json_int_t)report->missing, "unknown",
		      (json_int_t)report->unknown, "removed",
		      (json_int_t)report->removed, "removed-bytes",
		      (json_int_t)report->removed_bytes);
	return eb_cli_print_json(j, err);
}

static int cache_check(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_store_close_ptr) struct eb_store *store = NULL;
	struct eb_store_report report = { 0 };

	if (eb_cli_store(cli, 0, &store, err) < 0 ||
	    eb_store_check(store, !eb_cli_own(cli, "quick"),
			   eb_cli_own(cli, "rebuild") != NULL, cli->events,
			   &report, err) < 0 ||
	    print_report(cli, &report, err) < 0)
		return -1;
	return report.bad || report.missing ? EB_NO : EB_OK;
}

static int gc_options(struct eb_cli *cli, struct eb_gc_options *out,
		      struct eb_error *err)
{
	const char *size = eb_cli_own(cli, "max-size");

	out->dry_run = eb_cli_own(cli, "dry-run") != NULL;
	out->max_age_s = cli->config.max_age;
	if (out->max_age_s <= 0) /* 0 means no limit there, -1 is unset here */
		out->max_age_s = out->max_age_s == 0 ? 1 : 0;
	if (size && eb_config_amount(size, &out->max_bytes) < 0)
		return eb_err_set(err, EB_USAGE,
				  "option \"max-size\" cannot be \"%s\"", size);
	if (size && !out->max_bytes)
		out->max_bytes = 1; /* 0 means no limit there */
	return 0;
}

static int cache_gc(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_store_close_ptr) struct eb_store *store = NULL;
	struct eb_store_report report = { 0 };
	struct eb_gc_options options = { 0 };

	if (gc_options(cli, &options, err) < 0 ||
	    eb_cli_store(cli, 0, &store, err) < 0 ||
	    eb_store_gc(store, &options, cli->events, &report, err) < 0)
		return -1;
	return print_report(cli, &report, err);
}

/* --- which -------------------------------------------------------------------
 */
bool eb_cache_is_remote(const struct eb_cli *cli)
{
	return eb_cli_own(cli, "registry") != NULL;
}

static int check_words(struct eb_cli *cli, struct eb_error *err)
{
	if (eb_cli_own(cli, "delete"))
		eb_err_set(err, EB_USAGE,
			   "option \"--delete\" goes with \"--registry\"");
	else if (cli->args.n > 1)
		eb_err_set(err, EB_USAGE, "\"%s\" is one argument too many",
			   cli->args.v[1]);
	else
		return 0;
	return eb_err_hint(err, "usage: envbuild %s", cli->cmd->usage);
}

int eb_cache_run_local(struct eb_cli *cli, struct eb_error *err)
{
	static const struct {
		const char *name;
		int (*run)(struct eb_cli *cli, struct eb_error *err);
	} verbs[] = { { "path", cache_path },
		      { "list", cache_list },
		      { "check", cache_check },
		      { "gc", cache_gc } };

	if (check_words(cli, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		if (!strcmp(verbs[i].name, cli->args.v[0]))
			return verbs[i].run(cli, err);
	eb_err_set(err, EB_USAGE, "cache has no \"%s\"", cli->args.v[0]);
	return eb_err_hint(err, "usage: envbuild %s", cli->cmd->usage);
}

const struct eb_cli_option eb_cache_own[] = {
	{ "quick", NULL },
	{ "rebuild", NULL },
	{ "max-size", "SIZE" },
	{ "dry-run", NULL },
	{ "registry", "[HOST/PREFIX]" },
	{ "delete", NULL },
	{ 0 },
};

const struct eb_command eb_cmd_cache = {
	.name = "cache",
	.usage = EB_CACHE_USAGE,
	.summary = EB_CACHE_SUMMARY,
	.own = eb_cache_own,
	.min_args = 1,
	.max_args = 2, /* behind --registry */
	.is_full = eb_cache_is_remote,
	.run = eb_cache_run_local,
};
