/* SPDX-License-Identifier: Apache-2.0 */
/* All that is done at a registry, at the strict one in the ways of each vendor
 * (tests/registry-profiles), by its name: the registry is the proxy that leads
 * there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "registry_work.h"

struct vendor {
	const char *table, *host, *login;
	const char *made[4]; /* options: what has to be there before */
};

static char *dir;

static int start_vendor(struct strict_registry *r, const struct vendor *v)
{
	eb_autofree char *script = strict_script();
	eb_autofree char *table = eb_asprintf(
		"%.*s/registry-profiles/%s.tsv",
		(int)(strlen(script) - strlen("/fixtures/registry.py")), script,
		v->table);
	const char *argv[16] = { "--table", table, "--login", v->login };
	int i;

	for (i = 0; i < 4 && v->made[i]; i++)
		argv[4 + i] = v->made[i];
	return strict_start(r, argv);
}

static void put_image(struct eb_repository *a, struct eb_repository *b,
		      struct work_image *image)
{
	struct eb_error err = EB_ERROR_INIT;

	work_push(a, "v1", 1, image);
	assert_answer(eb_blob_mount(b, &image->layer, a, &err), 1, &err);
	assert_answer(eb_blob_copy(b, a, &image->config, 2, NULL, &err), 2,
		      &err);
	assert_answer(eb_manifest_put(b, "v1", EB_MT_MANIFEST, image->text,
				      image->len, NULL, &err),
		      0, &err);
}

static void read_image(struct eb_repository *a, const struct work_image *image)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv tags = { 0 };
	EB_AUTOBUF(text, 16 << 20);
	struct eb_remote remote;
	struct eb_error err = EB_ERROR_INIT;

	assert_answer(eb_manifest_head(a, "v1", &remote, &err), 1, &err);
	assert_true(eb_digest_equal(&remote.digest, &image->manifest));
	assert_answer(eb_manifest_resolve(a, "v1", "linux/amd64", &text,
					  &remote, NULL, &err),
		      1, &err);
	assert_answer(eb_blob_head(a, &image->layer, 7, &err), 1, &err);
	eb_buf_reset(&text);
	assert_answer(eb_blob_read(a, &image->layer, 100, &text, &err), 1,
		      &err);
	assert_string_equal(text.data, image->layer_text);
	assert_answer(eb_tags_list(a, &tags, &err), 0, &err);
	assert_true(eb_strv_has(&tags, "v1"));
}

static void refer(struct eb_repository *a, const struct work_image *image)
{
	EB_AUTOBUF(text, 16 << 20);
	struct eb_digest note;
	struct eb_error err = EB_ERROR_INIT;

	work_refer(a, image, "application/x-one", "a note", &note);
	assert_answer(eb_referrers_get(a, &image->manifest, NULL, &text, &err),
		      1, &err);
	assert_referrers(&text, 1, "a note", "x-one");
}

static void large_blob(struct eb_repository *a)
{
	size_t n = (21 << 20) + 1;
	eb_autofree char *bytes = work_bytes(n, 9);
	struct eb_digest d;

	work_put(a, bytes, n, &d);
}

static void use(const struct vendor *v)
{
	struct eb_registry_options o = {
		.plain_http = true,
		.backoff_ms = 10,
		.token_dir = "",
		.password = "x",
	};
	eb_autofree char *user = eb_strdup(v->login), *proxy = NULL;
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = NULL;
	struct eb_repository *a, *b;
	struct strict_registry at;
	struct work_image image;

	*strchr(user, ':') = '\0';
	o.user = user;
	assert_int_equal(start_vendor(&at, v), 0);
	proxy = eb_asprintf("http://%s", at.host);
	setenv("http_proxy", proxy, 1);
	setenv("no_proxy", "127.0.0.1", 1);
	r = eb_registry_new(&o, NULL);
	a = work_open(r, v->host, "team/a");
	b = work_open(r, v->host, "team/b");
	put_image(a, b, &image);
	read_image(a, &image);
	large_blob(a);
	assert_no_violation(&at);
	refer(a, &image);
	assert_int_equal(strict_uploads(&at), 0);
	strict_stop(&at);
	free(image.text);
}

#define VENDOR(name, ...)                                       \
	static void test_##name(void **state)                   \
	{                                                       \
		const struct vendor v = { #name, __VA_ARGS__ }; \
                                                                \
		(void)state;                                    \
		use(&v);                                        \
	}
VENDOR(acr, "team.azurecr.io", "00000000-0000-0000-0000-000000000000:x",
       { NULL })
VENDOR(ecr, "123456789012.dkr.ecr.eu-west-1.amazonaws.com", "AWS:x",
       { "--repository", "team/a", "--repository", "team/b" })
VENDOR(gar, "europe-docker.pkg.dev", "oauth2accesstoken:x",
       { "--project", "team" })
VENDOR(ghcr, "ghcr.io", "anybody:x", { NULL })
VENDOR(harbor, "harbor.example", "robot$team:x", { "--project", "team" })
VENDOR(hub, "docker.io", "me:x", { NULL })
VENDOR(quay, "quay.io", "team+robot:x", { NULL })

static int start(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	dir = eb_make_tempdir("/tmp", "test_registry.", &err);
	if (!dir)
		return -1;
	strict_alone(dir);
	return 0;
}

static int stop(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	eb_remove_tree(dir, &err);
	free(dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_acr),    cmocka_unit_test(test_ecr),
		cmocka_unit_test(test_gar),    cmocka_unit_test(test_ghcr),
		cmocka_unit_test(test_harbor), cmocka_unit_test(test_hub),
		cmocka_unit_test(test_quay),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
