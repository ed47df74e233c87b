/* SPDX-License-Identifier: Apache-2.0 */
/* Images between the store and registries: sources, the pusher, whole images.
 * The other side is a real registry; without one these tests are skipped. */
#include "oci_fixture.h"

#include <envbuild/transfer.h>

#include "real_registry.h"

#define FOREIGN "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip"
#define DOCKER_MANIFEST "application/vnd.docker.distribution.manifest.v2+json"
#define DOCKER_CONFIG "application/vnd.docker.container.image.v1+json"
#define DOCKER_LAYER "application/vnd.docker.image.rootfs.diff.tar.gzip"

static struct real_registry server;

struct scene {
	struct world *w;
	struct eb_registry *registry;
	struct eb_repository *a, *b; /* of one host */
};

static int begin(void **state)
{
	struct eb_registry_options options = { .backoff_ms = 1,
					       .tries = 2,
					       .token_dir = "" };
	struct scene *s = eb_calloc(1, sizeof *s);
	struct eb_error err = EB_ERROR_INIT;

	make_world((void **)&s->w);
	*state = s;
	if (!server.pid)
		return 0;
	s->registry = eb_registry_new(&options, NULL);
	ok(eb_repository_open(s->registry, server.host, "t/a", &s->a, &err),
	   &err);
	ok(eb_repository_open(s->registry, server.host, "t/b", &s->b, &err),
	   &err);
	real_forget(&server);
	return 0;
}

static int end(void **state)
{
	struct scene *s = *state;
	eb_autofree char *data = NULL;
	struct eb_error err = EB_ERROR_INIT;
	int rc;

	eb_registry_free(s->registry);
	rc = remove_world((void **)&s->w);
	free(s);
	if (server.pid) { /* each test begins with an empty registry */
		data = eb_path_join(server.dir, "data");
		ok(eb_remove_tree(data, &err), &err);
	}
	return rc;
}

static void need_server(void)
{
	if (server.pid)
		return;
	print_message("docker-registry is not installed\n");
	skip();
}

/* --- making ----------------------------------------------------------------
 */
static struct eb_digest put_text(const struct scene *s, const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d;

	ok(eb_store_put(s->w->store, text, strlen(text), &d, &err), &err);
	return d;
}

/* An image of n layers of which each holds its number and `word`. */
static struct eb_digest make_image(const struct scene *s, size_t n,
				   const char *word)
{
	struct eb_buf *tar = eb_calloc(n, sizeof *tar);
	struct eb_digest d;

	for (size_t i = 0; i < n; i++) {
		eb_autofree char *text = eb_asprintf("%zu %s\n", i, word);

		eb_buf_init(&tar[i], TAR_MAX);
		tar_file(&tar[i], "file", text);
		tar_end(&tar[i]);
	}
	d = store_image(s->w, tar, n);
	for (size_t i = 0; i < n; i++)
		eb_buf_release(&tar[i]);
	free(tar);
	return d;
}

static struct eb_manifest manifest_of(const struct scene *s,
				      const struct eb_digest *d)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	struct eb_manifest m;

	ok(eb_store_read(s->w->store, d, EB_MAX_MANIFEST, &text, &err), &err);
	ok(eb_manifest_parse(text.data, text.len, "it", &m, &err), &err);
	return m;
}

static int push_image(const struct scene *s, struct eb_repository *to,
		      const struct eb_digest *d, const char *tag,
		      struct eb_push_totals *totals, struct eb_error *err)
{
	struct eb_push *p = eb_push_new(s->registry, to, s->w->store, NULL);
	int rc = eb_image_push(p, d, &tag, tag ? 1 : 0, NULL, err);

	eb_push_totals(p, totals);
	eb_push_free(p);
	return rc;
}

static void must_push(const struct scene *s, struct eb_repository *to,
		      const struct eb_digest *d, const char *tag)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_push_totals t;

	ok(push_image(s, to, d, tag, &t, &err), &err);
}

/* A second store, empty. */
static struct eb_store *other_store(const struct scene *s, const char *name)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *dir = at(s->w, name);
	struct eb_store *store;

	ok(eb_store_open(dir, 0, &store, &err), &err);
	return store;
}

static int has(struct eb_store *store, const struct eb_digest *d)
{
	struct eb_error err = EB_ERROR_INIT;

	return eb_store_has(store, d, &err);
}

static int tag_is(struct eb_repository *repo, const char *tag,
		  const struct eb_digest *want)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_remote remote;
	int got = eb_manifest_head(repo, tag, &remote, &err);

	ok(got, &err);
	return got && (!want || eb_digest_equal(&remote.digest, want));
}

/* --- sources ---------------------------------------------------------------
 */
static char *places(struct eb_store *store, const struct eb_digest *d)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_strv v = { 0 };
	EB_AUTOBUF(text, 10000);
	int got = eb_blob_source_find(store, d, &v, &err);

	assert_int_equal(got, v.n > 0);
	for (size_t i = 0; i < v.n; i++)
		eb_buf_addf(&text, "%s%s", i ? " " : "", v.v[i]);
	eb_strv_release(&v);
	return eb_buf_steal(&text, NULL);
}

static void places_are(struct eb_store *store, const struct eb_digest *d,
		       const char *want)
{
	eb_autofree char *have = places(store, d);

	assert_string_equal(have, want);
}

static void sources(void **state)
{
	struct scene *s = *state;
	struct eb_store *store = s->w->store;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d[2] = { digest_of("1", 1), digest_of("2", 1) };
	char key[EB_DIGEST_TEXT];

	places_are(store, &d[0], "");
	ok(eb_blob_source_put(store, "h/1", d, 0, &err), &err);
	ok(eb_blob_source_put(store, "h/1", d, 2, &err), &err);
	ok(eb_blob_source_put(store, "h/2", d, 1, &err), &err);
	places_are(store, &d[0], "h/2 h/1");
	places_are(store, &d[1], "h/1");
	ok(eb_blob_source_put(store, "h/1", d, 2, &err), &err);
	places_are(store, &d[0], "h/1 h/2");
	ok(eb_blob_source_put(store, "h/3", d, 2, &err), &err);
	ok(eb_blob_source_put(store, "h/4", d, 1, &err), &err);
	ok(eb_blob_source_put(store, "h/5", d, 1, &err), &err);
	places_are(store, &d[0], "h/5 h/4 h/3 h/1");
	places_are(store, &d[1], "h/3 h/1");
	ok(eb_store_put_fact(store, "source", eb_digest_text(&d[1], key),
			     "no place\n\nh/x", NULL, &err),
	   &err);
	places_are(store, &d[1], "h/x");
}

/* --- the pusher ------------------------------------------------------------
 */
static void pushes_once(void **state)
{
	struct scene *s = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d[40];
	struct eb_push_totals t;
	struct eb_push *p;
	char host[200];

	need_server();
	p = eb_push_new(s->registry, s->a, s->w->store, NULL);
	for (int i = 0; i < 40; i++) {
		eb_autofree char *text = eb_asprintf("blob number %02d", i);

		d[i] = put_text(s, text);
		eb_push_blob(p, &d[i], 14, NULL);
		eb_push_blob(p, &d[i], 14, "again");
	}
	ok(eb_push_wait(p, &err), &err);
	eb_push_totals(p, &t);
	assert_int_equal(t.n_sent, 40);
	assert_int_equal(t.sent, 40 * 14);
	assert_int_equal(t.n_there + t.n_mounted + t.n_copied, 0);
	eb_push_blob(p, &d[3], 14, NULL);
	ok(eb_push_wait(p, &err), &err);
	eb_push_free(p);
	assert_int_equal(real_asked(&server, "HEAD", "/blobs/", 404), 40);
	assert_int_equal(real_asked(&server, "PUT", "/uploads/", 201), 40);
	snprintf(host, sizeof host, "%s/t/a", server.host);
	places_are(s->w->store, &d[0], host);

	p = eb_push_new(s->registry, s->a, s->w->store, NULL);
	eb_push_known(p, &d[0]);
	for (int i = 0; i < 40; i++)
		eb_push_blob(p, &d[i], 14, NULL);
	ok(eb_push_wait(p, &err), &err);
	eb_push_totals(p, &t);
	eb_push_free(p);
	assert_int_equal(t.n_there, 39);
	assert_int_equal(t.n_sent, 0);
	assert_int_equal(real_asked(&server, "PUT", "/uploads/", 0), 40);
}

/* What goes beside an image: sent, not counted, and no source for others. */
static void bytes_in_memory(void **state)
{
	struct scene *s = *state;
	struct eb_digest one = digest_of("one", 3), two = digest_of("two", 3);
	EB_CLEANUP(eb_strv_release) struct eb_strv places = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	char bytes[] = "one";
	struct eb_push_totals t;
	struct eb_push *p;

	need_server();
	p = eb_push_new(s->registry, s->a, s->w->store, NULL);
	for (int i = 0; i < 2; i++) {
		eb_push_data(p, &one, bytes, 3, NULL);
		memset(bytes, 0, sizeof bytes); /* it was copied */
		eb_push_fresh(p, &two, "two", 3, NULL);
		ok(eb_push_wait(p, &err), &err);
	}
	eb_push_totals(p, &t);
	eb_push_free(p);
	assert_int_equal(t.n_sent + t.n_there + t.sent, 0);
	assert_int_equal(real_asked(&server, "HEAD", "/blobs/", 404), 1);
	assert_int_equal(real_asked(&server, "PUT", "/uploads/", 201), 2);
	assert_int_equal(eb_blob_head(s->a, &one, 3, &err), 1);
	assert_int_equal(eb_blob_head(s->a, &two, 3, &err), 1);
	assert_int_equal(eb_blob_source_find(s->w->store, &two, &places, &err),
			 0);

	p = eb_push_new(s->registry, s->a, s->w->store, NULL);
	eb_push_data(p, &one, "one", 3, NULL); /* is there */
	eb_push_data(p, &two, "owt", 3, NULL);
	ok(eb_push_wait(p, &err), &err);
	assert_int_equal(real_asked(&server, "PUT", "/uploads/", 0), 2);
	one = digest_of("three", 5);
	eb_push_fresh(p, &one, "other", 5, NULL);
	bad(eb_push_wait(p, &err), &err, EB_INTEGRITY, "the bytes of");
	eb_push_free(p);
}

/* It is sent without a question, once more too, and is a source then. */
static void made_just_now(void **state)
{
	struct scene *s = *state;
	struct eb_digest d = put_text(s, "fresh"), none = digest_of("n", 1);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_push_totals t;
	struct eb_push *p;
	char host[96];

	need_server();
	for (int i = 1; i <= 2; i++) {
		p = eb_push_new(s->registry, s->a, s->w->store, NULL);
		eb_push_fresh(p, &d, NULL, 5, "layer");
		ok(eb_push_wait(p, &err), &err);
		eb_push_totals(p, &t);
		assert_int_equal(t.n_sent, 1);
		assert_int_equal(real_asked(&server, "PUT", "/uploads/", 201),
				 i);
		if (i == 2) {
			eb_push_fresh(p, &none, NULL, 1, NULL);
			bad(eb_push_wait(p, &err), &err, EB_INTEGRITY,
			    "neither in the store nor in a registry");
		}
		eb_push_free(p);
	}
	assert_int_equal(real_asked(&server, "HEAD", "/blobs/", 0), 0);
	snprintf(host, sizeof host, "%s/t/a", server.host);
	places_are(s->w->store, &d, host);
}

static void mounts_from_the_same_host(void **state)
{
	struct scene *s = *state;
	struct eb_digest d;
	struct eb_push_totals t;
	struct eb_error err = EB_ERROR_INIT;

	need_server();
	d = make_image(s, 3, "mount");
	must_push(s, s->a, &d, "v1");
	real_forget(&server);
	ok(push_image(s, s->b, &d, "v1", &t, &err), &err);
	assert_int_equal(t.n_mounted, 4);
	assert_int_equal(t.sent + t.copied, 0);
	assert_int_equal(real_asked(&server, "POST", "mount=", 201), 4);
	assert_int_equal(real_asked(&server, "PUT", "/uploads/", 0), 0);
	assert_true(tag_is(s->b, "v1", &d));
}

/* A source that is one no more costs a request, nothing else. */
static void source_that_has_gone(void **state)
{
	struct scene *s = *state;
	struct eb_digest d = put_text(s, "text"), gone = digest_of("g", 1);
	eb_autofree char *place = NULL;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_push_totals t;
	struct eb_push *p;

	need_server();
	place = eb_asprintf("%s/t/b", server.host);
	ok(eb_blob_source_put(s->w->store, place, &d, 1, &err), &err);
	ok(eb_blob_source_put(s->w->store, place, &gone, 1, &err), &err);
	p = eb_push_new(s->registry, s->a, s->w->store, NULL);
	eb_push_blob(p, &d, 4, NULL);
	ok(eb_push_wait(p, &err), &err);
	eb_push_totals(p, &t);
	assert_int_equal(t.n_sent, 1);
	eb_push_blob(p, &gone, 1, NULL);
	bad(eb_push_wait(p, &err), &err, EB_INTEGRITY,
	    "neither in the store nor in a registry");
	eb_push_free(p);
}

static void error_ends_the_work(void **state)
{
	struct scene *s = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest missing = digest_of("late", 4), d[60];
	struct eb_push_totals t;
	struct eb_push *p;

	need_server();
	p = eb_push_new(s->registry, s->a, s->w->store, NULL);
	eb_push_blob(p, &missing, 4, NULL);
	for (int i = 0; i < 60; i++) {
		eb_autofree char *text = eb_asprintf("%02d", i);

		d[i] = put_text(s, text);
		eb_push_blob(p, &d[i], 2, NULL);
	}
	bad(eb_push_wait(p, &err), &err, EB_INTEGRITY, "neither in the store");
	eb_push_totals(p, &t);
	assert_true(t.n_sent < 60);
	put_text(s, "late"); /* and what was dropped can be queued again */
	eb_push_blob(p, &missing, 4, NULL);
	for (int i = 0; i < 60; i++)
		eb_push_blob(p, &d[i], 2, NULL);
	ok(eb_push_wait(p, &err), &err);
	eb_push_totals(p, &t);
	assert_int_equal(t.n_sent, 61);
	eb_push_blob(p, &d[0], 2, NULL);
	eb_push_free(p);
}

static void damaged_blob_is_not_sent(void **state)
{
	struct scene *s = *state;
	struct eb_digest d = put_text(s, "right"), e = put_text(s, "longer");
	eb_autofree char *path = eb_store_blob_path(s->w->store, &d);
	eb_autofree char *other = eb_store_blob_path(s->w->store, &e);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_push *p;

	need_server();
	ok(eb_write_file(path, "wrong", 5, 0444, &err), &err);
	ok(eb_write_file(other, "short", 5, 0444, &err), &err);
	p = eb_push_new(s->registry, s->a, s->w->store, NULL);
	eb_push_blob(p, &e, 6, NULL);
	bad(eb_push_wait(p, &err), &err, EB_INTEGRITY, "damaged in the store");
	eb_push_blob(p, &d, 5, NULL);
	assert_int_equal(eb_push_wait(p, &err), -1);
	assert_int_equal(err.code, EB_INTEGRITY);
	eb_err_release(&err);
	eb_push_free(p);
	assert_int_equal(eb_blob_head(s->a, &d, 5, &err), 0);
}

/* What waits is dropped: nobody asks for it. */
static void freed_while_it_works(void **state)
{
	struct scene *s = *state;
	struct eb_push *p;

	need_server();
	p = eb_push_new(s->registry, s->a, s->w->store, NULL);
	for (int i = 0; i < 500; i++) {
		eb_autofree char *text = eb_asprintf("%03d", i);
		struct eb_digest d = digest_of(text, 3);

		eb_push_blob(p, &d, 3, NULL);
	}
	eb_push_free(p);
	assert_true(real_asked(&server, "HEAD", "/blobs/", 0) < 100);
}

/* --- whole images ----------------------------------------------------------
 */
static void image_is_pushed(void **state)
{
	static const char *const tags[] = { "v1", "v2" };
	struct scene *s = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_push_totals t;
	struct eb_digest d;
	struct eb_push *p;

	need_server();
	d = make_image(s, 5, "push");
	p = eb_push_new(s->registry, s->a, s->w->store, NULL);
	ok(eb_image_push(p, &d, tags, 2, NULL, &err), &err);
	eb_push_totals(p, &t);
	eb_push_free(p);
	assert_int_equal(t.n_sent, 6);
	assert_true(tag_is(s->a, "v1", &d) && tag_is(s->a, "v2", &d));
	assert_int_equal(real_asked(&server, "PUT", "/manifests/", 201), 2);

	real_forget(&server); /* the same again: looked at, nothing written */
	ok(push_image(s, s->a, &d, "v1", &t, &err), &err);
	assert_int_equal(real_asked(&server, "HEAD", "/", 0), 2);
	assert_int_equal(real_asked(&server, "PUT", "/", 0), 0);
	assert_int_equal(real_asked(&server, "POST", "/", 0), 0);
	ok(push_image(s, s->a, &d, "v3", &t, &err), &err);
	assert_int_equal(real_asked(&server, "PUT", "/", 0), 1);
	assert_true(tag_is(s->a, "v3", &d));
}

static void image_without_a_tag(void **state)
{
	struct scene *s = *state;
	char text[EB_DIGEST_TEXT];
	struct eb_digest d;

	need_server();
	d = make_image(s, 1, "bare");
	must_push(s, s->a, &d, NULL);
	assert_true(tag_is(s->a, eb_digest_text(&d, text), &d));
	real_forget(&server);
	must_push(s, s->a, &d, NULL);
	assert_int_equal(real_asked(&server, "PUT", "/", 0), 0);
}

/* A mirror that has it all is no reason to believe that it is there. */
static void mirror_of_what_is_down(void **state)
{
	struct scene *s = *state;
	const char *before = getenv("CONTAINERS_REGISTRIES_CONF");
	eb_autofree char *kept = eb_strdup(before);
	eb_autofree char *conf = at(s->w, "registries.conf");
	eb_autofree char *text =
		eb_asprintf("[[registry]]\nlocation = \"127.0.0.1:1/t\"\n"
			    "[[registry.mirror]]\nlocation = \"%s/t\"\n",
			    server.host);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_repository *down;
	struct eb_push_totals t;
	struct eb_digest d, got;

	need_server();
	d = make_image(s, 1, "mirror");
	must_push(s, s->a, &d, "v1");
	ok(eb_write_file(conf, text, strlen(text), 0600, &err), &err);
	setenv("CONTAINERS_REGISTRIES_CONF", conf, 1);
	ok(eb_repository_open(s->registry, "127.0.0.1:1", "t/a", &down, &err),
	   &err);
	assert_int_equal(push_image(s, down, &d, "v1", &t, &err), -1);
	assert_int_equal(err.code, EB_NETWORK);
	eb_err_release(&err);
	assert_int_equal(
		eb_image_copy(down, s->a, "v1", NULL, 0, NULL, &got, &err), -1);
	assert_int_equal(err.code, EB_NETWORK);
	eb_err_release(&err);
	if (kept)
		setenv("CONTAINERS_REGISTRIES_CONF", kept, 1);
	else
		unsetenv("CONTAINERS_REGISTRIES_CONF");
}

static void no_tag_after_an_error(void **state)
{
	struct scene *s = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_push_totals t;
	struct eb_manifest m;
	struct eb_digest d;

	need_server();
	d = make_image(s, 3, "broken");
	m = manifest_of(s, &d);
	ok(eb_store_drop(s->w->store, &m.layer[1].digest, &err), &err);
	bad(push_image(s, s->a, &d, "v1", &t, &err), &err, EB_INTEGRITY,
	    "neither in the store");
	assert_false(tag_is(s->a, "v1", NULL));
	assert_int_equal(real_asked(&server, "PUT", "/manifests/", 0), 0);
	eb_manifest_release(&m);
}

/* Collected between our look and the manifest: sent once more. */
static void blobs_that_vanish_are_sent_again(void **state)
{
	struct scene *s = *state;
	const char *tag = "v1";
	struct eb_error err = EB_ERROR_INIT;
	struct eb_push_totals t;
	struct eb_manifest m;
	struct eb_digest d;
	struct eb_push *p;

	need_server();
	d = make_image(s, 2, "vanish");
	m = manifest_of(s, &d);
	p = eb_push_new(s->registry, s->a, s->w->store, NULL);
	eb_push_known(p, &m.layer[0].digest); /* but it is not */
	ok(eb_image_push(p, &d, &tag, 1, NULL, &err), &err);
	eb_push_totals(p, &t);
	assert_int_equal(t.n_sent, 3);
	assert_int_equal(real_asked(&server, "PUT", "/manifests/", 400), 1);
	assert_int_equal(real_asked(&server, "PUT", "/manifests/", 201), 1);
	assert_true(tag_is(s->a, "v1", &d));
	eb_push_free(p);
	eb_manifest_release(&m);
}

static void foreign_image(const struct scene *s, struct eb_buf *text)
{
	struct eb_digest c = put_text(s, "{}"), l = put_text(s, "layer");
	char config[EB_DIGEST_TEXT], layer[EB_DIGEST_TEXT];

	eb_buf_addf(text,
		    "{\"schemaVersion\":2,\"mediaType\":\"%s\",\"config\":"
		    "{\"mediaType\":\"%s\",\"digest\":\"%s\",\"size\":2},"
		    "\"layers\":[{\"mediaType\":\"%s\",\"digest\":\"%s\","
		    "\"size\":5,\"urls\":[\"https://127.0.0.1:9/x\"]}]}",
		    EB_MT_MANIFEST, EB_MT_CONFIG, eb_digest_text(&c, config),
		    FOREIGN, eb_digest_text(&l, layer));
}

static void foreign_layers_are_refused(void **state)
{
	static const char words[] = "may not be distributed";
	struct scene *s = *state;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, 10000);
	struct eb_push_totals t;
	struct eb_digest d, got, c;
	struct eb_push *p;

	need_server();
	foreign_image(s, &text);
	d = put_text(s, text.data);
	bad(push_image(s, s->a, &d, "v1", &t, &err), &err, EB_INPUT, words);
	assert_int_equal(real_asked(&server, "PUT", "/", 0), 0);
	c = put_text(s, "{}");
	p = eb_push_new(s->registry, s->a, s->w->store, NULL);
	eb_push_blob(p, &c, 2, NULL);
	ok(eb_push_wait(p, &err), &err);
	eb_push_free(p);
	ok(eb_manifest_put(s->a, "f", EB_MT_MANIFEST, text.data, text.len, NULL,
			   &err),
	   &err);
	bad(eb_image_pull(s->a, "f", PLATFORM, EB_PULL_LAYERS, s->w->store,
			  NULL, &got, NULL, &err),
	    &err, EB_INPUT, words);
	bad(eb_image_copy(s->b, s->a, "f", NULL, 0, NULL, &got, &err), &err,
	    EB_INPUT, words);
}

/* --- pull ------------------------------------------------------------------
 */
static struct eb_store_report collect(struct eb_store *store)
{
	struct eb_gc_options o = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store_report r;

	ok(eb_store_gc(store, &o, NULL, &r, &err), &err);
	return r;
}

static void image_is_pulled(void **state)
{
	struct scene *s = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *store;
	struct eb_digest d, got, top;
	struct eb_manifest m;

	need_server();
	d = make_image(s, 6, "pull");
	m = manifest_of(s, &d);
	must_push(s, s->a, &d, "latest");
	store = other_store(s, "second");
	ok(eb_image_pull(s->a, NULL, PLATFORM, EB_PULL_LAYERS, store, NULL,
			 &got, &top, &err),
	   &err);
	assert_true(eb_digest_equal(&got, &d) && eb_digest_equal(&top, &d));
	assert_int_equal(eb_image_is_complete(store, &d, &err), 1);
	/* Nothing of it goes with the next collection. */
	put_text(s, "x");
	assert_int_equal(collect(store).removed, 0);
	assert_int_equal(eb_image_is_complete(store, &d, &err), 1);

	/* Only what is missing is fetched. */
	ok(eb_store_drop(store, &m.layer[2].digest, &err), &err);
	real_forget(&server);
	ok(eb_image_pull(s->a, "latest", PLATFORM, EB_PULL_LAYERS, store, NULL,
			 &got, NULL, &err),
	   &err);
	assert_int_equal(real_asked(&server, "GET", "/blobs/", 0), 1);
	assert_int_equal(eb_image_is_complete(store, &d, &err), 1);

	/* The tag moves: what it named before is not kept. */
	d = make_image(s, 1, "moved");
	must_push(s, s->a, &d, "latest");
	ok(eb_image_pull(s->a, "latest", PLATFORM, EB_PULL_LAYERS, store, NULL,
			 &got, NULL, &err),
	   &err);
	assert_int_equal(collect(store).removed, 8);
	assert_int_equal(collect(store).blobs, 3);
	eb_store_close(store);
	eb_manifest_release(&m);
}

static void layers_stay_and_come_later(void **state)
{
	struct scene *s = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *store;
	struct eb_digest d, got;
	struct eb_manifest m;

	need_server();
	d = make_image(s, 3, "stay");
	m = manifest_of(s, &d);
	must_push(s, s->a, &d, "v1");
	store = other_store(s, "second");
	real_forget(&server);
	ok(eb_image_pull(s->a, "v1", PLATFORM, 0, store, NULL, &got, NULL,
			 &err),
	   &err);
	assert_int_equal(real_asked(&server, "GET", "/blobs/", 0), 1);
	assert_int_equal(has(store, &d), 1);
	assert_int_equal(has(store, &m.config.digest), 1);
	assert_int_equal(has(store, &m.layer[0].digest), 0);
	assert_int_equal(eb_image_is_complete(store, &d, &err), 0);
	assert_int_equal(collect(store).removed, 0);

	ok(eb_image_complete(s->registry, store, &d, NULL, &err), &err);
	assert_int_equal(eb_image_is_complete(store, &d, &err), 1);
	assert_int_equal(real_asked(&server, "GET", "/blobs/", 0), 4);
	ok(eb_image_complete(s->registry, store, &d, NULL, &err), &err);
	assert_int_equal(real_asked(&server, "GET", "/blobs/", 0), 4);
	eb_store_close(store);
	eb_manifest_release(&m);
}

static void what_has_no_source(void **state)
{
	struct scene *s = *state;
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *dead = NULL;
	struct eb_manifest m;
	struct eb_digest d;

	need_server();
	d = make_image(s, 2, "none");
	m = manifest_of(s, &d);
	ok(eb_store_drop(s->w->store, &m.layer[1].digest, &err), &err);
	bad(eb_image_complete(s->registry, s->w->store, &d, NULL, &err), &err,
	    EB_INTEGRITY, "no registry is known");
	dead = eb_asprintf("%s/t/b", server.host);
	ok(eb_blob_source_put(s->w->store, dead, &m.layer[1].digest, 1, &err),
	   &err);
	bad(eb_image_complete(s->registry, s->w->store, &d, NULL, &err), &err,
	    EB_INTEGRITY, "has it no more");
	eb_manifest_release(&m);
}

/* The first place does not answer; the second has it. */
static void second_source(void **state)
{
	struct scene *s = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_manifest m;
	struct eb_digest d;

	need_server();
	d = make_image(s, 2, "second");
	m = manifest_of(s, &d);
	must_push(s, s->a, &d, "v1");
	ok(eb_blob_source_put(s->w->store, "127.0.0.1:1/t/x",
			      &m.layer[1].digest, 1, &err),
	   &err);
	ok(eb_store_drop(s->w->store, &m.layer[1].digest, &err), &err);
	ok(eb_image_complete(s->registry, s->w->store, &d, NULL, &err), &err);
	assert_int_equal(has(s->w->store, &m.layer[1].digest), 1);
	eb_manifest_release(&m);
}

static void what_is_not_there(void **state)
{
	struct scene *s = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest got;

	need_server();
	bad(eb_image_pull(s->a, "none", PLATFORM, 0, s->w->store, NULL, &got,
			  NULL, &err),
	    &err, EB_NETWORK, "/t/a:none\", pulling: the registry has no");
	bad(eb_image_copy(s->b, s->a, "none", NULL, 0, NULL, &got, &err), &err,
	    EB_NETWORK, "the registry has no none");
}

static void overwrite(const struct eb_digest *d, const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	char hex[EB_HEX_SIZE];
	eb_autofree char *path = real_blob(&server, eb_digest_hex(d, hex));
	EB_AUTOBUF(old, TAR_MAX);

	ok(eb_read_file(path, TAR_MAX, &old, &err), &err);
	memcpy(old.data, text, strlen(text));
	ok(eb_write_file(path, old.data, old.len, 0644, &err), &err);
}

/* Of an image whose bytes are wrong nothing that is wrong comes in, and no
 * manifest. */
static void wrong_bytes_do_not_come_in(void **state)
{
	struct scene *s = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *store;
	struct eb_digest d, got;
	struct eb_manifest m;

	need_server();
	d = make_image(s, 2, "wrong");
	m = manifest_of(s, &d);
	must_push(s, s->a, &d, "v1");
	store = other_store(s, "second");
	overwrite(&m.layer[0].digest, "other bytes");
	assert_int_equal(eb_image_pull(s->a, "v1", PLATFORM, EB_PULL_LAYERS,
				       store, NULL, &got, NULL, &err),
			 -1);
	assert_int_equal(err.code, EB_INTEGRITY);
	eb_err_release(&err);
	assert_int_equal(has(store, &d), 0);
	assert_int_equal(has(store, &m.layer[0].digest), 0);
	overwrite(&m.config.digest, "{\"x\":");
	ok(eb_store_drop(store, &m.config.digest, &err), &err);
	assert_int_equal(eb_image_pull(s->a, "v1", PLATFORM, 0, store, NULL,
				       &got, NULL, &err),
			 -1);
	assert_int_equal(err.code, EB_INTEGRITY);
	eb_err_release(&err);
	assert_int_equal(has(store, &d), 0);
	eb_store_close(store);
	eb_manifest_release(&m);
}

/* The registry names the blobs right, the manifest their number or size
 * wrong. */
static void put_raw(const struct scene *s, const char *tag, const char *text)
{
	struct eb_error err = EB_ERROR_INIT;

	ok(eb_manifest_put(s->a, tag, EB_MT_MANIFEST, text, strlen(text), NULL,
			   &err),
	   &err);
}

static void manifests_that_lie(void **state)
{
	struct scene *s = *state;
	struct eb_error err = EB_ERROR_INIT;
	char config[EB_DIGEST_TEXT], layer[EB_DIGEST_TEXT];
	eb_autofree char *fewer = NULL, *size = NULL;
	struct eb_store *store;
	struct eb_manifest m;
	struct eb_digest d, got;

	need_server();
	d = make_image(s, 1, "lie");
	m = manifest_of(s, &d);
	must_push(s, s->a, &d, "v1");
	store = other_store(s, "second");
	eb_digest_text(&m.config.digest, config);
	eb_digest_text(&m.layer[0].digest, layer);
#define HEAD                                                                 \
	"{\"schemaVersion\":2,\"mediaType\":\"" EB_MT_MANIFEST "\",\"config" \
	"\":{\"mediaType\":\"" EB_MT_CONFIG "\",\"digest\":\"%s\",\"size\":" \
	"%" PRIu64 "},\"layers\":["
	fewer = eb_asprintf(HEAD "]}", config, m.config.size);
	size = eb_asprintf(HEAD "{\"mediaType\":\"%s\",\"digest\":\"%s\","
				"\"size\":%" PRIu64 "}]}",
			   config, m.config.size, EB_MT_LAYER_TAR, layer,
			   m.layer[0].size - 1);
	put_raw(s, "fewer", fewer);
	bad(eb_image_pull(s->a, "fewer", PLATFORM, 0, store, NULL, &got, NULL,
			  &err),
	    &err, EB_INPUT, "1 diff IDs for 0 layers");
	put_raw(s, "size", size);
	assert_int_equal(eb_image_pull(s->a, "size", PLATFORM, EB_PULL_LAYERS,
				       store, NULL, &got, NULL, &err),
			 -1);
	assert_int_equal(err.code, EB_INTEGRITY);
	eb_err_release(&err);
	assert_int_equal(has(store, &m.layer[0].digest), 0);
	/* nor does a lie take a good blob away */
	assert_int_equal(eb_image_pull(s->a, "size", PLATFORM, EB_PULL_LAYERS,
				       s->w->store, NULL, &got, NULL, &err),
			 -1);
	assert_int_equal(err.code, EB_INTEGRITY);
	eb_err_release(&err);
	assert_int_equal(has(s->w->store, &m.layer[0].digest), 1);
	eb_store_close(store);
	eb_manifest_release(&m);
}

/* --- Docker's manifest -----------------------------------------------------
 */
static char *as_docker(const struct eb_manifest *m)
{
	char config[EB_DIGEST_TEXT], layer[EB_DIGEST_TEXT];

	return eb_asprintf(
		"{\n \"schemaVersion\": 2,\n \"mediaType\": \"%s\",\n "
		"\"config\": {\"mediaType\": \"%s\", \"size\": %" PRIu64
		", \"digest\": \"%s\"},\n \"layers\": [{\"mediaType\": \"%s\","
		" \"size\": %" PRIu64 ", \"digest\": \"%s\"}]\n}",
		DOCKER_MANIFEST, DOCKER_CONFIG, m->config.size,
		eb_digest_text(&m->config.digest, config), DOCKER_LAYER,
		m->layer[0].size, eb_digest_text(&m->layer[0].digest, layer));
}

static struct eb_digest gzip_image(const struct scene *s)
{
	EB_AUTOBUF(tar, TAR_MAX);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d, ignored;

	tar_file(&tar, "etc/motd", "docker\n");
	tar_end(&tar);
	make_layout(s->w, "in", &tar, 1, "\"Env\":[\"A=b\"]");
	ok(import(s->w, "oci", "in", &d, &ignored, &err), &err);
	return d;
}

static void docker_manifest_stays(void **state)
{
	struct scene *s = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_reference to;
	EB_AUTOBUF(kept, EB_MAX_MANIFEST);
	eb_autofree char *text = NULL;
	struct eb_digest d, got, again;
	struct eb_push_totals t;
	struct eb_store *store;
	struct eb_manifest m;

	need_server();
	d = gzip_image(s);
	m = manifest_of(s, &d);
	must_push(s, s->a, &d, "oci");
	text = as_docker(&m);
	ok(eb_manifest_put(s->a, "docker", DOCKER_MANIFEST, text, strlen(text),
			   NULL, &err),
	   &err);
	store = other_store(s, "second");
	ok(eb_image_pull(s->a, "docker", PLATFORM, EB_PULL_LAYERS, store, NULL,
			 &got, NULL, &err),
	   &err);
	d = digest_of(text, strlen(text));
	assert_true(eb_digest_equal(&got, &d));
	ok(eb_store_read(store, &got, EB_MAX_MANIFEST, &kept, &err), &err);
	assert_string_equal(kept.data, text);

	/* Written to a layout it is OCI's, with the same image ID. */
	to = refer(s->w, "oci", "out:v1");
	ok(eb_image_export(store, &got, &to, NULL, PLATFORM, NULL, &err), &err);
	eb_reference_release(&to);
	ok(import(s->w, "oci", "out:v1", &again, &d, &err), &err);
	assert_false(eb_digest_equal(&again, &got));
	eb_manifest_release(&m);
	m = manifest_of(s, &again);
	assert_string_equal(m.layer[0].media_type, EB_MT_LAYER_GZIP);
	eb_manifest_release(&m);
	/* Pushed on it stays what it is. */
	put_text(s, text);
	ok(push_image(s, s->b, &got, "v1", &t, &err), &err);
	assert_true(tag_is(s->b, "v1", &got));
	eb_store_close(store);
}

/* --- indexes, copies -------------------------------------------------------
 */
static struct eb_digest push_index(const struct scene *s, const char *tag)
{
	static const char *const arch[] = { "amd64", "arm64" };
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(index, 10000);

	eb_buf_addf(&index,
		    "{\"schemaVersion\":2,\"mediaType\":\"%s\","
		    "\"manifests\":[",
		    EB_MT_INDEX);
	for (int i = 0; i < 2; i++) {
		struct eb_digest d = make_image(s, 2, arch[i]);
		char text[EB_DIGEST_TEXT];
		EB_AUTOBUF(own, EB_MAX_MANIFEST);

		must_push(s, s->a, &d, NULL);
		ok(eb_store_read(s->w->store, &d, EB_MAX_MANIFEST, &own, &err),
		   &err);
		eb_buf_addf(&index,
			    "%s{\"mediaType\":\"%s\",\"digest\":\"%s\",\"size\""
			    ":%zu,\"platform\":{\"os\":\"linux\","
			    "\"architecture\":\"%s\"}}",
			    i ? "," : "", EB_MT_MANIFEST,
			    eb_digest_text(&d, text), own.len, arch[i]);
	}
	eb_buf_adds(&index, "]}");
	ok(eb_manifest_put(s->a, tag, EB_MT_INDEX, index.data, index.len, NULL,
			   &err),
	   &err);
	return digest_of(index.data, index.len);
}

static void pull_out_of_an_index(void **state)
{
	struct scene *s = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d, got, want, top;
	struct eb_store *store;

	need_server();
	d = push_index(s, "multi");
	want = make_image(s, 2, "arm64");
	store = other_store(s, "second");
	ok(eb_image_pull(s->a, "multi", "linux/arm64", EB_PULL_LAYERS, store,
			 NULL, &got, &top, &err),
	   &err);
	assert_true(eb_digest_equal(&got, &want));
	assert_true(eb_digest_equal(&top, &d));
	bad(eb_image_pull(s->a, "multi", "linux/riscv64", 0, store, NULL, &got,
			  NULL, &err),
	    &err, EB_INPUT, "linux/riscv64");
	eb_store_close(store);
}

static void index_is_copied(void **state)
{
	static const char *const tags[] = { "one", "two" };
	struct scene *s = *state;
	struct eb_registry_counts before, after;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d, got;

	need_server();
	d = push_index(s, "multi");
	real_forget(&server);
	eb_registry_counts(s->registry, &before);
	ok(eb_image_copy(s->b, s->a, "multi", tags, 2, NULL, &got, &err), &err);
	eb_registry_counts(s->registry, &after);
	assert_true(eb_digest_equal(&got, &d));
	assert_true(tag_is(s->b, "one", &d) && tag_is(s->b, "two", &d));
	assert_true(after.sent - before.sent < 5000); /* manifests alone */
	assert_int_equal(real_asked(&server, "POST", "mount=", 201), 6);
	assert_int_equal(real_asked(&server, "PUT", "/t/b/manifests/", 201), 4);
	real_forget(&server);
	ok(eb_image_copy(s->b, s->a, "multi", tags, 1, NULL, &got, &err), &err);
	assert_int_equal(real_asked(&server, "POST", "/", 0), 0);
}

/* An index of one entry, the index `inner`. */
static struct eb_digest wrap(const struct scene *s, const struct eb_digest *of,
			     size_t size, size_t *own)
{
	struct eb_error err = EB_ERROR_INIT;
	char text[EB_DIGEST_TEXT];
	eb_autofree char *index = eb_asprintf(
		"{\"schemaVersion\":2,\"mediaType\":\"%s\",\"manifests\":[{"
		"\"mediaType\":\"%s\",\"digest\":\"%s\",\"size\":%zu}]}",
		EB_MT_INDEX, EB_MT_INDEX, eb_digest_text(of, text), size);
	struct eb_digest d = digest_of(index, strlen(index));

	ok(eb_manifest_put(s->a, eb_digest_text(&d, text), EB_MT_INDEX, index,
			   strlen(index), NULL, &err),
	   &err);
	*own = strlen(index);
	return d;
}

static void indexes_in_indexes(void **state)
{
	struct scene *s = *state;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	struct eb_remote remote;
	struct eb_digest d, got;
	char name[EB_DIGEST_TEXT];
	size_t size = 0;

	need_server();
	push_index(s, "multi");
	ok(eb_manifest_get(s->a, "multi", &text, &remote, &err), &err);
	d = wrap(s, &remote.digest, text.len, &size);
	ok(eb_image_copy(s->b, s->a, eb_digest_text(&d, name), NULL, 0, NULL,
			 &got, &err),
	   &err);
	assert_true(tag_is(s->b, name, &d));
	d = wrap(s, &d, size, &size);
	d = wrap(s, &d, size, &size);
	/* What lies below is there by now: ask a place that has nothing. */
	ok(eb_repository_open(s->registry, server.host, "t/c", &s->b, &err),
	   &err);
	bad(eb_image_copy(s->b, s->a, eb_digest_text(&d, name), NULL, 0, NULL,
			  &got, &err),
	    &err, EB_INPUT, "nested more than");
	assert_false(tag_is(s->b, name, NULL));
}

/* Blobs of an image that only another registry has go there through memory. */
static void copied_from_registry_to_registry(void **state)
{
	struct scene *s = *state;
	struct real_registry far;
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *dir = at(s->w, "far");
	struct eb_repository *there, *deeper;
	char text[EB_DIGEST_TEXT];
	struct eb_push_totals t;
	struct eb_store *store;
	struct eb_digest d, got;

	need_server();
	assert_true(real_start(&far, dir));
	d = make_image(s, 3, "far");
	must_push(s, s->a, &d, "v1");
	ok(eb_repository_open(s->registry, far.host, "x", &there, &err), &err);
	ok(eb_repository_open(s->registry, far.host, "y", &deeper, &err), &err);
	ok(eb_image_copy(there, s->a, "v1", NULL, 0, NULL, &got, &err), &err);
	assert_int_equal(real_asked(&far, "PUT", "/uploads/", 201), 4);
	assert_false(tag_is(there, "v1", NULL));
	assert_true(tag_is(there, eb_digest_text(&d, text), &d));

	store = other_store(s, "second");
	ok(eb_image_pull(s->a, "v1", PLATFORM, 0, store, NULL, &got, NULL,
			 &err),
	   &err);
	eb_store_close(s->w->store);
	s->w->store = store; /* has no layer */
	ok(push_image(s, deeper, &d, "v1", &t, &err), &err);
	assert_int_equal(t.n_sent, 1);
	assert_int_equal(t.n_copied, 3);
	assert_true(t.copied > 3 * 1024);
	assert_int_equal(eb_image_is_complete(store, &d, &err), 0);
	assert_true(tag_is(deeper, "v1", &d));
	real_stop(&far);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

static const struct CMUnitTest tests[] = {
	TEST(sources),
	TEST(pushes_once),
	TEST(bytes_in_memory),
	TEST(made_just_now),
	TEST(mounts_from_the_same_host),
	TEST(source_that_has_gone),
	TEST(error_ends_the_work),
	TEST(damaged_blob_is_not_sent),
	TEST(freed_while_it_works),
	TEST(image_is_pushed),
	TEST(image_without_a_tag),
	TEST(mirror_of_what_is_down),
	TEST(no_tag_after_an_error),
	TEST(blobs_that_vanish_are_sent_again),
	TEST(foreign_layers_are_refused),
	TEST(image_is_pulled),
	TEST(layers_stay_and_come_later),
	TEST(what_has_no_source),
	TEST(second_source),
	TEST(what_is_not_there),
	TEST(wrong_bytes_do_not_come_in),
	TEST(manifests_that_lie),
	TEST(docker_manifest_stays),
	TEST(pull_out_of_an_index),
	TEST(index_is_copied),
	TEST(indexes_in_indexes),
	TEST(copied_from_registry_to_registry),
};

int main(void)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *dir = eb_make_tempdir("/tmp", "test-transfer-", &err);
	int status;

	/* No mirror and no login of this machine. */
	setenv("CONTAINERS_REGISTRIES_CONF", "/dev/null", 1);
	setenv("HOME", dir, 1);
	unsetenv("DOCKER_CONFIG");
	unsetenv("REGISTRY_AUTH_FILE");
	unsetenv("XDG_RUNTIME_DIR");
	unsetenv("XDG_CONFIG_HOME");
	real_start(&server, dir);
	status = cmocka_run_group_tests(tests, NULL, NULL);
	real_stop(&server);
	eb_remove_tree(dir, &err);
	return status;
}
