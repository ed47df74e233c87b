/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buildah in a folder of its own: the images that the Dockerfile names are put
 * into its storage under names of ours, which stand in the copy of the
 * Dockerfile that it is given; so it needs neither logins nor the network for
 * them, and builds from what the lock says.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/layout.h>
#include <envbuild/process.h>
#include <envbuild/sandbox.h>
#include <envbuild/transfer.h>

#include "dockerfile_base.h"
#include "root.h"
#include "step.h"

#define NAME "localhost/envbuild-from" /* with its number as tag */
#define RESULT "localhost/envbuild-result"
#define POLICY "{\"default\": [{\"type\": \"insecureAcceptAnything\"}]}\n"
#define POLICY_FILE "policy.json"
#define MAX_SECONDS (30u * 86400)

/* --- the folder ------------------------------------------------------------
 */

static void release(struct eb_dockerfile_making *m)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	eb_cleanup_fd(&m->log);
	if (m->dir && eb_sandbox_remove(m->dir, &ignored) < 0)
		eb_warn(m->events, "%s", ignored.message);
	free(m->dir);
	m->dir = NULL;
}

static int write_in(const struct eb_dockerfile_making *m, const char *name,
		    const char *text, size_t len, struct eb_error *err)
{
	eb_autofree char *path = eb_path_join(m->dir, name);

	return eb_write_file(path, text, len, 0644, err);
}

static int make_folders(struct eb_dockerfile_making *m, struct eb_error *err)
{
	static const char *const names[] = { "context", "tmp", "root", "run" };

	m->dir = eb_make_tempdir(eb_store_tmp(m->store), "dockerfile-", err);
	if (!m->dir)
		return -1;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		eb_autofree char *path = eb_path_join(m->dir, names[i]);

		if (eb_mkdirs(path, 0700, err) < 0)
			return -1;
	}
	m->log = eb_unnamed_file(m->dir, err);
	if (m->log < 0 ||
	    write_in(m, POLICY_FILE, POLICY, strlen(POLICY), err) < 0)
		return -1;
	return write_in(m, "ignore", "", 0, err);
}

/* --- the context and the Dockerfile ----------------------------------------
 */

/* What is built is what was keyed. */
static int copy_context(struct eb_dockerfile_making *m, struct eb_error *err)
{
	EB_CLEANUP(eb_recipe_release) struct eb_recipe again = { 0 };
	eb_autofree char *to = eb_path_join(m->dir, "context");

	if (eb_recipe_read(m->config, m->store, to, &again, err) < 0)
		return -1;
	if (eb_digest_equal(&again.content, &m->recipe->content))
		return 0;
	eb_err_set(err, EB_INPUT,
		   "\"%s\" or its context was changed while it was read",
		   m->recipe->file.file);
	return eb_err_hint(err, "try again, or leave out what changes by a "
				".dockerignore");
}

static size_t number_of(const struct eb_recipe *r, const char *reference)
{
	size_t i = 0;

	while (strcmp(r->image.v[i], reference))
		i++;
	return i;
}

static int write_dockerfile(struct eb_dockerfile_making *m,
			    struct eb_error *err)
{
	const struct eb_dockerfile *d = &m->recipe->file;
	EB_AUTOBUF(text, 2 * EB_MAX_DOCKERFILE);
	size_t at = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct eb_dockerfile_from *from = &d->from[i];

		if (!from->reference) {
			eb_warn_at(m->events, d->file, from->line, 1,
				   "\"%s\" is known only when it is built: "
				   "which image it is, the lock does not tell",
				   from->word);
			continue;
		}
		eb_buf_add(&text, d->text + at, from->at - at);
		eb_buf_addf(&text, NAME ":%zu",
			    number_of(m->recipe, from->reference));
		at = from->at + from->len;
	}
	eb_buf_add(&text, d->text + at, d->len - at);
	return write_in(m, "Dockerfile", text.data, text.len, err);
}

/* --- the images ------------------------------------------------------------
 */

static int complete(struct eb_dockerfile_making *m, const struct eb_base *image,
		    struct eb_error *err)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *registry = NULL;
	int rc = eb_image_is_complete(m->store, &image->manifest, err);

	if (rc)
		return rc < 0 ? -1 : 0;
	registry = eb_base_registry(m->config, image->reference, m->events);
	if (!registry)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\": its layers are not in the store",
				  image->reference);
	return eb_image_complete(registry, m->store, &image->manifest,
				 m->events, err);
}

static int export(struct eb_dockerfile_making *m, size_t i,
		  struct eb_error *err)
{
	eb_autofree char *path = eb_path_join(m->dir, "from");
	eb_autofree char *tag = eb_asprintf("%zu", i);
	const struct eb_reference to = { .kind = EB_REF_OCI,
					 .path = path,
					 .tag = tag };

	return eb_image_export(m->store, &m->from[i]->manifest, &to, tag,
			       m->platform, m->events, err);
}

static int bring(struct eb_dockerfile_making *m, size_t i, struct eb_error *err)
{
	eb_autofree char *from = eb_asprintf("oci:from:%zu", i);
	eb_autofree char *name = eb_asprintf(NAME ":%zu", i);
	eb_autofree char *id = NULL;
	const char *const pull[] = {
		"pull", "--quiet", "--signature-policy", POLICY_FILE, from, NULL
	};

	if (complete(m, m->from[i], err) < 0 || export(m, i, err) < 0 ||
	    eb_dockerfile_call(m, "taking the image that it begins with", pull,
			       &id, err) < 0)
		return -1;
	const char *const tag[] = { "tag", id, name, NULL };
	return eb_dockerfile_call(m, "naming the image that it begins with",
				  tag, NULL, err);
}

static int bring_images(struct eb_dockerfile_making *m, struct eb_error *err)
{
	eb_autofree char *layout = eb_path_join(m->dir, "from");

	for (size_t i = 0; i < m->recipe->image.n; i++)
		if (bring(m, i, err) < 0)
			return -1;
	return eb_remove_tree(layout, err); /* its storage has them */
}

/* --- the build -------------------------------------------------------------
 */

static bool is_pinned(const struct eb_dockerfile_making *m)
{
	for (size_t i = 0; i < m->recipe->file.n; i++)
		if (!m->recipe->file.from[i].reference)
			return false;
	return true;
}

static const char *isolation(void)
{
	const char *asked = getenv("BUILDAH_ISOLATION");

	return asked && *asked ? asked : "chroot";
}

static int build(struct eb_dockerfile_making *m, struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv words = { 0 };
	const char *ca = eb_root_certificates(m->config);

	eb_strv_add(&words, "bud");
	eb_strv_addf(&words, "--isolation=%s", isolation());
	eb_strv_add(&words, "--layers=false");
	eb_strv_add(&words, "--identity-label=false");
	eb_strv_addf(&words, "--timestamp=%lld", (long long)m->epoch);
	eb_strv_add(&words, "--ignorefile=ignore");
	if (is_pinned(m)) {
		eb_strv_add(&words, "--pull-never");
		eb_strv_add(&words, "--signature-policy=" POLICY_FILE);
	} else {
		eb_strv_add(&words, "--pull=missing");
	}
	if (ca)
		eb_strv_addf(&words, "--secret=id=ca,src=%s", ca);
	for (size_t i = 0; i < m->recipe->args.n; i++)
		eb_strv_addf(&words, "--build-arg=%s", m->recipe->args.v[i]);
	eb_strv_add(&words, "--tag=" RESULT);
	eb_strv_add(&words, "--file=Dockerfile");
	eb_strv_add(&words, "context");
	return eb_dockerfile_call(m, "building it",
				  (const char *const *)words.v, NULL, err);
}

static int take_result(struct eb_dockerfile_making *m,
		       struct eb_digest *manifest, struct eb_error *err)
{
	static const char *const push[] = { "push",
					    "--quiet",
					    "--disable-compression",
					    "--signature-policy",
					    POLICY_FILE,
					    RESULT,
					    "dir:result",
					    NULL };
	eb_autofree char *dir = eb_path_join(m->dir, "result");

	if (eb_dockerfile_call(m, "writing the result", push, NULL, err) < 0)
		return -1;
	return eb_dockerfile_import(m, dir, manifest, err);
}

/* --- can it be built? ------------------------------------------------------
 */

static int check_platform(const struct eb_dockerfile_making *m,
			  struct eb_error *err)
{
	if (!strcmp(m->platform, eb_machine_platform()))
		return 0;
	eb_err_set(err, EB_MACHINE,
		   "\"%s\" for %s cannot be built on this machine (%s)",
		   m->recipe->file.file, m->platform, eb_machine_platform());
	return eb_err_hint(err, "build on such a machine");
}

static int missing(const struct eb_dockerfile_making *m, struct eb_error *err)
{
	eb_err_set(err, EB_MACHINE,
		   "\"%s\" is built by buildah, which is not installed",
		   m->recipe->file.file);
	return eb_err_hint(err, "install it (apt-get install buildah), or "
				"build that image elsewhere and give it with "
				"--base");
}

/* Layers as they are, where this machine can; else each is a copy. */
static const char *choose_driver(const struct eb_dockerfile_making *m)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofree char *root = eb_asprintf("--root=%s/tmp/root", m->dir);
	eb_autofree char *run = eb_asprintf("--runroot=%s/tmp/run", m->dir);
	const char *const argv[] = {
		m->program, root, run, "--storage-driver=overlay", "info", NULL,
	};
	int status = 1;

	if (eb_process_run(argv, NULL, NULL, 0, 0, 30, NULL, NULL, &status,
			   &ignored) < 0)
		status = 1;
	return status ? "vfs" : "overlay";
}

static int work(struct eb_dockerfile_making *m, struct eb_digest *manifest,
		struct eb_error *err)
{
	if (check_platform(m, err) < 0 || make_folders(m, err) < 0 ||
	    copy_context(m, err) < 0 || write_dockerfile(m, err) < 0)
		return -1;
	m->driver = choose_driver(m);
	if (bring_images(m, err) < 0)
		return -1;
	return build(m, err) < 0 ? -1 : take_result(m, manifest, err);
}

static uint64_t deadline(const struct eb_config *c)
{
	uint64_t s = c->limit[EB_LIMIT_BUILD_TIME];

	return eb_now_ns() + (s < MAX_SECONDS ? s : MAX_SECONDS) * 1000000000;
}

int eb_dockerfile_make(struct eb_dockerfile_making *making,
		       struct eb_digest *manifest, char **log,
		       struct eb_error *err)
{
	struct eb_dockerfile_making m EB_CLEANUP(release) = *making;
	eb_autofree char *program = eb_find_program("buildah");

	if (!program)
		return missing(&m, err);
	m.program = program;
	m.deadline = deadline(m.config);
	if (work(&m, manifest, err) < 0)
		return -1;
	*log = eb_step_log_keep(m.log, EB_DOCKERFILE_STEP);
	return 0;
}
