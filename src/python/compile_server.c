/* SPDX-License-Identifier: Apache-2.0 */
/* Starting a compile server, and talking to it. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/str.h>

#include "compile_server.h"

#define WAIT_NS 600000000000ULL /* the longest file takes seconds */

struct head {
	char letter;
	uint32_t a, b;
	int64_t c;
} __attribute__((packed));

struct answer_head {
	char letter;
	uint32_t length;
} __attribute__((packed));

/* The server ended or talks nonsense: its own words say more than ours. It is
 * asked once; all workers end with it, and so all say the same. */
static int lost(struct eb_compile_worker *w, const char *why,
		struct eb_error *err)
{
	struct eb_compile_server *s = w->server;

	pthread_mutex_lock(&s->lock);
	if (s->running && eb_confined_wait(&s->c, &s->end) == 0)
		eb_err_set(&s->end, EB_STEP, "\"%s\": %s", s->program, why);
	s->running = false;
	eb_err_set(err, s->end.code, "%s", s->end.message);
	if (s->end.hint)
		eb_err_hint(err, "%s", s->end.hint);
	pthread_mutex_unlock(&s->lock);
	return -1;
}

static void end_it(struct eb_compile_server *s, const char *why)
{
	pthread_mutex_lock(&s->lock);
	if (s->running) {
		eb_confined_kill(&s->c);
		eb_err_set(&s->end, EB_STEP, "\"%s\": %s", s->program, why);
	}
	s->running = false;
	pthread_mutex_unlock(&s->lock);
}

/* Drop by drop does not count as an answer either. */
static int wait_for(struct eb_compile_worker *w, int fd, short event,
		    uint64_t deadline, struct eb_error *err)
{
	struct pollfd f = { fd, event, 0 };
	uint64_t now;
	int n;

	do {
		now = eb_now_ns();
		n = now < deadline
			    ? poll(&f, 1, (int)((deadline - now) / 1000000) + 1)
			    : 0;
	} while (n < 0 && errno == EINTR);
	if (n > 0)
		return 0;
	end_it(w->server, "it takes too long to answer");
	return lost(w, "", err);
}

static int send_all(struct eb_compile_worker *w, const void *p, size_t n,
		    struct eb_error *err)
{
	uint64_t deadline = eb_now_ns() + WAIT_NS;
	const char *at = p;

	while (n) {
		ssize_t done = write(w->fd_in, at, n);

		if (done < 0 && errno == EAGAIN) {
			if (wait_for(w, w->fd_in, POLLOUT, deadline, err) < 0)
				return -1;
			continue;
		}
		if (done < 0 && errno != EINTR)
			return lost(w, "it does not read its input", err);
		if (done > 0) {
			at += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

static int receive(struct eb_compile_worker *w, void *p, size_t n,
		   struct eb_error *err)
{
	uint64_t deadline = eb_now_ns() + WAIT_NS;
	char *at = p;

	while (n) {
		ssize_t got = read(w->fd_out, at, n);

		if (got < 0 && errno == EAGAIN) {
			if (wait_for(w, w->fd_out, POLLIN, deadline, err) < 0)
				return -1;
			continue;
		}
		if (got == 0 || (got < 0 && errno != EINTR))
			return lost(w, "its output breaks off", err);
		if (got > 0) {
			at += got;
			n -= (size_t)got;
		}
	}
	return 0;
}

/* An answer of one of the two letters; which one is returned. */
static int receive_answer(struct eb_compile_worker *w, const char *letters,
			  struct eb_buf *out, struct eb_error *err)
{
	struct answer_head h;
	size_t n;

	eb_buf_reset(out);
	if (receive(w, &h, sizeof h, err) < 0)
		return -1;
	n = le32toh(h.length);
	if (!h.letter || !strchr(letters, h.letter) || n > EB_BYTECODE_MAX ||
	    eb_buf_reserve(out, n) < 0) {
		end_it(w->server, "its answer is none");
		return lost(w, "", err);
	}
	if (receive(w, out->data, n, err) < 0)
		return -1;
	out->len = n;
	out->data[n] = '\0';
	return h.letter;
}

static int send_head(struct eb_compile_worker *w, char letter, uint32_t a,
		     uint32_t b, int64_t c, struct eb_error *err)
{
	struct head h = { letter, htole32(a), htole32(b),
			  (int64_t)htole64((uint64_t)c) };

	return send_all(w, &h, sizeof h, err);
}

/* The first worker has the standard descriptors. */
static void take_pipes(struct eb_compile_server *s)
{
	unsigned i;

	s->worker[0].fd_in = eb_steal_fd(&s->c.fd_in);
	s->worker[0].fd_out = eb_steal_fd(&s->c.fd_out);
	for (i = 1; i < s->n; i++) {
		s->worker[i].fd_in = s->c.more[i - 1].fd_in;
		s->worker[i].fd_out = s->c.more[i - 1].fd_out;
	}
	for (i = 0; i < s->n; i++) {
		s->worker[i].server = s;
		fcntl(s->worker[i].fd_in, F_SETFL, O_NONBLOCK);
		fcntl(s->worker[i].fd_out, F_SETFL, O_NONBLOCK);
	}
	s->c.more = NULL;
	s->c.n_more = 0;
}

static int launch(struct eb_compile_server *s, const char *root, const char *at,
		  bool old, const char *tmp, struct eb_events *events,
		  struct eb_error *err)
{
	/* Of all PYTHON* variables one counts: sets of constants are written
	 * in the order of their hashes. */
	eb_autofree char *libraries =
		eb_asprintf("LD_LIBRARY_PATH=%s/lib:%s/lib", at, root);
	eb_autofree char *workers = eb_asprintf("%u", s->n);
	struct eb_confined_pipes more[EB_CONFINED_MORE];
	const char *worker =
		old ? eb_compile_worker_2_py : eb_compile_worker_py;
	/* A chunk's process is short: what it frees need not go back. */
	const char *const env[] = { "PYTHONHASHSEED=0",
				    "LC_ALL=C",
				    "PATH=/nowhere",
				    "MALLOC_TOP_PAD_=4194304",
				    "MALLOC_TRIM_THRESHOLD_=268435456",
				    "MALLOC_MMAP_THRESHOLD_=268435456",
				    libraries,
				    NULL };
	const char *const argv[] = { s->program, "-S",	 "-B",	  "-s",
				     "-c",	 worker, workers, NULL };

	s->c = (struct eb_confined){
		.root = root,
		.at = at,
		.argv = argv,
		.env = env,
		.tmp = tmp,
		.memory_mib = s->memory_mib,
		.cpu_s = s->cpu_s,
		.more = more,
		.n_more = s->n - 1,
	};
	if (eb_confined_start(&s->c, events, err) < 0)
		return -1;
	s->running = true;
	take_pipes(s);
	return 0;
}

int eb_compile_server_start(struct eb_compile_server *s, const char *root,
			    const char *at, const char *python_minor,
			    const char *tmp, struct eb_events *events,
			    struct eb_error *err)
{
	unsigned i;
	EB_AUTOBUF(text, 4096);

	pthread_mutex_init(&s->lock, NULL);
	s->program = eb_asprintf("%s/bin/python%s", at, python_minor);
	s->worker = eb_calloc(s->n, sizeof *s->worker);
	for (i = 0; i < s->n; i++)
		s->worker[i].fd_in = s->worker[i].fd_out = -1;
	if (launch(s, root, at, eb_starts(python_minor, "2."), tmp, events,
		   err) < 0 ||
	    receive_answer(&s->worker[0], "H", &text, err) < 0)
		return -1;
	s->ready = eb_buf_steal(&text, NULL);
	return 0;
}

int eb_compile_begin(struct eb_compile_worker *w, struct eb_error *err)
{
	return send_head(w, 'P', 0, 0, 0, err);
}

int eb_compile_file(struct eb_compile_worker *w, const char *path,
		    int64_t mtime, const void *source, uint64_t size,
		    struct eb_buf *answer, struct eb_error *err)
{
	size_t n = strlen(path);
	int letter;

	if (send_head(w, 'F', (uint32_t)n, (uint32_t)size, mtime, err) < 0 ||
	    send_all(w, path, n, err) < 0 ||
	    send_all(w, source, (size_t)size, err) < 0)
		return -1;
	letter = receive_answer(w, "CX", answer, err);
	return letter < 0 ? -1 : letter == 'C';
}

int eb_compile_end(struct eb_compile_worker *w, struct eb_error *err)
{
	EB_AUTOBUF(text, 4096);

	if (send_head(w, 'E', 0, 0, 0, err) < 0)
		return -1;
	return receive_answer(w, "D", &text, err) < 0 ? -1 : 0;
}

static void close_pipes(struct eb_compile_server *s)
{
	unsigned i;

	for (i = 0; i < s->n; i++) {
		eb_cleanup_fd(&s->worker[i].fd_in);
		eb_cleanup_fd(&s->worker[i].fd_out);
	}
}

/* It ends when its input does, having waited for its workers: so what they
 * used counts as used by us, as nobody knows of one that is killed. */
void eb_compile_server_stop(struct eb_compile_server *s, bool kill)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (!s->program)
		return;
	close_pipes(s);
	if (s->running && kill)
		eb_confined_kill(&s->c);
	else if (s->running)
		eb_confined_wait(&s->c, &ignored);
	pthread_mutex_destroy(&s->lock);
	eb_err_release(&s->end);
	free(s->worker);
	free(s->program);
	free(s->ready);
	memset(s, 0, sizeof *s);
}
