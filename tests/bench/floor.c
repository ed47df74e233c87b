/* SPDX-License-Identifier: Apache-2.0 */
/*
 * floor THREADS ARCHIVE...: what packing cannot do without, and nothing else:
 * decompress each .tar.bz2 or the two .tar.zst of each .conda, SHA-256 of the
 * tar, ISA-L level 1 in blocks of 1 MiB, SHA-256 of the result. Nothing is
 * written. Prints the bytes in, plain and out.
 */
#include <bzlib.h>
#include <fcntl.h>
#include <isa-l.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <envbuild/digest.h>

#define BLOCK (1 << 20)

static char **archive;
static int n_archives, next_archive;
static uint64_t total_in, total_plain, total_out;

struct sink {
	uint8_t *block, *out, *level;
	size_t fill;
	struct eb_sha256 plain, blob;
	uint64_t plain_size, size;
};

static void flush(struct sink *s)
{
	struct isal_zstream z;

	if (!s->fill)
		return;
	isal_deflate_stateless_init(&z);
	z.level = 1;
	z.level_buf = s->level;
	z.level_buf_size = ISAL_DEF_LVL1_DEFAULT;
	z.end_of_stream = 1;
	z.next_in = s->block;
	z.avail_in = (uint32_t)s->fill;
	z.next_out = s->out;
	z.avail_out = 2 * BLOCK;
	if (isal_deflate_stateless(&z) != COMP_OK)
		abort();
	eb_sha256_add(&s->blob, s->out, z.total_out);
	s->size += z.total_out;
	s->fill = 0;
}

static void add(struct sink *s, const void *p, size_t n)
{
	const uint8_t *from = p;

	eb_sha256_add(&s->plain, p, n);
	s->plain_size += n;
	while (n) {
		size_t k = BLOCK - s->fill < n ? BLOCK - s->fill : n;

		memcpy(s->block + s->fill, from, k);
		s->fill += k;
		from += k;
		n -= k;
		if (s->fill == BLOCK)
			flush(s);
	}
}

static void bunzip2(struct sink *s, char *p, size_t n)
{
	static __thread char out[1 << 16];
	bz_stream z = { .next_in = p, .avail_in = (unsigned)n };
	int rc = BZ2_bzDecompressInit(&z, 0, 0);

	while (rc == BZ_OK) {
		z.next_out = out;
		z.avail_out = sizeof out;
		rc = BZ2_bzDecompress(&z);
		add(s, out, sizeof out - z.avail_out);
		if (rc == BZ_STREAM_END && z.avail_in) { /* one more stream */
			char *rest = z.next_in;
			unsigned left = z.avail_in;

			BZ2_bzDecompressEnd(&z);
			z = (bz_stream){ .next_in = rest, .avail_in = left };
			rc = BZ2_bzDecompressInit(&z, 0, 0);
		}
	}
	if (rc != BZ_STREAM_END)
		abort();
	BZ2_bzDecompressEnd(&z);
}

/* The frames are found by their magic: the members are stored, not packed. */
static void unzstd(struct sink *s, const char *p, size_t n)
{
	static __thread char out[1 << 17];
	ZSTD_DCtx *d = ZSTD_createDCtx();
	const char *end = p + n;

	ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, 27);
	while ((p = memmem(p, (size_t)(end - p), "\x28\xb5\x2f\xfd", 4))) {
		ZSTD_inBuffer in = { p, (size_t)(end - p), 0 };
		size_t rc = 1;

		while (rc && !ZSTD_isError(rc)) {
			ZSTD_outBuffer o = { out, sizeof out, 0 };

			rc = ZSTD_decompressStream(d, &o, &in);
			add(s, out, o.pos);
		}
		if (ZSTD_isError(rc))
			abort();
		p += in.pos;
	}
	ZSTD_freeDCtx(d);
}

static void one(struct sink *s, const char *path)
{
	struct eb_digest d;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *p;

	if (fd < 0 || fstat(fd, &st) < 0 || !st.st_size)
		abort();
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	eb_sha256_init(&s->plain);
	eb_sha256_init(&s->blob);
	s->plain_size = s->size = 0;
	if (!memcmp(p, "BZh", 3))
		bunzip2(s, p, (size_t)st.st_size);
	else
		unzstd(s, p, (size_t)st.st_size);
	flush(s);
	eb_sha256_end(&s->plain, &d);
	eb_sha256_end(&s->blob, &d);
	munmap(p, (size_t)st.st_size);
	close(fd);
	__atomic_add_fetch(&total_in, (uint64_t)st.st_size, __ATOMIC_RELAXED);
	__atomic_add_fetch(&total_plain, s->plain_size, __ATOMIC_RELAXED);
	__atomic_add_fetch(&total_out, s->size, __ATOMIC_RELAXED);
}

static void *work(void *arg)
{
	struct sink s = { .block = malloc(BLOCK),
			  .out = malloc(2 * BLOCK),
			  .level = malloc(ISAL_DEF_LVL1_DEFAULT) };
	int i;

	(void)arg;
	while ((i = __atomic_fetch_add(&next_archive, 1, __ATOMIC_RELAXED)) <
	       n_archives)
		one(&s, archive[i]);
	free(s.block);
	free(s.out);
	free(s.level);
	return NULL;
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? 0 : st.st_size;
}

static int larger_first(const void *a, const void *b)
{
	off_t x = size_of(*(char *const *)a), y = size_of(*(char *const *)b);

	return x < y ? 1 : x > y ? -1 : 0;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 0;
	pthread_t thread[64];

	if (argc < 3 || threads < 1 || threads > 64) {
		fprintf(stderr, "usage: floor THREADS ARCHIVE...\n");
		return 2;
	}
	archive = argv + 2;
	n_archives = argc - 2;
	qsort(archive, (size_t)n_archives, sizeof *archive, larger_first);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			abort();
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	printf("%llu %llu %llu\n", (unsigned long long)total_in,
	       (unsigned long long)total_plain, (unsigned long long)total_out);
	return 0;
}
