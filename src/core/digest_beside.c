/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of a whole file, made while something else is done with it. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <envbuild/digest.h>
#include <envbuild/mem.h>

#define PIECE ((size_t)256 << 10)

struct eb_sum {
	int fd, failed; /* errno */
	bool stop, threaded;
	pthread_t thread;
	uint64_t size;
	struct eb_digest digest;
};

static void *run(void *arg)
{
	struct eb_sum *s = arg;
	eb_autofree char *piece = eb_malloc(PIECE);
	struct eb_sha256 sha;
	ssize_t n = 1;

	eb_sha256_init(&sha);
	while (n && !__atomic_load_n(&s->stop, __ATOMIC_RELAXED)) {
		n = pread(s->fd, piece, PIECE, (off_t)s->size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			s->failed = errno;
			return NULL;
		}
		eb_sha256_add(&sha, piece, (size_t)n);
		s->size += (uint64_t)n;
	}
	eb_sha256_end(&sha, &s->digest);
	return NULL;
}

struct eb_sum *eb_sum_begin(int fd)
{
	struct eb_sum *s = eb_calloc(1, sizeof *s);
	sigset_t all, before;

	s->fd = fd;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	s->threaded = pthread_create(&s->thread, NULL, run, s) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return s;
}

int eb_sum_end(struct eb_sum *sum, struct eb_digest *out, uint64_t *size,
	       struct eb_error *err)
{
	eb_autofree struct eb_sum *s = sum;

	if (s->threaded)
		pthread_join(s->thread, NULL);
	else
		run(s);
	if (s->failed)
		return eb_err_errno(err, EB_MACHINE, s->failed,
				    "hashing a file");
	*out = s->digest;
	if (size)
		*size = s->size;
	return 0;
}

void eb_sum_abort(struct eb_sum *s)
{
	if (!s)
		return;
	__atomic_store_n(&s->stop, true, __ATOMIC_RELAXED);
	if (s->threaded)
		pthread_join(s->thread, NULL);
	free(s);
}
