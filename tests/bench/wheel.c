/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wheel pack WHEEL STORE: the members of a wheel become a layer in the store;
 * the sum of the whole file, which a build compares with the lock's, is made
 * beside that, and nothing is in the store before it is there.
 * wheel floor THREADS WHEEL: what that cannot do without, and nothing else:
 * inflate each member and SHA-256 of it; SHA-256 of as many bytes as the tar
 * has; SHA-256 of the packed bytes. Large pieces of work first. Nothing is
 * written.
 * Both print the bytes packed, the bytes plain and the number of members.
 * wheel install STORE WHEEL...: each wheel as a build packs it: its own sum,
 * its payload by its RECORD, a part in the store.
 * wheel sum PATH...: SHA-256 of every file below them, one after the other.
 */
#include <fcntl.h>
#include <ftw.h>
#include <isa-l.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <envbuild/part.h>
#include <envbuild/wheel.h>
#include <python/zip_dir.h>

#define PIECE (256 << 10)

static struct eb_zipdir zip;

static int die(const struct eb_error *err)
{
	fprintf(stderr, "wheel: %s\n", err->message);
	return 1;
}

static int open_wheel(const char *path, struct eb_error *err)
{
	const struct eb_zipdir_limits limits = { 1000000, (uint64_t)16 << 30 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return eb_err_set(err, EB_INPUT, "\"%s\" cannot be opened",
				  path);
	return eb_zipdir_open(fd, path, &limits, &zip, err);
}

static void print_sizes(void)
{
	uint64_t packed = 0, size = 0;

	for (size_t i = 0; i < zip.n; i++) {
		packed += zip.member[i].packed;
		size += zip.member[i].size;
	}
	printf("%llu %llu %zu\n", (unsigned long long)packed,
	       (unsigned long long)size, zip.n);
}

/* --- pack ---------------------------------------------------------------- */
static void add_entries(struct eb_entries *e)
{
	for (size_t i = 0; i < zip.n; i++) {
		const struct eb_zipdir_member *m = &zip.member[i];
		eb_autofree char *path = eb_asprintf(
			"opt/env/lib/python3.7/site-packages/%s", m->name);
		struct eb_entry *entry;

		if (m->folder)
			continue;
		entry = eb_entries_add(e, path, EB_ENTRY_FILE);
		entry->size = m->size;
		entry->deflated = eb_malloc(sizeof *entry->deflated);
		*entry->deflated =
			(struct eb_deflated){ zip.fd, m->offset, m->packed,
					      m->crc32, m->stored };
	}
}

/* eb_part_check_fn: as a build does */
static int end_sum(void *data, struct eb_error *err)
{
	struct eb_sum **s = data;
	struct eb_digest sum;
	uint64_t size;

	if (eb_sum_end(eb_steal(*s), &sum, &size, err) < 0)
		return -1;
	return eb_digest_is_zero(&sum) ? -1 : 0;
}

static int pack(const char *folder, struct eb_error *err)
{
	EB_CLEANUP(eb_sum_abort_ptr) struct eb_sum *s = eb_sum_begin(zip.fd);
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	struct eb_store *store;
	struct eb_compressor c;
	struct eb_digest key;
	struct eb_item item;
	int rc;

	eb_sha256("wheel", 5, &key);
	add_entries(&e);
	if (eb_store_open(folder, 0, &store, err) < 0)
		return -1;
	rc = eb_compressor_init(&c, "gzip", err);
	if (rc == 0)
		rc = eb_part_write_checked(store, &c, EB_ITEM_LAYER, &key, &e,
					   "wheel", end_sum, &s, &item, err);
	eb_store_close(store);
	return rc;
}

/* --- install ------------------------------------------------------------- */
static int install_one(struct eb_store *store, const struct eb_compressor *c,
		       const char *path, struct eb_error *err)
{
	const struct eb_wheel_target target = {
		.prefix = "/opt/env",
		.python_minor = "3.7",
		.site_packages = "lib/python3.7/site-packages",
	};
	EB_CLEANUP(eb_wheel_free_ptr) struct eb_wheel *wheel = NULL;
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	const char *name = strrchr(path, '/');
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct eb_digest sum;
	struct eb_item item;
	uint64_t size;

	name = name ? name + 1 : path;
	if (fd < 0)
		return eb_err_set(err, EB_INPUT, "\"%s\" cannot be opened",
				  path);
	if (eb_sha256_fd(fd, &sum, &size, err) < 0 ||
	    eb_wheel_open(fd, name, &eb_wheel_default_limits, &wheel, err) <
		    0 ||
	    eb_wheel_payload(wheel, &target, &e, NULL, err) < 0)
		return -1;
	return eb_part_write(store, c, EB_ITEM_PART, &sum, &e, name, &item,
			     err);
}

static int install(const char *folder, char **wheel, int n,
		   struct eb_error *err)
{
	struct eb_store *store;
	struct eb_compressor c;
	int rc;

	if (eb_store_open(folder, 0, &store, err) < 0)
		return -1;
	rc = eb_compressor_init(&c, "gzip", err);
	for (int i = 0; i < n && rc == 0; i++)
		rc = install_one(store, &c, wheel[i], err);
	eb_store_close(store);
	return rc;
}

/* --- sum ----------------------------------------------------------------- */
static int sum_file(const char *path, const struct stat *st, int type,
		    struct FTW *where)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofd int fd = -1;
	struct eb_digest sum;
	uint64_t size;

	(void)st;
	(void)where;
	if (type != FTW_F)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 || eb_sha256_fd(fd, &sum, &size, &err) < 0;
}

static int sum(char **path, int n, struct eb_error *err)
{
	for (int i = 0; i < n; i++)
		if (nftw(path[i], sum_file, 16, FTW_PHYS))
			return eb_err_set(err, EB_INPUT,
					  "\"%s\" cannot be read", path[i]);
	return 0;
}

/* --- floor --------------------------------------------------------------- */
struct work {
	const struct eb_zipdir_member *m; /* NULL: a sum of `size` bytes */
	uint64_t size;
};
static struct work *work;
static size_t n_work, next_work;

static void sum_of(uint64_t size)
{
	static __thread char some[PIECE];
	struct eb_sha256 sha;
	struct eb_digest d;

	eb_sha256_init(&sha);
	while (size) {
		size_t n = size < PIECE ? size : PIECE;

		eb_sha256_add(&sha, some, n);
		size -= n;
	}
	eb_sha256_end(&sha, &d);
}

static size_t read_some(const struct eb_zipdir_member *m, uint64_t at, void *in)
{
	size_t n = m->packed - at < PIECE ? m->packed - at : PIECE;

	if (pread(zip.fd, in, n, (off_t)(m->offset + at)) != (ssize_t)n)
		abort();
	return n;
}

static void inflate_member(const struct eb_zipdir_member *m)
{
	static __thread uint8_t in[PIECE], out[PIECE];
	static __thread struct inflate_state z;
	struct eb_sha256 sha;
	struct eb_digest d;
	uint64_t at = 0;

	eb_sha256_init(&sha);
	isal_inflate_init(&z);
	z.avail_in = 0;
	while (z.block_state != ISAL_BLOCK_FINISH) {
		if (!z.avail_in) {
			z.next_in = in;
			z.avail_in = (uint32_t)read_some(m, at, in);
			at += z.avail_in;
		}
		z.next_out = out;
		z.avail_out = PIECE;
		if (isal_inflate(&z) != ISAL_DECOMP_OK)
			abort();
		eb_sha256_add(&sha, out, PIECE - z.avail_out);
	}
	eb_sha256_end(&sha, &d);
}

static void *do_work(void *arg)
{
	size_t i;

	while ((i = __atomic_fetch_add(&next_work, 1, __ATOMIC_RELAXED)) <
	       n_work) {
		if (work[i].m && !work[i].m->stored)
			inflate_member(work[i].m);
		else
			sum_of(work[i].size);
	}
	return arg;
}

static int larger_first(const void *a, const void *b)
{
	const struct work *x = a, *y = b;

	return x->size < y->size ? 1 : x->size > y->size ? -1 : 0;
}

/* The members, the whole tar, the whole blob. */
static void list_work(void)
{
	uint64_t packed = 0, tar = 1024;

	work = eb_calloc(zip.n + 2, sizeof *work);
	for (size_t i = 0; i < zip.n; i++) {
		const struct eb_zipdir_member *m = &zip.member[i];

		packed += m->packed;
		tar += 512 + ((m->size + 511) & ~(uint64_t)511);
		work[n_work++] = (struct work){ m, m->size };
	}
	work[n_work++] = (struct work){ NULL, tar };
	work[n_work++] = (struct work){ NULL, packed };
	qsort(work, n_work, sizeof *work, larger_first);
}

static void run_floor(int threads)
{
	pthread_t thread[64];

	list_work();
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, do_work, NULL))
			abort();
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
	struct eb_error err = EB_ERROR_INIT;
	bool is_floor = argc == 4 && strcmp(argv[1], "floor") == 0;
	int threads = is_floor ? atoi(argv[2]) : 1;

	if (argc > 3 && strcmp(argv[1], "install") == 0)
		return install(argv[2], argv + 3, argc - 3, &err) < 0
			       ? die(&err)
			       : 0;
	if (argc > 2 && strcmp(argv[1], "sum") == 0)
		return sum(argv + 2, argc - 2, &err) < 0 ? die(&err) : 0;
	if (argc != 4 || (!is_floor && strcmp(argv[1], "pack") != 0) ||
	    threads < 1 || threads > 64) {
		fprintf(stderr, "usage: wheel pack WHEEL STORE\n"
				"       wheel floor THREADS WHEEL\n"
				"       wheel install STORE WHEEL...\n"
				"       wheel sum PATH...\n");
		return 2;
	}
	if (open_wheel(argv[is_floor ? 3 : 2], &err) < 0)
		return die(&err);
	if (is_floor)
		run_floor(threads);
	else if (pack(argv[3], &err) < 0)
		return die(&err);
	print_sizes();
	return 0;
}
