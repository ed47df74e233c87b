/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild verify ENV|IMAGE|LOCK: does the image hold what it says, the lock
 * what was asked? */
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>

#include "image_take.h"
#include "run_user.h"
#include "verify_view.h"

struct verify {
	struct eb_cli *cli;
	struct eb_result r;
	struct eb_taken image;
	struct eb_verified what;
	struct eb_findings found;
	struct eb_digest manifest;
	struct eb_store *outer; /* the user's, whose tmp/ holds: */
	char *own;		/* the folder of a store for this image alone */
	bool imports_fail;
	bool set; /* of packages, no image */
};

static void release(struct verify *v)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	eb_taken_release(&v->image);
	eb_verified_release(&v->what);
	eb_findings_release(&v->found);
	eb_result_release(&v->r);
	if (v->own)
		eb_remove_tree(v->own, &ignored);
	free(v->own);
	eb_store_close(v->outer);
}

static int options(struct verify *v, struct eb_error *err)
{
	const char *imports = eb_cli_own(v->cli, "imports");

	v->imports_fail = imports && !strcmp(imports, "fail");
	if (!imports || v->imports_fail || !strcmp(imports, "note"))
		return 0;
	eb_err_set(err, EB_USAGE, "option \"imports\" cannot be \"%s\"",
		   imports);
	return eb_err_hint(err, "one of: fail|note");
}

/* An image in files is to be read, every byte, whatever the store has: it goes
 * into one of its own. */
static int own_store(struct verify *v, const char *what, struct eb_error *err)
{
	if (!eb_starts(what, "oci:") && !eb_starts(what, "oci-archive:") &&
	    !eb_starts(what, "docker-archive:"))
		return 0;
	if (eb_cli_store(v->cli, 0, &v->outer, err) < 0)
		return -1;
	v->own = eb_make_tempdir(eb_store_tmp(v->outer), "verify-", err);
	return v->own ? eb_store_open(v->own, 0, &v->r.store, err) : -1;
}

/* Bytes that are not what they should be are what is looked for: 0, told. What
 * is missing in the store is named later, blob by blob. */
static int take(struct verify *v, struct eb_error *err)
{
	const char *what = v->cli->args.v[0];
	bool image = eb_names_image(what);

	if (eb_take_image(v->cli, what, &v->r, &v->manifest, err) == 0)
		return 1;
	if (!image || err->code != EB_INTEGRITY)
		return -1;
	if (!v->own && !eb_digest_is_zero(&v->manifest)) {
		eb_err_release(err);
		return 1;
	}
	eb_finding_add(&v->found, "blob", NULL, "%s", err->message);
	eb_err_release(err);
	return 0;
}

static int check_blobs(struct verify *v, bool *whole, struct eb_error *err)
{
	json_t *config = NULL;
	struct eb_stage stage;
	int rc;

	eb_stage_begin(v->cli->events, &stage, "blobs");
	rc = eb_verify_blobs(v->r.store, &v->manifest, &config, &v->found, err);
	eb_stage_end(v->cli->events, &stage);
	v->image.config = config;
	*whole = config != NULL;
	return rc;
}

static int check_files(struct verify *v, struct eb_error *err)
{
	struct eb_stage stage;
	int rc;

	if (eb_take_rootfs(&v->image, v->cli, v->r.store, &v->manifest, err) <
	    0)
		return -1;
	eb_stage_begin(v->cli->events, &stage, "files");
	rc = eb_verify_files(v->image.rootfs, v->image.config, &v->what,
			     &v->found, err);
	eb_stage_end(v->cli->events, &stage);
	return rc;
}

static int check_python(struct verify *v, struct eb_error *err)
{
	const json_t *settings = eb_json_obj(v->image.config, "config");
	struct eb_verify_run run = { .rootfs = v->image.rootfs,
				     .dir = v->image.dir,
				     .config = v->image.config,
				     .limit = v->cli->config.limit,
				     .imports_fail = v->imports_fail,
				     .gpu = v->cli->config.gpu,
				     .events = v->cli->events };
	struct eb_stage stage;
	int rc;

	if (eb_run_user(v->image.rootfs, eb_json_str(settings, "User"),
			&run.uid, &run.gid, err) < 0)
		return -1;
	eb_stage_begin(v->cli->events, &stage, "python");
	rc = eb_verify_python(&run, &v->what, &v->found, err);
	eb_stage_end(v->cli->events, &stage);
	return rc;
}

/* A lock, or what else is a set of packages: that alone is looked at. */
static int take_set(struct verify *v, struct eb_error *err)
{
	const char *what = v->cli->args.v[0];

	if (*what && eb_names_image(what))
		return 0;
	if (eb_result_look(v->cli, what, &v->r, err) < 0)
		return -1;
	v->set = eb_env_is_set(v->r.env, &v->cli->config);
	if (!v->set)
		return 0;
	return eb_verify_set(v->r.env, &v->cli->config, v->r.store,
			     v->cli->events, &v->found, err);
}

static int check(struct verify *v, struct eb_error *err)
{
	bool whole = false;
	int got = take_set(v, err);

	if (got < 0 || v->set)
		return got;
	got = own_store(v, v->cli->args.v[0], err);
	if (got == 0)
		got = take(v, err);
	if (got <= 0)
		return got;
	if (check_blobs(v, &whole, err) < 0)
		return -1;
	if (whole)
		return check_files(v, err) < 0 ? -1 : check_python(v, err);
	eb_finding_note(&v->found, "files", NULL,
			"not checked: the image cannot be unpacked");
	return 0;
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	struct verify v EB_CLEANUP(release) = { .cli = cli,
						.r = EB_RESULT_INIT };
	char image[EB_DIGEST_TEXT] = "";

	eb_progress_log(cli->progress, cli->args.v[0]);
	if (options(&v, err) < 0 || check(&v, err) < 0)
		return -1;
	if (!eb_digest_is_zero(&v.manifest))
		eb_digest_text(&v.manifest, image);
	if (v.set ? eb_verify_print_set(cli, &v.found, err) < 0
		  : eb_verify_print(cli, *image ? image : NULL, &v.found, err) <
			    0)
		return -1;
	return v.found.bad ? EB_NO : EB_OK;
}

static const struct eb_cli_option own[] = {
	{ "imports", "fail|note" },
	{ 0 },
};

const struct eb_command eb_cmd_verify = {
	.name = "verify",
	.usage = "verify ENV|IMAGE|LOCK [--imports fail|note] [--gpu] "
		 "[--local] [--json]",
	.summary = "does the image hold what it says, the lock what was asked? "
		   "Exit status 1 with findings",
	.own = own,
	.min_args = 1,
	.max_args = 1,
	.takes_env = true,
	.run = run,
};
