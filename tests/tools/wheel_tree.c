/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes what wheels become to a folder, by the way that a build goes: payload
 * and record as parts in a store, then their entries as files.
 *
 *	wheel_tree [--list] [--requested] [--url URL] PREFIX PYTHON-MINOR
 *		OUT WHEEL...
 *
 * OUT is what lies at PREFIX; OUT.store is the store. --url: the wheels were
 * asked for by this URL. --list: nothing is written, the entries are printed
 * (mode, size, sha256, path), no member is inflated.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/part.h>
#include <envbuild/pin.h>
#include <envbuild/stream.h>
#include <envbuild/wheel.h>

struct options {
	bool list, requested;
	const char *url, *out;
	struct eb_wheel_target target;
	struct eb_store *store;
	struct eb_compressor compressor;
};

static void die(const char *what, struct eb_error *err)
{
	fprintf(stderr, "%s: %s\n", what, err->message);
	exit(err->code);
}

static void hear(void *data, const struct eb_event *ev)
{
	(void)data;
	if (ev->type == EB_EV_WARNING || ev->type == EB_EV_DETAIL)
		fprintf(stderr, "%s\n", ev->text);
}

/* --- entries as files --------------------------------------------------- */

static int copy(const char *path, const struct eb_entry *e,
		struct eb_stream *content, struct eb_error *err)
{
	eb_autofree char *buffer = eb_malloc(1 << 16);
	eb_autofd int fd = -1;
	ssize_t n;

	if (unlink(path) < 0 && errno != ENOENT)
		return eb_err_errno(err, EB_OK, errno, "\"%s\"", path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\"", path);
	while ((n = eb_stream_read(content, buffer, 1 << 16, err)) > 0) {
		if (eb_write_all(fd, buffer, (size_t)n, path, err) < 0)
			return -1;
	}
	if (n < 0)
		return -1;
	if (fchmod(fd, e->mode) < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\"", path);
	return 0;
}

static int write_entry(void *data, const struct eb_entry *e,
		       struct eb_stream *content, struct eb_error *err)
{
	const struct options *o = data;
	size_t prefix = strlen(o->target.prefix);
	eb_autofree char *path = eb_path_join(o->out, e->path + prefix);
	eb_autofree char *folder = eb_strdup(path);

	*strrchr(folder, '/') = '\0';
	if (eb_mkdirs(folder, 0755, err) < 0)
		return -1;
	return copy(path, e, content, err);
}

static int write_part(struct options *o, const struct eb_digest *key,
		      struct eb_entries *entries, const char *what,
		      struct eb_item *item, struct eb_error *err)
{
	if (eb_part_write(o->store, &o->compressor, EB_ITEM_PART, key, entries,
			  what, item, err) < 0)
		return -1;
	return eb_part_walk(o->store, item, write_entry, o, err);
}

/* --- wheels ------------------------------------------------------------- */

static int write_record(struct options *o, const struct eb_wheel *w,
			const struct eb_digest *sha256,
			const struct eb_digest *payload_key,
			const struct eb_item *payload, struct eb_error *err)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries paths = { 0 };
	EB_CLEANUP(eb_entries_release) struct eb_entries record = { 0 };
	struct eb_pin pin = { .source = EB_PIN_WHEEL,
			      .url = (char *)(uintptr_t)o->url,
			      .direct = o->url != NULL,
			      .sha256 = *sha256 };
	eb_autofree char *direct_url = eb_pin_direct_url(&pin);
	struct eb_digest key;
	struct eb_item item;

	if (eb_part_paths(o->store, payload, &paths, err) < 0 ||
	    eb_wheel_record(eb_wheel_project(w), &paths, NULL, o->requested,
			    direct_url, &o->target, &record, err) < 0)
		return -1;
	eb_wheel_record_key(payload_key, NULL, o->requested, direct_url, &key);
	return write_part(o, &key, &record, eb_wheel_project(w), &item, err);
}

static void list(const struct eb_entries *entries)
{
	char hex[EB_HEX_SIZE];

	for (size_t i = 0; i < entries->n; i++) {
		const struct eb_entry *e = &entries->entry[i];

		printf("%04o %" PRIu64 " %s %s\n", e->mode, e->size,
		       eb_digest_hex(&e->sha256, hex), e->path);
	}
}

static int install(struct options *o, int fd, const char *path,
		   struct eb_events *events, struct eb_error *err)
{
	EB_CLEANUP(eb_wheel_free_ptr) struct eb_wheel *w = NULL;
	EB_CLEANUP(eb_entries_release) struct eb_entries payload = { 0 };
	struct eb_digest sha256, key;
	struct eb_item item;
	uint64_t size;

	if (eb_wheel_open(fd, path, &eb_wheel_default_limits, &w, err) < 0 ||
	    eb_wheel_payload(w, &o->target, &payload, events, err) < 0)
		return -1;
	if (o->list) {
		list(&payload);
		return 0;
	}
	if (eb_sha256_fd(fd, &sha256, &size, err) < 0)
		return -1;
	eb_wheel_key(&sha256, &o->target, &key);
	if (write_part(o, &key, &payload, path, &item, err) < 0)
		return -1;
	return write_record(o, w, &sha256, &key, &item, err);
}

static void install_file(struct options *o, const char *path,
			 struct eb_events *events)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		eb_err_errno(&err, EB_OK, errno, "opening");
	if (fd < 0 || install(o, fd, path, events, &err) < 0)
		die(path, &err);
}

/* --- the command line --------------------------------------------------- */

static char **read_options(struct options *o, char **arg)
{
	for (; *arg && **arg == '-'; arg++) {
		if (!strcmp(*arg, "--list"))
			o->list = true;
		else if (!strcmp(*arg, "--requested"))
			o->requested = true;
		else if (!strcmp(*arg, "--url") && arg[1])
			o->url = *++arg;
		else
			return NULL;
	}
	return arg[0] && arg[1] && arg[2] ? arg : NULL;
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_events *events = eb_events_new(hear, NULL);
	char **arg = read_options(&o, argv + (argc > 0));
	eb_autofree char *store = NULL, *site = NULL;
	struct rusage use;

	if (!arg) {
		fprintf(stderr, "wheel_tree [--list] [--requested] [--url URL] "
				"PREFIX PYTHON-MINOR OUT WHEEL...\n");
		return EB_USAGE;
	}
	o.out = arg[2];
	store = eb_asprintf("%s.store", o.out);
	site = eb_asprintf("lib/python%s/site-packages", arg[1]);
	o.target = (struct eb_wheel_target){ .prefix = arg[0],
					     .python_minor = arg[1],
					     .site_packages = site };
	if (!o.list && (eb_store_open(store, 0, &o.store, &err) < 0 ||
			eb_compressor_init(&o.compressor, "gzip", &err) < 0))
		die(store, &err);
	for (arg += 3; *arg; arg++)
		install_file(&o, *arg, events);
	eb_store_close(o.store);
	eb_events_free(events);
	getrusage(RUSAGE_SELF, &use);
	fprintf(stderr, "peak %ld kB\n", use.ru_maxrss);
	return 0;
}
