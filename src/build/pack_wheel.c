/* SPDX-License-Identifier: Apache-2.0 */
/* A wheel becomes the payload of its project. */
#include <string.h>
#include <sys/stat.h>

#include <envbuild/file.h>
#include <envbuild/pip_resolve.h>

#include "build_private.h"

#define LARGE ((uint64_t)4 << 20) /* whose sum is worth a thread */

/* --- the whole file ---------------------------------------------------------
 * Its members are verified by RECORD while they are written, and RECORD by the
 * lock's digest of the whole file: read once more, but not inflated. Of a large
 * one that sum is made meanwhile; nothing is in the store before it was right.
 */
struct check {
	const struct eb_pin *pin;
	struct eb_sum *sum; /* or NULL: it was right */
};

static void release(struct check *c)
{
	eb_sum_abort(c->sum);
}

static int compare(const struct eb_pin *pin, const struct eb_digest *is,
		   uint64_t size, struct eb_error *err)
{
	char have[EB_DIGEST_TEXT], want[EB_DIGEST_TEXT];

	if (size != pin->size)
		return eb_err_set(err, EB_INTEGRITY,
				  "wheel \"%s\" has %llu bytes, the lock says "
				  "%llu",
				  pin->file, (unsigned long long)size,
				  (unsigned long long)pin->size);
	if (eb_digest_equal(is, &pin->sha256))
		return 0;
	return eb_err_set(err, EB_INTEGRITY,
			  "wheel \"%s\" has the digest %s, the lock says %s",
			  pin->file, eb_digest_text(is, have),
			  eb_digest_text(&pin->sha256, want));
}

/* eb_part_check_fn */
static int end_check(void *data, struct eb_error *err)
{
	struct check *c = data;
	struct eb_digest is;
	uint64_t size;

	if (!c->sum)
		return 0;
	if (eb_sum_end(eb_steal(c->sum), &is, &size, err) < 0)
		return -1;
	return compare(c->pin, &is, size, err);
}

static int begin_check(struct check *c, int fd, struct eb_error *err)
{
	struct eb_digest is;
	uint64_t size;

	if (c->pin->source != EB_PIN_WHEEL)
		return 0;
	if (c->pin->size >= LARGE) {
		c->sum = eb_sum_begin(fd);
		return 0;
	}
	if (eb_sha256_fd(fd, &is, &size, err) < 0)
		return -1;
	return compare(c->pin, &is, size, err);
}

/* Whatever is wrong with the content of a file that is another one: that is
 * what there is to say. */
static int explain_check(struct check *c, struct eb_error *err)
{
	struct eb_error other EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if ((err->code == EB_INPUT || err->code == EB_INTEGRITY) &&
	    end_check(c, &other) < 0) {
		eb_err_release(err);
		eb_err_move(err, &other);
	}
	return -1;
}

/* The file's name was checked against what it holds; the lock's against it. */
static int check_project(const struct eb_work *w, const struct eb_wheel *wheel,
			 const char *file, struct eb_error *err)
{
	if (!strcmp(eb_wheel_project(wheel), w->pin->name) &&
	    !strcmp(eb_wheel_version(wheel), w->pin->version))
		return 0;
	eb_err_set(err, EB_INPUT,
		   "wheel \"%s\" is of %s %s, the lock says %s %s", file,
		   eb_wheel_project(wheel), eb_wheel_version(wheel),
		   w->pin->name, w->pin->version);
	return eb_err_hint(err, "renew the lock with --update-lock");
}

/* What an sdist turned out to require is known from now on. */
static void learn(const struct eb_work *w, const struct eb_wheel *wheel)
{
	const struct eb_build *b = w->build;
	eb_autofree char *cache = eb_path_join(eb_store_dir(b->store), "uv");
	struct eb_python_target t;
	size_t n;
	const char *metadata = eb_wheel_metadata(wheel, &n);

	eb_describe_python(b, &t);
	if (t.version)
		eb_pip_built(cache, &t, &b->config->build_env, w->pin, metadata,
			     n);
}

/* Whoever has to do something about it has to know whose it is. */
static int say_origin(const struct eb_work *w, struct eb_error *err)
{
	const struct eb_pin *pin = w->pin;

	if (pin->source != EB_PIN_WHEEL || !pin->url || err->hint)
		return -1;
	if (err->code == EB_INTEGRITY)
		eb_err_hint(err,
			    "it came from \"%s\"; another version, or another "
			    "index, may have it whole",
			    pin->url);
	else if (err->code == EB_INPUT)
		eb_err_hint(
			err,
			"it came from \"%s\"; ask for another version, or "
			"for a build from source (\"--no-binary %s\" in the "
			"pip section)",
			pin->url, pin->name);
	return -1;
}

static int pack(struct eb_work *w, int fd, const char *file,
		struct check *check, struct eb_error *err)
{
	struct eb_build *b = w->build;
	const uint64_t *limit = b->config->limit;
	const struct eb_wheel_limits limits = {
		.members = limit[EB_LIMIT_PACKAGE_MEMBERS],
		.member_size = limit[EB_LIMIT_MEMBER_SIZE],
		.metadata = limit[EB_LIMIT_METADATA_SIZE],
	};
	EB_CLEANUP(eb_wheel_free_ptr) struct eb_wheel *wheel = NULL;
	EB_CLEANUP(eb_entries_release) struct eb_entries entries = { 0 };

	if (eb_wheel_open(fd, file, &limits, &wheel, err) < 0 ||
	    check_project(w, wheel, file, err) < 0 ||
	    eb_wheel_payload(wheel, &b->wheel_target, &entries, b->events,
			     err) < 0)
		return -1;
	learn(w, wheel);
	return eb_part_write_checked(
		b->store, &b->compressor, eb_payload_kind(w), &w->payload_key,
		&entries, file, end_check, check, &w->payload, err);
}

int eb_pack_wheel(struct eb_work *w, int fd, const char *file,
		  struct eb_error *err)
{
	struct check check EB_CLEANUP(release) = { .pin = w->pin };

	if (begin_check(&check, fd, err) < 0)
		return say_origin(w, err);
	if (pack(w, fd, file, &check, err) == 0)
		return 0;
	explain_check(&check, err);
	return say_origin(w, err);
}
