/* SPDX-License-Identifier: Apache-2.0 */
/* Artifacts as text, and all kinds of them in a real registry: locked-, layer-,
 * step-, recent; check, tags and gc on them. */
#include "team_fixture.h"

#include <time.h>

#include <build/team_artifact.h>
#include <envbuild/image.h>
#include <envbuild/process.h>

#include "real_registry.h"
#include "strict_registry.h"

/* --- text ------------------------------------------------------------- */
static struct eb_artifact sample(void)
{
	struct eb_artifact a = { .time = 1500000000 };
	struct eb_digest one = digest_of("one"), two = digest_of("two");
	struct eb_descriptor *d = eb_artifact_add(&a, EB_MT_MAP, &one, 3);

	eb_descriptor_annotate(d, "dev.envbuild.b", "2");
	eb_descriptor_annotate(d, "dev.envbuild.a", "1");
	eb_artifact_add(&a, EB_MT_PATHS, &two, 3);
	return a;
}

#define EMPTY "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
#define ONE "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
#define TWO "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"

static const char golden[] =
	"{\"annotations\":{\"org.opencontainers.image.created\":"
	"\"2017-07-14T02:40:00Z\"},"
	"\"artifactType\":\"application/vnd.envbuild.lock.v1\","
	"\"config\":{\"digest\":\"sha256:" EMPTY "\","
	"\"mediaType\":\"application/vnd.oci.empty.v1+json\",\"size\":2},"
	"\"layers\":[{\"annotations\":{\"dev.envbuild.a\":\"1\","
	"\"dev.envbuild.b\":\"2\"},\"digest\":\"sha256:" ONE "\","
	"\"mediaType\":\"application/vnd.envbuild.map.v1+zstd\",\"size\":3},"
	"{\"digest\":\"sha256:" TWO "\","
	"\"mediaType\":\"application/vnd.envbuild.paths.v1+zstd\",\"size\":3}],"
	"\"mediaType\":\"application/vnd.oci.image.manifest.v1+json\","
	"\"schemaVersion\":2}";

static void test_text(void **state)
{
	struct eb_artifact a EB_CLEANUP(eb_artifact_release) = sample();
	struct eb_artifact back EB_CLEANUP(eb_artifact_release) = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	const struct eb_descriptor *d;

	(void)state;
	eb_artifact_format(&a, EB_MT_LOCKED, &text);
	assert_string_equal(text.data, golden);
	must(eb_artifact_parse(text.data, text.len, "x", EB_MT_LOCKED, &back,
			       &err),
	     &err);
	assert_int_equal(back.time, a.time);
	assert_int_equal(back.n, 2);
	d = eb_artifact_layer(&back, EB_MT_MAP);
	assert_string_equal(eb_artifact_annotation(d, "dev.envbuild.b"), "2");
	assert_null(eb_artifact_annotation(d, "dev.envbuild.c"));
	assert_null(eb_artifact_layer(&back, EB_MT_LOCK_TEXT));
}

static void refused(const char *text, enum eb_code code, const char *says)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_artifact a;
	int rc = eb_artifact_parse(text, strlen(text), "NAME", EB_MT_LOCKED, &a,
				   &err);

	if (rc == 0)
		fail_msg("taken: %s", text);
	must_fail(rc, &err, code, says);
	assert_int_equal(a.n, 0);
}

static char *edit(const char *from, const char *to)
{
	const char *at = strstr(golden, from);

	if (!at)
		fail_msg("\"%s\" is not in the text", from);
	return eb_asprintf("%.*s%s%s", (int)(at - golden), golden, to,
			   at + strlen(from));
}

static void test_hostile(void **state)
{
	static const struct {
		const char *from, *to;
		enum eb_code code;
		const char *says;
	} rows[] = {
		{ "lock.v1", "lock.v2", EB_MACHINE, "newer" },
		{ "lock.v1", "lock.v0", EB_INTEGRITY, "another kind" },
		{ "lock.v1", "lock.v1x", EB_INTEGRITY, "another kind" },
		{ "lock.v1", "step.v1", EB_INTEGRITY, "another kind" },
		{ "\"artifactType\"", "\"x\"", EB_INTEGRITY, "another kind" },
		{ "\"schemaVersion\":2", "\"schemaVersion\":1", EB_INTEGRITY,
		  "no image manifest" },
		{ "image.manifest.v1", "image.index.v1", EB_INTEGRITY,
		  "no image manifest" },
		{ "\"layers\":[", "\"layers\":[{},", EB_INTEGRITY,
		  "one of its layers" },
		{ "\"layers\":[", "\"layers\":[null,", EB_INTEGRITY, "layers" },
		{ "\"layers\":[", "\"layers\":3,\"x\":[", EB_INTEGRITY,
		  "layers" },
		{ "\"layers\"", "\"Layers\"", EB_INTEGRITY, "layers" },
		{ "sha256:" ONE, "sha512:" ONE, EB_INTEGRITY, "layers" },
		{ "sha256:" ONE, ONE, EB_INTEGRITY, "layers" },
		{ "sha256:" ONE, "sha256:7692", EB_INTEGRITY, "layers" },
		{ "\"size\":3},", "\"size\":-3},", EB_INTEGRITY, "layers" },
		{ "\"size\":3},", "\"size\":3.5},", EB_INTEGRITY, "layers" },
		{ "\"size\":3},", "\"size\":99999999999999},", EB_INTEGRITY,
		  "layers" },
		{ "\"dev.envbuild.a\":\"1\"", "\"dev.envbuild.a\":1",
		  EB_INTEGRITY, "layers" },
		{ "{\"annotations\":", "[{\"annotations\":", EB_INTEGRITY,
		  "no JSON object" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		eb_autofree char *text = edit(rows[i].from, rows[i].to);

		refused(text, rows[i].code, rows[i].says);
	}
	refused("", EB_INTEGRITY, "no JSON object");
	refused("[]", EB_INTEGRITY, "no JSON object");
	refused("null", EB_INTEGRITY, "no JSON object");
}

/* More layers than there are kinds of blobs. */
static void test_too_many_layers(void **state)
{
	struct eb_artifact a EB_CLEANUP(eb_artifact_release) = { 0 };
	struct eb_digest one = digest_of("one");
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	eb_autofree char *more = NULL;
	const char *list;

	(void)state;
	while (a.n < EB_ARTIFACT_LAYERS)
		eb_artifact_add(&a, EB_MT_MAP, &one, 3);
	eb_artifact_format(&a, EB_MT_LOCKED, &text);
	list = strstr(text.data, "\"layers\":[") + strlen("\"layers\":[");
	more = eb_asprintf("%.*s{},%s", (int)(list - text.data), text.data,
			   list);
	refused(more, EB_INTEGRITY, "too many");
}

/* A time that is none is no time. */
static void test_times(void **state)
{
	static const char *const times[] = { "yesterday",
					     "2017-99-99T00:00:00Z",
					     "1969-01-01T00:00:00Z", "" };

	(void)state;
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		eb_autofree char *text = edit("2017-07-14T02:40:00Z", times[i]);
		struct eb_artifact a EB_CLEANUP(eb_artifact_release) = { 0 };
		struct eb_error err = EB_ERROR_INIT;

		must(eb_artifact_parse(text, strlen(text), "x", EB_MT_LOCKED,
				       &a, &err),
		     &err);
		assert_int_equal(a.time, 0);
	}
}

/* --- a registry, a store, the team's cache ---------------------------- */
struct world {
	char *dir, *place;
	struct real_registry registry;
	struct eb_config config;
	struct eb_store *store;
	struct eb_team *team;
	struct said said;
};

static struct eb_team *open_team(struct world *w, bool single)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_team *t = NULL;

	must(eb_team_open(&w->config, single, w->said.events, &t, &err), &err);
	assert_non_null(t);
	return t;
}

static void close_world(struct world *w)
{
	struct eb_error err = EB_ERROR_INIT;

	eb_team_free(w->team);
	eb_store_close(w->store);
	eb_events_free(w->said.events);
	eb_strv_release(&w->said.lines);
	real_stop(&w->registry);
	must(eb_remove_tree(w->dir, &err), &err);
	free(w->place);
	free(w->dir);
}

static void start(struct world *w)
{
	eb_autofree char *dir = eb_path_join(w->dir, "registry");
	eb_autofree char *log = eb_path_join(dir, "log");

	unlink(log); /* that of a former one tells its port */
	if (!real_start(&w->registry, dir))
		fail_msg("docker-registry does not start");
	w->place = eb_asprintf("%s/team/envs", w->registry.host);
	w->config.registry = w->place;
}

/* Skips the test where there is no registry to be had. */
static void open_world(struct world *w)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *program = eb_find_program("docker-registry");
	void *folder;

	memset(w, 0, sizeof *w);
	if (!program) {
		print_message("docker-registry is not installed\n");
		skip();
	}
	assert_int_equal(make_folder(&folder), 0);
	w->dir = folder;
	strict_alone(w->dir);
	w->config = (struct eb_config){ .platform = (char *)"linux/amd64",
					.compression = (char *)"gzip",
					.max_age = -1 };
	start(w);
	w->said.events = eb_events_new(hear, &w->said);
	must(eb_store_open(w->dir, 0, &w->store, &err), &err);
	w->team = open_team(w, false);
}

#define WORLD(w)                                        \
	struct world w EB_CLEANUP(close_world) = { 0 }; \
	(void)state;                                    \
	open_world(&w)

static uint64_t requests(struct eb_team *t)
{
	struct eb_registry_counts c;

	eb_registry_counts(eb_team_registry(t), &c);
	return c.requests;
}

static void put_blob(struct world *w, const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d = digest_of(text);

	must(eb_team_put_blob(w->team, &d, text, strlen(text), &err), &err);
}

static struct eb_digest put_manifest(struct world *w, const char *tag,
				     const struct eb_buf *text)
{
	struct eb_error err = EB_ERROR_INIT;

	must(eb_manifest_put(w->team->repo, tag, EB_MT_MANIFEST, text->data,
			     text->len, NULL, &err),
	     &err);
	return digest_of(text->data);
}

/* An image of one layer, whose key and lock it names, under a tag. */
static struct eb_digest put_image(struct world *w, const char *tag,
				  const char *key, const struct eb_digest *lock)
{
	EB_CLEANUP(eb_manifest_release) struct eb_manifest m = { 0 };
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	eb_autofree char *config =
		eb_asprintf("{\"os\":\"linux\",\"architecture\":\"amd64\","
			    "\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[]},"
			    "\"x\":\"%s\"}",
			    key);
	struct eb_digest layer = digest_of(key), k = digest_of(key);
	char hex[EB_DIGEST_TEXT];

	put_blob(w, config);
	put_blob(w, key);
	m.config.media_type = eb_strdup(EB_MT_CONFIG);
	m.config.digest = digest_of(config);
	m.config.size = strlen(config);
	eb_descriptor_annotate(eb_manifest_add_layer(&m, EB_MT_LAYER_GZIP,
						     &layer, strlen(key)),
			       EB_ANNOTATION_KEY, eb_digest_hex(&k, hex));
	if (lock) {
		eb_strv_add(&m.annotations, EB_ANNOTATION_LOCK);
		eb_strv_add(&m.annotations, eb_digest_text(lock, hex));
	}
	eb_manifest_format(&m, &text);
	return put_manifest(w, tag, &text);
}

static struct eb_lock *one_lock(const char *version)
{
	eb_autofree char *row = eb_asprintf("*six %s py_0 15000", version);

	return make_lock((const char *const[]){ row, NULL });
}

static void put_lock(struct world *w, const struct eb_lock *lock, int64_t time,
		     const struct eb_known *map)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_push_free_ptr)
	struct eb_push *push =
		eb_push_new(w->team->registry, w->team->repo, w->store, NULL);

	must(eb_team_put_lock(w->team, push, lock, time, map, &err), &err);
}

/* The same registry at another port, where nothing can be deleted. */
static void forbid_deleting(struct world *w)
{
	eb_team_free(eb_steal(w->team));
	real_stop(&w->registry);
	free(eb_steal(w->place));
	setenv("REGISTRY_STORAGE_DELETE_ENABLED", "false", 1);
	start(w);
	unsetenv("REGISTRY_STORAGE_DELETE_ENABLED");
	w->team = open_team(w, false);
}

/* --- locked ----------------------------------------------------------- */
static void fill_map(struct eb_known *k)
{
	struct eb_item bucket;

	add_layer(k, "numpy", GZIP, 4000000);
	bucket = add_layer(k, "bucket 3", GZIP, 1000);
	add_part(k, &bucket, "six", 100, 300, "f\t644\t1\t5\t\topt/six\t\t\n");
	eb_known_sort(k);
}

static bool is_of_six(void *data, const struct eb_item *item)
{
	(*(unsigned *)data)++;
	return item->kind == EB_ITEM_PART;
}

static bool is_nothing(void *data, const struct eb_item *item)
{
	(void)item;
	(*(unsigned *)data)++;
	return false;
}

/* The path lists are asked for when something is wanted. */
static void wants(struct world *w, const struct eb_digest *lock,
		  eb_wanted_fn *wanted, size_t n, unsigned n_requests)
{
	struct eb_known back EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct eb_error err = EB_ERROR_INIT;
	uint64_t before = requests(w->team);
	unsigned asked = 0;

	assert_int_equal(
		eb_team_get_map(w->team, lock, wanted, &asked, &back, &err), 1);
	assert_int_equal(back.n, n);
	assert_int_equal(requests(w->team) - before, n_requests);
	assert_in_range(asked, 1, 3);
}

static void test_lock(void **state)
{
	WORLD(w);
	struct eb_known map EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct eb_known back EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = one_lock("1.15");
	EB_AUTOBUF(text, EB_MAX_LOCK);
	EB_AUTOBUF(want, EB_MAX_LOCK);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest hash;
	int64_t time = 0;
	uint64_t before;

	fill_map(&map);
	eb_lock_hash(lock, &hash);
	eb_lock_format(lock, &want);
	must(eb_team_get_lock(w.team, &hash, &text, &time, &err), &err);
	assert_int_equal(text.len, 0);
	assert_int_equal(
		eb_team_get_map(w.team, &hash, NULL, NULL, &back, &err), 0);
	put_lock(&w, lock, 2000, &map);
	before = requests(w.team);
	assert_int_equal(eb_team_get_lock(w.team, &hash, &text, &time, &err),
			 1);
	assert_int_equal(requests(w.team) - before, 2);
	assert_string_equal(text.data, want.data);
	assert_int_equal(time, 2000);
	before = requests(w.team);
	assert_int_equal(
		eb_team_get_map(w.team, &hash, NULL, NULL, &back, &err), 1);
	assert_int_equal(requests(w.team) - before, 3);
	eb_known_sort(&back);
	assert_int_equal(back.n, 3);
	wants(&w, &hash, is_of_six, 3, 3);
	wants(&w, &hash, is_nothing, 0, 2);
	/* not newer: one look, nothing written; newer: it is */
	before = requests(w.team);
	put_lock(&w, lock, 2000, &map);
	put_lock(&w, lock, 1999, &map);
	assert_int_equal(requests(w.team) - before, 2);
	put_lock(&w, lock, 3000, &map);
	assert_int_equal(eb_team_get_lock(w.team, &hash, &text, &time, &err),
			 1);
	assert_int_equal(time, 3000);
}

/* An artifact of our type with blobs that are no such things. */
static void put_wrong(struct world *w, const struct eb_digest *lock,
		      const char *map, const char *paths)
{
	struct eb_artifact a EB_CLEANUP(eb_artifact_release) = { .time = 5000 };
	struct eb_artifact_data data[EB_ARTIFACT_LAYERS] = {
		{ map, strlen(map) }, { paths, strlen(paths) }
	};
	eb_autofree char *tag = eb_team_tag_of(EB_TAG_LOCKED, lock, NULL);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d = digest_of(map);

	eb_artifact_add(&a, EB_MT_MAP, &d, strlen(map));
	d = digest_of(paths);
	eb_artifact_add(&a, EB_MT_PATHS, &d, strlen(paths));
	must(eb_artifact_put(w->team, tag, EB_MT_LOCKED, &a, data, &err), &err);
}

static void test_damaged_lock(void **state)
{
	WORLD(w);
	struct eb_known map EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = one_lock("1.15");
	EB_AUTOBUF(text, EB_MAX_LOCK);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest hash, layer = digest_of("key");
	eb_autofree char *tag = NULL;
	int64_t time;

	fill_map(&map);
	eb_lock_hash(lock, &hash);
	tag = eb_team_tag_of(EB_TAG_LOCKED, &hash, NULL);
	put_wrong(&w, &hash, "no zstd", "none either");
	must_fail(eb_team_get_map(w.team, &hash, NULL, NULL, &map, &err), &err,
		  EB_INTEGRITY, tag);
	must_fail(eb_team_get_lock(w.team, &hash, &text, &time, &err), &err,
		  EB_INTEGRITY, "it is not there");
	assert_int_equal(map.n, 3);
	/* an image under the name of an artifact is replaced */
	put_image(&w, tag, "key", NULL);
	must_fail(eb_team_get_map(w.team, &hash, NULL, NULL, &map, &err), &err,
		  EB_INTEGRITY, "another kind");
	assert_int_equal(eb_digest_is_zero(&layer), 0);
	put_lock(&w, lock, 10, &map);
	assert_int_equal(eb_team_get_lock(w.team, &hash, &text, &time, &err),
			 1);
	assert_int_equal(count_said(&w.said, "it is replaced"), 1);
}

/* --- layer ------------------------------------------------------------ */
static void put_layer(struct world *w, const struct eb_known_item *layer,
		      const char *paths)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_push *push = eb_push_new(w->team->registry, w->team->repo,
					   w->store, w->team->events);

	must(eb_team_put_layer(w->team, push, false, layer, paths, &err), &err);
	must(eb_push_wait(push, &err), &err);
	eb_push_free(push);
}

static void test_layer(void **state)
{
	WORLD(w);
	struct eb_known k EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct eb_known back EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(paths, EB_MAX_PATHS);
	struct eb_item item;
	const char *bytes = "blob numpy gzip-isal1";
	uint64_t before;

	/* its blob has to be what the fixture says that it is */
	item = make_item(EB_ITEM_LAYER, "numpy", GZIP, strlen(bytes), "",
			 &paths);
	put_blob(&w, bytes);
	must(eb_known_add(&k, &item, &item.blob, item.size, 0, paths.data,
			  paths.len, &err),
	     &err);
	assert_int_equal(
		eb_team_get_layer(w.team, &item.key, GZIP, &back, &err), 0);
	put_layer(&w, &k.item[0], paths.data);
	assert_int_equal(
		eb_team_get_layer(w.team, &item.key, GZIP, &back, &err), 1);
	assert_int_equal(back.n, 1);
	assert_memory_equal(&back.item[0].item, &item, sizeof item);
	assert_int_equal(back.item[0].container_size, item.size);
	before = requests(w.team);
	assert_int_equal(eb_team_get_layer(w.team, &item.key, "zstd3-1.5.4",
					   &back, &err),
			 0);
	assert_int_equal(requests(w.team) - before, 1);
	/* what is there is left alone: one HEAD */
	before = requests(w.team);
	put_layer(&w, &k.item[0], paths.data);
	assert_int_equal(requests(w.team) - before, 1);
}

/* A layer that says it is another one. */
static void test_wrong_layer(void **state)
{
	WORLD(w);
	struct eb_known k EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(paths, EB_MAX_PATHS);
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	const char *bytes = "blob a gzip-isal1";
	struct eb_digest other = digest_of("other");
	struct eb_remote remote;
	struct eb_item item;
	eb_autofree char *tag = eb_team_tag_of(EB_TAG_LAYER, &other, NULL);

	item = make_item(EB_ITEM_LAYER, "a", GZIP, strlen(bytes), "", &paths);
	put_blob(&w, bytes);
	must(eb_known_add(&k, &item, &item.blob, item.size, 0, paths.data,
			  paths.len, &err),
	     &err);
	put_layer(&w, &k.item[0], paths.data);
	{
		eb_autofree char *from =
			eb_team_tag_of(EB_TAG_LAYER, &item.key, NULL);

		assert_int_equal(eb_manifest_get(w.team->repo, from, &text,
						 &remote, &err),
				 1);
	}
	put_manifest(&w, tag, &text);
	must_fail(eb_team_get_layer(w.team, &other, GZIP, &k, &err), &err,
		  EB_INTEGRITY, "another layer");
	assert_int_equal(k.n, 1);
}

/* --- step ------------------------------------------------------------- */
static void test_step(void **state)
{
	WORLD(w);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest key = digest_of("step"),
			 first = put_text(w.store, "first result"),
			 second = put_text(w.store, "second"), is;
	uint64_t size;
	void *other = NULL;

	assert_int_equal(
		eb_team_step_find(w.team, &key, w.store, &is, &size, &err), 0);
	is = first;
	assert_int_equal(
		eb_team_step_put(w.team, &key, w.store, &is, &size, &err), 1);
	assert_memory_equal(&is, &first, sizeof is);
	assert_int_equal(size, strlen("first result"));
	/* who comes later gets that one */
	is = second;
	assert_int_equal(
		eb_team_step_put(w.team, &key, w.store, &is, &size, &err), 1);
	assert_memory_equal(&is, &first, sizeof is);
	/* and an empty store the bytes */
	assert_int_equal(make_folder(&other), 0);
	{
		EB_CLEANUP(eb_store_close_ptr)
		struct eb_store *s = open_store(&other, 0);
		EB_AUTOBUF(text, 100);

		assert_int_equal(
			eb_team_step_find(w.team, &key, s, &is, &size, &err),
			1);
		must(eb_store_read(s, &is, 100, &text, &err), &err);
		assert_string_equal(text.data, "first result");
	}
	remove_folder(&other);
	/* a result that the store has not cannot be sent */
	key = digest_of("another step");
	is = digest_of("not in the store");
	must_fail(eb_team_step_put(w.team, &key, w.store, &is, &size, &err),
		  &err, EB_INTEGRITY, "has it not");
}

/* --- recent ----------------------------------------------------------- */
static void test_recent(void **state)
{
	WORLD(w);
	struct eb_recent r EB_CLEANUP(eb_recent_release) = { 0 };
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = one_lock("1.15");
	struct eb_recent_entry e = { .definition = digest_of("d"),
				     .name = (char *)"name",
				     .time = 77 };
	struct eb_error err = EB_ERROR_INIT;
	uint64_t before;

	eb_lock_hash(lock, &e.lock);
	eb_sketch_of(lock, &e.sketch);
	assert_int_equal(eb_team_get_recent(w.team, &r, &err), 0);
	must(eb_team_add_recent(w.team, &e, &err), &err);
	before = requests(w.team);
	must(eb_team_add_recent(w.team, &e, &err), &err); /* as it is */
	assert_int_equal(requests(w.team) - before, 2);
	e.definition = digest_of("e");
	must(eb_team_add_recent(w.team, &e, &err), &err);
	assert_int_equal(eb_team_get_recent(w.team, &r, &err), 1);
	assert_int_equal(r.n, 2);
	assert_memory_equal(&r.v[0].definition, &e.definition, 32);
	/* something else of that name is as good as nothing */
	put_image(&w, "recent", "key", NULL);
	eb_recent_release(&r);
	assert_int_equal(eb_team_get_recent(w.team, &r, &err), 0);
	assert_int_equal(count_said(&w.said, "taken as empty"), 1);
	must(eb_team_add_recent(w.team, &e, &err), &err);
	assert_int_equal(eb_team_get_recent(w.team, &r, &err), 1);
	assert_int_equal(r.n, 1);
}

/* What was read before is read again only where it is another by now. */
static void add_to(struct world *w, const struct eb_recent_entry *e,
		   uint64_t asked)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_push_free_ptr)
	struct eb_push *push = eb_push_new(w->team->registry, w->team->repo,
					   w->store, w->said.events);
	const struct eb_recent *seen = eb_team_recent_seen(w->team);
	uint64_t before = requests(w->team);

	assert_non_null(seen);
	eb_recent_send(seen, e, push);
	must(eb_team_add_recent_to(w->team, seen, e, push, &err), &err);
	assert_int_equal(requests(w->team) - before, asked);
}

static void test_recent_ahead(void **state)
{
	WORLD(w);
	struct eb_recent r EB_CLEANUP(eb_recent_release) = { 0 };
	struct eb_recent_entry e = { .definition = digest_of("d"),
				     .name = (char *)"name",
				     .time = 77 };
	struct eb_error err = EB_ERROR_INIT;
	const struct eb_recent *seen;
	uint64_t before;

	assert_null(eb_team_recent_seen(w.team));
	must(eb_team_add_recent(w.team, &e, &err), &err);
	eb_team_ahead(w.team);
	eb_team_ahead(w.team);
	before = requests(w.team);
	assert_int_equal(eb_team_recent(w.team, &seen, &err), 1);
	assert_int_equal(eb_team_recent(w.team, &seen, &err), 1);
	assert_int_equal(seen->n, 1);
	assert_true(requests(w.team) - before <= 2);
	add_to(&w, &e, 1); /* it is in it: HEAD */
	e.definition = digest_of("e");
	add_to(&w, &e, 4); /* blob, HEAD, manifest */
	e.definition = digest_of("f");
	add_to(&w, &e, 8); /* the blob was for nothing: read, and written */
	assert_int_equal(eb_team_get_recent(w.team, &r, &err), 1);
	assert_int_equal(r.n, 3);
	assert_memory_equal(&r.v[0].definition, &e.definition, 32);
}

/* None is seen as well as one. */
static void test_recent_ahead_of_all(void **state)
{
	WORLD(w);
	struct eb_recent r EB_CLEANUP(eb_recent_release) = { 0 };
	struct eb_recent_entry e = { .definition = digest_of("d"),
				     .name = (char *)"",
				     .time = 77 };
	struct eb_error err = EB_ERROR_INIT;
	const struct eb_recent *seen;

	assert_int_equal(eb_team_recent(w.team, &seen, &err), 0);
	assert_int_equal(seen->n, 0);
	assert_false(seen->damaged);
	must(eb_team_add_recent(w.team, &e, &err),
	     &err); /* another was faster */
	e.definition = digest_of("e");
	add_to(&w, &e, 8);
	assert_int_equal(eb_team_get_recent(w.team, &r, &err), 1);
	assert_int_equal(r.n, 2);
}

/* --- check ------------------------------------------------------------ */
static void check_is(struct world *w, const struct eb_env *env, bool more,
		     int want, uint64_t asked, const char *says)
{
	EB_CLEANUP(eb_team_free_ptr) struct eb_team *t = open_team(w, true);
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *why = NULL;
	struct eb_team_image image;
	uint64_t before = requests(t);

	must(eb_team_check(t, env, &w->config, more, &image, &why, &err), &err);
	before = requests(t) - before;
	if (want)
		assert_null(why);
	else if (!why || !strstr(why, says))
		fail_msg("\"%s\", wanted \"%s\"", why, says);
	assert_int_equal(before, asked);
}

static void test_check(void **state)
{
	WORLD(w);
	struct eb_known map EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = one_lock("1.15");
	EB_CLEANUP(eb_team_free_ptr) struct eb_team *t = open_team(&w, true);
	struct eb_env env = { .definition = digest_of("d") };
	struct eb_env given = { .given = lock };
	eb_autofree char *tag =
		eb_team_tag_of(EB_TAG_ENV, &env.definition, NULL);
	eb_autofree char *lock_tag = NULL, *why = NULL, *ref = NULL;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_team_image image;
	struct eb_digest hash, is;

	eb_lock_hash(lock, &hash);
	lock_tag = eb_team_tag_of(EB_TAG_LOCK, &hash, NULL);
	check_is(&w, &env, false, 0, 1, "definition 18ac3e7343f0 is not in");
	check_is(&w, &given, false, 0, 1, "lock ");
	is = put_image(&w, tag, "key", &hash);
	put_image(&w, lock_tag, "key", &hash);
	check_is(&w, &env, false, 1, 1, NULL);
	check_is(&w, &given, false, 1, 1, NULL);
	/* its age, without and with the lock there */
	w.config.max_age = 3600;
	check_is(&w, &env, false, 0, 2, "nothing tells its age");
	check_is(&w, &given, false, 1, 1, NULL); /* a lock has none */
	put_lock(&w, lock, time(NULL) - 7200, &map);
	check_is(&w, &env, false, 0, 2, "older than --max-age");
	w.config.max_age = 9000;
	check_is(&w, &env, false, 1, 2, NULL);
	w.config.max_age = -1;
	assert_int_equal(
		eb_team_check(t, &env, &w.config, true, &image, &why, &err), 1);
	assert_true(image.has_lock);
	assert_memory_equal(&image.lock, &hash, sizeof hash);
	assert_memory_equal(&image.digest, &is, sizeof is);
	assert_true(image.time && time(NULL) - image.time >= 7200);
	ref = eb_team_reference(t, &is);
	assert_true(eb_starts(ref, w.place));
	assert_non_null(strstr(ref, "/team/envs@sha256:"));
	/* an image without a lock is a hit, too */
	put_image(&w, tag, "key", NULL);
	check_is(&w, &env, true, 1, 1, NULL);
	w.config.max_age = 9000;
	check_is(&w, &env, true, 0, 1, "nothing tells its age");
}

/* A registry that is gone: cannot tell, after one more try. */
static void test_cannot_tell(void **state)
{
	WORLD(w);
	EB_CLEANUP(eb_team_free_ptr) struct eb_team *t = open_team(&w, true);
	struct eb_env env = { .definition = digest_of("d") };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_team_image image;
	eb_autofree char *why = NULL;

	kill(w.registry.pid, SIGKILL);
	must_fail(eb_team_check(t, &env, &w.config, false, &image, &why, &err),
		  &err, EB_NETWORK, w.place);
	assert_null(why);
}

static void test_open(void **state)
{
	struct eb_config c = { .registry = (char *)"example.org/team/envs",
			       .max_age = -1 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_team *t = NULL;
	bool *const not [] = { &c.no_push, &c.offline, &c.local };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		*not [i] = true;
		assert_int_equal(eb_team_open(&c, true, NULL, &t, &err), 0);
		*not [i] = false;
	}
	c.policy.registries.set = true;
	must_fail(eb_team_open(&c, true, NULL, &t, &err), &err, EB_REFUSED,
		  "\"example.org/team/envs\" is not allowed");
	eb_strv_add(&c.policy.registries.prefix, "example.org/team");
	assert_int_equal(eb_team_open(&c, true, NULL, &t, &err), 1);
	eb_team_free(t);
	eb_strv_release(&c.policy.registries.prefix);
	c.policy.registries.set = false;
	c.registry = (char *)"example.org/team/envs:tag";
	must_fail(eb_team_open(&c, true, NULL, &t, &err), &err, EB_USAGE,
		  "no repository");
	c.registry = NULL;
	assert_int_equal(eb_team_open(&c, true, NULL, &t, &err), 0);
}

/* --- tags ------------------------------------------------------------- */
static int tagged(struct world *w, const char *tag)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_remote remote;
	int rc = eb_manifest_head(w->team->repo, tag, &remote, &err);

	must(rc, &err);
	return rc;
}

static void test_tag(void **state)
{
	WORLD(w);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest image = put_image(&w, "env-x", "key", NULL);
	struct eb_digest none = digest_of("none");
	eb_autofree char *here = eb_asprintf("%s:second", w.place);
	eb_autofree char *there =
		eb_asprintf("%s/elsewhere:third", w.registry.host);
	struct eb_repository *repo;
	struct eb_remote remote;

	must(eb_team_tag(w.team, &image, "first", &err), &err);
	assert_int_equal(tagged(&w, "first"), 1);
	must(eb_team_tag(w.team, &image, here, &err), &err);
	assert_int_equal(tagged(&w, "second"), 1);
	must(eb_team_tag(w.team, &image, there, &err), &err);
	must(eb_repository_open(w.team->registry, w.registry.host, "elsewhere",
				&repo, &err),
	     &err);
	assert_int_equal(eb_manifest_head(repo, "third", &remote, &err), 1);
	assert_memory_equal(&remote.digest, &image, sizeof image);
	must_fail(eb_team_tag(w.team, &image, "a b", &err), &err, EB_USAGE,
		  "neither a tag");
	must_fail(eb_team_tag(w.team, &image, "x:y", &err), &err, EB_USAGE,
		  "neither a tag");
	must_fail(eb_team_tag(w.team, &image, "recent", &err), &err, EB_USAGE,
		  "the cache's own");
	must_fail(eb_team_tag(w.team, &image,
			      "env-00000000000000000000000000000000", &err),
		  &err, EB_USAGE, "the cache's own");
	must_fail(eb_team_tag(w.team, &none, "first", &err), &err, EB_NETWORK,
		  "it is not there");
	w.config.policy.registries.set = true;
	must_fail(eb_team_tag(w.team, &image, there, &err), &err, EB_REFUSED,
		  "elsewhere");
}

/* --- gc --------------------------------------------------------------- */
static struct eb_team_gc_report gc(struct world *w, int64_t max_age,
				   bool remove)
{
	const struct eb_team_gc_options options = { .max_age_s = max_age,
						    .remove = remove };
	struct eb_team_gc_report r;
	struct eb_error err = EB_ERROR_INIT;

	must(eb_team_gc(w->team, &options, &r, &err), &err);
	return r;
}

struct built { /* one environment as a build leaves it */
	char *env, *lock, *locked, *layer;
	struct eb_digest image;
};

static void release_built(struct built *b)
{
	free(b->env);
	free(b->lock);
	free(b->locked);
	free(b->layer);
}

static struct built make_built(struct world *w, const char *version,
			       int64_t age)
{
	struct eb_known map EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct eb_known own EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = one_lock(version);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d = digest_of(version), hash;
	EB_AUTOBUF(paths, EB_MAX_PATHS);
	eb_autofree char *bytes = eb_asprintf("blob %s " GZIP, version);
	struct built b = { .env = eb_team_tag_of(EB_TAG_ENV, &d, NULL),
			   .layer = eb_team_tag_of(EB_TAG_LAYER, &d, NULL) };
	struct eb_item item = make_item(EB_ITEM_LAYER, version, GZIP,
					strlen(bytes), "", &paths);

	eb_lock_hash(lock, &hash);
	b.lock = eb_team_tag_of(EB_TAG_LOCK, &hash, NULL);
	b.locked = eb_team_tag_of(EB_TAG_LOCKED, &hash, NULL);
	b.image = put_image(w, b.lock, version, &hash);
	put_lock(w, lock, time(NULL) - age, &map);
	put_image(w, b.env, version, &hash);
	put_blob(w, bytes);
	must(eb_known_add(&own, &item, &item.blob, item.size, 0, paths.data,
			  paths.len, &err),
	     &err);
	put_layer(w, own.item, paths.data);
	return b;
}

static int all_there(struct world *w, const struct built *b)
{
	return tagged(w, b->env) + tagged(w, b->lock) + tagged(w, b->locked) +
	       tagged(w, b->layer);
}

static void put_step(struct world *w)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest key = digest_of("step"),
			 blob = put_text(w->store, "result");
	uint64_t size;

	must(eb_team_step_put(w->team, &key, w->store, &blob, &size, &err),
	     &err);
}

static void test_gc(void **state)
{
	WORLD(w);
	struct eb_team_gc_report r = gc(&w, 3600, true); /* nothing there yet */
	struct eb_error err = EB_ERROR_INIT;

	assert_int_equal(r.images + r.locks + r.layers + r.old + r.unreachable,
			 0);
	{
		struct built young EB_CLEANUP(release_built) =
			make_built(&w, "1.16", 60);
		struct built old EB_CLEANUP(release_built) =
			make_built(&w, "1.15", 7200);
		struct built kept EB_CLEANUP(release_built) =
			make_built(&w, "1.14", 7200);

		must(eb_team_tag(w.team, &kept.image, "production", &err),
		     &err);
		put_step(&w);
		/* no limit: all is needed */
		r = gc(&w, 0, true);
		assert_int_equal(r.images, 3);
		assert_int_equal(r.locks, 3);
		assert_int_equal(r.layers, 3);
		assert_int_equal(r.steps, 1);
		assert_int_equal(r.old + r.unreachable + r.removed, 0);
		/* told only; of `old`: two tags of the image, two more */
		r = gc(&w, 3600, false);
		assert_int_equal(r.old, 2);
		assert_int_equal(r.unreachable, 2);
		assert_int_equal(r.removed, 0);
		assert_int_equal(all_there(&w, &old), 4);
		assert_int_equal(count_said(&w.said, old.env), 1);
		/* removed: three digests; what has a name of people's stays */
		r = gc(&w, 3600, true);
		assert_int_equal(r.removed, 3);
		assert_int_equal(r.refused, 0);
		assert_int_equal(all_there(&w, &old), 0);
		assert_int_equal(all_there(&w, &young), 4);
		assert_int_equal(all_there(&w, &kept), 4);
		r = gc(&w, 3600, true);
		assert_int_equal(r.images, 2);
		assert_int_equal(r.old + r.unreachable + r.removed, 0);
		/* steps by their age, then images that only they outlive */
		r = gc(&w, 30, false);
		assert_int_equal(r.old, 2);
		assert_int_equal(r.unreachable, 2);
	}
}

/* An image that was taken away by hand leaves its lock and its layer. */
static void test_gc_unreachable(void **state)
{
	WORLD(w);
	struct built b EB_CLEANUP(release_built) = make_built(&w, "1.16", 60);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_team_gc_report r;

	assert_int_equal(eb_manifest_delete(w.team->repo, &b.image, &err), 1);
	assert_int_equal(all_there(&w, &b), 2);
	r = gc(&w, 0, true);
	assert_int_equal(r.images, 0);
	assert_int_equal(r.old, 0);
	assert_int_equal(r.unreachable, 2);
	assert_int_equal(r.removed, 2);
	assert_int_equal(all_there(&w, &b), 0);
}

/* A registry that deletes nothing: said once, counted, not asked again. */
static void test_gc_refused(void **state)
{
	WORLD(w);
	struct built b EB_CLEANUP(release_built) = make_built(&w, "1.16", 7200);
	struct eb_team_gc_report r;
	uint64_t before;

	forbid_deleting(&w);
	r = gc(&w, 3600, false);
	before = requests(w.team);
	r = gc(&w, 3600, false);
	before = requests(w.team) - before; /* of looking alone */
	before += requests(w.team);
	r = gc(&w, 3600, true);
	assert_int_equal(r.removed, 0);
	assert_int_equal(r.refused, 3);
	assert_int_equal(requests(w.team), before + 1);
	assert_int_equal(all_there(&w, &b), 4);
}

/* --- judged by others ------------------------------------------------- */
static void test_skopeo(void **state)
{
	WORLD(w);
	struct eb_known map EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = one_lock("1.15");
	eb_autofree char *program = eb_find_program("skopeo"), *ref = NULL,
			 *tag = NULL, *to = NULL;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(out, EB_MAX_MANIFEST);
	EB_AUTOBUF(said, EB_MAX_MANIFEST);
	struct eb_digest hash;
	int status;

	if (!program) {
		print_message("skopeo is not installed\n");
		skip();
	}
	fill_map(&map);
	put_lock(&w, lock, 1500000000, &map);
	eb_lock_hash(lock, &hash);
	tag = eb_team_tag_of(EB_TAG_LOCKED, &hash, NULL);
	ref = eb_asprintf("docker://%s:%s", w.place, tag);
	to = eb_asprintf("oci:%s/layout:x", w.dir);
	{
		const char *const argv[] = { "skopeo", "inspect",
					     "--raw",  "--tls-verify=false",
					     ref,      NULL };
		const char *const copy[] = {
			"skopeo", "copy", "--src-tls-verify=false",
			ref,	  to,	  NULL
		};

		must(eb_process_run(argv, NULL, NULL, 0, EB_MAX_MANIFEST, 30,
				    &out, &said, &status, &err),
		     &err);
		if (status)
			fail_msg("%s", said.data);
		assert_non_null(strstr(out.data, "\"artifactType\":"
						 "\"" EB_MT_LOCKED "\""));
		must(eb_process_run(copy, NULL, NULL, 0, EB_MAX_MANIFEST, 30,
				    NULL, &said, &status, &err),
		     &err);
		if (status)
			fail_msg("%s", said.data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_too_many_layers),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_lock),
		cmocka_unit_test(test_damaged_lock),
		cmocka_unit_test(test_layer),
		cmocka_unit_test(test_wrong_layer),
		cmocka_unit_test(test_step),
		cmocka_unit_test(test_recent),
		cmocka_unit_test(test_recent_ahead),
		cmocka_unit_test(test_recent_ahead_of_all),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_cannot_tell),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_tag),
		cmocka_unit_test(test_gc),
		cmocka_unit_test(test_gc_unreachable),
		cmocka_unit_test(test_gc_refused),
		cmocka_unit_test(test_skopeo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
